#![no_main]
//! [`ringjet::wire::peek`] on any bytes. The header that it returns depends on the first 48 bytes
//! only, and its fields are those bytes.

use ringjet::wire::{HEADER_LEN, peek};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Ok(header) = peek(data) {
        assert!(data.len() >= HEADER_LEN);
        assert_eq!(header, peek(&data[..HEADER_LEN]).unwrap());
        assert_eq!(header.bytes.to_le_bytes(), data[24..32]);
        assert_eq!([header.kind.scheme as u8, header.kind.object as u8], data[6..8]);
        assert_eq!(header.fingerprint, data[8..24]);
    }
});
