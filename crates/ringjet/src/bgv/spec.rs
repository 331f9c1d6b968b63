//! The description of a BGV parameter set that a user writes: plain and serialisable.

use serde::{Deserialize, Serialize};

use super::modulus::plaintext_primes;
use crate::Result;
use crate::rlwe::{ModulusSpec, Ring};

/// How ciphertexts are multiplied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Product {
    /// Noise multiplies, and switching to a lower level before a product keeps it small (Brakerski,
    /// Gentry and Vaikuntanathan, ePrint 2011/277). A level is one product.
    #[default]
    Bgv,
    /// The tensor product is divided by Q / t, so noise grows by about the same factor with each
    /// product and the modulus stays (Fan and Vercauteren, ePrint 2012/144; with residues over Q
    /// and a second basis R as in Kim, Polyakov and Zucca, ePrint 2021/204). There are no levels.
    Bfv,
}

/// A BGV or BFV parameter set as a user writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParamSpec {
    /// Binary logarithm of the ring degree N, 4 to 17.
    pub log_n: u32,
    /// The primes of the plaintext modulus T, their product: 1 to 4 primes that are 1 modulo 2N and
    /// below 2^30. Ciphertexts have a component for each, and take as many times the memory and time.
    pub t: Vec<u64>,
    /// The ciphertext primes. Unless `levels` is given, the first prime is level 0 and each further
    /// one adds a level.
    pub q: ModulusSpec,
    /// The special primes of key switching.
    pub p: ModulusSpec,
    /// How ciphertexts are multiplied.
    #[serde(default)]
    pub product: Product,
    /// Levels as sets of primes (indices of `q`, increasing), the lowest first. Not for BFV.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<Vec<Vec<usize>>>,
    /// Primes of `q` in each digit of key switching; the number of special primes where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alpha: Option<usize>,
    /// How many independent secrets the secret is the sum of: 1 for a single client, and as many as
    /// [`pieces_of`](crate::parties::pieces_of) says for a secret that several parties share. Errors grow with
    /// their number.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub pieces: u32,
    /// Wanted security in bits: 128, 192 or 256.
    #[serde(default = "default_security")]
    pub security: u32,
    /// Accept parameters below the wanted security. All objects made from them show it.
    #[serde(default)]
    pub allow_insecure: bool,
}

fn default_security() -> u32 {
    128
}

fn one() -> u32 {
    1
}

fn is_one(x: &u32) -> bool {
    *x == 1
}

impl ParamSpec {
    /// The prime `t` as plaintext modulus, and primes of these sizes in bits: `q` of ciphertexts, the
    /// lowest level first, and `p` of key switching.
    pub fn uniform(log_n: u32, t: u64, q: &[u32], p: &[u32]) -> Self {
        Self {
            log_n,
            t: vec![t],
            q: ModulusSpec::Bits(q.to_vec()),
            p: ModulusSpec::Bits(p.to_vec()),
            product: Product::Bgv,
            levels: None,
            alpha: None,
            pieces: 1,
            security: 128,
            allow_insecure: false,
        }
    }

    /// The same spec with a plaintext modulus T of at least `2^bits`, of as few primes as possible.
    /// With 64 bits it holds every `i64`. More bits leave room between the results that are `i64`
    /// and those that wrap around: results there are refused when they are decrypted.
    /// Fails with [`Error::Parameters`](crate::Error::Parameters) for a wrong ring degree, and with
    /// [`Error::Argument`](crate::Error::Argument) where no four primes have that many bits.
    pub fn t_bits(self, bits: u32) -> Result<Self> {
        Ring::expect_degree(self.log_n)?;
        let taken = ModulusSpec::listed([&self.q, &self.p]);
        Ok(Self { t: plaintext_primes(self.log_n, bits, &taken)?, ..self })
    }

    /// The same spec with the product of BFV.
    pub fn bfv(self) -> Self {
        Self { product: Product::Bfv, ..self }
    }

    /// The same spec for a secret that is the sum of this many pieces.
    pub fn pieces(self, pieces: u32) -> Self {
        Self { pieces, ..self }
    }

    /// The same spec without the security check.
    pub fn allow_insecure(self) -> Self {
        Self { allow_insecure: true, ..self }
    }
}
