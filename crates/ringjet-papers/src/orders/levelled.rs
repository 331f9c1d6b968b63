//! Polynomials level by level, as the published cost model of de Castro et al. (ePrint 2021/1636)
//! schedules them. All operands of a step are at one level. This takes more products than
//! [`polynomial`](ringjet::circuits::polynomial), and one more level.

use ringjet::Result;
use ringjet::circuits::papers::{UNIT, divide, log2_ceil, mapped};
use ringjet::circuits::{Arithmetic, Basis, Polynomial};
use ringjet::vectors::Ciphertext;

/// The number of levels of a polynomial evaluated level by level: one more than
/// [`Polynomial::depth`] from degree 2 on.
pub fn depth(p: &Polynomial) -> usize {
    p.depth() + usize::from(p.degree() > 1)
}

/// Whether the coefficients are of Chebyshev polynomials.
pub(super) fn chebyshev(p: &Polynomial) -> bool {
    matches!(p.basis(), Basis::Chebyshev { .. })
}

/// Splits coefficients into those of `2^steps` sums, highest quotient first: `p = (q * T + r) * T'
/// + ...`, where each of the T is some `T_(2^i)`. Quotients are multiplied by `by`.
fn leaves(coefficients: &[f64], steps: usize, chebyshev: bool, by: f64) -> Vec<Vec<f64>> {
    if steps == 0 {
        return vec![coefficients.to_vec()];
    }
    let (mut quotient, remainder) = divide(coefficients, coefficients.len() / 2, chebyshev);
    quotient.iter_mut().for_each(|q| *q *= by);
    let mut all = leaves(&quotient, steps - 1, chebyshev, by);
    all.extend(leaves(&remainder, steps - 1, chebyshev, by));
    all
}

/// `p(x)`, at `ceil(log2(degree + 1)) + 1` levels below `x` for a degree of 2 or more. The steps
/// are: powers up to `T_(2^e)` by doubling, where each doubling lowers all of them by a level; from
/// one level below, `T_(2^e)`, `T_(2^(e+1))` and so on by squaring; sums of `2^e` coefficients; a
/// tree of products of these sums with the squared powers.
pub(super) fn levelled<E: Arithmetic>(
    eval: &E,
    x: &Ciphertext<E::Params>,
    p: &Polynomial,
) -> Result<Ciphertext<E::Params>> {
    let _scope = eval.evaluator().context().scope("PolyEval");
    let range = p.range(x.noise().range())?;
    let x = mapped(eval, x, p)?;
    let log = log2_ceil(p.degree() + 1);
    let (few, chebyshev) = (log / 2, chebyshev(p));
    let powers = baby_powers(eval, &x, few, chebyshev)?;
    let giants = giant_powers(eval, &powers, log - few, chebyshev)?;
    let mut coefficients = p.coefficients().to_vec();
    coefficients.resize(1 << log, 0.0);
    // where products are doubled, quotients are halved
    let halved = eval.doubles(eval.level(&powers[0]).saturating_sub(2));
    let by = if halved { 0.5 } else { 1.0 };
    let mut sums = leaf_sums(eval, &powers, &leaves(&coefficients, log - few, chebyshev, by))?;
    let _scope = eval.evaluator().context().scope("Tree");
    for giant in &giants {
        sums = (sums.chunks_exact(2))
            .map(|pair| {
                let product = eval.mul(&pair[0], giant)?;
                let product = if halved { eval.doubled(&product, None, 0.0)? } else { product };
                let level = eval.level(&product);
                eval.evaluator().add_auto(&product, &eval.weighted_sum(&[(&pair[1], 1.0)], level, eval.scale(level))?)
            })
            .collect::<Result<_>>()?;
    }
    Ok(sums.swap_remove(0).with_range(range))
}

/// `T_1` to `T_(2^doublings)`, all at one level.
fn baby_powers<E: Arithmetic>(
    eval: &E,
    x: &Ciphertext<E::Params>,
    doublings: usize,
    chebyshev: bool,
) -> Result<Vec<Ciphertext<E::Params>>> {
    let _scope = eval.evaluator().context().scope("BabyPowers");
    let mut powers = vec![x.clone()];
    for _ in 0..doublings {
        let have = powers.len();
        let products = (have + 1..=2 * have)
            .map(|i| eval.mul(&powers[i.div_ceil(2) - 1], &powers[i / 2 - 1]))
            .collect::<Result<Vec<_>>>()?;
        powers = powers.iter().map(|t| eval.align(t, eval.level(t) - 1)).collect::<Result<_>>()?;
        for (i, product) in (have + 1..).zip(products) {
            // T_(a+b) = 2 * T_a * T_b - T_(a-b), with a - b = 0 or 1
            let power = match (chebyshev, i % 2) {
                (false, _) => product,
                (true, 0) => doubled_less_one(eval, &product, "Even")?,
                (true, _) => {
                    let _scope = eval.evaluator().context().scope("Odd");
                    eval.doubled(&product, Some((&powers[0], -1)), 0.0)?.with_range(UNIT)
                }
            };
            powers.push(power);
        }
    }
    Ok(powers)
}

/// The last of `powers` and its successive squares, `count` in all. The first one is lowered by a
/// level, each further one is a level below the one before.
fn giant_powers<E: Arithmetic>(
    eval: &E,
    powers: &[Ciphertext<E::Params>],
    count: usize,
    chebyshev: bool,
) -> Result<Vec<Ciphertext<E::Params>>> {
    let _scope = eval.evaluator().context().scope("GiantPowers");
    let mut giants: Vec<Ciphertext<E::Params>> = Vec::with_capacity(count);
    for _ in 0..count {
        giants.push(match (giants.last(), powers) {
            (None, [.., last]) => eval.align(last, eval.level(last) - 1)?,
            (None, []) => break,
            (Some(last), _) => {
                let square = eval.mul(last, last)?;
                if chebyshev { doubled_less_one(eval, &square, "Square")? } else { square }
            }
        });
    }
    Ok(giants)
}

fn doubled_less_one<E: Arithmetic>(
    eval: &E,
    product: &Ciphertext<E::Params>,
    scope: &'static str,
) -> Result<Ciphertext<E::Params>> {
    let _scope = eval.evaluator().context().scope(scope);
    Ok(eval.doubled(product, None, -1.0)?.with_range(UNIT))
}

/// Sums of all powers by `leaves`, one level below the powers; zero coefficients are not skipped.
fn leaf_sums<E: Arithmetic>(
    eval: &E,
    powers: &[Ciphertext<E::Params>],
    leaves: &[Vec<f64>],
) -> Result<Vec<Ciphertext<E::Params>>> {
    let _scope = eval.evaluator().context().scope("Leaves");
    (leaves.iter())
        .map(|c| {
            let terms: Vec<(&Ciphertext<E::Params>, f64)> = powers.iter().zip(c[1..].iter().copied()).collect();
            let level = eval.level(&powers[0]) - 1;
            let sum = eval.weighted_sum(&terms, level, eval.scale(level))?;
            eval.combine(&[(&sum, 1)], c[0])
        })
        .collect()
}
