//! Polynomials that fit a cosine near integers: by interpolation, and by least squares.

use crate::dd::Dd;

/// A value that a polynomial should have at y, and how much its squared error counts.
pub(super) struct Sample {
    pub(super) y: Dd,
    pub(super) value: Dd,
    pub(super) weight: Dd,
}

/// Chebyshev coefficients of the polynomial of degree `degree` with the least weighted sum of
/// squared errors. Polynomials that are orthogonal on the samples follow from each other by a
/// recurrence of three terms (Forsythe, "Generation and use of orthogonal polynomials for
/// data-fitting", 1957); each takes its share of what the ones before it left.
pub(super) fn least_squares(samples: &[Sample], degree: usize) -> Vec<Dd> {
    let zero = Dd::from(0.0);
    let dot = |a: &[Dd], b: &[Dd]| {
        samples.iter().zip(a).zip(b).fold(zero, |sum, ((sample, &a), &b)| sum + sample.weight * a * b)
    };
    let mut left: Vec<Dd> = samples.iter().map(|s| s.value).collect();
    let mut fit = vec![zero; degree + 1];
    // the polynomial of each degree: its values at the samples, and its coefficients
    let (mut before, mut now) =
        ((vec![zero; samples.len()], fit.clone()), (vec![Dd::from(1.0); samples.len()], fit.clone()));
    now.1[0] = Dd::from(1.0);
    let mut norm_before = Dd::from(1.0);
    for _ in 0..=degree {
        let norm = dot(&now.0, &now.0);
        let share = dot(&left, &now.0) / norm;
        left.iter_mut().zip(&now.0).for_each(|(l, &p)| *l = *l - share * p);
        fit.iter_mut().zip(&now.1).for_each(|(f, &c)| *f = *f + share * c);
        let shifted: Vec<Dd> = samples.iter().zip(&now.0).map(|(s, &p)| s.y * p).collect();
        let (alpha, beta) = (dot(&shifted, &now.0) / norm, norm / norm_before);
        let next = |shifted: Vec<Dd>, now: &[Dd], before: &[Dd]| -> Vec<Dd> {
            shifted.iter().zip(now).zip(before).map(|((&s, &p), &b)| s - alpha * p - beta * b).collect()
        };
        let values = next(shifted, &now.0, &before.0);
        let coefficients = next(times_argument(&now.1), &now.1, &before.1);
        (before, now, norm_before) = (now, (values, coefficients), norm);
    }
    fit
}

/// The positions of the interpolation nodes.
pub(super) struct Nodes {
    /// Half the width of the intervals, in units of `k * x`.
    radius: f64,
    /// Number of nodes in each interval.
    pub(super) counts: Vec<usize>,
}

/// Nodes for intervals of half width `radius`. The intervals are made wider as long as the loss of
/// precision does not show in a double, because nodes that are close together cost precision, see
/// [`interpolate`].
pub(super) fn place(k: u32, double_angles: u32, number: usize, mut radius: f64) -> Nodes {
    let mut counts = spread(k, double_angles, number, radius).0;
    while radius <= 0.125 {
        let (wider, bound) = spread(k, double_angles, number, 2.0 * radius);
        if bound > 2f64.powi(-60) {
            break;
        }
        (counts, radius) = (wider, 2.0 * radius);
    }
    Nodes { radius, counts }
}

/// The number of nodes in each interval, and the resulting bound on the error for n nodes. The
/// bound is the product of two numbers: a bound on `|f^(n)| / n!`, where f^(n) is at most the
/// angular frequency to the power n, and the size of the monic polynomial whose roots are the n
/// nodes. Each node goes to the interval where the bound is worst.
fn spread(k: u32, double_angles: u32, number: usize, radius: f64) -> (Vec<usize>, f64) {
    let intervals = 2 * k as usize - 1;
    let frequency = std::f64::consts::TAU / (1u64 << double_angles) as f64; // angular frequency of f in k * x
    let (mut counts, mut bounds) = (vec![0; intervals], vec![1f64; intervals]);
    for n in 1..=number {
        let worst = (0..intervals).fold(0, |a, b| if bounds[b] > bounds[a] { b } else { a });
        for (i, bound) in bounds.iter_mut().enumerate() {
            let distance = match i.abs_diff(worst) {
                // The monic Chebyshev polynomial of an interval is at most 2 * (radius / 2)^count
                // in size.
                0 if counts[worst] == 0 => radius,
                0 => radius / 2.0,
                distance => distance as f64,
            };
            *bound *= distance * frequency / n as f64;
        }
        counts[worst] += 1;
    }
    (counts, bounds.into_iter().fold(0.0, f64::max))
}

impl Nodes {
    /// The Chebyshev nodes of every interval, as values of x.
    pub(super) fn list(&self, k: u32) -> Vec<f64> {
        let mut out = vec![];
        for (i, &count) in self.counts.iter().enumerate() {
            for q in 0..count {
                let turn = Dd::from((2 * q + 1) as f64) / Dd::from((4 * count) as f64);
                out.push(near(k, i, self.radius * turn.cos_turn().hi));
            }
        }
        out
    }
}

/// Orders the nodes so that each node is as far as possible (by the product of distances) from the
/// nodes before it. Newton's form is stable in this order.
pub(super) fn leja_order(mut nodes: Vec<f64>) -> Vec<f64> {
    let mut products = vec![1.0; nodes.len()];
    for j in 0..nodes.len() {
        let next = (j..nodes.len()).fold(j, |a, b| if products[b] > products[a] { b } else { a });
        nodes.swap(j, next);
        products.swap(j, next);
        for i in j + 1..nodes.len() {
            products[i] *= (nodes[i] - nodes[j]).abs();
        }
    }
    nodes
}

/// Chebyshev coefficients of the polynomial through the given nodes and values. The function
/// computes Newton's divided differences, then expands Newton's form by Horner's scheme. Nodes of
/// one interval are as close as 2^-16, so a difference of order m loses 16 * m of the 100 bits.
/// Inside the intervals a difference is multiplied by a polynomial that is small by the same
/// factor, so no precision is lost there. Between the intervals precision is lost.
pub(super) fn interpolate(nodes: &[f64], mut differences: Vec<Dd>) -> Vec<Dd> {
    let n = nodes.len();
    for order in 1..n {
        for i in (order..n).rev() {
            let distance = Dd::from(nodes[i]) - Dd::from(nodes[i - order]);
            differences[i] = (differences[i] - differences[i - 1]) / distance;
        }
    }
    let mut p = vec![Dd::from(0.0); n];
    for (&node, &difference) in nodes.iter().zip(&differences).rev() {
        // the last coefficient is still zero, so the product has no higher term
        p = times_argument(&p).iter().zip(&p).map(|(&shifted, &c)| shifted - c * Dd::from(node)).collect();
        p[0] = p[0] + difference;
    }
    p
}

/// The Chebyshev coefficients of x times a polynomial, without a term above its last coefficient:
/// `x * T_0 = T_1`, `2 * x * T_j = T_(j-1) + T_(j+1)`.
fn times_argument(p: &[Dd]) -> Vec<Dd> {
    let at = |i: usize| p.get(i).copied().unwrap_or(Dd::from(0.0));
    let below = |i: usize| if i == 1 { at(0) * Dd::from(2.0) } else { at(i.wrapping_sub(1)) };
    (0..p.len()).map(|i| (below(i) + at(i + 1)) * Dd::from(0.5)).collect()
}

/// The x for which `k * x` equals the integer of interval i plus `offset`.
pub(super) fn near(k: u32, i: usize, offset: f64) -> f64 {
    (i as f64 + 1.0 - f64::from(k) + offset) / f64::from(k)
}
