//! The errors that operations of CKKS add, as functions of the parameters. See [`crate::noise`].

use crate::Parameters;
use crate::noise::{Added, Noise, Range, Sources, TAIL};
use crate::rng::gaussian::SIGMA;

const TERNARY: f64 = 2.0 / 3.0;

/// The rounding of an encoding: at most 1/2 in each coefficient, and for the worst values all of
/// the same sign.
pub(crate) fn encoding(params: &Parameters) -> Added {
    let n = params.n() as f64;
    Added { variance: n / 12.0, bound: n / 2.0 }
}

/// Secret-key encryption: `N sigma^2`, and the encoding's rounding.
pub(crate) fn fresh_secret(params: &Parameters) -> Added {
    Added::random(params.n() as f64 * SIGMA * SIGMA, 1) + encoding(params)
}

/// Public-key encryption: `(v * e + e_0 + e_1 * s) / p_last` for the last special prime, rounded.
pub(crate) fn fresh_public(params: &Parameters) -> Added {
    let n = params.n() as f64;
    let p = params.p().modulus(params.p().len() - 1).value() as f64;
    let own = Added::random(n * SIGMA * SIGMA / (p * p), 1);
    let masked = Added::random(TERNARY * n * n * SIGMA * SIGMA / (p * p), 2);
    own + masked + masked + rounding(params) + encoding(params)
}

/// Encryption with an unknown kind of key: the estimate of secret-key encryption, which is the
/// smaller one, and a bound that holds for secret and public keys.
pub(crate) fn fresh(params: &Parameters) -> Added {
    let secret = fresh_secret(params);
    Added { bound: secret.bound.max(fresh_public(params).bound), ..secret }
}

/// Rounding of two polynomials after a division: variance `N/12 * (1 + 2 * N/3)`.
pub(crate) fn rounding(params: &Parameters) -> Added {
    let n = params.n() as f64;
    Added::random(n / 12.0, 1) + Added::random(n / 12.0 * TERNARY * n, 2)
}

/// Rounding of two or three polynomials. The third one is multiplied by s^2 in decryption and adds
/// `N/12 * 2 * (2 * N/3)^2`: the fourth moment of s is twice the square of its second one.
pub(crate) fn rounding_of(params: &Parameters, polys: usize) -> Added {
    let n = params.n() as f64;
    let third =
        Added { bound: TAIL.powi(3) * (n / 12.0).sqrt() * TERNARY * n, variance: n / 6.0 * (TERNARY * n).powi(2) };
    rounding(params) + if polys > 2 { third } else { Added::NONE }
}

/// Key switching at `level`, divided by P but not rounded: each digit, uniform in `+-D_d/2` for a
/// digit modulus D_d, times an error.
pub(crate) fn switching(params: &Parameters, level: usize) -> Added {
    let n = params.n() as f64;
    let p = params.p().log2();
    let digits = params.primes_of(level).chunk_by(|&a, &b| params.digit_of[a] == params.digit_of[b]).map(|primes| {
        let digit = params.q().select(primes.iter().copied()).log2() - p;
        Added::random((2.0 * digit).exp2() / 12.0 * n * n * SIGMA * SIGMA, 2)
    });
    digits.fold(Added::NONE, |sum, one| sum + one)
}

pub(crate) fn switched(params: &Parameters, level: usize) -> Added {
    switching(params, level) + rounding(params)
}

/// Bits of precision of a rescaled product of two fresh ciphertexts of values up to 1; of one fresh
/// ciphertext where the parameters have no levels.
pub fn precision_bits(params: &Parameters) -> f64 {
    let (top, range) = (params.top_level(), Range::complex(1.0));
    let scale = params.scale(top);
    let [x, y] = [0, 1].map(|i| Noise::new(fresh_secret(params), range, scale, Sources::one(i)));
    if top == 0 {
        return x.precision_bits();
    }
    let product = x.product(y, scale * scale).plus(switching(params, top));
    product.divided(params.ratio(top).log2(), rounding(params), params.scale(top - 1)).precision_bits()
}
