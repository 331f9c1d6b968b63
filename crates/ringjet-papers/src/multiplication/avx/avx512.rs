//! The AVX-512 instructions.

#[cfg(target_arch = "x86_64")]
pub use x86::Avx512;

#[cfg(not(target_arch = "x86_64"))]
pub use other::Avx512;

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::super::lanes::{Kernel, Lanes, Machine};
    use crate::multiplication::lines::{LANES, Line};

    /// Proof that this processor has AVX-512F and AVX-512DQ: a value exists only if it has them.
    #[derive(Debug, Clone, Copy)]
    pub struct Avx512(());

    impl Avx512 {
        /// The proof, if the processor has the instructions.
        pub fn detect() -> Option<Self> {
            (is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq")).then_some(Self(()))
        }

        /// Runs the kernel inside a function that may use the instructions.
        #[target_feature(enable = "avx512f,avx512dq")]
        fn inside<K: Kernel>(self, kernel: K) {
            kernel.run(self);
        }
    }

    impl Machine for Avx512 {
        fn run<K: Kernel>(self, kernel: K) {
            // SAFETY: a value of this type exists only where the processor has the instructions.
            unsafe { self.inside(kernel) }
        }
    }

    /// Defines functions of one or a few instructions.
    macro_rules! lanes {
        ($($name:ident($($arg:ident: $type:ty),*) -> $result:ty = $body:expr;)*) => {$(
            #[inline(always)]
            fn $name(self, $($arg: $type),*) -> $result {
                // SAFETY: a value of this type exists only if the processor has AVX-512F and
                // AVX-512DQ. Loads and stores access a whole line, which is 64 bytes long and
                // aligned.
                unsafe { $body }
            }
        )*};
    }

    impl Lanes for Avx512 {
        type Vector = __m512i;

        lanes! {
            load(from: &Line) -> __m512i = _mm512_load_si512(std::ptr::from_ref(from).cast());
            store(to: &mut Line, v: __m512i) -> () = _mm512_store_si512(std::ptr::from_mut(to).cast(), v);
            splat(x: u64) -> __m512i = _mm512_set1_epi64(x as i64);
            add(a: __m512i, b: __m512i) -> __m512i = _mm512_add_epi64(a, b);
            sub(a: __m512i, b: __m512i) -> __m512i = _mm512_sub_epi64(a, b);
            mul32(a: __m512i, b: __m512i) -> __m512i = multiply(a, b);
            mullo(a: __m512i, b: __m512i) -> __m512i = _mm512_mullo_epi64(a, b);
            upper_half(a: __m512i) -> __m512i = _mm512_srli_epi64(a, 32);
            to_upper_half(a: __m512i) -> __m512i = _mm512_slli_epi64(a, 32);
            lower_half(a: __m512i) -> __m512i = _mm512_and_si512(a, _mm512_set1_epi64(0xffff_ffff));
            join(upper: __m512i, lower: __m512i) -> __m512i = _mm512_mask_blend_epi32(0x5555, upper, lower);
            add_where_less(sum: __m512i, a: __m512i, b: __m512i) -> __m512i =
                _mm512_mask_add_epi64(sum, _mm512_cmplt_epu64_mask(a, b), sum, _mm512_set1_epi64(1));
            subtract_where_fits(a: __m512i, b: __m512i) -> __m512i =
                _mm512_mask_sub_epi64(a, _mm512_cmpge_epu64_mask(a, b), a, b);
            permute2(a: __m512i, index: &Line, b: __m512i) -> __m512i =
                _mm512_permutex2var_epi64(a, _mm512_load_si512(std::ptr::from_ref(index).cast()), b);
            permute(a: __m512i, index: &Line) -> __m512i =
                _mm512_permutexvar_epi64(_mm512_load_si512(std::ptr::from_ref(index).cast()), a);
            transpose(rows: [__m512i; LANES]) -> [__m512i; LANES] = {
                let [a, b, c, d, e, f, g, h] = rows;
                let even = [(a, b), (c, d), (e, f), (g, h)].map(|(x, y)| _mm512_unpacklo_epi64(x, y));
                let odd = [(a, b), (c, d), (e, f), (g, h)].map(|(x, y)| _mm512_unpackhi_epi64(x, y));
                let [c0, c2, c4, c6] = transpose_pairs(even);
                let [c1, c3, c5, c7] = transpose_pairs(odd);
                [c0, c1, c2, c3, c4, c5, c6, c7]
            };
        }
    }

    /// `vpmuludq` as inline assembly instead of the intrinsic. With the intrinsic, LLVM recognises
    /// the upper word of a product in the sum of four products and replaces it by eight scalar
    /// multiplications, which are nearly twice as slow.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn multiply(a: __m512i, b: __m512i) -> __m512i {
        let product;
        // SAFETY: one instruction on registers, without memory or flags; callers run it only on
        // processors that have it.
        unsafe {
            std::arch::asm!(
                "vpmuludq {product}, {a}, {b}",
                product = lateout(zmm_reg) product,
                a = in(zmm_reg) a,
                b = in(zmm_reg) b,
                options(pure, nomem, nostack, preserves_flags)
            );
        }
        product
    }

    /// Transposes four rows of word pairs.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn transpose_pairs([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
        const EVEN: i32 = 0b10_00_10_00;
        const ODD: i32 = 0b11_01_11_01;
        let (even_ab, odd_ab) = (_mm512_shuffle_i64x2(a, b, EVEN), _mm512_shuffle_i64x2(a, b, ODD));
        let (even_cd, odd_cd) = (_mm512_shuffle_i64x2(c, d, EVEN), _mm512_shuffle_i64x2(c, d, ODD));
        [
            _mm512_shuffle_i64x2(even_ab, even_cd, EVEN),
            _mm512_shuffle_i64x2(odd_ab, odd_cd, EVEN),
            _mm512_shuffle_i64x2(even_ab, even_cd, ODD),
            _mm512_shuffle_i64x2(odd_ab, odd_cd, ODD),
        ]
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod other {
    use super::super::lanes::{Kernel, Machine};

    /// This architecture has no AVX-512, so the type has no values.
    #[derive(Debug, Clone, Copy)]
    pub enum Avx512 {}

    impl Avx512 {
        /// Always None.
        pub fn detect() -> Option<Self> {
            None
        }
    }

    impl Machine for Avx512 {
        fn run<K: Kernel>(self, _: K) {
            match self {}
        }
    }
}
