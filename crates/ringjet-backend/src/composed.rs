//! [`Composed`]: the operations that a backend need not write itself, composed of other operations.

use std::sync::{Mutex, PoisonError};

use ringjet_math::Basis;
use zeroize::Zeroizing;

use crate::big::{BigFactor, BigMul, BigTerm};
use crate::plan::{CrtSplitPlan, DivisionPlan, ModUpPlan};
use crate::repeat::{self, RUN, repetitions};
use crate::{
    Backend, BackendError, Buf, Coeff, Gemm, HoistedRotations, Integers, KeySwitch, KeySwitchInput, Products, Result,
    RotateFactor, RotateSum, Rotation, Term, View, ViewMut, check, host,
};

/// Number of limbs that a thread fills between two uploads.
const LIMBS_EACH: usize = 2;

/// The operations of this backend that can be composed of others: `Composed(b).mod_up(...)` uses
/// the transforms and conversions of `b`. By [`delegate!`](crate::delegate!) a backend takes those
/// operations that it does not write itself.
#[derive(Debug)]
pub struct Composed<'a, B: ?Sized>(pub &'a B);

impl<B: Backend + ?Sized> Composed<'_, B> {
    /// [`Backend::upload_each`]. It holds only as many limbs on the host as the threads fill at a
    /// time, so these stay in the caches.
    pub fn upload_each(
        &self,
        dst: &mut Buf,
        first_limb: usize,
        limbs: usize,
        fill: &(dyn Fn(usize, usize, &mut [u64]) + Sync),
    ) -> Result<()> {
        let b = self.0;
        let n = dst.n();
        check::range("upload_each", dst, first_limb, limbs.saturating_mul(n))?;
        let most = (b.host_threads() * LIMBS_EACH).min(limbs);
        let mut words = Zeroizing::new(host::zeros(n * most)?);
        for from in (0..limbs).step_by(most.max(1)) {
            let words = &mut words[..n * most.min(limbs - from)];
            let parts: Vec<Mutex<&mut [u64]>> = words.chunks_exact_mut(n.max(1)).map(Mutex::new).collect();
            b.parallel(parts.len(), n * parts.len(), &|worker, i| {
                fill(worker, from + i, &mut parts[i].lock().unwrap_or_else(PoisonError::into_inner));
            });
            drop(parts);
            b.upload(dst, first_limb + from, words)?;
        }
        Ok(())
    }

    /// [`Backend::compact`], through the host.
    pub fn compact(&self, src: View<'_>, gap: usize) -> Result<Buf> {
        const OP: &str = "compact";
        let b = self.0;
        check::compact(OP, src, gap)?;
        let (n, polys, limbs) = (src.n(), src.polys(), src.limbs());
        let times = repetitions(n, gap);
        let mut dst = temporary(b, polys * limbs, n / times, src.is_secret())?;
        let mut words = Zeroizing::new(host::zeros(n)?);
        let mut expanded = Zeroizing::new(host::zeros(n)?);
        for (p, i) in (0..polys).flat_map(|p| (0..limbs).map(move |i| (p, i))) {
            b.download(src.buf(), src.limb_index(p, i), &mut words)?;
            let runs = words.chunks_exact(times * RUN.min(n));
            let few: Zeroizing<Vec<u64>> =
                Zeroizing::new(runs.flat_map(|run| run[..run.len() / times].iter().copied()).collect());
            repeat::expand(&few, &mut expanded);
            if let Some(at) = expanded.iter().zip(&*words).position(|(few, word)| few != word) {
                let what = "first value that no polynomial in this power of X has";
                return Err(BackendError::Shape { op: OP, what, expected: n, found: at });
            }
            b.upload(&mut dst, p * limbs + i, &few)?;
        }
        Ok(dst)
    }

    /// [`Backend::expand`], through the host.
    pub fn expand(&self, mut dst: ViewMut<'_>, src: View<'_>) -> Result<()> {
        let b = self.0;
        check::expand("expand", &dst, src)?;
        let mut few = Zeroizing::new(host::zeros(src.n())?);
        let mut words = Zeroizing::new(host::zeros(dst.n())?);
        for (p, i) in (0..dst.polys()).flat_map(|p| (0..src.limbs()).map(move |i| (p, i))) {
            b.download(src.buf(), src.limb_index(if src.polys() == 1 { 0 } else { p }, i), &mut few)?;
            repeat::expand(&few, &mut words);
            let limb = dst.limb_index(p, i);
            b.upload(dst.buf_mut(), limb, &words)?;
        }
        Ok(())
    }

    /// [`Backend::integer_factors`], by transforms of whole limbs.
    pub fn integer_factors(&self, mut dst: ViewMut<'_>, src: &[Integers<'_>], basis: &Basis) -> Result<()> {
        let (b, n, limbs) = (self.0, basis.n(), basis.len());
        check::integer_factors("integer_factors", &dst, src, basis)?;
        let mut whole = b.alloc(limbs, n)?;
        for (p, coefficients) in src.iter().enumerate() {
            let gap = n / coefficients.len();
            // a backend that only counts has none
            if !matches!(coefficients, Integers::Unknown(_)) {
                b.upload_each(&mut whole, 0, limbs, &|_, i, limb| {
                    let (few, rest) = limb.split_at_mut(coefficients.len());
                    coefficients.reduce(basis.modulus(i), few);
                    rest.fill(0);
                    // from the last one on, so that none is overwritten before it moves
                    (1..coefficients.len()).rev().for_each(|c| limb.swap(c, c * gap));
                })?;
            }
            b.ntt(whole.view_mut(1), basis)?;
            let dst = dst.reborrow().poly(p);
            if dst.n() == n {
                b.copy(dst, whole.view(1))?;
            } else {
                b.copy(dst, b.compact(whole.view(1), gap)?.view(1))?;
            }
        }
        Ok(())
    }

    /// [`Backend::tensor`].
    pub fn tensor(&self, mut dst: ViewMut<'_>, x: View<'_>, y: View<'_>, basis: &Basis) -> Result<()> {
        let b = self.0;
        check::tensor("tensor", &dst, x, y, basis)?;
        b.mul(dst.reborrow().poly(0), x.poly(0), y.poly(0), basis, false)?;
        b.mul(dst.reborrow().poly(1), x.poly(0), y.poly(1), basis, false)?;
        b.mul(dst.reborrow().poly(1), x.poly(1), y.poly(0), basis, true)?;
        b.mul(dst.poly(2), x.poly(1), y.poly(1), basis, false)
    }

    /// [`Backend::gemm`]: a linear combination for each row.
    pub fn gemm(&self, dst: &mut [ViewMut<'_>], gemm: &Gemm<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
        let b = self.0;
        check::gemm("gemm", dst, gemm, basis)?;
        let limbs = basis.len();
        for (row, dst) in dst.iter_mut().enumerate() {
            let residue = |w: i32, i: usize| {
                let m = basis.modulus(i);
                m.mul(i64::from(w).rem_euclid(m.value() as i64) as u64, gemm.factor(row, i, limbs))
            };
            let coefficients: Vec<Vec<u64>> =
                gemm.row(row).iter().map(|&w| (0..limbs).map(|i| residue(w, i)).collect()).collect();
            let terms: Vec<Term<'_>> =
                coefficients.iter().zip(gemm.src).map(|(c, &src)| (Coeff::PerLimb(c), src)).collect();
            b.lincomb(dst.reborrow(), &terms, basis, accumulate)?;
            if !gemm.constants.is_empty() && dst.polys() > 0 {
                let constants = &gemm.constants[row * limbs..][..limbs];
                let mut sum = temporary(b, limbs, dst.n(), dst.buf().is_secret())?;
                b.affine(sum.view_mut(1), &[], constants, basis)?;
                b.lincomb(dst.reborrow().poly(0), &[(Coeff::One, sum.view(1))], basis, true)?;
            }
        }
        Ok(())
    }

    /// [`Backend::affine`]: the constant is a polynomial whose values are all equal.
    pub fn affine(&self, mut dst: ViewMut<'_>, terms: &[Term<'_>], constant: &[u64], basis: &Basis) -> Result<()> {
        let b = self.0;
        check::affine("affine", &dst, terms, constant, basis)?;
        let (n, polys) = (dst.n(), dst.polys());
        if polys == 0 {
            return Ok(());
        }
        let mut constants = temporary(b, constant.len(), n, false)?;
        b.upload_each(&mut constants, 0, constant.len(), &|_, i, words| words.fill(constant[i]))?;
        let of = |first: usize, count: usize| -> Vec<Term<'_>> {
            let some = |view: View<'_>| view.polys() > 1;
            let part = |&(coeff, view)| (coeff, if some(view) { view.slice(first, count) } else { view });
            terms.iter().map(part).collect()
        };
        let mut first = of(0, 1);
        first.push((Coeff::One, constants.view(1)));
        b.lincomb(dst.reborrow().poly(0), &first, basis, false)?;
        b.lincomb(dst.slice(1, polys - 1), &of(1, polys - 1), basis, false)
    }

    /// [`Backend::mul_acc`].
    pub fn mul_acc(
        &self,
        mut dst: ViewMut<'_>,
        pairs: &[(View<'_>, View<'_>)],
        basis: &Basis,
        mut accumulate: bool,
    ) -> Result<()> {
        let b = self.0;
        check::mul_acc("mul_acc", &dst, pairs, basis)?;
        if pairs.is_empty() && !accumulate {
            return b.lincomb(dst, &[], basis, false); // an empty sum is 0
        }
        for (x, y) in pairs {
            b.mul(dst.reborrow(), *x, *y, basis, accumulate)?;
            accumulate = true;
        }
        Ok(())
    }

    /// [`Backend::mod_up`].
    pub fn mod_up(&self, mut dst: ViewMut<'_>, src: View<'_>, plan: &ModUpPlan) -> Result<()> {
        let b = self.0;
        check::mod_up("mod_up", &dst, src, plan)?;
        let (n, secret) = (src.n(), src.is_secret() || dst.is_secret());
        let mut coefficients = temporary(b, src.limbs(), n, secret)?;
        b.copy(coefficients.view_mut(1), src)?;
        b.intt(coefficients.view_mut(1), &plan.src)?;
        for (d, digit) in plan.digits.iter().enumerate() {
            let conv = &digit.conv;
            let mut out = temporary(b, conv.conv.dst.len(), n, secret)?;
            b.base_convert(out.view_mut(1), coefficients.view(1).range(digit.start, digit.len), conv)?;
            b.ntt(out.view_mut(1), &conv.conv.dst)?;
            for (j, &target) in digit.targets.iter().enumerate() {
                b.copy(dst.reborrow().poly(d).range(target, 1), out.view(1).range(j, 1))?;
            }
            let own = plan.special + digit.start;
            b.copy(dst.reborrow().poly(d).range(own, digit.len), src.range(digit.start, digit.len))?;
        }
        Ok(())
    }

    /// [`Backend::key_inner_product`].
    pub fn key_inner_product(
        &self,
        mut acc: ViewMut<'_>,
        digits: View<'_>,
        key: View<'_>,
        basis: &Basis,
    ) -> Result<()> {
        let b = self.0;
        check::inner_product("key_inner_product", &acc, digits.polys(), key, basis)?;
        check::basis("key_inner_product", digits.limbs(), digits.n(), basis)?;
        if digits.polys() == 0 {
            return b.lincomb(acc, &[], basis, false); // an empty sum is 0
        }
        for d in 0..digits.polys() {
            b.mul(acc.reborrow(), digits.poly(d), key.slice(2 * d, 2), basis, d > 0)?;
        }
        Ok(())
    }

    /// [`Backend::key_switch`].
    pub fn key_switch(&self, dst: ViewMut<'_>, s: &KeySwitch<'_>) -> Result<()> {
        let b = self.0;
        check::key_switch("key_switch", &dst, s)?;
        let (n, extended, beta) = (dst.n(), &s.mod_up.extended, s.mod_up.beta());
        let secret = dst.is_secret() || s.sources().any(|x| x.is_secret());
        let input = match s.input {
            KeySwitchInput::Polynomial(src) if s.is_single() => Ok(src),
            KeySwitchInput::Digits(digits) if s.is_single() => Err(digits),
            _ => return self.key_switch_each(dst, s),
        };
        let mut acc = temporary(b, 2 * extended.len(), n, secret)?;
        match input {
            Err(digits) => b.key_inner_product(acc.view_mut(2), digits, s.key, extended)?,
            Ok(src) => {
                let mut digits = temporary(b, beta * extended.len(), n, secret)?;
                b.mod_up(digits.view_mut(beta), src, s.mod_up)?;
                b.key_inner_product(acc.view_mut(2), digits.view(beta), s.key, extended)?;
            }
        }
        if let Some(add) = s.add {
            let (q, terms) = (&s.mod_up.src, [(Coeff::PerLimb(&s.mod_up.p_residues), add)]);
            let to = acc.view_mut(2).slice(0, add.polys()).range(s.mod_up.special, q.len());
            b.lincomb(to, &terms, q, true)?;
        }
        let Some(plan) = s.automorphism else {
            return b.divide_round(dst, acc.view(2), s.division, None);
        };
        let basis = &s.division.dst;
        let mut divided = temporary(b, 2 * basis.len(), n, secret)?;
        b.divide_round(divided.view_mut(2), acc.view(2), s.division, None)?;
        b.automorphism(dst, divided.view(2), basis, plan)
    }

    /// [`Backend::key_switch`] as a sequence of switches of single polynomials; products are
    /// computed first. For backends whose fused key switch takes only one polynomial, or the digits
    /// of one.
    pub fn key_switch_each(&self, mut dst: ViewMut<'_>, s: &KeySwitch<'_>) -> Result<()> {
        let b = self.0;
        check::key_switch("key_switch", &dst, s)?;
        for i in 0..s.count() {
            let (dst, one) = (dst.reborrow().slice(2 * i, 2), s.single(i));
            let KeySwitchInput::Products(sums) = one.input else {
                b.key_switch(dst, &one)?;
                continue;
            };
            let secret = dst.is_secret() || one.sources().any(|x| x.is_secret());
            let basis = &s.mod_up.src;
            let mut products = temporary(b, 3 * basis.len(), dst.n(), secret)?;
            sum_of_tensors(b, products.view_mut(3), sums[0], basis)?;
            if let Some(add) = one.add {
                b.lincomb(products.view_mut(3).slice(0, add.polys()), &[(Coeff::One, add)], basis, true)?;
            }
            let products = products.view(3);
            let (input, add) = (KeySwitchInput::Polynomial(products.poly(2)), Some(products.slice(0, 2)));
            b.key_switch(dst, &KeySwitch { input, add, ..one })?;
        }
        Ok(())
    }

    /// [`Backend::hoisted_rotations`].
    pub fn hoisted_rotations(&self, dst: &mut [ViewMut<'_>], r: &HoistedRotations<'_>) -> Result<()> {
        let b = self.0;
        check::hoisted_rotations("hoisted_rotations", dst, r)?;
        dst.iter_mut().enumerate().try_for_each(|(i, dst)| b.key_switch(dst.reborrow(), &r.switch(i)))
    }

    /// [`Backend::hoisted_rotate_sum`].
    pub fn hoisted_rotate_sum(
        &self,
        mut dst: ViewMut<'_>,
        s: &RotateSum<'_>,
        basis: &Basis,
        accumulate: bool,
    ) -> Result<()> {
        let b = self.0;
        check::rotate_sum("hoisted_rotate_sum", &dst, s, basis)?;
        let (limbs, n) = (basis.len(), dst.n());
        let secret = dst.is_secret() || s.sources().any(|x| x.is_secret());
        let mut written = vec![accumulate; dst.polys() / 2];
        for (i, term) in s.terms.iter().enumerate() {
            let add = s.add_of(i);
            let mut pair = temporary(b, 2 * limbs, n, secret)?;
            match term.key {
                Some(key) => {
                    b.key_inner_product(pair.view_mut(2), s.digits, key, basis)?;
                    b.lincomb(pair.view_mut(2).poly(0), &[(Coeff::One, add.poly(0))], basis, true)?;
                }
                None => b.copy(pair.view_mut(2), add)?,
            }
            if let Some(plan) = term.automorphism {
                let mut turned = temporary(b, 2 * limbs, n, secret)?;
                b.automorphism(turned.view_mut(2), pair.view(2), basis, plan)?;
                pair = turned;
            }
            for (g, factor) in term.factors.iter().enumerate() {
                let sum = dst.reborrow().slice(2 * g, 2);
                match factor {
                    RotateFactor::None => continue,
                    RotateFactor::One => b.lincomb(sum, &[(Coeff::One, pair.view(2))], basis, written[g])?,
                    RotateFactor::Poly(by) if by.n() == n => b.mul(sum, pair.view(2), *by, basis, written[g])?,
                    RotateFactor::Poly(by) => {
                        let mut all = temporary(b, limbs, n, secret)?;
                        b.expand(all.view_mut(1), *by)?;
                        b.mul(sum, pair.view(2), all.view(1), basis, written[g])?;
                    }
                }
                written[g] = true;
            }
        }
        for g in (0..written.len()).filter(|&g| !written[g]) {
            b.lincomb(dst.reborrow().slice(2 * g, 2), &[], basis, false)?; // an empty sum is 0
        }
        Ok(())
    }

    /// [`Backend::rotate_into`].
    pub fn rotate_into(&self, mut dst: ViewMut<'_>, src: View<'_>, r: &Rotation<'_>, accumulate: bool) -> Result<()> {
        let b = self.0;
        check::rotate_into("rotate_into", &dst, src, r)?;
        let (basis, beta, n) = (&r.mod_up.extended, r.mod_up.beta(), dst.n());
        let secret = dst.is_secret() || [src, r.key, r.add].iter().any(|x| x.is_secret());
        let mut digits = temporary(b, beta * basis.len(), n, secret)?;
        b.mod_up(digits.view_mut(beta), src, r.mod_up)?;
        let mut pair = temporary(b, 2 * basis.len(), n, secret)?;
        b.key_inner_product(pair.view_mut(2), digits.view(beta), r.key, basis)?;
        b.lincomb(pair.view_mut(2).poly(0), &[(Coeff::One, r.add)], basis, true)?;
        let mut turned = temporary(b, 2 * basis.len(), n, secret)?;
        b.automorphism(turned.view_mut(2), pair.view(2), basis, r.automorphism)?;
        b.lincomb(dst.reborrow(), &[(Coeff::One, turned.view(2))], basis, accumulate)
    }

    /// [`Backend::divide_round`]: `src * E / D + conv + add`, with D and E as in
    /// [`DivisionPlan`](crate::plan::DivisionPlan). The plan's conversion `conv` gives
    /// `-[src * E]_D / D`, where `[.]_D` is the centred remainder modulo D.
    pub fn divide_round(
        &self,
        mut dst: ViewMut<'_>,
        src: View<'_>,
        plan: &DivisionPlan,
        add: Option<View<'_>>,
    ) -> Result<()> {
        let b = self.0;
        check::divide_round("divide_round", &dst, src, plan, add)?;
        let (n, secret) = (src.n(), src.is_secret() || dst.is_secret());
        for p in 0..src.polys() {
            let mut dropped = temporary(b, plan.drop.len(), n, secret)?;
            for (i, &limb) in plan.drop.iter().enumerate() {
                b.copy(dropped.view_mut(1).range(i, 1), src.poly(p).range(limb, 1))?;
            }
            b.intt(dropped.view_mut(1), &plan.conv.conv.src)?;
            let mut remainder = temporary(b, plan.keep.len(), n, secret)?;
            b.base_convert(remainder.view_mut(1), dropped.view(1), &plan.conv)?;
            b.ntt(remainder.view_mut(1), &plan.dst)?;
            for (j, &limb) in plan.keep.iter().enumerate() {
                let basis = plan.dst.select([j]);
                let mut terms: Vec<Term<'_>> = vec![(Coeff::One, remainder.view(1).range(j, 1))];
                if let Some(limb) = limb {
                    terms.push((Coeff::PerLimb(&plan.inverse[j..j + 1]), src.poly(p).range(limb, 1)));
                }
                if let Some(add) = add.filter(|a| p < a.polys()) {
                    terms.push((Coeff::One, add.poly(p).range(j, 1)));
                }
                b.lincomb(dst.reborrow().poly(p).range(j, 1), &terms, &basis, false)?;
            }
        }
        Ok(())
    }

    /// [`Backend::big_prepare`].
    pub fn big_prepare(&self, src: View<'_>, plan: &CrtSplitPlan) -> Result<Buf> {
        let b = self.0;
        check::big_prepare("big_prepare", src, plan)?;
        let (polys, basis) = (src.polys(), &plan.crt.basis);
        let mut buf = temporary(b, polys * basis.len(), src.n(), src.is_secret())?;
        b.crt_split(buf.view_mut(polys), src, plan)?;
        b.ntt(buf.view_mut(polys), basis)?;
        Ok(buf)
    }

    /// [`Backend::big_prepared_limbs`].
    pub fn big_prepared_limbs(&self, polys: usize, basis: &Basis, _bits: u32) -> usize {
        polys * basis.len()
    }

    /// [`Backend::big_mul`].
    pub fn big_mul(&self, mut dst: ViewMut<'_>, m: &BigMul<'_>) -> Result<()> {
        let b = self.0;
        check::big_mul("big_mul", &dst, m)?;
        let (basis, n, bits) = (&m.join.crt.basis, dst.n(), m.join.crt.bits);
        let left = self.big_prepare(m.left, m.split)?;
        let left = left.view(m.left.polys());
        let owned;
        let right = match m.right {
            BigFactor::Same => left,
            BigFactor::Prepared(right, _) if right.limbs() < basis.len() => {
                return Err(check::too_few_primes("big_mul", right.limbs()));
            }
            BigFactor::Prepared(right, _) => right.prefix(basis.len()),
            BigFactor::Integers(right, plan) => {
                owned = self.big_prepare(right, plan)?;
                owned.view(right.polys())
            }
        };
        let secret = dst.is_secret() || left.is_secret() || right.is_secret();
        for (i, sum) in m.sums.iter().enumerate() {
            let mut product = temporary(b, basis.len(), n, secret)?;
            let pairs: Vec<_> = sum.iter().map(|&(l, r)| (left.poly(l), right.poly(r))).collect();
            b.mul_acc(product.view_mut(1), &pairs, basis, false)?;
            b.intt(product.view_mut(1), basis)?;
            let mut whole = temporary(b, m.join.crt.words(), n, secret)?;
            b.crt_join(whole.view_mut(1), product.view(1), m.join)?;
            b.shift_round(dst.reborrow().poly(i), whole.view(1), bits, m.shift)?;
        }
        if let Some(add) = m.add {
            let term = BigTerm { factor: 1, src: add, bits: bits - m.shift };
            b.big_lincomb(dst.slice(0, add.polys()), &[term], bits - m.shift, true)?;
        }
        Ok(())
    }
}

/// Memory for a temporary of an operation. It is marked as secret if `secret`, which callers set if
/// a source or the destination of the operation is secret.
pub(crate) fn temporary<B: Backend + ?Sized>(b: &B, limbs: usize, n: usize, secret: bool) -> Result<Buf> {
    let buf = b.alloc(limbs, n)?;
    Ok(if secret { buf.into_secret() } else { buf })
}

/// Writes the sum of the products before relinearisation to `dst` (3 polynomials), each product as
/// in [`Backend::tensor`].
fn sum_of_tensors<B: Backend + ?Sized>(b: &B, mut dst: ViewMut<'_>, sum: Products<'_>, basis: &Basis) -> Result<()> {
    if let &[(x, y)] = sum {
        return b.tensor(dst, x, y, basis);
    }
    let pairs = |p: usize, q: usize| sum.iter().map(move |(x, y)| (x.poly(p), y.poly(q)));
    let crossed: Vec<_> = pairs(0, 1).chain(pairs(1, 0)).collect();
    b.mul_acc(dst.reborrow().poly(0), &pairs(0, 0).collect::<Vec<_>>(), basis, false)?;
    b.mul_acc(dst.reborrow().poly(1), &crossed, basis, false)?;
    b.mul_acc(dst.poly(2), &pairs(1, 1).collect::<Vec<_>>(), basis, false)
}
