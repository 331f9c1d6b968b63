#![no_main]
//! Messages of the rounds in which parties make keys. The input says which bytes of a good one are changed.

libfuzzer_sys::fuzz_target!(|data: &[u8]| ringjet_fuzz::parties::loads_message(data));
