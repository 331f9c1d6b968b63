//! Inner products of digits and keys, tile by tile.

use std::ops::Range;

use crate::blocking::FUSED_DIGITS;

use super::digits::Digits;
use crate::kernels::field::Field;
use crate::operands::prefetch::{TilePrefetch, TileWork};
use crate::operands::scratch::Scratch;
use crate::operands::views::Source;
use crate::system::instrument::Counted;

/// The digits of key switches.
pub enum Operand<'a> {
    /// Coefficients that are still to be converted, and the polynomials in the evaluation domain,
    /// which give the limbs of a digit's own primes.
    Coefficients(&'a Digits<'a>, Source<'a>),
    /// Digits in the evaluation domain: first all digits of input 0, then those of input 1, and so
    /// on.
    Ready(Source<'a>),
}

/// The inner products of several key switches: of one input with several keys, or of several inputs
/// with one key. A tile of a single key is read from memory once for all inputs.
pub struct Products<'a> {
    /// One key for each switch, or one key for all switches.
    pub keys: Vec<Source<'a>>,
    /// The digits of all inputs.
    pub digits: Operand<'a>,
    /// Number of inputs: one for each switch, or one for all switches.
    pub inputs: usize,
    /// Number of digits of each input.
    pub beta: usize,
    /// The ring degree.
    pub n: usize,
}

/// A part of [`Products`]: the inner products of some switches modulo one prime.
pub struct Part<'a> {
    /// The field of the prime.
    pub field: &'a Field,
    /// The number of the prime in the extended basis.
    pub prime: usize,
    /// The numbers of the switches.
    pub switches: Range<usize>,
    /// Rows that the caller reads as well. They are prefetched, and count as read.
    pub addends: &'a [&'a [u64]],
    /// The work that the caller does on a tile besides inner products.
    pub work: TileWork,
}

/// A digit modulo one prime.
enum Digit<'a> {
    /// The words of the digit.
    Ready(&'a [u64]),
    /// The number of the digit's row among the rows that are transformed.
    Transformed(usize),
}

impl Products<'_> {
    /// Number of rows of digits that are still to be converted, for each target prime.
    pub fn converted(&self) -> usize {
        if let Operand::Coefficients(..) = self.digits { self.inputs * self.beta } else { 0 }
    }

    /// Which of `count` inputs or keys the switches `switches` use.
    fn taken(count: usize, switches: &Range<usize>) -> Range<usize> {
        if count == 1 { 0..1 } else { switches.clone() }
    }

    /// Digit `d` of input `p` modulo target prime `t`; `None` if it is still to be converted and
    /// transformed.
    fn ready(&self, p: usize, d: usize, t: usize) -> Option<&[u64]> {
        match &self.digits {
            Operand::Coefficients(digits, src) => digits.own_limb(d, t).map(|i| src.limb(p, i)),
            Operand::Ready(digits) => Some(digits.limb(p * self.beta + d, t)),
        }
    }

    /// Converts `columns` of all digits to the primes `targets`. Digit d of input p modulo
    /// `targets[i]` goes to row `row(i, p * beta + d)`, with `stream` by streaming stores.
    pub fn convert(
        &self,
        targets: &[usize],
        columns: Range<usize>,
        stream: bool,
        scratch: &Scratch<'_>,
        row: impl Fn(usize, usize) -> usize,
    ) {
        if let Operand::Coefficients(digits, _) = &self.digits {
            for (p, d) in (0..self.inputs).flat_map(|p| (0..self.beta).map(move |d| (p, d))) {
                // SAFETY: tasks have different columns, one tile at a time.
                let out = |i, from, to| unsafe { scratch.part(row(i, p * self.beta + d), from, to) };
                digits.convert([p, d], targets, columns.clone(), stream, out);
            }
        }
    }

    /// Transforms the rows `out` and the converted digits, whose rows `row(p * beta + d)` returns
    /// for digit d of input p. As soon as words `from..to` of all rows are final, it calls
    /// `each(i, out, terms, from, to, prefetch)` for each switch i of the part. `terms` are the
    /// same words of the digits and the key of the switch.
    pub fn run<'r>(
        &self,
        part: Part<'_>,
        out: Vec<&'r mut [u64]>,
        row: impl Fn(usize) -> &'r mut [u64],
        mut each: impl FnMut(usize, &mut [&mut [u64]], &[[&[u64]; 3]], usize, usize, &mut TilePrefetch<'_>),
    ) {
        let (beta, results, t) = (self.beta, out.len(), part.prime);
        let inputs = Self::taken(self.inputs, &part.switches);
        let keys = Self::taken(self.keys.len(), &part.switches);
        let (mut rows, mut digits) = (out, Vec::with_capacity(inputs.len() * beta));
        for (p, d) in inputs.clone().flat_map(|p| (0..beta).map(move |d| (p, d))) {
            digits.push(match self.ready(p, d, t) {
                Some(words) => Digit::Ready(words),
                None => {
                    rows.push(row(p * beta + d));
                    Digit::Transformed(rows.len() - 1 - results)
                }
            });
        }
        let keys: Vec<&[u64]> = self.keys[keys].iter().flat_map(|key| (0..2 * beta).map(|i| key.limb(i, t))).collect();
        let ready = digits.iter().filter_map(|d| if let Digit::Ready(words) = d { Some(words) } else { None });
        part.field.counters.count(Counted::Read, || distinct(part.addends) * self.n);
        let with = keys.iter().chain(ready).chain(part.addends.iter());
        let with: Vec<*const u64> = with.map(|row| row.as_ptr()).collect();
        // Where digits are ready, products and automorphisms take so much of the time that they
        // prefetch lines too.
        let (terms, permutations) =
            if self.converted() == 0 { (beta * part.switches.len(), part.work.permutations) } else { (0, 0) };
        let work = TileWork { terms, permutations, ..part.work };
        part.field.forward_each(&mut rows, &with, work, |rows, from, to, prefetch| {
            let (out, transformed) = rows.split_at_mut(results);
            let mut terms = [[&[][..]; 3]; FUSED_DIGITS];
            // if there is only one input or one key, all switches use it
            let mut keys = keys.chunks_exact(2 * beta).cycle();
            let mut inputs = digits.chunks_exact(beta).cycle();
            for (i, (key, input)) in part.switches.clone().zip(keys.by_ref().zip(inputs.by_ref())) {
                for (d, (term, digit)) in terms.iter_mut().zip(input).enumerate() {
                    let x = match digit {
                        Digit::Ready(words) => words,
                        Digit::Transformed(row) => &*transformed[*row],
                    };
                    *term = [x, key[2 * d], key[2 * d + 1]].map(|x| &x[from..to]);
                }
                each(i, out, &terms[..beta], from, to, prefetch);
            }
        });
    }
}

/// Number of different rows among `rows`.
fn distinct(rows: &[&[u64]]) -> usize {
    (0..rows.len()).filter(|&i| rows[..i].iter().all(|row| row.as_ptr() != rows[i].as_ptr())).count()
}
