//! What bootstrapping is asked for, and what of the modulus each step takes for it.

use std::f64::consts::PI;

use crate::approximate::expect_log_slots;
use crate::diagonals::{even_groups, trace_rotations};
use crate::heaan::{Parameters, SPARE_BITS, noise};
use crate::{Error, Result};

/// Largest working scale, so that one operation raises a scale by it.
const MAX_WORKING: u32 = 50;
/// Bits of precision that a default spec has at least.
const MIN_PRECISION: u32 = 6;
/// The largest angle of Taylor's polynomial is `2 pi / 2^ANGLE_BITS`, 0.39: its remainder there is `2^-26`.
const ANGLE_BITS: u32 = 4;
/// Standard deviations of a coefficient's multiple of the modulus that the largest angle allows for at least.
const DEVIATIONS: f64 = 6.5;
/// Bits that a message's scale must be below the modulus that is raised: beyond, the sine is not even roughly a line.
const MARGIN_BITS: u32 = 4;
/// Bits that the sums of a transform keep until their rotations are done, so that these add no error.
pub(crate) const GUARD_BITS: u32 = 5;
/// Stages that one matrix merges at most.
const STAGES: u32 = 6;
/// A giant step's cost in baby steps where rotations do not share a decomposition: the same.
pub(crate) const FLAT_GIANT_COST: usize = 1;

/// Stages of each matrix of SlotsToCoeffs, in order; those of CoeffsToSlots are the reverse.
pub(crate) fn groups(log_slots: u32) -> Vec<u32> {
    even_groups(log_slots, log_slots.div_ceil(STAGES).max(1))
}

/// What bootstrapping is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BootstrapSpec {
    /// Binary logarithm of the number of slots.
    pub log_slots: u32,
    /// Bits of the modulus that is raised: ciphertexts are brought down to it.
    pub log_q: u32,
    /// Binary logarithm of the scale of messages for which `precision` is meant. Others are possible, with as many bits more
    /// or less.
    pub log_scale: u32,
    /// Bits to which values of magnitude up to 1 are to be kept: `-log2` of the standard deviation of the error that computing
    /// adds to a slot's real part. Each bit costs 15 of modulus with a secret of 64 non-zero coefficients, 20 with a dense one.
    pub precision: u32,
    /// Takes `(8 sin x - sin 2x) / 6` for x, which is off by `x^5/30`, instead of `sin x`, which is off by `x^3/6`; x is
    /// `2 pi` times a coefficient of the message over the modulus that is raised. One squaring more.
    pub corrected: bool,
}

impl BootstrapSpec {
    /// For messages at the default scale `2^log_p`: the corrected sine, a precision three bits below what a rescaling leaves
    /// (as far as it is within reach), and the smallest modulus to raise at which the sine is off by less than that.
    pub fn new(params: &Parameters, log_slots: u32) -> Self {
        let log_scale = params.log_p();
        let rounding = noise::rounding(params, log_slots.min(params.log_n() - 1)).variance;
        let rescaling = 0.5 * (rounding / 2.0).log2();
        let precision = (f64::from(log_scale) - rescaling - 3.0).max(f64::from(MIN_PRECISION)) as u32;
        let mut spec = Self { log_slots, log_q: log_scale + MARGIN_BITS, log_scale, precision, corrected: true };
        spec.widen();
        while spec.precision > MIN_PRECISION && working_scale(params, &spec) > MAX_WORKING {
            spec.precision -= 1;
            spec.widen();
        }
        spec
    }

    /// The smallest modulus at which the sine is off by half of what computing is.
    fn widen(&mut self) {
        self.log_q = self.log_scale + MARGIN_BITS;
        while self.sine_error(self.log_scale) > (-f64::from(self.precision) - 1.0).exp2() {
            self.log_q += 1;
        }
    }

    /// What the sine leaves of a message of magnitude 1 at scale `2^log_scale` that is constant over the slots: the worst
    /// there is, for then a single coefficient has all of it.
    pub fn sine_error(&self, log_scale: u32) -> f64 {
        let x = 2.0 * PI / self.room(log_scale).exp2();
        if self.corrected { x.powi(4) / 30.0 } else { x * x / 6.0 }
    }

    /// Bits of the modulus that is raised above the scale.
    pub(super) fn room(&self, log_scale: u32) -> f64 {
        f64::from(self.log_q) - f64::from(log_scale)
    }
}

/// A matrix: encoded at the scale `2^bits`, it takes a ciphertext modulo `2^log_q`, and the products are divided by `2^drop`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Binary logarithm of the scale of the diagonals.
    pub bits: u32,
    /// Bits of the modulus before it.
    pub log_q: u32,
    /// Bits of the division.
    pub drop: u32,
    /// Binary logarithm of the scale before it.
    pub from_scale: u32,
}

impl Step {
    /// Binary logarithm of the scale after it.
    pub fn to_scale(&self) -> u32 {
        self.from_scale + self.bits - self.drop
    }
}

/// Scales (binary logarithms) and moduli (bits) of all steps. Scales before SlotsToCoeffs are those of numbers in units of
/// the modulus that is raised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    /// Binary logarithm of the number of slots.
    pub log_slots: u32,
    /// Whether all coefficients go through one exponential, in twice as many slots.
    pub beside: bool,
    /// Multiples of the raised modulus that the largest angle allows for: `|I| < 2^log_k`.
    pub log_k: u32,
    /// Squarings of the exponential: `log_k + 4`.
    pub squarings: u32,
    /// Scale of coefficients when the modulus has been raised.
    pub raised_scale: u32,
    /// The same after the trace, which multiplies by N/2n.
    pub traced_scale: u32,
    /// The matrices of CoeffsToSlots.
    pub coeffs_to_slots: Vec<Step>,
    /// Scale w of the angle and of Taylor's polynomial; it takes 3 w bits.
    pub working_scale: u32,
    /// Scale of the exponential.
    pub sine_scale: u32,
    /// The matrices of SlotsToCoeffs.
    pub slots_to_coeffs: Vec<Step>,
    /// Bits of the result's modulus.
    pub log_q: u32,
}

impl Budget {
    /// The budget for a spec.
    /// Fails as [`Bootstrapper::new`](crate::circuits::heaan::Bootstrapper::new) does.
    pub fn new(params: &Parameters, spec: &BootstrapSpec) -> Result<Self> {
        expect_log_slots(params, spec.log_slots)?;
        expect_margin(spec.log_scale, spec.log_q)?;
        let (log_k, squarings) = (log_k(params), squarings(params));
        let w = working_scale(params, spec);
        if w > MAX_WORKING {
            let most = spec.precision.saturating_sub(w - MAX_WORKING);
            let expected = format!("{most} or less: angles have at most {MAX_WORKING} bits");
            return Err(Error::argument("precision", spec.precision, expected));
        }
        let traces = trace_rotations(params.log_n(), spec.log_slots).count() as u32;
        let mut budget = Self {
            log_slots: spec.log_slots,
            beside: traces > 0,
            log_k,
            squarings,
            raised_scale: spec.log_q.max(w + 2),
            traced_scale: spec.log_q.max(w + 2) + traces,
            coeffs_to_slots: vec![],
            working_scale: w,
            sine_scale: w - squarings,
            slots_to_coeffs: vec![],
            log_q: params.log_q(),
        };
        let mut left = Left { log_q: params.log_q(), taken: 0 };
        budget.take(spec, &mut left);
        let needed = left.taken + spec.log_q.max(spec.log_scale + SPARE_BITS);
        if needed > params.log_q() {
            return Err(Error::bits_exhausted("bootstrapping", needed, params.log_q()));
        }
        budget.log_q = left.log_q;
        Ok(budget)
    }

    fn take(&mut self, spec: &BootstrapSpec, left: &mut Left) {
        let (w, half) = (self.working_scale, spec.log_slots.div_ceil(2));
        let mut groups = groups(spec.log_slots);
        let last = groups.len() - 1;
        let mut scale = self.traced_scale;
        for (i, &group) in groups.iter().rev().enumerate() {
            let to = if i == last { w + GUARD_BITS } else { w };
            let step = left.matrix(w + group.div_ceil(2) + half + 1, scale, to);
            self.coeffs_to_slots.push(step);
            scale = to;
        }
        left.spend(GUARD_BITS + 3 * w);
        (0..self.squarings).for_each(|i| left.spend(w + 1 - i));
        left.spend(if spec.corrected { self.sine_scale } else { 0 });
        scale = self.sine_scale;
        groups.truncate(last);
        let bits = spec.precision + half + 8;
        for _ in &groups {
            let to = spec.log_q.max(bits + MARGIN_BITS) + GUARD_BITS;
            self.slots_to_coeffs.push(left.matrix(bits, scale, to));
            scale = to;
        }
        self.slots_to_coeffs.push(left.matrix(bits, scale, spec.log_q + GUARD_BITS));
        left.spend(GUARD_BITS);
    }
}

/// Modulus as it is spent; none is left at some point where parameters are too small.
struct Left {
    log_q: u32,
    taken: u32,
}

impl Left {
    fn spend(&mut self, bits: u32) {
        self.taken += bits;
        self.log_q = self.log_q.saturating_sub(bits);
    }

    /// A matrix that takes one scale to another; its diagonals get the bits that are missing for that.
    fn matrix(&mut self, bits: u32, from_scale: u32, to_scale: u32) -> Step {
        let bits = bits.max(to_scale.saturating_sub(from_scale));
        let step = Step { bits, log_q: self.log_q, drop: from_scale + bits - to_scale, from_scale };
        self.spend(step.drop);
        step
    }
}

/// Bits of the multiples of the raised modulus: sums of `1 + |s|^2` numbers that are uniform in `+-1/2`.
fn log_k(params: &Parameters) -> u32 {
    (DEVIATIONS * ((1.0 + params.secret_norm()) / 12.0).sqrt()).log2().ceil().max(1.0) as u32
}

fn squarings(params: &Parameters) -> u32 {
    log_k(params) + ANGLE_BITS
}

/// The scale at which roundings add up to the wanted precision: see [`computed`].
fn working_scale(params: &Parameters, spec: &BootstrapSpec) -> u32 {
    let beside = spec.log_slots + 1 < params.log_n();
    let unit = computed(params, spec.log_slots, beside, squarings(params), 0) / 2.0;
    let bits = 0.5 * unit.log2() + f64::from(spec.precision) + spec.room(spec.log_scale);
    bits.ceil().max(f64::from(squarings(params) + 8)) as u32
}

/// `E|e|^2` in a slot of the message, in units of the raised modulus, of roundings around the exponential at a working scale
/// `2^w`.
///
/// A rounding leaves V in each slot of the exponential, of which the half along the circle matters. That of the angle, those
/// of Taylor's polynomial (1 at its end, 1/4 from the square), and one for each of r squarings count the same, `2^r` times
/// their size, for the scale falls as they grow less; that of the square in the corrected sine and those of conjugations
/// add some third of one. The sine is `2 pi` times a coefficient, and 2n coefficients add up in a slot.
pub(super) fn computed(params: &Parameters, log_slots: u32, beside: bool, squarings: u32, w: u32) -> f64 {
    let rounding = noise::rounding(params, log_slots + u32::from(beside)).variance;
    let count = f64::from(squarings) + 2.6;
    let growth = (2.0 * (f64::from(squarings) - f64::from(w))).exp2();
    noise::decoded(log_slots) * rounding / 2.0 * count * growth / (4.0 * PI * PI)
}

/// Refuses a scale too near to the modulus that is raised.
pub(crate) fn expect_margin(log_scale: u32, log_q: u32) -> Result<()> {
    let needed = log_scale + MARGIN_BITS;
    if needed <= log_q { Ok(()) } else { Err(Error::too_large_for_bits(1.0, log_scale, needed, log_q)) }
}
