//! Exact residue arithmetic for ringjet.
//!
//! The code is plain and portable. It computes the constants that backends work with, and fast
//! kernels are compared with it bit for bit. There is no `unsafe` and there are no threads.
#![forbid(unsafe_code)]

pub mod big;
mod complex;
pub mod crt;
mod cut;
mod dd;
pub mod dft;
pub mod embed;
pub mod evalmod;
pub mod fft;
mod least_squares;
pub mod memory;
pub mod minimax;
pub mod modulus;
pub mod ntt;
pub mod prime;
pub mod rns;
pub mod tables;

pub use cut::Cut;
pub use modulus::Modulus;
pub use rns::{BaseConversion, Basis, Prime};

/// An error of this crate: which computation is impossible, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MathError {
    /// A modulus is not an odd prime below 2^61.
    #[error("modulus {modulus} must be an odd prime with 2 < q < 2^61")]
    BadModulus {
        /// The refused modulus.
        modulus: u64,
    },
    /// The prime has no negacyclic NTT of the wanted size.
    #[error("prime {modulus} is not 1 mod 2^{}: it has no primitive 2N-th root of unity for log_n = {log_n}", log_n + 1)]
    NotNttFriendly {
        /// The prime.
        modulus: u64,
        /// Binary logarithm of the ring degree.
        log_n: u32,
    },
    /// The ring degree is outside 2^3 to 2^17.
    #[error("log_n = {log_n} is outside 3..=17")]
    BadDegree {
        /// The refused binary logarithm.
        log_n: u32,
    },
    /// A basis has the same prime twice.
    #[error("prime {modulus} occurs twice in the basis")]
    RepeatedPrime {
        /// The prime.
        modulus: u64,
    },
    /// There are not enough primes of the wanted size.
    #[error("only {found} of {wanted} primes of {bits} bits that are 1 mod 2^{} exist", log_n + 1)]
    TooFewPrimes {
        /// Bits of the wanted primes.
        bits: u32,
        /// Binary logarithm of the ring degree.
        log_n: u32,
        /// Number of primes asked for.
        wanted: usize,
        /// Number of primes that exist.
        found: usize,
    },
}
