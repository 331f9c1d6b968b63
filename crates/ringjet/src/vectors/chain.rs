//! What schemes over a chain of primes have in common: encryption, and hoisted rotations.

use std::sync::Arc;

use ringjet_backend::{Buf, Coeff, View, ViewMut};
use ringjet_math::Basis;

use super::{Ciphertext, Evaluator, Operations, Plaintext, Vectors};
use crate::Result;
use crate::noise::ErrorTerm;
use crate::rlwe::keyswitch::{SwitchTail, SwitchingKey, apply, hoist, rotations};
use crate::rlwe::{ChainParameters, Context, PublicKey, SecretKey, encrypt_zero};
use crate::rng::Seed;

/// The parameters of a scheme whose ciphertexts are residues modulo the primes of a level.
pub trait ChainVectors: ChainParameters + Vectors<Key = SwitchingKey<Self>, Modulus = Basis> {
    /// The polynomials that stand for `plaintext` in the components of a ciphertext at
    /// [`Self::encrypted_at`], in the evaluation domain.
    fn message(ctx: &Context<Self>, plaintext: &Plaintext<Self>) -> Result<Arc<Buf>>;

    /// The position of a fresh ciphertext of a plaintext at `position`.
    fn encrypted_at(position: Self::Position) -> Self::Position;

    /// The error of a ciphertext that was encrypted with the secret key.
    fn fresh_secret(&self) -> ErrorTerm;

    /// The error of a ciphertext that was encrypted with the public key.
    fn fresh_public(&self) -> ErrorTerm;

    /// The error of a ciphertext that was encrypted with an unknown kind of key: the estimate of
    /// secret-key encryption, which is the smaller one, and a bound that holds for both kinds.
    fn fresh(&self) -> ErrorTerm {
        self.fresh_secret().or_bounds_of(self.fresh_public())
    }

    /// The primes of a ciphertext at `position`.
    fn basis_at(&self, position: Self::Position) -> &Basis {
        &self.level(Self::left(position)).basis
    }
}

impl<P: ChainVectors> SecretKey<P> {
    /// Encrypts at the plaintext's level, as `(m + e - a * s, a)`, for each component. The
    /// polynomials a are expanded from a public seed. The ciphertext keeps the seed, so its bytes
    /// hold one polynomial of a component only.
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
        let public = seed.derive_public(b"ringjet ciphertext a", 0);
        let components = params.components(position);
        let messages: Vec<_> = (0..components).map(|i| Some(message.view(components).poly(i))).collect();
        let buf = self.transformed(ctx, basis, |s| {
            let s = s.view(1).prefix(basis.len());
            encrypt_zero(ctx, basis, s, &public, (&seed, b"ringjet ciphertext e"), &messages)
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
        let (basis, components) = (params.basis_at(position), params.components(position));
        let buf = joined(ctx, components, 2, basis.len(), |i, mut dst| {
            let message = message.view(components).poly(i);
            let seed = if i == 0 { seed.clone() } else { seed.derive(b"ringjet component", i as u64) };
            if top {
                return self.encrypt_zero(ctx, dst, &seed, Some(message));
            }
            let mut zero = ctx.alloc(2 * params.limbs(params.top_level()))?;
            self.encrypt_zero(ctx, zero.view_mut(2), &seed, None)?;
            b.copy(dst.reborrow(), zero.view(2).prefix(basis.len()))?;
            Ok(b.lincomb(dst.poly(0), &[(Coeff::One, message)], basis, true)?)
        })?;
        let source = seed.derive_public(b"ringjet encryption source", 0).as_bytes()[0];
        let error = (params.fresh_public(), source);
        Ok(Ciphertext::fresh(plaintext, buf, position, error, range).with_key(self.key_id()))
    }

    /// Binds the seed to the uniform half of this public key, too: two public keys of one secret
    /// must not encrypt with the same errors.
    pub(crate) fn seed_for(&self, ctx: &Context<P>, plaintext: &Plaintext<P>, seed: &Seed) -> Result<Seed> {
        self.purpose().seed_of(seed, self.seed().as_bytes(), |out| plaintext.write_to(ctx, out))
    }
}

impl<P: ChainVectors> Ciphertext<P> {
    /// The same ciphertext with the error of a public-key encryption, as its noise is where it stands
    /// for one.
    pub(crate) fn publicly_encrypted(self) -> Self {
        let error = self.params().fresh_public();
        self.encrypted_with(error)
    }

    pub(crate) fn basis(&self) -> &Basis {
        self.params().basis_at(self.position())
    }
}

/// The polynomials of a ciphertext of `polys` polynomials a component: `fill` writes those of each
/// component.
pub(crate) fn joined<P: ChainVectors>(
    ctx: &Context<P>,
    components: usize,
    polys: usize,
    limbs: usize,
    fill: impl FnMut(usize, ViewMut<'_>) -> Result<()>,
) -> Result<Buf> {
    joined_into(ctx.alloc(components * polys * limbs)?, components, polys, fill)
}

/// Like [`joined`], in `buf`.
pub(crate) fn joined_into(
    mut buf: Buf,
    components: usize,
    polys: usize,
    mut fill: impl FnMut(usize, ViewMut<'_>) -> Result<()>,
) -> Result<Buf> {
    for i in 0..components {
        fill(i, buf.view_mut(components * polys).slice(i * polys, polys))?;
    }
    Ok(buf)
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
    joined(ctx, a.components(), 2, plans.basis.len(), |i, dst| {
        let part = a.component(i);
        let finish = SwitchTail { add: part.poly(0), division: &plans.mod_down, automorphism: Some(&automorphism) };
        apply(ctx, dst, &plans.mod_up, part.poly(1), level, key, finish)
    })
}

/// [`Operations::sum_plain`] of a scheme over a chain; the polynomials of `p` stand for the plaintext
/// in each component.
pub(crate) fn signed_sum<P: ChainVectors>(
    ctx: &Context<P>,
    a: &Ciphertext<P>,
    p: View<'_>,
    minus: bool,
) -> Result<Buf> {
    let sign = if minus { Coeff::MinusOne } else { Coeff::One };
    joined(ctx, a.components(), a.polys(), a.basis().len(), |i, mut dst| {
        ctx.backend().copy(dst.reborrow(), a.component(i))?;
        Ok(ctx.backend().lincomb(dst.poly(0), &[(sign, p.poly(i))], a.basis(), true)?)
    })
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
        let (level, components) = (P::left(a.position()), a.components());
        let alloc = || self.ctx.alloc(2 * components * a.basis().len());
        let mut turned = keys.iter().map(|_| alloc()).collect::<Result<Vec<_>>>()?;
        for i in 0..components {
            let part = a.component(i);
            let digits = hoist(&self.ctx, part.poly(1), level)?;
            let mut dst: Vec<_> = turned.iter_mut().map(|buf| buf.view_mut(2 * components).slice(2 * i, 2)).collect();
            rotations(&self.ctx, &mut dst, &digits, level, &keys, part.poly(0))?;
        }
        let mut turned = turned.into_iter().zip(&keys);
        let mut next = || {
            let (buf, &(galois, _)) = turned.next().expect("one for each key");
            self.result_like(a, buf, 2, a.position(), P::noise_after_rotation(a, galois)).everywhere()
        };
        Ok(steps.iter().map(|&s| if trivial(s) { a.clone() } else { next() }).collect())
    }
}
