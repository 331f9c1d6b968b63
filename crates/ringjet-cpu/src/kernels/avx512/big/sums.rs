//! How factors are cut into pieces, and unreduced sums of products of pieces.

use std::arch::x86_64::*;

use crate::kernels::avx512::arith::store;
use crate::system::path::Path;

/// Number of vectors of a block.
pub(super) const VECTORS: usize = 2;
/// Sums of partial products: low by low, low by high, high by low, high by high. In the narrow form
/// the second sum is that of products of differences, and the third is unused.
pub(super) type Sums<T> = [T; 4];

/// The form in which factors are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Three products for each term.
    Narrow,
    /// Four products for each term.
    Wide,
}

impl Form {
    /// The cheapest form for sums of `terms` products of words and residues of primes of at most
    /// `bits` bits. `None` if no form can hold the sums.
    pub fn new(bits: u32, terms: usize) -> Option<Self> {
        let larger = bits.saturating_sub(26).max(26);
        if bits <= 57 && (terms as u128) << (26 + larger) <= 1 << 62 {
            return Some(Self::Narrow);
        }
        (bits <= 61 && terms <= 111).then_some(Self::Wide)
    }

    /// [`Form::new`] for primes with these paths and numbers of bits. `None` if a path has no
    /// AVX-512.
    pub fn of(primes: impl IntoIterator<Item = (Path, u32)>, terms: usize) -> Option<Self> {
        let mut most = None;
        for (path, bits) in primes {
            if path < Path::Avx512 {
                return None;
            }
            most = most.max(Some(bits));
        }
        Self::new(most?, terms)
    }

    /// Number of pieces of a factor.
    pub fn pieces(self) -> usize {
        match self {
            Self::Narrow => 3,
            Self::Wide => 2,
        }
    }

    /// Appends the pieces of a word to `to`.
    pub fn cut_word(self, x: u64, to: &mut Vec<u32>) {
        self.cut(x, 26, to);
    }

    /// Appends the pieces of a residue to `to`.
    pub fn cut_residue(self, x: u64, to: &mut Vec<u32>) {
        self.cut(x, self.residue_at(), to);
    }

    pub(super) fn residue_at(self) -> u32 {
        if self == Self::Narrow { 26 } else { 31 }
    }

    fn cut(self, x: u64, at: u32, to: &mut Vec<u32>) {
        let (low, high) = ((x & ((1 << at) - 1)) as u32, (x >> at) as u32);
        to.extend([low, high]);
        if self == Self::Narrow {
            to.push(high.wrapping_sub(low));
        }
    }
}

/// Stores the pieces of 8 words, one piece in each row of `8 * U` words. The third piece has the
/// opposite sign to that of constants.
///
/// # Safety
/// `to` has a row for each piece from `at` on.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn store_pieces<const U: usize>(form: Form, x: __m512i, bit: u32, to: &mut [u64], at: usize) {
    let low = _mm512_and_si512(x, _mm512_set1_epi64((1 << bit) - 1));
    let high = _mm512_srl_epi64(x, _mm_cvtsi32_si128(bit as i32));
    // SAFETY: by the caller's promise.
    unsafe {
        store(to, at, low);
        store(to, at + 8 * U, high);
        if form == Form::Narrow {
            store(to, at + 16 * U, _mm512_sub_epi64(low, high));
        }
    }
}

/// Calls `$f::<vectors, WIDE>(first word, ...)` for the blocks of `$len` words.
macro_rules! vectors {
    ($form:expr, $len:expr, $f:ident($($arg:expr),*)) => {{
        let len = $len;
        assert!(len > 0 && len.is_multiple_of(8), "blocks of whole vectors, not {len}");
        for from in (0..len).step_by(8 * VECTORS) {
            match ($form, len - from) {
                (Form::Narrow, 8) => $f::<1, false>(from, $($arg),*),
                (Form::Narrow, _) => $f::<VECTORS, false>(from, $($arg),*),
                (Form::Wide, 8) => $f::<1, true>(from, $($arg),*),
                (Form::Wide, _) => $f::<VECTORS, true>(from, $($arg),*),
            }
        }
    }};
}
pub(super) use vectors;

/// The form as a value for generic code.
pub(super) const fn form(wide: bool) -> Form {
    if wide { Form::Wide } else { Form::Narrow }
}

/// Sums of the products of `inputs` rows of words, in pieces, and J rows of `inputs` constants, in
/// pieces.
///
/// # Safety
/// `x` has `inputs` times the pieces of 8 * U words, `c` as many pieces in each of J rows.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn sums<const U: usize, const J: usize, const WIDE: bool>(
    x: *const u64,
    inputs: usize,
    c: *const u32,
) -> Sums<[[__m512i; U]; J]> {
    let pieces = form(WIDE).pieces();
    let zero = [[_mm512_setzero_si512(); U]; J];
    let [mut ll, mut lh, mut hl, mut hh] = [zero; 4];
    let (mut x, mut c, stride) = (x, c, inputs * pieces);
    for _ in 0..inputs {
        // SAFETY: the pieces of `inputs` rows, and as many constants of each row of constants, are
        // there; the last step makes pointers to the end at most.
        unsafe {
            let (low, high) = (row::<U>(x), row::<U>(x.add(8 * U)));
            if WIDE {
                add(&mut ll, &low, c, stride);
                add(&mut lh, &low, c.add(1), stride);
                add(&mut hl, &high, c, stride);
                add(&mut hh, &high, c.add(1), stride);
            } else {
                add(&mut ll, &low, c, stride);
                add(&mut hh, &high, c.add(1), stride);
                add(&mut lh, &row::<U>(x.add(16 * U)), c.add(2), stride);
            }
            (x, c) = (x.add(8 * U * pieces), c.add(pieces));
        }
    }
    if !WIDE {
        // the products low by high and high by low in the same sum
        for j in 0..J {
            for u in 0..U {
                lh[j][u] = _mm512_add_epi64(lh[j][u], _mm512_add_epi64(ll[j][u], hh[j][u]));
            }
        }
    }
    [ll, lh, hl, hh]
}

/// # Safety
/// `x` has 8 * U words.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn row<const U: usize>(x: *const u64) -> [__m512i; U] {
    let mut row = [_mm512_setzero_si512(); U];
    for (u, row) in row.iter_mut().enumerate() {
        // SAFETY: by the caller's promise.
        *row = unsafe { _mm512_loadu_si512(x.add(8 * u).cast()) };
    }
    row
}

/// Adds the products of `x` and the J constants at the multiples of `stride`. Only the lowest 32
/// bits of both factors count, as signed numbers.
///
/// # Safety
/// `c` has J constants at the multiples of `stride`.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn add<const U: usize, const J: usize>(
    sums: &mut [[__m512i; U]; J],
    x: &[__m512i; U],
    c: *const u32,
    stride: usize,
) {
    for (j, sums) in sums.iter_mut().enumerate() {
        // SAFETY: by the caller's promise.
        let c = _mm512_set1_epi32(unsafe { *c.add(j * stride) } as i32);
        for (sum, &x) in sums.iter_mut().zip(x) {
            *sum = _mm512_add_epi64(*sum, _mm512_mul_epi32(x, c));
        }
    }
}
