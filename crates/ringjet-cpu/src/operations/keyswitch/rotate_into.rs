//! One rotation whose result is added to a sum.

use std::ops::Range;

use ringjet_backend::{Result, Rotation, View, ViewMut, check};

use super::digits::{Digits, with_digits};
use super::groups::{self, in_groups};
use super::layout::PAD;
use super::permutation::TilePermutation;
use super::products::{Operand, Part, Products};
use crate::kernels::dispatch;
use crate::machine::CpuMachine;
use crate::operands::prefetch::TileWork;
use crate::operands::scratch::Scratch;
use crate::operands::terms::{Factor, Output, Start};
use crate::operands::views::{Source, Target};

/// [`ringjet_backend::Backend::rotate_into`], for a decomposition that [`super::is_fused`]. After
/// the conversion of the digits, the sum is computed prime by prime and tile by tile.
pub fn rotate_into(m: &CpuMachine, dst: ViewMut<'_>, src: View<'_>, r: &Rotation<'_>, accumulate: bool) -> Result<()> {
    const OP: &str = "rotate_into";
    check::rotate_into(OP, &dst, src, r)?;
    let (dst, key, add) = (m.target(OP, dst)?.updated(accumulate), m.key(OP, r.key)?, m.source(OP, r.add)?);
    with_digits(m, OP, src, r.mod_up, |digits, src| {
        let (n, beta, primes) = (digits.n, r.mod_up.beta(), r.mod_up.extended.len());
        let products = Products { keys: vec![key], digits: Operand::Coefficients(digits, src), inputs: 1, beta, n };
        // the rows of the digits of a group are followed by three rows for each worker
        let rows = groups::largest(m, primes, beta) * beta;
        let mut block = m.scratch((rows + 3 * m.threads.count()) * (n + PAD), src.is_secret())?;
        let scratch = Scratch::new(&mut block, n + PAD);
        let automorphism = TilePermutation::new(r.automorphism.map()?);
        let task = Task { digits, products, automorphism, dst, add, accumulate, scratch, workers: rows };
        let all: Vec<usize> = (0..primes).collect();
        let convert = |group: Range<usize>, columns: Range<usize>, stream| {
            task.products.convert(&all[group], columns, stream, &scratch, |i, d| i * beta + d);
        };
        in_groups(m, n, primes, [beta; 2], convert, |group| {
            m.threads.run(group.len(), 2 * group.len() * beta * n, |worker, place| {
                task.run(worker, group.start + place, place);
            });
        });
        Ok(())
    })
}

/// The operands that all tasks of a rotation use.
struct Task<'a, 's> {
    digits: &'a Digits<'a>,
    products: Products<'a>,
    automorphism: TilePermutation<'a>,
    dst: Target<'a>,
    add: Source<'a>,
    accumulate: bool,
    scratch: Scratch<'s>,
    /// The first row of the first worker.
    workers: usize,
}

impl Task<'_, '_> {
    /// Computes the limb of prime `t`, which is number `place` in its group.
    fn run(&self, worker: usize, t: usize, place: usize) {
        let (field, add) = (&*self.digits.extended[t], self.add.peek(0, t));
        // SAFETY: a worker's rows are used by one task at a time.
        let [sum0, sum1, rotated] = [0, 1, 2].map(|i| unsafe { self.scratch.row(self.workers + 3 * worker + i) });
        // SAFETY: each row is taken once for each prime.
        let row = |d| &mut (unsafe { self.scratch.row(place * self.products.beta + d) })[..self.products.n];
        let part = Part { field, prime: t, switches: 0..1, addends: &[add], work: TileWork::default() };
        self.products.run(part, vec![], row, |_, _, terms, from, to, prefetch| {
            let len = to - from;
            let start = Start::First(&add[from..to]);
            dispatch::mul_acc_pair(field, [&mut sum0[..len], &mut sum1[..len]], terms, start, prefetch);
            let (at, map) = self.automorphism.target(from, to);
            for (p, sum) in [&*sum0, &*sum1].into_iter().enumerate() {
                // SAFETY: a permutation of tiles of a limb that occurs in one task, each of them
                // taken once.
                let out = unsafe { self.dst.part(p, t, at, at + len) };
                if self.accumulate {
                    dispatch::permute(field, &mut rotated[..len], &sum[..len], map, false);
                    dispatch::lincomb(field, out, &[(Factor::One, &rotated[..len])], Output::Added);
                } else {
                    dispatch::permute(field, out, &sum[..len], map, false);
                }
            }
        });
    }
}
