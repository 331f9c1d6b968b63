//! The program against `ringjet-math`, bit for bit.

use ringjet_pim::{Command, Layout, PimError, RUNGS, Refusal, Rung};

use crate::support::{Case, PRIMES, hardware, table, zip};

fn each(test: impl Fn(Rung, u64, u32)) {
    for (i, rung) in RUNGS.into_iter().enumerate() {
        for (j, prime) in PRIMES.into_iter().enumerate().filter(|&(_, p)| p >> rung.most_bits == 0) {
            // every number of tasklets with every rung, and with every prime
            let tasklets = [1, 2, 5, 11, 16];
            test(rung, prime, tasklets[(i + 2 * j) % 5]);
            test(rung, prime, tasklets[(i + 2 * j + 1) % 5]);
        }
    }
}

#[test]
fn transforms_are_those_of_the_reference() {
    each(|rung, prime, tasklets| {
        let table = table(prime, 12);
        let mut case = Case::new(rung, &table, 3, &[], hardware(tasklets));
        let before: Vec<_> = (0..3).map(|p| case.random(p)).collect();
        case.run(&[Command::ForwardBatch(0..3), Command::ToPositions(0..3)]);
        for (p, values) in before.iter().enumerate() {
            let mut expected = values.clone();
            table.forward(&mut expected);
            assert_eq!(case.get(p as u32), expected, "{} {prime:#x} {tasklets} tasklets", rung.name);
        }
        case.run(&[Command::ToLeaves(0..3), Command::InverseBatch(0..3)]);
        for (p, values) in before.iter().enumerate() {
            assert_eq!(&case.get(p as u32), values, "{} {prime:#x} {tasklets} tasklets", rung.name);
        }
    });
}

#[test]
fn every_degree_is_transformed() {
    for name in ["product", "coalesced", "scrambled", "resident"] {
        let rung = Rung::named(name).unwrap();
        for log_n in 3..=if name == "resident" { 15 } else { 12 } {
            let table = table(ringjet_math::prime::ntt_primes(log_n, 30, 1, &[]).unwrap()[0], log_n);
            let mut case = Case::new(rung, &table, 2, &[], hardware(16));
            let before = case.random(1);
            let mut expected = before.clone();
            table.forward(&mut expected);
            case.run(&[Command::Forward { out: 1 }, Command::ToPositions(1..2)]);
            assert_eq!(case.get(1), expected, "{name} 2^{log_n}");
            case.run(&[Command::ToLeaves(1..2), Command::Inverse { out: 1 }]);
            assert_eq!(case.get(1), before, "{name} 2^{log_n}");
            // evaluations that are moved by the transform itself, of two polynomials
            case.put(0, &before);
            let twice = |command| [Command::Repeat(2), command];
            let forward = case.run(&twice(Command::ForwardPositions { out: 0 }));
            assert_eq!([case.get(0), case.get(1)], [&expected; 2].map(Vec::clone), "{name} 2^{log_n}");
            case.run(&twice(Command::InversePositions { out: 0 }));
            assert_eq!([case.get(0), case.get(1)], [&before; 2].map(Vec::clone), "{name} 2^{log_n}");
            let apart = case.run(&[Command::ForwardBatch(0..2), Command::ToPositions(0..2)]);
            if name == "resident" && (9..=13).contains(&log_n) {
                assert!(forward < apart, "{name} 2^{log_n}: {forward} {apart}");
            }
        }
    }
}

#[test]
fn element_wise_commands_are_exact() {
    each(|rung, prime, tasklets| {
        let table = table(prime, 12);
        let scalars = [prime - 1, 12345, 0];
        let mut case = Case::new(rung, &table, 8, &scalars, hardware(tasklets));
        let [a, b, c] = [0, 1, 2].map(|p| case.random(p));
        case.run(&[
            Command::Add { out: 3, a: 0, b: 1 },
            Command::Sub { out: 4, a: 0, b: 1 },
            Command::Mul { out: 5, a: 0, b: 1 },
            Command::MulAcc { out: 2, a: 0, b: 1 },
            Command::MulScalar { out: 6, a: 0, scalar: 1 },
            Command::MulScalar { out: 7, a: 0, scalar: 0 },
            Command::Add { out: 0, a: 0, b: 0 },
        ]);
        let m = table.modulus();
        let product = zip(&a, &b, |x, y| m.mul(x, y));
        let expected = [
            zip(&a, &a, |x, y| m.add(x, y)),
            b.clone(),
            zip(&c, &product, |x, y| m.add(x, y)),
            zip(&a, &b, |x, y| m.add(x, y)),
            zip(&a, &b, |x, y| m.sub(x, y)),
            product,
            zip(&a, &b, |x, _| m.mul(x, 12345)),
            zip(&a, &b, |x, _| m.mul(x, prime - 1)),
        ];
        for (p, expected) in (0..).zip(&expected) {
            assert_eq!(&case.get(p), expected, "polynomial {p}: {} {prime:#x} {tasklets} tasklets", rung.name);
        }
    });
}

#[test]
fn tensor_and_repetitions() {
    each(|rung, prime, tasklets| {
        let table = table(prime, 12);
        let mut case = Case::new(rung, &table, 14, &[], hardware(tasklets));
        let x: Vec<_> = (0..8).map(|p| case.random(p)).collect();
        case.run(&[
            Command::Repeat(2),
            Command::Tensor { out: 8, a: 0, b: 4 },
            Command::Repeat(3),
            Command::Sub { out: 1, a: 1, b: 0 },
        ]);
        let m = table.modulus();
        let mul = |i: usize, j: usize| zip(&x[i], &x[j], |x, y| m.mul(x, y));
        for (k, out) in [(0, 8), (2, 11)] {
            let (a, b) = (k, 4 + k);
            assert_eq!(case.get(out), mul(a, b), "{}", rung.name);
            let middle = zip(&mul(a, b + 1), &mul(a + 1, b), |x, y| m.add(x, y));
            assert_eq!(case.get(out + 1), middle, "{}", rung.name);
            assert_eq!(case.get(out + 2), mul(a + 1, b + 1), "{}", rung.name);
        }
        // each repetition uses what the one before has written
        let first = zip(&x[1], &x[0], |x, y| m.sub(x, y));
        let second = zip(&x[2], &first, |x, y| m.sub(x, y));
        assert_eq!(case.get(1), first);
        assert_eq!(case.get(2), second);
        assert_eq!(case.get(3), zip(&x[3], &second, |x, y| m.sub(x, y)));
    });
}

#[test]
fn wrong_commands_are_refused() {
    let table = table(PRIMES[0], 12);
    let mut case = Case::new(Rung::named("scrambled").unwrap(), &table, 3, &[5], hardware(16));
    let good = Command::Add { out: 0, a: 1, b: 2 };
    let mut refused = |command: Command, reason| {
        let error = case.try_run(&[good.clone(), command, good.clone()]).unwrap_err();
        assert_eq!(error, PimError::Refused { dpu: 0, command: 1, reason });
    };
    refused(Command::Add { out: 3, a: 0, b: 0 }, Refusal::NoSuchPolynomial);
    refused(Command::Mul { out: 0, a: 0, b: 3 }, Refusal::NoSuchPolynomial);
    refused(Command::Tensor { out: 0, a: 2, b: 1 }, Refusal::NoSuchPolynomial);
    refused(Command::ForwardBatch(1..4), Refusal::NoSuchPolynomial);
    refused(Command::MulScalar { out: 0, a: 0, scalar: 1 }, Refusal::NoSuchScalar);
    let error = case.try_run(&[Command::Repeat(2), Command::ForwardBatch(0..1)]).unwrap_err();
    assert_eq!(error, PimError::Refused { dpu: 0, command: 1, reason: Refusal::RepeatedBatch });
    // an encoding of no command
    let mut words = case.layout.words(&[Command::Stop]).unwrap();
    words[16] = 99;
    case.dpus.broadcast(0, &words).unwrap();
    let error = case.dpus.launch().unwrap_err();
    assert_eq!(error, PimError::Refused { dpu: 0, command: 0, reason: Refusal::UnknownCommand });
    words[2] = 5;
    words[3] = 31;
    case.dpus.broadcast(0, &words).unwrap();
    let error = case.dpus.launch().unwrap_err();
    assert!(matches!(error, PimError::Refused { reason: Refusal::Header, .. }), "{error}");
}

#[test]
fn moduli_and_degrees_that_do_not_fit_are_refused() {
    let new = |rung, table: &_, polynomials| Layout::new(Rung::named(rung).unwrap(), table, &[], polynomials, 4);
    let error = new("nine", &table(PRIMES[1], 12), 1).unwrap_err();
    assert_eq!(error, PimError::Modulus { modulus: PRIMES[1], most_bits: 24 });
    let wide = ringjet_math::prime::ntt_primes(12, 31, 1, &[]).unwrap()[0];
    let error = new("shoup", &table(wide, 12), 1).unwrap_err();
    assert_eq!(error, PimError::Modulus { modulus: wide, most_bits: 30 });
    let large = ringjet_math::prime::ntt_primes(16, 30, 1, &[]).unwrap()[0];
    assert_eq!(new("shoup", &table(large, 16), 1).unwrap_err(), PimError::Degree { log_n: 16 });
    let PimError::NoRoom { most, .. } = new("shoup", &table(PRIMES[0], 12), 4096).unwrap_err() else { panic!() };
    assert!(new("shoup", &table(PRIMES[0], 12), most).is_ok());
    assert!(matches!(new("shoup", &table(PRIMES[0], 12), most + 1), Err(PimError::NoRoom { .. })));
    let layout = new("shoup", &table(PRIMES[0], 12), most).unwrap();
    let error = layout.words(&vec![Command::Stop; 5]).unwrap_err();
    assert_eq!(error, PimError::TooMany { what: "commands", count: 5, room: 4 });
}

#[test]
fn runs_are_repeatable_and_profiled() {
    let table = table(PRIMES[1], 12);
    let mut profiles = Vec::new();
    for _ in 0..2 {
        let mut case = Case::new(Rung::named("buffered").unwrap(), &table, 16, &[], hardware(16));
        (0..16).for_each(|p| drop(case.random(p)));
        let cycles = case.run(&[Command::ForwardBatch(0..16), Command::Add { out: 0, a: 1, b: 2 }]);
        let profile = case.dpus.profile(0).unwrap().unwrap();
        assert!(profile.cycles - cycles < 2000, "{cycles} {}", profile.cycles);
        profiles.push(profile);
    }
    assert_eq!(profiles[0], profiles[1]);
    let [transform, add] = &profiles[0].commands[..] else { panic!() };
    assert_eq!((transform.command, add.command), (8, 1));
    // 12 stages, each of which reads and writes every word
    assert_eq!(transform.bytes_written, 12 * 16 * 4 * 4096);
    assert_eq!((add.bytes_written, add.bytes_read), (4 * 4096, 2 * 4 * 4096 + 16 * 8));
    assert!(transform.cycles >= transform.instructions && add.cycles >= add.instructions);
    assert_eq!(add.barriers, 1);
}

/// One tasklet issues an instruction in 11 cycles, 11 or more keep the pipeline full.
#[test]
fn tasklets_share_the_pipeline() {
    let table = table(PRIMES[0], 12);
    let cycles = [1, 2, 8, 16].map(|tasklets| {
        let mut case = Case::new(Rung::named("scrambled").unwrap(), &table, 16, &[], hardware(tasklets));
        case.run(&[Command::ForwardBatch(0..16)]) as f64
    });
    // with few tasklets the pipeline is idle during transfers too, about 2 % of the time
    assert!((cycles[0] / cycles[1] - 2.0).abs() < 0.01, "{cycles:?}");
    assert!((cycles[0] / cycles[2] - 8.0).abs() < 0.05, "{cycles:?}");
    assert!((cycles[0] / cycles[3] - 11.0).abs() < 0.3, "{cycles:?}");
}

/// Weights of the terms of a sum, with all kinds of groups of eight: of ones, of ones and minus ones,
/// of others, and an incomplete one.
fn weights() -> Vec<i32> {
    let kinds = |k: i32| match k / 8 {
        0 => 1,
        1 => 1 - 2 * (k & 1),
        2 => 255 - 17 * (k & 7),
        3 => 9 * (k & 7) - 40,
        _ => -1,
    };
    (0..37).map(kinds).collect()
}

#[test]
fn weighted_sums_are_exact() {
    each(|rung, prime, tasklets| {
        let table = table(prime, 12);
        let (weights, m) = (weights(), table.modulus());
        for terms in [1, 8, 19, weights.len()] {
            let mut case = Case::new(rung, &table, 6, &[0; 40], hardware(tasklets));
            let polynomials: Vec<_> = (0..5).map(|p| case.random(p)).collect();
            let mut expected = vec![0; 4096];
            let mut words = vec![];
            for (k, &weight) in weights[..terms].iter().enumerate() {
                let w = i64::from(weight).rem_euclid(prime as i64) as u64;
                expected = zip(&expected, &polynomials[k % 5], |sum, x| m.add(sum, m.mul(w, x)));
                words.extend([(k % 5) as u32, weight as u32]);
            }
            let sum = |out| Command::Sum { out, first: 0, terms: terms as u16 };
            case.run(&[]); // writes the layout
            case.dpus.write(0, case.layout.scalar(0), &words).unwrap();
            // the second sum has its result among its terms
            let commands = case.layout.command_words(&[sum(5), sum(2)]).unwrap();
            case.dpus.broadcast(0, &commands).unwrap();
            case.dpus.launch().unwrap();
            assert_eq!(case.get(5), expected, "{} {prime:#x} {tasklets} tasklets {terms} terms", rung.name);
            assert_eq!(case.get(2), expected, "{} {prime:#x} {tasklets} tasklets {terms} terms", rung.name);
        }
    });
}

#[test]
fn sums_that_cannot_be_are_refused() {
    let table = table(ringjet_math::prime::ntt_primes(3, 9, 1, &[]).unwrap()[0], 3);
    let q = table.modulus().value();
    let refusal = |terms: &[[u32; 2]], sum: &[Command]| {
        let mut case = Case::new(Rung::named("resident").unwrap(), &table, 3, &[0; 4], hardware(16));
        case.run(&[]);
        case.dpus.write(0, case.layout.scalar(0), terms.as_flattened()).unwrap();
        case.dpus.broadcast(0, &case.layout.command_words(sum).unwrap()).unwrap();
        match case.dpus.launch() {
            Ok(_) => None,
            Err(PimError::Refused { reason, .. }) => Some(reason),
            Err(other) => panic!("{other}"),
        }
    };
    let sum = |terms| [Command::Sum { out: 0, first: 1, terms }];
    let large = (q - 1 - 255) as u32;
    let cases = [
        ([[1, 1], [2, 255], [0, large]], None),
        ([[1, 1], [2, 255], [0, large + 1]], Some(Refusal::Weight)),
        ([[1, 1], [2, 255], [0, large.wrapping_neg() - 1]], Some(Refusal::Weight)),
        ([[1, 1], [2, 256], [0, 1]], Some(Refusal::Weight)),
        ([[1, 1], [2, 1 << 31], [0, 1]], Some(Refusal::Weight)),
        ([[1, 1], [3, 1], [0, 1]], Some(Refusal::NoSuchPolynomial)),
    ];
    assert!(large < 256, "{q}");
    for (terms, expected) in cases {
        assert_eq!(refusal(&terms, &sum(2)), expected, "{terms:?}");
    }
    assert_eq!(refusal(&[[1, 1]], &sum(4)), Some(Refusal::NoSuchScalar));
    assert_eq!(refusal(&[[1, 1]], &[Command::Repeat(2), sum(1)[0].clone()]), Some(Refusal::RepeatedBatch));
    let outside = [Command::Sum { out: 3, first: 0, terms: 1 }];
    assert_eq!(refusal(&[[1, 1]], &outside), Some(Refusal::NoSuchPolynomial));
}
