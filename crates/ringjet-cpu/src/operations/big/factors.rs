//! Residues of the digits of the factors of a product.

use std::ops::Range;
use std::sync::Arc;

use ringjet_backend::big::digits;
use ringjet_backend::plan::CrtSplitPlan;
use ringjet_backend::{Result, View};
use ringjet_math::Basis;
use ringjet_math::big::WORD_BITS;

use super::residues::{ByParts, Layout};
use super::split::Split;
use crate::kernels::field::Field;
use crate::machine::CpuMachine;
use crate::operands::prefetch::RowPrefetch;
use crate::operands::rows::Rows;
use crate::operands::views::Source;
use crate::system::streaming::fence;

/// A factor of a product: polynomials with big coefficients, whose digits are converted to
/// residues.
#[derive(Clone, Copy)]
pub struct Factor<'a> {
    pub polys: usize,
    pub words: Source<'a>,
    pub bits: u32,
}

impl<'a> Factor<'a> {
    pub fn new(m: &'a CpuMachine, op: &'static str, src: View<'a>, plan: &CrtSplitPlan) -> Result<Self> {
        Ok(Self { polys: src.polys(), words: m.source(op, src)?, bits: plan.crt.bits })
    }
}

/// Writes the residues of the digits of all factors to `to`: factor by factor, polynomial by
/// polynomial, digit by digit. Each element of `factors` is a factor and its number of digits. The
/// first stages of the forward transforms are included.
pub fn split(
    m: &CpuMachine,
    factors: &[(Factor<'_>, usize)],
    basis: &Basis,
    fields: &[Arc<Field>],
    layout: Layout,
    to: ByParts<'_>,
) -> Result<()> {
    // transforms in several parts take residues below 4q
    let lazy = layout.parts > 1;
    let low = Split::new(digits::BITS, fields.to_vec(), false, lazy);
    let top = |bits: Range<u32>| Split::new(bits.end - bits.start, fields.to_vec(), true, lazy);
    let tops: Vec<Split> = factors.iter().map(|&(f, count)| top(digits::digit(f.bits, count - 1))).collect();

    let mut inputs = vec![];
    for (&(factor, count), top) in factors.iter().zip(&tops) {
        for p in 0..factor.polys {
            for i in 0..count {
                inputs.push((factor, p, i, if i + 1 == count { top } else { &low }));
            }
        }
    }
    let secret = factors.iter().any(|(f, _)| f.words.is_secret());
    let own = tops.iter().chain([&low]).map(|s| s.scratch()).max().unwrap_or(0);
    let layout = layout.wide();
    let (words, strips) = (layout.words(), layout.strips());
    let size = own + words * basis.len();
    let scratch = m.worker_scratch(size, secret)?;
    m.threads.run(inputs.len() * strips, inputs.len() * words * strips * basis.len(), |worker, task| {
        let rows = |l: usize| {
            let (factor, p, i, split) = inputs[l];
            let bits = digits::digit(factor.bits, i);
            (factor.words.rows(p, digits::limbs(factor.bits, i)), bits.start % WORD_BITS, split)
        };
        let (l, strip) = (task / strips, layout.strip(task % strips));
        let (words_of, from, split) = rows(l);
        inputs[l].0.words.count(0, words_of.count() * words);
        // prefetch the words of the task that this thread probably runs next
        let next = task + 1;
        let next = if next < inputs.len() * strips {
            let strip = layout.strip(next % strips);
            rows(next / strips).0.cut(layout.parts, strip.from..strip.from + strip.columns)
        } else {
            Rows::default()
        };
        // SAFETY: a worker's words are used by one task at a time.
        let (own, residues) = unsafe { scratch.of(worker) }.split_at_mut(own);
        let mut residues: Vec<&mut [u64]> = residues.chunks_exact_mut(words).collect();
        split.strip(words_of, from, strip, own, &mut residues, &mut RowPrefetch::new(next));
        for (i, residues) in residues.into_iter().enumerate() {
            // SAFETY: strips of different tasks do not overlap.
            unsafe { fields[i].forward_first(residues, to.strip(i, l, strip)) };
        }
        fence();
    });
    Ok(())
}
