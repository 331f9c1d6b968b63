//! Passes over a block: one, two or three levels while vectors hold neighbouring words.

use std::arch::x86_64::*;

use super::lanes::{Lanes, splats};
use super::tables::{Eight, Forward4, Inverse4};
use crate::ifma::arith::{Constant, load, splat, store};

/// # Safety
/// The length of `x` is a multiple of 16.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) unsafe fn forward_pass2(k: &Lanes, x: &mut [u64], w: Constant) -> usize {
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
pub(super) unsafe fn forward_pass4(k: &Lanes, x: &mut [u64], w: &Forward4) -> usize {
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
pub(super) unsafe fn forward_pass8(k: &Lanes, x: &mut [u64], w: &Eight<5>) -> usize {
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
pub(super) unsafe fn inverse_pass2(k: &Lanes, x: &mut [u64], w: &Inverse4) {
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
pub(super) unsafe fn inverse_pass4<const FRACTION: bool>(k: &Lanes, x: &mut [u64], w: &Inverse4) {
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
pub(super) unsafe fn inverse_pass8<const FRACTION: bool>(
    k: &Lanes,
    x: &mut [u64],
    top: &Inverse4,
    low: &[Constant; 4],
) {
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

/// # Safety
/// `i + (R - 1) stride + 8 <= x.len()`.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn gather<const R: usize>(x: &[u64], i: usize, stride: usize) -> [__m512i; R] {
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
pub(super) unsafe fn scatter<const R: usize>(x: &mut [u64], i: usize, stride: usize, v: &[__m512i; R]) {
    for (k, v) in v.iter().enumerate() {
        // SAFETY: by the caller's promise.
        unsafe { store(x, i + k * stride, *v) };
    }
}
