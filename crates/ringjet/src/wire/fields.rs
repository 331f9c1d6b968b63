//! Values as bytes, field by field. Each value has one encoding: writing a value that was read
//! gives the same bytes.
//!
//! Integers and `f64` are little endian. A list is its length in 4 bytes, followed by its elements.
//! An option is one byte, 0 or 1; after 1 the value follows.

use super::stream::{Input, Writer};
use crate::rlwe::ModulusSpec;
use crate::rng::PublicSeed;
use crate::{Error, Range, Result, Scale};

/// A value that has an encoding.
pub trait Field: Sized {
    /// Appends the encoding to `out`.
    ///
    /// # Errors
    /// [`Error::Parameters`] for a number that does not fit in its bytes, [`Error::Argument`] for a
    /// value that readers refuse.
    fn put(&self, out: &mut Vec<u8>) -> Result<()>;

    /// Reads a value that [`Field::put`] wrote. Fails with [`Error::Malformed`] for other bytes.
    fn read(r: &mut impl Input) -> Result<Self>;

    fn write(&self, w: &mut Writer<'_>) -> Result<()> {
        let mut bytes = Vec::new();
        self.put(&mut bytes)?;
        w.put(&bytes)
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Field for $number {
            fn put(&self, out: &mut Vec<u8>) -> Result<()> {
                out.extend_from_slice(&self.to_le_bytes());
                Ok(())
            }

            fn read(r: &mut impl Input) -> Result<Self> {
                Ok(Self::from_le_bytes(r.array()?))
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, u128, f64);

/// Counts and indices take 4 bytes.
impl Field for usize {
    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        let number = u32::try_from(*self).map_err(|_| Error::Parameters(format!("{self} is above {}", u32::MAX)))?;
        number.put(out)
    }

    fn read(r: &mut impl Input) -> Result<Self> {
        Ok(u32::read(r)? as usize)
    }
}

impl Field for bool {
    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        u8::from(*self).put(out)
    }

    fn read(r: &mut impl Input) -> Result<Self> {
        let here = r.offset();
        match u8::read(r)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(r.malformed_at(here, format!("{other} where 0 or 1 belongs"))),
        }
    }
}

impl<T: Field> Field for Option<T> {
    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        self.is_some().put(out)?;
        self.as_ref().map_or(Ok(()), |value| value.put(out))
    }

    fn read(r: &mut impl Input) -> Result<Self> {
        if bool::read(r)? { T::read(r).map(Some) } else { Ok(None) }
    }
}

impl<T: Field> Field for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        self.len().put(out)?;
        self.iter().try_for_each(|element| element.put(out))
    }

    /// Allocates only for elements whose bytes are there, whatever length is stated.
    fn read(r: &mut impl Input) -> Result<Self> {
        (0..usize::read(r)?).map(|_| T::read(r)).collect()
    }
}

impl<const N: usize> Field for [f64; N] {
    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        self.iter().try_for_each(|x| x.put(out))
    }

    fn read(r: &mut impl Input) -> Result<Self> {
        let mut all = [0.0; N];
        for x in &mut all {
            *x = f64::read(r)?;
        }
        Ok(all)
    }
}

impl Field for PublicSeed {
    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(self.as_bytes());
        Ok(())
    }

    fn read(r: &mut impl Input) -> Result<Self> {
        Ok(Self::from_bytes(r.array()?))
    }
}

/// Only primes that are spelt out have an encoding.
impl Field for ModulusSpec {
    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        match self {
            Self::Primes(primes) => primes.put(out),
            Self::Bits(_) => Err(Error::Parameters("primes must be spelt out".into())),
        }
    }

    fn read(r: &mut impl Input) -> Result<Self> {
        Vec::read(r).map(Self::Primes)
    }
}

impl Field for Scale {
    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        let (high, low) = self.parts();
        let (value, expected) = (format!("{high:e} + {low:e}"), "a positive number within 2^-300 and 2^300");
        Self::from_parts(high, low).ok_or_else(|| Error::argument("scale", value, expected))?;
        [high, low].put(out)
    }

    fn read(r: &mut impl Input) -> Result<Self> {
        let here = r.offset();
        let [high, low] = Field::read(r)?;
        let scale = Self::from_parts(high, low);
        scale.ok_or_else(|| r.malformed_at(here, format!("{high:e} + {low:e} is no scale")))
    }
}

/// An overflowed bound, or NaN, is written as the largest double, which is the weakest bound.
pub(super) fn finite(x: f64) -> f64 {
    if x.is_nan() { f64::MAX } else { x.clamp(-f64::MAX, f64::MAX) }
}

pub(super) fn unbounded(x: f64) -> f64 {
    if x.abs() == f64::MAX { x * 2.0 } else { x }
}

impl Field for Range {
    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        self.parts().map(finite).put(out)
    }

    fn read(r: &mut impl Input) -> Result<Self> {
        let here = r.offset();
        let parts = <[f64; 4]>::read(r)?;
        let range = Self::from_parts(parts.map(unbounded)).filter(|_| parts.iter().all(|x| x.is_finite()));
        range.ok_or_else(|| r.malformed_at(here, format!("{parts:?} are no bounds on values")))
    }
}

/// Encodes a struct as its fields in this order.
macro_rules! record {
    ($type:ty { $($field:ident),+ }) => {
        impl $crate::wire::Field for $type {
            fn put(&self, out: &mut Vec<u8>) -> $crate::Result<()> {
                $(self.$field.put(out)?;)+
                Ok(())
            }

            fn read(r: &mut impl $crate::wire::Input) -> $crate::Result<Self> {
                $(let $field = $crate::wire::Field::read(r)?;)+
                Ok(Self { $($field),+ })
            }
        }
    };
}
pub(crate) use record;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::stream::Reader;

    fn read<T: Field>(bytes: &[u8]) -> Result<T> {
        let mut r = Reader::new(bytes, 0, "test");
        let value = T::read(&mut r)?;
        r.expect_remaining(0)?;
        Ok(value)
    }

    #[test]
    fn a_value_has_one_encoding() {
        let mut bytes = Vec::new();
        let value = (Some(vec![3usize, 256]), None::<u64>, true, 0x0102_0304u32, -2.5f64);
        value.0.put(&mut bytes).unwrap();
        assert_eq!(bytes, [1, 2, 0, 0, 0, 3, 0, 0, 0, 0, 1, 0, 0]);
        assert_eq!(read::<Option<Vec<usize>>>(&bytes), Ok(value.0));
        let mut bytes = Vec::new();
        value.1.put(&mut bytes).unwrap();
        value.2.put(&mut bytes).unwrap();
        value.3.put(&mut bytes).unwrap();
        value.4.put(&mut bytes).unwrap();
        assert_eq!(bytes, [0, 1, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 4, 0xc0]);
        for tag in 2..=255 {
            let refused = read::<Option<u32>>(&[tag, 0, 0, 0, 0]).unwrap_err();
            assert!(matches!(refused, Error::Malformed { offset: 0, .. }), "{refused}");
        }
        // a length without its elements, an option without its value, a byte too many
        for bytes in [&[255; 4][..], &[1, 0, 0, 0], &[0, 0, 0, 0, 0]] {
            assert!(read::<Vec<u32>>(bytes).is_err());
        }
        assert!(read::<Option<u16>>(&[1, 0]).is_err() && read::<Option<u16>>(&[0, 0]).is_err());
        #[cfg(target_pointer_width = "64")]
        assert!(matches!((1usize << 32).put(&mut Vec::new()), Err(Error::Parameters(_))));
    }
}
