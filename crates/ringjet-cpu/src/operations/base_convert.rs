//! Base conversion as a separate operation. Key switches convert within their own tasks.

use ringjet_backend::plan::BaseConversionPlan;
use ringjet_backend::{Result, View, ViewMut, check};

use crate::kernels::conversion::{self, Conversion};
use crate::machine::CpuMachine;

/// [`ringjet_backend::Backend::base_convert`].
pub fn base_convert(m: &CpuMachine, dst: ViewMut<'_>, src: View<'_>, plan: &BaseConversionPlan) -> Result<()> {
    let conv = &plan.conv;
    check::conversion("base_convert", &dst, src, conv)?;
    let (dst, src) = (m.target("base_convert", dst)?, m.source("base_convert", src)?);
    let prepared = Conversion::new(conv, m.fields.of(&conv.src)?, m.fields.of(&conv.dst)?);
    let (n, limbs) = (dst.n(), prepared.inputs());
    let tile = conversion::tile().min(n);
    let row = (limbs + prepared.common_rows()) * tile;
    let scratch = m.worker_scratch(row, src.is_secret() || dst.is_secret())?;
    let tiles = n / tile;
    m.threads.run(dst.polys() * tiles, dst.polys() * n * (limbs + dst.limbs()), |worker, task| {
        let (p, from) = (task / tiles, task % tiles * tile);
        // SAFETY: a worker's words are used by one task at a time.
        let (y, common) = unsafe { scratch.of(worker) }.split_at_mut(limbs * tile);
        for (i, y) in y.chunks_exact_mut(tile).enumerate() {
            prepared.scale(i, src.part(p, i, from..from + tile), y);
        }
        let y: Vec<&[u64]> = y.chunks_exact(tile).collect();
        prepared.common(&y, common);
        for j in 0..prepared.outputs() {
            // SAFETY: tiles of different tasks do not overlap.
            let out = unsafe { dst.part(p, j, from, from + tile) };
            prepared.output(j, &y, common, out, [y[0].as_ptr(); 2], false);
        }
    });
    Ok(())
}
