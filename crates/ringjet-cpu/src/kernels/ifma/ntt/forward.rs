//! The forward transform: coefficient to evaluation domain.

use std::arch::x86_64::*;

use super::lanes::{ByRate, Lanes, by_rate, splats, vectors};
use super::pass::{Pass, RawRows, forward_pass2, forward_pass4, forward_pass8, gather, scatter};
use super::ring::Ntt;
use super::scheduled::{self, Shared, Tile};
use super::tables::{Buffer, Eight, Leaves, Stage, TILE};
use crate::kernels::lanes::permute::{exchanged, transpose_quarters};
use crate::operands::prefetch::{Prefetch, RowPrefetch, TilePrefetch, prefetch_lines};

impl Stage<5> {
    /// Computes the levels of this stage on its block number `b`. The words of the block are below
    /// 4q, or below q with `FIRST`.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA; and as for [`Pass::each`].
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn forward<const FIRST: bool>(&self, k: &ByRate, x: Pass, b: usize) {
        // SAFETY: by the caller's promise.
        unsafe {
            by_rate!(k => match self {
                Stage::Two(nodes) => forward_pass2::<FIRST, _>(k, x, nodes[b]),
                Stage::Four(nodes) => forward_pass4::<FIRST, _>(k, x, &nodes[b]),
                Stage::Eight(nodes) => forward_pass8::<FIRST, _>(k, x, &nodes[b]),
            })
        }
    }
}

impl Ntt {
    /// Transforms from the coefficient to the evaluation domain, in place; residues are in `[0, q)`
    /// before and after.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn forward(&self, x: &mut [u64]) {
        assert_eq!(x.len(), 1 << self.log_n);
        // SAFETY: the processor has AVX-512 F and IFMA.
        unsafe { self.forward_block(&self.lanes(), x, 0, 0, Some(&mut Leaves::new(&mut RowPrefetch::default()))) };
    }

    /// The first stages of [`Ntt::forward`], for some words below 4q with the same positions in all
    /// parts. `x` has the words of part 0, then those of part 1 and so on, and is overwritten. `to`
    /// has a row for each part and is written by streaming stores.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA. The rows of `to` have as many words, aligned to 64
    /// bytes, that nobody else uses.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn forward_first(&self, x: &mut [u64], to: RawRows) {
        let (k, words) = (&self.lanes(), x.len() / self.parts());
        assert!(x.len() == self.parts() * words && words.is_multiple_of(8));
        let [first, second] = [0, 1].map(|stage| self.forward.stages.get(stage).filter(|_| stage < self.above));
        // SAFETY: by the caller's promise; the other rows are those of `x`.
        unsafe {
            match (first, second) {
                (Some(first), Some(second)) => {
                    first.forward::<false>(k, Pass::of(x, first.radix()), 0);
                    let radix = second.radix();
                    for (b, x) in x.chunks_exact_mut(radix * words).enumerate() {
                        second.forward::<false>(
                            k,
                            Pass::new(RawRows::of(x, radix), to.every(b * radix, 1), words).stream(),
                            b,
                        );
                    }
                }
                (Some(first), None) => {
                    first.forward::<false>(k, Pass::new(RawRows::of(x, first.radix()), to, words).stream(), 0)
                }
                _ => unreachable!("a ring has two stages above parts at most, and one at least"),
            }
        }
    }

    /// The other stages of [`Ntt::forward`], for part number `part`.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn forward_part(&self, part: usize, x: &mut [u64], prefetch: &mut RowPrefetch<'_>) {
        assert!(part < self.parts() && x.len() == (1 << self.log_n) / self.parts());
        // SAFETY: the processor has AVX-512 F and IFMA.
        unsafe { self.forward_block(&self.lanes(), x, self.above, part, Some(&mut Leaves::new(prefetch))) };
    }

    /// The first levels of [`Ntt::forward`] of residues in `[0, q)`, down to tiles of [`TILE`]
    /// words. After these levels the tiles do not depend on each other.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn forward_head(&self, x: &mut [u64]) {
        assert_eq!(x.len(), 1 << self.log_n);
        // SAFETY: the processor has AVX-512 F and IFMA.
        unsafe { self.forward_block(&self.lanes(), x, 0, 0, None) };
    }

    /// All levels from block number `b` of a stage down; without `leaves` only the levels above
    /// tiles. A block is finished before the next one is begun, so the later levels find its words
    /// in the first-level cache.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn forward_block(
        &self,
        k: &ByRate,
        x: &mut [u64],
        stage: usize,
        b: usize,
        mut leaves: Option<&mut Leaves<'_, '_>>,
    ) {
        // SAFETY: the processor has AVX-512 F and IFMA; a stage of radix R has blocks of R times a
        // multiple of 8 words.
        unsafe {
            let Some(nodes) = self.forward.stages.get(stage) else {
                if let Some(Leaves { buffer, prefetch }) = leaves {
                    self.forward_tile(k, b, x, buffer, *prefetch);
                }
                return;
            };
            let radix = nodes.radix();
            if stage == 0 {
                nodes.forward::<true>(k, Pass::of(x, radix), b);
            } else {
                nodes.forward::<false>(k, Pass::of(x, radix), b);
            }
            for (c, child) in x.chunks_exact_mut(x.len() / radix).enumerate() {
                self.forward_block(k, child, stage + 1, radix * b + c, leaves.as_deref_mut());
            }
        }
    }

    /// The levels of [`Ntt::forward`] after [`Ntt::forward_head`], for tile number `tile`. The
    /// lines of `prefetch` are issued meanwhile.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn forward_tail(
        &self,
        tile: usize,
        x: &mut [u64],
        buffer: &mut Buffer,
        prefetch: &mut TilePrefetch<'_>,
    ) {
        assert_eq!(x.len(), TILE);
        // SAFETY: the processor has AVX-512 F and IFMA; a tile has TILE words.
        unsafe { self.forward_tile(&self.lanes(), tile, x, buffer, prefetch) };
    }

    /// The last nine levels of one tile.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA; `x` has TILE words.
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn forward_tile(
        &self,
        k: &ByRate,
        tile: usize,
        x: &mut [u64],
        buffer: &mut Buffer,
        prefetch: &mut impl Prefetch,
    ) {
        // SAFETY: by the caller's promise.
        unsafe { by_rate!(k => self.forward_tile_with(k, tile, x, buffer, prefetch)) }
    }

    /// # Safety
    /// As for [`Ntt::forward_tile`].
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn forward_tile_with<const HALF_RATE: bool>(
        &self,
        k: &Lanes<HALF_RATE>,
        tile: usize,
        x: &mut [u64],
        buffer: &mut Buffer,
        prefetch: &mut impl Prefetch,
    ) {
        if HALF_RATE && self.scheduled && prefetch.is_idle() {
            // SAFETY: by the caller's promise.
            return unsafe { self.forward_scheduled(&k.shared, tile, x, buffer) };
        }
        let (t, buffer) = (&self.forward, &mut buffer.0);
        let pairs = t.of_tile(tile);
        // SAFETY: all indices are below TILE.
        unsafe {
            let (top, low) = (splats(&t.tiles[tile].top), splats(&t.tiles[tile].low));
            for g in 0..8 {
                // prefetches the constants of the next tile
                prefetch_lines(pairs.as_ptr_range().end.cast(), 6 * g..6 * g + 6);
                prefetch.step();
                let mut v = gather(x, 8 * g, 64);
                k.forward8::<false>(&mut v, &top, &low);
                scatter(buffer, 64 * g, 8, &transpose_quarters(v));
            }
            let w = vectors(&pairs[1..7]);
            for j in 0..8 {
                prefetch.step();
                // the second half of the transposition
                let mut v: [__m512i; 8] = std::array::from_fn(|g| exchanged(buffer, 64 * g, j));
                k.forward8_levels(&mut v, k.theta(k.one, pairs, j), &w);
                scatter(x, 8 * j, 64, &v);
            }
            for (b, Eight { top, low }) in t.shared.iter().enumerate() {
                prefetch.step();
                let mut v = gather(x, 64 * b, 8);
                k.forward8_last(&mut v, &splats(top), &splats(low));
                scatter(x, 64 * b, 8, &v);
            }
        }
    }

    /// [`Ntt::forward_tile`] in [`scheduled`] assembly.
    ///
    /// # Safety
    /// As for [`Ntt::forward_tile`].
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn forward_scheduled(&self, shared: &Shared, tile: usize, x: &mut [u64], buffer: &mut Buffer) {
        let (x, tables) = (x.as_mut_ptr(), &self.forward);
        let mut tile = Tile { src: x, x, buffer, shared, tables, tile, next: x.wrapping_add(TILE) };
        // SAFETY: by the caller's promise.
        unsafe { scheduled::forward(&mut tile) }
    }
}
