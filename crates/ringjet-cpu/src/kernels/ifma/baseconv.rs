//! Base conversion between primes below 2^50: see [`crate::kernels::lanes::baseconv`]. [`paired`]
//! is for processors that issue half as many IFMA multiply-adds as additions.

crate::kernels::lanes::baseconv::baseconv_kernels!("avx512f,avx512ifma");

/// Base conversion with half the multiplications, by Winograd's inner products ("A New Algorithm
/// for Inner Product", 1968): `y0 * c0 + y1 * c1 = (y0 + c1) * (y1 + c0) - y0 * y1 - c0 * c1`,
/// where `y0 * y1` serves all outputs and `c0 * c1` is a constant. Ranges are in
/// `docs/proofs/cpu-kernels.md`.
pub mod paired {
    use super::*;

    /// How often 2^52 is borrowed from the high words so that the low words stay positive: more
    /// than twice for each pair of the `LIMBS + 1` terms.
    const BORROW: u64 = 2 * (LIMBS as u64 + 1);

    /// Number of vectors computed at once.
    const UNROLL: usize = 2;

    /// Whether rows of `words` words are possible.
    pub fn fits(words: usize) -> bool {
        words.is_multiple_of(8 * UNROLL)
    }

    /// The constants `c` ([`Reducer::scaled`]) of an output, followed by the two words of the sum
    /// of their products in pairs.
    pub fn constants(mut c: Vec<u64>) -> Vec<u64> {
        let sum = c.chunks_exact(2).map(|c| u128::from(c[0]) * u128::from(c[1]));
        let (low, high) =
            sum.fold((0, 0), |(low, high), p| (low + (p as u64 & ((1 << 52) - 1)), high + (p >> 52) as u64));
        c.extend([low, high]);
        c
    }

    /// Computes the three rows `common` that all outputs use: the quotients as in [`quotients`],
    /// and the low and the high words of `-(y_0 * y_1 + y_2 * y_3 + ..)`, where the quotients are
    /// the last y. All rows have the same number of words, which must satisfy [`fits`].
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub fn prepare(y: &[&[u64]], primes: &[(u32, u64)], common: &mut [u64]) {
        let n = common.len() / 3;
        assert!(fits(n) && common.len() == 3 * n && y.len() == primes.len() && y.iter().all(|y| y.len() == n));
        let (v, words) = common.split_at_mut(n);
        let (low, high) = words.split_at_mut(n);
        for i in (0..n).step_by(8 * UNROLL) {
            let mut sums = [_mm512_set1_epi64(1 << (FRACTION_BITS - 1)); UNROLL];
            let mut products = [Sum::zero(); UNROLL];
            for (y, primes) in y.chunks(2).zip(primes.chunks(2)) {
                let fraction = |k: usize| Fraction::new(primes[k].0, primes[k].1);
                for u in 0..UNROLL {
                    // SAFETY: all rows have n words, and `i + 8 * UNROLL <= n`.
                    let a = unsafe { load(y[0], i + 8 * u) };
                    sums[u] = fraction(0).add(sums[u], a);
                    let b = if let Some(y) = y.get(1) {
                        // SAFETY: as above.
                        let b = unsafe { load(y, i + 8 * u) };
                        sums[u] = fraction(1).add(sums[u], b);
                        b
                    } else {
                        _mm512_srli_epi64::<FRACTION_BITS>(sums[u])
                    };
                    products[u].add(a, b);
                }
            }
            for u in 0..UNROLL {
                let [lo, hi] = products[u].words();
                // SAFETY: as above.
                unsafe {
                    store(v, i + 8 * u, _mm512_srli_epi64::<FRACTION_BITS>(sums[u]));
                    store(low, i + 8 * u, _mm512_sub_epi64(_mm512_set1_epi64((BORROW << 52) as i64), lo));
                    store(high, i + 8 * u, _mm512_sub_epi64(_mm512_set1_epi64(-(BORROW as i64)), hi));
                }
            }
        }
    }

    /// [`super::output`] from the [`constants`] `c` and the rows of [`prepare`].
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub fn output(
        r: &Reducer,
        y: &[&[u64]],
        common: &[u64],
        c: &[u64],
        out: &mut [u64],
        next: [*const u64; 2],
        stream: bool,
    ) {
        assert!(!stream || out.as_ptr().addr().is_multiple_of(64));
        of_limbs!(output_of(r, y, common, c, out, next, stream));
    }

    #[target_feature(enable = "avx512f,avx512ifma")]
    fn output_of<const L: usize>(
        r: &Reducer,
        y: &[&[u64]; L],
        common: &[u64],
        c: &[u64],
        out: &mut [u64],
        next: [*const u64; 2],
        stream: bool,
    ) {
        let n = out.len();
        assert!(fits(n) && common.len() == 3 * n && y.iter().all(|y| y.len() == n) && c.len() == L + 3);
        let (lanes, all) = (r.lanes(), |x: u64| _mm512_set1_epi64(x as i64));
        let own = [all(c[L + 1]), all(c[L + 2])];
        // the quotients are the last of the L + 1 rows
        let row = |l: usize| if l < L { y[l] } else { &common[..n] };
        for i in (0..n).step_by(8 * UNROLL) {
            let mut sums = [Sum::zero(); UNROLL];
            for (u, sum) in sums.iter_mut().enumerate() {
                let at = i + 8 * u;
                // Any address may be prefetched: nothing is read architecturally.
                _mm_prefetch::<_MM_HINT_T0>(next[0].wrapping_add(at).cast());
                _mm_prefetch::<_MM_HINT_T0>(next[1].wrapping_add(at).cast());
                // SAFETY: `common` has `3 * n` words, and `i + 8 * UNROLL <= n`.
                let words = unsafe { [load(common, n + at), load(common, 2 * n + at)] };
                *sum = Sum::of([_mm512_sub_epi64(words[0], own[0]), _mm512_sub_epi64(words[1], own[1])]);
            }
            for l in (0..L).step_by(2) {
                let (a, b) = (all(c[l]), all(c[l + 1]));
                for (u, sum) in sums.iter_mut().enumerate() {
                    // SAFETY: all rows have n words, and `i + 8 * UNROLL <= n`.
                    let (x, y) = unsafe { (load(row(l), i + 8 * u), load(row(l + 1), i + 8 * u)) };
                    sum.add(_mm512_add_epi64(x, b), _mm512_add_epi64(y, a));
                }
            }
            if L.is_multiple_of(2) {
                for (u, sum) in sums.iter_mut().enumerate() {
                    // SAFETY: as above.
                    sum.add(all(c[L]), unsafe { load(row(L), i + 8 * u) });
                }
            }
            for (u, sum) in sums.into_iter().enumerate() {
                // SAFETY: as above, and the output is aligned for streaming stores.
                unsafe { write(out, i + 8 * u, lanes.reduce(sum), stream) };
            }
        }
    }
}
