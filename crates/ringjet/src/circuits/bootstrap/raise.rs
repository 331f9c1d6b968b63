//! ModRaise: from the modulus q_0 to that of the highest level, under the ephemeral secret.

use std::sync::Arc;

use ringjet_backend::plan::AutomorphismPlan;
use ringjet_backend::{Buf, Coeff, KeySwitch, KeySwitchInput, RotateFactor, RotateSum, RotateTerm, View};

use super::Bootstrapper;
use super::matrices::KeyedMatrix;
use crate::ckks::Position;
use crate::noise::Sources;
use crate::rlwe::keyswitch::{
    EXPANDED_AT_ONCE, Encapsulation, KeyMemory, MatrixKeys, ReturnKeys, SwitchTail, SwitchingKey, apply,
};
use crate::rlwe::{ChainParameters, MatrixPlans};
use crate::{Ciphertext, Error, Evaluator, Noise, Parameters, Range, Result};

impl Bootstrapper {
    /// Raises the modulus from q_0 to Q, which adds multiples of q_0 to the message: small ones,
    /// because of the sparse secret. The result is in units of K * q_0. Where keys contain the first
    /// matrix of CoeffsToSlots, the result is multiplied by it.
    pub(super) fn raise(&self, eval: &Evaluator, x: &Ciphertext) -> Result<Ciphertext> {
        let (ctx, params) = (&self.ctx, self.ctx.params());
        let _scope = ctx.scope("ModRaise");
        let keys = self.encapsulation(eval)?;
        let low = self.to_sparse(x, keys)?;
        let buf = match (&self.keyed, &keys.back) {
            (None, ReturnKeys::Switch(key)) => self.raised(&low, key)?,
            (Some(matrix), ReturnKeys::Matrix(keys)) => self.raised_by(matrix, &low, keys)?,
            _ => {
                let slots = 1 << self.log_slots;
                return Err(Error::MissingBootstrappingKeys { slots, available: vec![] });
            }
        };
        let (level, scale) = (params.max_level(), self.rise.raised);
        let noise = Noise::new(params.error_of_raising(self.log_slots)?, Range::complex(1.0), scale, Sources::NONE);
        Ok(eval.result_like(x, buf, 2, Position { level, scale }, noise))
    }

    /// `x` modulo q_0 under the ephemeral secret.
    fn to_sparse(&self, x: &Ciphertext, keys: &Encapsulation<SwitchingKey<Parameters>>) -> Result<Buf> {
        let (ctx, plans) = (&self.ctx, self.ctx.params().raising()?);
        let mut low = ctx.alloc(2 * plans.own.len())?;
        let (input, add) = (KeySwitchInput::Polynomial(x.view().poly(1)), Some(x.view().poly(0)));
        let (mod_up, division, key) = (&plans.mod_up, &plans.mod_down, keys.to_sparse.view(2 * plans.mod_up.beta()));
        let switch = KeySwitch { input, key, mod_up, division, add, automorphism: None };
        ctx.backend().key_switch(low.view_mut(2), &switch)?;
        Ok(low)
    }

    /// `low` modulo Q under the main secret.
    fn raised(&self, low: &Buf, key: &SwitchingKey<Parameters>) -> Result<Buf> {
        let (ctx, params) = (&self.ctx, self.ctx.params());
        let (b, plans, max) = (ctx.backend(), params.raising()?, params.max_level());
        let limbs = params.limbs(max);
        let mut high = ctx.alloc(2 * limbs)?;
        let mut digits = ctx.alloc(plans.raise.extended.len())?;
        // the place of each limb of the result among those of the digit
        let mut place = vec![0; limbs];
        plans.rest.iter().chain(&plans.own).enumerate().for_each(|(i, &limb)| place[limb] = i);
        for p in 0..2 {
            b.mod_up(digits.view_mut(1), low.view(2).poly(p), &plans.raise)?;
            b.copy(high.view_mut(2).poly(p), digits.view(1).choose(&place))?;
        }
        let view = high.view(2);
        let finish = SwitchTail { add: view.poly(0), division: &params.level(max).mod_down, automorphism: None };
        let mut buf = ctx.alloc(2 * limbs)?;
        apply(ctx, buf.view_mut(2), &params.level(max).mod_up, view.poly(1), max, key, finish)?;
        Ok(buf)
    }

    /// `matrix` times `low`, modulo Q and under the main secret.
    ///
    /// With `low` = (c_0, c_1), whose coefficients are small, and its secret t, the product is
    /// the sum of `D_k * rot_k(c_0 + c_1 * t)`. The keys turn `c_1` into `p_0 * D_k * rot_k(c_1 * t)`
    /// without a decomposition, as c_1 is a digit already. For `c_0` the diagonals are plaintexts.
    fn raised_by(&self, matrix: &KeyedMatrix, low: &Buf, keys: &MatrixKeys<Parameters>) -> Result<Buf> {
        let (ctx, params, plans) = (&self.ctx, self.ctx.params(), self.ctx.params().matrix_plans());
        let (b, limbs, low) = (ctx.backend(), params.limbs(params.max_level()), low.view(2));
        let sum = self.keyed_sum(matrix, low.poly(1), keys, plans)?;
        let mut buf = ctx.alloc(2 * limbs)?;
        b.divide_round(buf.view_mut(2), sum.view(2), &plans.mod_down, None)?;
        let quotient = self.plain_sum(matrix, low.poly(0), plans)?;
        let mut raised = ctx.alloc(plans.raise.extended.len())?;
        b.mod_up(raised.view_mut(1), quotient.view(1), &plans.raise)?;
        let raised = raised.view(1).choose(&plans.raise_place);
        b.lincomb(buf.view_mut(2).poly(0), &[(Coeff::One, raised)], &params.level(params.max_level()).basis, true)?;
        Ok(buf)
    }

    /// The sum over the keys (b_k, a_k) of `rot_k(c_1 * (b_k, a_k))`, a pair over the primes of the
    /// keys.
    fn keyed_sum(
        &self,
        matrix: &KeyedMatrix,
        c1: View<'_>,
        keys: &MatrixKeys<Parameters>,
        plans: &MatrixPlans,
    ) -> Result<Buf> {
        let (ctx, basis) = (&self.ctx, &plans.basis);
        let b = ctx.backend();
        let mut digit = ctx.alloc(plans.lift.extended.len())?;
        b.mod_up(digit.view_mut(1), c1, &plans.lift)?;
        let digits = digit.view(1).choose(&plans.lift_place);
        let mut nothing = ctx.alloc(2 * basis.len())?;
        b.lincomb(nothing.view_mut(2), &[], basis, false)?;
        let mut sum = ctx.alloc(2 * basis.len())?;
        let automorphisms: Vec<Option<Arc<AutomorphismPlan>>> = matrix.automorphisms(ctx);
        let all: Vec<usize> = (0..automorphisms.len()).collect();
        let at_once = if keys.memory() == KeyMemory::Expanded { all.len() } else { EXPANDED_AT_ONCE };
        for (i, some) in all.chunks(at_once.max(1)).enumerate() {
            let ready = some.iter().map(|&d| keys.at(d)).collect::<Result<Vec<_>>>()?;
            let terms = some.iter().zip(&ready).map(|(&d, key)| RotateTerm {
                key: Some(key.view()),
                automorphism: automorphisms[d].as_deref(),
                factors: &[RotateFactor::One],
            });
            let terms: Vec<_> = terms.collect();
            b.hoisted_rotate_sum(
                sum.view_mut(2),
                &RotateSum { digits, add: nothing.view(2), terms: &terms },
                basis,
                i > 0,
            )?;
        }
        Ok(sum)
    }

    /// The sum of `D_k * rot_k(c_0)`, divided by p_0, over the few primes that have room for it.
    fn plain_sum(&self, matrix: &KeyedMatrix, c0: View<'_>, plans: &MatrixPlans) -> Result<Buf> {
        let (ctx, basis) = (&self.ctx, &plans.small_lift.extended);
        let b = ctx.backend();
        let mut pair = ctx.alloc(2 * basis.len())?;
        b.mod_up(pair.view_mut(2).poly(0), c0, &plans.small_lift)?;
        b.lincomb(pair.view_mut(2).poly(1), &[], basis, false)?;
        let automorphisms = matrix.automorphisms(ctx);
        let factors: Vec<_> = matrix.diagonals.iter().map(|d| [RotateFactor::Poly(d.view(1))]).collect();
        let terms = factors.iter().zip(&automorphisms).map(|(factors, automorphism)| RotateTerm {
            key: None,
            automorphism: automorphism.as_deref(),
            factors,
        });
        let terms: Vec<_> = terms.collect();
        let mut sum = ctx.alloc(2 * basis.len())?;
        let what = RotateSum { digits: pair.view(2).poly(0), add: pair.view(2), terms: &terms };
        b.hoisted_rotate_sum(sum.view_mut(2), &what, basis, false)?;
        let mut quotient = ctx.alloc(plans.small_down.dst.len())?;
        b.divide_round(quotient.view_mut(1), sum.view(2).poly(0), &plans.small_down, None)?;
        Ok(quotient)
    }
}
