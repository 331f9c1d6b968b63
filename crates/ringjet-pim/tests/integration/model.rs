//! The analytic model of `ringjet-model` against the emulator.

use ringjet_math::prime::ntt_primes;
use ringjet_model::pim::{Command as Modelled, Kernels, Multiplier, Program};
use ringjet_pim::{Command, Rung};

use crate::support::{Case, hardware, table};

/// The deviation that the model may have.
const TOLERANCE: f64 = 0.05;
/// Polynomials that a case has room for.
const ROOM: u32 = 69;

/// Model commands and the program's: transforms of `3 count - 1` polynomials, so that tasklets have
/// different numbers of them, and element-wise commands on `count` polynomials.
fn commands(count: u16) -> Vec<(Modelled, u16, Vec<Command>)> {
    let all = 3 * count - 1;
    let repeated = |command| vec![Command::Repeat(count), command];
    let (a, b) = (count, 2 * count);
    vec![
        (Modelled::Forward, all, vec![Command::ForwardBatch(0..all)]),
        (Modelled::Inverse, all, vec![Command::InverseBatch(0..all)]),
        (Modelled::Add, count, repeated(Command::Add { out: 0, a, b })),
        (Modelled::Mul, count, repeated(Command::Mul { out: 0, a, b })),
        (Modelled::MulScalar, count, repeated(Command::MulScalar { out: 0, a, scalar: 0 })),
    ]
}

/// Compares a rung with its model at `N = 2^log_n`; returns the largest deviation.
fn compare(rung: &str, kernels: Kernels, log_n: u32, counts: &[u16]) -> f64 {
    let table = table(ntt_primes(log_n, 24, 1, &[]).unwrap()[0], log_n);
    let mut case = Case::new(Rung::named(rung).unwrap(), &table, ROOM, &[12345], hardware(16));
    (0..ROOM).for_each(|p| drop(case.random(p)));
    let mut most = 0.0f64;
    for (modelled, polynomials, commands) in counts.iter().flat_map(|&count| commands(count)) {
        let emulated = case.run(&commands) as f64;
        let deviation = kernels.cycles(modelled, 1 << log_n, polynomials.into()) / emulated - 1.0;
        println!("{rung:10} 2^{log_n} {modelled:10?} {polynomials:3} {emulated:10.0} {:+.2} %", 100.0 * deviation);
        assert!(deviation.abs() < TOLERANCE, "{rung} 2^{log_n} {modelled:?} {polynomials}: {deviation}");
        most = most.max(deviation.abs());
    }
    most
}

#[test]
fn the_analytic_model_agrees_with_the_emulator() {
    for (rung, program) in Program::ALL {
        for log_n in [10, 12, 13] {
            compare(rung, Kernels::new(program, Multiplier::Bytes), log_n, &[7, 23]);
        }
    }
    // what makes the test fail: the counts of another program
    let other = Kernels::new(Program::Scrambled, Multiplier::Bytes).cycles(Modelled::Forward, 4096, 20);
    let own = Kernels::new(Program::Resident, Multiplier::Bytes).cycles(Modelled::Forward, 4096, 20);
    assert!(other / own - 1.0 > 5.0 * TOLERANCE);
}

#[test]
fn the_analytic_model_agrees_for_sums() {
    for (rung, program) in Program::ALL {
        let kernels = Kernels::new(program, Multiplier::Bytes);
        for (log_n, terms) in [(10, 40_u16), (12, 8), (12, 29), (12, 64), (13, 61)] {
            let table = table(ntt_primes(log_n, 24, 1, &[]).unwrap()[0], log_n);
            let mut case = Case::new(Rung::named(rung).unwrap(), &table, 65, &[0; 64], hardware(16));
            (0..65).for_each(|p| drop(case.random(p)));
            for (modelled, weight) in [(Modelled::Sum, 1), (Modelled::WeightedSum, 200)] {
                case.run(&[]);
                let words: Vec<u32> = (0..u32::from(terms)).flat_map(|p| [p, weight]).collect();
                case.dpus.write(0, case.layout.scalar(0), &words).unwrap();
                let sum = Command::Sum { out: 64, first: 0, terms };
                case.dpus.broadcast(0, &case.layout.command_words(&[sum]).unwrap()).unwrap();
                let emulated = case.dpus.launch().unwrap()[0] as f64;
                let deviation = kernels.cycles(modelled, 1 << log_n, terms.into()) / emulated - 1.0;
                println!("{rung:10} 2^{log_n} {modelled:10?} {terms:3} {emulated:10.0} {:+.2} %", 100.0 * deviation);
                assert!(deviation.abs() < TOLERANCE, "{rung} 2^{log_n} {modelled:?} {terms}: {deviation}");
            }
        }
    }
}

#[test]
fn the_analytic_model_agrees_for_few_and_for_large_polynomials() {
    for (rung, program) in Program::ALL {
        compare(rung, Kernels::new(program, Multiplier::Bytes), 14, &[4]); // too large to be resident
        compare(rung, Kernels::new(program, Multiplier::Bytes), 12, &[2]);
    }
}

/// A faster multiplier leaves transfers a larger part of the time.
#[test]
fn the_analytic_model_agrees_for_dummy_products() {
    for log_n in [10, 12, 13] {
        compare("dummy", Kernels::new(Program::Scrambled, Multiplier::Dummy), log_n, &[7, 23]);
    }
}
