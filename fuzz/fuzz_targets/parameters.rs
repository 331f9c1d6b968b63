#![no_main]
//! Parameter sets: in the wire format, and as JSON that somebody wrote by hand.

use ringjet::Parameters;
use ringjet::wire::{HEADER_LEN, Kind};
use ringjet_fuzz::{LIMITS, converse, each_repair, parameters_by_hand};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    // the one object that has several spellings: compared after loading, not by its bytes
    let load = |bytes: &[u8]| {
        let params = Parameters::from_bytes(bytes, LIMITS)?;
        let again = params.to_bytes()?;
        assert!(Parameters::from_bytes(&again, LIMITS)? == params);
        Ok((params, bytes.to_vec()))
    };
    each_repair(Kind::Parameters, data, load, converse);
    parameters_by_hand(data);
    if data.len() > HEADER_LEN + 4 {
        parameters_by_hand(&data[HEADER_LEN..data.len() - 4]);
    }
});
