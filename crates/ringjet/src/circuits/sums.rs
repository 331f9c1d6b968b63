//! Sums of slots.

use std::collections::BTreeSet;

use super::Arithmetic;
use crate::vectors::{Ciphertext, Evaluator, Operations};
use crate::{Error, Result};

/// The sum of `count` slots at distance `stride`: slot j becomes the sum of slots `j + i * stride`
/// for i from 0 to `count - 1`. Level and scale stay.
///
/// # Errors
/// [`Error::Argument`] for a count of 0; [`Error::MissingRotationKey`],
/// [`Error::MissingRotationKeys`] for rotations of [`inner_sum_rotations`]; [`Error::Overflow`]
/// where the sum could wrap around the modulus.
pub fn inner_sum<E: Arithmetic>(
    eval: &E,
    a: &Ciphertext<E::Params>,
    stride: i64,
    count: usize,
) -> Result<Ciphertext<E::Params>> {
    inner_sum_of(eval, a, stride, count, count)
}

/// [`inner_sum`] where the caller knows that at most `terms` of the slots of every sum are not zero.
/// The bound on the sum is then that of so many terms.
pub fn inner_sum_of<E: Arithmetic>(
    eval: &E,
    a: &Ciphertext<E::Params>,
    stride: i64,
    count: usize,
    terms: usize,
) -> Result<Ciphertext<E::Params>> {
    eval.evaluator().expect_rotations(a, &inner_sum_rotations(stride, count))?;
    for (name, number) in [("count", count), ("terms", terms)] {
        if number == 0 {
            return Err(Error::argument(name, 0, "at least 1"));
        }
    }
    if count == 1 {
        return Ok(a.clone());
    }
    let mut a = a.clone().everywhere();
    if terms < count {
        // each slot counts as its part of such a sum
        let (range, part) = (a.noise().range().with_zero(), terms as f64 / count as f64);
        a = a.with_range(range.scaled(part));
    }
    let noise = a.noise().inner_sum(stride, count, a.row_slots(), E::Params::switching_error(&a));
    a.expect_room("inner_sum", noise)?;
    // Invariant: `window` sums `width` slots, `sum` the `covered` slots of `count`'s lower bits.
    let (mut window, mut width) = (a, 1usize);
    let (mut sum, mut covered): (Option<Ciphertext<E::Params>>, usize) = (None, 0);
    loop {
        if count & width != 0 {
            let part = eval.evaluator().rotate(&window, stride * covered as i64)?;
            let joined = sum.map_or(Ok(part.clone()), |s| eval.evaluator().add_auto(&s, &part))?;
            covered += width;
            if covered == count {
                return Ok(joined.with_noise(noise));
            }
            sum = Some(joined);
        }
        window = eval.evaluator().add_auto(&window, &eval.evaluator().rotate(&window, stride * width as i64)?)?;
        width *= 2;
    }
}

impl<P: Operations> Evaluator<P>
where
    Self: Arithmetic<Params = P>,
{
    /// The sum of `count` slots at distance `stride`, by [`inner_sum`], with the rotations of
    /// [`inner_sum_rotations`]. Fails as [`inner_sum`] does.
    pub fn inner_sum(&self, a: &Ciphertext<P>, stride: i64, count: usize) -> Result<Ciphertext<P>> {
        inner_sum(self, a, stride, count)
    }

    /// [`Self::inner_sum`] where at most `terms` of the slots of every sum are not zero.
    pub fn inner_sum_of(&self, a: &Ciphertext<P>, stride: i64, count: usize, terms: usize) -> Result<Ciphertext<P>> {
        inner_sum_of(self, a, stride, count, terms)
    }
}

/// The rotations of [`inner_sum`]: by `stride * 2^i`, and more unless `count` is a power of two.
pub fn inner_sum_rotations(stride: i64, count: usize) -> Vec<i64> {
    let (mut rotations, mut covered, mut width) = (BTreeSet::new(), 0usize, 1usize);
    while covered < count {
        if count & width != 0 {
            rotations.insert(stride * covered as i64);
            covered += width;
        }
        if covered < count {
            rotations.insert(stride * width as i64);
            width *= 2;
        }
    }
    rotations.remove(&0);
    rotations.into_iter().collect()
}
