//! Polynomials in a power of X, stored without most repetitions of their values: the order in
//! memory in which [`Composed::compact`](crate::Composed::compact) writes them. This module is for
//! backends.
//!
//! In the evaluation domain a polynomial in `X^gap` has the same value at `gap` neighbouring leaves
//! of [`ringjet_math::ntt::tree_index`]. In rings with transposed tiles, a tile consists of 64 runs
//! of [`RUN`] words, and each run occurs `gap` times. In smaller rings neighbouring leaves are in
//! the same run, so the values within a run repeat. A compact limb holds each run once.

use ringjet_math::ntt::LOG_TILE;

/// Words of a run: one vector in the order of [`ringjet_math::ntt::exponents`].
pub const RUN: usize = 8;

/// How often each run occurs in a limb of `n` words of a polynomial in `X^gap`. The result is at
/// most the number of runs of a tile, so the words of a compact tile are consecutive.
pub fn repetitions(n: usize, gap: usize) -> usize {
    let tile = n.min(1 << LOG_TILE);
    let runs = if n < 1 << LOG_TILE { gap / RUN } else { gap };
    runs.clamp(1, (tile / RUN).max(1))
}

/// Writes to `out` the limb whose compact form is `few`. Each run of `few` occurs as often as the
/// length of `out` is longer than that of `few`.
pub fn expand(few: &[u64], out: &mut [u64]) {
    let times = out.len() / few.len().max(1);
    // the whole runs are copied as arrays, so that a copy is a vector store and not a call
    let (runs, rest) = few.as_chunks::<RUN>();
    let (out, out_rest) = out.split_at_mut(runs.len() * RUN * times);
    for (run, out) in runs.iter().zip(out.chunks_exact_mut(RUN * times.max(1))) {
        out.as_chunks_mut::<RUN>().0.fill(*run);
    }
    for out in out_rest.chunks_exact_mut(rest.len().max(1)) {
        out.copy_from_slice(rest);
    }
}
