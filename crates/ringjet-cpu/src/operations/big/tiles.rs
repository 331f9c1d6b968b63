//! Operations on big coefficients that work tile by tile.

use crate::machine::CpuMachine;
use crate::operands::views::{Source, Target};

/// Number of coefficients of a task: pieces of limbs long enough for the hardware prefetcher to
/// follow.
pub const TILE: usize = 512;

/// Words `from..from + tile` of the first `limbs` limbs of polynomial `p`. They do not count as
/// read.
pub fn rows<'a>(src: Source<'a>, p: usize, limbs: usize, from: usize, tile: usize) -> Vec<&'a [u64]> {
    (0..limbs).map(|i| &src.peek(p, i)[from..from + tile]).collect()
}

/// Words `from..from + tile` of all limbs of polynomial `p`, to be written.
///
/// # Safety
/// As for [`Target::part`], for every limb.
pub unsafe fn rows_mut<'a>(dst: &Target<'a>, p: usize, from: usize, tile: usize) -> Vec<&'a mut [u64]> {
    // SAFETY: by the caller's promise.
    (0..dst.limbs()).map(|i| unsafe { dst.part(p, i, from, from + tile) }).collect()
}

/// Calls `f(worker, polynomial, first coefficient, rows of dst)` for every tile of `dst`, in
/// parallel.
pub fn each_tile(
    m: &CpuMachine,
    dst: Target<'_>,
    work: usize,
    f: impl Fn(usize, usize, usize, &mut [&mut [u64]]) + Sync,
) {
    let tile = TILE.min(dst.n());
    let tiles = dst.n() / tile;
    m.threads.run(dst.polys() * tiles, dst.polys() * dst.n() * work, |worker, task| {
        let (p, from) = (task / tiles, task % tiles * tile);
        // SAFETY: tiles of different tasks do not overlap.
        f(worker, p, from, &mut unsafe { rows_mut(&dst, p, from, tile) });
    });
}
