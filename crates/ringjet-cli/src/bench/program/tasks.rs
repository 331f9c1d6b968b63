//! The programs, and the same circuits written by hand.

use std::sync::Arc;

use ringjet::circuits::{Basis, LinearTransform, Polynomial};
use ringjet::dynamic::{self, Evaluator, Scalar, StartModulus, Values};
use ringjet::program::{Input, Op, Program, Recorder, Traced};
use ringjet::{Ciphertext, Plaintext, Stated};
use ringjet_math::fft::Complex64;

use crate::Result;
use crate::client;

/// The evaluators and the values that all tasks share.
pub struct Rig {
    pub ctx: dynamic::Context,
    pub secret: dynamic::SecretKey,
    pub eval: Evaluator,
    pub log_slots: u32,
    pub inputs: Vec<dynamic::Ciphertext>,
}

/// Computes a task by hand.
pub type ByHand = Box<dyn Fn(&Rig) -> Result<dynamic::Ciphertext>>;

/// A program, and its circuit by hand. What a circuit needs is encoded before it is timed, as the
/// matrices of programs are encoded once.
pub struct Task {
    pub name: &'static str,
    pub record: fn(&Evaluator, u32) -> Result<Program>,
    pub by_hand: fn(&Rig) -> Result<ByHand>,
}

pub const TASKS: [Task; 6] = [
    Task { name: "image_filter", record: |eval, l| line(eval, l, filter), by_hand: |rig| matrix(rig, &PIXELS, 50) },
    Task { name: "moving_sum", record: |eval, l| line(eval, l, moving_sum), by_hand: |_| Ok(Box::new(moving_by_hand)) },
    Task { name: "matrix", record: |eval, l| line(eval, l, product), by_hand: |rig| matrix(rig, &diagonals(), 100) },
    Task { name: "rotated_pairs", record: |eval, l| line(eval, l, pairs), by_hand: |_| Ok(Box::new(pairs_by_hand)) },
    Task { name: "horner_degree_7", record: |eval, l| line(eval, l, horner), by_hand: |_| Ok(Box::new(by_polynomial)) },
    Task { name: "two_layers", record: |eval, l| line(eval, l, network), by_hand: layers },
];

/// A pixel and its neighbours in an image of 64 columns.
const PIXELS: [i64; 9] = [-65, -64, -63, -1, 0, 1, 63, 64, 65];
/// Number of slots that a moving sum adds, and of diagonals of a matrix.
const WIDTH: i64 = 64;
const COEFFICIENTS: [f64; 8] = [0.1, -0.4, 0.3, 0.2, -0.1, 0.35, 0.05, -0.15];

fn diagonals() -> Vec<i64> {
    (0..WIDTH).collect()
}

/// The rotations of the two factors of pair i.
fn steps(i: i64) -> [i64; 2] {
    [i + 1, 2 * i + 3]
}

/// Real values from -1 to 1.
pub fn vector(slots: usize, seed: u64) -> Values {
    Values::Numbers(weights(slots, seed, 1.0))
}

fn weights(slots: usize, seed: u64, most: f64) -> Vec<Complex64> {
    client::vector(slots, seed).into_iter().map(|z| (z.re * most).into()).collect()
}

/// Records a program line by line.
struct Line {
    recorder: Recorder,
    slots: usize,
}

fn line(eval: &Evaluator, log_slots: u32, make: fn(&mut Line, &[Traced; 2]) -> Result<Traced>) -> Result<Program> {
    let mut line = Line { recorder: Recorder::new(eval), slots: 1 << log_slots };
    let mut input = |name: &str| {
        let (name, at, stated) = (name.into(), StartModulus::default(), Stated::Magnitude(1.0));
        let input =
            Input { name, log_slots, at, stated, complex: false, public_key: false, count: None, zero_padded: false };
        line.recorder.input(input, None)
    };
    let x = [input("x")?, input("y")?];
    let made = make(&mut line, &x)?;
    Ok(line.recorder.returning(vec![("result".into(), made.value)])?)
}

impl Line {
    fn op(&mut self, op: Op, x: &[&Traced]) -> Result<Traced> {
        Ok(self.recorder.step(&op, x, "bench", None, &mut |_, _| true)?.swap_remove(0))
    }

    fn add(&mut self, x: &Traced, y: &Traced) -> Result<Traced> {
        self.op(Op::Add {}, &[x, y])
    }

    fn rotate(&mut self, x: &Traced, k: i64) -> Result<Traced> {
        if k == 0 { Ok(x.clone()) } else { self.op(Op::Rotate { k }, &[x]) }
    }

    fn sum(&mut self, all: Vec<Traced>) -> Result<Traced> {
        let mut all = all.into_iter();
        let first = all.next().ok_or("no terms")?;
        all.try_fold(first, |sum, x| self.add(&sum, &x))
    }

    /// The sum of rotations times vectors.
    fn masked(&mut self, x: &Traced, ks: &[i64], seed: u64) -> Result<Traced> {
        let terms = ks.iter().zip(seed..).map(|(&k, seed)| {
            let turned = self.rotate(x, k)?;
            let v = Arc::new(Values::Numbers(weights(self.slots, seed, 1.0 / ks.len() as f64)));
            self.op(Op::MulValues { v }, &[&turned])
        });
        let terms = terms.collect::<Result<_>>()?;
        self.sum(terms)
    }
}

fn filter(line: &mut Line, [x, _]: &[Traced; 2]) -> Result<Traced> {
    line.masked(x, &PIXELS, 50)
}

fn moving_sum(line: &mut Line, [x, _]: &[Traced; 2]) -> Result<Traced> {
    let terms = (0..WIDTH).map(|k| line.rotate(x, k)).collect::<Result<_>>()?;
    line.sum(terms)
}

fn product(line: &mut Line, [x, _]: &[Traced; 2]) -> Result<Traced> {
    line.masked(x, &diagonals(), 100)
}

fn pairs(line: &mut Line, [x, y]: &[Traced; 2]) -> Result<Traced> {
    let terms = (0..8).map(|i| {
        let [j, k] = steps(i);
        let (a, b) = (line.rotate(x, j)?, line.rotate(y, k)?);
        line.op(Op::Mul {}, &[&a, &b])
    });
    let terms = terms.collect::<Result<_>>()?;
    line.sum(terms)
}

fn horner(line: &mut Line, [x, _]: &[Traced; 2]) -> Result<Traced> {
    let mut made = line.op(Op::MulScalar { c: Scalar::Number(COEFFICIENTS[7]) }, &[x])?;
    for (i, c) in COEFFICIENTS[..7].iter().enumerate().rev() {
        made = line.op(Op::AddScalar { c: Scalar::Number(*c) }, &[&made])?;
        if i > 0 {
            made = line.op(Op::Mul {}, &[&made, x])?;
        }
    }
    Ok(made)
}

fn network(line: &mut Line, [x, _]: &[Traced; 2]) -> Result<Traced> {
    let bias = |line: &mut Line, x: &Traced, seed: u64| {
        let v = Arc::new(Values::Numbers(weights(line.slots, seed, 0.5)));
        line.op(Op::AddValues { v }, &[x])
    };
    let hidden = line.masked(x, &diagonals(), 200)?;
    let hidden = bias(line, &hidden, 1)?;
    let active = line.op(Op::Mul {}, &[&hidden, &hidden])?;
    let out = line.masked(&active, &diagonals(), 300)?;
    bias(line, &out, 2)
}

/// The scheme's own evaluator and inputs.
fn own(rig: &Rig) -> Result<(&ringjet::Evaluator, [&Ciphertext; 2])> {
    match (&rig.eval, &rig.inputs[..]) {
        (Evaluator::Ckks(eval), [dynamic::Ciphertext::Ckks(x), dynamic::Ciphertext::Ckks(y)]) => Ok((eval, [x, y])),
        _ => Err("not CKKS".into()),
    }
}

fn transform(rig: &Rig, ks: &[i64], seed: u64) -> Result<LinearTransform> {
    let slots = 1usize << rig.log_slots;
    let diagonal =
        |(&k, seed): (&i64, u64)| (k.rem_euclid(slots as i64) as usize, weights(slots, seed, 1.0 / ks.len() as f64));
    Ok(LinearTransform::from_diagonals(slots, ks.iter().zip(seed..).map(diagonal).collect())?)
}

fn matrix(rig: &Rig, ks: &[i64], seed: u64) -> Result<ByHand> {
    let (eval, [x, _]) = own(rig)?;
    let encoded = transform(rig, ks, seed)?.encode(eval.context(), x.level())?;
    Ok(Box::new(move |rig| {
        let (eval, [x, _]) = own(rig)?;
        Ok(encoded.apply(eval, x)?.into())
    }))
}

fn moving_by_hand(rig: &Rig) -> Result<dynamic::Ciphertext> {
    let (eval, [x, _]) = own(rig)?;
    let sums = eval.rotation_sum(x, &[0, 1, 2, 3])?;
    let sums = eval.rotation_sum(&sums, &[0, 4, 8, 12])?;
    Ok(eval.rotation_sum(&sums, &[0, 16, 32, 48])?.into())
}

fn pairs_by_hand(rig: &Rig) -> Result<dynamic::Ciphertext> {
    let (eval, [x, y]) = own(rig)?;
    let turned = |x: &Ciphertext, side: usize| {
        let steps: Vec<i64> = (0..8).map(|i| steps(i)[side]).collect();
        eval.rotate_hoisted(x, &steps)
    };
    let (a, b) = (turned(x, 0)?, turned(y, 1)?);
    Ok(eval.mul_sum_auto(&a.iter().zip(&b).collect::<Vec<_>>())?.into())
}

fn by_polynomial(rig: &Rig) -> Result<dynamic::Ciphertext> {
    let (eval, [x, _]) = own(rig)?;
    let p = Polynomial::new(Basis::Power, &COEFFICIENTS)?;
    // Horner's rule takes 7 levels: the result needs no more than it leaves
    let x = eval.align(x, x.level() - p.degree() + p.depth())?;
    Ok(eval.polynomial(&x, &p)?.into())
}

fn layers(rig: &Rig) -> Result<ByHand> {
    let (eval, [x, _]) = own(rig)?;
    let (ctx, top) = (eval.context(), x.level());
    let (first, second) = (transform(rig, &diagonals(), 200)?, transform(rig, &diagonals(), 300)?);
    let (first, second) = (first.encode(ctx, top)?, second.encode(ctx, top - 2)?);
    let bias = |level: usize, seed: u64| {
        Plaintext::encode(ctx, &weights(x.slots(), seed, 0.5), level, ctx.params().scale(level), x.log_slots())
    };
    let (b1, b2) = (bias(top - 1, 1)?, bias(top - 3, 2)?);
    Ok(Box::new(move |rig| {
        let (eval, [x, _]) = own(rig)?;
        let hidden = eval.add_plain(&first.apply(eval, x)?, &b1)?;
        let active = eval.mul_relin_rescale(&hidden, &hidden)?;
        Ok(eval.add_plain(&second.apply(eval, &active)?, &b2)?.into())
    }))
}
