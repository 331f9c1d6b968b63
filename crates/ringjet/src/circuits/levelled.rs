//! Polynomials level by level, as the published cost model of de Castro et al. schedules them: more products and a level more
//! than [`Schedule::Fewest`](super::Schedule::Fewest), all operands of a step at one level.

use super::polyeval::{Polynomial, divide, log2_ceil};
use crate::{Ciphertext, Evaluator, Range, Result};

/// The coefficients of `2^steps` sums, the highest quotient first: `p = (q T + r) T' + ...` with `T_(2^i)` for the T.
fn leaves(coefficients: &[f64], steps: usize, chebyshev: bool) -> Vec<Vec<f64>> {
    if steps == 0 {
        return vec![coefficients.to_vec()];
    }
    let (quotient, remainder) = divide(coefficients, coefficients.len() / 2, chebyshev);
    let mut all = leaves(&quotient, steps - 1, chebyshev);
    all.extend(leaves(&remainder, steps - 1, chebyshev));
    all
}

impl Evaluator {
    /// `p(x)`, of degree 2 or more, at `ceil(log2(degree + 1)) + 1` levels below `x`: powers up to `T_(2^e)` by doubling, all
    /// of them brought down a level each time; from a level below, `T_(2^(e+1))` and on by squaring; sums of `2^e`
    /// coefficients; a tree of products with the latter.
    pub(super) fn levelled(&self, x: &Ciphertext, p: &Polynomial) -> Result<Ciphertext> {
        let log = log2_ceil(p.degree() + 1);
        let (few, chebyshev) = (log / 2, p.chebyshev());
        let powers = self.baby_powers(x, few, chebyshev)?;
        let giants = self.giant_powers(&powers, log - few, chebyshev)?;
        let mut coefficients = p.coefficients().to_vec();
        coefficients.resize(1 << log, 0.0);
        let mut sums = self.leaf_sums(&powers, &leaves(&coefficients, log - few, chebyshev))?;
        let _scope = self.context().scope("Tree");
        for giant in &giants {
            sums = (sums.chunks_exact(2))
                .map(|pair| {
                    let product = self.mul_relin_rescale(&pair[0], giant)?;
                    let rest = self.weighted_to(&[(&pair[1], 1.0)], product.level(), product.scale())?;
                    self.add(&product, &rest)
                })
                .collect::<Result<_>>()?;
        }
        Ok(sums.swap_remove(0))
    }

    /// `T_1` to `T_(2^doublings)`, all at one level.
    fn baby_powers(&self, x: &Ciphertext, doublings: usize, chebyshev: bool) -> Result<Vec<Ciphertext>> {
        let _scope = self.context().scope("BabyPowers");
        let mut powers = vec![x.clone()];
        for _ in 0..doublings {
            let have = powers.len();
            let products = (have + 1..=2 * have)
                .map(|i| self.mul_relin_rescale(&powers[i.div_ceil(2) - 1], &powers[i / 2 - 1]))
                .collect::<Result<Vec<_>>>()?;
            powers = powers.iter().map(|t| self.align(t, t.level() - 1)).collect::<Result<_>>()?;
            for (i, product) in (have + 1..).zip(products) {
                // 2 T_a T_b - T_(a-b), a - b being 0 or 1
                let power = match (chebyshev, i % 2) {
                    (false, _) => product,
                    (true, 0) => self.doubled_less_one(&product, "Even")?,
                    (true, _) => {
                        let _scope = self.context().scope("Odd");
                        self.combine(&[(&product, 2), (&powers[0], -1)], 0.0)?.with_range(Range::real(-1.0, 1.0))
                    }
                };
                powers.push(power);
            }
        }
        Ok(powers)
    }

    /// The last of `powers` and its squares, `count` in all, the first one level below it, each one below the one before.
    fn giant_powers(&self, powers: &[Ciphertext], count: usize, chebyshev: bool) -> Result<Vec<Ciphertext>> {
        let _scope = self.context().scope("GiantPowers");
        let mut giants: Vec<Ciphertext> = Vec::with_capacity(count);
        for _ in 0..count {
            giants.push(match (giants.last(), powers) {
                (None, [.., last]) => self.align(last, last.level() - 1)?,
                (None, []) => break,
                (Some(last), _) => {
                    let square = self.mul_relin_rescale(last, last)?;
                    if chebyshev { self.doubled_less_one(&square, "Square")? } else { square }
                }
            });
        }
        Ok(giants)
    }

    fn doubled_less_one(&self, product: &Ciphertext, scope: &'static str) -> Result<Ciphertext> {
        let _scope = self.context().scope(scope);
        Ok(self.combine(&[(product, 2)], -1.0)?.with_range(Range::real(-1.0, 1.0)))
    }

    /// Sums of the powers, one level below them; no coefficient is left out.
    fn leaf_sums(&self, powers: &[Ciphertext], leaves: &[Vec<f64>]) -> Result<Vec<Ciphertext>> {
        let _scope = self.context().scope("Leaves");
        (leaves.iter())
            .map(|c| {
                let terms: Vec<(&Ciphertext, f64)> = powers.iter().zip(c[1..].iter().copied()).collect();
                let level = powers[0].level() - 1;
                let sum = self.weighted_to(&terms, level, self.context().params().scale(level))?;
                self.add_scalar(&sum, c[0])
            })
            .collect()
    }
}
