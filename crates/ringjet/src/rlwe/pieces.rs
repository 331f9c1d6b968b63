//! Shares of the keys of a secret that is a sum of pieces. Each piece is a secret of its own, and everything
//! of a piece derives from its seed: whoever holds the piece makes the same polynomials. Sums of the shares of
//! all pieces are keys of the sum of the pieces. `docs/design/parties.md` has the protocol.

use ringjet_backend::{Buf, Coeff};
use zeroize::Zeroizing;

use super::keyswitch::{
    Check, KeyMemory, PairSeeds, Pairs, RELINEARIZATION, SwitchingKey, errors, inverse_element, key_for, key_limbs,
};
use super::{ChainParameters, Context, KeyId, Purpose, SecretKey, encrypt_zero};
use crate::Result;
use crate::rng::{PublicSeed, Seed, ternary};
use ringjet_math::memory::zeros;

/// A piece of a secret.
pub(crate) struct Piece<P> {
    /// The piece as a secret, with the identity of the sum of all pieces.
    pub(crate) secret: SecretKey<P>,
    /// The seed of everything that the piece adds to keys.
    seed: Seed,
}

/// The seeds of the uniform polynomials that the shares of all pieces have in common.
#[derive(Clone, Copy)]
pub(crate) struct Common(pub(crate) PublicSeed);

impl Common {
    fn of(&self, label: &[u8], index: u64) -> PublicSeed {
        Seed::from_bytes(*self.0.as_bytes()).derive_public(label, index)
    }

    /// The seed of the public key.
    pub(crate) fn public_key(&self) -> PublicSeed {
        self.of(b"ringjet public key a", 0)
    }

    /// The seed of the key of a Galois element, or of round 1 of the relinearisation key.
    pub(crate) fn key(&self, element: u32, level: usize) -> PublicSeed {
        self.of(b"ringjet evaluation key a", index(element, level))
    }
}

/// A number for each key: [`RELINEARIZATION`] is no Galois element.
fn index(element: u32, level: usize) -> u64 {
    u64::from(element) << 32 | level as u64
}

impl<P: ChainParameters> Piece<P> {
    /// The piece of the session `session` that expands from `seed`, which may serve several sessions.
    pub(crate) fn new(params: &P, session: KeyId, seed: &Seed) -> Result<Self> {
        let purpose = Purpose { kind: b"ringjet piece", fingerprint: params.fingerprint(), key: session };
        let seed = purpose.seed(seed);
        Ok(Self { secret: SecretKey::drawn(params, session, &seed)?, seed })
    }

    /// The seed of noise that hides a share of an answer, which `name` tells from all others.
    pub(crate) fn answer_seed(&self, kind: &'static [u8], name: &[u8]) -> Seed {
        self.seed.bind(kind, name)
    }

    /// The seed of coefficient `k` of the polynomial whose points the only holder of the piece deals; coefficient 0 is
    /// the piece.
    pub(crate) fn coefficient_seed(&self, k: usize) -> Seed {
        self.seed.derive(b"ringjet dealt coefficient", k as u64)
    }

    /// The seed of masks that the only holder of the piece has in common with a party of a higher number.
    pub(crate) fn pair_seed(&self, party: usize) -> Seed {
        self.seed.derive(b"ringjet pair", party as u64)
    }

    /// Adds a share of the public key, `b = -a * s + e`, over the primes of encryption.
    pub(crate) fn public_share(&self, ctx: &Context<P>, common: Common) -> Result<Buf> {
        let params = ctx.params();
        let (basis, k) = (params.encryption_basis(), params.p().len());
        let s = self.secret.expanded(ctx)?;
        let s = s.view(1).range(k - 1, basis.len());
        let both = encrypt_zero(ctx, &basis, s, &common.public_key(), (&self.seed, b"ringjet public key e"), &[None])?;
        let mut b = ctx.alloc(basis.len())?;
        ctx.backend().copy(b.view_mut(1), both.view(2).poly(0))?;
        Ok(b)
    }

    /// A share of the key of the Galois element `g`: the polynomials b_d.
    pub(crate) fn galois_share(
        &self,
        ctx: &Context<P>,
        common: Common,
        (g, level): (u32, usize),
        check: Check<'_>,
    ) -> Result<Buf> {
        let (params, b) = (ctx.params(), ctx.backend());
        let s = self.secret.expanded(ctx)?;
        let mut turned = ctx.alloc(params.extended().len())?.into_secret();
        let inverse = params.automorphism(inverse_element(g, 2 * params.n() as u32));
        b.automorphism(turned.view_mut(1), s.view(1), params.extended(), &inverse)?;
        let e = self.seed.derive(b"ringjet galois key", index(g, level));
        let seeds = PairSeeds { a: common.key(g, level), e };
        key_for(ctx, s.view(1), turned.view(1), &seeds, level, KeyMemory::Compressed, check)
    }

    /// The mask u of the relinearisation key for levels up to `level`.
    fn mask(&self, n: usize, level: usize) -> Result<Zeroizing<Vec<i8>>> {
        let mut mask = Zeroizing::new(zeros::<i8>(n)?);
        ternary(&self.seed.derive(b"ringjet relinearization mask", level as u64), &mut mask);
        Ok(mask)
    }

    /// Round 1 of the relinearisation key: for each digit d first `h_0 = -a_d * u + g_d * s + e_0`, and after those of
    /// all digits `h_1 = a_d * s + e_1` for each.
    pub(crate) fn first_round(
        &self,
        ctx: &Context<P>,
        common: Common,
        level: usize,
        check: Check<'_>,
    ) -> Result<[Buf; 2]> {
        let (params, b) = (ctx.params(), ctx.backend());
        let basis = params.extended();
        let mut s = self.secret.expanded(ctx)?;
        let a = common.key(RELINEARIZATION, level);
        let seeds = |label: &[u8]| PairSeeds { a, e: self.seed.derive(label, level as u64) };
        // h_1 is `-a_d * (-s) + e_1`
        let mut minus = ctx.alloc(basis.len())?.into_secret();
        b.lincomb(minus.view_mut(1), &[(Coeff::MinusOne, s.view(1))], basis, false)?;
        let limbs = key_limbs(params, level);
        let minus = minus.view(1).choose(&limbs);
        let plan = params.key_plan(level);
        let mut pairs =
            Pairs::new(ctx, &plan.extended, plan.beta(), &seeds(b"ringjet relinearization 1"), KeyMemory::Compressed)?;
        for d in 0..plan.beta() {
            check()?;
            pairs.hide(d, minus)?;
        }
        let second = pairs.finish();
        let mask = ctx.small_poly(&self.mask(params.n(), level)?, basis)?;
        if params.product_factor() != 1 {
            let factors: Vec<u64> = basis.values().map(|q| params.product_factor() % q).collect();
            let mut scaled = ctx.alloc(basis.len())?.into_secret();
            b.lincomb(scaled.view_mut(1), &[(Coeff::PerLimb(&factors), s.view(1))], basis, false)?;
            s = scaled;
        }
        let seeds = seeds(b"ringjet relinearization 0");
        let first = key_for(ctx, s.view(1), mask.view(1), &seeds, level, KeyMemory::Compressed, check)?;
        Ok([first, second])
    }

    /// Round 2 of the relinearisation key: `h_0 * s + h_1 * (u - s) + e_2` for each digit, where `sums` are the sums of
    /// h_0 and of h_1 over all pieces.
    pub(crate) fn second_round(
        &self,
        ctx: &Context<P>,
        sums: [&Buf; 2],
        level: usize,
        check: Check<'_>,
    ) -> Result<Buf> {
        let (params, b) = (ctx.params(), ctx.backend());
        let (basis, plan) = (params.extended(), params.key_plan(level));
        let (limbs, beta, n) = (key_limbs(params, level), plan.beta(), params.n());
        let s = self.secret.expanded(ctx)?;
        let mask = ctx.small_poly(&self.mask(n, level)?, basis)?;
        let mut rest = ctx.alloc(basis.len())?.into_secret();
        b.lincomb(rest.view_mut(1), &[(Coeff::One, mask.view(1)), (Coeff::MinusOne, s.view(1))], basis, false)?;
        let factors = [s.view(1).choose(&limbs), rest.view(1).choose(&limbs)];
        let basis = &plan.extended;
        let e = errors(ctx, &self.seed.derive(b"ringjet relinearization 2", level as u64), beta)?;
        let mut out = ctx.alloc(beta * basis.len())?;
        let mut products = ctx.alloc(2 * basis.len())?.into_secret();
        for d in 0..beta {
            check()?;
            for (i, (sum, factor)) in sums.iter().zip(factors).enumerate() {
                b.mul(products.view_mut(2).poly(i), sum.view(beta).poly(d), factor, basis, false)?;
            }
            let e = ctx.small_poly(&e[d * n..][..n], basis)?;
            let [first, second] = [0, 1].map(|i| products.view(2).poly(i));
            let terms = [(Coeff::One, first), (Coeff::One, second), (Coeff::One, e.view(1))];
            b.lincomb(out.view_mut(beta).poly(d), &terms, basis, false)?;
        }
        Ok(out)
    }
}

/// The sum of the shares of a Galois key, with the uniform polynomials that they have in common.
pub(crate) fn galois_key<P: ChainParameters>(
    ctx: &Context<P>,
    session: KeyId,
    common: Common,
    (g, level): (u32, usize),
    sum: &Buf,
) -> Result<SwitchingKey<P>> {
    let (seed, plan) = (common.key(g, level), ctx.params().key_plan(level));
    let (beta, limbs, polys) = (plan.beta(), plan.extended.len(), ctx.key_memory().polys());
    let mut made = ctx.alloc(polys * beta * limbs)?;
    for d in 0..beta {
        ctx.backend().copy(made.view_mut(polys * beta).poly(polys * d), sum.view(beta).poly(d))?;
        if polys == 2 {
            ctx.expand_into(&mut made, (2 * d + 1) * limbs, &seed, d as u32, &plan.extended)?;
        }
    }
    Ok(SwitchingKey::new(ctx, session, Some(seed), made, level))
}

/// The relinearisation key with the sums of round 2 and of h_1.
pub(crate) fn relinearization_key<P: ChainParameters>(
    ctx: &Context<P>,
    session: KeyId,
    level: usize,
    [b, a]: [&Buf; 2],
) -> Result<SwitchingKey<P>> {
    let plan = ctx.params().key_plan(level);
    let (beta, limbs) = (plan.beta(), plan.extended.len());
    let mut both = ctx.alloc(2 * beta * limbs)?;
    for d in 0..beta {
        for (i, half) in [b, a].into_iter().enumerate() {
            ctx.backend().copy(both.view_mut(2 * beta).poly(2 * d + i), half.view(beta).poly(d))?;
        }
    }
    Ok(SwitchingKey::new(ctx, session, None, both, level))
}

#[cfg(test)]
mod tests;
