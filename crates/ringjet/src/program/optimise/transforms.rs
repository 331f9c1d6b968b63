//! Sums of rotations of one value, also times vectors, as one transform.
//!
//! A sum whose terms are all rotations by multiples of a stride is a moving sum. It is computed by
//! sums of a few rotations, one after the other, or by doubling. Other sums of rotations without factors
//! decompose their operand once. With factors they are a matrix, given by its diagonals.

use std::collections::BTreeMap;
use std::sync::Arc;

use ringjet_math::fft::Complex64;

use super::super::graph::Value;
use super::super::levels::spends;
use super::super::op::Op;
use super::plan::Plan;
use super::rewrite::{Expr, Replacements};
use super::sharing::{nearest, rotated};
use super::sums::roots;
use crate::circuits::LinearTransform;
use crate::dynamic::{Scalar, Values};

/// The most rotations that one step of a moving sum adds.
const RADIX: usize = 32;

/// By what a rotation is multiplied.
#[derive(Clone)]
enum Factor {
    Number(f64),
    Vector(Vec<Complex64>),
}

/// `factor * (base rotated by k)`.
#[derive(Clone)]
struct Term {
    base: Value,
    k: i64,
    factor: Factor,
}

pub(super) fn found(plan: &Plan) -> Replacements {
    roots(plan).filter_map(|(i, root)| Some((i, rewritten(plan, root)?))).collect()
}

fn rewritten(plan: &Plan, root: Value) -> Option<Expr> {
    let mut bases: BTreeMap<Value, BTreeMap<i64, Factor>> = BTreeMap::new();
    for term in terms(plan, root, true) {
        let all = bases.entry(term.base).or_default();
        let k = term.k.rem_euclid(plan.row(root));
        let sum = match all.remove(&k) {
            None => term.factor,
            Some(other) => other.plus(&term.factor, plan.row(root) as usize),
        };
        all.insert(k, sum);
    }
    let (mut changed, mut parts) = (false, Vec::new());
    for (base, all) in bases {
        let several = all.len() > 1 && all.keys().any(|&k| k != 0);
        match several.then(|| transform(plan, root, base, &all)).flatten() {
            Some(made) => {
                changed = true;
                parts.push(made);
            }
            None => parts.extend(all.into_iter().map(|(k, factor)| factor.times(rotation(base, k, plan.row(root))))),
        }
    }
    Expr::sum(parts).filter(|_| changed)
}

/// The terms of a value that is used once, or is the root.
fn terms(plan: &Plan, x: Value, root: bool) -> Vec<Term> {
    let leaf = || vec![Term { base: x, k: 0, factor: Factor::Number(1.0) }];
    let Some(node) = plan.node(x) else { return leaf() };
    let single = root || plan.is_single(x);
    let slots = plan.row(x) as usize;
    match &node.op {
        Op::Rotate { .. } | Op::Rotations { .. } if !root => {
            let Some((z, k)) = rotated(plan, x) else { return leaf() };
            terms(plan, z, false).into_iter().map(|term| term.rotated(k, slots)).collect()
        }
        Op::Add {} | Op::Sub {} if single => {
            let (a, b) = (terms(plan, node.operands[0], false), terms(plan, node.operands[1], false));
            let sign = if matches!(node.op, Op::Sub {}) { -1.0 } else { 1.0 };
            a.into_iter().chain(b.into_iter().map(|term| term.scaled(sign))).collect()
        }
        Op::Neg {} if single => terms(plan, node.operands[0], false).into_iter().map(|t| t.scaled(-1.0)).collect(),
        Op::MulScalar { c: Scalar::Number(c) } if single => {
            terms(plan, node.operands[0], false).into_iter().map(|t| t.scaled(*c)).collect()
        }
        Op::MulValues { v } if single => match &**v {
            Values::Numbers(v) => {
                terms(plan, node.operands[0], false).into_iter().map(|t| t.masked(v, slots)).collect()
            }
            Values::Integers(_) => leaf(),
        },
        Op::WeightedSum { weights, .. } if single && weights.iter().all(|w| w.im == 0.0) => {
            let each = node.operands.iter().zip(weights);
            each.flat_map(|(&x, w)| terms(plan, x, false).into_iter().map(|t| t.scaled(w.re))).collect()
        }
        _ => leaf(),
    }
}

impl Term {
    fn rotated(self, k: i64, slots: usize) -> Self {
        let factor = match self.factor {
            Factor::Vector(mut v) => {
                v.rotate_left(k.rem_euclid(slots as i64) as usize);
                Factor::Vector(v)
            }
            number => number,
        };
        Self { k: self.k.wrapping_add(k), factor, ..self }
    }

    fn scaled(self, c: f64) -> Self {
        let factor = match self.factor {
            Factor::Number(x) => Factor::Number(c * x),
            Factor::Vector(v) => Factor::Vector(v.into_iter().map(|z| z * c).collect()),
        };
        Self { factor, ..self }
    }

    fn masked(self, v: &[Complex64], slots: usize) -> Self {
        let own = self.factor.vector(slots);
        // slots after the last value become 0
        let masked = own.into_iter().zip(v.iter().copied().chain(std::iter::repeat(Complex64::default())));
        Self { factor: Factor::Vector(masked.map(|(a, b)| a * b).collect()), ..self }
    }
}

impl Factor {
    fn vector(self, slots: usize) -> Vec<Complex64> {
        match self {
            Self::Number(x) => vec![x.into(); slots],
            Self::Vector(v) => v,
        }
    }

    fn plus(self, other: &Self, slots: usize) -> Self {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => Self::Number(a + b),
            (a, b) => {
                let (a, b) = (a.vector(slots), b.clone().vector(slots));
                Self::Vector(a.into_iter().zip(b).map(|(a, b)| a + b).collect())
            }
        }
    }

    fn times(self, x: Expr) -> Expr {
        match self {
            Self::Number(1.0) => x,
            Self::Number(-1.0) => Expr::one(Op::Neg {}, x),
            Self::Number(c) => Expr::one(Op::MulScalar { c: Scalar::Number(c) }, x),
            Self::Vector(v) => Expr::one(Op::MulValues { v: Arc::new(Values::Numbers(v)) }, x),
        }
    }

    fn spends(&self) -> bool {
        match self {
            Self::Number(c) => spends(Scalar::Number(*c)),
            Self::Vector(_) => true,
        }
    }
}

fn rotation(base: Value, k: i64, row: i64) -> Expr {
    if k == 0 { Expr::Of(base) } else { Expr::one(Op::Rotate { k: nearest(k, row) }, Expr::Of(base)) }
}

/// The sum of several rotations of `base` times their factors. `None` where factors are whole numbers that
/// are not all the same, which spend no level, and in exact schemes for all but moving sums.
fn transform(plan: &Plan, root: Value, base: Value, all: &BTreeMap<i64, Factor>) -> Option<Expr> {
    let row = plan.row(root);
    for sign in [1.0, -1.0] {
        if all.values().all(|factor| matches!(factor, Factor::Number(c) if *c == sign)) {
            let ks: Vec<i64> = all.keys().copied().collect();
            let sum = moving(plan, base, &ks, row).or_else(|| rotation_sum(plan, base, &ks, row))?;
            return Some(if sign < 0.0 { Expr::one(Op::Neg {}, sum) } else { sum });
        }
    }
    if !plan.is_ckks() || !all.values().any(Factor::spends) {
        return None;
    }
    let diagonals = all.iter().map(|(&k, factor)| (k as usize, factor.clone().vector(row as usize))).collect();
    let matrix = LinearTransform::from_diagonals(row as usize, diagonals).ok()?;
    let count = plan.ct(root).count();
    let matrix = if count < row as usize { matrix.with_shape((count, row as usize)).ok()? } else { matrix };
    Some(Expr::one(Op::Matmul { matrix: Arc::new(matrix.into()) }, Expr::Of(base)))
}

fn rotation_sum(plan: &Plan, base: Value, ks: &[i64], row: i64) -> Option<Expr> {
    let ks = ks.iter().map(|&k| nearest(k, row)).collect();
    plan.is_ckks().then(|| Expr::one(Op::RotationSum { ks }, Expr::Of(base)))
}

/// The sum of rotations by `start + i * stride`, for i below the number of `ks`, if these are so.
fn moving(plan: &Plan, base: Value, ks: &[i64], row: i64) -> Option<Expr> {
    let (start, stride) = progression(ks, row)?;
    let turned = || rotation(base, start, row);
    let inner = Op::InnerSum { stride: nearest(stride, row), count: ks.len(), terms: ks.len() };
    let work = |op: &Op| plan.work_on(op, base).ok();
    let sum_of = |radix: usize| work(&Op::RotationSum { ks: (0..radix as i64).collect() });
    let Some((stepped, radices)) = plan.is_ckks().then(|| radices(ks.len(), sum_of)).flatten() else {
        return Some(Expr::one(inner, turned()));
    };
    if start == 0 && work(&inner)? < stepped {
        return Some(Expr::one(inner, turned()));
    }
    // the first step begins at `start`
    let (mut sum, mut width) = (Expr::Of(base), 1);
    for (i, radix) in radices.into_iter().enumerate() {
        let first = if i == 0 { start } else { 0 };
        let ks = (0..radix as i64).map(|j| nearest(first + j * width * stride, row)).collect();
        sum = Expr::one(Op::RotationSum { ks }, sum);
        width *= radix as i64;
    }
    Some(sum)
}

/// The start and the stride of rotations, which are in order and at least 0; they may go around.
fn progression(ks: &[i64], row: i64) -> Option<(i64, i64)> {
    let count = ks.len();
    (0..count).find_map(|start| {
        let at = |i: usize| ks[(start + i) % count] + if start + i < count { 0 } else { row };
        let stride = at(1) - at(0);
        (1..count).all(|i| at(i) - at(i - 1) == stride).then(|| (ks[start], stride))
    })
}

/// The factors of a count, whose sums of rotations one after the other cost least, with that cost; `None`
/// where it has a factor that is too large. `cost` gives the cost of a sum.
fn radices(count: usize, cost: impl Fn(usize) -> Option<u64>) -> Option<(u64, Vec<usize>)> {
    let costs: Vec<Option<u64>> =
        (0..=count.min(RADIX)).map(|r| (r > 1 && count.is_multiple_of(r)).then(|| cost(r)).flatten()).collect();
    let mut best: Vec<Option<(u64, Vec<usize>)>> = vec![None; count + 1];
    best[1] = Some((0, vec![]));
    for n in (2..=count).filter(|n| count.is_multiple_of(*n)) {
        for radix in (2..costs.len()).filter(|r| n.is_multiple_of(*r)) {
            let (Some((cost, rest)), Some(step)) = (&best[n / radix], costs[radix]) else { continue };
            if best[n].as_ref().is_none_or(|(other, _)| cost + step < *other) {
                best[n] = Some((cost + step, rest.iter().copied().chain([radix]).collect()));
            }
        }
    }
    best.pop().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progressions_go_around() {
        assert_eq!(progression(&[0, 2, 4, 6], 16), Some((0, 2)));
        assert_eq!(progression(&[0, 1, 2, 15], 16), Some((15, 1)));
        assert_eq!(progression(&[1, 2, 4], 16), None);
        assert_eq!(progression(&[3, 8], 16), Some((3, 5)));
    }

    #[test]
    fn radices_multiply_to_the_count() {
        let radices = |count| radices(count, |radix| Some(4 + radix as u64));
        for count in [4, 9, 16, 60, 64, 100, 1024] {
            assert_eq!(radices(count).unwrap().1.iter().product::<usize>(), count);
        }
        assert_eq!((radices(97), radices(7)), (None, Some((11, vec![7]))));
        assert_eq!(radices(64), Some((24, vec![4, 4, 4])));
    }
}
