//! Products of rows with a matrix of short integers.

use std::sync::Arc;

use ringjet_backend::{Gemm, Result, ViewMut, check};
use ringjet_math::Basis;

use crate::kernels::dispatch::{self, PANEL};
use crate::kernels::field::Field;
use crate::machine::CpuMachine;
use crate::operands::terms::{Factor, Output};
use crate::system::instrument::Counted;

/// [`ringjet_backend::Backend::gemm`].
pub fn gemm(m: &CpuMachine, dst: &mut [ViewMut<'_>], gemm: &Gemm<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
    check::gemm("gemm", dst, gemm, basis)?;
    let secret = dst.iter().any(|dst| dst.buf().is_secret());
    let sources = gemm.src.iter().map(|&src| m.source("gemm", src)).collect::<Result<Vec<_>>>()?;
    let rows = dst.iter_mut().map(|dst| Ok(m.target("gemm", dst.reborrow())?.updated(accumulate)));
    let rows = rows.collect::<Result<Vec<_>>>()?;
    let (Some(first), fields) = (rows.first(), m.fields.of(basis)?) else { return Ok(()) };
    let (polys, limbs, n, columns) = (first.polys(), basis.len(), basis.n(), gemm.src.len());
    let largest = gemm.weights.iter().map(|w| w.unsigned_abs()).max().unwrap_or(0);
    let kernels: Vec<Option<dispatch::Gemm>> = fields.iter().map(|f| dispatch::Gemm::new(f, largest)).collect();
    let block = kernels.iter().flatten().map(dispatch::Gemm::rows_at_once).next().unwrap_or(1);
    let padded = rows.len().next_multiple_of(block);
    let mut weights = m.scratch(if kernels.iter().any(Option::is_some) { padded * columns } else { 0 }, false)?;
    let weights = weights.words_mut();
    dispatch::pack_weights(gemm.weights, columns, block, weights);
    let words = kernels.iter().flatten().map(|k| k.scratch(padded)).max().unwrap_or(0);
    let scratch = m.worker_scratch(words, secret)?;
    let (panel, weights) = (PANEL.min(n), &*weights);
    m.threads.run(polys * limbs * (n / panel), rows.len() * columns * polys * limbs * n, |worker, task| {
        let (p, i, at) = (task % polys, task / polys % limbs, task / (polys * limbs) * panel);
        let words = at..at + panel;
        let sources: Vec<&[u64]> = sources.iter().map(|source| source.part(p, i, words.clone())).collect();
        // SAFETY: every polynomial, limb and range of words occurs in one task only.
        let row = |r: usize| unsafe { rows[r].part(p, i, at, at + panel) };
        let of = |r: usize| (gemm.factor(r, i, limbs), gemm.constant(r, p, i, limbs));
        match &kernels[i] {
            Some(kernel) => {
                // SAFETY: a worker has one task at a time.
                let scratch = &mut unsafe { scratch.of(worker) }[..kernel.scratch(padded)];
                fields[i].counters.count(Counted::Products, || rows.len() * columns * panel);
                let sums = kernel.sums(&sources, weights, padded, scratch);
                for r in 0..rows.len() {
                    let (factor, constant) = of(r);
                    kernel.finish(&sums[r * PANEL..][..panel], factor, constant, row(r), accumulate);
                }
            }
            None => {
                (0..rows.len()).for_each(|r| combined(&fields[i], row(r), gemm.row(r), &sources, of(r), accumulate))
            }
        }
    });
    Ok(())
}

/// One row, as a linear combination.
fn combined(
    f: &Arc<Field>,
    dst: &mut [u64],
    weights: &[i32],
    sources: &[&[u64]],
    (factor, constant): (u64, u64),
    added: bool,
) {
    let m = &f.modulus;
    let residue = |w: i32| m.mul(i64::from(w).rem_euclid(m.value() as i64) as u64, factor);
    let terms: Vec<(Factor, &[u64])> =
        weights.iter().zip(sources).map(|(&w, &x)| (Factor::Constant(residue(w)), x)).collect();
    dispatch::lincomb(f, dst, &terms, if added { Output::Added } else { Output::Set });
    dst.iter_mut().for_each(|x| *x = m.add(*x, constant));
}
