//! The public uniform stream: residues that expand from a [`PublicSeed`], by
//! [`Backend::fill_uniform`](ringjet_backend::Backend::fill_uniform).

use ringjet_backend::{UniformRange, UniformStream};
use ringjet_math::Modulus;

use super::PublicSeed;

/// The number of the stream for one limb of one polynomial: `part * 2^32 + limb`.
///
/// `part` numbers the polynomials that expand from one seed (such as the digits of a switching
/// key), `limb` the primes of the object's basis.
pub const fn stream_id(part: u32, limb: u32) -> u64 {
    (part as u64) << 32 | limb as u64
}

/// Independent uniform residues in `[0, q)`: stream `stream` of `seed`.
///
/// The object that uses the values decides whether they are in the coefficient or the evaluation
/// domain.
pub(crate) fn uniform_residues<'a>(seed: &'a PublicSeed, stream: u64, q: &Modulus) -> UniformStream<'a> {
    UniformStream { seed: seed.as_bytes(), number: stream, range: UniformRange::Below(*q), segment: 0 }
}

/// Independent uniform words of `bits` bits (1 to 64): stream `stream` of `seed`. Segments are those
/// of [`uniform_residues`], but no word is rejected: word i of a segment is taken modulo `2^bits`.
pub(crate) fn uniform_words(seed: &PublicSeed, stream: u64, bits: u32) -> UniformStream<'_> {
    UniformStream { seed: seed.as_bytes(), number: stream, range: UniformRange::Bits(bits), segment: 0 }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rand_chacha::ChaCha20Rng;
    use rand_core::{Rng, SeedableRng};
    use ringjet_backend::{Backend, Reference};
    use ringjet_cpu::{CpuBackend, CpuConfig, Path};

    use super::*;

    /// The reference, and the CPU backend with each set of instructions.
    fn backends() -> Vec<Arc<dyn Backend>> {
        let cpu = |path| CpuBackend::new(CpuConfig { threads: 1, path: Some(path) }).unwrap();
        let mut all: Vec<Arc<dyn Backend>> = vec![Arc::new(Reference::default())];
        all.extend(Path::usable().map(|path| Arc::new(cpu(path)) as Arc<dyn Backend>));
        all
    }

    /// An independent implementation (Python, checked against RFC 8439's example block) computed
    /// these values.
    #[test]
    fn known_answers() {
        let seed = PublicSeed::from_bytes(std::array::from_fn(|i| i as u8));
        let picks = |backend: &dyn Backend, q: u64| {
            let mut out = vec![0u64; 300];
            backend.fill_uniform(&uniform_residues(&seed, stream_id(1, 2), &Modulus::new(q).unwrap()), &mut out);
            (out[0], out[1], out[255], out[256], out[299], out.iter().fold(0u64, |a, &b| a.wrapping_add(b)))
        };
        let want = (204372616489707, 402534964732961, 455854514103485, 79038678808074, 324265853141344);
        for b in backends() {
            let (b, name) = (&*b, b.id());
            let all = (want.0, want.1, want.2, want.3, want.4, 158395652811336241);
            assert_eq!(picks(b, 1125899904679937), all, "{name:?}");
            assert_eq!(picks(b, 786433), (338667, 336929, 531325, 301703, 777009, 115270385), "{name:?}");
        }
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
                for b in backends() {
                    let mut out = vec![0; n];
                    b.fill_uniform(&uniform_residues(&seed, stream_id(i as u32, 9), &q), &mut out);
                    let want = textbook(&seed, (i as u64) << 32 | 9, &q, n);
                    assert_eq!(out, want, "{:?}", b.id());
                    let later = n.saturating_sub(256);
                    b.fill_uniform(
                        &uniform_residues(&seed, stream_id(i as u32, 9), &q).from_segment(1),
                        &mut out[..later],
                    );
                    assert_eq!(out[..later], want[n - later..], "{:?}", b.id());
                }
            }
        }
    }

    /// The first words equal the first residues of an independent implementation, of which none is
    /// rejected.
    #[test]
    fn words_are_the_stream() {
        let seed = PublicSeed::from_bytes(std::array::from_fn(|i| i as u8));
        for (b, (bits, n)) in backends().iter().flat_map(|b| [(1, 300), (52, 1000), (64, 257)].map(|case| (b, case))) {
            let mut out = vec![0; n];
            b.fill_uniform(&uniform_words(&seed, stream_id(1, 2), bits), &mut out);
            for (i, &v) in out.iter().enumerate() {
                let mut rng = ChaCha20Rng::from_seed(*seed.as_bytes());
                rng.set_stream(1 << 32 | 2);
                rng.set_word_pos((i / 256 * 1024 * 16 + i % 256 * 2) as u128);
                assert_eq!(v, rng.next_u64() & (u64::MAX >> (64 - bits)), "{bits} {i}");
            }
        }
        let mut out = [0; 1];
        uniform_words(&seed, stream_id(1, 2), 50).fill(&mut out);
        assert_eq!(out, [204372616489707]);
    }

    #[test]
    fn is_uniform() {
        // Chi-square test over 64 equal cells of [0, q): mean 63, standard deviation 11.2. The
        // bound is 5 standard deviations.
        for &q in &PRIMES[1..] {
            let q = Modulus::new(q).unwrap();
            let mut out = vec![0; 1 << 17];
            uniform_residues(&PublicSeed::from_bytes([3; 32]), 1, &q).fill(&mut out);
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
