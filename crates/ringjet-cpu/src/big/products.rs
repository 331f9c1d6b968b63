//! Sums of products of one prime's residues.

use super::BLOCK;
use crate::field::Field;
#[cfg(target_arch = "x86_64")]
use crate::ifma;
use crate::instrument::Kernel;
use crate::kernel;
#[cfg(target_arch = "x86_64")]
use crate::path::Path;

/// Words of all sums that are made at once: with as many of their factors they stay in the first cache.
pub const WORDS: usize = 128;

/// Which products make up which sum.
#[derive(Debug)]
pub struct Products {
    /// Pairs of factors: of the rows that are transformed, and behind them those that were there before.
    sums: Vec<Vec<[usize; 2]>>,
    /// Rows that are transformed first.
    inputs: usize,
}

impl Products {
    /// These sums, of `inputs` rows.
    pub fn new(sums: Vec<Vec<[usize; 2]>>, inputs: usize) -> Self {
        Self { sums, inputs }
    }

    /// Rows that are transformed first.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Number of sums.
    pub fn sums(&self) -> usize {
        self.sums.len()
    }

    /// Words of scratch memory.
    pub fn scratch(&self) -> usize {
        self.sums.len() * WORDS
    }

    /// Transforms the inputs and leaves the sums in the first rows, divided by a residue that is returned. `prepared` gives the rows
    /// that were there before, [`WORDS`] words of each, by the number of the piece.
    pub fn run<'p>(
        &self,
        field: &Field,
        rows: &mut [&mut [u64]],
        prepared: impl Fn(usize) -> Vec<&'p [u64]>,
        scratch: &mut [u64],
    ) -> u64 {
        let (inputs, after) = rows.split_at_mut(self.inputs);
        for i in 0..inputs.len() {
            let next = inputs.get(i + 1).map_or(std::ptr::null(), |row| row.as_ptr());
            field.forward_each(&mut inputs[i..i + 1], &[next], |_, _, _| {});
        }
        let n = inputs[0].len();
        let mut divided = 1;
        for at in (0..n).step_by(WORDS) {
            let words = WORDS.min(n - at);
            let out = &mut scratch[..words * self.sums.len()];
            let factors = inputs.iter().map(|row| &row[at..at + words]);
            let factors: Vec<&[u64]> = factors.chain(prepared(at / WORDS)).collect();
            divided = self.multiply(field, &factors, out);
            let rows = inputs.iter_mut().chain(after.iter_mut());
            for (row, out) in rows.zip(out.chunks_exact(words)) {
                row[at..at + words].copy_from_slice(out);
            }
        }
        divided
    }

    /// Some words of all sums into `out`, divided by a residue that is returned.
    fn multiply(&self, field: &Field, factors: &[&[u64]], out: &mut [u64]) -> u64 {
        let words = factors[0].len();
        #[cfg(target_arch = "x86_64")]
        if let Some(r) = field.ifma.as_ref().filter(|_| field.path == Path::Ifma && words.is_multiple_of(BLOCK)) {
            field.calls.count(Kernel::Products, || self.sums.iter().map(|s| s.len()).sum::<usize>() * words);
            // SAFETY: the processor has the features of the field's path.
            unsafe { ifma::big::products(r, factors, &self.sums, out) };
            return r.scaled(&field.modulus, 1);
        }
        for (out, sum) in out.chunks_exact_mut(words).zip(&self.sums) {
            let pairs: Vec<(&[u64], &[u64])> = sum.iter().map(|&[i, j]| (factors[i], factors[j])).collect();
            kernel::mul_acc(field, out, &pairs, false);
        }
        1
    }
}
