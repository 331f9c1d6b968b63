//! [`Field`]: one prime and one ring degree, with all constants of the kernels.

use std::collections::HashMap;
#[cfg(feature = "instrument")]
use std::ops::Add;
use std::sync::{Arc, PoisonError, RwLock};

use ringjet_backend::{BackendError, Result, host, repeat};
use ringjet_math::{Basis, Modulus, Prime};

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::fma;
#[cfg(target_arch = "x86_64")]
use super::{avx512, ifma};
use crate::system::instrument::Counters;
#[cfg(feature = "instrument")]
use crate::system::instrument::{KernelCalls, Traffic};
use crate::system::path::Path;

/// A prime and a ring degree, with the constants of their kernels.
#[derive(Debug)]
pub struct Field {
    /// The prime.
    pub modulus: Modulus,
    /// The instruction set that the kernels use.
    pub path: Path,
    /// Counts of the kernels' work modulo this prime.
    pub counters: Counters,
    /// Constants for primes below 2^50.
    #[cfg(target_arch = "x86_64")]
    pub ifma: Option<ifma::arith::Reducer>,
    /// Constants for any prime.
    #[cfg(target_arch = "x86_64")]
    pub avx512: avx512::arith::Reducer,
    /// Transforms for primes below 2^50 and rings of at least 2^10.
    #[cfg(target_arch = "x86_64")]
    pub(super) ntt: Option<ifma::ntt::Ntt>,
    /// Transforms for other primes and rings of at least 2^9, where the processor has AVX-512.
    #[cfg(target_arch = "x86_64")]
    pub(super) wide: Option<avx512::ntt::Ntt>,
    /// Constants of the path [`Path::Fma`].
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    pub fma: Option<fma::arith::Prime>,
    /// Transforms of that path, for rings of at least 2^9.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    pub(super) doubles: Option<fma::ntt::Ntt>,
    /// log2 of the ring degree.
    pub log_n: u32,
    pub(super) prime: Arc<Prime>,
}

impl Field {
    fn new(prime: &Arc<Prime>, log_n: u32, path: Path) -> Self {
        let m = *prime.modulus();
        let path = path.for_prime(m.value());
        Self {
            modulus: m,
            path,
            counters: Counters::default(),
            #[cfg(target_arch = "x86_64")]
            ifma: (m.value() < 1 << 50).then(|| ifma::arith::Reducer::new(&m)),
            #[cfg(target_arch = "x86_64")]
            avx512: avx512::arith::Reducer::new(&m),
            #[cfg(target_arch = "x86_64")]
            ntt: (path == Path::Ifma && log_n >= ifma::ntt::MIN_LOG_N).then(|| ifma::ntt::Ntt::new(prime.table())),
            #[cfg(target_arch = "x86_64")]
            wide: (path == Path::Avx512 && log_n >= avx512::ntt::MIN_LOG_N)
                .then(|| avx512::ntt::Ntt::new(prime.table())),
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            fma: (path == Path::Fma).then(|| fma::arith::Prime::new(&m)),
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            doubles: (path == Path::Fma && log_n >= fma::ntt::MIN_LOG_N).then(|| fma::ntt::Ntt::new(prime.table())),
            log_n,
            prime: Arc::clone(prime),
        }
    }
}

impl Field {
    /// The inverse of the number of points of a class, for [`Field::coefficients_of_class`].
    pub fn class_factor(&self, points: usize) -> [u64; 2] {
        let inverse = self.modulus.inv(self.modulus.reduce(points as u64)).unwrap_or(1);
        [inverse, self.modulus.shoup(inverse)]
    }

    /// Inverts the last layers of the transform in a class of leaves: replaces the values at the points of class
    /// number `class` by the coefficients modulo that class's factor of `X^N + 1`.
    pub fn coefficients_of_class(&self, class: usize, [inverse, companion]: [u64; 2], x: &mut [u64]) {
        let (m, roots, d) = (&self.modulus, self.prime.table().inverse_roots(), x.len());
        let q = m.value();
        // the product of x below 2^64 with a constant
        let times = |x: u64, w: u64, companion: u64| {
            let lazy = m.mul_shoup_lazy(x, w, companion);
            lazy.min(lazy.wrapping_sub(q))
        };
        let mut half = 1;
        while half < d {
            let first = ((1 << self.log_n) + class * d) / (2 * half);
            for (block, &(w, companion)) in x.chunks_exact_mut(2 * half).zip(&roots[first..]) {
                let (lo, hi) = block.split_at_mut(half);
                for (u, v) in lo.iter_mut().zip(hi) {
                    (*u, *v) = (m.add(*u, *v), times(*u + q - *v, w, companion));
                }
            }
            half *= 2;
        }
        x.iter_mut().for_each(|x| *x = times(*x, inverse, companion));
    }
}

/// The error of a gap that leaves fewer coefficients than a transform has.
fn wrong_gap(log_n: u32, log_gap: u32) -> BackendError {
    let (what, found) = ("coefficients of a transform", (1usize << log_n) >> log_gap);
    BackendError::Shape { op: "integer_factors", what, expected: 8, found }
}

/// Bytes of the tables of a field for each word of the ring, at most: 32 are the textbook's table of
/// both transforms, the others those of the fastest kernels.
const TABLE_BYTES: usize = 64;

/// All fields that a backend has used so far.
#[derive(Debug)]
pub struct Fields {
    path: Path,
    known: RwLock<HashMap<FieldKey, Arc<Field>>>,
    places: RwLock<HashMap<[u32; 2], Arc<[u32]>>>,
}

/// A prime, the binary logarithm of the ring degree N, and that of the gap of [`Fields::of_power`].
type FieldKey = (u64, u32, u32);

impl Fields {
    /// A collection without fields. Its fields will use `path`, or a lower path that their prime
    /// allows.
    pub fn new(path: Path) -> Self {
        Self { path, known: RwLock::default(), places: RwLock::default() }
    }

    /// The best path that a field may have.
    pub fn path(&self) -> Path {
        self.path
    }

    /// The field of every prime of `basis`. Fails where the tables of a field do not exist yet and
    /// there is no memory for them.
    pub fn of(&self, basis: &Basis) -> Result<Vec<Arc<Field>>> {
        self.of_power(basis, 0)
    }

    /// The field of every prime of `basis` for polynomials in `X^(2^log_gap)`, see
    /// [`ringjet_math::ntt::NttTable::of_power`]; at least 8 coefficients must be left. Fails as
    /// [`Fields::of`] does.
    pub fn of_power(&self, basis: &Basis, log_gap: u32) -> Result<Vec<Arc<Field>>> {
        basis.primes().iter().map(|p| self.get(p, basis.log_n(), log_gap)).collect()
    }

    fn get(&self, prime: &Arc<Prime>, log_n: u32, log_gap: u32) -> Result<Arc<Field>> {
        let key = (prime.value(), log_n, log_gap);
        if let Some(field) = self.known.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(Arc::clone(field));
        }
        host::expect(TABLE_BYTES << log_n)?;
        // outside the lock: this takes milliseconds
        let field = if log_gap == 0 {
            Field::new(prime, log_n, self.path)
        } else {
            let few = prime.of_power(log_gap).map_err(|_| wrong_gap(log_n, log_gap))?;
            Field::new(&Arc::new(few), log_n - log_gap, self.path)
        };
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(known.entry(key).or_insert(Arc::new(field))))
    }

    /// [`repeat::places`] for the ring degree `2^log_n` and the gap `2^log_gap`.
    pub fn places(&self, log_n: u32, log_gap: u32) -> Result<Arc<[u32]>> {
        let key = [log_n, log_gap];
        if let Some(places) = self.places.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(Arc::clone(places));
        }
        let made = repeat::places(1 << log_n, 1 << log_gap)?.into();
        let mut known = self.places.write().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(known.entry(key).or_insert(made)))
    }

    /// The calls of the kernels modulo all primes. A field is never removed, so no count is lost.
    #[cfg(feature = "instrument")]
    pub fn kernel_calls(&self) -> KernelCalls {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.values().map(|f| f.counters.calls(f.log_n)).fold(KernelCalls::default(), Add::add)
    }

    /// The words that the kernels have read and written modulo all primes.
    #[cfg(feature = "instrument")]
    pub fn traffic(&self) -> Traffic {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.values().map(|f| f.counters.traffic()).fold(Traffic::default(), Add::add)
    }

    /// Sets all counts to 0.
    #[cfg(feature = "instrument")]
    pub fn reset_counters(&self) {
        self.known.read().unwrap_or_else(PoisonError::into_inner).values().for_each(|f| f.counters.reset());
    }
}
