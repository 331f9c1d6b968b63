//! The errors that operations of CKKS add, as functions of the parameters. See [`crate::noise`].

use crate::Parameters;
use crate::noise::{ErrorTerm, Noise, Range, Sources};
use crate::rlwe::errors;
pub(crate) use crate::rlwe::errors::{relinearized, relinearizing, rounding, rounding_of, secret, switched, switching};

/// The rounding of an encoding: at most 1/2 in each coefficient, and for the worst values all of
/// the same sign.
pub(crate) fn encoding(params: &Parameters) -> ErrorTerm {
    let n = params.n() as f64;
    ErrorTerm::new(n / 12.0, n / 2.0)
}

/// Secret-key encryption: `N sigma^2`, and the encoding's rounding.
pub(crate) fn fresh_secret(params: &Parameters) -> ErrorTerm {
    errors::fresh_secret(params) + encoding(params)
}

/// Public-key encryption, and the encoding's rounding.
pub(crate) fn fresh_public(params: &Parameters) -> ErrorTerm {
    errors::fresh_public(params) + encoding(params)
}

/// Bits of precision of a rescaled product of two fresh ciphertexts of values up to 1; of one fresh
/// ciphertext where the parameters have no levels.
pub fn precision_bits(params: &Parameters) -> f64 {
    let (top, range) = (params.top_level(), Range::complex(1.0));
    let scale = params.scale(top);
    let error = fresh_secret(params) + ErrorTerm::doubles(range.magnitude() * scale.value());
    let [x, y] = [0, 1].map(|i| Noise::new(error, range, scale, Sources::one(i)));
    if top == 0 {
        return x.precision_bits();
    }
    let product = x.product(y, scale * scale).plus(relinearizing(params, top));
    product.divided(params.ratio(top).log2(), rounding(params), params.scale(top - 1)).precision_bits()
}
