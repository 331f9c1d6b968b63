//! How far the errors of an evaluation's products reach its value.
//!
//! Chebyshev polynomials of one argument share their errors, so a bound that adds up the errors of all of
//! them is far too large for high degrees. Here every division (of a product, of a sum, and of a value
//! that is lowered to another one's level) is a source of an error of its own, and the value's derivative by
//! each source is followed through the plan.

use std::collections::{BTreeMap, BTreeSet};

use super::plan::Node;
use crate::diagonals::log2_ceil;

/// A value of the plan at every point, and its derivatives by the error of each product so far.
#[derive(Clone)]
struct Traced {
    values: Vec<f64>,
    /// For each source its number, and the derivative at every point.
    derivatives: BTreeMap<usize, Vec<f64>>,
}

/// Chebyshev polynomials of the points, and the number of sources.
struct Trace<'a> {
    points: &'a [f64],
    known: BTreeMap<usize, Traced>,
    /// Those that were lowered, by their degree and the levels below the argument.
    lower: BTreeMap<(usize, usize), Traced>,
    sources: usize,
}

/// The root of the mean square of the error of a Chebyshev series' value at the worst of `points`, in units
/// of the error that one product adds.
pub(super) fn growth(needed: &BTreeSet<usize>, plan: &Node, points: &[f64]) -> f64 {
    let mut trace = Trace { points, known: BTreeMap::new(), lower: BTreeMap::new(), sources: 0 };
    needed.iter().for_each(|&i| {
        trace.power(i);
    });
    let made = trace.evaluate(plan);
    let square = |place: usize| made.derivatives.values().map(|d| d[place] * d[place]).sum::<f64>();
    (0..points.len()).map(square).fold(0.0, f64::max).sqrt()
}

impl Traced {
    fn exact(values: Vec<f64>) -> Self {
        Self { values, derivatives: BTreeMap::new() }
    }

    /// `self + factor * other`.
    fn plus(mut self, factor: f64, other: &Self) -> Self {
        add(&mut self.values, factor, &other.values);
        for (&source, d) in &other.derivatives {
            add(self.derivatives.entry(source).or_insert_with(|| vec![0.0; d.len()]), factor, d);
        }
        self
    }

    fn scaled(self, factor: f64) -> Self {
        Self::exact(vec![0.0; self.values.len()]).plus(factor, &self)
    }

    /// The product of two values, without an error of its own.
    fn times(&self, other: &Self) -> Self {
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).collect::<Vec<_>>();
        let by = |x: &Self, factor: &[f64]| Self {
            values: vec![0.0; factor.len()],
            derivatives: x.derivatives.iter().map(|(&source, d)| (source, product(d, factor))).collect(),
        };
        Self::exact(product(&self.values, &other.values))
            .plus(1.0, &by(self, &other.values))
            .plus(1.0, &by(other, &self.values))
    }
}

fn add(to: &mut [f64], factor: f64, from: &[f64]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
}

impl Trace<'_> {
    /// A value to which an operation adds an error of its own.
    fn finished(&mut self, mut value: Traced) -> Traced {
        value.derivatives.insert(self.sources, vec![1.0; self.points.len()]);
        self.sources += 1;
        value
    }

    /// The Chebyshev polynomial of degree i, as the evaluation makes it.
    fn power(&mut self, i: usize) -> Traced {
        if let Some(known) = self.known.get(&i) {
            return known.clone();
        }
        let made = match i {
            0 => Traced::exact(vec![1.0; self.points.len()]),
            1 => Traced::exact(self.points.to_vec()),
            _ => {
                let a = i.next_power_of_two() / 2;
                let depth = log2_ceil(i);
                let product = self.lowered(a, depth - 1).times(&self.lowered(i - a, depth - 1));
                let low = self.lowered(2 * a - i, depth);
                self.finished(product).scaled(2.0).plus(-1.0, &low)
            }
        };
        self.known.insert(i, made.clone());
        made
    }

    /// The Chebyshev polynomial of degree i, `depth` levels below the argument or where it is made.
    fn lowered(&mut self, i: usize, depth: usize) -> Traced {
        if i == 0 || log2_ceil(i) >= depth {
            return self.power(i);
        }
        if let Some(known) = self.lower.get(&(i, depth)) {
            return known.clone();
        }
        let own = self.power(i);
        let made = self.finished(own);
        self.lower.insert((i, depth), made.clone());
        made
    }

    fn evaluate(&mut self, node: &Node) -> Traced {
        match node {
            Node::Linear { constant, terms, .. } => {
                let start = Traced::exact(vec![*constant; self.points.len()]);
                let lowest = terms.iter().map(|&(i, _)| log2_ceil(i)).max().unwrap_or(0);
                let sum = terms.iter().fold(start, |sum, &(i, c)| sum.plus(c, &self.lowered(i, lowest)));
                self.finished(sum)
            }
            Node::Split { split, quotient, remainder, .. } => {
                let power = self.lowered(*split, quotient.budget());
                let product = self.evaluate(quotient).times(&power);
                let product = self.finished(product);
                match remainder {
                    None => product,
                    Some(rest) => product.plus(1.0, &self.evaluate(rest)),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::plan::plans;
    use super::*;
    use crate::circuits::{Basis, Polynomial};

    /// The growth is that of errors put into the evaluation one at a time, here for T_4 by hand: its first
    /// product's error e comes back as `8 * T_2 * e`, the second one's doubled.
    #[test]
    fn growth_of_a_square_of_a_square() {
        let p = Polynomial::new(Basis::Chebyshev { a: -1.0, b: 1.0 }, &[0.0, 0.0, 0.0, 0.0, 1.0]).unwrap();
        let (needed, nodes) = plans(&[&p]);
        let x: f64 = 0.9;
        let t2 = 2.0 * x * x - 1.0;
        let found = growth(&needed, &nodes[0], &[x]);
        // T_4 is a power times the quotient 1, or the product of two
        let own = (8.0 * t2).hypot(2.0);
        assert!((own..own + 4.0).contains(&found), "{found} {own}");
    }
}
