//! The product of BFV, with residues over Q and a second basis R (Kim, Polyakov and Zucca, ePrint
//! 2021/204, after Halevi, Polyakov and Shoup, ePrint 2018/117).
//!
//! The second factor is divided by Q and multiplied by R, so that the tensor product of both, over
//! `Q * R`, divided by R is that of BFV. The division is by R and not by R/t: relinearisation
//! multiplies by t, as for products of BGV.

use ringjet_backend::plan::ModUpPlan;
use ringjet_backend::{Backend, Buf, View, ViewMut};

use super::{Context, Parameters};
use crate::Result;
use crate::noise::ErrorTerm;

/// Writes the three polynomials of `a * b` for one component, with the correction factor
/// `-f_a * f_b / Q`.
pub(super) fn product(ctx: &Context, dst: ViewMut<'_>, a: View<'_>, b: View<'_>) -> Result<()> {
    let (plans, backend) = (ctx.params().bfv()?, ctx.backend());
    let (q, r) = (plans.from_q.src.len(), plans.from_r.src.len());
    let limbs = q + r;
    let extended = &plans.by_r.src;
    let mut first = ctx.alloc(2 * limbs)?;
    extend(backend, &mut first, a, &plans.from_q)?;
    let mut over_r = ctx.alloc(2 * r)?;
    backend.divide_round(over_r.view_mut(2), b, &plans.to_r, None)?;
    let mut second = ctx.alloc(2 * limbs)?;
    extend(backend, &mut second, over_r.view(2), &plans.from_r)?;
    // the second factor is over Q ++ R: its limbs in the order R ++ Q
    let order: Vec<usize> = (q..limbs).chain(0..q).collect();
    let mut tensor = ctx.alloc(3 * limbs)?;
    backend.tensor(tensor.view_mut(3), first.view(2), second.view(2).choose(&order), extended)?;
    Ok(backend.divide_round(dst, tensor.view(3), &plans.by_r, None)?)
}

/// Extends both polynomials of a ciphertext to another basis.
fn extend(backend: &dyn Backend, out: &mut Buf, src: View<'_>, plan: &ModUpPlan) -> Result<()> {
    (0..2).try_for_each(|i| Ok(backend.mod_up(out.view_mut(2).poly(i), src.poly(i), plan)?))
}

/// The bounds of a product at `level`. With `u = t * (c_0 + c_1 * s) / Q` for each factor, which is
/// `k + w / Q` for the number k of times that the factor wraps around the modulus, it is
///
/// ```text
/// w_a * u_b + u_a * w_b - w_a * w_b / Q + (Q / R) * u_a * t * r_b + t^2 * r.
/// ```
///
/// u is as large as a rounding. It belongs to its factor: where a factor is used again, so is its u.
pub(super) fn product_error(params: &Parameters, level: usize, a: ErrorTerm, b: ErrorTerm) -> ErrorTerm {
    let (sizes, at_level) = (params.sizes(), params.level_noise(level));
    // where R does not exist, the product itself says so
    let to_r = params.bfv().map_or(1.0, |plans| (at_level.log2_q - plans.log2_r).exp2());
    let [rounding, of_product] = at_level.rounding;
    let u = sizes.wraps();
    let both = a.scaled((-at_level.log2_q).exp2()).product(b);
    a.product(u) + b.product(u) + both + u.product(rounding).scaled(to_r) + of_product
}
