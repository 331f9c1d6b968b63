//! What a program costs and how exact it is, from an evaluator that only counts.

use super::super::graph::{Node, Program, Value};
use super::super::op::Op;
use crate::circuits::{inner_sum_rotations, products};
use crate::dynamic::{Ciphertext, Evaluator, Scalar};
use crate::{Result, Unit};

/// Parts of key switches and divisions, in transforms of one residue for every residue of the
/// operand, about as a processor takes time for them.
pub(super) mod costs {
    /// The decomposition of a polynomial.
    pub const DECOMPOSE: f64 = 4.0;
    /// The product of a decomposed polynomial with a key.
    pub const KEY: f64 = 1.5;
    /// The division by P.
    pub const DIVIDE: f64 = 2.7;
    /// A whole key switch.
    pub const SWITCH: f64 = DECOMPOSE + KEY + DIVIDE;
    /// The division by the primes of a level.
    pub const RESCALE: f64 = 2.2;
    /// The product of two ciphertexts, without relinearisation.
    pub const TENSOR: f64 = 0.6;
    /// A product with a plaintext.
    pub const PLAIN: f64 = 0.4;
    /// The encoding of a plaintext.
    pub const ENCODE: f64 = 1.2;
    /// A sum, or a product with a constant.
    pub const ADD: f64 = 0.2;
    /// A giant step of a matrix.
    pub const GIANT: f64 = 3.0 * KEY;
    /// A bootstrap.
    pub const BOOTSTRAP: f64 = 1e4;
}

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
    /// The number of bootstraps.
    pub bootstraps: usize,
    /// The estimated work, in transforms of one residue.
    pub work: f64,
}

impl Plan {
    /// Runs a program on the counting evaluator. Fails as the operations do.
    pub fn new(program: Program, eval: &Evaluator, inputs: &[Ciphertext]) -> Result<Self> {
        let (mut bootstraps, mut work) = (0, 0.0);
        let mut cts: Vec<Option<Ciphertext>> = vec![None; program.values()];
        for ((_, value), ct) in program.inputs.iter().zip(inputs) {
            cts[value.index()] = Some(ct.clone());
        }
        program.each(inputs.to_vec(), |node, operands| {
            let _ = eval.bootstrapped();
            let made = node.op.run(eval, operands, &mut |_, _| true)?;
            let asked = match node.op {
                Op::Bootstrap { .. } | Op::BootstrapMany { .. } => operands.len(),
                _ => 0,
            };
            let count = asked + eval.bootstrapped().len();
            bootstraps += count;
            work += count as f64 * costs::BOOTSTRAP + cost(&node.op, operands, &made);
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
        Ok(Self { program, cts, maker, users, output, bootstraps, work })
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
    /// than `first`, the plan before any pass, by more than half a bit; it bootstraps no more, and takes
    /// no more work. Where results have more levels, or it bootstraps less, it may take 5 per cent more
    /// work. Of programs that bootstrap, work is known to half a per cent.
    pub fn replaces(&self, other: &Self, first: &Self) -> bool {
        self.keeps(other, first).is_some_and(|more| self.is_cheaper(other, more || self.bootstraps < other.bootstraps))
    }

    /// The same for a plan that may have fewer levels than `other`, but not than `first`, and that takes
    /// less work for it.
    pub fn lowers(&self, other: &Self, first: &Self) -> bool {
        self.keeps(first, first).is_some() && self.is_cheaper(other, false)
    }

    fn is_cheaper(&self, other: &Self, gains: bool) -> bool {
        let tolerance = match gains {
            true => 0.05,
            false if other.bootstraps > 0 => 0.005,
            false => 1e-9,
        };
        self.bootstraps <= other.bootstraps && self.work <= other.work * (1.0 + tolerance)
    }

    /// Whether some result has more levels than that of `other`; `None` where one has fewer, is less exact
    /// than that of `first`, or holds another number of values.
    fn keeps(&self, other: &Self, first: &Self) -> Option<bool> {
        let mut more = false;
        let outputs = self.program.outputs.iter().zip(&other.program.outputs).zip(&first.program.outputs);
        for (((_, x), (_, y)), (_, z)) in outputs {
            let (x, y, z) = (self.ct(*x), other.ct(*y), first.ct(*z));
            let same = (x.count(), x.slots()) == (y.count(), y.slots());
            if !same || y.is_zero_padded() && !x.is_zero_padded() {
                return None;
            }
            if levels(x) < levels(y) - 1e-6 || precision(x) < precision(z) - 0.5 {
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

/// Residues of a ciphertext's polynomials, of about fifty bits each.
fn residues(x: &Ciphertext) -> f64 {
    x.budget().modulus_log2 / 50.0
}

/// Whether a product with a constant spends a level.
pub(super) fn spends(c: Scalar) -> bool {
    matches!(c, Scalar::Number(c) if c.fract() != 0.0 || c.abs() > 65536.0)
}

/// The levels that an operation spends.
pub(super) fn spent(op: &Op) -> usize {
    match op {
        Op::Mul {} | Op::SumOfProducts {} | Op::MulValues { .. } | Op::Matmul { .. } => 1,
        Op::WeightedSum { level: None, .. } => 1,
        Op::MulScalar { c } => usize::from(spends(*c)),
        Op::Polynomial { p } => p.depth(),
        Op::Power { n } => n.max(&1).next_power_of_two().ilog2() as usize,
        _ => 0,
    }
}

/// The cost of an operation, in transforms of one residue.
fn cost(op: &Op, x: &[&Ciphertext], made: &[Ciphertext]) -> f64 {
    use costs::{ADD, DECOMPOSE, DIVIDE, ENCODE, GIANT, KEY, PLAIN, RESCALE, SWITCH, TENSOR};
    let least = x.iter().map(|x| residues(x)).fold(f64::INFINITY, f64::min);
    // operands above the lowest one are brought to its level
    let aligned = x.iter().filter(|x| residues(x) > least + 0.1).map(|x| RESCALE * residues(x)).sum::<f64>();
    let terms = x.len() as f64;
    let each = match op {
        Op::Neg {} | Op::AddScalar { .. } | Op::SubScalar { .. } | Op::TimesI {} => ADD,
        Op::Add {} | Op::Sub {} => return aligned + ADD * least,
        Op::Mul {} => return aligned + (TENSOR + SWITCH) * least,
        Op::AddValues { .. } | Op::SubValues { .. } => ADD + ENCODE,
        Op::MulScalar { c } => ADD + if spends(*c) { RESCALE } else { 0.0 },
        Op::MulValues { .. } => ENCODE + PLAIN + RESCALE,
        Op::Power { n } => f64::from(n.max(&1).ilog2() + n.count_ones() - u32::from(*n > 0)) * (TENSOR + SWITCH),
        Op::Rotate { k } => {
            if k.rem_euclid(1 << x[0].log_slots()) == 0 {
                0.0
            } else {
                SWITCH
            }
        }
        Op::Conjugate {} | Op::SwapRows {} => SWITCH,
        Op::Rotations { ks } => DECOMPOSE + ks.len() as f64 * (KEY + DIVIDE),
        Op::RotationSum { ks } => DECOMPOSE + ks.len() as f64 * KEY + DIVIDE,
        Op::InnerSum { stride, count, .. } => inner_sum_rotations(*stride, *count).len() as f64 * (SWITCH + ADD),
        Op::Polynomial { p } => {
            let end = made.first().map_or(0.0, residues);
            let level = if p.needs_map() { (least - end) / p.depth() as f64 } else { 0.0 };
            let middle = 0.5 * (least - level + end);
            return middle * (products(p) as f64 * (TENSOR + SWITCH) + RESCALE * p.depth() as f64);
        }
        Op::Matmul { matrix } => {
            let (inner, outer) = matrix.linear().steps();
            let products = matrix.linear().diagonals().len() as f64 * PLAIN;
            DECOMPOSE + inner as f64 * KEY + outer as f64 * GIANT + products + DIVIDE
        }
        Op::SumOfProducts {} => return aligned + (terms * 0.5 * (TENSOR + ADD) + SWITCH) * least,
        Op::WeightedSum { .. } => return terms * ADD * least + RESCALE * least,
        Op::ToLevel { .. } | Op::Rescale { .. } | Op::ModDownTo { .. } => RESCALE,
        Op::Bootstrap { .. } | Op::BootstrapMany { .. } | Op::Slots { .. } => 0.0,
        Op::Count { .. } | Op::Magnitude { .. } | Op::Within { .. } | Op::Deviation { .. } | Op::Gap { .. } => 0.0,
    };
    each * least
}
