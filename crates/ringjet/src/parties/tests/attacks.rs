//! The attacks that the protocol refuses. Each test also runs the attack past the check that refuses it, where it
//! succeeds: so the check is what stops it.

use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};
use ringjet_backend::{Buf, Coeff};
use ringjet_math::Basis;

use super::*;
use crate::rlwe::pieces::Common;
use crate::rng::PublicSeed;
use crate::{Context, Error, Parameters as Ckks};

/// Where the share of the first piece is in an answer share: after the header, five fields and the number of the piece.
const FIRST_SHARE: usize = crate::wire::HEADER_LEN + 3 + 32 + 8 + 1 + 1;

/// The coefficients of `x` in the evaluation domain, centred.
fn integers(ctx: &Context, mut x: Buf, basis: &Basis) -> Vec<BigInt> {
    let n = ctx.params().n();
    ctx.backend().intt(x.view_mut(1), basis).unwrap();
    let mut words = vec![0u64; n * basis.len()];
    ctx.backend().download(&x, 0, &mut words).unwrap();
    ringjet_math::crt::CrtDecoder::new(basis).decode_exact(&words.chunks_exact(n).collect::<Vec<_>>())
}

/// The same as doubles.
fn coefficients(ctx: &Context, x: Buf, basis: &Basis) -> Vec<f64> {
    integers(ctx, x, basis).iter().map(|x| x.to_f64().unwrap()).collect()
}

fn inner(ctx: &crate::dynamic::Context) -> &Context {
    let crate::dynamic::Context::Ckks(inner) = ctx else { unreachable!() };
    inner
}

/// The pieces of two parties, n of n: A is honest, B cheats.
fn pieces(params: &Ckks, parties: &[Arc<Party>]) -> (Common, Vec<Piece<Ckks>>) {
    let (id, common) = (parties[0].session_id().unwrap(), parties[0].common().unwrap());
    let piece = |i: usize| {
        let holder = parties.iter().find(|party| party.seeds().contains_key(&i)).unwrap();
        Piece::new(params, id, &holder.seeds()[&i]).unwrap()
    };
    (Common(PublicSeed::from_bytes(common)), (0..parties.len()).map(piece).collect())
}

/// B, which sees A's share of the public key first, answers with its own share less A's: the sum is a key of B alone, and
/// B reads what is encrypted for both. The commitment refuses it.
#[test]
fn a_rogue_public_key_is_refused() {
    let params = super::ckks(2);
    let Parameters::Ckks(own) = &params else { unreachable!() };
    let keys = crate::KeyPlan::none();
    let agreed = Spec::new(&params, &["A", "B"], 2, &keys, &[], Sharing::default()).unwrap();
    let mut group = Group::of(&agreed, 1);
    let ctx = group.ctx.clone();
    let ctx = inner(&ctx);
    let (common, pieces) = pieces(own, &group.parties);
    let basis = own.encryption_basis();
    // piece 0 is the one without A: B's
    let (b_piece, a_piece) = (&pieces[0], &pieces[1]);
    let honest = a_piece.public_share(ctx, common).unwrap();
    let mut rogue = ctx.alloc(basis.len()).unwrap();
    let mine = b_piece.public_share(ctx, common).unwrap();
    let terms = [(Coeff::One, mine.view(1)), (Coeff::MinusOne, honest.view(1))];
    ctx.backend().lincomb(rogue.view_mut(1), &terms, &basis, false).unwrap();
    let mut payload = vec![];
    crate::wire::packed(ctx, &mut payload, rogue.view(1), &basis).unwrap();

    let commitments = group.round();
    group.sessions.iter_mut().for_each(|session| session.receive(&commitments).unwrap());
    let opened = group.round();
    // B's message with the rogue share and its digest
    let digest = group.sessions[1].digest(Round::Open, 0, &payload);
    let transcript = group.sessions[1].transcript(Round::Open);
    let mut body = super::super::session::beginning(Round::Open, 1, &transcript);
    body.extend_from_slice(&[1, 0]);
    body.extend_from_slice(&digest);
    body.push(1);
    body.extend_from_slice(&(payload.len() as u64).to_le_bytes());
    body.extend_from_slice(&payload);
    let message = group.parties[1].sealed(crate::wire::Object::KeyMessage, group.sessions[1].id(), &body).to_vec();
    assert_eq!(message.len(), opened[1].len());
    let refused = group.sessions[0].receive(&[&message]);
    assert_eq!(refused, Err(Error::CommitmentMismatch { party: "B".into(), piece: 0 }));

    // without the check: A adds what was sent, and B decrypts alone
    let session = &mut group.sessions[0];
    session.work.open(&[(0, &payload)]).unwrap();
    let (public, _) = session.work.keys().unwrap();
    let x = values(&params, 1);
    let ct = encrypted(&group.ctx, &x, |plain| public.encrypt(&group.ctx, plain, &Seed::from_bytes([1; 32])));
    let alone = SecretKey::from_coefficients(
        own,
        group.parties[0].session_id().unwrap(),
        b_piece.secret.coefficients.clone(),
        0,
    );
    let got = crate::dynamic::SecretKey::from(alone).decrypt_values(&group.ctx, &ct).unwrap();
    let (Values::Numbers(got), Values::Numbers(x)) = (got, x) else { unreachable!() };
    assert!(got.iter().zip(&x).all(|(a, b)| (*a - *b).abs() < 1e-6));
}

/// B, which sees A's message of round 1 first, answers so that the sum of all h_0 is a large constant c and that of all h_1
/// is 0. Then A's message of round 2 is `c s_A` plus noise, which tells A's piece. The commitment refuses it.
#[test]
fn a_chosen_first_round_is_refused() {
    let params = super::ckks(2);
    let Parameters::Ckks(own) = &params else { unreachable!() };
    let keys = crate::KeyPlan::default();
    let agreed = Spec::new(&params, &["A", "B"], 2, &keys, &[], Sharing::default()).unwrap();
    let mut group = Group::of(&agreed, 2);
    let ctx = group.ctx.clone();
    let ctx = inner(&ctx);
    let (common, pieces) = pieces(own, &group.parties);
    let level = own.top_level();
    let (plan, basis) = (own.key_plan(level), &own.key_plan(level).extended);
    let (b, beta) = (ctx.backend(), plan.beta());
    let [h0, h1] = pieces[1].first_round(ctx, common, level, &mut || Ok(())).unwrap();
    // the constant 2^40 in every position is the constant polynomial
    let mut constant = ctx.alloc(basis.len()).unwrap();
    ctx.upload_each(&mut constant, 0, basis.len(), |_, _, limb| limb.fill(1 << 40)).unwrap();
    let (mut first, mut second) = (ctx.alloc(beta * basis.len()).unwrap(), ctx.alloc(beta * basis.len()).unwrap());
    for d in 0..beta {
        let terms = [(Coeff::One, constant.view(1)), (Coeff::MinusOne, h0.view(beta).poly(d))];
        b.lincomb(first.view_mut(beta).poly(d), &terms, basis, false).unwrap();
        b.lincomb(second.view_mut(beta).poly(d), &[(Coeff::MinusOne, h1.view(beta).poly(d))], basis, false).unwrap();
    }
    let mut payload = vec![];
    let public = pieces[0].public_share(ctx, common).unwrap();
    crate::wire::packed(ctx, &mut payload, public.view(1), &own.encryption_basis()).unwrap();
    for part in [&first, &second] {
        crate::wire::packed(ctx, &mut payload, part.view(beta), basis).unwrap();
    }

    let commitments = group.round();
    group.sessions.iter_mut().for_each(|session| session.receive(&commitments).unwrap());
    group.round();
    let transcript = group.sessions[1].transcript(Round::Open);
    let mut body = super::super::session::beginning(Round::Open, 1, &transcript);
    body.extend_from_slice(&[1, 0]);
    body.extend_from_slice(&group.sessions[1].digest(Round::Open, 0, &payload));
    body.push(1);
    body.extend_from_slice(&(payload.len() as u64).to_le_bytes());
    body.extend_from_slice(&payload);
    let message = group.parties[1].sealed(crate::wire::Object::KeyMessage, group.sessions[1].id(), &body).to_vec();
    let refused = group.sessions[0].receive(&[&message]);
    assert_eq!(refused, Err(Error::CommitmentMismatch { party: "B".into(), piece: 0 }));

    // without the check: A's message of round 2 over 2^40 is its piece
    let work = &mut group.sessions[0].work;
    work.open(&[(0, &payload)]).unwrap();
    let share = work.second_share(1, &mut || Ok(())).unwrap();
    let mut r = crate::wire::Reader::new(&share, 0, "share");
    let sent = crate::wire::read_polys(ctx, &mut r, basis, beta).unwrap();
    let mut digit = ctx.alloc(basis.len()).unwrap();
    b.copy(digit.view_mut(1), sent.view(beta).poly(0)).unwrap();
    let found = coefficients(ctx, digit, basis).into_iter().map(|c| (c * 2f64.powi(-40)).round() as i8);
    assert!(found.eq(pieces[1].secret.coefficients.iter().copied()));
}

/// The attack by retries (ePrint 2026/031): whoever gets two answers to one ciphertext with independent noise learns more
/// from their mean, and with enough of them the exact error. Here all answers to a ciphertext are one answer, whoever
/// gives them, so that their mean is that answer; with fresh noise each time the error would come out.
#[test]
fn retries_reveal_nothing_new() {
    let params = super::ckks(3);
    let group = Group::new(&params, 3, 2, 3);
    let ct = group.encrypt(&values(&params, 1), 1);
    let once = group.shares(&ct, &[0, 1]);
    let first = group.sessions[0].combine(&ct, &once, Some(8)).unwrap();
    let all: std::collections::BTreeSet<Vec<u8>> = (0..20).flat_map(|i| group.shares(&ct, &[i % 3])).collect();
    assert_eq!(all.len(), 3);
    for pair in [[0, 1], [1, 2], [0, 2]] {
        assert_eq!(group.sessions[0].combine(&ct, &group.shares(&ct, &pair), Some(8)).unwrap(), first);
    }
    // the mean of the noise of a piece over many widths would be near 0: its noise is another for each width
    let (crate::dynamic::Ciphertext::Ckks(inner_ct), ctx) = (&ct, inner(&group.ctx)) else { unreachable!() };
    let work = &group.sessions[0].work;
    let share = |width: u32| {
        let digest = work.digest(&ct).unwrap();
        let answered = Answered { kind: AnswerKind::Decryption, width, active: 0 };
        let bytes = work.answer_share(1, &Asked { ct: &ct, digest, answered }, None).unwrap();
        let mut r = crate::wire::Reader::new(&bytes, 0, "share");
        crate::wire::read_polys(ctx, &mut r, inner_ct.basis(), 1).unwrap()
    };
    let deviation = |a: Buf, b: Buf| {
        let mut difference = ctx.alloc(a.limbs()).unwrap();
        let terms = [(Coeff::One, a.view(1)), (Coeff::MinusOne, b.view(1))];
        ctx.backend().lincomb(difference.view_mut(1), &terms, inner_ct.basis(), false).unwrap();
        let all = coefficients(ctx, difference, inner_ct.basis());
        (all.iter().map(|c| c * c).sum::<f64>() / all.len() as f64).sqrt()
    };
    assert_eq!(deviation(share(30), share(30)), 0.0);
    // two widths: independent noises of 2^30 and 2^31, whose difference an attacker would have
    let found = deviation(share(30), share(31)) / 2f64.powi(30);
    assert!((found / 5f64.sqrt() - 1.0).abs() < 0.2, "{found}");
}

/// Where pieces are dealt, two sets of parties weight one point differently. So a corrupted party that is not asked, C,
/// knows 3 times A's share for A and B up to `4 (m + e) + 3 E`, and with it m + e modulo 3, however wide the noise E
/// is. The masks that A and B have in common hide that.
#[test]
fn a_party_outside_the_set_learns_nothing() {
    let params = super::ckks(9);
    let Parameters::Ckks(own) = &params else { unreachable!() };
    let group = Group::new(&params, 9, 2, 5);
    group.deal();
    let ct = group.encrypt(&values(&params, 1), 1);
    let (Ciphertext::Ckks(inner_ct), ctx) = (&ct, inner(&group.ctx)) else { unreachable!() };
    let (b, basis) = (ctx.backend(), inner_ct.basis());
    let session = &group.sessions[0];
    let share = session.decryption_share(&ct, &ct, 0, &["A", "B"]).unwrap();
    let width = u32::from(share[crate::wire::HEADER_LEN + 2]);
    let answered = Answered { kind: AnswerKind::Decryption, width, active: 0b11 };
    let asked = Asked { ct: &ct, digest: session.work.digest(&ct).unwrap(), answered };
    let mut point = session.point(0b11).unwrap().unwrap();
    let read = |bytes: &[u8]| {
        let mut r = crate::wire::Reader::new(bytes, 0, "share");
        crate::wire::read_polys(ctx, &mut r, basis, 1).unwrap()
    };
    let sent = read(&session.work.answer_share(0, &asked, Some(&point)).unwrap());
    point.pairs.clear();
    let bare = read(&session.work.answer_share(0, &asked, Some(&point)).unwrap());

    // C's own point, weighted for A and C
    let point = group.sessions[2].point(0b101).unwrap().unwrap().weighted(ctx, basis).unwrap();
    let mut product = ctx.alloc(basis.len()).unwrap();
    b.mul(product.view_mut(1), inner_ct.component(0).poly(1), point.view(1), basis, false).unwrap();
    let factor = |k: u64| basis.values().map(|_| k).collect::<Vec<u64>>();
    let learns = |share: &Buf| {
        let (three, four) = (factor(3), factor(4));
        let mut sum = ctx.alloc(basis.len()).unwrap();
        let terms = [
            (Coeff::PerLimb(&three), share.view(1)),
            (Coeff::PerLimb(&four), product.view(1)),
            (Coeff::PerLimb(&four), inner_ct.component(0).poly(0)),
        ];
        b.lincomb(sum.view_mut(1), &terms, basis, false).unwrap();
        integers(ctx, sum, basis)
    };
    let secret = sum_of(own, &group.parties);
    let phase = integers(ctx, secret.phase(ctx, inner_ct.view(), basis).unwrap(), basis);
    let agree = |found: &[BigInt]| {
        found.iter().zip(&phase).filter(|&(x, m): &(&BigInt, &BigInt)| ((x - m) % 3u8).is_zero()).count()
    };
    let (without, with) = (agree(&learns(&bare)), agree(&learns(&sent)));
    println!("of {} coefficients modulo 3, C knows {without} without masks, and guesses {with} with them", phase.len());
    assert_eq!(without, phase.len());
    assert!(with < phase.len() / 2);
}

/// Why a ciphertext is compared before it is answered: the share of a chosen one is the piece.
#[test]
fn a_chosen_ciphertext_reveals_a_piece() {
    let params = super::ckks(3);
    let Parameters::Ckks(own) = &params else { unreachable!() };
    let group = Group::new(&params, 3, 2, 4);
    let honest = group.encrypt(&values(&params, 1), 1);
    let (crate::dynamic::Ciphertext::Ckks(inner_ct), ctx) = (&honest, inner(&group.ctx)) else { unreachable!() };
    // c_1 is the constant 2^100, so a share is 2^100 times a piece, plus noise of 2^42
    let (basis, k) = (inner_ct.basis(), 100);
    let mut buf = ctx.alloc(2 * basis.len()).unwrap();
    ctx.backend().copy(buf.view_mut(2).poly(0), inner_ct.view().poly(0)).unwrap();
    ctx.upload_each(&mut buf, basis.len(), basis.len(), |_, i, limb| limb.fill(basis.modulus(i).pow(2, k))).unwrap();
    let chosen = crate::Ciphertext::new(own, buf, 2, inner_ct.position(), inner_ct.log_slots(), inner_ct.noise());
    let chosen: Ciphertext = chosen.with_key(group.sessions[0].id()).into();
    let share = group.sessions[0].decryption_share(&chosen, &honest, 8, NOBODY).unwrap();
    let mut r = crate::wire::Reader::new(&share[FIRST_SHARE..], 0, "share");
    let sent = crate::wire::read_polys(ctx, &mut r, basis, 1).unwrap();
    let found = coefficients(ctx, sent, basis).into_iter().map(|c| (c * (-f64::from(k as u32)).exp2()).round() as i8);
    let (_, pieces) = pieces(own, &group.parties);
    let first = group.parties[0].spec().layout().held_by(0).next().unwrap();
    assert!(found.eq(pieces[first].secret.coefficients.iter().copied()));
}
