//! Words in other places: automorphisms by gathers, and transposition.

use std::arch::x86_64::*;

use super::arith::store;

/// `dst[i] = src[map[i] mod N]`, negated where `map[i] >= N` and `signed`. With `PAST` it is written past the caches, and
/// starts at a cache line: [`crate::memory::fence`] comes before another thread is told.
#[target_feature(enable = "avx512f")]
pub fn permute<const PAST: bool>(q: u64, dst: &mut [u64], src: &[u64], map: &[u32], signed: bool) {
    let n = src.len();
    assert!(n.is_power_of_two() && (8..=1 << 30).contains(&n) && dst.len() == n && map.len() == n);
    assert!(!PAST || dst.as_ptr().addr().is_multiple_of(64));
    let (low, q) = (_mm256_set1_epi32(n as i32 - 1), _mm512_set1_epi64(q as i64));
    for i in (0..n).step_by(8) {
        // SAFETY: `map` has `n` words, a multiple of 8; an unaligned load.
        let index = unsafe { _mm256_loadu_si256(map.as_ptr().add(i).cast()) };
        let inside = _mm256_and_si256(index, low);
        // SAFETY: indices are below `n`, the length of `src`.
        let mut x = unsafe { _mm512_i32gather_epi64::<8>(inside, src.as_ptr().cast()) };
        if signed {
            let beyond = _mm512_cmpneq_epi64_mask(_mm512_cvtepu32_epi64(inside), _mm512_cvtepu32_epi64(index));
            let negate = _mm512_mask_test_epi64_mask(beyond, x, x); // -0 is 0
            x = _mm512_mask_sub_epi64(x, negate, q, x);
        }
        if PAST {
            // SAFETY: `dst` has `n` words and starts at a cache line, and `i` is a multiple of 8.
            unsafe { _mm512_stream_si512(dst.as_mut_ptr().add(i).cast(), x) };
        } else {
            // SAFETY: `dst` has `n` words.
            unsafe { store(dst, i, x) };
        }
    }
}

/// Transposes 8 x 8 words: 24 shuffles.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn transpose(v: [__m512i; 8]) -> [__m512i; 8] {
    let a: [__m512i; 8] = std::array::from_fn(|i| {
        let (x, y) = (v[i & !1], v[i | 1]);
        if i & 1 == 0 { _mm512_unpacklo_epi64(x, y) } else { _mm512_unpackhi_epi64(x, y) }
    });
    // a[2k + c] holds columns c, c+2, c+4, c+6 of rows 2k and 2k+1
    let b: [__m512i; 8] = std::array::from_fn(|i| {
        let (x, y) = (a[(i & 4) | (i & 1)], a[(i & 4) | 2 | (i & 1)]);
        if i & 2 == 0 { _mm512_shuffle_i64x2::<0x88>(x, y) } else { _mm512_shuffle_i64x2::<0xdd>(x, y) }
    });
    // b[4h + 2p + c]: rows 4h..4h+4, columns c + 2p and c + 2p + 4
    std::array::from_fn(|j| {
        let (c, p, high) = (j & 1, (j >> 1) & 1, j >> 2);
        let (x, y) = (b[2 * p + c], b[4 + 2 * p + c]);
        if high == 0 { _mm512_shuffle_i64x2::<0x88>(x, y) } else { _mm512_shuffle_i64x2::<0xdd>(x, y) }
    })
}
