//! Dealing points of pieces, where more parties than can hold replicated pieces answer by any threshold of them.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::party::{FRAME, hex};
use super::points::Point;
use super::record::{Deal, Record, is_active, members, set_of};
use super::session::Session;
use crate::rng::Seed;
use crate::wire::{Input, Object};
use crate::{Error, Result};

/// A deal that was read.
struct Message<'a> {
    from: usize,
    deal: Deal,
    point: &'a [u8],
}

impl Session {
    /// What this party deals to each other party: with each name the bytes for that party, **which are secret** and travel in
    /// private. Any time before the first answer will do. The same bytes come again when it is called again. Up to
    /// [`MOST_REPLICATED`](super::MOST_REPLICATED) parties deal nothing: their pieces are replicated, and the list is
    /// empty.
    ///
    /// # Errors
    /// Those of the backend.
    pub fn deal(&self) -> Result<Vec<(String, Zeroizing<Vec<u8>>)>> {
        let (spec, me) = (self.party.spec(), self.party.me());
        if !spec.layout().is_dealt() {
            return Ok(vec![]);
        }
        let others: Vec<usize> = (0..spec.layout().parties()).filter(|&to| to != me).collect();
        let points = self.work.deals(me, spec.threshold(), &others)?;
        let one = |(&to, point): (&usize, Zeroizing<Vec<u8>>)| {
            let mut body = Zeroizing::new(Vec::with_capacity(64 + point.len()));
            body.extend_from_slice(&[me as u8, to as u8]);
            if me < to {
                body.extend_from_slice(self.work.pair(me, to)?.expose());
            }
            body.extend_from_slice(&point);
            Ok((spec.names()[to].clone(), self.party.sealed(Object::PartyDeal, self.id, &body)))
        };
        others.iter().zip(points).map(one).collect()
    }

    /// Takes what other parties dealt to this one, in any order; deals that came before may come again.
    ///
    /// # Errors
    /// [`Error::PartyMissing`] until all have come, with the names of the others: what came is kept.
    /// [`Error::TranscriptMismatch`] for a party that dealt something else before; [`Error::Argument`] for a deal to somebody
    /// else; [`Error::WrongSession`]; [`Error::Io`] where the party's file cannot be written; [`Error::Malformed`] and the
    /// other errors of loaders.
    pub fn receive_deals(&self, deals: &[impl AsRef<[u8]>]) -> Result<()> {
        let all = deals.iter().map(|bytes| self.read_deal(bytes.as_ref())).collect::<Result<Vec<_>>>()?;
        self.party.change(|record| {
            let mut new = vec![];
            for Message { from, deal, point } in all {
                match record.deals.get(&from) {
                    Some(known) if known.digest == deal.digest => continue,
                    Some(known) => {
                        let [expected, found] =
                            [&known.digest, &deal.digest].map(|digest| format!("a deal {}", hex(digest)));
                        let party = self.party.spec().names()[from].clone();
                        return Err(Error::TranscriptMismatch { what: "deal", party, expected, found });
                    }
                    None => new.push(point),
                }
                record.deals.insert(from, deal);
            }
            if new.is_empty() {
                return Ok(());
            }
            let (me, before) = (self.party.me(), Arc::clone(&record.point));
            let own =
                if before.is_empty() { self.work.deals(me, self.party.spec().threshold(), &[me])? } else { vec![] };
            new.extend(own.iter().map(|point| &point[..]));
            new.extend((!before.is_empty()).then_some(&before[..]));
            record.point = Arc::new(self.work.sum_of_points(&new)?);
            Ok(())
        })?;
        self.expect_deals(&self.party.record())
    }

    fn expect_deals(&self, record: &Record) -> Result<()> {
        let (spec, me) = (self.party.spec(), self.party.me());
        let absent = |party: &usize| spec.layout().is_dealt() && *party != me && !record.deals.contains_key(party);
        let parties = spec.named((0..spec.layout().parties()).filter(absent));
        if parties.is_empty() { Ok(()) } else { Err(Error::PartyMissing { what: "deal", pieces: vec![], parties }) }
    }

    fn read_deal<'a>(&self, bytes: &'a [u8]) -> Result<Message<'a>> {
        let (spec, me) = (self.party.spec(), self.party.me());
        let size = self.work.point_bytes();
        let (key, mut r) = self.party.opened(Object::PartyDeal, bytes, (FRAME + 64 + size) as u64)?;
        self.expect_session("deal", key)?;
        let here = r.offset();
        let [from, to] = r.array::<2>()?.map(usize::from);
        let parties = spec.layout().parties();
        if !spec.layout().is_dealt() {
            return Err(r.malformed_at(here, format!("a deal, where {parties} parties deal nothing")));
        }
        if from >= parties || to >= parties || from == to {
            return Err(r.malformed_at(here, format!("a deal from party {from} to party {to}")));
        }
        if to != me {
            let [from, to] = [from, to].map(|i| &spec.names()[i]);
            let value = format!("a deal of {from} to {to}");
            return Err(Error::argument("deals", value, format!("one to {} of another party", self.party.name())));
        }
        let pair = if from < to { Some(Seed::from_bytes(r.array()?)) } else { None };
        r.expect_remaining(size)?;
        let deal = Deal { digest: Sha256::digest(bytes).into(), pair };
        let (here, point) = (r.offset(), r.slice(size)?);
        let name = &spec.names()[from];
        self.work.check_point(point).map_err(|e| r.malformed_at(here, format!("the point that {name} dealt: {e}")))?;
        Ok(Message { from, deal, point })
    }

    /// The set of parties that answer together. Fails with [`Error::Argument`] unless it is as many as the threshold says,
    /// this one among them, or nobody where pieces are replicated.
    pub(super) fn active(&self, names: &[impl AsRef<str>]) -> Result<u64> {
        let spec = self.party.spec();
        let (layout, threshold, me) = (spec.layout(), spec.threshold(), self.party.me());
        let active = names.iter().map(|name| spec.number(name.as_ref())).collect::<Result<Vec<usize>>>()?;
        let set = set_of(&active);
        let fits = is_active(layout, threshold, set) && active.len() == members(set).len();
        if fits && (!layout.is_dealt() || active.contains(&me)) {
            return Ok(set);
        }
        let expected = if layout.is_dealt() {
            format!("the names of {threshold} parties that answer this ciphertext, {} among them", self.party.name())
        } else {
            format!("no names: of up to {} parties any {threshold} answer", super::MOST_REPLICATED)
        };
        Err(Error::argument("active", format!("{:?}", spec.named(active)), expected))
    }

    /// What this party answers with for the active set `active`; `None` where pieces are replicated.
    /// Fails with [`Error::PartyMissing`] before all have dealt.
    pub(super) fn point(&self, active: u64) -> Result<Option<Point>> {
        let (record, me) = (self.party.record(), self.party.me());
        if !self.party.spec().layout().is_dealt() {
            return Ok(None);
        }
        self.expect_deals(&record)?;
        let active = members(active);
        let mut pairs = vec![];
        for &other in active.iter().filter(|&&other| other != me) {
            let seed = match record.deals.get(&other).and_then(|deal| deal.pair.clone()) {
                Some(seed) => seed,
                None => self.work.pair(me, other)?,
            };
            pairs.push((other, seed));
        }
        Ok(Some(Point { me, active, bytes: Arc::clone(&record.point), pairs }))
    }
}
