//! The rules by which published cost models split a matrix into inner and outer rotations.

use ringjet::circuits::LinearTransform;
use ringjet::circuits::papers::{self as open, folded, rotations};
use ringjet_math::fft::Complex64;

/// The rule for the inner rotations of a linear transform. Keys must be made for the same rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BabySteps {
    /// The library's own rule: the cheapest number, a giant step costing three baby steps.
    #[default]
    Cheapest,
    /// The number with the fewest rotations in all, about the square root of the diagonals.
    Fewest,
    /// Only inner rotations: the most keys (Algorithm 8 of de Castro et al., ePrint 2021/1636).
    All,
    /// As the published cost model of de Castro et al. counts: all d diagonals of the band, in
    /// `floor(sqrt(d))` giant steps of equally many diagonals, one of which is not rotated.
    /// Diagonals k and k - n are counted apart, although they are the same rotation of n slots.
    Root,
    /// As [`BabySteps::All`], with diagonals k and k - n counted apart.
    Each,
}

impl BabySteps {
    /// Whether diagonals k and k - n, which are the same rotation of n slots, are counted apart.
    pub(super) fn signed(self) -> bool {
        matches!(self, Self::Root | Self::Each)
    }

    /// The inner and the outer rotation of each non-zero diagonal; these can be negative.
    pub(super) fn parts(self, diagonals: &[i64], slots: usize) -> Vec<(i64, i64)> {
        if self.signed() { self.split(diagonals, slots) } else { self.split(&folded(diagonals, slots), slots) }
    }

    /// All rotations of a matrix with these diagonals.
    pub(super) fn rotations(self, diagonals: &[i64], slots: usize) -> Vec<i64> {
        rotations(self.parts(diagonals, slots).into_iter())
    }

    /// The rotations whose keys a product with `matrix` needs.
    pub fn rotations_of(self, matrix: &LinearTransform) -> Vec<i64> {
        let all: Vec<i64> = self.sides(matrix).into_iter().map(|(k, _)| k).collect();
        rotations(self.split(&all, matrix.slots()).into_iter())
    }

    fn split(self, diagonals: &[i64], slots: usize) -> Vec<(i64, i64)> {
        let split = Split::new(self, diagonals, slots);
        diagonals.iter().map(|&k| split.of(k)).collect()
    }

    /// The diagonals that this rule counts, increasing, each with the range of its entries: whole
    /// diagonals, or their parts above and below the main diagonal.
    fn sides(self, matrix: &LinearTransform) -> Vec<(i64, std::ops::Range<usize>)> {
        let (n, zero) = (matrix.slots(), |z: Complex64| z.re == 0.0 && z.im == 0.0);
        if !self.signed() {
            return matrix.diagonals().keys().map(|&k| (k as i64, 0..n)).collect();
        }
        let mut all: Vec<_> = (matrix.diagonals().iter())
            .flat_map(|(&k, values)| {
                [(k as i64, 0..n - k), (k as i64 - n as i64, n - k..n)]
                    .into_iter()
                    .filter(move |(_, range)| !range.clone().all(|row| zero(values.at(row))))
            })
            .collect();
        all.sort_unstable_by_key(|&(k, _)| k);
        all
    }

    /// The diagonals of a matrix with their rotations, their values rotated back by the outer one.
    pub(super) fn diagonals(self, matrix: &LinearTransform) -> Vec<Placed> {
        let (n, sides) = (matrix.slots(), self.sides(matrix));
        let parts = self.split(&sides.iter().map(|&(k, _)| k).collect::<Vec<_>>(), n);
        (parts.into_iter().zip(sides))
            .map(|(parts, (k, range))| {
                let values = &matrix.diagonals()[&(k.rem_euclid(n as i64) as usize)];
                let own = |(j, z)| if range.contains(&j) { z } else { Complex64::default() };
                let mut values: Vec<Complex64> = values.iter().enumerate().map(own).collect();
                values.rotate_right(parts.1.rem_euclid(n as i64) as usize);
                (parts, values)
            })
            .collect()
    }
}

/// The inner and the outer rotation of a diagonal, and its values.
type Placed = ((i64, i64), Vec<Complex64>);

enum Split {
    Modulo(open::Split),
    /// Giant steps of `width` diagonals that are `stride` apart. The first step begins at diagonal
    /// `low * stride` and has `first` diagonals. The step at `zero * stride` is not rotated; its
    /// diagonals are the inner rotations.
    Band {
        stride: i64,
        low: i64,
        /// Number of diagonals in the first step, from 1 to `width`.
        first: i64,
        width: i64,
        /// Where the step that is not rotated begins, in strides.
        zero: i64,
    },
}

impl Split {
    /// The split of non-zero diagonals by `rule`. They are from 0 to `slots`, or of both signs
    /// where the rule counts k and k - n apart.
    fn new(rule: BabySteps, diagonals: &[i64], slots: usize) -> Self {
        match rule {
            BabySteps::Cheapest => Self::Modulo(open::Split::double_hoisted(diagonals, slots)),
            BabySteps::Fewest => Self::Modulo(open::Split::cheapest(1, diagonals, slots)),
            BabySteps::All => Self::Modulo(open::Split::below(slots)),
            BabySteps::Root => Self::band(diagonals, diagonals.len().isqrt()),
            BabySteps::Each => Self::band(diagonals, 1),
        }
    }

    fn band(diagonals: &[i64], steps: usize) -> Self {
        let stride = diagonals.iter().filter(|&&k| k != 0).map(|k| k.trailing_zeros()).min().map_or(1, |t| 1 << t);
        let (low, high) = (diagonals.iter().min(), diagonals.iter().max());
        let (low, high) = (low.map_or(0, |k| k / stride), high.map_or(0, |k| k / stride));
        let width = diagonals.len().max(1).div_ceil(steps.max(1)) as i64;
        // The partial giant step comes first: last, its rotation could be the identity.
        let first = (high - low) % width + 1;
        let zero = start(0.clamp(low, high), low, first, width);
        Self::Band { stride, low, first, width, zero }
    }

    fn of(&self, k: i64) -> (i64, i64) {
        match *self {
            Self::Modulo(split) => split.of(k),
            Self::Band { stride, low, first, width, zero } => {
                let m = k / stride;
                let start = start(m, low, first, width);
                ((m - start + zero) * stride, (start - zero) * stride)
            }
        }
    }
}

/// The first diagonal, in strides, of the step that has diagonal `m`.
fn start(m: i64, low: i64, first: i64, width: i64) -> i64 {
    if m < low + first { low } else { m - (m - low - first) % width }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn bands_have_as_many_steps_as_published() {
        // radix, stride, inner rotations with 0, giant steps, rotated giant steps
        for (radix, stride, babies, steps, rotated) in
            [(5, 1, 9, 7, 6), (6, 1 << 10, 12, 11, 10), (2, 1 << 14, 4, 2, 1), (3, 8, 5, 3, 2)]
        {
            let half = (1i64 << radix) - 1;
            let diagonals: Vec<i64> = (-half..=half).map(|m| m * stride).collect();
            let split = Split::new(BabySteps::Root, &diagonals, 1 << 16);
            let pairs: Vec<(i64, i64)> = diagonals.iter().map(|&k| split.of(k)).collect();
            assert!(pairs.iter().zip(&diagonals).all(|((inner, outer), k)| inner + outer == *k));
            let inner: BTreeSet<i64> = pairs.iter().map(|p| p.0).collect();
            let outer: BTreeSet<i64> = pairs.iter().map(|p| p.1).collect();
            assert_eq!((inner.len(), outer.len()), (babies, steps), "{radix}");
            assert!(inner.contains(&0) && outer.contains(&0));
            let turns = |&&o: &&i64| o % (1 << 16) != 0;
            assert_eq!((outer.iter().filter(turns).count(), inner.iter().filter(turns).count()), (rotated, babies - 1));
            assert!(outer.iter().all(|o| pairs.contains(&(inner.iter().copied().min().unwrap_or(0), *o))));
            let each = Split::new(BabySteps::Each, &diagonals, 1 << 16);
            assert!(diagonals.iter().all(|&k| each.of(k) == (k, 0)));
        }
    }
}
