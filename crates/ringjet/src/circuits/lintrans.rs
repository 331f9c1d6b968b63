//! Linear transforms of the slots, by diagonals, baby steps and giant steps.
//!
//! `out_j = sum over k of M[j][(j + k) mod n] x[(j + k) mod n]`: diagonal k multiplies the input rotated by k. With
//! `k = g b + i` the g inner rotations are hoisted, and each outer sum is rotated once (Algorithm PtMatVecMult of de
//! Castro et al. in its baby-step giant-step form).

use std::collections::BTreeMap;

use ringjet_math::fft::Complex64;

use crate::{Ciphertext, Context, Error, Evaluator, Plaintext, Result, Scale};

/// A square matrix acting on the slots, as its non-zero diagonals.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearTransform {
    slots: usize,
    diagonals: BTreeMap<usize, Vec<Complex64>>,
    baby: usize,
}

impl LinearTransform {
    /// From diagonals: `diagonals[k][j] = M[j][(j + k) mod slots]`. `slots` is a power of two.
    pub fn from_diagonals(slots: usize, diagonals: BTreeMap<usize, Vec<Complex64>>) -> Result<Self> {
        if !slots.is_power_of_two() {
            let expected = "a power of two".to_string();
            return Err(Error::Argument { name: "slots", value: slots.to_string(), expected });
        }
        for (&k, d) in &diagonals {
            if d.len() != slots || k >= slots {
                return Err(Error::SlotCount { found: d.len().max(k), slots, max: slots });
            }
            if let Some(index) = d.iter().position(|z| !(z.re.is_finite() && z.im.is_finite())) {
                return Err(Error::NotFinite { index, value: d[index].re });
            }
        }
        let mut t = Self { slots, diagonals, baby: 1 };
        t.baby = best_baby(t.diagonals.keys().copied(), slots);
        Ok(t)
    }

    /// From a dense matrix in row-major order, `slots x slots`; zero diagonals are left out.
    pub fn from_matrix(slots: usize, matrix: &[Complex64]) -> Result<Self> {
        if matrix.len() != slots * slots {
            return Err(Error::SlotCount { found: matrix.len(), slots: slots * slots, max: slots * slots });
        }
        let diagonal = |k: usize| (0..slots).map(|j| matrix[j * slots + (j + k) % slots]).collect::<Vec<_>>();
        let zero = |d: &Vec<Complex64>| d.iter().all(|z| z.re == 0.0 && z.im == 0.0);
        let diagonals = (0..slots).map(|k| (k, diagonal(k))).filter(|(_, d)| !zero(d)).collect();
        Self::from_diagonals(slots, diagonals)
    }

    /// Number of slots.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// The rotations whose keys [`EncodedTransform::apply`] needs.
    pub fn rotations(&self) -> Vec<i64> {
        rotations(self.diagonals.keys().copied(), self.baby)
    }

    /// The transform of a vector in the clear.
    pub fn eval(&self, x: &[Complex64]) -> Vec<Complex64> {
        let mut out = vec![Complex64 { re: 0.0, im: 0.0 }; self.slots];
        for (k, d) in &self.diagonals {
            for (j, o) in out.iter_mut().enumerate() {
                let z = x[(j + k) % self.slots];
                o.re += d[j].re * z.re - d[j].im * z.im;
                o.im += d[j].re * z.im + d[j].im * z.re;
            }
        }
        out
    }

    /// Encodes the diagonals for ciphertexts at `level` (at least 1) and their scale.
    pub fn encode(&self, ctx: &Context, level: usize) -> Result<EncodedTransform> {
        let params = ctx.params();
        let scale = |level: usize| params.scale(level.min(params.max_level()));
        self.encode_between(ctx, level, scale(level), scale(level.saturating_sub(1)))
    }

    /// Encodes the diagonals for ciphertexts at `level` and the scale `from`, so that the result has the scale `to`.
    pub(crate) fn encode_between(
        &self,
        ctx: &Context,
        level: usize,
        from: Scale,
        to: Scale,
    ) -> Result<EncodedTransform> {
        let params = ctx.params();
        if level == 0 {
            return Err(Error::LevelExhausted { op: "linear transform", needed: 1, left: 0 });
        }
        if level > params.max_level() {
            return Err(Error::NoSuchLevel { level, top: params.max_level() });
        }
        if self.slots > params.max_slots() {
            return Err(Error::SlotCount { found: self.slots, slots: self.slots, max: params.max_slots() });
        }
        let scale = to * params.ratio(level) / from;
        let mut groups: BTreeMap<usize, Vec<(usize, Plaintext)>> = BTreeMap::new();
        for (&k, d) in &self.diagonals {
            let outer = k / self.baby * self.baby;
            // rotated back, because the giant step rotates the sum forward
            let turned: Vec<Complex64> = (0..self.slots).map(|j| d[(j + self.slots - outer) % self.slots]).collect();
            let p = Plaintext::encode(ctx, &turned, level, scale, self.slots.trailing_zeros())?;
            groups.entry(outer).or_default().push((k % self.baby, p));
        }
        Ok(EncodedTransform { groups, level, from, to, slots: self.slots })
    }
}

/// A transform encoded for one level.
#[derive(Debug, Clone)]
pub struct EncodedTransform {
    /// Giant step to (baby step, diagonal).
    groups: BTreeMap<usize, Vec<(usize, Plaintext)>>,
    level: usize,
    from: Scale,
    to: Scale,
    slots: usize,
}

impl EncodedTransform {
    /// The level it takes.
    pub fn level(&self) -> usize {
        self.level
    }

    /// The transform of `x`, one level down. `x` is aligned to the transform's level first.
    pub fn apply(&self, eval: &Evaluator, x: &Ciphertext) -> Result<Ciphertext> {
        if x.slots() != self.slots {
            return Err(Error::SlotMismatch { lhs: x.slots(), rhs: self.slots });
        }
        if x.level() < self.level {
            return Err(Error::LevelExhausted { op: "linear transform", needed: self.level, left: x.level() });
        }
        let ready = x.level() == self.level && x.scale() == self.from;
        let x = if ready { x.clone() } else { eval.align(x, self.level)? };
        if x.scale() != self.from {
            let (lhs_log2, rhs_log2) = (x.scale().log2(), self.from.log2());
            return Err(Error::ScaleMismatch { op: "linear transform", lhs_log2, rhs_log2 });
        }
        let mut steps: Vec<i64> = self.groups.values().flatten().map(|(i, _)| *i as i64).collect();
        steps.sort_unstable();
        steps.dedup();
        let rotated: BTreeMap<i64, Ciphertext> = steps.iter().copied().zip(eval.rotate_hoisted(&x, &steps)?).collect();
        let mut sum: Option<Ciphertext> = None;
        for (&outer, diagonals) in &self.groups {
            let pairs: Vec<_> = diagonals.iter().map(|(i, p)| (&rotated[&(*i as i64)], p)).collect();
            let inner = eval.mul_plain_sum(&pairs)?;
            let part = eval.rotate(&inner, outer as i64)?;
            sum = Some(match sum {
                None => part,
                Some(s) => eval.add(&s, &part)?,
            });
        }
        match sum {
            Some(s) => eval.settle_at(&s, self.to),
            None => Ok(eval.rescale(&eval.mul_integer(&x, 0)?)?.with_scale(self.to)),
        }
    }
}

/// The number of inner rotations that needs the fewest rotations in all; hoisted ones count half.
fn best_baby(diagonals: impl Iterator<Item = usize> + Clone, slots: usize) -> usize {
    let distinct = |f: &dyn Fn(usize) -> usize| {
        diagonals.clone().map(f).filter(|&i| i != 0).collect::<std::collections::BTreeSet<_>>().len()
    };
    let cost = |g: usize| distinct(&|k| k % g) + 2 * distinct(&|k| k / g);
    (0..=slots.trailing_zeros()).map(|b| 1 << b).min_by_key(|&g| cost(g)).unwrap_or(1)
}

fn rotations(diagonals: impl Iterator<Item = usize>, baby: usize) -> Vec<i64> {
    let mut all: Vec<i64> = diagonals.flat_map(|k| [k % baby, k / baby * baby]).map(|r| r as i64).collect();
    all.retain(|&r| r != 0);
    all.sort_unstable();
    all.dedup();
    all
}

/// The rotations that a transform with these non-zero diagonals needs.
pub(crate) fn rotations_for(diagonals: &[usize], slots: usize) -> Vec<i64> {
    rotations(diagonals.iter().copied(), best_baby(diagonals.iter().copied(), slots))
}
