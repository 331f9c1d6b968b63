//! Memory for the residues between the steps of a product of big coefficients.
//!
//! Transforms are divided into parts ([`Field::parts`]). The stages that combine parts work on
//! strips of coefficients, in the tasks that make or use the residues. The other stages and the
//! products between them work part by part. So residues go to memory and back twice. They are
//! written by streaming stores and read in long pieces. Before the products, the same part of all
//! limbs of a prime is consecutive in memory ([`ByParts`]); after the products, the same strip of
//! them ([`ByStrips`]). Only transforms of the path Ifma with N of at least 2^10 are divided; other
//! transforms have one part.

use std::ops::Range;
use std::sync::Arc;

use ringjet_backend::Result;

use crate::kernels::field::Field;
use crate::machine::CpuMachine;
use crate::operands::rows::{Rows, RowsMut};
use crate::operands::scratch::Scratch;
use crate::operands::strip::{BLOCK, Strip};
use crate::system::pool::Block;

/// Number of coefficients of a strip, unless the ring or its parts are small. The residues of a
/// strip stay in the second-level cache.
const STRIP: usize = 1 << 10;

/// Factor by which strips are wider in the tasks that make residues. A strip has fewer residues
/// there, and longer rows make passes faster.
const WIDE: usize = 4;

/// Number of unused words between rows. Rows a power of two apart would compete for the same cache
/// sets.
const GAP: usize = 32;

/// How a ring is divided into parts and strips.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    n: usize,
    /// Number of parts of a transform.
    pub parts: usize,
    /// Number of words of a strip in each part.
    columns: usize,
}

impl Layout {
    /// The layout for rings of degree n with these fields.
    pub fn new(fields: &[Arc<Field>], n: usize) -> Self {
        let parts = fields.first().map_or(1, |f| f.parts());
        let parts = if fields.iter().all(|f| f.parts() == parts) { parts } else { 1 };
        Self { n, parts, columns: (STRIP / parts).max(BLOCK).min(n / parts) }
    }

    /// The layout with wider strips, for tasks in which a strip has no residues of several weights.
    pub fn wide(self) -> Self {
        Self { columns: (WIDE * self.columns).min(self.part()), ..self }
    }

    /// Number of words of a part.
    pub fn part(&self) -> usize {
        self.n / self.parts
    }

    /// Number of strips.
    pub fn strips(&self) -> usize {
        self.part() / self.columns
    }

    /// Number of words of a strip.
    pub fn words(&self) -> usize {
        self.columns * self.parts
    }

    /// Strip number `i`.
    pub fn strip(&self, i: usize) -> Strip {
        Strip { row: self.part(), rows: self.parts, from: i * self.columns, columns: self.columns }
    }
}

/// Residues before the products: a row for each part of each limb.
#[derive(Debug, Clone, Copy)]
pub struct ByParts<'a> {
    layout: Layout,
    limbs: usize,
    rows: Scratch<'a>,
}

impl<'a> ByParts<'a> {
    /// Memory for `primes` primes with `limbs` limbs each.
    pub fn memory(m: &CpuMachine, layout: Layout, primes: usize, limbs: usize, secret: bool) -> Result<Block> {
        m.scratch(primes * limbs * layout.parts * (layout.part() + GAP), secret)
    }

    /// Residues in memory of [`Self::memory`].
    pub fn new(memory: &'a mut Block, layout: Layout, limbs: usize) -> Self {
        Self { layout, limbs, rows: Scratch::new(memory, layout.part() + GAP) }
    }

    fn place(&self, i: usize, part: usize, l: usize) -> usize {
        (i * self.layout.parts + part) * self.limbs + l
    }

    /// The row of part number `part` of limb `l` of prime `i`.
    ///
    /// # Safety
    /// No other slice of the row may be alive.
    pub unsafe fn row(&self, i: usize, part: usize, l: usize) -> &'a mut [u64] {
        // SAFETY: by the caller's promise.
        let row = unsafe { self.rows.row(self.place(i, part, l)) };
        &mut row[..self.layout.part()]
    }

    /// The rows of part number `part` of all limbs of prime `i`.
    ///
    /// # Safety
    /// Nobody writes to these rows.
    pub unsafe fn all(&self, i: usize, part: usize) -> Rows<'a> {
        let first = self.place(i, part, 0);
        // SAFETY: by the caller's promise.
        unsafe { self.rows.read_rows((first..first + self.limbs).step_by(1), 0..self.layout.part()) }
    }

    /// A strip of limb `l` of prime `i`: a row for each part.
    pub fn strip(&self, i: usize, l: usize, strip: Strip) -> RowsMut<'a> {
        let rows = self.place(i, 0, l)..self.place(i, self.layout.parts, l);
        self.rows.rows(rows.step_by(self.limbs), strip.from..strip.from + strip.columns)
    }
}

/// Residues after the products: a row for each strip of each part of each limb.
#[derive(Debug, Clone, Copy)]
pub struct ByStrips<'a> {
    layout: Layout,
    limbs: usize,
    /// A row for each part of a strip.
    rows: Scratch<'a>,
}

impl<'a> ByStrips<'a> {
    /// Memory for `primes` primes with `limbs` limbs each.
    pub fn memory(m: &CpuMachine, layout: Layout, primes: usize, limbs: usize, secret: bool) -> Result<Block> {
        m.scratch(primes * limbs * layout.n, secret)
    }

    /// Residues in memory of [`Self::memory`].
    pub fn new(memory: &'a mut Block, layout: Layout, limbs: usize) -> Self {
        Self { layout, limbs, rows: Scratch::new(memory, layout.columns) }
    }

    fn place(&self, i: usize, strip: usize, l: usize) -> usize {
        ((i * self.layout.strips() + strip) * self.limbs + l) * self.layout.parts
    }

    /// Part number `part` of limb `l` of prime `i`: a row for each strip.
    pub fn part(&self, i: usize, part: usize, l: usize) -> RowsMut<'a> {
        let (first, end) = (self.place(i, 0, l), self.place(i, self.layout.strips(), l));
        let rows = (first + part..end + part).step_by(self.limbs * self.layout.parts);
        self.rows.rows(rows, 0..self.layout.columns)
    }

    /// A strip of limb `l` of prime `i`: a row for each part.
    ///
    /// # Safety
    /// Nobody writes to the strip.
    pub unsafe fn strip(&self, i: usize, strip: usize, l: usize) -> Rows<'a> {
        let first = self.place(i, strip, l);
        // SAFETY: by the caller's promise.
        unsafe { self.rows.read_rows((first..first + self.layout.parts).step_by(1), 0..self.layout.columns) }
    }

    /// A strip of several limbs of all primes: a row for each prime.
    ///
    /// # Safety
    /// Nobody writes to the strip.
    pub unsafe fn strips(&self, primes: usize, strip: usize, limbs: Range<usize>) -> Rows<'a> {
        let (first, words) = (self.place(0, strip, limbs.start), limbs.len() * self.layout.words());
        // SAFETY: by the caller's promise; the limbs of a strip are consecutive.
        unsafe { self.rows.read_pieces(first, self.place(1, 0, 0), primes, words) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operands::prefetch::RowPrefetch;
    use crate::system::path::Path;
    use ringjet_math::Basis;
    use ringjet_math::prime::ntt_primes;

    /// Compares transforms by strips, by parts and by strips again with whole transforms.
    #[test]
    fn strips_and_parts_make_transforms() {
        let paths = Path::usable();
        for (path, log_n, bits) in paths.flat_map(|path| (3..=17).map(move |log_n| (path, log_n, 50 - log_n % 2))) {
            let (n, limbs, constant) = (1 << log_n, 2, 12345);
            let m = CpuMachine::new(1, Some(path)).unwrap();
            let basis = Basis::new(log_n, &ntt_primes(log_n, bits, 2, &[]).unwrap()).unwrap();
            let fields = m.fields.of(&basis).unwrap();
            let layout = Layout::new(&fields, n);
            assert_eq!(layout.parts > 1, path == Path::Ifma && log_n >= 10, "{path:?} 2^{log_n}");
            let mut memory = ByParts::memory(&m, layout, 2, limbs, false).unwrap();
            let parts = ByParts::new(&mut memory, layout, limbs);
            let mut memory = ByStrips::memory(&m, layout, 2, limbs, false).unwrap();
            let strips = ByStrips::new(&mut memory, layout, limbs);
            for (i, l) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let (field, case) = (&fields[i], format!("{path:?} 2^{log_n} prime {i} limb {l}"));
                let q = field.modulus.value();
                let x: Vec<u64> =
                    (0..n as u64).map(|c| (c + 7 * l as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) % q).collect();
                let x = if l == 0 { vec![q - 1; n] } else { x };
                let mut expected = x.clone();
                field.forward(&mut expected);

                for s in 0..layout.wide().strips() {
                    let strip = layout.wide().strip(s);
                    // transforms in several parts take words below 4q
                    let more = |at: usize| {
                        if layout.parts == 1 {
                            0
                        } else if l == 0 {
                            3 * q
                        } else {
                            at as u64 % 4 * q
                        }
                    };
                    let mut words: Vec<u64> = (0..strip.words()).map(|at| x[strip.place(at)] + more(at)).collect();
                    // SAFETY: the slices are used one after the other.
                    unsafe { field.forward_first(&mut words, parts.strip(i, l, strip)) };
                }
                let (root, mut found) = (field.root(constant), vec![]);
                for part in 0..layout.parts {
                    // SAFETY: as above.
                    let row = unsafe { parts.row(i, part, l) };
                    field.forward_part([layout.parts, part], row, &mut RowPrefetch::default());
                    found.extend_from_slice(row);
                    // SAFETY: as above.
                    unsafe {
                        field.inverse_part(
                            [layout.parts, part],
                            row,
                            strips.part(i, part, l),
                            &root,
                            &mut RowPrefetch::default(),
                        )
                    };
                }
                assert!(found == expected, "forward, {case}");

                let mut found = vec![0; n];
                for s in 0..layout.strips() {
                    let (strip, mut scratch) = (layout.strip(s), vec![0; layout.words()]);
                    let mut words = vec![0; layout.words()];
                    let to = RowsMut::of(&mut words, strip.block(), strip.block());
                    // SAFETY: as above.
                    unsafe { field.inverse_last(strips.strip(i, s, l), None, &mut scratch, to, &root) };
                    words.iter().enumerate().for_each(|(at, &word)| found[strip.place(at)] = word);
                    // SAFETY: as above.
                    let all = unsafe { strips.strips(2, s, 0..limbs) };
                    assert_eq!(all.row(i)[l * layout.words()], strips_word(&strips, i, s, l), "{case}");
                }
                let scaled: Vec<u64> = x.iter().map(|&x| field.modulus.mul(x, constant)).collect();
                assert!(found == scaled, "inverse, {case}");
            }
        }
    }

    /// The first word of strip `s` of prime `i`.
    fn strips_word(strips: &ByStrips<'_>, i: usize, s: usize, l: usize) -> u64 {
        // SAFETY: nobody writes to it.
        unsafe { strips.strip(i, s, l) }.row(0)[0]
    }
}
