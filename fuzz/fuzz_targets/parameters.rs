#![no_main]
//! Parameter sets: in the wire format, and as JSON that somebody wrote by hand.

use ringjet::Parameters;
use ringjet::wire::{Object, Scheme};
use ringjet_fuzz::{LIMITS, converse, each_repair, parameters_as_stated, parameters_by_hand};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let load = |bytes: &[u8]| {
        parameters_as_stated(bytes, |bytes| Parameters::from_bytes(bytes, LIMITS), Parameters::to_bytes)
    };
    each_repair(Scheme::Ckks, Object::Parameters, data, load, converse);
    parameters_by_hand(data);
});
