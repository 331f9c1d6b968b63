//! Sums of products of one prime's residues.

use super::BLOCK;
use crate::field::Field;
#[cfg(target_arch = "x86_64")]
use crate::ifma::{self, big::Operand};
use crate::instrument::Kernel;
use crate::kernel;
#[cfg(target_arch = "x86_64")]
use crate::path::Path;

/// Words of all sums that are made at once: with as many of their factors they stay in the first cache.
const WORDS: usize = 128;

/// Where a factor is.
#[derive(Debug, Clone, Copy)]
pub enum Place {
    /// Among the rows that are transformed.
    Row(usize),
    /// Among those that were there before.
    Prepared(usize),
}

/// Which products make up which sum.
#[derive(Debug)]
pub struct Products {
    sums: Vec<Vec<[Place; 2]>>,
    /// Rows that are transformed first.
    inputs: usize,
    #[cfg(target_arch = "x86_64")]
    operands: Vec<Vec<[Operand; 2]>>,
}

impl Products {
    /// These sums, of `inputs` rows.
    pub fn new(sums: Vec<Vec<[Place; 2]>>, inputs: usize) -> Self {
        #[cfg(target_arch = "x86_64")]
        let operand = |place: Place| match place {
            Place::Row(i) => Operand::Row(i),
            Place::Prepared(i) => Operand::Other(i),
        };
        Self {
            #[cfg(target_arch = "x86_64")]
            operands: sums.iter().map(|s| s.iter().map(|pair| pair.map(operand)).collect()).collect(),
            sums,
            inputs,
        }
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

    /// Transforms the inputs and leaves the sums in the first rows, divided by a residue that is returned. Each transform fetches
    /// what comes after it; the last one ends together with the products.
    pub fn run(&self, field: &Field, rows: &mut [&mut [u64]], prepared: &[&[u64]], scratch: &mut [u64]) -> u64 {
        let (before, rest) = rows.split_at_mut(self.inputs - 1);
        let (last, after) = rest.split_at_mut(1);
        for i in 0..before.len() {
            let next = before.get(i + 1).map_or(last[0].as_ptr(), |row| row.as_ptr());
            field.forward_each(&mut before[i..i + 1], &[next], |_, _, _| {});
        }
        let written = after.iter().take(self.sums.len().saturating_sub(self.inputs));
        let fetch = prepared.iter().copied().chain(before.iter().chain(written).map(|row| &**row));
        let fetch: Vec<*const u64> = fetch.map(|row| row.as_ptr()).collect();
        let mut divided = 1;
        field.forward_each(last, &fetch, |last, from, to| {
            let mut rows: Vec<&mut [u64]> = Vec::with_capacity(before.len() + 1 + after.len());
            rows.extend(before.iter_mut().map(|row| &mut row[from..to]));
            rows.extend(last.iter_mut().map(|row| &mut row[from..to]));
            rows.extend(after.iter_mut().map(|row| &mut row[from..to]));
            let prepared: Vec<&[u64]> = prepared.iter().map(|row| &row[from..to]).collect();
            for at in (0..to - from).step_by(WORDS) {
                let words = WORDS.min(to - from - at);
                let out = &mut scratch[..words * self.sums.len()];
                divided = self.multiply(field, &rows, &prepared, at, words, out);
                for (row, out) in rows.iter_mut().zip(out.chunks_exact(words)) {
                    row[at..at + words].copy_from_slice(out);
                }
            }
        });
        divided
    }

    /// Some words of all sums into `out`, divided by a residue that is returned.
    fn multiply(
        &self,
        field: &Field,
        rows: &[&mut [u64]],
        prepared: &[&[u64]],
        at: usize,
        words: usize,
        out: &mut [u64],
    ) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if let Some(r) = field.ifma.as_ref().filter(|_| field.path == Path::Ifma && words.is_multiple_of(BLOCK)) {
            field.calls.count(Kernel::Products, || self.sums.iter().map(|s| s.len()).sum::<usize>() * words);
            // SAFETY: the processor has the features of the field's path.
            unsafe { ifma::big::products(r, rows, prepared, &self.operands, at, out) };
            return r.scaled(&field.modulus, 1);
        }
        let factor = |place: Place| match place {
            Place::Row(i) => &rows[i][at..at + words],
            Place::Prepared(i) => &prepared[i][at..at + words],
        };
        for (out, sum) in out.chunks_exact_mut(words).zip(&self.sums) {
            let pairs: Vec<(&[u64], &[u64])> = sum.iter().map(|&[x, y]| (factor(x), factor(y))).collect();
            kernel::mul_acc(field, out, &pairs, false);
        }
        1
    }
}
