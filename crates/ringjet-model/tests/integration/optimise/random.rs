//! Random programs: no pass changes their results.

use std::sync::Arc;

use ringjet::circuits::{Basis, Polynomial};
use ringjet::dynamic::{Parameters, Scalar, Values};
use ringjet::program::{Op, Passes, Program, Traced};
use ringjet::{ParamSpec, bgv, heaan};

use super::{Line, World, all_rotations, numbers};

const PROGRAMS: usize = 40;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn unit(&mut self) -> f64 {
        self.below(2001) as f64 / 1000.0 - 1.0
    }
}

/// Records operations, and leaves out what the scheme refuses.
struct Maker<'a> {
    world: &'a World,
    recorder: ringjet::program::Recorder,
    values: Vec<Traced>,
    r: Random,
    exact: bool,
}

impl Maker<'_> {
    fn scalar(&mut self) -> Scalar {
        if self.exact { Scalar::Integer(self.r.below(5) as i64 - 2) } else { Scalar::Number(self.r.unit()) }
    }

    fn vector(&mut self) -> Arc<Values> {
        let (slots, seed) = (self.world.ctx.params().slots(), self.r.below(1000) as u64);
        let len = if self.r.below(3) == 0 { 1 + self.r.below(slots) } else { slots };
        Arc::new(match self.exact {
            true => Values::Integers((0..len).map(|i| ((i as u64 * 7 + seed) % 5) as i64 - 2).collect()),
            false => numbers(len.min(1 << self.world.log_slots), seed),
        })
    }

    fn value(&mut self) -> Traced {
        let (last, any) = (self.values.len() - 1, self.r.below(self.values.len()));
        self.values[if self.r.below(2) == 0 { last } else { any }].clone()
    }

    fn op(&mut self, op: Op, x: &[&Traced]) -> Option<Traced> {
        self.recorder.step(&op, x, "random", None, &mut |_, _| true).ok()?.pop()
    }

    fn one(&mut self, op: Op) -> Option<Traced> {
        let x = self.value();
        self.op(op, &[&x])
    }

    fn two(&mut self, op: Op) -> Option<Traced> {
        let (x, y) = (self.value(), self.value());
        self.op(op, &[&x, &y])
    }

    /// A sum of rotations of one value, with or without factors.
    fn rotations(&mut self) -> Option<Traced> {
        let (x, kind, stride) = (self.value(), self.r.below(3), 1 + self.r.below(5) as i64);
        let mut sum: Option<Traced> = None;
        for i in 0..2 + self.r.below(5) as i64 {
            let k = if kind == 0 { stride * i } else { self.r.below(30) as i64 - 15 };
            let turned = self.op(Op::Rotate { k }, &[&x])?;
            let term = match (kind, self.r.below(2)) {
                (2, 0) => {
                    let v = self.vector();
                    self.op(Op::MulValues { v }, &[&turned])?
                }
                (2, _) => {
                    let c = self.scalar();
                    self.op(Op::MulScalar { c }, &[&turned])?
                }
                _ => turned,
            };
            sum = Some(match sum {
                None => term,
                Some(sum) => self.op(Op::Add {}, &[&sum, &term])?,
            });
        }
        sum
    }

    fn horner(&mut self) -> Option<Traced> {
        let (x, c) = (self.value(), self.scalar());
        let mut made = self.op(Op::MulScalar { c }, &[&x])?;
        for _ in 0..1 + self.r.below(3) {
            let c = self.scalar();
            let shifted = self.op(Op::AddScalar { c }, &[&made])?;
            made = self.op(Op::Mul {}, &[&shifted, &x])?;
        }
        Some(made)
    }

    fn products(&mut self) -> Option<Traced> {
        let (a, b) = (self.two(Op::Mul {})?, self.two(Op::Mul {})?);
        let op = if self.r.below(2) == 0 { Op::Add {} } else { Op::Sub {} };
        self.op(op, &[&a, &b])
    }

    fn step(&mut self) -> Option<Traced> {
        let (c, k) = (self.scalar(), self.r.below(60) as i64 - 30);
        match self.r.below(19) {
            0 => self.one(Op::Neg {}),
            1 => self.two(Op::Add {}),
            2 => self.two(Op::Sub {}),
            3 => self.two(Op::Mul {}),
            4 => self.one(Op::AddScalar { c }),
            5 => self.one(Op::SubScalar { c }),
            6 | 7 => self.one(Op::MulScalar { c }),
            8 => {
                let v = self.vector();
                self.one(Op::AddValues { v })
            }
            9 | 10 => {
                let v = self.vector();
                self.one(Op::MulValues { v })
            }
            11 => self.one(Op::Power { n: 2 + k.unsigned_abs() as u32 % 2 }),
            12 => self.one(Op::Rotate { k }),
            13 => self.one(if self.exact { Op::SwapRows {} } else { Op::Conjugate {} }),
            14 => self.one(Op::InnerSum { stride: 1, count: 4, terms: 4 }),
            15 => {
                let whole = |x: f64| if self.exact { (2.0 * x).round() } else { x };
                let coefficients: Vec<f64> = (0..3).map(|_| whole(self.r.unit())).collect();
                let basis = if self.exact || k < 0 { Basis::Power } else { Basis::Chebyshev { a: -8.0, b: 8.0 } };
                let p = Arc::new(Polynomial::new(basis, &coefficients).unwrap());
                self.one(Op::Polynomial { p })
            }
            16 => self.rotations(),
            17 => self.horner(),
            _ => self.products(),
        }
    }
}

fn program(world: &World, seed: u64) -> Program {
    let mut recorder = world.recorder();
    let values = (0..2).map(|i| world.input(&mut recorder, &format!("x{i}"))).collect();
    let exact = world.ctx.params().is_exact();
    let mut maker = Maker { world, recorder, values, r: Random(seed), exact };
    for _ in 0..8 + maker.r.below(8) {
        // values that cannot be used further are left out
        if let Some(made) = maker.step().filter(|x| exact || x.ct.noise().range().largest_part() < 1e3) {
            maker.values.push(made);
        }
    }
    let last = maker.values.len() - 1;
    let outputs = [last, last / 2 + 1].map(|i| (format!("y{i}"), maker.values[i.min(last)].value));
    maker.recorder.returning(outputs.into()).unwrap()
}

/// Every pass alone, and all together.
fn passes() -> [Passes; 7] {
    let none = Passes::NONE;
    [
        Passes { constants: true, ..none },
        Passes { sharing: true, ..none },
        Passes { sums: true, ..none },
        Passes { transforms: true, ..none },
        Passes { polynomials: true, ..none },
        Passes { levels: true, ..none },
        Passes::default(),
    ]
}

fn random_programs(world: &World, first: u64) {
    let mut changed = [0; 7];
    for seed in first..first + PROGRAMS as u64 {
        let program = program(world, seed).optimised(Passes::NONE, &world.counting).unwrap();
        for (passes, changed) in passes().into_iter().zip(&mut changed) {
            let better = program.optimised(passes, &world.counting).unwrap();
            *changed += usize::from(super::text(&better) != super::text(&program));
            println!("program {seed}, {passes:?}\n{}->", super::text(&program));
            world.expect_same(&program, &better);
        }
    }
    println!("programs that each pass changed: {changed:?}");
    assert!(changed.iter().sum::<usize>() > PROGRAMS);
}

#[test]
fn passes_keep_the_results_of_random_programs() {
    random_programs(&World::ckks(8, 8), 1000);
}

#[test]
fn passes_keep_the_integers_of_random_programs() {
    let spec = bgv::ParamSpec::uniform(7, 65537, &[50; 6], &[60]).allow_insecure();
    let params: Parameters = bgv::Parameters::new(&spec).unwrap().into();
    let plan = params.key_plan(&all_rotations()).unwrap();
    random_programs(&World::new(&params, &plan, 6, 9), 2000);
}

#[test]
fn passes_keep_the_results_of_random_programs_of_heaan() {
    let spec = heaan::ParamSpec::new(7, 300).allow_insecure();
    let params: Parameters = heaan::Parameters::new(&spec).unwrap().into();
    let plan = params.key_plan(&all_rotations()).unwrap();
    random_programs(&World::new(&params, &plan, 6, 10), 3000);
}

/// Four operations of one kind at a time, which threads compute side by side, and single ones.
/// Rounds of four products and four sums, each round with one rotation.
pub fn rounds(world: &World, count: usize) -> Program {
    let mut recorder = world.recorder();
    let mut all: Vec<_> = (0..4).map(|i| world.input(&mut recorder, &format!("x{i}"))).collect();
    for _ in 0..count {
        let mut line = Line(&mut recorder);
        let products: Vec<_> = (0..4).map(|i| line.mul(&all[i], &all[(i + 1) % 4])).collect();
        let sum = line.op(Op::SumOfProducts {}, &products.iter().collect::<Vec<_>>());
        all = products.iter().map(|x| line.add(x, &sum)).collect();
        all[0] = line.rotate(&all[0], 1);
    }
    let outputs = all.iter().enumerate().map(|(i, x)| (format!("y{i}"), x.value)).collect();
    recorder.returning(outputs).unwrap()
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let params: Parameters =
        ringjet::Parameters::new(&ParamSpec::uniform(7, 55, 8, 45, 3).allow_insecure()).unwrap().into();
    let plan = params.key_plan(&all_rotations()).unwrap();
    let worlds = [1, 2, 3].map(|threads| World::on(threads, &params, &plan, 6, 12));
    let program = rounds(&worlds[0], 3);
    let results = worlds
        .each_ref()
        .map(|world| world.run(&program).iter().map(|ct| ct.to_bytes(&world.ctx).unwrap()).collect::<Vec<_>>());
    assert!(results[1] == results[0] && results[2] == results[0]);
}
