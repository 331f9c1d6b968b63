//! Sums of slots.

use std::collections::BTreeSet;

use super::Arithmetic;
use crate::vectors::{Ciphertext, Evaluator, Operations};
use crate::{Error, Result};

/// The sum of `count` slots at distance `stride`: slot j becomes the sum of slots `j + i * stride`
/// for i from 0 to `count - 1`, where slots go around their row. Level and scale stay.
///
/// # Errors
/// [`Error::Argument`] for a count of 0; [`Error::Window`] for more slots than a row has at this
/// distance, of which some would be added twice; [`Error::MissingRotationKey`],
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
    for (name, number) in [("count", count), ("terms", terms)] {
        if number == 0 {
            return Err(Error::argument(name, 0, "at least 1"));
        }
    }
    expect_window(stride, count, a.row_slots())?;
    if count == 1 {
        return Ok(a.clone());
    }
    eval.evaluator().expect_rotations(a, &inner_sum_rotations(stride, count))?;
    let mut a = a.clone().everywhere();
    if terms < count {
        // each slot counts as its part of such a sum
        let (range, part) = (a.noise().range().with_zero(), terms as f64 / count as f64);
        a = a.with_range(range.scaled(part));
    }
    let noise = a.noise().inner_sum(count, E::Params::switching_error(&a));
    a.expect_room("inner_sum", noise)?;
    // Invariant: `window` sums `width` slots, `sum` the `covered` slots of `count`'s lower bits.
    let (mut window, mut width) = (a, 1usize);
    let (mut sum, mut covered): (Option<Ciphertext<E::Params>>, usize) = (None, 0);
    loop {
        if count & width != 0 {
            let part = eval.evaluator().rotate(&window, stride.wrapping_mul(covered as i64))?;
            let joined = sum.map_or(Ok(part.clone()), |s| eval.evaluator().add_auto(&s, &part))?;
            covered += width;
            if covered == count {
                return Ok(joined.with_noise(noise));
            }
            sum = Some(joined);
        }
        let rotated = eval.evaluator().rotate(&window, stride.wrapping_mul(width as i64))?;
        window = eval.evaluator().add_auto(&window, &rotated)?;
        width *= 2;
    }
}

/// Refuses a window that goes around a row of `slots` slots, a power of two, and meets a slot twice.
fn expect_window(stride: i64, count: usize, slots: usize) -> Result<()> {
    // slots j and j + i * stride are the same where slots divides i * stride
    let distinct = slots >> stride.trailing_zeros().min(slots.trailing_zeros());
    if count > distinct {
        return Err(Error::Window { stride, count, slots, distinct });
    }
    Ok(())
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
/// Products that are no `i64` are taken modulo 2^64, which is the same rotation of any row.
pub fn inner_sum_rotations(stride: i64, count: usize) -> Vec<i64> {
    let (mut rotations, mut covered, mut width) = (BTreeSet::new(), 0usize, 1usize);
    while covered < count {
        if count & width != 0 {
            rotations.insert(stride.wrapping_mul(covered as i64));
            covered += width;
        }
        if covered < count {
            rotations.insert(stride.wrapping_mul(width as i64));
            width *= 2;
        }
    }
    rotations.remove(&0);
    rotations.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_meet_every_slot_once() {
        // by going through the slots
        let most = |stride: i64, slots: usize| {
            let places: BTreeSet<_> = (0..slots as i64).map(|i| (i * stride).rem_euclid(slots as i64)).collect();
            places.len()
        };
        for slots in [1, 2, 8, 64] {
            for stride in -70..=70 {
                let distinct = most(stride, slots);
                assert_eq!(expect_window(stride, distinct, slots), Ok(()), "{stride} {slots}");
                let refused = Error::Window { stride, count: distinct + 1, slots, distinct };
                assert_eq!(expect_window(stride, distinct + 1, slots), Err(refused));
            }
        }
        assert_eq!(
            expect_window(i64::MIN, 2, 64),
            Err(Error::Window { stride: i64::MIN, count: 2, slots: 64, distinct: 1 })
        );
        // products beyond 2^63 are rotations modulo 2^64
        assert_eq!(inner_sum_rotations(i64::MAX, 4), vec![-2, i64::MAX]);
    }
}
