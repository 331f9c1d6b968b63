//! Ciphertexts and evaluators of any scheme.

use std::collections::BTreeMap;
use std::sync::Arc;

use ringjet_math::fft::Complex64;

use super::objects::{Ciphertext, Context, EvaluationKeys, Evaluator, Parameters, SchemeObject};
use super::scheme::{self, Budget, Scheme};
use super::transform::Transform;
use super::values::{Scalar, Values};
use crate::Unit;
use crate::circuits::Polynomial;
use crate::vectors::Refreshed;
use crate::wire::{Limits, Object, peek};
use crate::{Error, KeyId, Noise, Range, Result, Rows};

getters! { Ciphertext:
    /// Number of slots.
    fn own.slots() -> usize;
    /// Binary logarithm of the number of slots.
    fn own.log_slots() -> u32;
    /// How many of the first slots hold values.
    fn own.count() -> usize;
    /// Whether the slots after these are known to hold 0.
    fn own.is_zero_padded() -> bool;
    /// Bounds on the values, and bounds and estimates of their errors.
    fn own.noise() -> Noise;
    /// The identity of the secret key under which it is encrypted.
    fn own.key_id() -> KeyId;
    /// Number of residues, or of words of integers, of all polynomials.
    fn own.words() -> usize;
    /// The levels or bits of the modulus that are left to spend.
    fn Own::budget() -> Budget;
}

methods! { Ciphertext:
    /// The same ciphertext as a vector of `2^log_slots` values.
    fn Own::with_log_slots(; log_slots: u32) -> Ciphertext;
    /// The same ciphertext, stating that real and imaginary parts are at most `magnitude`.
    fn Own::with_magnitude(; magnitude: f64) -> Ciphertext;
    /// The same ciphertext, stating that its first `count` slots hold values.
    fn own.counted(; count: usize) -> Ciphertext;
    /// The same for a ciphertext of a counting backend, stating whether all other slots hold 0.
    fn own.padded(; count: usize, zeros: bool) -> Ciphertext;
    /// The same ciphertext, stating the standard deviation of the errors of real parts.
    fn Own::with_deviation(; deviation: f64) -> Ciphertext;
    /// The same ciphertext, stating that the values are in `range`.
    fn Own::with_range(; range: Range) -> Ciphertext;
    /// A ciphertext without computed values, as it stands for an encryption of values in `range`.
    fn Own::encrypting(; range: Range) -> Ciphertext;
    /// A ciphertext without computed values, with everything that is known of this one, for a backend that only
    /// counts.
    fn own.uncomputed_on(ctx: Context;) -> Ciphertext;
    /// A lower bound on the noise budget of a ciphertext of an exact scheme, in bits.
    fn Own::noise_budget(;) -> f64;
    /// The ciphertext in the wire format.
    fn own.to_bytes(ctx: Context;) -> Vec<u8>;
}

impl Ciphertext {
    /// Reads a ciphertext in the wire format.
    pub fn from_bytes(ctx: &Context, data: &[u8], limits: Limits) -> Result<Self> {
        let params = ctx.params();
        let own = dispatch!(ctx, Context, _own => Own::SCHEME);
        match peek(data) {
            Ok(header) if header.kind.object == Object::Ciphertext && header.kind.scheme != own => {
                let (what, found) = (header.kind.object.name(), header.fingerprint_hex());
                Err(Error::ParameterMismatch { what, expected: params.fingerprint_hex(), found })
            }
            _ => dispatch!(ctx, Context, own => {
                Ok(scheme::Ciphertext::<Own>::from_bytes(own, data, limits)?.into())
            }),
        }
    }

    /// The budget. Refused where the scheme does not count it in `unit`; the error calls it `op`.
    fn budget_in(&self, unit: Unit, op: &'static str) -> Result<Budget> {
        let budget = self.budget();
        if budget.unit == unit { Ok(budget) } else { dispatch!(self, Ciphertext, _own => Own::lacks(op)) }
    }

    /// How many rescalings are left, for schemes with levels.
    pub fn level(&self) -> Result<usize> {
        dispatch!(self, Ciphertext, own => Own::level(own))
    }

    /// Bits of the modulus, for schemes whose moduli are powers of two.
    pub fn log_q(&self) -> Result<usize> {
        Ok(self.budget_in(Unit::Bits, "log_q")?.left)
    }

    /// Binary logarithm of the scale, for schemes where it is a whole number.
    pub fn log_scale(&self) -> Result<u32> {
        Ok(self.budget_in(Unit::Bits, "log_scale")?.scale_log2 as u32)
    }

    /// Bits between the largest coefficient of `values` (one a slot), encoded at this scale, and
    /// half the modulus.
    pub(crate) fn room(&self, mut values: Vec<Complex64>) -> Result<f64> {
        dispatch!(self, Ciphertext, own => own.params().fft(own.log_slots())?.inverse(&mut values))?;
        let largest = values.iter().fold(0.0f64, |m, w| m.max(w.re.abs()).max(w.im.abs()));
        let budget = self.budget();
        Ok(budget.modulus_log2 - 1.0 - budget.scale_log2 - largest.log2())
    }
}

getters! { Evaluator:
    /// Binary logarithms of the numbers of slots that are prepared for bootstrapping.
    fn own.bootstrappers() -> Vec<u32>;
}

methods! { Evaluator:
    /// `-x`.
    fn own.neg(x: Ciphertext;) -> Ciphertext;
    /// `x + y`.
    fn own.add_auto(x: Ciphertext, y: Ciphertext;) -> Ciphertext;
    /// `x - y`.
    fn own.sub_auto(x: Ciphertext, y: Ciphertext;) -> Ciphertext;
    /// `x * y`, slot by slot.
    fn own.mul_auto(x: Ciphertext, y: Ciphertext;) -> Ciphertext;
    /// Adds a constant to every slot. In exact schemes constants have the range of messages.
    fn Own::add_scalar(x: Ciphertext; c: Scalar) -> Ciphertext;
    /// Subtracts a constant from every slot.
    fn Own::sub_scalar(x: Ciphertext; c: Scalar) -> Ciphertext;
    /// Multiplies every slot by a constant.
    fn Own::mul_scalar(x: Ciphertext; c: Scalar) -> Ciphertext;
    /// Multiplies every slot by an integer, exactly.
    fn own.mul_integer(x: Ciphertext; factor: i64) -> Ciphertext;
    /// Adds a vector in the clear, one value a slot.
    fn Own::add_values(x: Ciphertext; values: &Values) -> Ciphertext;
    /// Subtracts a vector in the clear.
    fn Own::sub_values(x: Ciphertext; values: &Values) -> Ciphertext;
    /// Multiplies by a vector in the clear, one value a slot.
    fn Own::mul_values(x: Ciphertext; values: &Values) -> Ciphertext;
    /// Multiplies by the imaginary unit, exactly.
    fn Own::times_i(x: Ciphertext;) -> Ciphertext;
    /// The complex conjugate of every slot.
    fn Own::conjugate(x: Ciphertext;) -> Ciphertext;
    /// Swaps the two rows of slots of an exact scheme.
    fn Own::swap_rows(x: Ciphertext;) -> Ciphertext;
    /// Slot j gets the value of slot j + steps.
    fn own.rotate(x: Ciphertext; steps: i64) -> Ciphertext;
    /// The sum of rotations by each of `steps`.
    fn Own::rotation_sum(x: Ciphertext; steps: &[i64]) -> Ciphertext;
    /// Slot j gets the sum of the `count` slots j, j + stride, j + 2 * stride, ...
    fn own.inner_sum(x: Ciphertext; stride: i64, count: usize) -> Ciphertext;
    /// The same where at most `terms` of the slots of every sum are not zero.
    fn own.inner_sum_of(x: Ciphertext; stride: i64, count: usize, terms: usize) -> Ciphertext;
    /// Evaluates a polynomial in every slot.
    fn Own::polynomial(x: Ciphertext; p: &Polynomial) -> Ciphertext;
    /// Multiplies the vector of slots by a matrix.
    fn Own::matmul(x: Ciphertext; matrix: &Transform) -> Ciphertext;
    /// The same values at a lower level.
    fn Own::to_level(x: Ciphertext; level: usize) -> Ciphertext;
    /// Divides modulus and scale by `2^bits`, by default by the parameters' `log_p`.
    fn Own::rescale(x: Ciphertext; bits: Option<u32>) -> Ciphertext;
    /// The same values modulo the smaller `2^log_q`.
    fn Own::mod_down_to(x: Ciphertext; log_q: u32) -> Ciphertext;
    /// Bootstraps: the same values with more to spend. `step(done, total)` is called after each
    /// phase and stops the work when it returns false. `real`: the values are known to be real.
    fn Own::bootstrap(x: Ciphertext; real: bool, step: impl FnMut(usize, usize) -> bool) -> Ciphertext;
}

impl Evaluator {
    /// An evaluator with these keys.
    pub fn new(ctx: &Context, keys: &EvaluationKeys) -> Result<Self> {
        let params = ctx.params();
        params.expect_same("evaluation keys", &keys.params())?;
        dispatch!(keys, EvaluationKeys, own => {
            Ok(scheme::Evaluator::<Own>::bootstrapping(SchemeObject::<Own>::of(ctx, &params)?, Arc::clone(own))?.into())
        })
    }

    /// The parameters and the backend.
    pub fn context(&self) -> Context {
        dispatch!(self, Evaluator, own => own.context().clone().into())
    }

    /// Makes the matrices that bootstrap `2^log_slots` slots, unless they exist. `step(done,
    /// total)` is called after each matrix.
    pub fn prepare(&self, log_slots: u32, step: impl FnMut(usize, usize) -> bool) -> Result<()> {
        dispatch!(self, Evaluator, own => own.bootstrapper_observed(log_slots, step).map(|_| ()))
    }

    /// From now on remembers what operations bootstrap by the way, for [`Evaluator::bootstrapped`].
    pub(crate) fn watch_bootstraps(&self) {
        dispatch!(self, Evaluator, own => own.watch_bootstraps());
    }

    /// What operations of a watched evaluator and its clones bootstrapped since the last call; not
    /// what they were asked to bootstrap.
    pub(crate) fn bootstrapped(&self) -> Vec<Refreshed> {
        dispatch!(self, Evaluator, own => own.bootstrapped())
    }

    /// Refuses parameters or keys with which no ciphertext can be bootstrapped.
    pub fn expect_bootstrapping(&self) -> Result<()> {
        if dispatch!(self, Evaluator, own => own.keys().can_bootstrap()) {
            return Ok(());
        }
        let params = self.params();
        params.bootstrapping(params.slots().ilog2())?;
        let slots = params.most_bootstrapping_slots().unwrap_or(params.slots());
        Err(Error::MissingBootstrappingKeys { slots, available: vec![] })
    }

    /// Bootstraps each ciphertext. All have as many slots as the first. `step` gets the number that
    /// is done.
    pub fn bootstrap_many(
        &self,
        all: &[Ciphertext],
        real: bool,
        step: impl FnMut(usize) -> bool,
    ) -> Result<Vec<Ciphertext>> {
        if all.is_empty() {
            return Ok(vec![]);
        }
        dispatch!(self, Evaluator, own => {
            let made = Own::bootstrap_many(own, &owned::<Own>(all, &self.params())?, real, step)?;
            Ok(made.into_iter().map(Ciphertext::from).collect())
        })
    }

    /// `sin(pi / 2 * z)` of every value of each ciphertext, by a bootstrap. All have as many slots as the
    /// first. `wraps` and errors are those of [`crate::Bootstrapper::sines`]. `step` gets the number that is
    /// done.
    pub fn sines(&self, all: &[Ciphertext], wraps: bool, step: impl FnMut(usize) -> bool) -> Result<Vec<Ciphertext>> {
        if all.is_empty() {
            return Ok(vec![]);
        }
        dispatch!(self, Evaluator, own => {
            let made = Own::sines(own, &owned::<Own>(all, &self.params())?, wraps, step)?;
            Ok(made.into_iter().map(Ciphertext::from).collect())
        })
    }

    /// Each of at least one polynomial of every slot. In CKKS they share powers.
    pub fn polynomials(&self, x: &Ciphertext, ps: &[&Polynomial]) -> Result<Vec<Ciphertext>> {
        expect_some("polynomials", ps)?;
        dispatch!(self, Evaluator, own => {
            let made = Own::polynomials(own, SchemeObject::<Own>::of(x, &self.params())?, ps)?;
            Ok(made.into_iter().map(Ciphertext::from).collect())
        })
    }

    /// Several rotations of one ciphertext.
    pub fn rotations(&self, x: &Ciphertext, steps: &[i64]) -> Result<Vec<Ciphertext>> {
        dispatch!(self, Evaluator, own => {
            let made = own.rotate_hoisted(SchemeObject::<Own>::of(x, &self.params())?, steps)?;
            Ok(made.into_iter().map(Ciphertext::from).collect())
        })
    }

    /// The sum of `x * y` over all pairs, of which there is at least one.
    pub fn mul_sum(&self, pairs: &[(&Ciphertext, &Ciphertext)]) -> Result<Ciphertext> {
        expect_some("pairs", pairs)?;
        dispatch!(self, Evaluator, own => {
            let x = owned::<Own>(pairs.iter().map(|pair| pair.0), &self.params())?;
            let y = owned::<Own>(pairs.iter().map(|pair| pair.1), &self.params())?;
            Ok(own.mul_sum_auto(&x.into_iter().zip(y).collect::<Vec<_>>())?.into())
        })
    }

    /// The sum of `weight * x` over at least one term. `level`: the level of the sum, by default
    /// one below the lowest `x`; not for schemes without levels.
    pub fn weighted_sum(&self, terms: &[(&Ciphertext, f64)], level: Option<usize>) -> Result<Ciphertext> {
        expect_some("terms", terms)?;
        dispatch!(self, Evaluator, own => {
            let x = owned::<Own>(terms.iter().map(|term| term.0), &self.params())?;
            let terms: Vec<_> = x.into_iter().zip(terms.iter().map(|term| term.1)).collect();
            Ok(Own::weighted_sum(own, &terms, level)?.into())
        })
    }

    /// For each row of `weights` the sum of `weight * x`, plus its number of `bias`, which may be empty. All are
    /// real. `bits`: see [`Rows`]. `level`: as for [`Evaluator::weighted_sum`]. `step` gets the number of
    /// rows that are done. All rows are computed at once, in HEAAN each by itself.
    /// Fails with [`Error::Argument`] for complex numbers, and as [`crate::Evaluator::weighted_sums`] does.
    pub fn weighted_sums(
        &self,
        terms: &[&Ciphertext],
        [weights, bias]: [&Values; 2],
        bits: Option<u32>,
        level: Option<usize>,
        mut step: impl FnMut(usize) -> bool,
    ) -> Result<Vec<Ciphertext>> {
        expect_some("terms", terms)?;
        let (weights, bias) = (weights.reals("weights")?, bias.reals("bias")?);
        let rows = Rows { weights: &weights, bias: &bias, bits };
        dispatch!(self, Evaluator, own => {
            let x = owned::<Own>(terms.iter().copied(), &self.params())?;
            Ok(Own::weighted_sums(own, &x, &rows, level, &mut step)?.into_iter().map(Ciphertext::from).collect())
        })
    }

    /// The rows of transposed matrices; see [`crate::Evaluator::transpose_rows`], as which it fails, and with
    /// [`Error::Unsupported`] in schemes other than CKKS.
    pub fn transpose_rows(&self, rows: &[&Ciphertext], entries: f64) -> Result<Vec<Ciphertext>> {
        expect_some("rows", rows)?;
        dispatch!(self, Evaluator, own => {
            let x = owned::<Own>(rows.iter().copied(), &self.params())?;
            Ok(Own::transpose_rows(own, &x, entries)?.into_iter().map(Ciphertext::from).collect())
        })
    }

    /// The rows of products of matrices; see [`crate::Evaluator::mul_rows`], as which it fails, and with
    /// [`Error::Unsupported`] in schemes other than CKKS.
    pub fn mul_rows(
        &self,
        columns: &[&Ciphertext],
        rows: &[&Ciphertext],
        entries: [f64; 2],
    ) -> Result<Vec<Ciphertext>> {
        expect_some("rows", rows)?;
        dispatch!(self, Evaluator, own => {
            let x = owned::<Own>(columns.iter().copied(), &self.params())?;
            let y = owned::<Own>(rows.iter().copied(), &self.params())?;
            Ok(Own::mul_rows(own, &x, &y, entries)?.into_iter().map(Ciphertext::from).collect())
        })
    }

    /// [`Evaluator::weighted_sum`] with complex weights. The sum with the imaginary parts is
    /// multiplied by i, which is exact and costs no level.
    pub(crate) fn complex_weighted_sum(
        &self,
        terms: &[(&Ciphertext, Complex64)],
        level: Option<usize>,
    ) -> Result<Ciphertext> {
        let part = |of: fn(&Complex64) -> f64| -> Vec<(&Ciphertext, f64)> {
            terms.iter().map(|(x, weight)| (*x, of(weight))).collect()
        };
        let zero = |all: &[(&Ciphertext, f64)]| all.iter().all(|t| t.1 == 0.0);
        let (re, im) = (part(|z| z.re), part(|z| z.im));
        if zero(&im) {
            return self.weighted_sum(&re, level);
        }
        let turned = self.times_i(&self.weighted_sum(&im, level)?)?;
        if zero(&re) { Ok(turned) } else { self.add_auto(&self.weighted_sum(&re, level)?, &turned) }
    }

    /// `x^n`, with products nested `ceil(log2(n))` deep.
    pub fn power(&self, x: &Ciphertext, n: u32) -> Result<Ciphertext> {
        if n == 0 {
            let one = if self.params().is_exact() { Scalar::Integer(1) } else { Scalar::Number(1.0) };
            return self.add_scalar(&self.mul_integer(x, 0)?, one);
        }
        self.powers(n, &mut BTreeMap::from([(1, x.clone())]))
    }

    /// `x^n` as the product of the powers `high` and `n - high`, where `high` is the largest power
    /// of two below n.
    fn powers(&self, n: u32, known: &mut BTreeMap<u32, Ciphertext>) -> Result<Ciphertext> {
        if let Some(ct) = known.get(&n) {
            return Ok(ct.clone());
        }
        let high = 1 << (n - 1).ilog2();
        let product = self.mul_auto(&self.powers(high, known)?, &self.powers(n - high, known)?)?;
        known.insert(n, product.clone());
        Ok(product)
    }
}

/// The scheme's own ciphertexts. Refuses ciphertexts of other parameters than `params`.
fn owned<'a, S: Scheme>(
    all: impl IntoIterator<Item = &'a Ciphertext>,
    params: &Parameters,
) -> Result<Vec<&'a scheme::Ciphertext<S>>>
where
    Ciphertext: SchemeObject<S, Own = scheme::Ciphertext<S>>,
{
    all.into_iter().map(|x| SchemeObject::<S>::of(x, params)).collect()
}

/// Refuses an empty list of terms.
fn expect_some<T>(name: &'static str, all: &[T]) -> Result<()> {
    let none = || Error::Argument { name, value: "[]".into(), expected: "at least one".into() };
    if all.is_empty() { Err(none()) } else { Ok(()) }
}
