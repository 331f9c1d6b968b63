#![no_main]
//! Parameter sets, in the wire format and as JSON written by hand.

use ringjet::Parameters;
use ringjet::wire::{Object, Scheme};
use ringjet_fuzz::{LIMITS, load_with_corrections, parameters_by_hand, use_parameters, with_own_fingerprint};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let load = |bytes: &[u8]| {
        with_own_fingerprint(bytes, |bytes| Parameters::from_bytes(bytes, LIMITS), Parameters::to_bytes)
    };
    load_with_corrections(Scheme::Ckks, Object::Parameters, data, load, use_parameters);
    parameters_by_hand(data);
});
