//! Parameters on a machine: what every operation needs.

use std::sync::Arc;

use rayon::prelude::*;
use ringjet_backend::{Backend, Buf};
use ringjet_math::embed::Coefficients;
use ringjet_math::{Basis, crt};

use crate::rng::{PublicSeed, expand_uniform, stream_id};
use crate::{Parameters, Result};

/// A parameter set and the backend that computes on it. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Context {
    params: Parameters,
    backend: Arc<dyn Backend>,
}

impl Context {
    /// Binds `params` to `backend`.
    pub fn new(params: &Parameters, backend: Arc<dyn Backend>) -> Self {
        Self { params: params.clone(), backend }
    }

    /// The parameters.
    pub fn params(&self) -> &Parameters {
        &self.params
    }

    /// The backend.
    pub fn backend(&self) -> &dyn Backend {
        &*self.backend
    }

    /// A shared handle of the backend.
    pub fn backend_handle(&self) -> Arc<dyn Backend> {
        Arc::clone(&self.backend)
    }

    /// Memory for `limbs` limbs; contents unspecified.
    pub(crate) fn alloc(&self, limbs: usize) -> Result<Buf> {
        Ok(self.backend.alloc(limbs, self.params.n())?)
    }

    /// A polynomial with small coefficients, in the evaluation domain over `basis`. The buffer is wiped when dropped.
    pub(crate) fn small_poly(&self, coefficients: &[i8], basis: &Basis) -> Result<Buf> {
        let n = self.params.n();
        let mut buf = self.alloc(basis.len())?.into_secret();
        let mut limb = zeroize::Zeroizing::new(vec![0u64; n]);
        for (i, prime) in basis.primes().iter().enumerate() {
            let q = prime.value();
            for (o, &c) in limb.iter_mut().zip(coefficients) {
                // branch-free: adds q where c is negative
                *o = (i64::from(c) + (i64::from(c >> 7) & q as i64)) as u64;
            }
            self.backend.upload(&mut buf, i, &limb)?;
        }
        self.backend.ntt(buf.view_mut(1), basis)?;
        Ok(buf)
    }

    /// A polynomial with integer coefficients, in the evaluation domain over `basis`.
    pub(crate) fn integer_poly(&self, coefficients: &Coefficients, basis: &Basis) -> Result<Buf> {
        let n = self.params.n();
        let mut buf = self.alloc(basis.len())?;
        let mut limb = vec![0u64; n];
        for (i, prime) in basis.primes().iter().enumerate() {
            match coefficients {
                Coefficients::I64(c) => crt::reduce_i64(c, prime.modulus(), &mut limb),
                Coefficients::I128(c) => crt::reduce_i128(c, prime.modulus(), &mut limb),
            }
            self.backend.upload(&mut buf, i, &limb)?;
        }
        self.backend.ntt(buf.view_mut(1), basis)?;
        Ok(buf)
    }

    /// Writes the uniform polynomial number `part` of `seed` (evaluation domain) into limbs `first..` of `buf`. Limbs are
    /// expanded in parallel.
    pub(crate) fn expand_into(
        &self,
        buf: &mut Buf,
        first: usize,
        seed: &PublicSeed,
        part: u32,
        basis: &Basis,
    ) -> Result<()> {
        let n = self.params.n();
        let mut words = vec![0u64; n * basis.len()];
        let order = self.params.stored_order();
        words.par_chunks_exact_mut(n).zip(basis.primes()).enumerate().for_each(|(i, (limb, prime))| {
            expand_uniform(seed, stream_id(part, i as u32), prime.modulus(), limb);
            if let Some(order) = order {
                let stored = limb.to_vec();
                limb.iter_mut().zip(order).for_each(|(x, &place)| *x = stored[place as usize]);
            }
        });
        self.backend.upload(buf, first, &words)?;
        Ok(())
    }
}
