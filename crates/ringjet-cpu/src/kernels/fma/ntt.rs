//! Negacyclic NTT for primes below 2^50 in double precision.
//!
//! Words hold the bits of numbers between levels. Two levels are computed at once. Vectors hold
//! neighbouring words down to blocks of 64 words. The last six levels work on tiles of 512 words, in
//! which a vector holds the same element of several subtrees, as the order of the evaluation domain
//! has them ([`ringjet_math::ntt::tree_index`]).
//!
//! Widths of lazy words are counted in eighths of q, which is below 2^50: 32 is 2^52, the most that a
//! product with a constant takes, and 64 is 2^53, the most that is exact.

use ringjet_math::Modulus;
use ringjet_math::ntt::{LOG_TILE, NttTable};

use super::arith::{Constant, Factor, Field, Prime, decode, encode};
use super::lanes::{Lanes, Moving, vectors};
use super::native::native;
use crate::operands::prefetch::{Prefetch, STEPS, TilePrefetch};

const TILE: usize = 1 << LOG_TILE;
/// Subtrees of a tile, and words of one.
const TREES: usize = 8;
const WORDS: usize = TILE / TREES;
/// Nodes of a subtree.
const NODES: usize = WORDS - 1;

/// Smallest supported log2 of the ring degree.
pub const MIN_LOG_N: u32 = LOG_TILE;

/// Widths of canonical words, of settled ones, and of products.
const CANONICAL: u32 = 8;
const SETTLED: u32 = 5;
const PRODUCT: u32 = 5;
/// The largest width of a factor.
const FACTOR: u32 = 32;

/// A factor and its ratio for each subtree of a tile.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Node {
    w: [f64; TREES],
    ratio: [f64; TREES],
}

/// Constants of one direction: those of the levels down to blocks of 64 words, by number of the node;
/// then those of the subtrees, tile by tile.
#[derive(Debug)]
struct Roots {
    head: Vec<Constant>,
    tails: Vec<Node>,
}

impl Roots {
    fn new(prime: &Prime, m: &Modulus, roots: &[(u64, u64)]) -> Self {
        let trees = roots.len() / WORDS;
        let nodes = (0..trees / TREES).flat_map(|tile| (1..=NODES).map(move |node| (tile, node)));
        let tail = |(tile, node): (usize, usize)| {
            // node 2^k + m of subtree s is node 2^k * s + m of the tree
            let first = 1 << node.ilog2();
            let at = |l: usize| prime.constant(m, roots[first * (trees + TREES * tile + l) + node - first].0);
            Node { w: std::array::from_fn(|l| at(l).w), ratio: std::array::from_fn(|l| at(l).ratio) }
        };
        Self { head: roots[..trees].iter().map(|r| prime.constant(m, r.0)).collect(), tails: nodes.map(tail).collect() }
    }
}

/// Transforms of one prime and ring.
#[derive(Debug)]
pub struct Ntt {
    prime: Prime,
    forward: Roots,
    inverse: Roots,
}

/// A tile between its levels.
#[repr(align(64))]
pub struct Buffer([u64; TILE]);

impl Default for Buffer {
    fn default() -> Self {
        Self([0; TILE])
    }
}

/// (x, y) = (x + w y, x - w y); y below [`FACTOR`].
#[inline(always)]
fn butterfly<V: Lanes>(f: &Field<V>, x: &mut V, y: &mut V, w: Factor<V>) {
    let t = f.mul_const(*y, w);
    (*x, *y) = (x.add(t), x.sub(t));
}

/// (x, y) = (x + y, w (x - y)); both together below [`FACTOR`].
#[inline(always)]
fn inverse_butterfly<V: Lanes>(f: &Field<V>, x: &mut V, y: &mut V, w: Factor<V>) {
    (*x, *y) = (x.add(*y), f.mul_const(x.sub(*y), w));
}

/// Four words at equal distances, and the constants of their node and its two children.
#[inline(always)]
fn forward_two<V: Lanes>(f: &Field<V>, [a, b, c, d]: &mut [V; 4], w: [Factor<V>; 3]) {
    butterfly(f, a, c, w[0]);
    butterfly(f, b, d, w[0]);
    butterfly(f, a, b, w[1]);
    butterfly(f, c, d, w[2]);
}

/// The inverse of [`forward_two`] on words of width [`CANONICAL`] at most. If `settles`, results are
/// at most [`PRODUCT`] wide, otherwise below [`FACTOR`].
#[inline(always)]
fn inverse_two<V: Lanes>(f: &Field<V>, [a, b, c, d]: &mut [V; 4], w: [Factor<V>; 3], settles: bool) {
    inverse_butterfly(f, a, b, w[1]);
    inverse_butterfly(f, c, d, w[2]);
    inverse_butterfly(f, a, c, w[0]);
    inverse_butterfly(f, b, d, w[0]);
    if settles {
        // sums of four and of two words
        *a = f.settle(*a);
        *b = f.settle(*b);
    }
}

/// Whether words of this width must be settled before two levels; then the width after them.
const fn before_two(width: u32) -> (bool, u32) {
    let settles = width + PRODUCT > FACTOR;
    (settles, (if settles { SETTLED } else { width }) + 2 * PRODUCT)
}

/// The width of words after `levels` levels from canonical words on: one level if their number is
/// odd, then two at a time.
fn head_width(levels: u32) -> u32 {
    let first = CANONICAL + levels % 2 * PRODUCT;
    (0..levels / 2).fold(first, |width, _| before_two(width).1)
}

impl Ntt {
    /// The transforms of a ring of at least 2^9 words modulo a prime below 2^50.
    pub fn new(table: &NttTable) -> Self {
        assert!(table.log_n() >= MIN_LOG_N && table.modulus().value() < 1 << 50);
        let (m, prime) = (table.modulus(), Prime::new(table.modulus()));
        let (forward, inverse) = (Roots::new(&prime, m, table.roots()), Roots::new(&prime, m, table.inverse_roots()));
        Self { prime, forward, inverse }
    }

    native! {
        /// Transforms from the coefficient to the evaluation domain, in place; residues are in `[0, q)`
        /// before and after.
        pub fn forward(&self, x: &mut [u64]) => forward_on
    }

    native! {
        /// The levels of [`Ntt::forward`] down to tiles. Afterwards words are the bits of numbers.
        pub fn forward_head(&self, x: &mut [u64]) => forward_head_on
    }

    native! {
        /// The levels of [`Ntt::forward`] after [`Ntt::forward_head`], of tile number `tile`, whose words
        /// are `x`. Lines of `prefetch` are issued meanwhile.
        pub fn forward_tail(&self, tile: usize, x: &mut [u64], buffer: &mut Buffer, prefetch: &mut TilePrefetch<'_>) => forward_tail_on
    }

    native! {
        /// Transforms from the evaluation to the coefficient domain and multiplies by the constant `scale`
        /// (which contains N^-1), in place; residues are in `[0, q)` before and after.
        pub fn inverse_scaled(&self, x: &mut [u64], scale: Constant) => inverse_on
    }

    native! {
        /// [`Ntt::inverse_scaled`] of `from` into `to`.
        pub fn inverse_scaled_into(&self, from: &[u64], to: &mut [u64], scale: Constant) => inverse_into_on
    }

    native! {
        /// The levels of [`Ntt::inverse_scaled`] within tiles, of tile number `tile`, whose words are `x`.
        /// Afterwards words are the bits of numbers. Lines of `prefetch` are issued meanwhile.
        pub fn inverse_tail(&self, tile: usize, x: &mut [u64], buffer: &mut Buffer, prefetch: &mut TilePrefetch<'_>) => inverse_tail_on
    }

    native! {
        /// The levels of [`Ntt::inverse_scaled`] after [`Ntt::inverse_tail`] of all tiles.
        pub fn inverse_head(&self, from: &[u64], to: &mut [u64], scale: Constant) => inverse_head_on
    }

    /// The constant of [`Ntt::inverse_scaled`] that multiplies by c.
    pub fn scale(&self, table: &NttTable, c: u64) -> Constant {
        let m = table.modulus();
        self.prime.constant(m, m.mul(c, table.n_inverse()))
    }

    #[inline(always)]
    fn forward_on<V: Moving>(&self, x: &mut [u64]) {
        self.forward_head_on::<V>(x);
        let mut buffer = Buffer::default();
        for (tile, x) in x.chunks_exact_mut(TILE).enumerate() {
            self.forward_tail_on::<V>(tile, x, &mut buffer, &mut ());
        }
    }

    #[inline(always)]
    fn forward_head_on<V: Lanes>(&self, x: &mut [u64]) {
        let (f, n) = (Field::<V>::new(&self.prime), x.len());
        assert_eq!(n, WORDS * self.forward.head.len());
        let (mut blocks, mut width, mut levels) = (1, CANONICAL, (n / WORDS).ilog2());
        if levels % 2 == 1 {
            self.forward_one(&f, x);
            (blocks, width, levels) = (2, width + PRODUCT, levels - 1);
        }
        while levels > 0 {
            let (settles, after) = before_two(width);
            let size = n / blocks;
            for (block, x) in x.chunks_exact_mut(size).enumerate() {
                let node = blocks + block;
                let w = splat_three(&self.forward.head, node);
                match (blocks == 1, settles) {
                    (true, _) => forward_block::<V, true, false>(&f, x, w),
                    (false, true) => forward_block::<V, false, true>(&f, x, w),
                    (false, false) => forward_block::<V, false, false>(&f, x, w),
                }
            }
            (blocks, width, levels) = (4 * blocks, after, levels - 2);
        }
        debug_assert_eq!(width, head_width((n / WORDS).ilog2()));
    }

    #[inline(always)]
    fn forward_tail_on<V: Moving>(
        &self,
        tile: usize,
        x: &mut [u64],
        buffer: &mut Buffer,
        prefetch: &mut impl Prefetch,
    ) {
        let nodes = &self.forward.tails[NODES * tile..NODES * (tile + 1)];
        let width = head_width(self.forward.head.len().ilog2());
        forward_tile(&Field::<V>::new(&self.prime), x, nodes, &mut buffer.0, width, prefetch);
    }

    /// The first level alone, of canonical words.
    #[inline(always)]
    fn forward_one<V: Lanes>(&self, f: &Field<V>, x: &mut [u64]) {
        let (w, half) = (Factor::splat(self.forward.head[1]), x.len() / 2);
        let (low, high) = x.split_at_mut(half);
        for i in (0..half).step_by(V::COUNT) {
            // SAFETY: i + COUNT <= half, the length of both.
            unsafe {
                let (low, high) = (low.as_mut_ptr().add(i), high.as_mut_ptr().add(i));
                let (mut a, mut b) = (encode(V::load(low)), encode(V::load(high)));
                butterfly(f, &mut a, &mut b, w);
                a.store(low);
                b.store(high);
            }
        }
    }

    #[inline(always)]
    fn inverse_on<V: Moving>(&self, x: &mut [u64], scale: Constant) {
        let mut buffer = Buffer::default();
        for (tile, x) in x.chunks_exact_mut(TILE).enumerate() {
            self.inverse_tail_on::<V>(tile, x, &mut buffer, &mut ());
        }
        let x_mut = x.as_mut_ptr();
        // SAFETY: both are the words of x.
        unsafe { self.inverse_levels::<V>(x_mut, x_mut, x.len(), scale) };
    }

    #[inline(always)]
    fn inverse_into_on<V: Moving>(&self, from: &[u64], to: &mut [u64], scale: Constant) {
        let (f, n) = (Field::<V>::new(&self.prime), to.len());
        assert!(n == from.len() && n == WORDS * self.inverse.head.len());
        let mut buffer = Buffer::default();
        let tiles = from.chunks_exact(TILE).zip(to.chunks_exact_mut(TILE));
        for ((from, to), nodes) in tiles.zip(self.inverse.tails.chunks_exact(NODES)) {
            inverse_tile(&f, from, nodes, &mut buffer.0, &mut ());
            from_buffer::<V>(&buffer.0, to);
        }
        let to = to.as_mut_ptr();
        // SAFETY: `to` has n words.
        unsafe { self.inverse_levels::<V>(to, to, n, scale) };
    }

    #[inline(always)]
    fn inverse_tail_on<V: Moving>(
        &self,
        tile: usize,
        x: &mut [u64],
        buffer: &mut Buffer,
        prefetch: &mut impl Prefetch,
    ) {
        let nodes = &self.inverse.tails[NODES * tile..NODES * (tile + 1)];
        inverse_tile(&Field::<V>::new(&self.prime), x, nodes, &mut buffer.0, prefetch);
        from_buffer::<V>(&buffer.0, x);
    }

    #[inline(always)]
    fn inverse_head_on<V: Lanes>(&self, from: &[u64], to: &mut [u64], scale: Constant) {
        assert_eq!(from.len(), to.len());
        // SAFETY: both have as many words.
        unsafe { self.inverse_levels::<V>(from.as_ptr(), to.as_mut_ptr(), to.len(), scale) };
    }

    /// The levels above tiles' subtrees: the first two from `from` to `to`, the others in `to`.
    ///
    /// # Safety
    /// Both point to n words, of which those at `to` may be written; they may be the same words.
    #[inline(always)]
    unsafe fn inverse_levels<V: Lanes>(&self, from: *const u64, to: *mut u64, n: usize, scale: Constant) {
        assert_eq!(n, WORDS * self.inverse.head.len());
        let (f, scale) = (Field::<V>::new(&self.prime), Factor::splat(scale));
        let mut blocks = n / WORDS / 4;
        let mut from = from;
        loop {
            let size = n / blocks;
            for block in 0..blocks {
                let node = blocks + block;
                let w = splat_three(&self.inverse.head, node);
                // SAFETY: a block of the caller's words.
                unsafe {
                    let (from, to) = (from.add(block * size), to.add(block * size));
                    if blocks == 1 {
                        inverse_block::<V, true>(&f, from, to, size, w, scale);
                    } else {
                        inverse_block::<V, false>(&f, from, to, size, w, scale);
                    }
                }
            }
            from = to;
            match blocks {
                1 => return,
                // SAFETY: the caller's words, which no other slice covers in this call.
                2 => return self.inverse_one(&f, unsafe { std::slice::from_raw_parts_mut(to, n) }, scale),
                _ => blocks /= 4,
            }
        }
    }

    /// The last level alone, and the product with `scale`.
    #[inline(always)]
    fn inverse_one<V: Lanes>(&self, f: &Field<V>, x: &mut [u64], scale: Factor<V>) {
        let (w, half) = (Factor::splat(self.inverse.head[1]), x.len() / 2);
        let (low, high) = x.split_at_mut(half);
        for i in (0..half).step_by(V::COUNT) {
            // SAFETY: i + COUNT <= half, the length of both.
            unsafe {
                let (low, high) = (low.as_mut_ptr().add(i), high.as_mut_ptr().add(i));
                let (mut a, mut b) = (V::load(low), V::load(high));
                inverse_butterfly(f, &mut a, &mut b, w);
                decode(f.canonical(f.mul_const(a, scale))).store(low);
                decode(f.canonical(f.mul_const(b, scale))).store(high);
            }
        }
    }
}

/// Two levels of a block. FIRST: its words are canonical; SETTLES: they are settled before.
#[inline(always)]
fn forward_block<V: Lanes, const FIRST: bool, const SETTLES: bool>(f: &Field<V>, x: &mut [u64], w: [Factor<V>; 3]) {
    let (quarter, x) = (x.len() / 4, x.as_mut_ptr());
    for i in (0..quarter).step_by(V::COUNT) {
        // SAFETY: i + COUNT <= quarter, a quarter of the length.
        unsafe {
            let mut v = vectors!(V; 4, |k| {
                let word = V::load(x.add(i + k * quarter));
                if FIRST {
                    encode(word)
                } else if SETTLES {
                    f.settle(word)
                } else {
                    word
                }
            });
            forward_two(f, &mut v, w);
            for (k, v) in v.into_iter().enumerate() {
                v.store(x.add(i + k * quarter));
            }
        }
    }
}

/// Two inverse levels of a block of `size` words. LAST: then the product with `scale`, canonical.
///
/// # Safety
/// Both point to `size` words, of which those at `to` may be written; they may be the same words.
#[inline(always)]
unsafe fn inverse_block<V: Lanes, const LAST: bool>(
    f: &Field<V>,
    from: *const u64,
    to: *mut u64,
    size: usize,
    w: [Factor<V>; 3],
    scale: Factor<V>,
) {
    let quarter = size / 4;
    for i in (0..quarter).step_by(V::COUNT) {
        // SAFETY: i + COUNT <= quarter, a quarter of the size.
        unsafe {
            let mut v = vectors!(V; 4, |k| V::load(from.add(i + k * quarter)));
            inverse_two(f, &mut v, w, !LAST);
            for (k, v) in v.into_iter().enumerate() {
                let v = if LAST { decode(f.canonical(f.mul_const(v, scale))) } else { v };
                v.store(to.add(i + k * quarter));
            }
        }
    }
}

/// The constants of a node and its children.
#[inline(always)]
fn splat_three<V: Lanes>(head: &[Constant], node: usize) -> [Factor<V>; 3] {
    [Factor::splat(head[node]), Factor::splat(head[2 * node]), Factor::splat(head[2 * node + 1])]
}

/// The constants of a node and its children, from lane `lane` on.
#[inline(always)]
fn factors<V: Lanes>(nodes: &[Node], node: usize, lane: usize) -> [Factor<V>; 3] {
    [factor(nodes, node, lane), factor(nodes, 2 * node, lane), factor(nodes, 2 * node + 1, lane)]
}

#[inline(always)]
fn factor<V: Lanes>(nodes: &[Node], node: usize, lane: usize) -> Factor<V> {
    let Node { w, ratio } = &nodes[node - 1];
    // SAFETY: COUNT divides TREES, and `lane` is a multiple of COUNT.
    unsafe { Factor { w: V::load(w.as_ptr().add(lane).cast()), ratio: V::load(ratio.as_ptr().add(lane).cast()) } }
}

/// Two levels of a tile.
#[derive(Clone, Copy)]
enum Two {
    /// [`forward_two`], of settled words if `settles`.
    Forward { settles: bool },
    /// [`inverse_two`], which settles its results.
    Inverse,
}

/// Two levels of all subtrees of a tile, below the nodes 2^depth to 2^(depth+1) - 1. Lines of
/// `prefetch` are issued meanwhile.
#[inline(always)]
fn two_levels<V: Lanes>(
    f: &Field<V>,
    nodes: &[Node],
    buffer: &mut [u64; TILE],
    depth: u32,
    two: Two,
    prefetch: &mut impl Prefetch,
) {
    let (first, quarter, mut done) = (1usize << depth, WORDS >> (depth + 2), 0usize);
    for node in first..2 * first {
        for lane in (0..TREES).step_by(V::COUNT) {
            let w = factors(nodes, node, lane);
            let start = 4 * quarter * (node - first);
            for j in start..start + quarter {
                if done.is_multiple_of(WORDS / 4 * TREES / V::COUNT / (STEPS / 3)) {
                    prefetch.step();
                }
                done += 1;
                let from = TREES * j + lane;
                // SAFETY: j + 3 * quarter is below WORDS, so these are four vectors of the buffer.
                unsafe {
                    let at = |k: usize| from + TREES * k * quarter;
                    let x = buffer.as_mut_ptr();
                    let mut v =
                        [V::load(x.add(at(0))), V::load(x.add(at(1))), V::load(x.add(at(2))), V::load(x.add(at(3)))];
                    match two {
                        Two::Forward { settles: true } => {
                            v = [f.settle(v[0]), f.settle(v[1]), f.settle(v[2]), f.settle(v[3])];
                            forward_two(f, &mut v, w);
                        }
                        Two::Forward { settles: false } => forward_two(f, &mut v, w),
                        Two::Inverse => inverse_two(f, &mut v, w, true),
                    }
                    for (k, v) in v.into_iter().enumerate() {
                        v.store(x.add(at(k)));
                    }
                }
            }
        }
    }
}

/// The last six levels of a tile, from words of width `width` to canonical ones.
#[inline(always)]
fn forward_tile<V: Moving>(
    f: &Field<V>,
    x: &mut [u64],
    nodes: &[Node],
    buffer: &mut [u64; TILE],
    mut width: u32,
    prefetch: &mut impl Prefetch,
) {
    assert_eq!(x.len(), TILE);
    let trees = |lane: usize, j: usize| lane * WORDS + j;
    for lane in (0..TREES).step_by(V::COUNT) {
        for j in (0..WORDS).step_by(V::COUNT) {
            // SAFETY: COUNT subtrees from `lane` on have COUNT words from j on.
            unsafe {
                V::transpose(x.as_ptr().add(trees(lane, j)), WORDS, buffer.as_mut_ptr().add(TREES * j + lane), TREES)
            };
        }
    }
    for depth in [0, 2, 4] {
        let (settles, after) = before_two(width);
        width = after;
        two_levels(f, nodes, buffer, depth, Two::Forward { settles }, prefetch);
    }
    for i in (0..TILE).step_by(V::COUNT) {
        // SAFETY: i + COUNT <= TILE, the length of both.
        unsafe { decode(f.canonical(V::load(buffer.as_ptr().add(i)))).store(x.as_mut_ptr().add(i)) };
    }
}

/// The first six inverse levels of a tile, from canonical words to words of width [`PRODUCT`] in the
/// buffer, in the order of [`from_buffer`].
#[inline(always)]
fn inverse_tile<V: Lanes>(
    f: &Field<V>,
    x: &[u64],
    nodes: &[Node],
    buffer: &mut [u64; TILE],
    prefetch: &mut impl Prefetch,
) {
    assert_eq!(x.len(), TILE);
    for i in (0..TILE).step_by(V::COUNT) {
        // SAFETY: i + COUNT <= TILE, the length of both.
        unsafe { encode(V::load(x.as_ptr().add(i))).store(buffer.as_mut_ptr().add(i)) };
    }
    for depth in [4, 2, 0] {
        two_levels(f, nodes, buffer, depth, Two::Inverse, prefetch);
    }
}

/// Writes the subtrees of a tile, of which the buffer has the same elements beside each other.
#[inline(always)]
fn from_buffer<V: Moving>(buffer: &[u64; TILE], x: &mut [u64]) {
    assert_eq!(x.len(), TILE);
    for lane in (0..TREES).step_by(V::COUNT) {
        for j in (0..WORDS).step_by(V::COUNT) {
            // SAFETY: as in `forward_tile`.
            unsafe {
                V::transpose(buffer.as_ptr().add(TREES * j + lane), TREES, x.as_mut_ptr().add(lane * WORDS + j), WORDS)
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::scalar;
    use crate::system::path::Path;
    use ringjet_math::prime::ntt_primes;

    #[test]
    fn agrees_with_the_textbook() {
        if !Path::Fma.exists() {
            println!("no fused multiply-adds here: nothing tested");
            return;
        }
        for log_n in 9..=17 {
            for bits in [20, 40, 50] {
                let m = Modulus::new(ntt_primes(log_n, bits, 1, &[]).unwrap()[0]).unwrap();
                let table = NttTable::new(m, log_n).unwrap();
                let (ntt, q) = (Ntt::new(&table), m.value());
                let random = (0..1u64 << log_n).map(|i| m.mul(m.reduce(i.wrapping_mul(0x9e37_79b9_7f4a_7c15)), q - 3));
                for x in [random.collect::<Vec<_>>(), vec![q - 1; 1 << log_n], vec![0; 1 << log_n]] {
                    let (mut fast, mut slow) = (x.clone(), x.clone());
                    // SAFETY: the processor has the instructions.
                    unsafe { ntt.forward(&mut fast) };
                    scalar::ntt::forward(&table, &mut slow);
                    assert!(fast == slow, "forward 2^{log_n}, {bits} bits");
                    let (mut fast, mut into, mut slow) = (x.clone(), x.clone(), x.clone());
                    // SAFETY: as above.
                    unsafe { ntt.inverse_scaled_into(&x, &mut into, ntt.scale(&table, 7)) };
                    // SAFETY: as above.
                    unsafe { ntt.inverse_scaled(&mut fast, ntt.scale(&table, 7)) };
                    scalar::ntt::inverse_scaled(&table, &mut slow, 7);
                    assert!(fast == slow && into == slow, "inverse 2^{log_n}, {bits} bits");
                }
            }
        }
    }
}
