//! The time that an operation's multiplications alone would take.
//!
//! The unit is 52-bit multiply-add instructions for each residue, as the IFMA path needs them when
//! it makes products one by one. A product with a known factor takes 3 (Shoup: quotient, low
//! product, low product of the quotient), a product of two variables 4, a term of a lazy sum 2, and
//! its reduction 2. The rate is the one measured on a core
//! ([`ringjet_cpu::multiply_adds_per_second`]). Memory, additions and comparisons are not counted,
//! so no code that makes products one by one can be faster. Conversions that make products in
//! pairs, on cores where multiplications are scarce, take about one for a term: they can be faster.

use ringjet_backend::Backend;

use super::chain::Chain;

pub const KNOWN: f64 = 3.0;
const VARIABLE: f64 = 4.0;
pub const TERM: f64 = 2.0;
const REDUCTION: f64 = 2.0;
pub const LANES: f64 = 8.0;

/// Multiply-adds a second of one core, if the backend computes on the processor: the rate of floors.
pub fn rate(backend: &dyn Backend) -> Option<f64> {
    if backend.id().name().starts_with("cpu") { ringjet_cpu::multiply_adds_per_second() } else { None }
}

/// Seconds of one thread at `rate` multiply-adds a second, for benches with a known count.
pub fn floor_seconds(name: &str, chain: &Chain, rate: f64) -> Option<f64> {
    let n = (1u64 << chain.log_n) as f64;
    // wider primes do not fit the 52-bit products
    if chain.prime_bits > 50 {
        return None;
    }
    Some(count(name, chain)? * n / LANES / rate)
}

/// Instructions for one coefficient, summed over all limbs.
fn count(name: &str, chain: &Chain) -> Option<f64> {
    let (l, k) = (chain.limbs as f64, chain.special as f64);
    let ntt = KNOWN * f64::from(chain.log_n) / 2.0;
    // for two polynomials: divides by `drop` limbs, `keep` limbs remain
    let divide =
        |drop: f64, keep: f64| 2.0 * (drop * (ntt + KNOWN) + keep * (TERM * drop + REDUCTION) + keep * (ntt + KNOWN));
    let inner_product = 2.0 * (l + k) * (TERM * chain.dnum as f64 + REDUCTION);
    let tensor = l * (4.0 * TERM + 3.0 * REDUCTION);
    let switch = mod_up(chain, ntt) + inner_product;
    Some(match name {
        "ntt" | "intt" => ntt,
        "ntt_limbs" | "intt_limbs" | "encode" | "decode" => l * ntt,
        "decode_2limbs" => 2.0 * ntt,
        "encrypt" => (l + 1.0) * (3.0 * ntt + 2.0 * VARIABLE) + divide(1.0, l),
        "encrypt_sk" => l * (2.0 * ntt + VARIABLE),
        "decrypt" => l * (ntt + VARIABLE),
        "mul_plain" => 2.0 * l * VARIABLE,
        "rescale" => divide(1.0, l - 1.0),
        "mul_relin" => tensor + switch + divide(k, l),
        "mul_relin_rescale" => tensor + switch + 2.0 * l * KNOWN + divide(k + 1.0, l - 1.0),
        "rotate" => switch + divide(k, l),
        "rotate_hoisted8" => mod_up(chain, ntt) + 8.0 * (inner_product + divide(k, l)),
        _ => return None,
    })
}

/// Decomposition into digits, each of which is extended to all primes.
fn mod_up(chain: &Chain, ntt: f64) -> f64 {
    let (limbs, all) = (chain.limbs, (chain.limbs + chain.special) as f64);
    let digits = (0..limbs).step_by(chain.alpha()).map(|start| {
        let len = chain.alpha().min(limbs - start) as f64;
        len * (ntt + KNOWN) + (all - len) * (TERM * len + REDUCTION + ntt)
    });
    digits.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_transform_of_65536_needs_196608_multiply_adds() {
        let chain = Chain { log_n: 16, limbs: 25, special: 7, dnum: 4, prime_bits: 50, scale_bits: 50 };
        assert_eq!(floor_seconds("ntt", &chain, 1.0), Some(196608.0));
        // tensor + digits of 7, 7, 7 and 4 primes + inner product + P (c0, c1) + division by 8 primes
        let by_hand = 350.0 + 3.0 * 1189.0 + 1060.0 + 640.0 + 150.0 + 2592.0;
        assert_eq!(count("mul_relin_rescale", &chain), Some(by_hand));
        assert!(count("add", &chain).is_none());
    }
}
