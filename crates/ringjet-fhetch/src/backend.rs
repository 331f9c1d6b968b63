//! The operations of an [`Exporter`]. Each writes its instructions, then computes on the other
//! backend.

use ringjet_backend::host::collected;
use ringjet_backend::plan::{AutomorphismPlan, BaseConversionPlan, CrtJoinPlan, CrtSplitPlan, Domain};
use ringjet_backend::{
    Backend, BackendError, BackendId, BigTerm, Buf, Coeff, Composed, Integers, Result, Term, UniformStream, View,
    ViewMut, check, delegate,
};
use ringjet_math::Basis;

use crate::exporter::{Limb, limb_place, to_file_order};
use crate::recording::Scope;
use crate::{Exporter, FhetchError, Op, Polynomial};

impl Exporter {
    /// Transforms of limbs in place, from one domain to another one.
    fn transform(
        &self,
        name: &'static str,
        x: &ViewMut<'_>,
        basis: &Basis,
        [from, to]: [Domain; 2],
        op: impl Fn(u64) -> Op,
    ) -> Result<()> {
        check::basis(name, x.limbs(), x.n(), basis)?;
        self.record_each(name, x, |p, i| {
            if self.domain(name, x.as_view(), p, i)?.is_none() {
                return Ok(Limb::Constant(None));
            }
            let (q, src) = (&basis.primes()[i], self.address(name, x.as_view(), [p, i], from)?);
            Ok(Limb::Variable(self.push(op(q.table().psi()), src, q.value())?, to))
        })
    }

    /// The domain of the polynomials among these that depend on inputs; `None` if there are none.
    fn domain_of<'a>(
        &self,
        name: &'static str,
        all: impl IntoIterator<Item = View<'a>>,
        [p, i]: [usize; 2],
    ) -> Result<Option<Domain>> {
        all.into_iter().map(|view| self.domain(name, view, p, i)).find_map(Result::transpose).transpose()
    }

    /// The sum of `terms`, and of the old limb of `dst` with `accumulate`.
    fn sum(
        &self,
        name: &'static str,
        dst: &ViewMut<'_>,
        terms: &[Term<'_>],
        q: u64,
        accumulate: bool,
        at: [usize; 2],
    ) -> Result<Limb> {
        let old = accumulate.then(|| dst.as_view());
        let Some(domain) = self.domain_of(name, terms.iter().map(|term| term.1).chain(old), at)? else {
            return Ok(Limb::Constant(None));
        };
        let mut sum = old.map(|old| self.address(name, old, at, domain)).transpose()?;
        for (coeff, src) in terms {
            let x = self.address(name, *src, at, domain)?;
            let x = match coeff {
                Coeff::PerLimb(c) => self.push(Op::MulScalar(c[at[1]]), x, q)?,
                Coeff::MinusOne if sum.is_none() => self.push(Op::Negate, x, q)?,
                Coeff::One | Coeff::MinusOne => x,
            };
            sum = Some(match (sum, coeff) {
                (None, _) => x,
                (Some(sum), Coeff::MinusOne) => self.push(Op::Sub(x), sum, q)?,
                (Some(sum), _) => self.push(Op::Add(x), sum, q)?,
            });
        }
        Ok(sum.map_or(Limb::Constant(None), |sum| Limb::Variable(sum, domain)))
    }

    /// The terms on the other backend.
    fn inner_terms<'a>(&self, name: &'static str, terms: &[Term<'a>]) -> Result<Vec<Term<'a>>> {
        terms.iter().map(|&(coeff, src)| Ok((coeff, self.inner(name, src)?))).collect()
    }

    /// Makes all limbs of `dst` constants.
    fn constants(&self, name: &'static str, dst: &ViewMut<'_>) -> Result<()> {
        self.record_each(name, dst, |_, _| Ok(Limb::Constant(None)))
    }

    /// Refuses polynomials that depend on inputs.
    fn expect_constants(&self, op: &'static str, src: View<'_>) -> Result<()> {
        for (p, i) in (0..src.polys()).flat_map(|p| (0..src.limbs()).map(move |i| (p, i))) {
            if self.domain(op, src, p, i)?.is_some() {
                return Err(FhetchError::Computed { op }.into());
            }
        }
        Ok(())
    }

    /// The refusal of operations on integers modulo powers of two.
    fn no_integers<T>(&self, op: &'static str) -> Result<T> {
        Err(BackendError::Unsupported { op, backend: self.backend_id().name().into() })
    }
}

impl Backend for Exporter {
    delegate!(self => Composed(self); composed except affine, compact, expand, integer_factors);

    fn id(&self) -> &BackendId {
        self.backend_id()
    }

    fn host_threads(&self) -> usize {
        self.inner.host_threads()
    }

    fn parallel(&self, jobs: usize, words: usize, run: &(dyn Fn(usize, usize) + Sync)) {
        self.inner.parallel(jobs, words, run);
    }

    fn fill_uniform(&self, stream: &UniformStream<'_>, out: &mut [u64]) {
        self.inner.fill_uniform(stream, out);
    }

    fn sync(&self) -> Result<()> {
        self.inner.sync()
    }

    fn alloc(&self, limbs: usize, n: usize) -> Result<Buf> {
        self.wrap(self.inner.alloc(limbs, n)?)
    }

    fn upload(&self, dst: &mut Buf, first_limb: usize, data: &[u64]) -> Result<()> {
        check::range("upload", dst, first_limb, data.len())?;
        let (n, scope) = (dst.n(), self.recording().scope);
        if let Scope::Input(_) = scope {
            self.expect_public("upload", dst)?;
        }
        let limbs = self.limbs_mut("upload", dst)?;
        self.inner.upload(&mut limbs.buf, first_limb, data)?;
        for (i, words) in data.chunks_exact(n.max(1)).enumerate() {
            limbs.limbs()[first_limb + i] = match scope {
                Scope::Input(input) => {
                    let mut words = collected(words.iter().copied())?;
                    to_file_order(&mut words, Domain::Evaluation);
                    Limb::Variable(self.recording().input(input, words)?, Domain::Evaluation)
                }
                Scope::Neither | Scope::Output(_) => Limb::Constant(None),
            };
        }
        Ok(())
    }

    fn download(&self, src: &Buf, first_limb: usize, out: &mut [u64]) -> Result<()> {
        const OP: &str = "download";
        check::range(OP, src, first_limb, out.len())?;
        let (n, limbs) = (src.n().max(1), self.limbs(OP, src)?);
        let view = src.view(1).range(first_limb, out.len() / n);
        let Scope::Output(output) = self.recording().scope else {
            self.expect_constants(OP, view)?;
            return self.inner.download(&limbs.buf, first_limb, out);
        };
        self.inner.download(&limbs.buf, first_limb, out)?;
        for (i, words) in out.chunks_exact(n).enumerate() {
            let domain = self.domain(OP, view, 0, i)?.unwrap_or(Domain::Evaluation);
            let address = self.address(OP, view, [0, i], domain)?;
            let mut words = collected(words.iter().copied())?;
            to_file_order(&mut words, domain);
            self.recording().output(output, Polynomial { address, domain, words: words.into() });
        }
        Ok(())
    }

    /// No instruction: both have the same addresses.
    fn copy(&self, mut dst: ViewMut<'_>, src: View<'_>) -> Result<()> {
        check::source("copy", &dst, src)?;
        self.expect_mark("copy", &dst, src)?;
        let from = self.limbs("copy", src.buf())?;
        self.record_each("copy", &dst, |p, i| Ok(from.limbs()[limb_place(src, p, i)]))?;
        self.inner.copy(self.inner_mut("copy", &mut dst)?, self.inner("copy", src)?)
    }

    fn ntt(&self, mut x: ViewMut<'_>, basis: &Basis) -> Result<()> {
        let domains = [Domain::Coefficient, Domain::Evaluation];
        self.transform("ntt", &x, basis, domains, |omega| Op::Ntt { omega })?;
        self.inner.ntt(self.inner_mut("ntt", &mut x)?, basis)
    }

    fn intt(&self, mut x: ViewMut<'_>, basis: &Basis) -> Result<()> {
        let domains = [Domain::Evaluation, Domain::Coefficient];
        self.transform("intt", &x, basis, domains, |omega| Op::Intt { omega })?;
        self.inner.intt(self.inner_mut("intt", &mut x)?, basis)
    }

    fn lincomb(&self, mut dst: ViewMut<'_>, terms: &[Term<'_>], basis: &Basis, accumulate: bool) -> Result<()> {
        const OP: &str = "lincomb";
        check::lincomb(OP, &dst, terms, basis)?;
        self.record_each(OP, &dst, |p, i| self.sum(OP, &dst, terms, basis.modulus(i).value(), accumulate, [p, i]))?;
        let terms = self.inner_terms(OP, terms)?;
        self.inner.lincomb(self.inner_mut(OP, &mut dst)?, &terms, basis, accumulate)
    }

    /// The constant is a number of an instruction.
    fn affine(&self, mut dst: ViewMut<'_>, terms: &[Term<'_>], constant: &[u64], basis: &Basis) -> Result<()> {
        const OP: &str = "affine";
        check::affine(OP, &dst, terms, constant, basis)?;
        self.record_each(OP, &dst, |p, i| {
            let q = basis.modulus(i).value();
            match self.sum(OP, &dst, terms, q, false, [p, i])? {
                Limb::Variable(x, domain) if p == 0 && constant[i] != 0 => {
                    Ok(Limb::Variable(self.push(Op::AddScalar(constant[i]), x, q)?, domain))
                }
                other => Ok(other),
            }
        })?;
        let terms = self.inner_terms(OP, terms)?;
        self.inner.affine(self.inner_mut(OP, &mut dst)?, &terms, constant, basis)
    }

    fn mul(&self, mut dst: ViewMut<'_>, a: View<'_>, b: View<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
        const OP: &str = "mul";
        check::basis(OP, dst.limbs(), dst.n(), basis)?;
        check::source(OP, &dst, a)?;
        check::source(OP, &dst, b)?;
        self.record_each(OP, &dst, |p, i| {
            let (q, at, old) = (basis.modulus(i).value(), [p, i], accumulate.then(|| dst.as_view()));
            let Some(domain) = self.domain_of(OP, [a, b].into_iter().chain(old), at)? else {
                return Ok(Limb::Constant(None));
            };
            let address = |view| self.address(OP, view, at, domain);
            let product = self.push(Op::Mul(address(b)?), address(a)?, q)?;
            let sum = match old {
                None => product,
                Some(old) => self.push(Op::Add(product), address(old)?, q)?,
            };
            Ok(Limb::Variable(sum, domain))
        })?;
        let (a, b) = (self.inner(OP, a)?, self.inner(OP, b)?);
        self.inner.mul(self.inner_mut(OP, &mut dst)?, a, b, basis, accumulate)
    }

    /// Coefficients are transformed before and after: niobium-fhetch's simulator has automorphisms of
    /// values only.
    fn automorphism(&self, mut dst: ViewMut<'_>, src: View<'_>, basis: &Basis, plan: &AutomorphismPlan) -> Result<()> {
        const OP: &str = "automorphism";
        check::basis(OP, dst.limbs(), dst.n(), basis)?;
        check::source(OP, &dst, src)?;
        check::equal(OP, "ring degree", plan.n(), dst.n())?;
        self.expect_mark(OP, &dst, src)?;
        self.record_each(OP, &dst, |p, i| {
            if self.domain(OP, src, p, i)?.is_none() {
                return Ok(Limb::Constant(None));
            }
            let (q, x) = (&basis.primes()[i], self.address(OP, src, [p, i], plan.domain)?);
            let automorphism = Op::Automorphism { k: plan.galois.into() };
            let result = match plan.domain {
                Domain::Evaluation => self.push(automorphism, x, q.value())?,
                Domain::Coefficient => {
                    let omega = q.table().psi();
                    let values = self.push(Op::Ntt { omega }, x, q.value())?;
                    let rotated = self.push(automorphism, values, q.value())?;
                    self.push(Op::Intt { omega }, rotated, q.value())?
                }
            };
            Ok(Limb::Variable(result, plan.domain))
        })?;
        self.inner.automorphism(self.inner_mut(OP, &mut dst)?, self.inner(OP, src)?, basis, plan)
    }

    fn base_convert(&self, mut dst: ViewMut<'_>, src: View<'_>, plan: &BaseConversionPlan) -> Result<()> {
        const OP: &str = "base_convert";
        check::conversion(OP, &dst, src, &plan.conv)?;
        self.expect_mark(OP, &dst, src)?;
        let mut converted = vec![];
        self.record_each(OP, &dst, |p, j| {
            if j == 0 {
                converted = self.converted(OP, src, p, &plan.conv)?;
            }
            Ok(converted.get(j).map_or(Limb::Constant(None), |&address| Limb::Variable(address, Domain::Coefficient)))
        })?;
        self.inner.base_convert(self.inner_mut(OP, &mut dst)?, self.inner(OP, src)?, plan)
    }

    fn compact(&self, src: View<'_>, gap: usize) -> Result<Buf> {
        self.expect_constants("compact", src)?;
        self.wrap(self.inner.compact(self.inner("compact", src)?, gap)?)
    }

    fn expand(&self, mut dst: ViewMut<'_>, src: View<'_>) -> Result<()> {
        check::expand("expand", &dst, src)?;
        self.expect_constants("expand", src)?;
        self.constants("expand", &dst)?;
        self.inner.expand(self.inner_mut("expand", &mut dst)?, self.inner("expand", src)?)
    }

    fn integer_factors(&self, mut dst: ViewMut<'_>, src: &[Integers<'_>], basis: &Basis) -> Result<()> {
        check::integer_factors("integer_factors", &dst, src, basis)?;
        self.constants("integer_factors", &dst)?;
        self.inner.integer_factors(self.inner_mut("integer_factors", &mut dst)?, src, basis)
    }

    fn crt_split(&self, _: ViewMut<'_>, _: View<'_>, _: &CrtSplitPlan) -> Result<()> {
        self.no_integers("crt_split")
    }

    fn crt_join(&self, _: ViewMut<'_>, _: View<'_>, _: &CrtJoinPlan) -> Result<()> {
        self.no_integers("crt_join")
    }

    fn shift_round(&self, _: ViewMut<'_>, _: View<'_>, _: u32, _: u32) -> Result<()> {
        self.no_integers("shift_round")
    }

    fn big_lincomb(&self, _: ViewMut<'_>, _: &[BigTerm<'_>], _: u32, _: bool) -> Result<()> {
        self.no_integers("big_lincomb")
    }

    fn big_automorphism(&self, _: ViewMut<'_>, _: View<'_>, _: u32, _: &AutomorphismPlan) -> Result<()> {
        self.no_integers("big_automorphism")
    }
}
