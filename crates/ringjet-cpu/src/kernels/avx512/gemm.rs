//! Products of rows with a matrix of short integers: see [`crate::kernels::fma::gemm`].

use ringjet_math::Modulus;

use super::doubles::Doubles;
use crate::kernels::fma::gemm::{Cut, Panel, finish_on, sums_on};

/// Rows of the matrix that are multiplied at once.
pub const ROWS: usize = 12;

/// [`sums_on`] of [`ROWS`] rows at once.
///
/// # Safety
/// The processor has AVX-512 F and DQ.
#[target_feature(enable = "avx512f,avx512dq,fma")]
pub unsafe fn sums(cut: &Cut, panel: &mut Panel<'_>) {
    sums_on::<Doubles, ROWS>(cut, panel);
}

/// [`finish_on`].
///
/// # Safety
/// The processor has AVX-512 F and DQ.
#[target_feature(enable = "avx512f,avx512dq,fma")]
pub unsafe fn finish(m: &Modulus, sums: &[u64], factor: u64, constant: u64, dst: &mut [u64], added: bool) {
    finish_on::<Doubles>(m, sums, factor, constant, dst, added);
}
