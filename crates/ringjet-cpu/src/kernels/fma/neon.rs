//! Two numbers in a vector of NEON.
#![allow(clippy::undocumented_unsafe_blocks, reason = "one for all: every processor of this architecture has NEON")]

use std::arch::aarch64::*;

use super::lanes::{Lanes, Moving};

#[derive(Clone, Copy)]
pub struct Neon(float64x2_t);

impl Lanes for Neon {
    const COUNT: usize = 2;

    #[inline(always)]
    fn splat(x: f64) -> Self {
        Self(unsafe { vdupq_n_f64(x) })
    }
    #[inline(always)]
    unsafe fn load(at: *const u64) -> Self {
        Self(unsafe { vld1q_f64(at.cast()) })
    }
    #[inline(always)]
    unsafe fn store(self, at: *mut u64) {
        unsafe { vst1q_f64(at.cast(), self.0) }
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(unsafe { vaddq_f64(self.0, other.0) })
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(unsafe { vsubq_f64(self.0, other.0) })
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(unsafe { vmulq_f64(self.0, other.0) })
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        Self(unsafe { vfmaq_f64(c.0, self.0, b.0) })
    }
    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        Self(unsafe { vfmsq_f64(c.0, self.0, b.0) })
    }
    #[inline(always)]
    fn mul_sub(self, b: Self, c: Self) -> Self {
        Self(unsafe { vnegq_f64(vfmsq_f64(c.0, self.0, b.0)) })
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        let bits = |x| unsafe { vreinterpretq_u64_f64(x) };
        Self(unsafe { vreinterpretq_f64_u64(vorrq_u64(bits(self.0), bits(other.0))) })
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        let bits = |x| unsafe { vreinterpretq_u64_f64(x) };
        Self(unsafe { vreinterpretq_f64_u64(vandq_u64(bits(self.0), bits(other.0))) })
    }
    #[inline(always)]
    fn negative(self) -> Self {
        Self(unsafe { vreinterpretq_f64_u64(vcltzq_f64(self.0)) })
    }
    #[inline(always)]
    fn add_bits(self, other: Self) -> Self {
        let bits = |x| unsafe { vreinterpretq_u64_f64(x) };
        Self(unsafe { vreinterpretq_f64_u64(vaddq_u64(bits(self.0), bits(other.0))) })
    }
    #[inline(always)]
    fn shift_right<const BITS: i32>(self) -> Self {
        Self(unsafe { vreinterpretq_f64_u64(vshrq_n_u64::<BITS>(vreinterpretq_u64_f64(self.0))) })
    }
}

impl Moving for Neon {
    #[inline(always)]
    unsafe fn gather(from: *const u64, map: *const u32, mask: u32) -> Self {
        let at = |lane: usize| unsafe { from.add((*map.add(lane) & mask) as usize) };
        Self(unsafe { vreinterpretq_f64_u64(vcombine_u64(vld1_u64(at(0)), vld1_u64(at(1)))) })
    }
    #[inline(always)]
    unsafe fn transpose(rows: *const u64, stride: usize, to: *mut u64, step: usize) {
        unsafe {
            let (a, b) = (vld1q_f64(rows.cast()), vld1q_f64(rows.add(stride).cast()));
            vst1q_f64(to.cast(), vzip1q_f64(a, b));
            vst1q_f64(to.add(step).cast(), vzip2q_f64(a, b));
        }
    }
}
