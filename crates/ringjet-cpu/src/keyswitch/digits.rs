//! The digits of a polynomial, and their products with a key.

use std::ops::Range;
use std::sync::Arc;

use ringjet_backend::plan::ModUpPlan;
use ringjet_backend::{Result, View, ViewMut, check};

use super::groups::in_groups;
use super::{DIGITS, PAD};
use crate::ahead::{Ahead, Work};
use crate::backend::CpuBackend;
use crate::convert::Conversion;
use crate::field::Field;
use crate::memory::{Scratch, Source, fence, past_caches};

/// The digits of a source polynomial as scaled coefficients, ready to be converted.
pub(super) struct Digits<'a> {
    plan: &'a ModUpPlan,
    pub(super) extended: Vec<Arc<Field>>,
    conversions: Vec<Conversion<'a>>,
    /// One row for each source limb.
    rows: Scratch<'a>,
    n: usize,
}

impl Digits<'_> {
    /// Row of source limb `i`.
    fn row(&self, i: usize) -> &[u64] {
        // SAFETY: rows are only read once the struct exists.
        &(unsafe { self.rows.read(i) })[..self.n]
    }

    /// Whether target prime `t` is one of digit `d`'s own.
    fn own(&self, d: usize, t: usize) -> Option<usize> {
        let digit = &self.plan.digits[d];
        let i = t.checked_sub(self.plan.special + digit.start)?;
        (i < digit.len).then_some(digit.start + i)
    }

    /// Converts `columns` of digit `d` to the primes `targets`: `out(i, tile)` says where each tile of number `i` of them goes, `past` the caches
    /// or not.
    fn convert<'o>(
        &self,
        d: usize,
        targets: &[usize],
        columns: Range<usize>,
        past: bool,
        out: impl Fn(usize, usize, usize) -> &'o mut [u64],
    ) {
        let (digit, conversion) = (&self.plan.digits[d], &self.conversions[d]);
        let rows: Vec<&[u64]> = (digit.start..digit.start + digit.len).map(|i| self.row(i)).collect();
        // the targets of a digit are in order
        let (outputs, places): (Vec<usize>, Vec<usize>) =
            targets.iter().enumerate().filter_map(|(i, t)| Some((digit.targets.binary_search(t).ok()?, i))).unzip();
        conversion.run(&rows, &outputs, columns, past, |o, start, end| out(places[o], start, end));
    }
}

/// The coefficients of each limb times the factor of its digit's conversion; then `f` with them.
pub(super) fn with_digits(
    b: &CpuBackend,
    op: &'static str,
    src: View<'_>,
    plan: &ModUpPlan,
    f: impl FnOnce(&Digits<'_>, Source<'_>) -> Result<()>,
) -> Result<()> {
    let src = b.source(op, src)?;
    let extended = b.fields.of(&plan.extended);
    let (n, limbs) = (plan.src.n(), plan.src.len());
    // behind those of the limbs a row for each worker
    let mut block = b.scratch((limbs + b.threads.count()) * (n + PAD), src.is_secret())?;
    let rows = Scratch::new(&mut block, n + PAD);
    let mut factors = vec![0; limbs];
    let mut conversions = Vec::with_capacity(plan.beta());
    for digit in &plan.digits {
        let conv = &digit.conv.conv;
        factors[digit.start..digit.start + digit.len].copy_from_slice(&conv.hat_inverse);
        let own = plan.special + digit.start;
        let targets = digit.targets.iter().map(|&t| Arc::clone(&extended[t])).collect();
        conversions.push(Conversion::new(conv, extended[own..own + digit.len].to_vec(), targets, None));
    }
    let past = past_caches(limbs * n);
    b.threads.run(limbs, limbs * n, |worker, i| {
        // SAFETY: each limb occurs in one task, and a worker's row is used by one task at a time.
        let [row, room] = [i, limbs + worker].map(|i| &mut (unsafe { rows.row(i) })[..n]);
        extended[plan.special + i].inverse_scaled_into(src.limb(0, i), room, row, past, factors[i]);
        fence();
    });
    f(&Digits { plan, extended, conversions, rows, n }, src)
}

/// [`ringjet_backend::Backend::mod_up`].
pub fn mod_up(b: &CpuBackend, dst: ViewMut<'_>, src: View<'_>, plan: &ModUpPlan) -> Result<()> {
    check::mod_up("mod_up", &dst, src, plan)?;
    let dst = b.target("mod_up", dst)?;
    with_digits(b, "mod_up", src, plan, |digits, src| {
        let (primes, beta, n) = (plan.extended.len(), plan.beta(), digits.n);
        let all: Vec<usize> = (0..primes).collect();
        let convert = |group: Range<usize>, columns: Range<usize>, past| {
            for d in 0..beta {
                // SAFETY: tasks have different columns, one tile at a time.
                let out = |i: usize, start, end| unsafe { dst.part(d, group.start + i, start, end) };
                digits.convert(d, &all[group.clone()], columns.clone(), past, out);
            }
        };
        in_groups(b, n, primes, [beta; 2], convert, |group| {
            b.threads.run(group.len() * beta, group.len() * beta * n, |_, task| {
                let (t, d) = (group.start + task / beta, task % beta);
                // SAFETY: each limb occurs in one task.
                let limb = unsafe { dst.limb(d, t) };
                match digits.own(d, t) {
                    Some(i) => limb.copy_from_slice(src.limb(0, i)),
                    None => digits.extended[t].forward(limb),
                }
            });
        });
        Ok(())
    })
}

/// Where a key switch finds its digits.
pub(super) enum Operand<'a> {
    /// As scaled coefficients, and the source in the evaluation domain for a digit's own primes.
    Coefficients(&'a Digits<'a>, Source<'a>),
    /// As digits in the evaluation domain.
    Ready(Source<'a>),
}

impl Operand<'_> {
    /// Digit `d` modulo target prime `t`, unless it is still to be converted and transformed.
    fn ready(&self, d: usize, t: usize) -> Option<&[u64]> {
        match self {
            Self::Coefficients(digits, src) => digits.own(d, t).map(|i| src.limb(0, i)),
            Self::Ready(digits) => Some(digits.limb(d, t)),
        }
    }
}

/// The digits of some switches, and the key of each.
pub(super) struct Products<'a> {
    pub(super) keys: Vec<Source<'a>>,
    pub(super) digits: Operand<'a>,
    pub(super) beta: usize,
    pub(super) n: usize,
}

impl Products<'_> {
    /// Digits that are still to be converted.
    pub(super) fn converted(&self) -> usize {
        if let Operand::Coefficients(..) = self.digits { self.beta } else { 0 }
    }

    /// Converts `columns` of the digits to the primes `targets`, number `i` of them to row `row(i, d)`, `past` the caches or not.
    pub(super) fn convert(
        &self,
        targets: &[usize],
        columns: Range<usize>,
        past: bool,
        scratch: &Scratch<'_>,
        row: impl Fn(usize, usize) -> usize,
    ) {
        if let Operand::Coefficients(digits, _) = &self.digits {
            for d in 0..self.beta {
                // SAFETY: tasks have different columns, one tile at a time.
                let out = |i, start, end| unsafe { scratch.part(row(i, d), start, end) };
                digits.convert(d, targets, columns.clone(), past, out);
            }
        }
    }

    /// Transforms the digits' rows `row(d)` modulo target prime `t` and `out`, and calls `each(i, out, terms, from, to, ahead)` for each i of `switches` where
    /// words `from..to` of all are ready: `terms` are those of the digits and its key. The same words of `addends` will be read, too,
    /// and `each` does `other` work of a tile than products.
    #[expect(clippy::too_many_arguments, reason = "one call for what both kinds of switch do")]
    pub(super) fn of(
        &self,
        field: &Field,
        t: usize,
        switches: Range<usize>,
        out: Vec<&mut [u64]>,
        addends: &[&[u64]],
        other: Work,
        scratch: &Scratch<'_>,
        row: impl Fn(usize) -> usize,
        mut each: impl FnMut(usize, &mut [&mut [u64]], &[[&[u64]; 3]], usize, usize, &mut Ahead<'_>),
    ) {
        let (n, beta, results) = (self.n, self.beta, out.len());
        let ready: Vec<Option<&[u64]>> = (0..beta).map(|d| self.digits.ready(d, t)).collect();
        let keys = self.keys[switches.clone()].iter();
        let keys: Vec<&[u64]> = keys.flat_map(|key| (0..2 * beta).map(|i| key.limb(i, t))).collect();
        // SAFETY: each row is taken once for each target prime.
        let taken = (0..beta).filter(|&d| ready[d].is_none()).map(|d| &mut (unsafe { scratch.row(row(d)) })[..n]);
        let mut rows: Vec<&mut [u64]> = out.into_iter().chain(taken).collect();
        let with = keys.iter().chain(ready.iter().flatten()).chain(addends.iter());
        let with: Vec<*const u64> = with.map(|row| row.as_ptr()).collect();
        // where digits are ready, products and automorphisms take so much of the time that lines are fetched meanwhile
        let (terms, moved) = if self.converted() == 0 { (beta * switches.len(), other.moved) } else { (0, 0) };
        field.forward_each(&mut rows, &with, Work { terms, moved, ..other }, |rows, from, to, ahead| {
            let (out, transformed) = rows.split_at_mut(results);
            let mut transformed = transformed.iter();
            let mut terms = [[&[][..]; 3]; DIGITS];
            for (d, term) in terms[..beta].iter_mut().enumerate() {
                let digit = match ready[d] {
                    Some(digit) => digit,
                    None => transformed.next().expect("a row for each digit that is not ready"),
                };
                term[0] = &digit[from..to];
            }
            for (i, keys) in switches.clone().zip(keys.chunks_exact(2 * beta)) {
                for (term, key) in terms.iter_mut().zip(keys.chunks_exact(2)) {
                    [term[1], term[2]] = [&key[0][from..to], &key[1][from..to]];
                }
                each(i, out, &terms[..beta], from, to, ahead);
            }
        });
    }
}
