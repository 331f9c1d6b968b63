//! The exponential of imaginary numbers: Taylor's polynomial of degree 7, then squarings (Cheon,
//! Han, Kim, Kim and Song, EUROCRYPT 2018, section 3).

use crate::Result;
use crate::heaan::{Ciphertext, Evaluator};

/// `exp(2^squarings * z)` for imaginary z of magnitude up to about 0.4. The scale falls by one bit
/// with each squaring, which doubles the errors before it: all roundings count equally.
///
/// With w the binary logarithm of z's scale, it takes `3 * w` bits of modulus, and `w + 1, w, w -
/// 1, ...` bits for the squarings.
pub(super) fn exponential(eval: &Evaluator, z: &Ciphertext, squarings: u32) -> Result<Ciphertext> {
    let _scope = eval.context().scope("EvalExp");
    let mut y = taylor(eval, &z.clone().with_magnitude(0.5))?.with_magnitude(1.0);
    for _ in 0..squarings {
        y = eval.rescale(&eval.square(&y)?, y.log_scale() + 1)?.with_magnitude(1.0);
    }
    Ok(y)
}

/// `8 * y - y^2`: for `y = exp(i * x)` the imaginary part is
/// `8 * sin(x) - sin(2 * x) = 6 * x - x^5/5 + ...`.
pub(super) fn corrected(eval: &Evaluator, y: &Ciphertext) -> Result<Ciphertext> {
    let square = eval.rescale(&eval.square(y)?, y.log_scale())?;
    eval.sub(&eval.mul_integer(&eval.mod_down_to(y, square.log_q())?, 8)?, &square)
}

/// `sum over k <= 7 of z^k / k!`, three rescalings deep, as
/// `1 + z + z^2 * (1/2 + z/6) + z^4 * ((1/24 + z/120) + z^2 * (1/720 + z/5040))`.
fn taylor(eval: &Evaluator, z: &Ciphertext) -> Result<Ciphertext> {
    let w = z.log_scale();
    let rescale = |x: &Ciphertext| eval.rescale(x, w);
    // c + d * z, one rescaling down, at the level of z^2
    let line = |c: f64, d: f64| rescale(&eval.add_scalar(&eval.mul_const(z, d, w)?, c)?);
    let z2 = rescale(&eval.square(z)?)?;
    let (low, middle, high) = (line(0.5, 1.0 / 6.0)?, line(1.0 / 24.0, 1.0 / 120.0)?, line(1.0 / 720.0, 1.0 / 5040.0)?);
    let z4 = rescale(&eval.square(&z2)?)?;
    let upper = rescale(&eval.add(&eval.mul(&z2, &high)?, &eval.scale_up(&middle, w)?)?)?;
    let down = |x: &Ciphertext| eval.mod_down_to(x, z4.log_q());
    // the remaining terms are summed before one rescaling
    let start = eval.scale_up(&down(&eval.add_scalar(z, 1.0)?)?, w)?;
    let sum = eval.add(&eval.mul(&z4, &upper)?, &eval.mul(&down(&z2)?, &down(&low)?)?)?;
    rescale(&eval.add(&sum, &start)?)
}
