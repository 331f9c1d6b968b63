//! Polynomials that interpolate a cosine near integers.

use crate::dd::Dd;
use crate::least_squares::times_argument;

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

/// The x for which `k * x` equals the integer of interval i plus `offset`.
pub(super) fn near(k: u32, i: usize, offset: f64) -> f64 {
    (i as f64 + 1.0 - f64::from(k) + offset) / f64::from(k)
}
