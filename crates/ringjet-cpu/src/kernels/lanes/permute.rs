//! Permutations of words: automorphisms and transpositions.

use std::arch::x86_64::*;

use super::vectors::store;
use crate::operands::prefetch::{TilePrefetch, VECTORS};

/// `dst[i] = src[map[i] mod N]`. If `signed`, the word is negated where `map[i] >= N`. With
/// `STREAM`, `dst` starts at a cache line and is written by streaming stores; the caller then calls
/// [`crate::system::streaming::fence`]. Lines of `prefetch` are issued meanwhile.
#[target_feature(enable = "avx512f")]
pub fn permute<const STREAM: bool>(
    q: u64,
    dst: &mut [u64],
    src: &[u64],
    map: &[u32],
    signed: bool,
    prefetch: &mut TilePrefetch<'_>,
) {
    let n = src.len();
    assert!(n.is_power_of_two() && (8..=1 << 30).contains(&n) && dst.len() == n && map.len() == n);
    assert!(!STREAM || dst.as_ptr().addr().is_multiple_of(64));
    let (low, q) = (n - 1, _mm512_set1_epi64(q as i64));
    for i in (0..n).step_by(8) {
        // loads each word into its lane separately: faster than a gather
        let word = |lane: usize| {
            // SAFETY: `map` has `n` words, a multiple of 8, and so has `src`, of which `low` is the
            // last.
            unsafe { _mm_loadl_epi64(src.as_ptr().add(*map.get_unchecked(i + lane) as usize & low).cast()) }
        };
        let mut x = _mm512_zextsi128_si512(word(0));
        for lane in 1..8 {
            x = _mm512_mask_broadcastq_epi64(x, 1 << lane, word(lane));
        }
        if signed {
            // SAFETY: `map` has `n` words, a multiple of 8.
            let index = _mm512_cvtepu32_epi64(unsafe { _mm256_loadu_si256(map.as_ptr().add(i).cast()) });
            let beyond = _mm512_cmpge_epu64_mask(index, _mm512_set1_epi64(n as i64));
            let negate = _mm512_mask_test_epi64_mask(beyond, x, x); // -0 is 0
            x = _mm512_mask_sub_epi64(x, negate, q, x);
        }
        if STREAM {
            if i.is_multiple_of(8 * VECTORS) {
                prefetch.permutation();
            }
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

/// Transposes each of the four quarters of 4 x 4 words of 8 x 8 words: 16 shuffles. For a
/// transposition of all words, the two quarters off the diagonal must be swapped before or after it
/// ([`exchanged`]).
#[inline]
#[target_feature(enable = "avx512f")]
pub fn transpose_quarters(v: [__m512i; 8]) -> [__m512i; 8] {
    // words 0 and 1, or 2 and 3, of the halves of two vectors, first those of the first vector
    let pick = [_mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15)];
    let a: [__m512i; 8] = std::array::from_fn(|i| {
        let (x, y) = (v[i & !1], v[i | 1]);
        if i & 1 == 0 { _mm512_unpacklo_epi64(x, y) } else { _mm512_unpackhi_epi64(x, y) }
    });
    std::array::from_fn(|i| _mm512_permutex2var_epi64(a[i & 5], pick[i >> 1 & 1], a[i & 5 | 2]))
}

/// Row `i` of the 8 x 8 words from `from` on, with the two quarters off the diagonal swapped.
///
/// # Safety
/// `from + 64 <= x.len()` and `i < 8`.
#[inline]
#[target_feature(enable = "avx512f")]
pub unsafe fn exchanged(x: &[u64], from: usize, i: usize) -> __m512i {
    // SAFETY: four words each of rows i mod 4 and 4 + i mod 4, by the caller's promise.
    unsafe {
        let start = x.as_ptr().add(from + 8 * (i & 3) + (i & 4));
        let (low, high) = (_mm256_loadu_si256(start.cast()), _mm256_loadu_si256(start.add(32).cast()));
        _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarters_and_their_places_make_a_transposition() {
        if !crate::system::path::Path::Avx512.exists() {
            println!("no AVX-512 here: nothing tested");
            return;
        }
        let x: Vec<u64> = (0..8 + 64).collect();
        let expected: Vec<u64> = (0..64).map(|i| 8 + i % 8 * 8 + i / 8).collect();
        // SAFETY: the processor has AVX-512 F; all indices are below the lengths.
        unsafe {
            let vectors = |x: &[u64]| std::array::from_fn(|i| _mm512_loadu_si512(x[8 * i..].as_ptr().cast()));
            let words = |v: [__m512i; 8]| v.map(|v| std::mem::transmute::<__m512i, [u64; 8]>(v)).concat();
            assert_eq!(words(transpose(vectors(&x[8..]))), expected);
            let quarters = words(transpose_quarters(vectors(&x[8..])));
            assert_eq!(words(std::array::from_fn(|i| exchanged(&quarters, 0, i))), expected);
            assert_eq!(words(transpose_quarters(std::array::from_fn(|i| exchanged(&x, 8, i)))), expected);
        }
    }
}
