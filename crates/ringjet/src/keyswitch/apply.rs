//! Application of switching keys (Algorithms KeySwitch, ModUp and ModDown of de Castro et al.).

use ringjet_backend::plan::{AutomorphismPlan, DivisionPlan};
use ringjet_backend::{Buf, KeySwitch, KeySwitchInput, View};

use super::SwitchingKey;
use crate::{Context, Result};

/// What is added to a switched polynomial, what it is divided by, and the automorphism at the end.
#[derive(Clone, Copy)]
pub(crate) struct Finish<'a> {
    /// Times P before the division.
    pub(crate) add: View<'a>,
    /// By P, or by P and the last prime.
    pub(crate) division: &'a DivisionPlan,
    /// In the evaluation domain.
    pub(crate) automorphism: Option<&'a AutomorphismPlan>,
}

/// `<digits of x, key>` divided by P, and what `finish` says: two polynomials.
pub(crate) fn apply(ctx: &Context, x: View<'_>, level: usize, key: &SwitchingKey, finish: Finish<'_>) -> Result<Buf> {
    switch(ctx, KeySwitchInput::Polynomial(x), level, key, finish)
}

/// As [`apply`], from hoisted digits.
pub(crate) fn apply_hoisted(
    ctx: &Context,
    digits: &Buf,
    level: usize,
    key: &SwitchingKey,
    finish: Finish<'_>,
) -> Result<Buf> {
    let beta = ctx.params().level(level).mod_up.beta();
    switch(ctx, KeySwitchInput::Digits(digits.view(beta)), level, key, finish)
}

fn switch(
    ctx: &Context,
    input: KeySwitchInput<'_>,
    level: usize,
    key: &SwitchingKey,
    finish: Finish<'_>,
) -> Result<Buf> {
    let plans = ctx.params().level(level);
    let Finish { add, division, automorphism } = finish;
    let key = key.at(level)?;
    let mut buf = ctx.alloc(2 * division.dst.len())?;
    let switch = KeySwitch { input, key: key.view(), mod_up: &plans.mod_up, division, add: Some(add), automorphism };
    ctx.backend().key_switch(buf.view_mut(2), &switch)?;
    Ok(buf)
}

/// The digits of `x` over `P ++ Q_l`, to be used with several keys (hoisting).
pub(crate) fn hoist(ctx: &Context, x: View<'_>, level: usize) -> Result<Buf> {
    let plans = ctx.params().level(level);
    let beta = plans.mod_up.beta();
    let mut digits = ctx.alloc(beta * plans.extended.len())?;
    ctx.backend().mod_up(digits.view_mut(beta), x, &plans.mod_up)?;
    Ok(digits)
}
