//! The kernels, each in the form its prime and this machine allow.

use crate::field::Field;
use crate::scalar;

/// A factor modulo one prime.
#[derive(Debug, Clone, Copy)]
pub enum Factor {
    /// 1.
    One,
    /// -1.
    MinusOne,
    /// A residue below the prime.
    Constant(u64),
}

/// `dst = sum of factor * source`, plus `dst` when `accumulate`.
pub fn lincomb(f: &Field, dst: &mut [u64], terms: &[(Factor, &[u64])], accumulate: bool) {
    scalar::eltwise::lincomb(&f.modulus, dst, terms, accumulate);
}

/// `dst = sum of a b`, plus `dst` when `accumulate`.
pub fn mul_acc(f: &Field, dst: &mut [u64], pairs: &[(&[u64], &[u64])], accumulate: bool) {
    scalar::eltwise::mul_acc(&f.modulus, dst, pairs, accumulate);
}

/// `dst[i] = src[map[i] mod N]`, negated where bit `log_n` of `map[i]` is set and `signed`.
pub fn permute(f: &Field, dst: &mut [u64], src: &[u64], map: &[u32], signed: bool) {
    scalar::eltwise::permute(&f.modulus, dst, src, map, signed);
}
