#![no_main]
//! Parameter sets of HEAAN, and a conversation with whatever was accepted.

use ringjet::heaan::Parameters;
use ringjet::wire::{Object, Scheme};
use ringjet_fuzz::{LIMITS, converse_heaan, each_repair, parameters_as_stated};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let load = |bytes: &[u8]| {
        parameters_as_stated(bytes, |bytes| Parameters::from_bytes(bytes, LIMITS), Parameters::to_bytes)
    };
    each_repair(Scheme::Heaan, Object::Parameters, data, load, converse_heaan);
});
