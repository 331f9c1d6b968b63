//! Constants of the transforms, and how levels are grouped into stages.

use ringjet_math::Modulus;
use ringjet_math::ntt::{LOG_TILE, NttTable};

use crate::kernels::ifma::arith::Constant;
use crate::operands::prefetch::RowPrefetch;

/// Number of words of a tile.
pub const TILE: usize = 1 << LOG_TILE;

/// Scratch memory for the words of a tile between the levels of its transform.
#[derive(Debug)]
#[repr(align(64))]
pub struct Buffer(pub(super) [u64; TILE]);

impl Default for Buffer {
    fn default() -> Self {
        Self([0; TILE])
    }
}

/// What the transforms of all tiles of a block use.
pub(super) struct Leaves<'a, 'b> {
    pub(super) buffer: Buffer,
    /// The lines that are prefetched meanwhile.
    pub(super) prefetch: &'a mut RowPrefetch<'b>,
}

impl<'a, 'b> Leaves<'a, 'b> {
    pub(super) fn new(prefetch: &'a mut RowPrefetch<'b>) -> Self {
        Self { buffer: Buffer::default(), prefetch }
    }
}

/// Constants of two levels of the forward transform below a node. The factor of the node is w,
/// those of its children are wl and wr: `w`, `wl`, `wl * w`, `wr`, `-wr * w`.
pub(super) type Forward4 = [Constant; 5];

/// Constants of two levels of the inverse transform below a node, with all factors inverted: `c`,
/// `c * w`, `-c * w`, `c * wl`, `c * wr`, `c * w * wl`, `-c * w * wr`, `w`. c is 1 except at the
/// root of a scaled transform. The third, sixth and seventh constants are used only without
/// `HALF_RATE`, the last one only with it.
pub(super) type Inverse4 = [Constant; 8];

/// Constants of three levels: two levels below a node, and the factors of its four grandchildren.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Eight<const K: usize> {
    pub(super) top: [Constant; K],
    pub(super) low: [Constant; 4],
}

/// A pass over blocks of one size, with the constants of each block.
#[derive(Debug)]
pub(super) enum Stage<const K: usize> {
    Two(Vec<Constant>),
    Four(Vec<[Constant; K]>),
    Eight(Vec<Eight<K>>),
}

/// Constants of the forward or of the inverse transforms.
#[derive(Debug)]
pub(super) struct Tables<const K: usize> {
    /// The stages from the root down to tiles.
    pub(super) stages: Vec<Stage<K>>,
    /// For each tile the constants of the three levels from the tile down to its eight subtrees.
    pub(super) tiles: Vec<Eight<K>>,
    /// A factor that is multiplied into the powers of theta, and so costs no operation: 1 for
    /// forward transforms, 1/N for inverse ones.
    pub(super) scale: Constant,
    /// For each tile [`PAIRS`] pairs of vectors over its eight subtrees: seven twiddle factors of
    /// three levels, of which the first is multiplied by the scale; `theta^1 .. theta^7` times the
    /// scale; and the products of these with the first of the seven.
    pub(super) subtrees: Vec<Pair>,
    /// The last three levels of each of the eight blocks of a subtree; the same for all subtrees.
    pub(super) shared: [Eight<K>; 8],
}

/// Number of pairs of vectors for each tile.
pub(super) const PAIRS: usize = 21;

/// A constant for each of eight lanes: the low words and the high words.
#[derive(Debug)]
#[repr(align(64))]
pub(super) struct Pair(pub(super) [[u64; 8]; 2]);

/// The number of levels of each stage from the root to tiles, for `levels` levels in all. Stages of
/// four levels would save more operations, but the cache lines that they use at once compete for
/// one set of the first-level cache.
pub(super) fn radices(levels: u32) -> &'static [u32] {
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
pub(super) fn triple(root: &impl Fn(usize) -> u64, i: usize) -> [u64; 3] {
    [root(i), root(2 * i), root(2 * i + 1)]
}

impl<const K: usize> Tables<K> {
    /// Makes the tables. `root(i)` is the twiddle factor of node i. `node` makes the constants of
    /// two levels from the factors of a node and its children. The results of the transform are
    /// multiplied by `scale`.
    pub(super) fn new(
        table: &NttTable,
        constant: &impl Fn(u64) -> Constant,
        root: &impl Fn(usize) -> u64,
        node: &impl Fn([u64; 3]) -> [Constant; K],
        scale: u64,
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
            (0..PAIRS).map(move |k| {
                let constants: [[u64; 2]; 8] = std::array::from_fn(|l| {
                    let s = trees + 8 * tile + l;
                    let w = match k {
                        0 => m.mul(scale, root(s)),
                        1 | 2 => root(2 * s + k - 1),
                        3..=6 => root(4 * s + k - 3),
                        // theta_s is the first root of the last level of subtree s
                        7..=13 => m.mul(scale, m.pow(root(32 * s), k as u64 - 6)),
                        _ => m.mul(m.mul(scale, root(s)), m.pow(root(32 * s), k as u64 - 13)),
                    };
                    constant(w).0
                });
                Pair([constants.map(|c| c[0]), constants.map(|c| c[1])])
            })
        });
        let shared = std::array::from_fn(|k| {
            // The roots of a block with theta = 1: powers of eta_k times 1, times I = root(1), and
            // times the square roots of I and -I, which are root(2) and root(3).
            let eta = if k == 0 { 1 } else { root(4 * k) };
            let square = m.mul(eta, eta);
            let top = node([m.mul(square, square), square, m.mul(square, root(1))]);
            let low = [1, root(1), root(2), root(3)].map(|w| constant(m.mul(eta, w)));
            Eight { top, low }
        });
        let tiles = (n / TILE..2 * n / TILE).map(eight).collect();
        Self { stages, tiles, scale: constant(scale), subtrees: subtrees.collect(), shared }
    }

    /// The pairs of constants for the subtrees of tile number `tile`.
    pub(super) fn of_tile(&self, tile: usize) -> &[Pair; PAIRS] {
        self.subtrees[PAIRS * tile..].first_chunk().expect("one for each tile")
    }
}

pub(super) fn forward_node(m: &Modulus, constant: &impl Fn(u64) -> Constant, [w, l, r]: [u64; 3]) -> Forward4 {
    [w, l, m.mul(l, w), r, m.neg(m.mul(r, w))].map(constant)
}

pub(super) fn inverse_node(m: &Modulus, constant: &impl Fn(u64) -> Constant, [w, l, r]: [u64; 3], c: u64) -> Inverse4 {
    let [a, b, d, e, f, g, h] = [1, w, m.neg(w), l, r, m.mul(w, l), m.neg(m.mul(w, r))].map(|x| constant(m.mul(c, x)));
    [a, b, d, e, f, g, h, constant(w)]
}

impl<const K: usize> Stage<K> {
    pub(super) fn radix(&self) -> usize {
        match self {
            Self::Two(_) => 2,
            Self::Four(_) => 4,
            Self::Eight(_) => 8,
        }
    }
}
