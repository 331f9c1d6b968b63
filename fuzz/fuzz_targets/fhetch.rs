#![no_main]
//! Texts of FHETCH's polynomial IR. The first byte chooses the ring's degree. A text that is read is
//! written to a text with the same instructions.

use ringjet_fhetch::{Program, parse};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&log_n, text)) = data.split_first() else { return };
    let (Ok(text), degree) = (std::str::from_utf8(text), 1 << (log_n % 18)) else { return };
    let Ok(instructions) = parse(text, degree) else { return };
    let program = Program { degree, instructions, inputs: vec![], constants: vec![], outputs: vec![] };
    let written = program.text().expect("a program that was read");
    assert!(parse(&written, degree).expect("a text that was written") == program.instructions);
});
