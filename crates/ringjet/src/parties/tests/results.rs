//! Results under keys that parties made, against values in the clear and against single keys.

use ringjet_math::fft::Complex64;

use super::*;
use crate::Error;
use crate::dynamic::Scalar;

type Numbers = Vec<Complex64>;

fn numbers(values: &Values) -> Numbers {
    match values {
        Values::Numbers(all) => all.clone(),
        Values::Integers(_) => panic!("numbers expected"),
    }
}

fn largest(a: &[Complex64], b: &[Complex64]) -> f64 {
    a.iter().zip(b).map(|(&x, &y)| (x - y).abs()).fold(0.0, f64::max)
}

/// `x * y` and rotations, a conjugate and constants, in the clear.
fn clear(x: &[Complex64], y: &[Complex64]) -> Numbers {
    let n = x.len();
    let product: Numbers = x.iter().zip(y).map(|(&x, &y)| x * y).collect();
    (0..n)
        .map(|i| product[i] * 0.5 + product[(i + 1) % n] + x[(i + n - 3) % n].conj() + Complex64::from(0.25))
        .collect()
}

fn program(eval: &Evaluator, x: &Ciphertext, y: &Ciphertext) -> Ciphertext {
    let product = eval.mul_auto(x, y).unwrap();
    let half = eval.mul_scalar(&product, Scalar::Number(0.5)).unwrap();
    let turned = eval.rotate(&product, 1).unwrap();
    let other = eval.conjugate(&eval.rotate(x, -3).unwrap()).unwrap();
    let sum = eval.add_auto(&eval.add_auto(&half, &turned).unwrap(), &other).unwrap();
    eval.add_scalar(&sum, Scalar::Number(0.25)).unwrap()
}

/// For 2, 3, 5 and 8 parties: what any of them decrypt together is the result, within the bound on its error and the
/// noise of all pieces; a single key has the same result within its own bound.
#[test]
fn results_are_those_of_a_single_key() {
    let cases = [(2, 2), (3, 2), (3, 3), (5, 3), (5, 5), (8, 2), (8, 8)];
    for (seed, (count, threshold)) in (1u8..).zip(cases) {
        let params = super::ckks(pieces_of(count, threshold).unwrap());
        let group = Group::new(&params, count, threshold, seed);
        let [x, y] = [1, 2].map(|i| values(&params, i));
        let want = clear(&numbers(&x), &numbers(&y));
        let [a, b] = [(&x, 1), (&y, 2)].map(|(values, seed)| group.encrypt(values, seed));
        let ct = program(&group.evaluator(), &a, &b);

        let single = super::ckks(1);
        let ctx = context(&single);
        let secret = crate::dynamic::SecretKey::from_seed(&single, &Seed::from_bytes([seed; 32])).unwrap();
        let request = KeyRequest { rotations: vec![1, -3], conjugation: true, ..KeyRequest::default() };
        let keys = secret
            .evaluation_keys(&ctx, &single.key_plan(&request).unwrap(), &Seed::from_bytes([seed; 32]), |_, _| true)
            .unwrap();
        let alone = Evaluator::new(&ctx, &keys).unwrap();
        let [c, d] = [(&x, 1u8), (&y, 2)].map(|(values, seed)| {
            encrypted(&ctx, values, |plain| secret.encrypt(&ctx, plain, &Seed::from_bytes([seed; 32])))
        });
        let own = program(&alone, &c, &d);
        let expected = numbers(&secret.decrypt_values(&ctx, &own).unwrap());
        let scale = |ct: &Ciphertext| ct.budget().scale_log2.exp2();
        let certain = own.noise().bound() / scale(&own);
        assert!(largest(&expected, &want) <= certain);

        let width = group.parties[0].spec().noise().log_sigma(ct.noise().bound()).unwrap();
        let noise = 6.0 * f64::from(width).exp2() * (f64::from(params.pieces()) * x.len() as f64).sqrt();
        let bound = (ct.noise().bound() + noise) / scale(&ct);
        let bits = (-bound.log2()).floor() as u32;
        println!("{threshold} of {count}: noise of 2^{width}, {bits} bits after the point");
        assert!(bound < 0.75, "{bound}");
        // the first, the last and the middle ones
        for first in [0, count - threshold, (count - threshold) / 2] {
            let members: Vec<usize> = (first..first + threshold).collect();
            let shares = group.shares(&ct, &members);
            let got = numbers(&group.sessions[first].combine(&ct, &shares, Some(bits)).unwrap());
            let rounding = (-f64::from(bits)).exp2();
            assert!(largest(&got, &want) <= bound + rounding, "{threshold} of {count}");
            assert!(largest(&got, &expected) <= bound + rounding + certain, "{threshold} of {count}");
            // one fewer lack the piece that none of them holds
            let few = group.sessions[first].combine(&ct, &shares[1..], Some(bits));
            assert!(matches!(few, Err(Error::PartyMissing { what: "answer share", .. })), "{few:?}");
        }
    }
}

/// Random programs under secrets of 1, 3 and 10 pieces: every error, which the sum of all pieces shows, is below its
/// bound, and none is more than a bit above its estimate.
#[test]
fn random_programs_keep_to_their_bounds() {
    for (count, threshold) in [(0, 0), (3, 2), (5, 3)] {
        let pieces = if count == 0 { 1 } else { pieces_of(count, threshold).unwrap() };
        let params = super::ckks(pieces);
        let Parameters::Ckks(own) = &params else { unreachable!() };
        let (ctx, eval, public, secret);
        if count == 0 {
            let seed = Seed::from_bytes([3; 32]);
            ctx = context(&params);
            secret = SecretKey::from_seed(own, &seed).unwrap();
            let Context::Ckks(inner) = &ctx else { unreachable!() };
            let request = KeyRequest { rotations: vec![1, -3], conjugation: true, ..KeyRequest::default() };
            let plan = params.key_plan(&request).unwrap();
            eval = Evaluator::new(&ctx, &secret.evaluation_keys(inner, &plan, &seed, |_, _| true).unwrap().into())
                .unwrap();
            public = PublicKey::from(crate::PublicKey::generate(inner, &secret, &seed).unwrap());
        } else {
            let group = Group::new(&params, count, threshold, 9);
            (ctx, eval, public) = (group.ctx.clone(), group.evaluator(), group.public().clone());
            secret = sum_of(own, &group.parties);
        }
        let secret = crate::dynamic::SecretKey::from(secret);
        let mut state = 12345u64 + u64::from(pieces);
        let mut below = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        let (mut worst, mut checked) = (0f64, 0);
        for run in 0..60u64 {
            let fresh = |i: u64| {
                let values = values(&params, 10 * run + i);
                let seed = Seed::from_bytes([(10 * run + i) as u8; 32]);
                let ct = encrypted(&ctx, &values, |plain| public.encrypt(&ctx, plain, &seed));
                (ct, numbers(&values))
            };
            let mut all: Vec<(Ciphertext, Numbers)> = (0..2).map(fresh).collect();
            for _ in 0..6 {
                let [i, j] = [(); 2].map(|()| below(all.len() as u64) as usize);
                let ((x, a), (y, b)) = (&all[i], &all[j]);
                let n = a.len();
                let made = match below(5) {
                    0 => (eval.add_auto(x, y), a.iter().zip(b).map(|(&a, &b)| a + b).collect()),
                    1 => (eval.rotate(x, 1), (0..n).map(|k| a[(k + 1) % n]).collect()),
                    2 => (eval.conjugate(x), a.iter().map(|z| z.conj()).collect()),
                    3 => (eval.mul_scalar(x, Scalar::Number(0.5)), a.iter().map(|&z| z * 0.5).collect::<Numbers>()),
                    _ => (eval.mul_auto(x, y), a.iter().zip(b).map(|(&a, &b)| a * b).collect()),
                };
                // levels and room for sums end
                if let (Ok(ct), clear) = made {
                    all.push((ct, clear));
                }
            }
            for (ct, clear) in &all[2..] {
                let got = numbers(&secret.decrypt_values(&ctx, ct).unwrap());
                let scale = ct.budget().scale_log2.exp2();
                assert!(largest(&got, clear) * scale <= ct.noise().bound(), "{pieces} pieces, run {run}");
                let mean = got.iter().zip(clear).map(|(&a, &b)| (a - b).abs().powi(2)).sum::<f64>() / got.len() as f64;
                let bits = 0.5 * (mean.max(1e-300).log2() - ct.noise().variance().log2()) + scale.log2();
                worst = worst.max(bits);
                checked += 1;
            }
        }
        println!("{pieces} pieces: {checked} results, at most {worst:.2} bits above the estimate");
        assert!(worst < 1.0 && checked > 200, "{pieces} pieces: {worst}, {checked}");
    }
}

/// BGV: exact results for 2, 3 and 8 parties, modulo a product of two primes; budgets hold for the true noise.
#[test]
fn exact_results_are_exact() {
    for (seed, (count, threshold)) in (1u8..).zip([(2, 2), (3, 2), (8, 8)]) {
        let params = super::bgv(pieces_of(count, threshold).unwrap());
        let group = Group::new(&params, count, threshold, seed);
        let [x, y] = [1, 2].map(|i| values(&params, i));
        let [a, b] = [(&x, 1), (&y, 2)].map(|(values, seed)| group.encrypt(values, seed));
        let eval = group.evaluator();
        let product = eval.rotate(&eval.mul_auto(&eval.mul_auto(&a, &b).unwrap(), &a).unwrap(), 1).unwrap();
        let (Values::Integers(x), Values::Integers(y)) = (&x, &y) else { unreachable!() };
        let (t, half) = (params.residues().unwrap().modulus() as i128, x.len() / 2);
        let want: Vec<i64> = (0..x.len())
            .map(|i| {
                let j = i / half * half + (i % half + 1) % half;
                let product = (i128::from(x[j]) * i128::from(y[j])).rem_euclid(t) * i128::from(x[j]);
                let residue = product.rem_euclid(t);
                (if residue > t / 2 { residue - t } else { residue }) as i64
            })
            .collect();
        let Parameters::Bgv(own) = &params else { unreachable!() };
        let secret = crate::dynamic::SecretKey::from(sum_of(own, &group.parties));
        let measured = secret.measured_budget(&group.ctx, &product).unwrap();
        assert!(product.noise_budget().unwrap() <= measured, "{measured}");
        let members: Vec<usize> = (count - threshold..count).collect();
        let shares = group.shares(&product, &members);
        assert_eq!(group.sessions[0].combine(&product, &shares, None).unwrap(), Values::Integers(want));
        let few = group.sessions[0].combine(&product, &shares[1..], None);
        assert!(matches!(few, Err(Error::PartyMissing { .. })), "{few:?}");
    }
}
