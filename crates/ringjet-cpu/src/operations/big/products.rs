//! Sums of products of one prime's residues.

use crate::kernels::dispatch;
use crate::kernels::field::Field;
#[cfg(target_arch = "x86_64")]
use crate::kernels::ifma;
use crate::kernels::transforms::Root;
use crate::operands::prefetch::RowPrefetch;
use crate::operands::rows::{Rows, RowsMut};
use crate::operands::strip::BLOCK;
use crate::operands::terms::Output;
#[cfg(target_arch = "x86_64")]
use crate::system::instrument::Kernel;
#[cfg(target_arch = "x86_64")]
use crate::system::path::Path;

/// Words that are transformed by one step of what is fetched, more than 512 / 24: all of it is asked for when two thirds are transformed.
const STEP: usize = 32;

/// Which products make up which sum.
#[derive(Debug)]
pub struct Products {
    /// Groups of sums that are made one after the other, all of the same size: for each sum pairs of factors, of the rows that are
    /// transformed, and behind them those that were there before.
    groups: Vec<Vec<Vec<[usize; 2]>>>,
    /// Rows that are transformed first.
    inputs: usize,
}

impl Products {
    /// These sums, of `inputs` rows.
    pub fn new(groups: Vec<Vec<Vec<[usize; 2]>>>, inputs: usize) -> Self {
        Self { groups, inputs }
    }

    /// Rows that are transformed first.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Number of sums.
    pub fn sums(&self) -> usize {
        self.groups.len() * self.group()
    }

    /// Sums of a group.
    fn group(&self) -> usize {
        self.groups.first().map_or(0, |g| g.len())
    }

    /// Words of scratch memory for rows of so many.
    pub fn scratch(&self, words: usize) -> usize {
        self.group() * words
    }

    /// Steps in which [`Products::run`] fetches, at least, with rows of so many words.
    pub fn steps(&self, words: usize) -> usize {
        (self.inputs() + self.sums()) * words.div_ceil(STEP)
    }

    /// Transforms part number `part` of the inputs ([`Field::parts`]) and transforms the sums back, divided by a residue
    /// ([`Products::divisor`]), into `out`. `prepared` has blocks of the same words of the rows that were there before. Meanwhile
    /// something is fetched in [`Products::steps`].
    ///
    /// # Safety
    /// Nobody else uses the rows of `out`.
    #[expect(clippy::too_many_arguments, reason = "three kinds of rows")]
    pub unsafe fn run(
        &self,
        field: &Field,
        part: [usize; 2],
        inputs: &mut [&mut [u64]],
        prepared: &[Rows<'_>],
        root: &Root,
        scratch: &mut [u64],
        out: &[RowsMut<'_>],
        prefetch: &mut RowPrefetch<'_>,
    ) {
        for row in inputs.iter_mut() {
            field.forward_part(part, row, prefetch);
        }
        let n = inputs[0].len();
        let factors = inputs.iter().map(|row| Rows::of(row, BLOCK.min(n)));
        let factors: Vec<Rows<'_>> = factors.chain(prepared.iter().copied()).collect();
        for (group, out) in self.groups.iter().zip(out.chunks_exact(self.group())) {
            self.multiply(field, &factors, group, scratch);
            for (row, out) in scratch.chunks_exact_mut(n).zip(out) {
                // SAFETY: by the caller's promise.
                unsafe { field.inverse_part(part, row, *out, root, prefetch) };
            }
        }
    }

    /// What sums of `field` with pieces of so many words come divided by.
    pub fn divisor(field: &Field, words: usize) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if let Some(r) = Self::ifma(field, words) {
            return r.scaled(&field.modulus, 1);
        }
        1
    }

    #[cfg(target_arch = "x86_64")]
    fn ifma(field: &Field, words: usize) -> Option<&ifma::arith::Reducer> {
        field.ifma.as_ref().filter(|_| field.path == Path::Ifma && words.is_multiple_of(BLOCK))
    }

    /// A group of sums, one row behind the other, divided by [`Products::divisor`].
    fn multiply(&self, field: &Field, factors: &[Rows<'_>], group: &[Vec<[usize; 2]>], out: &mut [u64]) {
        let n = out.len() / group.len();
        #[cfg(target_arch = "x86_64")]
        if let Some(r) = Self::ifma(field, n) {
            field.calls.count(Kernel::Products, || group.iter().map(|s| s.len()).sum::<usize>() * n);
            // SAFETY: the processor has the features of the field's path.
            return unsafe { ifma::big::products(r, factors, group, out) };
        }
        let (block, mut pairs) = (BLOCK.min(n), vec![]);
        for (out, sum) in out.chunks_exact_mut(n).zip(group) {
            for (t, out) in out.chunks_exact_mut(block).enumerate() {
                pairs.clear();
                pairs.extend(sum.iter().map(|&[i, j]| (factors[i].row(t), factors[j].row(t))));
                dispatch::mul_acc(field, out, &pairs, Output::Set);
            }
        }
    }
}
