//! The errors of keys that are sums of shares, against the formulas of `docs/design/parties.md`.

use std::sync::Arc;

use ringjet_backend::Buf;
use ringjet_cpu::CpuBackend;
use ringjet_math::Basis;
use ringjet_math::crt::CrtDecoder;

use super::*;
use crate::rlwe::keyswitch::KeyUse;
use crate::rng::gaussian::SIGMA;
use crate::{Context, ParamSpec, Parameters};
use ringjet_backend::View;

/// The mean of the squares of the coefficients of `x`, which is in the evaluation domain.
fn variance(ctx: &Context, mut x: Buf, basis: &Basis) -> f64 {
    let n = ctx.params().n();
    ctx.backend().intt(x.view_mut(1), basis).unwrap();
    let mut words = vec![0u64; n * basis.len()];
    ctx.backend().download(&x, 0, &mut words).unwrap();
    let mut coefficients = vec![0.0; n];
    CrtDecoder::new(basis).decode(&words.chunks_exact(n).collect::<Vec<_>>(), &mut coefficients);
    coefficients.iter().map(|c| c * c).sum::<f64>() / n as f64
}

/// `b + a * s - g * from` for each digit, where g is P on the digit's primes: the variance of the errors of a key.
fn key_variance(ctx: &Context, key: &SwitchingKey<Parameters>, s: View<'_>, from: View<'_>) -> f64 {
    let params = ctx.params();
    let (plan, limbs) = (params.key_plan(key.level()), key_limbs(params, key.level()));
    let (s, from, k) = (s.choose(&limbs), from.choose(&limbs), params.p().len());
    let basis = &plan.extended;
    let at = key.at(key.level()).unwrap();
    let mut sum = 0.0;
    for (d, digit) in plan.digits.iter().enumerate() {
        let [b, a] = [0, 1].map(|i| at.view().poly(2 * d + i));
        let mut error = ctx.alloc(basis.len()).unwrap();
        ctx.backend().copy(error.view_mut(1), b).unwrap();
        ctx.backend().mul(error.view_mut(1), a, s, basis, true).unwrap();
        let (start, len) = (digit.start, digit.len);
        let minus: Vec<u64> = (0..len).map(|i| basis.modulus(k + start + i).neg(plan.p_residues[start + i])).collect();
        let part = basis.select(k + start..k + start + len);
        let terms = [(Coeff::PerLimb(&minus), from.range(k + start, len))];
        ctx.backend().lincomb(error.view_mut(1).range(k + start, len), &terms, &part, true).unwrap();
        sum += variance(ctx, error, basis);
    }
    sum / plan.beta() as f64
}

/// Over 100 sessions: public keys and keys for rotations have the error of each piece, `m sigma^2`, and
/// relinearisation keys `sigma^2 (4 m^2 N / 3 + m)`.
#[test]
fn errors_of_keys_follow_their_formulas() {
    let params = |pieces| {
        let spec = ParamSpec { alpha: Some(1), ..ParamSpec::uniform(8, 40, 2, 30, 2) };
        Parameters::new(&spec.allow_insecure().pieces(pieces)).unwrap()
    };
    for pieces in [1u32, 3, 10] {
        let params = params(pieces);
        let ctx = Context::new(&params, Arc::new(CpuBackend::new(Default::default()).unwrap()));
        let (n, m, level) = (params.n() as f64, f64::from(pieces), params.top_level());
        let mut sums = [0.0; 3];
        for session in 0..100u8 {
            let id = KeyId::from_bytes([session + 1; 16]);
            let common = Common(PublicSeed::from_bytes([session; 32]));
            let seed = Seed::from_bytes([pieces as u8; 32]).derive(b"test", session.into());
            let all: Vec<Piece<Parameters>> =
                (0..pieces).map(|i| Piece::new(&params, id, &seed.derive(b"piece", i.into())).unwrap()).collect();
            let mut sum = vec![0i8; params.n()];
            for piece in &all {
                sum.iter_mut().zip(piece.secret.coefficients.iter()).for_each(|(s, c)| *s += c);
            }
            let s = ctx.small_poly(&sum, params.extended()).unwrap();
            let add = |parts: Vec<Buf>, basis: &Basis, polys: usize| {
                let mut parts = parts.into_iter();
                let mut sum = parts.next().unwrap();
                for part in parts {
                    for i in 0..polys {
                        let term = [(Coeff::One, part.view(polys).poly(i))];
                        ctx.backend().lincomb(sum.view_mut(polys).poly(i), &term, basis, true).unwrap();
                    }
                }
                sum
            };
            let check = &mut || Ok(());

            let basis = params.encryption_basis();
            let shares = all.iter().map(|p| p.public_share(&ctx, common).unwrap()).collect();
            let mut error = add(shares, &basis, 1);
            let mut a = ctx.alloc(basis.len()).unwrap();
            ctx.expand_into(&mut a, 0, &common.public_key(), 0, &basis).unwrap();
            let s_part = s.view(1).range(params.p().len() - 1, basis.len());
            ctx.backend().mul(error.view_mut(1), a.view(1), s_part, &basis, true).unwrap();
            sums[0] += variance(&ctx, error, &basis);

            let (plan, g) = (params.key_plan(level), params.key_element(KeyUse::Rotation(1)));
            let shares = all.iter().map(|p| p.galois_share(&ctx, common, (g, level), check).unwrap()).collect();
            let key = galois_key(&ctx, id, common, (g, level), &add(shares, &plan.extended, plan.beta())).unwrap();
            let mut turned = ctx.alloc(params.extended().len()).unwrap();
            let inverse = params.automorphism(inverse_element(g, 2 * params.n() as u32));
            ctx.backend().automorphism(turned.view_mut(1), s.view(1), params.extended(), &inverse).unwrap();
            sums[1] += key_variance(&ctx, &key, turned.view(1), s.view(1));

            let rounds = all.iter().map(|p| p.first_round(&ctx, common, level, check).unwrap());
            let (first, second): (Vec<Buf>, Vec<Buf>) = rounds.map(|[h0, h1]| (h0, h1)).unzip();
            let [h0, h1] = [first, second].map(|h| add(h, &plan.extended, plan.beta()));
            let shares = all.iter().map(|p| p.second_round(&ctx, [&h0, &h1], level, check).unwrap()).collect();
            let b = add(shares, &plan.extended, plan.beta());
            let key = relinearization_key(&ctx, id, level, [&b, &h1]).unwrap();
            let mut square = ctx.alloc(params.extended().len()).unwrap();
            ctx.backend().mul(square.view_mut(1), s.view(1), s.view(1), params.extended(), false).unwrap();
            sums[2] += key_variance(&ctx, &key, s.view(1), square.view(1));
        }
        let (each, square) = (SIGMA * SIGMA, m * m);
        let expected = [m * each, m * each, each * (4.0 * square * n / 3.0 + m)];
        for (what, (found, expected)) in ["public", "rotation", "relinearisation"].iter().zip(sums.iter().zip(expected))
        {
            let ratio = found / 100.0 / expected;
            println!("{pieces} pieces, {what}: {ratio:.3} of the formula");
            assert!((ratio - 1.0).abs() < 0.05, "{pieces} pieces, {what}: {ratio}");
        }
    }
}

/// A piece of one session is not that of another session or of other parameters, whatever its seed.
#[test]
fn pieces_are_bound_to_their_session() {
    let spec = ParamSpec::uniform(8, 40, 2, 30, 2).allow_insecure();
    let [one, other] = [2, 3].map(|pieces| Parameters::new(&spec.clone().pieces(pieces)).unwrap());
    let seed = Seed::from_bytes([7; 32]);
    let of = |params: &Parameters, session: u8| {
        let piece = Piece::new(params, KeyId::from_bytes([session; 16]), &seed).unwrap();
        piece.secret.coefficients.to_vec()
    };
    assert_eq!(of(&one, 1), of(&one, 1));
    assert!(of(&one, 1) != of(&one, 2) && of(&one, 1) != of(&other, 1));
}
