//! The special Fourier transform as a product of sparse matrices, for homomorphic CoeffsToSlots and
//! SlotsToCoeffs.
//!
//! The transform follows the tree of [`crate::fft`], in place, for n slots and
//! `zeta = exp(2 * pi * i / (4 * n))`. Node (l, j), `j < 2^l`, occupies the positions
//! `j + 2^l * t`, `t < n/2^l`. Coefficient k of the node is at the t that is the bit reversal of k.
//! Stage l goes from level l to level l + 1. For every position p whose bit l is 0, with
//! `j = p mod 2^l` and `omega = zeta^(5^j * n/2^(l+1))`:
//!
//! ```text
//! out[p] = x[p] + omega * x[p + 2^l],     out[p + 2^l] = x[p] - omega * x[p + 2^l]
//! ```
//!
//! The transform starts from the coefficients `w_k` in bit-reversed order and ends with the slots
//! in natural order.
//!
//! A stage has only the diagonals 0, `2^l` and `n - 2^l`. If g stages from stage l on are merged,
//! the diagonals are the multiples `2^l * m mod n` with `|m| < 2^g`. There are `2^(g+1) - 1` of
//! them, or `2^g` if the last stage is among the merged ones, because its two outer diagonals
//! coincide. Each factor costs one level, so merging trades levels for rotations (level collapsing:
//! Chen, Chillotti and Song, "Improved Bootstrapping for Approximate Homomorphic Encryption").

use std::collections::BTreeMap;

use crate::dd::Octant;
use crate::fft::{Complex64, MAX_LOG_SLOTS};
use crate::memory::{OutOfMemory, expect};

/// A square matrix M of size n, given by its non-zero diagonals:
/// `diagonals[k][j] = M[j][(j + k) mod n]`.
pub type Diagonals = BTreeMap<usize, Vec<Complex64>>;

/// The forward transform as matrices, in the order in which they are applied. Matrix i merges the
/// next `groups[i]` stages. The input is the vector of the `w_k` in bit-reversed order: `w_k` is at
/// the `log_slots`-bit reversal of k. The output is the slots in natural order, as
/// [`crate::fft::SpecialFft::forward`] computes them.
///
/// Applied to a ciphertext whose slots hold `w` in bit-reversed order, the product of the matrices
/// returns a ciphertext whose coefficients are `w`.
///
/// Roots of unity are the doubles nearest to the true ones. A matrix entry is the product of at
/// most `groups[i]` of them.
///
/// # Errors
/// [`OutOfMemory`].
///
/// # Panics
/// If `log_slots > 19`, if a group is 0, or if the groups do not add up to `log_slots`.
pub fn slots_to_coeffs(log_slots: u32, groups: &[u32]) -> Result<Vec<Diagonals>, OutOfMemory> {
    assert!(log_slots <= MAX_LOG_SLOTS, "log_slots = {log_slots} > {MAX_LOG_SLOTS}");
    let total: u64 = groups.iter().map(|&g| u64::from(g)).sum();
    assert!(!groups.contains(&0) && total == u64::from(log_slots), "{groups:?} does not split {log_slots} stages");
    // a matrix of g stages has fewer than 2^(g+1) diagonals; the last product needs both its factors
    let diagonals = |&g: &u32| 3usize.saturating_mul(1 << g.min(32)) + 3;
    let diagonal = size_of::<Complex64>() << log_slots;
    expect(groups.iter().map(diagonals).sum::<usize>().saturating_mul(diagonal))?;
    let octant = Octant::new(log_slots + 3);
    let mut level = 0;
    let factor = |&group: &u32| {
        let first = level;
        level += group;
        let start = stage(&octant, log_slots, first);
        (first + 1..level).fold(start, |done, l| multiply(&stage(&octant, log_slots, l), &done))
    };
    Ok(groups.iter().map(factor).collect())
}

/// The inverse transform as matrices, in the order in which they are applied: from the slots in
/// natural order to the `w_k` in bit-reversed order. Matrix i merges the next `groups[i]` inverse
/// stages; the first inverse stage undoes the last forward stage. Each inverse stage includes its
/// factor 1/2, so the product is the inverse of that of [`slots_to_coeffs`], for any two groupings.
///
/// Applied to a ciphertext whose coefficients are `w`, the product of the matrices returns a
/// ciphertext whose slots hold `w` in bit-reversed order.
///
/// # Errors
/// [`OutOfMemory`].
///
/// # Panics
/// As [`slots_to_coeffs`].
pub fn coeffs_to_slots(log_slots: u32, groups: &[u32]) -> Result<Vec<Diagonals>, OutOfMemory> {
    // A stage is sqrt(2) times a unitary matrix: its inverse is half its adjoint.
    let reversed: Vec<u32> = groups.iter().rev().copied().collect();
    let forward = slots_to_coeffs(log_slots, &reversed)?;
    let adjoint = |(m, &g): (Diagonals, &u32)| scaled_adjoint(m, 1.0 / (1u64 << g) as f64);
    Ok(forward.into_iter().rev().zip(groups).map(adjoint).collect())
}

/// The product of the matrix `m` and the vector `x`: entry j is the sum over k of
/// `m[k][j] * x[(j + k) mod n]`.
///
/// # Panics
/// If the length of a diagonal differs from that of `x`.
pub fn apply(m: &Diagonals, x: &[Complex64]) -> Vec<Complex64> {
    let mut out = vec![Complex64::default(); x.len()];
    for (&k, d) in m {
        add_product(&mut out, d, x, k);
    }
    out
}

/// The matrix of stage `level` of the forward transform.
fn stage(octant: &Octant, log_slots: u32, level: u32) -> Diagonals {
    let (n, half) = (1usize << log_slots, 1usize << level);
    // zeta^(5^j * n/2^(l+1)) is at the angle 2 * pi * 5^j / 2^(l+3).
    let mut power = 1u64;
    let mut root = || {
        let (c, s) = octant.root(power << (log_slots - level));
        power = (5 * power) & ((8 << level) - 1);
        Complex64::new(c.hi, s.hi)
    };
    let roots: Vec<Complex64> = (0..half).map(|_| root()).collect();
    let (zero, one) = (Complex64::default(), Complex64::new(1.0, 0.0));
    let clear = |p: usize| p & half == 0;
    let omega = |p: usize| roots[p & (half - 1)];
    let mut out = Diagonals::new();
    out.insert(0, (0..n).map(|p| if clear(p) { one } else { -omega(p) }).collect());
    let below = (0..n).map(|p| if clear(p) { zero } else { one }).collect();
    out.insert(n - half, below);
    // In the last stage the diagonals `half` and `n - half` are the same one.
    let above = out.entry(half).or_insert_with(|| vec![zero; n]);
    (0..n).filter(|&p| clear(p)).for_each(|p| above[p] = omega(p));
    out
}

/// The product `A * B`, which applies B first.
fn multiply(a: &Diagonals, b: &Diagonals) -> Diagonals {
    let mut out = Diagonals::new();
    for (&i, x) in a {
        for (&k, y) in b {
            let n = x.len();
            let sum = out.entry((i + k) % n).or_insert_with(|| vec![Complex64::default(); n]);
            add_product(sum, x, y, i);
        }
    }
    out.retain(|_, d| d.iter().any(|z| z.re != 0.0 || z.im != 0.0));
    out
}

/// `out[j] += x[j] * y[(j + k) mod n]`.
fn add_product(out: &mut [Complex64], x: &[Complex64], y: &[Complex64], k: usize) {
    assert!(x.len() == out.len() && y.len() == out.len(), "a diagonal of {} entries for {}", x.len(), y.len());
    for ((out, &x), &y) in out.iter_mut().zip(x).zip(y[k..].iter().chain(&y[..k])) {
        *out = *out + x * y;
    }
}

/// The conjugate transpose of `m`, times `factor`.
fn scaled_adjoint(m: Diagonals, factor: f64) -> Diagonals {
    let diagonal = |(k, mut d): (usize, Vec<Complex64>)| {
        let back = (d.len() - k) % d.len();
        d.rotate_left(back);
        d.iter_mut().for_each(|z| *z = Complex64::new(z.re * factor, -z.im * factor));
        (back, d)
    };
    m.into_iter().map(diagonal).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::fft::SpecialFft;

    fn random(n: usize, mut state: u64) -> Vec<Complex64> {
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / 2f64.powi(52) - 1.0
        };
        (0..n).map(|_| Complex64::new(next(), next())).collect()
    }

    fn bit_reversed(x: &[Complex64]) -> Vec<Complex64> {
        let log = x.len().trailing_zeros();
        (0..x.len()).map(|p| x[p.reverse_bits() >> (usize::BITS - log)]).collect()
    }

    /// Largest difference, relative to the largest entry.
    fn distance(found: &[Complex64], want: &[Complex64]) -> f64 {
        assert_eq!(found.len(), want.len());
        let size = want.iter().map(|z| z.abs()).fold(0.0, f64::max);
        found.iter().zip(want).map(|(&a, &b)| (a - b).abs()).fold(0.0, f64::max) / size
    }

    fn apply_all(factors: &[Diagonals], x: &[Complex64]) -> Vec<Complex64> {
        factors.iter().fold(x.to_vec(), |x, m| apply(m, &x))
    }

    /// Splits `log` into groups of `size`; the last group has the remainder.
    fn split(log: u32, size: u32) -> Vec<u32> {
        (0..log).step_by(size as usize).map(|l| size.min(log - l)).collect()
    }

    fn groupings(log: u32) -> Vec<Vec<u32>> {
        let mut all: Vec<_> = (1..=log.min(5)).map(|size| split(log, size)).collect();
        all.push(vec![log]);
        let reversed: Vec<Vec<u32>> = all.iter().map(|g| g.iter().rev().copied().collect()).collect();
        all.extend(reversed);
        all.sort();
        all.dedup();
        all
    }

    /// The diagonals that `group` merged stages from `level` on must have.
    fn expected(log: u32, level: u32, group: u32) -> BTreeSet<usize> {
        let n = 1usize << log;
        (0..1usize << group).flat_map(|m| [(m << level) % n, (n - (m << level)) % n]).collect()
    }

    fn positions(m: &Diagonals) -> BTreeSet<usize> {
        m.keys().copied().collect()
    }

    #[test]
    fn factors_are_the_transform_and_its_inverse() {
        for log in 1..=10 {
            let w = random(1 << log, 11 + u64::from(log));
            let mut slots = w.clone();
            SpecialFft::new(log).unwrap().forward(&mut slots).unwrap();
            let w = bit_reversed(&w);
            for groups in groupings(log) {
                let there = slots_to_coeffs(log, &groups).unwrap();
                let back = coeffs_to_slots(log, &groups).unwrap();
                assert_eq!((there.len(), back.len()), (groups.len(), groups.len()));
                let z = apply_all(&there, &w);
                assert!(distance(&z, &slots) < 1e-12, "{log} {groups:?}: {}", distance(&z, &slots));
                let found = apply_all(&back, &slots);
                assert!(distance(&found, &w) < 1e-12, "{log} {groups:?}: {}", distance(&found, &w));
                let found = apply_all(&back, &z);
                assert!(distance(&found, &w) < 1e-12, "{log} {groups:?}: {}", distance(&found, &w));
                let found = apply_all(&there, &found);
                assert!(distance(&found, &slots) < 1e-12, "{log} {groups:?}: {}", distance(&found, &slots));
            }
        }
    }

    #[test]
    fn diagonals_are_where_they_should_be() {
        for log in 1..=10 {
            for groups in groupings(log) {
                let mut level = 0;
                for (m, &g) in slots_to_coeffs(log, &groups).unwrap().iter().zip(&groups) {
                    assert_eq!(positions(m), expected(log, level, g), "{log} {groups:?} from {level}");
                    level += g;
                }
                for (m, &g) in coeffs_to_slots(log, &groups).unwrap().iter().zip(&groups) {
                    level -= g;
                    assert_eq!(positions(m), expected(log, level, g), "{log} {groups:?} from {level}");
                }
            }
        }
    }

    #[test]
    fn full_size_in_three_factors() {
        let shape = |factors: &[Diagonals]| -> Vec<(usize, usize)> {
            let step = |m: &Diagonals| *m.keys().find(|&&k| k != 0).expect("more than one diagonal");
            let all = |m: &Diagonals| m.keys().all(|k| k % step(m) == 0);
            assert!(factors.iter().all(all));
            factors.iter().map(|m| (m.len(), step(m))).collect()
        };
        let there = slots_to_coeffs(15, &[5, 5, 5]).unwrap();
        assert_eq!(shape(&there), [(63, 1), (63, 32), (32, 1024)]);
        let back = coeffs_to_slots(15, &[5, 5, 5]).unwrap();
        assert_eq!(shape(&back), [(32, 1024), (63, 32), (63, 1)]);
        let w = random(1 << 15, 5);
        let mut slots = w.clone();
        SpecialFft::new(15).unwrap().forward(&mut slots).unwrap();
        let w = bit_reversed(&w);
        let found = apply_all(&there, &w);
        assert!(distance(&found, &slots) < 1e-12, "{}", distance(&found, &slots));
        let found = apply_all(&back, &slots);
        assert!(distance(&found, &w) < 1e-12, "{}", distance(&found, &w));
    }

    #[test]
    fn one_slot_needs_no_factor() {
        assert_eq!(slots_to_coeffs(0, &[]).unwrap(), []);
        assert_eq!(coeffs_to_slots(0, &[]).unwrap(), []);
    }

    #[test]
    #[should_panic(expected = "[2, 2] does not split 5 stages")]
    fn groups_must_add_up() {
        let _ = coeffs_to_slots(5, &[2, 2]);
    }
}
