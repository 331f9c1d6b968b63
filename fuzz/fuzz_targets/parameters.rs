#![no_main]
//! Parameter sets, in the wire format and as JSON written by hand, and use of the accepted ones: keys,
//! encryption, computation.

use ringjet::wire::Object;
use ringjet_fuzz::{LIMITS, bgv, ckks, heaan};
use ringjet_fuzz::{
    parameters_by_hand, use_bgv_parameters, use_heaan_parameters, use_parameters, with_own_fingerprint,
};

macro_rules! load {
    ($scheme:ident, $data:ident, $use_it:ident) => {
        if $scheme::named($data) {
            let read = |bytes: &[u8]| $scheme::Parameters::from_bytes(bytes, LIMITS);
            let load = |bytes: &[u8]| with_own_fingerprint(bytes, read, $scheme::Parameters::to_bytes);
            $scheme::load_with_corrections(Object::Parameters, $data, load, $use_it);
        }
    };
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    load!(ckks, data, use_parameters);
    load!(heaan, data, use_heaan_parameters);
    load!(bgv, data, use_bgv_parameters);
    parameters_by_hand(data);
});
