//! Answers: decryptions and refreshes that parties make together.

use std::collections::BTreeMap;

use super::party::{FRAME, hex};
use super::record::{AnswerKind, Answered, is_active, members};
use super::session::Session;
use super::work::Asked;
use crate::dynamic::{Ciphertext, Values};
use crate::wire::{Input, Object};
use crate::{Error, Result};

/// The shares of one party, read.
struct Answer<'a> {
    from: usize,
    answered: Answered,
    /// The share of each piece that the party holds.
    shares: Vec<(usize, &'a [u8])>,
}

impl Session {
    /// This party's shares of the decryption of `ct`, to send to whoever combines them. `plan`: the result of the same
    /// computation on a backend that only counts, from which the width of the noise follows. `bits`: how many bits
    /// after the point must be left; 0 for exact schemes. `active`: the names of those who answer this ciphertext, as many
    /// as the threshold says, where [pieces are dealt](super::Layout::is_dealt); else none, as any of them answer. All
    /// who answer name the same.
    ///
    /// **Whoever chose the ciphertext can learn the secret from the shares, if it is no result of encryptions**: compare
    /// it first with what the same computation gives here, as results are the same bit for bit.
    ///
    /// The answer is counted, and on the disk, before the shares are returned. The same call gives the same bytes
    /// again, and is not counted again.
    ///
    /// # Errors
    /// [`Error::AlreadyAnswered`] for a ciphertext that was answered in another way; [`Error::ActiveSetChanged`] for one
    /// that was answered with other parties; [`Error::Argument`] for an active set of another size or without this
    /// party; [`Error::PartyMissing`] before all have dealt; [`Error::AnswersExhausted`];
    /// [`Error::NotSharable`] where the ciphertext does not fit its plan, or has no room for the noise;
    /// [`Error::Degree`] for a product that is not relinearised; [`Error::KeyMismatch`], [`Error::ParameterMismatch`];
    /// [`Error::Io`] where the party's file cannot be written.
    pub fn decryption_share(
        &self,
        ct: &Ciphertext,
        plan: &Ciphertext,
        bits: u32,
        active: &[impl AsRef<str>],
    ) -> Result<Vec<u8>> {
        self.answer(AnswerKind::Decryption, ct, plan, bits, active)
    }

    /// This party's shares of a refresh of `ct`, after which it is at the top level. What [`Session::decryption_share`]
    /// says holds here, too; one answer is counted.
    ///
    /// # Errors
    /// Those of [`Session::decryption_share`].
    pub fn refresh_share(&self, ct: &Ciphertext, plan: &Ciphertext, active: &[impl AsRef<str>]) -> Result<Vec<u8>> {
        self.answer(AnswerKind::Refresh, ct, plan, 0, active)
    }

    fn answer(
        &self,
        kind: AnswerKind,
        ct: &Ciphertext,
        plan: &Ciphertext,
        bits: u32,
        active: &[impl AsRef<str>],
    ) -> Result<Vec<u8>> {
        let spec = self.party.spec();
        let digest = self.work.digest(ct)?;
        let shares = if spec.layout().is_dealt() { spec.threshold() } else { spec.layout().pieces() };
        let width = self.work.width(kind, ct, plan, &spec.noise(), shares as u32, bits)?;
        let now = Answered { kind, width, active: self.active(active)? };
        let point = self.point(now.active)?;
        self.party.change(|record| {
            match record.answers.get(&digest) {
                Some(&known) if known == now => return Ok(()),
                Some(known) if known.active != now.active => {
                    let [first, asked] = [known.active, now.active].map(|set| spec.named(members(set)));
                    return Err(Error::ActiveSetChanged { first, asked });
                }
                Some(known) => {
                    let (first, now) = (known.kind.name(), kind.name());
                    return Err(Error::AlreadyAnswered { first, width: known.width, now, asked: width });
                }
                None => {}
            }
            let (given, limit) = (record.answers.len() as u64, spec.sharing().answers);
            if given >= limit {
                return Err(Error::AnswersExhausted { given, limit });
            }
            record.answers.insert(digest, now);
            Ok(())
        })?;
        let asked = Asked { ct, digest, answered: now };
        let pieces: Vec<usize> = spec.layout().held_by(self.party.me()).collect();
        let mut body = vec![self.party.me() as u8, kind as u8, width as u8];
        body.extend_from_slice(&digest);
        body.extend_from_slice(&now.active.to_le_bytes());
        body.push(pieces.len() as u8);
        for piece in pieces {
            body.push(piece as u8);
            body.extend_from_slice(&self.work.answer_share(piece, &asked, point.as_ref())?);
        }
        Ok(self.party.sealed(Object::AnswerShare, self.id, &body).to_vec())
    }

    /// The values of `ct` from the shares of as many parties as the threshold says, or more, in any order. `bits`: to
    /// how many bits after the point they are rounded; exact schemes take none.
    ///
    /// # Errors
    /// [`Error::PartyMissing`] where shares of pieces, or of the active set, are missing; [`Error::TranscriptMismatch`] for
    /// shares of another ciphertext, of another active set, or with noise of another width; [`Error::SharesDisagree`]
    /// where two holders of a piece differ; [`Error::WrongSession`]; [`Error::NotSharable`] for more bits than the noise
    /// leaves; [`Error::Garbage`] and [`Error::NoiseBudgetSpent`] where the sum is no message; [`Error::Malformed`] and the other errors of loaders.
    pub fn combine(&self, ct: &Ciphertext, shares: &[impl AsRef<[u8]>], bits: Option<u32>) -> Result<Values> {
        let (asked, shares) = self.gathered(AnswerKind::Decryption, ct, shares)?;
        self.work.decrypted(&asked, &shares, bits)
    }

    /// The refreshed ciphertext from the shares of as many parties as the threshold says. It is the same for whoever
    /// combines them. Fails as [`Session::combine`] does.
    pub fn refresh(&self, ct: &Ciphertext, shares: &[impl AsRef<[u8]>]) -> Result<Ciphertext> {
        let (asked, shares) = self.gathered(AnswerKind::Refresh, ct, shares)?;
        self.work.refreshed(&asked, &shares)
    }

    /// What was asked, and one share of each piece, or of each party of the active set.
    fn gathered<'a>(
        &self,
        kind: AnswerKind,
        ct: &'a Ciphertext,
        messages: &'a [impl AsRef<[u8]>],
    ) -> Result<(Asked<'a>, Vec<&'a [u8]>)> {
        let spec = self.party.spec();
        let layout = spec.layout();
        let (digest, size) = (self.work.digest(ct)?, self.work.answer_bytes(kind, ct)?);
        let mut found: BTreeMap<usize, (usize, &[u8])> = BTreeMap::new();
        let mut first: Option<(usize, Answered)> = None;
        for bytes in messages {
            let Answer { from, answered, shares } = self.read_answer(kind, &digest, size, bytes.as_ref())?;
            let (before, known) = *first.get_or_insert((from, answered));
            if known != answered {
                let text = |of: Answered| match members(of.active) {
                    active if known.active != answered.active => {
                        format!("answers of {}", spec.named(active).join(", "))
                    }
                    _ => format!("noise of 2^{}", of.width),
                };
                let expected = format!("{}, as that of {}", text(known), spec.names()[before]);
                let (party, found) = (spec.names()[from].clone(), text(answered));
                return Err(Error::TranscriptMismatch { what: "answer share", party, expected, found });
            }
            for (piece, share) in shares {
                let (other, known) = *found.entry(piece).or_insert((from, share));
                if known != share {
                    return Err(Error::SharesDisagree { piece, parties: spec.named([other, from]) });
                }
            }
        }
        // dealt pieces have the numbers of their holders
        let active = first.map_or(vec![], |(_, answered)| members(answered.active));
        let needed = |piece: &usize| !layout.is_dealt() || active.is_empty() || active.contains(piece);
        let missing: Vec<usize> =
            (0..layout.pieces()).filter(|piece| needed(piece) && !found.contains_key(piece)).collect();
        let Some((_, answered)) = first.filter(|_| missing.is_empty()) else {
            let holds = |party: &usize| missing.iter().any(|&piece| layout.holds(*party, piece));
            let parties = spec.named((0..layout.parties()).filter(holds));
            return Err(Error::PartyMissing { what: "answer share", pieces: missing, parties });
        };
        Ok((Asked { ct, digest, answered }, found.into_values().map(|(_, share)| share).collect()))
    }

    fn read_answer<'a>(&self, kind: AnswerKind, digest: &[u8; 32], size: u64, bytes: &'a [u8]) -> Result<Answer<'a>> {
        let spec = self.party.spec();
        let layout = spec.layout();
        let most = FRAME as u64 + 64 + layout.pieces() as u64 * (1 + size);
        let (key, mut r) = self.party.opened(Object::AnswerShare, bytes, most)?;
        self.expect_session("answer share", key)?;
        let here = r.offset();
        let [from, stated, width] = r.array::<3>()?;
        let from = usize::from(from);
        let (true, Some(stated)) = (from < layout.parties(), AnswerKind::of(stated)) else {
            return Err(r.malformed_at(here, format!("party {from} with an answer of kind {stated}")));
        };
        let found = r.array::<32>()?;
        let mismatch = |expected: String, found: String| {
            let party = spec.names()[from].clone();
            Err(Error::TranscriptMismatch { what: "answer share", party, expected, found })
        };
        if stated != kind {
            return mismatch(kind.name().into(), stated.name().into());
        }
        if found != *digest {
            let [expected, found] = [digest, &found].map(|digest| format!("ciphertext {}", hex(digest)));
            return mismatch(expected, found);
        }
        let here = r.offset();
        let active = u64::from_le_bytes(r.array()?);
        if !is_active(layout, spec.threshold(), active) || layout.is_dealt() && active >> from & 1 == 0 {
            return Err(
                r.malformed_at(here, format!("an answer of party {from} for the parties {:?}", members(active)))
            );
        }
        let here = r.offset();
        let [count] = r.array::<1>()?;
        if usize::from(count) != layout.held_by(from).count() {
            return Err(r.malformed_at(here, format!("{count} pieces of {}", spec.names()[from])));
        }
        let mut shares = vec![];
        for piece in layout.held_by(from) {
            let here = r.offset();
            if r.array()? != [piece as u8] {
                return Err(r.malformed_at(here, format!("piece {piece} belongs here")));
            }
            shares.push((piece, r.slice(size as usize)?));
        }
        r.expect_remaining(0)?;
        Ok(Answer { from, answered: Answered { kind, width: width.into(), active }, shares })
    }
}
