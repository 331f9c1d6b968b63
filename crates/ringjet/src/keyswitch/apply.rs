//! Application of switching keys (Algorithms KeySwitch, ModUp and ModDown of de Castro et al.).

use ringjet_backend::{Buf, View};

use super::SwitchingKey;
use crate::{Context, Result};

/// `sum of digits(x) * key` over `P ++ Q_l`: two polynomials, still to be divided by P.
pub(crate) fn apply(ctx: &Context, x: View<'_>, level: usize, key: &SwitchingKey) -> Result<Buf> {
    let plans = ctx.params().level(level);
    let limbs = plans.extended.len();
    let mut acc = ctx.alloc(2 * limbs)?;
    let view = key.view(plans.mod_up.beta(), limbs);
    ctx.backend().mod_up_inner_product(acc.view_mut(2), x, view, &plans.mod_up)?;
    Ok(acc)
}

/// The digits of `x` over `P ++ Q_l`, to be used with several keys (hoisting).
pub(crate) fn hoist(ctx: &Context, x: View<'_>, level: usize) -> Result<Buf> {
    let plans = ctx.params().level(level);
    let beta = plans.mod_up.beta();
    let mut digits = ctx.alloc(beta * plans.extended.len())?;
    ctx.backend().mod_up(digits.view_mut(beta), x, &plans.mod_up)?;
    Ok(digits)
}

/// As [`apply`], from hoisted digits.
pub(crate) fn switch_digits(ctx: &Context, digits: &Buf, level: usize, key: &SwitchingKey) -> Result<Buf> {
    let plans = ctx.params().level(level);
    let (beta, limbs) = (plans.mod_up.beta(), plans.extended.len());
    let mut acc = ctx.alloc(2 * limbs)?;
    ctx.backend().key_inner_product(acc.view_mut(2), digits.view(beta), key.view(beta, limbs), &plans.extended)?;
    Ok(acc)
}
