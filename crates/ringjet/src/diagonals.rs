//! Matrices that act on the slots, given by their non-zero diagonals: which rotations their
//! products need.
//!
//! Diagonal k multiplies the input rotated by k. Baby steps and giant steps write k as
//! `outer + inner`. The inner (baby) rotations are rotations of the input. All products with the
//! same outer (giant) rotation are summed, and the sum is rotated once.

use std::collections::BTreeSet;

/// Cost of a giant step of double hoisting, in baby steps that share one decomposition; a giant step
/// has its own.
const HOISTED_GIANT_COST: usize = 3;

/// From this number of diagonals on a giant step is taken to cost as much as a baby step: baby steps
/// are mostly divided by P then, as single hoisting takes less work.
const SINGLE_HOISTED: usize = 128;

/// How diagonals are written as the sum of an inner and an outer rotation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Split {
    /// Inner rotations are 0 or more and below this power of two, outer ones are its multiples.
    inner: usize,
    /// Whether the giant steps follow each other: the sum of the outermost one is rotated by `inner`,
    /// added to the sum of the next one, and so on (Horner's rule). They share a key then.
    chained: bool,
}

impl Split {
    /// The cheapest split for these diagonals, which are at least 0 and below `slots`. A giant step
    /// costs as much as `giant_cost` baby steps.
    pub fn cheapest(giant_cost: usize, diagonals: &[i64], slots: usize) -> Self {
        let distinct =
            |f: &dyn Fn(i64) -> i64| diagonals.iter().map(|&k| f(k)).filter(|&i| i != 0).collect::<BTreeSet<_>>().len();
        let cost = |g: i64| distinct(&|k| k % g) + giant_cost * distinct(&|k| k / g);
        Self::below((0..=slots.trailing_zeros()).map(|b| 1 << b).min_by_key(|&g| cost(g as i64)).unwrap_or(1))
    }

    /// Inner rotations below `inner`, a power of two.
    pub fn below(inner: usize) -> Self {
        Self { inner, chained: false }
    }

    /// At most `babies` inner rotations, a power of two, and giant steps that follow each other, with
    /// diagonals as for [`Split::cheapest`].
    pub fn chained(babies: usize, diagonals: &[i64], slots: usize) -> Self {
        let stride = diagonals.iter().filter(|&&k| k != 0).map(|k| k.trailing_zeros()).min().unwrap_or(0);
        Self { inner: babies.min(slots >> stride) << stride, chained: true }
    }

    /// The rotation from each giant step to the next one, if they follow each other.
    pub fn chain(self) -> Option<i64> {
        self.chained.then_some(self.inner as i64)
    }

    /// The split for double hoisting, with diagonals as for [`Split::cheapest`]. The matrices of
    /// bootstrapping have it, however many diagonals they have.
    pub fn double_hoisted(diagonals: &[i64], slots: usize) -> Self {
        Self::cheapest(HOISTED_GIANT_COST, diagonals, slots)
    }

    /// The split of an encoded matrix, with diagonals as for [`Split::cheapest`].
    pub fn hoisted(diagonals: &[i64], slots: usize) -> Self {
        if diagonals.len() < SINGLE_HOISTED {
            return Self::double_hoisted(diagonals, slots);
        }
        Self::cheapest(1, diagonals, slots)
    }

    /// The inner and the outer rotation of diagonal `k`.
    pub fn of(self, k: i64) -> (i64, i64) {
        let inner = k.rem_euclid(self.inner as i64);
        (inner, k - inner)
    }

    /// The distinct non-zero rotations that these diagonals need, increasing.
    pub(crate) fn rotations(self, diagonals: &[i64]) -> Vec<i64> {
        rotations(diagonals.iter().map(|&k| {
            let (inner, outer) = self.of(k);
            (inner, self.chain().filter(|_| outer != 0).unwrap_or(outer))
        }))
    }
}

/// The distinct non-zero rotations in pairs of an inner and an outer rotation, increasing.
pub fn rotations(pairs: impl Iterator<Item = (i64, i64)>) -> Vec<i64> {
    let all: BTreeSet<i64> = pairs.flat_map(|(inner, outer)| [inner, outer]).filter(|&r| r != 0).collect();
    all.into_iter().collect()
}

/// Diagonals of either sign, reduced modulo `slots` to at least 0; each once, increasing.
pub fn folded(diagonals: &[i64], slots: usize) -> Vec<i64> {
    let all: BTreeSet<i64> = diagonals.iter().map(|k| k.rem_euclid(slots as i64)).collect();
    all.into_iter().collect()
}

/// The rotations for a matrix with these diagonals, of either sign, split by `split`.
pub(crate) fn rotations_of(split: impl Fn(&[i64], usize) -> Split, diagonals: &[i64], slots: usize) -> Vec<i64> {
    let diagonals = folded(diagonals, slots);
    split(&diagonals, slots).rotations(&diagonals)
}

/// The non-zero diagonals, of either sign, of the factors of a Fourier transform of the slots.
/// Factor i joins `groups[i]` stages of the transform. A factor of g stages, of which the first is
/// stage l, has the diagonals `m * 2^l` for `|m| < 2^g`.
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

/// The rotations of the trace from N/2 slots to `2^log_slots`: powers of two from there on.
pub(crate) fn trace_rotations(log_n: u32, log_slots: u32) -> impl Iterator<Item = i64> {
    (log_slots..log_n - 1).map(|i| 1i64 << i)
}

/// `count` stages in `levels` groups whose sizes differ by at most 1, the larger groups first.
pub fn even_groups(count: u32, levels: u32) -> Vec<u32> {
    (0..levels).map(|i| count / levels + u32::from(i < count % levels)).collect()
}

/// The number of levels that a product of `x` factors consumes: `ceil(log2(x))`.
pub fn log2_ceil(x: usize) -> usize {
    x.next_power_of_two().trailing_zeros() as usize
}
