//! Prints the tables of `docs/design/gpu-floor.md`: the operations of programs, as the counting
//! backend counts them, times the instructions of each operation, from
//! `docs/design/gpu-kernels.md`.
//!
//!     cargo run --release -p ringjet-cuda --example floor

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use ringjet::{Bootstrapper, Ciphertext, Context, EvaluationKeys, Evaluator, KeyPlan, Parameters};
use ringjet_model::{Cost, CountingBackend, Operation, Policy, own_parts};

/// One H200: cycles per second of all multiprocessors, by the data sheet; bytes per second of
/// memory, measured with a copy; bytes of the cache.
const CYCLES: f64 = 132.0 * 1.98e9;
const MEMORY: f64 = 4.3e12;
const CACHE: u64 = 50 << 20;
/// Warp instructions that one multiprocessor starts in a cycle: in all (ISSUE), and of one kind of
/// unit (PIPE, 64 lanes).
const ISSUE: f64 = 4.0;
const PIPE: f64 = 2.0;

/// One of the kernels' arithmetics.
struct Arithmetic {
    name: &'static str,
    /// Bits of a residue.
    bits: f64,
    /// Bytes of a word.
    bytes: f64,
    /// How often `settle` is due for each butterfly. It settles both words, once in a few levels.
    settle: f64,
    /// How often `fold` is due for each term of a sum.
    fold: f64,
}

const ARITHMETICS: [Arithmetic; 5] = [
    Arithmetic { name: "U32", bits: 31.0, bytes: 4.0, settle: 0.0, fold: 1.0 / 2.0 },
    Arithmetic { name: "U32Unsigned", bits: 31.0, bytes: 4.0, settle: 0.0, fold: 1.0 / 2.0 },
    Arithmetic { name: "F64", bits: 50.0, bytes: 8.0, settle: 2.0 / 5.0, fold: 1.0 / 8.0 },
    Arithmetic { name: "U64Below50", bits: 50.0, bytes: 8.0, settle: 2.0 / 25.0, fold: 0.0 },
    Arithmetic { name: "U64Below61", bits: 61.0, bytes: 8.0, settle: 0.0, fold: 0.0 },
];

/// Instructions by kind of unit. Each is counted once for each thread that executes it.
#[derive(Debug, Clone, Copy, Default)]
struct Mix {
    all: f64,
    multiplier: f64,
    /// Of the multiplier's instructions, those with a 64-bit operand or result.
    wide: f64,
    integer: f64,
    double: f64,
}

impl Mix {
    fn add(&mut self, times: f64, other: Self) {
        self.all += times * other.all;
        self.multiplier += times * other.multiplier;
        self.wide += times * other.wide;
        self.integer += times * other.integer;
        self.double += times * other.double;
    }

    /// Seconds that the instructions take. `slow`: a wide product takes the multiplier twice as
    /// long.
    fn seconds(&self, slow: bool) -> f64 {
        let multiplier = self.multiplier + if slow { self.wide } else { 0.0 };
        let busiest = [multiplier, self.integer, self.double].into_iter().fold(0.0, f64::max);
        (self.all / ISSUE).max(busiest / PIPE) / 32.0 / CYCLES
    }
}

/// Reads the table `sm_90` of the generated page: instructions for each arithmetic and operation.
fn counts(page: &str) -> HashMap<(String, String), Mix> {
    let section = page.split("### sm_90").nth(1).and_then(|s| s.split("###").next()).unwrap_or_default();
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(|c| c.trim().trim_matches('`')).collect();
        let number = |i: usize| cells.get(i).and_then(|c| c.parse().ok()).unwrap_or(0.0);
        let mix = Mix {
            all: number(2),
            multiplier: number(3) + number(4) + number(5) + number(6),
            wide: number(3) + number(4),
            double: number(7),
            integer: number(8) + number(9) + number(10),
        };
        ((cells[0].to_owned(), cells.get(1).copied().unwrap_or_default().to_owned()), mix)
    };
    section.lines().filter(|l| l.starts_with("| `")).map(row).collect()
}

/// A program and its operations on 64-bit words. `density`: bits of Q P divided by the number of
/// limbs.
struct Program {
    name: &'static str,
    cost: Cost,
    density: f64,
}

fn operation(name: &'static str, operation: &Operation) -> Program {
    let cost = own_parts(operation, 1 << 16, Policy::for_cache(CACHE, 1 << 16, 8, 4)).into_iter().map(|p| p.cost).sum();
    Program { name, cost, density: 50.0 }
}

fn program(
    name: &'static str,
    params: &Parameters,
    run: impl Fn(&Evaluator, &Ciphertext) -> ringjet::Result<()>,
) -> Result<Program, Box<dyn Error>> {
    let model = Arc::new(CountingBackend::default());
    let ctx = Context::new(params, model.clone());
    let slots = params.log_n() - 1;
    let mut request = KeyPlan::rotations([1]);
    if params.bootstrap().is_some() {
        request = request.and(Bootstrapper::key_plan(params, slots)?);
    }
    let eval = Evaluator::bootstrapping(&ctx, Arc::new(EvaluationKeys::uncomputed(&ctx, &request)?))?;
    if eval.can_bootstrap() {
        eval.bootstrapper(slots)?;
    }
    let level = params.bootstrap().map_or(params.top_level(), |b| b.input_level());
    let input = Ciphertext::uncomputed(&ctx, level, slots)?;
    model.take();
    run(&eval, &input)?;
    let policy = Policy::for_cache(CACHE, 1 << params.log_n(), params.alpha(), params.dnum());
    let cost = model.take().total(|operation, n| own_parts(operation, n, policy));
    let limbs = params.q().len() + params.p().len();
    Ok(Program { name, cost, density: params.log_qp() / limbs as f64 })
}

/// Instructions of `cost` with `limbs` times as many limbs. Base conversions grow with the square
/// of that.
fn instructions(cost: &Cost, limbs: f64, arithmetic: &Arithmetic, of: impl Fn(&str) -> Mix) -> Mix {
    let mut mix = Mix::default();
    let butterflies = limbs * cost.ntt.mul as f64;
    mix.add(butterflies, of("forward"));
    mix.add(butterflies * arithmetic.settle, of("settle"));
    let terms = limbs * limbs * cost.base_conversion.add as f64;
    mix.add(terms, of("mac"));
    mix.add(terms * arithmetic.fold, of("fold"));
    mix.add(limbs * ends(cost) as f64, of("reduce"));
    mix.add(limbs * cost.elementwise.mul as f64, of("mul"));
    mix.add(limbs * cost.elementwise.add as f64, of("add"));
    mix
}

/// Number of sums in base conversions: each sum has one more product than it has additions.
fn ends(cost: &Cost) -> u64 {
    cost.base_conversion.mul.saturating_sub(cost.base_conversion.add)
}

fn main() -> Result<(), Box<dyn Error>> {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/design/gpu-kernels.md"))?;
    let counts = counts(&page);
    let (depth, boot) = (ringjet::preset("n16-depth24")?, ringjet::preset("n16-boot")?);
    let programs = [
        operation("NTT of 48 limbs", &Operation::Ntt { limbs: 48 }),
        operation("conversion of 8 limbs to 32", &Operation::BaseConvert { polys: 1, from: 8, to: 32 }),
        program("multiply: tensor, key switch, rescaling", &depth, |e, x| e.mul_relin_rescale(x, x).map(drop))?,
        program("rotate: key switch, automorphism", &depth, |e, x| e.rotate(x, 1).map(drop))?,
        program("bootstrap", &boot, |e, x| e.bootstrap(x).map(drop))?,
    ];

    println!(
        "| | butterflies, 10^6 | terms of sums | their ends | products | sums | MB of ciphertexts | of keys, plaintexts |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for Program { name, cost, .. } in &programs {
        let millions = |x: u64| format!("{:.4}", x as f64 / 1e6).trim_end_matches('0').trim_end_matches('.').to_owned();
        let all = [cost.ntt.mul, cost.base_conversion.add, ends(cost), cost.elementwise.mul, cost.elementwise.add];
        let words = [cost.reads + cost.writes, cost.key_reads + cost.plain_reads];
        let cells =
            all.iter().map(|&x| millions(x)).chain(words.iter().map(|&w| format!("{:.1}", 8.0 * w as f64 / 1e6)));
        println!("| {name} | {} |", cells.collect::<Vec<_>>().join(" | "));
    }

    println!(
        "\n| | arithmetic | limbs | instructions, 10^9 | arithmetic, us | with slow wide products, us | memory, us |"
    );
    println!("|---|---|---|---|---|---|---|");
    for Program { name, cost, density } in &programs {
        for arithmetic in &ARITHMETICS {
            let of = |operation: &str| {
                counts.get(&(arithmetic.name.to_owned(), operation.to_owned())).copied().unwrap_or_default()
            };
            // The total number of bits stays the same. Residues longer than the parameters' are not
            // used.
            let limbs = (density / arithmetic.bits).max(1.0);
            let mix = instructions(cost, limbs, arithmetic, of);
            let memory = limbs * arithmetic.bytes * cost.words() as f64 / MEMORY;
            println!(
                "| {name} | `{}` | x {limbs:.2} | {:.2} | {:.0} | {:.0} | {:.0} |",
                arithmetic.name,
                mix.all / 1e9,
                mix.seconds(false) * 1e6,
                mix.seconds(true) * 1e6,
                memory * 1e6
            );
        }
    }
    Ok(())
}
