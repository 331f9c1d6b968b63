//! An iteration of logistic regression as the published model runs it (de Castro et al., ePrint
//! 2021/1636, Section III, after Han et al., AAAI 2019), for the library's evaluator.
//!
//! A ciphertext of data has a row of `width` slots for each sample: features times the label, which
//! is 1 or -1. Weights are repeated in every row. With [`Quirks::NONE`] the steps follow each other
//! on values. Some of the authors' quirks put a step at another level; then the steps are counted
//! one by one.

use ringjet::{Ciphertext, Plaintext, Range, Scale};
use ringjet_math::fft::Complex64;

use super::error::PaperError;
use super::price::DROPPED;
use super::published_deviations::Quirks;
use crate::orders::Evaluator;

type Result<T> = std::result::Result<T, PaperError>;

/// The numbers of an iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// What each gradient is multiplied by: the learning rate divided by the number of samples.
    pub rate: f64,
    /// The part of the old weights in the new point, eta: `v = (1 - eta) * w_new + eta * w_old`.
    pub momentum: f64,
    /// What the given weights were multiplied by: `1 - eta` of the step before, 1 at first.
    pub scaled_by: f64,
}

/// `1 - sigmoid(t)` is about `HALF + LINEAR * t + CUBIC * t^3` for t between -8 and 8 (least squares;
/// Kim et al., "Logistic regression model training based on the approximate homomorphic encryption",
/// 2018, degree 3).
pub const SIGMOID: [f64; 3] = [0.5, -0.15012, 0.001_593_008];

/// The inner products must lie between `-DOMAIN` and `DOMAIN`.
pub const DOMAIN: f64 = 8.0;

/// How rotations of a ciphertext are summed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sums {
    /// In four rounds. The rotations of a round share one decomposition and one division by P.
    Hoisted,
    /// By doubling: each round adds one rotation, with a decomposition and a division of its own.
    OneByOne,
}

/// The circuits of an iteration.
pub struct Regression {
    eval: Evaluator,
    width: usize,
    sums: Sums,
    quirks: Quirks,
}

/// The number of rotations in each of the four rounds that sum `count` slots, largest first. The
/// identity counts as a rotation.
fn rounds(count: usize) -> [usize; 4] {
    let log = count.ilog2();
    std::array::from_fn(|i| 1 << (log / 4 + u32::from((i as u32) < log % 4)))
}

/// The rotation steps of each round that sums `count` slots at a distance of `stride`.
fn round_steps(stride: i64, count: usize) -> Vec<Vec<i64>> {
    let mut width = stride;
    (rounds(count).iter())
        .map(|&x| {
            let steps = (0..x as i64).map(|i| i * width).collect();
            width *= x as i64;
            steps
        })
        .collect()
}

impl Regression {
    /// Limbs that an iteration uses up; it needs one more.
    pub const DEPTH: usize = 5;

    /// The circuits for rows of `width` slots, a power of two.
    pub fn new(eval: Evaluator, width: usize, sums: Sums, quirks: Quirks) -> Self {
        Self { eval, width, sums, quirks }
    }

    /// Steps of the rotation keys that the circuits need, with `slots` slots. `counts`: numbers of
    /// slots that [`Regression::inner_product`] sums.
    pub fn rotations(width: usize, slots: usize, counts: &[usize]) -> Vec<i64> {
        let sums = counts.iter().flat_map(|&n| [round_steps(1, n), round_steps(-1, n)]);
        let batch = round_steps(width as i64, slots / width);
        sums.chain([batch]).flatten().flatten().filter(|&r| r != 0).collect()
    }

    /// The product of `a` and the values, which repeat. It is not rescaled. Its scale is such that
    /// the scale is `target` after division by the primes above `level`.
    fn times(&self, a: &Ciphertext, values: &[f64], level: usize, target: Scale) -> Result<Ciphertext> {
        let (ctx, params) = (self.eval.context(), self.eval.context().params());
        let scale = (level + 1..=a.level()).fold(target, |scale, l| scale * params.ratio(l)) / a.scale();
        let values: Vec<Complex64> = values.iter().map(|&re| Complex64 { re, im: 0.0 }).collect();
        let all: Vec<Complex64> = values.iter().copied().cycle().take(a.slots()).collect();
        let plain = {
            let _scope = ctx.scope("Encode");
            Plaintext::encode(ctx, &all, a.level(), scale, a.log_slots())?
        };
        Ok(self.eval.mul_plain(a, &plain)?)
    }

    /// The same, for one rescaling to the scale of the level below.
    fn scaled(&self, a: &Ciphertext, values: &[f64]) -> Result<Ciphertext> {
        let below = a.level().saturating_sub(1);
        self.times(a, values, below, self.eval.context().params().scale(below))
    }

    /// The sum of `count` slots at a distance of `stride`.
    fn sum(&self, x: &Ciphertext, stride: i64, count: usize) -> Result<Ciphertext> {
        let mut sum = x.clone();
        match self.sums {
            Sums::Hoisted => {
                for steps in round_steps(stride, count) {
                    sum = self.eval.rotation_sum(&sum, &steps)?;
                }
            }
            Sums::OneByOne => {
                for round in 0..count.ilog2() {
                    sum = self.eval.add(&sum, &self.eval.rotate(&sum, stride << round)?)?;
                }
            }
        }
        Ok(sum)
    }

    /// The sum over the samples of a ciphertext, in every row.
    pub(super) fn sum_of_samples(&self, x: &Ciphertext) -> Result<Ciphertext> {
        self.sum(x, self.width as i64, x.slots() / self.width)
    }

    /// A rotation sum of a product with rescaling: in all rounds, or in the first round only.
    fn dropping_sum(&self, mut x: Ciphertext, count: usize) -> Result<Ciphertext> {
        if self.sums == Sums::OneByOne {
            return self.sum(&self.eval.rescale(&x)?, -1, count);
        }
        let (eval, top) = (&self.eval, x.level());
        for (round, steps) in round_steps(-1, count).iter().enumerate() {
            let _scope = eval.context().scope(DROPPED[(top - x.level()).min(DROPPED.len() - 1)]);
            x = match round {
                1.. if !self.quirks.lr_drops => eval.rotation_sum(&x, steps)?,
                _ => eval.rotation_sum_rescale(&x, steps)?,
            };
        }
        Ok(x)
    }

    /// The inner product of each row of the data `z` with the weights `w` over the first `count`
    /// slots, in all slots of the row. Two levels.
    pub(super) fn inner_product(&self, z: &Ciphertext, w: &Ciphertext, count: usize) -> Result<Ciphertext> {
        let _scope = self.eval.context().scope("InnerProduct");
        let product = self.eval.mul_relin_rescale(z, w)?;
        // the authors' count does not drop a level here
        let product = if self.quirks.lr_drops { z.clone() } else { product };
        let sum = self.sum(&product, 1, count)?;
        let masked = {
            let _scope = self.eval.context().scope("Puncture");
            let first: Vec<f64> = (0..self.width).map(|i| if i == 0 { 1.0 } else { 0.0 }).collect();
            self.scaled(&sum, &first)?
        };
        self.dropping_sum(masked, count)
    }

    /// `rate * (1 - sigmoid(y)) * x` by [`SIGMOID`], as `(a * x) * y * (y^2 + c) + b * x`, at scale
    /// `target`; x has one level more than y. Two levels below y.
    pub(super) fn sigmoid(&self, y: &Ciphertext, x: &Ciphertext, rate: f64, target: Scale) -> Result<Ciphertext> {
        let (eval, ctx) = (&self.eval, self.eval.context());
        let _scope = ctx.scope("Sigmoid");
        let [half, linear, cubic] = SIGMOID;
        let square = eval.mul_relin_rescale(y, y)?;
        let constant = {
            let constant = vec![Complex64 { re: linear / cubic, im: 0.0 }; y.slots()];
            let _scope = ctx.scope("Encode");
            Plaintext::encode(ctx, &constant, square.level(), square.scale(), y.log_slots())?
        };
        let square = eval.add_plain(&square, &constant)?;
        let ratio = |level: usize| ctx.params().ratio(level);
        let cubic = {
            let _scope = ctx.scope("Cubic");
            let before = target * ratio(y.level() - 1) / square.scale() * ratio(y.level()) / y.scale();
            eval.rescale(&self.times(x, &[rate * cubic], y.level(), before)?)?
        };
        let linear = {
            let _scope = ctx.scope("Linear");
            let level = y.level() - 2;
            eval.rescale_to(&self.times(x, &[rate * half], level, target)?, level)?
        };
        let product = eval.mul_relin_rescale(&cubic, y)?;
        let product = eval.mul_relin_rescale(&product, &square)?;
        // the scales differ by rounding only
        Ok(eval.add(&product.with_scale(target), &linear.with_scale(target))?)
    }

    /// One Nesterov step: the new point and the new weights, times `1 - momentum`. `down` brings a
    /// vector to the level and the scale of the gradient. One level.
    pub(super) fn update(
        &self,
        [v, w]: [&Ciphertext; 2],
        gradient: &Ciphertext,
        step: &Step,
        down: impl Fn(&Ciphertext) -> Result<Ciphertext>,
    ) -> Result<[Ciphertext; 2]> {
        let (eval, ctx) = (&self.eval, self.eval.context());
        let _scope = ctx.scope("Update");
        let (v, w) = (down(v)?, down(w)?);
        let moved = {
            let _scope = ctx.scope("Gradient");
            eval.add(&v, gradient)?
        };
        let (v, w) =
            (self.scaled(&moved, &[1.0 - step.momentum])?, self.scaled(&w, &[step.momentum / step.scaled_by])?);
        let sum = {
            let _scope = ctx.scope("Momentum");
            eval.add(&v, &w.with_scale(v.scale()))?
        };
        Ok([eval.rescale(&sum)?, eval.rescale(&v)?])
    }

    /// One iteration on the ciphertexts `z` of a batch, from the point `v` and the weights `w`, all
    /// at one level. The caller states by this call that the inner products of data and point lie
    /// within [`DOMAIN`]; error bounds rely on it. Returns the new point and the new weights, times
    /// `1 - momentum`, [`Regression::DEPTH`] levels lower.
    ///
    /// # Errors
    /// [`PaperError::Library`] if there is no data, if keys of [`Regression::rotations`] are missing
    /// or if there are too few levels.
    pub fn iterate(&self, z: &[Ciphertext], [v, w]: [&Ciphertext; 2], step: &Step) -> Result<[Ciphertext; 2]> {
        let eval = &self.eval;
        let mut gradient: Option<Ciphertext> = None;
        for z in z {
            let y = self.inner_product(z, v, self.width)?.with_range(Range::within(DOMAIN, true));
            let x = eval.drop_level(z, y.level() + 1)?;
            let part = self.sigmoid(&y, &x, step.rate, v.scale())?;
            gradient = Some(match gradient {
                Some(sum) => eval.add(&sum, &part)?,
                None => part,
            });
        }
        let gradient = gradient.ok_or(PaperError::NoData)?;
        let gradient = self.sum_of_samples(&gradient)?;
        let down = |x: &Ciphertext| Ok(eval.drop_level(x, gradient.level())?.with_scale(gradient.scale()));
        self.update([v, w], &gradient, step, down)
    }
}
