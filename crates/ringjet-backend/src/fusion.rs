//! A backend with some of its fused operations taken apart, to measure what each kind of fusion brings.

use std::sync::Arc;

use ringjet_math::Basis;

use crate::big::{BigMul, BigTerm};
use crate::plan::{AutomorphismPlan, BaseConversionPlan, CrtJoinPlan, CrtSplitPlan, DivisionPlan, ModUpPlan};
use crate::{
    Backend, BackendId, Buf, HoistedRotations, KeySwitch, Result, RotateSum, Rotation, Term, View, ViewMut, unfused,
};

/// Which operations stay fused. The kinds are those of de Castro et al., Section IV, from the outermost in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fusion {
    /// A key switch or a rotation from its decomposition to its division (*re-ordering*: limbs that are divided out come
    /// first, what stays is finished while it is at hand).
    pub key_switches: bool,
    /// ModUp and division: conversions of bases with the transforms around them (*alpha-limb caching*).
    pub conversions: bool,
    /// Inner products with keys, all digits of a limb at once (*beta-limb caching*).
    pub inner_products: bool,
    /// Sums of rotations times diagonals, all sums of a tile at once (*beta-limb* and *accumulator caching*; batching of
    /// multiplications and additions in Jung et al.).
    pub rotation_sums: bool,
    /// Products and sums of products limb by limb (*O(1)-limb caching*).
    pub products: bool,
    /// Products of polynomials with big coefficients, from CRT to iCRT.
    pub big_products: bool,
}

impl Default for Fusion {
    fn default() -> Self {
        Self::ALL
    }
}

impl Fusion {
    /// Everything stays fused.
    pub const ALL: Self = Self {
        key_switches: true,
        conversions: true,
        inner_products: true,
        rotation_sums: true,
        products: true,
        big_products: true,
    };

    /// Nothing stays fused.
    pub const NONE: Self = Self {
        key_switches: false,
        conversions: false,
        inner_products: false,
        rotation_sums: false,
        products: false,
        big_products: false,
    };
}

/// A backend whose operations are fused only as [`Fusion`] says; the others are made of the required ones, and of those
/// that stay fused. The results are the same, bit for bit.
#[derive(Debug)]
pub struct PartlyFused {
    inner: Arc<dyn Backend>,
    fusion: Fusion,
}

impl PartlyFused {
    /// `inner` with no more than this.
    pub fn new(inner: Arc<dyn Backend>, fusion: Fusion) -> Self {
        Self { inner, fusion }
    }
}

impl Backend for PartlyFused {
    fn id(&self) -> &BackendId {
        self.inner.id()
    }
    fn computes(&self) -> bool {
        self.inner.computes()
    }
    fn enter(&self, scope: &'static str) {
        self.inner.enter(scope);
    }
    fn leave(&self) {
        self.inner.leave();
    }
    fn uses_key(&self, galois: u32, limbs: usize) {
        self.inner.uses_key(galois, limbs);
    }
    fn host_threads(&self) -> usize {
        self.inner.host_threads()
    }
    fn parallel(&self, jobs: usize, words: usize, run: &(dyn Fn(usize, usize) + Sync)) {
        self.inner.parallel(jobs, words, run);
    }
    fn upload_each(
        &self,
        dst: &mut Buf,
        first_limb: usize,
        limbs: usize,
        fill: &(dyn Fn(usize, usize, &mut [u64]) + Sync),
    ) -> Result<()> {
        self.inner.upload_each(dst, first_limb, limbs, fill)
    }
    fn alloc(&self, limbs: usize, n: usize) -> Result<Buf> {
        self.inner.alloc(limbs, n)
    }
    fn upload(&self, dst: &mut Buf, first_limb: usize, data: &[u64]) -> Result<()> {
        self.inner.upload(dst, first_limb, data)
    }
    fn download(&self, src: &Buf, first_limb: usize, out: &mut [u64]) -> Result<()> {
        self.inner.download(src, first_limb, out)
    }
    fn sync(&self) -> Result<()> {
        self.inner.sync()
    }
    fn copy(&self, dst: ViewMut<'_>, src: View<'_>) -> Result<()> {
        self.inner.copy(dst, src)
    }
    fn ntt(&self, x: ViewMut<'_>, basis: &Basis) -> Result<()> {
        self.inner.ntt(x, basis)
    }
    fn intt(&self, x: ViewMut<'_>, basis: &Basis) -> Result<()> {
        self.inner.intt(x, basis)
    }
    fn lincomb(&self, dst: ViewMut<'_>, terms: &[Term<'_>], basis: &Basis, accumulate: bool) -> Result<()> {
        self.inner.lincomb(dst, terms, basis, accumulate)
    }
    fn mul(&self, dst: ViewMut<'_>, a: View<'_>, b: View<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
        self.inner.mul(dst, a, b, basis, accumulate)
    }
    fn automorphism(&self, dst: ViewMut<'_>, src: View<'_>, basis: &Basis, plan: &AutomorphismPlan) -> Result<()> {
        self.inner.automorphism(dst, src, basis, plan)
    }
    fn base_convert(&self, dst: ViewMut<'_>, src: View<'_>, plan: &BaseConversionPlan) -> Result<()> {
        self.inner.base_convert(dst, src, plan)
    }
    fn crt_split(&self, dst: ViewMut<'_>, src: View<'_>, plan: &CrtSplitPlan) -> Result<()> {
        self.inner.crt_split(dst, src, plan)
    }
    fn crt_join(&self, dst: ViewMut<'_>, src: View<'_>, plan: &CrtJoinPlan) -> Result<()> {
        self.inner.crt_join(dst, src, plan)
    }
    fn shift_round(&self, dst: ViewMut<'_>, src: View<'_>, bits: u32, shift: u32) -> Result<()> {
        self.inner.shift_round(dst, src, bits, shift)
    }
    fn big_lincomb(&self, dst: ViewMut<'_>, terms: &[BigTerm<'_>], bits: u32, accumulate: bool) -> Result<()> {
        self.inner.big_lincomb(dst, terms, bits, accumulate)
    }
    fn big_automorphism(&self, dst: ViewMut<'_>, src: View<'_>, bits: u32, plan: &AutomorphismPlan) -> Result<()> {
        self.inner.big_automorphism(dst, src, bits, plan)
    }

    fn tensor(&self, dst: ViewMut<'_>, a: View<'_>, b: View<'_>, basis: &Basis) -> Result<()> {
        if self.fusion.products { self.inner.tensor(dst, a, b, basis) } else { unfused::tensor(self, dst, a, b, basis) }
    }
    fn mul_acc(&self, dst: ViewMut<'_>, pairs: &[(View<'_>, View<'_>)], basis: &Basis, accumulate: bool) -> Result<()> {
        if self.fusion.products {
            return self.inner.mul_acc(dst, pairs, basis, accumulate);
        }
        unfused::mul_acc(self, dst, pairs, basis, accumulate)
    }
    fn mod_up(&self, dst: ViewMut<'_>, src: View<'_>, plan: &ModUpPlan) -> Result<()> {
        if self.fusion.conversions { self.inner.mod_up(dst, src, plan) } else { unfused::mod_up(self, dst, src, plan) }
    }
    fn divide_round(&self, dst: ViewMut<'_>, src: View<'_>, plan: &DivisionPlan, add: Option<View<'_>>) -> Result<()> {
        if self.fusion.conversions {
            return self.inner.divide_round(dst, src, plan, add);
        }
        unfused::divide_round(self, dst, src, plan, add)
    }
    fn key_inner_product(&self, acc: ViewMut<'_>, digits: View<'_>, key: View<'_>, basis: &Basis) -> Result<()> {
        if self.fusion.inner_products {
            return self.inner.key_inner_product(acc, digits, key, basis);
        }
        unfused::key_inner_product(self, acc, digits, key, basis)
    }
    fn hoisted_rotate_sum(&self, dst: ViewMut<'_>, sum: &RotateSum<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
        if self.fusion.rotation_sums {
            return self.inner.hoisted_rotate_sum(dst, sum, basis, accumulate);
        }
        unfused::hoisted_rotate_sum(self, dst, sum, basis, accumulate)
    }
    fn key_switch(&self, dst: ViewMut<'_>, switch: &KeySwitch<'_>) -> Result<()> {
        if self.fusion.key_switches {
            return self.inner.key_switch(dst, switch);
        }
        unfused::key_switch(self, dst, switch)
    }
    fn hoisted_rotations(&self, dst: &mut [ViewMut<'_>], rotations: &HoistedRotations<'_>) -> Result<()> {
        if self.fusion.key_switches {
            return self.inner.hoisted_rotations(dst, rotations);
        }
        unfused::hoisted_rotations(self, dst, rotations)
    }
    fn rotate_into(&self, dst: ViewMut<'_>, src: View<'_>, rotation: &Rotation<'_>, accumulate: bool) -> Result<()> {
        if self.fusion.key_switches {
            return self.inner.rotate_into(dst, src, rotation, accumulate);
        }
        unfused::rotate_into(self, dst, src, rotation, accumulate)
    }
    fn big_prepare(&self, src: View<'_>, plan: &CrtSplitPlan) -> Result<Buf> {
        if self.fusion.big_products { self.inner.big_prepare(src, plan) } else { unfused::big_prepare(self, src, plan) }
    }
    fn big_prepared_limbs(&self, polys: usize, basis: &Basis, bits: u32) -> usize {
        if self.fusion.big_products { self.inner.big_prepared_limbs(polys, basis, bits) } else { polys * basis.len() }
    }
    fn big_mul(&self, dst: ViewMut<'_>, mul: &BigMul<'_>) -> Result<()> {
        if self.fusion.big_products { self.inner.big_mul(dst, mul) } else { unfused::big_mul(self, dst, mul) }
    }
}
