//! A parameter set bound to a backend, and the traits of parameter sets that this layer uses.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use ringjet_backend::uniform::SEGMENT;
use ringjet_backend::{Backend, Buf, Coeff, Meter, View};
use ringjet_math::embed::Coefficients;
use ringjet_math::memory::zeros;
use ringjet_math::ntt::{LOG_TILE, leaves_to_positions};
use ringjet_math::{Basis, Modulus, crt};
use zeroize::Zeroizing;

use super::{Chain, RaisingPlans, Ring};
use crate::rng::{PublicSeed, Seed, gaussian, stream_id, uniform_residues};
use crate::{Error, Result, steps};

/// Number of words of a tile.
const TILE: usize = 1 << LOG_TILE;

/// Number of segments of the uniform stream in a tile.
const SEGMENTS: u64 = (TILE / SEGMENT) as u64;
const _: () = assert!(TILE.is_multiple_of(SEGMENT), "a seed is expanded tile by tile");

/// The parameters of a scheme. Keys and vectors have them as type: schemes cannot be mixed.
pub trait SchemeParameters: Clone + fmt::Debug {
    /// Printed before the names of the scheme's objects.
    const PREFIX: &'static str = "";

    /// The ring of this parameter set.
    fn ring(&self) -> &Ring;

    /// How many independent secrets the secret is the sum of.
    fn pieces(&self) -> u32 {
        1
    }

    /// The highest level of messages; 0 in a scheme without levels.
    fn message_level(&self) -> usize {
        0
    }

    /// Non-zero coefficients of a secret; `None` if each coefficient is uniform in {-1, 0, 1}.
    fn secret_weight(&self) -> Option<u32> {
        None
    }

    /// Whether a key may have this secret. Most secrets are accepted; for the others another one is
    /// drawn. The scheme's bounds on noise may depend on it.
    fn accepts_secret(&self, _coefficients: &[i8]) -> Result<bool> {
        Ok(true)
    }
}

/// The parameters of a scheme whose polynomials are residues modulo the primes of a [`Chain`].
pub trait ChainParameters: SchemeParameters + Deref<Target = Chain> {
    /// The non-zero coefficients of an ephemeral secret, under which bootstrapping raises the
    /// modulus; `None` if the parameters do not bootstrap.
    fn ephemeral_weight(&self) -> Option<usize> {
        None
    }

    /// Plans that raise the modulus of the lowest level. Fails with [`Error::NoBootstrapping`] if
    /// the parameters do not bootstrap.
    fn raising(&self) -> Result<&RaisingPlans> {
        if self.ephemeral_weight().is_some() { Ok(self.raising_plans()) } else { Err(Error::no_bootstrapping(self)) }
    }

    /// Whether the keys that lead back from an ephemeral secret contain a matrix.
    fn has_matrix_keys(&self) -> bool {
        false
    }

    /// The basis and the number of the pairs `(b_d, a_d)` that lead back from an ephemeral secret:
    /// of keys that contain the matrix for `2^matrix` slots, or of a switching key.
    /// Fails with [`Error::NoBootstrapping`] if the parameters have no such keys, and for numbers of
    /// slots that cannot be bootstrapped.
    fn pairs_back(&self, matrix: Option<u32>) -> Result<(Basis, usize)> {
        match matrix {
            Some(log_slots) if self.has_matrix_keys() => {
                Ok((self.matrix_basis(), self.keyed_rotations(log_slots)?.len()))
            }
            None if self.ephemeral_weight().is_some() && !self.has_matrix_keys() => {
                let plan = self.key_plan(self.max_level());
                Ok((plan.extended.clone(), plan.beta()))
            }
            _ => Err(Error::no_bootstrapping(self)),
        }
    }

    /// The diagonals of that matrix for `2^log_slots` slots, by the rotations that they belong to. A matrix
    /// that is also followed by the sum of two halves of the slots has each diagonal twice.
    /// Fails with [`Error::NoBootstrapping`], and for numbers of slots that cannot be bootstrapped.
    fn keyed_rotations(&self, _log_slots: u32) -> Result<Vec<i64>> {
        Err(Error::no_bootstrapping(self))
    }

    /// The diagonals of [`ChainParameters::keyed_rotations`], encoded with the first special prime
    /// as a factor. Fails as that does.
    fn keyed_diagonals(&self, _log_slots: u32) -> Result<Vec<Coefficients>> {
        Err(Error::no_bootstrapping(self))
    }
}

/// Implements the common traits of a checked parameter set `$params(Arc<..>)`. It dereferences to
/// its field `$field`. Two sets are equal if their fingerprints are equal.
macro_rules! parameter_set {
    ($params:ident is $field:ident: $target:ty) => {
        impl std::ops::Deref for $params {
            type Target = $target;

            fn deref(&self) -> &$target {
                &self.0.$field
            }
        }

        impl PartialEq for $params {
            fn eq(&self, other: &Self) -> bool {
                self.fingerprint() == other.fingerprint()
            }
        }

        impl Eq for $params {}
    };
}
pub(crate) use parameter_set;

/// The form of switching keys in memory. Results are the same in both forms, bit for bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum KeyMemory {
    /// Both halves of each key are in memory, ready for use.
    #[default]
    Expanded,
    /// One half of each key is in memory, half the memory of the expanded form. The other half is
    /// expanded from a 32-byte seed at each use, for the level of that use. A use takes temporary
    /// memory of at most four expanded keys. Expansion with ChaCha20 takes longer than the rest of
    /// a key switch: `n15-boot` bootstraps in 2.3 s instead of 0.7 s on one core.
    Compressed,
}

impl KeyMemory {
    /// The number of polynomials in memory for each digit.
    pub(crate) fn polys(self) -> usize {
        if self == Self::Expanded { 2 } else { 1 }
    }
}

/// A parameter set bound to the backend that computes on it. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Context<P> {
    params: P,
    backend: Arc<dyn Backend>,
    key_memory: KeyMemory,
}

impl<P: SchemeParameters> Context<P> {
    /// Binds `params` to `backend`.
    pub fn new(params: &P, backend: Arc<dyn Backend>) -> Self {
        Self { params: params.clone(), backend, key_memory: KeyMemory::default() }
    }

    /// The same context with switching keys in this form. Results do not depend on the form.
    pub fn with_key_memory(self, key_memory: KeyMemory) -> Self {
        Self { key_memory, ..self }
    }

    /// The form in which switching keys that are made or read with this context are kept.
    pub fn key_memory(&self) -> KeyMemory {
        self.key_memory
    }

    /// The parameters.
    pub fn params(&self) -> &P {
        &self.params
    }

    /// The backend.
    pub fn backend(&self) -> &dyn Backend {
        &*self.backend
    }

    /// Attributes the work of the backend to the step `name` until the returned value is dropped, for its meter
    /// and for those who watch the thread ([`steps::watched`]).
    pub fn scope(&self, name: &'static str) -> Scope<'_> {
        let meter = self.backend.meter();
        meter.inspect(|meter| meter.enter(name));
        Scope { meter, watched: steps::enter(name).then_some(&*self.backend) }
    }

    /// Memory for `limbs` limbs; contents unspecified.
    pub(crate) fn alloc(&self, limbs: usize) -> Result<Buf> {
        Ok(self.backend.alloc(limbs, self.params.ring().n())?)
    }

    /// [`Backend::upload_each`]: fills limb `first + i` by `fill(worker, i, words)`, in parallel.
    pub(crate) fn upload_each(
        &self,
        buf: &mut Buf,
        first: usize,
        limbs: usize,
        fill: impl Fn(usize, usize, &mut [u64]) + Sync,
    ) -> Result<()> {
        Ok(self.backend.upload_each(buf, first, limbs, &fill)?)
    }
}

impl<P: ChainParameters> Context<P> {
    /// A polynomial with small coefficients, in the evaluation domain over `basis`. The buffer is wiped when dropped.
    pub(crate) fn small_poly(&self, coefficients: &[i8], basis: &Basis) -> Result<Buf> {
        let mut buf = self.alloc(basis.len())?.into_secret();
        self.small_poly_into(&mut buf, coefficients, basis)?;
        Ok(buf)
    }

    /// Like `small_poly`, into a buffer with as many limbs as `basis`.
    pub(crate) fn small_poly_into(&self, buf: &mut Buf, coefficients: &[i8], basis: &Basis) -> Result<()> {
        let fill = |_: usize, i: usize, limb: &mut [u64]| {
            let q = basis.modulus(i).value();
            for (o, &c) in limb.iter_mut().zip(coefficients) {
                // branch-free: adds q where c is negative
                *o = (i64::from(c) + (i64::from(c >> 7) & q as i64)) as u64;
            }
        };
        self.upload_each(buf, 0, basis.len(), fill)?;
        self.backend.ntt(buf.view_mut(1), basis)?;
        Ok(())
    }

    /// A polynomial without values, for backends that only count. The transform is counted.
    pub(crate) fn uncomputed_poly(&self, basis: &Basis) -> Result<Buf> {
        let mut buf = self.alloc(basis.len())?;
        self.backend.ntt(buf.view_mut(1), basis)?;
        Ok(buf)
    }

    /// A polynomial with integer coefficients, in the evaluation domain over `basis`.
    pub(crate) fn integer_poly(&self, coefficients: &Coefficients, basis: &Basis) -> Result<Buf> {
        match coefficients {
            Coefficients::I64(c) => self.reduced_poly(basis, |modulus, limb| crt::reduce_i64(c, modulus, limb)),
            Coefficients::I128(c) => self.words_poly(c, basis),
        }
    }

    pub(crate) fn words_poly(&self, coefficients: &[i128], basis: &Basis) -> Result<Buf> {
        self.reduced_poly(basis, |modulus, limb| crt::reduce_i128(coefficients, modulus, limb))
    }

    fn reduced_poly(&self, basis: &Basis, reduce: impl Fn(&Modulus, &mut [u64]) + Sync) -> Result<Buf> {
        let mut buf = self.alloc(basis.len())?;
        self.upload_each(&mut buf, 0, basis.len(), |_, i, limb| reduce(basis.modulus(i), limb))?;
        self.backend.ntt(buf.view_mut(1), basis)?;
        Ok(buf)
    }

    /// Writes polynomial `part` of `seed`, in the evaluation domain, into limbs `first..` of `buf`.
    pub(crate) fn expand_into(
        &self,
        buf: &mut Buf,
        first: usize,
        seed: &PublicSeed,
        part: u32,
        basis: &Basis,
    ) -> Result<()> {
        self.expand_limbs(buf, first, (seed, part), basis, 0..basis.len())
    }

    /// Like [`Context::expand_into`], for the limbs `limbs` of the polynomial only.
    pub(crate) fn expand_limbs(
        &self,
        buf: &mut Buf,
        first: usize,
        (seed, part): (&PublicSeed, u32),
        basis: &Basis,
        limbs: impl ExactSizeIterator<Item = usize>,
    ) -> Result<()> {
        let limbs: Vec<usize> = limbs.collect();
        let backend = self.backend();
        self.upload_each(buf, first, limbs.len(), |_, at, limb| {
            let stream = uniform_residues(seed, stream_id(part, limbs[at] as u32), basis.modulus(limbs[at]));
            // A seed gives the leaves in order. Tile by tile, so that they move within a cache.
            for (tile, words) in (0..).zip(limb.chunks_mut(TILE)) {
                backend.fill_uniform(&stream.from_segment(tile * SEGMENTS), words);
                leaves_to_positions(words);
            }
        })
    }
}

/// Encryptions of zero, `(e - a * s, a)` over `basis`, one for each message. A message is added to its
/// first polynomial. `s` is the secret over `basis`. All a expand from `public`; the seeds of e are derived
/// from `seed` under `label`.
pub(crate) fn encrypt_zero<P: ChainParameters>(
    ctx: &Context<P>,
    basis: &Basis,
    s: View<'_>,
    public: &PublicSeed,
    (seed, label): (&Seed, &'static [u8]),
    messages: &[Option<View<'_>>],
) -> Result<Buf> {
    let (b, limbs, polys) = (ctx.backend(), basis.len(), 2 * messages.len());
    let mut buf = ctx.alloc(polys * limbs)?;
    let mut errors = Zeroizing::new(zeros::<i8>(ctx.params().n())?);
    for (i, message) in messages.iter().enumerate() {
        ctx.expand_into(&mut buf, (2 * i + 1) * limbs, public, i as u32, basis)?;
        gaussian(&seed.derive(label, i as u64), &mut errors);
        let e = ctx.small_poly(&errors, basis)?;
        let mut product = ctx.alloc(limbs)?.into_secret();
        b.mul(product.view_mut(1), buf.view(polys).poly(2 * i + 1), s, basis, false)?;
        let mut terms = vec![(Coeff::One, e.view(1))];
        terms.extend(message.map(|m| (Coeff::One, m)));
        terms.push((Coeff::MinusOne, product.view(1)));
        b.lincomb(buf.view_mut(polys).poly(2 * i), &terms, basis, false)?;
    }
    Ok(buf)
}

/// A scope of [`Context::scope`], left when it is dropped.
pub struct Scope<'a> {
    meter: Option<&'a dyn Meter>,
    /// The backend, where the thread is watched.
    watched: Option<&'a dyn Backend>,
}

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Scope(metered: {}, watched: {})", self.meter.is_some(), self.watched.is_some())
    }
}

impl Drop for Scope<'_> {
    fn drop(&mut self) {
        self.meter.inspect(|meter| meter.leave());
        if let Some(backend) = self.watched {
            // a failure of queued work is reported by the next call that returns an error
            steps::leave(|| drop(backend.sync()));
        }
    }
}
