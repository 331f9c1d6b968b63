//! Operations word by word: copies, linear combinations, products and automorphisms.

use ringjet_backend::plan::{AutomorphismPlan, Domain};
use ringjet_backend::repeat::RUN;
use ringjet_backend::{Coeff, Result, Term, View, ViewMut, check};
use ringjet_math::Basis;

use crate::launch;
use crate::machine::Machine;
use crate::memory::{TERM_WORDS, number};

/// Implements [`ringjet_backend::Backend::copy`].
pub fn copy(m: &Machine, dst: &ViewMut<'_>, src: View<'_>) -> Result<()> {
    check::source("copy", dst, src)?;
    let (dst, src) = (m.target("copy", dst)?, m.source("copy", src)?);
    m.queue(dst.each_word(), |d, grid| launch::copy(d, grid, dst.limbs, src.limbs))
}

/// Implements [`ringjet_backend::Backend::expand`].
pub fn expand(m: &Machine, dst: &ViewMut<'_>, src: View<'_>) -> Result<()> {
    check::expand("expand", dst, src)?;
    let (dst, src) = (m.target("expand", dst)?, m.source("expand", src)?);
    if src.limbs.n == 0 {
        return Ok(());
    }
    let (run, times) = (src.limbs.n.min(RUN as u32), dst.limbs.n / src.limbs.n);
    m.queue(dst.each_word(), |d, grid| launch::expand(d, grid, dst.limbs, src.limbs, run, times.ilog2()))
}

/// Implements [`ringjet_backend::Backend::lincomb`].
pub fn lincomb(m: &Machine, dst: &ViewMut<'_>, terms: &[Term<'_>], basis: &Basis, accumulate: bool) -> Result<()> {
    check::basis("lincomb", dst.limbs(), dst.n(), basis)?;
    let arithmetic = m.arithmetic(&[basis]);
    let mut sources = Vec::with_capacity(terms.len());
    let (mut records, mut factors) = (vec![], vec![]);
    for &(coeff, src) in terms {
        check::source("lincomb", dst, src)?;
        let source = m.source("lincomb", src)?;
        let factor = match coeff {
            Coeff::One => 0,
            Coeff::MinusOne => 1,
            Coeff::PerLimb(c) => {
                check::equal("lincomb", "number of coefficients", basis.len(), c.len())?;
                let at = TERM_WORDS * terms.len() + factors.len();
                let constants = c.iter().zip(basis.primes());
                factors.extend(constants.flat_map(|(&c, p)| arithmetic.constant(p.modulus(), c)));
                at as u64
            }
        };
        records.extend(source.term(factor));
        sources.push(source);
    }
    records.append(&mut factors);
    let (dst, count) = (m.target("lincomb", dst)?, number("lincomb", "number of terms", terms.len())?);
    let (moduli, terms) = (m.moduli(arithmetic, basis.primes())?, m.arguments(&records)?);
    m.queue(dst.each_word(), |d, grid| {
        launch::lincomb(d, arithmetic, grid, dst.limbs, terms.at(), count, moduli.at(), accumulate.into())
    })
}

/// Implements [`ringjet_backend::Backend::mul`].
pub fn mul(m: &Machine, dst: &ViewMut<'_>, a: View<'_>, b: View<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
    check::basis("mul", dst.limbs(), dst.n(), basis)?;
    check::source("mul", dst, a)?;
    check::source("mul", dst, b)?;
    let (a, b, dst) = (m.source("mul", a)?, m.source("mul", b)?, m.target("mul", dst)?);
    let arithmetic = m.arithmetic(&[basis]);
    let moduli = m.moduli(arithmetic, basis.primes())?;
    m.queue(dst.each_word(), |d, grid| {
        launch::mul(d, arithmetic, grid, dst.limbs, a.limbs, b.limbs, moduli.at(), accumulate.into())
    })
}

/// Implements [`ringjet_backend::Backend::automorphism`].
pub fn automorphism(
    m: &Machine,
    dst: &ViewMut<'_>,
    src: View<'_>,
    basis: &Basis,
    plan: &AutomorphismPlan,
) -> Result<()> {
    check::basis("automorphism", dst.limbs(), dst.n(), basis)?;
    check::source("automorphism", dst, src)?;
    check::equal("automorphism", "ring degree", plan.n(), dst.n())?;
    let (dst, src) = (m.target("automorphism", dst)?, m.source("automorphism", src)?);
    let arithmetic = m.arithmetic(&[basis]);
    let (moduli, map) = (m.moduli(arithmetic, basis.primes())?, m.map(plan)?);
    let negates = u32::from(plan.domain == Domain::Coefficient);
    m.queue(dst.each_word(), |d, grid| {
        launch::automorphism(d, arithmetic, grid, dst.limbs, src.limbs, moduli.at(), map.at(), negates)
    })
}
