//! Polynomials in a power of X, kept without the repetitions of their values: the order in memory that
//! [`Backend::compact`] has unless a backend overrides it. For backends.
//!
//! In the evaluation domain a polynomial in `X^gap` has the same value at `gap` neighbouring leaves of
//! [`ringjet_math::ntt::tree_index`]. Where tiles are transposed, a tile of 64 runs of [`RUN`] words
//! repeats each run `gap` times; in smaller rings a run holds neighbours. A compact limb has each run once.

use ringjet_math::ntt::LOG_TILE;
use zeroize::Zeroizing;

use crate::{Backend, BackendError, Buf, Result, View, ViewMut, check, host, unfused};

/// Words of a run: a vector of the order of [`ringjet_math::ntt::exponents`].
pub const RUN: usize = 8;

/// How often a limb of `n` words of a polynomial in `X^gap` repeats each run: at most as often as a tile
/// has runs, so that a tile's words stay together.
pub fn repetitions(n: usize, gap: usize) -> usize {
    let tile = n.min(1 << LOG_TILE);
    let runs = if n < 1 << LOG_TILE { gap / RUN } else { gap };
    runs.clamp(1, (tile / RUN).max(1))
}

/// All words of a limb that `few` has each run of once, `repeated` times each.
pub fn repeated(few: &[u64], repeated: usize) -> impl Iterator<Item = u64> + '_ {
    few.chunks(RUN).flat_map(move |run| std::iter::repeat_n(run, repeated)).flatten().copied()
}

/// [`Backend::compact`], through the host.
pub(crate) fn compact<B: Backend + ?Sized>(b: &B, src: View<'_>, gap: usize) -> Result<Buf> {
    const OP: &str = "compact";
    check::compact(OP, src, gap)?;
    let (n, polys, limbs) = (src.n(), src.polys(), src.limbs());
    let times = repetitions(n, gap);
    let mut dst = unfused::temporary(b, polys * limbs, n / times, src.is_secret())?;
    let mut words = Zeroizing::new(host::zeros(n)?);
    for (p, i) in (0..polys).flat_map(|p| (0..limbs).map(move |i| (p, i))) {
        b.download(src.buf(), src.limb_index(p, i), &mut words)?;
        let runs = words.chunks_exact(times * RUN.min(n));
        let few: Zeroizing<Vec<u64>> =
            Zeroizing::new(runs.flat_map(|run| run[..run.len() / times].iter().copied()).collect());
        if let Some(at) = repeated(&few, times).zip(&*words).position(|(few, &word)| few != word) {
            let what = "first value that a polynomial in this power of X has not";
            return Err(BackendError::Shape { op: OP, what, expected: n, found: at });
        }
        b.upload(&mut dst, p * limbs + i, &few)?;
    }
    Ok(dst)
}

/// [`Backend::expand`], through the host.
pub(crate) fn expand<B: Backend + ?Sized>(b: &B, mut dst: ViewMut<'_>, src: View<'_>) -> Result<()> {
    check::expand("expand", &dst, src)?;
    let times = dst.n() / src.n();
    let mut few = Zeroizing::new(host::zeros(src.n())?);
    for (p, i) in (0..dst.polys()).flat_map(|p| (0..src.limbs()).map(move |i| (p, i))) {
        b.download(src.buf(), src.limb_index(if src.polys() == 1 { 0 } else { p }, i), &mut few)?;
        let words: Zeroizing<Vec<u64>> = Zeroizing::new(repeated(&few, times).collect());
        let limb = dst.limb_index(p, i);
        b.upload(dst.buf_mut(), limb, &words)?;
    }
    Ok(())
}
