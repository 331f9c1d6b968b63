//! Compares blocks with those of `rand_chacha`, and streams with one word taken at a time.

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use ringjet_backend::uniform::{SEGMENT, SEGMENT_BLOCKS};
use ringjet_backend::{UniformRange, UniformStream};
use ringjet_math::Modulus;
use ringjet_math::prime::is_prime;

use super::avx2::Avx2;
use super::avx512::Avx512;
use super::fill;
use super::lanes::Lanes;
use super::stream::{Key, blocks_on};
use crate::system::path::Path;

/// A generator with a seed that is printed: RINGJET_SEED, or the time if it is not set.
fn rng() -> ChaCha20Rng {
    let now = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as u64;
    let seed = std::env::var("RINGJET_SEED").map_or_else(|_| now(), |seed| seed.parse().expect("a number"));
    println!("RINGJET_SEED={seed}");
    ChaCha20Rng::seed_from_u64(seed)
}

fn random_seed(rng: &mut ChaCha20Rng) -> [u8; 32] {
    let mut seed = [0; 32];
    rng.fill_bytes(&mut seed);
    seed
}

#[target_feature(enable = "avx2")]
fn blocks_avx2(key: &Key, counter: u64) -> Vec<u64> {
    let mut out = vec![0; 8 * Avx2::COUNT];
    blocks_on::<Avx2>(key, counter, &mut out);
    out
}

#[target_feature(enable = "avx512f")]
fn blocks_avx512(key: &Key, counter: u64) -> Vec<u64> {
    let mut out = vec![0; 8 * Avx512::COUNT];
    blocks_on::<Avx512>(key, counter, &mut out);
    out
}

/// The blocks from `counter` on that each vector of this processor computes at a time.
fn blocks(seed: &[u8; 32], number: u64, counter: u64) -> Vec<Vec<u64>> {
    let (key, mut all) = (Key::new(seed, number), vec![]);
    for path in Path::usable() {
        match path {
            // SAFETY: the path is usable.
            Path::Fma => all.push(unsafe { blocks_avx2(&key, counter) }),
            // SAFETY: as above.
            Path::Avx512 => all.push(unsafe { blocks_avx512(&key, counter) }),
            Path::Scalar | Path::Ifma => {}
        }
    }
    all
}

/// The words of the blocks from `counter` on, one after the other.
fn textbook_words(seed: &[u8; 32], number: u64, counter: u64, count: usize) -> Vec<u64> {
    let mut rng = ChaCha20Rng::from_seed(*seed);
    rng.set_stream(number);
    rng.set_word_pos(u128::from(counter) << 4);
    (0..count).map(|_| rng.next_u64()).collect()
}

/// The definition of a stream, one word at a time.
fn textbook(stream: &UniformStream<'_>, len: usize) -> Vec<u64> {
    let (mut all, mut counter) = (vec![], stream.segment * SEGMENT_BLOCKS);
    while all.len() < len {
        let count = (len - all.len()).min(SEGMENT);
        // At least half of the words are good: the reserve is never exhausted.
        let words = textbook_words(stream.seed, stream.number, counter, 8 * SEGMENT);
        let values = words.into_iter().map(|word| match stream.range {
            UniformRange::Below(q) => word % (1 << q.bits()),
            UniformRange::Bits(bits) => (u128::from(word) % (1 << bits)) as u64,
        });
        let good = |v: &u64| if let UniformRange::Below(q) = stream.range { *v < q.value() } else { true };
        all.extend(values.filter(good).take(count));
        counter += SEGMENT_BLOCKS;
    }
    all
}

/// RFC 8439, section 2.3.2: its first nonce word is the upper half of this counter.
#[test]
fn known_block() {
    let seed: [u8; 32] = std::array::from_fn(|i| i as u8);
    let want = [
        0x15593bd1_e4e7f110_u64,
        0xc47120a3_1fdd0f50,
        0x0368c033_c7f4d1c7,
        0x4e6cd4c3_9aaa2204,
        0x09aa9f07_466482d2,
        0xa2028bd9_05d7c214,
        0xb94e16de_d19c12b5,
        0x4e3c50a2_e883d0cb,
    ];
    for found in blocks(&seed, 0x4a00_0000, 0x0900_0000_0000_0001) {
        assert_eq!(found[..8], want, "{} blocks at a time", found.len() / 8);
    }
}

#[test]
fn blocks_agree() {
    let mut rng = rng();
    for round in 0..50 {
        let (seed, number) = (random_seed(&mut rng), rng.next_u64());
        let near = |at: u64, rng: &mut ChaCha20Rng| at.wrapping_sub(rng.next_u64() % 20);
        // the lower half of the counter overflows, the whole counter does, and neither does
        let counters = [near(1 << 32, &mut rng), near(0, &mut rng), rng.next_u64(), u64::from(rng.next_u32())];
        for counter in counters {
            for found in blocks(&seed, number, counter) {
                let want = textbook_words(&seed, number, counter, found.len());
                assert!(found == want, "round {round}, counter {counter:#x}, {} blocks at a time", found.len() / 8);
            }
        }
    }
}

/// Primes of every size: just above a power of two, where half of all words are rejected, just
/// below one, and random ones between. Lengths end within segments, blocks and vectors.
#[test]
fn residues_agree() {
    let mut rng = rng();
    for bits in 2..=61 {
        let (least, most) = ((1u64 << (bits - 1)) + 1, (1u64 << bits) - 1);
        let middle = least + rng.next_u64() % (most - least + 1);
        let above = |from: u64| (from..=most).find(|&q| q > 2 && is_prime(q));
        let below = |from: u64| (least..=from).rev().find(|&q| q > 2 && is_prime(q));
        for q in [above(least), below(most), below(middle), above(middle)].into_iter().flatten() {
            let (seed, range) = (random_seed(&mut rng), UniformRange::Below(Modulus::new(q).unwrap()));
            let segment = rng.next_u64() % 1000;
            agree(&UniformStream { seed: &seed, number: rng.next_u64(), range, segment }, &mut rng);
        }
    }
}

#[test]
fn words_agree() {
    let mut rng = rng();
    for bits in 1..=64 {
        let (seed, range, segment) = (random_seed(&mut rng), UniformRange::Bits(bits), rng.next_u64() % 1000);
        agree(&UniformStream { seed: &seed, number: rng.next_u64(), range, segment }, &mut rng);
    }
}

/// Compares every path with the definition, for special and random lengths. Words behind the end stay.
fn agree(stream: &UniformStream<'_>, rng: &mut ChaCha20Rng) {
    let special = [0, 1, 7, 8, 9, 63, 64, 65, 127, 128, 129, 255, 256, 257];
    let random = [0; 3].map(|_| rng.next_u64() as usize % 1000);
    let longest = textbook(stream, 1000);
    for len in special.into_iter().chain(random) {
        for path in Path::usable() {
            let mut found = vec![u64::MAX; len + 8];
            fill(path, stream, &mut found[..len]);
            let case = || format!("{path:?}, {:?}, {len} words", stream.range);
            assert!(found[..len] == longest[..len], "{}", case());
            assert!(found[len..].iter().all(|&word| word == u64::MAX), "written behind the end: {}", case());
        }
    }
}
