//! What a user writes down: a plain, serialisable description of a parameter set.

use ringjet_math::prime::{ntt_primes, ntt_primes_near};
use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// Primes given one by one, or by their sizes in bits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModulusSpec {
    /// These primes, in this order.
    Primes(Vec<u64>),
    /// Primes near these powers of two; 50-bit and larger ones stay below their power of two, which the fastest
    /// kernels need at 50 bits.
    Bits(Vec<u32>),
}

/// A CKKS parameter set as written down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParamSpec {
    /// Binary logarithm of the ring degree N, 10..=17 (smaller ones are for tests: they cannot be secure).
    pub log_n: u32,
    /// The ciphertext primes: the first stays to the end, each further one is a level.
    pub q: ModulusSpec,
    /// The special primes of key switching.
    pub p: ModulusSpec,
    /// Binary logarithm of the scale at the top level.
    pub scale_bits: u32,
    /// Limbs of a digit in key switching; the number of special primes where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alpha: Option<usize>,
    /// Wanted security in bits: 128, 192 or 256.
    #[serde(default = "default_security")]
    pub security: u32,
    /// Accept parameters below the wanted security. Visible in every representation of what is made from them.
    #[serde(default)]
    pub allow_insecure: bool,
}

fn default_security() -> u32 {
    128
}

impl ParamSpec {
    /// A chain of one `first_bits` prime and `depth` primes near `2^scale_bits`, with `special` primes of 50 bits.
    pub fn uniform(log_n: u32, first_bits: u32, depth: usize, scale_bits: u32, special: usize) -> Self {
        let mut q = vec![first_bits];
        q.extend(std::iter::repeat_n(scale_bits, depth));
        Self {
            log_n,
            q: ModulusSpec::Bits(q),
            p: ModulusSpec::Bits(vec![50; special]),
            scale_bits,
            alpha: None,
            security: 128,
            allow_insecure: false,
        }
    }

    /// The same, without the security check.
    pub fn allow_insecure(mut self) -> Self {
        self.allow_insecure = true;
        self
    }

    /// The primes (q, p), found deterministically where only sizes are given.
    pub(super) fn primes(&self) -> Result<(Vec<u64>, Vec<u64>)> {
        let mut taken = Vec::new();
        for m in [&self.q, &self.p] {
            if let ModulusSpec::Primes(list) = m {
                taken.extend_from_slice(list);
            }
        }
        let p = find(&self.p, self.log_n, &mut taken)?;
        let q = find(&self.q, self.log_n, &mut taken)?;
        Ok((q, p))
    }
}

/// Largest number of primes in one modulus: more than any secure set at N = 2^17 can hold.
const MAX_PRIMES: usize = 256;

fn find(spec: &ModulusSpec, log_n: u32, taken: &mut Vec<u64>) -> Result<Vec<u64>> {
    let bits = match spec {
        ModulusSpec::Primes(list) if list.len() <= MAX_PRIMES => return Ok(list.clone()),
        ModulusSpec::Bits(bits) if bits.len() <= MAX_PRIMES => bits,
        _ => return Err(Error::Parameters(format!("more than {MAX_PRIMES} primes"))),
    };
    let mut out = vec![0; bits.len()];
    let mut sizes = bits.clone();
    sizes.sort_unstable();
    sizes.dedup();
    for size in sizes {
        let places: Vec<usize> = (0..bits.len()).filter(|&i| bits[i] == size).collect();
        let found = if size >= 50 {
            ntt_primes(log_n, size, places.len(), taken)?
        } else if (14..50).contains(&size) {
            ntt_primes_near(log_n, 1 << size, places.len(), taken)?
        } else {
            return Err(Error::Parameters(format!("a prime of {size} bits: 14 to 60 are supported")));
        };
        taken.extend_from_slice(&found);
        for (place, prime) in places.into_iter().zip(found) {
            out[place] = prime;
        }
    }
    Ok(out)
}
