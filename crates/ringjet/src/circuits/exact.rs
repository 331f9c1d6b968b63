//! Polynomials of the exact schemes: what is refused is what the noise refuses.
//!
//! Coefficients are integers, and a product with an integer takes no level, only noise. So a
//! polynomial of degree d takes `ceil(log2(d))` products in a row, one fewer than CKKS where d is a
//! power of two. Whether there is room for them depends on the ciphertext, and the operations
//! themselves say so: nothing is counted beforehand.

use std::collections::{BTreeMap, BTreeSet};

use super::polynomial::{Basis, Polynomial, divide};
use crate::bgv::{Ciphertext, Evaluator};
use crate::diagonals::log2_ceil;
use crate::{Error, Result};

/// Degrees up to which Horner's rule is tried as well: one product a degree.
const SHORT: usize = 4;

/// A lower level is chosen if it costs at most this much budget, in bits.
const WORTH_A_LEVEL: f64 = 0.5;

/// `p(x)` in every slot. Of several orders of computation the one with the fewest relinearisations
/// is tried first; the others are tried where its noise is too large.
///
/// # Errors
/// [`Error::NoiseBudget`] where every order has too much noise, with what the best one lacks;
/// [`Error::NotResidue`] for coefficients that are no integers; [`Error::Argument`] for a polynomial
/// on an interval; [`Error::MissingRelinearizationKey`].
pub(super) fn polynomial(eval: &Evaluator, x: &Ciphertext, p: &Polynomial) -> Result<Ciphertext> {
    let _scope = eval.context().scope("PolyEval");
    if p.basis() != Basis::Power {
        let expected = "coefficients of powers: values are integers modulo t, and no interval holds them";
        return Err(Error::argument("polynomial", "a Chebyshev series", expected));
    }
    let c = p.coefficients();
    if p.degree() > 1 {
        eval.keys().relinearization()?;
    }
    let mut refused: Option<Error> = None;
    for sum in orders(c) {
        let mut powers = Powers { eval, known: BTreeMap::from([(1, x.clone())]) };
        match powers.evaluate(&sum) {
            Err(error @ Error::NoiseBudget { .. }) => {
                refused = Some(
                    refused
                        .map_or(error.clone(), |other| if missing(&other) <= missing(&error) { other } else { error }),
                );
            }
            Ok(made) => return settled(eval, x, &made, p),
            refused => return refused,
        }
    }
    Err(refused.map_or_else(|| Error::none("coefficients"), named))
}

/// The result at the lowest level at which it has as much noise budget, at most as many levels below x
/// as other schemes take: it is smaller there, and so is the noise that must hide in a shared result.
fn settled(eval: &Evaluator, x: &Ciphertext, made: &Ciphertext, p: &Polynomial) -> Result<Ciphertext> {
    let mut settled = made.clone();
    for level in (x.level().saturating_sub(p.depth())..made.level()).rev() {
        match eval.switch_to(made, level) {
            Ok(lower) if lower.noise_budget() > made.noise_budget() - WORTH_A_LEVEL => settled = lower,
            Ok(_) | Err(Error::NoiseBudget { .. }) => break,
            refused => return refused,
        }
    }
    Ok(settled)
}

/// The bits of modulus that a refused operation lacks.
fn missing(error: &Error) -> f64 {
    match error {
        Error::NoiseBudget { needed, available, .. } => needed - available,
        _ => 0.0,
    }
}

/// The error of an operation of the polynomial as that of the polynomial.
fn named(error: Error) -> Error {
    match error {
        Error::NoiseBudget { needed, available, .. } => {
            Error::NoiseBudget { op: "polynomial evaluation", needed, available }
        }
        other => other,
    }
}

/// `constant + sum of coefficient * x^i + sum of quotient * x^split`.
#[derive(Debug, Clone, PartialEq)]
struct Sum {
    constant: f64,
    terms: Vec<(usize, f64)>,
    products: Vec<(Sum, usize)>,
}

/// The orders in which a polynomial is evaluated, the cheapest first, each once.
fn orders(c: &[f64]) -> Vec<Sum> {
    let degree = c.len() - 1;
    let log = log2_ceil(degree.max(1) + 1) as u32;
    let mut all: Vec<Sum> = (1..=log).map(|log_baby| by_giant_steps(c, 1 << log_baby)).collect();
    all.sort_by_key(Sum::relinearisations); // stable: of equally many the one with fewer powers
    // the cheapest order, and the one of powers alone, which adds the least noise before its sum
    let direct = by_giant_steps(c, degree + 1);
    let mut chosen = vec![all.swap_remove(0), direct];
    if (2..=SHORT).contains(&degree) {
        chosen.push(by_horner(c));
    }
    chosen.dedup();
    chosen
}

/// Powers below `baby` are multiplied by coefficients; higher ones are split off, the largest power
/// of two first.
fn by_giant_steps(c: &[f64], baby: usize) -> Sum {
    let (mut rest, mut terms, mut products) = (c.to_vec(), vec![], vec![]);
    loop {
        let degree = rest.iter().rposition(|&c| c != 0.0).unwrap_or(0);
        rest.truncate(degree + 1);
        if degree < baby.max(2) {
            break;
        }
        let split = 1 << degree.ilog2();
        let (quotient, remainder) = divide(&rest, split, false);
        match quotient[..] {
            [coefficient] => terms.push((split, coefficient)),
            _ => products.push((by_giant_steps(&quotient, baby), split)),
        }
        rest = remainder;
    }
    terms.extend(rest.iter().copied().enumerate().skip(1).filter(|&(_, c)| c != 0.0));
    Sum { constant: rest[0], terms, products }
}

/// `((c_d * x + c_(d-1)) * x + ...) * x + c_0`.
fn by_horner(c: &[f64]) -> Sum {
    match *c {
        [constant] => Sum { constant, terms: vec![], products: vec![] },
        [constant, slope] => Sum { constant, terms: vec![(1, slope)], products: vec![] },
        _ => Sum { constant: c[0], terms: vec![], products: vec![(by_horner(&c[1..]), 1)] },
    }
}

impl Sum {
    /// The number of relinearisations: one for every power, and one for every sum of products.
    fn relinearisations(&self) -> usize {
        let (mut powers, mut sums) = (BTreeSet::from([1]), 0);
        self.count(&mut powers, &mut sums);
        powers.len() - 1 + sums
    }

    fn count(&self, powers: &mut BTreeSet<usize>, sums: &mut usize) {
        self.terms.iter().for_each(|&(i, _)| needed(i, powers));
        for (quotient, split) in &self.products {
            needed(*split, powers);
            quotient.count(powers, sums);
        }
        *sums += usize::from(!self.products.is_empty());
    }
}

/// Adds power i, and the powers that it is the product of.
fn needed(i: usize, powers: &mut BTreeSet<usize>) {
    if powers.insert(i) {
        let high = half(i);
        needed(high, powers);
        needed(i - high, powers);
    }
}

/// The largest power of two below i.
fn half(i: usize) -> usize {
    i.next_power_of_two() / 2
}

/// The powers of the argument that are computed so far.
struct Powers<'a> {
    eval: &'a Evaluator,
    known: BTreeMap<usize, Ciphertext>,
}

impl Powers<'_> {
    fn power(&mut self, i: usize) -> Result<Ciphertext> {
        if let Some(known) = self.known.get(&i) {
            return Ok(known.clone());
        }
        let high = half(i);
        let product = self.eval.mul_auto(&self.power(high)?, &self.power(i - high)?)?;
        self.known.insert(i, product.clone());
        Ok(product)
    }

    fn evaluate(&mut self, sum: &Sum) -> Result<Ciphertext> {
        let eval = self.eval;
        let pairs = (sum.products.iter()).map(|(quotient, split)| Ok((self.evaluate(quotient)?, self.power(*split)?)));
        let pairs = pairs.collect::<Result<Vec<_>>>()?;
        let products = match pairs[..] {
            [] => None,
            _ => Some(eval.mul_sum_auto(&pairs.iter().map(|(a, b)| (a, b)).collect::<Vec<_>>())?),
        };
        // a constant alone is that multiple of one
        let one = [(1, 0.0)];
        let terms = if sum.terms.is_empty() && products.is_none() { &one[..] } else { &sum.terms };
        let terms = terms.iter().map(|&(i, c)| Ok((self.power(i)?, c))).collect::<Result<Vec<_>>>()?;
        let linear = match terms[..] {
            [] => None,
            _ => Some(eval.weighted_sum(&terms.iter().map(|(x, c)| (x, *c)).collect::<Vec<_>>())?),
        };
        let total = match (products, linear) {
            (Some(a), Some(b)) => eval.add_auto(&a, &b)?,
            (a, b) => a.or(b).ok_or_else(|| Error::none("terms"))?,
        };
        if sum.constant == 0.0 { Ok(total) } else { eval.add_scalar(&total, sum.constant) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of an order at x.
    fn value(sum: &Sum, x: f64) -> f64 {
        let terms: f64 = sum.terms.iter().map(|&(i, c)| c * x.powi(i as i32)).sum();
        let products: f64 = sum.products.iter().map(|(q, split)| value(q, x) * x.powi(*split as i32)).sum();
        sum.constant + terms + products
    }

    /// The number of products in a row.
    fn depth(sum: &Sum) -> usize {
        let power = |i: usize| log2_ceil(i);
        let terms = sum.terms.iter().map(|&(i, _)| power(i));
        let products = sum.products.iter().map(|(q, split)| 1 + depth(q).max(power(*split)));
        terms.chain(products).max().unwrap_or(0)
    }

    #[test]
    fn orders_are_the_polynomial_and_flat() {
        for degree in 1..70usize {
            let c: Vec<f64> =
                (0..=degree).map(|i| ((i * i + 3) % 7) as f64 - 2.0 + f64::from(i == degree) * 9.0).collect();
            let all = orders(&c);
            for sum in &all {
                let want = c.iter().rev().fold(0.0, |sum, c| sum * -1.25 + c);
                assert!((value(sum, -1.25) - want).abs() <= 1e-9 * want.abs(), "{degree} {sum:?}");
                assert!(sum.relinearisations() >= all[0].relinearisations());
            }
            assert!(all[..all.len().min(2)].iter().all(|sum| depth(sum) == log2_ceil(degree)), "{degree} {all:?}");
        }
        // x^2 + 1 is one product, 1 + x + x^2 + x^3 two
        assert_eq!([&[1.0, 0.0, 1.0][..], &[1.0; 4]].map(|c| orders(c)[0].relinearisations()), [1, 2]);
    }
}
