//! What a session computes, for the scheme of its parameters.

use std::collections::BTreeMap;

use ringjet_backend::{Buf, Coeff, View};
use ringjet_math::Basis;
use ringjet_math::memory::zeros;
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::points::{self, Point};
use super::record::{AnswerKind, Answered};
use super::shared::{Masks, Shared, components};
use crate::dynamic::{self, Context};
use crate::host::Check;
use crate::rlwe::keyswitch::{EvaluationKeys, RELINEARIZATION};
use crate::rlwe::pieces::{Common, Piece, galois_key, relinearization_key};
use crate::rlwe::{self, PublicKey, Sharing, encrypt_zero};
use crate::rng::{PublicSeed, Seed, flooding_gaussian};
use crate::vectors::{Ciphertext, expect_polys};
use crate::wire::{self, Field, Input, PolyModulus, Reader, read_polys};
use crate::{Error, KeyId, Result};

/// A question that parties answer together.
pub(super) struct Asked<'a> {
    pub(super) ct: &'a dynamic::Ciphertext,
    /// Its [`Work::digest`].
    pub(super) digest: [u8; 32],
    pub(super) answered: Answered,
}

impl Asked<'_> {
    /// What tells it from all other questions.
    pub(super) fn name(&self) -> Vec<u8> {
        let Answered { width, active, .. } = self.answered;
        [&self.digest[..], &width.to_le_bytes(), &active.to_le_bytes()].concat()
    }
}

/// Shares of keys as bytes, and sums of them.
pub(super) trait Work: Send {
    /// The bytes of a share of each of the two rounds.
    fn share_bytes(&self) -> [u64; 2];

    /// The share of `piece` of all keys.
    fn key_share(&self, piece: usize, check: Check<'_>) -> Result<Vec<u8>>;

    /// The share of `piece` of round 2 of the relinearisation key, after all shares were opened.
    fn second_share(&self, piece: usize, check: Check<'_>) -> Result<Vec<u8>>;

    /// Adds shares of keys to the sums, unless shares of their pieces were added before.
    fn open(&mut self, shares: &[(usize, &[u8])]) -> Result<()>;

    /// Adds shares of round 2.
    fn open_seconds(&mut self, shares: &[(usize, &[u8])]) -> Result<()>;

    /// The pieces whose shares were added.
    fn opened(&self) -> Vec<usize>;

    /// The pieces whose shares of round 2 were added.
    fn seconds(&self) -> Vec<usize>;

    /// Refuses a ciphertext of other parameters or of another session, and one of three polynomials; returns the digest
    /// of its level, its scale or factors, and its polynomials. The noise that it states is no part of it.
    fn digest(&self, ct: &dynamic::Ciphertext) -> Result<[u8; 32]>;

    /// log2 of the standard deviation of the noise, or of the mask, of each share of an answer to `ct`, which
    /// takes `shares` of them. `bits`: how many bits after the point must be left.
    fn width(
        &self,
        kind: AnswerKind,
        ct: &dynamic::Ciphertext,
        plan: &dynamic::Ciphertext,
        sharing: &Sharing,
        shares: u32,
        bits: u32,
    ) -> Result<u32>;

    /// The bytes of the share of a piece of an answer to `ct`.
    fn answer_bytes(&self, kind: AnswerKind, ct: &dynamic::Ciphertext) -> Result<u64>;

    /// The share of `piece` of an answer; where pieces are dealt, the share of its holder's `point`.
    fn answer_share(&self, piece: usize, asked: &Asked<'_>, point: Option<&Point>) -> Result<Vec<u8>>;

    /// The values of a ciphertext from all shares.
    fn decrypted(&self, asked: &Asked<'_>, shares: &[&[u8]], bits: Option<u32>) -> Result<dynamic::Values>;

    /// The refreshed ciphertext from all shares.
    fn refreshed(&self, asked: &Asked<'_>, shares: &[&[u8]]) -> Result<dynamic::Ciphertext>;

    /// The bytes of a point.
    fn point_bytes(&self) -> usize;

    /// The points that the holder of `piece` deals to each party of `to`.
    fn deals(&self, piece: usize, threshold: usize, to: &[usize]) -> Result<Vec<Zeroizing<Vec<u8>>>>;

    /// Refuses what is no packed point.
    fn check_point(&self, point: &[u8]) -> Result<()>;

    /// The sum of points.
    fn sum_of_points(&self, points: &[&[u8]]) -> Result<Zeroizing<Vec<u8>>>;

    /// The seed of masks that the holder of `piece` has in common with a party of a higher number.
    fn pair(&self, piece: usize, party: usize) -> Result<Seed>;

    /// The keys, which are the sums.
    fn keys(&self) -> Result<(dynamic::PublicKey, dynamic::EvaluationKeys)>;
}

/// The work of a session on the backend of `ctx`. `seeds`: of the pieces that the party holds. `keys`: the keys to
/// make by Galois element, each with its highest level. Fails with [`Error::Unsupported`] for HEAAN.
pub(super) fn of(
    ctx: &Context,
    session: KeyId,
    common: [u8; 32],
    seeds: &BTreeMap<usize, Seed>,
    keys: &BTreeMap<u32, usize>,
) -> Result<Box<dyn Work>> {
    match ctx {
        Context::Ckks(ctx) => Ok(Box::new(SchemeWork::new(ctx, session, common, seeds, keys)?)),
        Context::Bgv(ctx) => Ok(Box::new(SchemeWork::new(ctx, session, common, seeds, keys)?)),
        Context::Heaan(ctx) => dynamic::Parameters::from(ctx.params().clone()).lacks("secret of several parties"),
    }
}

/// The work for one scheme.
pub(super) struct SchemeWork<P> {
    pub(super) ctx: rlwe::Context<P>,
    pub(super) session: KeyId,
    pub(super) common: Common,
    pub(super) pieces: BTreeMap<usize, Piece<P>>,
    keys: BTreeMap<u32, usize>,
    /// The sums of what was opened, in the order of [`SchemeWork::shapes`].
    sums: Vec<Buf>,
    opened: Vec<usize>,
    /// The sum of the shares of round 2.
    second: Vec<Buf>,
    seconds: Vec<usize>,
}

impl<P: Shared> SchemeWork<P> {
    fn new(
        ctx: &rlwe::Context<P>,
        session: KeyId,
        common: [u8; 32],
        seeds: &BTreeMap<usize, Seed>,
        keys: &BTreeMap<u32, usize>,
    ) -> Result<Self> {
        let piece = |(&piece, seed)| Ok((piece, Piece::new(ctx.params(), session, seed)?));
        Ok(Self {
            ctx: ctx.clone(),
            session,
            common: Common(PublicSeed::from_bytes(common)),
            pieces: seeds.iter().map(piece).collect::<Result<_>>()?,
            keys: keys.clone(),
            sums: vec![],
            opened: vec![],
            second: vec![],
            seconds: vec![],
        })
    }

    fn piece(&self, piece: usize) -> Result<&Piece<P>> {
        self.pieces.get(&piece).ok_or_else(|| Error::argument("piece", piece, "one that this party holds"))
    }

    /// The modulus and the number of the polynomials of each part of a share: of the public key, of the keys of Galois
    /// elements in order, and of h_0 and h_1 of the relinearisation key.
    fn shapes(&self) -> Vec<(Basis, usize)> {
        let params = self.ctx.params();
        let of = |level: usize| (params.key_plan(level).extended.clone(), params.key_plan(level).beta());
        let galois = self.keys.iter().filter(|&(&element, _)| element != RELINEARIZATION).map(|(_, &level)| of(level));
        let relinearization = self.keys.get(&RELINEARIZATION).into_iter().flat_map(|&level| [of(level), of(level)]);
        std::iter::once((params.encryption_basis(), 1)).chain(galois).chain(relinearization).collect()
    }

    /// The shape of a share of round 2, which the last part of the first share has too.
    fn second_shape(&self) -> Vec<(Basis, usize)> {
        let has = self.keys.contains_key(&RELINEARIZATION);
        self.shapes().pop().filter(|_| has).into_iter().collect()
    }

    fn relinearization_level(&self) -> Result<usize> {
        self.keys.get(&RELINEARIZATION).copied().ok_or(Error::MissingRelinearizationKey)
    }

    fn bytes_of(&self, shapes: &[(Basis, usize)]) -> u64 {
        shapes.iter().map(|(basis, polys)| (polys * basis.poly_len(self.ctx.params())) as u64).sum()
    }

    fn written(&self, shapes: &[(Basis, usize)], parts: &[Buf]) -> Result<Vec<u8>> {
        let mut out = ringjet_backend::host::capacity(self.bytes_of(shapes) as usize)?;
        for ((basis, polys), part) in shapes.iter().zip(parts) {
            wire::packed(&self.ctx, &mut out, part.view(*polys), basis)?;
        }
        Ok(out)
    }

    /// The parts of a share, checked.
    fn read(&self, shapes: &[(Basis, usize)], bytes: &[u8]) -> Result<Vec<Buf>> {
        let mut r = Reader::new(bytes, 0, "key share");
        let parts = shapes.iter().map(|(basis, polys)| read_polys(&self.ctx, &mut r, basis, *polys));
        let parts = parts.collect::<Result<_>>()?;
        r.expect_remaining(0)?;
        Ok(parts)
    }

    fn own<'a>(&self, what: &'static str, ct: &'a dynamic::Ciphertext) -> Result<&'a Ciphertext<P>> {
        let (own, found) = (self.ctx.params(), ct.params());
        let mismatch =
            || Error::ParameterMismatch { what, expected: own.fingerprint_hex(), found: found.fingerprint_hex() };
        let ct = P::of_scheme(ct).ok_or_else(mismatch)?;
        own.expect_same(what, ct.params())?;
        Ok(ct)
    }

    /// The number of polynomials of each part of an answer, and their modulus.
    fn answer_shapes(&self, kind: AnswerKind, ct: &Ciphertext<P>) -> Vec<(Basis, usize)> {
        let (params, count) = (self.ctx.params(), ct.components());
        let low = (ct.basis().clone(), count);
        match kind {
            AnswerKind::Decryption => vec![low],
            AnswerKind::Refresh => vec![low, (params.level(params.top_level()).basis.clone(), count)],
        }
    }

    /// The seed of the uniform polynomials of a refreshed ciphertext.
    fn refresh_seed(&self, name: &[u8]) -> PublicSeed {
        let common = Seed::from_bytes(*self.common.0.as_bytes());
        common.bind(b"ringjet refresh", name).derive_public(b"a", 0)
    }

    /// Calls `f` with what an answer multiplies over `basis`: the piece, or the weighted point.
    fn with_factor<R>(
        &self,
        piece: &Piece<P>,
        point: Option<&Point>,
        basis: &Basis,
        f: impl FnOnce(View<'_>) -> Result<R>,
    ) -> Result<R> {
        match point {
            Some(point) => f(point.weighted(&self.ctx, basis)?.view(1)),
            None => piece.secret.transformed(&self.ctx, basis, |s| f(s.view(1).prefix(basis.len()))),
        }
    }

    /// The sum of the first polynomials of the components of `ct` and of part `part` of all shares.
    fn phases(&self, kind: AnswerKind, ct: &Ciphertext<P>, shares: &[Vec<Buf>]) -> Result<Buf> {
        let (ctx, basis, count) = (&self.ctx, ct.basis(), ct.components());
        let shape = &self.answer_shapes(kind, ct)[0];
        let mut sum = ctx.alloc(count * basis.len())?;
        for i in 0..count {
            ctx.backend().copy(sum.view_mut(count).poly(i), ct.component(i).poly(0))?;
        }
        for share in shares {
            self.add(&mut sum, &share[0], shape)?;
        }
        Ok(sum)
    }

    /// `sums` and the parts of all `shares` but those of the pieces in `known`, as new sums, and the pieces of those shares;
    /// `None` where there are none. All shares are checked before any is added.
    fn summed(
        &self,
        shapes: &[(Basis, usize)],
        known: &[usize],
        sums: &[Buf],
        shares: &[(usize, &[u8])],
    ) -> Result<Option<(Vec<usize>, Vec<Buf>)>> {
        let new = shares.iter().filter(|(piece, _)| !known.contains(piece));
        let read = |&(piece, bytes): &(usize, &[u8])| Ok((piece, self.read(shapes, bytes)?));
        let (pieces, parts): (Vec<usize>, Vec<Vec<Buf>>) =
            new.map(read).collect::<Result<Vec<_>>>()?.into_iter().unzip();
        if pieces.is_empty() {
            return Ok(None);
        }
        let mut total = vec![];
        for (i, shape) in shapes.iter().enumerate() {
            let mut all = sums.get(i).into_iter().chain(parts.iter().map(|parts| &parts[i]));
            let mut sum = self.ctx.alloc(shape.1 * shape.0.len())?;
            if let Some(first) = all.next() {
                self.ctx.backend().copy(sum.view_mut(shape.1), first.view(shape.1))?;
            }
            all.try_for_each(|part| self.add(&mut sum, part, shape))?;
            total.push(sum);
        }
        Ok(Some((pieces, total)))
    }

    fn add(&self, sum: &mut Buf, part: &Buf, (basis, polys): &(Basis, usize)) -> Result<()> {
        for i in 0..*polys {
            let term = [(Coeff::One, part.view(*polys).poly(i))];
            self.ctx.backend().lincomb(sum.view_mut(*polys).poly(i), &term, basis, true)?;
        }
        Ok(())
    }
}

impl<P: Shared> Work for SchemeWork<P> {
    fn share_bytes(&self) -> [u64; 2] {
        [self.bytes_of(&self.shapes()), self.bytes_of(&self.second_shape())]
    }

    fn key_share(&self, piece: usize, check: Check<'_>) -> Result<Vec<u8>> {
        let (piece, ctx) = (self.piece(piece)?, &self.ctx);
        let mut parts = vec![piece.public_share(ctx, self.common)?];
        for (&element, &level) in self.keys.iter().filter(|&(&element, _)| element != RELINEARIZATION) {
            check()?;
            parts.push(piece.galois_share(ctx, self.common, (element, level), check)?);
        }
        if let Some(&level) = self.keys.get(&RELINEARIZATION) {
            parts.extend(piece.first_round(ctx, self.common, level, check)?);
        }
        self.written(&self.shapes(), &parts)
    }

    fn second_share(&self, piece: usize, check: Check<'_>) -> Result<Vec<u8>> {
        let [.., first, second] = &self.sums[..] else { return Err(Error::MissingRelinearizationKey) };
        let part = self.piece(piece)?.second_round(&self.ctx, [first, second], self.relinearization_level()?, check)?;
        self.written(&self.second_shape(), &[part])
    }

    fn open(&mut self, shares: &[(usize, &[u8])]) -> Result<()> {
        let shapes = self.shapes();
        if let Some((pieces, sums)) = self.summed(&shapes, &self.opened, &self.sums, shares)? {
            self.opened.extend(pieces);
            self.sums = sums;
        }
        Ok(())
    }

    fn open_seconds(&mut self, shares: &[(usize, &[u8])]) -> Result<()> {
        let shapes = self.second_shape();
        if let Some((pieces, sums)) = self.summed(&shapes, &self.seconds, &self.second, shares)? {
            self.seconds.extend(pieces);
            self.second = sums;
        }
        Ok(())
    }

    fn opened(&self) -> Vec<usize> {
        self.opened.clone()
    }

    fn seconds(&self) -> Vec<usize> {
        self.seconds.clone()
    }

    fn digest(&self, ct: &dynamic::Ciphertext) -> Result<[u8; 32]> {
        let own = self.own("ciphertext", ct)?;
        self.session.join("ciphertext", own.key_id())?;
        expect_polys("answering together", 2, own.polys())?;
        let mut hash = Sha256::new_with_prefix(b"ringjet ciphertext\0");
        hash.update(self.ctx.params().fingerprint());
        hash.update(self.session.as_bytes());
        let mut bytes = vec![];
        own.position().put(&mut bytes)?;
        wire::packed(&self.ctx, &mut bytes, own.view(), own.basis())?;
        hash.update(&bytes);
        Ok(hash.finalize().into())
    }

    fn width(
        &self,
        kind: AnswerKind,
        ct: &dynamic::Ciphertext,
        plan: &dynamic::Ciphertext,
        sharing: &Sharing,
        shares: u32,
        bits: u32,
    ) -> Result<u32> {
        let (ct, plan) = (self.own("ciphertext", ct)?, self.own("plan", plan)?);
        match kind {
            AnswerKind::Decryption => P::decryption_width(ct, plan, sharing, shares, bits),
            AnswerKind::Refresh => P::refresh_width(ct, plan, sharing, shares),
        }
    }

    fn answer_bytes(&self, kind: AnswerKind, ct: &dynamic::Ciphertext) -> Result<u64> {
        Ok(self.bytes_of(&self.answer_shapes(kind, self.own("ciphertext", ct)?)))
    }

    fn answer_share(&self, piece: usize, asked: &Asked<'_>, point: Option<&Point>) -> Result<Vec<u8>> {
        let Answered { kind, width, .. } = asked.answered;
        let (ctx, own, piece, name) = (&self.ctx, self.own("ciphertext", asked.ct)?, self.piece(piece)?, asked.name());
        let (b, basis, count) = (ctx.backend(), own.basis(), own.components());
        let masks = match kind {
            AnswerKind::Decryption => {
                let seed = piece.answer_seed(b"ringjet decryption share", &name);
                let low = components(ctx, count, basis.len(), &seed, |_, seed| {
                    let mut words = Zeroizing::new(zeros::<i128>(ctx.params().n())?);
                    flooding_gaussian(seed, width, &mut words)?;
                    Ok(ctx.words_poly(&words, basis)?.into_secret())
                })?;
                Masks { low, top: ctx.alloc(1)? }
            }
            AnswerKind::Refresh => P::masks(ctx, own, width, &piece.answer_seed(b"ringjet refresh share", &name))?,
        };
        // the noise of a decryption is added, and a mask is taken away, to be added again at the top
        let sign = if kind == AnswerKind::Decryption { Coeff::One } else { Coeff::MinusOne };
        let mut low = ctx.alloc(count * basis.len())?.into_secret();
        self.with_factor(piece, point, basis, |s| {
            for i in 0..count {
                let mut product = ctx.alloc(basis.len())?.into_secret();
                b.mul(product.view_mut(1), own.component(i).poly(1), s, basis, false)?;
                let terms = [(Coeff::One, product.view(1)), (sign, masks.low.view(count).poly(i))];
                b.lincomb(low.view_mut(count).poly(i), &terms, basis, false)?;
            }
            Ok(())
        })?;
        let low_mask: &[u8] =
            if kind == AnswerKind::Decryption { b"ringjet decryption mask" } else { b"ringjet refresh mask" };
        point.map_or(Ok(()), |point| point.add_masks(ctx, &mut low, count, (low_mask, &name), basis))?;
        let mut parts = vec![low];
        if kind == AnswerKind::Refresh {
            let top = &ctx.params().level(ctx.params().top_level()).basis;
            let (seed, public) = (piece.answer_seed(b"ringjet refresh error", &name), self.refresh_seed(&name));
            let messages: Vec<_> = (0..count).map(|i| Some(masks.top.view(count).poly(i))).collect();
            let both =
                self.with_factor(piece, point, top, |s| encrypt_zero(ctx, top, s, &public, (&seed, b"e"), &messages))?;
            let both = both.into_secret();
            let mut first = ctx.alloc(count * top.len())?.into_secret();
            for i in 0..count {
                b.copy(first.view_mut(count).poly(i), both.view(2 * count).poly(2 * i))?;
            }
            let top_mask = (&b"ringjet refresh top mask"[..], &name[..]);
            point.map_or(Ok(()), |point| point.add_masks(ctx, &mut first, count, top_mask, top))?;
            parts.push(first);
        }
        self.written(&self.answer_shapes(kind, own), &parts)
    }

    fn decrypted(&self, asked: &Asked<'_>, shares: &[&[u8]], bits: Option<u32>) -> Result<dynamic::Values> {
        let (kind, own) = (AnswerKind::Decryption, self.own("ciphertext", asked.ct)?);
        let shapes = self.answer_shapes(kind, own);
        let shares = shares.iter().map(|bytes| self.read(&shapes, bytes)).collect::<Result<Vec<_>>>()?;
        P::values(&self.ctx, own, self.phases(kind, own, &shares)?, (asked.answered.width, shares.len() as u32), bits)
    }

    fn refreshed(&self, asked: &Asked<'_>, shares: &[&[u8]]) -> Result<dynamic::Ciphertext> {
        let (ctx, kind, own) = (&self.ctx, AnswerKind::Refresh, self.own("ciphertext", asked.ct)?);
        let (shapes, count) = (self.answer_shapes(kind, own), own.components());
        let shares = shares.iter().map(|bytes| self.read(&shapes, bytes)).collect::<Result<Vec<_>>>()?;
        let (phases, masks) = (self.phases(kind, own, &shares)?, (asked.answered.width, shares.len() as u32));
        let mut sum = P::unmasked(ctx, own, phases, masks)?;
        for share in &shares {
            self.add(&mut sum, &share[1], &shapes[1])?;
        }
        let (top, public) = (&shapes[1].0, self.refresh_seed(&asked.name()));
        let mut buf = ctx.alloc(2 * count * top.len())?;
        for i in 0..count {
            ctx.backend().copy(buf.view_mut(2 * count).poly(2 * i), sum.view(count).poly(i))?;
            ctx.expand_into(&mut buf, (2 * i + 1) * top.len(), &public, i as u32, top)?;
        }
        Ok(P::into_dynamic(P::refreshed(ctx, own, buf, masks.1)?.with_seed(public).with_key(self.session)))
    }

    fn point_bytes(&self) -> usize {
        points::basis_of(self.ctx.params()).poly_len(self.ctx.params())
    }

    fn deals(&self, piece: usize, threshold: usize, to: &[usize]) -> Result<Vec<Zeroizing<Vec<u8>>>> {
        points::dealt(&self.ctx, self.piece(piece)?, threshold, to)
    }

    fn check_point(&self, point: &[u8]) -> Result<()> {
        points::unpacked(&self.ctx, point).map(drop)
    }

    fn sum_of_points(&self, points: &[&[u8]]) -> Result<Zeroizing<Vec<u8>>> {
        points::sum(&self.ctx, points)
    }

    fn pair(&self, piece: usize, party: usize) -> Result<Seed> {
        Ok(self.piece(piece)?.pair_seed(party))
    }

    fn keys(&self) -> Result<(dynamic::PublicKey, dynamic::EvaluationKeys)> {
        let (ctx, params) = (&self.ctx, self.ctx.params());
        let mut parts = self.sums.iter();
        let mut part = || parts.next().ok_or_else(|| Error::argument("round", "open", "one after it"));
        let (basis, seed) = (params.encryption_basis(), self.common.public_key());
        let mut both = ctx.alloc(2 * basis.len())?;
        ctx.backend().copy(both.view_mut(2).poly(0), part()?.view(1))?;
        ctx.expand_into(&mut both, basis.len(), &seed, 0, &basis)?;
        let public = PublicKey::from_buf(ctx, self.session, seed, both);
        let mut keys = EvaluationKeys::empty(params);
        keys.key = if self.keys.is_empty() { KeyId::ANY } else { self.session };
        for (&element, &level) in self.keys.iter().filter(|&(&element, _)| element != RELINEARIZATION) {
            keys.insert(element, galois_key(ctx, self.session, self.common, (element, level), part()?)?);
        }
        if let Some(&level) = self.keys.get(&RELINEARIZATION) {
            let (_, a) = (part()?, part()?);
            let b = self.second.first().ok_or(Error::MissingRelinearizationKey)?;
            keys.insert(RELINEARIZATION, relinearization_key(ctx, self.session, level, [b, a])?);
        }
        Ok(P::wrapped(public, keys))
    }
}
