//! Points of the polynomials through dealt pieces, modulo each prime.
//!
//! The holder of a piece draws a polynomial f of degree `threshold - 1` with f(0) = the piece and all other
//! coefficients uniform modulo each prime, and deals f(j + 1) to party j. The sums of what each party was dealt are
//! points of the sum of all those polynomials, which is the secret at 0.

use std::sync::Arc;

use ringjet_backend::{Buf, Coeff};
use ringjet_math::{Basis, Modulus};
use zeroize::Zeroizing;

use crate::rlwe::pieces::Piece;
use crate::rlwe::{ChainParameters, Context};
use crate::rng::{Seed, secret_residues};
use crate::wire::{self, Input, PolyModulus, Reader, read_polys};
use crate::{Error, Result};

/// A party's point, and what it needs to answer with it for an active set.
pub(super) struct Point {
    pub(super) me: usize,
    /// The active set, which this party belongs to.
    pub(super) active: Vec<usize>,
    /// The point, packed.
    pub(super) bytes: Arc<Zeroizing<Vec<u8>>>,
    /// The seeds that this party has in common with each other party of the active set.
    pub(super) pairs: Vec<(usize, Seed)>,
}

/// The primes of points: all but the special ones.
pub(super) fn basis_of(params: &impl ChainParameters) -> Basis {
    let all = params.extended();
    all.select(params.p().len()..all.len())
}

fn moduli(basis: &Basis) -> impl Iterator<Item = &Modulus> {
    basis.primes().iter().map(|prime| prime.modulus())
}

/// A packed point, checked.
pub(super) fn unpacked<P: ChainParameters>(ctx: &Context<P>, bytes: &[u8]) -> Result<Buf> {
    let mut r = Reader::new(bytes, 0, "point");
    let point = read_polys(ctx, &mut r, &basis_of(ctx.params()), 1)?.into_secret();
    r.expect_remaining(0)?;
    Ok(point)
}

/// A point, packed.
fn packed<P: ChainParameters>(ctx: &Context<P>, point: &Buf) -> Result<Zeroizing<Vec<u8>>> {
    let basis = basis_of(ctx.params());
    let mut out = Zeroizing::new(ringjet_backend::host::capacity(basis.poly_len(ctx.params()))?);
    wire::packed(ctx, &mut out, point.view(1), &basis)?;
    Ok(out)
}

/// The sum of packed points.
pub(super) fn sum<P: ChainParameters>(ctx: &Context<P>, points: &[&[u8]]) -> Result<Zeroizing<Vec<u8>>> {
    let basis = basis_of(ctx.params());
    let mut sum = ctx.alloc(basis.len())?.into_secret();
    for (i, bytes) in points.iter().enumerate() {
        let point = unpacked(ctx, bytes)?;
        ctx.backend().lincomb(sum.view_mut(1), &[(Coeff::One, point.view(1))], &basis, i > 0)?;
    }
    packed(ctx, &sum)
}

/// The packed points that the holder of `piece` deals to the parties `to`.
pub(super) fn dealt<P: ChainParameters>(
    ctx: &Context<P>,
    piece: &Piece<P>,
    threshold: usize,
    to: &[usize],
) -> Result<Vec<Zeroizing<Vec<u8>>>> {
    let basis = basis_of(ctx.params());
    let secret = ctx.small_poly(&piece.secret.coefficients, &basis)?;
    let others = (1..threshold).map(|k| uniform(ctx, &piece.coefficient_seed(k), &basis));
    let others: Vec<Buf> = others.collect::<Result<_>>()?;
    let one = |&party: &usize| {
        let powers: Vec<Vec<u64>> =
            (1..threshold as u64).map(|k| moduli(&basis).map(|q| q.pow(place(party), k)).collect()).collect();
        let mut terms = vec![(Coeff::One, secret.view(1))];
        terms.extend(powers.iter().zip(&others).map(|(power, other)| (Coeff::PerLimb(power), other.view(1))));
        let mut point = ctx.alloc(basis.len())?.into_secret();
        ctx.backend().lincomb(point.view_mut(1), &terms, &basis, false)?;
        packed(ctx, &point)
    };
    to.iter().map(one).collect()
}

/// Where a party's point is.
fn place(party: usize) -> u64 {
    party as u64 + 1
}

/// A secret polynomial that is uniform modulo each prime of `basis`.
fn uniform<P: ChainParameters>(ctx: &Context<P>, seed: &Seed, basis: &Basis) -> Result<Buf> {
    let mut made = ctx.alloc(basis.len())?.into_secret();
    let fill = |_: usize, i: usize, limb: &mut [u64]| {
        secret_residues(&seed.derive(b"ringjet limb", i as u64), basis.modulus(i).value(), limb);
    };
    ctx.upload_each(&mut made, 0, basis.len(), fill)?;
    Ok(made)
}

impl Point {
    /// The factor of the point of `me` in the sum over the active set that is the secret.
    fn weight(&self, q: &Modulus) -> Result<u64> {
        let mut weight = 1;
        for &other in self.active.iter().filter(|&&other| other != self.me) {
            let distance = q.sub(place(other), place(self.me));
            let inverse = q.inv(distance);
            let inverse = inverse.ok_or_else(|| Error::argument("modulus", q.value(), "a prime above 64"))?;
            weight = q.mul(weight, q.mul(place(other), inverse));
        }
        Ok(weight)
    }

    /// The point times its weight, over `basis`.
    pub(super) fn weighted<P: ChainParameters>(&self, ctx: &Context<P>, basis: &Basis) -> Result<Buf> {
        let all = basis_of(ctx.params());
        let limbs: Vec<usize> = basis.values().filter_map(|q| all.values().position(|known| known == q)).collect();
        let weights = moduli(basis).map(|q| self.weight(q)).collect::<Result<Vec<u64>>>()?;
        let point = unpacked(ctx, &self.bytes)?;
        let mut out = ctx.alloc(basis.len())?.into_secret();
        let term = [(Coeff::PerLimb(&weights), point.view(1).choose(&limbs))];
        ctx.backend().lincomb(out.view_mut(1), &term, basis, false)?;
        Ok(out)
    }

    /// Adds to each of `count` polynomials the masks that this party has in common with each other party of the active
    /// set: the one with the lower number adds a mask, the other takes it away, so that those of the whole set sum
    /// to 0. `label` and `name` say what they mask.
    pub(super) fn add_masks<P: ChainParameters>(
        &self,
        ctx: &Context<P>,
        out: &mut Buf,
        count: usize,
        (label, name): (&[u8], &[u8]),
        basis: &Basis,
    ) -> Result<()> {
        for (other, seed) in &self.pairs {
            let (seed, sign) = (seed.bind(label, name), if self.me < *other { Coeff::One } else { Coeff::MinusOne });
            for i in 0..count {
                let mask = uniform(ctx, &seed.derive(b"ringjet component", i as u64), basis)?;
                ctx.backend().lincomb(out.view_mut(count).poly(i), &[(sign, mask.view(1))], basis, true)?;
            }
        }
        Ok(())
    }
}
