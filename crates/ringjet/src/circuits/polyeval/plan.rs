//! Plans of evaluations: which powers are made, and which products and sums of them.

use std::collections::BTreeSet;

use crate::circuits::polynomial::{Polynomial, divide};
use crate::diagonals::log2_ceil;

/// One step of the plan: how a (sub)polynomial is computed with `budget` levels below the input.
pub(super) enum Node {
    /// `constant + sum of coefficient * T_i`, with its number among these sums.
    Linear { number: usize, constant: f64, terms: Vec<(usize, f64)>, budget: usize },
    /// `quotient * T_split + remainder`.
    Split { split: usize, quotient: Box<Node>, remainder: Option<Box<Node>>, budget: usize },
}

/// The plans of polynomials with one basis and degrees of 1 or more, with the fewest relinearisations in
/// all, and the powers they need. Sums of powers count an eighth of a relinearisation.
pub(super) fn plans(ps: &[&Polynomial]) -> (BTreeSet<usize>, Vec<Node>) {
    let chebyshev = ps.iter().any(|p| p.chebyshev());
    let depth = |p: &Polynomial| log2_ceil(p.degree() + 1);
    let with = |log_baby: u32| {
        let mut planner = Planner { baby: 1 << log_baby, chebyshev, needed: BTreeSet::new(), leaves: 0 };
        let node = |p: &&Polynomial| {
            planner.leaves = 0;
            planner.plan(p.coefficients(), depth(p))
        };
        let nodes: Vec<Node> = ps.iter().map(node).collect();
        (planner.needed, nodes)
    };
    let cost = |(needed, nodes): &(BTreeSet<usize>, Vec<Node>)| {
        let (products, sums) = relinearisations(needed, nodes, chebyshev);
        8 * products + sums
    };
    let deepest = ps.iter().map(|p| depth(p)).max().unwrap_or(1);
    (1..=deepest as u32).map(with).min_by_key(cost).unwrap_or_else(|| with(1))
}

/// [`plans`] of polynomials whose argument is at level `top`. Where products are doubled, the coefficients
/// are halved.
pub(super) fn scaled_plans(
    ps: &[&Polynomial],
    top: usize,
    doubles: &dyn Fn(usize) -> bool,
) -> (BTreeSet<usize>, Vec<Node>) {
    let (needed, mut nodes) = plans(ps);
    nodes.iter_mut().for_each(|node| node.scale(1.0, top, doubles));
    (needed, nodes)
}

/// Adds power `i`, and the powers it is computed from, to `made`.
fn powers_of(i: usize, chebyshev: bool, made: &mut BTreeSet<usize>) {
    if i > 0 && !made.contains(&i) {
        let a = i.next_power_of_two() / 2;
        powers_of(a, chebyshev, made);
        powers_of(i - a, chebyshev, made);
        if chebyshev {
            powers_of(2 * a - i, chebyshev, made);
        }
        made.insert(i);
    }
}

/// The number of relinearisations that an evaluation of `p` takes.
pub(crate) fn products(p: &Polynomial) -> usize {
    let (needed, nodes) = plans(&[p]);
    relinearisations(&needed, &nodes, p.chebyshev()).0
}

/// The numbers of relinearisations and of sums of powers of plans: every power above 1 takes one
/// product, and every chain of splits one relinearisation.
fn relinearisations(needed: &BTreeSet<usize>, nodes: &[Node], chebyshev: bool) -> (usize, usize) {
    let mut made = BTreeSet::from([1]);
    needed.iter().for_each(|&i| powers_of(i, chebyshev, &mut made));
    let counts = nodes.iter().map(Node::count);
    counts.fold((made.len() - 1, 0), |all, own| (all.0 + own.0, all.1 + own.1))
}

impl Node {
    /// The number of levels below the input.
    pub(super) fn budget(&self) -> usize {
        match self {
            Self::Linear { budget, .. } | Self::Split { budget, .. } => *budget,
        }
    }

    /// Multiplies all coefficients by `by`, and by 1/2 for each product that is doubled.
    fn scale(&mut self, by: f64, top: usize, doubles: &dyn Fn(usize) -> bool) {
        match self {
            Self::Linear { constant, terms, .. } => {
                *constant *= by;
                terms.iter_mut().for_each(|(_, c)| *c *= by);
            }
            Self::Split { quotient, remainder, budget, .. } => {
                let half = if doubles(top - *budget) { 0.5 } else { 1.0 };
                quotient.scale(by * half, top, doubles);
                if let Some(remainder) = remainder {
                    remainder.scale(by, top, doubles);
                }
            }
        }
    }

    /// Calls `f(constant, terms, budget)` for each linear sum, by their numbers.
    pub(super) fn for_each_leaf(&self, f: &mut impl FnMut(f64, &[(usize, f64)], usize)) {
        match self {
            Self::Linear { constant, terms, budget, .. } => f(*constant, terms, *budget),
            Self::Split { quotient, remainder, .. } => {
                quotient.for_each_leaf(f);
                if let Some(remainder) = remainder {
                    remainder.for_each_leaf(f);
                }
            }
        }
    }

    /// The numbers of relinearisations and of sums of powers.
    fn count(&self) -> (usize, usize) {
        match self {
            Self::Linear { .. } => (0, 1),
            Self::Split { quotient, remainder, .. } => {
                let (p, s) = quotient.count();
                // products of the remainder are summed with this product and relinearised together
                let (rp, rs) = remainder.as_ref().map_or((0, 0), |r| {
                    let (rp, rs) = r.count();
                    (rp - usize::from(matches!(**r, Self::Split { .. })), rs)
                });
                (p + rp + 1, s + rs)
            }
        }
    }
}

struct Planner {
    /// Linear combinations use T_i with i < baby.
    baby: usize,
    chebyshev: bool,
    needed: BTreeSet<usize>,
    /// The number of linear sums so far.
    leaves: usize,
}

impl Planner {
    fn plan(&mut self, coefficients: &[f64], budget: usize) -> Node {
        let degree = coefficients.iter().rposition(|&c| c != 0.0).unwrap_or(0);
        // T_i is ready after ceil(log2 i) levels; multiplying it by a coefficient takes one more.
        if degree == 0 || (degree < self.baby && log2_ceil(degree) < budget) {
            let mut terms: Vec<_> =
                (1..=degree).filter(|&i| coefficients[i] != 0.0).map(|i| (i, coefficients[i])).collect();
            if terms.is_empty() {
                // a constant is added to a ciphertext
                terms.push((1, 0.0));
            }
            self.needed.extend(terms.iter().map(|t| t.0));
            self.leaves += 1;
            return Node::Linear { number: self.leaves - 1, constant: coefficients[0], terms, budget };
        }
        let split = 1 << degree.ilog2();
        self.needed.insert(split);
        let (quotient, remainder) = divide(&coefficients[..=degree], split, self.chebyshev);
        let quotient = Box::new(self.plan(&quotient, budget - 1));
        let rest = remainder.iter().any(|&c| c != 0.0);
        let remainder = rest.then(|| Box::new(self.plan(&remainder, budget)));
        Node::Split { split, quotient, remainder, budget }
    }
}
