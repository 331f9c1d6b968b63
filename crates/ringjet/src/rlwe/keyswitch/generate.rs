//! Generation of switching keys.

use std::sync::Arc;

use ringjet_backend::plan::ModUpPlan;
use ringjet_backend::{Buf, Coeff, View, ViewMut};
use ringjet_math::Basis;
use ringjet_math::memory::zeros;
use zeroize::Zeroizing;

use super::{
    Check, Encapsulation, EvaluationKeys, KeyMemory, KeyPlan, MatrixKeys, Progress, RELINEARIZATION, ReturnKeys,
    SwitchingKey,
};
use crate::host::for_each;
use crate::rlwe::{ChainParameters, Context, KeyId, SecretKey};
use crate::rng::{PublicSeed, Seed, gaussian, sparse_ternary};
use crate::{Error, Result};

impl<P: ChainParameters> SecretKey<P> {
    /// Makes the keys of `plan`, each for the levels at which it is used, in the form of
    /// [`Context::key_memory`]. A key depends on the secret, the seed, its use and its highest
    /// level only. `progress(done, total)` is called after each key, and more often, with the same
    /// `done`, while a key is made: at least every fraction of a second. If it returns false, the
    /// work stops.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`], [`Error::Interrupted`] and the backend's errors;
    /// [`Error::NoSuchLevel`] and [`Error::NoBootstrapping`] for a plan that was made for other
    /// parameters.
    pub fn evaluation_keys(
        &self,
        ctx: &Context<P>,
        plan: &KeyPlan,
        seed: &Seed,
        progress: impl FnMut(usize, usize) -> bool,
    ) -> Result<EvaluationKeys<SwitchingKey<P>>> {
        let (params, ephemeral) = (ctx.params(), plan.ephemeral());
        params.expect_same("secret key", self.params())?;
        let levels = plan.levels(params)?;
        let mut progress = Progress::new(levels.len() + 2 * ephemeral.len(), progress);
        let seed = self.purpose(b"ringjet evaluation keys").seed(seed);
        let maker = Maker { ctx, key: self.key_id(), seed, s: self.expanded(ctx)? };
        let mut keys = EvaluationKeys::generate(params, self.key_id(), levels, &mut progress, |g, level, progress| {
            maker.key(g, level, &mut || progress.check())
        })?;
        for &matrix in ephemeral {
            keys.encapsulations.insert(matrix, maker.encapsulation(matrix, &mut progress)?);
        }
        Ok(keys)
    }
}

/// The common inputs of all keys of one secret and seed.
struct Maker<'a, P> {
    ctx: &'a Context<P>,
    key: KeyId,
    /// The seed of the keys, bound to the secret.
    seed: Seed,
    /// The secret over `P ++ Q`.
    s: Buf,
}

impl<P: ChainParameters> Maker<'_, P> {
    /// The key of the Galois element `g`, or the relinearisation key.
    fn key(&self, g: u32, level: usize, check: Check<'_>) -> Result<SwitchingKey<P>> {
        let (ctx, params, b) = (self.ctx, self.ctx.params(), self.ctx.backend());
        let (basis, s) = (params.extended(), self.s.view(1));
        let mut other = ctx.alloc(basis.len())?.into_secret();
        if g == RELINEARIZATION {
            b.mul(other.view_mut(1), s, s, basis, false)?;
            if params.product_factor() != 1 {
                let factors: Vec<u64> = basis.values().map(|q| params.product_factor() % q).collect();
                let mut scaled = ctx.alloc(basis.len())?.into_secret();
                b.lincomb(scaled.view_mut(1), &[(Coeff::PerLimb(&factors), other.view(1))], basis, false)?;
                other = scaled;
            }
            let seed = self.seed.derive(b"ringjet relinearization key", level as u64);
            return self.switching_key(other.view(1), s, seed, level, check);
        }
        // The automorphism is applied after the inner product, so the key's target is s(X^(1/g)).
        let inverse = inverse_element(g, 2 * params.n() as u32);
        b.automorphism(other.view_mut(1), s, basis, &params.automorphism(inverse))?;
        // Keys for two levels share primes. With one seed they would also share errors.
        let seed = self.seed.derive(b"ringjet galois key", u64::from(g) << 32 | level as u64);
        self.switching_key(s, other.view(1), seed, level, check)
    }

    /// The keys from the secret to an ephemeral one, and back. `matrix` is the binary logarithm of
    /// the number of slots for which the keys back contain a matrix.
    fn encapsulation(
        &self,
        matrix: Option<u32>,
        progress: &mut Progress<'_>,
    ) -> Result<Encapsulation<SwitchingKey<P>>> {
        let (ctx, params, s) = (self.ctx, self.ctx.params(), self.s.view(1));
        // refuses plans that were made for other parameters
        params.pairs_back(matrix)?;
        let weight = params.ephemeral_weight().ok_or_else(|| Error::no_bootstrapping(params))?;
        let seed = |purpose: &[u8]| self.seed.derive(purpose, matrix.map_or(0, u64::from));
        let mut coefficients = Zeroizing::new(zeros::<i8>(params.n())?);
        sparse_ternary(&seed(b"ringjet ephemeral secret"), weight, &mut coefficients)
            .map_err(|e| Error::Parameters(e.to_string()))?;
        let sparse = ctx.small_poly(&coefficients, params.extended())?;
        // over one special prime and Q_0
        let k = params.p().len();
        let limbs: Vec<usize> = std::iter::once(0).chain(params.primes_of(0).iter().map(|i| k + i)).collect();
        let (from, to) = (s.choose(&limbs), sparse.view(1).choose(&limbs));
        let (seeds, mod_up) = (PairSeeds::of(seed(b"ringjet to sparse key")), &params.raising()?.mod_up);
        let check = &mut || progress.check();
        let to_sparse = hybrid_key(ctx, mod_up, from, to, &seeds, KeyMemory::Expanded, check)?;
        progress.step()?;
        let check = &mut || progress.check();
        let back = match matrix {
            Some(log_slots) => {
                let seed = seed(b"ringjet matrix keys");
                ReturnKeys::Matrix(self.matrix_keys(sparse.view(1), log_slots, seed, check)?)
            }
            None => {
                let seed = seed(b"ringjet to dense key");
                ReturnKeys::Switch(self.switching_key(sparse.view(1), s, seed, params.max_level(), check)?)
            }
        };
        progress.step()?;
        Ok(Encapsulation { to_sparse: Arc::new(to_sparse), seed: seeds.a, back })
    }

    /// The keys from the ephemeral secret `sparse` that contain the matrix for `2^log_slots` slots.
    fn matrix_keys(&self, sparse: View<'_>, log_slots: u32, seed: Seed, check: Check<'_>) -> Result<MatrixKeys<P>> {
        let (ctx, params, b) = (self.ctx, self.ctx.params(), self.ctx.backend());
        let (rotations, diagonals) = (params.keyed_rotations(log_slots)?, params.keyed_diagonals(log_slots)?);
        let (basis, k) = (params.matrix_basis(), params.p().len());
        let high = params.primes_of(params.max_level());
        let limbs: Vec<usize> = std::iter::once(0).chain(high.iter().map(|i| k + i)).collect();
        let (sparse, s) = (sparse.choose(&limbs), self.s.view(1).choose(&limbs));
        let seeds = PairSeeds::of(seed);
        let mut pairs = Pairs::new(ctx, &basis, rotations.len(), &seeds, ctx.key_memory())?;
        let mut target = ctx.alloc(basis.len())?.into_secret();
        let mut turned = ctx.alloc(basis.len())?;
        for (d, (&rotation, diagonal)) in rotations.iter().zip(&diagonals).enumerate() {
            check()?;
            // the automorphism is applied after the product with the key
            let inverse = inverse_element(params.rotation_element(rotation), 2 * params.n() as u32);
            let inverse = params.automorphism(inverse);
            b.automorphism(target.view_mut(1), s, &basis, &inverse)?;
            pairs.hide(d, target.view(1))?;
            let factor = ctx.integer_poly(diagonal, &basis)?;
            b.automorphism(turned.view_mut(1), factor.view(1), &basis, &inverse)?;
            b.mul(pairs.b(d), sparse, turned.view(1), &basis, true)?;
        }
        let buf = pairs.finish();
        Ok(MatrixKeys::new(ctx, rotations.len(), seeds.a, buf))
    }

    /// A key for levels up to `level`; `from` and `to` are over `P ++ Q`.
    fn switching_key(
        &self,
        from: View<'_>,
        to: View<'_>,
        seed: Seed,
        level: usize,
        check: Check<'_>,
    ) -> Result<SwitchingKey<P>> {
        let (ctx, seeds) = (self.ctx, PairSeeds::of(seed));
        let buf = key_for(ctx, from, to, &seeds, level, ctx.key_memory(), check)?;
        Ok(SwitchingKey::new(ctx, self.key, Some(seeds.a), buf, level))
    }
}

/// The polynomials of a key for levels up to `level`; `from` and `to` are over `P ++ Q`.
pub(crate) fn key_for<P: ChainParameters>(
    ctx: &Context<P>,
    from: View<'_>,
    to: View<'_>,
    seeds: &PairSeeds,
    level: usize,
    memory: KeyMemory,
    check: Check<'_>,
) -> Result<Buf> {
    let limbs = key_limbs(ctx.params(), level);
    let (from, to) = (from.choose(&limbs), to.choose(&limbs));
    hybrid_key(ctx, ctx.params().key_plan(level), from, to, seeds, memory, check)
}

/// The places in `P ++ Q` of the primes of keys for levels up to `level`.
pub(crate) fn key_limbs(params: &impl ChainParameters, level: usize) -> Vec<usize> {
    let k = params.p().len();
    (0..k).chain(params.key_primes(level).iter().map(|i| k + i)).collect()
}

/// `g^-1` modulo the power of two `m`, for odd g.
pub(crate) fn inverse_element(g: u32, m: u32) -> u32 {
    // the order of g divides m / 4
    g.wrapping_pow(m / 4 - 1) & (m - 1)
}

/// A key from the secret `from` to the secret `to`. For each digit d of `plan` it has
/// `b_d = -a_d * to + e_d + g_d * from` over the plan's extended basis, where g_d is P on the
/// primes of digit d and 0 elsewhere. In an expanded key a_d follows each b_d.
fn hybrid_key<P: ChainParameters>(
    ctx: &Context<P>,
    plan: &ModUpPlan,
    from: View<'_>,
    to: View<'_>,
    seeds: &PairSeeds,
    memory: KeyMemory,
    check: Check<'_>,
) -> Result<Buf> {
    let (b, basis, k) = (ctx.backend(), &plan.extended, plan.special);
    let mut pairs = Pairs::new(ctx, basis, plan.beta(), seeds, memory)?;
    for (d, digit) in plan.digits.iter().enumerate() {
        check()?;
        pairs.hide(d, to)?;
        let (start, len) = (digit.start, digit.len);
        b.lincomb(
            pairs.b(d).range(k + start, len),
            &[(Coeff::PerLimb(&plan.p_residues[start..start + len]), from.range(k + start, len))],
            &basis.select(k + start..k + start + len),
            true,
        )?;
    }
    Ok(pairs.finish())
}

/// The seeds of pairs: of the uniform polynomials, and of the errors.
pub(crate) struct PairSeeds {
    pub(crate) a: PublicSeed,
    pub(crate) e: Seed,
}

impl PairSeeds {
    /// Both from one seed.
    fn of(seed: Seed) -> Self {
        Self { a: seed.derive_public(b"a", 0), e: seed }
    }
}

/// Pairs `(b_d, a_d)` over a basis, with a_d expanded from a seed, that hide what is added to b_d.
pub(crate) struct Pairs<'a, P> {
    ctx: &'a Context<P>,
    basis: &'a Basis,
    memory: KeyMemory,
    count: usize,
    public: PublicSeed,
    buf: Buf,
    noise: Zeroizing<Vec<i8>>,
    e: Buf,
    product: Buf,
    /// Memory for a_d if the keys do not keep it.
    a: Option<Buf>,
}

impl<'a, P: ChainParameters> Pairs<'a, P> {
    pub(crate) fn new(
        ctx: &'a Context<P>,
        basis: &'a Basis,
        count: usize,
        seeds: &PairSeeds,
        memory: KeyMemory,
    ) -> Result<Self> {
        let limbs = basis.len();
        Ok(Self {
            ctx,
            basis,
            memory,
            count,
            public: seeds.a,
            buf: ctx.alloc(memory.polys() * count * limbs)?,
            noise: errors(ctx, &seeds.e, count)?,
            e: ctx.alloc(limbs)?.into_secret(),
            product: ctx.alloc(limbs)?.into_secret(),
            a: if memory == KeyMemory::Expanded { None } else { Some(ctx.alloc(limbs)?) },
        })
    }

    /// Makes pair d: `b_d = -a_d * to + e_d`.
    pub(crate) fn hide(&mut self, d: usize, to: View<'_>) -> Result<()> {
        let (ctx, b, basis, limbs, n) =
            (self.ctx, self.ctx.backend(), self.basis, self.basis.len(), self.ctx.params().n());
        let (p, polys) = (self.memory.polys() * d, self.memory.polys() * self.count);
        let uniform = match &mut self.a {
            None => {
                ctx.expand_into(&mut self.buf, (p + 1) * limbs, &self.public, d as u32, basis)?;
                self.buf.view(polys).poly(p + 1)
            }
            Some(a) => {
                ctx.expand_into(a, 0, &self.public, d as u32, basis)?;
                a.view(1)
            }
        };
        b.mul(self.product.view_mut(1), uniform, to, basis, false)?;
        ctx.small_poly_into(&mut self.e, &self.noise[d * n..][..n], basis)?;
        let terms = [(Coeff::One, self.e.view(1)), (Coeff::MinusOne, self.product.view(1))];
        Ok(b.lincomb(self.buf.view_mut(polys).poly(p), &terms, basis, false)?)
    }

    fn b(&mut self, d: usize) -> ViewMut<'_> {
        self.buf.view_mut(self.memory.polys() * self.count).poly(self.memory.polys() * d)
    }

    pub(crate) fn finish(self) -> Buf {
        self.buf
    }
}

/// The error polynomials of all digits in order, each sampled by one thread.
pub(crate) fn errors<P: ChainParameters>(ctx: &Context<P>, seed: &Seed, digits: usize) -> Result<Zeroizing<Vec<i8>>> {
    let n = ctx.params().n();
    let mut errors = Zeroizing::new(zeros::<i8>(digits * n)?);
    // sampling a coefficient takes as long as work on about eight words
    for_each(ctx.backend(), 8 * digits * n, errors.chunks_exact_mut(n).enumerate(), |_, (d, out)| {
        gaussian(&seed.derive(b"e", d as u64), out);
    });
    Ok(errors)
}

#[cfg(test)]
mod tests {
    #[test]
    fn inverse_elements() {
        for g in (1..2048u32).step_by(2) {
            assert_eq!(super::inverse_element(g, 2048).wrapping_mul(g) & 2047, 1);
        }
    }
}
