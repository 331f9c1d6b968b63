//! How the rotations of a linear transform are made of inner (baby) and outer (giant) steps.

/// A giant step's cost, in baby steps: a decomposition besides the inner product.
const GIANT_COST: usize = 3;

/// How many inner rotations a linear transform has, for measurement. The keys must be made for the same rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BabySteps {
    /// The number that costs least, a giant step being taken as three baby steps.
    #[default]
    Cheapest,
    /// As many as make the fewest rotations in all, about the square root.
    Fewest,
    /// All of them: a single step, without outer rotations (Algorithm 8 of de Castro et al.), and the most keys.
    All,
    /// As the published cost model of de Castro et al. counts them: d diagonals from one end of the band to the other, k and
    /// k - n apart although they are one rotation of n slots, in `floor(sqrt d)` giant steps of equally many diagonals, one
    /// of which is not rotated.
    Root,
    /// As [`BabySteps::All`], with the diagonals k and k - n apart, as in [`BabySteps::Root`].
    Each,
}

impl BabySteps {
    /// Whether diagonals k and k - n, which are the same rotation, are two.
    pub(super) fn signed(self) -> bool {
        matches!(self, Self::Root | Self::Each)
    }
}

/// How the rotation of a diagonal is made of two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Split {
    /// Inner rotations from 0 to this, a power of two.
    Modulo(usize),
    /// Steps of `width` diagonals, `stride` apart; the first step, from `low` strides on, has `first` of them. Inner
    /// rotations are those of the step that starts at `zero` strides, which is not rotated.
    Band {
        /// Slots between two diagonals.
        stride: i64,
        /// The first diagonal.
        low: i64,
        /// Diagonals in the first step, from 1 to `width`.
        first: i64,
        /// Diagonals in each other step.
        width: i64,
        /// The first diagonal of the step that is not rotated.
        zero: i64,
    },
}

impl Split {
    /// By `rule`, for these non-zero diagonals: from 0 to `slots`, or of both signs where the rule is.
    pub(crate) fn new(rule: BabySteps, diagonals: &[i64], slots: usize) -> Self {
        match rule {
            BabySteps::Cheapest => Self::Modulo(cheapest(GIANT_COST, diagonals, slots)),
            BabySteps::Fewest => Self::Modulo(cheapest(1, diagonals, slots)),
            BabySteps::All => Self::Modulo(slots),
            BabySteps::Root => Self::band(diagonals, diagonals.len().isqrt()),
            BabySteps::Each => Self::band(diagonals, 1),
        }
    }

    fn band(diagonals: &[i64], steps: usize) -> Self {
        let stride = diagonals.iter().filter(|&&k| k != 0).map(|k| k.trailing_zeros()).min().map_or(1, |t| 1 << t);
        let (low, high) = (diagonals.iter().min(), diagonals.iter().max());
        let (low, high) = (low.map_or(0, |k| k / stride), high.map_or(0, |k| k / stride));
        let width = diagonals.len().max(1).div_ceil(steps.max(1)) as i64;
        // what is short comes first: as the last, it can be a turn of all slots away, which is no rotation
        let first = (high - low) % width + 1;
        let zero = start(0.clamp(low, high), low, first, width);
        Self::Band { stride, low, first, width, zero }
    }

    /// The inner and the outer rotation of diagonal `k`.
    pub(crate) fn of(self, k: i64) -> (i64, i64) {
        match self {
            Self::Modulo(baby) => {
                let inner = k.rem_euclid(baby as i64);
                (inner, k - inner)
            }
            Self::Band { stride, low, first, width, zero } => {
                let m = k / stride;
                let start = start(m, low, first, width);
                ((m - start + zero) * stride, (start - zero) * stride)
            }
        }
    }
}

/// Where the step of a band begins that has diagonal `m`.
fn start(m: i64, low: i64, first: i64, width: i64) -> i64 {
    if m < low + first { low } else { m - (m - low - first) % width }
}

/// The number of inner rotations, a power of two, that costs least.
fn cheapest(giant_cost: usize, diagonals: &[i64], slots: usize) -> usize {
    let distinct = |f: &dyn Fn(i64) -> i64| {
        diagonals.iter().map(|&k| f(k)).filter(|&i| i != 0).collect::<std::collections::BTreeSet<_>>().len()
    };
    let cost = |g: i64| distinct(&|k| k % g) + giant_cost * distinct(&|k| k / g);
    (0..=slots.trailing_zeros()).map(|b| 1 << b).min_by_key(|&g| cost(g as i64)).unwrap_or(1)
}

/// The rotations that these diagonals need when they are split so.
pub(super) fn rotations(diagonals: &[i64], split: Split) -> Vec<i64> {
    let mut all: Vec<i64> = diagonals.iter().map(|&k| split.of(k)).flat_map(|(inner, outer)| [inner, outer]).collect();
    all.retain(|&r| r != 0);
    all.sort_unstable();
    all.dedup();
    all
}

/// Diagonals of both signs as `rule` takes them: from 0 to `slots`, each once, unless it keeps them apart.
pub(crate) fn folded(diagonals: &[i64], slots: usize, rule: BabySteps) -> Vec<i64> {
    if rule.signed() {
        return diagonals.to_vec();
    }
    let mut all: Vec<i64> = diagonals.iter().map(|k| k.rem_euclid(slots as i64)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The rotations that a transform with these non-zero diagonals, of both signs, needs.
pub(crate) fn rotations_for(diagonals: &[i64], slots: usize, rule: BabySteps) -> Vec<i64> {
    let diagonals = folded(diagonals, slots, rule);
    rotations(&diagonals, Split::new(rule, &diagonals, slots))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn bands_have_as_many_steps_as_published() {
        // d, inner rotations with 0, giant steps, rotated ones
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
