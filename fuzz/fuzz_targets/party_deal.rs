#![no_main]
//! Deals of parties. The input says which bytes of a good one are changed.

libfuzzer_sys::fuzz_target!(|data: &[u8]| ringjet_fuzz::parties::loads_deal(data));
