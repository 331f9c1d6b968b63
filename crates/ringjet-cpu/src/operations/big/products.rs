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
use crate::system::instrument::Counted;
#[cfg(target_arch = "x86_64")]
use crate::system::path::Path;

/// Number of transformed words per prefetch step, in the estimate of [`Products::steps`]. A
/// transform issues 24 steps for 512 words, one for about 21 words. With 32 all lines are fetched
/// when two thirds of the words are transformed.
const STEP: usize = 32;

/// The pairs of factors whose products make up each sum.
#[derive(Debug)]
pub struct Products {
    /// Groups of sums, all of the same size. One group is computed after another. A sum is a list
    /// of pairs of factor numbers: first the transformed rows are numbered, then the prepared rows.
    groups: Vec<Vec<Vec<[usize; 2]>>>,
    /// Number of rows to transform, the first factor numbers.
    inputs: usize,
}

impl Products {
    /// The sums `groups`, where factors 0 to `inputs - 1` are transformed and the others are
    /// prepared.
    pub fn new(groups: Vec<Vec<Vec<[usize; 2]>>>, inputs: usize) -> Self {
        Self { groups, inputs }
    }

    /// Number of rows to transform.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Number of sums.
    pub fn sums(&self) -> usize {
        self.groups.len() * self.group()
    }

    /// Number of sums of a group.
    fn group(&self) -> usize {
        self.groups.first().map_or(0, |g| g.len())
    }

    /// Number of words of scratch memory for rows of `words` words.
    pub fn scratch(&self, words: usize) -> usize {
        self.group() * words
    }

    /// A lower bound of the number of prefetch steps of [`Products::run`] with rows of `words`
    /// words.
    pub fn steps(&self, words: usize) -> usize {
        (self.inputs() + self.sums()) * words.div_ceil(STEP)
    }

    /// Transforms part number `part` of the inputs ([`Field::parts`]), computes the sums of
    /// products, and transforms them back into `out`. The sums are divided by
    /// [`Products::divisor`]. `prepared` has blocks of the same words of the prepared factors. The
    /// lines of `prefetch` are issued meanwhile.
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
            field.counters.count(Counted::Read, || row.len());
            field.forward_part(part, row, prefetch);
        }
        let n = inputs[0].len();
        field.counters.count(Counted::KeyRead, || self.named(prepared.len()) * n);
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

    /// How many of `prepared` prepared rows occur in the products.
    fn named(&self, prepared: usize) -> usize {
        let all = || self.groups.iter().flatten().flatten().map(|pair| pair[1]);
        (self.inputs..self.inputs + prepared).filter(|&row| all().any(|named| named == row)).count()
    }

    /// The residue by which the sums are divided in `field`, for parts of `words` words.
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

    /// Computes a group of sums, divided by [`Products::divisor`], one row after another in `out`.
    fn multiply(&self, field: &Field, factors: &[Rows<'_>], group: &[Vec<[usize; 2]>], out: &mut [u64]) {
        let n = out.len() / group.len();
        #[cfg(target_arch = "x86_64")]
        if let Some(r) = Self::ifma(field, n) {
            field.counters.count(Counted::Products, || group.iter().map(|s| s.len()).sum::<usize>() * n);
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
