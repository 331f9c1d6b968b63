//! Negacyclic NTT for primes below 2^50: radix 4 and 8 in registers, on exact products.
//!
//! A product with a constant is a fraction of q first: two multiply-adds give `u` with `u q / 2^52` just above the
//! residue, and one more, `floor(u q / 2^52)`, is the residue itself, in `[0, q)` ([`super::arith`]). Fractions add
//! and subtract modulo one by themselves, so `w y + w' y'` costs one such last step, not two; and `q - w y` comes from
//! `-u`, so that both outputs of a butterfly accumulate straight onto `x`: five operations instead of the usual seven
//! or eight. Values grow by q a level; a product accepts them up to 4q <= 2^52, and only what is added to is reduced.
//! The ranges are proved, and the operations counted, in `docs/proofs/ntt-ifma.md`.
//!
//! The ring of N words is worked on in two parts. While the halves of a block are at least 64 words apart, vectors
//! hold neighbouring coefficients and a constant is one broadcast. The last six levels work on tiles of 8 x 64
//! words, transposed on the way in, so that a vector holds the same element of eight subtrees; that is the order of the
//! evaluation domain ([`ringjet_math::ntt::tree_index`]), and nothing is transposed back.
//!
//! Twiddle factors of the last six levels of subtree s are `theta_s^j` times constants that all subtrees share, so a
//! table of 14 constants a subtree replaces one of 63: 7/8 of a product more for each word, a quarter of the bytes.

use std::arch::x86_64::*;

use ringjet_math::Modulus;
use ringjet_math::ntt::{LOG_TILE, NttTable};

use super::arith::{Constant, Reducer, load, splat, store};
use crate::avx512::permute::transpose;

/// Words of a tile.
pub const TILE: usize = 1 << LOG_TILE;

/// Smallest supported log2 of the ring degree.
pub const MIN_LOG_N: u32 = 10;

/// Two levels of the forward transform below a node whose factor is w, with children wl and wr:
/// `w`, `wl`, `wl w`, `wr`, `-wr w`.
type Forward4 = [Constant; 5];

/// Two levels of the inverse transform below a node, all factors inverted: `c`, `c w`, `-c w`, `c wl`, `c wr`, `c w wl`,
/// `-c w wr`; c is 1 but at the root, where it scales the result.
type Inverse4 = [Constant; 7];

/// Three levels: two of a node, and its grandchildren.
#[derive(Debug)]
struct Eight<const K: usize> {
    top: [Constant; K],
    low: [Constant; 4],
}

/// A pass over blocks of one size, with the constants of each block.
#[derive(Debug)]
enum Stage<const K: usize> {
    Two(Vec<Constant>),
    Four(Vec<[Constant; K]>),
    Eight(Vec<Eight<K>>),
}

/// Constants of one direction.
#[derive(Debug)]
struct Tables<const K: usize> {
    /// Down to tiles, from the root on.
    stages: Vec<Stage<K>>,
    /// From each tile to its eight subtrees.
    tiles: Vec<Eight<K>>,
    /// For each tile 14 pairs of vectors over its eight subtrees: seven twiddle factors of three levels, and
    /// `theta^1 .. theta^7`.
    subtrees: Vec<Pair>,
    /// The last three levels of each of the eight blocks of a subtree, the same in every subtree: as in [`Eight`].
    shared: [([Constant; K], [Constant; 4]); 8],
}

/// Transforms of one prime below 2^50 and one ring degree of at least 2^10.
#[derive(Debug)]
pub struct Ntt {
    log_n: u32,
    reducer: Reducer,
    one: Constant,
    forward: Tables<5>,
    inverse: Tables<7>,
    n_inverse: u64,
    /// Inverse of the twiddle factors of the root and its children: with a scale they make the last node.
    root: [u64; 3],
    /// That node for the scale 1/N.
    unscaled: Inverse4,
}

/// Levels of the passes from the root to tiles, where there are `levels` of them. Passes of four levels would take more
/// operations off, but the lines they touch together compete for one set of the nearest cache.
fn radices(levels: u32) -> &'static [u32] {
    match levels {
        1 => &[1],
        2 => &[2],
        3 => &[3],
        4 => &[2, 2],
        5 => &[3, 2],
        6 => &[3, 3],
        7 => &[3, 2, 2],
        8 => &[3, 3, 2],
        _ => unreachable!("rings of 2^10 to 2^17 words"),
    }
}

/// The twiddle factors of a node and its children.
fn triple(root: &impl Fn(usize) -> u64, i: usize) -> [u64; 3] {
    [root(i), root(2 * i), root(2 * i + 1)]
}

impl<const K: usize> Tables<K> {
    /// `root(i)` is the twiddle factor of node i; `node` makes constants of two levels of it and those of its children.
    fn new(
        table: &NttTable,
        constant: &impl Fn(u64) -> Constant,
        root: &impl Fn(usize) -> u64,
        node: &impl Fn([u64; 3]) -> [Constant; K],
    ) -> Self {
        let (n, m) = (1usize << table.log_n(), table.modulus());
        let at = |i: usize| node(triple(root, i));
        let eight = |i: usize| Eight { top: at(i), low: std::array::from_fn(|k| constant(root(4 * i + k))) };
        let mut blocks = 1;
        let stages = radices(table.log_n() - LOG_TILE).iter().map(|&levels| {
            let nodes = blocks..2 * blocks;
            blocks <<= levels;
            match levels {
                1 => Stage::Two(nodes.map(|i| constant(root(i))).collect()),
                2 => Stage::Four(nodes.map(at).collect()),
                _ => Stage::Eight(nodes.map(eight).collect()),
            }
        });
        let stages = stages.collect();
        let trees = n / 64;
        let subtrees = (0..n / TILE).flat_map(|tile| {
            (0..14).map(move |k| {
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
                Pair([constants.map(|c| c[0]), constants.map(|c| c[1])])
            })
        });
        let shared = std::array::from_fn(|k| {
            // The roots of a block with theta = 1: powers of eta_k times 1, I = root(1) and the square roots of
            // +-I, root(2) and root(3).
            let eta = if k == 0 { 1 } else { root(4 * k) };
            let square = m.mul(eta, eta);
            let top = node([m.mul(square, square), square, m.mul(square, root(1))]);
            let low = [1, root(1), root(2), root(3)].map(|w| constant(m.mul(eta, w)));
            (top, low)
        });
        let tiles = (n / TILE..2 * n / TILE).map(eight).collect();
        Self { stages, tiles, subtrees: subtrees.collect(), shared }
    }

    /// The constants of the subtrees of tile number `tile`.
    fn of_tile(&self, tile: usize) -> &[Pair; 14] {
        self.subtrees[14 * tile..].first_chunk().expect("one for each tile")
    }
}

fn forward_node(m: &Modulus, constant: &impl Fn(u64) -> Constant, [w, l, r]: [u64; 3]) -> Forward4 {
    [w, l, m.mul(l, w), r, m.neg(m.mul(r, w))].map(constant)
}

fn inverse_node(m: &Modulus, constant: &impl Fn(u64) -> Constant, [w, l, r]: [u64; 3], c: u64) -> Inverse4 {
    let all = [1, w, m.neg(w), l, r, m.mul(w, l), m.neg(m.mul(w, r))];
    all.map(|x| constant(m.mul(c, x)))
}

impl Ntt {
    /// Constants from the textbook tables; the prime must be below 2^50 and `log_n` at least [`MIN_LOG_N`].
    pub fn new(table: &NttTable) -> Self {
        let (log_n, m) = (table.log_n(), table.modulus());
        assert!(log_n >= MIN_LOG_N);
        let reducer = Reducer::new(m);
        let constant = |w| reducer.constant(m, w);
        let inverse_root = |i: usize| table.inverse_roots()[i].0;
        Self {
            log_n,
            one: constant(1),
            forward: Tables::new(table, &constant, &|i| table.roots()[i].0, &|t| forward_node(m, &constant, t)),
            inverse: Tables::new(table, &constant, &inverse_root, &|t| inverse_node(m, &constant, t, 1)),
            n_inverse: table.n_inverse(),
            root: triple(&inverse_root, 1),
            unscaled: inverse_node(m, &constant, triple(&inverse_root, 1), table.n_inverse()),
            reducer,
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn lanes(&self) -> Lanes {
        let all = |x: u64| _mm512_set1_epi64(x as i64);
        let q = self.reducer.lanes().q;
        Lanes { q, two_q: _mm512_add_epi64(q, q), two: all(2), four: all(4), one: splat(self.one) }
    }

    /// Coefficient to evaluation domain, in place; residues in `[0, q)` before and after.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn forward(&self, x: &mut [u64]) {
        assert_eq!(x.len(), 1 << self.log_n);
        let mut buffer = Buffer([0; TILE]);
        // SAFETY: the features are there.
        unsafe { self.forward_block(&self.lanes(), x, 0, 0, Some(&mut buffer)) };
    }

    /// The first levels of [`Ntt::forward`], down to tiles of [`TILE`] words that no longer depend on each other.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn forward_head(&self, x: &mut [u64]) {
        assert_eq!(x.len(), 1 << self.log_n);
        // SAFETY: the features are there.
        unsafe { self.forward_block(&self.lanes(), x, 0, 0, None) };
    }

    /// All levels of block number `b` of a stage, without a buffer down to tiles. A block is finished before the next one
    /// is begun, so the later levels find it in the nearest cache.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn forward_block(&self, k: &Lanes, x: &mut [u64], stage: usize, b: usize, mut buffer: Option<&mut Buffer>) {
        // SAFETY: the features are there; a stage of radix R has blocks of R times a multiple of 8 words.
        unsafe {
            let radix = match self.forward.stages.get(stage) {
                Some(Stage::Two(nodes)) => forward_pass2(k, x, nodes[b]),
                Some(Stage::Four(nodes)) => forward_pass4(k, x, &nodes[b]),
                Some(Stage::Eight(nodes)) => forward_pass8(k, x, &nodes[b]),
                None => {
                    if let Some(buffer) = buffer {
                        self.forward_tile(k, b, x, buffer, &mut Ahead::nothing());
                    }
                    return;
                }
            };
            for (c, child) in x.chunks_exact_mut(x.len() / radix).enumerate() {
                self.forward_block(k, child, stage + 1, radix * b + c, buffer.as_deref_mut());
            }
        }
    }

    /// The last levels, of tile number `tile` of what [`Ntt::forward_head`] left; meanwhile lines of `ahead` are fetched.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn forward_tail(&self, tile: usize, x: &mut [u64], ahead: &mut Ahead<'_>) {
        assert_eq!(x.len(), TILE);
        // SAFETY: the features are there; a tile has TILE words.
        unsafe { self.forward_tile(&self.lanes(), tile, x, &mut Buffer([0; TILE]), ahead) };
    }

    /// The last nine levels of one tile.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA; `x` has TILE words.
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn forward_tile(&self, k: &Lanes, tile: usize, x: &mut [u64], buffer: &mut Buffer, ahead: &mut Ahead<'_>) {
        let (t, buffer) = (&self.forward, &mut buffer.0);
        let pairs = t.of_tile(tile);
        // SAFETY: all indices are below TILE.
        unsafe {
            let (top, low) = (splats(&t.tiles[tile].top), splats(&t.tiles[tile].low));
            for g in 0..8 {
                // the constants of the next tile
                fetch_lines(pairs.as_ptr_range().end.cast(), 4 * g..4 * g + 4);
                ahead.step();
                let mut v = gather(x, 8 * g, 64);
                k.forward8(&mut v, &top, &low);
                scatter(buffer, 64 * g, 8, &transpose(v));
            }
            let w = vectors(&pairs[..7]);
            for j in 0..8 {
                ahead.step();
                let mut v: [__m512i; 8] = gather(buffer, 8 * j, 64);
                if j == 0 {
                    v[0] = k.mul(v[0], k.one);
                    for v in &mut v[1..4] {
                        *v = k.below_2q(*v);
                    }
                } else {
                    let theta = pair(&pairs[6 + j]);
                    for v in &mut v {
                        *v = k.mul(*v, theta);
                    }
                }
                k.forward8_levels(&mut v, &w);
                scatter(buffer, 8 * j, 64, &v);
            }
            for (b, (top, low)) in t.shared.iter().enumerate() {
                ahead.step();
                let mut v = gather(buffer, 64 * b, 8);
                k.forward8_last(&mut v, &splats(top), &splats(low));
                scatter(x, 64 * b, 8, &v);
            }
        }
    }

    /// Evaluation to coefficient domain times the constant `c < q`, in place; residues in `[0, q)` before and after.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn inverse_scaled(&self, x: &mut [u64], c: u64, m: &Modulus) {
        // SAFETY: the same.
        unsafe { self.inverse_scaled_from(None, x, c, m) }
    }

    /// [`Ntt::inverse_scaled`] of `src` into `x`, of `x` itself without `src`.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub unsafe fn inverse_scaled_from(&self, src: Option<&[u64]>, x: &mut [u64], c: u64, m: &Modulus) {
        let n = 1usize << self.log_n;
        assert!(x.len() == n && src.is_none_or(|s| s.len() == n));
        let scaled;
        let root = if c == 1 {
            &self.unscaled
        } else {
            scaled = inverse_node(m, &|w| self.reducer.constant(m, w), self.root, m.mul(c, self.n_inverse));
            &scaled
        };
        // SAFETY: the features are there.
        unsafe { self.inverse_block(&self.lanes(), src, x, 0, 0, &mut Buffer([0; TILE]), root) };
    }

    /// All levels of block number `b` of a stage, from its tiles up; `root` has the constants of the last two levels.
    /// Blocks with odd numbers come out as fractions: the next level adds and subtracts their residues by multiply-adds.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[allow(clippy::too_many_arguments, reason = "a recursion that hands its constants down")]
    unsafe fn inverse_block(
        &self,
        k: &Lanes,
        src: Option<&[u64]>,
        x: &mut [u64],
        stage: usize,
        b: usize,
        buffer: &mut Buffer,
        root: &Inverse4,
    ) {
        // SAFETY: the features are there; a stage of radix R has blocks of R times a multiple of 8 words.
        unsafe {
            let Some(nodes) = self.inverse.stages.get(stage) else {
                return self.inverse_tile(k, b, src, x, buffer);
            };
            let radix = nodes.radix();
            let len = x.len() / radix;
            for (c, child) in x.chunks_exact_mut(len).enumerate() {
                let src = src.map(|s| &s[c * len..][..len]);
                self.inverse_block(k, src, child, stage + 1, radix * b + c, buffer, root);
            }
            let odd = b % 2 == 1;
            match nodes {
                Stage::Two(_) => inverse_pass2(k, x, root),
                Stage::Four(_) if stage == 0 => inverse_pass4::<false>(k, x, root),
                Stage::Four(nodes) if odd => inverse_pass4::<true>(k, x, &nodes[b]),
                Stage::Four(nodes) => inverse_pass4::<false>(k, x, &nodes[b]),
                Stage::Eight(nodes) if stage == 0 => inverse_pass8::<false>(k, x, root, &nodes[b].low),
                Stage::Eight(nodes) if odd => inverse_pass8::<true>(k, x, &nodes[b].top, &nodes[b].low),
                Stage::Eight(nodes) => inverse_pass8::<false>(k, x, &nodes[b].top, &nodes[b].low),
            }
        }
    }

    /// The first three levels of block `b` of each subtree of a tile.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA; `x` has TILE words and `b` is below 8.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn inverse_shared<const FRACTION: bool>(&self, k: &Lanes, b: usize, x: &[u64], buffer: &mut [u64; TILE]) {
        let (top, low) = &self.inverse.shared[b];
        // SAFETY: all indices are below TILE.
        unsafe {
            let mut v = gather(x, 64 * b, 8);
            k.inverse8_first(&mut v, &splats(low));
            k.inverse8_top::<FRACTION>(&mut v, &splats(top));
            scatter(buffer, 64 * b, 8, &v);
        }
    }

    /// The first nine levels of one tile; fractions if `tile` is odd.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA; `x` and `src` have TILE words.
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn inverse_tile(&self, k: &Lanes, tile: usize, src: Option<&[u64]>, x: &mut [u64], buffer: &mut Buffer) {
        let (t, buffer) = (&self.inverse, &mut buffer.0);
        let pairs = t.of_tile(tile);
        let next = src.unwrap_or(x).as_ptr_range().end;
        let next_pairs = pairs.as_ptr_range().end.cast();
        // SAFETY: all indices are below TILE.
        unsafe {
            for b in (0..8).step_by(2) {
                fetch_lines(next_pairs, 4 * b..4 * b + 8);
                self.inverse_shared::<false>(k, b, src.unwrap_or(x), buffer);
                self.inverse_shared::<true>(k, b + 1, src.unwrap_or(x), buffer);
            }
            let w = vectors(&pairs[..7]);
            for j in 0..8 {
                fetch_lines(next, 8 * j..8 * j + 8);
                let mut v: [__m512i; 8] = gather(buffer, 8 * j, 64);
                let theta = if j == 0 { k.one } else { pair(&pairs[6 + j]) };
                k.inverse8_levels(&mut v, &w, theta);
                scatter(buffer, 8 * j, 64, &v);
            }
            let (top, low) = (splats(&t.tiles[tile].top), splats(&t.tiles[tile].low));
            if tile % 2 == 1 {
                inverse_transposed::<true>(k, buffer, x, &top, &low);
            } else {
                inverse_transposed::<false>(k, buffer, x, &top, &low);
            }
        }
    }
}

/// Three levels that take fractions from transposed subtrees to a tile.
///
/// # Safety
/// `x` has TILE words.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn inverse_transposed<const FRACTION: bool>(
    k: &Lanes,
    buffer: &[u64; TILE],
    x: &mut [u64],
    top: &[Factor; 7],
    low: &[Factor; 4],
) {
    for g in 0..8 {
        // SAFETY: all indices are below TILE.
        unsafe {
            let mut v = transpose(gather(buffer, 64 * g, 8));
            for i in 0..4 {
                v[2 * i] = k.residue(v[2 * i]);
            }
            k.inverse8_low(&mut v, low);
            k.inverse8_top::<FRACTION>(&mut v, top);
            scatter(x, 8 * g, 64, &v);
        }
    }
}

impl<const K: usize> Stage<K> {
    fn radix(&self) -> usize {
        match self {
            Self::Two(_) => 2,
            Self::Four(_) => 4,
            Self::Eight(_) => 8,
        }
    }
}

/// Constants in vectors, and what is computed with them. Bounds are of values; every product is below q.
#[derive(Clone, Copy)]
struct Lanes {
    q: __m512i,
    two_q: __m512i,
    two: __m512i,
    four: __m512i,
    one: [__m512i; 2],
}

/// A constant in vectors.
type Factor = [__m512i; 2];

impl Lanes {
    /// `u + w y` as a fraction: y below 2^52.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn fraction(&self, u: __m512i, y: __m512i, w: Factor) -> __m512i {
        _mm512_madd52lo_epu64(_mm512_madd52hi_epu64(u, y, w[0]), y, w[1])
    }

    /// `w y` as a fraction with the offset that one or two products need.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn product(&self, y: __m512i, w: Factor) -> __m512i {
        self.fraction(self.two, y, w)
    }

    /// `x + t`, t the residue of the fraction u.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn plus(&self, x: __m512i, u: __m512i) -> __m512i {
        _mm512_madd52hi_epu64(x, u, self.q)
    }

    /// `x - t` modulo q, at most `x + q`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn minus(&self, x: __m512i, u: __m512i) -> __m512i {
        _mm512_madd52hi_epu64(x, _mm512_sub_epi64(self.four, u), self.q)
    }

    /// The residue of the fraction u.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn residue(&self, u: __m512i) -> __m512i {
        self.plus(_mm512_setzero_si512(), u)
    }

    /// `w y mod q`; y below 2^52.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn mul(&self, y: __m512i, w: Factor) -> __m512i {
        self.residue(self.product(y, w))
    }

    /// From below 4q to below 2q.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn below_2q(&self, x: __m512i) -> __m512i {
        _mm512_min_epu64(x, _mm512_sub_epi64(x, self.two_q))
    }

    /// `(x + w y, x - w y)`, each below x + q; y below 4q.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn butterfly(&self, x: __m512i, y: __m512i, w: Factor) -> (__m512i, __m512i) {
        let u = self.product(y, w);
        (self.plus(x, u), self.minus(x, u))
    }

    /// `(x + w y, x - w y)` below q; x, y below 4q.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn butterfly_last(&self, x: __m512i, y: __m512i, w: Factor) -> (__m512i, __m512i) {
        let u = self.product(x, self.one);
        let t = self.fraction(_mm512_setzero_si512(), y, w);
        (self.residue(_mm512_add_epi64(u, t)), self.residue(_mm512_sub_epi64(u, t)))
    }

    /// Two levels, results below x + 2q: `x[1..]` below 4q.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn forward4(&self, x: [__m512i; 4], w: &[Factor; 5]) -> [__m512i; 4] {
        let (a, b) = self.butterfly(x[0], x[2], w[0]);
        let s = self.fraction(self.product(x[1], w[1]), x[3], w[2]);
        let e = self.fraction(self.product(x[1], w[3]), x[3], w[4]);
        [self.plus(a, s), self.minus(a, s), self.plus(b, e), self.minus(b, e)]
    }

    /// The first two of three levels.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn forward8_top(&self, v: &mut [__m512i; 8], w: &[Factor; 5]) {
        [v[0], v[2], v[4], v[6]] = self.forward4([v[0], v[2], v[4], v[6]], w);
        [v[1], v[3], v[5], v[7]] = self.forward4([v[1], v[3], v[5], v[7]], w);
    }

    /// Three levels: below 4q in and out.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn forward8(&self, v: &mut [__m512i; 8], top: &[Factor; 5], low: &[Factor; 4]) {
        v[0] = self.mul(v[0], self.one);
        v[1] = self.below_2q(v[1]);
        self.forward8_top(v, top);
        for i in 0..4 {
            (v[2 * i], v[2 * i + 1]) = self.butterfly(v[2 * i], v[2 * i + 1], low[i]);
        }
    }

    /// Three levels: below 4q in and below q out.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn forward8_last(&self, v: &mut [__m512i; 8], top: &[Factor; 5], low: &[Factor; 4]) {
        v[0] = self.below_2q(v[0]);
        v[1] = self.below_2q(v[1]);
        self.forward8_top(v, top);
        for i in 0..4 {
            (v[2 * i], v[2 * i + 1]) = self.butterfly_last(v[2 * i], v[2 * i + 1], low[i]);
        }
    }

    /// Three levels with a constant for each node: `v[0]` below q, `v[1]` below 2q, `v[2..4]` below 3q, others below 4q;
    /// below 4q out.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn forward8_levels(&self, v: &mut [__m512i; 8], w: &[Factor; 7]) {
        for i in 0..4 {
            (v[i], v[i + 4]) = self.butterfly(v[i], v[i + 4], w[0]);
        }
        for (i, w) in [(0, w[1]), (1, w[1]), (4, w[2]), (5, w[2])] {
            (v[i], v[i + 2]) = self.butterfly(v[i], v[i + 2], w);
        }
        for i in 0..4 {
            (v[2 * i], v[2 * i + 1]) = self.butterfly(v[2 * i], v[2 * i + 1], w[3 + i]);
        }
    }

    /// `x - y + bound` for y at most `bound`, a multiple of q.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn difference(&self, x: __m512i, y: __m512i, bound: __m512i) -> __m512i {
        _mm512_sub_epi64(_mm512_add_epi64(x, bound), y)
    }

    /// `(x + y, w (x - y))` for y at most `bound`; the second as a fraction.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn inverse_butterfly(&self, x: __m512i, y: __m512i, bound: __m512i, w: Factor) -> (__m512i, __m512i) {
        (_mm512_add_epi64(x, y), self.product(self.difference(x, y, bound), w))
    }

    /// `(x + t, w (x - t))` for the residue t of the fraction u, the first below x + q; the second as a fraction.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn inverse_butterfly_fraction(&self, x: __m512i, u: __m512i, w: Factor) -> (__m512i, __m512i) {
        (self.plus(x, u), self.product(self.minus(x, u), w))
    }

    /// The fraction u as it is wanted.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn out<const FRACTION: bool>(&self, u: __m512i) -> __m512i {
        if FRACTION { u } else { self.residue(u) }
    }

    /// Two levels: `x[0]`, `x[2]` below q, `x[1]`, `x[3]` fractions.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn inverse4<const FRACTION: bool>(&self, x: [__m512i; 4], w: &[Factor; 7]) -> [__m512i; 4] {
        let (s, d) = (self.plus(x[0], x[1]), self.minus(x[0], x[1]));
        let (r, e) = (self.plus(x[2], x[3]), self.minus(x[2], x[3]));
        [
            self.out::<FRACTION>(self.product(_mm512_add_epi64(s, r), w[0])),
            self.out::<FRACTION>(self.fraction(self.product(d, w[3]), e, w[4])),
            self.out::<FRACTION>(self.product(self.difference(s, r, self.two_q), w[1])),
            self.out::<FRACTION>(self.fraction(self.product(d, w[5]), e, w[6])),
        ]
    }

    /// Two levels: x below 2q.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn inverse4_sums<const FRACTION: bool>(&self, x: [__m512i; 4], w: &[Factor; 7]) -> [__m512i; 4] {
        let (s, r) = (_mm512_add_epi64(x[0], x[1]), _mm512_add_epi64(x[2], x[3]));
        let (d, e) = (self.difference(x[0], x[1], self.two_q), self.difference(x[2], x[3], self.two_q));
        [
            self.out::<FRACTION>(self.fraction(self.product(s, w[0]), r, w[0])),
            self.out::<FRACTION>(self.fraction(self.product(d, w[3]), e, w[4])),
            self.out::<FRACTION>(self.fraction(self.product(s, w[1]), r, w[2])),
            self.out::<FRACTION>(self.fraction(self.product(d, w[5]), e, w[6])),
        ]
    }

    /// The first of three levels: below q in; even ones below 2q and odd ones fractions out.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn inverse8_first(&self, v: &mut [__m512i; 8], low: &[Factor; 4]) {
        for i in 0..4 {
            (v[2 * i], v[2 * i + 1]) = self.inverse_butterfly(v[2 * i], v[2 * i + 1], self.q, low[i]);
        }
    }

    /// The first of three levels: even ones below q and odd ones fractions in; even ones below 2q and odd ones fractions out.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn inverse8_low(&self, v: &mut [__m512i; 8], low: &[Factor; 4]) {
        for i in 0..4 {
            (v[2 * i], v[2 * i + 1]) = self.inverse_butterfly_fraction(v[2 * i], v[2 * i + 1], low[i]);
        }
    }

    /// The other two of three levels.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn inverse8_top<const FRACTION: bool>(&self, v: &mut [__m512i; 8], top: &[Factor; 7]) {
        [v[0], v[2], v[4], v[6]] = self.inverse4_sums::<FRACTION>([v[0], v[2], v[4], v[6]], top);
        let (a, b) = (self.residue(v[1]), self.residue(v[5]));
        [v[1], v[3], v[5], v[7]] = self.inverse4::<FRACTION>([a, v[3], b, v[7]], top);
    }

    /// Three levels with a constant for each node, times theta: even ones below q and odd ones fractions in, fractions out.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn inverse8_levels(&self, v: &mut [__m512i; 8], w: &[Factor; 7], theta: Factor) {
        self.inverse8_low(v, &[w[3], w[4], w[5], w[6]]);
        for (i, w) in [(0, w[1]), (4, w[2])] {
            (v[i], v[i + 2]) = self.inverse_butterfly(v[i], v[i + 2], self.two_q, w);
            (v[i + 1], v[i + 3]) = self.inverse_butterfly_fraction(self.residue(v[i + 1]), v[i + 3], w);
            v[i + 2] = self.residue(v[i + 2]);
            v[i + 3] = self.residue(v[i + 3]);
        }
        // theta comes before the last level, where both outputs of a butterfly are then fractions at once
        for i in 0..4 {
            let u = self.product(v[i], theta);
            let t = self.fraction(_mm512_setzero_si512(), v[i + 4], theta);
            v[i] = _mm512_add_epi64(u, t);
            v[i + 4] = self.product(self.residue(_mm512_sub_epi64(u, t)), w[0]);
        }
    }
}

/// # Safety
/// The length of `x` is a multiple of 16.
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn forward_pass2(k: &Lanes, x: &mut [u64], w: Constant) -> usize {
    let stride = x.len() / 2;
    let w = splat(w);
    for i in (0..stride).step_by(8) {
        // SAFETY: i + 8 <= stride.
        unsafe {
            let [a, b] = gather(x, i, stride);
            let (a, b) = k.butterfly(a, b, w);
            scatter(x, i, stride, &[a, b]);
        }
    }
    2
}

/// # Safety
/// The length of `x` is a multiple of 32.
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn forward_pass4(k: &Lanes, x: &mut [u64], w: &Forward4) -> usize {
    let stride = x.len() / 4;
    let w = splats(w);
    for i in (0..stride).step_by(8) {
        // SAFETY: i + 8 <= stride.
        unsafe {
            let mut v = gather(x, i, stride);
            v[0] = k.below_2q(v[0]);
            scatter(x, i, stride, &k.forward4(v, &w));
        }
    }
    4
}

/// # Safety
/// The length of `x` is a multiple of 64.
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn forward_pass8(k: &Lanes, x: &mut [u64], w: &Eight<5>) -> usize {
    let stride = x.len() / 8;
    let (top, low) = (splats(&w.top), splats(&w.low));
    for i in (0..stride).step_by(8) {
        // SAFETY: i + 8 <= stride.
        unsafe {
            let mut v = gather(x, i, stride);
            k.forward8(&mut v, &top, &low);
            scatter(x, i, stride, &v);
        }
    }
    8
}

/// # Safety
/// The length of `x` is a multiple of 16.
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn inverse_pass2(k: &Lanes, x: &mut [u64], w: &Inverse4) {
    let stride = x.len() / 2;
    let w = splats(w);
    for i in (0..stride).step_by(8) {
        // SAFETY: i + 8 <= stride.
        unsafe {
            let [a, b] = gather(x, i, stride);
            let (a, b) = k.inverse_butterfly_fraction(a, b, w[1]);
            scatter(x, i, stride, &[k.mul(a, w[0]), k.residue(b)]);
        }
    }
}

/// # Safety
/// The length of `x` is a multiple of 32.
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn inverse_pass4<const FRACTION: bool>(k: &Lanes, x: &mut [u64], w: &Inverse4) {
    let stride = x.len() / 4;
    let w = splats(w);
    for i in (0..stride).step_by(8) {
        // SAFETY: i + 8 <= stride.
        unsafe {
            let v = gather(x, i, stride);
            scatter(x, i, stride, &k.inverse4::<FRACTION>(v, &w));
        }
    }
}

/// # Safety
/// The length of `x` is a multiple of 64.
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn inverse_pass8<const FRACTION: bool>(k: &Lanes, x: &mut [u64], top: &Inverse4, low: &[Constant; 4]) {
    let stride = x.len() / 8;
    let (top, low) = (splats(top), splats(low));
    for i in (0..stride).step_by(8) {
        // SAFETY: i + 8 <= stride.
        unsafe {
            let mut v = gather(x, i, stride);
            k.inverse8_low(&mut v, &low);
            k.inverse8_top::<FRACTION>(&mut v, &top);
            scatter(x, i, stride, &v);
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

/// Fetches lines after `start` into the nearest cache. Any address may be named: nothing is read architecturally.
#[inline]
#[target_feature(enable = "avx512f")]
fn fetch_lines(start: *const u64, lines: std::ops::Range<usize>) {
    for line in lines {
        _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(8 * line).cast());
    }
}

#[repr(align(64))]
struct Buffer([u64; TILE]);

/// Eight constants.
#[derive(Debug)]
#[repr(align(64))]
struct Pair([[u64; 8]; 2]);

#[inline]
#[target_feature(enable = "avx512f")]
fn pair(p: &Pair) -> Factor {
    // SAFETY: eight words each.
    unsafe { [load(&p.0[0], 0), load(&p.0[1], 0)] }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn vectors<const K: usize>(p: &[Pair]) -> [Factor; K] {
    let mut w = [[_mm512_setzero_si512(); 2]; K];
    for (w, p) in w.iter_mut().zip(p) {
        *w = pair(p);
    }
    w
}

#[inline]
#[target_feature(enable = "avx512f")]
fn splats<const K: usize>(c: &[Constant; K]) -> [Factor; K] {
    let mut w = [[_mm512_setzero_si512(); 2]; K];
    for (w, c) in w.iter_mut().zip(c) {
        *w = splat(*c);
    }
    w
}

/// # Safety
/// `i + (R - 1) stride + 8 <= x.len()`.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn gather<const R: usize>(x: &[u64], i: usize, stride: usize) -> [__m512i; R] {
    let mut v = [_mm512_setzero_si512(); R];
    for (k, v) in v.iter_mut().enumerate() {
        // SAFETY: by the caller's promise.
        *v = unsafe { load(x, i + k * stride) };
    }
    v
}

/// # Safety
/// `i + (R - 1) stride + 8 <= x.len()`.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn scatter<const R: usize>(x: &mut [u64], i: usize, stride: usize, v: &[__m512i; R]) {
    for (k, v) in v.iter().enumerate() {
        // SAFETY: by the caller's promise.
        unsafe { store(x, i + k * stride, *v) };
    }
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
