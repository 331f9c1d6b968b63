//! [`HostFallback`]: runs the operations that a backend lacks on another backend.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ringjet_math::Basis;
use zeroize::Zeroizing;

use crate::big::{BigMul, BigTerm};
use crate::composed::temporary;
use crate::plan::{AutomorphismPlan, BaseConversionPlan, CrtJoinPlan, CrtSplitPlan, DivisionPlan, ModUpPlan};
use crate::{
    Backend, BackendError, Buf, Composed, Gemm, HoistedRotations, Integers, KeySwitch, Result, RotateSum, Rotation,
    Term, UniformStream, View, ViewMut, delegate, host,
};

/// A backend, `primary`, with another one, `host`, for the operations that `primary` lacks. Buffers
/// belong to `primary`. An operation that `primary` refuses as [`BackendError::Unsupported`] runs
/// on `host`: its sources are downloaded from `primary` and uploaded to `host`, and its result is
/// copied back. These operations and the copied bytes are counted.
///
/// A fused operation is first tried as a whole on `primary`. If `primary` refuses it, it is
/// composed of smaller operations, and only those that `primary` lacks run on `host`. A sum that is
/// added to old contents is always composed: if it were refused halfway, the destination would
/// already hold a part of the sum.
#[derive(Debug)]
pub struct HostFallback {
    primary: Arc<dyn Backend>,
    host: Arc<dyn Backend>,
    operations: AtomicU64,
    to_host: AtomicU64,
    from_host: AtomicU64,
}

/// What a [`HostFallback`] has run on its backend `host`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Moved {
    /// Number of operations that ran on `host`.
    pub operations: u64,
    /// Bytes downloaded from `primary` for these operations.
    pub to_host: u64,
    /// Bytes uploaded to `primary` after these operations.
    pub from_host: u64,
}

impl HostFallback {
    /// A backend that runs what `primary` lacks on `host`.
    pub fn new(primary: Arc<dyn Backend>, host: Arc<dyn Backend>) -> Self {
        let zero = || AtomicU64::new(0);
        Self { primary, host, operations: zero(), to_host: zero(), from_host: zero() }
    }

    /// The totals so far. While an operation runs, they may include a part of its counts.
    pub fn moved(&self) -> Moved {
        let [operations, to_host, from_host] =
            [&self.operations, &self.to_host, &self.from_host].map(|count| count.load(Ordering::Relaxed));
        Moved { operations, to_host, from_host }
    }

    /// Copies the view's polynomials to a new buffer of `host`.
    fn fetch(&self, view: View<'_>) -> Result<Buf> {
        let (n, limbs) = (view.n(), view.polys() * view.limbs());
        let mut buf = temporary(&*self.host, limbs, n, view.is_secret())?;
        let mut words = Zeroizing::new(host::zeros(n)?);
        for i in 0..limbs {
            let limb = view.limb_index(i / view.limbs(), i % view.limbs());
            self.primary.download(view.buf(), limb, &mut words)?;
            self.host.upload(&mut buf, i, &words)?;
        }
        self.to_host.fetch_add(8 * (n * limbs) as u64, Ordering::Relaxed);
        Ok(buf)
    }

    /// Copies `result`, a buffer of `host`, to `dst`.
    fn put(&self, mut dst: ViewMut<'_>, result: &Buf) -> Result<()> {
        let (n, limbs) = (dst.n(), dst.polys() * dst.limbs());
        let mut words = Zeroizing::new(host::zeros(n)?);
        for i in 0..limbs {
            self.host.download(result, i, &mut words)?;
            let limb = dst.limb_index(i / dst.limbs(), i % dst.limbs());
            self.primary.upload(dst.buf_mut(), limb, &words)?;
        }
        self.from_host.fetch_add(8 * (n * limbs) as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Runs `run(host, destination, sources)` on `host`. If `reads`, the destination is first
    /// filled with the old words of `dst`.
    fn on_host(
        &self,
        dst: ViewMut<'_>,
        reads: bool,
        sources: &[View<'_>],
        run: impl FnOnce(&dyn Backend, ViewMut<'_>, &[View<'_>]) -> Result<()>,
    ) -> Result<()> {
        let bufs = sources.iter().map(|&view| self.fetch(view)).collect::<Result<Vec<_>>>()?;
        let views: Vec<View<'_>> = bufs.iter().zip(sources).map(|(buf, view)| buf.view(view.polys())).collect();
        let polys = dst.polys();
        let secret = dst.is_secret() || sources.iter().any(|x| x.is_secret());
        let mut result = if reads {
            self.fetch(dst.as_view())?
        } else {
            temporary(&*self.host, polys * dst.limbs(), dst.n(), secret)?
        };
        if secret {
            result = result.into_secret();
        }
        self.operations.fetch_add(1, Ordering::Relaxed);
        run(&*self.host, result.view_mut(polys), &views)?;
        self.put(dst, &result)
    }
}

/// Whether the operation was refused because the backend lacks it.
fn lacks(result: &Result<impl Sized>) -> bool {
    matches!(result, Err(BackendError::Unsupported { .. }))
}

/// Runs an operation on `primary`, or, if `primary` lacks it, on `host`.
macro_rules! or_on_host {
    ($self:ident, $op:ident($dst:ident, $($arg:expr),*), reads $reads:expr, $sources:expr, $run:expr) => {{
        let result = $self.primary.$op($dst.reborrow(), $($arg),*);
        if lacks(&result) { $self.on_host($dst, $reads, $sources, $run) } else { result }
    }};
}

/// Runs a fused operation on `primary`, or, if `primary` lacks it, composed of smaller operations.
macro_rules! or_composed {
    ($self:ident, $op:ident($dst:ident, $($arg:expr),*) $(, unless $accumulate:expr)?) => {{
        if true $(&& !$accumulate)? {
            let result = $self.primary.$op($dst.reborrow(), $($arg),*);
            if !lacks(&result) {
                return result;
            }
        }
        Composed($self).$op($dst, $($arg),*)
    }};
}

impl Backend for HostFallback {
    delegate!(self => self.primary; required except fill_uniform, copy, ntt, intt, lincomb, mul, automorphism, base_convert, crt_split,
        crt_join, shift_round, big_lincomb, big_automorphism, integer_factors);

    fn fill_uniform(&self, stream: &UniformStream<'_>, out: &mut [u64]) {
        self.host.fill_uniform(stream, out);
    }

    fn copy(&self, mut dst: ViewMut<'_>, src: View<'_>) -> Result<()> {
        or_on_host!(self, copy(dst, src), reads false, &[src], |b, dst, s| b.copy(dst, s[0]))
    }

    fn ntt(&self, mut x: ViewMut<'_>, basis: &Basis) -> Result<()> {
        or_on_host!(self, ntt(x, basis), reads true, &[], |b, x, _| b.ntt(x, basis))
    }

    fn intt(&self, mut x: ViewMut<'_>, basis: &Basis) -> Result<()> {
        or_on_host!(self, intt(x, basis), reads true, &[], |b, x, _| b.intt(x, basis))
    }

    fn lincomb(&self, mut dst: ViewMut<'_>, terms: &[Term<'_>], basis: &Basis, accumulate: bool) -> Result<()> {
        let sources: Vec<View<'_>> = terms.iter().map(|term| term.1).collect();
        or_on_host!(self, lincomb(dst, terms, basis, accumulate), reads accumulate, &sources, |b, dst, s| {
            let terms: Vec<Term<'_>> = terms.iter().zip(s).map(|(term, &src)| (term.0, src)).collect();
            b.lincomb(dst, &terms, basis, accumulate)
        })
    }

    fn mul(&self, mut dst: ViewMut<'_>, x: View<'_>, y: View<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
        or_on_host!(self, mul(dst, x, y, basis, accumulate), reads accumulate, &[x, y], |b, dst, s| {
            b.mul(dst, s[0], s[1], basis, accumulate)
        })
    }

    fn automorphism(&self, mut dst: ViewMut<'_>, src: View<'_>, basis: &Basis, plan: &AutomorphismPlan) -> Result<()> {
        or_on_host!(self, automorphism(dst, src, basis, plan), reads false, &[src], |b, dst, s| {
            b.automorphism(dst, s[0], basis, plan)
        })
    }

    fn base_convert(&self, mut dst: ViewMut<'_>, src: View<'_>, plan: &BaseConversionPlan) -> Result<()> {
        or_on_host!(self, base_convert(dst, src, plan), reads false, &[src], |b, dst, s| b.base_convert(dst, s[0], plan))
    }

    fn crt_split(&self, mut dst: ViewMut<'_>, src: View<'_>, plan: &CrtSplitPlan) -> Result<()> {
        crate::check::crt_split("crt_split", &dst, src, plan)?; // a copied view has all its limbs
        or_on_host!(self, crt_split(dst, src, plan), reads false, &[src], |b, dst, s| b.crt_split(dst, s[0], plan))
    }

    fn crt_join(&self, mut dst: ViewMut<'_>, src: View<'_>, plan: &CrtJoinPlan) -> Result<()> {
        or_on_host!(self, crt_join(dst, src, plan), reads false, &[src], |b, dst, s| b.crt_join(dst, s[0], plan))
    }

    fn shift_round(&self, mut dst: ViewMut<'_>, src: View<'_>, bits: u32, shift: u32) -> Result<()> {
        or_on_host!(self, shift_round(dst, src, bits, shift), reads false, &[src], |b, dst, s| {
            b.shift_round(dst, s[0], bits, shift)
        })
    }

    fn big_lincomb(&self, mut dst: ViewMut<'_>, terms: &[BigTerm<'_>], bits: u32, accumulate: bool) -> Result<()> {
        let sources: Vec<View<'_>> = terms.iter().map(|term| term.src).collect();
        or_on_host!(self, big_lincomb(dst, terms, bits, accumulate), reads accumulate, &sources, |b, dst, s| {
            let terms: Vec<BigTerm<'_>> = terms.iter().zip(s).map(|(&term, &src)| BigTerm { src, ..term }).collect();
            b.big_lincomb(dst, &terms, bits, accumulate)
        })
    }

    fn big_automorphism(&self, mut dst: ViewMut<'_>, src: View<'_>, bits: u32, plan: &AutomorphismPlan) -> Result<()> {
        or_on_host!(self, big_automorphism(dst, src, bits, plan), reads false, &[src], |b, dst, s| {
            b.big_automorphism(dst, s[0], bits, plan)
        })
    }

    fn integer_factors(&self, mut dst: ViewMut<'_>, src: &[Integers<'_>], basis: &Basis) -> Result<()> {
        or_composed!(self, integer_factors(dst, src, basis))
    }

    fn tensor(&self, mut dst: ViewMut<'_>, x: View<'_>, y: View<'_>, basis: &Basis) -> Result<()> {
        or_composed!(self, tensor(dst, x, y, basis))
    }

    fn affine(&self, mut dst: ViewMut<'_>, terms: &[Term<'_>], constant: &[u64], basis: &Basis) -> Result<()> {
        or_composed!(self, affine(dst, terms, constant, basis))
    }

    fn mul_acc(
        &self,
        mut dst: ViewMut<'_>,
        pairs: &[(View<'_>, View<'_>)],
        basis: &Basis,
        accumulate: bool,
    ) -> Result<()> {
        or_composed!(self, mul_acc(dst, pairs, basis, accumulate), unless accumulate)
    }

    fn gemm(&self, dst: &mut [ViewMut<'_>], gemm: &Gemm<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
        let result = self.primary.gemm(dst, gemm, basis, accumulate);
        if lacks(&result) { Composed(self).gemm(dst, gemm, basis, accumulate) } else { result }
    }

    fn class_products(&self, dst: &mut [ViewMut<'_>], a: &[View<'_>], b: &[View<'_>], basis: &Basis) -> Result<()> {
        let result = self.primary.class_products(dst, a, b, basis);
        if lacks(&result) { Composed(self).class_products(dst, a, b, basis) } else { result }
    }

    fn mod_up(&self, mut dst: ViewMut<'_>, src: View<'_>, plan: &ModUpPlan) -> Result<()> {
        or_composed!(self, mod_up(dst, src, plan))
    }

    fn key_inner_product(&self, mut acc: ViewMut<'_>, digits: View<'_>, key: View<'_>, basis: &Basis) -> Result<()> {
        or_composed!(self, key_inner_product(acc, digits, key, basis))
    }

    fn key_switch(&self, mut dst: ViewMut<'_>, switch: &KeySwitch<'_>) -> Result<()> {
        or_composed!(self, key_switch(dst, switch))
    }

    fn hoisted_rotations(&self, dst: &mut [ViewMut<'_>], rotations: &HoistedRotations<'_>) -> Result<()> {
        let result = self.primary.hoisted_rotations(dst, rotations);
        if lacks(&result) { Composed(self).hoisted_rotations(dst, rotations) } else { result }
    }

    fn hoisted_rotate_sum(
        &self,
        mut dst: ViewMut<'_>,
        sum: &RotateSum<'_>,
        basis: &Basis,
        accumulate: bool,
    ) -> Result<()> {
        or_composed!(self, hoisted_rotate_sum(dst, sum, basis, accumulate), unless accumulate)
    }

    fn rotate_into(
        &self,
        mut dst: ViewMut<'_>,
        src: View<'_>,
        rotation: &Rotation<'_>,
        accumulate: bool,
    ) -> Result<()> {
        or_composed!(self, rotate_into(dst, src, rotation, accumulate), unless accumulate)
    }

    fn divide_round(
        &self,
        mut dst: ViewMut<'_>,
        src: View<'_>,
        plan: &DivisionPlan,
        add: Option<View<'_>>,
    ) -> Result<()> {
        or_composed!(self, divide_round(dst, src, plan, add))
    }

    fn big_prepare(&self, src: View<'_>, plan: &CrtSplitPlan) -> Result<Buf> {
        let result = self.primary.big_prepare(src, plan);
        if lacks(&result) { Composed(self).big_prepare(src, plan) } else { result }
    }

    /// If `primary` prepares factors in a form of its own, it must have the products, too.
    fn big_prepared_limbs(&self, polys: usize, basis: &Basis, bits: u32) -> usize {
        self.primary.big_prepared_limbs(polys, basis, bits)
    }

    fn big_mul(&self, mut dst: ViewMut<'_>, mul: &BigMul<'_>) -> Result<()> {
        or_composed!(self, big_mul(dst, mul))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::{Options, run};
    use crate::plan::Domain;
    use crate::{Reference, delegate};
    use ringjet_math::prime::ntt_primes;

    /// A backend without base conversions, automorphisms, products and conversions of big
    /// coefficients.
    #[derive(Debug, Default)]
    struct Lacking(Reference);

    fn refuse(op: &'static str) -> Result<()> {
        Err(BackendError::Unsupported { op, backend: "lacking".into() })
    }

    impl Backend for Lacking {
        delegate!(self => self.0; required except mul, automorphism, base_convert, crt_split, crt_join, big_lincomb);
        delegate!(self => Composed(self); provided);

        fn mul(&self, _: ViewMut<'_>, _: View<'_>, _: View<'_>, _: &Basis, _: bool) -> Result<()> {
            refuse("mul")
        }
        fn automorphism(&self, _: ViewMut<'_>, _: View<'_>, _: &Basis, _: &AutomorphismPlan) -> Result<()> {
            refuse("automorphism")
        }
        fn base_convert(&self, _: ViewMut<'_>, _: View<'_>, _: &BaseConversionPlan) -> Result<()> {
            refuse("base_convert")
        }
        fn crt_split(&self, _: ViewMut<'_>, _: View<'_>, _: &CrtSplitPlan) -> Result<()> {
            refuse("crt_split")
        }
        fn crt_join(&self, _: ViewMut<'_>, _: View<'_>, _: &CrtJoinPlan) -> Result<()> {
            refuse("crt_join")
        }
        fn big_lincomb(&self, _: ViewMut<'_>, _: &[BigTerm<'_>], _: u32, _: bool) -> Result<()> {
            refuse("big_lincomb")
        }
    }

    fn lacking() -> HostFallback {
        HostFallback::new(Arc::new(Lacking::default()), Arc::new(Reference::default()))
    }

    #[test]
    fn what_is_lacking_runs_on_the_host_with_the_same_results() {
        let b = lacking();
        let all = Options::default();
        let (chains, bigs) = (all.chains[..5].to_vec(), all.bigs[..5].to_vec());
        let options = Options { log_ns: vec![4], bases: vec![vec![50, 50, 30]], chains, bigs, ..all };
        let report = run(&b, &options).unwrap();
        assert!(report.checks > 1000 && b.moved().operations > 1000, "{report}, {:?}", b.moved());
    }

    #[test]
    fn operations_and_bytes_are_counted() {
        let b = lacking();
        let basis = Basis::new(4, &ntt_primes(4, 50, 3, &[]).unwrap()).unwrap();
        let n = basis.n() as u64;
        let (mut dst, src) = (b.alloc(6, 16).unwrap(), b.alloc(6, 16).unwrap());
        let moved = |operations, to_host, from_host| Moved { operations, to_host, from_host };
        b.ntt(dst.view_mut(2), &basis).unwrap();
        assert_eq!(b.moved(), moved(0, 0, 0)); // the primary has this operation
        let plan = AutomorphismPlan::new(4, 5, Domain::Evaluation);
        b.automorphism(dst.view_mut(2), src.view(2), &basis, &plan).unwrap();
        assert_eq!(b.moved(), moved(1, 8 * n * 6, 8 * n * 6));
        // sources of two and of one polynomials, and the two polynomials of the old destination
        b.mul(dst.view_mut(2), src.view(2), src.view(2).poly(1), &basis, true).unwrap();
        assert_eq!(b.moved(), moved(2, 8 * n * (6 + 6 + 3 + 6), 8 * n * (6 + 6)));
        // two limbs become one, and no other part of the division runs on `host`
        let division = DivisionPlan::new(&basis, &[0, 1]);
        let mut low = b.alloc(1, 16).unwrap();
        b.divide_round(low.view_mut(1), src.view(2).poly(0), &division, None).unwrap();
        assert_eq!(b.moved(), moved(3, 8 * n * (21 + 2), 8 * n * (12 + 1)));
    }
}
