//! Operations that treat each limb separately: transforms, sums, products, automorphisms.

use ringjet_backend::plan::{AutomorphismPlan, Domain};
use ringjet_backend::{Coeff, Result, Term, View, ViewMut, check, repeat};
use ringjet_math::Basis;

use crate::kernels::dispatch;
use crate::machine::CpuMachine;
use crate::operands::terms::{Factor, Output};
use crate::system::streaming::fence;

/// [`ringjet_backend::Backend::ntt`].
pub fn ntt(m: &CpuMachine, x: ViewMut<'_>, basis: &Basis) -> Result<()> {
    check::basis("ntt", x.limbs(), x.n(), basis)?;
    let (x, fields) = (m.target("ntt", x)?.updated(true), m.fields.of(basis)?);
    m.each_limb(x, |_, i, x| fields[i].forward(x));
    Ok(())
}

/// [`ringjet_backend::Backend::intt`].
pub fn intt(m: &CpuMachine, x: ViewMut<'_>, basis: &Basis) -> Result<()> {
    check::basis("intt", x.limbs(), x.n(), basis)?;
    let (x, fields) = (m.target("intt", x)?.updated(true), m.fields.of(basis)?);
    m.each_limb(x, |_, i, x| fields[i].inverse(x));
    Ok(())
}

/// [`ringjet_backend::Backend::expand`].
pub fn expand(m: &CpuMachine, dst: ViewMut<'_>, src: View<'_>) -> Result<()> {
    check::expand("expand", &dst, src)?;
    let (dst, src) = (m.target("expand", dst)?, m.source("expand", src)?);
    m.each_limb(dst, |p, i, out| repeat::expand(src.limb(p, i), out));
    Ok(())
}

/// [`ringjet_backend::Backend::lincomb`].
pub fn lincomb(m: &CpuMachine, dst: ViewMut<'_>, terms: &[Term<'_>], basis: &Basis, accumulate: bool) -> Result<()> {
    check::lincomb("lincomb", &dst, terms, basis)?;
    let sources = terms.iter().map(|&(coeff, src)| Ok((coeff, m.source("lincomb", src)?)));
    let sources = sources.collect::<Result<Vec<_>>>()?;
    let (dst, fields) = (m.target("lincomb", dst)?.updated(accumulate), m.fields.of(basis)?);
    let output = Output::of(dst.words(), accumulate);
    m.each_limb(dst, |p, i, out| {
        let factor = |c: &Coeff<'_>| match c {
            Coeff::One => Factor::One,
            Coeff::MinusOne => Factor::MinusOne,
            Coeff::PerLimb(c) => Factor::Constant(c[i]),
        };
        let terms: Vec<(Factor, &[u64])> = sources.iter().map(|(c, s)| (factor(c), s.limb(p, i))).collect();
        dispatch::lincomb(&fields[i], out, &terms, output);
    });
    Ok(())
}

/// [`ringjet_backend::Backend::mul`].
pub fn mul(m: &CpuMachine, dst: ViewMut<'_>, a: View<'_>, b: View<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
    check::basis("mul", dst.limbs(), dst.n(), basis)?;
    check::source("mul", &dst, a)?;
    check::source("mul", &dst, b)?;
    let (a, b) = (m.factor("mul", a, dst.polys())?, m.factor("mul", b, dst.polys())?);
    let (dst, fields) = (m.target("mul", dst)?.updated(accumulate), m.fields.of(basis)?);
    let output = Output::of(dst.words(), accumulate);
    m.each_limb(dst, |p, i, out| {
        dispatch::mul_acc(&fields[i], out, &[(a.limb(p, i), b.limb(p, i))], output);
    });
    Ok(())
}

/// [`ringjet_backend::Backend::mul_acc`].
pub fn mul_acc(
    m: &CpuMachine,
    dst: ViewMut<'_>,
    pairs: &[(View<'_>, View<'_>)],
    basis: &Basis,
    accumulate: bool,
) -> Result<()> {
    check::mul_acc("mul_acc", &dst, pairs, basis)?;
    let mut sources = Vec::with_capacity(pairs.len());
    for &(x, y) in pairs {
        sources.push((m.source("mul_acc", x)?, m.factor("mul_acc", y, dst.polys())?));
    }
    let (dst, fields) = (m.target("mul_acc", dst)?.updated(accumulate), m.fields.of(basis)?);
    let output = Output::of(dst.words(), accumulate);
    m.each_limb(dst, |p, i, out| {
        let pairs: Vec<(&[u64], &[u64])> = sources.iter().map(|(x, y)| (x.limb(p, i), y.limb(p, i))).collect();
        dispatch::mul_acc(&fields[i], out, &pairs, output);
    });
    Ok(())
}

/// [`ringjet_backend::Backend::tensor`].
pub fn tensor(m: &CpuMachine, dst: ViewMut<'_>, a: View<'_>, b: View<'_>, basis: &Basis) -> Result<()> {
    check::tensor("tensor", &dst, a, b, basis)?;
    let (a, b) = (m.source("tensor", a)?, m.source("tensor", b)?);
    let (dst, fields) = (m.target("tensor", dst)?, m.fields.of(basis)?);
    let output = Output::of(dst.words(), false);
    m.threads.run(fields.len(), 3 * fields.len() * dst.n(), |_, i| {
        // SAFETY: each limb occurs in one task, and once there.
        let out = unsafe { [dst.limb(0, i), dst.limb(1, i), dst.limb(2, i)] };
        dispatch::tensor(&fields[i], out, [a.limb(0, i), a.limb(1, i)], [b.limb(0, i), b.limb(1, i)], output);
        fence();
    });
    Ok(())
}

/// [`ringjet_backend::Backend::automorphism`].
pub fn automorphism(
    m: &CpuMachine,
    dst: ViewMut<'_>,
    src: View<'_>,
    basis: &Basis,
    plan: &AutomorphismPlan,
) -> Result<()> {
    check::basis("automorphism", dst.limbs(), dst.n(), basis)?;
    check::source("automorphism", &dst, src)?;
    check::equal("automorphism", "ring degree", plan.n(), dst.n())?;
    let (dst, src) = (m.target("automorphism", dst)?, m.source("automorphism", src)?);
    let (fields, map, signed) = (m.fields.of(basis)?, plan.map()?, plan.domain == Domain::Coefficient);
    m.each_limb(dst, |p, i, out| dispatch::permute(&fields[i], out, src.limb(p, i), map, signed));
    Ok(())
}
