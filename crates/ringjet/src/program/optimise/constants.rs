//! Constant factors go into the constants of other operations.
//!
//! A factor after an operation goes back into its plaintext vector, polynomial, matrix or weights, also
//! through sums, products, rotations and statements between; a factor before an operation goes forward.
//! A sum of a factor and a shift before a polynomial goes into its interval or its coefficients.

use std::sync::Arc;

use ringjet_math::fft::Complex64;

use super::super::graph::{Node, Value};
use super::super::levels::spends;
use super::super::op::Op;
use super::super::residues::centred;
use super::plan::Plan;
use super::rewrite::{Expr, Replacements};
use crate::circuits::{Basis, LinearTransform, Polynomial};
use crate::dynamic::{Scalar, Transform, Values};

/// The largest degree of a polynomial in powers of x that is expanded around another point.
const SHIFTED: usize = 15;

pub(super) fn folded(plan: &Plan) -> Replacements {
    let nodes = plan.program.nodes.iter().enumerate();
    nodes.filter_map(|(i, node)| Some((i, rewritten(plan, node)?))).collect()
}

fn rewritten(plan: &Plan, node: &Node) -> Option<Expr> {
    let x = *node.operands.first()?;
    let before = |op: &dyn Fn(Scalar) -> Option<Op>| {
        let (c, rest) = factor(plan, x)?;
        Some(Expr::one(op(c)?, rest))
    };
    match &node.op {
        Op::MulScalar { c } => {
            times(plan, x, *c).or_else(|| before(&|d| Some(Op::MulScalar { c: product(plan, *c, d)? })))
        }
        Op::MulValues { v } => before(&|c| Some(Op::MulValues { v: vector(plan, v, c)? })),
        Op::Matmul { matrix } => before(&|c| Some(Op::Matmul { matrix: scaled_matrix(matrix, c)? })),
        Op::WeightedSum { weights, level } => weighted(plan, &node.operands, weights, *level),
        Op::Polynomial { p } if plan.modulus().is_none() => substituted(plan, p, x),
        _ => None,
    }
}

/// The product of two constants.
fn product(plan: &Plan, a: Scalar, b: Scalar) -> Option<Scalar> {
    match (a, b) {
        (Scalar::Number(a), Scalar::Number(b)) => Some(Scalar::Number(a * b)).filter(|_| (a * b).is_finite()),
        (Scalar::Integer(a), Scalar::Integer(b)) => {
            let made = centred(i128::from(a).checked_mul(b.into())?, plan.modulus()?);
            i64::try_from(made).ok().map(Scalar::Integer)
        }
        _ => None,
    }
}

fn vector(plan: &Plan, v: &Values, c: Scalar) -> Option<Arc<Values>> {
    let made = match (v, c) {
        (Values::Numbers(all), Scalar::Number(c)) => Values::Numbers(all.iter().map(|&z| z * c).collect()),
        (Values::Integers(all), Scalar::Integer(_)) => {
            let each = |&x: &i64| match product(plan, Scalar::Integer(x), c)? {
                Scalar::Integer(x) => Some(x),
                Scalar::Number(_) => None,
            };
            Values::Integers(all.iter().map(each).collect::<Option<_>>()?)
        }
        _ => return None,
    };
    Some(Arc::new(made))
}

fn scaled_matrix(matrix: &Transform, c: Scalar) -> Option<Arc<Transform>> {
    let (Scalar::Number(c), old) = (c, matrix.linear()) else { return None };
    let diagonals = old.diagonals().iter().map(|(&k, d)| (k, d.scaled(c))).collect();
    let made = LinearTransform::from_values(old.slots(), diagonals).and_then(|made| made.with_shape(old.shape()));
    Some(Arc::new(made.ok()?.with_form(old.form()).into()))
}

fn scaled_polynomial(p: &Polynomial, c: Scalar) -> Option<Arc<Polynomial>> {
    let Scalar::Number(c) = c else { return None };
    let coefficients: Vec<f64> = p.coefficients().iter().map(|x| c * x).collect();
    let made = Polynomial::new(p.basis(), &coefficients).ok().filter(|made| made.degree() == p.degree())?;
    let made = p.slope().map_or(made.clone(), |slope| made.with_slope(slope * c.abs()));
    made.with_points(p.points().to_vec()).ok().map(Arc::new)
}

/// A statement of values that were multiplied by c.
fn scaled_statement(op: &Op, c: f64) -> Option<Op> {
    let size = c.abs();
    Some(match op {
        Op::Count { .. } => op.clone(),
        Op::Magnitude { magnitude } => Op::Magnitude { magnitude: magnitude * size },
        Op::Within { low, high } if c > 0.0 => Op::Within { low: low * c, high: high * c },
        Op::Within { low, high } => Op::Within { low: high * c, high: low * c },
        Op::Deviation { deviation } => Op::Deviation { deviation: deviation * size },
        Op::Gap { of, gap, unit, zeros, used } => {
            let (of, used) = (of.clone(), used.clone());
            Op::Gap { of, gap: gap * size, unit: unit / size, zeros: *zeros, used }
        }
        _ => return None,
    })
    .filter(|_| c != 0.0)
}

/// An operation that multiplies results by a constant where operands are, and moves no constant of its
/// own.
fn is_linear(op: &Op) -> bool {
    use Op::{Conjugate, InnerSum, Neg, Rotate, RotationSum, Slots, SwapRows, TimesI};
    matches!(
        op,
        Neg {}
            | Rotate { .. }
            | RotationSum { .. }
            | Conjugate {}
            | SwapRows {}
            | TimesI {}
            | InnerSum { .. }
            | Slots { .. }
    )
}

/// `x` as a constant times an expression with one operation less.
fn factor(plan: &Plan, x: Value) -> Option<(Scalar, Expr)> {
    let node = plan.node(x).filter(|_| plan.is_single(x))?;
    let z = *node.operands.first()?;
    match &node.op {
        Op::MulScalar { c } => Some((*c, Expr::Of(z))),
        Op::Neg {} => match factor(plan, z) {
            Some((c, rest)) => Some((negated(c)?, rest)),
            None => {
                Some((if plan.modulus().is_some() { Scalar::Integer(-1) } else { Scalar::Number(-1.0) }, Expr::Of(z)))
            }
        },
        op if is_linear(op) => {
            let (c, rest) = factor(plan, z)?;
            Some((c, Expr::one(op.clone(), rest)))
        }
        op => {
            let (Scalar::Number(c), rest) = factor(plan, z)? else { return None };
            Some((Scalar::Number(c), Expr::one(scaled_statement(op, 1.0 / c)?, rest)))
        }
    }
}

fn negated(c: Scalar) -> Option<Scalar> {
    Some(match c {
        Scalar::Number(c) => Scalar::Number(-c),
        Scalar::Integer(c) => Scalar::Integer(c.checked_neg()?),
    })
}

/// `c * x` as an expression that spends no level on the factor: it goes into a constant that `x` was
/// computed with.
fn times(plan: &Plan, x: Value, c: Scalar) -> Option<Expr> {
    let node = plan.node(x).filter(|_| plan.is_single(x))?;
    let own = |z: Value| times(plan, z, c);
    let z = *node.operands.first()?;
    let made = match &node.op {
        Op::MulScalar { c: d } => {
            let made = product(plan, c, *d)?;
            let free = spends(*d) || !spends(made);
            Expr::one(Op::MulScalar { c: made }, Expr::Of(z)).when(free)?
        }
        Op::MulValues { v } => Expr::one(Op::MulValues { v: vector(plan, v, c)? }, Expr::Of(z)),
        Op::Matmul { matrix } => Expr::one(Op::Matmul { matrix: scaled_matrix(matrix, c)? }, Expr::Of(z)),
        Op::Polynomial { p } if p.degree() > 0 => {
            Expr::one(Op::Polynomial { p: scaled_polynomial(p, c)? }, Expr::Of(z))
        }
        Op::WeightedSum { weights, level } => {
            let Scalar::Number(c) = c else { return None };
            let weights = weights.iter().map(|&w| w * c).collect();
            Expr::Made(Op::WeightedSum { weights, level: *level }, node.operands.iter().map(|&x| Expr::Of(x)).collect())
        }
        Op::Mul {} => {
            let (a, b) = (node.operands[0], node.operands[1]);
            let pair = match own(a) {
                Some(a) => vec![a, Expr::Of(b)],
                None => vec![Expr::Of(a), own(b)?],
            };
            Expr::Made(Op::Mul {}, pair)
        }
        Op::SumOfProducts {} => {
            let (mut xs, mut ys) = (Vec::new(), Vec::new());
            let (left, right) = node.operands.split_at(node.operands.len() / 2);
            for (&a, &b) in left.iter().zip(right) {
                let scaled = own(a);
                ys.push(if scaled.is_some() { Expr::Of(b) } else { own(b)? });
                xs.push(scaled.unwrap_or(Expr::Of(a)));
            }
            Expr::Made(Op::SumOfProducts {}, xs.into_iter().chain(ys).collect())
        }
        Op::Add {} | Op::Sub {} => {
            let (a, b) = (node.operands[0], node.operands[1]);
            let pair = match (own(a), own(b)) {
                (Some(a), Some(b)) => vec![a, b],
                (Some(e), None) => vec![e, spent(plan, b, x, c)?],
                (None, Some(e)) => vec![spent(plan, a, x, c)?, e],
                (None, None) => return None,
            };
            Expr::Made(node.op.clone(), pair)
        }
        Op::AddScalar { c: d } => Expr::one(Op::AddScalar { c: product(plan, c, *d)? }, own(z)?),
        Op::SubScalar { c: d } => Expr::one(Op::SubScalar { c: product(plan, c, *d)? }, own(z)?),
        Op::AddValues { v } => Expr::one(Op::AddValues { v: vector(plan, v, c)? }, own(z)?),
        Op::SubValues { v } => Expr::one(Op::SubValues { v: vector(plan, v, c)? }, own(z)?),
        op if is_linear(op) => Expr::one(op.clone(), own(z)?),
        op => {
            let Scalar::Number(number) = c else { return None };
            Expr::one(scaled_statement(op, number)?, own(z)?)
        }
    };
    Some(made)
}

impl Expr {
    fn when(self, holds: bool) -> Option<Self> {
        holds.then_some(self)
    }
}

/// `c * y` in a sum, where `y` has a level more than the sum, which aligning it would spend.
fn spent(plan: &Plan, y: Value, sum: Value, c: Scalar) -> Option<Expr> {
    let spare = plan.is_ckks() && plan.left(y) > plan.left(sum);
    Expr::one(Op::MulScalar { c }, Expr::Of(y)).when(spare && spends(c))
}

/// A weighted sum whose operands were multiplied by constants before.
fn weighted(plan: &Plan, operands: &[Value], weights: &[Complex64], level: Option<usize>) -> Option<Expr> {
    let (mut changed, mut weights, mut exprs) = (false, weights.to_vec(), Vec::new());
    for (&x, weight) in operands.iter().zip(&mut weights) {
        exprs.push(match factor(plan, x) {
            Some((Scalar::Number(c), rest)) => {
                *weight = *weight * c;
                changed = true;
                rest
            }
            _ => Expr::Of(x),
        });
    }
    Expr::Made(Op::WeightedSum { weights, level }, exprs).when(changed)
}

/// `p(a * z + b)` as a polynomial of z.
fn substituted(plan: &Plan, p: &Polynomial, mut x: Value) -> Option<Expr> {
    let (mut a, mut b) = (1.0, 0.0);
    while let Some(node) = plan.node(x).filter(|_| plan.is_single(x)) {
        match node.op {
            Op::MulScalar { c: Scalar::Number(c) } => a *= c,
            Op::Neg {} => a = -a,
            Op::AddScalar { c: Scalar::Number(c) } => b += a * c,
            Op::SubScalar { c: Scalar::Number(c) } => b -= a * c,
            _ => break,
        }
        x = node.operands[0];
    }
    if (a, b) == (1.0, 0.0) || a == 0.0 {
        return None;
    }
    let own = p.coefficients();
    let (basis, coefficients) = match p.basis() {
        Basis::Chebyshev { a: low, b: high } => {
            let ends = [(low - b) / a, (high - b) / a];
            // on an interval that is mirrored, polynomials of odd degrees change their signs
            let odd = |(k, &c): (usize, &f64)| if a < 0.0 && k % 2 == 1 { -c } else { c };
            let basis = Basis::Chebyshev { a: ends[0].min(ends[1]), b: ends[0].max(ends[1]) };
            (basis, own.iter().enumerate().map(odd).collect())
        }
        Basis::Power if b != 0.0 && p.degree() > SHIFTED => return None,
        Basis::Power => (Basis::Power, expanded(own, a, b)),
    };
    let made = Polynomial::new(basis, &coefficients).ok().filter(|made| made.degree() == p.degree())?;
    let made = p.slope().map_or(made.clone(), |slope| made.with_slope(slope * a.abs()));
    Some(Expr::one(Op::Polynomial { p: Arc::new(made) }, Expr::Of(x)))
}

/// The coefficients of `p(a * z + b)`, by Horner's rule.
fn expanded(p: &[f64], a: f64, b: f64) -> Vec<f64> {
    let mut made: Vec<f64> = Vec::with_capacity(p.len());
    for &c in p.iter().rev() {
        made.push(0.0);
        for k in (0..made.len()).rev() {
            made[k] = b * made[k] + if k > 0 { a * made[k - 1] } else { 0.0 };
        }
        made[0] += c;
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expansions_have_the_same_values() {
        let p = Polynomial::new(Basis::Power, &[0.5, -1.25, 0.75, 2.0]).unwrap();
        let shifted = Polynomial::new(Basis::Power, &expanded(p.coefficients(), -0.5, 0.25)).unwrap();
        for x in [-1.0, -0.3, 0.0, 0.7, 2.0] {
            assert!((shifted.eval(x) - p.eval(-0.5 * x + 0.25)).abs() < 1e-12);
        }
    }
}
