//! `bench-heaan times` times multiplications of HEAAN in all variants, which take turns. `counts`
//! counts operations and instructions. `model` prints Figures 6 and 7 of Jung et al., "HEAAN
//! Demystified" (called paper B) from the cost model. Each prints one JSON object per line;
//! `run.sh` makes tables of them.

use std::process::ExitCode;
use std::rc::Rc;

use ringjet_papers::multiplication::counts;
use ringjet_papers::multiplication::integers::Integers;
use ringjet_papers::multiplication::multiply::{Ciphertext, Key, Multiplication, Times, Workspace};
use ringjet_papers::multiplication::setup::Setup;
use ringjet_papers::multiplication::variants::{self, Variant};
use serde_json::json;

const USAGE: &str = "\
usage: bench-heaan times [--variants Ref,AVX,AVX-M,AVX-MT,AVX-32] [--threads 1] [--log-n 16] [--log-q 1200] [--reps 5]
       bench-heaan counts [--log-n 16] [--log-q 1200]
       bench-heaan model";
/// The primes of `Ref` are above two to the first power, those for AVX-512 above two to the second
/// (paper B, Section V-C, Table VI).
const PRIME_BITS: (u32, u32) = (59, 57);

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

struct Options {
    variants: Option<Vec<String>>,
    threads: usize,
    log_n: u32,
    log_q: u32,
    reps: usize,
}

fn options(args: impl Iterator<Item = String>) -> Option<Options> {
    let mut o = Options { variants: None, threads: 1, log_n: 16, log_q: 1200, reps: 5 };
    let mut args = args;
    while let Some(arg) = args.next() {
        let value = args.next()?;
        match arg.as_str() {
            "--variants" => o.variants = Some(value.split(',').map(str::to_owned).collect()),
            "--threads" => o.threads = value.parse().ok().filter(|t| (1..=64).contains(t))?,
            "--log-n" => o.log_n = value.parse().ok().filter(|n| (4..=17).contains(n))?,
            "--log-q" => o.log_q = value.parse().ok().filter(|q| (1..=1200).contains(q))?,
            "--reps" => o.reps = value.parse().ok().filter(|&r| r > 0)?,
            _ => return None,
        }
    }
    Some(o)
}

/// Pseudo-random integers; every variant gets the same ones.
fn integers(n: usize, bits: u32, seed: u64) -> Integers {
    let mut state = seed;
    Integers::from_words(n, bits, |_, _| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state ^ state >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd)
    })
}

/// A hash of a product (FNV-1a). It must be equal for all variants.
fn checksum(out: &Ciphertext) -> u64 {
    let words = [&out.ax, &out.bx].into_iter().flat_map(|p| p.range(0, p.count()));
    words.fold(0xcbf2_9ce4_8422_2325, |hash, &w| (hash ^ w).wrapping_mul(0x0100_0000_01b3))
}

/// A variant with its tables, key and memory.
struct Rig {
    variant: Box<dyn Variant>,
    setup: Rc<Setup>,
    key: Key,
    inputs: [Ciphertext; 2],
    memory: Workspace,
    out: Ciphertext,
    samples: Vec<Times>,
}

impl Rig {
    fn new(variant: Box<dyn Variant>, setup: Rc<Setup>) -> Result<Self> {
        let fits = if variant.word_bits() == u32::BITS { setup.fits_narrow() } else { setup.fits_two_words() };
        if variant.name() != "Ref" && !fits {
            return Err(format!("sums of these sizes do not fit the words of {}", variant.name()).into());
        }
        let polynomial = |seed| integers(setup.n(), setup.log_q, seed);
        let inputs = [[1, 2], [3, 4]].map(|[a, b]| Ciphertext { ax: polynomial(a), bx: polynomial(b) });
        let [ax, bx] = [5, 6].map(|seed| integers(setup.n(), 2 * setup.log_big_q, seed));
        let key = Key::new(&setup, &*variant, &ax, &bx);
        let (memory, out) = (Workspace::new(&setup, &*variant), inputs[0].clone());
        Ok(Self { variant, setup, key, inputs, memory, out, samples: Vec::new() })
    }

    fn multiply(&mut self, threads: usize) -> Times {
        let multiplication = Multiplication { setup: &self.setup, variant: &*self.variant, threads };
        multiplication.run(&self.key, &self.inputs[0], &self.inputs[1], &mut self.memory, &mut self.out)
    }
}

/// Lets the variants take turns, multiplication after multiplication, in reverse order every other
/// time. The first multiplication of each variant is not timed; its product is checked.
fn times(o: &Options) -> Result<()> {
    let mut chosen = variants::all();
    if let Some(names) = &o.variants {
        if let Some(missing) = names.iter().find(|n| chosen.iter().all(|v| v.name() != n.as_str())) {
            return Err(format!("{missing} is no variant, or needs AVX-512F and AVX-512DQ, which are not here").into());
        }
        chosen.retain(|v| names.iter().any(|n| n == v.name()));
    }
    let setup = |bits| Setup::new(o.log_n, o.log_q, o.log_q, bits).map(Rc::new);
    let (reference, avx) = (setup(PRIME_BITS.0)?, setup(PRIME_BITS.1)?);
    let narrow = Rc::new(Setup::narrow(o.log_n, o.log_q, o.log_q)?);
    let setup_of = |v: &dyn Variant| match v.word_bits() {
        u32::BITS => narrow.clone(),
        _ if v.name() == "Ref" => reference.clone(),
        _ => avx.clone(),
    };
    let mut rigs: Vec<Rig> = chosen
        .into_iter()
        .map(|variant| {
            let setup = setup_of(&*variant);
            Rig::new(variant, setup)
        })
        .collect::<Result<_>>()?;
    rigs.iter_mut().for_each(|rig| _ = rig.multiply(o.threads));
    if let Some(different) = rigs.iter().find(|rig| rig.out != rigs[0].out) {
        return Err(format!("the product of {} differs from that of the others", different.variant.name()).into());
    }
    for rep in 0..o.reps {
        for turn in 0..rigs.len() {
            let last = rigs.len() - 1;
            let rig = &mut rigs[if rep % 2 == 0 { turn } else { last - turn }];
            let sample = rig.multiply(o.threads);
            rig.samples.push(sample);
        }
    }
    rigs.iter().for_each(|rig| print(o, rig));
    Ok(())
}

/// The name of one of ringjet's benches, and the time that belongs to it.
type Bench = (&'static str, fn(&Times) -> f64);

const BENCHES: [Bench; 6] = [
    ("heaan_mul", Times::total),
    ("heaan_crt", |t| t.crt),
    ("heaan_ntt", |t| t.ntt),
    ("heaan_intt", |t| t.intt),
    ("heaan_icrt", |t| t.icrt),
    ("heaan_rest", |t| t.rest),
];

fn print(o: &Options, rig: &Rig) {
    let counts = rig.setup.systems.each_ref().map(|s| s.count);
    let params = format!("n{} q{} p{} np{}/{}", o.log_n, o.log_q, rig.setup.prime_bits, counts[0], counts[1]);
    for (bench, of) in BENCHES {
        let samples: Vec<f64> = rig.samples.iter().map(of).collect();
        let mut sorted = samples.clone();
        sorted.sort_by(f64::total_cmp);
        let (middle, n) = (sorted.len() / 2, sorted.len());
        let median = if n % 2 == 1 { sorted[middle] } else { (sorted[middle - 1] + sorted[middle]) / 2.0 };
        println!(
            "{}",
            json!({"bench": bench, "backend": rig.variant.name(), "params": params, "threads": o.threads, "unit": "s",
                "min": sorted[0], "median": median, "n": n, "samples": samples,
                "checksum": format!("{:016x}", checksum(&rig.out))})
        );
    }
}

fn run(command: &str, o: &Options) -> Result<bool> {
    match command {
        "times" => times(o)?,
        "counts" => {
            let setup = Setup::new(o.log_n, o.log_q, o.log_q, PRIME_BITS.1)?;
            counts::rows(&setup).iter().for_each(|row| println!("{row}"));
        }
        "model" => {
            for table in ["heaan-X", "heaan-fig6", "heaan-fig7"] {
                for row in ringjet_papers::heaan::table(table)? {
                    println!("{}", serde_json::to_string(&row)?);
                }
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let command = args.next().unwrap_or_default();
    match options(args).map(|o| run(&command, &o)) {
        Some(Ok(true)) => ExitCode::SUCCESS,
        Some(Err(e)) => {
            eprintln!("bench-heaan: {e}");
            ExitCode::FAILURE
        }
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}
