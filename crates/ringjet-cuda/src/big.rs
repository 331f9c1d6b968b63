//! Operations on big coefficients.

use ringjet_backend::big::BigTerm;
use ringjet_backend::plan::{AutomorphismPlan, CrtJoinPlan, CrtSplitPlan};
use ringjet_backend::{Result, View, ViewMut, check};
use ringjet_math::Basis;

use crate::arithmetic::Arithmetic;
use crate::constants::Key;
use crate::device::Grid;
use crate::elementwise::inverse_galois;
use crate::launch::{self, LIST_WORDS, List, batches};
use crate::machine::CudaMachine;
use crate::memory::{Place, VIEW_WORDS, number};

/// Bits of a word of a big coefficient (`kernels/big.cuh`).
const WORD_BITS: u32 = 52;

/// The constants of source prime `i` for `base_convert` and `crt_join` (`Input` in
/// `kernels/convert.cuh`).
pub fn input_prime(a: Arithmetic, basis: &Basis, i: usize, hat_inverse: u64, fraction: u64) -> Vec<u64> {
    let m = basis.modulus(i);
    let mut words = a.modulus(m);
    words.extend(a.constant(m, hat_inverse));
    words.extend([fraction, m.bits().into()]);
    words
}

/// Implements [`ringjet_backend::Backend::crt_split`].
pub fn crt_split(m: &CudaMachine, dst: &ViewMut<'_>, src: View<'_>, plan: &CrtSplitPlan) -> Result<()> {
    check::crt_split("crt_split", dst, src, plan)?;
    m.need_bits(WORD_BITS)?;
    let (dst, src) = (m.target("crt_split", dst)?, m.source("crt_split", src)?);
    let crt = &plan.crt;
    let a = m.arithmetic(&[&crt.basis])?;
    let constants = m.words(Key::Plan(plan.id, a), || {
        let pieces = if a.left_bits() < WORD_BITS { 2 } else { 1 };
        let prime = |i: usize| {
            let q = crt.basis.modulus(i);
            let piece = q.pow(2, u64::from(WORD_BITS / pieces));
            let powers = crt.powers[i].iter().flat_map(|&w| [w, q.mul(w, piece)].into_iter().take(pieces as usize));
            let factors = std::iter::once(crt.offset[i]).chain(powers).map(|w| a.right(q, w));
            a.modulus(q).into_iter().chain(factors).collect::<Vec<_>>()
        };
        (0..crt.basis.len()).flat_map(prime).collect()
    })?;
    m.queue(dst.each_word(), |d, grid| launch::crt_split(d, a, grid, dst.limbs, src.limbs, constants.at(), crt.bits))
}

/// Implements [`ringjet_backend::Backend::crt_join`].
pub fn crt_join(m: &CudaMachine, dst: &ViewMut<'_>, src: View<'_>, plan: &CrtJoinPlan) -> Result<()> {
    check::crt_join("crt_join", dst, src, plan)?;
    m.need_bits(WORD_BITS)?;
    let (dst, src) = (m.target("crt_join", dst)?, m.source("crt_join", src)?);
    let crt = &plan.crt;
    let a = m.arithmetic(&[&crt.basis])?;
    let constants = m.words(Key::Plan(plan.id, a), || {
        let prime = |i: usize| input_prime(a, &crt.basis, i, crt.hat_inverse[i], crt.fraction[i]);
        let mut words: Vec<u64> = (0..crt.basis.len()).flat_map(prime).collect();
        words.extend(crt.minus_multiples(1, std::iter::once(0), crt.bits));
        words.extend(crt.hat.iter().flatten());
        words
    })?;
    let primes = number("crt_join", "number of primes", crt.basis.len())?;
    let width = m.coefficients_at_once("crt_join", dst.limbs.n, 64, crt.basis.len())?;
    let grid =
        Grid { blocks: [dst.limbs.n / width, 1, dst.limbs.polys], threads: [width, 1], shared: 8 * width * primes };
    m.queue(grid, |d, grid| launch::crt_join(d, a, grid, dst.limbs, src.limbs, constants.at(), primes, crt.bits))
}

/// Implements [`ringjet_backend::Backend::shift_round`].
pub fn shift_round(m: &CudaMachine, dst: &ViewMut<'_>, src: View<'_>, bits: u32, shift: u32) -> Result<()> {
    check::shift_round("shift_round", dst, src, bits, shift)?;
    m.need_bits(WORD_BITS)?;
    let (dst, src) = (m.target("shift_round", dst)?, m.source("shift_round", src)?);
    m.queue(dst.each_word(), |d, grid| launch::shift_round(d, grid, dst.limbs, src.limbs, bits, shift))
}

/// Implements [`ringjet_backend::Backend::big_lincomb`].
pub fn lincomb(m: &CudaMachine, dst: &ViewMut<'_>, terms: &[BigTerm<'_>], bits: u32, accumulate: bool) -> Result<()> {
    check::big_lincomb("big_lincomb", dst, terms, bits)?;
    m.need_bits(WORD_BITS)?;
    let dst = m.target("big_lincomb", dst)?;
    let sources = terms.iter().map(|t| m.source("big_lincomb", t.src)).collect::<Result<Vec<_>>>()?;
    let words: Vec<_> = terms.iter().zip(&sources).map(|(t, source)| term(t, source)).collect();
    for (i, words) in batches(&words, LIST_WORDS, |_| TERM_WORDS).into_iter().enumerate() {
        let (terms, accumulate) = (List::new(&words.concat()), accumulate || i > 0);
        m.queue(dst.each_coefficient(), |d, grid| {
            launch::big_lincomb(d, grid, dst.limbs, terms, words.len() as u32, bits, accumulate.into())
        })?;
    }
    Ok(())
}

/// Words of a term of `big_lincomb`; must equal `BIG_TERM_WORDS` in `kernels/big.cuh`.
const TERM_WORDS: usize = VIEW_WORDS + 2;

fn term(t: &BigTerm<'_>, source: &Place<'_>) -> [u64; TERM_WORDS] {
    let [words, chosen, polys] = source.listed();
    [words, chosen, polys, t.factor as u64, t.bits.into()]
}

/// Implements [`ringjet_backend::Backend::big_automorphism`].
pub fn automorphism(
    m: &CudaMachine,
    dst: &ViewMut<'_>,
    src: View<'_>,
    bits: u32,
    plan: &AutomorphismPlan,
) -> Result<()> {
    check::big_automorphism("big_automorphism", dst, src, bits, plan)?;
    m.need_bits(WORD_BITS)?;
    let (dst, src) = (m.target("big_automorphism", dst)?, m.source("big_automorphism", src)?);
    let inverse = inverse_galois(plan);
    m.queue(dst.each_word(), |d, grid| launch::big_automorphism(d, grid, dst.limbs, src.limbs, inverse, bits))
}
