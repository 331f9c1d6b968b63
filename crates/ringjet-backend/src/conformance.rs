//! The one test suite that every backend passes. It runs every operation, required and fused, on
//! random and extreme residues, through views of every shape. The results must satisfy
//! `B == Unfused<B> == Reference`, bit for bit. [`Reference`] is plain `ringjet-math` code, so it
//! is the scalar oracle.
//!
//! Whole buffers are compared, sources included. So a kernel that writes outside its view or into a
//! source is found, too.

mod bigint;
mod data;
mod elementwise;
mod keyswitch;
mod refusals;
mod several;

use std::fmt;

use ringjet_math::{Basis, MathError, prime};

use crate::{Backend, BackendError, Buf, Reference, Result, Unfused, Width};
use data::{Host, Rng};

/// What the suite runs.
#[derive(Debug, Clone)]
pub struct Options {
    /// Ring degrees to test, as binary logarithms (3 to 17).
    pub log_ns: Vec<u32>,
    /// Seed of the random inputs; a failure reports it.
    pub seed: u64,
    /// Bases for the element-wise operations, each given by the numbers of bits of its primes. A
    /// basis is skipped for a ring that has too few such primes.
    pub bases: Vec<Vec<u32>>,
    /// Shapes of the key switches.
    pub chains: Vec<Chain>,
    /// Shapes of the products of big coefficients.
    pub bigs: Vec<BigShape>,
}

/// Shape of a product of big coefficients.
#[derive(Debug, Clone)]
pub struct BigShape {
    /// Numbers of bits of the first and of the second factors.
    pub bits: [u32; 2],
    /// Number of bits that are divided out of the product.
    pub shift: u32,
    /// Number of bits of each prime.
    pub prime: u32,
    /// Largest binary logarithm of the ring degree; larger rings are skipped.
    pub most_log_n: u32,
}

/// Shape of a key switch.
#[derive(Debug, Clone)]
pub struct Chain {
    /// Numbers of bits of the special primes P.
    pub p: Vec<u32>,
    /// Numbers of bits of the primes of Q.
    pub q: Vec<u32>,
    /// Number of limbs of a digit.
    pub alpha: usize,
}

impl Default for Options {
    /// Small rings; primes of every width class, alone and mixed; digits of 1 to 9 limbs; chains of
    /// up to 18 digits and up to 18 limbs.
    fn default() -> Self {
        let chain = |p: &[u32], q: &[u32], alpha| Chain { p: p.to_vec(), q: q.to_vec(), alpha };
        let big = |bits, shift, prime, most_log_n| BigShape { bits, shift, prime, most_log_n };
        Self {
            log_ns: vec![3, 4, 5, 8, 10],
            seed: 1,
            bases: vec![
                vec![50, 50, 50],
                vec![40],
                vec![30, 30],
                vec![31, 31, 31],
                vec![60, 60],
                vec![61, 51],
                vec![50, 30, 60, 40, 49, 20],
                vec![50; 18],
                vec![60; 18],
            ],
            chains: vec![
                chain(&[50, 50], &[50; 5], 2),
                chain(&[50; 9], &[50; 11], 9),
                chain(&[50; 7], &[50; 9], 7),
                chain(&[50; 4], &[50, 40, 40, 50, 49, 50], 3),
                chain(&[60, 60, 60], &[60, 50, 40, 30, 60], 3),
                chain(&[50, 60], &[50, 60, 20, 50, 30], 2),
                chain(&[60, 60, 60, 60, 60, 60, 60, 60, 60], &[60; 10], 9),
                chain(&[30; 3], &[30; 7], 3),
                chain(&[40], &[40; 5], 1),
                chain(&[50], &[50; 18], 1),
                chain(&[50; 5], &[50; 5], 5),
                chain(&[50; 6], &[50; 7], 6),
                chain(&[50; 8], &[40; 9], 8),
            ],
            bigs: vec![
                big([30, 30], 0, 50, 8),
                big([1, 52], 0, 50, 5),
                big([60, 40], 30, 50, 8),
                big([104, 53], 52, 50, 8),
                big([120, 240], 120, 50, 8),
                big([300, 60], 0, 60, 5),
                big([300, 600], 300, 50, 8),
                big([300, 600], 299, 61, 5),
                big([1200, 1200], 0, 50, 5),
                big([1170, 2400], 1200, 50, 4),
                big([2400, 4800], 2400, 50, 3),
            ],
        }
    }
}

impl Options {
    /// Only primes that fit `width`, for backends that store residues so; the default for
    /// [`Width::Eight`]. Big coefficients need 8 bytes.
    pub fn of_width(width: Width) -> Self {
        let b = width.most_bits();
        let chain = |p: &[u32], q: &[u32], alpha| Chain { p: p.to_vec(), q: q.to_vec(), alpha };
        if width == Width::Eight {
            return Self::default();
        }
        Self {
            bases: vec![vec![b; 3], vec![b - 1, 28, b, 20], vec![b - 2; 9], vec![30, 31]],
            chains: vec![chain(&[b, b], &[b; 5], 2), chain(&[b - 1; 3], &[b - 1, 28, 29, 30, b, 30, b - 1], 3)],
            bigs: vec![],
            ..Self::default()
        }
    }
}

/// What a run has compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Seed of the inputs.
    pub seed: u64,
    /// Number of comparisons of a result with the oracle's result.
    pub checks: usize,
    /// Number of words compared.
    pub words: usize,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} checks, {} words compared, seed {}", self.checks, self.words, self.seed)
    }
}

/// The first failure of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The backend with the wrong result: its name, or `unfused` and its name.
    pub backend: Box<str>,
    /// The operation that failed.
    pub operation: &'static str,
    /// Shapes, primes and inputs of the failed case.
    pub case: Box<str>,
    /// Seed of the run.
    pub seed: u64,
    /// The kind of the failure.
    pub kind: FailureKind,
}

/// How a check failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FailureKind {
    /// A word differs from the word of the oracle.
    Word {
        /// The number of the source whose word differs; `None` for the result.
        source: Option<usize>,
        /// Index of the limb in its buffer.
        limb: usize,
        /// Index of the word in its limb.
        index: usize,
        /// The word of the oracle.
        expected: u64,
        /// The word of the backend.
        found: u64,
    },
    /// The call failed.
    Refused(Box<BackendError>),
    /// A call that must be refused succeeded, or returned another error than it must.
    Accepted,
    /// The options name impossible primes or rings.
    Options(MathError),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({}), seed {}: ", self.backend, self.operation, self.case, self.seed)?;
        match &self.kind {
            FailureKind::Word { source, limb, index, expected, found } => {
                match source {
                    Some(i) => write!(f, "source {i}")?,
                    None => f.write_str("result")?,
                }
                write!(f, ", limb {limb}, index {index}: found {found}, expected {expected}")
            }
            FailureKind::Refused(e) => write!(f, "{e}"),
            FailureKind::Accepted => f.write_str("was not refused as it must be"),
            FailureKind::Options(e) => write!(f, "{e}"),
        }
    }
}

impl std::error::Error for Failure {}

/// Runs the whole suite and stops at the first failure.
pub fn run(backend: &dyn Backend, options: &Options) -> std::result::Result<Report, Failure> {
    let mut suite = Suite {
        backend,
        unfused: Unfused(backend),
        oracle: Reference::default(),
        rng: Rng::new(options.seed),
        report: Report { seed: options.seed, checks: 0, words: 0 },
    };
    let bits = options.bases.iter().flatten().max().map_or(50, |&most| most.min(50));
    suite.refusals(bits, !options.bigs.is_empty())?;
    for &log_n in &options.log_ns {
        for bits in &options.bases {
            if let Some(basis) = suite.basis(log_n, bits)? {
                suite.elementwise(&basis)?;
                suite.base_conversions(&basis)?;
            }
        }
        for chain in &options.chains {
            let bits: Vec<u32> = chain.p.iter().chain(&chain.q).copied().collect();
            if let Some(all) = suite.basis(log_n, &bits)? {
                let (p, q) = (all.prefix(chain.p.len()), all.select(chain.p.len()..all.len()));
                suite.keyswitch(&p, &q, chain.alpha)?;
                suite.divisions(&all, chain.p.len())?;
            }
        }
        for shape in options.bigs.iter().filter(|s| log_n <= s.most_log_n) {
            suite.big_coefficients(log_n, shape)?;
        }
    }
    Ok(suite.report)
}

struct Suite<'a> {
    backend: &'a dyn Backend,
    unfused: Unfused<'a>,
    oracle: Reference,
    rng: Rng,
    report: Report,
}

type Check = std::result::Result<(), Failure>;

impl Suite<'_> {
    fn failure(&self, backend: &str, operation: &'static str, case: &str, kind: FailureKind) -> Failure {
        Failure { backend: backend.into(), operation, case: case.into(), seed: self.report.seed, kind }
    }

    /// A basis of distinct primes with these numbers of bits; `None` if the ring has too few of
    /// them.
    fn basis(&self, log_n: u32, bits: &[u32]) -> std::result::Result<Option<Basis>, Failure> {
        let mut primes = vec![];
        for &b in bits {
            match prime::ntt_primes(log_n, b, 1, &primes) {
                Ok(found) => primes.extend(found),
                Err(MathError::TooFewPrimes { .. }) => return Ok(None),
                Err(e) => return Err(self.failure("", "options", "primes", FailureKind::Options(e))),
            }
        }
        let basis = Basis::new(log_n, &primes);
        basis.map(Some).map_err(|e| self.failure("", "options", "basis", FailureKind::Options(e)))
    }

    /// Runs `f(backend, sources, destination)` on the backend, on the backend without its fused
    /// operations, and on the oracle. Then compares all buffers.
    fn compare(
        &mut self,
        operation: &'static str,
        case: &str,
        sources: &[Host],
        destination: &Host,
        f: impl Fn(&dyn Backend, &[Buf], &mut Buf) -> Result<()>,
    ) -> Check {
        let name = self.backend.id().name().to_owned();
        let unfused_name = format!("unfused {name}");
        let expected = outcome(&self.oracle, sources, destination, &f)
            .map_err(|e| self.failure("reference", operation, case, FailureKind::Refused(e.into())))?;
        for (backend, name) in [(self.backend, &name), (&self.unfused as &dyn Backend, &unfused_name)] {
            let found = outcome(backend, sources, destination, &f)
                .map_err(|e| self.failure(name, operation, case, FailureKind::Refused(e.into())))?;
            for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
                if let Some(at) = (0..found.len()).find(|&at| found[at] != expected[at]) {
                    let source = (i < sources.len()).then_some(i);
                    let (n, expected, found) = (destination.n, expected[at], found[at]);
                    let kind = FailureKind::Word { source, limb: at / n, index: at % n, expected, found };
                    return Err(self.failure(name, operation, case, kind));
                }
                self.report.words += found.len();
            }
            self.report.checks += 1;
        }
        Ok(())
    }
}

/// The words of all buffers after the call, the destination last.
fn outcome(
    b: &dyn Backend,
    sources: &[Host],
    destination: &Host,
    f: impl Fn(&dyn Backend, &[Buf], &mut Buf) -> Result<()>,
) -> Result<Vec<Vec<u64>>> {
    let buffers: Vec<Buf> = sources.iter().map(|s| s.upload(b)).collect::<Result<_>>()?;
    let mut result = destination.upload(b)?;
    f(b, &buffers, &mut result)?;
    b.sync()?;
    buffers.iter().chain([&result]).map(|buf| data::download(b, buf)).collect()
}

#[cfg(test)]
mod tests;
