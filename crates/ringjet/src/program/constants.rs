//! The constants of operations as bytes. Vectors, matrices and polynomials are stored once, however
//! many operations use them.

use std::collections::HashMap;
use std::sync::Arc;

use ringjet_math::fft::Complex64;
use sha2::{Digest, Sha256};

use crate::circuits::{Basis, DiagonalForm, DiagonalValues, LinearTransform, Polynomial};
use crate::dynamic::{Scalar, Transform, Values};
use crate::wire::{Field, Input as _, Reader as Bytes};
use crate::{Error, Result, Stated};

/// Length of a digest.
pub(super) const DIGEST: usize = 32;

/// Vectors, matrices and polynomials, each once.
#[derive(Clone)]
pub(super) enum Shared {
    Values(Arc<Values>),
    Transform(Arc<Transform>),
    Polynomial(Arc<Polynomial>),
}

/// Writes the operations, and collects the constants that they share.
#[derive(Default)]
pub(super) struct Writer {
    pub out: Vec<u8>,
    pub constants: Vec<Vec<u8>>,
    known: HashMap<[u8; DIGEST], u32>,
}

impl Writer {
    /// Writes the number of a constant, which is stored once.
    fn shared(&mut self, bytes: Vec<u8>) -> Result<()> {
        let digest: [u8; DIGEST] = Sha256::digest(&bytes).into();
        let next = self.constants.len() as u32;
        let number = *self.known.entry(digest).or_insert(next);
        if number == next {
            self.constants.push(bytes);
        }
        number.put(&mut self.out)
    }
}

/// Reads the operations, and knows their constants.
pub(super) struct Reader<'a> {
    pub from: Bytes<'a>,
    pub constants: Vec<Shared>,
}

impl Reader<'_> {
    pub fn malformed(&self, reason: String) -> Error {
        self.from.malformed(reason)
    }

    fn shared(&mut self) -> Result<Shared> {
        let number = u32::read(&mut self.from)?;
        let found = self.constants.get(number as usize).cloned();
        found.ok_or_else(|| self.malformed(format!("there is no constant {number}")))
    }
}

/// A constant of an operation.
pub(super) trait Constant: Sized {
    fn store(&self, w: &mut Writer) -> Result<()>;
    fn load(r: &mut Reader<'_>) -> Result<Self>;
}

macro_rules! plain {
    ($($T:ty),*) => { $(
        impl Constant for $T {
            fn store(&self, w: &mut Writer) -> Result<()> {
                self.put(&mut w.out)
            }

            fn load(r: &mut Reader<'_>) -> Result<Self> {
                Field::read(&mut r.from)
            }
        }
    )* };
}
plain! { u32, i64, usize, f64, bool, String, Scalar, Vec<i64>, Vec<bool>, Vec<Complex64>, Option<usize>, Option<u32> }

macro_rules! shared {
    ($($T:ident),*) => { $(
        impl Constant for Arc<$T> {
            fn store(&self, w: &mut Writer) -> Result<()> {
                let mut bytes = Vec::new();
                Shared::$T(Arc::clone(self)).put(&mut bytes)?;
                w.shared(bytes)
            }

            fn load(r: &mut Reader<'_>) -> Result<Self> {
                match r.shared()? {
                    Shared::$T(found) => Ok(found),
                    _ => Err(r.malformed(concat!("a constant of another kind than ", stringify!($T)).into())),
                }
            }
        }
    )* };
}
shared! { Values, Transform, Polynomial }

/// Most polynomials of one value in a stored operation.
const MOST_POLYNOMIALS: usize = 4096;

impl Constant for Vec<Arc<Polynomial>> {
    fn store(&self, w: &mut Writer) -> Result<()> {
        self.len().put(&mut w.out)?;
        self.iter().try_for_each(|p| p.store(w))
    }

    fn load(r: &mut Reader<'_>) -> Result<Self> {
        let count = usize::read(&mut r.from)?;
        if count > MOST_POLYNOMIALS {
            return Err(r.malformed(format!("{count} polynomials of one value: at most {MOST_POLYNOMIALS} are known")));
        }
        (0..count).map(|_| Constant::load(r)).collect()
    }
}

/// Bytes that begin with a tag, one for each kind.
macro_rules! tagged {
    ($T:ty, $this:ident, $out:ident, $r:ident: $($tag:literal $pattern:pat => $put:expr, $read:expr;)*) => {
        impl Field for $T {
            fn put(&self, $out: &mut Vec<u8>) -> Result<()> {
                match self {
                    $($pattern => {
                        $out.push($tag);
                        $put
                    })*
                }
            }

            fn read($r: &mut impl crate::wire::Input) -> Result<Self> {
                let here = $r.offset();
                match u8::read($r)? {
                    $($tag => $read,)*
                    other => Err($r.malformed_at(here, format!("{other} is no kind of {}", stringify!($T)))),
                }
            }
        }
    };
}

tagged! { Scalar, this, out, r:
    0 Self::Number(x) => x.put(out), Ok(Self::Number(f64::read(r)?));
    1 Self::Integer(x) => x.put(out), Ok(Self::Integer(i64::read(r)?));
}
tagged! { Values, this, out, r:
    0 Self::Numbers(all) => all.put(out), Ok(Self::Numbers(Vec::read(r)?));
    1 Self::Integers(all) => all.put(out), Ok(Self::Integers(Vec::read(r)?));
}
tagged! { Basis, this, out, r:
    0 Self::Power => Ok(()), Ok(Self::Power);
    1 Self::Chebyshev { a, b } => [*a, *b].put(out), <[f64; 2]>::read(r).map(|[a, b]| Self::Chebyshev { a, b });
}
tagged! { Stated, this, out, r:
    0 Self::Magnitude(x) => x.put(out), Ok(Self::Magnitude(f64::read(r)?));
    1 Self::Interval(a, b) => [*a, *b].put(out), <[f64; 2]>::read(r).map(|[a, b]| Self::Interval(a, b));
}
tagged! { DiagonalForm, this, out, r:
    0 Self::Encoded => Ok(()), Ok(Self::Encoded);
    1 Self::Coefficients => Ok(()), Ok(Self::Coefficients);
}
tagged! { DiagonalValues, this, out, r:
    0 Self::Real(all) => all.put(out), Ok(Self::Real(Vec::read(r)?));
    1 Self::Complex(all) => all.put(out), Vec::<Complex64>::read(r)?.try_into();
}
tagged! { Shared, this, out, r:
    0 Self::Values(values) => values.put(out), Ok(Self::Values(Arc::new(Values::read(r)?)));
    1 Self::Transform(matrix) => matrix.linear().put(out), Ok(Self::Transform(Arc::new(LinearTransform::read(r)?.into())));
    2 Self::Polynomial(p) => p.put(out), Ok(Self::Polynomial(Arc::new(Polynomial::read(r)?)));
}

impl Field for i64 {
    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(&self.to_le_bytes());
        Ok(())
    }

    fn read(r: &mut impl crate::wire::Input) -> Result<Self> {
        Ok(Self::from_le_bytes(r.array()?))
    }
}

impl Field for String {
    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        self.len().put(out)?;
        out.extend_from_slice(self.as_bytes());
        Ok(())
    }

    fn read(r: &mut impl crate::wire::Input) -> Result<Self> {
        let (here, len) = (r.offset(), usize::read(r)?);
        let bytes = r.next(len)?.to_vec();
        Self::from_utf8(bytes).map_err(|e| r.malformed_at(here, e.to_string()))
    }
}

impl Field for Complex64 {
    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        [self.re, self.im].put(out)
    }

    fn read(r: &mut impl crate::wire::Input) -> Result<Self> {
        <[f64; 2]>::read(r).map(|[re, im]| Self { re, im })
    }
}

impl Field for Polynomial {
    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        self.basis().put(out)?;
        self.coefficients().to_vec().put(out)?;
        self.slope().put(out)?;
        self.points().to_vec().put(out)
    }

    fn read(r: &mut impl crate::wire::Input) -> Result<Self> {
        let here = r.offset();
        let (basis, coefficients) = (Basis::read(r)?, Vec::<f64>::read(r)?);
        let made = Self::new(basis, &coefficients).map_err(|e| r.malformed_at(here, e.to_string()))?;
        let slope: Option<f64> = Field::read(r)?;
        let made = slope.map_or(made.clone(), |slope| made.with_slope(slope));
        let points = Field::read(r)?;
        made.with_points(points).map_err(|e| r.malformed_at(here, e.to_string()))
    }
}

impl Field for LinearTransform {
    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        let (rows, columns) = self.shape();
        self.form().put(out)?;
        [self.slots(), rows, columns, self.diagonals().len()].iter().try_for_each(|n| n.put(out))?;
        self.diagonals().iter().try_for_each(|(k, diagonal)| {
            k.put(out)?;
            diagonal.put(out)
        })
    }

    fn read(r: &mut impl crate::wire::Input) -> Result<Self> {
        let here = r.offset();
        let form = DiagonalForm::read(r)?;
        let (slots, rows, columns) = (usize::read(r)?, usize::read(r)?, usize::read(r)?);
        let mut diagonals = std::collections::BTreeMap::new();
        for _ in 0..usize::read(r)? {
            let k = usize::read(r)?;
            if diagonals.last_key_value().is_some_and(|(&last, _)| k <= last) {
                return Err(r.malformed("diagonals are not in order"));
            }
            diagonals.insert(k, DiagonalValues::read(r)?);
        }
        let made = Self::from_values(slots, diagonals).and_then(|made| made.with_shape((rows, columns)));
        made.map(|made| made.with_form(form)).map_err(|e| r.malformed_at(here, e.to_string()))
    }
}
