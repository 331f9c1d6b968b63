#![no_main]
//! Program files: a program that loads is written to the same bytes, and may be run, on whatever it takes.
//!
//! The input is loaded as it is, with a corrected digest, and as constants and operations that get a front
//! and digests: a byte with the number of constants, each constant after its length in two bytes, and the
//! rest.

use std::sync::OnceLock;

use ringjet::dynamic::{Ciphertext, Evaluator, Parameters};
use ringjet::program::Program;
use ringjet_fuzz::ckks::world;
use sha2::{Digest, Sha256};

/// The parameters, an evaluator and a ciphertext of the small ring.
fn small() -> &'static (Parameters, Evaluator, Ciphertext) {
    static SMALL: OnceLock<(Parameters, Evaluator, Ciphertext)> = OnceLock::new();
    SMALL.get_or_init(|| {
        let w = world();
        (w.ctx.params().clone().into(), w.eval.clone().into(), w.fresh.clone().into())
    })
}

fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let digest = Sha256::digest(&bytes);
    bytes.extend_from_slice(&digest);
    bytes
}

/// The front of a file of this program, up to its constants.
fn front(params: &Parameters) -> Vec<u8> {
    let json = params.to_json().expect("parameters of a known-answer vector");
    let mut bytes = b"RJPR".to_vec();
    bytes.extend_from_slice(&1u32.to_le_bytes());
    bytes.extend_from_slice(&(json.len() as u32).to_le_bytes());
    bytes.extend_from_slice(json.as_bytes());
    bytes.push(1);
    bytes
}

/// A file of the constants and operations in `data`.
fn assembled(params: &Parameters, data: &[u8]) -> Option<Vec<u8>> {
    let (&count, mut rest) = data.split_first()?;
    let count = u32::from(count % 8);
    let mut bytes = front(params);
    bytes.extend_from_slice(&count.to_le_bytes());
    for _ in 0..count {
        let (len, following) = rest.split_first_chunk::<2>()?;
        let (constant, following) = following.split_at_checked(usize::from(u16::from_le_bytes(*len)))?;
        bytes.extend_from_slice(&Sha256::digest(constant));
        bytes.extend_from_slice(constant);
        rest = following;
    }
    bytes.extend_from_slice(rest);
    Some(sealed(bytes))
}

fn load(bytes: &[u8]) {
    let (params, eval, fresh) = small();
    let Ok(stored) = Program::from_bytes(bytes, 1 << 16, true) else { return };
    let again = stored.program.to_bytes(&stored.params, stored.bootstrapping).expect("a program that was read");
    // constants that no operation uses are not written again
    if let Ok(same) = Program::from_bytes(&again, 1 << 20, true) {
        assert_eq!(same.program.to_bytes(&same.params, same.bootstrapping).expect("a program that was read"), again);
    } else {
        panic!("what was written is not read");
    }
    let inputs = vec![fresh.clone(); stored.program.inputs().len()];
    if stored.params == *params && stored.program.nodes().len() < 8 && inputs.len() < 8 {
        let _ = stored.program.run(eval, inputs, &mut |_, _| true);
    }
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    load(data);
    load(&sealed(data.to_vec()));
    if let Some(bytes) = assembled(&small().0, data) {
        load(&bytes);
    }
});
