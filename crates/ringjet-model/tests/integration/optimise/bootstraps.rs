//! Bootstraps that the pass places, in five published algorithms with joins.

use std::collections::BTreeMap;
use std::sync::Arc;

use ringjet::circuits::{LinearTransform, Polynomial};
use ringjet::dynamic::{Evaluator, KeyRequest, Parameters, Values};
use ringjet::params::BootstrapChain;
use ringjet::program::{Op, Passes, Program, Recorder, Traced};

use super::{Line, World, counts, numbers, text};

const LOG_N: u32 = 10;

fn world() -> World {
    let chain = BootstrapChain::standard(LOG_N);
    let params: Parameters = ringjet::Parameters::new(&chain.generate().unwrap().0.allow_insecure()).unwrap().into();
    let (rotations, bootstrapping) = (vec![1, 2], vec![1 << (LOG_N - 1)]);
    let plan = params.key_plan(&KeyRequest { rotations, bootstrapping, ..KeyRequest::default() }).unwrap();
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

/// A function on -1 to 1, by a polynomial.
fn function(line: &mut Line<'_>, x: &Traced, degree: usize, f: impl Fn(f64) -> f64) -> Traced {
    let p = Polynomial::interpolate(f, -1.0, 1.0, degree).unwrap();
    let made = line.op(Op::Polynomial { p: Arc::new(p) }, &[x]);
    line.op(Op::Within { low: -1.0, high: 1.0 }, &[&made])
}

/// A product with a matrix of three diagonals, by rotations and masks.
fn layer(line: &mut Line<'_>, x: &Traced, number: u64) -> Traced {
    let diagonals = BTreeMap::from([0usize, 1, 2].map(|k| {
        let Values::Numbers(all) = numbers(1 << (LOG_N - 1), number + k as u64) else { unreachable!("numbers") };
        (k, all.into_iter().map(|z| (z.re / 3.0).into()).collect())
    }));
    let matrix = LinearTransform::from_diagonals(1 << (LOG_N - 1), diagonals).unwrap();
    let made = line.op(Op::Matmul { matrix: Arc::new(matrix.into()) }, &[x]);
    line.op(Op::Within { low: -1.0, high: 1.0 }, &[&made])
}

fn sub(line: &mut Line<'_>, x: &Traced, y: &Traced) -> Traced {
    line.op(Op::Sub {}, &[x, y])
}

/// Two residual blocks: matrix, activation, matrix, sum with the block's input, activation (He et al., "Deep
/// Residual Learning for Image Recognition", figure 2).
fn residual_blocks(line: &mut Line<'_>, x: &[Traced]) -> Vec<Traced> {
    let mut x = x[0].clone();
    for block in 0..2 {
        let inner = layer(line, &x, 2 * block);
        let inner = function(line, &inner, 3, |x| 0.5 * x + 0.25 * x * x);
        let inner = layer(line, &inner, 2 * block + 1);
        let (a, b) = (line.times(&x, 0.5), line.times(&inner, 0.5));
        let sum = line.add(&a, &b);
        x = function(line, &sum, 3, |x| 0.5 * x + 0.25 * x * x);
    }
    vec![x]
}

/// Three steps of an LSTM cell on one input (Hochreiter and Schmidhuber; the form of Gers et al. with a forget
/// gate): `c = f c + i g`, `h = o tanh(c)`.
fn lstm(line: &mut Line<'_>, x: &[Traced]) -> Vec<Traced> {
    let sigmoid = |x: f64| 0.9 / (1.0 + (-x).exp());
    let (mut h, mut c) = (x[1].clone(), x[1].clone());
    for step in 0..3 {
        let (a, b) = (line.times(&x[0], 0.5), line.times(&h, 0.5));
        let input = line.add(&a, &b);
        let [f, i, o, g] = [0, 1, 2, 3].map(|gate| {
            let made = layer(line, &input, 4 * step + gate);
            if gate < 3 { function(line, &made, 3, sigmoid) } else { function(line, &made, 3, |x| 0.5 * x.tanh()) }
        });
        let (kept, new) = (line.mul(&f, &c), line.mul(&i, &g));
        let sum = line.add(&kept, &new);
        c = line.op(Op::Within { low: -1.0, high: 1.0 }, &[&sum]);
        let shown = function(line, &c, 3, f64::tanh);
        h = line.mul(&o, &shown);
    }
    vec![h, c]
}

/// A division by Goldschmidt's iteration: with `a = x` and `b = 1 - y`, five times `a += a b`, `b = b^2`.
fn goldschmidt(line: &mut Line<'_>, x: &[Traced]) -> Vec<Traced> {
    let small = line.times(&x[1], 0.4);
    let (mut a, mut b) = (line.times(&x[0], 0.3), small);
    for _ in 0..5 {
        let product = line.mul(&a, &b);
        let sum = line.add(&a, &product);
        a = line.op(Op::Within { low: -1.0, high: 1.0 }, &[&sum]);
        b = line.mul(&b, &b);
    }
    vec![a]
}

/// Four iterations of logistic regression by Nesterov's gradient (Han et al., "Logistic Regression on
/// Homomorphic Encrypted Data at Scale"): `w' = v - g(z v) z`, `v = (1 - m) w' + m w`.
fn regression(line: &mut Line<'_>, x: &[Traced]) -> Vec<Traced> {
    let (z, mut w, mut v) = (x[0].clone(), x[1].clone(), x[1].clone());
    for _ in 0..4 {
        let inner = line.mul(&z, &v);
        let slope = function(line, &inner, 3, |x| 0.2 / (1.0 + x.exp()));
        let gradient = line.mul(&slope, &z);
        let sum = line.add(&v, &gradient);
        let next = line.op(Op::Within { low: -1.0, high: 1.0 }, &[&sum]);
        let (a, b) = (line.times(&next, 0.7), line.times(&w, 0.3));
        v = line.add(&a, &b);
        w = next;
    }
    vec![w]
}

/// Batcher's network that sorts four values, here two ciphertexts and their rotations: five compare-exchanges,
/// each by the absolute difference.
fn sorting(line: &mut Line<'_>, x: &[Traced]) -> Vec<Traced> {
    let mut wires = vec![x[0].clone(), x[1].clone(), line.rotate(&x[0], 1), line.rotate(&x[1], 1)];
    for (i, j) in [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)] {
        let (a, b) = (line.times(&wires[i], 0.5), line.times(&wires[j], 0.5));
        let (sum, difference) = (line.add(&a, &b), sub(line, &a, &b));
        let size = function(line, &difference, 7, |x| (x * x + 0.01).sqrt());
        for (k, x) in [(i, sub(line, &sum, &size)), (j, line.add(&sum, &size))] {
            wires[k] = line.op(Op::Within { low: -1.0, high: 1.0 }, &[&x]);
        }
    }
    wires
}

#[test]
fn bootstraps_are_placed_where_they_take_the_least_work() {
    let world = world();
    type Make = fn(&mut Line<'_>, &[Traced]) -> Vec<Traced>;
    // the numbers of bootstraps, by the eager rule and placed
    let programs: [(&str, Make, usize, usize); 5] = [
        ("residual blocks", residual_blocks, 3, 3),
        ("LSTM cell", lstm, 15, 10),
        ("Goldschmidt's division", goldschmidt, 4, 2),
        ("logistic regression", regression, 6, 4),
        ("sorting network", sorting, 6, 5),
    ];
    let mut found = Vec::new();
    for (name, make, ..) in programs {
        let mut recorder = world.recorder();
        let x: Vec<Traced> = (0..2).map(|i| world.input(&mut recorder, &format!("x{i}"))).collect();
        let made = make(&mut Line(&mut recorder), &x);
        let outputs = made.iter().enumerate().map(|(i, y)| (format!("y{i}"), y.value)).collect();
        let program = recorder.returning(outputs).unwrap();
        let better =
            program.optimised(Passes { bootstraps: true, levels: true, ..Passes::NONE }, &world.counting).unwrap();
        let count = [&program, &better].map(|p| bootstraps(p, &world.counting));
        println!("{name}: {count:?}\n{}", text(&better));
        world.expect_same(&program, &better);
        // none is left to the eager rule
        assert_eq!(counts(&better)["bootstrap"], count[1], "{name}");
        found.push((name, count));
    }
    let expected: Vec<_> = programs.iter().map(|&(name, _, eager, placed)| (name, [eager, placed])).collect();
    assert_eq!(found, expected);
}

/// A random program on two inputs whose values stay within 1.
fn random(world: &World, seed: u64) -> Program {
    let mut recorder = world.recorder();
    let mut all: Vec<Traced> = (0..2).map(|i| world.input(&mut recorder, &format!("x{i}"))).collect();
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut below = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let mut line = Line(&mut recorder);
    // products in a row leave few levels
    all = all.iter().map(|x| squares(&mut line, x, 4)).collect();
    for _ in 0..5 {
        let (x, y) = (all[below(all.len())].clone(), all[all.len() - 1 - below(2)].clone());
        let made = match below(4) {
            0 => line.rotate(&y, 1),
            1 => line.times(&y, 0.5),
            _ => line.mul(&x, &y),
        };
        all.push(made);
    }
    let outputs = vec![("y".into(), all[all.len() - 1].value), ("z".into(), all[all.len() - 2].value)];
    recorder.returning(outputs).unwrap()
}

/// The program with these values bootstrapped for all their uses: the number of bootstraps, and the levels
/// and the precision of each result. `None` where levels do not suffice.
fn bootstrapping(world: &World, program: &Program, chosen: &[usize]) -> Option<(usize, Vec<(usize, f64)>)> {
    let mut recorder = world.recorder();
    let (mut plain, mut used): (Vec<Traced>, Vec<Traced>) = (vec![], vec![]);
    let mut put = |recorder: &mut Recorder, made: Traced| {
        plain.push(made.clone());
        let booted = chosen.contains(&(plain.len() - 1));
        used.push(if booted {
            recorder.step(&Op::Bootstrap { real: true }, &[&made], "", None, &mut |_, _| true).ok()?.swap_remove(0)
        } else {
            made
        });
        Some(used.clone())
    };
    let mut all = vec![];
    for (input, _) in program.inputs() {
        let made = recorder.input(input.clone(), None).unwrap();
        all = put(&mut recorder, made)?;
    }
    for node in program.nodes() {
        let operands: Vec<&Traced> = node.operands.iter().map(|x| &all[x.index()]).collect();
        let made = recorder.step(&node.op, &operands, "", None, &mut |_, _| true).ok()?.swap_remove(0);
        all = put(&mut recorder, made)?;
    }
    let count = chosen.len()
        + recorder.facts().iter().filter(|f| f.operation != "bootstrap").map(|f| f.bootstraps.len()).sum::<usize>();
    let results = program.outputs().iter().map(|(_, x)| {
        let ct = &plain[x.index()].ct;
        (ct.budget().left, ct.noise().precision_bits())
    });
    Some((count, results.collect()))
}

/// Compares with all choices of bootstrapped values.
#[test]
fn no_choice_takes_fewer_bootstraps() {
    let world = world();
    let only = Passes { bootstraps: true, ..Passes::NONE };
    let mut fewer = 0;
    for seed in 0..12 {
        let program = random(&world, seed).optimised(Passes::NONE, &world.counting).unwrap();
        let (eager, first) = bootstrapping(&world, &program, &[]).unwrap();
        let values = program.inputs().len() + program.nodes().len();
        let serves = |results: &[(usize, f64)]| results.iter().zip(&first).all(|(x, y)| x.0 >= y.0 && x.1 >= y.1 - 2.0);
        let choices =
            (0..1usize << values).filter(|choice| (choice.count_ones() as usize) < eager).filter_map(|choice| {
                let chosen: Vec<usize> = (0..values).filter(|i| choice >> i & 1 == 1).collect();
                let (count, results) = bootstrapping(&world, &program, &chosen)?;
                serves(&results).then_some(count)
            });
        let least = choices.min().unwrap_or(eager).min(eager);
        let placed = bootstraps(&program.optimised(only, &world.counting).unwrap(), &world.counting);
        println!("seed {seed}: {values} values, eager {eager}, placed {placed}, least {least}");
        assert_eq!(placed, least, "{}", text(&program));
        fewer += usize::from(placed < eager);
    }
    assert!(fewer > 0);
}
