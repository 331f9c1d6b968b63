//! The simplest and slowest backend: every required operation in textbook form, by functions of
//! `ringjet-math`. It is the oracle of the conformance suite. Clients in browsers compute with it,
//! too: encryption takes few operations. It is much too slow for a server.

use std::any::Any;

use num_bigint::BigInt;
use ringjet_math::{Basis, Modulus, big};
use zeroize::Zeroizing;

use crate::big::BigTerm;
use crate::plan::{AutomorphismPlan, BaseConversionPlan, CrtJoinPlan, CrtSplitPlan, Domain};
use crate::{
    Backend, BackendError, BackendId, Buf, Coeff, Composed, Gemm, Result, Storage, Term, View, ViewMut, check,
    delegate, host,
};

/// A backend with plain vectors and textbook arithmetic.
#[derive(Debug)]
pub struct Reference {
    id: BackendId,
}

impl Default for Reference {
    fn default() -> Self {
        Self { id: BackendId::new("reference") }
    }
}

struct Words {
    data: Vec<u64>,
    secret: bool,
}

impl Storage for Words {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
    fn mark_secret(&mut self) {
        self.secret = true;
    }
    fn is_secret(&self) -> bool {
        self.secret
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        if self.secret {
            self.data.iter_mut().for_each(|w| *w = 0);
            std::hint::black_box(&mut self.data);
        }
    }
}

impl Reference {
    fn words<'a>(&self, op: &'static str, buf: &'a Buf) -> Result<&'a [u64]> {
        check::owner(op, &self.id, buf)?;
        Ok(buf.storage().as_any().downcast_ref::<Words>().map_or(&[], |w| &w.data))
    }

    fn words_mut<'a>(&self, op: &'static str, buf: &'a mut Buf) -> Result<&'a mut [u64]> {
        check::owner(op, &self.id, buf)?;
        Ok(buf.storage_mut().as_any_mut().downcast_mut::<Words>().map_or(&mut [], |w| &mut w.data))
    }

    /// Limb `i` of polynomial `p`. A view with one polynomial gives limb `i` of that one for every
    /// `p`.
    fn limb<'a>(&self, op: &'static str, v: View<'a>, p: usize, i: usize) -> Result<&'a [u64]> {
        let index = v.limb_index(if v.polys() == 1 { 0 } else { p }, i);
        Ok(&self.words(op, v.buf())?[index * v.n()..][..v.n()])
    }

    /// Calls `f(polynomial, limb, words of dst)` for every limb of `dst`.
    fn each(
        &self,
        op: &'static str,
        mut dst: ViewMut<'_>,
        mut f: impl FnMut(usize, usize, &mut [u64]) -> Result<()>,
    ) -> Result<()> {
        let (n, polys, limbs) = (dst.n(), dst.polys(), dst.limbs());
        for p in 0..polys {
            for i in 0..limbs {
                let index = dst.limb_index(p, i);
                let words = self.words_mut(op, dst.buf_mut())?;
                f(p, i, &mut words[index * n..][..n])?;
            }
        }
        Ok(())
    }
}

impl Reference {
    /// Calls `f(polynomial, coefficient, words)` for each coefficient of each polynomial of `dst`.
    /// `words` has the old words of the coefficient, and `f` replaces them by the new ones.
    fn each_coefficient(
        &self,
        op: &'static str,
        mut dst: ViewMut<'_>,
        mut f: impl FnMut(usize, usize, &mut [u64]) -> Result<()>,
    ) -> Result<()> {
        let (n, polys, limbs) = (dst.n(), dst.polys(), dst.limbs());
        for p in 0..polys {
            let starts: Vec<usize> = (0..limbs).map(|i| dst.limb_index(p, i) * n).collect();
            for c in 0..n {
                let words = self.words_mut(op, dst.buf_mut())?;
                let mut one = Zeroizing::new(starts.iter().map(|s| words[s + c]).collect::<Vec<u64>>());
                f(p, c, &mut one)?;
                let words = self.words_mut(op, dst.buf_mut())?;
                starts.iter().zip(&*one).for_each(|(s, &w)| words[s + c] = w);
            }
        }
        Ok(())
    }

    /// The words of coefficient `c` of polynomial `p`. A view with one polynomial gives those of
    /// that one.
    fn coefficient(&self, op: &'static str, v: View<'_>, p: usize, c: usize) -> Result<Zeroizing<Vec<u64>>> {
        let words: Result<Vec<u64>> = (0..v.limbs()).map(|i| Ok(self.limb(op, v, p, i)?[c])).collect();
        words.map(Zeroizing::new)
    }

    /// The centred integer modulo `2^bits` that is coefficient `c` of polynomial `p`.
    fn integer(&self, op: &'static str, v: View<'_>, p: usize, c: usize, bits: u32) -> Result<BigInt> {
        Ok(big::from_words(self.coefficient(op, v, p, c)?.iter().copied(), bits))
    }
}

impl Backend for Reference {
    delegate!(self => Composed(self); composed except gemm, class_products);

    fn id(&self) -> &BackendId {
        &self.id
    }

    fn alloc(&self, limbs: usize, n: usize) -> Result<Buf> {
        let refused = |bytes| BackendError::OutOfMemory { backend: self.id.name().into(), bytes, free: None };
        let words = limbs.checked_mul(n).ok_or(refused(usize::MAX))?;
        let mut data = host::capacity(words).map_err(|_| refused(words.saturating_mul(size_of::<u64>())))?;
        // a recognisable pattern: callers must not rely on zeros
        data.resize(words, 0xdead_beef);
        Ok(Buf::new(Box::new(Words { data, secret: false }), self.id.clone(), limbs, n))
    }

    fn upload(&self, dst: &mut Buf, first_limb: usize, data: &[u64]) -> Result<()> {
        check::range("upload", dst, first_limb, data.len())?;
        let start = first_limb * dst.n();
        self.words_mut("upload", dst)?[start..start + data.len()].copy_from_slice(data);
        Ok(())
    }

    fn download(&self, src: &Buf, first_limb: usize, out: &mut [u64]) -> Result<()> {
        check::range("download", src, first_limb, out.len())?;
        let start = first_limb * src.n();
        out.copy_from_slice(&self.words("download", src)?[start..start + out.len()]);
        Ok(())
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn copy(&self, dst: ViewMut<'_>, src: View<'_>) -> Result<()> {
        check::source("copy", &dst, src)?;
        self.each("copy", dst, |p, i, out| {
            out.copy_from_slice(self.limb("copy", src, p, i)?);
            Ok(())
        })
    }

    fn ntt(&self, x: ViewMut<'_>, basis: &Basis) -> Result<()> {
        check::basis("ntt", x.limbs(), x.n(), basis)?;
        self.each("ntt", x, |_, i, out| {
            basis.primes()[i].table().forward(out);
            Ok(())
        })
    }

    fn intt(&self, x: ViewMut<'_>, basis: &Basis) -> Result<()> {
        check::basis("intt", x.limbs(), x.n(), basis)?;
        self.each("intt", x, |_, i, out| {
            basis.primes()[i].table().inverse(out);
            Ok(())
        })
    }

    fn lincomb(&self, dst: ViewMut<'_>, terms: &[Term<'_>], basis: &Basis, accumulate: bool) -> Result<()> {
        check::lincomb("lincomb", &dst, terms, basis)?;
        self.each("lincomb", dst, |p, i, out| {
            let m = basis.modulus(i);
            if !accumulate {
                out.fill(0);
            }
            for (c, src) in terms {
                let src = self.limb("lincomb", *src, p, i)?;
                for (o, &x) in out.iter_mut().zip(src) {
                    *o = match c {
                        Coeff::One => m.add(*o, x),
                        Coeff::MinusOne => m.sub(*o, x),
                        Coeff::PerLimb(c) => m.add(*o, m.mul(x, c[i])),
                    };
                }
            }
            Ok(())
        })
    }

    fn gemm(&self, dst: &mut [ViewMut<'_>], gemm: &Gemm<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
        check::gemm("gemm", dst, gemm, basis)?;
        let limbs = basis.len();
        for (row, dst) in dst.iter_mut().enumerate() {
            self.each("gemm", dst.reborrow(), |p, i, out| {
                let q = i128::from(basis.modulus(i).value());
                for (c, o) in out.iter_mut().enumerate() {
                    let mut sum = 0i128;
                    for (&w, &src) in gemm.row(row).iter().zip(gemm.src) {
                        sum += i128::from(w) * i128::from(self.limb("gemm", src, p, i)?[c]);
                    }
                    let old = if accumulate { i128::from(*o) } else { 0 };
                    let constant = i128::from(gemm.constant(row, p, i, limbs));
                    let product = sum.rem_euclid(q) * i128::from(gemm.factor(row, i, limbs));
                    *o = (product + constant + old).rem_euclid(q) as u64;
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    fn class_products(&self, dst: &mut [ViewMut<'_>], a: &[View<'_>], b: &[View<'_>], basis: &Basis) -> Result<()> {
        const OP: &str = "class_products";
        check::class_products(OP, dst, [a, b], basis)?;
        let (rows, polys) = (dst.len(), b.first().map_or(1, |b| b.polys()));
        for (i, dst) in dst.iter_mut().enumerate() {
            self.each(OP, dst.reborrow(), |p, limb, out| {
                let (m, table) = (basis.modulus(limb), basis.primes()[limb].table());
                out.fill(0);
                for (a, b) in a.iter().zip(b) {
                    let mut x = Zeroizing::new(self.limb(OP, *a, p / polys, limb)?.to_vec());
                    table.inverse(&mut x);
                    let mut part = Zeroizing::new(vec![0; x.len()]);
                    (i..x.len()).step_by(rows).for_each(|c| part[c - i] = x[c]);
                    table.forward(&mut part);
                    for ((o, &x), &y) in out.iter_mut().zip(&*part).zip(self.limb(OP, *b, p % polys, limb)?) {
                        *o = m.add(*o, m.mul(x, y));
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    fn mul(&self, dst: ViewMut<'_>, a: View<'_>, b: View<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
        check::basis("mul", dst.limbs(), dst.n(), basis)?;
        check::source("mul", &dst, a)?;
        check::source("mul", &dst, b)?;
        self.each("mul", dst, |p, i, out| {
            let m: &Modulus = basis.modulus(i);
            let (a, b) = (self.limb("mul", a, p, i)?, self.limb("mul", b, p, i)?);
            for ((o, &x), &y) in out.iter_mut().zip(a).zip(b) {
                let product = m.mul(x, y);
                *o = if accumulate { m.add(*o, product) } else { product };
            }
            Ok(())
        })
    }

    fn automorphism(&self, dst: ViewMut<'_>, src: View<'_>, basis: &Basis, plan: &AutomorphismPlan) -> Result<()> {
        check::basis("automorphism", dst.limbs(), dst.n(), basis)?;
        check::source("automorphism", &dst, src)?;
        check::equal("automorphism", "ring degree", plan.n(), dst.n())?;
        let (map, mask) = (plan.map()?, dst.n() - 1);
        self.each("automorphism", dst, |p, i, out| {
            let (m, src) = (basis.modulus(i), self.limb("automorphism", src, p, i)?);
            for (o, &k) in out.iter_mut().zip(map) {
                let x = src[k as usize & mask];
                let negate = plan.domain == Domain::Coefficient && k as usize > mask;
                *o = if negate { m.neg(x) } else { x };
            }
            Ok(())
        })
    }

    fn base_convert(&self, mut dst: ViewMut<'_>, src: View<'_>, plan: &BaseConversionPlan) -> Result<()> {
        let conv = &plan.conv;
        check::conversion("base_convert", &dst, src, conv)?;
        let (n, polys) = (dst.n(), dst.polys());
        let mut x = vec![0; conv.src.len()];
        let mut y = vec![0; conv.dst.len()];
        for p in 0..polys {
            let inputs: Vec<&[u64]> =
                (0..x.len()).map(|i| self.limb("base_convert", src, p, i)).collect::<Result<_>>()?;
            let outputs: Vec<usize> = (0..y.len()).map(|j| dst.limb_index(p, j) * n).collect();
            let words = self.words_mut("base_convert", dst.buf_mut())?;
            for c in 0..n {
                for (x, limb) in x.iter_mut().zip(&inputs) {
                    *x = limb[c];
                }
                conv.convert(&x, &mut y);
                for (start, &y) in outputs.iter().zip(&y) {
                    words[start + c] = y;
                }
            }
        }
        Ok(())
    }

    fn crt_split(&self, dst: ViewMut<'_>, src: View<'_>, plan: &CrtSplitPlan) -> Result<()> {
        check::crt_split("crt_split", &dst, src, plan)?;
        self.each_coefficient("crt_split", dst, |p, c, out| {
            plan.crt.split(&self.coefficient("crt_split", src, p, c)?, out);
            Ok(())
        })
    }

    fn crt_join(&self, dst: ViewMut<'_>, src: View<'_>, plan: &CrtJoinPlan) -> Result<()> {
        check::crt_join("crt_join", &dst, src, plan)?;
        self.each_coefficient("crt_join", dst, |p, c, out| {
            plan.crt.join(&self.coefficient("crt_join", src, p, c)?, out);
            Ok(())
        })
    }

    fn shift_round(&self, dst: ViewMut<'_>, src: View<'_>, bits: u32, shift: u32) -> Result<()> {
        check::shift_round("shift_round", &dst, src, bits, shift)?;
        self.each_coefficient("shift_round", dst, |p, c, out| {
            let x = self.integer("shift_round", src, p, c, bits)?;
            out.copy_from_slice(&big::to_words(&big::shift_round(&x, shift), bits - shift));
            Ok(())
        })
    }

    fn big_lincomb(&self, dst: ViewMut<'_>, terms: &[BigTerm<'_>], bits: u32, accumulate: bool) -> Result<()> {
        check::big_lincomb("big_lincomb", &dst, terms, bits)?;
        self.each_coefficient("big_lincomb", dst, |p, c, out| {
            let old = big::from_words(out.iter().copied(), bits);
            let mut sum = if accumulate { old } else { BigInt::ZERO };
            for t in terms {
                sum += self.integer("big_lincomb", t.src, p, c, t.bits)? * t.factor;
            }
            out.copy_from_slice(&big::to_words(&sum, bits));
            Ok(())
        })
    }

    fn big_automorphism(&self, dst: ViewMut<'_>, src: View<'_>, bits: u32, plan: &AutomorphismPlan) -> Result<()> {
        check::big_automorphism("big_automorphism", &dst, src, bits, plan)?;
        let (map, mask) = (plan.map()?, dst.n() - 1);
        self.each_coefficient("big_automorphism", dst, |p, c, out| {
            let k = map[c] as usize;
            let x = self.integer("big_automorphism", src, p, k & mask, bits)?;
            out.copy_from_slice(&big::to_words(&if k > mask { -x } else { x }, bits));
            Ok(())
        })
    }
}
