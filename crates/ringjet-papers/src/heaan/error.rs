//! Errors of the HEAAN model, and the names of its tables.

use thiserror::Error;

/// Names of the tables: Tables II to VI and X and Figures 6 and 7 of HEAAN Demystified, and Table
/// II of Accelerating FHE ("ops"). "heaan-words" is the text of Section V-B of the former.
pub const TABLES: [&str; 10] = [
    "heaan-II",
    "heaan-III",
    "heaan-IV",
    "heaan-V",
    "heaan-VI",
    "heaan-X",
    "heaan-words",
    "heaan-ops",
    "heaan-fig6",
    "heaan-fig7",
];

/// An error of the HEAAN model.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HeaanError {
    /// No table has this name.
    #[error("no table {0:?}; there are {known}", known = TABLES.join(", "))]
    UnknownTable(String),
    /// The ring degree is out of range.
    #[error("log N is {0}, not in 1..=24")]
    LogN(u32),
    /// The moduli are out of order or out of range.
    #[error("1 <= log q <= log Q <= 2^16 does not hold: log q is {log_q}, log Q is {log_big_q}")]
    Moduli {
        /// Bits of q.
        log_q: u32,
        /// Bits of Q.
        log_big_q: u32,
    },
    /// The word width is not supported.
    #[error("words have {0} bits, not 32 or 64")]
    Word(u32),
    /// The primes do not fit a word, or are too small to be 1 modulo 2N.
    #[error("primes are above 2^{prime_bits}, not above 2^{least} to 2^{most}")]
    Primes {
        /// The requested binary logarithm of the lower bound of the primes.
        prime_bits: u32,
        /// The least accepted value.
        least: u32,
        /// The largest accepted value.
        most: u32,
    },
}
