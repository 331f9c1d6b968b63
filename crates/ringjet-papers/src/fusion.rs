//! A backend with some of its fused operations replaced by compositions of smaller ones, to measure
//! how much each kind of fusion gains.

use std::sync::{Arc, PoisonError, RwLock};

use ringjet_backend::big::BigMul;
use ringjet_backend::plan::{CrtSplitPlan, DivisionPlan, ModUpPlan};
use ringjet_backend::{
    Backend, Buf, Composed, Gemm, HoistedRotations, KeySwitch, Result, RotateSum, Rotation, Term, View, ViewMut,
    delegate,
};
use ringjet_math::Basis;

/// Which operations stay fused. The kinds are those of de Castro et al., "Does Fully Homomorphic
/// Encryption Need Compute Acceleration?" (ePrint 2021/1636), Section IV, from the largest
/// operations to the smallest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fusion {
    /// A key switch or a rotation, from its decomposition to its division (*re-ordering*: the limbs
    /// that are divided out are computed first, so each remaining limb is finished while it is in
    /// the cache).
    pub key_switches: bool,
    /// ModUp: the conversions of its digits together with the transforms before and after them
    /// (*alpha-limb caching*; ModUp fusion in Jung et al., "Over 100x Faster Bootstrapping in Fully
    /// Homomorphic Encryption through Memory-centric Optimization with GPUs", ePrint 2021/508).
    pub mod_up: bool,
    /// Divisions by P and by primes: the conversion, the transforms around it and the final
    /// products (*alpha-limb caching*; ModDown fusion in Jung et al.).
    pub divisions: bool,
    /// Inner products with keys: all digits of a limb at once (*beta-limb caching*; inner-product
    /// fusion in Jung et al.).
    pub inner_products: bool,
    /// Sums of rotations times diagonals: all sums of a tile at once (*beta-limb* and *accumulator
    /// caching*; batching of multiplications and additions in Jung et al.).
    pub rotation_sums: bool,
    /// Products and sums of products, limb by limb (*O(1)-limb caching*).
    pub products: bool,
    /// Products of polynomials with big coefficients, from HEAAN's CRT to its iCRT.
    pub big_products: bool,
}

impl Default for Fusion {
    fn default() -> Self {
        Self::ALL
    }
}

impl Fusion {
    /// Every operation stays fused.
    pub const ALL: Self = Self {
        key_switches: true,
        mod_up: true,
        divisions: true,
        inner_products: true,
        rotation_sums: true,
        products: true,
        big_products: true,
    };

    /// No operation stays fused.
    pub const NONE: Self = Self {
        key_switches: false,
        mod_up: false,
        divisions: false,
        inner_products: false,
        rotation_sums: false,
        products: false,
        big_products: false,
    };
}

/// A backend in which only the operations named by a [`Fusion`] are fused. The other operations are
/// composed of the required ones and of those that stay fused. The results are the same, bit for
/// bit.
#[derive(Debug)]
pub struct PartlyFused {
    inner: Arc<dyn Backend>,
    fusion: RwLock<Fusion>,
}

impl PartlyFused {
    /// The backend `inner`, with only the operations of `fusion` fused.
    pub fn new(inner: Arc<dyn Backend>, fusion: Fusion) -> Self {
        Self { inner, fusion: RwLock::new(fusion) }
    }

    /// Changes which operations are fused, for comparisons on the same keys and matrices.
    pub fn set(&self, fusion: Fusion) {
        *self.fusion.write().unwrap_or_else(PoisonError::into_inner) = fusion;
    }

    fn fusion(&self) -> Fusion {
        *self.fusion.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Backend for PartlyFused {
    delegate!(self => self.inner; required);

    fn tensor(&self, dst: ViewMut<'_>, a: View<'_>, b: View<'_>, basis: &Basis) -> Result<()> {
        if self.fusion().products {
            self.inner.tensor(dst, a, b, basis)
        } else {
            Composed(self).tensor(dst, a, b, basis)
        }
    }
    fn affine(&self, dst: ViewMut<'_>, terms: &[Term<'_>], constant: &[u64], basis: &Basis) -> Result<()> {
        if self.fusion().products {
            return self.inner.affine(dst, terms, constant, basis);
        }
        Composed(self).affine(dst, terms, constant, basis)
    }
    fn gemm(&self, dst: &mut [ViewMut<'_>], gemm: &Gemm<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
        if self.fusion().products {
            return self.inner.gemm(dst, gemm, basis, accumulate);
        }
        Composed(self).gemm(dst, gemm, basis, accumulate)
    }
    fn class_products(&self, dst: &mut [ViewMut<'_>], a: &[View<'_>], b: &[View<'_>], basis: &Basis) -> Result<()> {
        if self.fusion().products {
            return self.inner.class_products(dst, a, b, basis);
        }
        Composed(self).class_products(dst, a, b, basis)
    }
    fn mul_acc(&self, dst: ViewMut<'_>, pairs: &[(View<'_>, View<'_>)], basis: &Basis, accumulate: bool) -> Result<()> {
        if self.fusion().products {
            return self.inner.mul_acc(dst, pairs, basis, accumulate);
        }
        Composed(self).mul_acc(dst, pairs, basis, accumulate)
    }
    fn mod_up(&self, dst: ViewMut<'_>, src: View<'_>, plan: &ModUpPlan) -> Result<()> {
        if self.fusion().mod_up { self.inner.mod_up(dst, src, plan) } else { Composed(self).mod_up(dst, src, plan) }
    }
    fn divide_round(&self, dst: ViewMut<'_>, src: View<'_>, plan: &DivisionPlan, add: Option<View<'_>>) -> Result<()> {
        if self.fusion().divisions {
            return self.inner.divide_round(dst, src, plan, add);
        }
        Composed(self).divide_round(dst, src, plan, add)
    }
    fn key_inner_product(&self, acc: ViewMut<'_>, digits: View<'_>, key: View<'_>, basis: &Basis) -> Result<()> {
        if self.fusion().inner_products {
            return self.inner.key_inner_product(acc, digits, key, basis);
        }
        Composed(self).key_inner_product(acc, digits, key, basis)
    }
    fn hoisted_rotate_sum(&self, dst: ViewMut<'_>, sum: &RotateSum<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
        if self.fusion().rotation_sums {
            return self.inner.hoisted_rotate_sum(dst, sum, basis, accumulate);
        }
        Composed(self).hoisted_rotate_sum(dst, sum, basis, accumulate)
    }
    fn key_switch(&self, dst: ViewMut<'_>, switch: &KeySwitch<'_>) -> Result<()> {
        if self.fusion().key_switches {
            return self.inner.key_switch(dst, switch);
        }
        Composed(self).key_switch(dst, switch)
    }
    fn hoisted_rotations(&self, dst: &mut [ViewMut<'_>], rotations: &HoistedRotations<'_>) -> Result<()> {
        if self.fusion().key_switches {
            return self.inner.hoisted_rotations(dst, rotations);
        }
        Composed(self).hoisted_rotations(dst, rotations)
    }
    fn rotate_into(&self, dst: ViewMut<'_>, src: View<'_>, rotation: &Rotation<'_>, accumulate: bool) -> Result<()> {
        if self.fusion().key_switches {
            return self.inner.rotate_into(dst, src, rotation, accumulate);
        }
        Composed(self).rotate_into(dst, src, rotation, accumulate)
    }
    fn big_prepare(&self, src: View<'_>, plan: &CrtSplitPlan) -> Result<Buf> {
        if self.fusion().big_products {
            self.inner.big_prepare(src, plan)
        } else {
            Composed(self).big_prepare(src, plan)
        }
    }
    fn big_prepared_limbs(&self, polys: usize, basis: &Basis, bits: u32) -> usize {
        if self.fusion().big_products { self.inner.big_prepared_limbs(polys, basis, bits) } else { polys * basis.len() }
    }
    fn big_mul(&self, dst: ViewMut<'_>, mul: &BigMul<'_>) -> Result<()> {
        if self.fusion().big_products { self.inner.big_mul(dst, mul) } else { Composed(self).big_mul(dst, mul) }
    }
}
