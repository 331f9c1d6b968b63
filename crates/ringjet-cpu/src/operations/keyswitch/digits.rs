//! The digits of polynomials in the coefficient domain.

use std::ops::Range;
use std::sync::Arc;

use ringjet_backend::plan::ModUpPlan;
use ringjet_backend::{Result, View};

use super::layout::PAD;
use crate::kernels::conversion::Conversion;
use crate::kernels::field::Field;
use crate::machine::CpuMachine;
use crate::operands::scratch::Scratch;
use crate::operands::views::Source;
use crate::system::streaming::{fence, use_streaming_stores};

/// The digits of one or more polynomials: coefficients that are already multiplied by the factor of
/// their conversion.
pub struct Digits<'a> {
    plan: &'a ModUpPlan,
    /// The fields of the extended basis.
    pub extended: Vec<Arc<Field>>,
    conversions: Vec<Conversion<'a>>,
    /// The digits' coefficients: a row for each limb of each polynomial.
    rows: Scratch<'a>,
    /// The ring degree.
    pub n: usize,
}

impl Digits<'_> {
    /// The row of limb `i` of polynomial `p`.
    fn row(&self, p: usize, i: usize) -> &[u64] {
        // SAFETY: rows are read only after `with_digits` has written all of them.
        &(unsafe { self.rows.read(p * self.plan.src.len() + i) })[..self.n]
    }

    /// The source limb whose prime is target prime `t`, if that is one of the primes of digit `d`.
    pub fn own_limb(&self, d: usize, t: usize) -> Option<usize> {
        let digit = &self.plan.digits[d];
        let i = t.checked_sub(self.plan.special + digit.start)?;
        (i < digit.len).then_some(digit.start + i)
    }

    /// Converts `columns` of digit `d` of polynomial `p` to those primes of `targets` that are not
    /// primes of the digit. `out(i, from, to)` returns words `from..to` of the row for
    /// `targets[i]`. With `stream` the rows are written by streaming stores.
    pub fn convert<'o>(
        &self,
        [p, d]: [usize; 2],
        targets: &[usize],
        columns: Range<usize>,
        stream: bool,
        out: impl Fn(usize, usize, usize) -> &'o mut [u64],
    ) {
        let (digit, conversion) = (&self.plan.digits[d], &self.conversions[d]);
        let rows: Vec<&[u64]> = (digit.start..digit.start + digit.len).map(|i| self.row(p, i)).collect();
        // the targets of a digit are sorted
        let (outputs, places): (Vec<usize>, Vec<usize>) =
            targets.iter().enumerate().filter_map(|(i, t)| Some((digit.targets.binary_search(t).ok()?, i))).unzip();
        conversion.run(&rows, &outputs, columns, stream, |o, from, to| out(places[o], from, to));
    }
}

/// Makes the [`Digits`] of all polynomials of `src` and calls `f` with them. Each limb is
/// transformed back and multiplied by the factor of its digit's conversion.
pub fn with_digits<'a>(
    m: &'a CpuMachine,
    op: &'static str,
    src: View<'a>,
    plan: &ModUpPlan,
    f: impl FnOnce(&Digits<'_>, Source<'a>) -> Result<()>,
) -> Result<()> {
    let src = m.source(op, src)?;
    let extended = m.fields.of(&plan.extended)?;
    let (n, limbs, polys) = (plan.src.n(), plan.src.len(), src.polys());
    let all = polys * limbs;
    // the limbs' rows are followed by one row for each worker
    let mut block = m.scratch((all + m.threads.count()) * (n + PAD), src.is_secret())?;
    let rows = Scratch::new(&mut block, n + PAD);
    let mut factors = vec![0; limbs];
    let mut conversions = Vec::with_capacity(plan.beta());
    for digit in plan.digits.iter() {
        let conv = &digit.conv.conv;
        factors[digit.start..digit.start + digit.len].copy_from_slice(&conv.hat_inverse);
        let own = plan.special + digit.start;
        let targets = digit.targets.iter().map(|&t| Arc::clone(&extended[t])).collect();
        conversions.push(Conversion::new(conv, extended[own..own + digit.len].to_vec(), targets));
    }
    let stream = use_streaming_stores(all * n);
    m.threads.run(all, all * n, |worker, task| {
        let (p, i) = (task / limbs, task % limbs);
        // SAFETY: each limb occurs in one task, and a worker's row is used by one task at a time.
        let [row, scratch] = [task, all + worker].map(|i| &mut (unsafe { rows.row(i) })[..n]);
        extended[plan.special + i].inverse_scaled_into(src.limb(p, i), scratch, row, stream, factors[i]);
        fence();
    });
    f(&Digits { plan, extended, conversions, rows, n }, src)
}
