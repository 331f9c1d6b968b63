//! A backend that counts calls instead of computing.

mod shapes;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use ringjet_backend::big::digits;
use ringjet_backend::plan::{AutomorphismPlan, BaseConversionPlan, CrtJoinPlan, CrtSplitPlan, DivisionPlan, ModUpPlan};
use ringjet_backend::{
    Backend, BackendError, BackendId, BigMul, BigTerm, Buf, Coeff, Composed, Gemm, HoistedRotations, Integers,
    KeySwitch, KeySwitchInput, Meter, Result, RotateFactor, RotateSum, RotateTerm, Rotation, Storage, Term, View,
    ViewMut, check, repeat,
};
use ringjet_math::Basis;

use self::shapes::{Passed, Shape, lock};
use crate::operation::{BigMulShape, Decomposition, Division, RotateSumShape, limbs_read};
use crate::{Operation, Trace};

/// A backend that computes nothing and records its calls. Its buffers have shapes but no words. It
/// refuses the same wrong arguments as any other backend.
#[derive(Debug)]
pub struct CountingBackend {
    id: BackendId,
    trace: Arc<Mutex<Trace>>,
    /// A backend without values that gets the same calls.
    inner: Option<Arc<dyn Backend>>,
    /// Buffers of the inner backend for keys, by Galois element and size: a key without values may stand
    /// for all elements.
    keys: Mutex<HashMap<(u32, usize), Arc<Buf>>>,
}

impl Default for CountingBackend {
    fn default() -> Self {
        Self { id: BackendId::new("model"), trace: Arc::default(), inner: None, keys: Mutex::default() }
    }
}

impl CountingBackend {
    /// A backend that counts, and passes each call on to `inner`, which has no values either: one that
    /// records the launches of a device. Uploads are not passed on.
    pub fn over(inner: Arc<dyn Backend>) -> Self {
        Self { id: inner.id().clone(), inner: Some(inner), ..Self::default() }
    }

    /// Passes a call on.
    fn pass(&self, call: impl FnOnce(&dyn Backend) -> Result<()>) -> Result<()> {
        self.inner.as_deref().map_or(Ok(()), call)
    }

    /// A buffer of the inner backend for the key of an automorphism.
    fn own_key(&self, inner: &dyn Backend, plan: &AutomorphismPlan, key: &View<'_>) -> Result<Arc<Buf>> {
        let limbs = key.buf().limbs();
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(buf) = keys.get(&(plan.galois, limbs)) {
            return Ok(Arc::clone(buf));
        }
        let buf = Arc::new(inner.alloc(limbs, key.n())?);
        keys.insert((plan.galois, limbs), Arc::clone(&buf));
        Ok(buf)
    }

    /// The same counts, without the inner backend: for operations that are counted as the smaller ones
    /// which they consist of.
    fn alone(&self) -> Self {
        Self { id: self.id.clone(), trace: Arc::clone(&self.trace), inner: None, keys: Mutex::default() }
    }

    /// A buffer, with that of the inner backend.
    fn shape(&self, limbs: usize, n: usize, inner: Option<Buf>) -> Buf {
        let bytes = 8 * (limbs as u64) * (n as u64);
        lock(&self.trace).allocated(bytes);
        let shape = Shape { bytes, secret: false, trace: Arc::clone(&self.trace) };
        let storage: Box<dyn Storage> = match inner {
            Some(buf) => Box::new(Passed { shape, buf }),
            None => Box::new(shape),
        };
        Buf::new(storage, self.id.clone(), limbs, n)
    }

    /// Returns the calls since this backend was made, or since the last call of `take`. Counting
    /// starts again from nothing, but live buffers stay in the memory in use.
    pub fn take(&self) -> Trace {
        lock(&self.trace).restart()
    }

    /// Returns the calls since the last [`CountingBackend::take`] without resetting the counts.
    pub fn trace(&self) -> Trace {
        lock(&self.trace).clone()
    }

    fn call(&self, operation: Operation, n: usize) {
        lock(&self.trace).call(operation, n);
    }

    /// Records a use of the key of an automorphism; `None` stands for the relinearisation key.
    fn key(&self, plan: Option<&AutomorphismPlan>, limbs: usize) {
        lock(&self.trace).key(plan.map_or(0, |plan| plan.galois), limbs);
    }

    fn expect_owned(&self, op: &'static str, dst: &ViewMut<'_>, sources: &[View<'_>]) -> Result<()> {
        check::owner(op, &self.id, dst.buf())?;
        sources.iter().try_for_each(|s| check::owner(op, &self.id, s.buf()))
    }
}

/// The limbs of all polynomials of `dst` together.
fn limbs(dst: &ViewMut<'_>) -> usize {
    dst.polys() * dst.limbs()
}

impl Meter for CountingBackend {
    fn counts_only(&self) -> bool {
        true
    }

    fn work(&self) -> u64 {
        lock(&self.trace).work()
    }

    fn enter(&self, scope: &'static str) {
        lock(&self.trace).enter(scope);
        if let Some(meter) = self.inner.as_ref().and_then(|inner| inner.meter()) {
            meter.enter(scope);
        }
    }

    fn leave(&self) {
        lock(&self.trace).leave();
        if let Some(meter) = self.inner.as_ref().and_then(|inner| inner.meter()) {
            meter.leave();
        }
    }

    fn uses_key(&self, galois: u32, limbs: usize) {
        lock(&self.trace).key(galois, limbs);
    }
}

impl Backend for CountingBackend {
    fn id(&self) -> &BackendId {
        &self.id
    }

    fn meter(&self) -> Option<&dyn Meter> {
        Some(self)
    }

    fn alloc(&self, limbs: usize, n: usize) -> Result<Buf> {
        let inner = self.inner.as_ref().map(|inner| inner.alloc(limbs, n)).transpose()?;
        Ok(self.shape(limbs, n, inner))
    }

    fn upload(&self, dst: &mut Buf, first_limb: usize, data: &[u64]) -> Result<()> {
        check::owner("upload", &self.id, dst)?;
        check::range("upload", dst, first_limb, data.len())?;
        self.call(Operation::Upload { limbs: data.len() / dst.n().max(1) }, dst.n());
        Ok(())
    }

    /// The host would upload keys, plaintexts and constants here, once. They are neither filled nor
    /// counted.
    fn upload_each(
        &self,
        dst: &mut Buf,
        first_limb: usize,
        limbs: usize,
        _: &(dyn Fn(usize, usize, &mut [u64]) + Sync),
    ) -> Result<()> {
        check::owner("upload_each", &self.id, dst)?;
        check::range("upload_each", dst, first_limb, limbs.saturating_mul(dst.n()))
    }

    /// Constant factors, made once, so they are not counted. They are as short as on other
    /// backends.
    fn compact(&self, src: View<'_>, gap: usize) -> Result<Buf> {
        check::owner("compact", &self.id, src.buf())?;
        check::compact("compact", src, gap)?;
        self.alloc(src.polys() * src.limbs(), src.n() / repeat::repetitions(src.n(), gap))
    }

    fn expand(&self, dst: ViewMut<'_>, src: View<'_>) -> Result<()> {
        self.expect_owned("expand", &dst, &[src])?;
        check::expand("expand", &dst, src)?;
        let words = src.polys() * src.limbs() * src.n();
        self.call(Operation::Expand { limbs: limbs(&dst), words }, dst.n());
        self.pass(|inner| inner.expand(dst, src))
    }

    /// The residues are made in a cache, so they count as additions, without memory. That is too few for
    /// coefficients of more than 32 bits. The transforms have the length of the coefficients.
    fn integer_factors(&self, dst: ViewMut<'_>, src: &[Integers<'_>], basis: &Basis) -> Result<()> {
        self.expect_owned("integer_factors", &dst, &[])?;
        check::integer_factors("integer_factors", &dst, src, basis)?;
        if let Some(first) = src.first() {
            let (limbs, words) = (limbs(&dst), limbs(&dst) * dst.n());
            self.call(Operation::IntegerFactors { limbs, words }, first.len());
        }
        self.pass(|inner| inner.integer_factors(dst, src, basis))
    }

    fn download(&self, _: &Buf, _: usize, _: &mut [u64]) -> Result<()> {
        Err(BackendError::NoValues { op: "download", backend: self.id.name().into() })
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn copy(&self, dst: ViewMut<'_>, src: View<'_>) -> Result<()> {
        self.expect_owned("copy", &dst, &[src])?;
        check::source("copy", &dst, src)?;
        self.call(Operation::Copy { limbs: limbs(&dst) }, dst.n());
        self.pass(|inner| inner.copy(dst, src))
    }

    fn ntt(&self, x: ViewMut<'_>, basis: &Basis) -> Result<()> {
        self.expect_owned("ntt", &x, &[])?;
        check::basis("ntt", x.limbs(), x.n(), basis)?;
        self.call(Operation::Ntt { limbs: limbs(&x) }, x.n());
        self.pass(|inner| inner.ntt(x, basis))
    }

    fn intt(&self, x: ViewMut<'_>, basis: &Basis) -> Result<()> {
        self.expect_owned("intt", &x, &[])?;
        check::basis("intt", x.limbs(), x.n(), basis)?;
        self.call(Operation::Intt { limbs: limbs(&x) }, x.n());
        self.pass(|inner| inner.intt(x, basis))
    }

    fn lincomb(&self, dst: ViewMut<'_>, terms: &[Term<'_>], basis: &Basis, accumulate: bool) -> Result<()> {
        check::lincomb("lincomb", &dst, terms, basis)?;
        terms.iter().try_for_each(|&(_, x)| self.expect_owned("lincomb", &dst, &[x]))?;
        let scaled = terms.iter().filter(|t| matches!(t.0, Coeff::PerLimb(_))).count();
        let plain = terms.len() - scaled;
        self.call(Operation::Lincomb { limbs: limbs(&dst), plain, scaled, accumulate }, dst.n());
        self.pass(|inner| inner.lincomb(dst, terms, basis, accumulate))
    }

    fn mul(&self, dst: ViewMut<'_>, a: View<'_>, b: View<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
        self.expect_owned("mul", &dst, &[a, b])?;
        check::basis("mul", dst.limbs(), dst.n(), basis)?;
        check::source("mul", &dst, a)?;
        check::source("mul", &dst, b)?;
        let factor = a.polys().min(b.polys()) * b.limbs();
        self.call(Operation::Mul { limbs: limbs(&dst), factor, accumulate }, dst.n());
        self.pass(|inner| inner.mul(dst, a, b, basis, accumulate))
    }

    fn automorphism(&self, dst: ViewMut<'_>, src: View<'_>, basis: &Basis, plan: &AutomorphismPlan) -> Result<()> {
        self.expect_owned("automorphism", &dst, &[src])?;
        check::basis("automorphism", dst.limbs(), dst.n(), basis)?;
        check::source("automorphism", &dst, src)?;
        check::equal("automorphism", "ring degree", plan.n(), dst.n())?;
        self.call(Operation::Automorphism { limbs: limbs(&dst) }, dst.n());
        self.pass(|inner| inner.automorphism(dst, src, basis, plan))
    }

    fn base_convert(&self, dst: ViewMut<'_>, src: View<'_>, plan: &BaseConversionPlan) -> Result<()> {
        self.expect_owned("base_convert", &dst, &[src])?;
        check::conversion("base_convert", &dst, src, &plan.conv)?;
        let (polys, from, to) = (dst.polys(), src.limbs(), dst.limbs());
        self.call(Operation::BaseConvert { polys, from, to }, dst.n());
        self.pass(|inner| inner.base_convert(dst, src, plan))
    }

    fn affine(&self, mut dst: ViewMut<'_>, terms: &[Term<'_>], constant: &[u64], basis: &Basis) -> Result<()> {
        Composed(&self.alone()).affine(dst.reborrow(), terms, constant, basis)?;
        self.pass(|inner| inner.affine(dst, terms, constant, basis))
    }

    fn tensor(&self, dst: ViewMut<'_>, a: View<'_>, b: View<'_>, basis: &Basis) -> Result<()> {
        self.expect_owned("tensor", &dst, &[a, b])?;
        check::tensor("tensor", &dst, a, b, basis)?;
        self.call(Operation::Tensor { limbs: dst.limbs(), square: a.is_same(&b) }, dst.n());
        self.pass(|inner| inner.tensor(dst, a, b, basis))
    }

    fn gemm(&self, dst: &mut [ViewMut<'_>], gemm: &Gemm<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
        check::gemm("gemm", dst, gemm, basis)?;
        dst.iter().try_for_each(|dst| self.expect_owned("gemm", dst, gemm.src))?;
        if let Some(first) = dst.first() {
            let (rows, terms) = (dst.len(), gemm.src.len());
            self.call(Operation::Gemm { rows, terms, limbs: limbs(first), accumulate }, first.n());
        }
        self.pass(|inner| inner.gemm(dst, gemm, basis, accumulate))
    }

    fn class_products(&self, dst: &mut [ViewMut<'_>], a: &[View<'_>], b: &[View<'_>], basis: &Basis) -> Result<()> {
        check::class_products("class_products", dst, [a, b], basis)?;
        let sources: Vec<View<'_>> = a.iter().chain(b).copied().collect();
        dst.iter().try_for_each(|dst| self.expect_owned("class_products", dst, &sources))?;
        let polys = [a, b].map(|rows| rows.first().map_or(0, |row| row.polys()));
        self.call(Operation::ClassProducts { rows: dst.len(), polys, limbs: basis.len() }, basis.n());
        self.pass(|inner| inner.class_products(dst, a, b, basis))
    }

    fn mul_acc(&self, dst: ViewMut<'_>, pairs: &[(View<'_>, View<'_>)], basis: &Basis, accumulate: bool) -> Result<()> {
        check::mul_acc("mul_acc", &dst, pairs, basis)?;
        for &(x, y) in pairs {
            self.expect_owned("mul_acc", &dst, &[x, y])?;
        }
        let factors = pairs.iter().map(|(_, y)| y.polys() * y.limbs()).sum();
        self.call(Operation::MulAcc { limbs: limbs(&dst), pairs: pairs.len(), factors, accumulate }, dst.n());
        self.pass(|inner| inner.mul_acc(dst, pairs, basis, accumulate))
    }

    fn mod_up(&self, dst: ViewMut<'_>, src: View<'_>, plan: &ModUpPlan) -> Result<()> {
        self.expect_owned("mod_up", &dst, &[src])?;
        check::mod_up("mod_up", &dst, src, plan)?;
        self.call(Operation::ModUp(Decomposition::of(plan)), dst.n());
        self.pass(|inner| inner.mod_up(dst, src, plan))
    }

    fn key_inner_product(&self, acc: ViewMut<'_>, digits: View<'_>, key: View<'_>, basis: &Basis) -> Result<()> {
        self.expect_owned("key_inner_product", &acc, &[digits, key])?;
        check::inner_product("key_inner_product", &acc, digits.polys(), key, basis)?;
        check::basis("key_inner_product", digits.limbs(), digits.n(), basis)?;
        self.call(Operation::KeyInnerProduct { digits: digits.polys(), limbs: acc.limbs() }, acc.n());
        self.pass(|inner| inner.key_inner_product(acc, digits, key, basis))
    }

    fn key_switch(&self, dst: ViewMut<'_>, s: &KeySwitch<'_>) -> Result<()> {
        self.expect_owned("key_switch", &dst, &s.sources().collect::<Vec<_>>())?;
        check::key_switch("key_switch", &dst, s)?;
        let products = match s.input {
            KeySwitchInput::Products(sums) => sums.iter().map(|sum| sum.len()).collect(),
            KeySwitchInput::Polynomial(_) | KeySwitchInput::Digits(_) => vec![],
        };
        let operation = Operation::KeySwitch {
            count: s.count(),
            products,
            decomposition: Decomposition::of(s.mod_up),
            hoisted: matches!(s.input, KeySwitchInput::Digits(_)),
            division: Division::of(s.division),
            add: s.add.map_or(0, |a| a.polys()),
            automorphism: s.automorphism.is_some(),
        };
        self.key(s.automorphism, s.mod_up.extended.len());
        self.call(operation, dst.n());
        self.pass(|inner| match s.automorphism {
            Some(plan) => {
                let key = self.own_key(inner, plan, &s.key)?;
                inner.key_switch(dst, &KeySwitch { key: s.key.on(&key), ..*s })
            }
            None => inner.key_switch(dst, s),
        })
    }

    fn hoisted_rotations(&self, dst: &mut [ViewMut<'_>], r: &HoistedRotations<'_>) -> Result<()> {
        check::hoisted_rotations("hoisted_rotations", dst, r)?;
        let n = r.digits.n();
        for (dst, &(key, automorphism)) in dst.iter().zip(r.rotations) {
            self.expect_owned("hoisted_rotations", dst, &[r.digits, r.add, key])?;
            self.key(Some(automorphism), r.mod_up.extended.len());
        }
        if !dst.is_empty() {
            let (decomposition, division) = (Decomposition::of(r.mod_up), Division::of(r.division));
            let (count, add) = (dst.len(), r.add.polys());
            self.call(Operation::HoistedRotations { count, decomposition, division, add }, n);
        }
        self.pass(|inner| {
            let keys = (r.rotations.iter()).map(|(key, plan)| self.own_key(inner, plan, key));
            let keys = keys.collect::<Result<Vec<_>>>()?;
            let rotations: Vec<_> =
                r.rotations.iter().zip(&keys).map(|(&(key, plan), own)| (key.on(own), plan)).collect();
            inner.hoisted_rotations(dst, &HoistedRotations { rotations: &rotations, ..*r })
        })
    }

    fn hoisted_rotate_sum(&self, dst: ViewMut<'_>, s: &RotateSum<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
        self.expect_owned("hoisted_rotate_sum", &dst, &[s.digits, s.add])?;
        check::rotate_sum("hoisted_rotate_sum", &dst, s, basis)?;
        let mut shape = RotateSumShape {
            digits: s.digits.polys(),
            limbs: basis.len(),
            sums: dst.polys() / 2,
            switched: 0,
            unswitched: 0,
            adds_each: s.adds_each(),
            turned: 0,
            ones: 0,
            products: 0,
            factor_words: 0,
            accumulate,
        };
        for term in s.terms {
            match term.key {
                Some(key) => {
                    self.expect_owned("hoisted_rotate_sum", &dst, &[key])?;
                    self.key(term.automorphism, basis.len());
                    shape.switched += 1;
                }
                None => shape.unswitched += 1,
            }
            shape.turned += usize::from(term.automorphism.is_some());
            for factor in term.factors {
                match factor {
                    RotateFactor::None => {}
                    RotateFactor::One => shape.ones += 1,
                    RotateFactor::Poly(by) => {
                        shape.products += 1;
                        shape.factor_words += by.limbs() * by.n();
                    }
                }
            }
        }
        self.call(Operation::HoistedRotateSum(shape), dst.n());
        self.pass(|inner| {
            let own = |term: &RotateTerm<'_>| {
                term.key.zip(term.automorphism).map(|(key, plan)| self.own_key(inner, plan, &key)).transpose()
            };
            let keys = s.terms.iter().map(own).collect::<Result<Vec<_>>>()?;
            let mut terms = s.terms.to_vec();
            for (term, own) in terms.iter_mut().zip(&keys) {
                term.key = term.key.map(|key| own.as_ref().map_or(key, |own| key.on(own)));
            }
            inner.hoisted_rotate_sum(dst, &RotateSum { terms: &terms, ..*s }, basis, accumulate)
        })
    }

    fn rotate_into(&self, dst: ViewMut<'_>, src: View<'_>, r: &Rotation<'_>, accumulate: bool) -> Result<()> {
        self.expect_owned("rotate_into", &dst, &[src, r.key, r.add])?;
        check::rotate_into("rotate_into", &dst, src, r)?;
        let decomposition = Decomposition::of(r.mod_up);
        self.key(Some(r.automorphism), r.mod_up.extended.len());
        self.call(Operation::RotateInto { decomposition, accumulate }, dst.n());
        self.pass(|inner| {
            let key = self.own_key(inner, r.automorphism, &r.key)?;
            inner.rotate_into(dst, src, &Rotation { key: r.key.on(&key), ..*r }, accumulate)
        })
    }

    fn divide_round(&self, dst: ViewMut<'_>, src: View<'_>, plan: &DivisionPlan, add: Option<View<'_>>) -> Result<()> {
        self.expect_owned("divide_round", &dst, &[src])?;
        check::divide_round("divide_round", &dst, src, plan, add)?;
        let (polys, division) = (dst.polys(), Division::of(plan));
        self.call(Operation::DivideRound { polys, division, add: add.map_or(0, |a| a.polys()) }, dst.n());
        self.pass(|inner| inner.divide_round(dst, src, plan, add))
    }

    fn crt_split(&self, dst: ViewMut<'_>, src: View<'_>, plan: &CrtSplitPlan) -> Result<()> {
        self.expect_owned("crt_split", &dst, &[src])?;
        check::crt_split("crt_split", &dst, src, plan)?;
        self.call(Operation::CrtSplit { polys: dst.polys(), words: src.limbs(), primes: dst.limbs() }, dst.n());
        self.pass(|inner| inner.crt_split(dst, src, plan))
    }

    fn crt_join(&self, dst: ViewMut<'_>, src: View<'_>, plan: &CrtJoinPlan) -> Result<()> {
        self.expect_owned("crt_join", &dst, &[src])?;
        check::crt_join("crt_join", &dst, src, plan)?;
        self.call(Operation::CrtJoin { polys: dst.polys(), primes: src.limbs(), words: dst.limbs() }, dst.n());
        self.pass(|inner| inner.crt_join(dst, src, plan))
    }

    fn shift_round(&self, dst: ViewMut<'_>, src: View<'_>, bits: u32, shift: u32) -> Result<()> {
        self.expect_owned("shift_round", &dst, &[src])?;
        check::shift_round("shift_round", &dst, src, bits, shift)?;
        self.call(Operation::ShiftRound { from: dst.polys() * src.limbs(), to: limbs(&dst) }, dst.n());
        self.pass(|inner| inner.shift_round(dst, src, bits, shift))
    }

    fn big_lincomb(&self, dst: ViewMut<'_>, terms: &[BigTerm<'_>], bits: u32, accumulate: bool) -> Result<()> {
        for t in terms {
            self.expect_owned("big_lincomb", &dst, &[t.src])?;
        }
        check::big_lincomb("big_lincomb", &dst, terms, bits)?;
        // a term longer than the result is read up to the result's length only
        let words = |t: &BigTerm<'_>| t.src.limbs().min(dst.limbs());
        let read = terms.iter().map(|t| t.src.polys() * words(t)).sum::<usize>();
        let read = read + if accumulate { limbs(&dst) } else { 0 };
        let scaled = terms.iter().filter(|t| t.factor.unsigned_abs() > 1);
        let scaled = scaled.map(|t| dst.polys() * words(t)).sum();
        self.call(Operation::BigLincomb { limbs: limbs(&dst), read, scaled }, dst.n());
        self.pass(|inner| inner.big_lincomb(dst, terms, bits, accumulate))
    }

    fn big_automorphism(&self, dst: ViewMut<'_>, src: View<'_>, bits: u32, plan: &AutomorphismPlan) -> Result<()> {
        self.expect_owned("big_automorphism", &dst, &[src])?;
        check::big_automorphism("big_automorphism", &dst, src, bits, plan)?;
        self.call(Operation::BigAutomorphism { limbs: limbs(&dst) }, dst.n());
        self.pass(|inner| inner.big_automorphism(dst, src, bits, plan))
    }

    fn big_prepare(&self, src: View<'_>, plan: &CrtSplitPlan) -> Result<Buf> {
        check::owner("big_prepare", &self.id, src.buf())?;
        check::big_prepare("big_prepare", src, plan)?;
        let (basis, bits) = (&plan.crt.basis, plan.crt.bits);
        let (count, primes) = digits::prepared_shape(src.polys(), basis, bits);
        let (words, limbs) = (src.polys() * digits::words(bits), src.polys() * limbs_read(bits));
        let operation = Operation::BigPrepare { digits: count, words, limbs, primes };
        self.call(operation, src.n());
        let inner = self.inner.as_ref().map(|inner| inner.big_prepare(src, plan)).transpose()?;
        Ok(self.shape(inner.as_ref().map_or(count * primes, Buf::limbs), src.n(), inner))
    }

    fn big_prepared_limbs(&self, polys: usize, basis: &Basis, bits: u32) -> usize {
        if let Some(inner) = &self.inner {
            return inner.big_prepared_limbs(polys, basis, bits);
        }
        let (digits, primes) = digits::prepared_shape(polys, basis, bits);
        digits * primes
    }

    fn big_mul(&self, dst: ViewMut<'_>, m: &BigMul<'_>) -> Result<()> {
        self.expect_owned("big_mul", &dst, &m.sources().collect::<Vec<_>>())?;
        check::big_mul("big_mul", &dst, m)?;
        self.call(Operation::BigMul(BigMulShape::of(m)?), dst.n());
        self.pass(|inner| inner.big_mul(dst, m))
    }
}
