//! More than eight parties: dealt points, and active sets that do not change.

use super::messages::with;
use super::*;
use crate::Error;
use crate::wire::{CHECKSUM_LEN, HEADER_LEN, Limits};

/// Bits after the point to which results are rounded.
const BITS: u32 = 4;

/// The largest error: half a unit of the last bit, and as much for the noise.
const ERROR: f64 = 1.0 / 16.0;

/// The decrypted values of `ct` from the shares of these parties, to `bits` after the point.
fn decrypted(group: &Group, ct: &Ciphertext, members: &[usize], bits: Option<u32>) -> Values {
    let active: Vec<&str> = members.iter().map(|&i| name(i)).collect();
    let shares: Vec<_> =
        members.iter().map(|&i| group.sessions[i].decryption_share(ct, ct, 0, &active).unwrap()).collect();
    let few = group.sessions[0].combine(ct, &shares[1..], bits);
    assert!(matches!(&few, Err(Error::PartyMissing { parties, .. }) if *parties == [active[0]]), "{few:?}");
    assert_eq!(group.sessions[members[0]].decryption_share(ct, ct, 0, &active).unwrap(), shares[0]);
    group.sessions[0].combine(ct, &shares, bits).unwrap()
}

/// The weighted points of any active set sum to the secret, modulo each prime.
#[test]
fn points_sum_to_the_secret() {
    for (seed, (count, threshold)) in (1u8..).zip([(9, 2), (9, 9), (12, 5), (64, 33)]) {
        let params = super::bgv(count as u32);
        let Parameters::Bgv(own) = &params else { unreachable!() };
        let group = Group::of(&spec(&params, count, threshold, Sharing::default()), seed);
        group.deal();
        let crate::dynamic::Context::Bgv(ctx) = &group.ctx else { unreachable!() };
        let secret = sum_of(own, &group.parties);
        for first in [0, count - threshold] {
            let active = (first..first + threshold).fold(0, |set, i| set | 1u64 << i);
            // a level with fewer primes, too
            for basis in [&own.level(own.top_level()).basis, &own.level(1).basis] {
                let mut sum = ctx.small_poly(&secret.coefficients, basis).unwrap();
                for i in first..first + threshold {
                    let point = group.sessions[i].point(active).unwrap().unwrap();
                    let term = point.weighted(ctx, basis).unwrap();
                    let term = [(ringjet_backend::Coeff::MinusOne, term.view(1))];
                    ctx.backend().lincomb(sum.view_mut(1), &term, basis, true).unwrap();
                }
                let mut words = vec![1u64; basis.len() * own.n()];
                ctx.backend().download(&sum, 0, &mut words).unwrap();
                assert!(words.iter().all(|&x| x == 0), "{threshold} of {count} from {first}");
            }
        }
    }
}

/// Products decrypt to the same values as in the clear, whichever parties answer.
#[test]
fn any_threshold_decrypts() {
    let params = super::bgv(9);
    let group = Group::new(&params, 9, 5, 1);
    group.deal();
    let eval = group.evaluator();
    let (x, t) = (values(&params, 1), params.residues().unwrap().modulus() as i128);
    let Values::Integers(clear) = &x else { unreachable!() };
    let square = |x: &i64| {
        let square = (i128::from(*x) * i128::from(*x)).rem_euclid(t);
        (if square > t / 2 { square - t } else { square }) as i64
    };
    let want = Values::Integers(clear.iter().map(square).collect());
    for (seed, members) in (1u8..).zip([[0, 1, 2, 3, 4], [4, 5, 6, 7, 8], [0, 2, 4, 6, 8]]) {
        let ct = group.encrypt(&x, seed);
        let ct = eval.mul_auto(&ct, &ct).unwrap();
        assert_eq!(decrypted(&group, &ct, &members, None), want);
    }

    let params = super::ckks(12);
    let group = Group::new(&params, 12, 3, 2);
    group.deal();
    let x = values(&params, 2);
    let (Values::Numbers(clear), eval) = (&x, group.evaluator()) else { unreachable!() };
    for (seed, members) in (1u8..).zip([[0, 1, 2], [9, 10, 11], [3, 0, 7]]) {
        let ct = group.encrypt(&x, seed);
        let ct = eval.mul_auto(&ct, &ct).unwrap();
        let Values::Numbers(got) = decrypted(&group, &ct, &members, Some(BITS)) else { unreachable!() };
        assert!(got.iter().zip(clear).all(|(a, b)| (*a - *b * *b).abs() < ERROR));
    }
}

/// Refreshes of both schemes by different parties.
#[test]
fn any_threshold_refreshes() {
    for params in [super::ckks(9), super::bgv(9)] {
        let group = Group::new(&params, 9, 3, 3);
        group.deal();
        let eval = group.evaluator();
        let x = values(&params, 1);
        let ct = eval.to_level(&group.encrypt(&x, 1), 2).unwrap();
        let active = ["B", "F", "I"];
        let shares: Vec<_> = [1, 5, 8].map(|i| group.sessions[i].refresh_share(&ct, &ct, &active).unwrap()).into();
        let fresh = group.sessions[0].refresh(&ct, &shares).unwrap();
        let again = group.sessions[7].refresh(&ct, &shares).unwrap();
        assert_eq!(again.to_bytes(&group.ctx).unwrap(), fresh.to_bytes(&group.ctx).unwrap());
        assert!(fresh.level().unwrap() > 2);
        let product = eval.mul_auto(&fresh, &fresh).unwrap();
        let square = match &x {
            Values::Numbers(all) => Values::Numbers(all.iter().map(|x| *x * *x).collect()),
            other => other.clone(),
        };
        match (decrypted(&group, &product, &[0, 3, 4], params.residues().is_none().then_some(BITS)), square) {
            (Values::Numbers(got), Values::Numbers(want)) => {
                assert!(got.iter().zip(&want).all(|(a, b)| (*a - *b).abs() < ERROR));
            }
            (Values::Integers(got), Values::Integers(x)) => {
                let t = params.residues().unwrap().modulus() as i128;
                let fits = |(a, b): (&i64, &i64)| (i128::from(*a) - i128::from(*b) * i128::from(*b)) % t == 0;
                assert!(got.iter().zip(&x).all(fits));
            }
            _ => unreachable!(),
        }
    }
}

/// A party answers a ciphertext for one set of parties, also after it was loaded again.
#[test]
fn the_active_set_stays() {
    let params = super::ckks(9);
    let group = Group::new(&params, 9, 2, 4);
    let ct = group.encrypt(&values(&params, 1), 1);
    let early = group.sessions[0].decryption_share(&ct, &ct, 0, &["A", "B"]);
    assert!(
        matches!(&early, Err(Error::PartyMissing { what: "deal", parties, .. }) if parties.len() == 8),
        "{early:?}"
    );
    assert_eq!(group.parties[0].answers_given(), 0);
    group.deal();
    for wrong in [vec![], vec!["A"], vec!["B", "C"], vec!["A", "A"], vec!["A", "B", "C"], vec!["A", "Z"]] {
        let refused = group.sessions[0].decryption_share(&ct, &ct, 0, &wrong);
        assert!(matches!(refused, Err(Error::Argument { .. })), "{wrong:?}");
    }
    let first = group.sessions[0].decryption_share(&ct, &ct, 0, &["B", "A"]).unwrap();
    let changed =
        Err(Error::ActiveSetChanged { first: vec!["A".into(), "B".into()], asked: vec!["A".into(), "C".into()] });
    assert_eq!(group.sessions[0].decryption_share(&ct, &ct, 0, &["A", "C"]), changed);
    assert_eq!(group.sessions[0].refresh_share(&ct, &ct, &["A", "C"]), changed);
    let refused = group.sessions[0].refresh_share(&ct, &ct, &["A", "B"]);
    assert!(matches!(refused, Err(Error::AlreadyAnswered { .. })), "{refused:?}");
    // the others are asked for another set: shares for two sets do not combine
    let other = group.sessions[2].decryption_share(&ct, &ct, 0, &["B", "C"]).unwrap();
    let refused = group.sessions[3].combine(&ct, &[&first, &other], Some(BITS));
    assert!(
        matches!(&refused, Err(Error::TranscriptMismatch { what: "answer share", party, found, .. })
            if party == "C" && found == "answers of B, C"),
        "{refused:?}"
    );
    let record = group.parties[0].to_secret_bytes().unwrap();
    let again = Arc::new(Party::from_secret_bytes(&record, Limits::default().allow_insecure()).unwrap());
    assert_eq!(again.to_secret_bytes().unwrap(), record);
    let session = Session::new(again, &group.ctx).unwrap();
    assert_eq!(session.decryption_share(&ct, &ct, 0, &["A", "C"]), changed);
    assert_eq!(session.decryption_share(&ct, &ct, 0, &["A", "B"]).unwrap(), first);
}

/// What an answer adds to its share depends on the ciphertext, the width, the set, the kind and the part: no two answers
/// have a mask in common, and each part has one.
#[test]
fn masks_are_bound_to_their_answer() {
    let params = super::ckks(9);
    let group = Group::of(&spec(&params, 9, 3, Sharing::default()), 7);
    group.deal();
    let crate::dynamic::Context::Ckks(ctx) = &group.ctx else { unreachable!() };
    let secret = crate::dynamic::SecretKey::from(sum_of(ctx.params(), &group.parties));
    let [one, two] = [1, 2].map(|i| {
        encrypted(&group.ctx, &values(&params, i), |plain| {
            secret.encrypt(&group.ctx, plain, &Seed::from_bytes([i as u8; 32]))
        })
    });
    let work = &group.sessions[0].work;
    let decryption = Answered { kind: AnswerKind::Decryption, width: 40, active: 0b111 };
    let refresh = Answered { kind: AnswerKind::Refresh, ..decryption };
    let answers = [
        (&one, decryption),
        (&two, decryption),
        (&one, Answered { width: 41, ..decryption }),
        (&one, Answered { active: 0b1011, ..decryption }),
        (&one, refresh),
        (&one, Answered { active: 0b1011, ..refresh }),
    ];
    let mut masks = std::collections::BTreeSet::new();
    let mut names = std::collections::BTreeSet::new();
    for (ct, answered) in answers {
        let asked = Asked { ct, digest: work.digest(ct).unwrap(), answered };
        names.insert(asked.name());
        let mut point = group.sessions[0].point(answered.active).unwrap().unwrap();
        let masked = work.answer_share(0, &asked, Some(&point)).unwrap();
        point.pairs.clear();
        let bare = work.answer_share(0, &asked, Some(&point)).unwrap();
        let Ciphertext::Ckks(own) = ct else { unreachable!() };
        let parts = masked.len() / crate::wire::PolyModulus::poly_len(own.basis(), ctx.params());
        assert_eq!(parts, answered.kind as usize);
        for part in 0..parts {
            let size = masked.len() / parts;
            let [a, b] = [&masked, &bare].map(|share| {
                let mut r = crate::wire::Reader::new(&share[part * size..][..size], 0, "share");
                crate::wire::read_polys(ctx, &mut r, own.basis(), 1).unwrap()
            });
            let mut mask = ctx.alloc(own.basis().len()).unwrap();
            let terms = [(ringjet_backend::Coeff::One, a.view(1)), (ringjet_backend::Coeff::MinusOne, b.view(1))];
            ctx.backend().lincomb(mask.view_mut(1), &terms, own.basis(), false).unwrap();
            let mut words = vec![0u64; own.basis().len() * params.max_slots() * 2];
            ctx.backend().download(&mask, 0, &mut words).unwrap();
            assert!(words.iter().all(|&x| x != 0), "a residue is 0 by chance once in 2^47 runs");
            // limbs of different lengths would be compared by their first words
            masks.insert(words[..8].to_vec());
        }
    }
    assert_eq!((masks.len(), names.len()), (8, 4), "a refresh has the name of a decryption, and masks of its own");
}

/// No loader panics or takes what was changed in the record of a party with a point.
#[test]
fn damaged_points_are_refused() {
    let params = super::ckks(9);
    let group = Group::of(&spec(&params, 9, 3, Sharing::default()), 8);
    group.deal();
    let record = group.parties[4].to_secret_bytes().unwrap();
    let limits = Limits::default().allow_insecure();
    let mut loaded = 0;
    for at in (0..record.len() - CHECKSUM_LEN).step_by(5) {
        let changed = with(&record, at, &[record[at] ^ 1 << (at % 8)]);
        if let Ok(party) = Party::from_secret_bytes(&changed, limits) {
            assert_eq!(party.to_secret_bytes().unwrap()[..], changed[..], "byte {at}");
            loaded += 1;
        }
    }
    // most of the record is the point, of which a session checks the residues
    assert!(loaded > record.len() / 10, "{loaded}");
    let end = record.len() - CHECKSUM_LEN - 4;
    let large = with(&record, end - 64, &[0xff; 64]);
    let party = Arc::new(Party::from_secret_bytes(&large, limits).unwrap());
    assert!(matches!(Session::new(party, &group.ctx), Err(Error::Malformed { what: "point", .. })));
}

/// Where pieces are replicated there is no active set, and nothing is dealt.
#[test]
fn replicated_pieces_are_not_dealt() {
    let params = super::ckks(3);
    let group = Group::new(&params, 3, 2, 5);
    let ct = group.encrypt(&values(&params, 1), 1);
    let refused = group.sessions[0].decryption_share(&ct, &ct, 0, &["A", "B"]);
    assert!(matches!(refused, Err(Error::Argument { name: "active", .. })), "{refused:?}");
    assert!(group.sessions[0].deal().unwrap().is_empty());
    assert_eq!(group.sessions[0].receive_deals(&[&[0u8; 0]; 0]), Ok(()));
}

#[test]
fn deals_are_checked() {
    let params = super::ckks(9);
    let group = Group::of(&spec(&params, 9, 3, Sharing::default()), 6);
    let dealt: Vec<Vec<_>> = group.sessions.iter().map(|session| session.deal().unwrap()).collect();
    let to = |from: usize, name: &str| dealt[from].iter().find(|(to, _)| to == name).unwrap().1.clone();
    assert_eq!(group.sessions[1].deal().unwrap(), dealt[1]);
    let session = &group.sessions[1];
    // as hellos do: those that came are kept
    let missing = session.receive_deals(&[to(0, "B"), to(8, "B")]).unwrap_err();
    assert!(matches!(&missing, Error::PartyMissing { what: "deal", parties, .. } if parties.len() == 6), "{missing}");
    let refused = session.receive_deals(&[to(2, "A")]).unwrap_err();
    assert!(
        matches!(&refused, Error::Argument { name: "deals", value, .. } if value == "a deal of C to A"),
        "{refused}"
    );
    // the same again is fine, something else is not
    assert!(matches!(session.receive_deals(&[to(0, "B")]), Err(Error::PartyMissing { .. })));
    let honest = to(0, "B");
    let refused = session.receive_deals(&[with(&honest, HEADER_LEN + 2, &[0; 32])]).unwrap_err();
    assert!(matches!(&refused, Error::TranscriptMismatch { what: "deal", party, .. } if party == "A"), "{refused}");
    let refused = session.receive_deals(&[with(&honest, 32, &[1; 16])]).unwrap_err();
    assert!(matches!(refused, Error::WrongSession { what: "deal", .. }), "{refused}");
    for (at, new) in [(HEADER_LEN, 9), (HEADER_LEN, 1), (HEADER_LEN + 1, 9), (HEADER_LEN + 1, 0)] {
        let refused = session.receive_deals(&[with(&honest, at, &[new])]).unwrap_err();
        assert!(matches!(refused, Error::Malformed { .. }), "{refused}");
    }
    // a residue above its modulus, from a party that has not dealt yet
    let large = with(&to(3, "B"), HEADER_LEN + 2, &[0xff; 64]);
    let refused = session.receive_deals(&[large]).unwrap_err();
    assert!(matches!(&refused, Error::Malformed { reason, .. } if reason.contains("D dealt")), "{refused}");
    let all: Vec<_> = (0..9).filter(|&i| i != 1).map(|i| to(i, "B")).collect();
    session.receive_deals(&all).unwrap();
    // in one call, and in another order, it is the same point
    let seed = Seed::from_bytes([6; 32]);
    let other = Arc::new(Party::from_seed(group.parties[1].spec().clone(), "B", &seed).unwrap());
    let hellos: Vec<_> = group.parties.iter().flat_map(|from| from.hello().unwrap()).collect();
    other.receive(&hellos.iter().filter(|(to, _)| to == "B").map(|(_, bytes)| bytes).collect::<Vec<_>>()).unwrap();
    let again = Session::new(other, &group.ctx).unwrap();
    again.receive_deals(&all.iter().rev().collect::<Vec<_>>()).unwrap();
    assert_eq!(again.party().to_secret_bytes().unwrap(), group.parties[1].to_secret_bytes().unwrap());
}
