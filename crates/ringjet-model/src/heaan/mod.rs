//! What a multiplication of HEAAN costs: CKKS modulo a power of two, coefficients as big integers.
//!
//! Its polynomials go from words to residues (CRT), through number-theoretic transforms (NTT, iNTT) and back to words
//! (iCRT), once for the products of the ciphertexts and once for those with the evaluation key. Counts follow from
//! [`Shape`] and the algorithms; [`table`] sets them beside the numbers of two papers:
//!
//! * 000: Jung et al., "Accelerating Fully Homomorphic Encryption Through Microarchitecture-Aware Analysis and
//!   Optimization";
//! * 004: Jung et al., "HEAAN Demystified".
//!
//! Three things to count, and not to be mixed:
//!
//! * [`Shape::operations`]: operations on words, of Table IV of 004.
//! * [`Shape::lane_operations`]: lane operations of AVX-512, idle lanes included, of Table II of 000.
//! * [`Residues::vector_instructions`]: AVX-512 instructions on full vectors, of Table X of 004.

mod count;
mod figures;
mod lanes;
mod shape;
mod tables;

pub use count::{Function, Operations, Residues};
pub use lanes::{Instructions, LANES};
pub use shape::{Half, Region, Shape};

use serde::Serialize;
use thiserror::Error;

/// One number of a table. All tables of HEAAN have this form.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The table's name, one of [`TABLES`].
    pub table: String,
    /// What the number is of: a function, a parameter set, a modulus.
    pub entry: String,
    /// What is counted, with its unit where it has one: counts are plain numbers, not millions.
    pub quantity: String,
    /// The model's value; none where no count is known to give the paper's.
    pub model: Option<f64>,
    /// The paper's value, as printed or as its formula gives it; none where it prints none.
    pub paper: Option<f64>,
    /// model / paper - 1, where there are both.
    pub deviation: Option<f64>,
    /// What to know of the number: where it is from, an error of the paper, a choice of the model.
    pub note: Option<String>,
}

impl Row {
    fn new(entry: impl Into<String>, quantity: &str, model: Option<f64>, paper: Option<f64>) -> Self {
        let deviation = model.zip(paper).map(|(model, paper)| model / paper - 1.0);
        Self {
            table: String::new(),
            entry: entry.into(),
            quantity: quantity.into(),
            model,
            paper,
            deviation,
            note: None,
        }
    }

    fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HeaanError {
    /// No table has this name.
    #[error("no table {0:?}; there are {known}", known = TABLES.join(", "))]
    UnknownTable(String),
    /// A ring degree out of range.
    #[error("log N is {0}, not in 1..=24")]
    LogN(u32),
    /// Moduli out of order or out of range.
    #[error("1 <= log q <= log Q <= 2^16 does not hold: log q is {log_q}, log Q is {log_big_q}")]
    Moduli {
        /// Bits of q.
        log_q: u32,
        /// Bits of Q.
        log_big_q: u32,
    },
    /// A width of words that is not known.
    #[error("words have {0} bits, not 32 or 64")]
    Word(u32),
    /// Primes that do not fit a word, or too small to be 1 modulo 2N.
    #[error("primes are above 2^{prime_bits}, not above 2^{least} to 2^{most}")]
    Primes {
        /// What was asked for.
        prime_bits: u32,
        /// The least that is accepted.
        least: u32,
        /// The most that is accepted.
        most: u32,
    },
}

/// Names of the tables: Tables IV, VI and X and Figures 6 and 7 of 004, and Table II of 000 ("ops").
pub const TABLES: [&str; 6] = ["heaan-IV", "heaan-VI", "heaan-X", "heaan-ops", "heaan-fig6", "heaan-fig7"];

/// The model beside a paper: one of [`TABLES`].
///
/// * `heaan-IV`: operations of each function on one polynomial of the first half; the paper's column is its formula.
/// * `heaan-VI`: numbers of primes, and of transforms of one prime in a multiplication.
/// * `heaan-X`: AVX-512 instructions for one such polynomial, with and without the instructions that are emulated.
/// * `heaan-ops`: AVX-512 lane operations of a multiplication, and how many a second the measured times make.
/// * `heaan-fig6`: how they are distributed and grow with log Q, where N grows in proportion.
/// * `heaan-fig7`: how they and the numbers of primes fall with log q.
///
/// # Errors
/// [`HeaanError::UnknownTable`] where `name` is none of them.
pub fn table(name: &str) -> Result<Vec<Row>, HeaanError> {
    let mut rows = match name {
        "heaan-IV" => tables::operations(),
        "heaan-VI" => tables::primes()?,
        "heaan-X" => tables::instructions(),
        "heaan-ops" => tables::lane_operations(),
        "heaan-fig6" => figures::growth()?,
        "heaan-fig7" => figures::descent()?,
        _ => return Err(HeaanError::UnknownTable(name.into())),
    };
    for row in &mut rows {
        row.table = name.into();
    }
    Ok(rows)
}
