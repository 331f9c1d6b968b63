//! A program: its inputs, its operations in order, and its results.

use super::op::Op;
use crate::dynamic::{Ciphertext, Context, StartModulus};
use crate::{Error, Range, Result, Stated};

/// Most values of a program.
const MAX_VALUES: usize = 1 << 24;

/// A ciphertext of a program. Inputs and results of operations are numbered in the order in which
/// they are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(pub u32);

impl Value {
    /// The value's number.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A fresh ciphertext that a program is given.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// The name of the function's parameter.
    pub name: String,
    /// Binary logarithm of the number of slots in a row.
    pub log_slots: u32,
    /// Level, or bits of the modulus; by default those of a fresh ciphertext.
    pub at: StartModulus,
    /// What is stated of the values. Exact schemes have all residues.
    pub stated: Stated,
    /// Whether values are complex.
    pub complex: bool,
    /// Whether it is encrypted with the public key.
    pub public_key: bool,
    /// How many of the first slots hold values; by default all.
    pub count: Option<usize>,
    /// Whether the other slots hold 0.
    pub zero_padded: bool,
}

impl Input {
    /// The ciphertext without values that stands for it on a counting backend.
    /// Fails with [`Error::Argument`] for an interval of complex values or a count above the slots, and
    /// as [`Context::uncomputed`] does.
    pub fn uncomputed(&self, ctx: &Context) -> Result<Ciphertext> {
        if self.complex && matches!(self.stated, Stated::Interval(..)) {
            return Err(Error::argument("magnitude", "(low, high)", "a number for complex values"));
        }
        let ct = ctx.uncomputed(self.at, self.log_slots, self.public_key)?;
        let ct = if ctx.params().is_exact() { ct } else { ct.encrypting(self.stated.range(!self.complex))? };
        self.count.map_or(Ok(ct.clone()), |count| ct.padded(count, self.zero_padded))
    }

    /// Refuses a ciphertext for which the program was not recorded: with other slots, or values beyond the
    /// stated ones. If values move between slots (`moves`), the number of values must be the same too:
    /// what is beside them becomes part of the results.
    /// Fails with [`Error::Argument`].
    pub(super) fn expect(&self, ct: &Ciphertext, moves: bool) -> Result<()> {
        let refused = |found: String, expected: String| {
            Err(Error::argument(
                "inputs",
                format!("{} with {found}", self.name),
                format!("{expected}, as the program was recorded"),
            ))
        };
        if ct.log_slots() != self.log_slots {
            let row = |log_slots: u32| format!("{} slots a row", 1usize << log_slots);
            return refused(row(ct.log_slots()), row(self.log_slots));
        }
        let count = self.count.unwrap_or(ct.slots());
        if moves && ct.count() != count {
            return refused(format!("{} values", ct.count()), format!("{count} values"));
        }
        if moves && self.zero_padded && count < ct.slots() && !ct.is_zero_padded() {
            return refused("unknown numbers after its values".into(), "zeros after its values".into());
        }
        if ct.params().is_exact() {
            return Ok(());
        }
        let (found, stated) = (ct.noise().range(), self.stated.range(!self.complex));
        if stated.is_real() && !found.is_real() {
            return refused("complex values".into(), "real values".into());
        }
        let most = stated.largest_part() * (1.0 + 1e-9);
        let below = found.low() < stated.low() - 1e-9 * stated.low().abs();
        let above = found.high() > stated.high() + 1e-9 * stated.high().abs();
        if found.largest_part() > most || stated.is_real() && (below || above) {
            let between = |range: Range| format!("values from {} to {}", range.low(), range.high());
            return refused(between(found), between(stated));
        }
        Ok(())
    }
}

/// An operation of a program.
#[derive(Clone)]
pub struct Node {
    /// The operation, with its constants.
    pub op: Op,
    /// What it is applied to.
    pub operands: Vec<Value>,
    /// The number of the first of its results; the others follow.
    pub first: Value,
    /// Where the user wrote it, as a number of the program's places.
    pub place: u32,
}

impl Node {
    /// The values that it makes.
    pub fn results(&self) -> impl Iterator<Item = Value> + use<> {
        let count = self.op.results(self.operands.len()) as u32;
        (self.first.0..self.first.0 + count).map(Value)
    }
}

/// A computation on ciphertexts as a value: it can be planned, simulated, priced, optimised, stored,
/// and run on any backend. Each value is made once, before it is used.
#[derive(Clone, Default)]
pub struct Program {
    pub(super) inputs: Vec<(Input, Value)>,
    pub(super) nodes: Vec<Node>,
    pub(super) outputs: Vec<(String, Value)>,
    pub(super) places: Vec<String>,
    pub(super) values: u32,
}

impl Program {
    /// What it is given, in order.
    pub fn inputs(&self) -> &[(Input, Value)] {
        &self.inputs
    }

    /// Adds an input.
    pub fn input(&mut self, input: Input) -> Value {
        let value = Value(self.values);
        self.values += 1;
        self.inputs.push((input, value));
        value
    }

    /// Its operations, in order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Its results with their names.
    pub fn outputs(&self) -> &[(String, Value)] {
        &self.outputs
    }

    /// The number of values, inputs included.
    pub(crate) fn values(&self) -> usize {
        self.values as usize
    }

    /// The place of an operation.
    pub fn place(&self, node: &Node) -> &str {
        self.places.get(node.place as usize).map_or("?", String::as_str)
    }

    /// The number of a place.
    pub fn place_of(&mut self, place: &str) -> u32 {
        // programs are written line by line, so the place is mostly one of the last
        let found = self.places.iter().rposition(|p| p == place);
        found.unwrap_or_else(|| {
            self.places.push(place.into());
            self.places.len() - 1
        }) as u32
    }

    /// Adds an operation, and returns its results.
    /// Fails with [`Error::Argument`] for operands that do not exist, or a wrong number of them.
    pub fn push(&mut self, op: Op, operands: Vec<Value>, place: u32) -> Result<impl Iterator<Item = Value> + use<>> {
        if let Some(unknown) = operands.iter().find(|x| x.0 >= self.values) {
            return Err(Error::argument("operand", unknown.0, format!("a value below {}", self.values)));
        }
        if !op.takes(operands.len()) {
            return Err(Error::argument(
                "operands",
                operands.len(),
                format!("{:?} for a {}", op.operands(), op.name()),
            ));
        }
        let values = self.values() + op.results(operands.len());
        if values > MAX_VALUES {
            return Err(Error::argument("results", values, format!("at most {MAX_VALUES} values in a program")));
        }
        let node = Node { op, operands, first: Value(self.values), place };
        let results = node.results();
        self.values = values as u32;
        self.nodes.push(node);
        Ok(results)
    }

    /// States the results.
    /// Fails with [`Error::Argument`] for a value that does not exist.
    pub fn returns(&mut self, outputs: Vec<(String, Value)>) -> Result<()> {
        if let Some((_, unknown)) = outputs.iter().find(|(_, x)| x.0 >= self.values) {
            return Err(Error::argument("output", unknown.0, format!("a value below {}", self.values)));
        }
        self.outputs = outputs;
        Ok(())
    }

    /// For each value the number of the operation after which it is not needed any more. Results of the
    /// program are needed for ever (`usize::MAX`).
    pub(super) fn last_uses(&self) -> Vec<usize> {
        let mut last = vec![0; self.values()];
        for (i, node) in self.nodes.iter().enumerate() {
            node.operands.iter().for_each(|x| last[x.index()] = i);
            node.results().for_each(|x| last[x.index()] = i);
        }
        self.outputs.iter().for_each(|(_, x)| last[x.index()] = usize::MAX);
        last
    }
}
