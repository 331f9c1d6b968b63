//! Polynomials between a device and packed bytes. Limbs are independent, so they are packed and unpacked in parallel.
//! Bytes have an order of the evaluation domain of their own: see `Parameters::stored_order`.

use rayon::prelude::*;
use ringjet_backend::{Backend, Buf, View};
use ringjet_math::Basis;

use super::header::malformed;
use super::pack::{Width, pack, unpack};
use super::{Input, Writer};
use crate::{Context, Result};

/// Bytes of one polynomial over `basis`.
pub(super) fn poly_len(basis: &Basis) -> usize {
    limbs_len(basis.n(), &widths(basis))
}

/// Bytes of one polynomial with limbs of these widths.
pub(super) fn limbs_len(n: usize, widths: &[Width]) -> usize {
    widths.iter().map(|width| width.packed_len(n)).sum()
}

fn widths(basis: &Basis) -> Vec<Width> {
    basis.primes().iter().map(|q| Width::residues(q.modulus())).collect()
}

/// Writes every polynomial of `view`, whose limbs are those of `basis`.
pub(super) fn write(ctx: &Context, w: &mut Writer<'_>, view: View<'_>, basis: &Basis) -> Result<()> {
    write_limbs(ctx.backend(), w, view, &widths(basis), ctx.params().stored_order())
}

/// Reads one polynomial over `basis` into the limbs of `buf` from `first` on.
pub(super) fn read(ctx: &Context, r: &mut impl Input, buf: &mut Buf, first: usize, basis: &Basis) -> Result<()> {
    read_limbs(ctx.backend(), r, buf, first, &widths(basis), ctx.params().stored_order())
}

/// Writes every polynomial of `view`; word i of a limb goes to place `order[i]` where there is an order.
pub(super) fn write_limbs(
    backend: &dyn Backend,
    w: &mut Writer<'_>,
    view: View<'_>,
    widths: &[Width],
    order: Option<&[u32]>,
) -> Result<()> {
    let n = view.n();
    let mut words = vec![0u64; n * widths.len()];
    let mut bytes = vec![0u8; limbs_len(n, widths)];
    for p in 0..view.polys() {
        backend.download(view.buf(), view.limb_index(p, 0), &mut words)?;
        let mut rest = &mut bytes[..];
        let mut jobs = Vec::with_capacity(widths.len());
        for (limb, &width) in words.chunks_exact(n).zip(widths) {
            let (out, tail) = rest.split_at_mut(width.packed_len(n));
            jobs.push((limb, width, out));
            rest = tail;
        }
        jobs.into_par_iter().for_each(|(limb, width, out)| match order {
            None => pack(limb, width, out),
            Some(order) => {
                let mut stored = vec![0u64; n];
                limb.iter().zip(order).for_each(|(&x, &place)| stored[place as usize] = x);
                pack(&stored, width, out);
            }
        });
        w.put(&bytes)?;
    }
    Ok(())
}

/// Reads one polynomial into the limbs of `buf` from `first` on.
pub(super) fn read_limbs(
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
    let mut words = vec![0u64; n * widths.len()];
    let mut jobs = Vec::with_capacity(widths.len());
    let mut at = 0;
    for (out, &width) in words.chunks_exact_mut(n).zip(widths) {
        jobs.push((at, width, out));
        at += width.packed_len(n);
    }
    let wrong = jobs.into_par_iter().find_map_first(|(at, width, out)| {
        if let Err(index) = unpack(&bytes[at..][..width.packed_len(n)], width, out) {
            return Some((at + index * width.bits as usize / 8, index, width.limit));
        }
        if let Some(order) = order {
            let stored = out.to_vec();
            out.iter_mut().zip(order).for_each(|(x, &place)| *x = stored[place as usize]);
        }
        None
    });
    if let Some((at, index, limit)) = wrong {
        let reason = format!("residue {index} of a polynomial is not below its modulus {}", limit + 1);
        return Err(malformed(what, start + at, reason));
    }
    backend.upload(buf, first, &words)?;
    Ok(())
}
