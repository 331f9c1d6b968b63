//! Parties in one process: results against single keys, answers, and what is refused.

mod answers;
mod attacks;
mod dealt;
mod files;
mod messages;
mod results;

use std::sync::Arc;

use ringjet_cpu::CpuBackend;

use super::record::Answered;
use super::work::Asked;
use super::*;
use crate::dynamic::{Ciphertext, Context, Evaluator, KeyRequest, Parameters, PublicKey, StartModulus, Values};
use crate::rlwe::pieces::Piece;
use crate::rlwe::{ChainParameters, SecretKey, Sharing};
use crate::rng::Seed;
use crate::{ParamSpec, Stated, bgv};

/// Parties that have exchanged their hellos, each with its session.
pub(super) struct Group {
    pub ctx: Context,
    pub parties: Vec<Arc<Party>>,
    pub sessions: Vec<Session>,
}

/// The name of a party: one letter.
pub(super) fn name(party: usize) -> &'static str {
    const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";
    &LETTERS[party..=party]
}

/// The active set where pieces are replicated.
pub(super) const NOBODY: &[&str] = &[];

/// CKKS with room for noise after a product.
pub(super) fn ckks(pieces: u32) -> Parameters {
    let q = crate::params::ModulusSpec::Bits(vec![60, 58, 58, 58]);
    let p = crate::params::ModulusSpec::Bits(vec![60]);
    let spec = ParamSpec { q, p, alpha: Some(1), ..ParamSpec::uniform(9, 60, 3, 58, 1) };
    crate::Parameters::new(&spec.allow_insecure().pieces(pieces)).unwrap().into()
}

/// BGV with room for noise, a wide P and a plaintext modulus of two primes.
pub(super) fn bgv(pieces: u32) -> Parameters {
    let spec = bgv::ParamSpec::uniform(9, 12289, &[50, 50, 50, 50, 50], &[60, 60]);
    let spec = bgv::ParamSpec { t: vec![12289, 13313], ..spec }.allow_insecure().pieces(pieces);
    bgv::Parameters::new(&spec).unwrap().into()
}

pub(super) fn context(params: &Parameters) -> Context {
    Context::new(params, Arc::new(CpuBackend::new(Default::default()).unwrap()))
}

pub(super) fn spec(params: &Parameters, parties: usize, threshold: usize, sharing: Sharing) -> Spec {
    let request = KeyRequest { rotations: vec![1, -3], conjugation: true, ..KeyRequest::default() };
    let keys = params.key_plan(&request).unwrap();
    let names: Vec<&str> = (0..parties).map(name).collect();
    Spec::new(params, &names, threshold, &keys, &[], sharing).unwrap()
}

/// The hellos that each party gets.
pub(super) fn exchange(parties: &[Arc<Party>]) {
    for to in parties {
        let sent = parties.iter().flat_map(|from| from.hello().unwrap());
        let hellos: Vec<_> = sent.filter(|(name, _)| name == to.name()).map(|(_, bytes)| bytes).collect();
        to.receive(&hellos).unwrap();
    }
}

impl Group {
    pub fn of(spec: &Spec, seed: u8) -> Self {
        let seed = Seed::from_bytes([seed; 32]);
        let party = |name| Arc::new(Party::from_seed(spec.clone(), name, &seed).unwrap());
        let parties: Vec<Arc<Party>> = spec.names().iter().map(|name| party(name)).collect();
        exchange(&parties);
        let ctx = context(spec.params());
        let sessions = parties.iter().map(|party| Session::new(party.clone(), &ctx).unwrap()).collect();
        Self { ctx, parties, sessions }
    }

    pub fn new(params: &Parameters, parties: usize, threshold: usize, seed: u8) -> Self {
        let mut made = Self::of(&spec(params, parties, threshold, Sharing::default()), seed);
        made.finish();
        made
    }

    /// What all parties send in the round.
    pub fn round(&mut self) -> Vec<Vec<u8>> {
        self.sessions.iter_mut().map(|session| session.next(&[""; 0], |_, _| true).unwrap()).collect()
    }

    /// Makes the keys.
    pub fn finish(&mut self) {
        while !self.sessions[0].is_ready() {
            let messages = self.round();
            self.sessions.iter_mut().for_each(|session| session.receive(&messages).unwrap());
        }
    }

    /// Deals all points.
    pub fn deal(&self) {
        let dealt: Vec<_> = self.sessions.iter().flat_map(|session| session.deal().unwrap()).collect();
        for session in &self.sessions {
            let mine = dealt.iter().filter(|(name, _)| name == session.party().name());
            session.receive_deals(&mine.map(|(_, bytes)| bytes).collect::<Vec<_>>()).unwrap();
        }
    }

    pub fn public(&self) -> &PublicKey {
        self.sessions[0].keys().unwrap().0
    }

    pub fn evaluator(&self) -> Evaluator {
        Evaluator::new(&self.ctx, self.sessions[0].keys().unwrap().1).unwrap()
    }

    pub fn encrypt(&self, values: &Values, seed: u8) -> Ciphertext {
        encrypted(&self.ctx, values, |plain| self.public().encrypt(&self.ctx, plain, &Seed::from_bytes([seed; 32])))
    }

    /// The shares of these parties of a decryption.
    pub fn shares(&self, ct: &Ciphertext, parties: &[usize]) -> Vec<Vec<u8>> {
        parties.iter().map(|&i| self.sessions[i].decryption_share(ct, ct, 0, NOBODY).unwrap()).collect()
    }
}

pub(super) fn encrypted(
    ctx: &Context,
    values: &Values,
    encrypt: impl FnOnce(&crate::dynamic::Plaintext) -> crate::Result<Ciphertext>,
) -> Ciphertext {
    let log_slots = ctx.params().log_n() - 1;
    let plain = ctx.encode(values, Stated::Magnitude(1.0), StartModulus::default(), log_slots).unwrap();
    encrypt(&plain).unwrap()
}

/// The secret, which no party has: the sum of all pieces.
pub(super) fn sum_of<P: ChainParameters>(params: &P, parties: &[Arc<Party>]) -> SecretKey<P> {
    let id = parties[0].session_id().unwrap();
    let mut sum = vec![0i8; params.n()];
    let layout = parties[0].spec().layout().clone();
    for piece in 0..layout.pieces() {
        let holder = layout.holders(piece).next().unwrap();
        let piece = Piece::new(params, id, &parties[holder].seeds()[&piece]).unwrap();
        sum.iter_mut().zip(piece.secret.coefficients.iter()).for_each(|(s, c)| *s += c);
    }
    SecretKey::from_coefficients(params, id, sum.into(), 0)
}

/// Values in full range for the scheme.
pub(super) fn values(params: &Parameters, seed: u64) -> Values {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let all: Vec<u64> = (0..params.slots()).map(|_| next()).collect();
    match params.residues() {
        Some(residues) => {
            let t = residues.modulus() as i64;
            Values::Integers(all.iter().map(|&x| x as i64 % t - t / 2).collect())
        }
        None => Values::Numbers(all.iter().map(|&x| (x as f64 / 2f64.powi(30) - 1.0).into()).collect()),
    }
}
