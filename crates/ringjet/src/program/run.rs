//! Runs a program on a backend.

use super::graph::{Node, Program};
use crate::dynamic::{Ciphertext, Evaluator};
use crate::{Error, Result};

impl Program {
    /// Computes the results from ciphertexts for all inputs, one operation after the other. A value is
    /// dropped after its last use.
    /// Fails with [`Error::Argument`] for a wrong number of inputs, and as the operations do.
    pub fn run(
        &self,
        eval: &Evaluator,
        inputs: Vec<Ciphertext>,
        progress: &mut (dyn FnMut(usize, usize) -> bool + Send),
    ) -> Result<Vec<Ciphertext>> {
        let total = self.nodes.len();
        let mut done = 0;
        self.each(inputs, |node, operands| {
            if !progress(done, total) {
                return Err(Error::Interrupted);
            }
            done += 1;
            node.op.run(eval, operands, &mut |_, _| progress(done - 1, total))
        })
    }

    /// Calls `compute` for every operation in order, with what it computes on.
    pub(super) fn each<T>(
        &self,
        inputs: Vec<T>,
        mut compute: impl FnMut(&Node, &[&T]) -> Result<Vec<T>>,
    ) -> Result<Vec<T>>
    where
        T: Clone,
    {
        if inputs.len() != self.inputs.len() {
            let names: Vec<&str> = self.inputs.iter().map(|(x, _)| x.name.as_str()).collect();
            return Err(Error::argument("inputs", inputs.len(), format!("one for each of {}", names.join(", "))));
        }
        let last = self.last_uses();
        let mut values: Vec<Option<T>> = vec![None; self.values()];
        for ((_, place), input) in self.inputs.iter().zip(inputs) {
            values[place.index()] = Some(input);
        }
        for (i, node) in self.nodes.iter().enumerate() {
            let operands: Vec<&T> = node.operands.iter().filter_map(|x| values[x.index()].as_ref()).collect();
            let made = compute(node, &operands)?;
            for (result, value) in node.results().zip(made) {
                values[result.index()] = Some(value);
            }
            for x in node.operands.iter().copied().chain(node.results()).filter(|x| last[x.index()] == i) {
                values[x.index()] = None;
            }
        }
        Ok(self.outputs.iter().filter_map(|(_, x)| values[x.index()].clone()).collect())
    }
}
