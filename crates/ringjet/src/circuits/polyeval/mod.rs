//! Evaluation of polynomials: Paterson-Stockmeyer at optimal depth.
//!
//! A polynomial of degree d takes `ceil(log2(d + 1))` levels, and one more where a Chebyshev
//! interval [a, b] must be mapped to [-1, 1] and 2 / (b - a) is not a whole number. A plan of the
//! powers and levels is made before anything is computed.

mod growth;
mod plan;

use std::collections::BTreeMap;

use super::Arithmetic;
use super::polynomial::{Basis, Polynomial};
use crate::diagonals::log2_ceil;
use crate::noise::ErrorTerm;
use crate::vectors::{Ciphertext, Evaluator, Operations};
use crate::{Error, Range, Result};
pub(crate) use plan::products;
use plan::{Node, plans, scaled_plans};

/// `p(x)` in every slot. Uses `p.depth()` levels; `x` with fewer is bootstrapped if possible. BGV and
/// BFV take `ceil(log2(d))` products in a row for the degree d, if the noise allows them.
///
/// # Errors
/// [`Error::MissingRelinearizationKey`]; the error of [`Arithmetic::expect_depth`] where levels
/// are missing; [`Error::OutsideInterval`] where values can leave a Chebyshev polynomial's
/// interval. BGV and BFV: [`Error::NoiseBudget`]; [`Error::NotResidue`] for coefficients that are no
/// integers; [`Error::Argument`] for a polynomial on an interval.
pub fn polynomial<E: Arithmetic>(eval: &E, x: &Ciphertext<E::Params>, p: &Polynomial) -> Result<Ciphertext<E::Params>> {
    eval.polynomial(x, p)
}

/// [`polynomial`] for schemes in which every coefficient takes a level.
pub fn levelled<E: Arithmetic>(eval: &E, x: &Ciphertext<E::Params>, p: &Polynomial) -> Result<Ciphertext<E::Params>> {
    Ok(all_levelled(eval, x, &[p])?.swap_remove(0))
}

/// Each of `ps` of every slot of `x`, for schemes in which every coefficient takes a level. Polynomials
/// with one basis share the powers, or Chebyshev polynomials, of `x`; of those with a stated slope and
/// those without each by themselves. Each takes its own number of levels.
/// Fails as [`polynomial`] does, before anything is computed where one has too few levels.
pub fn all_levelled<E: Arithmetic>(
    eval: &E,
    x: &Ciphertext<E::Params>,
    ps: &[&Polynomial],
) -> Result<Vec<Ciphertext<E::Params>>> {
    eval.evaluator().keys().relinearization()?;
    let Some(&deepest) = ps.iter().max_by_key(|p| p.depth()) else { return Ok(vec![]) };
    let x = &eval.with_levels(x, deepest.depth())?;
    eval.expect_depth(x, deepest)?;
    let mut made = vec![None; ps.len()];
    while let Some(first) = made.iter().position(Option::is_none) {
        let kind = |p: &Polynomial| (p.basis(), p.slope().is_some());
        let places: Vec<usize> = (first..ps.len()).filter(|&i| kind(ps[i]) == kind(ps[first])).collect();
        let group: Vec<&Polynomial> = places.iter().map(|&i| ps[i]).collect();
        let found = sharing_powers(eval, x, &group)?;
        places.into_iter().zip(found).for_each(|(i, ct)| made[i] = Some(ct));
    }
    Ok(made.into_iter().flatten().collect())
}

/// [`all_levelled`] of polynomials with one basis that all have a stated slope, or none.
fn sharing_powers<E: Arithmetic>(
    eval: &E,
    x: &Ciphertext<E::Params>,
    ps: &[&Polynomial],
) -> Result<Vec<Ciphertext<E::Params>>> {
    let given = x.noise();
    let stated = ps.iter().any(|p| p.slope().is_some());
    // The errors of the evaluation, and those of the argument. The estimate relies on the stated
    // slope. The bound does not, because it decides how much noise protects a shared result: by the
    // mean value theorem it grows by the largest derivative within the range.
    let exact = if stated { x.clone().with_noise(given.with_error(0.0, 0.0)) } else { x.clone() };
    let landing = |p: &Polynomial| eval.scale(eval.level(x) - p.depth());
    let all = polynomials_at(eval, &exact, &ps.iter().map(|&p| (p, landing(p))).collect::<Vec<_>>())?;
    (all.into_iter().zip(ps))
        .map(|(made, p)| {
            let Some(slope) = p.slope() else { return Ok(made) };
            let made = near_points(eval, made, p);
            let steepest = p.derivative()?.range(given.range())?.magnitude();
            let (error, scale) = (given.error(), made.noise().scale() / given.scale());
            let brought = ErrorTerm::new(error.scaled(slope * scale).variance, error.scaled(steepest * scale).bound);
            let noise = made.noise().plus_fixed(brought);
            Ok(made.with_noise(noise))
        })
        .collect()
}

impl<P: Operations> Evaluator<P>
where
    Self: Arithmetic<Params = P>,
{
    /// `p(x)` in every slot. Uses `p.depth()` levels, in HEAAN of `log_p` bits each. Where `x` has
    /// fewer, it is bootstrapped first if the evaluator can. Fails as [`polynomial`] does.
    pub fn polynomial(&self, x: &Ciphertext<P>, p: &Polynomial) -> Result<Ciphertext<P>> {
        polynomial(self, x, p)
    }
}

/// [`polynomial`] with a result at the scale `landing` instead of its level's own. `landing` must
/// be the scale of a product at the level above.
pub fn polynomial_at<E: Arithmetic>(
    eval: &E,
    x: &Ciphertext<E::Params>,
    p: &Polynomial,
    landing: E::Scale,
) -> Result<Ciphertext<E::Params>> {
    Ok(polynomials_at(eval, x, &[(p, landing)])?.swap_remove(0))
}

/// [`polynomial_at`] of polynomials with one basis, each with its own `landing`.
fn polynomials_at<E: Arithmetic>(
    eval: &E,
    x: &Ciphertext<E::Params>,
    ps: &[(&Polynomial, E::Scale)],
) -> Result<Vec<Ciphertext<E::Params>>> {
    let ranges = ps.iter().map(|(p, _)| p.range(x.noise().range())).collect::<Result<Vec<_>>>()?;
    let sum = |sum: &LeafSum<'_, E>| {
        let made = eval.weighted_sum(sum.terms, sum.level, sum.scale)?;
        if sum.constant == 0.0 { Ok(made) } else { eval.combine(&[(&made, 1)], sum.constant) }
    };
    let steep: Vec<_> = ps.iter().filter(|(p, _)| p.degree() > 0).copied().collect();
    let mut made = polynomials_by(eval, x, &steep, &sum)?.into_iter();
    (ps.iter().zip(ranges))
        .map(|((p, _), range)| match if p.degree() > 0 { made.next() } else { None } {
            Some(made) => Ok(made.with_range(range)),
            None => eval.combine(&[(x, 0)], p.coefficients()[0]),
        })
        .collect()
}

/// A sum of powers with coefficients: `constant + sum of coefficient * power`.
pub struct LeafSum<'a, E: Arithmetic> {
    /// The number of the sum, as in [`leaves`].
    pub number: usize,
    /// The constant.
    pub constant: f64,
    /// Powers with their coefficients.
    pub terms: &'a [(&'a Ciphertext<E::Params>, f64)],
    /// The level of the sum, below those of all powers.
    pub level: usize,
    /// The scale of the sum.
    pub scale: E::Scale,
}

/// What makes a [`LeafSum`].
pub type SumOf<'a, E> = dyn Fn(&LeafSum<'_, E>) -> Result<Ciphertext<<E as Arithmetic>::Params>> + 'a;

/// [`polynomial_at`] of a degree of at least 1 by `sum`, which makes each [`LeafSum`]. All else is
/// linear in these sums: if each of them is multiplied by a vector, so is the polynomial.
pub fn polynomial_by<E: Arithmetic>(
    eval: &E,
    x: &Ciphertext<E::Params>,
    p: &Polynomial,
    landing: E::Scale,
    sum: &SumOf<'_, E>,
) -> Result<Ciphertext<E::Params>> {
    Ok(polynomials_by(eval, x, &[(p, landing)], sum)?.swap_remove(0))
}

/// [`polynomial_by`] of polynomials with one basis, each with its own `landing`.
fn polynomials_by<E: Arithmetic>(
    eval: &E,
    x: &Ciphertext<E::Params>,
    ps: &[(&Polynomial, E::Scale)],
    sum: &SumOf<'_, E>,
) -> Result<Vec<Ciphertext<E::Params>>> {
    let Some(&(first, landing)) = ps.first() else { return Ok(vec![]) };
    let _scope = eval.evaluator().context().scope("PolyEval");
    let x = mapped(eval, x, first)?;
    let top = eval.level(&x);
    let polynomials: Vec<&Polynomial> = ps.iter().map(|(p, _)| *p).collect();
    let (needed, plans) = scaled_plans(&polynomials, top, &|level| eval.doubles(level));
    let (all, chebyshev) = (BTreeMap::from([(1, x)]), first.chebyshev());
    let mut run = Run { eval, all, lower: BTreeMap::new(), chebyshev, top, landing: (top, landing), sum };
    for i in needed {
        run.power(i)?;
    }
    (plans.iter().zip(ps))
        .map(|(plan, &(_, landing))| {
            run.landing = (top - plan.budget(), landing);
            run.evaluate(plan)
        })
        .collect()
}

/// A [`LeafSum`] before anything is computed.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaf {
    /// The constant.
    pub constant: f64,
    /// Coefficients with the levels of the ciphertexts that they multiply.
    pub terms: Vec<(usize, f64)>,
    /// The level of the sum.
    pub level: usize,
}

/// The sums of an evaluation of `p`, by their numbers. The argument, mapped to the interval of
/// Chebyshev polynomials, is at level `top`. `doubles` and `shares` are the evaluator's
/// [`Arithmetic::doubles`] and [`Arithmetic::shares_division`].
pub fn leaves(
    p: &Polynomial,
    top: usize,
    doubles: &dyn Fn(usize) -> bool,
    shares: &dyn Fn(usize, usize) -> bool,
) -> Vec<Leaf> {
    let mut all = Vec::new();
    scaled_plans(&[p], top, doubles).1[0].for_each_leaf(&mut |constant, terms, budget| {
        let level = top - budget;
        let own = terms.iter().map(|&(i, _)| top - log2_ceil(i)).collect();
        let from = operand_levels(own, |from| shares(from, level));
        let terms = from.into_iter().zip(terms).map(|(from, &(_, c))| (from, c)).collect();
        all.push(Leaf { constant, terms, level });
    });
    all
}

/// The levels at which a sum takes its operands, which have the levels `own`. Powers at different
/// levels may need one division each. Powers at one level need one division in all, and a lowered
/// power is kept for other sums.
fn operand_levels(own: Vec<usize>, shares: impl Fn(usize) -> bool) -> Vec<usize> {
    if own.iter().all(|&from| shares(from)) {
        return own;
    }
    let lowest = own.iter().copied().min().unwrap_or(0);
    vec![lowest; own.len()]
}

/// The argument for the coefficients: `x`, for Chebyshev polynomials mapped to [-1, 1].
pub fn mapped<E: Arithmetic>(eval: &E, x: &Ciphertext<E::Params>, p: &Polynomial) -> Result<Ciphertext<E::Params>> {
    let Basis::Chebyshev { a, b } = p.basis() else { return Ok(x.clone()) };
    let constant = -(a + b) / (b - a);
    let mapped = match p.whole_map() {
        Some(1) if constant == 0.0 => return Ok(x.clone()),
        Some(factor) => eval.combine(&[(x, factor)], constant)?,
        None => {
            let level = eval.level(x) - 1;
            let scaled = eval.weighted_sum(&[(x, 2.0 / (b - a))], level, eval.scale(level))?;
            eval.combine(&[(&scaled, 1)], constant)?
        }
    };
    Ok(mapped.with_range(UNIT))
}

/// The value with the error that its evaluation adds at the stated points, where that is known better than
/// by adding up all errors.
fn near_points<E: Arithmetic>(eval: &E, made: Ciphertext<E::Params>, p: &Polynomial) -> Ciphertext<E::Params> {
    let Some(unit) = eval.product_error(eval.level(&made)).filter(|_| !p.points().is_empty()) else {
        return made;
    };
    let (needed, plans) = plans(&[p]);
    let deviation = unit * plans.first().map_or(0.0, |plan| growth::growth(&needed, plan, p.points()));
    let noise = made.noise();
    let variance = (deviation * noise.scale()).powi(2).min(noise.variance());
    made.with_noise(noise.with_error(variance, noise.bound()))
}

/// The range of Chebyshev polynomials on their interval.
pub const UNIT: Range = Range::real(-1.0, 1.0);

/// The state of an evaluation: powers or Chebyshev polynomials of the input, at all levels.
struct Run<'a, E: Arithmetic> {
    eval: &'a E,
    all: BTreeMap<usize, Ciphertext<E::Params>>,
    lower: BTreeMap<(usize, usize), Ciphertext<E::Params>>,
    chebyshev: bool,
    top: usize,
    /// The level and the scale of the result.
    landing: (usize, E::Scale),
    sum: &'a SumOf<'a, E>,
}

impl<E: Arithmetic> Run<'_, E> {
    fn at(&mut self, i: usize, level: usize) -> Result<Ciphertext<E::Params>> {
        let own = &self.all[&i];
        if self.eval.level(own) == level {
            return Ok(own.clone());
        }
        if let Some(found) = self.lower.get(&(i, level)) {
            return Ok(found.clone());
        }
        let aligned = self.eval.align(own, level)?;
        self.lower.insert((i, level), aligned.clone());
        Ok(aligned)
    }

    fn power(&mut self, i: usize) -> Result<Ciphertext<E::Params>> {
        if let Some(ct) = self.all.get(&i) {
            return Ok(ct.clone());
        }
        let (eval, a) = (self.eval, i.next_power_of_two() / 2);
        let (u, v) = (self.power(a)?, self.power(i - a)?);
        let level = eval.level(&u).min(eval.level(&v));
        let (u, v) = (self.at(a, level)?, self.at(i - a, level)?);
        let mut product = eval.mul(&u, &v)?;
        if self.chebyshev {
            // T_i = 2 * T_a * T_(i-a) - T_(2a-i)
            product = if 2 * a == i {
                eval.doubled(&product, None, -1.0)?
            } else {
                let low = self.at(2 * a - i, eval.level(&product))?;
                eval.doubled(&product, Some((&low, -1)), 0.0)?
            };
            product = product.with_range(UNIT);
        }
        self.all.insert(i, product.clone());
        Ok(product)
    }

    fn evaluate(&mut self, node: &Node) -> Result<Ciphertext<E::Params>> {
        match node {
            Node::Linear { number, constant, terms, budget } => {
                self.linear(*number, *constant, terms, self.top - budget)
            }
            Node::Split { .. } => self.splits(node),
        }
    }

    fn linear(
        &mut self,
        number: usize,
        constant: f64,
        terms: &[(usize, f64)],
        level: usize,
    ) -> Result<Ciphertext<E::Params>> {
        let eval = self.eval;
        let own = terms.iter().map(|(i, _)| eval.level(&self.all[i])).collect();
        let from = operand_levels(own, |from| eval.shares_division(from, level));
        let operands = terms.iter().zip(from).map(|(&(i, _), from)| self.at(i, from)).collect::<Result<Vec<_>>>()?;
        let terms: Vec<_> = operands.iter().zip(terms).map(|(x, &(_, c))| (x, c)).collect();
        let scale = if level == self.landing.0 { self.landing.1 } else { eval.scale(level) };
        (self.sum)(&LeafSum { number, constant, terms: &terms, level, scale })
    }

    /// `quotient_1 * T_1 + (quotient_2 * T_2 + (... + rest))`. All products are at one level, so
    /// their sum is finished once.
    fn splits(&mut self, node: &Node) -> Result<Ciphertext<E::Params>> {
        let eval = self.eval;
        let halved = eval.doubles(self.top - node.budget());
        let (mut rest, mut sum, mut level): (_, Option<Ciphertext<E::Params>>, _) = (Some(node), None, None);
        while let Some(Node::Split { split, quotient, remainder, .. }) = rest {
            let quotient = self.evaluate(quotient)?;
            let level = *level.get_or_insert(eval.level(&quotient).min(eval.level(&self.all[split])));
            let (power, quotient) = (self.at(*split, level)?, eval.align(&quotient, level)?);
            let product = eval.product(&quotient, &power)?;
            sum = Some(match sum {
                None => product,
                Some(s) => eval.evaluator().add_auto(&s, &product)?,
            });
            rest = remainder.as_deref();
        }
        let sum = eval.finish(&sum.ok_or_else(|| Error::none("products"))?)?;
        let sum = if halved { eval.doubled(&sum, None, 0.0)? } else { sum };
        match rest {
            None => Ok(sum),
            Some(leaf) => eval.evaluator().add_auto(&sum, &self.evaluate(leaf)?),
        }
    }
}
