//! Application of switching keys (Algorithms KeySwitch, ModUp and ModDown of de Castro et al.).

use ringjet_backend::plan::{AutomorphismPlan, DivisionPlan};
use ringjet_backend::{Buf, HoistedRotations, KeySwitch, KeySwitchInput, View};

use super::{KeyMemory, SwitchingKey};
use crate::Result;
use crate::rlwe::{ChainParameters, Context};

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
pub(crate) fn apply<P: ChainParameters>(
    ctx: &Context<P>,
    x: View<'_>,
    level: usize,
    key: &SwitchingKey<P>,
    finish: Finish<'_>,
) -> Result<Buf> {
    let plans = ctx.params().level(level);
    let Finish { add, division, automorphism } = finish;
    let key = key.at(level)?;
    let mut buf = ctx.alloc(2 * division.dst.len())?;
    let (input, mod_up) = (KeySwitchInput::Polynomial(x), &plans.mod_up);
    let switch = KeySwitch { input, key: key.view(), mod_up, division, add: Some(add), automorphism };
    ctx.backend().key_switch(buf.view_mut(2), &switch)?;
    Ok(buf)
}

/// Rotations of one ciphertext: [`apply`] with each key and its automorphism, from `digits` that are hoisted. `add` is added
/// before the division by P. Compressed keys are expanded one at a time to bound memory.
pub(crate) fn rotations<P: ChainParameters>(
    ctx: &Context<P>,
    digits: &Buf,
    level: usize,
    keys: &[(u32, &SwitchingKey<P>)],
    add: View<'_>,
) -> Result<Vec<Buf>> {
    let plans = ctx.params().level(level);
    let (mod_up, division) = (&plans.mod_up, &plans.mod_down);
    let digits = digits.view(mod_up.beta());
    let mut bufs = keys.iter().map(|_| ctx.alloc(2 * division.dst.len())).collect::<Result<Vec<_>>>()?;
    let kept = keys.iter().all(|(_, key)| key.memory() == KeyMemory::Expanded);
    let keys_per_call = if kept { keys.len().max(1) } else { 1 };
    for (bufs, keys) in bufs.chunks_mut(keys_per_call).zip(keys.chunks(keys_per_call)) {
        let plans: Vec<_> = keys.iter().map(|&(galois, _)| ctx.params().automorphism(galois)).collect();
        let keys = keys.iter().map(|(_, key)| key.at(level)).collect::<Result<Vec<_>>>()?;
        let rotations: Vec<_> = keys.iter().zip(&plans).map(|(key, plan)| (key.view(), &**plan)).collect();
        let mut dst: Vec<_> = bufs.iter_mut().map(|buf| buf.view_mut(2)).collect();
        let rotations = HoistedRotations { digits, mod_up, division, add, rotations: &rotations };
        ctx.backend().hoisted_rotations(&mut dst, &rotations)?;
    }
    Ok(bufs)
}

/// The digits of `x` over `P ++ Q_l`, to be used with several keys (hoisting).
pub(crate) fn hoist<P: ChainParameters>(ctx: &Context<P>, x: View<'_>, level: usize) -> Result<Buf> {
    let plans = ctx.params().level(level);
    let beta = plans.mod_up.beta();
    let mut digits = ctx.alloc(beta * plans.extended.len())?;
    ctx.backend().mod_up(digits.view_mut(beta), x, &plans.mod_up)?;
    Ok(digits)
}
