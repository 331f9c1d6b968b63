//! Four numbers in a vector of AVX2, with fused multiply-adds.
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "one for all: they are inlined into kernels that run only where the processor has AVX2 and FMA"
)]

use std::arch::x86_64::*;

use super::lanes::{Lanes, Moving};

#[derive(Clone, Copy)]
pub struct Avx2(__m256d);

impl Lanes for Avx2 {
    const COUNT: usize = 4;

    #[inline(always)]
    fn splat(x: f64) -> Self {
        Self(unsafe { _mm256_set1_pd(x) })
    }
    #[inline(always)]
    unsafe fn load(at: *const u64) -> Self {
        Self(unsafe { _mm256_loadu_pd(at.cast()) })
    }
    #[inline(always)]
    unsafe fn store(self, at: *mut u64) {
        unsafe { _mm256_storeu_pd(at.cast(), self.0) }
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(unsafe { _mm256_add_pd(self.0, other.0) })
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(unsafe { _mm256_sub_pd(self.0, other.0) })
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(unsafe { _mm256_mul_pd(self.0, other.0) })
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        Self(unsafe { _mm256_fmadd_pd(self.0, b.0, c.0) })
    }
    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        Self(unsafe { _mm256_fnmadd_pd(self.0, b.0, c.0) })
    }
    #[inline(always)]
    fn mul_sub(self, b: Self, c: Self) -> Self {
        Self(unsafe { _mm256_fmsub_pd(self.0, b.0, c.0) })
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(unsafe { _mm256_or_pd(self.0, other.0) })
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(unsafe { _mm256_and_pd(self.0, other.0) })
    }
    #[inline(always)]
    fn negative(self) -> Self {
        Self(unsafe { _mm256_cmp_pd::<_CMP_LT_OQ>(self.0, _mm256_setzero_pd()) })
    }
    #[inline(always)]
    fn add_bits(self, other: Self) -> Self {
        let bits = |x| unsafe { _mm256_castpd_si256(x) };
        Self(unsafe { _mm256_castsi256_pd(_mm256_add_epi64(bits(self.0), bits(other.0))) })
    }
    #[inline(always)]
    fn shift_right<const BITS: i32>(self) -> Self {
        Self(unsafe { _mm256_castsi256_pd(_mm256_srli_epi64::<BITS>(_mm256_castpd_si256(self.0))) })
    }
}

impl Moving for Avx2 {
    #[inline(always)]
    unsafe fn gather(from: *const u64, map: *const u32, mask: u32) -> Self {
        // each word alone: faster than a gather
        let word = |lane: usize| unsafe { _mm_load_sd(from.add((*map.add(lane) & mask) as usize).cast()) };
        let pair =
            |lane: usize| unsafe { _mm_loadh_pd(word(lane), from.add((*map.add(lane + 1) & mask) as usize).cast()) };
        Self(unsafe { _mm256_set_m128d(pair(2), pair(0)) })
    }
    #[inline(always)]
    unsafe fn transpose(rows: *const u64, stride: usize, to: *mut u64, step: usize) {
        unsafe {
            let row = |i: usize| _mm256_loadu_pd(rows.add(i * stride).cast());
            let [a, b, c, d] = [row(0), row(1), row(2), row(3)];
            let (ab0, ab1) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
            let (cd0, cd1) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
            let columns = [
                _mm256_permute2f128_pd::<0x20>(ab0, cd0),
                _mm256_permute2f128_pd::<0x20>(ab1, cd1),
                _mm256_permute2f128_pd::<0x31>(ab0, cd0),
                _mm256_permute2f128_pd::<0x31>(ab1, cd1),
            ];
            for (j, column) in columns.into_iter().enumerate() {
                _mm256_storeu_pd(to.add(j * step).cast(), column);
            }
        }
    }
}
