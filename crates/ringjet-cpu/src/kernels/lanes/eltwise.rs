//! Element-wise kernels, written once for every vector arithmetic. `ifma::arith` and
//! `avx512::arith` implement functions of the same names with their instructions. The kernels are a
//! macro because methods of a trait cannot have `target_feature`.
//!
//! All slices of a call have the same length, a multiple of 8. This is asserted, and the `unsafe`
//! loads rely on it.

/// Calls `$f` for all words below `$n`: with `UNROLL` vectors at once, and with single vectors at
/// the end.
macro_rules! blocks {
    ($n:expr, $f:ident $(::<$with:tt>)?, $($arg:expr),*) => {{
        let mut i = 0;
        while i + 8 * UNROLL <= $n {
            // SAFETY: all slices have `n` words, and `i + 8 * UNROLL <= n`.
            unsafe { $f::<UNROLL $(, $with)?>(i, $($arg),*) };
            i += 8 * UNROLL;
        }
        while i < $n {
            // SAFETY: all slices have `n` words, `n` is a multiple of 8, and `i < n` is too.
            unsafe { $f::<1 $(, $with)?>(i, $($arg),*) };
            i += 8;
        }
    }};
}
pub(crate) use blocks;

/// Defines the kernels on `super::arith` for the processor features `$features`.
macro_rules! eltwise_kernels {
    ($features:literal) => {
        use std::arch::x86_64::*;

        use super::arith::{Constant, Multiple, Reducer, Sum, TERMS, load, splat, splat_multiple, store, write};
        use crate::kernels::lanes::eltwise::blocks;
        use crate::operands::prefetch::prefetch_key;
        use crate::operands::prefetch::{KEY_DISTANCE, TilePrefetch, VECTORS};
        use crate::operands::terms::{Output, Start};
        use crate::system::processor::Processor;

        /// Number of vectors computed at once: their independent multiply-adds hide the latency.
        const UNROLL: usize = VECTORS;

        fn check(n: usize, mut others: impl Iterator<Item = usize>) {
            assert!(n.is_multiple_of(8) && others.all(|len| len == n));
        }

        /// `dst = sum of c * x`; the constants c are [`Reducer::scaled`].
        #[target_feature(enable = $features)]
        pub fn lincomb(r: &Reducer, dst: &mut [u64], terms: &[(u64, &[u64])], mut output: Output) {
            check(dst.len(), terms.iter().map(|(_, x)| x.len()));
            assert!(output.fits(dst));
            if terms.is_empty() && output != Output::Added {
                dst.fill(0);
            }
            for group in terms.chunks(TERMS) {
                blocks!(dst.len(), lincomb_block, r, dst, group, output);
                output = Output::Added;
            }
        }

        /// # Safety
        /// `i + 8 * U` is at most the length of every slice; `dst` is aligned as `output` requires.
        #[inline]
        #[target_feature(enable = $features)]
        unsafe fn lincomb_block<const U: usize>(
            i: usize,
            r: &Reducer,
            dst: &mut [u64],
            terms: &[(u64, &[u64])],
            output: Output,
        ) {
            let lanes = r.lanes();
            let mut sums = [Sum::zero(); U];
            for &(c, x) in terms {
                let c = _mm512_set1_epi64(c as i64);
                for (u, sum) in sums.iter_mut().enumerate() {
                    // SAFETY: `u < U`.
                    sum.add(c, unsafe { load(x, i + 8 * u) });
                }
            }
            for (u, sum) in sums.into_iter().enumerate() {
                let mut v = lanes.reduce(sum);
                if output == Output::Added {
                    // SAFETY: `u < U`.
                    v = lanes.correct(_mm512_add_epi64(v, unsafe { load(dst, i + 8 * u) }));
                }
                // SAFETY: `u < U`, and by the caller's promise.
                unsafe { write(dst, i + 8 * u, v, output == Output::Streamed) };
            }
        }

        /// `dst = sum of x or -x`; `true` stands for -x.
        #[target_feature(enable = $features)]
        pub fn signed_sum(r: &Reducer, dst: &mut [u64], terms: &[(bool, &[u64])], output: Output) {
            check(dst.len(), terms.iter().map(|(_, x)| x.len()));
            assert!(output.fits(dst));
            blocks!(dst.len(), signed_sum_block, r, dst, terms, output);
        }

        /// # Safety
        /// `i + 8 * U` is at most the length of every slice; `dst` is aligned as `output` requires.
        #[inline]
        #[target_feature(enable = $features)]
        unsafe fn signed_sum_block<const U: usize>(
            i: usize,
            r: &Reducer,
            dst: &mut [u64],
            terms: &[(bool, &[u64])],
            output: Output,
        ) {
            let lanes = r.lanes();
            let mut sums = [_mm512_setzero_si512(); U];
            if output == Output::Added {
                for (u, sum) in sums.iter_mut().enumerate() {
                    // SAFETY: `u < U`.
                    *sum = unsafe { load(dst, i + 8 * u) };
                }
            }
            for &(minus, x) in terms {
                for (u, sum) in sums.iter_mut().enumerate() {
                    // SAFETY: `u < U`.
                    let x = unsafe { load(x, i + 8 * u) };
                    // sums stay canonical: `correct` gets less than 2q, even if x = 0 is
                    // subtracted, which adds q
                    let x = if minus { _mm512_sub_epi64(lanes.q, x) } else { x };
                    *sum = lanes.correct(_mm512_add_epi64(*sum, x));
                }
            }
            for (u, sum) in sums.into_iter().enumerate() {
                // SAFETY: `u < U`, and by the caller's promise.
                unsafe { write(dst, i + 8 * u, sum, output == Output::Streamed) };
            }
        }

        /// `dst = sum of a * b`.
        #[target_feature(enable = $features)]
        pub fn mul_acc(r: &Reducer, dst: &mut [u64], pairs: &[(&[u64], &[u64])], mut output: Output) {
            check(dst.len(), pairs.iter().flat_map(|(a, b)| [a.len(), b.len()]));
            assert!(output.fits(dst));
            if pairs.is_empty() && output != Output::Added {
                dst.fill(0);
            }
            for group in pairs.chunks(TERMS) {
                blocks!(dst.len(), mul_acc_block, r, dst, group, output);
                output = Output::Added;
            }
        }

        /// # Safety
        /// `i + 8 * U` is at most the length of every slice; `dst` is aligned as `output` requires.
        #[inline]
        #[target_feature(enable = $features)]
        unsafe fn mul_acc_block<const U: usize>(
            i: usize,
            r: &Reducer,
            dst: &mut [u64],
            pairs: &[(&[u64], &[u64])],
            output: Output,
        ) {
            let lanes = r.lanes();
            let mut sums = [Sum::zero(); U];
            for (a, b) in pairs {
                for (u, sum) in sums.iter_mut().enumerate() {
                    // SAFETY: `u < U`.
                    unsafe { sum.add(load(a, i + 8 * u), load(b, i + 8 * u)) };
                }
            }
            for (u, sum) in sums.into_iter().enumerate() {
                let v = if output == Output::Added {
                    // SAFETY: `u < U`.
                    lanes.correct(lanes.reduce_back(unsafe { load(dst, i + 8 * u) }, sum))
                } else {
                    lanes.reduce_back(_mm512_setzero_si512(), sum)
                };
                // SAFETY: `u < U`, and by the caller's promise.
                unsafe { write(dst, i + 8 * u, v, output == Output::Streamed) };
            }
        }

        /// `(dst0, dst1) = start + sum of x * (k0, k1)`: the inner product of digits and a key, or
        /// of factors and rotated pairs. Each term is `[x, k0, k1]`, where x may have R times fewer
        /// words, R a power of two. Then eight words of x stand for R equal groups of eight words.
        /// Three kinds of words are prefetched meanwhile: term by term as many words from each pair
        /// of pointers in `next`, since keys come from memory and not from a cache; the lines of
        /// `prefetch`; and the lines of the result, [`KEY_DISTANCE`] words before they are written.
        #[target_feature(enable = $features)]
        pub fn mul_acc_pair(
            r: &Reducer,
            dst: [&mut [u64]; 2],
            terms: &[[&[u64]; 3]],
            next: &[[*const u64; 2]],
            start: Start<'_>,
            prefetch: &mut TilePrefetch<'_>,
        ) {
            let [d0, d1] = dst;
            let first = if let Start::First(first) = start { first.len() } else { d0.len() };
            check(d0.len(), terms.iter().flat_map(|[_, k0, k1]| [k0.len(), k1.len()]).chain([d1.len(), first]));
            let mut repeated = [0; TERMS];
            let mut start = start;
            assert_eq!(terms.len(), next.len());
            let near = Processor::this().zen_5;
            if terms.is_empty() {
                start.write_to([&mut *d0, &mut *d1]);
            }
            for (group, next) in terms.chunks(TERMS).zip(next.chunks(TERMS)) {
                for (log2, [x, ..]) in repeated.iter_mut().zip(group) {
                    *log2 = (d0.len() / x.len().max(1)).trailing_zeros();
                    assert!(x.len().is_multiple_of(8) && x.len() << *log2 == d0.len());
                }
                if near {
                    blocks!(d0.len(), mul_acc_pair_block::<true>, r, d0, d1, group, &repeated, next, start, prefetch);
                } else {
                    blocks!(d0.len(), mul_acc_pair_block::<false>, r, d0, d1, group, &repeated, next, start, prefetch);
                }
                start = Start::Dst;
            }
        }

        /// # Safety
        /// `i + 8 * U` is at most the length of every slice, but for the first of each term, of
        /// which it is `2^repeated` times the length. There are at most [`TERMS`] terms.
        #[inline]
        #[target_feature(enable = $features)]
        #[expect(clippy::too_many_arguments, reason = "the block of one loop")]
        unsafe fn mul_acc_pair_block<const U: usize, const NEAR: bool>(
            i: usize,
            r: &Reducer,
            d0: &mut [u64],
            d1: &mut [u64],
            terms: &[[&[u64]; 3]],
            repeated: &[u32; TERMS],
            next: &[[*const u64; 2]],
            start: Start<'_>,
            prefetch: &mut TilePrefetch<'_>,
        ) {
            let lanes = r.lanes();
            let mut sums = [[Sum::zero(); 2]; U];
            for (([x, k0, k1], next), repeated) in terms.iter().zip(next).zip(repeated) {
                if U == VECTORS {
                    prefetch.term::<NEAR>();
                }
                for (u, sum) in sums.iter_mut().enumerate() {
                    let at = i + 8 * u;
                    next.iter().for_each(|next| prefetch_key(NEAR, next.wrapping_add(at)));
                    // SAFETY: `u < U`; x has `2^repeated` times fewer vectors.
                    let (x, k0, k1) = unsafe { (load(x, at / 8 >> repeated << 3), load(k0, at), load(k1, at)) };
                    sum[0].add(x, k0);
                    sum[1].add(x, k1);
                }
            }
            for (u, sum) in sums.into_iter().enumerate() {
                let at = i + 8 * u;
                for dst in [&*d0, &*d1] {
                    // Any address may be prefetched: nothing is read architecturally.
                    _mm_prefetch::<_MM_HINT_T0>(dst.as_ptr().wrapping_add(at + KEY_DISTANCE).cast());
                }
                for (p, (sum, dst)) in sum.into_iter().zip([&mut *d0, &mut *d1]).enumerate() {
                    // SAFETY: `u < U`.
                    let v = unsafe {
                        match start {
                            Start::Dst => lanes.correct(lanes.reduce_back(load(dst, at), sum)),
                            Start::First(first) if p == 0 => lanes.correct(lanes.reduce_back(load(first, at), sum)),
                            _ => lanes.reduce_back(_mm512_setzero_si512(), sum),
                        }
                    };
                    // SAFETY: `u < U`.
                    unsafe { store(dst, at, v) };
                }
            }
        }

        /// `dst_p = dst_p + w * (sum of x * k_p + c_p * add_p)` for p = 0, 1. Each term is
        /// `[x, k0, k1]`. `add[p]` has the words add_p and their factor c_p, or is `None`. Lines of
        /// `prefetch` are issued meanwhile.
        #[target_feature(enable = $features)]
        pub fn mul_acc_pair_scaled(
            r: &Reducer,
            dst: [&mut [u64]; 2],
            terms: &[[&[u64]; 3]],
            w: Multiple,
            add: [Option<(&[u64], u64)>; 2],
            prefetch: &mut TilePrefetch<'_>,
        ) {
            let [d0, d1] = dst;
            let adds = add.iter().flatten().map(|a| a.0.len());
            check(d0.len(), terms.iter().flatten().map(|x| x.len()).chain([d1.len()]).chain(adds));
            let (mut add, mut rest, near) = (add, terms, Processor::this().zen_5);
            loop {
                // with the addend at most as many products as one reduction takes
                let (group, more) = rest.split_at(rest.len().min(TERMS - 1));
                if near {
                    blocks!(d0.len(), mul_acc_pair_scaled_block::<true>, r, d0, d1, group, w, add, prefetch);
                } else {
                    blocks!(d0.len(), mul_acc_pair_scaled_block::<false>, r, d0, d1, group, w, add, prefetch);
                }
                if more.is_empty() {
                    break;
                }
                (add, rest) = ([None; 2], more);
            }
        }

        /// # Safety
        /// `i + 8 * U` is at most the length of every slice. There are less than [`TERMS`] terms.
        #[inline]
        #[target_feature(enable = $features)]
        #[expect(clippy::too_many_arguments, reason = "the block of one loop")]
        unsafe fn mul_acc_pair_scaled_block<const U: usize, const NEAR: bool>(
            i: usize,
            r: &Reducer,
            d0: &mut [u64],
            d1: &mut [u64],
            terms: &[[&[u64]; 3]],
            w: Multiple,
            add: [Option<(&[u64], u64)>; 2],
            prefetch: &mut TilePrefetch<'_>,
        ) {
            let (lanes, w) = (r.lanes(), splat_multiple(w));
            let mut sums = [[Sum::zero(); 2]; U];
            for (p, add) in add.into_iter().enumerate() {
                if let Some((add, c)) = add {
                    let c = _mm512_set1_epi64(c as i64);
                    for (u, sum) in sums.iter_mut().enumerate() {
                        // SAFETY: `u < U`.
                        sum[p].add(unsafe { load(add, i + 8 * u) }, c);
                    }
                }
            }
            let before = prefetch.distance();
            for [x, k0, k1] in terms {
                if U == VECTORS {
                    prefetch.term::<NEAR>();
                }
                for (u, sum) in sums.iter_mut().enumerate() {
                    let at = i + 8 * u;
                    [k0, k1].iter().for_each(|k| prefetch_key(NEAR, k.as_ptr().wrapping_add(at + before)));
                    // SAFETY: `u < U`.
                    let (x, k0, k1) = unsafe { (load(x, at), load(k0, at), load(k1, at)) };
                    sum[0].add(x, k0);
                    sum[1].add(x, k1);
                }
            }
            for (u, sum) in sums.into_iter().enumerate() {
                for (sum, dst) in sum.into_iter().zip([&mut *d0, &mut *d1]) {
                    // SAFETY: `u < U`.
                    unsafe {
                        let old = load(dst, i + 8 * u);
                        store(dst, i + 8 * u, lanes.correct(lanes.reduce_times(old, sum, w)));
                    }
                }
            }
        }

        /// `(d0, d1, d2) = (a0 * b0, a0 * b1 + a1 * b0, a1 * b1)`.
        #[target_feature(enable = $features)]
        pub fn tensor(r: &Reducer, dst: [&mut [u64]; 3], a: [&[u64]; 2], b: [&[u64]; 2], output: Output) {
            let [d0, d1, d2] = dst;
            check(d0.len(), [d1.len(), d2.len(), a[0].len(), a[1].len(), b[0].len(), b[1].len()].into_iter());
            assert!([&*d0, &*d1, &*d2].into_iter().all(|d| output.fits(d)));
            let lanes = r.lanes();
            let (zero, stream) = (_mm512_setzero_si512(), output == Output::Streamed);
            for i in (0..d0.len()).step_by(8) {
                // SAFETY: all slices have the length of `d0`, a multiple of 8.
                let (a0, a1, b0, b1) = unsafe { (load(a[0], i), load(a[1], i), load(b[0], i), load(b[1], i)) };
                let mut sums = [Sum::zero(); 3];
                sums[0].add(a0, b0);
                sums[1].add(a0, b1);
                sums[1].add(a1, b0);
                sums[2].add(a1, b1);
                // SAFETY: as above.
                unsafe {
                    write(d0, i, lanes.reduce_back(zero, sums[0]), stream);
                    write(d1, i, lanes.reduce_back(zero, sums[1]), stream);
                    write(d2, i, lanes.reduce_back(zero, sums[2]), stream);
                }
            }
        }

        /// `dst = dst + w * src + add`.
        #[target_feature(enable = $features)]
        pub fn scale_add(r: &Reducer, dst: &mut [u64], src: &[u64], w: Constant, add: Option<&[u64]>) {
            check(dst.len(), [src.len(), add.map_or(dst.len(), |a| a.len())].into_iter());
            let (lanes, w) = (r.lanes(), splat(w));
            for i in (0..dst.len()).step_by(8) {
                // SAFETY: all slices have the length of `dst`, a multiple of 8.
                unsafe {
                    let mut sum = load(dst, i);
                    if let Some(add) = add {
                        sum = lanes.correct(_mm512_add_epi64(sum, load(add, i)));
                    }
                    store(dst, i, lanes.correct(lanes.mul(sum, load(src, i), w)));
                }
            }
        }
    };
}
pub(crate) use eltwise_kernels;
