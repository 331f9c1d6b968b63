//! Sixteen words in a vector of AVX-512.
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "one for all: they are inlined into functions that run only where the processor has AVX-512 F"
)]

use std::arch::x86_64::*;

use ringjet_backend::UniformStream;

use super::lanes::Lanes;
use super::stream::fill_on;

#[derive(Clone, Copy)]
pub struct Avx512(__m512i);

/// [`UniformStream::fill`].
///
/// # Safety
/// The processor has AVX-512 F.
#[target_feature(enable = "avx512f")]
pub unsafe fn fill(stream: &UniformStream<'_>, out: &mut [u64]) {
    fill_on::<Avx512>(stream, out);
}

impl Lanes for Avx512 {
    const COUNT: usize = 16;

    #[inline(always)]
    fn splat(x: u32) -> Self {
        Self(unsafe { _mm512_set1_epi32(x as i32) })
    }
    #[inline(always)]
    unsafe fn load(from: *const u32) -> Self {
        Self(unsafe { _mm512_loadu_si512(from.cast()) })
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(unsafe { _mm512_add_epi32(self.0, other.0) })
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(unsafe { _mm512_xor_si512(self.0, other.0) })
    }
    #[inline(always)]
    fn rotate<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        Self(unsafe { _mm512_rol_epi32::<LEFT>(self.0) })
    }
    #[inline(always)]
    unsafe fn store_blocks(words: [Self; 16], to: *mut u64) {
        unsafe {
            let [x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15] = words;
            let (a, b) = (parts([x0, x1, x2, x3]), parts([x4, x5, x6, x7]));
            let (c, d) = (parts([x8, x9, x10, x11]), parts([x12, x13, x14, x15]));
            for j in 0..4 {
                // part k of a[j], b[j], c[j] and d[j] is block 4 * k + j
                let (ab0, ab1) = (_mm512_shuffle_i32x4::<0x44>(a[j], b[j]), _mm512_shuffle_i32x4::<0xee>(a[j], b[j]));
                let (cd0, cd1) = (_mm512_shuffle_i32x4::<0x44>(c[j], d[j]), _mm512_shuffle_i32x4::<0xee>(c[j], d[j]));
                let to = to.add(8 * j);
                _mm512_storeu_si512(to.cast(), _mm512_shuffle_i32x4::<0x88>(ab0, cd0));
                _mm512_storeu_si512(to.add(32).cast(), _mm512_shuffle_i32x4::<0xdd>(ab0, cd0));
                _mm512_storeu_si512(to.add(64).cast(), _mm512_shuffle_i32x4::<0x88>(ab1, cd1));
                _mm512_storeu_si512(to.add(96).cast(), _mm512_shuffle_i32x4::<0xdd>(ab1, cd1));
            }
        }
    }
    #[inline(always)]
    fn keep(words: &mut [u64], mask: u64, largest: u64, out: &mut [u64]) -> usize {
        debug_assert!(words.len().is_multiple_of(8));
        // `kept` never exceeds `len`: at most `len - kept` words are added to it.
        let (mut kept, len) = (0, out.len());
        let (mask, largest) = unsafe { (_mm512_set1_epi64(mask as i64), _mm512_set1_epi64(largest as i64)) };
        for eight in words.chunks_exact(8) {
            // SAFETY: eight words are read. `out` has `len - kept` more words from `kept` on: eight are written
            // where there are as many, and otherwise only the lanes of `lanes`, which are no more than these.
            unsafe {
                let v = _mm512_and_si512(_mm512_loadu_si512(eight.as_ptr().cast()), mask);
                let good = _mm512_cmple_epu64_mask(v, largest);
                let to: *mut i64 = out.as_mut_ptr().add(kept).cast();
                if good == 0xff && len - kept >= 8 {
                    _mm512_storeu_si512(to.cast(), v);
                    kept += 8;
                } else {
                    let count = (good.count_ones() as usize).min(len - kept);
                    let lanes = ((1u32 << count) - 1) as __mmask8;
                    _mm512_mask_storeu_epi64(to, lanes, _mm512_maskz_compress_epi64(good, v));
                    kept += count;
                }
            }
        }
        kept
    }
}

/// Transposes 4 x 4 words within each part of 128 bits: part k of vector j of the result has the
/// elements `4 * k + j` of the four vectors.
#[inline(always)]
unsafe fn parts(rows: [Avx512; 4]) -> [__m512i; 4] {
    unsafe {
        let [Avx512(a), Avx512(b), Avx512(c), Avx512(d)] = rows;
        let (ab0, ab1) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
        let (cd0, cd1) = (_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
        [
            _mm512_unpacklo_epi64(ab0, cd0),
            _mm512_unpackhi_epi64(ab0, cd0),
            _mm512_unpacklo_epi64(ab1, cd1),
            _mm512_unpackhi_epi64(ab1, cd1),
        ]
    }
}
