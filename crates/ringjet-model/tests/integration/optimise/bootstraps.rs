//! Bootstraps that the pass places, in five programs with joins.

use ringjet::dynamic::{Evaluator, Parameters};
use ringjet::params::{BootstrapChain, BootstrapSpec};
use ringjet::program::{Op, Passes, Program, Recorder, Traced};

use super::{Line, World, counts, text};

const LOG_N: u32 = 10;

fn world() -> World {
    let chain = BootstrapChain {
        log_n: LOG_N,
        message_levels: 4,
        scale_bits: 40,
        prime_bits: 50,
        first_bits: 50,
        slots_to_coeffs_bits: 40,
        log_ratio: 13.5,
        eval_mod_bits: 61.5,
        coeffs_to_slots_bits: 50.0,
        special: 7,
        shared_primes: false,
        bootstrap: BootstrapSpec::standard(LOG_N, 2),
    };
    let params: Parameters = ringjet::Parameters::new(&chain.generate().unwrap().0.allow_insecure()).unwrap().into();
    let plan = params.key_plan(true, true, &[1], &[LOG_N - 1]).unwrap();
    World::new(&params, &plan, LOG_N - 1, 11)
}

/// The number of bootstraps, by the eager rule and of the program's own.
fn bootstraps(program: &Program, counting: &Evaluator) -> usize {
    let mut recorder = Recorder::new(counting);
    program.record_on(&mut recorder, vec![]).unwrap();
    recorder.facts().iter().map(|fact| fact.bootstraps.len()).sum()
}

/// Products in a row, with values that stay within 1.
fn squares(line: &mut Line<'_>, x: &Traced, count: usize) -> Traced {
    (0..count).fold(x.clone(), |x, _| line.mul(&x, &x))
}

#[test]
fn bootstraps_are_placed_where_the_fewest_are_needed() {
    let world = world();
    type Make = fn(&mut Line<'_>, &[Traced]) -> Vec<Traced>;
    // the numbers of bootstraps, by the eager rule and placed
    let programs: [(&str, Make, usize, usize); 5] = [
        (
            "a chain",
            |line, x| {
                let made = squares(line, &x[0], 10);
                vec![made]
            },
            2,
            2,
        ),
        (
            "a value that three operations use",
            |line, x| {
                let low = squares(line, &x[0], 4);
                let all = [0.5, 0.3, 0.2].map(|c| line.times(&low, c));
                all.into()
            },
            3,
            1,
        ),
        (
            "a product of two branches",
            |line, x| {
                let low = squares(line, &x[0], 4);
                let (a, b) = (line.rotate(&low, 1), line.op(Op::Neg {}, &[&low]));
                let product = line.mul(&a, &b);
                vec![product]
            },
            2,
            1,
        ),
        (
            "a residual block",
            |line, x| {
                let mut x = x[0].clone();
                for _ in 0..3 {
                    let inner = squares(line, &x, 3);
                    let (a, b) = (line.times(&x, 0.5), line.times(&inner, 0.5));
                    x = line.add(&a, &b);
                }
                vec![x]
            },
            4,
            2,
        ),
        (
            "two inputs that join late",
            |line, x| {
                let (a, b) = (squares(line, &x[0], 4), squares(line, &x[1], 4));
                let (c, d) = (line.times(&a, 0.5), line.times(&b, 0.5));
                let half = line.op(Op::Sub {}, &[&c, &d]);
                let product = line.mul(&half, &half);
                vec![product]
            },
            2,
            2,
        ),
    ];
    let mut fewer = 0;
    for (name, make, eager, placed) in programs {
        let mut recorder = world.recorder();
        let x: Vec<Traced> = (0..2).map(|i| world.input(&mut recorder, &format!("x{i}"))).collect();
        let made = make(&mut Line(&mut recorder), &x);
        let outputs = made.iter().enumerate().map(|(i, y)| (format!("y{i}"), y.value)).collect();
        let program = recorder.returning(outputs).unwrap();
        let better = program.optimised(Passes { bootstraps: true, ..Passes::NONE }, &world.counting).unwrap();
        let found = [&program, &better].map(|p| bootstraps(p, &world.counting));
        println!("{name}: {found:?}\n{}", text(&better));
        world.expect_same(&program, &better);
        // none is left to the eager rule
        assert_eq!(counts(&better)["bootstrap"], found[1], "{name}");
        fewer += usize::from(found[1] < found[0]);
        assert_eq!(found, [eager, placed], "{name}");
    }
    assert!(fewer >= 3, "{fewer} programs take fewer bootstraps");
}
