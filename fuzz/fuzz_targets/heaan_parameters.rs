#![no_main]
//! Parameter sets of HEAAN, and use of the accepted ones: keys, encryption, computation.

use ringjet::heaan::Parameters;
use ringjet::wire::Kind;
use ringjet_fuzz::{LIMITS, load_with_corrections, use_heaan_parameters};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    // Parameters have several encodings, so objects are compared instead of bytes.
    let load = |bytes: &[u8]| {
        let params = Parameters::from_bytes(bytes, LIMITS)?;
        let again = params.to_bytes()?;
        assert!(Parameters::from_bytes(&again, LIMITS)? == params);
        Ok((params, bytes.to_vec()))
    };
    load_with_corrections(Kind::HeaanParameters, data, load, use_heaan_parameters);
});
