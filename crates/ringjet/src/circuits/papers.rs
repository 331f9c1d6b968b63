//! What orders of computation outside this crate need of its circuits: the orders of published cost
//! models, and ablations, are the crate `ringjet-papers`. Only the feature `papers` opens this
//! module, and the library itself does not use it.

use std::collections::BTreeMap;
use std::sync::Arc;

use ringjet_backend::plan::AutomorphismPlan;
use ringjet_backend::{Buf, View};

use super::{Bootstrapper, DiagonalForm, EncodedTransform, LinearTransform};
use crate::circuits::transform::encoded::Kind;
use crate::circuits::transform::hoisting::Hoisting;
use crate::ckks::Position;
use crate::ckks::noise::rounding;
use crate::rlwe::keyswitch::{KeyAt, KeyPlan};
use crate::{Ciphertext, Context, Evaluator, Noise, Parameters, Result, Scale};

pub use super::bootstrap::matrices::{Factor, Matrix};
pub use super::polyeval::{UNIT, levelled, mapped, polynomial_at};
pub use super::polynomial::divide;
pub use super::transform::Rows;
pub use super::transform::diagonals::{Diagonal, Kept, Values};
pub use super::transform::encoded::{Scales, TransformShape, own_scales};
pub use crate::diagonals::{Split, even_groups, folded, log2_ceil, rotations};

/// The keys of [`Bootstrapper::key_plan`], where `rotations` maps the diagonals of a matrix, and its slots,
/// to rotations. Fails as that does.
pub fn key_plan(params: &Parameters, log_slots: u32, rotations: impl Fn(&[i64], usize) -> Vec<i64>) -> Result<KeyPlan> {
    params.bootstrap_keys_by(log_slots, |_, diagonals, slots| rotations(diagonals, slots))
}

/// [`Bootstrapper::new`] with matrices encoded by `encode`, and with a cosine of another degree than
/// the parameters have. With `join` one EvalMod takes both parts of few slots, by the evaluator's own
/// order of a polynomial; `encode` must give the last matrix the same rotations with twice the slots.
/// Where the keys contain CoeffsToSlots as a whole, it always does.
/// Fails as that does.
pub fn bootstrapper(
    ctx: &Context,
    log_slots: u32,
    (degree, join): (Option<usize>, bool),
    progress: impl FnMut(usize, usize) -> bool,
    encode: impl Fn(&Matrix) -> Result<EncodedTransform>,
) -> Result<Bootstrapper> {
    Bootstrapper::from_matrices(ctx, log_slots, (degree, join), progress, encode)
}

/// Encodes a transform, given the inner and the outer rotation and the values of each diagonal.
/// Fails as [`LinearTransform::encode`] does.
pub fn encode(
    ctx: &Context,
    slots: usize,
    rows: Rows,
    (level, scales): (usize, Scales),
    diagonals: impl Iterator<Item = Result<((i64, i64), Values)>>,
) -> Result<EncodedTransform> {
    let kind = Kind { slots, form: DiagonalForm::Encoded, hoisting: Hoisting::Double, chain: None };
    EncodedTransform::new(ctx, kind, rows, level, scales, diagonals)
}

/// The sizes of a matrix's rows.
pub fn rows(matrix: &LinearTransform) -> Result<Rows> {
    matrix.rows()
}

/// The encoded diagonals of each outer rotation.
pub fn groups(transform: &EncodedTransform) -> &BTreeMap<i64, Vec<Diagonal>> {
    &transform.groups
}

/// The transform with each encoded diagonal replaced by `replace(diagonal)`.
pub fn with_diagonals(
    mut transform: EncodedTransform,
    replace: impl Fn(Buf) -> Result<Buf>,
) -> Result<EncodedTransform> {
    for group in transform.groups.values_mut() {
        let replaced = std::mem::take(group).into_iter().map(|d| match d.kept {
            Kept::Encoded(buf) => Ok(Diagonal { kept: Kept::Encoded(replace(buf)?), ..d }),
            kept => Ok(Diagonal { kept, ..d }),
        });
        *group = replaced.collect::<Result<_>>()?;
    }
    Ok(transform)
}

/// The scale of a ciphertext times an encoded diagonal, and the scale of the result.
pub fn scales(transform: &EncodedTransform) -> Scales {
    (transform.from * transform.scale, transform.to)
}

/// The inner rotations, increasing.
pub fn inner_rotations(transform: &EncodedTransform) -> Vec<i64> {
    transform.babies()
}

/// The sum of each outer rotation over `P ++ Q_l`, before it is rotated: a pair of polynomials.
/// Fails where a key is missing.
pub fn inner_sums(transform: &EncodedTransform, eval: &Evaluator, x: &Ciphertext) -> Result<Buf> {
    transform.inner_sums(eval, x)
}

/// [`EncodedTransform::apply`] with `product` on the ciphertext at the transform's level. Fails as that
/// does.
pub fn apply_by(
    transform: &EncodedTransform,
    eval: &Evaluator,
    x: &Ciphertext,
    product: impl FnOnce(&Ciphertext) -> Result<Ciphertext>,
) -> Result<Ciphertext> {
    transform.apply_by(eval, x, product)
}

/// The noise of a transform's product before it is rescaled.
pub fn noise(transform: &EncodedTransform, x: &Ciphertext) -> Noise {
    transform.noise(x.params(), x.noise())
}

/// The noise of a transform's product that is rescaled, and rounded once more.
pub fn noise_rounded_twice(transform: &EncodedTransform, x: &Ciphertext) -> Noise {
    transform.rescaled_noise(x.params(), x.noise()).plus(rounding(x.params()))
}

/// The polynomials of a ciphertext.
pub fn view(x: &Ciphertext) -> View<'_> {
    x.view()
}

/// A result of two polynomials, at a level and a scale, computed from `like`.
pub fn result_like(
    eval: &Evaluator,
    like: &Ciphertext,
    buf: Buf,
    (level, scale): (usize, Scale),
    noise: Noise,
) -> Ciphertext {
    eval.result_like(like, buf, 2, Position { level, scale }, noise)
}

/// Rescales a product and declares the scale `target`.
/// Fails with [`Error::ScaleMismatch`](crate::Error::ScaleMismatch) for another scale, and as
/// [`Evaluator::rescale`] does.
pub fn rescale_to_scale(eval: &Evaluator, product: &Ciphertext, target: Scale) -> Result<Ciphertext> {
    eval.rescale_to_scale(product, target)
}

/// The key of a rotation of `a` for use at `level`, and the automorphism.
/// Fails where there is no such key.
pub fn rotation_key<'a>(
    eval: &'a Evaluator,
    a: &Ciphertext,
    steps: i64,
    level: usize,
) -> Result<(KeyAt<'a>, Arc<AutomorphismPlan>)> {
    let (galois, key) = eval.rotation_key(a, steps)?;
    Ok((key.at(level)?, a.params().automorphism(galois)))
}
