//! Keys as bytes. Uniform halves are regenerated from seeds. A secret takes two bits a coefficient,
//! and no branch and no address depends on one.

use std::collections::BTreeSet;
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
    Encapsulation, Encapsulations, KeyMemory, KeyPlan, KeySizes, MatrixKeys, ReturnKeys, SwitchingKey,
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
        switching_key_len(self.params(), self.level)
    }

    fn write_body(&self, ctx: &Context<P>, w: &mut Writer<'_>) -> Result<()> {
        self.level.write(w)?;
        self.seed.write(w)?;
        let basis = &self.params().key_plan(self.level).extended;
        (0..self.digits()).try_for_each(|d| residues::write(ctx, w, self.b(d), basis))
    }

    fn read_body(ctx: &Context<P>, key: KeyId, r: &mut impl Input) -> Result<Self> {
        let (params, here) = (ctx.params(), r.offset());
        let level = usize::read(r)?;
        if level > params.max_level() {
            let reason = format!("a key for level {level}, above the highest level {}", params.max_level());
            return Err(r.malformed_at(here, reason));
        }
        let (seed, plan) = (PublicSeed::read(r)?, params.key_plan(level));
        let buf = read_halves(ctx, r, &seed, &plan.extended, plan.beta(), ctx.key_memory())?;
        Ok(Self::new(ctx, key, seed, buf, level))
    }
}

impl<P: ChainParameters + ParameterSet> KeyBytes for SwitchingKey<P> {
    fn encapsulation_len(params: &P, matrix: Option<u32>) -> Result<usize> {
        let (basis, count) = params.pairs_back(matrix)?;
        let mod_up = &params.raising()?.mod_up;
        let to_sparse = SEED_LEN + mod_up.beta() * mod_up.extended.poly_len(params);
        // 4 for log2 of the number of slots, or the level of a switching key
        Ok(to_sparse + 4 + SEED_LEN + count * basis.poly_len(params))
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
    /// The sizes of switching keys up to these levels, one for each level, and of the keys of
    /// ephemeral secrets. Fails with [`crate::Error::NoBootstrapping`].
    pub(crate) fn of<P: ChainParameters + ParameterSet>(
        params: &P,
        levels: &[usize],
        ephemeral: &BTreeSet<Option<u32>>,
    ) -> Result<Self> {
        let bytes = |pairs: usize, basis: &Basis| (8 * params.n() * pairs * basis.len()) as u64;
        let half = |plan: &ModUpPlan| bytes(plan.beta(), &plan.extended);
        let mut halves: u64 = levels.iter().map(|&level| half(params.key_plan(level))).sum();
        let mut to_sparse = 0;
        let mut lengths: Vec<usize> = levels.iter().map(|&level| 4 + switching_key_len(params, level)).collect();
        for &matrix in ephemeral {
            let (basis, count) = params.pairs_back(matrix)?;
            halves += bytes(count, &basis);
            to_sparse += 2 * half(&params.raising()?.mod_up); // always expanded
            lengths.push(SwitchingKey::encapsulation_len(params, matrix)?);
        }
        Ok(Self {
            count: levels.len() + 2 * ephemeral.len(),
            bytes_at_rest: total_of(lengths),
            memory_bytes: to_sparse + 2 * halves,
            compressed_memory_bytes: to_sparse + halves,
        })
    }
}

impl KeyPlan {
    /// The sizes of the keys that [`SecretKey::evaluation_keys`](crate::SecretKey::evaluation_keys) makes by this plan.
    ///
    /// # Errors
    /// [`crate::Error::NoSuchLevel`] and [`crate::Error::NoBootstrapping`] for a plan that was made for other parameters.
    pub fn sizes<P: ChainParameters + ParameterSet>(&self, params: &P) -> Result<KeySizes> {
        let levels: Vec<usize> = self.levels(params)?.into_values().collect();
        KeySizes::of(params, &levels, self.ephemeral())
    }
}

fn switching_key_len(params: &impl ChainParameters, level: usize) -> usize {
    4 + SEED_LEN + params.digits(level) * params.key_plan(level).extended.poly_len(params)
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
