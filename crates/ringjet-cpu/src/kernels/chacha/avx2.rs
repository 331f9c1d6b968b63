//! Eight words in a vector of AVX2.
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "one for all: they are inlined into functions that run only where the processor has AVX2"
)]

use std::arch::x86_64::*;

use ringjet_backend::UniformStream;

use super::lanes::Lanes;
use super::stream::{fill_on, keep};

#[derive(Clone, Copy)]
pub struct Avx2(__m256i);

/// [`UniformStream::fill`].
///
/// # Safety
/// The processor has AVX2.
#[target_feature(enable = "avx2")]
pub unsafe fn fill(stream: &UniformStream<'_>, out: &mut [u64]) {
    fill_on::<Avx2>(stream, out);
}

impl Lanes for Avx2 {
    const COUNT: usize = 8;

    #[inline(always)]
    fn splat(x: u32) -> Self {
        Self(unsafe { _mm256_set1_epi32(x as i32) })
    }
    #[inline(always)]
    unsafe fn load(from: *const u32) -> Self {
        Self(unsafe { _mm256_loadu_si256(from.cast()) })
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(unsafe { _mm256_add_epi32(self.0, other.0) })
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }
    #[inline(always)]
    fn rotate<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        Self(match LEFT {
            8 => move_bytes(self.0, 0x0605_0407_0201_0003, 0x0e0d_0c0f_0a09_080b),
            16 => move_bytes(self.0, 0x0504_0706_0100_0302, 0x0d0c_0f0e_0908_0b0a),
            _ => unsafe { _mm256_or_si256(_mm256_slli_epi32::<LEFT>(self.0), _mm256_srli_epi32::<RIGHT>(self.0)) },
        })
    }
    #[inline(always)]
    unsafe fn store_blocks(words: [Self; 16], to: *mut u64) {
        unsafe {
            let [x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15] = words;
            let (a, b) = (parts([x0, x1, x2, x3]), parts([x4, x5, x6, x7]));
            let (c, d) = (parts([x8, x9, x10, x11]), parts([x12, x13, x14, x15]));
            for j in 0..4 {
                // part k of a[j], b[j], c[j] and d[j] is block 4 * k + j
                let (low, high) = (to.add(8 * j), to.add(8 * (4 + j)));
                _mm256_storeu_si256(low.cast(), _mm256_permute2x128_si256::<0x20>(a[j], b[j]));
                _mm256_storeu_si256(low.add(4).cast(), _mm256_permute2x128_si256::<0x20>(c[j], d[j]));
                _mm256_storeu_si256(high.cast(), _mm256_permute2x128_si256::<0x31>(a[j], b[j]));
                _mm256_storeu_si256(high.add(4).cast(), _mm256_permute2x128_si256::<0x31>(c[j], d[j]));
            }
        }
    }
    #[inline(always)]
    fn keep(words: &mut [u64], mask: u64, largest: u64, out: &mut [u64]) -> usize {
        keep(words, mask, largest, out)
    }
}

/// Transposes 4 x 4 words within each part of 128 bits: part k of vector j of the result has the
/// elements `4 * k + j` of the four vectors.
#[inline(always)]
unsafe fn parts(rows: [Avx2; 4]) -> [__m256i; 4] {
    unsafe {
        let [Avx2(a), Avx2(b), Avx2(c), Avx2(d)] = rows;
        let (ab0, ab1) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
        let (cd0, cd1) = (_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
        [
            _mm256_unpacklo_epi64(ab0, cd0),
            _mm256_unpackhi_epi64(ab0, cd0),
            _mm256_unpacklo_epi64(ab1, cd1),
            _mm256_unpackhi_epi64(ab1, cd1),
        ]
    }
}

/// Moves the bytes of each part of 128 bits: `low` and `high` have the places from which they come.
/// It is one instruction, where a rotation is three.
#[inline(always)]
fn move_bytes(x: __m256i, low: i64, high: i64) -> __m256i {
    unsafe { _mm256_shuffle_epi8(x, _mm256_set_epi64x(high, low, high, low)) }
}
