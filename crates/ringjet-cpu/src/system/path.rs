//! The sets of vector instructions that kernels exist for.

use std::sync::OnceLock;

/// A set of instructions. A better set compares as greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Path {
    /// Portable code; any prime below 2^61.
    Scalar,
    /// AVX-512 F and DQ; primes below 2^61.
    Avx512,
    /// AVX-512 with 52-bit products (IFMA); primes below 2^50.
    Ifma,
}

impl Path {
    /// The best path of this machine that the environment allows. `RINGJET_DISABLE_IFMA` and
    /// `RINGJET_DISABLE_AVX512` each forbid one instruction set, unless they are empty or `0`. The
    /// environment is read once.
    pub fn best() -> Self {
        static BEST: OnceLock<Path> = OnceLock::new();
        *BEST.get_or_init(|| {
            let off = |name| std::env::var_os(name).is_some_and(|v| !v.is_empty() && v != "0");
            if off("RINGJET_DISABLE_AVX512") || !avx512() {
                Self::Scalar
            } else if off("RINGJET_DISABLE_IFMA") || !ifma() {
                Self::Avx512
            } else {
                Self::Ifma
            }
        })
    }

    /// Whether this machine has the instructions, regardless of the environment.
    pub fn exists(self) -> bool {
        match self {
            Self::Scalar => true,
            Self::Avx512 => avx512(),
            Self::Ifma => avx512() && ifma(),
        }
    }

    /// The best path for the prime `q` that is at most this path.
    pub fn for_prime(self, q: u64) -> Self {
        if q < 1 << 50 { self } else { self.min(Self::Avx512) }
    }
}

#[cfg(target_arch = "x86_64")]
fn avx512() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq")
}

#[cfg(target_arch = "x86_64")]
fn ifma() -> bool {
    is_x86_feature_detected!("avx512ifma")
}

#[cfg(not(target_arch = "x86_64"))]
fn avx512() -> bool {
    false
}

#[cfg(not(target_arch = "x86_64"))]
fn ifma() -> bool {
    false
}
