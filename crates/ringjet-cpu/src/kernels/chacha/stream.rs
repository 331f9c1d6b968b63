//! Blocks of ChaCha20, and the values that a stream takes from them.

use ringjet_backend::UniformStream;
use ringjet_backend::uniform::{SEGMENT, SEGMENT_BLOCKS};

use super::lanes::Lanes;

/// The largest [`Lanes::COUNT`].
const MAX_LANES: usize = 16;

/// The words 0 to 3 of every block: "expand 32-byte k".
const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

/// Key and nonce, which are the same in all blocks of a stream.
pub struct Key {
    /// The words 4 to 11 of a block.
    seed: [u32; 8],
    /// The words 14 and 15 of a block.
    number: u64,
}

impl Key {
    /// The key of stream `number` of `seed`.
    pub fn new(seed: &[u8; 32], number: u64) -> Self {
        let mut words = [0; 8];
        for (word, bytes) in words.iter_mut().zip(seed.as_chunks::<4>().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        Self { seed: words, number }
    }
}

/// [`UniformStream::fill`] with vectors of the type `L`.
#[inline(always)]
pub fn fill_on<L: Lanes>(stream: &UniformStream<'_>, out: &mut [u64]) {
    let (key, mask, largest) = (Key::new(stream.seed, stream.number), stream.mask(), stream.largest());
    let mut words = [0; 8 * MAX_LANES];
    let words = &mut words[..8 * L::COUNT];
    let mut first = stream.segment * SEGMENT_BLOCKS;
    for out in out.chunks_mut(SEGMENT) {
        let (mut filled, mut counter) = (0, first);
        while filled < out.len() {
            blocks_on::<L>(&key, counter, words);
            counter += L::COUNT as u64;
            filled += L::keep(words, mask, largest, &mut out[filled..]);
        }
        first += SEGMENT_BLOCKS;
    }
}

/// Fills `out` with the blocks from `counter` on, as little-endian words of 64 bits. `out` has
/// room for COUNT blocks.
#[inline(always)]
pub fn blocks_on<L: Lanes>(key: &Key, counter: u64, out: &mut [u64]) {
    assert!(out.len() == 8 * L::COUNT);
    let (mut low, mut high) = ([0; MAX_LANES], [0; MAX_LANES]);
    for (i, (low, high)) in low.iter_mut().zip(&mut high).enumerate() {
        let counter = counter.wrapping_add(i as u64);
        (*low, *high) = (counter as u32, (counter >> 32) as u32);
    }
    let [c0, c1, c2, c3] = CONSTANTS;
    let [k0, k1, k2, k3, k4, k5, k6, k7] = key.seed;
    // SAFETY: both arrays have MAX_LANES words.
    let (low, high) = unsafe { (L::load(low.as_ptr()), L::load(high.as_ptr())) };
    let start = [
        L::splat(c0),
        L::splat(c1),
        L::splat(c2),
        L::splat(c3),
        L::splat(k0),
        L::splat(k1),
        L::splat(k2),
        L::splat(k3),
        L::splat(k4),
        L::splat(k5),
        L::splat(k6),
        L::splat(k7),
        low,
        high,
        L::splat(key.number as u32),
        L::splat((key.number >> 32) as u32),
    ];
    let mut x = start;
    for _ in 0..10 {
        quarter_round::<L, 0, 4, 8, 12>(&mut x);
        quarter_round::<L, 1, 5, 9, 13>(&mut x);
        quarter_round::<L, 2, 6, 10, 14>(&mut x);
        quarter_round::<L, 3, 7, 11, 15>(&mut x);
        quarter_round::<L, 0, 5, 10, 15>(&mut x);
        quarter_round::<L, 1, 6, 11, 12>(&mut x);
        quarter_round::<L, 2, 7, 8, 13>(&mut x);
        quarter_round::<L, 3, 4, 9, 14>(&mut x);
    }
    for (x, start) in x.iter_mut().zip(&start) {
        *x = x.add(*start);
    }
    // SAFETY: the length was checked.
    unsafe { L::store_blocks(x, out.as_mut_ptr()) };
}

/// RFC 8439, section 2.1, in each lane.
#[inline(always)]
fn quarter_round<L: Lanes, const A: usize, const B: usize, const C: usize, const D: usize>(x: &mut [L; 16]) {
    x[A] = x[A].add(x[B]);
    x[D] = x[D].xor(x[A]).rotate::<16, 16>();
    x[C] = x[C].add(x[D]);
    x[B] = x[B].xor(x[C]).rotate::<12, 20>();
    x[A] = x[A].add(x[B]);
    x[D] = x[D].xor(x[A]).rotate::<8, 24>();
    x[C] = x[C].add(x[D]);
    x[B] = x[B].xor(x[C]).rotate::<7, 25>();
}

/// [`Lanes::keep`] for vectors without an instruction that packs words.
#[inline(always)]
pub fn keep(words: &mut [u64], mask: u64, largest: u64, out: &mut [u64]) -> usize {
    // A difference has the top bit set if it is negative: if words are rejected, both are below 2^61.
    let mut rejected = 0;
    for v in words.iter_mut() {
        *v &= mask;
        rejected |= largest.wrapping_sub(*v);
    }
    if largest == mask || rejected >> 63 == 0 {
        let count = words.len().min(out.len());
        out[..count].copy_from_slice(&words[..count]);
        return count;
    }
    let mut kept = 0;
    for &v in words.iter() {
        let Some(place) = out.get_mut(kept) else { break };
        *place = v;
        kept += usize::from(v <= largest);
    }
    kept
}
