//! The secret key, and the public encryption key.

use std::fmt;
use std::sync::{Arc, Mutex};

use ringjet_backend::{Buf, View, ViewMut};
use ringjet_math::Basis;
use ringjet_math::memory::zeros;
use zeroize::Zeroizing;

use super::{Answers, ChainParameters, Context, CountAnswers, KeyId, Purpose, SchemeParameters, encrypt_zero};
use crate::rng::{PublicSeed, Seed, gaussian, sparse_ternary, ternary};
use crate::{Error, Result, host};

/// A secret with coefficients in {-1, 0, 1}. It is wiped when dropped, prints nothing, and stays in
/// the client's memory: no type that goes to a server can hold it. In a scheme over a
/// [`Chain`](super::Chain) it keeps its last transform in the memory of the client's backend: 8 * N
/// bytes for each limb.
pub struct SecretKey<P> {
    params: P,
    key: KeyId,
    pub(crate) coefficients: Zeroizing<Vec<i8>>,
    /// The last transform that [`SecretKey::transformed`] made.
    transformed: Mutex<Option<Arc<Transformed>>>,
    pub(crate) answers: Answers,
}

/// A secret in the evaluation domain over a basis, in a buffer that is wiped when dropped.
struct Transformed {
    buf: Buf,
    basis: Basis,
}

impl<P: SchemeParameters> SecretKey<P> {
    /// A fresh secret from the operating system's randomness. Fails with [`crate::Error::Rng`].
    pub fn generate(params: &P) -> Result<Self> {
        Self::from_seed(params, &Seed::from_os()?)
    }

    /// The secret of a seed. The same seed and parameters give the same key; with other parameters
    /// the key is unrelated. For reproducible tests; keep such seeds secret. Fails with
    /// [`Error::SeveralParties`] where the parameters are for a secret that no single client has.
    pub fn from_seed(params: &P, seed: &Seed) -> Result<Self> {
        Self::expect_single(params)?;
        let ring = params.ring();
        let purpose = Purpose { kind: b"ringjet secret key", fingerprint: ring.fingerprint(), key: KeyId::ANY };
        let seed = purpose.seed(seed);
        Self::drawn(params, KeyId::of_secret(&seed), &seed)
    }

    /// Refuses parameters for a secret of several pieces.
    pub(crate) fn expect_single(params: &P) -> Result<()> {
        let pieces = params.pieces();
        if pieces == 1 { Ok(()) } else { Err(Error::SeveralParties { pieces }) }
    }

    /// The secret, or the piece of one, with the identity `key` whose coefficients expand from `seed`.
    pub(crate) fn drawn(params: &P, key: KeyId, seed: &Seed) -> Result<Self> {
        let mut coefficients = Zeroizing::new(zeros(params.ring().n())?);
        // how often a secret was drawn says nothing about the one that is kept
        for draw in 0.. {
            let seed = seed.derive(b"ringjet secret coefficients", draw);
            match params.secret_weight() {
                None => ternary(&seed, &mut coefficients),
                Some(weight) => sparse_ternary(&seed, weight as usize, &mut coefficients)
                    .expect("parameters have a weight from 1 to N"),
            }
            if params.accepts_secret(&coefficients)? {
                break;
            }
        }
        Ok(Self::from_coefficients(params, key, coefficients, 0))
    }

    /// The secret with these N coefficients, after `answers` shared decryptions.
    pub(crate) fn from_coefficients(params: &P, key: KeyId, coefficients: Zeroizing<Vec<i8>>, answers: u64) -> Self {
        let (params, answers) = (params.clone(), Answers::after(answers));
        Self { params, key, coefficients, transformed: Mutex::default(), answers }
    }

    /// The parameters.
    pub fn params(&self) -> &P {
        &self.params
    }

    /// How many decryptions were shared under this key, also before it was written and read.
    pub fn answers_given(&self) -> u64 {
        self.answers.given()
    }

    /// Counts answers with `count` from now on, which must begin at [`SecretKey::answers_given`] or
    /// above.
    pub fn keep_answers_in(&self, count: Arc<dyn CountAnswers>) {
        self.answers.keep_in(count);
    }

    /// The identity of the secret, which every object that belongs to it carries.
    pub fn key_id(&self) -> KeyId {
        self.key
    }

    /// The purpose of seeds for objects of this `kind` that belong to this secret.
    pub(crate) fn purpose(&self, kind: &'static [u8]) -> Purpose<'_> {
        Purpose { kind, fingerprint: self.params.ring().fingerprint(), key: self.key }
    }
}

impl<P: ChainParameters> SecretKey<P> {
    /// Calls `f` with a buffer whose first limbs are the secret over `basis` in the evaluation
    /// domain. The transform is kept for the next call, as making it takes longer than a
    /// decryption. Another backend or other primes replace it. A backend that only counts always
    /// gets a new one, so that its counts do not depend on earlier calls.
    pub(crate) fn transformed<R>(
        &self,
        ctx: &Context<P>,
        basis: &Basis,
        f: impl FnOnce(&Buf) -> Result<R>,
    ) -> Result<R> {
        let begins =
            |t: &Transformed| t.basis.len() >= basis.len() && t.basis.values().zip(basis.values()).all(|(a, b)| a == b);
        let fits = |t: &&Arc<Transformed>| t.buf.owner() == ctx.backend().id() && begins(t);
        let kept = || host::lock(&self.transformed);
        let found = kept().as_ref().filter(fits).cloned();
        if let Some(found) = found {
            return f(&found.buf);
        }
        let buf = ctx.small_poly(&self.coefficients, basis)?; // outside the lock: this takes milliseconds
        let made = Arc::new(Transformed { buf, basis: basis.clone() });
        // the transform that is replaced is wiped outside the lock
        let before = host::values(ctx.backend(), || kept().replace(Arc::clone(&made)));
        drop(before);
        f(&made.buf)
    }

    /// The secret over `P ++ Q` in the evaluation domain, in a buffer that is wiped when dropped.
    pub(crate) fn expanded(&self, ctx: &Context<P>) -> Result<Buf> {
        ctx.small_poly(&self.coefficients, self.params.extended())
    }

    /// The phase `c_0 + c_1 * s + c_2 * s^2` over `basis`, message plus error; c_2 may be absent.
    pub(crate) fn phase(&self, ctx: &Context<P>, ciphertext: View<'_>, basis: &Basis) -> Result<Buf> {
        let b = ctx.backend();
        // Horner: ((c_k * s) + c_(k-1)) * s + ... + c_0, where k is 1 or 2
        let copied = |i: usize| -> Result<Buf> {
            let mut out = ctx.alloc(basis.len())?.into_secret();
            b.copy(out.view_mut(1), ciphertext.poly(i))?;
            Ok(out)
        };
        let last = ciphertext.polys() - 1;
        self.transformed(ctx, basis, |s| {
            let s = s.view(1).prefix(basis.len());
            let mut sum = None;
            for i in (0..last).rev() {
                let mut out = copied(i)?;
                let factor = sum.as_ref().map_or(ciphertext.poly(last), |sum: &Buf| sum.view(1));
                b.mul(out.view_mut(1), factor, s, basis, true)?;
                sum = Some(out);
            }
            sum.map_or_else(|| copied(0), Ok)
        })
    }
}

impl<P: SchemeParameters> fmt::Debug for SecretKey<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}SecretKey({:?}, not shown)", P::PREFIX, self.params)
    }
}

/// `(b, a)` with `b = -a * s + e`, over `p_last ++ Q` or the scheme's own modulus. a has a seed.
#[derive(Clone)]
pub struct PublicKey<P> {
    params: P,
    key: KeyId,
    seed: PublicSeed,
    /// The two polynomials: b, a.
    buf: Arc<Buf>,
}

impl<P: SchemeParameters> PublicKey<P> {
    /// A public key with the two polynomials in `buf`; the second expands from `seed`.
    pub(crate) fn from_buf(ctx: &Context<P>, key: KeyId, seed: PublicSeed, buf: Buf) -> Self {
        Self { params: ctx.params().clone(), key, seed, buf: Arc::new(buf) }
    }

    pub(crate) fn view(&self) -> View<'_> {
        self.buf.view(2)
    }

    /// The parameters.
    pub fn params(&self) -> &P {
        &self.params
    }

    /// The identity of the secret that the key belongs to.
    pub fn key_id(&self) -> KeyId {
        self.key
    }

    /// The seed that the uniform polynomial a expands from.
    pub fn seed(&self) -> &PublicSeed {
        &self.seed
    }

    /// The purpose of seeds for encryptions with this key.
    pub(crate) fn purpose(&self) -> Purpose<'_> {
        let fingerprint = self.params.ring().fingerprint();
        Purpose { kind: b"ringjet public encryption", fingerprint, key: self.key }
    }
}

impl<P: ChainParameters> PublicKey<P> {
    /// Makes a public key of `secret`; each seed gives another one. Fails with
    /// [`crate::Error::ParameterMismatch`] and the backend's errors.
    pub fn generate(ctx: &Context<P>, secret: &SecretKey<P>, seed: &Seed) -> Result<Self> {
        let params = ctx.params();
        params.expect_same("secret key", secret.params())?;
        let basis = params.encryption_basis();
        let (limbs, k) = (basis.len(), params.p().len());
        let seed = secret.purpose(b"ringjet public key").seed(seed);
        let s = secret.expanded(ctx)?;
        let public = seed.derive_public(b"ringjet public key a", 0);
        let s = s.view(1).range(k - 1, limbs);
        let buf = encrypt_zero(ctx, &basis, s, &public, (&seed, b"ringjet public key e"), &[None])?;
        Ok(Self::from_buf(ctx, secret.key_id(), public, buf))
    }

    /// Writes an encryption of zero over Q_top, plus `message` if there is one, to `dst`. Over `p_last ++ Q_top` it
    /// is `v * (b, a) + (e_0, e_1)`; after the division by `p_last`, little more than rounding
    /// noise is left.
    pub(crate) fn encrypt_zero(
        &self,
        ctx: &Context<P>,
        dst: ViewMut<'_>,
        seed: &Seed,
        message: Option<View<'_>>,
    ) -> Result<()> {
        let (params, b) = (ctx.params(), ctx.backend());
        let basis = params.encryption_basis();
        let mut small = Zeroizing::new(zeros::<i8>(params.n())?);
        ternary(&seed.derive(b"ringjet encryption v", 0), &mut small);
        let v = ctx.small_poly(&small, &basis)?;
        let mut zero = ctx.alloc(2 * basis.len())?.into_secret();
        b.mul(zero.view_mut(2), v.view(1), self.view(), &basis, false)?;
        drop(v);

        // With x = v * (b, a) and [.] the centred remainder modulo p_last, the quotient of x + e is
        // (x - ([x + e] - e)) / p_last: the errors join the remainder and need no transform.
        let division = params.encryption_division()?;
        let (p, wide) = (&basis.select([0]), &division.plan.conv.conv.src);
        let mut last = ctx.alloc(2)?.into_secret();
        b.copy(last.view_mut(2), zero.view(2).prefix(1))?;
        b.intt(last.view_mut(2), p)?;
        let mut remainder = Zeroizing::new(zeros::<u64>(params.n())?);
        for part in 0..2 {
            gaussian(&seed.derive(b"ringjet encryption e", part as u64), &mut small);
            b.download(&last, part, &mut remainder)?;
            division.remainder(&mut remainder, &small);
            b.upload(&mut last, part, &remainder)?;
        }
        b.ntt(last.view_mut(2), wide)?;
        b.copy(zero.view_mut(2).prefix(1), last.view(2))?;

        Ok(b.divide_round(dst, zero.view(2), &division.plan, message)?)
    }
}

impl<P: SchemeParameters> fmt::Debug for PublicKey<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}PublicKey({:?})", P::PREFIX, self.params)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, ParamSpec, Parameters, SecretKey};

    /// The transform is kept for bases that it begins with, and made anew for others and for other backends.
    #[test]
    fn a_transform_is_kept_while_it_fits() {
        let spec = ParamSpec { allow_insecure: true, ..ParamSpec::uniform(10, 40, 2, 30, 1) };
        let params = Parameters::new(&spec).unwrap();
        let secret = SecretKey::from_seed(&params, &Seed::from_bytes([7; 32])).unwrap();
        let backend = || Arc::new(ringjet_cpu::CpuBackend::new(Default::default()).unwrap());
        let contexts = [(); 2].map(|()| Context::new(&params, backend()));
        let place = |ctx: &Context, basis: &Basis| {
            let words = |buf: &Buf| {
                let mut words = vec![0; basis.len() * params.n()];
                ctx.backend().download(buf, 0, &mut words).unwrap();
                words
            };
            let expected = words(&ctx.small_poly(&secret.coefficients, basis).unwrap());
            let check = |buf: &Buf| {
                assert!(words(buf) == expected);
                Ok((buf as *const Buf, buf.limbs()))
            };
            secret.transformed(ctx, basis, check).unwrap()
        };
        let (all, few, other) =
            (params.extended().prefix(3), params.extended().prefix(1), params.extended().select([1]));
        let small = place(&contexts[0], &few);
        let kept = place(&contexts[0], &all);
        assert_eq!((small.1, kept.1), (1, 3));
        assert_eq!(place(&contexts[0], &few), kept);
        assert_eq!(place(&contexts[0], &all), kept);
        assert_eq!(place(&contexts[1], &few).1, 1);
        assert_eq!(place(&contexts[1], &other).1, 1);
        assert_eq!(place(&contexts[0], &all).1, 3);
    }
}
