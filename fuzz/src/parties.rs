//! Three parties in a small ring, and messages of theirs for fuzz targets to change.

use std::sync::{Arc, OnceLock};

use ringjet::dynamic::{Ciphertext, Context, KeyRequest, Parameters, StartModulus, Values};
use ringjet::parties::{Party, Session, Spec};
use ringjet::rlwe::Sharing;
use ringjet::rng::Seed;
use ringjet::{ParamSpec, Stated};
use ringjet_backend::Reference;

use crate::{LIMITS, edited};

const WHY: &str = "honest parties";

/// The active set where pieces are replicated.
const NOBODY: &[&str] = &[];

/// What the targets change, and what they need to read it.
pub struct World {
    ctx: Context,
    /// A party before the hellos, after them, after the commitments, and at the end.
    records: [Vec<u8>; 4],
    hello: Vec<u8>,
    /// A message of each round.
    messages: Vec<Vec<Vec<u8>>>,
    ct: Ciphertext,
    decryptions: Vec<Vec<u8>>,
    refreshed: Ciphertext,
    refreshes: Vec<Vec<u8>>,
    /// The second of nine parties with dealt pieces, before the deals and after them.
    dealt: [Vec<u8>; 2],
    nine: Context,
    /// What the first and the last of them deal to it.
    deals: [Vec<u8>; 2],
}

/// The parties, made once in a process.
pub fn world() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| {
        let params = params(3);
        let keys = params.key_plan(&KeyRequest { rotations: vec![1], ..KeyRequest::default() }).expect(WHY);
        let agreed = Spec::new(&params, &["A", "B", "C"], 2, &keys, &[[7; 32]], Sharing::default()).expect(WHY);
        let seed = Seed::from_bytes([4; 32]);
        let party = |name| Arc::new(Party::from_seed(agreed.clone(), name, &seed).expect(WHY));
        let all = ["A", "B", "C"].map(party);
        let first = all[0].to_secret_bytes().expect(WHY).to_vec();
        // the last one is to C
        let hello = exchange(&all);
        let met = all[0].to_secret_bytes().expect(WHY).to_vec();
        let ctx = Context::new(&params, Arc::new(Reference::default()));
        let mut sessions = all.clone().map(|party| Session::new(party, &ctx).expect(WHY));
        let mut messages = vec![];
        let mut second = vec![];
        while !sessions[0].is_ready() {
            let sent: Vec<_> =
                sessions.iter_mut().map(|session| session.next(&[""; 0], |_, _| true).expect(WHY)).collect();
            sessions.iter_mut().for_each(|session| session.receive(&sent).expect(WHY));
            if messages.is_empty() {
                second = all[0].to_secret_bytes().expect(WHY).to_vec();
            }
            messages.push(sent);
        }
        let public = sessions[0].keys().expect(WHY).0;
        let encrypt = |number: u8| {
            let values = Values::Numbers(vec![0.5.into(), (-0.25).into()]);
            let plain = ctx.encode(&values, Stated::Magnitude(1.0), StartModulus::default(), 4).expect(WHY);
            public.encrypt(&ctx, &plain, &Seed::from_bytes([number; 32])).expect(WHY)
        };
        let (ct, refreshed) = (encrypt(1), encrypt(2));
        let decryptions = sessions.iter().map(|s| s.decryption_share(&ct, &ct, 4, NOBODY).expect(WHY)).collect();
        let refreshes = sessions.iter().map(|s| s.refresh_share(&refreshed, &refreshed, NOBODY).expect(WHY)).collect();
        let records = [first, met, second, all[0].to_secret_bytes().expect(WHY).to_vec()];
        let (dealt, nine, deals) = nine();
        World { ctx, records, hello, messages, ct, decryptions, refreshed, refreshes, dealt, nine, deals }
    })
}

/// A small ring for so many pieces.
fn params(pieces: u32) -> Parameters {
    let q = ringjet::params::ModulusSpec::Bits(vec![60, 58, 58]);
    let p = ringjet::params::ModulusSpec::Bits(vec![60]);
    let spec = ParamSpec { q, p, alpha: Some(1), ..ParamSpec::uniform(5, 60, 2, 58, 1) };
    ringjet::Parameters::new(&spec.allow_insecure().pieces(pieces)).expect(WHY).into()
}

/// Brings all hellos; returns one to the last party.
fn exchange(all: &[Arc<Party>]) -> Vec<u8> {
    let mut hello = vec![];
    for to in all {
        let sent = all.iter().flat_map(|from| from.hello().expect(WHY));
        let mine: Vec<_> = sent.filter(|(name, _)| name == to.name()).map(|(_, bytes)| bytes).collect();
        to.receive(&mine).expect(WHY);
        hello = mine[0].to_vec();
    }
    hello
}

/// Nine parties: records of the second one, and deals to it.
fn nine() -> ([Vec<u8>; 2], Context, [Vec<u8>; 2]) {
    let params = params(9);
    let names = ["A", "B", "C", "D", "E", "F", "G", "H", "I"];
    let agreed = Spec::new(&params, &names, 3, &ringjet::KeyPlan::none(), &[], Sharing::default()).expect(WHY);
    let seed = Seed::from_bytes([4; 32]);
    let all = names.map(|name| Arc::new(Party::from_seed(agreed.clone(), name, &seed).expect(WHY)));
    exchange(&all);
    let before = all[1].to_secret_bytes().expect(WHY).to_vec();
    let ctx = Context::new(&params, Arc::new(Reference::default()));
    let sessions = all.clone().map(|party| Session::new(party, &ctx).expect(WHY));
    let sent = sessions.iter().flat_map(|session| session.deal().expect(WHY));
    let mine: Vec<Vec<u8>> = sent.filter(|(name, _)| name == "B").map(|(_, bytes)| bytes.to_vec()).collect();
    sessions[1].receive_deals(&mine).expect(WHY);
    let after = all[1].to_secret_bytes().expect(WHY).to_vec();
    ([before, after], ctx, [mine[0].clone(), mine[7].clone()])
}

fn party(record: &[u8]) -> Arc<Party> {
    Arc::new(Party::from_secret_bytes(record, LIMITS).expect(WHY))
}

/// Parties: what loads is written to the same bytes, and goes on.
pub fn loads_party(data: &[u8]) {
    let (w, Some((first, rest))) = (world(), data.split_first()) else { return };
    let bytes = edited(w.records.iter().chain(&w.dealt).nth(usize::from(first % 6)).expect(WHY), rest);
    let Ok(made) = Party::from_secret_bytes(&bytes, LIMITS) else { return };
    assert!(made.to_secret_bytes().expect(WHY)[..] == bytes, "it is written to other bytes than it was loaded from");
    let _ = (made.hello(), made.session_id(), made.answers_given(), format!("{made:?}"));
    let ctx = if usize::from(first % 6) < w.records.len() { &w.ctx } else { &w.nine };
    // other parameters than the context's are refused
    let Ok(mut session) = Session::new(Arc::new(made), ctx) else { return };
    let _ = session.next(&["B"], |_, _| true);
    let _ = (session.deal(), session.decryption_share(&w.ct, &w.ct, 4, &["A", "B", "C"]));
}

/// Hellos: a party that has had none, and one that has had all.
pub fn loads_hello(data: &[u8]) {
    let (w, Some((first, rest))) = (world(), data.split_first()) else { return };
    let bytes = edited(&w.hello, rest);
    let agreed = party(&w.records[0]).spec().clone();
    let seed = Seed::from_bytes([if first % 2 == 0 { 4 } else { 5 }; 32]);
    let to = Party::from_seed(agreed, "C", &seed).expect(WHY);
    let _ = to.receive(&[&bytes]);
    let _ = to.session_id();
}

/// Deals: a party that has had none, and one that has had all.
pub fn loads_deal(data: &[u8]) {
    let (w, Some((first, rest))) = (world(), data.split_first()) else { return };
    let session = Session::new(party(&w.dealt[usize::from(first % 2)]), &w.nine).expect(WHY);
    let _ = session.receive_deals(&[edited(&w.deals[usize::from(first / 2 % 2)], rest)]);
    let bytes = session.party().to_secret_bytes().expect(WHY);
    assert!(
        party(&bytes).to_secret_bytes().expect(WHY) == bytes,
        "it is written to other bytes than it was loaded from"
    );
}

/// Messages of each round.
pub fn loads_message(data: &[u8]) {
    let (w, Some((first, rest))) = (world(), data.split_first()) else { return };
    let (round, from) = (usize::from(first % 3), usize::from(first / 3 % 3));
    let mut session = Session::new(party(&w.records[1 + usize::from(round > 0)]), &w.ctx).expect(WHY);
    if round == 2 {
        session.receive(&w.messages[1]).expect(WHY);
    }
    let good = &w.messages[round];
    let changed = edited(&good[from], rest);
    if session.receive(&[&changed]).is_ok() || session.receive(good).is_ok() {
        let _ = session.next(&[""; 0], |_, _| true);
    }
}

/// Shares of decryptions and of refreshes.
pub fn loads_answer(data: &[u8]) {
    let (w, Some((first, rest))) = (world(), data.split_first()) else { return };
    let session = Session::new(party(&w.records[3]), &w.ctx).expect(WHY);
    let from = usize::from(first / 2 % 3);
    let other = (from + 1) % 3;
    if first % 2 == 0 {
        let _ = session.combine(&w.ct, &[edited(&w.decryptions[from], rest), w.decryptions[other].clone()], Some(4));
    } else {
        let shares = [edited(&w.refreshes[from], rest), w.refreshes[other].clone()];
        let _ = session.refresh(&w.refreshed, &shares).map(|ct| ct.to_bytes(&w.ctx));
    }
}
