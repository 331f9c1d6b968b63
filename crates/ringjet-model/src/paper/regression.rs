//! Logistic regression as the published model runs it (de Castro et al., ePrint 2021/1636, Section
//! III): a program for the library's evaluator.

use ringjet::{Ciphertext, Plaintext};

use super::configuration::{Algorithms, Configuration, Counted};
use super::error::PaperError;
use super::machine::Machine;
use super::price::DROPPED;
use super::quirks::Quirks;

/// Samples in a batch; they fill as many ciphertexts as their slots need.
const BATCH: usize = 1024;

/// Features per sample.
const FEATURES: usize = 256;

type Result<T> = std::result::Result<T, PaperError>;

/// Runs one program on ciphertexts with a given number of limbs.
pub(super) struct Regression {
    machine: Machine,
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
    pub(super) const DEPTH: usize = 5;

    /// A machine with the rotation keys of all programs.
    pub(super) fn new(configuration: Configuration, algorithms: Algorithms, quirks: Quirks) -> Result<Self> {
        let counts = [FEATURES, Self::width(quirks)];
        let sums = counts.into_iter().flat_map(|n| [round_steps(1, n), round_steps(-1, n)]);
        let batch = round_steps(Self::width(quirks) as i64, Self::samples(configuration, quirks));
        let rotations: Vec<i64> = sums.chain([batch]).flatten().flatten().filter(|&r| r != 0).collect();
        Ok(Self { machine: Machine::new(configuration, algorithms, &rotations)?, quirks })
    }

    /// Slots per sample.
    fn width(quirks: Quirks) -> usize {
        (FEATURES + usize::from(quirks.lr_pad)).next_power_of_two()
    }

    /// Samples per ciphertext.
    fn samples(configuration: Configuration, quirks: Quirks) -> usize {
        (1 << (configuration.log_n - 1)) / Self::width(quirks)
    }

    /// A plaintext of constants at the level of `like`, of any scale.
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

    /// A rotation sum of a product with rescaling: in all rounds, or in the first round only.
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

    /// The product of the data z and the weights w, summed over `count` slots and spread to the
    /// slots again.
    fn product_sum(&self, limbs: usize, count: usize) -> Result<Ciphertext> {
        let (eval, m) = (&self.machine.eval, &self.machine);
        let _scope = eval.context().scope("InnerProduct");
        let product = eval.mul_relin_rescale(&m.ciphertext(limbs)?, &m.ciphertext(limbs)?)?;
        // the authors' count does not drop a level here
        let product = if self.quirks.lr_drops { m.ciphertext(limbs)? } else { product };
        let sum = self.sum(&product, 1, count)?;
        let masked = {
            let _scope = eval.context().scope("Puncture");
            self.scaled(&sum)?
        };
        self.dropping_sum(masked, count)
    }

    /// The cubic `(a * y^3 + b * y + c) * x` as `(a * x) * y * (y^2 + c) + b * x`; x has one limb
    /// more than y.
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

    /// One Nesterov step; both vectors are first moved to the gradient's level.
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

    /// The program "InnerProduct" of Table VII, over the features.
    pub(super) fn inner_product(&self, limbs: usize) -> Result<Counted> {
        self.product_sum(limbs, FEATURES)?;
        Ok(self.machine.counted())
    }

    /// The program "PolyEval" of Table VII.
    pub(super) fn polynomial(&self, limbs: usize) -> Result<Counted> {
        self.sigmoid(limbs)?;
        Ok(self.machine.counted())
    }

    /// The program "Full LR Iteration" of Table VII.
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
