//! The part of a party that changes, and its bytes.

use std::collections::BTreeMap;
use std::sync::Arc;

use zeroize::Zeroizing;

use super::layout::Layout;
use crate::Result;
use crate::rng::Seed;
use crate::wire::{Field, Input, Reader};

/// What an answer was: a share of a decryption or of a refresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerKind {
    /// A share of a decryption.
    Decryption = 1,
    /// A share of a refresh.
    Refresh = 2,
}

impl AnswerKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Decryption => "a decryption",
            Self::Refresh => "a refresh",
        }
    }

    pub(super) fn of(number: u8) -> Option<Self> {
        [Self::Decryption, Self::Refresh].into_iter().find(|&kind| kind as u8 == number)
    }
}

/// The part of a party that changes.
#[derive(Clone, Default)]
pub(super) struct Record {
    /// What each party added to the randomness of the session.
    pub(super) randoms: BTreeMap<usize, [u8; 32]>,
    /// The seeds of the pieces that this party holds.
    pub(super) seeds: BTreeMap<usize, Seed>,
    /// For each piece the digest of its share of the keys, and who committed to it.
    pub(super) commitments: BTreeMap<usize, Commitment>,
    /// What other parties dealt, where pieces are dealt.
    pub(super) deals: BTreeMap<usize, Deal>,
    /// The packed sum of the points that this party and those in `deals` dealt to it; empty before the first one.
    pub(super) point: Arc<Zeroizing<Vec<u8>>>,
    /// By the digest of a ciphertext: how it was answered.
    pub(super) answers: BTreeMap<[u8; 32], Answered>,
}

/// The digest of a share, and the parties that sent it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Commitment {
    pub(super) digest: [u8; 32],
    pub(super) from: Vec<usize>,
}

/// What another party dealt.
#[derive(Clone)]
pub(super) struct Deal {
    /// SHA-256 of its message.
    pub(super) digest: [u8; 32],
    /// The seed of the masks that the two have in common, which the one with the lower number chooses.
    pub(super) pair: Option<Seed>,
}

/// How a ciphertext was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Answered {
    pub(super) kind: AnswerKind,
    /// log2 of the standard deviation of the noise.
    pub(super) width: u32,
    /// A bit for each party of the active set; 0 where pieces are replicated.
    pub(super) active: u64,
}

impl Record {
    /// Whether nothing differs. Seeds come with the randomness of their party, and the point with the deals.
    pub(super) fn is(&self, other: &Self) -> bool {
        let keys = |record: &Self| {
            let deals: Vec<_> = record.deals.iter().map(|(&from, deal)| (from, deal.digest)).collect();
            (record.randoms.clone(), record.commitments.clone(), deals)
        };
        keys(self) == keys(other) && self.answers == other.answers
    }

    /// At least the bytes that [`Record::put`] appends.
    pub(super) fn most_bytes(&self) -> usize {
        let lists = self.randoms.len() + self.seeds.len() + self.commitments.len() + 2 * self.deals.len();
        64 + 48 * lists + self.point.len() + 48 * self.answers.len()
    }

    /// Appends the encoding to `out`.
    pub(super) fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        out.push(self.randoms.len() as u8);
        for (party, random) in &self.randoms {
            out.push(*party as u8);
            out.extend_from_slice(random);
        }
        put_seeds(out, self.seeds.iter());
        out.push(self.commitments.len() as u8);
        for (piece, Commitment { digest, from }) in &self.commitments {
            out.push(*piece as u8);
            out.extend_from_slice(digest);
            set_of(from).put(out)?;
        }
        out.push(self.deals.len() as u8);
        for (from, Deal { digest, pair }) in &self.deals {
            out.push(*from as u8);
            out.extend_from_slice(digest);
            pair.iter().for_each(|seed| out.extend_from_slice(seed.expose()));
        }
        self.point.len().put(out)?;
        out.extend_from_slice(&self.point);
        self.answers.len().put(out)?;
        for (digest, Answered { kind, width, active }) in &self.answers {
            out.extend_from_slice(digest);
            out.extend_from_slice(&[*kind as u8, *width as u8]);
            active.put(out)?;
        }
        Ok(())
    }

    /// Reads what [`Record::put`] wrote for party `me`.
    pub(super) fn read(r: &mut Reader<'_>, layout: &Layout, threshold: usize, me: usize) -> Result<Self> {
        let mut record = Self::default();
        for _ in 0..u8::read(r)? {
            let here = r.offset();
            let party = usize::from(u8::read(r)?);
            if party >= layout.parties() || !follows(&record.randoms, &party) {
                return Err(r.malformed_at(here, format!("randomness of party {party} is out of order")));
            }
            record.randoms.insert(party, r.array()?);
        }
        let here = r.offset();
        record.seeds = read_seeds(r)?;
        let known = |piece: &usize| layout.holders(*piece).next().is_some_and(|p| record.randoms.contains_key(&p));
        if !record.seeds.keys().copied().eq(layout.held_by(me).filter(known)) {
            return Err(r.malformed_at(here, "other pieces than those that came with hellos"));
        }
        for _ in 0..u8::read(r)? {
            let here = r.offset();
            let piece = usize::from(u8::read(r)?);
            let (digest, from) = (r.array()?, members(u64::read(r)?));
            let fits = piece < layout.pieces() && follows(&record.commitments, &piece);
            if !fits || from.is_empty() || from.iter().any(|&party| !layout.holds(party, piece)) {
                return Err(r.malformed_at(here, format!("a commitment to piece {piece} of parties that lack it")));
            }
            record.commitments.insert(piece, Commitment { digest, from });
        }
        for _ in 0..u8::read(r)? {
            let here = r.offset();
            let from = usize::from(u8::read(r)?);
            let fits = layout.is_dealt() && from < layout.parties() && from != me && follows(&record.deals, &from);
            if !fits || record.randoms.len() < layout.parties() {
                return Err(
                    r.malformed_at(here, format!("a deal of party {from}, which deals none or is out of order"))
                );
            }
            let digest = r.array()?;
            let pair = if from < me { Some(Seed::from_bytes(r.array()?)) } else { None };
            record.deals.insert(from, Deal { digest, pair });
        }
        let (here, len) = (r.offset(), usize::read(r)?);
        if (len == 0) != record.deals.is_empty() {
            return Err(r.malformed_at(here, "a point without deals, or deals without a point"));
        }
        record.point = Arc::new(Zeroizing::new(r.slice(len)?.to_vec()));
        for _ in 0..usize::read(r)? {
            let (here, digest) = (r.offset(), r.array()?);
            let [kind, width] = r.array::<2>()?;
            let active = u64::read(r)?;
            let Some(kind) = AnswerKind::of(kind).filter(|_| follows(&record.answers, &digest)) else {
                return Err(r.malformed_at(here, "an answer of an unknown kind, or out of order"));
            };
            if !is_active(layout, threshold, active) || layout.is_dealt() && active >> me & 1 == 0 {
                return Err(r.malformed_at(here, format!("an answer for the parties {:?}", members(active))));
            }
            record.answers.insert(digest, Answered { kind, width: width.into(), active });
        }
        Ok(record)
    }
}

/// Whether `key` may come after what is in `map`, whose keys ascend.
fn follows<K: Ord, V>(map: &BTreeMap<K, V>, key: &K) -> bool {
    map.last_key_value().is_none_or(|(last, _)| last < key)
}

/// Whether `active` may be the active set of an answer: as many parties as the threshold says where pieces are dealt,
/// else none.
pub(super) fn is_active(layout: &Layout, threshold: usize, active: u64) -> bool {
    let (members, needed) = (members(active), if layout.is_dealt() { threshold } else { 0 });
    members.len() == needed && members.iter().all(|&i| i < layout.parties())
}

/// The set of these parties, a bit for each.
pub(super) fn set_of(parties: &[usize]) -> u64 {
    parties.iter().fold(0, |set, party| set | 1 << party)
}

/// The parties of a set, in order.
pub(super) fn members(set: u64) -> Vec<usize> {
    (0..64).filter(|i| set >> i & 1 == 1).collect()
}

pub(super) fn put_seeds<'a>(out: &mut Vec<u8>, seeds: impl Iterator<Item = (&'a usize, &'a Seed)>) {
    let at = out.len();
    out.push(0);
    for (piece, seed) in seeds {
        out[at] += 1;
        out.push(*piece as u8);
        out.extend_from_slice(seed.expose());
    }
}

pub(super) fn read_seeds(r: &mut impl Input) -> Result<BTreeMap<usize, Seed>> {
    let mut seeds = BTreeMap::new();
    for _ in 0..u8::read(r)? {
        let here = r.offset();
        let piece = usize::from(u8::read(r)?);
        if !follows(&seeds, &piece) {
            return Err(r.malformed_at(here, format!("the seed of piece {piece} is out of order")));
        }
        seeds.insert(piece, Seed::from_bytes(r.array()?));
    }
    Ok(seeds)
}
