//! Polynomials of a ciphertext: Paterson-Stockmeyer at optimal depth, in the power or the Chebyshev basis.
//!
//! A polynomial of degree d takes `ceil(log2(d + 1))` levels (one more where a Chebyshev interval must first be mapped
//! to [-1, 1]). A dry run finds the powers needed and the levels before anything is computed.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Ciphertext, Error, Evaluator, Range, Result, Scale};

/// The basis of a polynomial's coefficients.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Basis {
    /// 1, x, x^2, ...
    Power,
    /// Chebyshev polynomials of the first kind on the interval `[a, b]`.
    Chebyshev {
        /// Lower end.
        a: f64,
        /// Upper end.
        b: f64,
    },
}

/// In which order powers, sums and products are made: for measurement, the results differ in rounding only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Schedule {
    /// At optimal depth, with as few relinearisations as are found.
    #[default]
    Fewest,
    /// Level by level, one level deeper: as the published cost model of de Castro et al. counts it.
    Levelled,
}

/// A polynomial with real coefficients.
#[derive(Debug, Clone, PartialEq)]
pub struct Polynomial {
    basis: Basis,
    coefficients: Vec<f64>,
    schedule: Schedule,
}

impl Polynomial {
    /// From coefficients, constant first; trailing zeros are dropped. At most degree 4095.
    pub fn new(basis: Basis, coefficients: &[f64]) -> Result<Self> {
        if let Some(index) = coefficients.iter().position(|c| !c.is_finite()) {
            return Err(Error::NotFinite { index, value: coefficients[index] });
        }
        if let Basis::Chebyshev { a, b } = basis
            && !(a < b && a.is_finite() && b.is_finite())
        {
            let expected = "finite ends with a < b".to_string();
            return Err(Error::Argument { name: "interval", value: format!("[{a}, {b}]"), expected });
        }
        let len = coefficients.iter().rposition(|&c| c != 0.0).map_or(1, |i| i + 1);
        if coefficients.is_empty() || len > 4096 {
            let expected = "1 to 4096 coefficients".to_string();
            return Err(Error::Argument { name: "coefficients", value: coefficients.len().to_string(), expected });
        }
        Ok(Self { basis, coefficients: coefficients[..len].to_vec(), schedule: Schedule::default() })
    }

    /// Chebyshev interpolation of `f` on `[a, b]` with a polynomial of degree `degree`.
    pub fn interpolate(f: impl Fn(f64) -> f64, a: f64, b: f64, degree: usize) -> Result<Self> {
        let n = degree + 1;
        let node = |k: usize| (std::f64::consts::PI * (k as f64 + 0.5) / n as f64).cos();
        let values: Vec<f64> = (0..n).map(|k| f(0.5 * (a + b) + 0.5 * (b - a) * node(k))).collect();
        let coefficient = |j: usize| {
            let angle = |k: usize| std::f64::consts::PI * j as f64 * (k as f64 + 0.5) / n as f64;
            let sum: f64 = values.iter().enumerate().map(|(k, v)| v * angle(k).cos()).sum();
            sum * if j == 0 { 1.0 } else { 2.0 } / n as f64
        };
        Self::new(Basis::Chebyshev { a, b }, &(0..n).map(coefficient).collect::<Vec<_>>())
    }

    /// The same, evaluated in another order.
    pub fn scheduled(mut self, schedule: Schedule) -> Self {
        self.schedule = schedule;
        self
    }

    /// The basis of the coefficients.
    pub fn basis(&self) -> Basis {
        self.basis
    }

    /// Degree.
    pub fn degree(&self) -> usize {
        self.coefficients.len() - 1
    }

    /// Value at `x`, in the clear.
    pub fn eval(&self, x: f64) -> f64 {
        match self.basis {
            Basis::Power => self.coefficients.iter().rev().fold(0.0, |acc, c| acc * x + c),
            Basis::Chebyshev { a, b } => {
                // Clenshaw
                let t = (2.0 * x - a - b) / (b - a);
                let (mut u, mut v) = (0.0, 0.0);
                for c in self.coefficients[1..].iter().rev() {
                    (u, v) = (2.0 * t * u - v + c, u);
                }
                t * u - v + self.coefficients[0]
            }
        }
    }

    /// Bounds on the polynomial's values where its argument is within `x`: exact but for 2 per cent of their width.
    ///
    /// # Errors
    /// [`Error::OutsideInterval`] where the argument can leave a Chebyshev polynomial's interval.
    pub fn range(&self, x: Range) -> Result<Range> {
        if let Basis::Chebyshev { a, b } = self.basis
            && self.degree() > 0
        {
            let slack = 1e-9 * (b - a);
            if !(x.low() >= a - slack && x.high() <= b + slack && x.is_real()) {
                let (low, high, imaginary) = (x.low(), x.high(), x.imaginary());
                return Err(Error::OutsideInterval { low, high, imaginary, a, b });
            }
        }
        if !x.is_real() {
            let size = self.coefficients.iter().rev().fold(0.0, |acc, c| acc * x.magnitude() + c.abs());
            return Ok(Range::complex(size));
        }
        // Of m Chebyshev nodes, m > d, the largest value is at least cos(pi d / 2m) of the polynomial's largest
        // (Ehlich and Zeller 1964).
        let nodes = 8 * (self.degree() + 1);
        let (middle, radius) = (0.5 * (x.low() + x.high()), 0.5 * (x.high() - x.low()));
        let node = |k: usize| middle + radius * (std::f64::consts::PI * (k as f64 + 0.5) / nodes as f64).cos();
        let (low, high) = (0..nodes)
            .map(|k| self.eval(node(k)))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |m, y| (m.0.min(y), m.1.max(y)));
        let (centre, half) = (0.5 * (low + high), 0.5 * (high - low) * 1.0197);
        Ok(Range::real(centre - half, centre + half))
    }

    /// Levels an evaluation uses: one more for [`Schedule::Levelled`] from degree 2 on.
    pub fn depth(&self) -> usize {
        match self.degree() {
            0 => 0,
            d => log2_ceil(d + 1) + usize::from(self.needs_map()) + usize::from(self.is_levelled()),
        }
    }

    fn is_levelled(&self) -> bool {
        self.schedule == Schedule::Levelled && self.degree() > 1
    }

    /// The coefficients, constant first.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    fn needs_map(&self) -> bool {
        !matches!(self.basis, Basis::Power | Basis::Chebyshev { a: -1.0, b: 1.0 }) && self.degree() > 0
    }

    pub(super) fn chebyshev(&self) -> bool {
        matches!(self.basis, Basis::Chebyshev { .. })
    }
}

/// Of Chebyshev polynomials on their interval.
const UNIT: Range = Range::real(-1.0, 1.0);

pub(super) fn log2_ceil(x: usize) -> usize {
    x.next_power_of_two().trailing_zeros() as usize
}

/// One step of the plan: how a (sub)polynomial is computed with `budget` levels below the input.
enum Node {
    /// `constant + sum of coefficient * T_i`.
    Linear { constant: f64, terms: Vec<(usize, f64)>, budget: usize },
    /// `quotient * T_split + remainder`.
    Split { split: usize, quotient: Box<Node>, remainder: Option<Box<Node>> },
}

/// The plan with the fewest relinearisations, sums of powers counting an eighth, and the powers it needs.
fn plan(coefficients: &[f64], depth: usize, chebyshev: bool) -> (BTreeSet<usize>, Node) {
    let with = |log_baby: u32| {
        let mut planner = Planner { baby: 1 << log_baby, chebyshev, needed: BTreeSet::new() };
        let node = planner.plan(coefficients, depth);
        (planner.needed, node)
    };
    // every power above 1 is a product, as is every chain of splits
    let cost = |(needed, node): &(BTreeSet<usize>, Node)| {
        let mut made = BTreeSet::from([1]);
        needed.iter().for_each(|&i| powers_of(i, chebyshev, &mut made));
        let (products, sums) = node.count();
        8 * (made.len() - 1 + products) + sums
    };
    let plans = (1..=depth as u32).map(with);
    plans.min_by_key(cost).unwrap_or_else(|| with(1))
}

/// What computing power `i` needs, added to `made`.
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

impl Node {
    /// Relinearisations and sums of powers.
    fn count(&self) -> (usize, usize) {
        match self {
            Self::Linear { .. } => (0, 1),
            Self::Split { quotient, remainder, .. } => {
                let (p, s) = quotient.count();
                // a remainder that is a product itself joins this one
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
}

impl Planner {
    fn plan(&mut self, coefficients: &[f64], budget: usize) -> Node {
        let degree = coefficients.iter().rposition(|&c| c != 0.0).unwrap_or(0);
        // T_i is ready after ceil(log2 i) levels, its coefficient takes one more.
        if degree == 0 || (degree < self.baby && log2_ceil(degree) < budget) {
            let terms: Vec<_> =
                (1..=degree).filter(|&i| coefficients[i] != 0.0).map(|i| (i, coefficients[i])).collect();
            self.needed.extend(terms.iter().map(|t| t.0));
            return Node::Linear { constant: coefficients[0], terms, budget };
        }
        let split = 1 << degree.ilog2();
        self.needed.insert(split);
        let (quotient, remainder) = divide(&coefficients[..=degree], split, self.chebyshev);
        let quotient = Box::new(self.plan(&quotient, budget - 1));
        let rest = remainder.iter().any(|&c| c != 0.0);
        let remainder = rest.then(|| Box::new(self.plan(&remainder, budget)));
        Node::Split { split, quotient, remainder }
    }
}

/// `p = quotient * T_split + remainder`; in the Chebyshev basis by `2 T_a T_b = T_(a+b) + T_|a-b|`.
pub(super) fn divide(p: &[f64], split: usize, chebyshev: bool) -> (Vec<f64>, Vec<f64>) {
    let mut quotient = p[split..].to_vec();
    let mut remainder = p[..split].to_vec();
    if chebyshev {
        for (i, q) in quotient.iter_mut().enumerate().skip(1) {
            // c T_(split+i) = 2c T_split T_i - c T_(split-i)
            remainder[split - i] -= *q;
            *q *= 2.0;
        }
    }
    (quotient, remainder)
}

impl Evaluator {
    /// `p(x)` in every slot. Uses `p.depth()` levels.
    pub fn polynomial(&self, x: &Ciphertext, p: &Polynomial) -> Result<Ciphertext> {
        self.keys().relinearization()?;
        let x = &self.with_levels(x, p.depth())?;
        if x.level() < p.depth() {
            return Err(Error::levels_exhausted("polynomial evaluation", p.depth(), x.level()));
        }
        self.polynomial_to(x, p, self.context().params().scale(x.level() - p.depth()))
    }

    /// The same, with a result of another scale than its level's own: that of a product of the level above.
    pub(crate) fn polynomial_to(&self, x: &Ciphertext, p: &Polynomial, landing: Scale) -> Result<Ciphertext> {
        let _scope = self.context().scope("PolyEval");
        let range = p.range(x.noise().range())?;
        if p.degree() == 0 {
            let zero = self.mul_integer(x, 0)?;
            return self.add_scalar(&zero, p.coefficients[0]);
        }
        let x = match p.basis {
            Basis::Chebyshev { a, b } if p.needs_map() => {
                let mapped = self.weighted_sum(&[(x, 2.0 / (b - a))], x.level() - 1)?;
                self.add_scalar(&mapped, -(a + b) / (b - a))?.with_range(UNIT)
            }
            _ => x.clone(),
        };
        if p.is_levelled() {
            return Ok(self.levelled(&x, p)?.with_range(range));
        }
        let depth = log2_ceil(p.degree() + 1);
        let (needed, plan) = plan(&p.coefficients, depth, p.chebyshev());
        let top = x.level();
        let landing = (top - depth, landing);
        let mut powers = Powers { all: BTreeMap::from([(1, x)]), lower: BTreeMap::new(), landing };
        for i in needed {
            self.power(&mut powers, i, p.chebyshev())?;
        }
        Ok(self.evaluate(&plan, &mut powers, top)?.with_range(range))
    }

    fn power(&self, powers: &mut Powers, i: usize, chebyshev: bool) -> Result<Ciphertext> {
        if let Some(ct) = powers.all.get(&i) {
            return Ok(ct.clone());
        }
        let a = i.next_power_of_two() / 2;
        let (u, v) = (self.power(powers, a, chebyshev)?, self.power(powers, i - a, chebyshev)?);
        let level = u.level().min(v.level());
        let (u, v) = (powers.at(self, a, level)?, powers.at(self, i - a, level)?);
        let mut product = self.mul_relin_rescale(&u, &v)?;
        if chebyshev {
            // T_i = 2 T_a T_(i-a) - T_(2a-i)
            product = if 2 * a == i {
                self.combine(&[(&product, 2)], -1.0)?
            } else {
                let low = powers.at(self, 2 * a - i, product.level())?;
                self.combine(&[(&product, 2), (&low, -1)], 0.0)?
            };
            product = product.with_range(UNIT);
        }
        powers.all.insert(i, product.clone());
        Ok(product)
    }

    fn evaluate(&self, node: &Node, powers: &mut Powers, top: usize) -> Result<Ciphertext> {
        match node {
            Node::Linear { constant, terms, budget } => {
                let level = top - budget;
                let terms = if terms.is_empty() { &[(1, 0.0)][..] } else { terms };
                // Where levels are not nested, powers at one level need one division in all; each comes down once for
                // all the sums it is in.
                let params = self.context().params();
                let lowest = terms.iter().map(|(i, _)| powers.all[i].level()).min().unwrap_or(level + 1);
                let nested = terms.iter().all(|(i, _)| params.is_nested(powers.all[i].level(), level + 1));
                let operands = (terms.iter())
                    .map(|&(i, c)| {
                        let here = if nested { powers.all[&i].clone() } else { powers.at(self, i, lowest)? };
                        Ok((here, c))
                    })
                    .collect::<Result<Vec<_>>>()?;
                let weighted: Vec<(&Ciphertext, f64)> = operands.iter().map(|(x, c)| (x, *c)).collect();
                let target = if level == powers.landing.0 { powers.landing.1 } else { params.scale(level) };
                let sum = self.weighted_to(&weighted, level, target)?;
                if *constant == 0.0 { Ok(sum) } else { self.add_scalar(&sum, *constant) }
            }
            Node::Split { .. } => {
                // quotient_1 T_1 + (quotient_2 T_2 + (... + rest)): all products of the same level, so one relinearisation
                let (mut rest, mut sum, mut level): (_, Option<Ciphertext>, _) = (Some(node), None, None);
                while let Some(Node::Split { split, quotient, remainder }) = rest {
                    let quotient = self.evaluate(quotient, powers, top)?;
                    let level = *level.get_or_insert(quotient.level().min(powers.all[split].level()));
                    let (power, quotient) = (powers.at(self, *split, level)?, self.align(&quotient, level)?);
                    let product = self.mul_for_sum(&quotient, &power)?;
                    sum = Some(match sum {
                        None => product,
                        Some(s) => self.add(&s, &product)?,
                    });
                    rest = remainder.as_deref();
                }
                let Some(sum) = sum else {
                    return Err(Error::Argument { name: "node", value: "none".into(), expected: "a product".into() });
                };
                let sum = self.finish_sum(sum)?;
                match rest {
                    None => Ok(sum),
                    Some(leaf) => {
                        let leaf = self.evaluate(leaf, powers, top)?;
                        self.add_auto(&sum, &leaf)
                    }
                }
            }
        }
    }
}

/// Powers, or Chebyshev polynomials, of the input, and what they are at lower levels.
struct Powers {
    all: BTreeMap<usize, Ciphertext>,
    lower: BTreeMap<(usize, usize), Ciphertext>,
    /// The level of the result, and its scale.
    landing: (usize, Scale),
}

impl Powers {
    /// Power `i` at `level`.
    fn at(&mut self, eval: &Evaluator, i: usize, level: usize) -> Result<Ciphertext> {
        let own = &self.all[&i];
        if own.level() == level {
            return Ok(own.clone());
        }
        if let Some(found) = self.lower.get(&(i, level)) {
            return Ok(found.clone());
        }
        let aligned = eval.align(own, level)?;
        self.lower.insert((i, level), aligned.clone());
        Ok(aligned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_and_interpolation_agree_with_evaluation() {
        let p = Polynomial::interpolate(|x| (x * 0.7).sin() + 0.2, -3.0, 5.0, 31).unwrap();
        for i in 0..50 {
            let x = -3.0 + 8.0 * f64::from(i) / 49.0;
            assert!((p.eval(x) - (x * 0.7).sin() - 0.2).abs() < 1e-9);
        }
        assert_eq!(p.depth(), 6);
        let unit = Basis::Chebyshev { a: -1.0, b: 1.0 };
        let c: Vec<f64> = (0..14).map(|i| f64::from(i * i % 7) - 3.0).collect();
        let (q, r) = divide(&c, 8, true);
        let [p, q, r, t] =
            [&c[..], &q, &r, &[0., 0., 0., 0., 0., 0., 0., 0., 1.]].map(|c| Polynomial::new(unit, c).unwrap());
        for x in [-0.9, -0.2, 0.33, 1.0] {
            assert!((p.eval(x) - q.eval(x) * t.eval(x) - r.eval(x)).abs() < 1e-12);
        }
        assert!(Polynomial::new(Basis::Power, &[f64::NAN]).is_err());
        assert!(Polynomial::new(Basis::Chebyshev { a: 2.0, b: 1.0 }, &[1.0]).is_err());
    }
}
