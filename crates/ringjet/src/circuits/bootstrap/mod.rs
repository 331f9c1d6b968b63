//! Bootstrapping of CKKS: takes a ciphertext without levels to one of the same message with many
//! levels (Cheon, Han, Kim, Kim and Song, ePrint 2018/153). EvalMod is that of Han and Ki, ePrint
//! 2019/688; the ephemeral sparse secret is that of Bossuat, Troncoso-Pastoriza and Hubaux, ePrint
//! 2022/024.
//!
//! ```text
//! SlotsToCoeffs   slots z       -> coefficients z                    the lowest levels
//! ModRaise        modulus q_0   -> Q, which adds q_0 * I, |I| < K    under the ephemeral secret
//! CoeffsToSlots   coefficients  -> slots, real and imaginary parts apart
//! EvalMod         z + q_0 * I   -> z, by q_0 / (2 pi) * sin(2 pi x / q_0)
//! ```
//!
//! With at most N/4 slots, one EvalMod reduces real and imaginary parts together (`joined`).
//!
//! SlotsToCoeffs comes first in all presets: its matrices are multiplied by the smallest
//! ciphertexts, and EvalMod works on the values themselves, whatever their pattern. It can also
//! come last, at the levels below EvalMod. Then EvalMod works on coefficients (a constant vector
//! has one large coefficient, a random vector none), and no level is spent before.

mod error;
mod joined;
pub(super) mod matrices;
mod packing;
mod pass;
mod raise;
#[cfg(test)]
mod tests;

use joined::Joined;
use matrices::{KeyedMatrix, Matrix, descent_errors, landing_scale, low_scale, matrices, product_scale};
pub(crate) use packing::{most_at_once, slots_of_several};
use ringjet_math::embed::Coefficients;
use ringjet_math::evalmod;
use ringjet_math::memory::zeros;

use super::bootstrappers::{Bootstraps, Observer, Phase, check, in_groups};
use super::polyeval::polynomial_at;
use super::{Arithmetic, Basis, EncodedTransform, Polynomial};
use crate::ckks::Position;
use crate::ckks::params::{BootstrapSpec, Rise};
use crate::noise::ErrorTerm;
use crate::rlwe::keyswitch::{Encapsulation, KeyPlan, Progress, SwitchingKey};
use crate::{Ciphertext, Context, Error, Evaluator, Parameters, Plaintext, Range, Result, Scale};

/// Runs the steps of a bootstrap: the evaluator itself, or an evaluator with the order of
/// computation of a published cost model.
pub trait Steps: Arithmetic<Params = Parameters, Scale = Scale> + Sized {
    /// A matrix times the vector in the slots of `x`.
    fn transform(&self, transform: &EncodedTransform, x: &Ciphertext) -> Result<Ciphertext> {
        transform.apply(self.evaluator(), x)
    }

    /// The number of levels that a polynomial takes.
    fn depth(&self, p: &Polynomial) -> usize {
        p.depth()
    }

    /// `p(x)` at the scale `landing`.
    fn polynomial_at(&self, x: &Ciphertext, p: &Polynomial, landing: Scale) -> Result<Ciphertext> {
        polynomial_at(self, x, p, landing)
    }
}

impl Steps for Evaluator {}

/// The encoded matrices and polynomials of bootstrapping for one number of slots, without keys.
#[derive(Debug)]
pub struct Bootstrapper {
    ctx: Context,
    log_slots: u32,
    slots_to_coeffs: Vec<EncodedTransform>,
    /// The first matrix of CoeffsToSlots, where keys contain it.
    keyed: Option<KeyedMatrix>,
    /// The matrices of CoeffsToSlots that keys do not contain.
    coeffs_to_slots: Vec<EncodedTransform>,
    cosine: Polynomial,
    cosine_error: f64,
    /// Where the cosine is a polynomial in a square, see [`evalmod::cosine_of_square`]: the number
    /// that its argument is shifted by before it is squared.
    shift: Option<f64>,
    arcsine: Option<Polynomial>,
    /// Matrix and vectors of the joined EvalMod.
    joined: Option<Joined>,
    /// The polynomial X^(N/2), which is i in every slot, where EvalMod starts and ends.
    unit: [Plaintext; 2],
    /// The mean squares of the errors of SlotsToCoeffs, relative to the values: of encoded matrices,
    /// and of products.
    descent_errors: [f64; 2],
    /// Rotations before SlotsToCoeffs and before CoeffsToSlots, 0 for none.
    turns: [i64; 2],
    /// The scales and errors of CoeffsToSlots.
    rise: Rise,
    /// The scale of the message when the modulus is raised.
    low_scale: Scale,
    /// The scale of the message after EvalMod.
    landed: Scale,
}

/// Which parts of the values a bootstrap keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Parts {
    /// Real and imaginary parts, in one ciphertext.
    Both,
    /// Real parts only.
    Real,
    /// Real and imaginary parts, in one ciphertext each.
    Apart,
}

/// Bits by which each further pass magnifies the remaining error: fewer than a pass is precise.
const PASS_BITS: i32 = 16;

impl Bootstrapper {
    /// Makes the bootstrapper for ciphertexts of `2^log_slots` slots. It has more slots where these are
    /// very few: as many as a stage in each level of the transforms takes. `progress(done, total)` is
    /// called after each matrix and stops the work when it returns false.
    /// Fails with [`Error::NoBootstrapping`], [`Error::Interrupted`], [`Error::SlotCount`];
    /// [`Error::Argument`] for more slots than the parameters bootstrap.
    pub fn new(ctx: &Context, log_slots: u32, progress: impl FnMut(usize, usize) -> bool) -> Result<Self> {
        Self::from_matrices(ctx, log_slots, (None, true), progress, |m| m.encode(ctx))
    }

    /// Makes a bootstrapper with matrices encoded by `encode`, and a cosine of degree `degree` where it
    /// is not that of the parameters. With `join` one EvalMod takes both parts of few slots.
    pub(super) fn from_matrices(
        ctx: &Context,
        log_slots: u32,
        (degree, join): (Option<usize>, bool),
        progress: impl FnMut(usize, usize) -> bool,
        encode: impl Fn(&Matrix) -> Result<EncodedTransform>,
    ) -> Result<Self> {
        let _scope = ctx.scope("BootstrapMatrices");
        let params = ctx.params();
        let log_slots = params.bootstrap_log_slots(log_slots);
        let all = matrices(ctx, log_slots, join)?;
        let boot = params.expect_bootstrap()?;
        let degree = degree.unwrap_or(boot.degree);
        let mut progress = Progress::new(all.count(), progress);
        let mut encode = |matrices: &[Matrix]| -> Result<Vec<EncodedTransform>> {
            let step = |matrix| encode(matrix).and_then(|made| progress.step().map(|()| made));
            matrices.iter().map(step).collect()
        };
        let (slots_to_coeffs, coeffs_to_slots) = (encode(&all.slots_to_coeffs)?, encode(&all.coeffs_to_slots)?);
        let last_joined = encode(all.joined.as_slice())?.pop();
        let low_scale = low_scale(params, boot)?;
        let landed = landing_scale(params, boot, low_scale);
        let log_ratio = params.level(0).basis.log2() - low_scale.log2();
        if !(1.0..=40.0).contains(&log_ratio) {
            return Err(Error::Parameters(format!(
                "bootstrapping: a message has {log_ratio:.1} bits of room below q_0: 1 to 40 are known, choose other scales"
            )));
        }
        let square = evalmod::takes_square(boot.k, degree);
        let cosine = if square {
            evalmod::cosine_of_square(boot.k, boot.double_angles, degree, log_ratio, boot.secret_weight)
        } else {
            evalmod::cosine(boot.k, boot.double_angles, degree, log_ratio)
        };
        let error = cosine.error;
        let cosine = Polynomial::new(Basis::Chebyshev { a: -1.0, b: 1.0 }, &cosine.coefficients)?;
        let start = params.max_level() - boot.coeffs_to_slots_levels();
        let is_joined = last_joined.is_some() || boot.is_keyed_whole();
        let joined = || Joined::new(ctx, last_joined, log_slots + 1, &cosine, start - usize::from(square));
        let unit = |level| monomial(ctx, level, (ctx.params().n() / 2) as i64, log_slots);
        Ok(Self {
            ctx: ctx.clone(),
            log_slots,
            unit: [unit(start)?, unit(params.landing_level(boot))?],
            joined: is_joined.then(joined).transpose()?,
            slots_to_coeffs,
            keyed: boot.matrix_keys.then(|| KeyedMatrix::new(ctx, log_slots)).transpose()?,
            coeffs_to_slots,
            cosine,
            cosine_error: error,
            shift: square.then(|| -1.0 / f64::from(4 * boot.k)),
            arcsine: arcsine(params, boot, log_ratio, landed)?,
            descent_errors: descent_errors(params, log_slots, &all.slots_to_coeffs)?,
            turns: params.bootstrap_transforms(log_slots)?.map(|t| t.turn),
            rise: params.rise(log_slots)?,
            low_scale,
            landed,
        })
    }

    /// The keys that bootstrapping ciphertexts of `2^log_slots` slots needs.
    /// Fails with [`Error::NoBootstrapping`], [`Error::SlotCount`]; [`Error::Argument`] for more slots
    /// than the parameters bootstrap.
    pub fn key_plan(params: &Parameters, log_slots: u32) -> Result<KeyPlan> {
        params.bootstrap_keys(log_slots)
    }

    /// Binary logarithm of the number of slots that it works with.
    pub fn log_slots(&self) -> u32 {
        self.log_slots
    }

    /// Bytes of the encoded matrices, and of the vectors in EvalMod.
    pub fn matrix_bytes(&self) -> usize {
        let encoded = self.slots_to_coeffs.iter().chain(&self.coeffs_to_slots).map(EncodedTransform::memory_bytes);
        let joined = self.joined.as_ref().map_or(0, Joined::memory_bytes);
        encoded.sum::<usize>() + self.keyed.as_ref().map_or(0, KeyedMatrix::memory_bytes) + joined
    }

    /// `q_0 / scale` when the modulus is raised: the room of a message below q_0.
    pub fn low_ratio(&self, params: &Parameters) -> f64 {
        params.level(0).basis.log2().exp2() / self.low_scale.value()
    }

    /// The same message at the highest message level. The ciphertext must have at least
    /// [`BootstrapSpec::input_level`] levels left.
    /// Fails with [`Error::MissingBootstrappingKeys`] and other missing keys,
    /// [`Error::ModulusExhausted`], [`Error::SlotMismatch`], [`Error::ParameterMismatch`]; with
    /// [`Error::NoBootstrapping`] where a bootstrap returns a sine.
    pub fn bootstrap(&self, eval: &Evaluator, ct: &Ciphertext) -> Result<Ciphertext> {
        self.bootstrap_observed(eval, ct, false, |_| true)
    }

    /// The number of phases that [`Bootstrapper::bootstrap_observed`] reports.
    pub fn phases(&self, real: bool) -> usize {
        let parts = self.kept_parts(real);
        let both = parts == Parts::Both && self.joined_for(parts).is_none();
        let passes = self.ctx.params().bootstrap().map_or(1, |boot| boot.passes as usize);
        passes * (4 + usize::from(both))
    }

    /// [`Bootstrapper::bootstrap`] by `steps`. With `real` and SlotsToCoeffs first, EvalMod of the
    /// imaginary parts is skipped: they are lost, and with more than N/4 slots the bootstrap takes about a
    /// quarter less time. With SlotsToCoeffs last, or CoeffsToSlots as a whole in the keys, `real` changes
    /// nothing. `done(phase)` is called after each phase and stops the work when it returns false. EvalMod
    /// of the imaginary parts is a phase of its own, unless one EvalMod takes both parts.
    pub fn bootstrap_observed(
        &self,
        steps: &impl Steps,
        ct: &Ciphertext,
        real: bool,
        mut done: impl FnMut(Phase) -> bool,
    ) -> Result<Ciphertext> {
        self.expect_values()?;
        self.check(steps.evaluator(), ct)?;
        let parts = self.kept_parts(real);
        let mut after = |phase| if done(phase) { Ok(()) } else { Err(Error::Interrupted) };
        Ok(self.run(steps, &[ct], parts, &mut after)?.swap_remove(0))
    }

    /// Bootstraps many ciphertexts by `steps` and keeps their order. With `real` and SlotsToCoeffs first, two
    /// ciphertexts x and y share all phases but EvalMod: `x + i * y` is raised, and EvalMod takes
    /// its real and imaginary parts apart. `done(count)` is called with the number of finished
    /// ciphertexts, and stops the work when it returns false.
    /// Fails as [`Bootstrapper::bootstrap`] does, before any work where one ciphertext cannot be
    /// bootstrapped, and with [`Error::Interrupted`].
    pub fn bootstrap_many(
        &self,
        steps: &impl Steps,
        cts: &[&Ciphertext],
        real: bool,
        done: impl FnMut(usize) -> bool,
    ) -> Result<Vec<Ciphertext>> {
        self.expect_values()?;
        self.run_many(steps, cts, real, done)
    }

    /// `sin(pi / 2 * z)` of every value z of each ciphertext, with all levels of messages, where the
    /// parameters have it ([`BootstrapSpec::sine`]). Of complex values it is the sine of each part. Two real
    /// ciphertexts share all phases but EvalMod. Values must be at most 1; with `wraps` they can have any
    /// size that the ciphertext's modulus has room for: the modulus q_0 is four quarter turns, so whole
    /// turns vanish. `done` is called as by [`Self::bootstrap_many`].
    /// Fails as that does, and with [`Error::NoSine`].
    pub fn sines(
        &self,
        steps: &impl Steps,
        cts: &[&Ciphertext],
        wraps: bool,
        done: impl FnMut(usize) -> bool,
    ) -> Result<Vec<Ciphertext>> {
        let params = self.ctx.params();
        if !params.expect_bootstrap()?.sine {
            return Err(Error::no_sine(params));
        }
        let real = cts.iter().all(|ct| ct.noise().range().is_real());
        if !wraps {
            return self.run_many(steps, cts, real, done);
        }
        let level = params.expect_bootstrap()?.input_level();
        let turned = |ct: &&Ciphertext| Ok(self.within_a_turn(steps.evaluator().align(ct, level)?));
        let turned = cts.iter().map(turned).collect::<Result<Vec<_>>>()?;
        self.run_many(steps, &turned.iter().collect::<Vec<_>>(), real, done)
    }

    /// The ciphertext as one of values up to 1, where it has larger ones. The errors that SlotsToCoeffs makes
    /// of larger values are added.
    fn within_a_turn(&self, ct: Ciphertext) -> Ciphertext {
        let (noise, real) = (ct.noise(), ct.noise().range().is_real());
        let encoded = self.descent_errors[0] * noise.magnitude().powi(2) * noise.scale().powi(2);
        let larger = ErrorTerm::new(encoded, f64::INFINITY);
        ct.with_noise(noise.plus_fixed(larger).with_range(Range::within(1.0, real)))
    }

    fn run_many(
        &self,
        steps: &impl Steps,
        cts: &[&Ciphertext],
        real: bool,
        done: impl FnMut(usize) -> bool,
    ) -> Result<Vec<Ciphertext>> {
        cts.iter().try_for_each(|ct| self.check(steps.evaluator(), ct))?;
        let alone = self.kept_parts(real);
        let pairs = alone == Parts::Real;
        let run = |group: &[&Ciphertext]| {
            let parts = if group.len() == 2 { Parts::Apart } else { alone };
            self.run(steps, group, parts, &mut |_| Ok(()))
        };
        in_groups(cts, if pairs { 2 } else { 1 }, run, done)
    }

    pub(crate) fn check(&self, eval: &Evaluator, ct: &Ciphertext) -> Result<()> {
        let needed = self.ctx.params().expect_bootstrap()?.input_level();
        check(&self.ctx, self.log_slots, needed, eval, ct)?;
        eval.keys().relinearization()?;
        self.encapsulation(eval).map(|_| ())
    }

    /// Refuses parameters whose bootstrap returns a sine of the values.
    fn expect_values(&self) -> Result<()> {
        let params = self.ctx.params();
        match params.expect_bootstrap()?.sine {
            true => Err(Error::returns_sine(params)),
            false => Ok(()),
        }
    }

    /// The parts that one ciphertext keeps.
    fn kept_parts(&self, real: bool) -> Parts {
        let alone = self.ctx.params().bootstrap().is_some_and(BootstrapSpec::has_real_parts);
        if real && alone { Parts::Real } else { Parts::Both }
    }

    /// Matrix and vectors of the joined EvalMod, if a bootstrap of `parts` has one.
    fn joined_for(&self, parts: Parts) -> Option<&Joined> {
        self.joined.as_ref().filter(|_| parts == Parts::Both)
    }

    /// The keys of the ephemeral secret under which the modulus is raised.
    fn encapsulation<'a>(&self, eval: &'a Evaluator) -> Result<&'a Encapsulation<SwitchingKey<Parameters>>> {
        eval.keys().encapsulation(self.log_slots, self.keyed.is_some())
    }
}

/// The polynomial X^power, whose slots are roots of unity. Negative powers are negated positive ones.
fn monomial(ctx: &Context, level: usize, power: i64, log_slots: u32) -> Result<Plaintext> {
    let n = ctx.params().n();
    let mut c = zeros::<i64>(n)?;
    let place = power.rem_euclid(2 * n as i64) as usize;
    c[place % n] = if place < n { 1 } else { -1 };
    let buf = ctx.integer_poly(&Coefficients::I64(c), &ctx.params().level(level).basis)?;
    let range = Range::complex(1.0);
    let position = Position { level, scale: Scale::power_of_two(0) };
    Ok(Plaintext::new(ctx, buf, position, log_slots, range).exact())
}

fn arcsine(params: &Parameters, boot: &BootstrapSpec, log_ratio: f64, landed: Scale) -> Result<Option<Polynomial>> {
    if boot.arcsine <= 1 {
        return Ok(None);
    }
    let by = log_ratio.exp2() * (landed / product_scale(params, boot)).value();
    let c: Vec<f64> = evalmod::arcsine(boot.arcsine).iter().map(|c| c * by).collect();
    Polynomial::new(Basis::Power, &c).map(Some)
}

impl Bootstraps for Parameters {
    type Bootstrapper = Bootstrapper;

    fn bootstrapped_by(&self, log_slots: u32) -> u32 {
        self.bootstrap_log_slots(log_slots)
    }

    fn key_plan(&self, log_slots: u32) -> Result<KeyPlan> {
        self.bootstrap_keys(log_slots)
    }

    fn prepare(ctx: &Context, log_slots: u32, progress: Observer<'_>) -> Result<Bootstrapper> {
        Bootstrapper::new(ctx, log_slots, progress)
    }

    fn log_slots(made: &Bootstrapper) -> u32 {
        made.log_slots
    }

    fn run(made: &Bootstrapper, eval: &Evaluator, a: &Ciphertext) -> Result<Ciphertext> {
        made.bootstrap(eval, a)
    }

    fn span(eval: &Evaluator, _: u32, _: Option<&Bootstrapper>) -> Option<(usize, usize)> {
        let params = eval.context().params();
        let boot = params.bootstrap().filter(|boot| !boot.sine && eval.keys().has_ephemeral())?;
        Some((boot.input_level(), boot.output_level(params.top_level())))
    }

    fn is_due(a: &Ciphertext, levels: usize, (before, after): (usize, usize)) -> bool {
        a.level() < before + levels && levels <= after - before
    }
}
