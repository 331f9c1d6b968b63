//! Vectors of double-precision numbers, for kernels that are written once.
//!
//! The methods are inlined into kernels that are compiled for the vector's instructions (`native`). Residues are words of 64 bits in memory. [`Lanes::load`] and
//! [`Lanes::store`] keep their bits, so that memory can hold numbers between two kernels.

/// A vector of numbers.
pub trait Lanes: Copy {
    /// Number of lanes, 4 or 2.
    const COUNT: usize;

    /// The same number in each lane.
    fn splat(x: f64) -> Self;

    /// The words at `at` as the bits of numbers.
    ///
    /// # Safety
    /// `at` points to COUNT words.
    unsafe fn load(at: *const u64) -> Self;

    /// Writes the bits of the numbers.
    ///
    /// # Safety
    /// As for [`Lanes::load`].
    unsafe fn store(self, at: *mut u64);

    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// `self * b + c`, rounded once.
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// `c - self * b`, rounded once.
    fn neg_mul_add(self, b: Self, c: Self) -> Self;
    /// `self * b - c`, rounded once.
    fn mul_sub(self, b: Self, c: Self) -> Self;
    /// The bits of either.
    fn or(self, other: Self) -> Self;
    /// The bits of both.
    fn and(self, other: Self) -> Self;
    /// `x` in the lanes where this number is negative, 0 in the others.
    fn if_negative(self, x: Self) -> Self;

    /// Element j of vector i becomes element i of vector j.
    ///
    /// # Safety
    /// `rows` points to COUNT rows, `stride` words apart, of COUNT words each; so does `to`, with
    /// `step` words between rows.
    unsafe fn transpose(rows: *const u64, stride: usize, to: *mut u64, step: usize);
}

/// Four numbers in a vector of AVX2, with fused multiply-adds.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Lanes;
    use std::arch::x86_64::*;

    #[derive(Clone, Copy)]
    pub struct Avx2(__m256d);

    // SAFETY, for all methods: they are inlined into kernels that run only where the processor has
    // AVX2 and FMA.
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
        fn if_negative(self, x: Self) -> Self {
            Self(unsafe { _mm256_and_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(self.0, _mm256_setzero_pd()), x.0) })
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
}

#[cfg(target_arch = "x86_64")]
pub use x86::Avx2 as Native;

/// Two numbers in a vector of NEON.
#[cfg(target_arch = "aarch64")]
mod arm {
    use super::Lanes;
    use std::arch::aarch64::*;

    #[derive(Clone, Copy)]
    pub struct Neon(float64x2_t);

    // SAFETY, for all methods: every processor of this architecture has NEON.
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
        fn if_negative(self, x: Self) -> Self {
            unsafe {
                let mask = vcltzq_f64(self.0);
                Self(vreinterpretq_f64_u64(vandq_u64(mask, vreinterpretq_u64_f64(x.0))))
            }
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
}

#[cfg(target_arch = "aarch64")]
pub use arm::Neon as Native;

/// Defines a function that calls its generic version with this machine's vectors, compiled for their
/// instructions. It is unsafe where the processor may lack them.
macro_rules! native {
    ($(#[$doc:meta])* pub fn $name:ident(&self $(, $arg:ident: $kind:ty)*) => $inner:ident) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// The processor has the instructions of [`crate::system::path::Path::Fma`].
        #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
        pub unsafe fn $name(&self $(, $arg: $kind)*) {
            self.$inner::<$crate::kernels::fma::lanes::Native>($($arg),*)
        }
    };
    ($(#[$doc:meta])* pub fn $name:ident($($arg:ident: $kind:ty),* $(,)?) => $inner:ident) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// The processor has the instructions of [`crate::system::path::Path::Fma`].
        #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
        pub unsafe fn $name($($arg: $kind),*) {
            $inner::<$crate::kernels::fma::lanes::Native>($($arg),*)
        }
    };
}
pub(crate) use native;
