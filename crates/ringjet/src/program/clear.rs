//! Values in the clear that a simulation carries beside each ciphertext.

mod matrices;

use ringjet_math::fft::Complex64;

use super::op::Op;
use super::residues::{self, Reduced};
use super::slots::{ROUNDING, Slots, integers, numbers};
use super::sums::Sum;
use super::text::short;
use crate::circuits::{Basis, Polynomial};
use crate::dynamic::{Scalar, Transform, Values};
use crate::{Error, Result};

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
    pub(crate) fn span(&self, chosen: impl Fn(usize) -> bool) -> Option<Span> {
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

    fn from_sum(sum: Sum) -> Self {
        let (slots, padding) = sum.reduced();
        Self { slots, padding }
    }

    /// The sum of each slot and the next `count - 1` slots at a distance of `stride`.
    fn inner_sum(&self, stride: i64, count: usize) -> Self {
        // `part` sums `width` slots, and `total` the first `summed` ones
        let (mut total, mut summed) = (None, 0usize);
        let (mut part, mut width) = (Sum::of(&self.slots, &self.padding, 1.0.into()), 1usize);
        loop {
            if count & width != 0 {
                let more = part.rotated(stride.wrapping_mul(summed as i64));
                total = Some(match total {
                    Some(total) => more.plus(total),
                    None => more,
                });
                summed += width;
            }
            match total {
                Some(total) if summed >= count => return Self::from_sum(total),
                _ => part = part.rotated(stride.wrapping_mul(width as i64)).plus(part),
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
                        let factor = diagonal.at(i % row);
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
                        let (factor, _) = residues::whole(diagonal.at(i % row).re, *t);
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
            |all: &mut dyn Iterator<Item = Sum>| all.reduce(Sum::plus).map_or_else(|| first.clone(), Self::from_sum);
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
            Op::RotationSum { ks } => {
                sum(&mut ks.iter().map(|&k| Sum::of(&first.slots, &first.padding, 1.0.into()).rotated(k)))
            }
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
            Op::Polynomials { ps } => return Ok(ps.iter().map(|p| first.polynomial(p)).collect()),
            Op::Matmul { matrix } => first.transformed(matrix)?,
            Op::SumOfProducts {} => {
                let (xs, ys) = x.split_at(x.len() / 2);
                sum(&mut xs.iter().zip(ys).map(|(x, y)| Sum::product((&x.slots, &x.padding), (&y.slots, &y.padding))))
            }
            Op::WeightedSum { weights, .. } => {
                sum(&mut x.iter().zip(weights).map(|(x, &w)| Sum::of(&x.slots, &x.padding, w)))
            }
            Op::WeightedSums { weights, bias, .. } => {
                let bias = bias.reals("bias")?;
                let row = |(m, weights): (usize, &[f64])| {
                    let sum = sum(&mut x.iter().zip(weights).map(|(x, &w)| Sum::of(&x.slots, &x.padding, w.into())));
                    let Some(&c) = bias.get(m) else { return Ok(sum) };
                    let c = Scalar::of(c, matches!(sum.slots, Slots::Residues { .. }))?;
                    Ok(sum.plus(&sum.constant(c)).with_padding_of(&sum))
                };
                return weights.reals("weights")?.chunks_exact(x.len()).enumerate().map(row).collect();
            }
            Op::TransposeRows { .. } => return Ok(Self::rows(x, matrices::transposed)),
            Op::MulRows { .. } => return Ok(Self::rows(x, matrices::product)),
            Op::Sines { .. } => return Ok(x.iter().map(|x| x.sine()).collect()),
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

    /// The result of an operation on rows of matrices, which has a value in every slot.
    fn rows(x: &[&Self], f: impl Fn(&[Vec<Complex64>]) -> Vec<Vec<Complex64>>) -> Vec<Self> {
        let values: Vec<Vec<Complex64>> = x.iter().map(|x| x.values()).collect();
        f(&values).into_iter().map(|row| (row.len(), row)).map(|(count, row)| Self::numbers(row, count, true)).collect()
    }

    /// `sin(pi / 2 * z)` of real and imaginary parts.
    fn sine(&self) -> Self {
        let of = |x: f64| (std::f64::consts::FRAC_PI_2 * x).sin();
        self.mapped(|z| Complex64::new(of(z.re), of(z.im)), |x, _| (x, 0.0))
    }

    /// With `real` the imaginary parts are lost.
    fn bootstrapped(&self, real: bool) -> Self {
        match &self.slots {
            Slots::Numbers { values, .. } if real => Self { slots: numbers(values.clone(), true), ..self.clone() },
            _ => self.clone(),
        }
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

fn power(z: Complex64, n: u32) -> Complex64 {
    if z.im == 0.0 {
        return z.re.powf(f64::from(n)).into();
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

#[cfg(test)]
mod tests;
