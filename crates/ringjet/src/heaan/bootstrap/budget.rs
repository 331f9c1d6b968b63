//! The wanted properties of a bootstrap, and the modulus that each of its steps spends.

use std::f64::consts::PI;

use crate::diagonals::{even_groups, trace_rotations};
use crate::heaan::{Parameters, SPARE_BITS, noise};
use crate::vectors::expect_log_slots;
use crate::{Error, Result};

/// Binary logarithm of the largest working scale: one operation can raise a scale by it.
const MAX_WORKING: u32 = 50;
/// Least bits of precision of a default spec.
const MIN_PRECISION: u32 = 6;
/// Taylor's polynomial takes angles up to `2 * pi / 2^ANGLE_BITS`, 0.39: its error is `2^-26`.
const ANGLE_BITS: u32 = 4;
/// The largest angle allows for multiples of the modulus up to this many standard deviations.
const DEVIATIONS: f64 = 6.5;
/// Least bits from a message's scale to the raised modulus: below, the sine is far from linear.
const MARGIN_BITS: u32 = 4;
/// Extra bits of a transform's sums until their rotations are done, which then add no error.
pub(crate) const GUARD_BITS: u32 = 5;
/// Most Fourier stages that one matrix merges.
const STAGES: u32 = 6;
/// Cost of a giant step in baby steps: the same, since rotations do not share a decomposition.
pub(crate) const FLAT_GIANT_COST: usize = 1;

/// Fourier stages of each matrix of SlotsToCoeffs in order; CoeffsToSlots has the reverse.
pub(crate) fn groups(log_slots: u32) -> Vec<u32> {
    even_groups(log_slots, log_slots.div_ceil(STAGES).max(1))
}

/// The wanted properties of a bootstrap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BootstrapSpec {
    /// Binary logarithm of the number of slots.
    pub log_slots: u32,
    /// Bits of the modulus that is raised. Ciphertexts are brought down to it first.
    pub log_q: u32,
    /// Binary logarithm of the scale of messages for which `precision` is meant. Messages at other
    /// scales have more or fewer bits of precision, by the difference of the logarithms.
    pub log_scale: u32,
    /// Bits of precision for values of magnitude up to 1: `-log2` of the standard deviation of the
    /// error that computing adds to a slot's real part. Each bit costs 15 bits of modulus with a
    /// secret of 64 non-zero coefficients, 20 with a dense secret.
    pub precision: u32,
    /// Whether x is approximated by `(8 * sin(x) - sin(2 * x)) / 6`, with the error `x^5/30`,
    /// instead of `sin(x)`, with the error `x^3/6`. Here x is `2 * pi` times a coefficient of the
    /// message, divided by the raised modulus. Costs one more squaring.
    pub corrected: bool,
}

impl BootstrapSpec {
    /// The default for messages at the scale `2^log_p`: the corrected sine, a precision three bits
    /// below that of a rescaling (less where it is out of reach), and the smallest raised modulus
    /// for which the error of the sine is below that precision.
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

    /// Sets the smallest modulus at which the error of the sine is half of that of computing.
    fn widen(&mut self) {
        self.log_q = self.log_scale + MARGIN_BITS;
        while self.sine_error(self.log_scale) > (-f64::from(self.precision) - 1.0).exp2() {
            self.log_q += 1;
        }
    }

    /// The error of the sine for a message of magnitude 1 at scale `2^log_scale` that is constant
    /// over the slots. This is the worst case: a single coefficient holds the whole message.
    pub fn sine_error(&self, log_scale: u32) -> f64 {
        let x = 2.0 * PI / self.room(log_scale).exp2();
        if self.corrected { x.powi(4) / 30.0 } else { x * x / 6.0 }
    }

    /// Bits by which the raised modulus exceeds the scale.
    pub(super) fn room(&self, log_scale: u32) -> f64 {
        f64::from(self.log_q) - f64::from(log_scale)
    }
}

/// A matrix product. The diagonals are encoded at the scale `2^bits`, the ciphertext is modulo
/// `2^log_q`, and the products are divided by `2^drop`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Binary logarithm of the scale of the diagonals.
    pub bits: u32,
    /// Bits of the modulus before the product.
    pub log_q: u32,
    /// Bits by which the products are divided.
    pub drop: u32,
    /// Binary logarithm of the ciphertext's scale before the product.
    pub from_scale: u32,
}

impl Step {
    /// Binary logarithm of the ciphertext's scale after the product.
    pub(crate) fn to_scale(self) -> u32 {
        self.from_scale + self.bits - self.drop
    }
}

/// Scales (binary logarithms) and moduli (bits) of all steps. Up to SlotsToCoeffs, values are in
/// units of the raised modulus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    /// Binary logarithm of the number of slots.
    pub log_slots: u32,
    /// Whether all coefficients go through one exponential, in a ciphertext of twice as many slots.
    pub beside: bool,
    /// The largest angle allows for multiples I of the raised modulus with `|I| < 2^log_k`.
    pub log_k: u32,
    /// Number of squarings of the exponential: `log_k + 4`.
    pub squarings: u32,
    /// Scale of coefficients after ModRaise.
    pub raised_scale: u32,
    /// Scale of coefficients after the trace, which multiplies by N/(2 * n) for n slots.
    pub traced_scale: u32,
    /// The matrices of CoeffsToSlots.
    pub coeffs_to_slots: Vec<Step>,
    /// Scale `2^w` of the angle and of Taylor's polynomial, which takes `3 * w` bits of modulus.
    pub working_scale: u32,
    /// Scale of the exponential after its squarings.
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

/// The modulus that is left, at least 0, and the bits spent so far, which can exceed the modulus.
struct Left {
    log_q: u32,
    taken: u32,
}

impl Left {
    fn spend(&mut self, bits: u32) {
        self.taken += bits;
        self.log_q = self.log_q.saturating_sub(bits);
    }

    /// Spends the modulus of a matrix that takes the scale `from_scale` to `to_scale`. The
    /// diagonals get more than `bits` bits where `to_scale` needs them.
    fn matrix(&mut self, bits: u32, from_scale: u32, to_scale: u32) -> Step {
        let bits = bits.max(to_scale.saturating_sub(from_scale));
        let step = Step { bits, log_q: self.log_q, drop: from_scale + bits - to_scale, from_scale };
        self.spend(step.drop);
        step
    }
}

/// Bits of I, whose coefficients are sums of `1 + |s|^2` numbers uniform in `+-1/2`.
fn log_k(params: &Parameters) -> u32 {
    (DEVIATIONS * ((1.0 + params.secret_norm()) / 12.0).sqrt()).log2().ceil().max(1.0) as u32
}

fn squarings(params: &Parameters) -> u32 {
    log_k(params) + ANGLE_BITS
}

/// The scale at which the roundings add up to the error of the wanted precision: see [`computed`].
fn working_scale(params: &Parameters, spec: &BootstrapSpec) -> u32 {
    let beside = spec.log_slots + 1 < params.log_n();
    let unit = computed(params, spec.log_slots, beside, squarings(params), 0) / 2.0;
    let bits = 0.5 * unit.log2() + f64::from(spec.precision) + spec.room(spec.log_scale);
    bits.ceil().max(f64::from(squarings(params) + 8)) as u32
}

/// `E|e|^2` in a slot of the message, in units of the raised modulus, of the roundings around the
/// exponential at a working scale `2^w`.
///
/// A rounding has the variance V in each slot of the exponential; only the half along the unit
/// circle matters. These roundings count equally, each `2^r` times its size after r squarings: that
/// of the angle, those of Taylor's polynomial (1 at its end, 1/4 from the square), and one for each
/// squaring. The square in the corrected sine and the conjugations add about a third of one. The
/// sine is `2 * pi` times a coefficient, and a slot is a sum of `2 * n` coefficients.
pub(super) fn computed(params: &Parameters, log_slots: u32, beside: bool, squarings: u32, w: u32) -> f64 {
    let rounding = noise::rounding(params, log_slots + u32::from(beside)).variance;
    let count = f64::from(squarings) + 2.6;
    let growth = (2.0 * (f64::from(squarings) - f64::from(w))).exp2();
    noise::decoded(log_slots) * rounding / 2.0 * count * growth / (4.0 * PI * PI)
}

/// Refuses a scale that is less than 4 bits below the raised modulus.
pub(crate) fn expect_margin(log_scale: u32, log_q: u32) -> Result<()> {
    let needed = log_scale + MARGIN_BITS;
    if needed <= log_q { Ok(()) } else { Err(Error::too_large_for_bits(1.0, log_scale, needed, log_q)) }
}
