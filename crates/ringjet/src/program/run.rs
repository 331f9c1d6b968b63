//! Runs a program on a backend.
//!
//! All threads of a processor share each step of an operation, and wait for one another after it. Operations
//! of one kind that do not depend on one another are faster side by side, each on a thread of its own:
//! `docs/tuning/threads.md`. Each then has its own intermediate values in memory. So what bootstraps, and
//! matrices, whose first product encodes them, are always shared, and so is everything on more than
//! [`MOST_THREADS`] threads.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use super::graph::{Node, Program};
use super::levels::{bootstraps_operands, spent};
use super::op::{Op, Progress};
use crate::dynamic::{Ciphertext, Evaluator};
use crate::{Error, Result, Unit};

/// The most operations that are computed side by side.
const MOST_THREADS: usize = 8;

/// Operations that do not depend on one another, and what they are computed on.
type Batch<'a> = Vec<(usize, Vec<&'a Ciphertext>)>;

/// Computes an operation of a program; see [`Program::run_by`].
pub type Compute<'a> = &'a (dyn Fn(&Node, &[&Ciphertext], Progress<'_>) -> Result<Vec<Ciphertext>> + Sync);

impl Program {
    /// Computes the results from ciphertexts for all inputs. Where as many operations of one kind and level
    /// are ready as the backend has host threads, each thread computes one; otherwise all threads
    /// share one operation. A value is dropped after its last use.
    /// Fails with [`Error::Argument`] for a wrong number of inputs, for ciphertexts for which the program was
    /// not recorded, and as the operations do.
    pub fn run(
        &self,
        eval: &Evaluator,
        inputs: Vec<Ciphertext>,
        progress: &mut (dyn FnMut(usize, usize) -> bool + Send),
    ) -> Result<Vec<Ciphertext>> {
        self.run_by(eval, inputs, progress, &|node, operands, step| node.op.run(eval, operands, step))
    }

    /// [`Program::run`], where `compute` computes each operation: it calls [`Op::run`] with `eval`, and may
    /// look at what goes in and comes out. Several threads call it at once.
    pub fn run_by(
        &self,
        eval: &Evaluator,
        inputs: Vec<Ciphertext>,
        progress: &mut (dyn FnMut(usize, usize) -> bool + Send),
        compute: Compute<'_>,
    ) -> Result<Vec<Ciphertext>> {
        self.expect(inputs.iter())?;
        let context = eval.context();
        let backend = context.backend();
        let threads = backend.host_threads();
        let threads = if backend.side_by_side() && threads <= MOST_THREADS { threads } else { 1 };
        let mut uses = vec![0; self.values()];
        let mut users = vec![vec![]; self.values()];
        let mut waiting: Vec<usize> = self.nodes.iter().map(|node| node.operands.len()).collect();
        for (i, node) in self.nodes.iter().enumerate() {
            node.operands.iter().for_each(|x| users[x.index()].push(i));
        }
        self.outputs.iter().for_each(|(_, x)| uses[x.index()] += 1);
        users.iter().zip(&mut uses).for_each(|(users, uses)| *uses += users.len());
        let mut values: Vec<Option<Ciphertext>> = vec![None; self.values()];
        let mut ready: BTreeSet<usize> = (0..self.nodes.len()).filter(|&i| waiting[i] == 0).collect();
        let mut made: Vec<(usize, Ciphertext)> = self.inputs.iter().map(|(_, x)| x.index()).zip(inputs).collect();
        let (mut done, total) = (0, self.nodes.len());
        loop {
            for (x, ct) in made.drain(..) {
                for &user in &users[x] {
                    waiting[user] -= 1;
                    if waiting[user] == 0 {
                        ready.insert(user);
                    }
                }
                values[x] = (uses[x] > 0).then_some(ct);
            }
            if ready.is_empty() {
                break;
            }
            if !progress(done, total) {
                return Err(Error::Interrupted);
            }
            let batch = self.batch(&ready, &values, threads, eval);
            let computed: Vec<Result<Vec<Ciphertext>>> = match &batch[..] {
                [(i, operands)] => vec![compute(&self.nodes[*i], operands, &mut |_, _| progress(done, total))],
                _ => {
                    let cells: Vec<OnceLock<_>> = batch.iter().map(|_| OnceLock::new()).collect();
                    backend.parallel(batch.len(), usize::MAX, &|_, job| {
                        let (i, operands) = &batch[job];
                        let _ = cells[job].set(compute(&self.nodes[*i], operands, &mut |_, _| true));
                    });
                    cells.into_iter().filter_map(OnceLock::into_inner).collect()
                }
            };
            let nodes: Vec<usize> = batch.into_iter().map(|(i, _)| i).collect();
            for (&i, results) in nodes.iter().zip(computed) {
                made.extend(self.nodes[i].results().map(|x| x.index()).zip(results?));
                ready.remove(&i);
                for x in &self.nodes[i].operands {
                    uses[x.index()] -= 1;
                    if uses[x.index()] == 0 {
                        values[x.index()] = None;
                    }
                }
            }
            done += nodes.len();
        }
        Ok(self.outputs.iter().filter_map(|(_, x)| values[x.index()].clone()).collect())
    }

    /// The first operation that is ready, with others of its kind and level if there is one for each thread.
    fn batch<'a>(
        &self,
        ready: &BTreeSet<usize>,
        values: &'a [Option<Ciphertext>],
        threads: usize,
        eval: &Evaluator,
    ) -> Batch<'a> {
        let with = |&i: &usize| {
            (i, self.nodes[i].operands.iter().filter_map(|x| values[x.index()].as_ref()).collect::<Vec<_>>())
        };
        let kind = |(i, operands): &(usize, Vec<&Ciphertext>)| {
            (self.nodes[*i].op.name(), operands.iter().map(|x| x.budget().left).min())
        };
        let mut all = ready.iter().map(with);
        let Some(first) = all.next() else { return vec![] };
        let own = kind(&first);
        if threads == 1 || is_shared(&self.nodes[first.0].op, &first.1, eval) {
            return vec![first];
        }
        let mut batch = vec![first];
        batch.extend(all.filter(|other| kind(other) == own).take(threads - 1));
        if batch.len() < threads {
            batch.truncate(1);
        }
        batch
    }

    /// Refuses a wrong number of inputs, and ciphertexts for which the program was not recorded.
    pub(super) fn expect<'a>(&self, given: impl ExactSizeIterator<Item = &'a Ciphertext>) -> Result<()> {
        if given.len() != self.inputs.len() {
            let names: Vec<&str> = self.inputs.iter().map(|(x, _)| x.name.as_str()).collect();
            return Err(Error::argument("inputs", given.len(), format!("one for each of {}", names.join(", "))));
        }
        let moves = self.nodes.iter().any(|node| node.op.moves_values());
        self.inputs.iter().zip(given).try_for_each(|((input, _), ct)| input.expect(ct, moves))
    }

    /// Calls `compute` for every operation in order, with what it computes on. There is one input for each
    /// of the program's.
    pub(super) fn each<T>(
        &self,
        inputs: Vec<T>,
        mut compute: impl FnMut(&Node, &[&T]) -> Result<Vec<T>>,
    ) -> Result<Vec<T>>
    where
        T: Clone,
    {
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

/// Whether all threads share an operation on these operands; see above.
fn is_shared(op: &Op, operands: &[&Ciphertext], eval: &Evaluator) -> bool {
    let (Some(first), kept) = (operands.first(), |log_slots| eval.params().bootstrapping(log_slots)) else {
        return true;
    };
    let bootstraps = bootstraps_operands(op) && {
        let due = |x: &Ciphertext, kept: usize| x.budget().unit == Unit::Bits || x.budget().left < kept + spent(op);
        kept(first.log_slots()).is_ok_and(|found| operands.iter().any(|x| due(x, found.input)))
    };
    op.is_bootstrap() || bootstraps || matches!(op, Op::Matmul { .. })
}
