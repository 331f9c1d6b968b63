//! Sums of products with one relinearisation and one rescaling, and sums of scalar multiples with one
//! rescaling.

use super::super::graph::Value;
use super::super::levels::spends;
use super::super::op::Op;
use super::plan::Plan;
use super::rewrite::{Expr, Replacements};
use crate::dynamic::Scalar;

/// A term of a sum.
#[derive(Debug, Clone, Copy)]
pub(super) struct Term {
    pub value: Value,
    /// Whether it is subtracted.
    pub minus: bool,
}

/// The sums that are no terms of other sums.
pub(super) fn roots(plan: &Plan) -> impl Iterator<Item = (usize, Value)> {
    let sums = plan.program.nodes.iter().enumerate().filter(|(_, node)| is_sum(&node.op));
    let inner = |x: Value| plan.is_single(x) && is_sum(&plan.program.nodes[plan.users[x.index()][0]].op);
    sums.filter(move |(_, node)| !inner(node.first)).map(|(i, node)| (i, node.first))
}

fn is_sum(op: &Op) -> bool {
    matches!(op, Op::Add {} | Op::Sub {} | Op::Neg {})
}

/// The terms of a sum, through sums that are used once.
pub(super) fn terms(plan: &Plan, root: Value) -> Vec<Term> {
    let (mut found, mut open) = (Vec::new(), vec![Term { value: root, minus: false }]);
    while let Some(term) = open.pop() {
        let inner = term.value == root || plan.is_single(term.value);
        match plan.node(term.value).filter(|node| inner && is_sum(&node.op)) {
            None => found.push(term),
            Some(node) => {
                let minus = |i: usize| term.minus ^ matches!((&node.op, i), (Op::Neg {}, _) | (Op::Sub {}, 1));
                let operands = node.operands.iter().enumerate().rev();
                open.extend(operands.map(|(i, &value)| Term { value, minus: minus(i) }));
            }
        }
    }
    found
}

pub(super) fn found(plan: &Plan) -> Replacements {
    roots(plan).filter_map(|(i, root)| Some((i, rewritten(plan, root)?))).collect()
}

fn rewritten(plan: &Plan, root: Value) -> Option<Expr> {
    let all = terms(plan, root);
    let (mut pairs, mut rest, mut products) = (Vec::new(), Vec::new(), 0);
    for term in all {
        match pairs_of(plan, term.value) {
            Some(own) => {
                products += 1;
                pairs.extend(own.into_iter().map(|(x, y)| (signed(x, term.minus), y)));
            }
            None => rest.push(term),
        }
    }
    let (mut parts, mut minus, mut changed) = (Vec::new(), Vec::new(), products > 1);
    if products > 1 {
        let (xs, ys): (Vec<_>, Vec<_>) = pairs.into_iter().map(|(x, y)| (x, Expr::Of(y))).unzip();
        parts.push(Expr::Made(Op::SumOfProducts {}, xs.into_iter().chain(ys).collect()));
    } else {
        rest = terms(plan, root);
    }
    if let Some((sum, others)) = weighted(plan, &rest) {
        parts.push(sum);
        rest = others;
        changed = true;
    }
    for term in rest {
        if term.minus { &mut minus } else { &mut parts }.push(Expr::Of(term.value));
    }
    let sum = Expr::sum(parts);
    let less = |sum: Option<Expr>, x: Expr| {
        Some(match sum {
            Some(sum) => Expr::Made(Op::Sub {}, vec![sum, x]),
            None => Expr::one(Op::Neg {}, x),
        })
    };
    minus.into_iter().fold(sum, less).filter(|_| changed)
}

fn signed(x: Value, minus: bool) -> Expr {
    if minus { Expr::one(Op::Neg {}, Expr::Of(x)) } else { Expr::Of(x) }
}

/// The pairs of a product, or of a sum of products, that is used once.
fn pairs_of(plan: &Plan, x: Value) -> Option<Vec<(Value, Value)>> {
    let node = plan.node(x).filter(|_| plan.is_single(x))?;
    match &node.op {
        Op::Mul {} => Some(vec![(node.operands[0], node.operands[1])]),
        Op::Power { n: 2 } => Some(vec![(node.operands[0], node.operands[0])]),
        Op::SumOfProducts {} => {
            let (xs, ys) = node.operands.split_at(node.operands.len() / 2);
            Some(xs.iter().copied().zip(ys.iter().copied()).collect())
        }
        _ => None,
    }
}

/// The weighted sum of all terms that are scalar multiples, and of those that have a level more than
/// it; and the other terms. Not in exact schemes, where constants spend nothing.
fn weighted(plan: &Plan, all: &[Term]) -> Option<(Expr, Vec<Term>)> {
    if !plan.is_ckks() {
        return None;
    }
    let scaled = |term: &Term| {
        let node = plan.node(term.value).filter(|_| plan.is_single(term.value))?;
        match node.op {
            Op::MulScalar { c: Scalar::Number(c) } if spends(Scalar::Number(c)) => Some((node.operands[0], c)),
            _ => None,
        }
    };
    let lowest = all.iter().filter_map(scaled).map(|(z, _)| plan.left(z)).min()?;
    let above = |term: &Term| (plan.left(term.value) >= lowest).then_some((term.value, 1.0));
    let (mut operands, mut weights, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    for term in all {
        match scaled(term).or_else(|| above(term)) {
            Some((z, c)) => {
                operands.push(Expr::Of(z));
                weights.push((if term.minus { -c } else { c }).into());
            }
            None => rest.push(*term),
        }
    }
    (operands.len() > 1).then(|| (Expr::Made(Op::WeightedSum { weights, level: None }, operands), rest))
}
