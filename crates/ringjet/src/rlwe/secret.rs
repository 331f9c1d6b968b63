//! The secret key.

use std::fmt;

use ringjet_backend::Buf;
use zeroize::Zeroizing;

use crate::rng::{Seed, ternary};
use crate::{Context, Parameters, Result};

/// A uniform ternary secret. It is wiped when dropped, prints nothing, and lives in the client's memory only: no
/// type that goes to a server can hold one.
pub struct SecretKey {
    params: Parameters,
    coefficients: Zeroizing<Vec<i8>>,
}

impl SecretKey {
    /// A fresh secret from the operating system's randomness.
    pub fn generate(params: &Parameters) -> Result<Self> {
        Ok(Self::from_seed(params, &Seed::from_os()?))
    }

    /// The secret of a seed: the same seed gives the same key. For reproducible tests; keep such seeds secret.
    pub fn from_seed(params: &Parameters, seed: &Seed) -> Self {
        let mut coefficients = Zeroizing::new(vec![0; params.n()]);
        ternary(&seed.derive(b"ringjet secret key", 0), &mut coefficients);
        Self { params: params.clone(), coefficients }
    }

    /// From `n` coefficients in {-1, 0, 1}; `None` for anything else.
    pub(crate) fn from_coefficients(params: &Parameters, coefficients: Zeroizing<Vec<i8>>) -> Option<Self> {
        let valid = coefficients.len() == params.n() && coefficients.iter().all(|c| (-1..=1).contains(c));
        valid.then(|| Self { params: params.clone(), coefficients })
    }

    /// The parameters.
    pub fn params(&self) -> &Parameters {
        &self.params
    }

    pub(crate) fn coefficients(&self) -> &[i8] {
        &self.coefficients
    }

    /// The secret over `P ++ Q` in the evaluation domain, in a buffer that is wiped when dropped.
    pub(crate) fn expanded(&self, ctx: &Context) -> Result<Buf> {
        ctx.small_poly(&self.coefficients, self.params.extended())
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey({:?}, not shown)", self.params)
    }
}
