use super::*;

/// Tests compare with fixed-point numbers with `BITS` bits after the point, far more than
/// needed.
const BITS: u64 = 1000;

fn fixed(x: f64) -> BigInt {
    // The conversion is exact: |x| < 2^11, and every bit of x weighs more than 2^-100.
    (BigInt::from((x * 2f64.powi(52)) as i64) << (BITS - 52))
        + (BigInt::from(((x * 2f64.powi(52)).fract() * 2f64.powi(60)) as i64) << (BITS - 112))
}

fn times(a: &BigInt, b: &BigInt) -> BigInt {
    (a * b) >> BITS
}

fn to_f64(a: &BigInt) -> f64 {
    i128::try_from(a >> (BITS - 110)).unwrap() as f64 / 2f64.powi(110)
}

/// `2 * pi` by Machin's formula.
fn tau() -> BigInt {
    let arctan = |d: i64| {
        let (mut power, mut sum) = ((BigInt::one() << BITS) / d, BigInt::ZERO);
        for i in 0..500 {
            sum += &power / if i % 2 == 0 { 2 * i + 1 } else { -2 * i - 1 };
            power /= d * d;
        }
        sum
    };
    8 * (4 * arctan(5) - arctan(239))
}

/// The cosine at `t = k * x`.
fn target_fixed(double_angles: u32, t: &BigInt) -> BigInt {
    let angle = times(&tau(), &(t - fixed(0.25))) >> double_angles;
    let square = times(&angle, &angle);
    let (mut term, mut sum) = (fixed(1.0), fixed(1.0));
    for i in 1..250 {
        term = -times(&term, &square) / (2 * i * (2 * i - 1));
        sum += &term;
    }
    sum
}

/// The Chebyshev coefficients of the same interpolation, computed with 1000 bits by Lagrange's
/// basis.
fn coefficients_fixed(k: u32, double_angles: u32, degree: usize, log_ratio: f64) -> Vec<BigInt> {
    let nodes = place(k, double_angles, degree + 1, (-log_ratio).exp2()).list(k);
    let mut sum = vec![BigInt::ZERO; degree + 2];
    for &at in &nodes {
        let mut basis = vec![BigInt::ZERO; degree + 2];
        basis[0] = target_fixed(double_angles, &(fixed(at) * k));
        for &root in nodes.iter().filter(|&&x| x != at) {
            let mut next: Vec<_> = basis.iter().map(|c| -times(c, &fixed(root))).collect();
            for (i, c) in basis.iter().enumerate().take(degree + 1) {
                next[i + 1] += c >> u32::from(i > 0);
                next[i.abs_diff(1)] += if i > 0 { c >> 1 } else { BigInt::ZERO };
            }
            let distance = fixed(at) - fixed(root);
            basis = next.into_iter().map(|c| (c << BITS) / &distance).collect();
        }
        sum.iter_mut().zip(basis).for_each(|(s, b)| *s += b);
    }
    sum.truncate(degree + 1);
    sum
}

/// Pseudo-random numbers in [-1, 1).
fn random(mut state: u64) -> impl FnMut() -> f64 {
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / 2f64.powi(52) - 1.0
    }
}

#[test]
fn coefficients_are_those_of_exact_arithmetic() {
    // The last three cases have up to three nodes in an interval, at distances down to 2^-16.
    for (k, r, degree, log_ratio) in
        [(16, 3, 31, 10.0), (16, 4, 31, 8.0), (16, 3, 63, 8.0), (12, 2, 63, 14.0), (12, 2, 40, 16.0)]
    {
        let got = cosine(k, r, degree, log_ratio).coefficients;
        let want = coefficients_fixed(k, r, degree, log_ratio);
        assert_eq!(got.len(), degree + 1);
        let worst = got.iter().zip(&want).map(|(&g, w)| to_f64(&(fixed(g) - w)).abs()).fold(0.0, f64::max);
        assert!(worst < 2f64.powi(-53), "{k} {r} {degree} {log_ratio}: 2^{:.2}", worst.log2());
    }
}

#[test]
fn errors_are_those_measured_at_random_points() {
    // log2 of the error. -53 means that only the rounding of the coefficients is left.
    let table = [
        (16, 3, 30, [-36.6, -36.8, -39.7]),
        (16, 3, 31, [-37.1, -37.1, -40.3]),
        (16, 3, 34, [-46.5, -47.9, -51.7]),
        (16, 4, 31, [-53.0; 3]),
        (16, 3, 63, [-53.0; 3]),
        (12, 2, 31, [-23.9, -26.8, -32.4]),
        (12, 3, 31, [-52.7, -53.0, -53.0]),
        (12, 2, 63, [-53.0; 3]),
    ];
    let mut next = random(1);
    for (k, r, degree, errors) in table {
        for (log_ratio, want) in [8.0, 10.0, 14.0].into_iter().zip(errors) {
            let p = cosine(k, r, degree, log_ratio);
            let log = p.error.log2();
            assert!(log < want + 0.1 && (log > want - 0.1 || want == -53.0), "{k} {r} {degree} {log_ratio}: {log}");
            for i in 0..2 * k as usize - 1 {
                let x = near(k, i, next() * (-log_ratio).exp2());
                let value = clenshaw(&p.coefficients, x.into());
                let off = to_f64(&(fixed(value.hi) + fixed(value.lo) - target_fixed(r, &(fixed(x) * k))));
                // Rounding errors vary irregularly. Where they are the only errors, a sample
                // may miss the worst point.
                assert!(off.abs() < 1.01 * p.error + 2f64.powi(-55), "{k} {r} {degree} {log_ratio}: {off:e} at {x}");
            }
        }
    }
}

#[test]
fn doubled_angles_are_the_sine() {
    let mut next = random(2);
    for (k, r, degree, log_ratio) in [(16, 3, 31, 10.0), (16, 3, 34, 10.0), (16, 3, 63, 8.0), (12, 2, 63, 8.0)] {
        let p = cosine(k, r, degree, log_ratio);
        let mut worst = 0f64;
        for i in (0..2 * k as usize - 1).cycle().take(2000) {
            let x = near(k, i, next() * (-log_ratio).exp2());
            let mut c = clenshaw(&p.coefficients, x.into());
            for _ in 0..r {
                c = Dd::from(2.0) * c * c - Dd::from(1.0);
            }
            // k * x - i is exact, as k * x and i are close to each other.
            let t = two_product(f64::from(k), x) - Dd::from(i as f64 + 1.0 - f64::from(k));
            worst = worst.max((c.hi - (std::f64::consts::TAU * t.hi).sin()).abs());
        }
        let growth = 4f64.powi(r as i32);
        assert!(worst < 1.01 * growth * p.error, "{k} {r} {degree}: {worst:e}, {:e}", p.error);
        assert!(degree < 34 || worst < 2f64.powi(-40), "{k} {r} {degree}: 2^{:.2}", worst.log2());
    }
}

/// The same least squares by the normal equations, with 1000 bits.
fn least_squares_fixed(k: u32, r: u32, degree: usize, log_ratio: f64, h: u32) -> Vec<BigInt> {
    let (n, one) = (degree / 2 + 1, fixed(1.0));
    let mut rows = vec![vec![BigInt::ZERO; n + 1]; n];
    for (i, at) in integers(k).flat_map(|i| NODES.map(|at| (i, at))) {
        let t = f64::from(i) + (-log_ratio).exp2() * at;
        let u = (fixed(t) - fixed(0.25)) / k;
        let y: BigInt = 2 * times(&u, &u) - &one;
        let value = target_fixed(r, &fixed(t));
        let sine = &one - times(&value, &value);
        let weight = (fixed(weight(i, h)) << BITS) / sine;
        let mut basis = vec![one.clone(), y.clone()];
        while basis.len() < n {
            basis.push(2 * times(&y, &basis[basis.len() - 1]) - &basis[basis.len() - 2]);
        }
        basis.push(value);
        for (row, a) in rows.iter_mut().zip(&basis) {
            row.iter_mut().zip(&basis).for_each(|(x, b)| *x += times(&weight, &times(a, b)));
        }
    }
    for j in 0..n {
        let pivot = rows[j].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(m, _)| *m != j) {
            let by = (&row[j] << BITS) / &pivot[j];
            row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= times(&by, p));
        }
    }
    rows.iter().enumerate().map(|(j, row)| (&row[n] << BITS) / &row[j]).collect()
}

#[test]
fn least_squares_are_those_of_exact_arithmetic() {
    for (k, r, degree, log_ratio) in [(16, 3, 30, 13.5), (16, 3, 30, 8.0), (16, 3, 40, 12.0), (12, 2, 46, 10.0)] {
        let got = cosine_of_square(k, r, degree, log_ratio, 32).coefficients;
        let want = least_squares_fixed(k, r, degree, log_ratio, 32);
        assert_eq!(got.len(), degree / 2 + 1);
        let worst = got.iter().zip(&want).map(|(&g, w)| to_f64(&(fixed(g) - w)).abs()).fold(0.0, f64::max);
        assert!(worst < 2f64.powi(-52), "{k} {r} {degree} {log_ratio}: 2^{:.2}", worst.log2());
    }
}

/// The highest degrees in the square still have small errors, and coefficients like a cosine's.
#[test]
fn the_highest_degrees_in_the_square() {
    assert!(takes_square(16, 30) && !takes_square(16, 31) && !takes_square(4, 62));
    for k in [4, 8, 12, 16, 33] {
        let degree = (0..=255).rev().find(|&degree| takes_square(k, degree)).unwrap();
        for log_ratio in [1.0, 8.0, 13.5, 20.0, 30.0, 40.0] {
            let p = cosine_of_square(k, 3, degree, log_ratio, 32);
            let largest = p.coefficients.iter().fold(0.0, |most: f64, c| most.max(c.abs()));
            eprintln!("{k} {degree} {log_ratio}: 2^{:.1}, {largest}", p.error.log2());
            assert!(p.error < 1e-4 && largest < 2.0, "{k} {degree} {log_ratio}: {}, {largest}", p.error);
        }
    }
}

/// The error at each integer of the presets' circuit, relative to a message of 1 with a room of
/// 13.5 bits. SECURITY.md states these bounds.
#[test]
fn errors_at_improbable_integers() {
    let p = cosine_of_square(16, 3, 30, 13.5, 32);
    let error = |i| tail_error(&p.coefficients, (16, 3), 13.5, i) * 13.5f64.exp2() / std::f64::consts::TAU;
    let bounds = [(7, -25.8), (8, -24.5), (9, -23.2), (12, -20.1), (15, -16.9)];
    let mut from = 0;
    for (to, bound) in bounds {
        for i in from..=to {
            let worst = error(i).max(error(-i)).log2();
            eprintln!("{i}: 2^{worst:.1}");
            assert!(worst < bound, "{i}: 2^{worst:.1}");
        }
        from = to + 1;
    }
    assert!(usual(6, 32) && !usual(7, 32) && !usual(-7, 32));
    // the doubled angle is the sine, with these errors
    let mut next = random(3);
    for i in (0..30).flat_map(|_| integers(16)) {
        let t = f64::from(i) + next() * (-13.5f64).exp2();
        let mut c = clenshaw(&p.coefficients, square_argument(16, t));
        for _ in 0..3 {
            c = Dd::from(2.0) * c * c - Dd::from(1.0);
        }
        let off = (c.hi - (std::f64::consts::TAU * (t - f64::from(i))).sin()).abs();
        assert!(off < 1.02 * tail_error(&p.coefficients, (16, 3), 13.5, i) + 1e-14, "{i}: {off:e}");
    }
}

#[test]
fn arcsine_of_the_sine_is_the_angle() {
    assert_eq!(arcsine(1), [0.0, 1.0 / std::f64::consts::TAU]);
    let tau = std::f64::consts::TAU;
    let known = [0.0, 1.0, 0.0, 1.0 / 6.0, 0.0, 3.0 / 40.0, 0.0, 5.0 / 112.0];
    for (got, want) in arcsine(7).into_iter().zip(known) {
        assert!((got * tau - want).abs() < 1e-16);
    }
    // The omitted terms are 35/1152 * y^9 + 63/2816 * y^11 + ...: 2^-28.9 at the ends, of which
    // the y^11 term is 3 %.
    for t in [1.0 / 32.0, -1.0 / 32.0, 0.02] {
        let y = (tau * t).sin();
        let value = arcsine(7).iter().rev().fold(0.0, |sum, c| sum * y + c);
        let ratio = (t - value) / (35.0 / 1152.0 / tau * y.powi(9));
        assert!(ratio > 1.0 && ratio < 1.04, "{t}: {ratio}");
    }
}

#[test]
fn the_line_beside_the_sine_is_the_nearest() {
    for room in [256f64, 8192.0] {
        let least = sine_error(1, room) / 4.0;
        let worst = |slope: f64| {
            let error = |z: f64| room * ((z / room * std::f64::consts::TAU).sin() / std::f64::consts::TAU) / slope - z;
            (-1000..=1000).map(|i| error(f64::from(i) / 1000.0).abs()).fold(0.0, f64::max)
        };
        let slope = sine_slope(room);
        assert!((worst(slope) / least - 1.0).abs() < 0.01, "{room}: {:e}, {least:e}", worst(slope));
        assert!((worst(1.0) / least - 4.0).abs() < 0.01);
        let step = 0.1 * (1.0 - slope);
        assert!(worst(slope + step) > 1.05 * least && worst(slope - step) > 1.05 * least);
    }
}

#[test]
#[should_panic(expected = "even degree 4")]
fn arcsine_is_odd() {
    arcsine(4);
}

#[test]
fn failure_probabilities() {
    assert!((failure_log2(32, 16, 16) + 132.7).abs() < 0.05, "{}", failure_log2(32, 16, 16));
    assert!((failure_log2(32, 16, 15) + 133.7).abs() < 0.05, "{}", failure_log2(32, 16, 15));
    // Closed forms: 2 uniforms exceed 1/2 with probability (1/2)^2 / 2!, 3 with 1 / 3!, and 32 exceed
    // 15.5 with (1/2)^32 / 32!.
    assert!((failure_log2(2, 1, 0) + 2.0).abs() < 1e-12);
    assert!((failure_log2(3, 1, 0) - (1.0f64 / 3.0).log2()).abs() < 1e-12);
    assert_eq!(failure_log2(31, 16, 16), f64::NEG_INFINITY);
    let closed = 17.0 - 32.0 - (1..=32).map(|i| f64::from(i).log2()).sum::<f64>();
    assert!((failure_log2(32, 16, 16) - closed).abs() < 1e-9, "{closed}");
    // A sum of many uniforms is nearly normal, with variance 1/12 for each: 15.5 is 3.885 deviations of
    // 191, and 2 * Pr[S > 3.885 sigma] = 2^-13.25.
    assert!((failure_log2(191, 16, 0) + 13.25).abs() < 0.2, "{}", failure_log2(191, 16, 0));
}

#[test]
fn double_angles_with_a_root_of_i_end_with_i() {
    assert_eq!((root_of_i(0).re, root_of_i(0).im), (0.0, 1.0));
    assert_eq!((root_of_i(1).re, root_of_i(1).im), (0.5f64.sqrt(), 0.5f64.sqrt()));
    for steps in 0..=6 {
        for k in 0..100 {
            let angle = f64::from(k) * 0.01;
            let mut y = root_of_i(steps) * angle.cos();
            for left in (0..steps).rev() {
                y = y * y * 2.0 - root_of_i(left);
            }
            let end = (angle * f64::from(1 << steps)).cos();
            let error = y.re.abs().max((y.im - end).abs());
            assert!(error < 2e-15 * f64::from(1 << (2 * steps)), "{steps} steps, {angle}: {error}");
        }
    }
}
