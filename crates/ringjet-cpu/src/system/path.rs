//! The sets of vector instructions that kernels exist for.

use std::sync::OnceLock;

/// A set of instructions. A better set compares as greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Path {
    /// Portable code; any prime below 2^61.
    Scalar,
    /// Fused multiply-adds in double precision, with AVX2 or NEON; primes below 2^50.
    Fma,
    /// AVX-512 F and DQ; primes below 2^61.
    Avx512,
    /// AVX-512 with 52-bit products (IFMA); primes below 2^50.
    Ifma,
}

impl Path {
    /// All sets.
    pub const ALL: [Self; 4] = [Self::Scalar, Self::Fma, Self::Avx512, Self::Ifma];

    /// The best path of this machine that the environment allows. `RINGJET_DISABLE_IFMA`,
    /// `RINGJET_DISABLE_AVX512` and `RINGJET_DISABLE_FMA` each forbid one instruction set, unless they
    /// are empty or `0`. The environment is read once.
    pub fn best() -> Self {
        static BEST: OnceLock<Path> = OnceLock::new();
        *BEST.get_or_init(|| {
            let off = |name| std::env::var_os(name).is_some_and(|v| !v.is_empty() && v != "0");
            let avx512 = avx512() && !off("RINGJET_DISABLE_AVX512");
            if avx512 && ifma() && !off("RINGJET_DISABLE_IFMA") {
                Self::Ifma
            } else if avx512 {
                Self::Avx512
            } else if fma() && !off("RINGJET_DISABLE_FMA") {
                Self::Fma
            } else {
                Self::Scalar
            }
        })
    }

    /// The paths up to the best one whose instructions this machine has.
    pub fn usable() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|path| path.exists() && *path <= Self::best())
    }

    /// Whether this machine has the instructions, regardless of the environment.
    pub fn exists(self) -> bool {
        match self {
            Self::Scalar => true,
            Self::Fma => fma(),
            Self::Avx512 => avx512(),
            Self::Ifma => avx512() && ifma(),
        }
    }

    /// The best path for the prime `q` that is at most this path.
    pub fn for_prime(self, q: u64) -> Self {
        match self {
            _ if q < 1 << 50 => self,
            Self::Scalar | Self::Fma => Self::Scalar,
            Self::Avx512 | Self::Ifma => Self::Avx512,
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn fma() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

#[cfg(not(target_arch = "x86_64"))]
fn fma() -> bool {
    cfg!(target_arch = "aarch64")
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
