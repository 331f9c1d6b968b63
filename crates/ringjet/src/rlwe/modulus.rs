//! How users write a modulus.

use ringjet_math::prime::ntt_primes;
use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// Primes, given one by one or by their sizes in bits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModulusSpec {
    /// These primes, in this order.
    Primes(Vec<u64>),
    /// Primes of these sizes, 14 to 60 bits. The largest primes of each size are taken; levels of
    /// the size of the scale take primes that keep the scale in place. Primes of at most 50 bits
    /// stay below 2^50, as the fastest kernels need.
    Bits(Vec<u32>),
}

/// Largest number of primes in one modulus: more than any secure set at N = 2^17 can hold.
const MAX_PRIMES: usize = 256;

impl ModulusSpec {
    /// All primes that are given one by one.
    pub(crate) fn listed(all: [&Self; 2]) -> Vec<u64> {
        let primes = all.into_iter().filter_map(|m| match m {
            Self::Primes(list) => Some(list),
            Self::Bits(_) => None,
        });
        primes.flatten().copied().collect()
    }

    /// The primes; those given by size are none of `taken`, and are added to it.
    pub(crate) fn find(&self, log_n: u32, taken: &mut Vec<u64>) -> Result<Vec<u64>> {
        let bits = match self {
            Self::Primes(list) if list.len() <= MAX_PRIMES => return Ok(list.clone()),
            Self::Bits(bits) => bits,
            Self::Primes(_) => return Err(too_many()),
        };
        Self::check_sizes(bits)?;
        let mut out = Vec::with_capacity(bits.len());
        for &size in bits {
            let prime = ntt_primes(log_n, size, 1, taken)?[0];
            taken.push(prime);
            out.push(prime);
        }
        Ok(out)
    }

    /// Refuses sizes outside 14 to 60 bits, and more primes than any secure set can hold.
    pub(crate) fn check_sizes(bits: &[u32]) -> Result<()> {
        if bits.len() > MAX_PRIMES {
            return Err(too_many());
        }
        match bits.iter().find(|b| !(14..=60).contains(*b)) {
            Some(size) => Err(Error::Parameters(format!("a prime of {size} bits: 14 to 60 are supported"))),
            None => Ok(()),
        }
    }
}

fn too_many() -> Error {
    Error::Parameters(format!("more than {MAX_PRIMES} primes"))
}
