//! The kernels, each in the form its prime and this machine allow.

use std::borrow::Cow;

use ringjet_backend::REPEATED_WORDS;

#[cfg(target_arch = "x86_64")]
use crate::avx512;
use crate::field::Field;
use crate::instrument::Kernel;
use crate::path::Path;
use crate::scalar;

/// A factor modulo one prime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Factor {
    /// 1.
    One,
    /// -1.
    MinusOne,
    /// A residue below the prime.
    Constant(u64),
}

/// Runs `$call` with `$k` the module and `$r` the constants of the field's vector kernels, and returns, where it has
/// any.
macro_rules! vectors {
    ($f:ident, $k:ident, $r:ident => $call:expr) => {
        #[cfg(target_arch = "x86_64")]
        match ($f.path, &$f.ifma, &$f.avx512) {
            (Path::Ifma, Some($r), _) => {
                use crate::ifma as $k;
                // SAFETY: a field has the path Ifma only where the processor has AVX-512 F and IFMA.
                return unsafe { $call };
            }
            (Path::Avx512, _, $r) => {
                use crate::avx512 as $k;
                // SAFETY: a field has the path Avx512 only where the processor has AVX-512 F and DQ.
                return unsafe { $call };
            }
            _ => {}
        }
    };
}

/// `dst = sum of factor * source`, plus `dst` when `accumulate`.
pub fn lincomb(f: &Field, dst: &mut [u64], terms: &[(Factor, &[u64])], accumulate: bool) {
    let constant = |&(c, _): &(Factor, &[u64])| matches!(c, Factor::Constant(_));
    f.calls.count(Kernel::Products, || terms.iter().filter(|&t| constant(t)).count() * dst.len());
    if !terms.iter().any(constant) {
        vectors!(f, k, r => {
            let terms: Vec<(bool, &[u64])> = terms.iter().map(|&(c, x)| (c == Factor::MinusOne, x)).collect();
            k::eltwise::signed_sum(r, dst, &terms, accumulate)
        });
    }
    vectors!(f, k, r => {
        let m = &f.modulus;
        let constant = |c| match c {
            Factor::One => r.scaled(m, 1),
            Factor::MinusOne => r.scaled(m, m.value() - 1),
            Factor::Constant(c) => r.scaled(m, c),
        };
        let terms: Vec<(u64, &[u64])> = terms.iter().map(|&(c, x)| (constant(c), x)).collect();
        k::eltwise::lincomb(r, dst, &terms, accumulate)
    });
    scalar::eltwise::lincomb(&f.modulus, dst, terms, accumulate);
}

/// `dst = sum of a b`, plus `dst` when `accumulate`.
pub fn mul_acc(f: &Field, dst: &mut [u64], pairs: &[(&[u64], &[u64])], accumulate: bool) {
    f.calls.count(Kernel::Products, || pairs.len() * dst.len());
    vectors!(f, k, r => k::eltwise::mul_acc(r, dst, pairs, accumulate));
    scalar::eltwise::mul_acc(&f.modulus, dst, pairs, accumulate);
}

/// What a pair of sums starts from.
#[derive(Debug, Clone, Copy)]
pub enum Start<'a> {
    /// Nothing.
    Zero,
    /// What is there.
    Dst,
    /// This in the first sum, nothing in the second.
    First(&'a [u64]),
}

impl Start<'_> {
    /// Makes `dst` what the sums start from.
    pub fn alone(self, dst: [&mut [u64]; 2]) {
        let [d0, d1] = dst;
        match self {
            Start::Dst => return,
            Start::Zero => d0.fill(0),
            Start::First(first) => d0.copy_from_slice(first),
        }
        d1.fill(0);
    }
}

/// How far ahead, in words, keys are asked for that are read from one end to the other.
const AHEAD: usize = 256;

/// `(dst0, dst1) = start + sum of x (k0, k1)`; each term is `[x, k0, k1]`.
pub fn mul_acc_pair(f: &Field, dst: [&mut [u64]; 2], terms: &[[&[u64]; 3]], start: Start<'_>) {
    let mut next = [[std::ptr::null(); 2]; 32];
    let ahead = |x: &[u64]| x.as_ptr().wrapping_add(AHEAD);
    match next.get_mut(..terms.len()) {
        Some(next) => {
            next.iter_mut().zip(terms).for_each(|(n, [_, k0, k1])| *n = [ahead(k0), ahead(k1)]);
            mul_acc_pair_before(f, dst, terms, next, start);
        }
        None => mul_acc_pair_before(f, dst, terms, &vec![[std::ptr::null(); 2]; terms.len()], start),
    }
}

/// The same; as many words from each pair in `next` on are prefetched, which has one for each term. An x with R times
/// fewer words (a power of two) has each eight words R times.
pub fn mul_acc_pair_before(
    f: &Field,
    dst: [&mut [u64]; 2],
    terms: &[[&[u64]; 3]],
    next: &[[*const u64; 2]],
    start: Start<'_>,
) {
    f.calls.count(Kernel::Products, || 2 * terms.len() * dst[0].len());
    vectors!(f, k, r => k::eltwise::mul_acc_pair(r, dst, terms, next, start));
    let [d0, d1] = dst;
    start.alone([&mut *d0, &mut *d1]);
    let factors: Vec<Cow<'_, [u64]>> = terms.iter().map(|t| expanded(t[0], d0.len())).collect();
    for (p, dst) in [d0, d1].into_iter().enumerate() {
        let pairs: Vec<(&[u64], &[u64])> = factors.iter().zip(terms).map(|(x, t)| (&**x, t[1 + p])).collect();
        scalar::eltwise::mul_acc(&f.modulus, dst, &pairs, true);
    }
}

/// `n` words, of which `few` has each eight only once.
fn expanded(few: &[u64], n: usize) -> Cow<'_, [u64]> {
    match n / few.len() {
        1 => Cow::Borrowed(few),
        repeated => few.chunks(REPEATED_WORDS).flat_map(|run| run.repeat(repeated)).collect(),
    }
}

/// `(d0, d1, d2) = (a0 b0, a0 b1 + a1 b0, a1 b1)`.
pub fn tensor(f: &Field, dst: [&mut [u64]; 3], a: [&[u64]; 2], b: [&[u64]; 2]) {
    f.calls.count(Kernel::Products, || 4 * dst[0].len());
    vectors!(f, k, r => k::eltwise::tensor(r, dst, a, b));
    let [d0, d1, d2] = dst;
    scalar::eltwise::mul_acc(&f.modulus, d0, &[(a[0], b[0])], false);
    scalar::eltwise::mul_acc(&f.modulus, d1, &[(a[0], b[1]), (a[1], b[0])], false);
    scalar::eltwise::mul_acc(&f.modulus, d2, &[(a[1], b[1])], false);
}

/// `dst = dst + w src + add`.
pub fn scale_add(f: &Field, dst: &mut [u64], src: &[u64], w: u64, add: Option<&[u64]>) {
    f.calls.count(Kernel::Products, || dst.len());
    vectors!(f, k, r => k::eltwise::scale_add(r, dst, src, r.constant(&f.modulus, w), add));
    scalar::eltwise::lincomb(&f.modulus, dst, &[(Factor::Constant(w), src)], true);
    if let Some(add) = add {
        scalar::eltwise::lincomb(&f.modulus, dst, &[(Factor::One, add)], true);
    }
}

/// `dst[i] = src[map[i] mod N]`, negated where bit `log_n` of `map[i]` is set and `signed`.
pub fn permute(f: &Field, dst: &mut [u64], src: &[u64], map: &[u32], signed: bool) {
    f.calls.count(Kernel::Permutations, || dst.len());
    #[cfg(target_arch = "x86_64")]
    if f.path != Path::Scalar {
        // SAFETY: a field has another path than Scalar only where the processor has AVX-512 F.
        return unsafe { avx512::permute::permute::<false>(f.modulus.value(), dst, src, map, signed) };
    }
    scalar::eltwise::permute(&f.modulus, dst, src, map, signed);
}

/// [`permute`] without signs. It may be written past the caches: [`crate::memory::fence`] comes before another thread is
/// told.
pub fn permute_past(f: &Field, dst: &mut [u64], src: &[u64], map: &[u32]) {
    #[cfg(target_arch = "x86_64")]
    if f.path != Path::Scalar && dst.as_ptr().addr().is_multiple_of(64) {
        f.calls.count(Kernel::Permutations, || dst.len());
        // SAFETY: as in `permute`.
        return unsafe { avx512::permute::permute::<true>(f.modulus.value(), dst, src, map, false) };
    }
    permute(f, dst, src, map, false);
}
