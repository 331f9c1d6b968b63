//! One switching key, how it is kept, and its application (Algorithms KeySwitch, ModUp and
//! ModDown of de Castro et al., ePrint 2021/1636).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use ringjet_backend::plan::{AutomorphismPlan, DivisionPlan, ModUpPlan};
use ringjet_backend::{Buf, HoistedRotations, KeySwitch, KeySwitchInput, View, ViewMut};

use super::{KeyAt, MatrixKeys};
use crate::rlwe::{ChainParameters, Context, KeyId, KeyMemory, RaisingPlans, SchemeParameters};
use crate::rng::PublicSeed;
use crate::{Error, Result};

/// A scheme's switching key.
pub trait Key: Clone {
    /// The scheme's parameters.
    type Params: SchemeParameters;

    /// The highest level at which the key can be used; 0 in schemes without levels.
    fn level(&self) -> usize;

    /// Bytes in memory.
    fn memory_bytes(&self) -> usize;

    /// The key cut to use up to `level`, if that makes it smaller, and if it is a part of this key.
    fn up_to(&self, level: usize) -> Result<Self>;

    /// A key for levels up to `level`, or for all levels, with the right shape and no values.
    fn uncomputed(ctx: &Context<Self::Params>, level: Option<usize>) -> Result<Self>;

    /// The keys of an ephemeral secret, without values; `None` if the parameters have no such keys.
    /// `matrix` is the binary logarithm of the number of slots for which they contain a matrix.
    fn uncomputed_encapsulation(
        _: &Context<Self::Params>,
        _matrix: Option<u32>,
    ) -> Result<Option<Encapsulation<Self>>> {
        Ok(None)
    }
}

/// The keys of ephemeral secrets. A secret whose keys contain a matrix has the binary logarithm of
/// the number of slots; one whose keys serve every number of slots has `None`.
pub(crate) type Encapsulations<K> = BTreeMap<Option<u32>, Encapsulation<K>>;

/// Keys from the secret to an ephemeral sparse secret, under which the modulus is raised, and back
/// (sparse-secret encapsulation, Bossuat, Troncoso-Pastoriza and Hubaux, ePrint 2022/024).
#[derive(Clone)]
pub struct Encapsulation<K: Key> {
    /// `(b_d, a_d)` over one special prime and Q_0, under the sparse secret: small, and always
    /// expanded.
    pub(crate) to_sparse: Arc<Buf>,
    pub(crate) seed: PublicSeed,
    pub(crate) back: ReturnKeys<K>,
}

/// The keys from the sparse secret back to the main secret, at the highest level.
#[derive(Clone)]
pub(crate) enum ReturnKeys<K: Key> {
    /// A switching key.
    Switch(K),
    /// Keys that contain the first matrix of CoeffsToSlots for one number of slots.
    Matrix(MatrixKeys<K::Params>),
}

impl<K: Key> Encapsulation<K> {
    /// Bytes in memory in a ring of degree `n`.
    pub(crate) fn memory_bytes(&self, n: usize) -> usize {
        let back = match &self.back {
            ReturnKeys::Switch(key) => key.memory_bytes(),
            ReturnKeys::Matrix(keys) => keys.memory_bytes(),
        };
        self.to_sparse.limbs() * n * 8 + back
    }
}

/// A switching key in the evaluation domain: for each digit d, `(b_d, a_d)` over `P ++ Q_l`, where
/// l is the key's highest level and `b_d = -a_d * s_to + e_d + g_d * s_from`. `g_d` is P on the
/// digit's primes and 0 elsewhere (hybrid key switching, Han and Ki, ePrint 2019/688). The `a_d`
/// are regenerated from 32 bytes, but for relinearisation keys that several parties made: those are sums of
/// messages.
#[derive(Clone)]
pub struct SwitchingKey<P> {
    /// The context that the key belongs to; a compressed key is expanded there.
    ctx: Context<P>,
    key: KeyId,
    memory: KeyMemory,
    /// The seed of all a_d; `None` where they have none, and the key is always expanded.
    pub(crate) seed: Option<PublicSeed>,
    /// b_0, a_0, b_1, a_1, ... in an expanded key; b_0, b_1, ... in a compressed key.
    buf: Arc<Buf>,
    /// The highest level at which the key can be used.
    pub(crate) level: usize,
}

impl<P: ChainParameters> SwitchingKey<P> {
    pub(crate) fn new(ctx: &Context<P>, key: KeyId, seed: Option<PublicSeed>, buf: Buf, level: usize) -> Self {
        let memory = seed.map_or(KeyMemory::Expanded, |_| ctx.key_memory());
        Self { ctx: ctx.clone(), key, memory, seed, buf: Arc::new(buf), level }
    }

    pub(crate) fn params(&self) -> &P {
        self.ctx.params()
    }

    /// The identity of the secret that ciphertexts have after the switch.
    pub fn key_id(&self) -> KeyId {
        self.key
    }

    /// The highest level at which the key can be used.
    pub fn level(&self) -> usize {
        self.level
    }

    /// Whether the key is expanded or compressed in memory.
    pub fn memory(&self) -> KeyMemory {
        self.memory
    }

    pub(crate) fn digits(&self) -> usize {
        self.params().digits(self.level)
    }

    fn view(&self) -> View<'_> {
        self.buf.view(self.memory.polys() * self.digits())
    }

    /// The polynomial b_d of digit d.
    pub(crate) fn b(&self, d: usize) -> View<'_> {
        self.view().poly(self.memory.polys() * d)
    }

    /// The polynomials that bytes hold: b_d of each digit d, and a_d after it where it has no seed.
    pub(crate) fn stored(&self) -> impl Iterator<Item = View<'_>> {
        let step = if self.seed.is_some() { self.memory.polys() } else { 1 };
        (0..self.memory.polys() * self.digits()).step_by(step).map(|i| self.view().poly(i))
    }

    /// The key for use at `level`. A compressed key stays expanded while the returned value lives.
    pub(crate) fn at(&self, level: usize) -> Result<KeyAt<'_>> {
        if self.level < level {
            return Err(Error::KeyLevel { level, key_level: self.level });
        }
        let (plans, k) = (self.params().level(level), self.params().p().len());
        let chosen = self.params().chosen_limbs(&self.params().key_primes(self.level), level);
        let chosen: Option<Vec<usize>> = chosen.map(|c| (0..k).chain(c.iter().map(|i| k + i)).collect());
        let (beta, limbs) = (plans.mod_up.beta(), plans.extended.len());
        Ok(match self.memory {
            KeyMemory::Expanded => KeyAt::Kept { view: self.view().slice(0, 2 * beta), limbs, chosen },
            KeyMemory::Compressed => {
                let chosen = chosen.unwrap_or_else(|| (0..limbs).collect());
                let without = || Error::argument("key", "compressed", "one with a seed");
                let seed = self.seed.as_ref().ok_or_else(without)?;
                KeyAt::Made(self.expand(seed, beta, &chosen)?, 2 * beta)
            }
        })
    }

    /// The polynomials b_d and a_d of the first `beta` digits, over these limbs.
    fn expand(&self, seed: &PublicSeed, beta: usize, limbs: &[usize]) -> Result<Buf> {
        let (ctx, basis) = (&self.ctx, &self.params().key_plan(self.level).extended);
        let mut buf = ctx.alloc(2 * beta * limbs.len())?;
        for d in 0..beta {
            ctx.backend().copy(buf.view_mut(2 * beta).poly(2 * d), self.b(d).choose(limbs))?;
            let first = (2 * d + 1) * limbs.len();
            ctx.expand_limbs(&mut buf, first, (seed, d as u32), basis, limbs.iter().copied())?;
        }
        Ok(buf)
    }

    pub(crate) fn in_memory_form(&self, memory: KeyMemory) -> Result<Self> {
        let (Some(seed), true) = (&self.seed, memory != self.memory) else { return Ok(self.clone()) };
        let (digits, limbs) = (self.digits(), self.b(0).limbs());
        let buf = match memory {
            KeyMemory::Expanded => self.expand(seed, digits, &(0..limbs).collect::<Vec<_>>())?,
            KeyMemory::Compressed => {
                let mut buf = self.ctx.alloc(digits * limbs)?;
                for d in 0..digits {
                    self.ctx.backend().copy(buf.view_mut(digits).poly(d), self.b(d))?;
                }
                buf
            }
        };
        Ok(Self { memory, buf: Arc::new(buf), ..self.clone() })
    }
}

impl<P: ChainParameters> Key for SwitchingKey<P> {
    type Params = P;

    fn level(&self) -> usize {
        self.level
    }

    fn memory_bytes(&self) -> usize {
        self.buf.limbs() * self.params().n() * 8
    }

    fn up_to(&self, level: usize) -> Result<Self> {
        let params = self.params();
        // the places of the primes decide what the seed gives for them
        let part = level < self.level && params.key_primes(self.level).starts_with(&params.key_primes(level));
        if !part {
            return Ok(self.clone());
        }
        let (plan, polys) = (params.key_plan(level), self.memory.polys());
        let (digits, limbs) = (polys * plan.beta(), plan.extended.len());
        let mut buf = self.ctx.alloc(digits * limbs)?;
        self.ctx.backend().copy(buf.view_mut(digits), self.view().slice(0, digits).prefix(limbs))?;
        Ok(Self { buf: Arc::new(buf), level, ..self.clone() })
    }

    fn uncomputed(ctx: &Context<P>, level: Option<usize>) -> Result<Self> {
        let top = ctx.params().max_level();
        let level = level.unwrap_or(top);
        if level > top {
            return Err(Error::NoSuchLevel { level, top });
        }
        let shape = ctx.params().key_plan(level);
        let buf = ctx.alloc(ctx.key_memory().polys() * shape.beta() * shape.extended.len())?;
        Ok(Self::new(ctx, KeyId::ANY, Some(PublicSeed::from_bytes([0; 32])), buf, level))
    }

    fn uncomputed_encapsulation(ctx: &Context<P>, matrix: Option<u32>) -> Result<Option<Encapsulation<Self>>> {
        let Ok((basis, count)) = ctx.params().pairs_back(matrix) else { return Ok(None) };
        let RaisingPlans { mod_up, .. } = ctx.params().raising()?;
        let to_sparse = Arc::new(ctx.alloc(2 * mod_up.beta() * mod_up.extended.len())?);
        let back = match matrix {
            None => ReturnKeys::Switch(Self::uncomputed(ctx, None)?),
            Some(_) => ReturnKeys::Matrix(MatrixKeys::uncomputed(ctx, &basis, count)?),
        };
        Ok(Some(Encapsulation { to_sparse, seed: PublicSeed::from_bytes([0; 32]), back }))
    }
}

impl<P: ChainParameters> fmt::Debug for SwitchingKey<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (digits, limbs) = (self.digits(), self.b(0).limbs());
        write!(
            f,
            "{}SwitchingKey({digits} digits of {limbs} limbs, up to level {}, {:?})",
            P::PREFIX,
            self.level,
            self.memory
        )
    }
}

/// The last steps of a key switch: addition, division, and automorphism if there is one.
#[derive(Clone, Copy)]
pub(crate) struct SwitchTail<'a> {
    /// The polynomials that are added before the division, multiplied by `p_residues` of the plan.
    pub(crate) add: View<'a>,
    /// The division by P, or by P and the last prime.
    pub(crate) division: &'a DivisionPlan,
    /// An automorphism of the result, in the evaluation domain.
    pub(crate) automorphism: Option<&'a AutomorphismPlan>,
}

/// `<digits of x, key>` divided by P, with the steps of `finish`: the two polynomials of `dst`.
/// `mod_up` is a plan of `level`.
pub(crate) fn apply<P: ChainParameters>(
    ctx: &Context<P>,
    dst: ViewMut<'_>,
    mod_up: &ModUpPlan,
    x: View<'_>,
    level: usize,
    key: &SwitchingKey<P>,
    finish: SwitchTail<'_>,
) -> Result<()> {
    let SwitchTail { add, division, automorphism } = finish;
    let key = key.at(level)?;
    let input = KeySwitchInput::Polynomial(x);
    let switch = KeySwitch { input, key: key.view(), mod_up, division, add: Some(add), automorphism };
    Ok(ctx.backend().key_switch(dst, &switch)?)
}

/// Rotates one ciphertext with each key, like [`apply`], into `dst`. `digits` are its digits from
/// [`hoist`]; `add` is added before the division by P. Compressed keys are expanded one at a time to
/// bound memory.
pub(crate) fn rotations<P: ChainParameters>(
    ctx: &Context<P>,
    dst: &mut [ViewMut<'_>],
    digits: &Buf,
    level: usize,
    keys: &[(u32, &SwitchingKey<P>)],
    add: View<'_>,
) -> Result<()> {
    let plans = ctx.params().level(level);
    let (mod_up, division) = (&plans.mod_up, &plans.mod_down);
    let digits = digits.view(mod_up.beta());
    let kept = keys.iter().all(|(_, key)| key.memory() == KeyMemory::Expanded);
    let keys_per_call = if kept { keys.len().max(1) } else { 1 };
    for (dst, keys) in dst.chunks_mut(keys_per_call).zip(keys.chunks(keys_per_call)) {
        let plans: Vec<_> = keys.iter().map(|&(galois, _)| ctx.params().automorphism(galois)).collect();
        let keys = keys.iter().map(|(_, key)| key.at(level)).collect::<Result<Vec<_>>>()?;
        let rotations: Vec<_> = keys.iter().zip(&plans).map(|(key, plan)| (key.view(), &**plan)).collect();
        let rotations = HoistedRotations { digits, mod_up, division, add, rotations: &rotations };
        ctx.backend().hoisted_rotations(dst, &rotations)?;
    }
    Ok(())
}

/// The digits of `x` over `P ++ Q_l` at level l, for use with several keys (hoisting).
pub(crate) fn hoist<P: ChainParameters>(ctx: &Context<P>, x: View<'_>, level: usize) -> Result<Buf> {
    let plans = ctx.params().level(level);
    let beta = plans.mod_up.beta();
    let mut digits = ctx.alloc(beta * plans.extended.len())?;
    ctx.backend().mod_up(digits.view_mut(beta), x, &plans.mod_up)?;
    Ok(digits)
}
