//! Sums of vectors in the clear.

use ringjet_math::fft::Complex64;

use super::residues;
use super::slots::{Slots, integers, numbers};

/// Sums that are reduced at the end only: parts of a sum may be larger than the sum.
pub(super) struct Sum {
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
    pub fn of(slots: &Slots, padding: &[bool], weight: Complex64) -> Self {
        let terms = match slots {
            Slots::Numbers { values, real } => {
                Terms::Numbers(values.iter().map(|&z| z * weight).collect(), *real && weight.im == 0.0)
            }
            Slots::Residues { values, t, .. } => {
                let (factor, _) = residues::whole(weight.re, *t);
                let term = |&x: &i128| (residues::product(factor, x, *t).0, factor as f64 * x as f64);
                Terms::Residues(values.iter().map(term).collect(), *t)
            }
        };
        Self { terms, padding: padding.to_vec() }
    }

    /// `x * y`.
    pub fn product(x: (&Slots, &[bool]), y: (&Slots, &[bool])) -> Self {
        let terms = match (x.0, y.0) {
            (Slots::Residues { values: a, t, .. }, Slots::Residues { values: b, .. }) => {
                let term = |(&a, &b): (&i128, &i128)| (residues::product(a, b, *t).0, a as f64 * b as f64);
                Terms::Residues(a.iter().zip(b).map(term).collect(), *t)
            }
            (Slots::Numbers { values: a, real }, Slots::Numbers { values: b, real: other }) => {
                Terms::Numbers(a.iter().zip(b).map(|(&a, &b)| a * b).collect(), *real && *other)
            }
            // vectors of one program are of one kind
            _ => return Self::of(x.0, x.1, 1.0.into()),
        };
        Self { terms, padding: x.1.iter().zip(y.1).map(|(a, b)| *a && *b).collect() }
    }

    pub fn plus(self, other: Self) -> Self {
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

    pub fn rotated(&self, k: i64) -> Self {
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

    /// The sum, reduced, and its padding.
    pub fn reduced(self) -> (Slots, Vec<bool>) {
        let slots = match self.terms {
            Terms::Numbers(values, real) => numbers(values, real),
            Terms::Residues(values, t) => integers(values.into_iter().map(|(x, size)| (x, size.abs())), t),
        };
        (slots, self.padding)
    }
}
