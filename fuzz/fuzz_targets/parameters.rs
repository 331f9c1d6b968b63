#![no_main]
//! Parameter sets, in the wire format and as JSON written by hand.

use ringjet::Parameters;
use ringjet::wire::{HEADER_LEN, Kind};
use ringjet_fuzz::{LIMITS, load_with_corrections, parameters_by_hand, use_parameters};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    // Parameters have several encodings, so objects are compared instead of bytes.
    let load = |bytes: &[u8]| {
        let params = Parameters::from_bytes(bytes, LIMITS)?;
        let again = params.to_bytes()?;
        assert!(Parameters::from_bytes(&again, LIMITS)? == params);
        Ok((params, bytes.to_vec()))
    };
    load_with_corrections(Kind::Parameters, data, load, use_parameters);
    parameters_by_hand(data);
    if data.len() > HEADER_LEN + 4 {
        parameters_by_hand(&data[HEADER_LEN..data.len() - 4]);
    }
});
