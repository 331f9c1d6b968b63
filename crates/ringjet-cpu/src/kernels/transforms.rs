//! Transforms of a [`Field`]: of whole limbs, tile by tile with other work in between, and in
//! parts.
//!
//! A field has the tables of a vector path only if the processor has the instructions of that path.
//! This makes the calls of vector kernels below sound.

use ringjet_math::ntt::LOG_TILE;

use super::field::Field;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::fma;
#[cfg(target_arch = "x86_64")]
use super::ifma::ntt::{self, Buffer, RawRows};
use super::scalar;
use crate::operands::prefetch::{RowPrefetch, TilePrefetch, TileWork};
use crate::operands::rows::{Rows, RowsMut};
use crate::system::instrument::Counted;

/// Words of a tile.
const TILE: usize = 1 << LOG_TILE;

/// A constant by which an inverse transform multiplies its result.
#[derive(Debug)]
pub struct Root {
    c: u64,
    #[cfg(target_arch = "x86_64")]
    ifma: Option<ntt::Root>,
}

impl Field {
    /// Counts transforms, and for each transform the words between its two passes.
    #[inline(always)]
    fn count(&self, transform: Counted, words: impl Fn() -> usize) {
        self.counters.count(transform, &words);
        self.counters.count_near(words);
    }
}

/// Transforms of whole limbs, in place; residues are in `[0, q)` before and after.
impl Field {
    /// Transforms from the coefficient to the evaluation domain.
    pub fn forward(&self, x: &mut [u64]) {
        self.count(Counted::Ntt, || x.len());
        #[cfg(target_arch = "x86_64")]
        if let Some(ntt) = &self.ntt {
            // SAFETY: the processor has AVX-512 F and IFMA, see above.
            return unsafe { ntt.forward(x) };
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(ntt) = &self.wide {
            // SAFETY: the processor has AVX-512 F and DQ, see above.
            return unsafe { ntt.forward(self.prime.table(), x) };
        }
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        if let Some(ntt) = &self.doubles {
            // SAFETY: the processor has fused multiply-adds, see above.
            return unsafe { ntt.forward(x) };
        }
        scalar::ntt::forward(self.prime.table(), x);
    }

    /// Transforms from the evaluation to the coefficient domain.
    pub fn inverse(&self, x: &mut [u64]) {
        self.inverse_scaled(x, 1);
    }

    /// [`Field::inverse`] times the constant `c < q`.
    pub fn inverse_scaled(&self, x: &mut [u64], c: u64) {
        self.count(Counted::Intt, || x.len());
        #[cfg(target_arch = "x86_64")]
        if let Some(ntt) = &self.ntt {
            // SAFETY: as in `forward`.
            return unsafe { ntt.inverse_scaled(x, c, &self.modulus) };
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(ntt) = &self.wide {
            // SAFETY: as in `forward`.
            return unsafe { ntt.inverse_scaled(self.prime.table(), x, c) };
        }
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        if let Some(ntt) = &self.doubles {
            // SAFETY: as in `forward`.
            return unsafe { ntt.inverse_scaled(x, ntt.scale(self.prime.table(), c)) };
        }
        scalar::ntt::inverse_scaled(self.prime.table(), x, c);
    }

    /// [`Field::inverse_scaled`] of `src` into `dst`. With `stream` streaming stores are used if
    /// `dst` is aligned for them; the caller then calls [`crate::system::streaming::fence`].
    /// `scratch` has as many words. The words of `dst` count as written.
    pub fn inverse_scaled_into(&self, src: &[u64], scratch: &mut [u64], dst: &mut [u64], stream: bool, c: u64) {
        self.counters.count(Counted::Written, || dst.len());
        #[cfg(target_arch = "x86_64")]
        if let Some(ntt) = &self.ntt {
            self.count(Counted::Intt, || dst.len());
            let stream = stream && dst.as_ptr().addr().is_multiple_of(64);
            // SAFETY: as in `forward`.
            return unsafe { ntt.inverse_scaled_into(src, scratch, dst, stream, &ntt.root(c, &self.modulus)) };
        }
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        if let Some(ntt) = &self.doubles {
            self.count(Counted::Intt, || dst.len());
            // SAFETY: as in `forward`.
            return unsafe { ntt.inverse_scaled_into(src, dst, ntt.scale(self.prime.table(), c)) };
        }
        dst.copy_from_slice(src);
        self.inverse_scaled(dst, c);
    }
}

/// Transforms tile by tile, with other work on a tile while the first-level cache holds it. Rings
/// without tiles are transformed as a whole.
impl Field {
    /// [`Field::forward`] of all `rows` together. Calls `each(rows, from, to, prefetch)` as soon as
    /// words `from..to` of all rows are final. Before that, the same words of the rows that start
    /// at the pointers `with` are prefetched: during the transforms, and during the `work` that
    /// `each` does on the tile before.
    pub fn forward_each(
        &self,
        rows: &mut [&mut [u64]],
        with: &[*const u64],
        work: TileWork,
        mut each: impl FnMut(&mut [&mut [u64]], usize, usize, &mut TilePrefetch<'_>),
    ) {
        let n = 1 << self.log_n;
        #[cfg(target_arch = "x86_64")]
        if let Some(ntt) = &self.ntt {
            let mut buffer = Buffer::default();
            // SAFETY: as in `forward`.
            rows.iter_mut().for_each(|row| unsafe { ntt.forward_head(row) });
            return self.each_tile(rows, with, work, each, |tile, x, prefetch| {
                // SAFETY: as in `forward`.
                unsafe { ntt.forward_tail(tile, x, &mut buffer, prefetch) };
            });
        }
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        if let Some(ntt) = &self.doubles {
            let mut buffer = fma::ntt::Buffer::default();
            // SAFETY: as in `forward`.
            rows.iter_mut().for_each(|row| unsafe { ntt.forward_head(row) });
            return self.each_tile(rows, with, work, each, |tile, x, prefetch| {
                // SAFETY: as in `forward`.
                unsafe { ntt.forward_tail(tile, x, &mut buffer, prefetch) };
            });
        }
        rows.iter_mut().for_each(|row| self.forward(row));
        each(rows, 0, n, &mut TilePrefetch::default());
    }

    /// The rest of [`Field::forward_each`], where `tail(tile, words, prefetch)` computes the last
    /// levels of a tile.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fn each_tile(
        &self,
        rows: &mut [&mut [u64]],
        with: &[*const u64],
        work: TileWork,
        mut each: impl FnMut(&mut [&mut [u64]], usize, usize, &mut TilePrefetch<'_>),
        mut tail: impl FnMut(usize, &mut [u64], &mut TilePrefetch<'_>),
    ) {
        let n = 1 << self.log_n;
        self.count(Counted::Ntt, || rows.len() * n);
        let work = TileWork { transforms: rows.len() + work.transforms, ..work };
        for from in (0..n).step_by(TILE) {
            let mut prefetch = TilePrefetch::new(with, from + TILE, work);
            for i in 0..rows.len() {
                let next =
                    rows.get(i + 1).map_or(rows[0][from..].as_ptr().wrapping_add(TILE), |row| row[from..].as_ptr());
                tail(from / TILE, &mut rows[i][from..from + TILE], prefetch.and_tile(next));
            }
            each(rows, from, from + TILE, &mut prefetch);
        }
    }

    /// The levels of an inverse transform that only need words before `to`. Words `from..to` of `x`
    /// are the tile directly after that of the previous call, or all words. [`Field::inverse_end`]
    /// computes the other levels.
    pub fn inverse_begin(&self, x: &mut [u64], from: usize, to: usize, prefetch: &mut TilePrefetch<'_>) {
        #[cfg(target_arch = "x86_64")]
        if let Some(ntt) = &self.ntt {
            let mut buffer = Buffer::default();
            for tile in from / TILE..to / TILE {
                // SAFETY: as in `forward`.
                unsafe { ntt.inverse_tail(tile, x, &mut buffer, prefetch) };
            }
        }
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        if let Some(ntt) = &self.doubles {
            let mut buffer = fma::ntt::Buffer::default();
            for tile in from / TILE..to / TILE {
                // SAFETY: as in `forward`.
                unsafe { ntt.inverse_tail(tile, &mut x[tile * TILE..(tile + 1) * TILE], &mut buffer, prefetch) };
            }
        }
    }

    /// The levels after those of [`Field::inverse_begin`], and a multiplication by `c < q`, into
    /// `dst`. `stream` is as in [`Field::inverse_scaled_into`]. The words of `dst` count as
    /// written.
    pub fn inverse_end(&self, x: &mut [u64], dst: &mut [u64], stream: bool, c: u64) {
        self.counters.count(Counted::Written, || dst.len());
        #[cfg(target_arch = "x86_64")]
        if let Some(ntt) = &self.ntt {
            self.count(Counted::Intt, || dst.len());
            let stream = stream && dst.as_ptr().addr().is_multiple_of(64);
            // SAFETY: as in `forward`.
            return unsafe { ntt.inverse_head(x, dst, stream, &ntt.root(c, &self.modulus)) };
        }
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        if let Some(ntt) = &self.doubles {
            self.count(Counted::Intt, || dst.len());
            // SAFETY: as in `forward`.
            return unsafe { ntt.inverse_head(x, dst, ntt.scale(self.prime.table(), c)) };
        }
        dst.copy_from_slice(x);
        self.inverse_scaled(dst, c);
    }
}

/// Transforms in parts. The first stages of a forward transform combine words with the same
/// position in all parts, the other stages combine words of one part. An inverse transform ends
/// with the stages that combine parts. The words that stages of one kind leave for the other kind
/// count as written and as read.
impl Field {
    /// Number of parts, 1 where transforms are not divided.
    pub fn parts(&self) -> usize {
        #[cfg(target_arch = "x86_64")]
        if let Some(ntt) = &self.ntt {
            return ntt.parts();
        }
        1
    }

    /// The first stages of [`Field::forward`], for some words below 4q with the same positions in
    /// all parts. `x` has the words of part 0, then those of part 1 and so on, and is overwritten.
    /// `to` has a row for each part. With one part the words are copied.
    ///
    /// # Safety
    /// Nobody else uses the rows of `to`. They may be written by streaming stores: the caller calls
    /// [`crate::system::streaming::fence`] before anyone reads them.
    pub unsafe fn forward_first(&self, x: &mut [u64], to: RowsMut<'_>) {
        assert!(x.len() == to.count() * to.words());
        self.counters.count(Counted::Written, || x.len());
        #[cfg(target_arch = "x86_64")]
        if let Some(ntt) = self.ntt.as_ref().filter(|_| to.count() > 1) {
            let (start, stride) = to.place();
            assert!(to.count() == ntt.parts() && start.addr().is_multiple_of(64) && stride.is_multiple_of(8));
            // SAFETY: as in `forward`, and the rows are the caller's.
            return unsafe { ntt.forward_first(x, RawRows::new(start, stride)) };
        }
        // SAFETY: by the caller's promise.
        unsafe { to.part(0, 0, x.len()) }.copy_from_slice(x);
    }

    /// The stages of [`Field::forward`] after [`Field::forward_first`], for part number `part` of
    /// `parts`.
    pub fn forward_part(&self, [parts, part]: [usize; 2], x: &mut [u64], prefetch: &mut RowPrefetch<'_>) {
        #[cfg(target_arch = "x86_64")]
        if let Some(ntt) = self.ntt.as_ref().filter(|_| parts > 1) {
            self.count(Counted::Ntt, || x.len());
            // SAFETY: as in `forward`.
            return unsafe { ntt.forward_part(part, x, prefetch) };
        }
        self.forward(x);
    }

    /// All stages of [`Field::inverse_scaled`] except the last ones, for part number `part` of
    /// `parts`, or all stages if there is one part. The results go to the rows of `to`, one row
    /// after another. `x` is overwritten.
    ///
    /// # Safety
    /// As for [`Field::forward_first`].
    pub unsafe fn inverse_part(
        &self,
        [parts, part]: [usize; 2],
        x: &mut [u64],
        to: RowsMut<'_>,
        root: &Root,
        prefetch: &mut RowPrefetch<'_>,
    ) {
        assert!(x.len() == to.count() * to.words());
        self.counters.count(Counted::Written, || x.len());
        #[cfg(target_arch = "x86_64")]
        if let Some(ntt) = self.ntt.as_ref().filter(|_| parts > 1) {
            self.count(Counted::Intt, || x.len());
            let (start, stride) = to.place();
            assert!(start.addr().is_multiple_of(64) && stride.is_multiple_of(8));
            // SAFETY: as in `forward`, and the rows are the caller's.
            return unsafe { ntt.inverse_part(part, x, RawRows::new(start, stride), to.words(), prefetch) };
        }
        self.inverse_scaled(x, root.c);
        for (i, x) in x.chunks_exact(to.words()).enumerate() {
            // SAFETY: by the caller's promise.
            unsafe { to.part(i, 0, to.words()) }.copy_from_slice(x);
        }
    }

    /// The stages after those of [`Field::inverse_part`], for some words with the same positions in
    /// all parts. `from` has a row for each part. The words of these rows go to the rows of `to`,
    /// one row after another. `x` is scratch memory of as many words. The rows of `next` are
    /// prefetched meanwhile.
    ///
    /// # Safety
    /// Nobody else uses the rows of `to`.
    pub unsafe fn inverse_last(
        &self,
        from: Rows<'_>,
        next: Option<Rows<'_>>,
        x: &mut [u64],
        to: RowsMut<'_>,
        root: &Root,
    ) {
        let rows = from.words() / to.words();
        assert!(from.words().is_multiple_of(to.words()) && to.count() == from.count() * rows);
        assert!(x.len() == from.count() * from.words());
        self.counters.count(Counted::Read, || x.len());
        #[cfg(target_arch = "x86_64")]
        if let (Some(ntt), Some(root)) = (self.ntt.as_ref().filter(|_| from.count() > 1), &root.ifma) {
            assert!(from.count() == ntt.parts() && to.words().is_multiple_of(8));
            let rows = |rows: Rows<'_>| RawRows::new(rows.place().0.cast_mut(), rows.place().1);
            let out = RawRows::new(to.place().0, to.place().1);
            // SAFETY: as in `forward`; rows that are not the caller's are read only.
            return unsafe { ntt.inverse_last(rows(from), next.map(rows), x, out, to.words(), root) };
        }
        for (i, x) in from.row(0).chunks_exact(to.words()).enumerate() {
            // SAFETY: by the caller's promise.
            unsafe { to.part(i, 0, to.words()) }.copy_from_slice(x);
        }
    }

    /// Prepares the constant `c < q` for [`Field::inverse_part`] and [`Field::inverse_last`].
    pub fn root(&self, c: u64) -> Root {
        Root {
            c,
            #[cfg(target_arch = "x86_64")]
            ifma: self.ntt.as_ref().map(|ntt| ntt.root(c, &self.modulus)),
        }
    }
}
