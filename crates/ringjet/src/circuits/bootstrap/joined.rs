//! One EvalMod for the real and the imaginary parts of values in at most N/4 slots.
//!
//! The values z of n slots repeat in 2 n slots: (z | z). So there is room for both parts in one
//! ciphertext:
//!
//! * CoeffsToSlots ends with the product with u = (1 | -i), in its last matrix. The sum with the
//!   conjugate is (re z | im z).
//! * EvalMod multiplies by v = (1 | i), so that a rotation by n and a sum bring re z + i im z back. The
//!   polynomial is multiplied by w = (1 | i^(1/2^r)), in its coefficients, where r double angles
//!   follow. A double angle is then `y -> 2 y^2 - w^2`: from `w cos(a)` to `w^2 cos(2 a)`. Each one
//!   replaces w by its square; after r of them it is v.
//! * The last double angle comes after the sum: `2 (y^2 + rot(y^2)) - (1 + i)`, as `v + rot(v)` is
//!   1 + i. Rounded once, the sum has a smaller error than two rounded terms.
//!
//! This takes no level.

use ringjet_math::evalmod::root_of_i;
use ringjet_math::fft::Complex64;

use crate::circuits::polyeval::{Leaf, LeafSum, leaves, polynomial_by};
use crate::circuits::transform::diagonals::factor;
use crate::circuits::{Arithmetic, EncodedTransform, Polynomial};
use crate::ckks::{Position, VectorFactor, noise};
use crate::noise::{ErrorTerm, Sources};
use crate::{Ciphertext, Context, Error, Evaluator, Noise, Parameters, Plaintext, Range, Result, Scale};

use super::matrices::product_scale;

/// What the joined EvalMod of one number of slots is made of.
#[derive(Debug)]
pub(super) struct Joined {
    /// The last matrix of CoeffsToSlots, followed by the product with u, for twice the slots. `None` where
    /// the keys contain it.
    pub(super) matrix: Option<EncodedTransform>,
    /// The coefficients of the cosine's polynomial times w, by the numbers of their sums.
    sums: Vec<VectorLeaf>,
    /// What each double angle but the last one subtracts.
    squares: Vec<Plaintext>,
    /// What the last double angle subtracts: 1 + i.
    end: Plaintext,
}

/// A [`Leaf`] times a vector.
#[derive(Debug)]
struct VectorLeaf {
    constant: Option<Plaintext>,
    factors: Vec<VectorFactor>,
}

/// Encodes vectors of two values, each of which fills half of the slots.
struct Halves<'a> {
    ctx: &'a Context,
    /// Binary logarithm of the number of slots.
    log_slots: u32,
}

impl Halves<'_> {
    fn values(&self, [first, second]: [Complex64; 2]) -> Vec<Complex64> {
        let half = 1usize << (self.log_slots - 1);
        [vec![first; half], vec![second; half]].concat()
    }

    fn plaintext(&self, pair: [Complex64; 2], level: usize, scale: Scale) -> Result<Plaintext> {
        Plaintext::encode(self.ctx, &self.values(pair), level, scale, self.log_slots)
    }

    /// The factor of a term at level `from` in a sum at `level` and its scale.
    fn factor(&self, pair: [Complex64; 2], from: usize, level: usize) -> Result<VectorFactor> {
        let params = self.ctx.params();
        let (scale, basis) = VectorFactor::place(params, from, level, params.scale(level));
        let factor = factor(self.ctx, Position { level: from, scale }, self.values(pair), &basis)?;
        let magnitude = pair[0].abs().max(pair[1].abs());
        let error = noise::encoding(params) + ErrorTerm::doubles(magnitude * scale.value());
        Ok(VectorFactor { factor, noise: Noise::new(error, Range::complex(magnitude), scale, Sources::NONE) })
    }

    fn leaf(&self, leaf: &Leaf, w: Complex64) -> Result<VectorLeaf> {
        let pair = |c: f64| [Complex64::new(c, 0.0), w * c];
        let scale = self.ctx.params().scale(leaf.level);
        let constant = (leaf.constant != 0.0).then(|| self.plaintext(pair(leaf.constant), leaf.level, scale));
        let factors = leaf.terms.iter().map(|&(from, c)| self.factor(pair(c), from, leaf.level));
        Ok(VectorLeaf { factors: factors.collect::<Result<_>>()?, constant: constant.transpose()? })
    }
}

impl Joined {
    /// Encodes all vectors for the polynomial `cosine` of an argument at level `top`, before
    /// `double_angles` double angles. `matrix` is for `2^log_slots` slots: twice those of values.
    pub(super) fn new(
        ctx: &Context,
        matrix: Option<EncodedTransform>,
        log_slots: u32,
        cosine: &Polynomial,
        top: usize,
    ) -> Result<Self> {
        let params = ctx.params();
        let boot = params.expect_bootstrap()?;
        let (halves, steps, landing) = (Halves { ctx, log_slots }, boot.double_angles, top - cosine.depth());
        let one = Complex64::new(1.0, 0.0);
        let square = |step: u32| {
            let level = landing - step as usize;
            halves.plaintext([one, root_of_i(steps - step)], level, params.scale(level))
        };
        let sums = leaves(cosine, top, &|level| params.doubles(level), &|from, to| params.is_nested(from, to + 1));
        Ok(Self {
            matrix,
            sums: sums.iter().map(|leaf| halves.leaf(leaf, root_of_i(steps))).collect::<Result<_>>()?,
            squares: (1..steps).map(square).collect::<Result<_>>()?,
            end: halves.plaintext([one + root_of_i(0); 2], params.landing_level(boot), product_scale(params, boot))?,
        })
    }

    /// Bytes of the encoded matrix and vectors.
    pub(super) fn memory_bytes(&self) -> usize {
        let factors = self.sums.iter().flat_map(|leaf| &leaf.factors).map(|f| &f.factor);
        let constants = self.sums.iter().filter_map(|leaf| leaf.constant.as_ref());
        let added = constants.chain(&self.squares).chain([&self.end]).map(|p| p.buf());
        self.matrix.as_ref().map_or(0, EncodedTransform::memory_bytes)
            + factors.chain(added).map(|buf| buf.limbs() * buf.n() * 8).sum::<usize>()
    }

    /// `v * sin(2 pi t)` and the sum of both halves, from the polynomial's argument.
    pub(super) fn sine(
        &self,
        steps: &impl Arithmetic<Params = Parameters, Scale = Scale>,
        x: &Ciphertext,
        cosine: &Polynomial,
        landing: Scale,
    ) -> Result<Ciphertext> {
        let (eval, unit) = (steps.evaluator(), Range::complex(1.0));
        let mut y = polynomial_by(steps, x, cosine, landing, &|sum| self.sum(eval, sum))?.with_range(unit);
        for square in &self.squares {
            let doubled = steps.doubled(&steps.mul(&y, &y)?, None, 0.0)?;
            y = eval.sub_plain(&doubled, square)?.with_range(unit);
        }
        let square = eval.relinearize(&eval.mul(&y, &y)?)?;
        let half = square.slots() as i64 / 2;
        let sum = eval.rescale(&eval.add(&square, &eval.rotate(&square, half)?)?)?;
        let parts = Range::within(1.0, false);
        Ok(eval.sub_plain(&steps.doubled(&sum, None, 0.0)?, &self.end)?.with_range(parts))
    }

    fn sum<E>(&self, eval: &Evaluator, sum: &LeafSum<'_, E>) -> Result<Ciphertext>
    where
        E: Arithmetic<Params = Parameters, Scale = Scale>,
    {
        let VectorLeaf { constant, factors } = self.sums.get(sum.number).ok_or_else(|| Error::none("sums"))?;
        let terms: Vec<_> = sum.terms.iter().map(|term| term.0).zip(factors).collect();
        let made = eval.vector_sum(&terms, sum.level, sum.scale)?;
        match constant {
            Some(constant) => eval.add_plain(&made, constant),
            None => Ok(made),
        }
    }
}
