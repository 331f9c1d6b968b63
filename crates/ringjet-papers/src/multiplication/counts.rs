//! Tables IV and X of Jung et al., "HEAAN Demystified": operations and instructions counted while
//! the code runs, and the formulas of the cost model.

use std::marker::PhantomData;
use std::sync::atomic::Ordering::Relaxed;

use serde_json::{Value, json};

use crate::heaan::{Function, Modular, Operations, Residues};
use crate::multiplication::avx::crt::Crt;
use crate::multiplication::avx::icrt::{DivideToRows, DivideTransposed, SumRows, SumTransposed};
use crate::multiplication::avx::ntt::{Intt, Ntt};
use crate::multiplication::avx::{Counted, Exact, Instructions, Machine, Modified, Narrow, Shoup, narrow};
use crate::multiplication::integers::Integers;
use crate::multiplication::lines::{LANES, Line, Matrix};
use crate::multiplication::reference::{self, Counter};
use crate::multiplication::setup::Setup;

/// The operations that the loops of `Ref` count for one polynomial of the first half, and those of
/// the cost model's formula.
pub fn operations(setup: &Setup) -> Vec<(Function, Counter, Operations)> {
    let residues = residues(setup, 0);
    Function::ALL.into_iter().map(|f| (f, run_reference(setup, f), residues.operations(f))).collect()
}

/// Sizes of a half (0 or 1), with the words of P/p_j for the primes in use.
pub fn residues(setup: &Setup, half: usize) -> Residues {
    let system = &setup.systems[half];
    Residues {
        log_n: setup.log_n,
        limbs: setup.shape.limbs(),
        primes: system.count as u64,
        product_limbs: system.product_limbs as u64,
    }
}

fn run_reference(setup: &Setup, function: Function) -> Counter {
    let (system, primes) = (&setup.systems[0], &setup.primes[..setup.systems[0].count]);
    let mut counter = Counter::default();
    let mut matrix = Matrix::new(system.count, setup.n());
    let mut rows: Vec<&mut [Line]> = matrix.iter_mut().collect();
    match function {
        Function::Crt => {
            let input = Integers::new(setup.n(), setup.log_q);
            reference::crt::crt(system, 0, &input, &mut rows, &mut counter);
        }
        Function::Ntt => {
            rows.iter_mut().zip(primes).for_each(|(row, prime)| reference::ntt::ntt(prime, row, &mut counter));
        }
        Function::Intt => {
            rows.iter_mut().zip(primes).for_each(|(row, prime)| reference::ntt::intt(prime, row, &mut counter));
        }
        Function::Icrt => {
            let input = Matrix::new(system.count, setup.n());
            let mut out = Integers::new(setup.n(), setup.log_q);
            let (limbs, bits) = (out.limbs(), out.bits());
            reference::icrt::divide(system, primes, &input, 0, &mut rows, &mut counter);
            reference::icrt::sum(system, &rows, limbs, bits, out.words_mut(), &mut counter);
        }
    }
    counter
}

/// The instructions of each variant and function for one polynomial of the first half.
pub fn instructions(setup: &Setup) -> Vec<(&'static str, Function, Instructions)> {
    let mut counts = Vec::new();
    for function in Function::ALL {
        counts.push(("AVX", function, run_lanes::<Exact>(setup, function, false)));
        counts.push(("AVX-M", function, run_lanes::<Modified>(setup, function, false)));
        counts.push(("AVX-MT", function, run_lanes::<Modified>(setup, function, true)));
    }
    counts
}

/// The instructions of `AVX-32` for one polynomial of the first half. The tables have words of 32
/// bits.
pub fn narrow_instructions(setup: &Setup) -> Vec<(Function, Instructions)> {
    Function::ALL.into_iter().map(|f| (f, run_lanes::<Narrow>(setup, f, true))).collect()
}

fn run_lanes<S: Shoup>(setup: &Setup, function: Function, transpose: bool) -> Instructions {
    let (system, primes) = (&setup.systems[0], &setup.primes[..setup.systems[0].count]);
    let count = Instructions::default();
    let machine = Counted(&count);
    let mut matrix = Matrix::new(system.count, setup.n());
    match function {
        Function::Crt => {
            let input = Integers::new(setup.n(), setup.log_q);
            let mut rows: Vec<&mut [Line]> = matrix.iter_mut().collect();
            let (limbs, input) = (input.limbs(), input.range(0, setup.n()));
            if S::WORD_BITS == u32::BITS {
                machine.run(narrow::Crt { system, input, limbs, output: &mut rows });
            } else {
                machine.run(Crt::<S>::new(system, input, limbs, &mut rows));
            }
        }
        Function::Ntt => {
            matrix.iter_mut().zip(primes).for_each(|(row, prime)| machine.run(Ntt::<S>::new(prime, row)));
        }
        Function::Intt => {
            matrix.iter_mut().zip(primes).for_each(|(row, prime)| machine.run(Intt::<S>::new(prime, row)));
        }
        Function::Icrt => {
            let (residues, first, shoup) = (&matrix, 0, PhantomData::<S>);
            let mut out = Integers::new(setup.n(), setup.log_q);
            let (limbs, bits) = (out.limbs(), out.bits());
            let output = out.words_mut();
            let mut temp =
                if transpose { Matrix::new(setup.n(), system.count) } else { Matrix::new(system.count, setup.n()) };
            let temp = &mut temp.iter_mut().collect::<Vec<_>>()[..];
            if transpose {
                machine.run(DivideTransposed { system, primes, residues, first, temp, shoup });
                if S::WORD_BITS == u32::BITS {
                    machine.run(narrow::Sum { system, temp, limbs, bits, output });
                } else {
                    machine.run(SumTransposed { system, temp, limbs, bits, output });
                }
            } else {
                machine.run(DivideToRows { system, primes, residues, first, temp, shoup });
                machine.run(SumRows { system, temp, limbs, bits, output });
            }
        }
    }
    count
}

/// Lane operations of a variant in a whole multiplication: the instructions of both halves times
/// eight (Table II of Jung et al., "Accelerating Fully Homomorphic Encryption Through
/// Microarchitecture-Aware Analysis and Optimization").
pub fn lane_operations(setup: &Setup, function: Function, modular: Modular) -> u64 {
    let halves = setup.shape.regions().into_iter().enumerate();
    halves
        .map(|(half, region)| {
            LANES as u64 * function.polynomials(&region) * residues(setup, half).kernel_instructions(function, modular)
        })
        .sum()
}

/// The rows of the tables as JSON objects: `counted` while the code ran, and `formula` of the cost
/// model.
pub fn rows(setup: &Setup) -> Vec<Value> {
    let mut rows = table_iv(setup);
    rows.extend(table_x(setup));
    for modular in Modular::PAPERS {
        rows.extend(Function::ALL.map(|f| {
            json!({"table": "II", "log_n": setup.log_n, "function": f.name(), "variant": modular.variant(),
                "counted": lane_operations(setup, f, modular), "formula": setup.shape.lane_operations(f)})
        }));
    }
    rows
}

fn table_iv(setup: &Setup) -> Vec<Value> {
    let mut rows = Vec::new();
    for (function, counter, formula) in operations(setup) {
        let row = |quantity: &str, counted: u64, formula: Option<u64>| {
            json!({"table": "IV", "log_n": setup.log_n, "function": function.name(), "quantity": quantity,
                "counted": counted, "formula": formula})
        };
        let each = QUANTITIES.map(|(quantity, of)| (quantity, of(&counter.operations), of(&formula)));
        rows.extend(each.into_iter().filter(|r| r.2 > 0).map(|(q, counted, formula)| row(q, counted, Some(formula))));
        rows.push(row("runs of Algorithm 2", counter.shoup, None));
    }
    rows
}

fn table_x(setup: &Setup) -> Vec<Value> {
    use crate::heaan::Instructions as Set;
    let residues = residues(setup, 0);
    let row = |(variant, function, counted): (&str, Function, Instructions)| {
        json!({"table": "X", "log_n": setup.log_n, "function": function.name(), "variant": variant,
            "counted": counted.arithmetic(),
            "multiplications": counted.multiplications.load(Relaxed), "additions": counted.additions.load(Relaxed),
            "shifts": counted.shifts.load(Relaxed), "comparisons": counted.comparisons.load(Relaxed),
            "moves": counted.moves.load(Relaxed), "memory": counted.memory.load(Relaxed),
            "formula": residues.vector_instructions(function, Set::emulated()),
            "native": residues.vector_instructions(function, Set::native())})
    };
    instructions(setup).into_iter().map(row).collect()
}

/// A column of Table IV: its title, and how to read it.
type Quantity = (&'static str, fn(&Operations) -> u64);

const QUANTITIES: [Quantity; 4] = [
    ("multiplications", |o| o.multiplications),
    ("modular multiplications", |o| o.modular),
    ("additions with carry", |o| o.carries),
    ("additions and subtractions", |o| o.additions),
];
