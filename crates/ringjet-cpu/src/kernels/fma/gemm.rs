//! Products of rows with a matrix of short integers, in double precision.
//!
//! A residue is centred and cut in two, `x = 2^b h + l` with `|l| <= 2^(b-1)`. Sums of products of l, and
//! of h, with integers of at most `2^t` are exact up to `2^53`: [`Cut::terms`] products at a time. A sum of
//! a row becomes `settle(sum + L) + (2^b H mod q)`, which is at most q + 2^25 + 1 in size. All numbers are whole,
//! so no order of the terms changes the result.

use ringjet_math::Modulus;

use super::arith::{Constant, Factor, Field, Prime, decode, encode};
use super::lanes::{Lanes, vectors};
use super::native::native;

/// Rows of the matrix that are multiplied at once: as many sums of two vectors as registers hold.
pub const ROWS: usize = 6;

/// Columns of words that are computed at once.
pub const PANEL: usize = 128;

/// About so many terms are cut before rows are multiplied by them, so that a cache of the second level holds
/// their parts. No sum is longer.
const CHUNK: usize = ringjet_math::Cut::MOST_TERMS;

/// How residues are cut for weights of a given size: the numbers of [`ringjet_math::Cut`].
#[derive(Debug, Clone, Copy)]
pub struct Cut {
    prime: Prime,
    /// `2^b`, `2^-b`.
    unit: f64,
    inverse: f64,
    /// `2^b` as a factor modulo q.
    shift: Constant,
    /// Products in an exact sum.
    terms: usize,
}

impl Cut {
    /// For weights of at most `largest` in size, which is at most `2^24`, and q below `2^50`.
    pub fn new(m: &Modulus, largest: u32) -> Self {
        let cut = ringjet_math::Cut::new(m.value(), largest);
        let unit = 1u64 << cut.bits;
        let prime = Prime::new(m);
        Self { prime, unit: unit as f64, inverse: 1.0 / unit as f64, shift: prime.power(unit), terms: cut.terms }
    }

    /// Terms of a chunk: whole exact sums.
    fn chunk(&self) -> usize {
        self.terms * CHUNK.div_ceil(self.terms)
    }

    /// Words of scratch memory for a panel of `rows` rows, a multiple of the rows at once.
    pub fn scratch(&self, rows: usize) -> usize {
        PANEL * (2 * self.chunk() + rows)
    }
}

/// The matrix as numbers: blocks of `block` rows, column by column; the last block has rows of zeros.
pub fn packed(weights: &[i32], columns: usize, block: usize, out: &mut [u64]) {
    for (rows, out) in weights.chunks(block * columns.max(1)).zip(out.chunks_mut(block * columns.max(1))) {
        for (k, out) in out.chunks_exact_mut(block).enumerate() {
            for (r, out) in out.iter_mut().enumerate() {
                *out = f64::from(rows.get(r * columns + k).copied().unwrap_or(0)).to_bits();
            }
        }
    }
}

/// Operands of a product for [`PANEL`] words of each row.
pub struct Panel<'a> {
    /// The words of each column's source.
    pub sources: &'a [&'a [u64]],
    /// See [`packed`].
    pub weights: &'a [u64],
    /// The rows, those of zeros included.
    pub rows: usize,
    /// [`Cut::scratch`] words; the last `PANEL * rows` become the sums as numbers, row by row.
    pub scratch: &'a mut [u64],
}

/// The sums of all rows, of R rows at once.
#[inline(always)]
pub fn sums_on<V: Lanes, const R: usize>(cut: &Cut, panel: &mut Panel<'_>) {
    let (f, columns, chunk) = (Field::<V>::new(&cut.prime), panel.sources.len(), cut.chunk());
    let width = panel.sources.first().map_or(0, |x| x.len());
    let (parts, sums) = panel.scratch.split_at_mut(2 * PANEL * chunk);
    assert!(width.is_multiple_of(V::COUNT) && width <= PANEL && panel.rows.is_multiple_of(R));
    assert!(panel.sources.iter().all(|x| x.len() == width) && sums.len() >= PANEL * panel.rows);
    assert!(panel.weights.len() == panel.rows * columns);
    sums.fill(0);
    let shift = Factor::<V>::splat(cut.shift);
    for first in (0..columns).step_by(chunk) {
        let terms = chunk.min(columns - first);
        for (k, source) in panel.sources[first..first + terms].iter().enumerate() {
            for i in (0..width).step_by(V::COUNT) {
                // SAFETY: i + COUNT <= width; a vector of each term and place has two vectors in `parts`.
                unsafe {
                    let x = f.centre(encode(V::load(source.as_ptr().add(i))));
                    let high = rounded(x.mul(V::splat(cut.inverse)));
                    let to = parts.as_mut_ptr().add(2 * (i * chunk + k * V::COUNT));
                    high.neg_mul_add(V::splat(cut.unit), x).store(to);
                    high.store(to.add(V::COUNT));
                }
            }
        }
        for block in 0..panel.rows / R {
            let weights = &panel.weights[(block * columns + first) * R..][..terms * R];
            for i in (0..width).step_by(V::COUNT) {
                let parts = &parts[2 * i * chunk..][..2 * terms * V::COUNT];
                // SAFETY: row r of the block has PANEL sums, of which i + COUNT exist.
                unsafe {
                    let at = sums.as_mut_ptr().add(block * R * PANEL + i);
                    let mut sum = vectors!(V; R, |r| V::load(at.add(r * PANEL)));
                    let exact = cut.terms * R;
                    for (weights, parts) in weights.chunks(exact).zip(parts.chunks(2 * cut.terms * V::COUNT)) {
                        let (low, high) = products::<V, R>(weights, parts);
                        for r in 0..R {
                            sum[r] = f.settle(sum[r].add(low[r])).add(f.mul_power(high[r], shift));
                        }
                    }
                    for (r, sum) in sum.iter().enumerate() {
                        sum.store(at.add(r * PANEL));
                    }
                }
            }
        }
    }
}

/// The sums of products with both parts.
///
/// # Safety
/// `parts` has two vectors for every R weights.
#[inline(always)]
unsafe fn products<V: Lanes, const R: usize>(weights: &[u64], parts: &[u64]) -> ([V; R], [V; R]) {
    let mut low = [V::splat(0.0); R];
    let mut high = [V::splat(0.0); R];
    debug_assert!(weights.len() / R * 2 * V::COUNT <= parts.len());
    let mut at = parts.as_ptr();
    for weights in weights.chunks_exact(R) {
        // SAFETY: by the caller's promise.
        let (l, h) = unsafe { (V::load(at), V::load(at.add(V::COUNT))) };
        at = at.wrapping_add(2 * V::COUNT);
        for r in 0..R {
            let w = V::splat(f64::from_bits(weights[r]));
            low[r] = w.mul_add(l, low[r]);
            high[r] = w.mul_add(h, high[r]);
        }
    }
    (low, high)
}

/// The nearest whole number, for numbers below 2^51 in size.
#[inline(always)]
fn rounded<V: Lanes>(x: V) -> V {
    let round = V::splat(1.5 * 4_503_599_627_370_496.0);
    x.add(round).sub(round)
}

/// `dst = factor * sum + constant`, plus the old words if they are `added`. `constant` is a residue.
#[inline(always)]
pub fn finish_on<V: Lanes>(m: &Modulus, sums: &[u64], factor: u64, constant: u64, dst: &mut [u64], added: bool) {
    let prime = Prime::new(m);
    let (f, by) = (Field::<V>::new(&prime), Factor::<V>::splat(prime.constant(m, factor)));
    let constant = V::splat(m.center(constant) as f64);
    assert!(dst.len().is_multiple_of(V::COUNT) && sums.len() >= dst.len());
    for i in (0..dst.len()).step_by(V::COUNT) {
        // SAFETY: i + COUNT is at most the length of both.
        unsafe {
            let at = dst.as_mut_ptr().add(i);
            let old = if added { encode(V::load(at)) } else { V::splat(0.0) };
            let product = f.mul_const(V::load(sums.as_ptr().add(i)), by);
            decode(f.canonical(product.add(constant).add(old))).store(at);
        }
    }
}

#[inline(always)]
fn sums_of_six<V: Lanes>(cut: &Cut, panel: &mut Panel<'_>) {
    sums_on::<V, ROWS>(cut, panel);
}

native! {
    /// [`sums_on`] of [`ROWS`] rows at once.
    pub fn sums(cut: &Cut, panel: &mut Panel<'_>) => sums_of_six
}

native! {
    /// [`finish_on`].
    pub fn finish(m: &Modulus, sums: &[u64], factor: u64, constant: u64, dst: &mut [u64], added: bool) => finish_on
}
