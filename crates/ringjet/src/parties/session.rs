//! Making keys together: two rounds, or three with a relinearisation key.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::party::{Party, hex};
use super::record::Commitment;
use super::work::{self, Work};
use crate::dynamic::{Context, EvaluationKeys, PublicKey};
use crate::host::Progress;
use crate::wire::{Field, Input, Object};
use crate::{Error, KeyId, Result};

/// What is sent next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Round {
    /// Digests of the shares of keys.
    Commit = 1,
    /// The shares of keys: of the public key, of keys for rotations, and of round 1 of the relinearisation key.
    Open = 2,
    /// The shares of round 2 of the relinearisation key.
    Second = 3,
    /// Nothing: the keys are there.
    Ready = 4,
}

impl Round {
    const ALL: [Self; 4] = [Self::Commit, Self::Open, Self::Second, Self::Ready];

    /// The name of the round.
    pub fn name(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Open => "open",
            Self::Second => "second",
            Self::Ready => "ready",
        }
    }

    /// What parties send in this round.
    fn what(self) -> &'static str {
        match self {
            Self::Commit => "commitment",
            Self::Open => "key share",
            Self::Second | Self::Ready => "second key share",
        }
    }
}

/// A session of a party: the keys that it makes together with the others, and its answers.
///
/// [`Session::next`] gives what is sent to all others, and [`Session::receive`] takes what they sent, until the
/// session [is ready](Session::is_ready). Everything follows from the pieces of the secret, so whatever is made
/// again has the same bytes. After a crash the session goes on from the party's file; messages of the rounds
/// that are not done must then come again.
pub struct Session {
    pub(super) party: Arc<Party>,
    pub(super) id: KeyId,
    pub(super) work: Box<dyn Work>,
    round: Round,
    /// The shares of this party's pieces that were made last, and for which round.
    made: Option<(Round, Shares)>,
    /// Who sent which digest for round 2 of the relinearisation key.
    seconds: BTreeMap<usize, Commitment>,
    keys: Option<(PublicKey, EvaluationKeys)>,
}

/// Shares by the numbers of their pieces.
type Shares = BTreeMap<usize, Arc<Vec<u8>>>;

/// A piece, the digest of its share, and the share where it is sent.
type Entry<'a> = (usize, [u8; 32], Option<&'a [u8]>);

/// A message that was read.
struct Message<'a> {
    from: usize,
    round: Round,
    transcript: [u8; 32],
    entries: Vec<Entry<'a>>,
}

impl Session {
    /// A session of `party`, which computes on the backend of `ctx`. Fails with [`Error::PartyMissing`] before the
    /// party has the hellos of all others; [`Error::ParameterMismatch`] for a context of other parameters.
    pub fn new(party: Arc<Party>, ctx: &Context) -> Result<Self> {
        party.spec().params().expect_same("context", &ctx.params())?;
        let (id, common) = (party.session_id()?, party.common()?);
        let work = work::of(ctx, id, common, &party.seeds(), party.spec().keys())?;
        let point = Arc::clone(&party.record().point);
        if !point.is_empty() {
            work.check_point(&point)?;
        }
        let complete = party.record().commitments.len() == party.spec().layout().pieces();
        let round = if complete { Round::Open } else { Round::Commit };
        Ok(Self { party, id, work, round, made: None, seconds: BTreeMap::new(), keys: None })
    }

    /// The party.
    pub fn party(&self) -> &Arc<Party> {
        &self.party
    }

    /// The identity of the session, which all its keys and ciphertexts carry.
    pub fn id(&self) -> KeyId {
        self.id
    }

    /// What is sent next.
    pub fn round(&self) -> Round {
        self.round
    }

    /// Whether the keys are there.
    pub fn is_ready(&self) -> bool {
        self.round == Round::Ready
    }

    fn has_made(&self, piece: usize) -> bool {
        self.made.as_ref().is_some_and(|(_, made)| made.contains_key(&piece))
    }

    fn has_second(&self) -> bool {
        self.party.spec().keys().contains_key(&0)
    }

    /// What this party sends to all others in this round; the same bytes again when it is called again. `lost`: names of
    /// parties that send nothing any more; where they would send a share, the next holder of its piece does.
    /// `progress(done, total)` is called while shares are made, and stops the work when it returns false. Where the
    /// messages of all others were there before, the next round begins: [`Session::again`] has this round's message.
    ///
    /// # Errors
    /// [`Error::Argument`] for a name that is not in the spec, and where the keys are there; [`Error::Io`] where the
    /// party's file cannot be written; [`Error::Interrupted`] and the backend's errors.
    pub fn next(&mut self, lost: &[impl AsRef<str>], progress: impl FnMut(usize, usize) -> bool) -> Result<Vec<u8>> {
        self.again(self.round, lost, progress)
    }

    /// What this party sent to all others in `round`, which may be done: for those whom it did not reach.
    ///
    /// # Errors
    /// Those of [`Session::next`]; [`Error::Argument`] for a later round.
    pub fn again(
        &mut self,
        round: Round,
        lost: &[impl AsRef<str>],
        progress: impl FnMut(usize, usize) -> bool,
    ) -> Result<Vec<u8>> {
        let party = Arc::clone(&self.party);
        let (spec, me) = (party.spec(), party.me());
        let lost = lost.iter().map(|name| spec.number(name.as_ref())).collect::<Result<Vec<_>>>()?;
        if round > self.round || round == Round::Ready || round == Round::Second && !self.has_second() {
            let expected = format!("a round up to {}, before the keys are there", self.round.name());
            return Err(Error::argument("round", round.name(), expected));
        }
        // shares of rounds 1 and 2 are the same
        let kind = |round: Round| round == Round::Second;
        if self.made.as_ref().is_none_or(|(of, _)| kind(*of) != kind(round)) {
            self.made = Some((round, BTreeMap::new()));
        }
        let held: Vec<usize> = spec.layout().held_by(me).collect();
        let mut progress = Progress::new(held.len(), progress);
        for &piece in &held {
            if !self.has_made(piece) {
                let share = match round {
                    Round::Second => self.work.second_share(piece, &mut || progress.check())?,
                    _ => self.work.key_share(piece, &mut || progress.check())?,
                };
                self.made.iter_mut().for_each(|(_, made)| drop(made.insert(piece, Arc::new(share.clone()))));
            }
            progress.step()?;
        }
        let transcript = self.transcript(round);
        let mut body = beginning(round, me, &transcript);
        let mut count = 0u8;
        let at = body.len();
        body.push(0);
        let mut own = vec![];
        for piece in held {
            let sends = spec.layout().holders(piece).find(|holder| !lost.contains(holder)) == Some(me);
            if round == Round::Open && !sends {
                continue;
            }
            let Some(share) = self.made.as_ref().and_then(|(_, made)| made.get(&piece)).cloned() else { continue };
            let digest = self.digest(round, piece, &share);
            count += 1;
            body.push(piece as u8);
            body.extend_from_slice(&digest);
            let sent = (sends && round != Round::Commit).then_some(&share);
            body.push(u8::from(sent.is_some()));
            if let Some(share) = sent {
                (share.len() as u64).put(&mut body)?;
                body.extend_from_slice(share);
            }
            own.push((piece, digest, sent.cloned()));
        }
        body[at] = count;
        // what goes out is also what comes in: nobody needs to send a party its own message
        let entries = own.iter().map(|(piece, digest, share)| (*piece, *digest, share.as_ref().map(|s| &s[..])));
        let message = Message { from: me, round, transcript, entries: entries.collect() };
        self.take(message)?;
        Ok(self.party.sealed(Object::KeyMessage, self.id, &body).to_vec())
    }

    /// Takes messages of other parties in this round, in any order. Those of rounds that are done are compared with
    /// what came then; they alone raise nothing. When something came for each piece, the next round begins.
    ///
    /// A message is taken as a whole or not at all; messages before a refused one are kept.
    ///
    /// # Errors
    /// [`Error::PartyMissing`] as long as something is missing, with the holders of what is: call it again with their
    /// messages. [`Error::WrongSession`], [`Error::WrongRound`] for a later round, [`Error::TranscriptMismatch`]
    /// where somebody follows from other messages, [`Error::SharesDisagree`] where two holders of a piece differ,
    /// [`Error::CommitmentMismatch`] for a share that is not the one of its digest; [`Error::Io`] where the
    /// party's file cannot be written; [`Error::Malformed`] and the other errors of loaders.
    pub fn receive(&mut self, messages: &[impl AsRef<[u8]>]) -> Result<()> {
        let mut last = if messages.is_empty() { self.round } else { Round::Commit };
        for bytes in messages {
            let message = self.read(bytes.as_ref())?;
            last = last.max(message.round);
            self.take(message)?;
        }
        if self.round == last && !self.is_ready() { Err(self.missing()) } else { Ok(()) }
    }

    /// What has not come in this round.
    fn missing(&self) -> Error {
        let (spec, done) = (self.party.spec(), self.done());
        let pieces: Vec<usize> = (0..spec.layout().pieces()).filter(|piece| !done.contains(piece)).collect();
        let holds = |party: &usize| pieces.iter().any(|&piece| spec.layout().holds(*party, piece));
        let parties = spec.named((0..spec.layout().parties()).filter(holds));
        Error::PartyMissing { what: self.round.what(), pieces, parties }
    }

    /// The pieces for which this round has what it needs.
    fn done(&self) -> Vec<usize> {
        match self.round {
            Round::Commit => self.party.record().commitments.keys().copied().collect(),
            Round::Open => self.work.opened(),
            Round::Second | Round::Ready => self.work.seconds(),
        }
    }

    fn take(&mut self, message: Message<'_>) -> Result<()> {
        let party = Arc::clone(&self.party);
        let spec = party.spec();
        let Message { from, round, transcript, entries } = message;
        let name = || spec.names()[from].clone();
        if round > self.round {
            let [expected, found] = [self.round, round].map(Round::name);
            return Err(Error::WrongRound { party: name(), expected, found });
        }
        let expected = self.transcript(round);
        if transcript != expected {
            let [expected, found] = [expected, transcript].map(|digest| format!("messages {}", hex(&digest)));
            return Err(Error::TranscriptMismatch { what: "key message", party: name(), expected, found });
        }
        for &(piece, digest, share) in &entries {
            let seconds = (round == Round::Second).then_some(&self.seconds);
            let known = match seconds {
                Some(seconds) => seconds.get(&piece).cloned(),
                None => party.record().commitments.get(&piece).cloned(),
            };
            if share.is_some_and(|share| self.digest(round, piece, share) != digest) {
                return Err(Error::CommitmentMismatch { party: name(), piece });
            }
            match known {
                Some(known) if known.digest != digest => {
                    // the opening of a share has the digest of its commitment, or was chosen later
                    if round == Round::Open {
                        return Err(Error::CommitmentMismatch { party: name(), piece });
                    }
                    let parties = spec.named(known.from.into_iter().chain([from]));
                    return Err(Error::SharesDisagree { piece, parties });
                }
                None if round == Round::Open => return Err(Error::CommitmentMismatch { party: name(), piece }),
                _ => {}
            }
        }
        match round {
            Round::Commit => {
                // this party opens its shares only after this is on the disk
                party.change(|record| {
                    entries.iter().for_each(|(piece, digest, _)| noted(&mut record.commitments, *piece, *digest, from));
                    Ok(())
                })?;
            }
            Round::Open if self.round == round => {
                let new: Vec<_> = entries.iter().filter_map(|&(piece, _, share)| share.map(|s| (piece, s))).collect();
                self.work.open(&new)?;
            }
            Round::Second if self.round == round => {
                let new: Vec<_> = entries.iter().filter_map(|&(piece, _, share)| share.map(|s| (piece, s))).collect();
                self.work.open_seconds(&new)?;
                entries.iter().for_each(|(piece, digest, _)| noted(&mut self.seconds, *piece, *digest, from));
            }
            _ => {}
        }
        self.advance()
    }

    /// Goes on to the next round where this one has all that it needs.
    fn advance(&mut self) -> Result<()> {
        if self.is_ready() || self.done().len() < self.party.spec().layout().pieces() {
            return Ok(());
        }
        match self.round {
            Round::Commit => self.round = Round::Open,
            Round::Open if self.has_second() => {
                self.round = Round::Second;
                self.made = None;
            }
            _ => {
                self.keys = Some(self.work.keys()?);
                self.round = Round::Ready;
                self.made = None;
            }
        }
        Ok(())
    }

    /// What all messages of `round` follow from: the agreement, and from the opening on all commitments.
    pub(super) fn transcript(&self, round: Round) -> [u8; 32] {
        if round == Round::Commit {
            return *self.party.agreed();
        }
        let mut hash = Sha256::new_with_prefix(b"ringjet transcript\0");
        self.party.record().commitments.values().for_each(|commitment| hash.update(commitment.digest));
        hash.finalize().into()
    }

    /// The digest of the share of a piece: of session, round, piece, and what it follows from, too.
    pub(super) fn digest(&self, round: Round, piece: usize, share: &[u8]) -> [u8; 32] {
        let second = round == Round::Second;
        let mut hash = Sha256::new_with_prefix(b"ringjet key share\0");
        hash.update(self.id.as_bytes());
        hash.update([u8::from(second), piece as u8]);
        hash.update(if second { self.transcript(round) } else { *self.party.agreed() });
        hash.update(share);
        hash.finalize().into()
    }

    fn read<'a>(&self, bytes: &'a [u8]) -> Result<Message<'a>> {
        let spec = self.party.spec();
        let (pieces, sizes) = (spec.layout().pieces() as u64, self.work.share_bytes());
        let most = super::party::FRAME as u64 + 64 + pieces * (64 + sizes.into_iter().max().unwrap_or(0));
        let (key, mut r) = self.party.opened(Object::KeyMessage, bytes, most)?;
        self.expect_session("key message", key)?;
        let here = r.offset();
        let [round, from] = r.array::<2>()?;
        let Some(round) = Round::ALL[..3].iter().copied().find(|&known| known as u8 == round) else {
            return Err(r.malformed_at(here, format!("there is no round {round}")));
        };
        if usize::from(from) >= spec.names().len() || round == Round::Second && !self.has_second() {
            return Err(r.malformed_at(here, format!("party {from} in round {}", round.name())));
        }
        let from = usize::from(from);
        let transcript = r.array()?;
        let size = sizes[usize::from(round == Round::Second)];
        let mut entries: Vec<Entry<'_>> = vec![];
        for _ in 0..u8::read(&mut r)? {
            let here = r.offset();
            let piece = usize::from(u8::read(&mut r)?);
            let digest = r.array()?;
            if !spec.layout().holds(from, piece) || entries.last().is_some_and(|&(last, ..)| piece <= last) {
                let reason =
                    format!("piece {piece} from {}: it lacks the piece, or it is out of order", spec.names()[from]);
                return Err(r.malformed_at(here, reason));
            }
            let here = r.offset();
            let sent = bool::read(&mut r)?;
            if sent && round == Round::Commit || !sent && round == Round::Open {
                return Err(r.malformed_at(here, "a share where a commitment belongs, or the reverse"));
            }
            let share = if sent {
                let (here, len) = (r.offset(), u64::read(&mut r)?);
                if len != size {
                    return Err(r.malformed_at(here, format!("a share of {len} bytes, where {size} belong")));
                }
                Some(r.slice(len as usize)?)
            } else {
                None
            };
            entries.push((piece, digest, share));
        }
        r.expect_remaining(0)?;
        // commitments, and digests of round 2, are of all pieces of their sender
        let all = spec.layout().held_by(from).count();
        if round != Round::Open && entries.len() != all {
            return Err(r.malformed(format!("{} of {all} pieces of {}", entries.len(), spec.names()[from])));
        }
        Ok(Message { from, round, transcript, entries })
    }

    pub(super) fn expect_session(&self, what: &'static str, key: KeyId) -> Result<()> {
        if key == self.id {
            return Ok(());
        }
        Err(Error::WrongSession { what, expected: self.id.to_string(), found: key.to_string() })
    }

    /// The public key and the evaluation keys, which everybody may have.
    /// Fails with [`Error::PartyMissing`] before the session is ready.
    pub fn keys(&self) -> Result<(&PublicKey, &EvaluationKeys)> {
        self.keys.as_ref().map(|(public, keys)| (public, keys)).ok_or_else(|| self.missing())
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Session({}, {:?}, round {})", self.id, self.party, self.round.name())
    }
}

/// The beginning of the body of a message.
pub(super) fn beginning(round: Round, from: usize, transcript: &[u8; 32]) -> Vec<u8> {
    let mut body = vec![round as u8, from as u8];
    body.extend_from_slice(transcript);
    body
}

/// Notes that a party sent this digest of the share of a piece.
fn noted(all: &mut BTreeMap<usize, Commitment>, piece: usize, digest: [u8; 32], from: usize) {
    let known = all.entry(piece).or_insert(Commitment { digest, from: vec![] });
    if let Err(at) = known.from.binary_search(&from) {
        known.from.insert(at, from);
    }
}
