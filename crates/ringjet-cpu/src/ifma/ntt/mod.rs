//! Negacyclic NTT for primes below 2^50: radix 4 and 8 in registers, on exact products.
//!
//! A product with a constant is a fraction of q first: two multiply-adds give `u` with `u q / 2^52` just above the
//! residue, and one more, `floor(u q / 2^52)`, is the residue itself, in `[0, q)` ([`super::arith`]). Fractions add
//! and subtract modulo one by themselves, so `w y + w' y'` costs one such last step, not two; and `q - w y` comes from
//! `-u`, so that both outputs of a butterfly accumulate straight onto `x`: five operations instead of the usual seven
//! or eight. Values grow by q a level; a product accepts them up to 4q <= 2^52, and only what is added to is reduced.
//! The ranges are proved, and the operations counted, in `docs/proofs/ntt-ifma.md`.
//!
//! The ring of N words is worked on in two phases. While the halves of a block are at least 64 words apart, vectors
//! hold neighbouring coefficients and a constant is one broadcast. The last six levels work on tiles of 8 x 64
//! words, transposed on the way in, so that a vector holds the same element of eight subtrees; that is the order of the
//! evaluation domain ([`ringjet_math::ntt::tree_index`]), and nothing is transposed back.
//!
//! Twiddle factors of the last three levels of subtree s are `theta_s^j` times constants that all subtrees share, so a
//! table of 21 constants a subtree replaces one of 63: each word is multiplied by a power of theta, which costs the butterflies
//! of one level two or three operations more, and the table has a third of the bytes.

mod lanes;
mod pass;
mod scheduled;
mod tables;
#[cfg(test)]
mod tests;

use std::arch::x86_64::*;

use ringjet_math::Modulus;
use ringjet_math::ntt::{LOG_TILE, NttTable};

use lanes::{Balanced, Factor, Fractions, Lanes, Out, Residues, Scaled, balanced, splats, vectors};
pub use pass::Rows;
use pass::*;
use scheduled::{Shared, Tile};
use tables::{Eight, Inverse4, Stage, Tables, forward_node, inverse_node, triple};

use super::arith::{Constant, Reducer, splat};
use crate::ahead::{Ahead, Step, fetch_lines};
use crate::avx512::permute::{exchanged, transpose, transpose_quarters};
use crate::memory::Fetch;
use crate::processor::Processor;

/// Words of a tile.
pub const TILE: usize = 1 << LOG_TILE;

/// Smallest supported log2 of the ring degree.
pub const MIN_LOG_N: u32 = 10;

/// Transforms of one prime below 2^50 and one ring degree of at least 2^10.
#[derive(Debug)]
pub struct Ntt {
    log_n: u32,
    reducer: Reducer,
    one: Constant,
    forward: Tables<5>,
    inverse: Tables<8>,
    /// Inverse of the twiddle factors of the root and its children: with a scale they make the last node.
    root: [u64; 3],
    /// Stages above parts.
    above: usize,
    /// Whether multiplications are scarce: [`Lanes`].
    scarce: bool,
    /// Whether tiles are [`scheduled`], where multiplications are scarce and nothing is fetched meanwhile.
    scheduled: bool,
}

/// Words of a part at most, where there are several: some dozens of them stay in the second cache.
const PART: usize = 1 << 12;

/// The last two levels of an inverse transform whose result is multiplied by a constant.
#[derive(Debug)]
pub struct Root(Inverse4);

/// Room for a tile between its levels.
#[derive(Debug)]
#[repr(align(64))]
pub struct Buffer([u64; TILE]);

impl Default for Buffer {
    fn default() -> Self {
        Self([0; TILE])
    }
}

/// What tiles need, one after the other.
struct Leaves<'a, 'b> {
    buffer: Buffer,
    /// What is fetched meanwhile.
    fetch: &'a mut Fetch<'b>,
}

impl<'a, 'b> Leaves<'a, 'b> {
    fn new(fetch: &'a mut Fetch<'b>) -> Self {
        Self { buffer: Buffer::default(), fetch }
    }
}

impl Stage<5> {
    /// The levels of this stage, of its block number `b`, of words below 4q; with `FIRST` below q.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA, and that of [`Pass::each`].
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn forward<const FIRST: bool>(&self, k: &Balanced, x: Pass, b: usize) {
        // SAFETY: by the caller's promise.
        unsafe {
            balanced!(k => match self {
                Stage::Two(nodes) => forward_pass2::<FIRST, _>(k, x, nodes[b]),
                Stage::Four(nodes) => forward_pass4::<FIRST, _>(k, x, &nodes[b]),
                Stage::Eight(nodes) => forward_pass8::<FIRST, _>(k, x, &nodes[b]),
            })
        }
    }
}

impl Stage<8> {
    /// The levels of this stage, of its block number `b`; `root` has the constants of the last two levels of all where this is the last
    /// stage and what comes out of it is scaled.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA, and that of [`Pass::each`].
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn inverse(&self, k: &Balanced, x: Pass, b: usize, root: Option<&Inverse4>) {
        let odd = b % 2 == 1;
        // SAFETY: by the caller's promise.
        unsafe {
            balanced!(k => match (self, root) {
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
    /// Constants from the textbook tables; the prime must be below 2^50 and `log_n` at least [`MIN_LOG_N`].
    pub fn new(table: &NttTable) -> Self {
        let (log_n, m) = (table.log_n(), table.modulus());
        assert!(log_n >= MIN_LOG_N);
        let reducer = Reducer::new(m);
        let constant = |w| reducer.constant(m, w);
        let inverse_root = |i: usize| table.inverse_roots()[i].0;
        let forward = Tables::new(table, &constant, &|i| table.roots()[i].0, &|t| forward_node(m, &constant, t), 1);
        let mut part = 1 << log_n;
        let above = forward.stages.iter().position(|stage| {
            part /= stage.radix();
            part <= PART
        });
        Self {
            log_n,
            scarce: Processor::this().scarce_multiplications,
            scheduled: Processor::this().zen_5,
            one: constant(1),
            above: above.map_or(0, |last| last + 1),
            forward,
            inverse: Tables::new(
                table,
                &constant,
                &inverse_root,
                &|t| inverse_node(m, &constant, t, 1),
                table.n_inverse(),
            ),
            root: triple(&inverse_root, 1),
            reducer,
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn lanes(&self) -> Balanced {
        let q = self.reducer.q();
        if self.scarce { Balanced::Scarce(Lanes::new(q, self.one)) } else { Balanced::Ample(Lanes::new(q, self.one)) }
    }

    /// Coefficient to evaluation domain, in place; residues in `[0, q)` before and after.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn forward(&self, x: &mut [u64]) {
        assert_eq!(x.len(), 1 << self.log_n);
        // SAFETY: the features are there.
        unsafe { self.forward_block(&self.lanes(), x, 0, 0, Some(&mut Leaves::new(&mut Fetch::default()))) };
    }

    /// Parts of the ring: the first stages combine words with the same place in all of them, the others words of one part.
    pub fn parts(&self) -> usize {
        self.forward.stages[..self.above].iter().map(|stage| stage.radix()).product()
    }

    /// The first stages of [`Ntt::forward`], of some words below 4q with the same places in all parts: `x`, which is used up, has those of one part
    /// behind those of the one before, and where they are written has a row for each part, past the caches.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA. The rows of `to` have as many words, aligned to 64 bytes, that nobody else uses.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn forward_first(&self, x: &mut [u64], to: Rows) {
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
                            Pass::new(Rows::of(x, radix), to.every(b * radix, 1), words).past(),
                            b,
                        );
                    }
                }
                (Some(first), None) => {
                    first.forward::<false>(k, Pass::new(Rows::of(x, first.radix()), to, words).past(), 0)
                }
                _ => unreachable!("a ring has two stages above parts at most, and one at least"),
            }
        }
    }

    /// The other stages of [`Ntt::forward`], of part number `part`.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn forward_part(&self, part: usize, x: &mut [u64], fetch: &mut Fetch<'_>) {
        assert!(part < self.parts() && x.len() == (1 << self.log_n) / self.parts());
        // SAFETY: the features are there.
        unsafe { self.forward_block(&self.lanes(), x, self.above, part, Some(&mut Leaves::new(fetch))) };
    }

    /// The first levels of [`Ntt::forward`] of residues in `[0, q)`, down to tiles of [`TILE`] words that no longer depend on each other.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn forward_head(&self, x: &mut [u64]) {
        assert_eq!(x.len(), 1 << self.log_n);
        // SAFETY: the features are there.
        unsafe { self.forward_block(&self.lanes(), x, 0, 0, None) };
    }

    /// All levels from block number `b` of a stage on, without leaves down to tiles. A block is finished before the next one
    /// is begun, so the later levels find it in the nearest cache.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn forward_block(
        &self,
        k: &Balanced,
        x: &mut [u64],
        stage: usize,
        b: usize,
        mut leaves: Option<&mut Leaves<'_, '_>>,
    ) {
        // SAFETY: the features are there; a stage of radix R has blocks of R times a multiple of 8 words.
        unsafe {
            let Some(nodes) = self.forward.stages.get(stage) else {
                if let Some(Leaves { buffer, fetch }) = leaves {
                    self.forward_tile(k, b, x, buffer, *fetch);
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

    /// The last levels, of tile number `tile` of what [`Ntt::forward_head`] left; meanwhile lines of `ahead` are fetched.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn forward_tail(&self, tile: usize, x: &mut [u64], buffer: &mut Buffer, ahead: &mut Ahead<'_>) {
        assert_eq!(x.len(), TILE);
        // SAFETY: the features are there; a tile has TILE words.
        unsafe { self.forward_tile(&self.lanes(), tile, x, buffer, ahead) };
    }

    /// The last nine levels of one tile.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA; `x` has TILE words.
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn forward_tile(
        &self,
        k: &Balanced,
        tile: usize,
        x: &mut [u64],
        buffer: &mut Buffer,
        ahead: &mut impl Step,
    ) {
        // SAFETY: by the caller's promise.
        unsafe { balanced!(k => self.forward_tile_with(k, tile, x, buffer, ahead)) }
    }

    /// # Safety
    /// That of [`Ntt::forward_tile`].
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn forward_tile_with<const SCARCE: bool>(
        &self,
        k: &Lanes<SCARCE>,
        tile: usize,
        x: &mut [u64],
        buffer: &mut Buffer,
        ahead: &mut impl Step,
    ) {
        if SCARCE && self.scheduled && ahead.is_idle() {
            // SAFETY: by the caller's promise.
            return unsafe { self.forward_scheduled(&k.shared, tile, x, buffer) };
        }
        let (t, buffer) = (&self.forward, &mut buffer.0);
        let pairs = t.of_tile(tile);
        // SAFETY: all indices are below TILE.
        unsafe {
            let (top, low) = (splats(&t.tiles[tile].top), splats(&t.tiles[tile].low));
            for g in 0..8 {
                // the constants of the next tile
                fetch_lines(pairs.as_ptr_range().end.cast(), 6 * g..6 * g + 6);
                ahead.step();
                let mut v = gather(x, 8 * g, 64);
                k.forward8::<false>(&mut v, &top, &low);
                scatter(buffer, 64 * g, 8, &transpose_quarters(v));
            }
            let w = vectors(&pairs[1..7]);
            for j in 0..8 {
                ahead.step();
                // what is left of the transposition
                let mut v: [__m512i; 8] = std::array::from_fn(|g| exchanged(buffer, 64 * g, j));
                k.forward8_levels(&mut v, k.theta(k.one, pairs, j), &w);
                scatter(x, 8 * j, 64, &v);
            }
            for (b, Eight { top, low }) in t.shared.iter().enumerate() {
                ahead.step();
                let mut v = gather(x, 64 * b, 8);
                k.forward8_last(&mut v, &splats(top), &splats(low));
                scatter(x, 64 * b, 8, &v);
            }
        }
    }

    /// [`Ntt::forward_tile`] as [`scheduled`].
    ///
    /// # Safety
    /// That of [`Ntt::forward_tile`].
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn forward_scheduled(&self, shared: &Shared, tile: usize, x: &mut [u64], buffer: &mut Buffer) {
        let (x, tables) = (x.as_mut_ptr(), &self.forward);
        let mut tile = Tile { src: x, x, buffer, shared, tables, tile, next: x.wrapping_add(TILE) };
        // SAFETY: by the caller's promise.
        unsafe { scheduled::forward(&mut tile) }
    }

    /// Evaluation to coefficient domain times the constant `c < q`, in place; residues in `[0, q)` before and after.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn inverse_scaled(&self, x: &mut [u64], c: u64, m: &Modulus) {
        assert_eq!(x.len(), 1 << self.log_n);
        let (fetch, root) = (&mut Fetch::default(), (c != 1).then(|| self.root(c, m)));
        // SAFETY: the features are there.
        unsafe {
            self.inverse_block(&self.lanes(), None, x, 0, 0, &mut Leaves::new(fetch), root.as_ref().map(|r| &r.0))
        };
    }

    /// [`Ntt::inverse_scaled`] of `src` into `dst`, which only the last stage writes, with `past` past the caches; the others work in `room`, which
    /// has as many words.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA. With `past`, `dst` starts at a cache line.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn inverse_scaled_into(&self, src: &[u64], room: &mut [u64], dst: &mut [u64], past: bool, root: &Root) {
        let n = 1usize << self.log_n;
        assert!(src.len() == n && room.len() == n);
        let (k, fetch) = (&self.lanes(), &mut Fetch::default());
        let leaves = &mut Leaves::new(fetch);
        let len = n / self.inverse.stages[0].radix();
        // SAFETY: the features are there; a stage of radix R has blocks of R times a multiple of 8 words.
        unsafe {
            for (b, room) in room.chunks_exact_mut(len).enumerate() {
                self.inverse_block(k, Some(&src[b * len..][..len]), room, 1, b, leaves, None);
            }
            self.inverse_head(room, dst, past, root);
        }
    }

    /// The first levels of [`Ntt::inverse_scaled`], of tile number `tile`, which comes after those before it, and what ends with it of all other stages but
    /// the last one; meanwhile lines of `ahead` are fetched. What comes out is for [`Ntt::inverse_head`].
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn inverse_tail(&self, tile: usize, x: &mut [u64], buffer: &mut Buffer, ahead: &mut Ahead<'_>) {
        assert_eq!(x.len(), 1 << self.log_n);
        let k = &self.lanes();
        // SAFETY: the features are there; a stage of radix R has blocks of R times a multiple of 8 words.
        unsafe {
            self.inverse_tile(k, tile, None, &mut x[tile * TILE..][..TILE], buffer, ahead);
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

    /// The last stage of [`Ntt::inverse_scaled`], of what the others left in `room`, into `dst`, with `past` past the caches.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA. With `past`, `dst` starts at a cache line.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn inverse_head(&self, room: &mut [u64], dst: &mut [u64], past: bool, root: &Root) {
        let n = 1usize << self.log_n;
        assert!(room.len() == n && dst.len() == n);
        let last = &self.inverse.stages[0];
        let radix = last.radix();
        let pass = Pass::new(Rows::of(room, radix), Rows::of(dst, radix), n / radix);
        // SAFETY: the features are there; rows are those of the slices.
        unsafe { last.inverse(&self.lanes(), if past { pass.past() } else { pass }, 0, Some(&root.0)) };
    }

    /// What [`Ntt::inverse_last`] needs for the constant `c < q`.
    pub fn root(&self, c: u64, m: &Modulus) -> Root {
        Root(inverse_node(m, &|w| self.reducer.constant(m, w), self.root, c))
    }

    /// The stages of [`Ntt::inverse_scaled`] but the last ones, of part number `part`, for [`Ntt::inverse_last`], which wants the
    /// words as they are then: `columns` of them in each row of `to`, written past the caches but for the smallest rings. `x` is used up.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA. There are rows for all words, aligned to 64 bytes, that nobody else uses.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn inverse_part(&self, part: usize, x: &mut [u64], to: Rows, columns: usize, fetch: &mut Fetch<'_>) {
        let (k, leaves) = (&self.lanes(), &mut Leaves::new(fetch));
        assert!(part < self.parts() && x.len() == (1 << self.log_n) / self.parts());
        // SAFETY: the features are there; a stage of radix R has blocks of R times a multiple of 8 words; rows are as promised.
        unsafe {
            let Some(nodes) = self.inverse.stages.get(self.above) else {
                self.inverse_tile(k, part, None, x, &mut leaves.buffer, leaves.fetch);
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
            nodes.inverse(k, Pass::of(x, radix).into_rows(to, columns).past(), part, None);
        }
    }

    /// The last stages, of words with the same places in all parts: `from` has a row for each part, whose words, as many as in `x`, come
    /// one after the other into rows of `columns` words of `to`. `x` is scratch memory. Meanwhile the rows of `next` are fetched.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA. The rows of `from` have as many words, to which nobody writes, and there are rows of `to` for
    /// all of them, which nobody else uses.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn inverse_last(
        &self,
        from: Rows,
        next: Option<Rows>,
        x: &mut [u64],
        to: Rows,
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
                    let pass = Pass::new(from.every(b * radix, 1), Rows::of(x, radix), words);
                    second.inverse(k, pass.fetching(next.map(|next| next.every(b * radix, 1))), b, None);
                }
                (from, next, row) = (Rows::of(x, first.radix()), None, x.len() / first.radix());
            }
            let pass = Pass::new(from, from, row).into_rows(to, columns).fetching(next);
            first.inverse(k, pass, 0, Some(&root.0));
        }
    }

    /// All levels up to block number `b` of a stage, from its tiles on; `root` has the constants of the last two levels where they scale the result.
    /// Blocks with odd numbers come out as fractions: the next level adds and subtracts their residues by multiply-adds.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[allow(clippy::too_many_arguments, reason = "a recursion that hands its constants down")]
    unsafe fn inverse_block(
        &self,
        k: &Balanced,
        src: Option<&[u64]>,
        x: &mut [u64],
        stage: usize,
        b: usize,
        leaves: &mut Leaves<'_, '_>,
        root: Option<&Inverse4>,
    ) {
        // SAFETY: the features are there; a stage of radix R has blocks of R times a multiple of 8 words.
        unsafe {
            let Some(nodes) = self.inverse.stages.get(stage) else {
                return self.inverse_tile(k, b, src, x, &mut leaves.buffer, leaves.fetch);
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
    unsafe fn inverse_shared<O: Out, const SCARCE: bool>(
        &self,
        k: &Lanes<SCARCE>,
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

    /// The first nine levels of one tile; fractions if `tile` is odd.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA; `x` and `src` have TILE words.
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn inverse_tile(
        &self,
        k: &Balanced,
        tile: usize,
        src: Option<&[u64]>,
        x: &mut [u64],
        buffer: &mut Buffer,
        ahead: &mut impl Step,
    ) {
        // SAFETY: by the caller's promise.
        unsafe { balanced!(k => self.inverse_tile_with(k, tile, src, x, buffer, ahead)) }
    }

    /// # Safety
    /// That of [`Ntt::inverse_tile`].
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn inverse_tile_with<const SCARCE: bool>(
        &self,
        k: &Lanes<SCARCE>,
        tile: usize,
        src: Option<&[u64]>,
        x: &mut [u64],
        buffer: &mut Buffer,
        ahead: &mut impl Step,
    ) {
        if SCARCE && self.scheduled && ahead.is_idle() {
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
                fetch_lines(next_pairs, 6 * b..6 * b + 12);
                ahead.step();
                ahead.step();
                self.inverse_shared::<Residues, _>(k, b, src.unwrap_or(x), buffer);
                self.inverse_shared::<Fractions, _>(k, b + 1, src.unwrap_or(x), buffer);
            }
            let (scale, w) = (splat(t.scale), vectors(&pairs[1..7]));
            for j in 0..8 {
                fetch_lines(next[0], 8 * j..8 * j + 8);
                if src.is_some() {
                    fetch_lines(next[1], 8 * j..8 * j + 8);
                }
                ahead.step();
                let mut v: [__m512i; 8] = gather(buffer, 8 * j, 64);
                k.inverse8_levels(&mut v, k.theta(scale, pairs, j), &w);
                scatter(buffer, 8 * j, 64, &v);
            }
            let (top, low) = (splats(&t.tiles[tile].top), splats(&t.tiles[tile].low));
            if tile % 2 == 1 {
                inverse_transposed::<Fractions, _>(k, buffer, x, &top, &low, ahead);
            } else {
                inverse_transposed::<Residues, _>(k, buffer, x, &top, &low, ahead);
            }
        }
    }

    /// [`Ntt::inverse_tile`] as [`scheduled`].
    ///
    /// # Safety
    /// That of [`Ntt::inverse_tile`].
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

/// Three levels that take fractions from transposed subtrees to a tile.
///
/// # Safety
/// `x` has TILE words.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn inverse_transposed<O: Out, const SCARCE: bool>(
    k: &Lanes<SCARCE>,
    buffer: &[u64; TILE],
    x: &mut [u64],
    top: &[Factor; 8],
    low: &[Factor; 4],
    ahead: &mut impl Step,
) {
    for g in 0..8 {
        ahead.step();
        // SAFETY: all indices are below TILE.
        unsafe {
            let mut v = transpose(gather(buffer, 64 * g, 8));
            k.inverse8_low_fractions(&mut v, low);
            k.inverse8_top::<O>(&mut v, 1, top);
            scatter(x, 8 * g, 64, &v);
        }
    }
}
