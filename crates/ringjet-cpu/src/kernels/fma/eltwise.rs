//! Element-wise kernels. All slices of a call have the same length, a multiple of 8, which is asserted.

use ringjet_math::Modulus;

use super::arith::{Constant, Factor, Field, LAZY, Prime, decode, encode};
use super::lanes::{Lanes, Moving, vectors};
use super::native::native;
use crate::operands::prefetch::{KEY_DISTANCE, LINE, prefetch_key};
use crate::operands::terms::{self, Start};

/// Vectors that are computed at once, so that their operations hide the latency.
const AT_ONCE: usize = 4;

fn check(n: usize, mut others: impl Iterator<Item = usize>) {
    assert!(n.is_multiple_of(8) && others.all(|len| len == n));
}

/// Calls `run::<V, U>(i)` for blocks of U vectors from word i on: blocks of [`AT_ONCE`] vectors, then
/// single ones.
macro_rules! blocks {
    ($n:expr, $V:ident, |$i:ident, $U:ident| $body:expr) => {{
        let mut $i = 0;
        while $i + AT_ONCE * $V::COUNT <= $n {
            const $U: usize = AT_ONCE;
            $body;
            $i += AT_ONCE * $V::COUNT;
        }
        while $i < $n {
            const $U: usize = 1;
            $body;
            $i += $V::COUNT;
        }
    }};
}

/// U vectors of numbers from word i on.
///
/// # Safety
/// `i + U * COUNT` is at most the length.
#[inline(always)]
unsafe fn numbers<V: Lanes, const U: usize>(x: &[u64], i: usize) -> [V; U] {
    debug_assert!(i + U * V::COUNT <= x.len());
    // SAFETY: by the caller's promise.
    vectors!(V; U, |u| encode(unsafe { V::load(x.as_ptr().add(i + u * V::COUNT)) }))
}

/// Writes sums of any width as canonical words.
///
/// # Safety
/// As for [`numbers`].
#[inline(always)]
unsafe fn write<V: Lanes, const U: usize>(f: &Field<V>, x: &mut [u64], i: usize, sums: [V; U]) {
    debug_assert!(i + U * V::COUNT <= x.len());
    for (u, sum) in sums.into_iter().enumerate() {
        // SAFETY: by the caller's promise.
        unsafe { decode(f.canonical(sum)).store(x.as_mut_ptr().add(i + u * V::COUNT)) };
    }
}

/// Prefetches U vectors from word i on: each cache line once, by the vector that begins it.
#[inline(always)]
fn fetch<V: Lanes, const U: usize>(from: *const u64, i: usize) {
    for at in (i..i + U * V::COUNT).step_by(V::COUNT).filter(|at| at.is_multiple_of(LINE)) {
        prefetch_key(false, from.wrapping_add(at));
    }
}

/// A sum of lazy terms, each at most q in size.
#[derive(Clone, Copy)]
struct Lazy<V, const U: usize> {
    sums: [V; U],
    terms: usize,
}

impl<V: Lanes, const U: usize> Lazy<V, U> {
    #[inline(always)]
    fn from(sums: [V; U]) -> Self {
        Self { sums, terms: 1 }
    }

    #[inline(always)]
    fn zero() -> Self {
        Self::from([V::splat(0.0); U])
    }

    #[inline(always)]
    fn add(&mut self, f: &Field<V>, term: impl Fn(usize) -> V) {
        if self.terms == LAZY {
            for sum in &mut self.sums {
                *sum = f.settle(*sum);
            }
            self.terms = 1;
        }
        for (u, sum) in self.sums.iter_mut().enumerate() {
            *sum = sum.add(term(u));
        }
        self.terms += 1;
    }
}

/// A factor of a sum.
#[derive(Debug, Clone, Copy)]
pub enum Times {
    One,
    MinusOne,
    Constant(Constant),
}

/// `dst = sum of factor * source`. If `accumulate`, the old `dst` is added.
///
/// # Safety
/// The processor has the instructions of the path.
pub unsafe fn lincomb(p: &Prime, m: &Modulus, dst: &mut [u64], terms: &[(terms::Factor, &[u64])], accumulate: bool) {
    check(dst.len(), terms.iter().map(|(_, x)| x.len()));
    let times = |factor| match factor {
        terms::Factor::One => Times::One,
        terms::Factor::MinusOne => Times::MinusOne,
        terms::Factor::Constant(c) => Times::Constant(p.constant(m, c)),
    };
    let terms: Vec<(Times, &[u64])> = terms.iter().map(|&(factor, x)| (times(factor), x)).collect();
    // SAFETY: by the caller's promise.
    unsafe { lincomb_native(p, dst, &terms, accumulate) };
}

native! {
    /// [`lincomb`] with prepared factors.
    pub fn lincomb_native(p: &Prime, dst: &mut [u64], terms: &[(Times, &[u64])], accumulate: bool) => lincomb_on
}

#[inline(always)]
fn lincomb_on<V: Lanes>(p: &Prime, dst: &mut [u64], terms: &[(Times, &[u64])], accumulate: bool) {
    let f = Field::<V>::new(p);
    blocks!(dst.len(), V, |i, U| {
        // SAFETY: all slices have as many words.
        unsafe {
            let mut sum: Lazy<V, U> = if accumulate { Lazy::from(numbers(dst, i)) } else { Lazy::zero() };
            for &(times, x) in terms {
                let x: [V; U] = numbers(x, i);
                match times {
                    Times::One => sum.add(&f, |u| x[u]),
                    Times::MinusOne => sum.add(&f, |u| V::splat(0.0).sub(x[u])),
                    Times::Constant(c) => {
                        let c = Factor::splat(c);
                        sum.add(&f, |u| f.mul_const(x[u], c));
                    }
                }
            }
            write(&f, dst, i, sum.sums);
        }
    });
}

native! {
    /// `dst = sum of a * b`. If `accumulate`, the old `dst` is added.
    pub fn mul_acc(p: &Prime, dst: &mut [u64], pairs: &[(&[u64], &[u64])], accumulate: bool) => mul_acc_on
}

#[inline(always)]
fn mul_acc_on<V: Lanes>(p: &Prime, dst: &mut [u64], pairs: &[(&[u64], &[u64])], accumulate: bool) {
    check(dst.len(), pairs.iter().flat_map(|(a, b)| [a.len(), b.len()]));
    let f = Field::<V>::new(p);
    blocks!(dst.len(), V, |i, U| {
        // SAFETY: all slices have as many words.
        unsafe {
            let mut sum: Lazy<V, U> = if accumulate { Lazy::from(numbers(dst, i)) } else { Lazy::zero() };
            for (a, b) in pairs {
                let (a, b): ([V; U], [V; U]) = (numbers(a, i), numbers(b, i));
                sum.add(&f, |u| f.mul(a[u], b[u]));
            }
            write(&f, dst, i, sum.sums);
        }
    });
}

/// Two pointers for each term, from which as many words are prefetched as a kernel reads of a term.
pub type Next<'a> = &'a [[*const u64; 2]];

native! {
    /// `(dst0, dst1) = start + sum of x * (k0, k1)`. Each term is `[x, k0, k1]`, where x may have R times
    /// fewer words, R a power of two. Then eight words of x stand for R equal groups of eight words.
    pub fn mul_acc_pair(p: &Prime, dst: [&mut [u64]; 2], terms: &[[&[u64]; 3]], next: Next<'_>, start: Start<'_>) => mul_acc_pair_on
}

#[inline(always)]
fn mul_acc_pair_on<V: Lanes>(p: &Prime, dst: [&mut [u64]; 2], terms: &[[&[u64]; 3]], next: Next<'_>, start: Start<'_>) {
    assert_eq!(terms.len(), next.len());
    let ([d0, d1], f) = (dst, Field::<V>::new(p));
    let n = d0.len();
    let first = if let Start::First(first) = start { first.len() } else { n };
    check(n, terms.iter().flat_map(|[_, k0, k1]| [k0.len(), k1.len()]).chain([d1.len(), first]));
    let repeated: Vec<u32> = terms.iter().map(|[x, ..]| (n / x.len().max(1)).trailing_zeros()).collect();
    assert!(terms.iter().zip(&repeated).all(|([x, ..], log2)| x.len().is_multiple_of(8) && x.len() << log2 == n));
    blocks!(n, V, |i, U| {
        // SAFETY: all slices have as many words, but for those of x, which `repeated` accounts for.
        unsafe {
            let zero = Lazy::<V, U>::zero;
            let mut sums = match start {
                Start::Zero => [zero(), zero()],
                Start::Dst => [Lazy::from(numbers(d0, i)), Lazy::from(numbers(d1, i))],
                Start::First(first) => [Lazy::from(numbers(first, i)), zero()],
            };
            for (([x, k0, k1], &log2), next) in terms.iter().zip(&repeated).zip(next) {
                next.iter().for_each(|next| fetch::<V, U>(*next, i));
                let x: [V; U] = if log2 == 0 {
                    numbers(x, i)
                } else {
                    vectors!(V; U, |u| {
                        let at = i + u * V::COUNT;
                        numbers::<V, 1>(x, 8 * ((at / 8) >> log2) + at % 8)[0]
                    })
                };
                for (sum, k) in sums.iter_mut().zip([k0, k1]) {
                    let k: [V; U] = numbers(k, i);
                    sum.add(&f, |u| f.mul(x[u], k[u]));
                }
            }
            write(&f, d0, i, sums[0].sums);
            write(&f, d1, i, sums[1].sums);
        }
    });
}

/// What is added to a sum before it is multiplied: words and their factor.
pub type Addend<'a> = Option<(&'a [u64], Constant)>;

native! {
    /// `dst_p = dst_p + w * (sum of x * k_p + c_p * add_p)` for p = 0, 1. Each term is `[x, k0, k1]`.
    pub fn mul_acc_pair_scaled(p: &Prime, dst: [&mut [u64]; 2], terms: &[[&[u64]; 3]], w: Constant, add: [Addend<'_>; 2]) => mul_acc_pair_scaled_on
}

#[inline(always)]
fn mul_acc_pair_scaled_on<V: Lanes>(
    p: &Prime,
    dst: [&mut [u64]; 2],
    terms: &[[&[u64]; 3]],
    w: Constant,
    add: [Addend<'_>; 2],
) {
    let ([d0, d1], f, w) = (dst, Field::<V>::new(p), Factor::splat(w));
    let adds = add.iter().flatten().map(|a| a.0.len());
    check(d0.len(), terms.iter().flatten().map(|x| x.len()).chain([d1.len()]).chain(adds));
    blocks!(d0.len(), V, |i, U| {
        // SAFETY: all slices have as many words.
        unsafe {
            let mut sums = [Lazy::<V, U>::zero(); 2];
            for [x, k0, k1] in terms {
                let x: [V; U] = numbers(x, i);
                for (sum, k) in sums.iter_mut().zip([k0, k1]) {
                    fetch::<V, U>(k.as_ptr(), i + KEY_DISTANCE);
                    let k: [V; U] = numbers(k, i);
                    sum.add(&f, |u| f.mul(x[u], k[u]));
                }
            }
            for ((mut sum, add), dst) in sums.into_iter().zip(add).zip([&mut *d0, &mut *d1]) {
                if let Some((x, c)) = add {
                    let (x, c): ([V; U], _) = (numbers(x, i), Factor::splat(c));
                    sum.add(&f, |u| f.mul_const(x[u], c));
                }
                let mut total: Lazy<V, U> = Lazy::from(numbers(dst, i));
                total.add(&f, |u| f.mul_const(f.settle(sum.sums[u]), w));
                write(&f, dst, i, total.sums);
            }
        }
    });
}

native! {
    /// `dst[i] = src[map[i] mod N]`, where N is a power of two.
    pub fn permute(dst: &mut [u64], src: &[u64], map: &[u32]) => permute_on
}

#[inline(always)]
fn permute_on<V: Moving>(dst: &mut [u64], src: &[u64], map: &[u32]) {
    let n = src.len();
    check(n, [dst.len(), map.len()].into_iter());
    assert!(n.is_power_of_two() && n <= 1 << 31);
    for i in (0..n).step_by(V::COUNT) {
        // SAFETY: i + COUNT is at most n; masked indices are below n.
        unsafe {
            let words = V::gather(src.as_ptr(), map.as_ptr().add(i), (n - 1) as u32);
            words.store(dst.as_mut_ptr().add(i));
        }
    }
}

native! {
    /// `dst = dst + w * src + add`.
    pub fn scale_add(p: &Prime, dst: &mut [u64], src: &[u64], w: Constant, add: Option<&[u64]>) => scale_add_on
}

#[inline(always)]
fn scale_add_on<V: Lanes>(p: &Prime, dst: &mut [u64], src: &[u64], w: Constant, add: Option<&[u64]>) {
    check(dst.len(), [src.len()].into_iter().chain(add.map(|x| x.len())));
    let (f, w) = (Field::<V>::new(p), Factor::splat(w));
    blocks!(dst.len(), V, |i, U| {
        // SAFETY: all slices have as many words.
        unsafe {
            let (mut sum, x): (Lazy<V, U>, [V; U]) = (Lazy::from(numbers(dst, i)), numbers(src, i));
            sum.add(&f, |u| f.mul_const(x[u], w));
            if let Some(add) = add {
                let x: [V; U] = numbers(add, i);
                sum.add(&f, |u| x[u]);
            }
            write(&f, dst, i, sum.sums);
        }
    });
}
