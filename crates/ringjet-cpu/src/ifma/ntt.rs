//! Negacyclic NTT for primes below 2^50: radix-8 butterflies in registers on exact three-operation products.
//!
//! A product with a constant comes out in `[0, q)` ([`Lanes::mul`]), so a forward butterfly `(x + t, x + q - t)` widens
//! its values by q only: three levels take inputs with `x < q` to outputs below `4q <= 2^52`, the most that a product
//! accepts. Only the four elements of eight that a block does not multiply at once are reduced before it. An inverse
//! butterfly `(x + y, (x - y + 2q) w)` keeps everything below 2q.
//!
//! The ring of N words is worked on in two parts. While the halves of a block are at least 64 words apart, vectors
//! hold neighbouring coefficients and a twiddle factor is one broadcast. The last six levels work on tiles of 8 x 64
//! words, transposed on the way in, so that a vector holds the same element of eight subtrees; that is the order of the
//! evaluation domain ([`ringjet_math::ntt::tree_index`]), and nothing is transposed back.
//!
//! Twiddle factors of the last six levels of subtree s are `theta_s^j` times constants that all subtrees share, so a
//! table of 14 constants a subtree replaces one of 63: 7/8 of a product more for each word, a quarter of the bytes.

use std::arch::x86_64::*;

use ringjet_math::ntt::{LOG_TILE, NttTable, bit_reverse};

use super::arith::{Constant, Lanes, Reducer, load, splat, store};

/// Words of a tile.
pub const TILE: usize = 1 << LOG_TILE;

/// Constants of one direction.
#[derive(Debug)]
struct Tables {
    /// `root^brv(i)` for the broadcast levels, i < N/64.
    broadcast: Vec<Constant>,
    /// For each tile 14 pairs of vectors over its eight subtrees: seven twiddle factors of three levels, and
    /// `theta^1 .. theta^7`.
    subtrees: Vec<[[u64; 8]; 2]>,
    /// Seven twiddle factors for each of the eight blocks of a subtree, the same in every subtree.
    shared: Vec<[Constant; 7]>,
}

/// Transforms of one prime below 2^50 and one ring degree of at least 2^10.
#[derive(Debug)]
pub struct Ntt {
    log_n: u32,
    reducer: Reducer,
    forward: Tables,
    inverse: Tables,
    n_inverse: u64,
}

/// Smallest supported log2 of the ring degree.
pub const MIN_LOG_N: u32 = 10;

impl Tables {
    /// `root(i)` is `psi^brv(i)` or its inverse.
    fn new(log_n: u32, constant: impl Fn(u64) -> Constant, root: impl Fn(usize) -> u64, table: &NttTable) -> Self {
        let (n, m) = (1usize << log_n, table.modulus());
        let trees = n / 64;
        let subtrees = (0..n / TILE).flat_map(|tile| {
            (0..14)
                .map(|k| {
                    let constants: [[u64; 2]; 8] = std::array::from_fn(|l| {
                        let s = trees + 8 * tile + l;
                        let w = match k {
                            0 => root(s),
                            1 | 2 => root(2 * s + k - 1),
                            3..=6 => root(4 * s + k - 3),
                            // theta_s is the first root of the last level of the subtree
                            _ => m.pow(root(32 * s), k as u64 - 6),
                        };
                        constant(w).0
                    });
                    [constants.map(|c| c[0]), constants.map(|c| c[1])]
                })
                .collect::<Vec<_>>()
        });
        let subtrees = subtrees.collect();
        let shared = (0..8)
            .map(|k| {
                // The roots of a block with theta = 1: powers of eta_k times 1, I = root(1) and the square roots of
                // +-I, root(2) and root(3).
                let eta = if k == 0 { 1 } else { root(4 * k) };
                let square = m.mul(eta, eta);
                [
                    constant(m.mul(square, square)),
                    constant(square),
                    constant(m.mul(square, root(1))),
                    constant(eta),
                    constant(m.mul(eta, root(1))),
                    constant(m.mul(eta, root(2))),
                    constant(m.mul(eta, root(3))),
                ]
            })
            .collect();
        Self { broadcast: (0..trees).map(|i| constant(root(i))).collect(), subtrees, shared }
    }
}

impl Ntt {
    /// Constants from the textbook tables; the prime must be below 2^50 and `log_n` at least [`MIN_LOG_N`].
    pub fn new(table: &NttTable) -> Self {
        let (log_n, m) = (table.log_n(), table.modulus());
        assert!(log_n >= MIN_LOG_N);
        let reducer = Reducer::new(m);
        let constant = |w| reducer.constant(m, w);
        debug_assert_eq!(bit_reverse(1, log_n), 1 << (log_n - 1));
        let forward = Tables::new(log_n, constant, |i| table.roots()[i].0, table);
        let inverse = Tables::new(log_n, constant, |i| table.inverse_roots()[i].0, table);
        Self { log_n, forward, inverse, n_inverse: table.n_inverse(), reducer }
    }

    /// Coefficient to evaluation domain, in place; residues in `[0, q)` before and after.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn forward(&self, x: &mut [u64]) {
        let mut buffer = Buffer([0; TILE]);
        // SAFETY: the features are there.
        unsafe { self.forward_levels(x, Some(&mut buffer)) };
    }

    /// The first levels of [`Ntt::forward`], down to tiles of [`TILE`] words that no longer depend on each other.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn forward_head(&self, x: &mut [u64]) {
        // SAFETY: the same.
        unsafe { self.forward_levels(x, None) };
    }

    /// The levels with halves of [`TILE`] words and more, and the tiles after them where they get a buffer. Each block
    /// is finished before the next one is begun, so the later levels find it in the nearest cache.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn forward_levels(&self, x: &mut [u64], mut buffer: Option<&mut Buffer>) {
        let n = 1usize << self.log_n;
        assert_eq!(x.len(), n);
        let r = self.reducer.lanes();
        let t = &self.forward;
        // first the levels that are left over from groups of three; one of them goes together with such a group
        let levels = self.log_n - LOG_TILE;
        let mut blocks = 1;
        if levels % 3 == 1 && levels > 3 {
            // SAFETY: the features are there, and n is a multiple of 16 vectors.
            unsafe { forward16(&r, x, splat(t.broadcast[1]), &nodes(&t.broadcast, 2), &nodes(&t.broadcast, 3)) };
            blocks = 16;
        } else {
            for _ in 0..levels % 3 {
                let half = n / (2 * blocks);
                for (b, block) in x.chunks_exact_mut(2 * half).enumerate() {
                    let w = splat(t.broadcast[blocks + b]);
                    for i in (0..half).step_by(8) {
                        // SAFETY: i + half + 8 <= 2 half, the length of the block.
                        unsafe {
                            // below q at the first level, below 2q at the second
                            let (u, v) = butterfly(&r, load(block, i), load(block, i + half), w);
                            store(block, i, u);
                            store(block, i + half, v);
                        }
                    }
                }
                blocks *= 2;
            }
        }
        for (b, block) in x.chunks_exact_mut(n / blocks).enumerate() {
            // SAFETY: the features are there.
            unsafe { self.forward_block(&r, block, blocks + b, buffer.as_deref_mut()) };
        }
    }

    /// All levels of one block, the root of whose subtree is `node`.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn forward_block(&self, r: &Lanes, block: &mut [u64], node: usize, mut buffer: Option<&mut Buffer>) {
        let t = &self.forward;
        if block.len() == TILE {
            if let Some(buffer) = buffer {
                let tile = node - (1 << (self.log_n - LOG_TILE));
                let pairs = &t.subtrees[14 * tile..14 * tile + 14];
                let w = nodes(&t.broadcast, node);
                // SAFETY: the features are there; the block is a tile.
                unsafe { self.forward_tile(r, block, &mut buffer.0, w, pairs, &mut Ahead::nothing()) };
            }
            return;
        }
        let stride = block.len() / 8;
        let w = nodes(&t.broadcast, node);
        for i in (0..stride).step_by(8) {
            // SAFETY: i + 7 stride + 8 <= 8 stride, the length of the block.
            unsafe {
                let mut v = gather8(block, i, stride);
                for v in &mut v[..4] {
                    *v = reduce4(r, *v);
                }
                forward8(r, &mut v, &w);
                scatter8(block, i, stride, &v);
            }
        }
        for (c, child) in block.chunks_exact_mut(stride).enumerate() {
            // SAFETY: the features are there.
            unsafe { self.forward_block(r, child, 8 * node + c, buffer.as_deref_mut()) };
        }
    }

    /// The last levels, of tile number `tile` of what [`Ntt::forward_head`] left; meanwhile lines of `ahead` are fetched.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn forward_tail(&self, tile: usize, x: &mut [u64], ahead: &mut Ahead<'_>) {
        assert_eq!(x.len(), TILE);
        let (t, blocks) = (&self.forward, 1usize << (self.log_n - LOG_TILE));
        let mut buffer = Buffer([0; TILE]);
        let pairs = &t.subtrees[14 * tile..14 * tile + 14];
        // SAFETY: the features are there; a tile has TILE words.
        unsafe {
            let w = nodes(&t.broadcast, blocks + tile);
            self.forward_tile(&self.reducer.lanes(), x, &mut buffer.0, w, pairs, ahead);
        }
    }

    /// The last nine levels of one tile.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA; `x` has TILE words.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn forward_tile(
        &self,
        r: &Lanes,
        x: &mut [u64],
        buffer: &mut [u64; TILE],
        w: [Constant; 7],
        pairs: &[[[u64; 8]; 2]],
        ahead: &mut Ahead<'_>,
    ) {
        // SAFETY: all indices are below TILE.
        unsafe {
            for g in 0..8 {
                ahead.step();
                let mut v = gather8(x, 8 * g, 64);
                for v in &mut v[..4] {
                    *v = reduce4(r, *v);
                }
                forward8(r, &mut v, &w);
                scatter8(buffer, 64 * g, 8, &transpose(v));
            }
            let w = vectors(&pairs[..7]);
            for j in 0..8 {
                ahead.step();
                let mut v = gather8(buffer, 8 * j, 64);
                if j == 0 {
                    for v in &mut v[..4] {
                        *v = reduce4(r, *v);
                    }
                } else {
                    let theta = pair(&pairs[6 + j]);
                    for v in &mut v {
                        *v = r.mul(_mm512_setzero_si512(), *v, theta);
                    }
                }
                forward8_vectors(r, &mut v, &w);
                scatter8(buffer, 8 * j, 64, &v);
            }
            for (k, w) in self.forward.shared.iter().enumerate() {
                ahead.step();
                let mut v = gather8(buffer, 64 * k, 8);
                for v in &mut v[..4] {
                    *v = reduce4(r, *v);
                }
                forward8(r, &mut v, w);
                for v in &mut v {
                    *v = reduce4(r, *v);
                }
                scatter8(x, 64 * k, 8, &v);
            }
        }
    }

    /// Evaluation to coefficient domain times the constant `c < q`, in place; residues in `[0, q)` before and after.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn inverse_scaled(&self, x: &mut [u64], c: u64, m: &ringjet_math::Modulus) {
        // SAFETY: the same.
        unsafe { self.inverse_scaled_from(None, x, c, m) }
    }

    /// [`Ntt::inverse_scaled`] of `src` into `x`, of `x` itself without `src`.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn inverse_scaled_from(&self, src: Option<&[u64]>, x: &mut [u64], c: u64, m: &ringjet_math::Modulus) {
        let n = 1usize << self.log_n;
        assert!(x.len() == n && src.is_none_or(|s| s.len() == n));
        let r = self.reducer.lanes();
        let t = &self.inverse;
        let scale = splat(self.reducer.constant(m, m.mul(c, self.n_inverse)));
        let levels = self.log_n - LOG_TILE;
        let mut buffer = Buffer([0; TILE]);
        // the levels left over from groups of three come last
        let mut blocks = 1 << (levels % 3);
        let len = n / blocks;
        for (b, block) in x.chunks_exact_mut(len).enumerate() {
            let src = src.map(|s| &s[b * len..][..len]);
            let scale = (blocks == 1).then_some(scale);
            // SAFETY: the features are there.
            unsafe { self.inverse_block(&r, src, block, blocks + b, &mut buffer, scale) };
        }
        while blocks > 1 {
            blocks /= 2;
            let half = n / (2 * blocks);
            for (b, block) in x.chunks_exact_mut(2 * half).enumerate() {
                let w = splat(t.broadcast[blocks + b]);
                for i in (0..half).step_by(8) {
                    // SAFETY: i + half + 8 <= 2 half, the length of the block.
                    unsafe {
                        let (mut u, mut v) = inverse_butterfly(&r, load(block, i), load(block, i + half), w);
                        if blocks == 1 {
                            u = r.mul(_mm512_setzero_si512(), u, scale);
                            v = r.mul(_mm512_setzero_si512(), v, scale);
                        }
                        store(block, i, u);
                        store(block, i + half, v);
                    }
                }
            }
        }
    }

    /// All levels of one block, the root of whose subtree is `node`, children first; times `scale` at the end.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn inverse_block(
        &self,
        r: &Lanes,
        src: Option<&[u64]>,
        block: &mut [u64],
        node: usize,
        buffer: &mut Buffer,
        scale: Option<[__m512i; 2]>,
    ) {
        let t = &self.inverse;
        let w = nodes(&t.broadcast, node);
        if block.len() == TILE {
            let tile = node - (1 << (self.log_n - LOG_TILE));
            let pairs = &t.subtrees[14 * tile..14 * tile + 14];
            // SAFETY: the features are there; the block is a tile.
            return unsafe { self.inverse_tile(r, src, block, &mut buffer.0, w, pairs) };
        }
        let stride = block.len() / 8;
        for (c, child) in block.chunks_exact_mut(stride).enumerate() {
            let src = src.map(|s| &s[c * stride..][..stride]);
            // SAFETY: the features are there.
            unsafe { self.inverse_block(r, src, child, 8 * node + c, buffer, None) };
        }
        for i in (0..stride).step_by(8) {
            // SAFETY: i + 7 stride + 8 <= 8 stride, the length of the block.
            unsafe {
                let mut v = gather8(block, i, stride);
                inverse8(r, &mut v, &w);
                if let Some(scale) = scale {
                    for v in &mut v {
                        *v = r.mul(_mm512_setzero_si512(), *v, scale);
                    }
                }
                scatter8(block, i, stride, &v);
            }
        }
    }

    /// The first nine levels of one tile: values below 2q at the end.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA; `x` and `src` have TILE words.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn inverse_tile(
        &self,
        r: &Lanes,
        src: Option<&[u64]>,
        x: &mut [u64],
        buffer: &mut [u64; TILE],
        w: [Constant; 7],
        pairs: &[[[u64; 8]; 2]],
    ) {
        // SAFETY: all indices are below TILE.
        unsafe {
            for (k, w) in self.inverse.shared.iter().enumerate() {
                let mut v = gather8(src.unwrap_or(x), 64 * k, 8);
                inverse8(r, &mut v, w);
                scatter8(buffer, 64 * k, 8, &v);
            }
            let tree = vectors(&pairs[..7]);
            for j in 0..8 {
                let mut v = gather8(buffer, 8 * j, 64);
                inverse8_vectors(r, &mut v, &tree);
                if j > 0 {
                    let theta = pair(&pairs[6 + j]);
                    for v in &mut v {
                        *v = r.mul(_mm512_setzero_si512(), *v, theta);
                    }
                }
                scatter8(buffer, 8 * j, 64, &v);
            }
            for g in 0..8 {
                let mut v = transpose(gather8(buffer, 64 * g, 8));
                inverse8(r, &mut v, &w);
                scatter8(x, 8 * g, 64, &v);
            }
        }
    }
}

/// Lines to fetch into the second-level cache while something else is computed: words `from..from + TILE` of some rows.
pub struct Ahead<'a> {
    rows: &'a [&'a [u64]],
    from: usize,
    /// Lines fetched so far, row after row.
    done: usize,
    /// Lines of each step.
    pace: usize,
}

/// Steps of a tile.
const STEPS: usize = 24;
/// Cache lines of a tile of one row.
const LINES: usize = TILE / 8;

impl<'a> Ahead<'a> {
    /// Tile starting at word `from` of `rows`, all within `tiles` transforms of a tile.
    pub fn new(rows: &'a [&'a [u64]], from: usize, tiles: usize) -> Self {
        Self { rows, from, done: 0, pace: (rows.len() * LINES).div_ceil(STEPS * tiles.max(1)) }
    }

    /// No lines.
    pub fn nothing() -> Self {
        Self { rows: &[], from: 0, done: 0, pace: 0 }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn step(&mut self) {
        for line in self.done..self.done + self.pace {
            if let Some(row) = self.rows.get(line / LINES) {
                // Any address may be prefetched: nothing is read architecturally.
                let start = row.as_ptr().wrapping_add(self.from + line % LINES * 8);
                _mm_prefetch::<_MM_HINT_T1>(start.cast());
            }
        }
        self.done += self.pace;
    }
}

#[repr(align(64))]
struct Buffer([u64; TILE]);

/// The twiddle factors of three levels below node `i`.
fn nodes(table: &[Constant], i: usize) -> [Constant; 7] {
    [table[i], table[2 * i], table[2 * i + 1], table[4 * i], table[4 * i + 1], table[4 * i + 2], table[4 * i + 3]]
}

#[inline]
#[target_feature(enable = "avx512f")]
fn pair(p: &[[u64; 8]; 2]) -> [__m512i; 2] {
    // SAFETY: eight words each.
    unsafe { [load(&p[0], 0), load(&p[1], 0)] }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn vectors(p: &[[[u64; 8]; 2]]) -> [[__m512i; 2]; 7] {
    std::array::from_fn(|i| pair(&p[i]))
}

/// # Safety
/// `i + 7 stride + 8 <= x.len()`.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn gather8(x: &[u64], i: usize, stride: usize) -> [__m512i; 8] {
    // SAFETY: by the caller's promise.
    std::array::from_fn(|k| unsafe { load(x, i + k * stride) })
}

/// # Safety
/// `i + 7 stride + 8 <= x.len()`.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn scatter8(x: &mut [u64], i: usize, stride: usize, v: &[__m512i; 8]) {
    for (k, v) in v.iter().enumerate() {
        // SAFETY: by the caller's promise.
        unsafe { store(x, i + k * stride, *v) };
    }
}

/// `x mod q` for x below 4q: four operations.
#[inline]
#[target_feature(enable = "avx512f")]
fn reduce4(r: &Lanes, x: __m512i) -> __m512i {
    let two_q = _mm512_add_epi64(r.q, r.q);
    r.correct(_mm512_min_epu64(x, _mm512_sub_epi64(x, two_q)))
}

/// `(x + w y, x + q - w y)`: six operations; y below 2^52.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn butterfly(r: &Lanes, x: __m512i, y: __m512i, w: [__m512i; 2]) -> (__m512i, __m512i) {
    let t = r.mul(_mm512_setzero_si512(), y, w);
    (_mm512_add_epi64(x, t), _mm512_sub_epi64(_mm512_add_epi64(x, r.q), t))
}

/// `(x + y mod 2q, w (x - y))` for x, y below 2q: eight operations.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn inverse_butterfly(r: &Lanes, x: __m512i, y: __m512i, w: [__m512i; 2]) -> (__m512i, __m512i) {
    let two_q = _mm512_add_epi64(r.q, r.q);
    let sum = _mm512_add_epi64(x, y);
    let difference = _mm512_sub_epi64(_mm512_add_epi64(x, two_q), y);
    let sum = _mm512_min_epu64(sum, _mm512_sub_epi64(sum, two_q));
    (sum, r.mul(_mm512_setzero_si512(), difference, w))
}

/// Three levels: `v[..4]` below q and `v[4..]` below 4q in, all below 4q out.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn forward8_vectors(r: &Lanes, v: &mut [__m512i; 8], w: &[[__m512i; 2]; 7]) {
    for i in 0..4 {
        (v[i], v[i + 4]) = butterfly(r, v[i], v[i + 4], w[0]);
    }
    for (i, w) in [(0, w[1]), (1, w[1]), (4, w[2]), (5, w[2])] {
        (v[i], v[i + 2]) = butterfly(r, v[i], v[i + 2], w);
    }
    for i in 0..4 {
        (v[2 * i], v[2 * i + 1]) = butterfly(r, v[2 * i], v[2 * i + 1], w[3 + i]);
    }
}

/// The first four levels at once, of residues below q: 16 vectors in registers, below 4q out.
///
/// # Safety
/// The length of `x` is a multiple of 128.
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn forward16(r: &Lanes, x: &mut [u64], w: [__m512i; 2], low: &[Constant; 7], high: &[Constant; 7]) {
    let stride = x.len() / 16;
    for i in (0..stride).step_by(8) {
        // SAFETY: i + 15 stride + 8 <= 16 stride, the length of x.
        unsafe {
            let (mut a, mut b) = (gather8(x, i, stride), gather8(x, i + 8 * stride, stride));
            for k in 0..8 {
                (a[k], b[k]) = butterfly(r, a[k], b[k], w);
            }
            for k in 0..4 {
                (a[k], b[k]) = (r.correct(a[k]), r.correct(b[k])); // from below 2q
            }
            forward8(r, &mut a, low);
            scatter8(x, i, stride, &a);
            forward8(r, &mut b, high);
            scatter8(x, i + 8 * stride, stride, &b);
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn forward8(r: &Lanes, v: &mut [__m512i; 8], w: &[Constant; 7]) {
    forward8_vectors(r, v, &std::array::from_fn(|i| splat(w[i])));
}

/// Three levels of the inverse: below 2q in and out.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn inverse8_vectors(r: &Lanes, v: &mut [__m512i; 8], w: &[[__m512i; 2]; 7]) {
    for i in 0..4 {
        (v[2 * i], v[2 * i + 1]) = inverse_butterfly(r, v[2 * i], v[2 * i + 1], w[3 + i]);
    }
    for (i, w) in [(0, w[1]), (1, w[1]), (4, w[2]), (5, w[2])] {
        (v[i], v[i + 2]) = inverse_butterfly(r, v[i], v[i + 2], w);
    }
    for i in 0..4 {
        (v[i], v[i + 4]) = inverse_butterfly(r, v[i], v[i + 4], w[0]);
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn inverse8(r: &Lanes, v: &mut [__m512i; 8], w: &[Constant; 7]) {
    inverse8_vectors(r, v, &std::array::from_fn(|i| splat(w[i])));
}

/// Transposes 8 x 8 words: 24 shuffles.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose(v: [__m512i; 8]) -> [__m512i; 8] {
    let a: [__m512i; 8] = std::array::from_fn(|i| {
        let (x, y) = (v[i & !1], v[i | 1]);
        if i & 1 == 0 { _mm512_unpacklo_epi64(x, y) } else { _mm512_unpackhi_epi64(x, y) }
    });
    // a[2k + c] holds columns c, c+2, c+4, c+6 of rows 2k and 2k+1
    let b: [__m512i; 8] = std::array::from_fn(|i| {
        let (x, y) = (a[(i & 4) | (i & 1)], a[(i & 4) | 2 | (i & 1)]);
        if i & 2 == 0 { _mm512_shuffle_i64x2::<0x88>(x, y) } else { _mm512_shuffle_i64x2::<0xdd>(x, y) }
    });
    // b[4h + 2p + c]: rows 4h..4h+4, columns c + 2p and c + 2p + 4
    std::array::from_fn(|j| {
        let (c, p, high) = (j & 1, (j >> 1) & 1, j >> 2);
        let (x, y) = (b[2 * p + c], b[4 + 2 * p + c]);
        if high == 0 { _mm512_shuffle_i64x2::<0x88>(x, y) } else { _mm512_shuffle_i64x2::<0xdd>(x, y) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::Path;
    use ringjet_math::Modulus;
    use ringjet_math::prime::ntt_primes;

    #[test]
    fn agrees_with_the_textbook() {
        if Path::best() != Path::Ifma {
            println!("no IFMA here: nothing tested");
            return;
        }
        for log_n in 10..=17 {
            for bits in [30, 40, 49, 50] {
                let m = Modulus::new(ntt_primes(log_n, bits, 1, &[]).unwrap()[0]).unwrap();
                let table = NttTable::new(m, log_n).unwrap();
                let ntt = Ntt::new(&table);
                let q = m.value();
                let n = 1u64 << log_n;
                let inputs: [Vec<u64>; 4] = [
                    (0..n).map(|i| m.mul(i.wrapping_mul(0x9e37_79b9_7f4a_7c15), 0x5851_f42d_4c95_7f2d)).collect(),
                    vec![q - 1; n as usize],
                    vec![0; n as usize],
                    (0..n).map(|i| if i == n / 3 { q - 1 } else { 0 }).collect(),
                ];
                for x in &inputs {
                    let (mut fast, mut slow) = (x.clone(), x.clone());
                    // SAFETY: the path says that IFMA is there.
                    unsafe { ntt.forward(&mut fast) };
                    table.forward(&mut slow);
                    assert!(fast == slow, "forward 2^{log_n}, {bits} bits");
                    let (mut fast, mut slow) = (x.clone(), x.clone());
                    // SAFETY: as above.
                    unsafe { ntt.inverse_scaled(&mut fast, 1, &m) };
                    table.inverse(&mut slow);
                    assert!(fast == slow, "inverse 2^{log_n}, {bits} bits");
                }
            }
        }
    }
}
