//! Bytes that were damaged on the way, by accident or on purpose.

use ringjet::wire::{HEADER_LEN, peek};

use super::objects::{LIMITS, Set, mend, reload, reload_as, tiny};

/// xorshift64*: positions that look random and are the same in every run.
pub fn sequence(seed: u64) -> impl FnMut(usize) -> usize {
    let mut x = seed | 1;
    move |bound| {
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        (x.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }
}

#[test]
fn ten_thousand_flipped_bits_of_each_object_are_refused() {
    let set = Set::new(&tiny(), 21);
    for (name, good) in set.bytes() {
        let kind = peek(&good).unwrap().kind.object;
        let mut next = sequence(good.len() as u64);
        let mut bytes = good.clone();
        for _ in 0..10_000 {
            let (at, bit) = (next(good.len()), next(8));
            bytes[at] ^= 1 << bit;
            let loaded = reload_as(kind, &set.ctx, &bytes, LIMITS);
            assert!(loaded.is_err(), "{name}: bit {bit} of byte {at}");
            bytes[at] ^= 1 << bit;
        }
        assert_eq!(bytes, good);
    }
}

/// Damaged bytes with a mended checksum: refused, or read exactly as the bytes say.
#[test]
fn ten_thousand_flipped_bits_under_a_right_checksum() {
    let set = Set::new(&tiny(), 22);
    for (name, good) in set.bytes() {
        let kind = peek(&good).unwrap().kind.object;
        let mut next = sequence(good.len() as u64 + 1);
        let (mut accepted, mut fixed) = (0, 0);
        for _ in 0..10_000 {
            let (at, bit) = (next(good.len() - 4), next(8));
            let mut bytes = good.clone();
            bytes[at] ^= 1 << bit;
            mend(&mut bytes);
            fixed += usize::from(bytes == good); // the length field
            if let Ok(again) = reload_as(kind, &set.ctx, &bytes, LIMITS) {
                assert_eq!(again, bytes, "{name}: bit {bit} of byte {at}");
                accepted += 1;
            }
        }
        // accepted: flips in residues, seeds, scale, noise; refused: those in the header, and residues that became too large
        println!("{name}: {accepted} accepted, {fixed} of them undone by mending");
        if name != "parameters" {
            assert!(accepted > fixed && accepted < 10_000, "{name}: {accepted}");
        }
    }
}

#[test]
fn truncated_at_every_length() {
    let set = Set::new(&tiny(), 23);
    for (name, good) in set.bytes() {
        let kind = peek(&good).unwrap().kind.object;
        for len in 0..good.len() {
            assert!(reload_as(kind, &set.ctx, &good[..len], LIMITS).is_err(), "{name}: {len}");
            if len >= HEADER_LEN + 4 {
                // truncated, with a length and a checksum that fit
                let mut bytes = good[..len].to_vec();
                mend(&mut bytes);
                assert!(reload_as(kind, &set.ctx, &bytes, LIMITS).is_err(), "{name}: {len}, mended");
            }
        }
        let mut long = good.clone();
        long.push(0);
        assert!(reload(&set.ctx, &long).is_err(), "{name}: a byte too many");
        mend(&mut long);
        if name != "parameters" {
            assert!(reload(&set.ctx, &long).is_err(), "{name}: a byte too many, mended");
        }
    }
}

/// Lengths above the bytes that follow are refused before memory is allocated (here a petabyte).
#[test]
fn oversize_lengths() {
    let set = Set::new(&tiny(), 24);
    let generous = ringjet::wire::Limits { max_bytes: Some(u64::MAX), ..LIMITS };
    for (name, good) in set.bytes() {
        let kind = peek(&good).unwrap().kind.object;
        for length in [0, 1, 35, good.len() as u64 + 1, 1 << 32, 1 << 50, 1 << 63, u64::MAX] {
            let mut bytes = good.clone();
            bytes[24..32].copy_from_slice(&length.to_le_bytes());
            assert!(reload_as(kind, &set.ctx, &bytes, generous).is_err(), "{name}: {length}");
            let checksum = crc32fast::hash(&bytes[..bytes.len() - 4]).to_le_bytes();
            let end = bytes.len() - 4;
            bytes[end..].copy_from_slice(&checksum);
            assert!(reload_as(kind, &set.ctx, &bytes, generous).is_err(), "{name}: {length}, mended");
        }
    }
}
