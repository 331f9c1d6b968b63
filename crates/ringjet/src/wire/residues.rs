//! Polynomials between a device and packed bytes. Limbs are independent, so they are packed and unpacked in parallel.
//! Bytes have an order of the evaluation domain of their own: see `Parameters::stored_order`.

use rayon::prelude::*;
use ringjet_backend::{Buf, View};
use ringjet_math::Basis;

use super::header::malformed;
use super::pack::{pack, packed_len, unpack};
use super::{Input, Writer};
use crate::{Context, Result};

/// Bytes of one polynomial over `basis`.
pub(super) fn poly_len(basis: &Basis) -> usize {
    basis.primes().iter().map(|q| packed_len(basis.n(), q.modulus())).sum()
}

/// Writes every polynomial of `view`, whose limbs are those of `basis`.
pub(super) fn write(ctx: &Context, w: &mut Writer<'_>, view: View<'_>, basis: &Basis) -> Result<()> {
    let n = basis.n();
    let mut words = vec![0u64; n * basis.len()];
    let mut bytes = vec![0u8; poly_len(basis)];
    let order = ctx.params().stored_order();
    for p in 0..view.polys() {
        ctx.backend().download(view.buf(), view.limb_index(p, 0), &mut words)?;
        let mut rest = &mut bytes[..];
        let mut jobs = Vec::with_capacity(basis.len());
        for (limb, prime) in words.chunks_exact(n).zip(basis.primes()) {
            let (out, tail) = rest.split_at_mut(packed_len(n, prime.modulus()));
            jobs.push((limb, prime.modulus(), out));
            rest = tail;
        }
        jobs.into_par_iter().for_each(|(limb, q, out)| match order {
            None => pack(limb, q, out),
            Some(order) => {
                let mut stored = vec![0u64; n];
                limb.iter().zip(order).for_each(|(&x, &place)| stored[place as usize] = x);
                pack(&stored, q, out);
            }
        });
        w.put(&bytes)?;
    }
    Ok(())
}

/// Reads one polynomial over `basis` into the limbs of `buf` from `first` on.
pub(super) fn read(ctx: &Context, r: &mut impl Input, buf: &mut Buf, first: usize, basis: &Basis) -> Result<()> {
    let n = basis.n();
    let (start, what) = (r.offset(), r.what());
    let bytes = r.next(poly_len(basis))?;
    let mut words = vec![0u64; n * basis.len()];
    let mut jobs = Vec::with_capacity(basis.len());
    let mut at = 0;
    let order = ctx.params().stored_order();
    for (out, prime) in words.chunks_exact_mut(n).zip(basis.primes()) {
        jobs.push((at, prime.modulus(), out));
        at += packed_len(n, prime.modulus());
    }
    let wrong = jobs.into_par_iter().find_map_first(|(at, q, out)| {
        if let Err(index) = unpack(&bytes[at..][..packed_len(n, q)], q, out) {
            return Some((at + index * q.bits() as usize / 8, index, q.value()));
        }
        if let Some(order) = order {
            let stored = out.to_vec();
            out.iter_mut().zip(order).for_each(|(x, &place)| *x = stored[place as usize]);
        }
        None
    });
    if let Some((at, index, q)) = wrong {
        let reason = format!("residue {index} of a polynomial is not below its modulus {q}");
        return Err(malformed(what, start + at, reason));
    }
    ctx.backend().upload(buf, first, &words)?;
    Ok(())
}
