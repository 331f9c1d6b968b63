//! Products of matrices of residues below 2^50.
//!
//! For up to [`ROWS`] terms both words of a sum fit 64 bits: `lo < ROWS * 2^52 = 2^64` and `hi < ROWS * 2^48 =
//! 2^60`. One more product brings the sum below the bound of [`Lanes::reduce_back`]; see
//! `docs/proofs/class-products.md`.

use std::arch::x86_64::*;

use super::arith::{Lanes, Reducer, Sum, load, store};
use crate::operands::class_shape::ClassShape;

/// The largest number of rows of a matrix.
pub const ROWS: usize = 1 << 12;

/// Bits of the high word that stay before the reduction.
const KEPT: u32 = 50;

/// A block of the product of [`ClassShape::rows_at_once`] rows and [`ClassShape::columns_at_once`] columns.
///
/// # Safety
/// The processor has AVX-512 F and IFMA, vectors have 8 lanes, and a matrix has 2 to [`ROWS`] rows.
#[target_feature(enable = "avx512f,avx512ifma")]
pub unsafe fn block(r: &Reducer, top: u64, shape: ClassShape, left: &[u64], right: &[u64], out: &mut [u64]) {
    let (d, columns) = (shape.rows, shape.columns_at_once());
    assert!((2..=ROWS).contains(&d) && shape.lanes == 8 && shape.rows_at_once() == 2);
    assert!(left.len() >= 2 * d * shape.left_lanes && right.len() >= 8 * d * columns && out.len() == 16 * columns);
    // SAFETY: the lengths were checked above.
    unsafe {
        match (columns, shape.left_lanes == 1) {
            (4, false) => rows::<4, false>(r, top, d, left, right, out),
            (4, true) => rows::<4, true>(r, top, d, left, right, out),
            (_, false) => rows::<2, false>(r, top, d, left, right, out),
            (_, true) => rows::<2, true>(r, top, d, left, right, out),
        }
    }
}

/// # Safety
/// For `d` terms the left factor has two vectors each, or with `SINGLE` two words, and the right factor `C`
/// vectors each. The result has `2 * C` vectors.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn rows<const C: usize, const SINGLE: bool>(
    r: &Reducer,
    top: u64,
    d: usize,
    left: &[u64],
    right: &[u64],
    out: &mut [u64],
) {
    let mut sums = [[Sum::zero(); C]; 2];
    for j in 0..d {
        for (row, sums) in sums.iter_mut().enumerate() {
            let at = 2 * j + row;
            // SAFETY: `j < d` and `row < 2`.
            let x =
                unsafe { if SINGLE { _mm512_set1_epi64(*left.get_unchecked(at) as i64) } else { load(left, 8 * at) } };
            for (c, sum) in sums.iter_mut().enumerate() {
                // SAFETY: `j < d` and `c < C`.
                sum.add(x, unsafe { load(right, 8 * (j * C + c)) });
            }
        }
    }
    let (lanes, top) = (r.lanes(), _mm512_set1_epi64(top as i64));
    for (i, sum) in sums.into_iter().flatten().enumerate() {
        // SAFETY: there are `2 * C` sums.
        unsafe { store(out, 8 * i, reduced(&lanes, top, sum)) };
    }
}

/// A sum of up to [`ROWS`] products modulo q; `top` is `2^(52 + KEPT)` modulo q.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn reduced(lanes: &Lanes, top: __m512i, sum: Sum) -> __m512i {
    let [lo, hi] = sum.words();
    let hi = _mm512_add_epi64(hi, _mm512_srli_epi64::<52>(lo));
    let low = |x, bits: u32| _mm512_and_si512(x, _mm512_set1_epi64((1i64 << bits) - 1));
    let mut sum = Sum::of([low(lo, 52), low(hi, KEPT)]);
    sum.add(_mm512_srli_epi64::<KEPT>(hi), top);
    lanes.reduce_back(_mm512_setzero_si512(), sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::path::Path;
    use ringjet_math::Modulus;
    use ringjet_math::prime::ntt_primes;

    #[test]
    fn the_largest_sums_are_exact() {
        if Path::best() != Path::Ifma {
            return;
        }
        for bits in [20, 40, 50] {
            let m = Modulus::new(ntt_primes(10, bits, 1, &[]).unwrap()[0]).unwrap();
            let (r, top, most) = (Reducer::new(&m), m.reduce_u128(1 << 102), m.value() - 1);
            for d in [2, 12, 13, ROWS / 2, ROWS] {
                let want = m.reduce_u128(d as u128 * u128::from(most) * u128::from(most));
                for (left_lanes, columns) in [(1, 2), (8, 2), (1, 4), (8, 4)] {
                    let shape = ClassShape { rows: d, columns, lanes: 8, left_lanes };
                    let (left, right) = (vec![most; 2 * d * left_lanes], vec![most; 8 * d * columns]);
                    let mut out = vec![0; 16 * columns];
                    // SAFETY: this path exists only where the processor has IFMA.
                    unsafe { block(&r, top, shape, &left, &right, &mut out) };
                    assert!(out.iter().all(|&x| x == want), "{bits} bits, {d} terms, {left_lanes} lanes, {columns}");
                }
            }
        }
    }
}
