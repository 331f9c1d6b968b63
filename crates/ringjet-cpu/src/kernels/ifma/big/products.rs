//! Sums of products of residues.

use std::arch::x86_64::*;

use super::sums::VECTORS;
use crate::kernels::ifma::arith::{Reducer, Sum, TERMS, store};
use crate::operands::rows::Rows;
use crate::operands::strip::BLOCK;

/// `out_s = -2^-104 * sum over (i, j) in sums_s of x_i * x_j mod q`. All factors x have the same
/// number of blocks of [`BLOCK`] words. `out` has as many words for each sum, one sum after
/// another. All sums of a block are computed together, so that factors are read in order.
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn products(r: &Reducer, factors: &[Rows<'_>], sums: &[Vec<[usize; 2]>], out: &mut [u64]) {
    let n = out.len() / sums.len();
    let blocks = n / BLOCK;
    assert!(out.len() == n * sums.len() && n.is_multiple_of(BLOCK));
    assert!(factors.iter().all(|x| x.count() == blocks && x.words() == BLOCK));
    assert!(sums.iter().flatten().flatten().all(|&i| i < factors.len()));
    let lanes = r.lanes();
    let places: Vec<(*const u64, usize)> = factors.iter().map(|x| x.place()).collect();
    let mut now: Vec<*const u64> = places.iter().map(|x| x.0).collect();
    for block in 0..blocks {
        for (s, sum) in sums.iter().enumerate() {
            let mut result = [_mm512_setzero_si512(); VECTORS];
            for (chunk, terms) in sum.chunks(TERMS).enumerate() {
                let mut acc = [Sum::zero(); VECTORS];
                for &[i, j] in terms {
                    // SAFETY: i and j are below the number of factors, whose blocks have 8 *
                    // VECTORS words.
                    unsafe {
                        let (x, y) = (*now.get_unchecked(i), *now.get_unchecked(j));
                        for (u, acc) in acc.iter_mut().enumerate() {
                            acc.add(_mm512_loadu_si512(x.add(8 * u).cast()), _mm512_loadu_si512(y.add(8 * u).cast()));
                        }
                    }
                }
                for (result, acc) in result.iter_mut().zip(acc) {
                    let reduced = lanes.reduce(acc);
                    *result = if chunk == 0 { reduced } else { lanes.correct(_mm512_add_epi64(*result, reduced)) };
                }
            }
            for (u, result) in result.into_iter().enumerate() {
                // SAFETY: `s * n + (block + 1) * BLOCK <= out.len()`.
                unsafe { store(out, s * n + block * BLOCK + 8 * u, result) };
            }
        }
        for (now, place) in now.iter_mut().zip(&places) {
            *now = now.wrapping_add(place.1);
        }
    }
}
