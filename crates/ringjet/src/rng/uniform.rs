//! The public uniform stream: residues that expand from a [`PublicSeed`].

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use ringjet_math::Modulus;

use super::PublicSeed;

/// Number of coefficients of a segment. A segment has its own range of block counters.
pub(crate) const SEGMENT: usize = 256;

/// Number of ChaCha20 blocks reserved for a segment. A segment reads 32 blocks if no word is
/// rejected; the probability that it needs more than 1024 is below 2^-6000
/// (`docs/design/randomness.md`).
pub(crate) const SEGMENT_BLOCKS: u64 = 1024;

/// The number of the stream for one limb of one polynomial: `part * 2^32 + limb`.
///
/// `part` numbers the polynomials that expand from one seed (such as the digits of a switching
/// key), `limb` the primes of the object's basis.
pub const fn stream_id(part: u32, limb: u32) -> u64 {
    (part as u64) << 32 | limb as u64
}

/// Fills `out` with independent uniform residues in `[0, q)`: the first coefficients of stream
/// `stream` of `seed`.
///
/// The object that uses the values decides whether they are in the coefficient or the evaluation
/// domain. Any length is allowed; a shorter one gives the beginning of a longer one. Not constant
/// time: seed and output are public.
pub(crate) fn expand_uniform(seed: &PublicSeed, stream: u64, q: &Modulus, out: &mut [u64]) {
    each_segment(seed, stream, out, |rng, out| fill_segment(rng, q, out));
}

/// Fills `out` with independent uniform words of `bits` bits (1 to 64) of stream `stream` of
/// `seed`. Segments are those of [`expand_uniform`], but no word is rejected: word i of a segment
/// is taken modulo `2^bits`.
pub(crate) fn expand_words(seed: &PublicSeed, stream: u64, bits: u32, out: &mut [u64]) {
    let mut bytes = [0u8; 8 * SEGMENT];
    each_segment(seed, stream, out, |rng, out| {
        let bytes = &mut bytes[..8 * out.len()];
        rng.fill_bytes(bytes);
        for (v, b) in out.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *v = u64::from_le_bytes(*b) & (u64::MAX >> (64 - bits));
        }
    });
}

/// Calls `fill` for each segment of `out`, with the generator at its first block.
fn each_segment(seed: &PublicSeed, stream: u64, out: &mut [u64], mut fill: impl FnMut(&mut ChaCha20Rng, &mut [u64])) {
    let mut rng = ChaCha20Rng::from_seed(*seed.as_bytes());
    rng.set_stream(stream);
    for (segment, out) in (0..).zip(out.chunks_mut(SEGMENT)) {
        rng.set_word_pos(u128::from(segment * SEGMENT_BLOCKS) << 4);
        fill(&mut rng, out);
    }
}

/// Fills `out` with accepted words, in the order of the stream.
fn fill_segment(rng: &mut ChaCha20Rng, q: &Modulus, out: &mut [u64]) {
    let mask = u64::MAX >> (64 - q.bits());
    let limit = q.value() - 1;
    let mut bytes = [0u8; 8 * SEGMENT];
    let mut filled = 0;
    while filled < out.len() {
        // Reads only as many words as coefficients are missing, so that none is discarded.
        let missing = &mut out[filled..];
        let bytes = &mut bytes[..8 * missing.len()];
        rng.fill_bytes(bytes);
        let mut rejected = 0;
        for (v, b) in missing.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *v = u64::from_le_bytes(*b) & mask;
            rejected |= limit.wrapping_sub(*v); // the top bit is set if v >= q, as both are below 2^61
        }
        if rejected >> 63 == 0 {
            return;
        }
        let mut kept = 0;
        for i in 0..missing.len() {
            let v = missing[i];
            missing[kept] = v;
            kept += usize::from(v <= limit);
        }
        filled += kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An independent implementation (Python, checked against RFC 8439's example block) computed
    /// these values.
    #[test]
    fn known_answers() {
        let seed = PublicSeed::from_bytes(std::array::from_fn(|i| i as u8));
        let picks = |q: u64| {
            let mut out = vec![0u64; 300];
            expand_uniform(&seed, stream_id(1, 2), &Modulus::new(q).unwrap(), &mut out);
            (out[0], out[1], out[255], out[256], out[299], out.iter().fold(0u64, |a, &b| a.wrapping_add(b)))
        };
        let want = (204372616489707, 402534964732961, 455854514103485, 79038678808074, 324265853141344);
        assert_eq!(picks(1125899904679937), (want.0, want.1, want.2, want.3, want.4, 158395652811336241));
        assert_eq!(picks(786433), (338667, 336929, 531325, 301703, 777009, 115270385));
    }

    const PRIMES: [u64; 5] = [3, 65537, 786433, 1125899904679937, 2305843009213554689];

    /// The definition of the stream, one word at a time.
    fn textbook(seed: &PublicSeed, stream: u64, q: &Modulus, n: usize) -> Vec<u64> {
        let mut out = vec![];
        for segment in 0..n.div_ceil(256) as u64 {
            let mut rng = ChaCha20Rng::from_seed(*seed.as_bytes());
            rng.set_stream(stream);
            rng.set_word_pos(u128::from(segment) * 1024 * 16);
            let mut left = 256.min(n - out.len());
            while left > 0 {
                let v = rng.next_u64() & ((1 << q.bits()) - 1);
                if v < q.value() {
                    out.push(v);
                    left -= 1;
                }
            }
        }
        out
    }

    #[test]
    fn follows_the_definition() {
        for (i, &q) in PRIMES.iter().enumerate() {
            let (q, seed) = (Modulus::new(q).unwrap(), PublicSeed::from_bytes([i as u8; 32]));
            for n in [1, 255, 256, 257, 2000] {
                let mut out = vec![0; n];
                expand_uniform(&seed, stream_id(i as u32, 9), &q, &mut out);
                assert_eq!(out, textbook(&seed, (i as u64) << 32 | 9, &q, n));
            }
        }
    }

    /// The first words equal the first residues of an independent implementation, of which none is
    /// rejected.
    #[test]
    fn words_are_the_stream() {
        let seed = PublicSeed::from_bytes(std::array::from_fn(|i| i as u8));
        for (bits, n) in [(1, 300), (52, 1000), (64, 257)] {
            let mut out = vec![0; n];
            expand_words(&seed, stream_id(1, 2), bits, &mut out);
            for (i, &v) in out.iter().enumerate() {
                let mut rng = ChaCha20Rng::from_seed(*seed.as_bytes());
                rng.set_stream(1 << 32 | 2);
                rng.set_word_pos((i / 256 * 1024 * 16 + i % 256 * 2) as u128);
                assert_eq!(v, rng.next_u64() & (u64::MAX >> (64 - bits)), "{bits} {i}");
            }
        }
        let mut out = [0; 1];
        expand_words(&seed, stream_id(1, 2), 50, &mut out);
        assert_eq!(out, [204372616489707]);
    }

    #[test]
    fn is_uniform() {
        // Chi-square test over 64 equal cells of [0, q): mean 63, standard deviation 11.2. The
        // bound is 5 standard deviations.
        for &q in &PRIMES[1..] {
            let q = Modulus::new(q).unwrap();
            let mut out = vec![0; 1 << 17];
            expand_uniform(&PublicSeed::from_bytes([3; 32]), 1, &q, &mut out);
            let mut count = [0f64; 64];
            for v in &out {
                count[(u128::from(*v) * 64 / u128::from(q.value())) as usize] += 1.0;
            }
            let expected = out.len() as f64 / 64.0;
            let chi: f64 = count.iter().map(|c| (c - expected).powi(2) / expected).sum();
            assert!((20.0..119.0).contains(&chi), "{q:?}: {chi}");
        }
    }
}
