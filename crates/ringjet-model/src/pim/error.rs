//! Errors of the model of processing in memory.

use thiserror::Error;

/// Why a machine or a task is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PimModelError {
    /// A value is out of range.
    #[error("{what} is {value}, allowed is {allowed}")]
    Value {
        /// What the value is.
        what: &'static str,
        /// The value.
        value: String,
        /// The values that are allowed.
        allowed: String,
    },
    /// The ciphertexts and results do not fit the memory of the DPUs.
    #[error(
        "{ciphertexts} ciphertexts take {needed} polynomials on a DPU, which has room for {room}: at most {most} \
         ciphertexts fit"
    )]
    Room {
        /// The ciphertexts of the task.
        ciphertexts: u64,
        /// Polynomials on the DPU that has most.
        needed: u64,
        /// Polynomials for which a DPU has room.
        room: u64,
        /// The most ciphertexts for which there is room.
        most: u64,
    },
    /// There are too few primes of this size.
    #[error("there are fewer than {count} primes of {bits} bits that are 1 modulo 2 * {n}")]
    Primes {
        /// The primes that the modulus needs.
        count: usize,
        /// Bits of each.
        bits: u32,
        /// The ring degree.
        n: u64,
    },
}
