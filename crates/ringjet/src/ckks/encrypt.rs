//! Encryption with the secret and with the public key.

use ringjet_backend::Coeff;

use crate::ckks::noise;
use crate::rlwe::encrypt_zero;
use crate::rng::Seed;
use crate::{Ciphertext, Context, Plaintext, PublicKey, Result, SecretKey};

impl SecretKey {
    /// Encrypts at the plaintext's level, as `(m + e - a * s, a)`. The polynomial a is expanded
    /// from a public seed. The ciphertext keeps the seed, so its bytes hold one polynomial only.
    ///
    /// A seed from [`Seed::from_os`] is used for one encryption as it is. Any other seed is first
    /// hashed with the plaintext. So the same seed and plaintext give the same ciphertext, and
    /// another plaintext gives one that shares no randomness with it.
    pub fn encrypt(&self, ctx: &Context, plaintext: &Plaintext, seed: &Seed) -> Result<Ciphertext> {
        let params = ctx.params();
        params.expect_same("secret key", self.params())?;
        params.expect_same("plaintext", plaintext.params())?;
        let range = plaintext.stated_range()?;
        let basis = plaintext.basis();
        let seed = self.purpose(b"ringjet ciphertext").seed_of(seed, &[], |out| plaintext.write_to(ctx, out))?;
        let labels = [&b"ringjet ciphertext a"[..], b"ringjet ciphertext e"];
        let (public, buf) = self.transformed(ctx, basis, |s| {
            let s = s.view(1).prefix(basis.len());
            encrypt_zero(ctx, basis, s, &seed, labels, Some(plaintext.view()))
        })?;
        let error = (noise::fresh_secret(params), public.as_bytes()[0]);
        let made = Ciphertext::fresh(plaintext, buf, plaintext.position(), error, range);
        Ok(made.with_seed(public).with_key(self.key_id()))
    }
}

impl PublicKey {
    /// Encrypts at the plaintext's level: adds the message to an encryption of zero, which is made
    /// at the top level and restricted to the primes of the plaintext's level. Seeds are bound to
    /// the plaintext as for [`SecretKey::encrypt`].
    pub fn encrypt(&self, ctx: &Context, plaintext: &Plaintext, seed: &Seed) -> Result<Ciphertext> {
        let (params, b) = (ctx.params(), ctx.backend());
        params.expect_same("public key", self.params())?;
        params.expect_same("plaintext", plaintext.params())?;
        let range = plaintext.stated_range()?;
        let seed = self.seed_for(ctx, plaintext, seed)?;
        let top = plaintext.level() == params.top_level();
        let mut buf = self.encrypt_zero(ctx, &seed, top.then(|| plaintext.view()))?;
        if !top {
            let basis = plaintext.basis();
            let mut low = ctx.alloc(2 * basis.len())?;
            b.copy(low.view_mut(2), buf.view(2).prefix(basis.len()))?;
            b.lincomb(low.view_mut(2).poly(0), &[(Coeff::One, plaintext.view())], basis, true)?;
            buf = low;
        }
        let source = seed.derive_public(b"ringjet encryption source", 0).as_bytes()[0];
        let error = (noise::fresh_public(params), source);
        Ok(Ciphertext::fresh(plaintext, buf, plaintext.position(), error, range).with_key(self.key_id()))
    }

    /// Binds the seed to the uniform half of this public key, too: two public keys of one secret
    /// must not encrypt with the same errors.
    fn seed_for(&self, ctx: &Context, plaintext: &Plaintext, seed: &Seed) -> Result<Seed> {
        self.purpose().seed_of(seed, self.seed().as_bytes(), |out| plaintext.write_to(ctx, out))
    }
}

impl Ciphertext {
    /// A transparent "encryption" of a plaintext, `(m, 0)`, for circuits that need a ciphertext
    /// operand. It hides nothing, and every key decrypts it.
    pub fn transparent(ctx: &Context, plaintext: &Plaintext) -> Result<Self> {
        let basis = plaintext.basis();
        let mut buf = ctx.alloc(2 * basis.len())?;
        ctx.backend().copy(buf.view_mut(2).poly(0), plaintext.view())?;
        let zero = vec![0u64; basis.len()];
        let b = ctx.backend();
        b.lincomb(buf.view_mut(2).poly(1), &[(Coeff::PerLimb(&zero), plaintext.view())], basis, false)?;
        Ok(Self::new(ctx.params(), buf, 2, plaintext.position(), plaintext.log_slots(), plaintext.noise()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::rng::{gaussian, ternary};
    use crate::{ParamSpec, Parameters};
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
            let key = PublicKey::generate(&ctx, &SecretKey::from_seed(&params, &seed), &seed).unwrap();
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
