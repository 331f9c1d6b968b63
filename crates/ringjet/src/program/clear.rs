//! Values in the clear that a simulation carries beside each ciphertext.

use ringjet_math::fft::Complex64;

use super::op::Op;
use super::residues::{self, Reduced};
use crate::circuits::{Basis, Polynomial};
use crate::dynamic::{Scalar, Transform, Values};
use crate::{Error, Result};

/// The relative amount by which rounding may carry a value beyond a limit.
const ROUNDING: f64 = 1e-9;

/// The least and the greatest value of some slots, and the slots that hold them. Of complex values,
/// the real parts are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// The least value.
    pub low: f64,
    /// The greatest value.
    pub high: f64,
    /// The slot of the least value.
    pub low_slot: usize,
    /// The slot of the greatest value.
    pub high_slot: usize,
}

impl std::fmt::Display for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "[{}, {}]", short(self.low), short(self.high))
    }
}

/// One value a slot, and for every slot whether it is padding: no given value has reached it.
#[derive(Debug, Clone, PartialEq)]
pub struct Clear {
    slots: Slots,
    padding: Vec<bool>,
}

#[derive(Debug, Clone, PartialEq)]
enum Slots {
    /// Numbers; with `real` all imaginary parts are 0, whatever is computed with them.
    Numbers { values: Vec<Complex64>, real: bool },
    /// Residues between `-t/2` and `t/2`, in two rows. `wraps`: the largest size before the last
    /// reduction, if it changed a value.
    Residues { values: Vec<i128>, t: u128, wraps: Option<f64> },
}

impl Clear {
    /// Numbers as encryption packs them: the values of all slots, of which the first `count` are given.
    /// `complex`: they are complex numbers, even if no imaginary part is left.
    pub fn numbers(values: Vec<Complex64>, count: usize, complex: bool) -> Self {
        let padding = (0..values.len()).map(|i| i >= count).collect();
        Self { slots: Slots::Numbers { values, real: !complex }, padding }
    }

    /// Integers as encryption packs them, modulo `t`.
    pub fn integers(values: &[i64], count: usize, t: u128) -> Self {
        let padding = (0..values.len()).map(|i| i >= count).collect();
        let reduced = values.iter().map(|&x| (residues::centred(x.into(), t), (x as f64).abs()));
        Self { slots: integers(reduced, t), padding }
    }

    /// The same values with other padding.
    /// Fails with [`Error::SlotMismatch`] for another number of slots.
    pub fn with_padding(self, padding: Vec<bool>) -> Result<Self> {
        match padding.len() {
            n if n == self.len() => Ok(Self { padding, ..self }),
            rhs => Err(Error::SlotMismatch { lhs: self.len(), rhs }),
        }
    }

    /// The values as doubles.
    pub fn values(&self) -> Vec<Complex64> {
        match &self.slots {
            Slots::Numbers { values, .. } => values.clone(),
            Slots::Residues { values, .. } => values.iter().map(|&x| (x as f64).into()).collect(),
        }
    }

    /// The values that decryption returns.
    /// Fails with [`Error::IntegerOverflow`] for a residue that is no 64-bit integer.
    pub fn decrypted(&self) -> Result<Values> {
        match &self.slots {
            Slots::Numbers { values, .. } => Ok(Values::Numbers(values.clone())),
            Slots::Residues { values, t, .. } => {
                let fits = |(index, &value): (usize, &i128)| {
                    i64::try_from(value).map_err(|_| Error::IntegerOverflow { index, value, modulus: *t })
                };
                Ok(Values::Integers(values.iter().enumerate().map(fits).collect::<Result<_>>()?))
            }
        }
    }

    /// Which slots are padding.
    pub fn padding(&self) -> &[bool] {
        &self.padding
    }

    /// Number of slots.
    pub fn len(&self) -> usize {
        self.padding.len()
    }

    /// Whether there are no slots.
    pub fn is_empty(&self) -> bool {
        self.padding.is_empty()
    }

    /// Whether values are real numbers by construction.
    pub fn is_real(&self) -> bool {
        matches!(self.slots, Slots::Numbers { real: true, .. })
    }

    /// The plaintext modulus, and the largest size that the last operation reduced by it.
    pub(super) fn wraps(&self) -> Option<(u128, Option<f64>)> {
        match self.slots {
            Slots::Residues { t, wraps, .. } => Some((t, wraps)),
            Slots::Numbers { .. } => None,
        }
    }

    fn each(&self) -> impl Iterator<Item = Complex64> + '_ {
        (0..self.len()).map(|i| match &self.slots {
            Slots::Numbers { values, .. } => values[i],
            Slots::Residues { values, .. } => (values[i] as f64).into(),
        })
    }

    /// The largest absolute value of a real or imaginary part; not a number if a part is none.
    pub fn largest(&self) -> f64 {
        let parts = self.each().flat_map(|z| [z.re.abs(), z.im.abs()]);
        parts.fold(0.0, |most, x| if x > most || x.is_nan() { x } else { most })
    }

    /// Whether no real or imaginary part is larger than `limit`.
    pub(super) fn within(&self, limit: f64) -> bool {
        self.largest() <= limit * (1.0 + ROUNDING)
    }

    /// The slots whose real parts lie outside of an interval.
    pub(super) fn outside(&self, low: f64, high: f64) -> Vec<bool> {
        let slack = ROUNDING * (high - low);
        self.each().map(|z| !(z.re >= low - slack && z.re <= high + slack)).collect()
    }

    /// The least and the greatest value of the slots that `chosen` selects; `None` if there is none.
    pub fn span(&self, chosen: impl Fn(usize) -> bool) -> Option<Span> {
        let mut found: Option<Span> = None;
        for (slot, z) in self.each().enumerate().filter(|(i, _)| chosen(*i)) {
            let span = found.get_or_insert(Span { low: z.re, high: z.re, low_slot: slot, high_slot: slot });
            if z.re < span.low {
                (span.low, span.low_slot) = (z.re, slot);
            }
            if z.re > span.high {
                (span.high, span.high_slot) = (z.re, slot);
            }
        }
        found
    }

    /// Whether values repeat with a period of `slots`.
    pub(super) fn repeats(&self, slots: usize) -> bool {
        let (all, limit) = (self.values(), ROUNDING * self.largest().max(1.0));
        all.iter().enumerate().all(|(i, &z)| (z - all[i % slots]).abs() <= limit)
    }

    /// What is computed slot by slot.
    fn mapped(&self, number: impl Fn(Complex64) -> Complex64, residue: impl Fn(i128, u128) -> Reduced) -> Self {
        let slots = match &self.slots {
            Slots::Numbers { values, real } => numbers(values.iter().map(|&z| number(z)), *real),
            Slots::Residues { values, t, .. } => integers(values.iter().map(|&x| residue(x, *t)), *t),
        };
        Self { slots, padding: self.padding.clone() }
    }

    /// What is computed slot by slot from two vectors.
    fn joined(
        &self,
        other: &Self,
        number: impl Fn(Complex64, Complex64) -> Complex64,
        residue: impl Fn(i128, i128, u128) -> Reduced,
    ) -> Self {
        let slots = match (&self.slots, &other.slots) {
            (Slots::Residues { values: a, t, .. }, Slots::Residues { values: b, .. }) => {
                integers(a.iter().zip(b).map(|(&a, &b)| residue(a, b, *t)), *t)
            }
            _ => {
                let real = self.is_real() && other.is_real();
                numbers(self.each().zip(other.each()).map(|(a, b)| number(a, b)), real)
            }
        };
        Self { slots, padding: self.padding.iter().zip(&other.padding).map(|(a, b)| *a && *b).collect() }
    }

    /// A vector in the clear beside this one: `rest` stands for the values after its last.
    fn beside(&self, values: &Values, rest: i64) -> Self {
        let slots = self.len();
        let slots = match (&self.slots, values) {
            (Slots::Residues { t, .. }, Values::Integers(all)) => {
                let whole = |i| all.get(i).copied().unwrap_or(rest);
                integers((0..slots).map(|i| (residues::centred(whole(i).into(), *t), 0.0)), *t)
            }
            (_, Values::Numbers(all)) => {
                let value = |i| all.get(i).copied().unwrap_or((rest as f64).into());
                numbers((0..slots).map(value), all.iter().all(|z: &Complex64| z.im == 0.0))
            }
            (_, Values::Integers(all)) => {
                numbers((0..slots).map(|i| (all.get(i).copied().unwrap_or(rest) as f64).into()), true)
            }
        };
        Self { slots, padding: vec![true; self.len()] }
    }

    /// The same as [`Clear::beside`] for one number in all slots.
    fn constant(&self, c: Scalar) -> Self {
        match c {
            Scalar::Number(c) => self.beside(&Values::Numbers(vec![c.into(); self.len()]), 0),
            Scalar::Integer(c) => self.beside(&Values::Integers(vec![]), c),
        }
    }

    /// Plain operands do not count as padding.
    fn with_padding_of(self, other: &Self) -> Self {
        Self { padding: other.padding.clone(), ..self }
    }

    fn plus(&self, other: &Self) -> Self {
        self.joined(other, |a, b| a + b, residues::sum)
    }

    fn minus(&self, other: &Self) -> Self {
        self.joined(other, |a, b| a - b, |a, b, t| residues::sum(a, -b, t))
    }

    fn times(&self, other: &Self) -> Self {
        self.joined(other, |a, b| a * b, residues::product)
    }

    /// Moves slots within rows: slot j of a row with n slots gets what slot `from(j, n)` has.
    fn moved(&self, from: impl Fn(usize, usize) -> usize) -> Self {
        let rows = if self.wraps().is_some() { 2 } else { 1 };
        let row = self.len() / rows;
        self.rearranged(|i| i / row * row + from(i % row, row), self.len())
    }

    fn rearranged(&self, from: impl Fn(usize) -> usize, slots: usize) -> Self {
        let padding = (0..slots).map(|i| self.padding[from(i)]).collect();
        let slots = match &self.slots {
            Slots::Numbers { values, real } => numbers((0..slots).map(|i| values[from(i)]), *real),
            Slots::Residues { values, t, .. } => {
                let moved = (0..slots).map(|i| values[from(i)]).collect();
                Slots::Residues { values: moved, t: *t, wraps: None }
            }
        };
        Self { slots, padding }
    }

    fn rotated(&self, k: i64) -> Self {
        self.moved(|j, n| (j as i64 + k).rem_euclid(n as i64) as usize)
    }

    /// The sum of each slot and the next `count - 1` slots at a distance of `stride`.
    fn inner_sum(&self, stride: i64, count: usize) -> Self {
        // `part` sums `width` slots, and `total` the first `summed` ones
        let (mut total, mut summed) = (None, 0usize);
        let (mut part, mut width) = (Sum::of(self, 1.0.into()), 1usize);
        loop {
            if count & width != 0 {
                let more = part.rotated(summed as i64 * stride);
                total = Some(match total {
                    Some(total) => more.plus(total),
                    None => more,
                });
                summed += width;
            }
            match total {
                Some(total) if summed >= count => return total.reduced(),
                _ => part = part.rotated(width as i64 * stride).plus(part),
            }
            width *= 2;
        }
    }

    /// The values in `slots` slots. With fewer slots, each holds the mean of the values that should be
    /// equal.
    fn repeated(&self, slots: usize) -> Self {
        let old = self.len();
        if slots >= old {
            return self.rearranged(|i| i % old, slots);
        }
        let (values, times) = (self.values(), (old / slots) as f64);
        let mean = |i: usize| {
            let sum = (i..old).step_by(slots).fold(Complex64::default(), |sum, j| sum + values[j]);
            Complex64 { re: sum.re / times, im: sum.im / times }
        };
        let padding = (0..slots).map(|i| (i..old).step_by(slots).all(|j| self.padding[j])).collect();
        Self { slots: numbers((0..slots).map(mean), self.is_real()), padding }
    }

    fn polynomial(&self, p: &Polynomial) -> Self {
        let c = p.coefficients();
        let residue = |x: i128, t: u128| {
            let horner = |made: Reduced, c: &f64| {
                let ((c, size), (product, _)) = (residues::whole(*c, t), residues::product(made.0, x, t));
                (residues::sum(product, c, t).0, made.1 * (x as f64).abs() + size)
            };
            let (made, _) = c.iter().rev().fold((0, 0.0), horner);
            (made, p.eval(x as f64).abs())
        };
        self.mapped(|z| evaluate(p, z), residue)
    }

    /// The product of a matrix with the values. A slot is padding if its row has non-zero entries for
    /// padding only.
    fn transformed(&self, matrix: &Transform) -> Result<Self> {
        let diagonals = matrix.linear().diagonals();
        let row = matrix.linear().slots();
        let from = |i: usize, k: usize| i / row * row + (i % row + k) % row;
        match &self.slots {
            Slots::Numbers { values, real } => {
                let mut made = vec![Complex64::default(); values.len()];
                let mut padding = vec![true; values.len()];
                for (&k, diagonal) in diagonals {
                    for (i, sum) in made.iter_mut().enumerate() {
                        let factor = diagonal[i % row];
                        *sum = *sum + factor * values[from(i, k)];
                        padding[i] &= factor == Complex64::default() || self.padding[from(i, k)];
                    }
                }
                let real = *real && made.iter().all(|z| z.im == 0.0);
                Ok(Self { slots: Slots::Numbers { values: made, real }, padding })
            }
            Slots::Residues { values, t, .. } => {
                for diagonal in diagonals.values() {
                    diagonal.iter().enumerate().try_for_each(|(i, z)| expect_message(i, z.re, *t))?;
                }
                let sum = |i: usize| {
                    diagonals.iter().fold((0, 0.0), |(sum, size): Reduced, (&k, diagonal)| {
                        let x = values[from(i, k)];
                        let (factor, _) = residues::whole(diagonal[i % row].re, *t);
                        let product = residues::product(factor, x, *t).0;
                        (residues::sum(sum, product, *t).0, size + factor as f64 * x as f64)
                    })
                };
                let made = (0..values.len()).map(sum).map(|(x, size)| (x, size.abs()));
                let padding = vec![self.padding.iter().all(|&p| p); values.len()];
                Ok(Self { slots: integers(made, *t), padding })
            }
        }
    }

    /// What `op` makes of values in the clear. Statements change nothing.
    /// Fails with [`Error::NotResidue`] for entries of a matrix that an exact scheme does not encrypt.
    pub(super) fn apply(op: &Op, x: &[&Self]) -> Result<Vec<Self>> {
        let first = x[0];
        let sum =
            |all: &mut dyn Iterator<Item = Sum>| all.reduce(Sum::plus).map_or_else(|| first.clone(), Sum::reduced);
        let made = match op {
            Op::Neg {} => first.mapped(|z| -z, |a, t| residues::sum(-a, 0, t)),
            Op::Add {} => first.plus(x[1]),
            Op::Sub {} => first.minus(x[1]),
            Op::Mul {} => first.times(x[1]),
            Op::AddScalar { c } => first.plus(&first.constant(*c)).with_padding_of(first),
            Op::SubScalar { c } => first.minus(&first.constant(*c)).with_padding_of(first),
            Op::MulScalar { c } => first.times(&first.constant(*c)).with_padding_of(first),
            Op::AddValues { v } => first.plus(&first.beside(v, 0)).with_padding_of(first),
            Op::SubValues { v } => first.minus(&first.beside(v, 0)).with_padding_of(first),
            Op::MulValues { v } => first.times(&first.beside(v, 0)).with_padding_of(first),
            Op::Power { n } => first.mapped(|z| power(z, *n), |a, t| residues::power(a, *n, t)),
            Op::Rotate { k } => first.rotated(*k),
            Op::Rotations { ks } => return Ok(ks.iter().map(|&k| first.rotated(k)).collect()),
            Op::RotationSum { ks } => sum(&mut ks.iter().map(|&k| Sum::of(first, 1.0.into()).rotated(k))),
            Op::Conjugate {} => first.mapped(Complex64::conj, |a, _| (a, 0.0)),
            Op::SwapRows {} => {
                let half = first.len() / 2;
                first.rearranged(|i| (i + half) % first.len(), first.len())
            }
            Op::TimesI {} => {
                let turned = first.each().map(|z| Complex64::new(-z.im, z.re));
                Self { slots: numbers(turned, false), padding: first.padding.clone() }
            }
            Op::InnerSum { stride, count, .. } => first.inner_sum(*stride, *count),
            Op::Polynomial { p } => first.polynomial(p),
            Op::Matmul { matrix } => first.transformed(matrix)?,
            Op::SumOfProducts {} => {
                let (xs, ys) = x.split_at(x.len() / 2);
                sum(&mut xs.iter().zip(ys).map(|(x, y)| Sum::product(x, y)))
            }
            Op::WeightedSum { weights, .. } => sum(&mut x.iter().zip(weights).map(|(x, &w)| Sum::of(x, w))),
            Op::Bootstrap { real } => first.bootstrapped(*real),
            Op::BootstrapMany { real } => return Ok(x.iter().map(|x| x.bootstrapped(*real)).collect()),
            Op::Slots { log_slots } => first.repeated(1 << log_slots),
            Op::ToLevel { .. } | Op::Rescale { .. } | Op::ModDownTo { .. } => first.clone(),
            Op::Count { .. } | Op::Magnitude { .. } | Op::Within { .. } | Op::Deviation { .. } | Op::Gap { .. } => {
                first.clone()
            }
        };
        Ok(vec![made])
    }

    /// With `real` the imaginary parts are lost.
    fn bootstrapped(&self, real: bool) -> Self {
        match &self.slots {
            Slots::Numbers { values, .. } if real => Self { slots: numbers(values.clone(), true), ..self.clone() },
            _ => self.clone(),
        }
    }
}

/// Sums that are reduced at the end only: parts of a sum may be larger than the sum.
struct Sum {
    terms: Terms,
    padding: Vec<bool>,
}

enum Terms {
    Numbers(Vec<Complex64>, bool),
    /// Residues, and the sums without any reduction.
    Residues(Vec<(i128, f64)>, u128),
}

impl Sum {
    /// `weight * x`; exact schemes take the weight as a whole number.
    fn of(x: &Clear, weight: Complex64) -> Self {
        let terms = match &x.slots {
            Slots::Numbers { values, real } => {
                Terms::Numbers(values.iter().map(|&z| z * weight).collect(), *real && weight.im == 0.0)
            }
            Slots::Residues { values, t, .. } => {
                let (factor, _) = residues::whole(weight.re, *t);
                let term = |&x: &i128| (residues::product(factor, x, *t).0, factor as f64 * x as f64);
                Terms::Residues(values.iter().map(term).collect(), *t)
            }
        };
        Self { terms, padding: x.padding.clone() }
    }

    /// `x * y`.
    fn product(x: &Clear, y: &Clear) -> Self {
        let terms = match (&x.slots, &y.slots) {
            (Slots::Residues { values: a, t, .. }, Slots::Residues { values: b, .. }) => {
                let term = |(&a, &b): (&i128, &i128)| (residues::product(a, b, *t).0, a as f64 * b as f64);
                Terms::Residues(a.iter().zip(b).map(term).collect(), *t)
            }
            _ => {
                let real = x.is_real() && y.is_real();
                Terms::Numbers(x.each().zip(y.each()).map(|(a, b)| a * b).collect(), real)
            }
        };
        Self { terms, padding: x.padding.iter().zip(&y.padding).map(|(a, b)| *a && *b).collect() }
    }

    fn plus(self, other: Self) -> Self {
        let terms = match (self.terms, other.terms) {
            (Terms::Residues(a, t), Terms::Residues(b, _)) => {
                let sum = |(a, b): ((i128, f64), (i128, f64))| (residues::sum(a.0, b.0, t).0, a.1 + b.1);
                Terms::Residues(a.into_iter().zip(b).map(sum).collect(), t)
            }
            (Terms::Numbers(a, real), Terms::Numbers(b, other)) => {
                Terms::Numbers(a.into_iter().zip(b).map(|(a, b)| a + b).collect(), real && other)
            }
            // vectors of one program are of one kind
            (terms, _) => terms,
        };
        Self { terms, padding: self.padding.iter().zip(&other.padding).map(|(a, b)| *a && *b).collect() }
    }

    fn rotated(&self, k: i64) -> Self {
        fn turned<T: Clone>(all: &[T], rows: usize, k: i64) -> Vec<T> {
            let row = all.len() / rows;
            let shift = k.rem_euclid(row as i64) as usize;
            all.chunks(row).flat_map(|part| part[shift..].iter().chain(&part[..shift]).cloned()).collect()
        }
        match &self.terms {
            Terms::Numbers(values, real) => {
                Self { terms: Terms::Numbers(turned(values, 1, k), *real), padding: turned(&self.padding, 1, k) }
            }
            Terms::Residues(values, t) => {
                Self { terms: Terms::Residues(turned(values, 2, k), *t), padding: turned(&self.padding, 2, k) }
            }
        }
    }

    fn reduced(self) -> Clear {
        let slots = match self.terms {
            Terms::Numbers(values, real) => numbers(values, real),
            Terms::Residues(values, t) => integers(values.into_iter().map(|(x, size)| (x, size.abs())), t),
        };
        Clear { slots, padding: self.padding }
    }
}

/// Refuses a whole number that is no message modulo t.
fn expect_message(index: usize, value: f64, t: u128) -> Result<()> {
    let (low, high) = (i64::try_from(t / 2).map_or(i64::MIN, |half| -half), i64::try_from(t - 1).unwrap_or(i64::MAX));
    let whole = value.round() as i128;
    if (i128::from(low)..=i128::from(high)).contains(&whole) {
        return Ok(());
    }
    Err(Error::NotResidue { index, value: whole.into(), low, high, modulus: t })
}

fn numbers(values: impl IntoIterator<Item = Complex64>, real: bool) -> Slots {
    let values = values.into_iter().map(|z| if real { z.re.into() } else { z }).collect();
    Slots::Numbers { values, real }
}

fn integers(reduced: impl Iterator<Item = Reduced>, t: u128) -> Slots {
    let mut most = 0.0f64;
    let values = reduced.map(|(x, size)| {
        most = most.max(size);
        x
    });
    let values = values.collect();
    // doubles stand for integers that are too large to be computed, and are rounded
    let limit = (t / 2) as f64;
    let limit = if most < 2f64.powi(53) { limit } else { limit * (1.0 + ROUNDING) };
    Slots::Residues { values, t, wraps: (most > limit).then_some(most) }
}

fn power(z: Complex64, n: u32) -> Complex64 {
    if z.im == 0.0 {
        return z.re.powi(n as i32).into();
    }
    let (mut made, mut square, mut left) = (Complex64::from(1.0), z, n);
    while left > 0 {
        if left & 1 == 1 {
            made = made * square;
        }
        (square, left) = (square * square, left >> 1);
    }
    made
}

/// The value of a polynomial at a complex number.
fn evaluate(p: &Polynomial, z: Complex64) -> Complex64 {
    if z.im == 0.0 {
        return p.eval(z.re).into();
    }
    let (c, zero) = (p.coefficients(), Complex64::default());
    match p.basis() {
        Basis::Power => c.iter().rev().fold(zero, |made, &c| made * z + c.into()),
        Basis::Chebyshev { a, b } => {
            // Clenshaw
            let t = (z + z - (a + b).into()) * (1.0 / (b - a));
            let (mut u, mut v) = (zero, zero);
            for &c in c[1..].iter().rev() {
                (u, v) = (t * u + t * u - v + c.into(), u);
            }
            t * u - v + c[0].into()
        }
    }
}

/// A number with four significant digits, as C's `%.4g` writes it.
pub(super) fn short(x: f64) -> String {
    general(x, 4)
}

pub(super) fn short3(x: f64) -> String {
    general(x, 3)
}

pub(super) fn short6(x: f64) -> String {
    general(x, 6)
}

fn general(x: f64, digits: usize) -> String {
    if x == 0.0 || !x.is_finite() {
        return if x.is_finite() { "0".into() } else { x.to_string().to_lowercase() };
    }
    let scientific = format!("{:.*e}", digits - 1, x);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed =
        |s: &str| if s.contains('.') { s.trim_end_matches('0').trim_end_matches('.').into() } else { s.to_owned() };
    if exponent < -4 || exponent >= digits as i32 {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", trimmed(mantissa), exponent.abs());
    }
    trimmed(&format!("{:.*}", (digits as i32 - 1 - exponent).max(0) as usize, x))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use num_bigint::BigInt;

    use super::*;
    use crate::circuits::LinearTransform;

    const SLOTS: usize = 16;

    /// Values of every size that can be given, the ends among them.
    fn packed(t: u128, seed: u64) -> (Clear, Vec<BigInt>) {
        let (low, high) = (i64::try_from(t / 2).map_or(i64::MIN, |h| -h), i64::try_from(t - 1).unwrap_or(i64::MAX));
        let mut state = seed;
        let mut values = vec![low, high];
        while values.len() < SLOTS {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let width = (i128::from(high) - i128::from(low) + 1) as u128;
            values.push((i128::from(low) + (u128::from(state) * u128::from(state) % width) as i128) as i64);
        }
        (Clear::integers(&values, SLOTS, t), values.into_iter().map(BigInt::from).collect())
    }

    fn check(op: &Op, x: &[&Clear], t: u128, want: impl Fn(usize) -> BigInt) {
        let made = Clear::apply(op, x).unwrap().remove(0);
        let Slots::Residues { values, .. } = &made.slots else { panic!("residues become residues") };
        for (i, &found) in values.iter().enumerate() {
            let (t, half) = (BigInt::from(t), BigInt::from(t / 2));
            assert_eq!(
                BigInt::from(found),
                ((want(i) + &half) % &t + &t) % &t - half,
                "{} slot {i} modulo {t}",
                op.name()
            );
        }
    }

    #[test]
    fn integers_are_exact_modulo_every_plaintext_modulus() {
        // below and above the limit of products in 64 bits, below 2^62, and above 2^64
        for t in [65537, (1 << 31) - 1, (1 << 31) + 11, (1 << 61) - 1, (1 << 66) + 117, (1 << 72) - 93u128] {
            let ((a, v), (b, w)) = (packed(t, 1), packed(t, 2));
            check(&Op::Add {}, &[&a, &b], t, |i| &v[i] + &w[i]);
            check(&Op::Sub {}, &[&a, &b], t, |i| &v[i] - &w[i]);
            check(&Op::Mul {}, &[&a, &b], t, |i| &v[i] * &w[i]);
            check(&Op::Neg {}, &[&a], t, |i| -&v[i]);
            check(&Op::Power { n: 13 }, &[&a], t, |i| v[i].pow(13));
            check(&Op::Power { n: 0 }, &[&a], t, |_| 1.into());
            check(&Op::MulScalar { c: Scalar::Integer(i64::MAX.min((t - 1) as i64)) }, &[&a], t, |i| {
                &v[i] * i64::MAX.min((t - 1) as i64)
            });
            let vector = Arc::new(Values::Integers((0..10).collect()));
            check(&Op::MulValues { v: vector }, &[&a], t, |i| if i < 10 { &v[i] * i } else { 0.into() });
            let c = [5.0, -7.0, 0.0, 2f64.powi(52) + 1.0];
            let p = Arc::new(Polynomial::new(Basis::Power, &c).unwrap());
            check(&Op::Polynomial { p }, &[&a], t, |i| 5 - 7 * &v[i] + ((1i64 << 52) + 1) * v[i].pow(3));
            for (stride, count) in [(1i64, 1usize), (1, 8), (3, 5), (-2, 7)] {
                let from = |j: usize, i: usize| j / 8 * 8 + ((j % 8) as i64 + i as i64 * stride).rem_euclid(8) as usize;
                check(&Op::InnerSum { stride, count, terms: count }, &[&a], t, |j| {
                    (0..count).map(|i| v[from(j, i)].clone()).sum()
                });
            }
            check(&Op::Rotate { k: 3 }, &[&a], t, |j| v[j / 8 * 8 + (j + 3) % 8].clone());
            check(&Op::SwapRows {}, &[&a], t, |j| v[(j + 8) % SLOTS].clone());
            let largest = (t / 2).min((1 << 53) - 1) as f64;
            let diagonals = [0, 1, 6].map(|k| (k, (0..8).map(|j| (largest - (j * k) as f64).into()).collect()));
            let matrix = LinearTransform::from_diagonals(8, diagonals.clone().into()).unwrap();
            check(&Op::Matmul { matrix: Arc::new(matrix.into()) }, &[&a], t, |j| {
                let entry = |k: usize| BigInt::from((largest - ((j % 8) * k) as f64) as i64);
                [0, 1, 6].map(|k| entry(k) * &v[j / 8 * 8 + (j + k) % 8]).into_iter().sum()
            });
            let ends = (a.decrypted(), Clear::apply(&Op::Power { n: 13 }, &[&a]).unwrap()[0].wraps());
            assert!(t > 1 << 64 || ends.0.is_ok());
            assert_eq!(ends.1.unwrap().1.is_some(), v.iter().any(|x| x.pow(13) > BigInt::from(t / 2)));
        }
    }

    #[test]
    fn what_no_integer_of_the_scheme_holds_is_refused() {
        let diagonal = vec![(17.0).into(); 2];
        let matrix = LinearTransform::from_diagonals(2, [(0, diagonal)].into()).unwrap();
        let a = Clear::integers(&[1, 2, 3, 4], 4, 17);
        let refused = Clear::apply(&Op::Matmul { matrix: Arc::new(matrix.into()) }, &[&a]).unwrap_err();
        assert_eq!(refused, Error::NotResidue { index: 0, value: 17i64.into(), low: -8, high: 16, modulus: 17 });
        let t = (1 << 66) + 117;
        let large = Clear::integers(&[i64::MAX, i64::MIN], 2, t);
        assert_eq!(large.decrypted(), Ok(Values::Integers(vec![i64::MAX, i64::MIN])));
        let more = Clear::apply(&Op::AddScalar { c: Scalar::Integer(1) }, &[&large]).unwrap().remove(0);
        assert_eq!(more.decrypted(), Err(Error::IntegerOverflow { index: 0, value: 1 << 63, modulus: t }));
    }

    #[test]
    fn numbers_are_written_as_c_writes_them() {
        let texts = [1.0, 0.001, 1234.56, 123_456.0, -0.25, 1e-5, 0.1 + 0.2, 9999.9, 0.0].map(short);
        assert_eq!(texts, ["1", "0.001", "1235", "1.235e+05", "-0.25", "1e-05", "0.3", "1e+04", "0"]);
        assert_eq!([short(f64::INFINITY), short3(1.0 / 3.0), short6(-8.0)], ["inf", "0.333", "-8"]);
    }
}
