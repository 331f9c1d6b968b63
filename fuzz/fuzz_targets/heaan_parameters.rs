#![no_main]
//! Parameter sets of HEAAN, and a conversation with whatever was accepted.

use ringjet::heaan::Parameters;
use ringjet::wire::Kind;
use ringjet_fuzz::{LIMITS, converse_heaan, each_repair};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    // the one object that has several spellings: compared after loading, not by its bytes
    let load = |bytes: &[u8]| {
        let params = Parameters::from_bytes(bytes, LIMITS)?;
        let again = params.to_bytes()?;
        assert!(Parameters::from_bytes(&again, LIMITS)? == params);
        Ok((params, bytes.to_vec()))
    };
    each_repair(Kind::HeaanParameters, data, load, converse_heaan);
});
