//! Polynomials between a device and packed bytes. Limbs are independent, so they are packed and
//! unpacked in parallel. Bytes have an order of the evaluation domain of their own: see
//! `Chain::stored_order`.

use std::sync::Mutex;

use ringjet_backend::{Backend, Buf, View, host};
use ringjet_math::Basis;

use super::header::malformed;
use super::pack::{Width, pack, unpack};
use super::{Input, Writer};
use crate::Result;
use crate::host::{PerThread, for_each, lock};
use crate::rlwe::{ChainParameters, Context};

/// Bytes of one polynomial over `basis`.
pub(crate) fn poly_len(basis: &Basis) -> usize {
    limbs_len(basis.n(), &widths(basis))
}

/// Bytes of one polynomial with limbs of these widths.
pub(crate) fn limbs_len(n: usize, widths: &[Width]) -> usize {
    widths.iter().map(|width| width.packed_len(n)).sum()
}

fn widths(basis: &Basis) -> Vec<Width> {
    basis.primes().iter().map(|q| Width::residues(q.modulus())).collect()
}

/// Writes every polynomial of `view`, whose limbs are those of `basis`.
pub(crate) fn write(
    ctx: &Context<impl ChainParameters>,
    w: &mut Writer<'_>,
    view: View<'_>,
    basis: &Basis,
) -> Result<()> {
    write_limbs(ctx.backend(), w, view, &widths(basis), ctx.params().stored_order())
}

/// Reads one polynomial over `basis` into the limbs of `buf` from `first` on.
pub(crate) fn read(
    ctx: &Context<impl ChainParameters>,
    r: &mut impl Input,
    buf: &mut Buf,
    first: usize,
    basis: &Basis,
) -> Result<()> {
    read_limbs(ctx.backend(), r, buf, first, &widths(basis), ctx.params().stored_order())
}

/// Writes every polynomial of `view`; word i of a limb goes to place `order[i]` where there is an
/// order.
pub(crate) fn write_limbs(
    backend: &dyn Backend,
    w: &mut Writer<'_>,
    view: View<'_>,
    widths: &[Width],
    order: Option<&[u32]>,
) -> Result<()> {
    let n = view.n();
    let mut words = host::zeros::<u64>(n * widths.len())?;
    let mut bytes = host::zeros::<u8>(limbs_len(n, widths))?;
    let spare = PerThread::new(backend, order.map_or(0, <[u32]>::len))?;
    for p in 0..view.polys() {
        backend.download(view.buf(), view.limb_index(p, 0), &mut words)?;
        let mut rest = &mut bytes[..];
        let mut jobs = Vec::with_capacity(widths.len());
        for (limb, &width) in words.chunks_exact(n).zip(widths) {
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
pub(crate) fn read_limbs(
    backend: &dyn Backend,
    r: &mut impl Input,
    buf: &mut Buf,
    first: usize,
    widths: &[Width],
    order: Option<&[u32]>,
) -> Result<()> {
    let n = buf.n();
    let (start, what) = (r.offset(), r.what());
    let bytes = r.next(limbs_len(n, widths))?;
    let mut words = host::zeros::<u64>(n * widths.len())?;
    let spare = PerThread::new(backend, order.map_or(0, <[u32]>::len))?;
    let mut jobs = Vec::with_capacity(widths.len());
    let mut at = 0;
    for (out, &width) in words.chunks_exact_mut(n).zip(widths) {
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
