//! The kernels, each in the form its prime and this machine allow.

#[cfg(target_arch = "x86_64")]
use crate::avx512;
use crate::field::Field;
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
    if terms.iter().all(|&(c, _)| !matches!(c, Factor::Constant(_))) {
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
    vectors!(f, k, r => k::eltwise::mul_acc(r, dst, pairs, accumulate));
    scalar::eltwise::mul_acc(&f.modulus, dst, pairs, accumulate);
}

/// How far ahead, in words, keys are asked for that are read from one end to the other.
const AHEAD: usize = 256;

/// `(dst0, dst1) = sum of x (k0, k1)`; each term is `[x, k0, k1]`.
pub fn mul_acc_pair(f: &Field, dst: [&mut [u64]; 2], terms: &[[&[u64]; 3]]) {
    let mut next = [[std::ptr::null(); 2]; 32];
    let ahead = |x: &[u64]| x.as_ptr().wrapping_add(AHEAD);
    match next.get_mut(..terms.len()) {
        Some(next) => {
            next.iter_mut().zip(terms).for_each(|(n, [_, k0, k1])| *n = [ahead(k0), ahead(k1)]);
            mul_acc_pair_before(f, dst, terms, next);
        }
        None => mul_acc_pair_before(f, dst, terms, &vec![[std::ptr::null(); 2]; terms.len()]),
    }
}

/// The same; as many words from each pair in `next` on are prefetched, which has one for each term.
pub fn mul_acc_pair_before(f: &Field, dst: [&mut [u64]; 2], terms: &[[&[u64]; 3]], next: &[[*const u64; 2]]) {
    vectors!(f, k, r => k::eltwise::mul_acc_pair(r, dst, terms, next, false));
    for (i, dst) in dst.into_iter().enumerate() {
        let pairs: Vec<(&[u64], &[u64])> = terms.iter().map(|t| (t[0], t[1 + i])).collect();
        mul_acc(f, dst, &pairs, false);
    }
}

/// `(d0, d1, d2) = (a0 b0, a0 b1 + a1 b0, a1 b1)`.
pub fn tensor(f: &Field, dst: [&mut [u64]; 3], a: [&[u64]; 2], b: [&[u64]; 2]) {
    vectors!(f, k, r => k::eltwise::tensor(r, dst, a, b));
    let [d0, d1, d2] = dst;
    mul_acc(f, d0, &[(a[0], b[0])], false);
    mul_acc(f, d1, &[(a[0], b[1]), (a[1], b[0])], false);
    mul_acc(f, d2, &[(a[1], b[1])], false);
}

/// `dst = dst + w src + add`.
pub fn scale_add(f: &Field, dst: &mut [u64], src: &[u64], w: u64, add: Option<&[u64]>) {
    vectors!(f, k, r => k::eltwise::scale_add(r, dst, src, r.constant(&f.modulus, w), add));
    lincomb(f, dst, &[(Factor::Constant(w), src)], true);
    if let Some(add) = add {
        lincomb(f, dst, &[(Factor::One, add)], true);
    }
}

/// `dst[i] = src[map[i] mod N]`, negated where bit `log_n` of `map[i]` is set and `signed`.
pub fn permute(f: &Field, dst: &mut [u64], src: &[u64], map: &[u32], signed: bool) {
    #[cfg(target_arch = "x86_64")]
    if f.path != Path::Scalar {
        // SAFETY: a field has another path than Scalar only where the processor has AVX-512 F.
        return unsafe { avx512::permute::permute(f.modulus.value(), dst, src, map, signed) };
    }
    scalar::eltwise::permute(&f.modulus, dst, src, map, signed);
}
