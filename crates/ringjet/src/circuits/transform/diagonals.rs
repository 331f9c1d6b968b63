//! The diagonals of a transform for one level: how they are kept, and the factors that products make
//! of them.

use std::ops::Range;

use ringjet_backend::{Buf, Integers, repeat};
use ringjet_math::Basis;
use ringjet_math::embed::Coefficients;
use ringjet_math::fft::Complex64;
use ringjet_math::memory::{collected, expect};

use super::hoisting::Hoisting;
use crate::ckks::{Position, slots_coefficients, slots_gap};
use crate::{Context, Result, host};

/// How the diagonals of a matrix are kept for its products with CKKS ciphertexts. Products are the
/// same in both forms, bit for bit. The exact schemes keep nothing and encode at every use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DiagonalForm {
    /// As polynomials over `P ++ Q_l`, or Q_l where there are many, in the evaluation domain, ready for
    /// use: for n slots 8 bytes for each of 2 * n words and each prime.
    #[default]
    Encoded,
    /// As integer coefficients: for n slots 4 or 8 bytes for each of 2 * n words. Each product
    /// transforms every diagonal, in parts of at most [`MADE_AT_ONCE`] bytes.
    Coefficients,
}

/// Bytes of the factors that a product makes at a time of diagonals that are kept as coefficients.
pub const MADE_AT_ONCE: usize = 256 << 20;

/// Diagonals that each thread encodes between two transforms.
const ENCODED_AT_ONCE: usize = 4;

/// A diagonal's values, rotated back by its outer step; for counting backends their period.
pub enum Values {
    /// The values.
    Known(Vec<Complex64>),
    /// The period of values that only count.
    Period(usize),
}

/// A diagonal for one level.
#[derive(Debug)]
pub struct Diagonal {
    /// The inner rotation.
    pub baby: i64,
    /// The values.
    pub kept: Kept,
}

/// The values of a diagonal for one level.
#[derive(Debug)]
pub enum Kept {
    /// A polynomial over `P ++ Q_l`, for single hoisting over Q_l, in the form of
    /// [`compact`](ringjet_backend::Backend::compact) where it is a polynomial in a power of X.
    Encoded(Buf),
    /// Coefficients at the multiples of a gap. On a backend that only counts, a buffer of it stands for
    /// their memory.
    Coefficients(Narrow, Option<Buf>),
}

impl Kept {
    /// The bytes in memory.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Encoded(buf) => buf.limbs() * buf.n() * 8,
            Self::Coefficients(c, room) => room.as_ref().map_or_else(|| c.bytes(), |room| room.n() * 8),
        }
    }

    /// The coefficients, if these are kept.
    pub fn coefficients(&self) -> Option<Integers<'_>> {
        match self {
            Self::Encoded(_) => None,
            Self::Coefficients(c, _) => Some(c.view()),
        }
    }
}

/// Coefficients in the narrowest integers that hold them.
#[derive(Debug)]
pub enum Narrow {
    /// 32 bits.
    I32(Vec<i32>),
    /// 64 bits.
    I64(Vec<i64>),
    /// 128 bits.
    I128(Vec<i128>),
    /// This many coefficients without values, on a backend that only counts.
    Unknown(usize),
}

impl Narrow {
    fn of(coefficients: Coefficients) -> Result<Self> {
        Ok(match coefficients {
            Coefficients::I64(c) if c.iter().all(|&c| i32::try_from(c).is_ok()) => {
                Self::I32(collected(c.iter().map(|&c| c as i32))?)
            }
            Coefficients::I64(c) => Self::I64(c),
            Coefficients::I128(c) => Self::I128(c),
        })
    }

    fn bytes(&self) -> usize {
        match self {
            Self::I32(c) => size_of_val(&c[..]),
            Self::I64(c) => size_of_val(&c[..]),
            Self::I128(c) => size_of_val(&c[..]),
            Self::Unknown(_) => 0,
        }
    }

    fn view(&self) -> Integers<'_> {
        match self {
            Self::I32(c) => Integers::I32(c),
            Self::I64(c) => Integers::I64(c),
            Self::I128(c) => Integers::I128(c),
            Self::Unknown(len) => Integers::Unknown(*len),
        }
    }

    /// Every `step`-th coefficient, where the others are 0.
    fn every(self, step: usize) -> Result<Self> {
        Ok(match self {
            Self::I32(c) => Self::I32(collected(c.into_iter().step_by(step))?),
            Self::I64(c) => Self::I64(collected(c.into_iter().step_by(step))?),
            Self::I128(c) => Self::I128(collected(c.into_iter().step_by(step))?),
            Self::Unknown(len) => Self::Unknown(len / step),
        })
    }

    /// The largest power of two that divides the indices of all coefficients but zeros, and leaves at
    /// least 8 coefficients.
    fn spacing(&self) -> usize {
        let most = self.view().len() / 8;
        let bits = |nonzero: &dyn Fn(usize) -> bool| (0..8 * most).filter(|&i| nonzero(i)).fold(most, |all, i| all | i);
        let bits = match self {
            Self::I32(c) => bits(&|i| c[i] != 0),
            Self::I64(c) => bits(&|i| c[i] != 0),
            Self::I128(c) => bits(&|i| c[i] != 0),
            Self::Unknown(_) => 1,
        };
        1 << bits.trailing_zeros()
    }
}

/// Encodes the diagonals of one transform.
pub struct Encoder<'a> {
    /// The parameters and the backend.
    pub ctx: &'a Context,
    /// The level of the ciphertexts, and the scale of the diagonals.
    pub at: Position,
    /// The number of slots.
    pub slots: usize,
    /// How the diagonals are kept.
    pub form: DiagonalForm,
    /// Where baby steps are divided by P.
    pub hoisting: Hoisting,
}

impl Encoder<'_> {
    /// The number of diagonals that [`Encoder::encode`] should get at a time.
    pub fn at_once(&self) -> usize {
        ENCODED_AT_ONCE * self.ctx.backend().host_threads()
    }

    /// Refuses `count` diagonals for whose coefficients there is no memory.
    pub fn expect(&self, count: usize) -> Result<()> {
        let (n, kept) = (self.ctx.params().n(), self.form == DiagonalForm::Coefficients);
        let each = n / slots_gap(n, self.slots) * size_of::<i64>();
        let bytes = if kept && self.ctx.backend().computes() { count.saturating_mul(each) } else { 0 };
        Ok(expect(bytes)?)
    }

    /// Encodes diagonals, on all threads of the backend. Fails as [`crate::Plaintext::encode`] does.
    pub fn encode(&self, all: Vec<Values>) -> Result<Vec<Kept>> {
        let words = all.len() * self.ctx.params().n();
        let mut made: Vec<Result<Narrow>> = all.iter().map(|_| Ok(Narrow::Unknown(0))).collect();
        host::for_each(self.ctx.backend(), words, all.into_iter().zip(&mut made), |_, (values, place)| {
            *place = self.coefficients(&values);
        });
        made.into_iter().map(|c| self.kept(c?)).collect()
    }

    fn coefficients(&self, values: &Values) -> Result<Narrow> {
        let encoded = self.form == DiagonalForm::Encoded;
        let narrow = match values {
            Values::Known(values) => {
                match slots_coefficients(self.ctx, values, self.at, self.slots.trailing_zeros())? {
                    Some(c) => Narrow::of(c)?,
                    None => self.unknown(if encoded { period(values) } else { self.slots }),
                }
            }
            Values::Period(period) => self.unknown(if encoded { *period } else { self.slots }),
        };
        // Diagonals of a period shorter than the slots are polynomials in a higher power of X. Those
        // of a Fourier transform's first stages have very short periods.
        let step = if encoded { narrow.spacing() } else { 1 };
        if step > 1 { narrow.every(step) } else { Ok(narrow) }
    }

    fn unknown(&self, period: usize) -> Narrow {
        let n = self.ctx.params().n();
        Narrow::Unknown(n / slots_gap(n, period))
    }

    fn kept(&self, coefficients: Narrow) -> Result<Kept> {
        if self.form == DiagonalForm::Coefficients {
            let unknown = matches!(coefficients, Narrow::Unknown(_));
            let room = unknown.then(|| self.ctx.backend().alloc(1, coefficients.view().len())).transpose()?;
            return Ok(Kept::Coefficients(coefficients, room));
        }
        let plans = self.ctx.params().level(self.at.level);
        let basis = if self.hoisting == Hoisting::Single { &plans.basis } else { &plans.extended };
        factors(self.ctx, &[coefficients.view()], basis).map(Kept::Encoded)
    }
}

/// Values of all slots as a factor over `basis`, in the form of
/// [`compact`](ringjet_backend::Backend::compact). Fails as [`crate::Plaintext::encode`] does.
pub fn factor(ctx: &Context, at: Position, values: Vec<Complex64>, basis: &Basis) -> Result<Buf> {
    let (form, hoisting) = (DiagonalForm::Encoded, Hoisting::Double);
    let encoder = Encoder { ctx, at, slots: values.len(), form, hoisting };
    factors(ctx, &[encoder.coefficients(&Values::Known(values))?.view()], basis)
}

/// Polynomials over `basis` from their coefficients, each in the form of
/// [`compact`](ringjet_backend::Backend::compact).
pub fn factors(ctx: &Context, all: &[Integers<'_>], basis: &Basis) -> Result<Buf> {
    let (b, n) = (ctx.backend(), ctx.params().n());
    let gap = all.first().map_or(1, |c| n / c.len());
    let mut buf = b.alloc(all.len() * basis.len(), repeat::words(n, gap))?;
    b.integer_factors(buf.view_mut(all.len()), all, basis)?;
    Ok(buf)
}

/// The parts of a product: ranges of baby steps, and for each of them ranges of limbs.
#[derive(Debug, PartialEq, Eq)]
pub struct Parts {
    /// The ranges of baby steps.
    pub babies: Vec<Range<usize>>,
    /// The ranges of limbs.
    pub limbs: Vec<Range<usize>>,
}

impl Parts {
    /// The parts in which a product makes factors of `counts` diagonals, those of each baby step.
    /// One limb of a factor has `bytes` bytes, 0 for factors that are there. The factors of a part take
    /// at most `most` bytes, unless one limb of one baby step takes more. A part has one limb for each of
    /// `threads` threads, if so many fit for one baby step: threads work on different limbs. It has at
    /// most `at_once` baby steps.
    pub fn new(counts: &[usize], at_once: usize, most: usize, [limbs, bytes, threads]: [usize; 3]) -> Self {
        let largest = counts.iter().copied().max().unwrap_or(0).max(1) * bytes;
        let together = most.checked_div(largest).map_or(limbs, |fit| fit.clamp(1, threads.clamp(1, limbs)));
        let each = limbs.div_ceil(limbs.div_ceil(together));
        let (mut babies, mut first, mut sum) = (Vec::new(), 0, 0);
        for (i, &count) in counts.iter().enumerate() {
            if i - first == at_once || sum > 0 && (sum + count) * bytes * each > most {
                babies.push(first..i);
                (first, sum) = (i, 0);
            }
            sum += count;
        }
        babies.push(first..counts.len());
        Self { babies, limbs: (0..limbs).step_by(each).map(|from| from..limbs.min(from + each)).collect() }
    }
}

/// The smallest period of values that is a power of two.
fn period(values: &[Complex64]) -> usize {
    let has = |p: &usize| values[*p..].iter().zip(values).all(|(a, b)| a == b);
    (0..values.len().trailing_zeros()).map(|log| 1 << log).find(has).unwrap_or(values.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_fill_the_memory_and_the_threads() {
        let parts = |counts: &[usize], sizes| {
            let parts = Parts::new(counts, 20, 256 << 20, sizes);
            let ends = |all: Vec<Range<usize>>| all.into_iter().map(|range| range.end).collect::<Vec<_>>();
            (ends(parts.babies), ends(parts.limbs))
        };
        let mib = 1 << 20;
        // all fit
        assert_eq!(parts(&[1, 2, 1], [5, mib, 8]), (vec![3], vec![5]));
        // 900 diagonals of 256 KiB a limb: 1024 limbs fit
        assert_eq!(parts(&[30; 30], [12, mib / 4, 2]), (vec![17, 30], vec![2, 4, 6, 8, 10, 12]));
        // limbs are even: 4, 4, 4 of the 5 that fit
        assert_eq!(parts(&[51], [12, mib, 16]).1, [4, 8, 12]);
        // one baby step that does not fit
        assert_eq!(parts(&[300, 1], [3, mib, 4]), (vec![1, 2], vec![1, 2, 3]));
        // factors are there
        assert_eq!(parts(&[300; 41], [3, 0, 4]), (vec![20, 40, 41], vec![3]));
    }

    #[test]
    fn coefficients_are_as_narrow_as_they_fit() {
        let bytes = |all: Vec<i64>| Narrow::of(Coefficients::I64(all)).unwrap().bytes();
        assert_eq!(bytes(vec![i32::MAX.into(), i32::MIN.into()]), 8);
        assert_eq!(bytes(vec![i64::from(i32::MAX) + 1, 0]), 16);
        let spaced = |step: usize| Narrow::I64((0..64).map(|i| i64::from(i % step == 0)).collect());
        assert_eq!([1, 2, 4, 8, 16, 64].map(|step| spaced(step).spacing()), [1, 2, 4, 8, 8, 8]);
        let Narrow::I64(few) = spaced(4).every(4).unwrap() else { panic!() };
        assert_eq!(few, [1; 16]);
    }
}
