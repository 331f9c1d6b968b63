//! What a program costs and how exact it is, from an evaluator that only counts.

use super::super::graph::{Node, Program, Value};
use super::super::op::Op;
use crate::dynamic::{Ciphertext, Evaluator};
use crate::{Error, Result, Unit};

/// A program with what the counting evaluator knows of its values.
pub(super) struct Plan {
    pub program: Program,
    /// The values, computed on the counting backend.
    pub cts: Vec<Ciphertext>,
    /// The operation that makes each value; `None` for inputs.
    pub maker: Vec<Option<usize>>,
    /// The operations that use each value.
    pub users: Vec<Vec<usize>>,
    /// Whether each value is a result of the program.
    pub output: Vec<bool>,
    /// For each operation how many operands it bootstraps, and its work with these bootstraps.
    pub costs: Vec<(usize, u64)>,
    /// The number of bootstraps.
    pub bootstraps: usize,
    /// The work, as [`ringjet_backend::Meter::work`] counts it.
    pub work: u64,
    eval: Evaluator,
}

impl Plan {
    /// Runs a program on the counting evaluator. Fails as the operations do.
    pub fn new(program: Program, eval: &Evaluator, inputs: &[Ciphertext]) -> Result<Self> {
        let mut costs = Vec::with_capacity(program.nodes.len());
        let mut cts: Vec<Option<Ciphertext>> = vec![None; program.values()];
        for ((_, value), ct) in program.inputs.iter().zip(inputs) {
            cts[value.index()] = Some(ct.clone());
        }
        program.each(inputs.to_vec(), |node, operands| {
            let _ = eval.bootstrapped();
            let (made, work) = counted(eval, || node.op.run(eval, operands, &mut |_, _| true))?;
            let asked = if node.op.is_bootstrap() { operands.len() } else { 0 };
            costs.push((asked + eval.bootstrapped().len(), work));
            node.results().zip(&made).for_each(|(x, ct)| cts[x.index()] = Some(ct.clone()));
            Ok(made)
        })?;
        let mut maker = vec![None; program.values()];
        let mut users = vec![Vec::new(); program.values()];
        for (i, node) in program.nodes.iter().enumerate() {
            node.results().for_each(|x| maker[x.index()] = Some(i));
            node.operands.iter().for_each(|x| users[x.index()].push(i));
        }
        let mut output = vec![false; program.values()];
        program.outputs.iter().for_each(|(_, x)| output[x.index()] = true);
        let cts = cts.into_iter().flatten().collect();
        let bootstraps = costs.iter().map(|(count, _)| count).sum();
        let work = costs.iter().map(|(_, work)| work).sum();
        Ok(Self { program, cts, maker, users, output, costs, bootstraps, work, eval: eval.clone() })
    }

    /// The work of an operation on a value.
    pub fn work_on(&self, op: &Op, x: Value) -> Result<u64> {
        Ok(counted(&self.eval, || op.run(&self.eval, &[self.ct(x)], &mut |_, _| true))?.1)
    }

    /// The operation that makes a value.
    pub fn node(&self, x: Value) -> Option<&Node> {
        self.maker[x.index()].map(|i| &self.program.nodes[i])
    }

    /// Whether a value is used once, by another operation.
    pub fn is_single(&self, x: Value) -> bool {
        self.users[x.index()].len() == 1 && !self.output[x.index()]
    }

    /// The ciphertext of a value.
    pub fn ct(&self, x: Value) -> &Ciphertext {
        &self.cts[x.index()]
    }

    /// The number of slots in a row.
    pub fn row(&self, x: Value) -> i64 {
        1 << self.ct(x).log_slots()
    }

    /// The levels that a value has left.
    pub fn left(&self, x: Value) -> usize {
        self.ct(x).budget().left
    }

    /// Whether the scheme is CKKS.
    pub fn is_ckks(&self) -> bool {
        matches!(self.cts.first(), Some(Ciphertext::Ckks(_)))
    }

    /// The plaintext modulus of an exact scheme.
    pub fn modulus(&self) -> Option<u128> {
        self.cts.first().and_then(|ct| ct.params().plaintext_modulus())
    }

    /// Whether this plan may take the place of `other`: no result has fewer levels, or less precision
    /// than `first`, the plan before any pass, by more than half a bit, or two bits where it bootstraps
    /// less; it bootstraps no more, and takes no more work. Where results have more levels it may take a
    /// quarter more work, since operations are at more levels; the pass `levels` then spends these levels.
    /// Of programs that bootstrap, work is known to half a per cent.
    pub fn replaces(&self, other: &Self, first: &Self) -> bool {
        self.keeps(other, first).is_some_and(|more| self.is_cheaper(other, more))
    }

    /// The same for a plan that may have fewer levels than `other`, but not than `first`, and that takes
    /// less work for it.
    pub fn lowers(&self, other: &Self, first: &Self) -> bool {
        self.keeps(first, first).is_some() && self.is_cheaper(other, false)
    }

    fn is_cheaper(&self, other: &Self, gains: bool) -> bool {
        let tolerance = match gains {
            true => 0.25,
            false if other.bootstraps > 0 => 0.005,
            false => 0.0,
        };
        self.bootstraps <= other.bootstraps && self.work as f64 <= other.work as f64 * (1.0 + tolerance)
    }

    /// Whether some result has more levels than that of `other`; `None` where one has fewer, is less exact
    /// than that of `first`, or holds another number of values.
    fn keeps(&self, other: &Self, first: &Self) -> Option<bool> {
        let mut more = false;
        let lost = if self.bootstraps < first.bootstraps { 2.0 } else { 0.5 };
        let outputs = self.program.outputs.iter().zip(&other.program.outputs).zip(&first.program.outputs);
        for (((_, x), (_, y)), (_, z)) in outputs {
            let (x, y, z) = (self.ct(*x), other.ct(*y), first.ct(*z));
            let same = (x.count(), x.slots()) == (y.count(), y.slots());
            if !same || y.is_zero_padded() && !x.is_zero_padded() {
                return None;
            }
            if levels(x) < levels(y) - 1e-6 || precision(x) < precision(z) - lost {
                return None;
            }
            more |= levels(x) > levels(y) + 1e-6;
        }
        Some(more)
    }
}

/// Levels that are left, or bits of modulus above the scale.
fn levels(x: &Ciphertext) -> f64 {
    let budget = x.budget();
    if budget.unit == Unit::Levels { budget.left as f64 } else { budget.modulus_log2 - budget.scale_log2 }
}

/// Bits of precision, or of noise budget.
fn precision(x: &Ciphertext) -> f64 {
    x.noise_budget().unwrap_or_else(|_| x.noise().precision_bits())
}

/// What is computed on a counting evaluator, and its work.
/// Fails with [`Error::Argument`] on other evaluators.
pub(super) fn counted<T>(eval: &Evaluator, compute: impl FnOnce() -> Result<T>) -> Result<(T, u64)> {
    let context = eval.context();
    let Some(meter) = context.backend().meter().filter(|meter| meter.counts_only()) else {
        return Err(Error::argument("eval", context.backend().id().name(), "an evaluator that counts"));
    };
    let before = meter.work();
    let made = compute()?;
    Ok((made, meter.work() - before))
}
