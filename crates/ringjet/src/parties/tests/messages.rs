//! What is refused of messages, each with its own error, and what comes late or twice.

use super::*;
use crate::Error;
use crate::wire::{CHECKSUM_LEN, HEADER_LEN};

/// The bytes with others at `at`, and with the checksum that belongs to them.
pub(super) fn with(bytes: &[u8], at: usize, new: &[u8]) -> Vec<u8> {
    let mut made = bytes.to_vec();
    made[at..at + new.len()].copy_from_slice(new);
    let end = made.len() - CHECKSUM_LEN;
    let checksum = crc32fast::hash(&made[..end]);
    made[end..].copy_from_slice(&checksum.to_le_bytes());
    made
}

// where the fields of messages and of answers are
const FINGERPRINT: usize = 8;
const SESSION: usize = 32;
const ROUND: usize = HEADER_LEN;
const FROM: usize = ROUND + 1;
const TRANSCRIPT: usize = FROM + 1;
const PIECE: usize = TRANSCRIPT + 32 + 1;
const DIGEST: usize = PIECE + 1;
const SENT: usize = DIGEST + 32;
const SHARE: usize = SENT + 1 + 8;

fn flipped(bytes: &[u8], at: usize) -> Vec<u8> {
    with(bytes, at, &[bytes[at] ^ 1])
}

/// Each field of a message of each round.
#[test]
fn a_tampered_field_has_its_error() {
    let params = super::ckks(3);
    let mut group = Group::of(&spec(&params, 3, 2, Sharing::default()), 1);
    let commitments = group.round();
    let b = &commitments[1];
    let refused = |group: &mut Group, bytes: Vec<u8>| group.sessions[0].receive(&[bytes]).unwrap_err();
    let malformed = |error: &Error, at: usize| matches!(error, Error::Malformed { offset, .. } if *offset == at);
    let error = refused(&mut group, with(b, FINGERPRINT, &[0; 16]));
    assert!(matches!(error, Error::ParameterMismatch { .. }), "{error}");
    let error = refused(&mut group, flipped(b, SESSION));
    assert!(matches!(error, Error::WrongSession { what: "key message", .. }), "{error}");
    let error = refused(&mut group, with(b, ROUND, &[0]));
    assert!(malformed(&error, ROUND), "{error}");
    let error = refused(&mut group, with(b, ROUND, &[3]));
    assert_eq!(error, Error::WrongRound { party: "B".into(), expected: "commit", found: "second" });
    let error = refused(&mut group, with(b, FROM, &[3]));
    assert!(malformed(&error, ROUND), "{error}");
    // C holds other pieces than B
    let error = refused(&mut group, with(b, FROM, &[2]));
    assert!(malformed(&error, PIECE + 34), "{error}");
    let error = refused(&mut group, flipped(b, TRANSCRIPT));
    assert!(matches!(&error, Error::TranscriptMismatch { what: "key message", party, .. } if party == "B"), "{error}");
    let error = refused(&mut group, with(b, SENT, &[1]));
    assert!(malformed(&error, SENT), "{error}");
    let error = refused(&mut group, b[..b.len() - 1].to_vec());
    assert!(matches!(error, Error::Malformed { .. }), "{error}");
    // piece 0 is with B and C, piece 2 with A and B: where A has none, B's is taken until C differs
    let _ = group.sessions[0].receive(&[flipped(b, DIGEST)]);
    let error = refused(&mut group, commitments[2].clone());
    assert_eq!(error, Error::SharesDisagree { piece: 0, parties: vec!["B".into(), "C".into()] });

    // the round after: what was committed to is what is opened
    let mut group = Group::of(&spec(&params, 3, 2, Sharing::default()), 1);
    let all = group.round();
    group.sessions.iter_mut().for_each(|session| session.receive(&all).unwrap());
    let opened = group.round();
    let b = &opened[1];
    let error = refused(&mut group, flipped(b, SHARE));
    assert_eq!(error, Error::CommitmentMismatch { party: "B".into(), piece: 0 });
    let error = refused(&mut group, flipped(b, DIGEST));
    assert_eq!(error, Error::CommitmentMismatch { party: "B".into(), piece: 0 });
    let error = refused(&mut group, flipped(b, TRANSCRIPT));
    assert!(matches!(error, Error::TranscriptMismatch { .. }), "{error}");
    let error = refused(&mut group, flipped(b, SENT + 1));
    assert!(malformed(&error, SENT + 1), "{error}");
    group.sessions.iter_mut().for_each(|session| session.receive(&opened).unwrap());

    // round 2 of the relinearisation key
    let second = group.round();
    let b = &second[1];
    let error = refused(&mut group, flipped(b, SHARE));
    assert_eq!(error, Error::CommitmentMismatch { party: "B".into(), piece: 0 });
    // a party that sends another digest of a share that is with another one, too
    let c = &second[2];
    group.sessions[0].receive(std::slice::from_ref(b)).unwrap();
    let error = refused(&mut group, flipped(c, DIGEST));
    assert_eq!(error, Error::SharesDisagree { piece: 0, parties: vec!["B".into(), "C".into()] });
    group.sessions.iter_mut().for_each(|session| session.receive(&second).unwrap());
    assert!(group.sessions.iter().all(Session::is_ready));

    // answers
    let ct = group.encrypt(&values(&params, 1), 1);
    let shares = group.shares(&ct, &[0, 1, 2]);
    let combine = |share: Vec<u8>| group.sessions[0].combine(&ct, &[shares[0].clone(), share], Some(8));
    let (kind, width, digest) = (HEADER_LEN + 1, HEADER_LEN + 2, HEADER_LEN + 3);
    let (active, count, piece, share) = (digest + 32, digest + 40, digest + 41, digest + 42);
    assert!(combine(shares[1].clone()).is_ok());
    let error = combine(flipped(&shares[1], SESSION)).unwrap_err();
    assert!(matches!(error, Error::WrongSession { what: "answer share", .. }), "{error}");
    for (at, what) in [(kind, "a refresh"), (width, "noise of"), (digest, "ciphertext")] {
        let changed = if at == kind { with(&shares[1], at, &[2]) } else { flipped(&shares[1], at) };
        let error = combine(changed).unwrap_err();
        assert!(
            matches!(&error, Error::TranscriptMismatch { party, found, .. } if party == "B" && found.contains(what)),
            "{error}"
        );
    }
    for (at, new) in [(active, 3), (count, 1), (piece, 1), (HEADER_LEN, 7), (kind, 3)] {
        let error = combine(with(&shares[1], at, &[new])).unwrap_err();
        assert!(matches!(error, Error::Malformed { .. }), "{error}");
    }
    // A and B both hold piece 2
    let size = (shares[1].len() - piece - CHECKSUM_LEN) / 2;
    let error = combine(flipped(&shares[1], share + size)).unwrap_err();
    assert_eq!(error, Error::SharesDisagree { piece: 2, parties: vec!["A".into(), "B".into()] });
    // nobody else has piece 0 here: the sum is garbage, or the share has a residue above its modulus
    let garbage = combine(with(&shares[1], share + 8, &[0x55; 4000])).unwrap_err();
    assert!(matches!(garbage, Error::Garbage { .. } | Error::Malformed { .. }), "{garbage}");
}

/// Messages come late, twice, and to a party that was killed and has nothing but its record.
#[test]
fn messages_come_late_and_twice() {
    let params = super::ckks(3);
    let mut group = Group::of(&spec(&params, 3, 2, Sharing::default()), 2);
    let commitments = group.round();
    // A and B have commitments to all pieces without C
    for i in 0..2 {
        group.sessions[i].receive(&commitments[..2]).unwrap();
        group.sessions[i].receive(&commitments).unwrap();
        group.sessions[i].receive(&commitments[2..]).unwrap();
        assert_eq!(group.sessions[i].round(), Round::Open);
    }
    // C gets its first message again
    assert_eq!(group.sessions[2].next(&[""; 0], |_, _| true).unwrap(), commitments[2]);
    group.sessions[2].receive(&commitments[..2]).unwrap();
    let opened = group.round();
    let before = group.sessions[1].next(&["C"], |_, _| true).unwrap();
    assert!(matches!(group.sessions[0].receive(&[&opened[0]]), Err(Error::PartyMissing { what: "key share", .. })));
    group.sessions[0].receive(&[&opened[0], &opened[1], &opened[0]]).unwrap();
    // C is killed, and goes on from its record
    let record = group.parties[2].to_secret_bytes().unwrap();
    let limits = crate::wire::Limits::default().allow_insecure();
    let again = Arc::new(Party::from_secret_bytes(&record, limits).unwrap());
    let mut session = Session::new(again, &group.ctx).unwrap();
    assert_eq!((session.round(), session.next(&[""; 0], |_, _| true).unwrap()), (Round::Open, opened[2].clone()));
    session.receive(&opened).unwrap();
    group.sessions[1].receive(&[&opened[0], &before]).unwrap();
    group.sessions[2] = session;
    let second = group.round();
    group.sessions.iter_mut().for_each(|session| session.receive(&second).unwrap());
    let bytes = |session: &Session| {
        let (public, keys) = session.keys().unwrap();
        let [mut a, mut b] = [vec![], vec![]];
        public.write_to(&group.ctx, &mut a).unwrap();
        keys.write_to_observed(&group.ctx, &mut b, |_, _| true).unwrap();
        // the keys are read as they were written
        let limits = crate::wire::Limits::default();
        let mut again = vec![];
        let read = crate::dynamic::EvaluationKeys::from_bytes(&group.ctx, &b, limits).unwrap();
        read.write_to_observed(&group.ctx, &mut again, |_, _| true).unwrap();
        assert!(again == b && read.bytes_at_rest() == b.len() as u64);
        (a, b)
    };
    let all: Vec<_> = group.sessions.iter().map(bytes).collect();
    assert!(all.iter().all(|keys| *keys == all[0]));
    assert!(group.sessions[0].next(&[""; 0], |_, _| true).is_err());
}

/// A party that is lost after its commitment: the next holders of its pieces send its shares.
#[test]
fn another_holder_replaces_a_lost_party() {
    let params = super::ckks(3);
    let mut whole = Group::of(&spec(&params, 3, 2, Sharing::default()), 3);
    whole.finish();
    let mut group = Group::of(&spec(&params, 3, 2, Sharing::default()), 3);
    let commitments = group.round();
    for i in 1..3 {
        group.sessions[i].receive(&commitments[1..]).unwrap();
    }
    while !group.sessions[1].is_ready() {
        // without A's shares B and C cannot go on, until they know that A is lost
        let few: Vec<_> = (1..3).map(|i| group.sessions[i].next(&[""; 0], |_, _| true).unwrap()).collect();
        let refused = group.sessions[1].receive(&few);
        assert!(matches!(&refused, Err(Error::PartyMissing { parties, .. }) if parties[0] == "A"), "{refused:?}");
        let all: Vec<_> = (1..3).map(|i| group.sessions[i].next(&["A"], |_, _| true).unwrap()).collect();
        (1..3).for_each(|i| group.sessions[i].receive(&all).unwrap());
    }
    assert!(matches!(group.sessions[1].next(&["Z"], |_, _| true), Err(Error::Argument { name: "party", .. })));
    let ct = whole.encrypt(&values(&params, 1), 1);
    // the keys are the same as with A
    let [mut a, mut b] = [vec![], vec![]];
    whole.sessions[0].keys().unwrap().1.write_to_observed(&whole.ctx, &mut a, |_, _| true).unwrap();
    group.sessions[2].keys().unwrap().1.write_to_observed(&group.ctx, &mut b, |_, _| true).unwrap();
    let bytes = ct.to_bytes(&whole.ctx).unwrap();
    let ct = Ciphertext::from_bytes(&group.ctx, &bytes, crate::wire::Limits::default()).unwrap();
    assert!(a == b && group.sessions[2].combine(&ct, &group.shares(&ct, &[1, 2]), Some(8)).is_ok());
}

/// The first message of all, in private.
#[test]
fn hellos_are_checked() {
    let params = super::ckks(3);
    let agreed = spec(&params, 3, 2, Sharing::default());
    let party = |spec: &Spec, name| Party::from_seed(spec.clone(), name, &Seed::from_bytes([4; 32])).unwrap();
    let [a, b, c] = ["A", "B", "C"].map(|name| party(&agreed, name));
    assert!(matches!(a.session_id(), Err(Error::PartyMissing { what: "hello", .. })));
    let to = |from: &Party, name: &str| from.hello().unwrap().into_iter().find(|(to, _)| to == name).unwrap().1;
    let missing = a.receive(&[to(&b, "A")]).unwrap_err();
    assert_eq!(missing, Error::PartyMissing { what: "hello", pieces: vec![], parties: vec!["C".into()] });
    assert!(matches!(a.receive(&[to(&b, "C")]), Err(Error::Argument { name: "hellos", .. })));
    // another agreement: one answer less
    let other = spec(&params, 3, 2, Sharing { answers: 3, ..Sharing::default() });
    let refused = a.receive(&[to(&party(&other, "C"), "A")]).unwrap_err();
    assert!(matches!(&refused, Error::TranscriptMismatch { what: "hello", party, .. } if party == "C"), "{refused}");
    a.receive(&[to(&c, "A")]).unwrap();
    assert!(a.session_id().is_ok());
    // the same again is fine, something else is not
    a.receive(&[to(&c, "A"), to(&b, "A")]).unwrap();
    let changed = Party::from_seed(agreed.clone(), "C", &Seed::from_bytes([5; 32])).unwrap();
    assert!(matches!(a.receive(&[to(&changed, "A")]), Err(Error::TranscriptMismatch { .. })));
    // B has not got A's randomness: the sessions differ
    b.receive(&[to(&a, "B"), to(&changed, "B")]).unwrap();
    assert!(a.session_id().unwrap() != b.session_id().unwrap());
    let ctx = context(&params);
    let [mut one, mut two] = [a, b].map(|party| Session::new(Arc::new(party), &ctx).unwrap());
    let message = two.next(&[""; 0], |_, _| true).unwrap();
    assert!(matches!(one.receive(&[message]), Err(Error::WrongSession { .. })));
}

/// No loader panics or takes what was changed, wherever it was changed.
#[test]
fn damaged_bytes_are_refused() {
    let params = super::ckks(3);
    let mut group = Group::of(&spec(&params, 3, 2, Sharing::default()), 5);
    let limits = crate::wire::Limits::default().allow_insecure();
    let record = group.parties[0].to_secret_bytes().unwrap();
    let hello = group.parties[1].hello().unwrap().remove(0).1;
    let message = group.round().remove(1);
    for (at, bit) in (0..record.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
        let changed = with(&record, at, &[record[at] ^ 1 << bit]);
        // what may be anything: randomness, seeds; the session follows from some of it
        if let Ok(party) = Party::from_secret_bytes(&changed, limits) {
            assert_eq!(party.to_secret_bytes().unwrap()[..], changed[..], "byte {at}");
        }
    }
    (0..record.len()).for_each(|at| assert!(Party::from_secret_bytes(&record[..at], limits).is_err()));
    for at in 0..hello.len() {
        let _ = group.parties[0].receive(&[flipped(&hello, at)]);
        assert!(group.parties[0].receive(&[&hello[..at]]).is_err());
    }
    for at in 0..message.len() {
        let _ = group.sessions[0].receive(&[flipped(&message, at)]);
        assert!(group.sessions[0].receive(&[&message[..at]]).is_err());
    }
}

/// A party whose messages did not reach all others sends them again, also where it is further on: without it two of two could
/// never go on. Here B gets A's commitment before it makes its own, and nobody gets B's.
#[test]
fn messages_of_done_rounds_are_sent_again() {
    let params = super::ckks(2);
    let mut group = Group::of(&spec(&params, 2, 2, Sharing::default()), 6);
    let none = &[""; 0];
    let first = group.sessions[0].next(none, |_, _| true).unwrap();
    assert!(matches!(group.sessions[1].receive(&[&first]), Err(Error::PartyMissing { .. })));
    let lost = group.sessions[1].next(none, |_, _| true).unwrap();
    assert_eq!(group.sessions[1].round(), Round::Open);
    let again = group.sessions[1].again(Round::Commit, none, |_, _| true).unwrap();
    assert_eq!(again, lost);
    assert!(matches!(group.sessions[1].again(Round::Second, none, |_, _| true), Err(Error::Argument { .. })));
    group.sessions[0].receive(&[again]).unwrap();
    let mut sent = vec![];
    while !group.sessions[0].is_ready() {
        let messages = group.round();
        group.sessions.iter_mut().for_each(|session| session.receive(&messages).unwrap());
        sent.push(messages);
    }
    for (round, messages) in [Round::Open, Round::Second].into_iter().zip(&sent) {
        assert!(group.sessions[1].again(round, none, |_, _| true).unwrap() == messages[1]);
    }
    // late messages alone raise nothing, and none at all say what is missing
    group.sessions[0].receive(&sent[0]).unwrap();
    let other = Session::new(group.parties[0].clone(), &group.ctx);
    assert!(matches!(other.unwrap().receive(&[""; 0]), Err(Error::PartyMissing { what: "key share", .. })));
}

/// A message with a good and a bad share adds neither.
#[test]
fn a_refused_message_changes_nothing() {
    let params = super::ckks(3);
    let mut group = Group::of(&spec(&params, 3, 2, Sharing::default()), 7);
    for _ in 0..2 {
        let messages = group.round();
        group.sessions.iter_mut().for_each(|session| session.receive(&messages).unwrap());
    }
    let second = group.round();
    // A sends the shares of pieces 1 and 2, of which C lacks the last one; every residue of it is above its modulus now
    let a = &second[0];
    let size = (a.len() - SHARE - CHECKSUM_LEN - (1 + 32 + 1 + 8)) / 2;
    let at = SHARE + size + 1 + 32 + 1 + 8;
    let mut share = a[at..at + size].to_vec();
    share.fill(0xff);
    let digest = group.sessions[2].digest(Round::Second, 2, &share);
    let bad = with(&with(a, at, &share), at - 8 - 1 - 32, &digest);
    let refused = group.sessions[2].receive(&[&bad]).unwrap_err();
    assert!(matches!(refused, Error::Malformed { .. }), "{refused}");
    group.sessions.iter_mut().for_each(|session| session.receive(&second).unwrap());
    let bytes = |session: &Session| {
        let mut out = vec![];
        session.keys().unwrap().1.write_to_observed(&group.ctx, &mut out, |_, _| true).unwrap();
        out
    };
    assert!(bytes(&group.sessions[2]) == bytes(&group.sessions[0]));
}
