#![no_main]
//! Parameter sets of BGV and BFV, and use of the accepted ones: keys, encryption, computation.

use ringjet::bgv::Parameters;
use ringjet::wire::{Object, Scheme};
use ringjet_fuzz::{LIMITS, load_with_corrections, use_bgv_parameters, with_own_fingerprint};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let load = |bytes: &[u8]| {
        with_own_fingerprint(bytes, |bytes| Parameters::from_bytes(bytes, LIMITS), Parameters::to_bytes)
    };
    load_with_corrections(Scheme::Bgv, Object::Parameters, data, load, use_bgv_parameters);
});
