//! Operations on big coefficients: cut into tiles of coefficients, which threads share.

mod join;
mod mul;
mod prepared;
mod products;
#[cfg(test)]
mod proofs;
mod residues;
mod split;

use ringjet_backend::big::{BigTerm, digits};
use ringjet_backend::plan::{AutomorphismPlan, CrtJoinPlan, CrtSplitPlan};
use ringjet_backend::{Result, View, ViewMut, check};

use crate::CpuBackend;
#[cfg(target_arch = "x86_64")]
use crate::avx512;
use crate::memory::{Fetch, RowsMut, Source, Target, fence};
use crate::path::Path;
use crate::scalar;
use join::{Join, Sum};
pub use mul::big_mul;
pub use prepared::prepare;
use split::Split;

/// Coefficients that kernels treat at once: four vectors of eight. The words and the residues of a block stay in the first
/// cache.
pub const BLOCK: usize = 32;

/// Coefficients of a task: long enough pieces of limbs for the processor to see where the next ones are.
const TILE: usize = 512;

/// The coefficients of a task: the same columns of all rows, where the coefficients are written in rows, one row behind the other.
#[derive(Debug, Clone, Copy)]
pub struct Strip {
    /// Words of a row.
    row: usize,
    rows: usize,
    /// The first column.
    from: usize,
    columns: usize,
}

impl Strip {
    /// `words` coefficients from number `from` on.
    fn piece(from: usize, words: usize) -> Self {
        Self { row: 0, rows: 1, from, columns: words }
    }

    /// Coefficients.
    fn words(&self) -> usize {
        self.rows * self.columns
    }

    /// Coefficients of a block: none is in two rows.
    fn block(&self) -> usize {
        BLOCK.min(self.columns)
    }

    /// Where the strip's blocks start in the strip.
    fn blocks(&self) -> impl Iterator<Item = usize> {
        (0..self.words()).step_by(self.block())
    }

    /// Which coefficient of all is number `at` of the strip.
    fn place(&self, at: usize) -> usize {
        at / self.columns * self.row + self.from + at % self.columns
    }
}

/// Words `from..from + tile` of the first `limbs` limbs of polynomial `p`.
fn rows<'a>(src: Source<'a>, p: usize, limbs: usize, from: usize, tile: usize) -> Vec<&'a [u64]> {
    (0..limbs).map(|i| &src.limb(p, i)[from..from + tile]).collect()
}

/// Words `from..from + tile` of all limbs, to be written.
///
/// # Safety
/// As for [`Target::part`], of every limb.
unsafe fn rows_mut<'a>(dst: &Target<'a>, p: usize, from: usize, tile: usize) -> Vec<&'a mut [u64]> {
    // SAFETY: by the caller's promise.
    (0..dst.limbs()).map(|i| unsafe { dst.part(p, i, from, from + tile) }).collect()
}

/// Calls `f(worker, polynomial, first coefficient, rows of dst)` for every tile of `dst`, in parallel.
fn each_tile(b: &CpuBackend, dst: Target<'_>, work: usize, f: impl Fn(usize, usize, usize, &mut [&mut [u64]]) + Sync) {
    let tile = TILE.min(dst.n());
    let tiles = dst.n() / tile;
    b.threads.run(dst.polys() * tiles, dst.polys() * dst.n() * work, |worker, task| {
        let (p, from) = (task / tiles, task % tiles * tile);
        // SAFETY: tiles of different tasks do not overlap.
        f(worker, p, from, &mut unsafe { rows_mut(&dst, p, from, tile) });
    });
}

/// Whether rows of n words are treated as vectors.
fn vectors(b: &CpuBackend, n: usize) -> bool {
    b.fields.path() != Path::Scalar && n.is_multiple_of(8)
}

/// [`ringjet_backend::Backend::crt_split`].
pub fn crt_split(b: &CpuBackend, dst: ViewMut<'_>, src: View<'_>, plan: &CrtSplitPlan) -> Result<()> {
    check::crt_split("crt_split", &dst, src, plan)?;
    let (dst, x) = (b.target("crt_split", dst)?, b.source("crt_split", src)?);
    let basis = &plan.crt.basis;
    let split = Split::new(plan.crt.bits, b.fields.of(basis), true, false);
    let row = split.scratch();
    let scratch = b.workers(row, x.is_secret() || dst.is_secret())?;
    each_tile(b, dst, src.limbs() * dst.limbs(), |worker, p, from, out| {
        let (strip, fetch) = (Strip::piece(from, out[0].len()), &mut Fetch::default());
        // SAFETY: a worker's words are used by one task at a time.
        let scratch = unsafe { scratch.of(worker) };
        split.strip(x.rows(p, 0..src.limbs()), 0, strip, scratch, out, fetch);
    });
    Ok(())
}

/// [`ringjet_backend::Backend::crt_join`].
pub fn crt_join(b: &CpuBackend, dst: ViewMut<'_>, src: View<'_>, plan: &CrtJoinPlan) -> Result<()> {
    check::crt_join("crt_join", &dst, src, plan)?;
    let (dst, x) = (b.target("crt_join", dst)?, b.source("crt_join", src)?);
    let bits = plan.crt.bits;
    let sum = Sum { bits, shift: 0, digit: digits::words(bits), weights: 0..1, skip: 0, unsure: 0 };
    let join = Join::new(&plan.crt, b.fields.of(&plan.crt.basis), sum, false);
    let tile = TILE.min(dst.n());
    let row = join.scratch(tile);
    let scratch = b.workers(row, x.is_secret() || dst.is_secret())?;
    let work = dst.n() * dst.polys() * src.limbs() * dst.limbs();
    b.threads.run(dst.polys() * (dst.n() / tile), work, |worker, task| {
        let (p, from) = (task / (dst.n() / tile), task % (dst.n() / tile) * tile);
        let residues = |_, i, _: &mut [u64], to: RowsMut<'_>| {
            for (t, x) in x.limb(p, i)[from..from + tile].chunks_exact(to.words()).enumerate() {
                // SAFETY: nobody else uses what is given to be written.
                unsafe { to.part(t, 0, x.len()) }.copy_from_slice(x);
            }
        };
        let (strip, fetch) = (Strip::piece(from, tile), &mut Fetch::default());
        // SAFETY: tiles of different tasks do not overlap, and a worker's words are used by one task at a time.
        unsafe { join.strip(strip, residues, None, scratch.of(worker), dst.rows(p), fetch) };
        fence();
    });
    Ok(())
}

/// [`ringjet_backend::Backend::shift_round`].
pub fn shift_round(b: &CpuBackend, dst: ViewMut<'_>, src: View<'_>, bits: u32, shift: u32) -> Result<()> {
    check::shift_round("shift_round", &dst, src, bits, shift)?;
    let (dst, x) = (b.target("shift_round", dst)?, b.source("shift_round", src)?);
    let (vectors, carries) = (vectors(b, dst.n()), b.workers(TILE, dst.is_secret() || x.is_secret())?);
    each_tile(b, dst, src.limbs() + dst.limbs(), |worker, p, from, out| {
        let rows = rows(x, p, src.limbs(), from, out[0].len());
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
pub fn lincomb(b: &CpuBackend, dst: ViewMut<'_>, terms: &[BigTerm<'_>], bits: u32, accumulate: bool) -> Result<()> {
    check::big_lincomb("big_lincomb", &dst, terms, bits)?;
    let dst = b.target("big_lincomb", dst)?;
    let sources: Vec<Source<'_>> = terms.iter().map(|t| b.source("big_lincomb", t.src)).collect::<Result<_>>()?;
    let secret = dst.is_secret() || sources.iter().any(|s| s.is_secret());
    let (vectors, carries) = (vectors(b, dst.n()), b.workers(TILE, secret)?);
    each_tile(b, dst, (terms.len() + 1) * dst.limbs(), |worker, p, from, out| {
        let tile = out[0].len();
        let rows: Vec<Vec<&[u64]>> =
            terms.iter().zip(&sources).map(|(t, &s)| rows(s, p, t.src.limbs(), from, tile)).collect();
        let terms: Vec<_> = terms.iter().zip(&rows).map(|(t, rows)| (t.factor, &rows[..], t.bits)).collect();
        // SAFETY: a worker's words are used by one task at a time.
        let carry = &mut unsafe { carries.of(worker) }[..tile];
        #[cfg(target_arch = "x86_64")]
        if vectors && avx512::words::fits(&terms) {
            // SAFETY: other paths than Scalar exist only where the processor has AVX-512 F and DQ.
            return unsafe { avx512::words::lincomb(&terms, bits, accumulate, carry, out) };
        } else if vectors && b.fields.path() == Path::Ifma && terms.len() <= 1 << 10 {
            // SAFETY: the path Ifma exists only where the processor has IFMA too.
            return unsafe { avx512::words::lincomb_ifma(&terms, bits, accumulate, carry, out) };
        }
        scalar::big::lincomb(&terms, bits, accumulate, out);
    });
    Ok(())
}

/// [`ringjet_backend::Backend::big_automorphism`].
pub fn automorphism(b: &CpuBackend, dst: ViewMut<'_>, src: View<'_>, bits: u32, plan: &AutomorphismPlan) -> Result<()> {
    check::big_automorphism("big_automorphism", &dst, src, bits, plan)?;
    let (dst, x) = (b.target("big_automorphism", dst)?, b.source("big_automorphism", src)?);
    let map = plan.map();
    #[cfg(target_arch = "x86_64")]
    if vectors(b, dst.n()) {
        // As few parts as there are threads for: each of them reads most lines of every row.
        let parts = b.threads.count().div_ceil(dst.polys().max(1)).next_power_of_two().min(dst.n() / 8);
        let len = dst.n() / parts;
        let carries = b.workers(len.div_ceil(64), dst.is_secret() || x.is_secret())?;
        b.threads.run(dst.polys() * parts, 2 * dst.polys() * dst.n() * dst.limbs(), |worker, task| {
            let (p, from) = (task / parts, task % parts * len);
            let whole: Vec<&[u64]> = (0..src.limbs()).map(|i| x.limb(p, i)).collect();
            // SAFETY: parts of different tasks do not overlap; a worker's words are used by one task at a time; other paths than
            // Scalar exist only where the processor has AVX-512 F.
            unsafe {
                let (mut out, carry) = (rows_mut(&dst, p, from, len), carries.of(worker));
                avx512::words::permute(&whole, map, bits, from, carry, &mut out);
            }
        });
        return Ok(());
    }
    each_tile(b, dst, 2 * dst.limbs(), |_, p, from, out| {
        let whole: Vec<&[u64]> = (0..src.limbs()).map(|i| x.limb(p, i)).collect();
        scalar::big::permute(&whole, map, bits, from, out);
    });
    Ok(())
}
