//! Negacyclic NTT for primes below 2^61 on 64-bit words: the butterflies of Harvey, "Faster
//! arithmetic for number-theoretic transforms" (2014), with Shoup's products from 32-bit halves.
//!
//! The quotient of a product is computed without its lowest partial product and without the carry
//! of the middle ones. So it is at most 2 less than in the scalar path, and the product is below 4q
//! < 2^63. One conditional subtraction reduces it below 2q. Everything else is as in
//! `scalar/ntt.rs`. A butterfly of eight words takes about 22 operations.
//!
//! Vectors hold neighbouring words down to blocks of 64 words. The last six levels work on tiles as
//! in `ifma/ntt/`.

use std::arch::x86_64::*;

use ringjet_math::ntt::{LOG_TILE, NttTable};

use super::arith::{self, Factor, load, store};
use crate::kernels::lanes::permute::transpose;

const TILE: usize = 1 << LOG_TILE;
/// Number of nodes of the last six levels of a subtree.
const NODES: usize = 63;

/// Smallest supported log2 of the ring degree.
pub const MIN_LOG_N: u32 = LOG_TILE;

/// A factor and its Shoup companion, for each of the eight subtrees of a tile.
#[derive(Debug)]
#[repr(align(64))]
struct Pair([[u64; 8]; 2]);

/// Twiddle factors of the last six levels, tile by tile and node by node. Those of the other levels
/// are in the textbook's table.
#[derive(Debug)]
pub struct Ntt {
    forward: Vec<Pair>,
    inverse: Vec<Pair>,
}

#[repr(align(64))]
struct Buffer([u64; TILE]);

/// The numbers q and 2q in vectors.
#[derive(Clone, Copy)]
struct Lanes {
    q: __m512i,
    two_q: __m512i,
}

impl Ntt {
    /// The transforms of a ring of at least 2^9 words.
    pub fn new(table: &NttTable) -> Self {
        assert!(table.log_n() >= MIN_LOG_N);
        let trees = (1usize << table.log_n()) / 64;
        let tables = |roots: &[(u64, u64)]| {
            let nodes = (0..trees / 8).flat_map(|tile| (1..=NODES).map(move |node| (tile, node)));
            nodes
                .map(|(tile, node)| {
                    // node 2^k + m of subtree s is node 2^k * s + m of the tree
                    let first = 1 << node.ilog2();
                    let at = |l| roots[first * (trees + 8 * tile + l) + node - first];
                    Pair([std::array::from_fn(|l| at(l).0), std::array::from_fn(|l| at(l).1)])
                })
                .collect()
        };
        Self { forward: tables(table.roots()), inverse: tables(table.inverse_roots()) }
    }

    /// Transforms from the coefficient to the evaluation domain, in place; residues are in `[0, q)`
    /// before and after.
    #[target_feature(enable = "avx512f,avx512dq")]
    pub fn forward(&self, table: &NttTable, x: &mut [u64]) {
        assert_eq!(x.len(), 1 << table.log_n());
        let k = Lanes::new(table);
        let mut blocks = 1;
        while x.len() / (2 * blocks) >= 64 {
            let half = x.len() / (2 * blocks);
            for (block, &w) in x.chunks_exact_mut(2 * half).zip(&table.roots()[blocks..]) {
                let w = splat(w);
                let (lo, hi) = block.split_at_mut(half);
                for i in (0..half).step_by(8) {
                    // SAFETY: i + 8 <= half, the length of both.
                    unsafe {
                        let (a, b) = k.butterfly(load(lo, i), load(hi, i), w);
                        store(lo, i, a);
                        store(hi, i, b);
                    }
                }
            }
            blocks *= 2;
        }
        let mut buffer = Buffer([0; TILE]);
        let buffer = &mut buffer.0;
        for (tile, nodes) in x.chunks_exact_mut(TILE).zip(self.forward.chunks_exact(NODES)) {
            to_subtrees(tile, buffer);
            for node in 1..=NODES {
                let (w, first) = (pair(&nodes[node - 1]), 1 << node.ilog2());
                let half = 8 * 32 / first;
                let start = 2 * half * (node - first);
                for i in (start..start + half).step_by(8) {
                    // SAFETY: i + half + 8 <= TILE.
                    unsafe {
                        let (a, b) = k.butterfly(load(buffer, i), load(buffer, i + half), w);
                        store(buffer, i, a);
                        store(buffer, i + half, b);
                    }
                }
            }
            for i in (0..TILE).step_by(8) {
                // SAFETY: i + 8 <= TILE.
                unsafe { store(tile, i, below(below(load(buffer, i), k.two_q), k.q)) };
            }
        }
    }

    /// Transforms from the evaluation to the coefficient domain and multiplies by the constant
    /// `c < q`, in place; residues are in `[0, q)` before and after.
    #[target_feature(enable = "avx512f,avx512dq")]
    pub fn inverse_scaled(&self, table: &NttTable, x: &mut [u64], c: u64) {
        assert_eq!(x.len(), 1 << table.log_n());
        let k = Lanes::new(table);
        let mut buffer = Buffer([0; TILE]);
        let buffer = &mut buffer.0;
        for (tile, nodes) in x.chunks_exact_mut(TILE).zip(self.inverse.chunks_exact(NODES)) {
            buffer.copy_from_slice(tile);
            for node in (1..=NODES).rev() {
                let (w, first) = (pair(&nodes[node - 1]), 1 << node.ilog2());
                let half = 8 * 32 / first;
                let start = 2 * half * (node - first);
                for i in (start..start + half).step_by(8) {
                    // SAFETY: i + half + 8 <= TILE.
                    unsafe {
                        let (a, b) = k.inverse_butterfly(load(buffer, i), load(buffer, i + half), w);
                        store(buffer, i, a);
                        store(buffer, i + half, b);
                    }
                }
            }
            from_subtrees(buffer, tile);
        }
        let mut blocks = x.len() / 128;
        while blocks > 0 {
            let half = x.len() / (2 * blocks);
            for (block, &w) in x.chunks_exact_mut(2 * half).zip(&table.inverse_roots()[blocks..]) {
                let w = splat(w);
                let (lo, hi) = block.split_at_mut(half);
                for i in (0..half).step_by(8) {
                    // SAFETY: i + 8 <= half, the length of both.
                    unsafe {
                        let (a, b) = k.inverse_butterfly(load(lo, i), load(hi, i), w);
                        store(lo, i, a);
                        store(hi, i, b);
                    }
                }
            }
            blocks /= 2;
        }
        let m = table.modulus();
        let scale = m.mul(c, table.n_inverse());
        let scale = splat((scale, m.shoup(scale)));
        for i in (0..x.len()).step_by(8) {
            // SAFETY: i + 8 <= x.len().
            unsafe { store(x, i, below(k.mul(load(x, i), scale), k.q)) };
        }
    }
}

impl Lanes {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn new(table: &NttTable) -> Self {
        let q = _mm512_set1_epi64(table.modulus().value() as i64);
        Self { q, two_q: _mm512_add_epi64(q, q) }
    }

    /// A number below 2q congruent to `w * x` modulo q, for any x.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn mul(&self, x: __m512i, w: Factor) -> __m512i {
        below(arith::shoup(self.q, x, w), self.two_q)
    }

    /// `(x + w * y, x - w * y)` modulo q, below 4q; x and y must be below 4q.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn butterfly(&self, x: __m512i, y: __m512i, w: Factor) -> (__m512i, __m512i) {
        let (x, t) = (below(x, self.two_q), self.mul(y, w));
        (_mm512_add_epi64(x, t), _mm512_sub_epi64(_mm512_add_epi64(x, self.two_q), t))
    }

    /// `(x + y, w * (x - y))` modulo q, below 2q; x and y must be below 2q.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn inverse_butterfly(&self, x: __m512i, y: __m512i, w: Factor) -> (__m512i, __m512i) {
        let difference = _mm512_sub_epi64(_mm512_add_epi64(x, self.two_q), y);
        (below(_mm512_add_epi64(x, y), self.two_q), self.mul(difference, w))
    }
}

/// `x - bound` if that is not negative, otherwise `x`.
#[inline]
#[target_feature(enable = "avx512f")]
fn below(x: __m512i, bound: __m512i) -> __m512i {
    _mm512_min_epu64(x, _mm512_sub_epi64(x, bound))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn splat((w, shoup): (u64, u64)) -> Factor {
    arith::factor(w, shoup)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn pair(p: &Pair) -> Factor {
    // SAFETY: eight words each.
    let (w, shoup) = unsafe { (load(&p.0[0], 0), load(&p.0[1], 0)) };
    [w, shoup, _mm512_srli_epi64::<32>(shoup)]
}

/// Copies element j of eight subtrees, which have 64 words each in `tile`, to words `8 * j..` of
/// `buffer`.
#[inline]
#[target_feature(enable = "avx512f")]
fn to_subtrees(tile: &[u64], buffer: &mut [u64; TILE]) {
    assert_eq!(tile.len(), TILE);
    for g in 0..8 {
        let mut v = [_mm512_setzero_si512(); 8];
        for (l, v) in v.iter_mut().enumerate() {
            // SAFETY: 64 * l + 8 * g + 8 <= TILE.
            *v = unsafe { load(tile, 64 * l + 8 * g) };
        }
        for (e, v) in transpose(v).into_iter().enumerate() {
            // SAFETY: 64 * g + 8 * e + 8 <= TILE.
            unsafe { store(buffer, 64 * g + 8 * e, v) };
        }
    }
}

/// The inverse of [`to_subtrees`].
#[inline]
#[target_feature(enable = "avx512f")]
fn from_subtrees(buffer: &[u64; TILE], tile: &mut [u64]) {
    assert_eq!(tile.len(), TILE);
    for g in 0..8 {
        let mut v = [_mm512_setzero_si512(); 8];
        for (e, v) in v.iter_mut().enumerate() {
            // SAFETY: 64 * g + 8 * e + 8 <= TILE.
            *v = unsafe { load(buffer, 64 * g + 8 * e) };
        }
        for (l, v) in transpose(v).into_iter().enumerate() {
            // SAFETY: 64 * l + 8 * g + 8 <= TILE.
            unsafe { store(tile, 64 * l + 8 * g, v) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::path::Path;
    use ringjet_math::Modulus;
    use ringjet_math::prime::ntt_primes;

    #[test]
    fn agrees_with_the_textbook() {
        if !Path::Avx512.exists() {
            println!("no AVX-512 here: nothing tested");
            return;
        }
        for log_n in [9, 10, 13, 16] {
            for bits in [20, 50, 61] {
                let m = Modulus::new(ntt_primes(log_n, bits, 1, &[]).unwrap()[0]).unwrap();
                let table = NttTable::new(m, log_n).unwrap();
                let ntt = Ntt::new(&table);
                let q = m.value();
                let random = (0..1u64 << log_n).map(|i| m.mul(m.reduce(i.wrapping_mul(0x9e37_79b9_7f4a_7c15)), q - 3));
                for x in [random.collect::<Vec<_>>(), vec![q - 1; 1 << log_n], vec![0; 1 << log_n]] {
                    let (mut fast, mut slow) = (x.clone(), x.clone());
                    // SAFETY: the processor has AVX-512 F and DQ.
                    unsafe { ntt.forward(&table, &mut fast) };
                    table.forward(&mut slow);
                    assert!(fast == slow, "forward 2^{log_n}, {bits} bits");
                    let (mut fast, mut slow) = (x.clone(), x);
                    // SAFETY: as above.
                    unsafe { ntt.inverse_scaled(&table, &mut fast, 7) };
                    table.inverse(&mut slow);
                    slow.iter_mut().for_each(|x| *x = m.mul(*x, 7));
                    assert!(fast == slow, "inverse 2^{log_n}, {bits} bits");
                }
            }
        }
    }
}
