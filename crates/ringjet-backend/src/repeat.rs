//! Polynomials in a power of X, stored without most repetitions of their values: the order in
//! memory in which [`Composed::compact`](crate::Composed::compact) writes them. This module is for
//! backends.
//!
//! In the evaluation domain a polynomial in `X^gap` has the same value at `gap` neighbouring leaves
//! of [`ringjet_math::ntt::tree_index`]. In rings with transposed tiles, a tile consists of 64 runs
//! of [`RUN`] words, and each run occurs `gap` times. In smaller rings neighbouring leaves are in
//! the same run, so the values within a run repeat. A compact limb holds each run once.

use ringjet_math::memory::{OutOfMemory, capacity, zeros};
use ringjet_math::ntt::{LOG_TILE, tree_index};

/// Words of a run: one vector in the order of [`ringjet_math::ntt::exponents`].
pub const RUN: usize = 8;

/// How often each run occurs in a limb of `n` words of a polynomial in `X^gap`. The result is at
/// most the number of runs of a tile, so the words of a compact tile are consecutive.
pub fn repetitions(n: usize, gap: usize) -> usize {
    let tile = n.min(1 << LOG_TILE);
    let runs = if n < 1 << LOG_TILE { gap / RUN } else { gap };
    runs.clamp(1, (tile / RUN).max(1))
}

/// The words of a compact limb of a polynomial in `X^gap`.
pub fn words(n: usize, gap: usize) -> usize {
    n / repetitions(n, gap)
}

/// Where the words of a compact limb of a polynomial `f(X^gap)` are in the evaluation domain of the
/// ring of degree `n / gap` with the root [`of_power`](ringjet_math::ntt::NttTable::of_power): word p
/// is at position `places(n, gap)[p]`. `n` and `gap` are powers of two.
pub fn places(n: usize, gap: usize) -> Result<Vec<u32>, OutOfMemory> {
    let (log_n, log_few) = (n.trailing_zeros(), (n / gap).trailing_zeros());
    let mut positions: Vec<u32> = zeros(n / gap)?;
    for p in 0..n / gap {
        positions[tree_index(p, log_few)] = p as u32;
    }
    let (times, mut made) = (repetitions(n, gap), capacity(words(n, gap))?);
    made.extend((0..words(n, gap)).map(|p| {
        let position = p / RUN * RUN * times + p % RUN;
        positions[tree_index(position, log_n) / gap]
    }));
    Ok(made)
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
