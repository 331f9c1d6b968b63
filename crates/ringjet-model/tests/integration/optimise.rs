//! Optimised programs: the same results within the estimates, and what each pass makes of the programs
//! that it is for.

mod bootstraps;
mod random;
mod side_by_side;

use std::collections::BTreeMap;
use std::sync::Arc;

use ringjet::circuits::{Basis, Polynomial, Sign};
use ringjet::dynamic::{
    Ciphertext, Context, Evaluator, KeyRequest, Parameters, Scalar, SecretKey, StartModulus, Values,
};
use ringjet::program::{Input, Op, Passes, Program, Recorder, Traced};
use ringjet::rng::Seed;
use ringjet::{KeyPlan, ParamSpec, Stated};
use ringjet_backend::Backend;
use ringjet_cpu::{CpuBackend, CpuConfig};
use ringjet_math::fft::Complex64;
use ringjet_model::CountingBackend;

/// A client with all keys, and a counting evaluator.
struct World {
    ctx: Context,
    secret: SecretKey,
    eval: Evaluator,
    counting: Evaluator,
    seed: Seed,
    log_slots: u32,
}

impl World {
    fn new(params: &Parameters, plan: &KeyPlan, log_slots: u32, seed: u8) -> Self {
        Self::on(0, params, plan, log_slots, seed)
    }

    /// A client on this many threads.
    fn on(threads: usize, params: &Parameters, plan: &KeyPlan, log_slots: u32, seed: u8) -> Self {
        let backend = CpuBackend::new(CpuConfig { threads, path: None }).unwrap();
        Self::on_backend(Arc::new(backend), params, plan, log_slots, seed)
    }

    fn on_backend(backend: Arc<dyn Backend>, params: &Parameters, plan: &KeyPlan, log_slots: u32, seed: u8) -> Self {
        println!("seed {seed}");
        let (ctx, seed) = (Context::new(params, backend), Seed::from_bytes([seed; 32]));
        let secret = SecretKey::from_seed(params, &seed.derive(b"s", 0)).unwrap();
        let keys = secret.evaluation_keys(&ctx, plan, &seed.derive(b"e", 0), |_, _| true).unwrap();
        let eval = Evaluator::new(&ctx, &keys).unwrap();
        let counting = Context::new(params, Arc::new(CountingBackend::default()));
        let keys = counting.uncomputed_keys(params.can_bootstrap() || params.log_p().is_ok()).unwrap();
        let counting = Evaluator::new(&counting, &keys).unwrap();
        Self { ctx, secret, eval, counting, seed, log_slots }
    }

    /// CKKS in a ring with 64 slots, and keys for all rotations.
    fn ckks(levels: usize, seed: u8) -> Self {
        let spec = ParamSpec::uniform(7, 55, levels, 45, 3).allow_insecure();
        let params: Parameters = ringjet::Parameters::new(&spec).unwrap().into();
        let plan = params.key_plan(&all_rotations()).unwrap();
        Self::new(&params, &plan, 6, seed)
    }

    fn encrypt(&self, values: &Values, number: u64) -> Ciphertext {
        let plain = self.ctx.encode(values, Stated::Magnitude(1.0), StartModulus::default(), self.log_slots).unwrap();
        self.secret.encrypt(&self.ctx, &plain, &self.seed.derive(b"x", number)).unwrap()
    }

    fn recorder(&self) -> Recorder {
        Recorder::new(&self.counting)
    }

    fn input(&self, recorder: &mut Recorder, name: &str) -> Traced {
        let input = Input {
            name: name.into(),
            log_slots: self.log_slots,
            at: StartModulus::default(),
            stated: Stated::Magnitude(1.0),
            complex: false,
            public_key: false,
            count: None,
            zero_padded: false,
        };
        recorder.input(input, None).unwrap()
    }

    fn inputs(&self, program: &Program) -> Vec<Ciphertext> {
        let exact = self.ctx.params().is_exact();
        let one = |i: u64| match exact {
            true => {
                Values::Integers((0..self.ctx.params().slots() as u64).map(|j| ((j * j + i) % 11) as i64 - 5).collect())
            }
            false => numbers(1 << self.log_slots, 7 + i),
        };
        (0..program.inputs().len() as u64).map(one).enumerate().map(|(i, x)| self.encrypt(&x, i as u64)).collect()
    }

    fn run(&self, program: &Program) -> Vec<Ciphertext> {
        program.run(&self.eval, self.inputs(program), &mut |_, _| true).unwrap()
    }

    fn decrypt(&self, ct: &Ciphertext) -> Vec<Complex64> {
        match self.secret.decrypt_values(&self.ctx, ct).unwrap() {
            Values::Numbers(all) => all,
            Values::Integers(all) => all.into_iter().map(|x| (x as f64).into()).collect(),
        }
    }

    /// Both programs have the same results within their estimates, and no result has fewer levels.
    fn expect_same(&self, old: &Program, new: &Program) -> Vec<Ciphertext> {
        let (before, after) = (self.run(old), self.run(new));
        assert_eq!(before.len(), after.len());
        for (x, y) in before.iter().zip(&after) {
            let estimated = |ct: &Ciphertext| if ct.params().is_exact() { 0.0 } else { ct.noise().error_log2().exp2() };
            let allowed = 16.0 * (estimated(x) + estimated(y));
            let errors = self.decrypt(x).into_iter().zip(self.decrypt(y)).map(|(a, b)| (a - b).abs());
            let worst = errors.fold(0.0, f64::max);
            assert!(worst <= allowed, "error {worst:e}, allowed {allowed:e}:\n{}", text(new));
            assert_eq!((x.count(), x.is_zero_padded()), (y.count(), y.is_zero_padded()));
            let left = |ct: &Ciphertext| ct.budget().modulus_log2 - ct.budget().scale_log2;
            assert!(x.params().is_exact() || left(y) > left(x) - 0.01, "{}", text(new));
        }
        after
    }
}

/// Keys for products, conjugation and all rotations of 64 slots.
fn all_rotations() -> KeyRequest {
    KeyRequest { rotations: (1..64).collect(), conjugation: true, ..KeyRequest::default() }
}

/// Real numbers from -1 to 1.
fn numbers(count: usize, number: u64) -> Values {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    Values::Numbers((0..count).map(|_| next().into()).collect())
}

fn text(program: &Program) -> String {
    let line = |node: &ringjet::program::Node| {
        format!("{:?} = {} {:?}\n", node.results().collect::<Vec<_>>(), node.op.name(), node.operands)
    };
    program.nodes().iter().map(line).collect()
}

/// How often each operation is in a program.
fn counts(program: &Program) -> BTreeMap<&'static str, usize> {
    let mut all = BTreeMap::new();
    program.nodes().iter().for_each(|node| *all.entry(node.op.name()).or_default() += 1);
    all
}

/// Records operations on one recorder.
struct Line<'a>(&'a mut Recorder);

impl Line<'_> {
    fn op(&mut self, op: Op, x: &[&Traced]) -> Traced {
        self.0.step(&op, x, "test", None, &mut |_, _| true).unwrap().swap_remove(0)
    }

    fn add(&mut self, x: &Traced, y: &Traced) -> Traced {
        self.op(Op::Add {}, &[x, y])
    }

    fn mul(&mut self, x: &Traced, y: &Traced) -> Traced {
        self.op(Op::Mul {}, &[x, y])
    }

    fn rotate(&mut self, x: &Traced, k: i64) -> Traced {
        self.op(Op::Rotate { k }, &[x])
    }

    fn times(&mut self, x: &Traced, c: f64) -> Traced {
        self.op(Op::MulScalar { c: Scalar::Number(c) }, &[x])
    }

    fn plus(&mut self, x: &Traced, c: f64) -> Traced {
        self.op(Op::AddScalar { c: Scalar::Number(c) }, &[x])
    }

    fn masked(&mut self, x: &Traced, v: Values) -> Traced {
        self.op(Op::MulValues { v: Arc::new(v) }, &[x])
    }
}

/// The program that `make` records on `inputs`, and the optimised one, whose results are compared.
fn optimised(
    world: &World,
    passes: Passes,
    inputs: usize,
    make: impl FnOnce(&mut Line<'_>, &[Traced]) -> Traced,
) -> Program {
    let mut recorder = world.recorder();
    let x: Vec<Traced> = (0..inputs).map(|i| world.input(&mut recorder, &format!("x{i}"))).collect();
    let made = make(&mut Line(&mut recorder), &x);
    let program = recorder.returning(vec![("y".into(), made.value)]).unwrap();
    let better = program.optimised(passes, &world.counting).unwrap();
    println!("{}->\n{}", text(&program), text(&better));
    world.expect_same(&program, &better);
    better
}

#[test]
fn a_relu_by_sign_takes_12_levels() {
    let world = World::ckks(13, 1);
    let params = world.ctx.params();
    // odd polynomials of degrees 7, 15 and 15 on [-1, 1]
    let sign = |degree: usize| {
        let p = Polynomial::interpolate(|x| (3.0 * x).tanh() * 0.9, -1.0, 1.0, degree).unwrap();
        let odd: Vec<f64> =
            p.coefficients().iter().enumerate().map(|(k, &c)| if k % 2 == 1 { c } else { 0.0 }).collect();
        Arc::new(Polynomial::new(Basis::Chebyshev { a: -1.0, b: 1.0 }, &odd).unwrap())
    };
    let mut before = 0;
    let better = optimised(&world, Passes { levels: false, ..Passes::default() }, 1, |line, x| {
        let stages = [7, 15, 15].map(sign);
        let sign = stages.into_iter().fold(x[0].clone(), |x, p| line.op(Op::Polynomial { p }, &[&x]));
        let product = line.mul(&x[0], &sign);
        let sum = line.add(&x[0], &product);
        let relu = line.times(&sum, 0.5);
        before = relu.ct.level().unwrap();
        relu
    });
    let after = world.run(&better)[0].level().unwrap();
    assert_eq!((params.top_level().unwrap() - before, params.top_level().unwrap() - after), (13, 12));
}

#[test]
fn the_composition_of_the_library_takes_its_levels_and_one() {
    let sign = Sign::new(0.02, 0.001).unwrap();
    let world = World::ckks(sign.depth() + 3, 2);
    let better = optimised(&world, Passes { constants: true, ..Passes::NONE }, 1, |line, x| {
        let scaled = line.times(&x[0], 0.25);
        let scaled = line.times(&scaled, 2.0);
        let stages = sign.stages().iter().map(|p| Arc::new(p.clone()));
        let sign = stages.fold(scaled.clone(), |x, p| line.op(Op::Polynomial { p }, &[&x]));
        let product = line.mul(&scaled, &sign);
        let sum = line.add(&scaled, &product);
        line.times(&sum, 0.5)
    });
    let spent = world.ctx.params().top_level().unwrap() - world.run(&better)[0].level().unwrap();
    assert_eq!(spent, sign.depth() + 2);
}

#[test]
fn factors_go_into_the_constants_around_them() {
    let world = World::ckks(6, 3);
    let only = Passes { constants: true, ..Passes::NONE };
    let better = optimised(&world, only, 1, |line, x| {
        let half = line.times(&x[0], 0.3);
        let turned = line.rotate(&half, 5);
        let masked = line.masked(&turned, numbers(64, 1));
        let negated = line.op(Op::Neg {}, &[&masked]);
        let stated = line.op(Op::Within { low: -0.3, high: 0.3 }, &[&negated]);
        line.times(&stated, 0.7)
    });
    assert_eq!(counts(&better).get("constant product"), None);
    assert_eq!(world.run(&better)[0].level().unwrap(), 5);
    let better = optimised(&world, only, 1, |line, x| {
        let shifted = line.times(&x[0], -0.45);
        let shifted = line.plus(&shifted, 0.5);
        let p = Polynomial::interpolate(|x| (2.0 * x).sin(), 0.0, 1.0, 7).unwrap();
        line.op(Op::Polynomial { p: Arc::new(p) }, &[&shifted])
    });
    assert_eq!(better.nodes().len(), 1);
}

#[test]
fn rotations_are_composed_and_share_their_decomposition() {
    let world = World::ckks(4, 4);
    let better = optimised(&world, Passes { sharing: true, ..Passes::NONE }, 2, |line, x| {
        let mut sum = line.mul(&x[0], &x[1]);
        let mut turned = x[0].clone();
        for _ in 0..4 {
            turned = line.rotate(&turned, 3);
            let (a, b) = (line.mul(&turned, &x[1]), line.mul(&x[1], &turned));
            let both = line.add(&a, &b);
            sum = line.add(&sum, &both);
        }
        let (a, b) = (line.rotate(&x[0], 7), line.rotate(&x[1], 7));
        let product = line.mul(&a, &b);
        line.add(&sum, &product)
    });
    // the four rotations of x0, and that of the product x0 * x1
    assert_eq!(counts(&better)["rotation"], 2);
    assert_eq!(counts(&better)["product"], 5);
}

#[test]
fn sums_are_relinearised_and_rescaled_once() {
    let world = World::ckks(4, 5);
    let only = Passes { sums: true, ..Passes::NONE };
    let better = optimised(&world, only, 4, |line, x| {
        let (a, b, c) = (line.mul(&x[0], &x[1]), line.mul(&x[2], &x[3]), line.mul(&x[1], &x[1]));
        let difference = line.op(Op::Sub {}, &[&a, &b]);
        let sum = line.add(&difference, &c);
        line.op(Op::Sub {}, &[&sum, &x[3]])
    });
    assert_eq!((counts(&better).get("product"), counts(&better)["sum of products"]), (None, 1));
    let better = optimised(&world, only, 4, |line, x| {
        let scaled: Vec<Traced> = x.iter().zip([0.1, -0.2, 0.3]).map(|(x, c)| line.times(x, c)).collect();
        let sum = line.add(&scaled[0], &scaled[1]);
        let difference = line.op(Op::Sub {}, &[&sum, &scaled[2]]);
        line.add(&x[3], &difference)
    });
    assert_eq!(counts(&better), BTreeMap::from([("weighted sum", 1)]));
}

#[test]
fn sums_of_rotations_are_one_transform() {
    let world = World::ckks(4, 6);
    let only = Passes { transforms: true, ..Passes::NONE };
    let sum = |line: &mut Line<'_>, all: Vec<Traced>| all.into_iter().reduce(|a, b| line.add(&a, &b)).unwrap();
    let filter = optimised(&world, only, 1, |line, x| {
        let all = [-9, -8, -7, -1, 0, 1, 7, 8, 9].map(|k| {
            let turned = line.rotate(&x[0], k);
            if k == 0 { line.times(&turned, 0.25) } else { line.masked(&turned, numbers(50, (9 + k) as u64)) }
        });
        sum(line, all.into())
    });
    assert_eq!(counts(&filter), BTreeMap::from([("matrix", 1)]));
    let moving = optimised(&world, only, 1, |line, x| {
        let all = (0..16).map(|k| line.rotate(&x[0], 2 * k + 3)).collect();
        sum(line, all)
    });
    assert!(counts(&moving).keys().all(|&name| name == "rotation sum"), "{}", text(&moving));
    let long = optimised(&world, only, 1, |line, x| {
        let all = (0..37).map(|k| line.rotate(&x[0], k)).collect();
        sum(line, all)
    });
    assert_eq!(counts(&long), BTreeMap::from([("inner sum", 1)]));
    let uneven = optimised(&world, only, 2, |line, x| {
        let all = [1, 2, 4, 17].map(|k| line.rotate(&x[0], k));
        let first = sum(line, all.into());
        line.op(Op::Sub {}, &[&x[1], &first])
    });
    assert_eq!(counts(&uneven)["rotation sum"], 1);
    assert_eq!(counts(&uneven).get("rotation"), None);
    let layers = optimised(&world, only, 1, |line, x| {
        let mut layer = |x: &Traced, seed: u64| {
            let all: Vec<Traced> = (0..16)
                .map(|k| {
                    let turned = line.rotate(x, k);
                    line.masked(&turned, numbers(64, seed + k as u64))
                })
                .collect();
            sum(line, all)
        };
        let hidden = layer(&x[0], 100);
        layer(&hidden, 200)
    });
    assert_eq!(counts(&layers), BTreeMap::from([("matrix", 2)]));
}

#[test]
fn polynomials_are_found() {
    let world = World::ckks(8, 7);
    let only = Passes { polynomials: true, ..Passes::NONE };
    let horner = |line: &mut Line<'_>, x: &[Traced]| {
        let coefficients = [0.1, -0.4, 0.3, 0.2, -0.1, 0.35, 0.05, -0.15];
        let first = line.times(&x[0], coefficients[7]);
        let mut made = line.plus(&first, coefficients[6]);
        for c in coefficients[..6].iter().rev() {
            let product = line.mul(&made, &x[0]);
            made = line.plus(&product, *c);
        }
        made
    };
    let better = optimised(&world, only, 1, horner);
    assert_eq!(counts(&better), BTreeMap::from([("polynomial", 1)]));
    assert_eq!(world.run(&better)[0].level().unwrap(), 5);
    // the levels that are saved make the operations cheaper
    let better = optimised(&world, Passes::default(), 1, horner);
    assert_eq!(counts(&better), BTreeMap::from([("level", 1), ("polynomial", 1)]));
    assert_eq!(world.run(&better)[0].level().unwrap(), 1);
    // a power of two by products alone takes fewer levels than a polynomial
    let power = optimised(&world, only, 1, |line, x| {
        let square = line.mul(&x[0], &x[0]);
        line.mul(&square, &square)
    });
    assert_eq!(counts(&power), BTreeMap::from([("product", 2)]));
}
