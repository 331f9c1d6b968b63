//! Polynomials between a device and packed bytes. Limbs are independent, so they are packed and
//! unpacked in parallel. Bytes have an order of the evaluation domain of their own: see
//! `Chain::stored_order`.

use std::sync::Mutex;

use ringjet_backend::{Buf, View, host};
use ringjet_math::Basis;

use super::header::malformed;
use super::pack::{Width, pack, unpack};
use super::stream::{Input, Writer};
use crate::Result;
use crate::host::{PerThread, for_each, lock};
use crate::rlwe::{ChainParameters, Context, SchemeParameters};
use crate::rng::PublicSeed;

/// A modulus of polynomials of the scheme with parameters P: a product of primes, or a power of two.
pub trait PolyModulus<P: SchemeParameters> {
    /// What the words of each limb may be.
    fn widths(&self) -> Vec<Width>;

    /// For each position in memory its place in bytes; `None` where both are the same.
    fn order(_: &P) -> Option<&[u32]> {
        None
    }

    /// Writes the uniform polynomial number `part` of `seed` into limbs `first..` of `buf`.
    fn expand(&self, ctx: &Context<P>, buf: &mut Buf, first: usize, seed: &PublicSeed, part: u32) -> Result<()>;

    /// Memory for so many polynomials.
    fn alloc(&self, ctx: &Context<P>, polys: usize) -> Result<Buf> {
        ctx.alloc(polys * self.widths().len())
    }

    /// Bytes of a polynomial.
    fn poly_len(&self, params: &P) -> usize {
        self.widths().iter().map(|width| width.packed_len(params.ring().n())).sum()
    }
}

impl<P: ChainParameters> PolyModulus<P> for Basis {
    fn widths(&self) -> Vec<Width> {
        self.primes().iter().map(|q| Width::residues(q.modulus())).collect()
    }

    fn order(params: &P) -> Option<&[u32]> {
        params.stored_order()
    }

    fn expand(&self, ctx: &Context<P>, buf: &mut Buf, first: usize, seed: &PublicSeed, part: u32) -> Result<()> {
        ctx.expand_into(buf, first, seed, part, self)
    }
}

/// Writes every polynomial of `view`.
pub(crate) fn write<P: SchemeParameters, M: PolyModulus<P>>(
    ctx: &Context<P>,
    w: &mut Writer<'_>,
    view: View<'_>,
    modulus: &M,
) -> Result<()> {
    let (backend, n, widths) = (ctx.backend(), view.n(), modulus.widths());
    let mut words = host::zeros::<u64>(n * widths.len())?;
    let mut bytes = host::zeros::<u8>(modulus.poly_len(ctx.params()))?;
    let order = M::order(ctx.params());
    let spare = PerThread::new(backend, order.map_or(0, <[u32]>::len))?;
    for p in 0..view.polys() {
        backend.download(view.buf(), view.limb_index(p, 0), &mut words)?;
        let mut rest = &mut bytes[..];
        let mut jobs = Vec::with_capacity(widths.len());
        for (limb, &width) in words.chunks_exact(n).zip(&widths) {
            let (out, tail) = rest.split_at_mut(width.packed_len(n));
            jobs.push((limb, width, out));
            rest = tail;
        }
        for_each(backend, words.len(), jobs, |worker, (limb, width, out)| match order {
            None => pack(limb, width, out),
            Some(order) => {
                let stored = &mut *spare.of(worker);
                limb.iter().zip(order).for_each(|(&x, &place)| stored[place as usize] = x);
                pack(stored, width, out);
            }
        });
        w.put(&bytes)?;
    }
    Ok(())
}

/// Reads one polynomial into the limbs of `buf` from `first` on.
pub(crate) fn read<P: SchemeParameters, M: PolyModulus<P>>(
    ctx: &Context<P>,
    r: &mut impl Input,
    buf: &mut Buf,
    first: usize,
    modulus: &M,
) -> Result<()> {
    let (backend, n, widths) = (ctx.backend(), buf.n(), modulus.widths());
    let (start, what) = (r.offset(), r.what());
    let bytes = r.next(modulus.poly_len(ctx.params()))?;
    let mut words = host::zeros::<u64>(n * widths.len())?;
    let order = M::order(ctx.params());
    let spare = PerThread::new(backend, order.map_or(0, <[u32]>::len))?;
    let mut jobs = Vec::with_capacity(widths.len());
    let mut at = 0;
    for (out, &width) in words.chunks_exact_mut(n).zip(&widths) {
        jobs.push((at, width, out));
        at += width.packed_len(n);
    }
    // the first residue that is none: its offset, its index, the largest one there may be
    let wrong: Mutex<Option<(usize, usize, u64)>> = Mutex::new(None);
    for_each(backend, n * widths.len(), jobs, |worker, (at, width, out)| {
        if let Err(index) = unpack(&bytes[at..][..width.packed_len(n)], width, out) {
            let found = (at + index * width.bits as usize / 8, index, width.limit);
            let mut first = lock(&wrong);
            *first = Some(first.map_or(found, |other| other.min(found)));
        } else if let Some(order) = order {
            let stored = &mut *spare.of(worker);
            stored.copy_from_slice(out);
            out.iter_mut().zip(order).for_each(|(x, &place)| *x = stored[place as usize]);
        }
    });
    if let Some((at, index, limit)) = *lock(&wrong) {
        let reason = format!("residue {index} of a polynomial is not below its modulus {}", limit + 1);
        return Err(malformed(what, start + at, reason));
    }
    backend.upload(buf, first, &words)?;
    Ok(())
}
