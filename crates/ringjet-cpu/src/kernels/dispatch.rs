//! Element-wise kernels of a [`Field`]. Each calls the version for the instruction set (path) of
//! the field.

use std::borrow::Cow;

use ringjet_backend::repeat;

use super::field::Field;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::fma;
#[cfg(target_arch = "x86_64")]
use super::lanes;
use super::scalar;
use crate::operands::class_shape::ClassShape;
use crate::operands::prefetch::TilePrefetch;
use crate::operands::terms::{Factor, Output, Start};
use crate::system::instrument::Counted;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::system::path::Path;

/// If the field `$f` has a vector path, returns the result of `$call`, in which `$k` is the module
/// of the kernels and `$r` their constants.
macro_rules! vectors {
    ($f:ident, $k:ident, $r:ident => $call:expr) => {
        #[cfg(target_arch = "x86_64")]
        match ($f.path, &$f.ifma, &$f.avx512) {
            (Path::Ifma, Some($r), _) => {
                use super::ifma as $k;
                // SAFETY: a field has the path Ifma only where the processor has AVX-512 F and
                // IFMA.
                return unsafe { $call };
            }
            (Path::Avx512, _, $r) => {
                use super::avx512 as $k;
                // SAFETY: a field has the path Avx512 only where the processor has AVX-512 F and
                // DQ.
                return unsafe { $call };
            }
            _ => {}
        }
    };
}

/// If the field `$f` has fused multiply-adds, returns the result of `$call`, in which `$p` are their
/// constants.
macro_rules! doubles {
    ($f:ident, $p:ident => $call:expr) => {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        if let Some($p) = &$f.fma {
            // SAFETY: a field has these constants only where the processor has the instructions.
            return unsafe { $call };
        }
    };
}

/// `dst = sum of factor * source` over `terms`.
pub fn lincomb(f: &Field, dst: &mut [u64], terms: &[(Factor, &[u64])], output: Output) {
    let output = output.for_alignment_of(dst);
    let constant = |&(c, _): &(Factor, &[u64])| matches!(c, Factor::Constant(_));
    f.counters.count(Counted::Products, || terms.iter().filter(|&t| constant(t)).count() * dst.len());
    if !terms.iter().any(constant) {
        vectors!(f, k, r => {
            let terms: Vec<(bool, &[u64])> = terms.iter().map(|&(c, x)| (c == Factor::MinusOne, x)).collect();
            k::eltwise::signed_sum(r, dst, &terms, output)
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
        k::eltwise::lincomb(r, dst, &terms, output)
    });
    doubles!(f, p => fma::eltwise::lincomb(p, &f.modulus, dst, terms, output == Output::Added));
    scalar::eltwise::lincomb(&f.modulus, dst, terms, output == Output::Added);
}

/// Words of a row that [`Gemm::sums`] computes at most.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub use fma::gemm::PANEL;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub const PANEL: usize = 128;

/// The kernels of a product of rows with a matrix of short integers, modulo one prime.
pub struct Gemm<'a> {
    field: &'a Field,
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    cut: fma::gemm::Cut,
}

impl<'a> Gemm<'a> {
    /// For weights of at most `largest` in size; `None` where there are no such kernels.
    pub fn new(field: &'a Field, largest: u32) -> Option<Self> {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        if field.path != Path::Scalar && field.modulus.value() < 1 << 50 && field.log_n >= 3 {
            return Some(Self { field, cut: fma::gemm::Cut::new(&field.modulus, largest) });
        }
        let _ = (field, largest);
        None
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl Gemm<'_> {
    /// Rows of the matrix that are multiplied at once.
    pub fn rows_at_once(&self) -> usize {
        #[cfg(target_arch = "x86_64")]
        if self.field.path != Path::Fma {
            return super::avx512::gemm::ROWS;
        }
        fma::gemm::ROWS
    }

    /// Words of scratch memory.
    pub fn scratch(&self, rows: usize) -> usize {
        self.cut.scratch(rows)
    }

    /// The sums of all rows for the words of the sources, as numbers; see [`fma::gemm::Panel`].
    pub fn sums<'s>(&self, sources: &[&[u64]], weights: &[u64], rows: usize, scratch: &'s mut [u64]) -> &'s [u64] {
        let from = scratch.len() - fma::gemm::PANEL * rows;
        let mut panel = fma::gemm::Panel { sources, weights, rows, scratch };
        #[cfg(target_arch = "x86_64")]
        if self.field.path != Path::Fma {
            // SAFETY: the other paths with these kernels need AVX-512 F and DQ.
            unsafe { super::avx512::gemm::sums(&self.cut, &mut panel) };
            return &scratch[from..];
        }
        // SAFETY: the path is Fma.
        unsafe { fma::gemm::sums(&self.cut, &mut panel) };
        &scratch[from..]
    }

    /// `dst = factor * sum + constant`, plus the old words if they are `added`.
    pub fn finish(&self, sums: &[u64], factor: u64, constant: u64, dst: &mut [u64], added: bool) {
        let m = &self.field.modulus;
        #[cfg(target_arch = "x86_64")]
        if self.field.path != Path::Fma {
            // SAFETY: as in `sums`.
            return unsafe { super::avx512::gemm::finish(m, sums, factor, constant, dst, added) };
        }
        // SAFETY: as in `sums`.
        unsafe { fma::gemm::finish(m, sums, factor, constant, dst, added) };
    }
}

/// Without kernels there is no value of this type.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
impl Gemm<'_> {
    pub fn rows_at_once(&self) -> usize {
        1
    }

    pub fn scratch(&self, _: usize) -> usize {
        0
    }

    pub fn sums<'s>(&self, _: &[&[u64]], _: &[u64], _: usize, scratch: &'s mut [u64]) -> &'s [u64] {
        scratch
    }

    pub fn finish(&self, _: &[u64], _: u64, _: u64, _: &mut [u64], _: bool) {}
}

/// The matrix of a [`Gemm`] as its kernels read it.
pub fn pack_weights(weights: &[i32], columns: usize, block: usize, out: &mut [u64]) {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fma::gemm::packed(weights, columns, block, out);
}

/// Words of a left factor that is read anew for each block of columns: more words do not stay in a cache of
/// 2 MiB, so larger left factors are read once and the right one anew for each block of rows.
const CACHED: usize = 1 << 17;

/// The product of matrices, by blocks. `write` gets a row, the first word in that row, and words.
pub fn class_products(
    f: &Field,
    shape: ClassShape,
    left: &[u64],
    right: &[u64],
    mut write: impl FnMut(usize, usize, &[u64]),
) {
    let (height, width) = (shape.rows_at_once(), shape.columns_at_once() * shape.lanes);
    let mut out = [0; 64];
    let out = &mut out[..height * width];
    let (lefts, rights) = (shape.rows * height * shape.left_lanes, shape.rows * width);
    let mut block = |r: usize, c: usize| {
        class_block(f, shape, &left[r * lefts..][..lefts], &right[c * rights..][..rights], out);
        out.chunks_exact(width).enumerate().for_each(|(k, words)| write(r * height + k, c * width, words));
    };
    let (down, across) = (left.len() / lefts, right.len() / rights);
    if left.len() > CACHED {
        (0..down).for_each(|r| (0..across).for_each(|c| block(r, c)));
    } else {
        (0..across).for_each(|c| (0..down).for_each(|r| block(r, c)));
    }
}

fn class_block(f: &Field, shape: ClassShape, left: &[u64], right: &[u64], out: &mut [u64]) {
    #[cfg(target_arch = "x86_64")]
    if let (Path::Ifma, Some(r)) = (f.path, &f.ifma)
        && shape.lanes == 8
        && (2..=super::ifma::class_products::ROWS).contains(&shape.rows)
    {
        let top = f.modulus.reduce_u128(1 << 102);
        // SAFETY: a field has the path Ifma only where the processor has AVX-512 F and IFMA; the shape was
        // checked above.
        return unsafe { super::ifma::class_products::block(r, top, shape, left, right, out) };
    }
    scalar::class_products::block(&f.modulus, shape, left, right, out);
}

/// `dst = sum of a * b` over the pairs (a, b).
pub fn mul_acc(f: &Field, dst: &mut [u64], pairs: &[(&[u64], &[u64])], output: Output) {
    let output = output.for_alignment_of(dst);
    f.counters.count(Counted::Products, || pairs.len() * dst.len());
    vectors!(f, k, r => k::eltwise::mul_acc(r, dst, pairs, output));
    doubles!(f, p => fma::eltwise::mul_acc(p, dst, pairs, output == Output::Added));
    scalar::eltwise::mul_acc(&f.modulus, dst, pairs, output == Output::Added);
}

/// `(dst0, dst1) = start + sum of x * (k0, k1)`, where each term is `[x, k0, k1]`. The lines of
/// `prefetch` are issued meanwhile.
pub fn mul_acc_pair(
    f: &Field,
    dst: [&mut [u64]; 2],
    terms: &[[&[u64]; 3]],
    start: Start<'_>,
    prefetch: &mut TilePrefetch<'_>,
) {
    let mut next = [[std::ptr::null(); 2]; 32];
    let distance = prefetch.distance();
    let later = |x: &[u64]| x.as_ptr().wrapping_add(distance);
    match next.get_mut(..terms.len()) {
        Some(next) => {
            next.iter_mut().zip(terms).for_each(|(n, [_, k0, k1])| *n = [later(k0), later(k1)]);
            mul_acc_pair_prefetching(f, dst, terms, next, start, prefetch);
        }
        None => mul_acc_pair_prefetching(f, dst, terms, &vec![[std::ptr::null(); 2]; terms.len()], start, prefetch),
    }
}

/// [`mul_acc_pair`], which also prefetches the operands of the next call: for each term as many
/// words from each of the two pointers in `next`. An x may have R times fewer words, R a power of
/// two. Then eight words of x stand for R equal groups of eight words.
pub fn mul_acc_pair_prefetching(
    f: &Field,
    dst: [&mut [u64]; 2],
    terms: &[[&[u64]; 3]],
    next: &[[*const u64; 2]],
    start: Start<'_>,
    prefetch: &mut TilePrefetch<'_>,
) {
    f.counters.count(Counted::Products, || 2 * terms.len() * dst[0].len());
    vectors!(f, k, r => k::eltwise::mul_acc_pair(r, dst, terms, next, start, prefetch));
    doubles!(f, p => fma::eltwise::mul_acc_pair(p, dst, terms, next, start));
    let [d0, d1] = dst;
    start.write_to([&mut *d0, &mut *d1]);
    let factors: Vec<Cow<'_, [u64]>> = terms.iter().map(|t| expanded(t[0], d0.len())).collect();
    for (p, dst) in [d0, d1].into_iter().enumerate() {
        let pairs: Vec<(&[u64], &[u64])> = factors.iter().zip(terms).map(|(x, t)| (&**x, t[1 + p])).collect();
        scalar::eltwise::mul_acc(&f.modulus, dst, &pairs, true);
    }
}

/// `dst_p = dst_p + w * (sum of x * k_p + c_p * add_p)` for p = 0, 1. Each term is `[x, k0, k1]`.
/// `add[p]` is `(add_p, c_p)`, or `None` if nothing is added. The lines of `prefetch` are issued
/// meanwhile.
pub fn mul_acc_pair_scaled(
    f: &Field,
    dst: [&mut [u64]; 2],
    terms: &[[&[u64]; 3]],
    w: u64,
    add: [Option<(&[u64], u64)>; 2],
    prefetch: &mut TilePrefetch<'_>,
) {
    let m = &f.modulus;
    // a factor P / D = 1 is not counted, as the separate operation does not count it
    let factors = add.iter().flatten().filter(|a| m.mul(a.1, w) != 1).count();
    f.counters.count(Counted::Products, || (2 * terms.len() + 2 + factors) * dst[0].len());
    vectors!(f, k, r => k::eltwise::mul_acc_pair_scaled(r, dst, terms, r.multiple(m, w), add, prefetch));
    doubles!(f, p => {
        let add = add.map(|add| add.map(|(x, c)| (x, p.constant(m, c))));
        fma::eltwise::mul_acc_pair_scaled(p, dst, terms, p.constant(m, w), add)
    });
    for (p, dst) in dst.into_iter().enumerate() {
        let pairs: Vec<(&[u64], &[u64])> = terms.iter().map(|t| (t[0], t[1 + p])).collect();
        scalar::eltwise::mul_acc_scaled(m, dst, &pairs, w, add[p]);
    }
}

/// A limb of `n` words whose compact form is `few`: each run of [`repeat::RUN`] words of `few`
/// stands for several equal runs.
fn expanded(few: &[u64], n: usize) -> Cow<'_, [u64]> {
    if few.len() == n {
        return Cow::Borrowed(few);
    }
    let mut words = vec![0; n];
    repeat::expand(few, &mut words);
    Cow::Owned(words)
}

/// `(d0, d1, d2) = (a0 * b0, a0 * b1 + a1 * b0, a1 * b1)`.
pub fn tensor(f: &Field, dst: [&mut [u64]; 3], a: [&[u64]; 2], b: [&[u64]; 2], output: Output) {
    let output = dst.iter().fold(output, |output, d| output.for_alignment_of(d));
    f.counters.count(Counted::Products, || 4 * dst[0].len());
    vectors!(f, k, r => k::eltwise::tensor(r, dst, a, b, output));
    let [d0, d1, d2] = dst;
    doubles!(f, p => {
        fma::eltwise::mul_acc(p, d0, &[(a[0], b[0])], false);
        fma::eltwise::mul_acc(p, d1, &[(a[0], b[1]), (a[1], b[0])], false);
        fma::eltwise::mul_acc(p, d2, &[(a[1], b[1])], false);
    });
    scalar::eltwise::mul_acc(&f.modulus, d0, &[(a[0], b[0])], false);
    scalar::eltwise::mul_acc(&f.modulus, d1, &[(a[0], b[1]), (a[1], b[0])], false);
    scalar::eltwise::mul_acc(&f.modulus, d2, &[(a[1], b[1])], false);
}

/// `dst = dst + w * src + add`.
pub fn scale_add(f: &Field, dst: &mut [u64], src: &[u64], w: u64, add: Option<&[u64]>) {
    f.counters.count(Counted::Products, || dst.len());
    vectors!(f, k, r => k::eltwise::scale_add(r, dst, src, r.constant(&f.modulus, w), add));
    doubles!(f, p => fma::eltwise::scale_add(p, dst, src, p.constant(&f.modulus, w), add));
    scalar::eltwise::lincomb(&f.modulus, dst, &[(Factor::Constant(w), src)], true);
    if let Some(add) = add {
        scalar::eltwise::lincomb(&f.modulus, dst, &[(Factor::One, add)], true);
    }
}

/// `dst[i] = src[map[i] mod N]`. If `signed`, the word is negated where bit `log_n` of `map[i]` is
/// set.
pub fn permute(f: &Field, dst: &mut [u64], src: &[u64], map: &[u32], signed: bool) {
    f.counters.count(Counted::Automorphisms, || dst.len());
    reorder(f, dst, src, map, signed);
}

/// [`permute`], not counted as an automorphism.
pub fn reorder(f: &Field, dst: &mut [u64], src: &[u64], map: &[u32], signed: bool) {
    #[cfg(target_arch = "x86_64")]
    if f.path >= Path::Avx512 {
        let prefetch = &mut TilePrefetch::default();
        // SAFETY: a field has such a path only where the processor has AVX-512 F.
        return unsafe { lanes::permute::permute::<false>(f.modulus.value(), dst, src, map, signed, prefetch) };
    }
    if !signed {
        doubles!(f, _p => fma::eltwise::permute(dst, src, map));
    }
    scalar::eltwise::permute(&f.modulus, dst, src, map, signed);
}

/// [`permute`] without signs, by streaming stores if `dst` is aligned for them; the caller then
/// calls [`crate::system::streaming::fence`]. The lines of `prefetch` are issued meanwhile.
pub fn permute_streamed(f: &Field, dst: &mut [u64], src: &[u64], map: &[u32], prefetch: &mut TilePrefetch<'_>) {
    #[cfg(target_arch = "x86_64")]
    if f.path >= Path::Avx512 && dst.as_ptr().addr().is_multiple_of(64) {
        f.counters.count(Counted::Automorphisms, || dst.len());
        // SAFETY: as in `permute`.
        return unsafe { lanes::permute::permute::<true>(f.modulus.value(), dst, src, map, false, prefetch) };
    }
    permute(f, dst, src, map, false);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::field::Fields;
    use crate::system::path::Path;
    use crate::system::pool::Pool;
    use ringjet_math::prime::ntt_primes;
    use ringjet_math::{Basis, Modulus};
    use std::sync::Arc;

    /// A field for every path that this machine has and every kind of prime, with the bits of the
    /// prime.
    fn fields(log_n: u32) -> Vec<(Path, u32, Arc<Field>)> {
        let paths = Path::usable();
        let field = |(path, bits)| {
            let basis = Basis::new(log_n, &ntt_primes(log_n, bits, 1, &[]).unwrap()).unwrap();
            (path, bits, Arc::clone(&Fields::new(path).of(&basis).unwrap()[0]))
        };
        paths.flat_map(|path| [50, 40, 61].map(|bits| (path, bits))).map(field).collect()
    }

    /// A row of residues with the largest one among them.
    fn row(m: &Modulus, n: u64, seed: u64) -> Vec<u64> {
        let word = |k: u64| if k < 8 { m.value() - 1 } else { (seed + k).wrapping_mul(0x9e37_79b9_7f4a_7c15) };
        (0..n).map(|k| m.reduce(word(k))).collect()
    }

    /// Compares sums of as many terms as one reduction takes, and of more, with sums of single
    /// products. The words are as large as possible.
    #[test]
    fn scaled_pairs_are_sums_of_products() {
        let n = 64;
        for (path, bits, f) in &fields(6) {
            let m = &f.modulus;
            let row = |seed: u64| row(m, n, seed);
            for (count, w) in [(0, 3), (1, m.value() - 1), (4, 5), (11, m.value() - 1), (12, 7), (16, m.value() - 1)] {
                let rows: Vec<[Vec<u64>; 3]> = (0..count).map(|t| [0, 1, 2].map(|i| row(1000 * t + 100 * i))).collect();
                let terms: Vec<[&[u64]; 3]> = rows.iter().map(|[x, k0, k1]| [&**x, &**k0, &**k1]).collect();
                let (add, start) = (row(7), [row(8), row(9)]);
                for add in [[None; 2], [Some((&*add, m.value() - 1)), None], [Some((&*add, 9)), Some((&*add, 1))]] {
                    let [mut d0, mut d1] = start.clone();
                    mul_acc_pair_scaled(f, [&mut d0, &mut d1], &terms, w, add, &mut TilePrefetch::default());
                    for (p, found) in [d0, d1].into_iter().enumerate() {
                        let expected = (0..n as usize).map(|k| {
                            let sum = terms.iter().fold(0, |sum, t| m.add(sum, m.mul(t[0][k], t[1 + p][k])));
                            let sum = add[p].map_or(sum, |(add, c)| m.add(sum, m.mul(add[k], c)));
                            m.add(start[p][k], m.mul(sum, w))
                        });
                        assert!(found.into_iter().eq(expected), "{path:?}, {bits} bits, {count} terms, {add:?}");
                    }
                }
            }
        }
    }

    /// Compares sums with each [`Output`], at cache lines and at other places, with sums of single
    /// products.
    #[test]
    fn sums_go_where_they_are_meant_to() {
        let n = 128;
        for (path, bits, f) in &fields(7) {
            let m = &f.modulus;
            let row = |seed: u64| row(m, n, seed);
            let (rows, start): (Vec<Vec<u64>>, _) = ((0..13).map(|i| row(100 * i)).collect(), row(7));
            let rows: Vec<&[u64]> = rows.iter().map(|r| &**r).collect();
            let mut block = Pool::new(0).take(n as usize + 8).unwrap();
            for output in [Output::Added, Output::Set, Output::Streamed] {
                let old = |k: usize| if output == Output::Added { start[k] } else { 0 };
                for place in [0, 1] {
                    let mut check = |what: &str, run: &dyn Fn(&mut [u64]), expected: &dyn Fn(usize) -> u64| {
                        let dst = &mut block.words_mut()[place..][..n as usize];
                        dst.copy_from_slice(&start);
                        run(dst);
                        let same = dst.iter().enumerate().all(|(k, &found)| found == m.add(old(k), expected(k)));
                        assert!(same, "{what}, {path:?}, {bits} bits, {output:?}, place {place}");
                    };
                    for count in [0, 1, 2, 12, 13] {
                        let factor = |i: usize| [Factor::One, Factor::MinusOne, Factor::Constant(m.value() - 3)][i % 3];
                        let residue = |i: usize| [1, m.value() - 1, m.value() - 3][i % 3];
                        for kinds in [2, 3] {
                            let terms: Vec<_> = (0..count).map(|i| (factor(i % kinds), rows[i])).collect();
                            check("sum", &|dst| lincomb(f, dst, &terms, output), &|k| {
                                (0..count).fold(0, |sum, i| m.add(sum, m.mul(residue(i % kinds), rows[i][k])))
                            });
                        }
                        let pairs: Vec<_> = (0..count).map(|i| (rows[i], rows[(i + 1) % 13])).collect();
                        check("sum of products", &|dst| mul_acc(f, dst, &pairs, output), &|k| {
                            pairs.iter().fold(0, |sum, (a, b)| m.add(sum, m.mul(a[k], b[k])))
                        });
                    }
                }
            }
            for (output, place) in [(Output::Set, 0), (Output::Streamed, 0), (Output::Streamed, 1)] {
                let mut block = Pool::new(0).take(3 * n as usize + 8).unwrap();
                let (d0, rest) = block.words_mut()[place..].split_at_mut(n as usize);
                let (d1, rest) = rest.split_at_mut(n as usize);
                let d2 = &mut rest[..n as usize];
                tensor(f, [&mut *d0, &mut *d1, &mut *d2], [rows[0], rows[1]], [rows[2], rows[3]], output);
                for k in 0..n as usize {
                    let product = |i: usize, j: usize| m.mul(rows[i][k], rows[j][k]);
                    let expected = [product(0, 2), m.add(product(0, 3), product(1, 2)), product(1, 3)];
                    assert_eq!([d0[k], d1[k], d2[k]], expected, "tensor, {path:?}, {bits} bits, {output:?}, {place}");
                }
            }
        }
    }
}
