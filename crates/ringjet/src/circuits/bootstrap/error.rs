//! The estimated error of a bootstrapped ciphertext.

use std::f64::consts::{FRAC_PI_2, SQRT_2, TAU};

use super::{Bootstrapper, PASS_BITS, Parts};
use crate::ckks::noise;
use crate::ckks::params::BootstrapSpec;
use crate::noise::ErrorTerm;
use crate::{Ciphertext, Noise, Range};

impl Bootstrapper {
    /// The estimated error of the result. The error of the input is joined by
    ///
    /// * errors that depend on the values alone, and have the same sign in every bootstrap: of the sine
    ///   or its arcsine, and of the encoded matrices of SlotsToCoeffs. They add up linearly;
    /// * random ones: roundings, errors of keys, and those that depend on the multiples of q_0.
    ///
    /// The result is read at level `at.0` with `2^at.1` slots. Where these are fewer than here, random
    /// errors of several slots are averaged.
    pub(super) fn noise(&self, boot: &BootstrapSpec, ct: &Ciphertext, at: (usize, u32), parts: Parts) -> Noise {
        let params = self.ctx.params();
        let (to, given) = (params.scale(at.0), ct.noise().range());
        let mut own = self.own_error(boot, ct.noise(), parts);
        let averaged = f64::from(self.log_slots.saturating_sub(at.1)).exp2().sqrt();
        own[1] /= averaged;
        let real = matches!(parts, Parts::Real | Parts::Apart);
        let range = match boot.sine {
            true if real || given.is_real() => given.sine(),
            true => Range::within((FRAC_PI_2 * given.largest_part().min(1.0)).sin(), false),
            false if real => Range::within(given.largest_part(), true),
            false => given,
        };
        // errors of values that a further pass magnifies are random themselves
        let (fixed, random) = if boot.passes > 1 { (0.0, own[0].hypot(own[1])) } else { (own[0], own[1]) };
        let shrunk = f64::from(-PASS_BITS * (boot.passes as i32 - 1)).exp2();
        let scaled = |error: f64| ErrorTerm::fixed(error * shrunk * to.value());
        let rounded = noise::rounding(params).scaled(self.kept().sqrt() / averaged);
        // the errors of the sine and of roundings within it are estimated, but have no proved bound
        let brought = ct.noise().through(slope(boot), range).moved(to);
        let joined = brought.plus_fixed(scaled(fixed)).plus(scaled(random) + rounded);
        joined.unbounded()
    }

    /// The errors of one pass relative to a message of 1, as roots of the mean square of a slot: the
    /// fixed one, for the worst value, and the random one.
    fn own_error(&self, boot: &BootstrapSpec, of: Noise, parts: Parts) -> [f64; 2] {
        let params = self.ctx.params();
        let room = self.low_ratio(params);
        // where SlotsToCoeffs comes last, every slot sums errors of all coefficients
        let spread = if boot.slots_to_coeffs_first { 1.0 } else { f64::from(self.log_slots + 1).exp2().sqrt() };
        let magnitude = of.magnitude().min(1.0);
        let [encoded, products] = self.descent_errors.map(|error| error.sqrt() * magnitude);
        let sine = boot.sine_error_within(room, of.range().largest_part().min(1.0)) * SQRT_2;
        let start = params.scale(params.max_level() - boot.coeffs_to_slots_levels()).value();
        // real and imaginary parts have a rounding each. In one EvalMod for both each part keeps twice
        // the coefficients
        let roundings = if self.joined_for(parts).is_some() { 4.0 } else { 2.0 };
        let rounding = (roundings * noise::rounding(params).variance * self.kept()).sqrt() / start;
        let computed = rounding * boot.eval_mod_growth().exp2() * room / TAU * spread;
        // a double-angle step can multiply an error by 4; / 8, since few values have the largest
        let approximated = self.cosine_error * 4f64.powi(boot.double_angles as i32) * room / TAU / 8.0 * spread;
        let raised = self.rise.error.sqrt() * room * spread;
        let random = computed.hypot(approximated).hypot(raised).hypot(products);
        [sine.hypot(encoded), random].map(|error| error * slope(boot))
    }

    /// The part of the coefficients of an error that belongs to the slots.
    fn kept(&self) -> f64 {
        (-f64::from(self.ctx.params().trace_bits(self.log_slots))).exp2()
    }
}

/// The largest derivative of what a bootstrap computes of a value: of `sin(pi / 2 * z)`, or of z itself.
fn slope(boot: &BootstrapSpec) -> f64 {
    if boot.sine { FRAC_PI_2 } else { 1.0 }
}
