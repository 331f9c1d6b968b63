#![no_main]
//! Program files: a program that loads is written to the same bytes, and may be run, on whatever it takes.
//! A short one of the small ring is also simulated, and optimised: the optimised program must have the same
//! results, with no fewer levels.
//!
//! The input is loaded as it is, with a corrected digest, and as constants and operations that get a front
//! and digests: a byte with the number of constants, each constant after its length in two bytes, and the
//! rest.

use std::sync::{Arc, OnceLock};

use ringjet::Stated;
use ringjet::dynamic::{Ciphertext, Context, Evaluator, Parameters};
use ringjet::program::{Clear, Input, Passes, Program, Recorder, Traced};
use ringjet_fuzz::ckks::world;
use ringjet_math::fft::Complex64;
use ringjet_model::CountingBackend;
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
        simulate(&stored.program, params);
    }
}

/// Simulates a program, and what `optimised` makes of it, which must not be worse.
fn simulate(program: &Program, params: &Parameters) {
    let Some(written) = simulated(program, params) else { return };
    let optimised = program.optimised(Passes::default(), &counting(params));
    // a simulation goes on where the program fails
    let Ok(optimised) = optimised else { return };
    let Some(better) = simulated(&optimised, params) else { panic!("the optimised program is refused") };
    assert_eq!(better.results.len(), written.results.len());
    if written.warned || better.warned {
        return;
    }
    for (a, b) in written.results.iter().zip(&better.results) {
        assert!(b.ct.budget().left >= a.ct.budget().left, "fewer levels");
        let deviation = (-b.ct.noise().precision_bits().min(a.ct.noise().precision_bits())).exp2();
        let largest = a.ct.noise().range().largest_part();
        let allowed = 16.0 * deviation + 1e-9 * largest;
        let (a, b) = (values(a), values(b));
        assert!(a.iter().zip(&b).all(|(a, b)| (a.re - b.re).abs() <= allowed && (a.im - b.im).abs() <= allowed));
    }
}

struct Simulated {
    results: Vec<Traced>,
    warned: bool,
}

/// The results of a program on values within the bounds of its inputs; `None` where it is refused.
fn simulated(program: &Program, params: &Parameters) -> Option<Simulated> {
    let mut recorder = Recorder::simulating(&counting(params), false);
    let inputs = program.inputs().iter().map(|(input, _)| within(input)).collect();
    let results = program.record_on(&mut recorder, inputs).ok()?;
    Some(Simulated { results, warned: !recorder.findings().is_empty() })
}

/// An evaluator that counts.
fn counting(params: &Parameters) -> Evaluator {
    let context = Context::new(params, Arc::new(CountingBackend::default()));
    let keys = context.uncomputed_keys(true).expect("keys of a known-answer vector");
    Evaluator::new(&context, &keys).expect("keys of these parameters")
}

/// Values of an input: its lowest, its highest, and what pads it.
fn within(input: &Input) -> Option<Clear> {
    let slots = 1 << input.log_slots;
    let (low, high) = match input.stated {
        Stated::Magnitude(most) => (-most, most),
        Stated::Interval(low, high) => (low, high),
    };
    let kinds = [low, high, input.stated.padding()];
    let count = input.count.unwrap_or(slots).min(slots);
    let value = |i| if i < count { kinds[i % 3] } else { kinds[2] };
    let all = (0..slots).map(|i| Complex64 { re: value(i), im: if input.complex { value(i + 1) } else { 0.0 } });
    Some(Clear::numbers(all.collect(), count, input.complex))
}

fn values(x: &Traced) -> Vec<Complex64> {
    x.seen.as_ref().expect("a simulation has values").clear().values()
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    load(data);
    load(&sealed(data.to_vec()));
    if let Some(bytes) = assembled(&small().0, data) {
        load(&bytes);
    }
});
