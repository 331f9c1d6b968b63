//! What encryption takes from CKKS, and ciphertexts that hide nothing.

use std::sync::Arc;

use ringjet_backend::{Buf, Coeff};

use super::ciphertext::Position;
use crate::ckks::noise;
use crate::noise::ErrorTerm;
use crate::vectors::ChainVectors;
use crate::{Ciphertext, Context, Parameters, Plaintext, Result};

impl ChainVectors for Parameters {
    fn message(_: &Context, plaintext: &Plaintext) -> Result<Arc<Buf>> {
        Ok(plaintext.shared())
    }

    fn encrypted_at(position: Position) -> Position {
        position
    }

    fn fresh_secret(&self) -> ErrorTerm {
        noise::fresh_secret(self)
    }

    fn fresh_public(&self) -> ErrorTerm {
        noise::fresh_public(self)
    }
}

impl Ciphertext {
    /// A transparent "encryption" of a plaintext, `(m, 0)`, for circuits that need a ciphertext
    /// operand. It hides nothing, and every key decrypts it.
    pub fn transparent(ctx: &Context, plaintext: &Plaintext) -> Result<Self> {
        let basis = ctx.params().basis_at(plaintext.position());
        let mut buf = ctx.alloc(2 * basis.len())?;
        ctx.backend().copy(buf.view_mut(2).poly(0), plaintext.view())?;
        let zero = vec![0u64; basis.len()];
        let b = ctx.backend();
        b.lincomb(buf.view_mut(2).poly(1), &[(Coeff::PerLimb(&zero), plaintext.view())], basis, false)?;
        let made = Self::new(ctx.params(), buf, 2, plaintext.position(), plaintext.log_slots(), plaintext.noise());
        Ok(made.with_held(plaintext.held()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::rng::{Seed, gaussian, ternary};
    use crate::{ParamSpec, PublicKey, SecretKey};
    use ringjet_backend::plan::DivisionPlan;

    /// The definition of encryption: errors are transformed and added before the division.
    fn spelt_out(key: &PublicKey, ctx: &Context, plaintext: &Plaintext, seed: &Seed) -> Vec<u64> {
        let (params, b) = (ctx.params(), ctx.backend());
        let basis = params.encryption_basis();
        let limbs = basis.len() - 1;
        let mut small = vec![0i8; params.n()];
        ternary(&seed.derive(b"ringjet encryption v", 0), &mut small);
        let v = ctx.small_poly(&small, &basis).unwrap();
        let mut x = ctx.alloc(2 * basis.len()).unwrap();
        for part in 0..2 {
            gaussian(&seed.derive(b"ringjet encryption e", part as u64), &mut small);
            b.copy(x.view_mut(2).poly(part), ctx.small_poly(&small, &basis).unwrap().view(1)).unwrap();
        }
        b.mul(x.view_mut(2), v.view(1), key.view(), &basis, true).unwrap();
        let mut out = ctx.alloc(2 * limbs).unwrap();
        b.divide_round(out.view_mut(2), x.view(2), &DivisionPlan::new(&basis, &[0]), Some(plaintext.view())).unwrap();
        words(ctx, &out)
    }

    fn words(ctx: &Context, buf: &ringjet_backend::Buf) -> Vec<u64> {
        let mut words = vec![0; buf.limbs() * buf.n()];
        ctx.backend().download(buf, 0, &mut words).unwrap();
        words
    }

    #[test]
    fn public_encryption_follows_its_definition() {
        // Special primes below and above the others; 14 and 16 bits, so that remainders often lie
        // near half a prime.
        for (bits, special) in [(50, 1), (50, 3), (60, 2), (30, 2), (16, 1), (14, 1)] {
            let p = crate::ckks::params::ModulusSpec::Bits(vec![bits; special]);
            let spec = ParamSpec { p, allow_insecure: true, ..ParamSpec::uniform(8, bits.min(50), 2, 14, special) };
            let spec = ParamSpec { alpha: Some(1), ..spec };
            let params = Parameters::new(&spec).unwrap();
            let backend = ringjet_cpu::CpuBackend::new(Default::default()).unwrap();
            let ctx = Context::new(&params, Arc::new(backend));
            let seed = Seed::from_bytes([bits as u8; 32]);
            let key = PublicKey::generate(&ctx, &SecretKey::from_seed(&params, &seed).unwrap(), &seed).unwrap();
            let plain = Plaintext::encode_real(&ctx, &[0.5, -0.25], params.top_level(), 1).unwrap();
            for round in 0..8 {
                let seed = seed.derive(b"round", round);
                let ct = key.encrypt(&ctx, &plain, &seed).unwrap();
                let seed = key.seed_for(&ctx, &plain, &seed).unwrap();
                assert_eq!(words(&ctx, ct.buf()), spelt_out(&key, &ctx, &plain, &seed), "{bits} {special} {round}");
            }
        }
    }
}
