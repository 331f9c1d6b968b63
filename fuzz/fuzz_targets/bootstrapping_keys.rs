#![no_main]
//! Bootstrapping keys with changed bytes. Loading from memory and from a stream must give the same
//! result.

use ringjet::wire::Limits;
use ringjet::{Context, EvaluationKeys, KeyMemory};
use ringjet_fuzz::{bootstrapping, edited, matrix_keys};

// the first byte chooses the keys
libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((kind, data)) = data.split_first() else { return };
    if kind & 1 == 0 {
        let (ctx, good) = bootstrapping();
        load(ctx, good, data);
    } else {
        let (ctx, good) = matrix_keys();
        load(ctx, good, data);
    }
});

fn load(ctx: &Context, good: &[u8], data: &[u8]) {
    let bytes = edited(good, data);
    let limits = Limits { max_bytes: Some(1 << 20), allow_insecure: true };
    let loaded = EvaluationKeys::from_bytes(ctx, &bytes, limits);
    let compressed = ctx.clone().with_key_memory(KeyMemory::Compressed);
    let mut rest = &bytes[..];
    let streamed = EvaluationKeys::read_from(&compressed, &mut rest, limits, |_, _| true);
    match (loaded, streamed) {
        (Ok(keys), Ok(streamed)) => {
            assert!(
                rest.is_empty() && keys.to_bytes(ctx).unwrap() == bytes,
                "the keys are written to other bytes than they were loaded from"
            );
            assert!(
                streamed.to_bytes(ctx).unwrap() == bytes,
                "the keys are written to other bytes than they were loaded from"
            );
        }
        (Err(_), Err(_)) => {}
        (loaded, streamed) => panic!("{:?} from memory, {:?} from a stream", loaded.err(), streamed.err()),
    }
}
