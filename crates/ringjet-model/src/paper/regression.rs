//! Logistic regression as the published model runs it (Section III): a program for the library's evaluator.

use ringjet::{Ciphertext, Plaintext};

use super::configuration::{Algorithms, Configuration, Counted};
use super::error::PaperError;
use super::machine::Machine;
use super::price::DROPPED;
use super::quirks::Quirks;

/// Ciphertexts in a batch of 1024 samples are as many as fill their slots.
const BATCH: usize = 1024;

/// Features of a sample.
const FEATURES: usize = 256;

type Result<T> = std::result::Result<T, PaperError>;

/// One program each, on ciphertexts of so many limbs.
pub(super) struct Regression {
    machine: Machine,
    quirks: Quirks,
}

/// Rotations of each round of a sum of `count` slots, the identity among them: four rounds, the larger ones first.
fn rounds(count: usize) -> [usize; 4] {
    let log = count.ilog2();
    std::array::from_fn(|i| 1 << (log / 4 + u32::from((i as u32) < log % 4)))
}

/// The rotations of a sum of `count` slots that are `stride` apart, in rounds.
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
    /// Limbs that an iteration needs besides one.
    pub(super) const DEPTH: usize = 5;

    /// For the limbs that bootstrapping leaves.
    pub(super) fn new(configuration: Configuration, algorithms: Algorithms, quirks: Quirks) -> Result<Self> {
        let counts = [FEATURES, Self::width(quirks)];
        let sums = counts.into_iter().flat_map(|n| [round_steps(1, n), round_steps(-1, n)]);
        let batch = round_steps(Self::width(quirks) as i64, Self::samples(configuration, quirks));
        let rotations: Vec<i64> = sums.chain([batch]).flatten().flatten().filter(|&r| r != 0).collect();
        Ok(Self { machine: Machine::new(configuration, algorithms, &rotations)?, quirks })
    }

    /// Slots of a sample.
    fn width(quirks: Quirks) -> usize {
        (FEATURES + usize::from(quirks.lr_pad)).next_power_of_two()
    }

    /// Samples in a ciphertext.
    fn samples(configuration: Configuration, quirks: Quirks) -> usize {
        (1 << (configuration.log_n - 1)) / Self::width(quirks)
    }

    /// A vector of constants at the place of `like`, of any scale.
    fn constant(&self, like: &Ciphertext) -> Result<Plaintext> {
        let ctx = self.machine.eval.context();
        let _scope = ctx.scope("Encode");
        Ok(Plaintext::encode(ctx, &[], like.level(), like.scale(), like.log_slots())?)
    }

    fn scaled(&self, x: &Ciphertext) -> Result<Ciphertext> {
        Ok(self.machine.eval.mul_plain(x, &self.constant(x)?)?)
    }

    fn sum(&self, x: &Ciphertext, stride: i64, count: usize) -> Result<Ciphertext> {
        round_steps(stride, count)
            .iter()
            .try_fold(x.clone(), |x, steps| Ok(self.machine.eval.rotation_sum(&x, steps)?))
    }

    /// A sum of a product whose rounds are rescaled: all of them, or the first.
    fn dropping_sum(&self, mut x: Ciphertext, count: usize) -> Result<Ciphertext> {
        let (eval, top) = (&self.machine.eval, x.level());
        for (round, steps) in round_steps(-1, count).iter().enumerate() {
            let _scope = eval.context().scope(DROPPED[(top - x.level()).min(DROPPED.len() - 1)]);
            x = match round {
                1.. if !self.quirks.lr_drops => eval.rotation_sum(&x, steps)?,
                _ => eval.rotation_sum_rescale(&x, steps)?,
            };
        }
        Ok(x)
    }

    /// z w summed over `count` slots and put where it came from.
    fn product_sum(&self, limbs: usize, count: usize) -> Result<Ciphertext> {
        let (eval, m) = (&self.machine.eval, &self.machine);
        let _scope = eval.context().scope("InnerProduct");
        let product = eval.mul_relin_rescale(&m.ciphertext(limbs)?, &m.ciphertext(limbs)?)?;
        // the authors forget what the product dropped
        let product = if self.quirks.lr_drops { m.ciphertext(limbs)? } else { product };
        let sum = self.sum(&product, 1, count)?;
        let masked = {
            let _scope = eval.context().scope("Puncture");
            self.scaled(&sum)?
        };
        self.dropping_sum(masked, count)
    }

    /// `(a y^3 + b y + c) x` as `(a x) y (y^2 + c) + b x`, x having a limb more than y.
    fn sigmoid(&self, limbs: usize) -> Result<Ciphertext> {
        let (eval, m) = (&self.machine.eval, &self.machine);
        let ctx = eval.context();
        let _scope = ctx.scope("Sigmoid");
        let (y, x) = (m.ciphertext(limbs)?, m.ciphertext(limbs + 1)?);
        let square = eval.mul_relin_rescale(&y, &y)?;
        let square = eval.add_plain(&square, &self.constant(&square)?)?;
        let cubic = {
            let _scope = ctx.scope("Cubic");
            eval.rescale(&self.scaled(&x)?)?
        };
        let linear = {
            let _scope = ctx.scope("Linear");
            eval.rescale_to(&self.scaled(&x)?, limbs - 3)?
        };
        let product = eval.mul_relin_rescale(&cubic, &y)?;
        let product = eval.mul_relin_rescale(&product, &square)?;
        Ok(eval.add(&product, &linear.with_scale(product.scale()))?)
    }

    /// Nesterov's step: both vectors come down to the gradient's level.
    fn update(&self, limbs: usize, gradient: &Ciphertext) -> Result<()> {
        let (eval, m) = (&self.machine.eval, &self.machine);
        let ctx = eval.context();
        let _scope = ctx.scope("Update");
        let down = || -> Result<Ciphertext> {
            Ok(eval.rescale_to(&m.ciphertext(limbs)?, gradient.level())?.with_scale(gradient.scale()))
        };
        let (v, w) = (down()?, down()?);
        let moved = {
            let _scope = ctx.scope("Gradient");
            eval.add(&v, gradient)?
        };
        let (v, w) = (self.scaled(&moved)?, self.scaled(&w)?);
        let sum = {
            let _scope = ctx.scope("Momentum");
            eval.add(&v, &w)?
        };
        eval.rescale(&sum)?;
        eval.rescale(&v)?;
        Ok(())
    }

    /// "InnerProduct" of Table VII, over the features.
    pub(super) fn inner_product(&self, limbs: usize) -> Result<Counted> {
        self.product_sum(limbs, FEATURES)?;
        Ok(self.machine.counted())
    }

    /// "PolyEval" of Table VII.
    pub(super) fn polynomial(&self, limbs: usize) -> Result<Counted> {
        self.sigmoid(limbs)?;
        Ok(self.machine.counted())
    }

    /// "Full LR Iteration" of Table VII.
    pub(super) fn iteration(&self, limbs: usize) -> Result<Counted> {
        let (m, quirks) = (&self.machine, self.quirks);
        let samples = Self::samples(m.configuration, quirks);
        let ciphertexts = BATCH / samples;
        for _ in 0..ciphertexts {
            self.product_sum(limbs, Self::width(quirks))?;
            self.sigmoid(if quirks.lr_sig_level { limbs } else { limbs - 2 })?;
        }
        let part = m.ciphertext(limbs - 4)?;
        if !quirks.lr_ct_sum {
            for _ in 1..ciphertexts {
                m.eval.add(&part, &part)?;
            }
        }
        let gradient = self.sum(&part, Self::width(quirks) as i64, samples)?;
        self.update(limbs, &gradient)?;
        Ok(m.counted())
    }
}
