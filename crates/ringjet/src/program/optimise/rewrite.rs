//! How passes change a program: values are replaced by expressions of earlier values.

use super::super::graph::{Program, Value};
use super::super::op::Op;
use crate::Result;

/// What a value is replaced by.
#[derive(Clone)]
pub(super) enum Expr {
    /// A value of the program.
    Of(Value),
    /// The one result of an operation.
    Made(Op, Vec<Expr>),
}

impl Expr {
    /// An operation on one expression.
    pub fn one(op: Op, x: Self) -> Self {
        Self::Made(op, vec![x])
    }

    /// The sum of expressions.
    pub fn sum(all: impl IntoIterator<Item = Self>) -> Option<Self> {
        all.into_iter().reduce(|a, b| Self::Made(Op::Add {}, vec![a, b]))
    }

    fn push(self, out: &mut Copy<'_>, place: u32) -> Result<Value> {
        match self {
            Self::Of(x) => Ok(out.of(x)),
            Self::Made(op, operands) => {
                let operands = operands.into_iter().map(|x| x.push(out, place)).collect::<Result<_>>()?;
                let made = out.program.push(op, operands, place)?.next();
                Ok(made.unwrap_or(Value(0)))
            }
        }
    }
}

/// The operations whose one result is replaced, by their position in the program.
pub(super) type Replacements = Vec<(usize, Expr)>;

/// A program that is copied operation by operation.
pub(super) struct Copy<'a> {
    old: &'a Program,
    pub program: Program,
    map: Vec<Value>,
}

impl<'a> Copy<'a> {
    /// A copy of the inputs.
    pub fn new(old: &'a Program) -> Self {
        let program = Program { places: old.places.clone(), ..Program::default() };
        let mut copy = Self { old, program, map: vec![Value(0); old.values()] };
        for (input, value) in &old.inputs {
            copy.map[value.index()] = copy.program.input(input.clone());
        }
        copy
    }

    /// The value of the copy that stands for a value of the old program.
    pub fn of(&self, old: Value) -> Value {
        self.map[old.index()]
    }

    /// States what stands for a value of the old program.
    pub fn set(&mut self, old: Value, new: Value) {
        self.map[old.index()] = new;
    }

    /// Copies an operation.
    pub fn node(&mut self, i: usize) -> Result<()> {
        let node = &self.old.nodes[i];
        let operands = node.operands.iter().map(|&x| self.of(x)).collect();
        let made = self.program.push(node.op.clone(), operands, node.place)?;
        node.results().zip(made).for_each(|(old, new)| self.set(old, new));
        Ok(())
    }

    /// The copy with its results, without operations that no result needs.
    pub fn finish(mut self) -> Result<Program> {
        let outputs = self.old.outputs.iter().map(|(name, x)| (name.clone(), self.of(*x))).collect();
        self.program.returns(outputs)?;
        swept(&self.program)
    }
}

/// The program in which the chosen replacements are made.
pub(super) fn replaced(old: &Program, replacements: &Replacements, chosen: &[usize]) -> Result<Program> {
    let mut copy = Copy::new(old);
    let mut chosen = chosen.iter().map(|&c| &replacements[c]).peekable();
    for (i, node) in old.nodes.iter().enumerate() {
        match chosen.next_if(|(at, _)| *at == i) {
            None => copy.node(i)?,
            Some((_, expr)) => {
                let made = expr.clone().push(&mut copy, node.place)?;
                copy.set(node.first, made);
            }
        }
    }
    copy.finish()
}

/// The program without operations that no result needs.
pub(super) fn swept(old: &Program) -> Result<Program> {
    let mut needed = vec![false; old.values()];
    old.outputs.iter().for_each(|(_, x)| needed[x.index()] = true);
    let mut kept = vec![false; old.nodes.len()];
    for (i, node) in old.nodes.iter().enumerate().rev() {
        kept[i] = node.results().any(|x| needed[x.index()]);
        if kept[i] {
            node.operands.iter().for_each(|x| needed[x.index()] = true);
        }
    }
    let mut copy = Copy::new(old);
    (0..old.nodes.len()).filter(|&i| kept[i]).try_for_each(|i| copy.node(i))?;
    let outputs = old.outputs.iter().map(|(name, x)| (name.clone(), copy.of(*x))).collect();
    copy.program.returns(outputs)?;
    Ok(copy.program)
}
