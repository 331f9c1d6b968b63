//! Shifts, linear combinations and automorphisms of big coefficients.

use ringjet_backend::big::BigTerm;
use ringjet_backend::plan::AutomorphismPlan;
use ringjet_backend::{Result, View, ViewMut, check};

#[cfg(target_arch = "x86_64")]
use super::tiles::rows_mut;
use super::tiles::{TILE, each_tile, rows};
#[cfg(target_arch = "x86_64")]
use crate::kernels::avx512;
use crate::kernels::scalar;
use crate::machine::CpuMachine;
use crate::operands::views::Source;
use crate::system::path::Path;

/// Whether rows of `n` words are computed by vector kernels.
fn vectors(m: &CpuMachine, n: usize) -> bool {
    m.fields.path() >= Path::Avx512 && n.is_multiple_of(8)
}

/// [`ringjet_backend::Backend::shift_round`].
pub fn shift_round(m: &CpuMachine, dst: ViewMut<'_>, src: View<'_>, bits: u32, shift: u32) -> Result<()> {
    check::shift_round("shift_round", &dst, src, bits, shift)?;
    let (dst, x) = (m.target("shift_round", dst)?, m.source("shift_round", src)?);
    let (vectors, carries) = (vectors(m, dst.n()), m.worker_scratch(TILE, dst.is_secret() || x.is_secret())?);
    each_tile(m, dst, src.limbs() + dst.limbs(), |worker, p, from, out| {
        let rows = rows(x, p, src.limbs(), from, out[0].len());
        x.count(p, src.limbs() * out[0].len());
        // SAFETY: a worker's words are used by one task at a time.
        let carry = &mut unsafe { carries.of(worker) }[..out[0].len()];
        #[cfg(target_arch = "x86_64")]
        if vectors {
            // SAFETY: other paths than Scalar exist only where the processor has AVX-512 F and DQ.
            return unsafe { avx512::words::shift_round(&rows, bits, shift, carry, out) };
        }
        scalar::big::shift_round(&rows, bits, shift, out);
    });
    Ok(())
}

/// [`ringjet_backend::Backend::big_lincomb`].
pub fn big_lincomb(m: &CpuMachine, dst: ViewMut<'_>, terms: &[BigTerm<'_>], bits: u32, accumulate: bool) -> Result<()> {
    check::big_lincomb("big_lincomb", &dst, terms, bits)?;
    let dst = m.target("big_lincomb", dst)?.updated(accumulate);
    let sources: Vec<Source<'_>> = terms.iter().map(|t| m.source("big_lincomb", t.src)).collect::<Result<_>>()?;
    let secret = dst.is_secret() || sources.iter().any(|s| s.is_secret());
    let (vectors, carries) = (vectors(m, dst.n()), m.worker_scratch(TILE, secret)?);
    each_tile(m, dst, (terms.len() + 1) * dst.limbs(), |worker, p, from, out| {
        let tile = out[0].len();
        // of integers with more bits only the low words are read
        terms.iter().zip(&sources).for_each(|(t, s)| s.count(p, t.src.limbs().min(dst.limbs()) * tile));
        let rows: Vec<Vec<&[u64]>> =
            terms.iter().zip(&sources).map(|(t, &s)| rows(s, p, t.src.limbs(), from, tile)).collect();
        let terms: Vec<_> = terms.iter().zip(&rows).map(|(t, rows)| (t.factor, &rows[..], t.bits)).collect();
        // SAFETY: a worker's words are used by one task at a time.
        let carry = &mut unsafe { carries.of(worker) }[..tile];
        #[cfg(target_arch = "x86_64")]
        if vectors && avx512::words::fits(&terms) {
            // SAFETY: other paths than Scalar exist only where the processor has AVX-512 F and DQ.
            return unsafe { avx512::words::lincomb(&terms, bits, accumulate, carry, out) };
        } else if vectors && m.fields.path() == Path::Ifma && terms.len() <= 1 << 10 {
            // SAFETY: the path Ifma exists only where the processor has IFMA too.
            return unsafe { avx512::words::lincomb_ifma(&terms, bits, accumulate, carry, out) };
        }
        scalar::big::lincomb(&terms, bits, accumulate, out);
    });
    Ok(())
}

/// [`ringjet_backend::Backend::big_automorphism`].
pub fn big_automorphism(
    m: &CpuMachine,
    dst: ViewMut<'_>,
    src: View<'_>,
    bits: u32,
    plan: &AutomorphismPlan,
) -> Result<()> {
    check::big_automorphism("big_automorphism", &dst, src, bits, plan)?;
    let (dst, x) = (m.target("big_automorphism", dst)?, m.source("big_automorphism", src)?);
    let map = plan.map()?;
    #[cfg(target_arch = "x86_64")]
    if vectors(m, dst.n()) {
        // One part for each thread, because every part reads most lines of every row.
        let parts = m.threads.count().div_ceil(dst.polys().max(1)).next_power_of_two().min(dst.n() / 8);
        let len = dst.n() / parts;
        let carries = m.worker_scratch(len.div_ceil(64), dst.is_secret() || x.is_secret())?;
        m.threads.run(dst.polys() * parts, 2 * dst.polys() * dst.n() * dst.limbs(), |worker, task| {
            let (p, from) = (task / parts, task % parts * len);
            let whole: Vec<&[u64]> = (0..src.limbs()).map(|i| x.peek(p, i)).collect();
            x.count(p, src.limbs() * len);
            // SAFETY: parts of different tasks do not overlap; a worker's words are used by one
            // task at a time; other paths than Scalar exist only where the processor has AVX-512 F.
            unsafe {
                let (mut out, carry) = (rows_mut(&dst, p, from, len), carries.of(worker));
                avx512::words::permute(&whole, map, bits, from, carry, &mut out);
            }
        });
        return Ok(());
    }
    each_tile(m, dst, 2 * dst.limbs(), |_, p, from, out| {
        let whole: Vec<&[u64]> = (0..src.limbs()).map(|i| x.peek(p, i)).collect();
        x.count(p, src.limbs() * out[0].len());
        scalar::big::permute(&whole, map, bits, from, out);
    });
    Ok(())
}
