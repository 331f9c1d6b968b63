//! Times the negacyclic NTT of the `tfhe-ntt` crate (`prime64::Plan`) modulo
//! the largest prime below 2^50 that is 1 modulo 2^18.

use std::hint::black_box;
use std::time::{Duration, Instant};

use tfhe_ntt::prime64::Plan;

/// The name of this library in the results.
pub const BACKEND: &str = "tfhe-ntt-0.7.1";

/// Least duration of a sample, approximately: short transforms are repeated inside one sample.
const MIN_SAMPLE: Duration = Duration::from_micros(500);

/// The time of one direction at one size.
#[derive(Clone, Debug)]
pub struct Timing {
    /// `"ntt"` (forward) or `"intt"` (inverse, without the division by N).
    pub bench: &'static str,
    pub log_n: u32,
    pub modulus: u64,
    /// Whether the plan runs `tfhe-ntt`'s AVX-512 IFMA code on this CPU.
    pub ifma: bool,
    /// Seconds of one transform: the least and the median over the samples.
    pub min: f64,
    pub median: f64,
    /// Number of samples.
    pub n: usize,
    /// Number of transforms in one sample.
    pub calls: usize,
}

/// The largest prime below 2^50 that is 1 modulo 2^18, so that one prime
/// serves every N up to 2^17.
pub fn modulus() -> u64 {
    let step = 1u64 << 18;
    let mut q = (1u64 << 50) + 1 - step;
    while !is_prime(q) {
        q -= step;
    }
    q
}

fn pow_mod(mut b: u64, mut e: u64, m: u64) -> u64 {
    let mul = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(m)) as u64;
    let mut r = 1;
    b %= m;
    while e > 0 {
        if e & 1 == 1 {
            r = mul(r, b);
        }
        b = mul(b, b);
        e >>= 1;
    }
    r
}

/// Miller and Rabin's test with the first twelve primes, which is exact for
/// every 64-bit number.
fn is_prime(n: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if n < 2 {
        return false;
    }
    for p in BASES {
        if n.is_multiple_of(p) {
            return n == p;
        }
    }
    let s = (n - 1).trailing_zeros();
    let d = (n - 1) >> s;
    BASES.iter().all(|&a| {
        let mut x = pow_mod(a, d, n);
        if x == 1 || x == n - 1 {
            return true;
        }
        for _ in 1..s {
            x = (u128::from(x) * u128::from(x) % u128::from(n)) as u64;
            if x == n - 1 {
                return true;
            }
        }
        false
    })
}

/// Fills `buf` with pseudo-random numbers below q (SplitMix64).
fn fill(buf: &mut [u64], q: u64, mut seed: u64) {
    for x in buf {
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = seed;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        *x = (z ^ (z >> 31)) % q;
    }
}

/// A buffer that starts on a cache line.
struct Aligned {
    data: Vec<u64>,
    start: usize,
    len: usize,
}

impl Aligned {
    fn new(len: usize) -> Self {
        let data = vec![0u64; len + 7];
        let start = data.as_ptr().align_offset(64).min(7);
        Self { data, start, len }
    }

    fn get(&mut self) -> &mut [u64] {
        &mut self.data[self.start..self.start + self.len]
    }
}

/// Times the forward and the inverse transform of size 2^`log_n`, with `reps` samples of each. The
/// two directions take turns; the one that goes first changes with every repetition.
///
/// # Panics
///
/// If `tfhe-ntt` does not support the size, or if a transform and its inverse do not return the
/// input.
pub fn bench(log_n: u32, reps: usize) -> Vec<Timing> {
    assert!(reps > 0, "at least one repetition");
    let n = 1usize << log_n;
    let q = modulus();
    let plan = Plan::try_new(n, q).expect("a plan for this size");

    let mut buf = Aligned::new(n);
    let buf = buf.get();
    fill(buf, q, 1);
    let before = buf.to_vec();
    plan.fwd(buf);
    plan.inv(buf);
    for (x, y) in before.iter().zip(buf.iter()) {
        let want = u128::from(*x) * n as u128 % u128::from(q);
        assert_eq!(want as u64, *y, "the inverse of the transform");
    }

    // Both directions take and return reduced numbers, so the same buffer can be used again and
    // again.
    fill(buf, q, 2);
    let t = Instant::now();
    for _ in 0..8 {
        plan.fwd(black_box(&mut *buf));
    }
    let one = t.elapsed() / 8;
    let calls = (MIN_SAMPLE.as_nanos() / one.as_nanos().max(1)) as usize + 1;

    let mut samples = [Vec::with_capacity(reps), Vec::with_capacity(reps)];
    for rep in 0..reps {
        for turn in 0..2 {
            let which = (rep + turn) % 2;
            let t = Instant::now();
            for _ in 0..calls {
                if which == 0 {
                    plan.fwd(black_box(&mut *buf));
                } else {
                    plan.inv(black_box(&mut *buf));
                }
            }
            samples[which].push(t.elapsed().as_secs_f64() / calls as f64);
        }
    }
    ["ntt", "intt"]
        .into_iter()
        .zip(samples)
        .map(|(bench, mut s)| {
            s.sort_by(f64::total_cmp);
            let mid = s.len() / 2;
            let median = if s.len() % 2 == 1 {
                s[mid]
            } else {
                (s[mid - 1] + s[mid]) / 2.0
            };
            Timing {
                bench,
                log_n,
                modulus: q,
                ifma: plan.use_ifma(),
                min: s[0],
                median,
                n: s.len(),
                calls,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prime_serves_every_size() {
        let q = modulus();
        assert!(q < 1 << 50 && q > (1 << 50) - (1 << 26));
        assert_eq!(q % (1 << 18), 1);
        assert!(is_prime(q));
        assert!(!is_prime(1 << 50) && !is_prime((1 << 49) + 1));
    }

    #[test]
    fn small_bench_runs() {
        let t = bench(6, 3);
        assert_eq!(t.len(), 2);
        assert!(
            t.iter()
                .all(|t| t.n == 3 && t.min > 0.0 && t.min <= t.median)
        );
    }
}
