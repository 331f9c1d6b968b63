//! The levels that operations spend, and those that they need.

use super::op::Op;
use crate::dynamic::Scalar;

/// Whether a product with a constant spends a level.
pub(super) fn spends(c: Scalar) -> bool {
    matches!(c, Scalar::Number(c) if c.fract() != 0.0 || c.abs() > 65536.0)
}

/// The levels that an operation spends.
pub(super) fn spent(op: &Op) -> usize {
    match op {
        Op::Mul {} | Op::MulRows { .. } | Op::SumOfProducts {} | Op::MulValues { .. } | Op::Matmul { .. } => 1,
        Op::WeightedSum { level: None, .. } | Op::WeightedSums { level: None, .. } => 1,
        Op::MulScalar { c } => usize::from(spends(*c)),
        Op::Polynomial { p } => p.depth(),
        Op::Polynomials { ps } => ps.iter().map(|p| p.depth()).max().unwrap_or(0),
        Op::Power { n } => n.max(&1).next_power_of_two().ilog2() as usize,
        _ => 0,
    }
}

/// Whether an operation bootstraps operands that have too few levels for it.
pub(super) fn bootstraps_operands(op: &Op) -> bool {
    let never =
        matches!(op, Op::WeightedSum { .. } | Op::WeightedSums { .. } | Op::MulRows { .. } | Op::ToLevel { .. });
    !never && spent(op) > 0
}

/// The levels that the operands of an operation need for results with `most` levels. Operands that it
/// bootstraps by itself need `kept` levels beside those that it spends.
pub(super) fn needed(op: &Op, most: usize, kept: usize) -> usize {
    match op {
        Op::ToLevel { level } => *level,
        Op::WeightedSum { level: Some(level), .. } | Op::WeightedSums { level: Some(level), .. } => level + 1,
        _ if op.is_bootstrap() => kept,
        _ if bootstraps_operands(op) => most.max(kept) + spent(op),
        _ => most + spent(op),
    }
}
