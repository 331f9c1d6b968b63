//! Why there is no answer, and the names of the tables that there are.

use thiserror::Error;

/// Names of the tables: Tables IV, VI and X and Figures 6 and 7 of HEAAN Demystified, and Table II
/// of Accelerating FHE ("ops").
pub const TABLES: [&str; 6] = ["heaan-IV", "heaan-VI", "heaan-X", "heaan-ops", "heaan-fig6", "heaan-fig7"];

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
