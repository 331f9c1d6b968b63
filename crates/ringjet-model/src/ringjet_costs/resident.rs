//! Calls of which everything stays in a cache.

use super::limbs::Limbs;
use crate::operation::Operation;
use crate::{Cost, Part};

/// Limbs of the operands, without keys and plaintexts, and of the results, for calls with
/// intermediate results. `None` for other calls: their traffic is that of operands and results.
fn operands_and_results(operation: &Operation) -> Option<(usize, usize)> {
    Some(match operation {
        Operation::Tensor { limbs, square } => (if *square { 2 } else { 4 } * limbs, 3 * limbs),
        Operation::ModUp(d) => (d.limbs(), d.beta() * d.extended()),
        Operation::DivideRound { polys, division, add } => {
            (polys * division.from() + add * division.to(), polys * division.to())
        }
        Operation::KeySwitch { count, products, decomposition: d, hoisted, division, add, .. } => {
            let switched = match (products.is_empty(), hoisted) {
                (false, _) => 4 * products.iter().sum::<usize>() * d.limbs(),
                (true, true) => count * d.beta() * d.extended(),
                (true, false) => count * d.limbs(),
            };
            (switched + add * d.limbs(), 2 * count * division.to())
        }
        Operation::HoistedRotations { count, decomposition: d, division, add } => {
            (d.beta() * d.extended() + add * d.limbs(), 2 * count * division.to())
        }
        Operation::RotateInto { decomposition: d, accumulate } => {
            (d.limbs() + d.extended() * if *accumulate { 3 } else { 1 }, 2 * d.extended())
        }
        Operation::BigPrepare { digits, limbs, primes, .. } => (*limbs, digits * primes),
        Operation::BigMul(m) => (m.limbs + m.add, m.result),
        _ => return None,
    })
}

/// Limbs of results between the steps of a call.
fn intermediate(operation: &Operation) -> usize {
    match operation {
        Operation::KeySwitch { count, decomposition: d, hoisted, products, .. } => {
            let digits = if *hoisted { 0 } else { d.beta() * d.extended() };
            count * (digits + 2 * d.extended()) + 3 * products.len() * d.limbs()
        }
        Operation::HoistedRotations { decomposition: d, .. } => 2 * d.extended(),
        Operation::RotateInto { decomposition: d, .. } => (d.beta() + 2) * d.extended(),
        Operation::BigMul(m) => (m.digits + m.sums) * m.primes,
        _ => 0,
    }
}

impl Operation {
    /// Limbs of everything that the call touches, where `cost` is its cost if it finds everything
    /// in a cache, at ring degree `n`.
    pub(crate) fn all_limbs(&self, cost: &Cost, n: usize) -> usize {
        cost.words().div_ceil(n as u64) as usize + intermediate(self)
    }
}

/// Replaces the traffic of the parts of a call: operands are read in the first part, and results
/// are written in the last part. Keys and plaintexts are read as they are.
pub fn keep(of: Limbs, operation: &Operation, parts: &mut [Part]) {
    let Some((operands, results)) = operands_and_results(operation) else { return };
    for part in parts.iter_mut() {
        (part.cost.reads, part.cost.writes) = (0, 0);
    }
    if let Some(first) = parts.first_mut() {
        first.cost.reads = of.words(operands);
    }
    if let Some(last) = parts.last_mut() {
        last.cost.writes = of.words(results);
    }
}
