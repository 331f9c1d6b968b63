//! Chebyshev series with the least sum of squared errors, in double-double arithmetic.

use crate::dd::Dd;

/// A value that a polynomial should have at y, and how much its squared error counts.
pub(crate) struct Sample {
    pub(crate) y: Dd,
    pub(crate) value: Dd,
    pub(crate) weight: Dd,
}

/// Chebyshev coefficients of the polynomial of degree `degree` with the least weighted sum of
/// squared errors. Polynomials that are orthogonal on the samples follow from each other by a
/// recurrence of three terms (Forsythe, "Generation and use of orthogonal polynomials for
/// data-fitting", 1957); each takes its share of what the ones before it left.
pub(crate) fn least_squares(samples: &[Sample], degree: usize) -> Vec<Dd> {
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

/// The Chebyshev coefficients of x times a polynomial, without a term above its last coefficient:
/// `x * T_0 = T_1`, `2 * x * T_j = T_(j-1) + T_(j+1)`.
pub(crate) fn times_argument(p: &[Dd]) -> Vec<Dd> {
    let at = |i: usize| p.get(i).copied().unwrap_or(Dd::from(0.0));
    let below = |i: usize| if i == 1 { at(0) * Dd::from(2.0) } else { at(i.wrapping_sub(1)) };
    (0..p.len()).map(|i| (below(i) + at(i + 1)) * Dd::from(0.5)).collect()
}
