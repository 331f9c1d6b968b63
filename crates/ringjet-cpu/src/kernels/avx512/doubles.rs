//! Eight numbers in a vector of AVX-512.
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "one for all: they are inlined into kernels that run only where the processor has AVX-512 F and DQ"
)]

use std::arch::x86_64::*;

use crate::kernels::fma::lanes::Lanes;

#[derive(Clone, Copy)]
pub struct Doubles(__m512d);

impl Lanes for Doubles {
    const COUNT: usize = 8;

    #[inline(always)]
    fn splat(x: f64) -> Self {
        Self(unsafe { _mm512_set1_pd(x) })
    }
    #[inline(always)]
    unsafe fn load(at: *const u64) -> Self {
        Self(unsafe { _mm512_loadu_pd(at.cast()) })
    }
    #[inline(always)]
    unsafe fn store(self, at: *mut u64) {
        unsafe { _mm512_storeu_pd(at.cast(), self.0) }
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(unsafe { _mm512_add_pd(self.0, other.0) })
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(unsafe { _mm512_sub_pd(self.0, other.0) })
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(unsafe { _mm512_mul_pd(self.0, other.0) })
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        Self(unsafe { _mm512_fmadd_pd(self.0, b.0, c.0) })
    }
    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        Self(unsafe { _mm512_fnmadd_pd(self.0, b.0, c.0) })
    }
    #[inline(always)]
    fn mul_sub(self, b: Self, c: Self) -> Self {
        Self(unsafe { _mm512_fmsub_pd(self.0, b.0, c.0) })
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(unsafe { _mm512_or_pd(self.0, other.0) })
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(unsafe { _mm512_and_pd(self.0, other.0) })
    }
    #[inline(always)]
    fn negative(self) -> Self {
        let below = unsafe { _mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.0, _mm512_setzero_pd()) };
        Self(unsafe { _mm512_castsi512_pd(_mm512_movm_epi64(below)) })
    }
    #[inline(always)]
    fn add_bits(self, other: Self) -> Self {
        let bits = |x| unsafe { _mm512_castpd_si512(x) };
        Self(unsafe { _mm512_castsi512_pd(_mm512_add_epi64(bits(self.0), bits(other.0))) })
    }
    #[inline(always)]
    fn shift_right<const BITS: i32>(self) -> Self {
        let count = unsafe { _mm_cvtsi32_si128(BITS) };
        Self(unsafe { _mm512_castsi512_pd(_mm512_srl_epi64(_mm512_castpd_si512(self.0), count)) })
    }
}
