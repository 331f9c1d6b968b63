//! Operations word by word: copies, linear combinations and automorphisms.

use ringjet_backend::plan::{AutomorphismPlan, Domain};
use ringjet_backend::repeat::RUN;
use ringjet_backend::{BackendError, Coeff, Result, Term, View, ViewMut, check};
use ringjet_math::Basis;

use crate::launch::{self, LIST_WORDS, List, batches};
use crate::machine::CudaMachine;
use crate::memory::{Place, VIEW_WORDS};

/// Implements [`ringjet_backend::Backend::copy`].
pub fn copy(m: &CudaMachine, dst: &ViewMut<'_>, src: View<'_>) -> Result<()> {
    check::source("copy", dst, src)?;
    let (dst, src) = (m.target("copy", dst)?, m.source("copy", src)?);
    m.queue(dst.each_word(), |d, grid| launch::copy(d, m.width(), grid, dst.limbs, src.limbs))
}

/// Implements [`ringjet_backend::Backend::expand`].
pub fn expand(m: &CudaMachine, dst: &ViewMut<'_>, src: View<'_>) -> Result<()> {
    check::expand("expand", dst, src)?;
    let (dst, src) = (m.target("expand", dst)?, m.source("expand", src)?);
    if src.limbs.n == 0 {
        return Ok(());
    }
    let (run, times) = (src.limbs.n.min(RUN as u32), dst.limbs.n / src.limbs.n);
    m.queue(dst.each_word(), |d, grid| launch::expand(d, m.width(), grid, dst.limbs, src.limbs, run, times.ilog2()))
}

/// Words of a term of `lincomb`, without the residues of its factor; must equal `TERM_WORDS` in
/// `kernels/elementwise.cuh`.
const TERM_WORDS: usize = VIEW_WORDS + 1;

/// Stands for no constant; must equal the constant in `kernels/elementwise.cuh`.
const NO_CONSTANT: u32 = u32::MAX;

/// Implements [`ringjet_backend::Backend::lincomb`].
pub fn lincomb(m: &CudaMachine, dst: &ViewMut<'_>, terms: &[Term<'_>], basis: &Basis, accumulate: bool) -> Result<()> {
    check::lincomb("lincomb", dst, terms, basis)?;
    combine(m, "lincomb", dst, terms, &[], basis, accumulate)
}

/// Implements [`ringjet_backend::Backend::affine`].
pub fn affine(m: &CudaMachine, dst: &ViewMut<'_>, terms: &[Term<'_>], constant: &[u64], basis: &Basis) -> Result<()> {
    check::affine("affine", dst, terms, constant, basis)?;
    combine(m, "affine", dst, terms, constant, basis, false)
}

/// A linear combination, with residues that are added to the first polynomial if there are any.
fn combine(
    m: &CudaMachine,
    op: &'static str,
    dst: &ViewMut<'_>,
    terms: &[Term<'_>],
    constant: &[u64],
    basis: &Basis,
    accumulate: bool,
) -> Result<()> {
    let most = (LIST_WORDS - TERM_WORDS) / 2; // a list holds the constant and the factors of one term
    if basis.len() > most {
        return Err(BackendError::Shape { op, what: "most limbs", expected: most, found: basis.len() });
    }
    let room = LIST_WORDS - constant.len();
    let a = m.arithmetic(&[basis])?;
    let (dst, moduli) = (m.target(op, dst)?, m.moduli(a, basis.primes())?);
    let terms = terms.iter().map(|&(coeff, src)| Ok((coeff, m.source(op, src)?)));
    let terms = terms.collect::<Result<Vec<(Coeff<'_>, Place<'_>)>>>()?;
    let factors = |coeff: &Coeff<'_>| if let Coeff::PerLimb(c) = coeff { c.len() } else { 0 };
    for (i, terms) in batches(&terms, room, |(coeff, _)| TERM_WORDS + factors(coeff)).into_iter().enumerate() {
        let (mut words, mut residues) = (vec![], vec![]);
        for (coeff, source) in terms {
            words.extend(source.listed());
            words.push(match coeff {
                Coeff::One => 0,
                Coeff::MinusOne => 1,
                Coeff::PerLimb(_) => (TERM_WORDS * terms.len() + residues.len()) as u64,
            });
            if let Coeff::PerLimb(c) = coeff {
                residues.extend_from_slice(c);
            }
        }
        words.append(&mut residues);
        let plus = if i > 0 || constant.is_empty() { NO_CONSTANT } else { words.len() as u32 };
        words.extend_from_slice(if i > 0 { &[] } else { constant });
        let (list, count, accumulate) = (List::new(&words), terms.len() as u32, accumulate || i > 0);
        m.queue(dst.each_four(), |d, grid| {
            launch::lincomb(d, a, grid, dst.limbs, list, count, plus, moduli.at(), accumulate.into())
        })?;
    }
    Ok(())
}

/// The inverse of a plan's Galois element modulo 2N.
pub fn inverse_galois(plan: &AutomorphismPlan) -> u32 {
    let g = plan.galois;
    // each step doubles the number of right bits; g is its own inverse modulo 8
    let inverse = (0..4).fold(g, |x, _| x.wrapping_mul(2u32.wrapping_sub(g.wrapping_mul(x))));
    inverse & ((2 << plan.log_n) - 1)
}

/// Implements [`ringjet_backend::Backend::automorphism`].
pub fn automorphism(
    m: &CudaMachine,
    dst: &ViewMut<'_>,
    src: View<'_>,
    basis: &Basis,
    plan: &AutomorphismPlan,
) -> Result<()> {
    check::basis("automorphism", dst.limbs(), dst.n(), basis)?;
    check::source("automorphism", dst, src)?;
    check::equal("automorphism", "ring degree", plan.n(), dst.n())?;
    let (dst, src) = (m.target("automorphism", dst)?, m.source("automorphism", src)?);
    let a = m.arithmetic(&[basis])?;
    let moduli = m.moduli(a, basis.primes())?;
    let (by, evaluations) = match plan.domain {
        Domain::Coefficient => (inverse_galois(plan), 0),
        Domain::Evaluation => (plan.galois, 1),
    };
    m.queue(dst.each_word(), |d, grid| {
        launch::automorphism(d, a, grid, dst.limbs, src.limbs, moduli.at(), by, evaluations)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses_of_galois_elements() {
        for (log_n, galois) in [(3, 1), (3, 15), (9, 5), (16, 3), (17, (2 << 17) - 1), (17, 77_777)] {
            let plan = AutomorphismPlan::new(log_n, galois, Domain::Evaluation);
            let product = u64::from(inverse_galois(&plan)) * galois;
            assert_eq!(product % (2 << log_n), 1, "2^{log_n}, {galois}");
        }
    }
}
