//! Conversions between big coefficients and their residues, as separate operations.

use ringjet_backend::big::digits;
use ringjet_backend::plan::{CrtJoinPlan, CrtSplitPlan};
use ringjet_backend::{Result, View, ViewMut, check};

use super::join::{Join, Sum};
use super::split::Split;
use super::tiles::{TILE, each_tile};
use crate::machine::CpuMachine;
use crate::operands::prefetch::RowPrefetch;
use crate::operands::rows::RowsMut;
use crate::operands::strip::Strip;
use crate::system::streaming::fence;

/// [`ringjet_backend::Backend::crt_split`].
pub fn crt_split(m: &CpuMachine, dst: ViewMut<'_>, src: View<'_>, plan: &CrtSplitPlan) -> Result<()> {
    check::crt_split("crt_split", &dst, src, plan)?;
    let (dst, x) = (m.target("crt_split", dst)?, m.source("crt_split", src)?);
    let basis = &plan.crt.basis;
    let split = Split::new(plan.crt.bits, m.fields.of(basis)?, true, false);
    let row = split.scratch();
    let scratch = m.worker_scratch(row, x.is_secret() || dst.is_secret())?;
    each_tile(m, dst, src.limbs() * dst.limbs(), |worker, p, from, out| {
        let (strip, prefetch) = (Strip::piece(from, out[0].len()), &mut RowPrefetch::default());
        // SAFETY: a worker's words are used by one task at a time.
        let scratch = unsafe { scratch.of(worker) };
        x.count(p, src.limbs() * strip.words());
        split.strip(x.rows(p, 0..src.limbs()), 0, strip, scratch, out, prefetch);
    });
    Ok(())
}

/// [`ringjet_backend::Backend::crt_join`].
pub fn crt_join(m: &CpuMachine, dst: ViewMut<'_>, src: View<'_>, plan: &CrtJoinPlan) -> Result<()> {
    check::crt_join("crt_join", &dst, src, plan)?;
    let (dst, x) = (m.target("crt_join", dst)?, m.source("crt_join", src)?);
    let bits = plan.crt.bits;
    let sum = Sum { bits, shift: 0, digit: digits::words(bits), weights: 0..1, skip: 0, unsure: 0 };
    let join = Join::new(&plan.crt, m.fields.of(&plan.crt.basis)?, sum, false);
    let tile = TILE.min(dst.n());
    let row = join.scratch(tile);
    let scratch = m.worker_scratch(row, x.is_secret() || dst.is_secret())?;
    let work = dst.n() * dst.polys() * src.limbs() * dst.limbs();
    m.threads.run(dst.polys() * (dst.n() / tile), work, |worker, task| {
        let (p, from) = (task / (dst.n() / tile), task % (dst.n() / tile) * tile);
        let residues = |_, i, _: &mut [u64], to: RowsMut<'_>| {
            for (t, x) in x.part(p, i, from..from + tile).chunks_exact(to.words()).enumerate() {
                // SAFETY: nobody else uses `to`.
                unsafe { to.part(t, 0, x.len()) }.copy_from_slice(x);
            }
        };
        let (strip, prefetch) = (Strip::piece(from, tile), &mut RowPrefetch::default());
        dst.count(dst.limbs() * tile);
        // SAFETY: tiles of different tasks do not overlap, and a worker's words are used by one
        // task at a time.
        unsafe { join.strip(strip, residues, None, scratch.of(worker), dst.rows(p), prefetch) };
        fence();
    });
    Ok(())
}
