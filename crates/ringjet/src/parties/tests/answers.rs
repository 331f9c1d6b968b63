//! Answers: widths, counts, retries, lost parties, refreshes.

use super::*;
use crate::Error;

fn numbers(values: &Values) -> Vec<f64> {
    let Values::Numbers(all) = values else { panic!("numbers expected") };
    all.iter().map(|z| z.re).collect()
}

fn largest(a: &Values, b: &Values) -> f64 {
    numbers(a).iter().zip(numbers(b)).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

/// Two holders of a piece make the same bytes, a retry makes the same bytes, and neither is counted twice. So any two of
/// three give one result, bit for bit.
#[test]
fn retries_and_other_parties_give_the_same_bytes() {
    let params = super::ckks(3);
    let group = Group::new(&params, 3, 2, 1);
    let x = values(&params, 1);
    let ct = group.encrypt(&x, 1);
    let shares = group.shares(&ct, &[0, 1, 2]);
    assert_eq!(group.shares(&ct, &[0, 1, 2]), shares);
    assert!(group.parties.iter().all(|party| party.answers_given() == 1));
    let results: Vec<Values> = [vec![0, 1], vec![1, 2], vec![2, 0], vec![0, 1, 2]]
        .into_iter()
        .map(|who| {
            let shares: Vec<_> = who.iter().map(|&i| &shares[i]).collect();
            group.sessions[who[0]].combine(&ct, &shares, Some(10)).unwrap()
        })
        .collect();
    assert!(results.iter().all(|result| *result == results[0]) && largest(&results[0], &x) < 0.01);
}

/// The noise of a share has the stated width, and depends on the ciphertext and the width.
#[test]
fn noise_is_as_wide_as_stated() {
    let params = super::ckks(3);
    let Parameters::Ckks(own) = &params else { unreachable!() };
    let group = Group::new(&params, 3, 2, 2);
    let (x, Context::Ckks(ctx)) = (values(&params, 1), &group.ctx) else { unreachable!() };
    let secret = sum_of(own, &group.parties);
    for seed in 1..4 {
        let ct = group.encrypt(&x, seed);
        let Ciphertext::Ckks(inner) = &ct else { unreachable!() };
        let width = group.parties[0].spec().noise().log_sigma(inner.noise().bound()).unwrap();
        let shares = group.shares(&ct, &[0, 1]);
        let got = group.sessions[0].combine(&ct, &shares, Some(11)).unwrap();
        let exact = secret.decrypt_values(ctx, inner).unwrap();
        let differences = numbers(&got).into_iter().zip(exact.real()).map(|(a, b)| a - b);
        let mean = differences.map(|d| d * d).sum::<f64>() / exact.0.len() as f64;
        // three pieces; a slot's real part sums N/2 coefficients
        let noise = 3.0 * (params.max_slots() as f64) * f64::from(2 * width).exp2() / inner.scale().value().powi(2);
        // results are rounded to 11 bits after the point
        let expected = noise + 2f64.powi(-22) / 12.0;
        assert!((mean / expected).sqrt().log2().abs() < 0.2, "{mean} for {expected}");
    }
}

#[test]
fn a_ciphertext_is_answered_in_one_way() {
    let params = super::ckks(3);
    let group = Group::new(&params, 3, 2, 3);
    let ct = group.encrypt(&values(&params, 1), 1);
    let session = &group.sessions[0];
    let share = session.decryption_share(&ct, &ct, 8, NOBODY).unwrap();
    // a plan with larger errors asks for more noise
    let doubled = group.evaluator().add_auto(&ct, &ct).unwrap();
    let Ciphertext::Ckks(own) = &ct else { unreachable!() };
    let Ciphertext::Ckks(other) = &doubled else { unreachable!() };
    let plan: Ciphertext = own.clone().with_noise(other.noise().repeated(64)).into();
    let refused = session.decryption_share(&ct, &plan, 0, NOBODY);
    let Err(Error::AlreadyAnswered { first: "a decryption", width, asked, .. }) = refused else {
        panic!("{refused:?}")
    };
    assert!(asked > width);
    let refused = session.refresh_share(&ct, &ct, NOBODY);
    assert!(matches!(refused, Err(Error::AlreadyAnswered { now: "a refresh", .. })), "{refused:?}");
    // what a sender states of a ciphertext does not make it another one
    let restated: Ciphertext = own.clone().with_magnitude(0.5).into();
    assert_eq!(session.decryption_share(&restated, &ct, 8, NOBODY).unwrap(), share);
    assert_eq!(group.parties[0].answers_given(), 1);
}

#[test]
fn answers_are_limited() {
    let params = super::ckks(2);
    let sharing = Sharing { security: 40, answers: 2 };
    let mut group = Group::of(&spec(&params, 2, 2, sharing), 4);
    group.finish();
    let all: Vec<Ciphertext> = (1..4).map(|seed| group.encrypt(&values(&params, 1), seed)).collect();
    for ct in &all[..2] {
        group.sessions[0].decryption_share(ct, ct, 8, NOBODY).unwrap();
    }
    let refused = group.sessions[0].decryption_share(&all[2], &all[2], 8, NOBODY);
    assert_eq!(refused, Err(Error::AnswersExhausted { given: 2, limit: 2 }));
    // what was answered can still be sent again
    group.sessions[0].decryption_share(&all[1], &all[1], 8, NOBODY).unwrap();
    assert_eq!(group.sessions[1].decryption_share(&all[2], &all[2], 8, NOBODY).map(drop), Ok(()));
}

#[test]
fn other_ciphertexts_are_refused() {
    let params = super::ckks(3);
    let [group, other] = [5, 6].map(|seed| Group::new(&params, 3, 2, seed));
    let x = values(&params, 1);
    let (ct, foreign) = (group.encrypt(&x, 1), other.encrypt(&x, 1));
    let session = &group.sessions[0];
    assert!(matches!(session.decryption_share(&foreign, &ct, 8, NOBODY), Err(Error::KeyMismatch { .. })));
    let eval = group.evaluator();
    let squared = eval.mul_auto(&ct, &ct).unwrap();
    assert!(matches!(session.decryption_share(&squared, &ct, 8, NOBODY), Err(Error::NotSharable { .. })));
    let Evaluator::Ckks(inner) = &eval else { unreachable!() };
    let Ciphertext::Ckks(own) = &ct else { unreachable!() };
    let product: Ciphertext = inner.mul(own, own).unwrap().into();
    assert!(matches!(session.decryption_share(&product, &product, 8, NOBODY), Err(Error::Degree { found: 3, .. })));
    let single = context(&super::ckks(1));
    let secret = crate::dynamic::SecretKey::from_seed(&single.params(), &Seed::from_bytes([1; 32])).unwrap();
    let strange = encrypted(&single, &x, |plain| secret.encrypt(&single, plain, &Seed::from_bytes([1; 32])));
    assert!(matches!(session.decryption_share(&strange, &strange, 8, NOBODY), Err(Error::ParameterMismatch { .. })));
    assert_eq!(group.parties[0].answers_given(), 0);
    // more bits than the noise leaves
    let refused = session.decryption_share(&ct, &ct, 40, NOBODY);
    assert!(
        matches!(&refused, Err(Error::NotSharable { reason }) if reason.contains("bits after the point")),
        "{refused:?}"
    );
    let shares = group.shares(&ct, &[0, 1]);
    assert!(matches!(session.combine(&ct, &shares, Some(40)), Err(Error::NotSharable { .. })));
    assert!(matches!(session.combine(&ct, &shares, None), Err(Error::Argument { name: "bits", .. })));
}

/// A single client cannot make keys for parameters of several pieces, and they bootstrap with none.
#[test]
fn parameters_of_several_pieces_are_for_parties() {
    let params = super::ckks(3);
    let Parameters::Ckks(own) = &params else { unreachable!() };
    let refused = SecretKey::from_seed(own, &Seed::from_bytes([1; 32])).map(drop);
    assert_eq!(refused, Err(Error::SeveralParties { pieces: 3 }));
    assert!(params.fingerprint() != super::ckks(1).fingerprint());
    assert_eq!(super::ckks(1).with_pieces(3).unwrap(), params);
    let boot = Parameters::preset("n15-boot").unwrap();
    assert!(matches!(boot.with_pieces(2), Err(Error::NoCollectiveBootstrap { pieces: 2 })));
    let heaan = Parameters::preset("heaan-n15-q425").unwrap();
    assert!(matches!(heaan.with_pieces(2), Err(Error::Unsupported { .. })));
    assert!(matches!(super::ckks(1).with_pieces(0), Err(Error::Argument { .. })));
    assert!(matches!(super::ckks(1).with_pieces(128), Err(Error::TooManyPieces { pieces: 128, most: 127 })));
    let none = crate::KeyPlan::none();
    for (names, threshold) in
        [(vec!["A", "B", "C"], 3), (vec!["A", "B"], 2), (vec!["A", "A", "C"], 2), (vec!["", "B", "C"], 2)]
    {
        let made = Spec::new(&params, &names, threshold, &none, &[], Sharing::default());
        let fits = names[0] == "A" && names[1] == "B" && threshold == 3;
        assert_eq!(made.is_ok(), fits, "{names:?} {threshold}");
    }
}

/// After a refresh a ciphertext is at the top level, holds the same values within its bound, and computing goes on. Two
/// parties make it, and everybody makes the same.
#[test]
fn refreshes_keep_the_values() {
    let params = super::ckks(3);
    let Parameters::Ckks(own) = &params else { unreachable!() };
    let group = Group::new(&params, 3, 2, 7);
    let secret = crate::dynamic::SecretKey::from(sum_of(own, &group.parties));
    let eval = group.evaluator();
    let x = values(&params, 1);
    let mut want = numbers(&x);
    let mut ct = group.encrypt(&x, 1);
    for round in 0..4 {
        // two levels down, where the modulus still has room for masks
        ct = eval.mul_auto(&ct, &ct).unwrap();
        want.iter_mut().for_each(|x| *x *= *x);
        let level = ct.level().unwrap();
        let shares: Vec<_> =
            [round % 3, (round + 1) % 3].map(|i| group.sessions[i].refresh_share(&ct, &ct, NOBODY).unwrap()).into();
        let fresh = group.sessions[0].refresh(&ct, &shares).unwrap();
        assert!(fresh.level().unwrap() == own.top_level() && level < own.top_level());
        let again = group.sessions[2].refresh(&ct, &shares).unwrap();
        assert_eq!(again.to_bytes(&group.ctx).unwrap(), fresh.to_bytes(&group.ctx).unwrap());
        let got = numbers(&secret.decrypt_values(&group.ctx, &fresh).unwrap());
        let scale = fresh.budget().scale_log2.exp2();
        let error = got.iter().zip(&want).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max) * scale;
        let estimate = fresh.noise().variance().sqrt();
        println!(
            "round {round}: 2^{:.1}, estimate 2^{:.1}, bound 2^{:.1}",
            error.log2(),
            estimate.log2(),
            fresh.noise().bound().log2()
        );
        assert!(error <= fresh.noise().bound() && error < 8.0 * estimate, "{error}");
        ct = fresh;
    }
    // where the modulus has no room, it says so
    let low = eval.to_level(&ct, 0).unwrap();
    let refused = group.sessions[0].refresh_share(&low, &low, NOBODY);
    assert!(
        matches!(&refused, Err(Error::NotSharable { reason }) if reason.contains("at a higher level")),
        "{refused:?}"
    );
}

/// A refresh in BGV: the noise is that of an encryption, also where messages have correction factors.
#[test]
fn exact_refreshes_are_exact() {
    let params = super::bgv(3);
    let Parameters::Bgv(own) = &params else { unreachable!() };
    let group = Group::new(&params, 3, 2, 8);
    let secret = crate::dynamic::SecretKey::from(sum_of(own, &group.parties));
    let eval = group.evaluator();
    let x = values(&params, 1);
    let (mut ct, Values::Integers(mut want)) = (group.encrypt(&x, 1), x) else { unreachable!() };
    let t = params.residues().unwrap().modulus() as i128;
    for _ in 0..5 {
        ct = eval.mul_auto(&ct, &ct).unwrap();
        for x in &mut want {
            let square = (i128::from(*x) * i128::from(*x)).rem_euclid(t);
            *x = (if square > t / 2 { square - t } else { square }) as i64;
        }
        let shares: Vec<_> = [1, 2].map(|i| group.sessions[i].refresh_share(&ct, &ct, NOBODY).unwrap()).into();
        let fresh = group.sessions[0].refresh(&ct, &shares).unwrap();
        assert_eq!(secret.decrypt_values(&group.ctx, &fresh).unwrap(), Values::Integers(want.clone()));
        let (stated, measured) = (fresh.noise_budget().unwrap(), secret.measured_budget(&group.ctx, &fresh).unwrap());
        assert!(fresh.level().unwrap() == own.top_level() && stated <= measured, "{stated} {measured}");
        assert!(stated > ct.noise_budget().unwrap());
        ct = fresh;
    }
}

/// The same polynomials at another scale are another ciphertext: with the masks of the first one, the difference of two
/// refreshes would be a multiple of a mask.
#[test]
fn another_scale_is_another_ciphertext() {
    let params = super::ckks(3);
    let group = Group::new(&params, 3, 2, 9);
    let ct = group.evaluator().to_level(&group.encrypt(&values(&params, 1), 1), 2).unwrap();
    let Ciphertext::Ckks(own) = &ct else { unreachable!() };
    let mut position = own.position();
    position.scale = position.scale * crate::Scale::from_u64(2);
    let other: Ciphertext = own.restated(position, own.noise()).into();
    let work = &group.sessions[0].work;
    let [one, two] = [&ct, &other].map(|ct| work.digest(ct).unwrap());
    assert!(one != two);
    let answered = Answered { kind: AnswerKind::Refresh, width: 90, active: 0 };
    let share = |ct, digest| work.answer_share(1, &Asked { ct, digest, answered }, None).unwrap();
    let (a, b) = (share(&ct, one), share(&other, two));
    // neither part is the same, nor a multiple: the first parts differ by masks of 2^90
    assert!(a[..100] != b[..100] && a[a.len() - 100..] != b[b.len() - 100..]);
    // a scale that no level has is refused
    let far = own
        .restated(crate::ckks::ciphertext::Position { level: 2, scale: position.scale * position.scale }, own.noise());
    let far: Ciphertext = far.into();
    let refused = group.sessions[0].refresh_share(&far, &far, NOBODY);
    assert!(
        matches!(&refused, Err(Error::NotSharable { reason }) if reason.contains("rescale it first")),
        "{refused:?}"
    );
}
