//! The public uniform stream: words that expand from a seed by ChaCha20. `docs/design/randomness.md`
//! defines them bit for bit.

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use ringjet_math::Modulus;

/// Number of coefficients of a segment. A segment has its own range of block counters.
pub const SEGMENT: usize = 256;

/// Number of ChaCha20 blocks reserved for a segment. A segment reads 32 blocks if no word is
/// rejected; the probability that it needs more than 1024 is below 2^-6000
/// (`docs/design/randomness.md`).
pub const SEGMENT_BLOCKS: u64 = 1024;

/// Which values a stream has, each with the same probability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UniformRange {
    /// Residues below a prime. Words outside are rejected.
    Below(Modulus),
    /// Words of this number of bits, 1 to 64. No word is rejected.
    Bits(u32),
}

/// One limb of a uniform polynomial, as a function of a public seed.
#[derive(Debug, Clone, Copy)]
pub struct UniformStream<'a> {
    /// The key of ChaCha20.
    pub seed: &'a [u8; 32],
    /// The number of the stream, in the place of the nonce.
    pub number: u64,
    /// The values.
    pub range: UniformRange,
    /// The segment at which reading begins, 0 for the first coefficient.
    pub segment: u64,
}

impl UniformStream<'_> {
    /// The bits of a word that count: all lower bits of the mask are set.
    pub fn mask(&self) -> u64 {
        let bits = match self.range {
            UniformRange::Below(q) => q.bits(),
            UniformRange::Bits(bits) => bits,
        };
        u64::MAX >> (64 - bits)
    }

    /// The largest value. It equals [`UniformStream::mask`] exactly if no word is rejected.
    pub fn largest(&self) -> u64 {
        match self.range {
            UniformRange::Below(q) => q.value() - 1,
            UniformRange::Bits(_) => self.mask(),
        }
    }

    /// The same stream, read from segment `segment` on.
    pub fn from_segment(self, segment: u64) -> Self {
        Self { segment, ..self }
    }

    /// Fills `out` with the values from the stream's segment on, in portable code. Any length is
    /// allowed; a shorter one gives the beginning of a longer one. Not constant time: seed and
    /// output are public.
    pub fn fill(&self, out: &mut [u64]) {
        let mut rng = ChaCha20Rng::from_seed(*self.seed);
        rng.set_stream(self.number);
        for (segment, out) in (self.segment..).zip(out.chunks_mut(SEGMENT)) {
            rng.set_word_pos(u128::from(segment * SEGMENT_BLOCKS) << 4);
            self.fill_segment(&mut rng, out);
        }
    }

    /// Fills `out` with accepted words, in the order of the stream.
    fn fill_segment(&self, rng: &mut ChaCha20Rng, out: &mut [u64]) {
        let (mask, largest) = (self.mask(), self.largest());
        let mut bytes = [0u8; 8 * SEGMENT];
        let mut filled = 0;
        while filled < out.len() {
            // Reads only as many words as coefficients are missing, so that none is discarded.
            let missing = &mut out[filled..];
            let bytes = &mut bytes[..8 * missing.len()];
            rng.fill_bytes(bytes);
            for (v, b) in missing.iter_mut().zip(bytes.as_chunks::<8>().0) {
                *v = u64::from_le_bytes(*b) & mask;
            }
            filled += keep(missing, mask, largest);
        }
    }
}

/// Moves the words of at most `largest` to the front of `words`, in their order, and returns their
/// number. No word is above `mask`.
fn keep(words: &mut [u64], mask: u64, largest: u64) -> usize {
    // A difference has the top bit set if it is negative: if words are rejected, both are below 2^61.
    let rejected = || words.iter().fold(0, |all, v| all | largest.wrapping_sub(*v)) >> 63 == 1;
    if largest == mask || !rejected() {
        return words.len();
    }
    let mut kept = 0;
    for i in 0..words.len() {
        let v = words[i];
        words[kept] = v;
        kept += usize::from(v <= largest);
    }
    kept
}
