//! Matrices that act on the slots, by their diagonals: which rotations they take.
//!
//! Diagonal k multiplies the input rotated by k. With baby steps and giant steps `k = outer + inner`: the inner (baby)
//! rotations are rotations of the input, and each sum of products with one outer (giant) rotation is rotated once.

use std::collections::BTreeSet;

/// A giant step's cost in baby steps where baby steps share one decomposition: a decomposition besides the inner product.
pub(crate) const HOISTED_GIANT_COST: usize = 3;

/// Inner rotations go from 0 to this, a power of two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Split(pub(crate) usize);

impl Split {
    /// The split that costs least for these diagonals, which go from 0 to `slots`, where a giant step costs as much as
    /// `giant_cost` baby steps.
    pub(crate) fn cheapest(giant_cost: usize, diagonals: &[i64], slots: usize) -> Self {
        let distinct =
            |f: &dyn Fn(i64) -> i64| diagonals.iter().map(|&k| f(k)).filter(|&i| i != 0).collect::<BTreeSet<_>>().len();
        let cost = |g: i64| distinct(&|k| k % g) + giant_cost * distinct(&|k| k / g);
        Self((0..=slots.trailing_zeros()).map(|b| 1 << b).min_by_key(|&g| cost(g as i64)).unwrap_or(1))
    }

    /// The inner and the outer rotation of diagonal `k`.
    pub(crate) fn of(self, k: i64) -> (i64, i64) {
        let inner = k.rem_euclid(self.0 as i64);
        (inner, k - inner)
    }

    /// The rotations of these diagonals, increasing.
    pub(crate) fn rotations(self, diagonals: &[i64]) -> Vec<i64> {
        rotations(diagonals.iter().map(|&k| self.of(k)))
    }
}

/// The rotations among pairs of an inner and an outer one, increasing.
pub(crate) fn rotations(pairs: impl Iterator<Item = (i64, i64)>) -> Vec<i64> {
    let all: BTreeSet<i64> = pairs.flat_map(|(inner, outer)| [inner, outer]).filter(|&r| r != 0).collect();
    all.into_iter().collect()
}

/// Diagonals of both signs as numbers from 0 to `slots`, each once, increasing.
pub(crate) fn folded(diagonals: &[i64], slots: usize) -> Vec<i64> {
    let all: BTreeSet<i64> = diagonals.iter().map(|k| k.rem_euclid(slots as i64)).collect();
    all.into_iter().collect()
}

/// The rotations of a matrix with these non-zero diagonals of both signs, split as is cheapest.
pub(crate) fn rotations_of(giant_cost: usize, diagonals: &[i64], slots: usize) -> Vec<i64> {
    let diagonals = folded(diagonals, slots);
    Split::cheapest(giant_cost, &diagonals, slots).rotations(&diagonals)
}

/// Non-zero diagonals, of both signs, of the factors of a Fourier transform of the slots: a factor of g stages that starts
/// at stage l has the diagonals `m 2^l` for `|m| < 2^g`.
pub(crate) fn fourier_factors(groups: &[u32]) -> Vec<Vec<i64>> {
    let mut start = 0;
    (groups.iter())
        .map(|&g| {
            let all = (1 - (1i64 << g)..1 << g).map(|m| m << start).collect();
            start += g;
            all
        })
        .collect()
}

/// Rotations of the trace from all N/2 slots to `2^log_slots`: by all multiples of the number of slots, a bit at a time.
pub(crate) fn trace_rotations(log_n: u32, log_slots: u32) -> impl Iterator<Item = i64> {
    (log_slots..log_n - 1).map(|i| 1i64 << i)
}

/// `count` stages in `levels` groups, as even as they get, the larger ones first.
pub(crate) fn even_groups(count: u32, levels: u32) -> Vec<u32> {
    (0..levels).map(|i| count / levels + u32::from(i < count % levels)).collect()
}

/// The levels that a product of `x` factors takes.
pub(crate) fn log2_ceil(x: usize) -> usize {
    x.next_power_of_two().trailing_zeros() as usize
}
