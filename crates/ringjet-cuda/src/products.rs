//! Sums of products of polynomials and of ciphertexts.

use ringjet_backend::{Products, Result, View, ViewMut, check};
use ringjet_math::Basis;

use crate::device::Grid;
use crate::launch::{self, LIST_WORDS, Limbs, List, batches};
use crate::machine::CudaMachine;
use crate::memory::{NO_LIMBS, Place, VIEW_WORDS};

/// Implements [`ringjet_backend::Backend::mul`].
pub fn mul(
    m: &CudaMachine,
    dst: &ViewMut<'_>,
    a: View<'_>,
    b: View<'_>,
    basis: &Basis,
    accumulate: bool,
) -> Result<()> {
    check::basis("mul", dst.limbs(), dst.n(), basis)?;
    check::source("mul", dst, a)?;
    check::source("mul", dst, b)?;
    products(m, "mul", dst, &[(a, b)], basis, accumulate)
}

/// Implements [`ringjet_backend::Backend::mul_acc`].
pub fn mul_acc(
    m: &CudaMachine,
    dst: &ViewMut<'_>,
    pairs: &[(View<'_>, View<'_>)],
    basis: &Basis,
    accumulate: bool,
) -> Result<()> {
    check::mul_acc("mul_acc", dst, pairs, basis)?;
    products(m, "mul_acc", dst, pairs, basis, accumulate)
}

fn products(
    m: &CudaMachine,
    op: &'static str,
    dst: &ViewMut<'_>,
    pairs: &[(View<'_>, View<'_>)],
    basis: &Basis,
    accumulate: bool,
) -> Result<()> {
    let a = m.arithmetic(&[basis])?;
    let (dst, moduli) = (m.target(op, dst)?, m.moduli(a, basis.primes())?);
    let pairs = pairs.iter().map(|&(x, y)| Ok([m.source(op, x)?, m.source(op, y)?])).collect::<Result<Vec<_>>>()?;
    for (i, pairs) in batches(&pairs, LIST_WORDS, |_| 2 * VIEW_WORDS).into_iter().enumerate() {
        let words: Vec<u64> = pairs.iter().flatten().flat_map(Place::listed).collect();
        let (list, count, accumulate) = (List::new(&words), pairs.len() as u32, accumulate || i > 0);
        m.queue(dst.each_pair(), |d, grid| {
            launch::products(d, a, grid, dst.limbs, list, count, moduli.at(), accumulate.into())
        })?;
    }
    Ok(())
}

/// Implements [`ringjet_backend::Backend::tensor`].
pub fn tensor(m: &CudaMachine, dst: &ViewMut<'_>, x: View<'_>, y: View<'_>, basis: &Basis) -> Result<()> {
    const OP: &str = "tensor";
    check::tensor(OP, dst, x, y, basis)?;
    let dst = m.target(OP, dst)?;
    tensors(m, OP, [dst.limbs, dst.from(2)], &dst, &[&[(x, y)]], None, basis)
}

/// Most words of a list that pairs of `tensors` take beside the word of each sum.
const PAIR_WORDS: usize = 2 * VIEW_WORDS;

/// Whether the pairs of these sums fit one launch of `tensors`.
pub fn fits_one_launch(sums: &[Products<'_>]) -> bool {
    sums.iter().map(|sum| 1 + PAIR_WORDS * sum.len()).sum::<usize>() <= LIST_WORDS
}

/// Sums of products before relinearisation, plus polynomials of `add`. The first two polynomials of
/// each sum go to `dst[0]`, the third ones to `dst[1]`; `place` has limbs like both.
pub fn tensors(
    m: &CudaMachine,
    op: &'static str,
    dst: [Limbs; 2],
    place: &Place<'_>,
    sums: &[Products<'_>],
    add: Option<View<'_>>,
    basis: &Basis,
) -> Result<()> {
    let a = m.arithmetic(&[basis])?;
    let pairs = sums.iter().copied().flatten().map(|&(x, y)| Ok([m.source(op, x)?, m.source(op, y)?]));
    let pairs = pairs.collect::<Result<Vec<_>>>()?;
    let mut end = 0;
    let ranges = sums.iter().map(|sum| {
        let first = end;
        end += sum.len() as u64;
        first | end << 32
    });
    let words: Vec<u64> = ranges.chain(pairs.iter().flatten().flat_map(Place::listed)).collect();
    let (list, moduli) = (List::new(&words), m.moduli(a, basis.primes())?);
    let addend = add.map(|add| m.source(op, add)).transpose()?;
    let adds = add.map_or(0, |add| add.polys() / sums.len().max(1)) as u32;
    let (addend, count) = (addend.map_or(NO_LIMBS, |addend| addend.limbs), sums.len() as u32);
    let each = place.each_pair();
    let each = Grid { blocks: [each.blocks[0], each.blocks[1], count], ..each };
    m.queue(each, |d, grid| launch::tensors(d, a, grid, dst[0], dst[1], list, addend, moduli.at(), count, adds))
}
