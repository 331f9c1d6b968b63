//! The inverse transform: evaluation to coefficient domain.

use std::arch::x86_64::*;

use ringjet_math::Modulus;

use super::inverse_levels::{Fractions, Out, Residues, Scaled};
use super::lanes::{ByRate, Factor, Lanes, by_rate, splats, vectors};
use super::pass::{Pass, RawRows, gather, inverse_pass2, inverse_pass4, inverse_pass8, scatter};
use super::ring::{Ntt, Root};
use super::scheduled::{self, Shared, Tile};
use super::tables::{Buffer, Eight, Inverse4, Leaves, Stage, TILE};
use crate::kernels::ifma::arith::splat;
use crate::kernels::lanes::permute::transpose;
use crate::operands::prefetch::{Prefetch, RowPrefetch, TilePrefetch, prefetch_lines};

impl Stage<8> {
    /// Computes the levels of this stage on its block number `b`. In the last stage of a scaled
    /// transform `root` has the constants of the last two levels.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA; and as for [`Pass::each`].
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn inverse(&self, k: &ByRate, x: Pass, b: usize, root: Option<&Inverse4>) {
        let odd = b % 2 == 1;
        // SAFETY: by the caller's promise.
        unsafe {
            by_rate!(k => match (self, root) {
                (Stage::Two(_), Some(&[c, w, ..])) => inverse_pass2(k, x, [splat(c), splat(w)]),
                (Stage::Two(nodes), None) => inverse_pass2(k, x, [k.one, splat(nodes[b])]),
                (Stage::Four(_), Some(root)) => inverse_pass4::<Scaled, _>(k, x, root),
                (Stage::Four(nodes), None) if odd => inverse_pass4::<Fractions, _>(k, x, &nodes[b]),
                (Stage::Four(nodes), None) => inverse_pass4::<Residues, _>(k, x, &nodes[b]),
                (Stage::Eight(nodes), Some(root)) => inverse_pass8::<Scaled, _>(k, x, root, &nodes[b].low),
                (Stage::Eight(nodes), None) if odd => inverse_pass8::<Fractions, _>(k, x, &nodes[b].top, &nodes[b].low),
                (Stage::Eight(nodes), None) => inverse_pass8::<Residues, _>(k, x, &nodes[b].top, &nodes[b].low),
            })
        }
    }
}

impl Ntt {
    /// Transforms from the evaluation to the coefficient domain and multiplies by the constant
    /// `c < q`, in place; residues are in `[0, q)` before and after.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn inverse_scaled(&self, x: &mut [u64], c: u64, m: &Modulus) {
        assert_eq!(x.len(), 1 << self.log_n);
        let (prefetch, root) = (&mut RowPrefetch::default(), (c != 1).then(|| self.root(c, m)));
        // SAFETY: the processor has AVX-512 F and IFMA.
        unsafe {
            self.inverse_block(&self.lanes(), None, x, 0, 0, &mut Leaves::new(prefetch), root.as_ref().map(|r| &r.0))
        };
    }

    /// [`Ntt::inverse_scaled`] of `src` into `dst`. Only the last stage writes `dst`, with `stream`
    /// by streaming stores. The other stages write `room`, which has as many words.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA. With `stream`, `dst` starts at a cache line.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn inverse_scaled_into(
        &self,
        src: &[u64],
        room: &mut [u64],
        dst: &mut [u64],
        stream: bool,
        root: &Root,
    ) {
        let n = 1usize << self.log_n;
        assert!(src.len() == n && room.len() == n);
        let (k, prefetch) = (&self.lanes(), &mut RowPrefetch::default());
        let leaves = &mut Leaves::new(prefetch);
        let len = n / self.inverse.stages[0].radix();
        // SAFETY: the processor has AVX-512 F and IFMA; a stage of radix R has blocks of R times a
        // multiple of 8 words.
        unsafe {
            for (b, room) in room.chunks_exact_mut(len).enumerate() {
                self.inverse_block(k, Some(&src[b * len..][..len]), room, 1, b, leaves, None);
            }
            self.inverse_head(room, dst, stream, root);
        }
    }

    /// The tile levels of [`Ntt::inverse_scaled`] for tile number `tile`, and, for all stages but
    /// the last, the blocks that end with this tile. The function must be called for the tiles in
    /// order; [`Ntt::inverse_head`] computes the last stage. The lines of `prefetch` are issued
    /// meanwhile.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn inverse_tail(
        &self,
        tile: usize,
        x: &mut [u64],
        buffer: &mut Buffer,
        prefetch: &mut TilePrefetch<'_>,
    ) {
        assert_eq!(x.len(), 1 << self.log_n);
        let k = &self.lanes();
        // SAFETY: the processor has AVX-512 F and IFMA; a stage of radix R has blocks of R times a
        // multiple of 8 words.
        unsafe {
            self.inverse_tile(k, tile, None, &mut x[tile * TILE..][..TILE], buffer, prefetch);
            let (mut done, mut len) = (tile + 1, TILE);
            for nodes in self.inverse.stages[1..].iter().rev() {
                let radix = nodes.radix();
                if !done.is_multiple_of(radix) {
                    break;
                }
                (done, len) = (done / radix, len * radix);
                nodes.inverse(k, Pass::of(&mut x[(done - 1) * len..][..len], radix), done - 1, None);
            }
        }
    }

    /// The last stage of [`Ntt::inverse_scaled`], from `room`, which has the results of the other
    /// stages, into `dst`, with `stream` by streaming stores.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA. With `stream`, `dst` starts at a cache line.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn inverse_head(&self, room: &mut [u64], dst: &mut [u64], stream: bool, root: &Root) {
        let n = 1usize << self.log_n;
        assert!(room.len() == n && dst.len() == n);
        let last = &self.inverse.stages[0];
        let radix = last.radix();
        let pass = Pass::new(RawRows::of(room, radix), RawRows::of(dst, radix), n / radix);
        // SAFETY: the processor has AVX-512 F and IFMA; rows are those of the slices.
        unsafe { last.inverse(&self.lanes(), if stream { pass.stream() } else { pass }, 0, Some(&root.0)) };
    }

    /// All stages of [`Ntt::inverse_scaled`] but the last ones, for part number `part`.
    /// [`Ntt::inverse_last`] takes the results: `columns` words in each row of `to`, written by
    /// streaming stores except in the smallest rings. `x` is overwritten.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA. There are rows for all words, aligned to 64 bytes,
    /// that nobody else uses.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn inverse_part(
        &self,
        part: usize,
        x: &mut [u64],
        to: RawRows,
        columns: usize,
        prefetch: &mut RowPrefetch<'_>,
    ) {
        let (k, leaves) = (&self.lanes(), &mut Leaves::new(prefetch));
        assert!(part < self.parts() && x.len() == (1 << self.log_n) / self.parts());
        // SAFETY: the processor has AVX-512 F and IFMA; a stage of radix R has blocks of R times a
        // multiple of 8 words; rows are as promised.
        unsafe {
            let Some(nodes) = self.inverse.stages.get(self.above) else {
                self.inverse_tile(k, part, None, x, &mut leaves.buffer, leaves.prefetch);
                for (i, x) in x.chunks(columns).enumerate() {
                    to.row(i, x.len()).copy_from_slice(x);
                }
                return;
            };
            let radix = nodes.radix();
            let words = x.len() / radix;
            for (c, child) in x.chunks_exact_mut(words).enumerate() {
                self.inverse_block(k, None, child, self.above + 1, radix * part + c, leaves, None);
            }
            nodes.inverse(k, Pass::of(x, radix).into_rows(to, columns).stream(), part, None);
        }
    }

    /// The last stages, for words with the same positions in all parts. `from` has a row for each
    /// part. The words of these rows, as many as in `x`, go one row after another to rows of
    /// `columns` words of `to`. `x` is scratch memory. The rows of `next` are prefetched meanwhile.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA. The rows of `from` have as many words, to which nobody
    /// writes, and there are rows of `to` for all of them, which nobody else uses.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn inverse_last(
        &self,
        from: RawRows,
        next: Option<RawRows>,
        x: &mut [u64],
        to: RawRows,
        columns: usize,
        root: &Root,
    ) {
        let (k, words) = (&self.lanes(), x.len() / self.parts());
        assert!(x.len() == self.parts() * words && words.is_multiple_of(columns) && columns.is_multiple_of(8));
        let [first, second] = [0, 1].map(|stage| self.inverse.stages.get(stage).filter(|_| stage < self.above));
        let first = first.expect("a ring has one stage above parts at least");
        let (mut from, mut next, mut row) = (from, next, words);
        // SAFETY: by the caller's promise; the other rows are those of `x`.
        unsafe {
            if let Some(second) = second {
                let radix = second.radix();
                for (b, x) in x.chunks_exact_mut(radix * words).enumerate() {
                    let pass = Pass::new(from.every(b * radix, 1), RawRows::of(x, radix), words);
                    second.inverse(k, pass.fetching(next.map(|next| next.every(b * radix, 1))), b, None);
                }
                (from, next, row) = (RawRows::of(x, first.radix()), None, x.len() / first.radix());
            }
            let pass = Pass::new(from, from, row).into_rows(to, columns).fetching(next);
            first.inverse(k, pass, 0, Some(&root.0));
        }
    }

    /// All levels from the tiles of block number `b` of a stage up to that block. In a scaled
    /// transform `root` has the constants of the last two levels. Blocks with odd numbers are left
    /// as fractions, because the next level adds and subtracts their residues by multiply-adds.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[allow(clippy::too_many_arguments, reason = "a recursion that hands its constants down")]
    unsafe fn inverse_block(
        &self,
        k: &ByRate,
        src: Option<&[u64]>,
        x: &mut [u64],
        stage: usize,
        b: usize,
        leaves: &mut Leaves<'_, '_>,
        root: Option<&Inverse4>,
    ) {
        // SAFETY: the processor has AVX-512 F and IFMA; a stage of radix R has blocks of R times a
        // multiple of 8 words.
        unsafe {
            let Some(nodes) = self.inverse.stages.get(stage) else {
                return self.inverse_tile(k, b, src, x, &mut leaves.buffer, leaves.prefetch);
            };
            let radix = nodes.radix();
            let len = x.len() / radix;
            for (c, child) in x.chunks_exact_mut(len).enumerate() {
                let src = src.map(|s| &s[c * len..][..len]);
                self.inverse_block(k, src, child, stage + 1, radix * b + c, leaves, root);
            }
            nodes.inverse(k, Pass::of(x, radix), b, root.filter(|_| stage == 0));
        }
    }

    /// The first three levels of block `b` of each subtree of a tile.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA; `x` has TILE words and `b` is below 8.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn inverse_shared<O: Out, const HALF_RATE: bool>(
        &self,
        k: &Lanes<HALF_RATE>,
        b: usize,
        x: &[u64],
        buffer: &mut [u64; TILE],
    ) {
        let Eight { top, low } = &self.inverse.shared[b];
        // SAFETY: all indices are below TILE.
        unsafe {
            let mut v = gather(x, 64 * b, 8);
            k.inverse8_first(&mut v, &splats(low));
            k.inverse8_top::<O>(&mut v, 2, &splats(top));
            scatter(buffer, 64 * b, 8, &v);
        }
    }

    /// The first nine levels of one tile. The results are fractions if `tile` is odd.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA; `x` and `src` have TILE words.
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn inverse_tile(
        &self,
        k: &ByRate,
        tile: usize,
        src: Option<&[u64]>,
        x: &mut [u64],
        buffer: &mut Buffer,
        prefetch: &mut impl Prefetch,
    ) {
        // SAFETY: by the caller's promise.
        unsafe { by_rate!(k => self.inverse_tile_with(k, tile, src, x, buffer, prefetch)) }
    }

    /// # Safety
    /// As for [`Ntt::inverse_tile`].
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn inverse_tile_with<const HALF_RATE: bool>(
        &self,
        k: &Lanes<HALF_RATE>,
        tile: usize,
        src: Option<&[u64]>,
        x: &mut [u64],
        buffer: &mut Buffer,
        prefetch: &mut impl Prefetch,
    ) {
        if HALF_RATE && self.scheduled && prefetch.is_idle() {
            // SAFETY: by the caller's promise.
            return unsafe { self.inverse_scheduled(&k.shared, tile, src, x, buffer) };
        }
        let (t, buffer) = (&self.inverse, &mut buffer.0);
        let pairs = t.of_tile(tile);
        let next = [src.unwrap_or(x), x].map(|x| x.as_ptr_range().end);
        let next_pairs = pairs.as_ptr_range().end.cast();
        // SAFETY: all indices are below TILE.
        unsafe {
            for b in (0..8).step_by(2) {
                prefetch_lines(next_pairs, 6 * b..6 * b + 12);
                prefetch.step();
                prefetch.step();
                self.inverse_shared::<Residues, _>(k, b, src.unwrap_or(x), buffer);
                self.inverse_shared::<Fractions, _>(k, b + 1, src.unwrap_or(x), buffer);
            }
            let (scale, w) = (splat(t.scale), vectors(&pairs[1..7]));
            for j in 0..8 {
                prefetch_lines(next[0], 8 * j..8 * j + 8);
                if src.is_some() {
                    prefetch_lines(next[1], 8 * j..8 * j + 8);
                }
                prefetch.step();
                let mut v: [__m512i; 8] = gather(buffer, 8 * j, 64);
                k.inverse8_levels(&mut v, k.theta(scale, pairs, j), &w);
                scatter(buffer, 8 * j, 64, &v);
            }
            let (top, low) = (splats(&t.tiles[tile].top), splats(&t.tiles[tile].low));
            if tile % 2 == 1 {
                inverse_transposed::<Fractions, _>(k, buffer, x, &top, &low, prefetch);
            } else {
                inverse_transposed::<Residues, _>(k, buffer, x, &top, &low, prefetch);
            }
        }
    }

    /// [`Ntt::inverse_tile`] in [`scheduled`] assembly.
    ///
    /// # Safety
    /// As for [`Ntt::inverse_tile`].
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn inverse_scheduled(
        &self,
        shared: &Shared,
        tile: usize,
        src: Option<&[u64]>,
        x: &mut [u64],
        buffer: &mut Buffer,
    ) {
        let (x, tables) = (x.as_mut_ptr(), &self.inverse);
        let src = src.map_or(x.cast_const(), <[u64]>::as_ptr);
        let mut tile = Tile { src, x, buffer, shared, tables, tile, next: src.wrapping_add(TILE) };
        // SAFETY: by the caller's promise.
        unsafe { scheduled::inverse(&mut tile) }
    }
}

/// Three levels, from fractions in transposed subtrees to the words of a tile in order.
///
/// # Safety
/// `x` has TILE words.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn inverse_transposed<O: Out, const HALF_RATE: bool>(
    k: &Lanes<HALF_RATE>,
    buffer: &[u64; TILE],
    x: &mut [u64],
    top: &[Factor; 8],
    low: &[Factor; 4],
    prefetch: &mut impl Prefetch,
) {
    for g in 0..8 {
        prefetch.step();
        // SAFETY: all indices are below TILE.
        unsafe {
            let mut v = transpose(gather(buffer, 64 * g, 8));
            k.inverse8_low_fractions(&mut v, low);
            k.inverse8_top::<O>(&mut v, 1, top);
            scatter(x, 8 * g, 64, &v);
        }
    }
}
