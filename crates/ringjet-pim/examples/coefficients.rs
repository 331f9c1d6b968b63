//! The first published experiments, on polynomials with coefficients of 109 bits: the cycles of
//! each step of optimisation beside the published changes of time.
//!
//! The published task: N = 4096; 5,120 to 81,920 polynomials, split evenly among 2,220 DPUs, are
//! added or multiplied in pairs, coefficient by coefficient. One DPU with the most pairs is
//! emulated, and stands for all.
//!
//! The clock of 350 MHz and the occupancy of the DMA engine are fitted. `docs/design/pim.md` names
//! the choices of code that were made with the published figures in view.

use ringjet_pim::{
    COEFFICIENT_BUILDS, CoefficientLayout, Command, DpuSet, FITTED_HERTZ, Hardware, Host, NOMINAL_HERTZ, PimError,
};

const LOG_N: u32 = 12;
const DPUS: u32 = 2220;
const POLYNOMIALS: [u32; 5] = [5120, 10240, 20480, 40960, 81920];
/// The product of the three primes of a published ciphertext: 109 bits.
const MODULUS: u128 = 0xf_fffe_e001 * 0xf_fffc_4001 * 0x1f_fffe_0001;

/// A command on polynomials.
type Operation = fn(u16) -> Command;

const ADD: Operation = |pairs| Command::Add { out: 0, a: 0, b: pairs };
const SUB: Operation = |pairs| Command::Sub { out: 0, a: 0, b: pairs };
const MUL: Operation = |pairs| Command::Mul { out: 0, a: 0, b: pairs };

/// Steps of which a change of time is published: the build, the build that it is compared with, and
/// the change in the tests of sums and of products.
const STEPS: [(&str, &str, &str, &str); 4] = [
    ("buffered", "initial", "-48 to -74 %", "-0.15 %"),
    ("carry", "buffered", "-5.6 to -1.2 %", "about -10 %"),
    ("coalesced", "carry", "", ""),
    ("coalesced", "initial", "about -70 %", "about -10 %"),
];

fn main() -> Result<(), PimError> {
    let mut tests = Vec::new();
    for (name, operation) in [("sums", ADD), ("differences", SUB), ("products", MUL)] {
        println!("{name}: milliseconds at {} / {} MHz", FITTED_HERTZ / 1e6, NOMINAL_HERTZ / 1e6);
        print!("{:24}", "polynomials");
        POLYNOMIALS.iter().for_each(|count| print!(" {count:>15}"));
        println!();
        let row = |build| POLYNOMIALS.into_iter().map(|count| run(build, LOG_N, pairs(count), operation)).collect();
        let rows: Vec<Vec<f64>> = COEFFICIENT_BUILDS.into_iter().map(row).collect::<Result<_, PimError>>()?;
        for (build, row) in COEFFICIENT_BUILDS.iter().zip(&rows) {
            print!("{build:24}");
            for cycles in row {
                print!(" {:7.1} /{:6.1}", 1e3 * cycles / FITTED_HERTZ, 1e3 * cycles / NOMINAL_HERTZ);
            }
            println!();
        }
        println!();
        tests.push((name, rows));
    }
    let index = |name: &str| COEFFICIENT_BUILDS.iter().position(|build| build.ends_with(name)).unwrap_or_default();
    println!("change of time, here for each number of polynomials (published)");
    for (build, base, sums, products) in STEPS {
        for ((name, rows), published) in tests.iter().zip([sums, "", products]) {
            print!("{build:9} against {base:8} {name:11}");
            for (cycles, before) in rows[index(build)].iter().zip(&rows[index(base)]) {
                print!(" {:+6.1} %", 100.0 * (cycles / before - 1.0));
            }
            println!("  ({published})");
        }
    }
    // a product of polynomials has n times as many terms as one coefficient by coefficient
    let log_n = 6;
    let cycles = run("coefficients-coalesced", log_n, 1, |pairs| Command::MulPolynomial { out: 2, a: 0, b: pairs })?;
    let hours = cycles * f64::from(1 << (2 * (LOG_N - log_n))) / FITTED_HERTZ / 3600.0;
    println!("\na product of polynomials, from one with n = 2^{log_n}: {hours:.1} hours (over an hour)");
    Ok(())
}

/// Pairs of polynomials on a DPU with the most of them.
fn pairs(polynomials: u32) -> u16 {
    (polynomials / 2).div_ceil(DPUS) as u16
}

/// Cycles of an operation on pairs of polynomials.
fn run(build: &str, log_n: u32, pairs: u16, operation: Operation) -> Result<f64, PimError> {
    let layout = CoefficientLayout::new(MODULUS, log_n, 2 * u32::from(pairs) + 1, 2)?;
    let mut dpus = DpuSet::new(&Host::emulator(), 1, Hardware::default())?;
    dpus.load(build)?;
    dpus.broadcast(0, &layout.words(&[Command::Repeat(pairs), operation(pairs)])?)?;
    let mut state = 1_u128;
    for p in 0..2 * u32::from(pairs) {
        let words: Vec<u32> = (0..1 << log_n)
            .flat_map(|_| {
                state = state.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(1);
                let x = (state ^ (state >> 64)) % MODULUS;
                [0, 32, 64, 96].map(|shift| (x >> shift) as u32)
            })
            .collect();
        dpus.write(0, layout.polynomial(p), &words)?;
    }
    Ok(dpus.launch()?[0] as f64)
}
