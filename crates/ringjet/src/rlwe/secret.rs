//! The secret key.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use ringjet_backend::Buf;
use ringjet_math::Basis;
use zeroize::Zeroizing;

use super::{Answers, KeyId};
use crate::rng::purpose::Purpose;
use crate::rng::{Seed, ternary};
use crate::{Context, Parameters, Result, host};

/// A uniform ternary secret. It is wiped when dropped, prints nothing, and lives in the client's memory only: no
/// type that goes to a server can hold one. Once used, it keeps its transform, of 8 N bytes for each limb of what was decrypted or encrypted,
/// in the memory of the client's backend.
pub struct SecretKey {
    params: Parameters,
    key: KeyId,
    coefficients: Zeroizing<Vec<i8>>,
    /// The last transform that [`SecretKey::transformed`] made.
    transformed: Mutex<Option<Arc<Transformed>>>,
    answers: Answers,
}

/// A secret in the evaluation domain, in a buffer that is wiped when dropped: the first limbs are those of any basis that this one
/// begins with.
struct Transformed {
    buf: Buf,
    basis: Basis,
}

impl SecretKey {
    /// A fresh secret from the operating system's randomness.
    pub fn generate(params: &Parameters) -> Result<Self> {
        Ok(Self::from_seed(params, &Seed::from_os()?))
    }

    /// The secret of a seed: the same seed and parameters give the same key, other parameters give one that has nothing to
    /// do with it. For reproducible tests; keep such seeds secret.
    pub fn from_seed(params: &Parameters, seed: &Seed) -> Self {
        let purpose = Purpose { kind: b"ringjet secret key", fingerprint: params.fingerprint(), key: KeyId::ANY };
        let seed = purpose.seed(seed);
        let mut coefficients = Zeroizing::new(vec![0; params.n()]);
        ternary(&seed.derive(b"ringjet secret coefficients", 0), &mut coefficients);
        Self::new(params, KeyId::of_secret(&seed), coefficients, 0)
    }

    fn new(params: &Parameters, key: KeyId, coefficients: Zeroizing<Vec<i8>>, answers: u64) -> Self {
        let (params, answers) = (params.clone(), Answers::after(answers));
        Self { params, key, coefficients, transformed: Mutex::default(), answers }
    }

    /// From `n` coefficients in {-1, 0, 1}, after so many shared decryptions; `None` for anything else.
    pub(crate) fn from_coefficients(
        params: &Parameters,
        key: KeyId,
        coefficients: Zeroizing<Vec<i8>>,
        answers: u64,
    ) -> Option<Self> {
        let valid = coefficients.len() == params.n() && coefficients.iter().all(|c| (-1..=1).contains(c));
        valid.then(|| Self::new(params, key, coefficients, answers))
    }

    /// The parameters.
    pub fn params(&self) -> &Parameters {
        &self.params
    }

    /// How many decryptions were shared under this key: by this object, and before it was written and read.
    pub fn answers_given(&self) -> u64 {
        self.answers.given()
    }

    pub(crate) fn answers(&self) -> &Answers {
        &self.answers
    }

    /// Its identity, which everything that belongs to it carries.
    pub fn key_id(&self) -> KeyId {
        self.key
    }

    /// What a seed is used for, of objects that belong to this secret.
    pub(crate) fn purpose(&self, kind: &'static [u8]) -> Purpose<'_> {
        Purpose { kind, fingerprint: self.params.fingerprint(), key: self.key }
    }

    pub(crate) fn coefficients(&self) -> &[i8] {
        &self.coefficients
    }

    /// Calls `f` with a buffer whose first limbs are the secret over `basis` in the evaluation domain. It is kept for the next call, as making it
    /// takes longer than a decryption with it; another backend or other primes replace it. A backend that only counts gets a new one, so
    /// that what it counts does not depend on what was before.
    pub(crate) fn transformed<R>(&self, ctx: &Context, basis: &Basis, f: impl FnOnce(&Buf) -> Result<R>) -> Result<R> {
        let begins =
            |t: &Transformed| t.basis.len() >= basis.len() && t.basis.values().zip(basis.values()).all(|(a, b)| a == b);
        let fits = |t: &&Arc<Transformed>| t.buf.owner() == ctx.backend().id() && begins(t);
        let kept = || self.transformed.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept().as_ref().filter(fits).cloned();
        if let Some(found) = found {
            return f(&found.buf);
        }
        let buf = ctx.small_poly(&self.coefficients, basis)?; // outside the lock: this takes milliseconds
        let made = Arc::new(Transformed { buf, basis: basis.clone() });
        // what was there is wiped outside the lock
        let before = host::values(ctx.backend(), || kept().replace(Arc::clone(&made)));
        drop(before);
        f(&made.buf)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ParamSpec;

    /// The transform is kept for bases that it begins with, and made anew for others and for other backends.
    #[test]
    fn a_transform_is_kept_while_it_fits() {
        let spec = ParamSpec { allow_insecure: true, ..ParamSpec::uniform(10, 40, 2, 30, 1) };
        let params = Parameters::new(&spec).unwrap();
        let secret = SecretKey::from_seed(&params, &Seed::from_bytes([7; 32]));
        let backend = || Arc::new(ringjet_cpu::CpuBackend::new(Default::default()).unwrap());
        let contexts = [(); 2].map(|()| Context::new(&params, backend()));
        let place = |ctx: &Context, basis: &Basis| {
            let words = |buf: &Buf| {
                let mut words = vec![0; basis.len() * params.n()];
                ctx.backend().download(buf, 0, &mut words).unwrap();
                words
            };
            let expected = words(&ctx.small_poly(secret.coefficients(), basis).unwrap());
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
