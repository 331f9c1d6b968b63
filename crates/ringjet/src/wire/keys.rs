//! Keys as bytes. Uniform halves are regenerated from seeds. A secret takes two bits a coefficient,
//! and no branch and no address depends on one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ringjet_backend::Buf;
use ringjet_backend::plan::ModUpPlan;
use ringjet_math::Basis;
use zeroize::Zeroizing;

use super::header::{CHECKSUM_LEN, HEADER_LEN, damaged, malformed, peek};
use super::keyset::{KeyBytes, total_of};
use super::object::{crc32, header_of, open};
use super::residues::{self, PolyModulus};
use super::{Body, Field, Input, Limits, Object, ParameterSet, Shape, Writer, as_bytes};
use crate::Result;
use crate::rlwe::keyswitch::{
    Encapsulation, Encapsulations, KeyMemory, KeyPlan, KeySizes, MatrixKeys, RELINEARIZATION, ReturnKeys, SwitchingKey,
};
use crate::rlwe::{ChainParameters, Context, KeyId, PublicKey, SchemeParameters, SecretKey};
use crate::rng::PublicSeed;

pub(crate) const SEED_LEN: usize = 32;

as_bytes!({P: ParameterSet} PublicKey<P>, P);
as_bytes!({P: ChainParameters + ParameterSet} SwitchingKey<P>, P);

impl<P: Shape> Body for PublicKey<P> {
    const OBJECT: Object = Object::PublicKey;

    fn body_len(&self) -> usize {
        SEED_LEN + self.params().public_modulus().poly_len(self.params())
    }

    fn write_body(&self, ctx: &Context<P>, w: &mut Writer<'_>) -> Result<()> {
        self.seed().write(w)?;
        residues::write(ctx, w, self.view().poly(0), &self.params().public_modulus())
    }

    fn read_body(ctx: &Context<P>, key: KeyId, r: &mut impl Input) -> Result<Self> {
        let modulus = ctx.params().public_modulus();
        let seed = PublicSeed::read(r)?;
        r.expect_remaining(modulus.poly_len(ctx.params()))?;
        let buf = read_halves(ctx, r, &seed, &modulus, 1, KeyMemory::Expanded)?;
        Ok(Self::from_buf(ctx, key, seed, buf))
    }
}

impl<P: ChainParameters + ParameterSet> Body for SwitchingKey<P> {
    const OBJECT: Object = Object::SwitchingKey;

    fn body_len(&self) -> usize {
        switching_key_len(self.params(), self.level, self.seed.is_some())
    }

    fn write_body(&self, ctx: &Context<P>, w: &mut Writer<'_>) -> Result<()> {
        self.level.write(w)?;
        self.seed.write(w)?;
        let basis = &self.params().key_plan(self.level).extended;
        self.stored().try_for_each(|poly| residues::write(ctx, w, poly, basis))
    }

    fn read_body(ctx: &Context<P>, key: KeyId, r: &mut impl Input) -> Result<Self> {
        let (params, here) = (ctx.params(), r.offset());
        let level = usize::read(r)?;
        if level > params.max_level() {
            let reason = format!("a key for level {level}, above the highest level {}", params.max_level());
            return Err(r.malformed_at(here, reason));
        }
        let (seed, plan) = (Option::<PublicSeed>::read(r)?, params.key_plan(level));
        let buf = match &seed {
            Some(seed) => read_halves(ctx, r, seed, &plan.extended, plan.beta(), ctx.key_memory())?,
            None => read_polys(ctx, r, &plan.extended, 2 * plan.beta())?,
        };
        Ok(Self::new(ctx, key, seed, buf, level))
    }
}

impl<P: ChainParameters + ParameterSet> KeyBytes for SwitchingKey<P> {
    fn encapsulation_len(params: &P, matrix: Option<u32>) -> Result<usize> {
        let (basis, count) = params.pairs_back(matrix)?;
        let mod_up = &params.raising()?.mod_up;
        let to_sparse = SEED_LEN + mod_up.beta() * mod_up.extended.poly_len(params);
        // 4 for log2 of the number of slots, or 5 for the level of a switching key and the mark of its seed
        Ok(to_sparse + 4 + usize::from(matrix.is_none()) + SEED_LEN + count * basis.poly_len(params))
    }

    fn write_encapsulation(
        ctx: &Context<P>,
        matrix: Option<u32>,
        keys: &Encapsulation<Self>,
        w: &mut Writer<'_>,
    ) -> Result<()> {
        if let Some(log_slots) = matrix {
            log_slots.write(w)?;
        }
        let plan = &ctx.params().raising()?.mod_up;
        keys.seed.write(w)?;
        for d in 0..plan.beta() {
            residues::write(ctx, w, keys.to_sparse.view(2 * plan.beta()).poly(2 * d), &plan.extended)?;
        }
        match &keys.back {
            ReturnKeys::Switch(key) => key.write_body(ctx, w),
            ReturnKeys::Matrix(keys) => {
                keys.seed.write(w)?;
                let basis = ctx.params().matrix_basis();
                (0..keys.count()).try_for_each(|d| residues::write(ctx, w, keys.b(d), &basis))
            }
        }
    }

    fn read_encapsulation(
        ctx: &Context<P>,
        key: KeyId,
        all: &mut Encapsulations<Self>,
        r: &mut impl Input,
    ) -> Result<()> {
        let (params, here) = (ctx.params(), r.offset());
        let Ok(raising) = params.raising() else {
            return Err(r.malformed("keys of an ephemeral secret, and parameters that do not bootstrap"));
        };
        let matrix = if params.has_matrix_keys() { Some(u32::read(r)?) } else { None };
        let pairs = params.pairs_back(matrix);
        let (basis, count) = pairs.map_err(|e| r.malformed_at(here, format!("keys that contain a matrix: {e}")))?;
        if all.last_key_value().is_some_and(|(last, _)| matrix <= *last) {
            return Err(r.malformed_at(here, "the keys of an ephemeral secret are out of order"));
        }
        let (seed, plan) = (PublicSeed::read(r)?, &raising.mod_up);
        let to_sparse = read_halves(ctx, r, &seed, &plan.extended, plan.beta(), KeyMemory::Expanded)?;
        let here = r.offset();
        let back = if matrix.is_some() {
            let seed = PublicSeed::read(r)?;
            let buf = read_halves(ctx, r, &seed, &basis, count, ctx.key_memory())?;
            ReturnKeys::Matrix(MatrixKeys::new(ctx, count, seed, buf))
        } else {
            let key = Self::read_body(ctx, key, r)?;
            if key.level != params.max_level() {
                return Err(r.malformed_at(here, "the key from the ephemeral secret serves the highest level"));
            }
            ReturnKeys::Switch(key)
        };
        all.insert(matrix, Encapsulation { to_sparse: Arc::new(to_sparse), seed, back });
        Ok(())
    }
}

impl KeySizes {
    /// The sizes of switching keys by Galois element and highest level, and of the keys of ephemeral secrets.
    /// Fails with [`crate::Error::NoBootstrapping`].
    pub(crate) fn of<P: ChainParameters + ParameterSet>(
        params: &P,
        elements: &BTreeMap<u32, usize>,
        ephemeral: &BTreeSet<Option<u32>>,
    ) -> Result<Self> {
        let bytes = |pairs: usize, basis: &Basis| (8 * params.n() * pairs * basis.len()) as u64;
        let half = |plan: &ModUpPlan| bytes(plan.beta(), &plan.extended);
        let mut halves: u64 = elements.values().map(|&level| half(params.key_plan(level))).sum();
        let seeded = |element: u32| params.pieces() == 1 || element != RELINEARIZATION;
        // without a seed both halves are kept
        let kept = elements.iter().filter(|&(&element, _)| !seeded(element));
        let kept: u64 = kept.map(|(_, &level)| half(params.key_plan(level))).sum();
        let mut to_sparse = 0;
        let length = |(&element, &level)| 4 + switching_key_len(params, level, seeded(element));
        let mut lengths: Vec<usize> = elements.iter().map(length).collect();
        for &matrix in ephemeral {
            let (basis, count) = params.pairs_back(matrix)?;
            halves += bytes(count, &basis);
            to_sparse += 2 * half(&params.raising()?.mod_up); // always expanded
            lengths.push(SwitchingKey::encapsulation_len(params, matrix)?);
        }
        Ok(Self {
            count: elements.len() + 2 * ephemeral.len(),
            bytes_at_rest: total_of(lengths),
            memory_bytes: to_sparse + 2 * halves,
            compressed_memory_bytes: to_sparse + halves + kept,
        })
    }
}

impl KeyPlan {
    /// The sizes of the keys that [`SecretKey::evaluation_keys`](crate::SecretKey::evaluation_keys) makes by this plan.
    ///
    /// # Errors
    /// [`crate::Error::NoSuchLevel`] and [`crate::Error::NoBootstrapping`] for a plan that was made for other parameters.
    pub fn sizes<P: ChainParameters + ParameterSet>(&self, params: &P) -> Result<KeySizes> {
        KeySizes::of(params, &self.levels(params)?, self.ephemeral())
    }
}

/// `seeded`: whether the uniform polynomials expand from a seed.
fn switching_key_len(params: &impl ChainParameters, level: usize, seeded: bool) -> usize {
    let polys = params.digits(level) * if seeded { 1 } else { 2 };
    4 + 1 + if seeded { SEED_LEN } else { 0 } + polys * params.key_plan(level).extended.poly_len(params)
}

/// Reads polynomials, one after the other.
pub(crate) fn read_polys<P: SchemeParameters, M: PolyModulus<P>>(
    ctx: &Context<P>,
    r: &mut impl Input,
    modulus: &M,
    polys: usize,
) -> Result<Buf> {
    r.expect_at_least(polys * modulus.poly_len(ctx.params()))?;
    let (mut buf, limbs) = (modulus.alloc(ctx, polys)?, modulus.widths().len());
    (0..polys).try_for_each(|i| residues::read(ctx, r, &mut buf, i * limbs, modulus))?;
    Ok(buf)
}

/// Reads b_d for each digit d. For an expanded key, each a_d is expanded from `seed` as well.
pub(crate) fn read_halves<P: SchemeParameters, M: PolyModulus<P>>(
    ctx: &Context<P>,
    r: &mut impl Input,
    seed: &PublicSeed,
    modulus: &M,
    digits: usize,
    memory: KeyMemory,
) -> Result<Buf> {
    r.expect_at_least(digits * modulus.poly_len(ctx.params()))?;
    let (polys, limbs) = (memory.polys(), modulus.widths().len());
    let mut buf = modulus.alloc(ctx, polys * digits)?;
    for d in 0..digits {
        residues::read(ctx, r, &mut buf, polys * d * limbs, modulus)?;
        if memory == KeyMemory::Expanded {
            modulus.expand(ctx, &mut buf, (polys * d + 1) * limbs, seed, d as u32)?;
        }
    }
    Ok(buf)
}

const ANSWERS_LEN: usize = 8;

/// The identity of the secret key in `bytes`, which are its wire format, and the count of answers
/// in them. Fails with [`Error::Malformed`](crate::Error::Malformed).
pub fn secret_answers(bytes: &[u8]) -> Result<(KeyId, u64)> {
    let what = Object::SecretKey;
    let header = peek(bytes)?;
    let tail = bytes.last_chunk::<{ ANSWERS_LEN + CHECKSUM_LEN }>();
    let (true, Some(tail)) = (header.kind.object == what && header.bytes == bytes.len() as u64, tail) else {
        return Err(malformed(what.name(), 0, "these are other bytes than those of one secret key"));
    };
    let end = bytes.len() - CHECKSUM_LEN;
    if tail[ANSWERS_LEN..] != crc32(&bytes[..end]).to_le_bytes() {
        return Err(damaged(what.name(), end));
    }
    let count = tail.first_chunk().expect("the tail is longer than the count");
    Ok((header.key, u64::from_le_bytes(*count)))
}

/// Replaces the count of answers in the wire format of a secret key. Fails with
/// [`Error::Malformed`](crate::Error::Malformed).
pub fn set_secret_answers(bytes: &mut [u8], answers: u64) -> Result<()> {
    secret_answers(bytes)?;
    let end = bytes.len() - CHECKSUM_LEN;
    bytes[end - ANSWERS_LEN..end].copy_from_slice(&answers.to_le_bytes());
    let checksum = crc32(&bytes[..end]);
    bytes[end..].copy_from_slice(&checksum.to_le_bytes());
    Ok(())
}

impl<P: ParameterSet> SecretKey<P> {
    /// The key in the wire format, in memory that is wiped when dropped. **Whoever has these bytes reads everything that was
    /// ever encrypted under this key.** They are not encrypted and not authenticated: where they are stored is up to the
    /// caller.
    pub fn to_secret_bytes(&self) -> Zeroizing<Vec<u8>> {
        let header =
            header_of(Object::SecretKey, self.params(), self.key_id(), self.coefficients.len() / 4 + ANSWERS_LEN);
        // of the final size from the start: a vector that grows leaves copies behind
        let mut out = Zeroizing::new(Vec::with_capacity(header.bytes as usize));
        out.extend_from_slice(&header.encode());
        let pack = |four: &[i8; 4]| four.iter().rev().fold(0, |byte, &c| byte << 2 | (c as u8 & 3));
        out.extend(self.coefficients.as_chunks::<4>().0.iter().map(pack));
        out.extend_from_slice(&self.answers_given().to_le_bytes());
        let checksum = crc32(&out);
        out.extend_from_slice(&checksum.to_le_bytes());
        out
    }

    /// Reads what `to_secret_bytes` wrote, and nothing else.
    ///
    /// # Errors
    /// [`ParameterMismatch`](crate::Error::ParameterMismatch) for a key of other parameters;
    /// [`Malformed`](crate::Error::Malformed), also for another weight than that of the parameters, and for a secret of
    /// BGV or BFV that is larger than bounds on noise allow;
    /// [`OldVersion`](crate::Error::OldVersion), [`NewerVersion`](crate::Error::NewerVersion),
    /// [`TooManyBytes`](crate::Error::TooManyBytes).
    pub fn from_secret_bytes(params: &P, bytes: &[u8], limits: Limits) -> Result<Self> {
        Self::expect_single(params)?;
        let n = params.ring().n();
        let (header, mut r) = open(Object::SecretKey, params, bytes, limits)?;
        let refuse = |reason: String| Err(malformed(Object::SecretKey.name(), HEADER_LEN, reason));
        r.expect_remaining(n / 4 + ANSWERS_LEN)?;
        let mut coefficients = Zeroizing::new(vec![0i8; n]);
        let (mut invalid, mut weight) = (0, 0);
        for (byte, out) in r.next(n / 4)?.iter().zip(coefficients.as_chunks_mut::<4>().0) {
            for (i, out) in out.iter_mut().enumerate() {
                let pair = byte >> (2 * i) & 3;
                invalid |= pair >> 1 & !pair; // 2 is no coefficient
                weight += u32::from(pair & 1);
                *out = ((pair << 6) as i8) >> 6;
            }
        }
        let answers = u64::read(&mut r)?;
        if invalid & 1 == 1 {
            return refuse("a coefficient is none of -1, 0, 1".into());
        }
        match params.secret_weight() {
            Some(expected) if expected != weight => {
                refuse(format!("the secret has not {expected} non-zero coefficients"))
            }
            _ if !params.accepts_secret(&coefficients)? => {
                refuse("the secret is larger than the bounds on noise allow: no key of this library has it".into())
            }
            _ => Ok(Self::from_coefficients(params, header.key, coefficients, answers)),
        }
    }
}
