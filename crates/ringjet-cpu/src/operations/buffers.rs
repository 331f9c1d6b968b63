//! Operations that copy words into buffers, out of buffers, and between buffers.

use ringjet_backend::{Buf, Result, View, ViewMut, check};

use crate::machine::CpuMachine;
use crate::operands::views::Memory;
use crate::system::instrument::Counted;

/// [`ringjet_backend::Backend::upload_each`].
pub fn upload_each(
    m: &CpuMachine,
    dst: &mut Buf,
    first_limb: usize,
    limbs: usize,
    fill: &(dyn Fn(usize, usize, &mut [u64]) + Sync),
) -> Result<()> {
    let words = limbs.saturating_mul(dst.n());
    check::range("upload_each", dst, first_limb, words)?;
    let n = dst.n();
    let dst = m.target("upload_each", dst.view_mut(1))?;
    m.threads.run(limbs, words, |worker, i| {
        // SAFETY: each limb occurs in one task only.
        fill(worker, i, unsafe { dst.draft(0, first_limb + i, 0, n) });
    });
    Ok(())
}

/// [`ringjet_backend::Backend::upload`].
pub fn upload(m: &CpuMachine, dst: &mut Buf, first_limb: usize, data: &[u64]) -> Result<()> {
    check::range("upload", dst, first_limb, data.len())?;
    check::owner("upload", &m.id, dst)?;
    let start = first_limb * dst.n();
    m.counters.count(Counted::Written, || data.len());
    if let Some(memory) = dst.storage_mut().as_any_mut().downcast_mut::<Memory>() {
        memory.0.words_mut()[start..start + data.len()].copy_from_slice(data);
    }
    Ok(())
}

/// [`ringjet_backend::Backend::download`].
pub fn download(m: &CpuMachine, src: &Buf, first_limb: usize, out: &mut [u64]) -> Result<()> {
    check::range("download", src, first_limb, out.len())?;
    let source = m.source("download", src.view(1))?;
    for (i, out) in out.chunks_exact_mut(src.n().max(1)).enumerate() {
        out.copy_from_slice(source.peek(0, first_limb + i));
    }
    Ok(())
}

/// [`ringjet_backend::Backend::copy`].
pub fn copy(m: &CpuMachine, dst: ViewMut<'_>, src: View<'_>) -> Result<()> {
    check::source("copy", &dst, src)?;
    let (dst, src) = (m.target("copy", dst)?, m.source("copy", src)?);
    m.each_limb(dst, |p, i, out| out.copy_from_slice(src.limb(p, i)));
    Ok(())
}
