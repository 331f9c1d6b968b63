//! How many of the first slots of a vector hold values.

use super::{Field, Input};
use crate::{Error, Result};

/// How many of the first slots hold values, and whether all other slots hold 0. Both are public.
///
/// The rule for operations: an operation on single slots keeps the number. An operation on two
/// vectors keeps the number of the one that holds fewer values, if the other one holds a value in
/// every slot; two different numbers below that of the slots are refused. An operation that moves
/// values between slots gives a vector that holds a value in every slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// `None`: every slot.
    first: Option<u32>,
    zeros: bool,
}

impl Held {
    /// A value in every slot.
    pub(crate) const ALL: Self = Self { first: None, zeros: false };

    /// Values in the first `count` of `slots` slots. `zeros`: all other slots hold 0.
    /// Fails with [`Error::Argument`] for a count of 0 or above `slots`.
    pub(crate) fn first(count: usize, slots: usize, zeros: bool) -> Result<Self> {
        match count {
            _ if count == slots => Ok(Self::ALL),
            0 => Err(Self::refused(count, slots)),
            _ if count > slots => Err(Self::refused(count, slots)),
            _ => Ok(Self { first: Some(count as u32), zeros }),
        }
    }

    fn refused(count: usize, slots: usize) -> Error {
        Error::argument("count", count, format!("1 to {slots}, the number of slots"))
    }

    /// The number of values in `slots` slots.
    pub(crate) fn count(self, slots: usize) -> usize {
        self.first.map_or(slots, |count| count as usize)
    }

    /// Whether the slots without a value are known to hold 0. False where every slot has a value.
    pub(crate) fn zeros(self) -> bool {
        self.zeros
    }

    /// The same vector of `slots` slots, stated to hold `count` values.
    /// Fails as [`Held::first`] does.
    pub(crate) fn counting(self, count: usize, slots: usize) -> Result<Self> {
        // slots that held values become padding, which is not known to be 0
        Self::first(count, slots, self.zeros && count >= self.count(slots))
    }

    /// What a vector of `2^from` slots holds that is read as one of `2^to`: in more slots its values
    /// repeat, so slots after the first values hold values again; in fewer slots the values are stated
    /// to fit.
    pub(crate) fn repeated(self, from: u32, to: u32) -> Self {
        match (from.cmp(&to), self.first) {
            (std::cmp::Ordering::Equal, _) => self,
            (std::cmp::Ordering::Less, Some(_)) => self.unknown(),
            (std::cmp::Ordering::Greater, Some(count)) if count >> to == 0 => self,
            _ => Self::ALL,
        }
    }

    /// The same number of values; nothing is known of the other slots.
    pub(crate) fn unknown(self) -> Self {
        Self { zeros: false, ..self }
    }

    fn joined(self, other: Self, zeros: bool) -> Result<Self> {
        let first = match (self.first, other.first) {
            (Some(lhs), Some(rhs)) if lhs != rhs => {
                return Err(Error::CountMismatch { lhs: lhs as usize, rhs: rhs as usize });
            }
            (lhs, rhs) => lhs.or(rhs),
        };
        Ok(Self { first, zeros })
    }

    /// What a sum holds. Fails with [`Error::CountMismatch`].
    pub(crate) fn sum(self, other: Self) -> Result<Self> {
        self.joined(other, self.zeros && other.zeros)
    }

    /// What a product slot by slot holds. Fails with [`Error::CountMismatch`].
    pub(crate) fn product(self, other: Self) -> Result<Self> {
        self.joined(other, self.zeros || other.zeros)
    }

    /// What the sum with a plaintext holds that fills its own slots up with 0, in a vector of `slots`
    /// slots.
    pub(crate) fn plus_plain(self, plain: Self, slots: usize) -> Self {
        let within = plain.zeros && plain.count(slots) <= self.count(slots);
        Self { zeros: self.zeros && within, ..self }
    }

    /// What the product with a plaintext holds.
    pub(crate) fn times_plain(self, plain: Self, slots: usize) -> Self {
        let within = plain.zeros && plain.count(slots) <= self.count(slots) && self.first.is_some();
        Self { zeros: self.zeros || within, ..self }
    }

    /// Reads the fields of a vector of `slots` slots: the number of values, and whether all others
    /// are 0.
    pub(super) fn read(r: &mut impl Input, slots: usize) -> Result<Self> {
        let here = r.offset();
        let (count, zeros) = (u32::read(r)? as usize, bool::read(r)?);
        let known = Self::first(count, slots, zeros).ok().filter(|held| held.zeros == zeros);
        known.ok_or_else(|| r.malformed_at(here, format!("{count} values do not fit {slots} slots")))
    }

    /// Writes the fields that [`Held::read`] reads.
    pub(super) fn put(self, slots: usize, out: &mut Vec<u8>) -> Result<()> {
        (self.count(slots) as u32).put(out)?;
        self.zeros.put(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_join_by_the_rule() {
        let (all, three) = (Held::ALL, Held::first(3, 8, true).unwrap());
        assert_eq!((all.count(8), three.count(8), Held::first(8, 8, true)), (8, 3, Ok(all)));
        assert_eq!((three.sum(three), three.sum(all)), (Ok(three), Ok(three.unknown())));
        assert_eq!((three.product(all), three.unknown().product(three)), (Ok(three), Ok(three)));
        assert_eq!((all.sum(all), all.product(all)), (Ok(all), Ok(all)));
        assert_eq!((three.repeated(3, 3), three.repeated(3, 4)), (three, three.unknown()));
        assert_eq!((three.repeated(3, 2), three.repeated(3, 1), all.repeated(3, 4)), (three, all, all));
        let two = Held::first(2, 8, true).unwrap();
        for refused in [three.sum(two), three.product(two)] {
            assert_eq!(refused, Err(Error::CountMismatch { lhs: 3, rhs: 2 }));
        }
        assert!([0, 9].iter().all(|&n| matches!(Held::first(n, 8, true), Err(Error::Argument { name: "count", .. }))));
    }
}
