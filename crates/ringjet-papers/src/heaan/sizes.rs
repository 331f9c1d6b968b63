//! Tables II, III and V of HEAAN Demystified: sizes of parameters, inputs and precomputed tables.

use ringjet::rlwe::primal_security;

use super::count::Function;
use super::error::HeaanError;
use super::shape::{Half, Residues, Shape};
use crate::row::Row;

/// Bits of the rescaling factor p.
const LOG_P: u32 = 30;

/// Words that a function reads, beside the residues or integers that it writes. The companions of
/// Shoup's multiplication are not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Words of the input.
    pub input: u64,
    /// Words of each precomputed table.
    pub tables: [u64; 2],
}

impl Residues {
    /// The words that a function reads for one polynomial. CRT has powers of the word size modulo
    /// each prime; transforms have powers of a root of unity; iCRT has the inverse of P/p_j modulo
    /// p_j, and the words of P/p_j.
    pub fn sizes(&self, function: Function) -> Sizes {
        let residues = self.coefficients() * self.primes;
        match function {
            Function::Crt => Sizes { input: self.coefficients() * self.limbs, tables: [self.primes * self.limbs, 0] },
            Function::Ntt | Function::Intt => Sizes { input: residues, tables: [residues, 0] },
            Function::Icrt => Sizes { input: residues, tables: [self.primes, self.primes * self.product_limbs] },
        }
    }
}

/// Table III: the representative values that follow from others.
pub(super) fn parameters() -> Result<Vec<Row>, HeaanError> {
    let cpu = Shape::avx512().with_prime_bits(58)?;
    let [tensor, _] = cpu.regions().map(|r| r.residues);
    let least = cpu.region_with_least_primes(Half::Tensor).residues;
    let row =
        |entry: &str, quantity: &str, model: f64, paper: Option<f64>| Row::new(entry, quantity, Some(model), paper);
    Ok(vec![
        row("L", "multiplications, log Q / log p", 1200.0 / f64::from(LOG_P), Some(40.0)),
        row("n", "largest number of slots, N / 2", (tensor.coefficients() / 2) as f64, Some(32768.0)),
        row("qLimbs", "words of a coefficient", tensor.limbs as f64, Some(19.0)),
        row("np", "primes above 2^58", tensor.primes as f64, Some(42.0)),
        row("PLimbs", "words of P/p_j, primes near 2^58", least.product_limbs as f64, None),
        row("PLimbs", "words of P/p_j, primes near 2^59", tensor.product_limbs as f64, None),
    ])
}

/// Table V, for one polynomial of the first half: words of 64 bits. The paper's values are computed
/// from its formulas.
pub(super) fn words() -> Vec<Row> {
    let r = Shape::avx512().region(Half::Tensor).residues;
    let n = r.coefficients();
    let printed = |function| match function {
        Function::Crt => [n * r.limbs, r.primes * r.limbs, 0],
        Function::Ntt | Function::Intt => [n * r.primes, n * r.primes, 0],
        Function::Icrt => [n * r.primes, r.primes, r.primes * r.product_limbs],
    };
    let names = ["words of input", "words of precomputed data", "words of precomputed data, P/p_j"];
    let mut rows = Vec::new();
    for function in Function::ALL {
        let Sizes { input, tables: [first, second] } = r.sizes(function);
        for ((name, model), paper) in names.into_iter().zip([input, first, second]).zip(printed(function)) {
            if model > 0 || paper > 0 {
                rows.push(Row::new(function.name(), name, Some(model as f64), Some(paper as f64)));
            }
        }
    }
    rows
}

/// Table II: the depth, and the security of N for log Q. The keys are encrypted modulo Q^2.
pub(super) fn depths() -> Vec<Row> {
    let mut rows = Vec::new();
    for (log_n, log_q, depth) in [(14, 300, 10.0), (15, 600, 20.0), (16, 1200, 40.0), (17, 2400, 80.0)] {
        let entry = format!("log Q {log_q}, N 2^{log_n}");
        let levels = f64::from(log_q) / f64::from(LOG_P);
        rows.push(Row::new(&entry, "multiplications, log Q / log p", Some(levels), Some(depth)));
        let bits = primal_security(log_n, f64::from(2 * log_q));
        rows.push(Row::new(&entry, "bits of security", bits, Some(80.0)).note(
            "ours: the primal attack on a dense secret modulo Q^2, in the cost model MATZOV; the paper names no attack, and \
             the reference library's secret has 64 non-zero coefficients, on which hybrid attacks cost less",
        ));
    }
    rows
}
