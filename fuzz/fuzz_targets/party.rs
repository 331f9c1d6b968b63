#![no_main]
//! Parties, as their files hold them. The input says which bytes of a good one are changed.

libfuzzer_sys::fuzz_target!(|data: &[u8]| ringjet_fuzz::parties::loads_party(data));
