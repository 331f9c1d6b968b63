//! Exact residue arithmetic for ringjet.
//!
//! Everything here is plain, portable and obvious: it computes the constants that
//! backends work with, and it is the oracle that fast kernels are compared with,
//! bit for bit. No `unsafe`, no threads.
#![forbid(unsafe_code)]

pub mod big;
mod complex;
pub mod crt;
mod dd;
pub mod dft;
pub mod embed;
pub mod evalmod;
pub mod fft;
pub mod modulus;
pub mod ntt;
pub mod prime;
pub mod rns;

pub use modulus::Modulus;
pub use rns::{BaseConversion, Basis, Prime};

/// What cannot be computed, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MathError {
    /// A modulus is outside what the arithmetic supports.
    #[error("modulus {modulus} must be an odd prime with 2 < q < 2^61")]
    BadModulus {
        /// The refused value.
        modulus: u64,
    },
    /// A prime does not support the negacyclic NTT of the wanted size.
    #[error("prime {modulus} is not 1 mod 2^{}: it has no primitive 2N-th root of unity for log_n = {log_n}", log_n + 1)]
    NotNttFriendly {
        /// The prime.
        modulus: u64,
        /// Binary logarithm of the ring degree.
        log_n: u32,
    },
    /// A ring degree is out of range.
    #[error("log_n = {log_n} is outside 3..=17")]
    BadDegree {
        /// The refused value.
        log_n: u32,
    },
    /// The same prime twice in one basis.
    #[error("prime {modulus} occurs twice in the basis")]
    RepeatedPrime {
        /// The prime.
        modulus: u64,
    },
    /// Not enough primes of the wanted size exist.
    #[error("only {found} of {wanted} primes of {bits} bits that are 1 mod 2^{} exist", log_n + 1)]
    TooFewPrimes {
        /// Bits wanted.
        bits: u32,
        /// Binary logarithm of the ring degree.
        log_n: u32,
        /// How many were asked for.
        wanted: usize,
        /// How many there are.
        found: usize,
    },
}
