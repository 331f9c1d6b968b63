//! What schemes over a chain of primes have in common: encryption, and hoisted rotations.

use std::sync::Arc;

use ringjet_backend::{Buf, Coeff, View};
use ringjet_math::Basis;

use super::{Ciphertext, Evaluator, Operations, Plaintext, Vectors};
use crate::Result;
use crate::noise::Added;
use crate::rlwe::keyswitch::{Finish, SwitchingKey, apply, hoist, rotations};
use crate::rlwe::{ChainParameters, Context, PublicKey, SecretKey, encrypt_zero};
use crate::rng::Seed;

/// The parameters of a scheme whose ciphertexts are residues modulo the primes of a level.
pub trait ChainVectors: ChainParameters + Vectors<Key = SwitchingKey<Self>, Modulus = Basis> {
    /// The polynomial that stands for `plaintext` in a ciphertext at [`Self::encrypted_at`], in the
    /// evaluation domain.
    fn message(ctx: &Context<Self>, plaintext: &Plaintext<Self>) -> Result<Arc<Buf>>;

    /// The position of a fresh ciphertext of a plaintext at `position`.
    fn encrypted_at(position: Self::Position) -> Self::Position;

    /// The error of a ciphertext that was encrypted with the secret key.
    fn fresh_secret(&self) -> Added;

    /// The error of a ciphertext that was encrypted with the public key.
    fn fresh_public(&self) -> Added;

    /// The error of a ciphertext that was encrypted with an unknown kind of key: the estimate of
    /// secret-key encryption, which is the smaller one, and a bound that holds for both kinds.
    fn fresh(&self) -> Added {
        let secret = self.fresh_secret();
        Added { bound: secret.bound.max(self.fresh_public().bound), ..secret }
    }

    /// The primes of a ciphertext at `position`.
    fn basis_at(&self, position: Self::Position) -> &Basis {
        &self.level(Self::left(position)).basis
    }
}

impl<P: ChainVectors> SecretKey<P> {
    /// Encrypts at the plaintext's level, as `(m + e - a * s, a)`. The polynomial a is expanded
    /// from a public seed. The ciphertext keeps the seed, so its bytes hold one polynomial only.
    ///
    /// A seed from [`Seed::from_os`] is used for one encryption as it is. Any other seed is first
    /// hashed with the plaintext. So the same seed and plaintext give the same ciphertext, and
    /// another plaintext gives one that shares no randomness with it.
    pub fn encrypt(&self, ctx: &Context<P>, plaintext: &Plaintext<P>, seed: &Seed) -> Result<Ciphertext<P>> {
        let params = ctx.params();
        params.expect_same("secret key", self.params())?;
        params.expect_same("plaintext", plaintext.params())?;
        let range = plaintext.stated_range()?;
        let position = P::encrypted_at(plaintext.position());
        let (basis, message) = (params.basis_at(position), P::message(ctx, plaintext)?);
        let seed = self.purpose(b"ringjet ciphertext").seed_of(seed, &[], |out| plaintext.write_to(ctx, out))?;
        let labels = [&b"ringjet ciphertext a"[..], b"ringjet ciphertext e"];
        let (public, buf) = self.transformed(ctx, basis, |s| {
            let s = s.view(1).prefix(basis.len());
            encrypt_zero(ctx, basis, s, &seed, labels, Some(message.view(1)))
        })?;
        let error = (params.fresh_secret(), public.as_bytes()[0]);
        let made = Ciphertext::fresh(plaintext, buf, position, error, range);
        Ok(made.with_seed(public).with_key(self.key_id()))
    }
}

impl<P: ChainVectors> PublicKey<P> {
    /// Encrypts at the plaintext's level: adds the message to an encryption of zero, which is made
    /// at the top level and restricted to the primes of the plaintext's level. Seeds are bound to
    /// the plaintext as for [`SecretKey::encrypt`].
    pub fn encrypt(&self, ctx: &Context<P>, plaintext: &Plaintext<P>, seed: &Seed) -> Result<Ciphertext<P>> {
        let (params, b) = (ctx.params(), ctx.backend());
        params.expect_same("public key", self.params())?;
        params.expect_same("plaintext", plaintext.params())?;
        let range = plaintext.stated_range()?;
        let (position, message) = (P::encrypted_at(plaintext.position()), P::message(ctx, plaintext)?);
        let seed = self.seed_for(ctx, plaintext, seed)?;
        let top = P::left(position) == params.top_level();
        let mut buf = self.encrypt_zero(ctx, &seed, top.then(|| message.view(1)))?;
        if !top {
            let basis = params.basis_at(position);
            let mut low = ctx.alloc(2 * basis.len())?;
            b.copy(low.view_mut(2), buf.view(2).prefix(basis.len()))?;
            b.lincomb(low.view_mut(2).poly(0), &[(Coeff::One, message.view(1))], basis, true)?;
            buf = low;
        }
        let source = seed.derive_public(b"ringjet encryption source", 0).as_bytes()[0];
        let error = (params.fresh_public(), source);
        let made = Ciphertext::fresh(plaintext, buf, position, error, range).with_key(self.key_id());
        // the rounding of the second polynomial is multiplied by the secret
        let noise = if P::EXACT { made.noise().with_degree(1) } else { made.noise() };
        Ok(made.with_noise(noise))
    }

    /// Binds the seed to the uniform half of this public key, too: two public keys of one secret
    /// must not encrypt with the same errors.
    pub(crate) fn seed_for(&self, ctx: &Context<P>, plaintext: &Plaintext<P>, seed: &Seed) -> Result<Seed> {
        self.purpose().seed_of(seed, self.seed().as_bytes(), |out| plaintext.write_to(ctx, out))
    }
}

impl<P: ChainVectors> Ciphertext<P> {
    pub(crate) fn basis(&self) -> &Basis {
        self.params().basis_at(self.position())
    }
}

/// [`Operations::galois`] of a scheme over a chain.
pub(crate) fn galois<P: ChainVectors>(
    ctx: &Context<P>,
    a: &Ciphertext<P>,
    galois: u32,
    key: &SwitchingKey<P>,
) -> Result<Buf> {
    let level = P::left(a.position());
    let (plans, automorphism) = (ctx.params().level(level), ctx.params().automorphism(galois));
    let finish = Finish { add: a.view().poly(0), division: &plans.mod_down, automorphism: Some(&automorphism) };
    apply(ctx, &plans.mod_up, a.view().poly(1), level, key, finish)
}

/// [`Operations::sum_plain`] of a scheme over a chain; `p` stands for the plaintext.
pub(crate) fn signed_sum<P: ChainVectors>(
    ctx: &Context<P>,
    a: &Ciphertext<P>,
    p: View<'_>,
    minus: bool,
) -> Result<Buf> {
    let sign = if minus { Coeff::MinusOne } else { Coeff::One };
    let mut buf = ctx.alloc(a.polys() * a.basis().len())?;
    ctx.backend().copy(buf.view_mut(a.polys()), a.view())?;
    ctx.backend().lincomb(buf.view_mut(a.polys()).poly(0), &[(sign, p)], a.basis(), true)?;
    Ok(buf)
}

impl<P: ChainVectors + Operations> Evaluator<P> {
    /// Several rotations of one ciphertext, `steps` slots to the left, with one decomposition
    /// (hoisting; Halevi and Shoup, ePrint 2018/244).
    pub fn rotate_hoisted(&self, a: &Ciphertext<P>, steps: &[i64]) -> Result<Vec<Ciphertext<P>>> {
        let _scope = self.context().scope("HRotate");
        self.check_degree("rotate_hoisted", a)?;
        self.expect_rotations(a, steps)?;
        let trivial = |s: i64| s.rem_euclid(a.row_slots() as i64) == 0;
        let keys = steps.iter().filter(|&&s| !trivial(s)).map(|&s| self.rotation_key(a, s));
        let keys = keys.collect::<Result<Vec<_>>>()?;
        if keys.is_empty() {
            return Ok(vec![a.clone(); steps.len()]);
        }
        let level = P::left(a.position());
        let digits = hoist(&self.ctx, a.view().poly(1), level)?;
        let mut turned = rotations(&self.ctx, &digits, level, &keys, a.view().poly(0))?.into_iter();
        let noise = P::turned(a);
        let mut next = || self.made(a, turned.next().expect("one for each key"), 2, a.position(), noise);
        Ok(steps.iter().map(|&s| if trivial(s) { a.clone() } else { next() }).collect())
    }
}
