//! Bootstraps that return sines of the values, and tables of integers as polynomials in them.

use super::*;
use ringjet::Range;
use ringjet_math::evalmod;
use std::f64::consts::FRAC_PI_2;

/// How many deviations away a sine is assumed to be at most: a probability of 2^-94 for one value.
const DEVIATIONS: f64 = 48.0;

fn small(name: &str, log_n: u32) -> BootstrapChain {
    bootstrap_chain(name).unwrap().shrunk(log_n).unwrap()
}

fn sines(values: &[Complex64]) -> Vec<Complex64> {
    values.iter().map(|z| complex((FRAC_PI_2 * z.re).sin(), (FRAC_PI_2 * z.im).sin())).collect()
}

/// The root of the mean square of errors of real and imaginary parts.
fn deviation(rig: &Rig, ct: &Ciphertext, want: &[Complex64]) -> f64 {
    let got = rig.secret.decrypt_values(&rig.ctx, ct).unwrap().0;
    let sum: f64 = got.iter().zip(want).map(|(a, b)| (a.re - b.re).powi(2) + (a.im - b.im).powi(2)).sum();
    (sum / (2 * want.len()) as f64).sqrt()
}

fn real(values: &[Complex64]) -> Vec<Complex64> {
    values.iter().map(|z| complex(z.re, 0.0)).collect()
}

/// Sines of values of the whole range, of complex values, of one real vector and of two, have the stated
/// error within a bit and three quarters, for every number of slots.
#[test]
fn sines_have_the_stated_error() {
    for name in ["n15-int", "n16-int"] {
        for log_slots in 0..9 {
            let rig = Rig::new(&small(name, 10), log_slots, 31);
            let boot = rig.eval.bootstrapper(log_slots).unwrap();
            let values = [random(1 << log_slots, 5), random(1 << log_slots, 6)];
            let reals = values.each_ref().map(|v| real(v));
            let [z, _] = values.each_ref().map(|v| rig.encrypt(v, rig.lowest()).with_range(Range::within(1.0, false)));
            let [x, y] = reals.each_ref().map(|v| rig.encrypt(v, rig.lowest()).with_range(Range::real(-1.0, 1.0)));
            let groups: [(Vec<&Ciphertext>, Vec<&[Complex64]>); 3] =
                [(vec![&z], vec![&values[0]]), (vec![&x], vec![&reals[0]]), (vec![&x, &y], vec![&reals[0], &reals[1]])];
            for (cts, values) in groups {
                let made = boot.sines(&rig.eval, &cts, false, |_| true).unwrap();
                for (ct, values) in made.iter().zip(values) {
                    assert_eq!((ct.level(), ct.scale()), (rig.params().top_level(), rig.params().scale(ct.level())));
                    let found = -deviation(&rig, ct, &sines(values)).log2();
                    let stated = ct.noise().precision_bits();
                    println!("{name} {log_slots} {}: {found:.2} bits, {stated:.2} stated", cts.len());
                    // few slots have few samples
                    assert!(found > stated - if log_slots < 5 { 2.5 } else { 1.75 }, "{found} {stated}");
                    assert!(log_slots < 5 || found < stated + 1.75, "{found} {stated}");
                    assert!(ct.noise().range().largest_part() <= 1.0);
                }
            }
        }
    }
}

/// Values of many turns: whole turns vanish, and errors are as stated.
#[test]
fn sines_of_large_values_wrap() {
    let rig = Rig::new(&small("n16-int", 10), 8, 38);
    let boot = rig.eval.bootstrapper(8).unwrap();
    let part = real(&random(256, 8));
    let fresh = rig.encrypt(&part, rig.params().top_level()).with_range(Range::real(-1.0, 1.0));
    for turns in [1, 16, 250] {
        let values: Vec<Complex64> = part.iter().map(|z| complex(4.0 * f64::from(turns) * z.re, 0.0)).collect();
        let x = rig.eval.mul_integer(&fresh, 4 * i64::from(turns)).unwrap();
        let made = boot.sines(&rig.eval, &[&x, &x], true, |_| true).unwrap();
        let (found, stated) = (-deviation(&rig, &made[1], &sines(&values)).log2(), made[1].noise().precision_bits());
        println!("{turns} turns: {found:.2} bits, {stated:.2} stated");
        assert!(found > stated - 1.0 && found < stated + 4.0, "{turns}: {found} {stated}");
        assert!(made[0].noise().range().largest_part() <= 1.0);
    }
}

/// With K = 4 every thirtieth coefficient is raised too far, and its sine is wrong: off by more than sixteen
/// stated deviations. `failure_log2` says how many are.
#[test]
fn failures_are_as_frequent_as_stated() {
    let mut chain = small("n16-int", 10);
    (chain.bootstrap.k, chain.bootstrap.degree) = (4, 14);
    let rig = Rig::new(&chain, 9, 41);
    let boot = rig.eval.bootstrapper(9).unwrap();
    let (mut failed, mut all) = (0, 0);
    // ciphertexts of one level have one seed, and so the same multiples
    for level in rig.lowest()..=rig.params().top_level() {
        let values = random(512, level as u64);
        let x = rig.encrypt(&values, level).with_range(Range::within(1.0, false));
        let x = rig.eval.align(&x, rig.lowest()).unwrap();
        let made = boot.sines(&rig.eval, &[&x], false, |_| true).unwrap();
        let got = rig.secret.decrypt(&rig.ctx, &made[0]).unwrap().decode(&rig.ctx).unwrap().0;
        let most = 16.0 * (-made[0].noise().precision_bits()).exp2();
        let wrong = |a: f64, b: f64| usize::from((a - b).abs() > most);
        failed += got.iter().zip(sines(&values)).map(|(a, b)| wrong(a.re, b.re) + wrong(a.im, b.im)).sum::<usize>();
        all += 2 * values.len();
    }
    let h = rig.params().bootstrap().unwrap().secret_weight;
    let stated = all as f64 * evalmod::failure_log2(h, 4, 0).exp2();
    println!("{failed} of {all} wrong, {stated:.1} stated");
    assert!((failed as f64 - stated).abs() < 5.0 * stated.sqrt(), "{failed} of {all} wrong, {stated:.1} stated");
}

/// The number of each slot, which is encoded as a value, and back.
fn encoded(numbers: &[usize], p: usize) -> Vec<Complex64> {
    numbers.iter().map(|&m| complex(code(m, p), 0.0)).collect()
}

fn code(m: usize, p: usize) -> f64 {
    (2.0 * m as f64 + 1.0 - p as f64) / p as f64
}

/// Tables that are as rough as they can be, smooth ones, and random ones.
fn tables(p: usize, seed: u64) -> Vec<(&'static str, Vec<usize>)> {
    let mut part = uniform(seed);
    let mut shuffled: Vec<usize> = (0..p).collect();
    (1..p).rev().for_each(|i| shuffled.swap(i, ((part() + 1.0) / 2.0 * (i + 1) as f64) as usize % (i + 1)));
    let alternating = (0..p).map(|m| if m % 2 == 0 { m / 2 } else { p - 1 - m / 2 }).collect();
    let step = (0..p).map(|m| if m < p / 2 { 0 } else { p - 1 }).collect();
    vec![("permutation", shuffled), ("alternating", alternating), ("step", step), ("constant", vec![p / 2; p])]
}

/// Numbers go twenty times through tables: every result is the right number, and errors stay as they are
/// stated: the largest ones are within twenty stated deviations. Errors of roundings are products of two
/// random numbers, one of which is the secret's, so their tails are those of an exponential.
fn expect_chains(rig: &Rig, p: usize, times: usize) {
    let slots = 1usize << rig.log_slots;
    let boot = rig.eval.bootstrapper(rig.log_slots).unwrap();
    let unit = 2.0 / p as f64;
    for kind in 0..4 {
        let mut numbers: Vec<usize> = (0..slots).map(|i| (i * 7 + i / p) % p).collect();
        let mut ct = rig.encrypt(&encoded(&numbers, p), rig.lowest()).with_range(Range::real(-1.0, 1.0));
        let (mut least, mut most) = (f64::INFINITY, 0.0f64);
        for turn in 0..times {
            let (name, table) = tables(p, turn as u64 + 1).swap_remove(kind);
            let sine = boot.sines(&rig.eval, &[&ct], false, |_| true).unwrap().swap_remove(0);
            let within = DEVIATIONS * (-sine.noise().precision_bits()).exp2();
            let values: Vec<f64> = table.iter().map(|&m| code(m, p)).collect();
            let found = rig.eval.polynomial(&sine, &Polynomial::table(&values, within).unwrap()).unwrap();
            numbers.iter_mut().for_each(|m| *m = table[*m]);
            let want = encoded(&numbers, p);
            let got = rig.secret.decrypt_values(&rig.ctx, &found).unwrap().0;
            let errors: Vec<f64> = got.iter().zip(&want).map(|(a, b)| (a.re - b.re).abs() / unit).collect();
            let worst = errors.iter().fold(0.0f64, |m, &e| m.max(e));
            let stated = (-found.noise().precision_bits()).exp2() / unit;
            least = least.min(deviation(rig, &found, &want) / unit / stated);
            most = most.max(worst / stated);
            assert!(worst < 0.5, "{name} of {p}, turn {turn}: off by {worst}");
            assert!(DEVIATIONS * stated < 0.5, "{name} of {p}, turn {turn}: a stated deviation of {stated}");
            ct = found.with_range(Range::real(-1.0, 1.0));
            ct = rig.eval.align(&ct, rig.lowest()).unwrap();
        }
        println!("{p}, kind {kind}: deviations at least {least:.3} of the stated ones, errors at most {most:.2}");
        assert!(most < 20.0, "{p}: {most} stated deviations");
    }
}

#[test]
fn tables_can_be_chained() {
    let rig = Rig::new(&small("n16-int", 10), 9, 32);
    [2, 3, 4, 8, 16, 32].into_iter().for_each(|p| expect_chains(&rig, p, 20));
    let rig = Rig::new(&small("n15-int", 10), 9, 33);
    [2, 4, 8, 16].into_iter().for_each(|p| expect_chains(&rig, p, 20));
}

#[test]
#[ignore = "full size: ten minutes"]
fn tables_of_n16_int_can_be_chained_at_full_size() {
    let rig = Rig::new(&bootstrap_chain("n16-int").unwrap(), 15, 34);
    [2, 4, 8, 16, 32].into_iter().for_each(|p| expect_chains(&rig, p, 20));
}

/// Without 16 numbers: this test takes the whole error of a sine for one beside it, and then such chains do not
/// look certain. `rj.tables` tells errors along the sine apart.
#[test]
#[ignore = "full size: minutes"]
fn tables_of_n15_int_can_be_chained_at_full_size() {
    let rig = Rig::new(&bootstrap_chain("n15-int").unwrap(), 14, 34);
    [2, 4, 8].into_iter().for_each(|p| expect_chains(&rig, p, 20));
}

/// Polynomials of one ciphertext have the values and the levels that they have alone.
#[test]
fn polynomials_share_powers() {
    let rig = Rig::new(&small("n16-int", 9), 5, 35);
    let values = real(&random(32, 9));
    let x = rig.encrypt(&values, rig.params().top_level()).with_range(Range::real(-1.0, 1.0));
    let unit = Basis::Chebyshev { a: -1.0, b: 1.0 };
    let series = |degree: usize, seed: u64| {
        let mut part = uniform(seed);
        Polynomial::new(unit, &(0..=degree).map(|_| part() / 4.0).collect::<Vec<_>>()).unwrap()
    };
    let powers = Polynomial::new(Basis::Power, &[0.25, 0.0, -0.5, 0.125]).unwrap();
    let constant = Polynomial::new(unit, &[0.75]).unwrap();
    let stated = series(20, 4).with_slope(3.0);
    let all = [series(31, 1), powers, series(7, 2), constant, stated, series(1, 3)];
    let made = rig.eval.polynomials(&x, &all.iter().collect::<Vec<_>>()).unwrap();
    for (p, made) in all.iter().zip(&made) {
        let alone = rig.eval.polynomial(&x, p).unwrap();
        assert_eq!((made.level(), made.scale()), (alone.level(), alone.scale()), "{p:?}");
        let want: Vec<Complex64> = values.iter().map(|z| complex(p.eval(z.re), 0.0)).collect();
        let (worst, _) = rig.bits(made, &want);
        assert!(worst > 28.0, "{p:?}: {worst:.1} bits");
    }
    assert!(rig.eval.polynomials(&x, &[]).unwrap().is_empty());
}

#[test]
fn sines_are_no_bootstraps() {
    let rig = Rig::new(&small("n16-int", 9), 5, 36);
    let x = rig.encrypt(&real(&random(32, 9)), rig.lowest());
    let refused = rig.eval.bootstrap(&x).unwrap_err();
    assert!(matches!(&refused, Error::NoBootstrapping { instead, .. } if instead.contains("sine")), "{refused}");
    let boot = rig.eval.bootstrapper(5).unwrap();
    assert!(matches!(boot.bootstrap_many(&rig.eval, &[&x], true, |_| true), Err(Error::NoBootstrapping { .. })));
    // products do not bootstrap by themselves
    let low = rig.eval.align(&x, 0).unwrap();
    assert!(matches!(rig.eval.mul_auto(&low, &low), Err(Error::ModulusExhausted { .. })));
    assert!(matches!(boot.sines(&rig.eval, &[&low], false, |_| true), Err(Error::ModulusExhausted { .. })));
    let large = x.clone().with_range(Range::real(-1.5, 1.0));
    assert!(matches!(boot.sines(&rig.eval, &[&large], false, |_| true), Err(Error::BootstrapMagnitude { .. })));
    assert!(matches!(boot.sines(&rig.eval, &[&x], false, |_| false), Err(Error::Interrupted)));

    let other = Rig::new(&small("n15-boot-fast", 9), 5, 37);
    let y = other.encrypt(&real(&random(32, 9)), other.lowest());
    let boot = other.eval.bootstrapper(5).unwrap();
    assert!(matches!(boot.sines(&other.eval, &[&y], false, |_| true), Err(Error::NoSine { .. })));
}

#[test]
fn senseless_sines_are_refused() {
    let base = small("n16-int", 9);
    let with = |change: &dyn Fn(&mut BootstrapSpec)| {
        let mut chain = base.clone();
        change(&mut chain.bootstrap);
        chain.generate().unwrap_err().to_string()
    };
    for refused in [with(&|b| b.passes = 2), with(&|b| b.arcsine = 7), with(&|b| b.slots_to_coeffs_first = false)] {
        assert!(refused.contains("sine: only with"), "{refused}");
    }
    let room = BootstrapChain { log_ratio: 3.0, ..base }.generate().unwrap_err().to_string();
    assert!(room.contains("a quarter of a turn"), "{room}");
    for (values, within) in [(vec![1.0], 0.0), (vec![0.0; 257], 0.0)] {
        assert!(matches!(Polynomial::table(&values, within), Err(Error::Argument { name: "values", .. })));
    }
    assert!(matches!(Polynomial::table(&[0.0, f64::NAN], 0.0), Err(Error::NotFinite { index: 1, .. })));
}
