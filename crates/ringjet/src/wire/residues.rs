//! Polynomials between a device and packed bytes. Limbs are independent, so they are packed and
//! unpacked in parallel. The evaluation domain has an order of its own in bytes: see
//! `Chain::stored_order`.
//!
//! A residue modulo q is a string of exactly `bits(q)` bits, least significant bit first. Eight
//! residues of `B` bits fill `B` bytes. Packing works on groups of eight, so that every shift is a
//! constant: about 20 GB/s on one core, against 2 to 5 GB/s for a loop with an accumulator.

use std::sync::Mutex;

use ringjet_backend::{Buf, View, host};
use ringjet_math::{Basis, Modulus};
use zeroize::Zeroizing;

use super::header::malformed;
use super::stream::{Input, Writer};
use crate::Result;
use crate::host::{PerThread, for_each, lock};
use crate::rlwe::{ChainParameters, Context, SchemeParameters};
use crate::rng::PublicSeed;

/// The modulus of polynomials in the scheme with parameters P: primes, or a power of two.
pub trait PolyModulus<P: SchemeParameters> {
    /// The allowed words of each limb.
    fn widths(&self) -> Vec<Width>;

    /// The place in bytes of each position in memory; `None` if both orders are the same.
    fn order(_: &P) -> Option<&[u32]> {
        None
    }

    /// Writes the uniform polynomial number `part` of `seed` into limbs `first..` of `buf`.
    fn expand(&self, ctx: &Context<P>, buf: &mut Buf, first: usize, seed: &PublicSeed, part: u32) -> Result<()>;

    /// Memory for `polys` polynomials.
    fn alloc(&self, ctx: &Context<P>, polys: usize) -> Result<Buf> {
        ctx.alloc(polys * self.widths().len())
    }

    /// The size of a polynomial in bytes.
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

/// Every polynomial of `view`, packed.
pub(crate) fn packed<P: SchemeParameters, M: PolyModulus<P>>(
    ctx: &Context<P>,
    out: &mut Vec<u8>,
    view: View<'_>,
    modulus: &M,
) -> Result<()> {
    pack_each(ctx, view, modulus, |bytes| {
        out.extend_from_slice(bytes);
        Ok(())
    })
}

/// Writes every polynomial of `view`.
pub(crate) fn write<P: SchemeParameters, M: PolyModulus<P>>(
    ctx: &Context<P>,
    w: &mut Writer<'_>,
    view: View<'_>,
    modulus: &M,
) -> Result<()> {
    pack_each(ctx, view, modulus, |bytes| w.put(bytes))
}

/// Calls `put` with the packed bytes of each polynomial of `view`.
fn pack_each<P: SchemeParameters, M: PolyModulus<P>>(
    ctx: &Context<P>,
    view: View<'_>,
    modulus: &M,
    mut put: impl FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let (backend, n, widths) = (ctx.backend(), view.n(), modulus.widths());
    let mut words = Zeroizing::new(host::zeros::<u64>(n * widths.len())?);
    let mut bytes = Zeroizing::new(host::zeros::<u8>(modulus.poly_len(ctx.params()))?);
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
        put(&bytes)?;
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
    let mut words = Zeroizing::new(host::zeros::<u64>(n * widths.len())?);
    let order = M::order(ctx.params());
    let spare = PerThread::new(backend, order.map_or(0, <[u32]>::len))?;
    let mut jobs = Vec::with_capacity(widths.len());
    let mut at = 0;
    for (out, &width) in words.chunks_exact_mut(n).zip(&widths) {
        jobs.push((at, width, out));
        at += width.packed_len(n);
    }
    // the first value that is too large: its offset, its index, and the largest value allowed
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

/// The allowed words of a limb.
#[derive(Debug, Clone, Copy)]
pub struct Width {
    /// The number of bits of each packed word, 1 to 61.
    pub bits: u32,
    /// The largest allowed word.
    pub limit: u64,
}

impl Width {
    /// Words that are residues modulo `q`.
    pub fn residues(q: &Modulus) -> Self {
        Self { bits: q.bits(), limit: q.value() - 1 }
    }

    /// Words of `bits` bits, all of which are allowed.
    pub fn words(bits: u32) -> Self {
        Self { bits, limit: u64::MAX >> (64 - bits) }
    }

    /// The bytes of `n` packed words; `n` is a multiple of 8, as every ring degree is.
    pub(crate) fn packed_len(self, n: usize) -> usize {
        n / 8 * self.bits as usize
    }
}

/// Calls `$f::<B>(args)` for the constant `B` that equals `$bits`, 1 to 61.
macro_rules! for_width {
    (@call $f:ident, $width:literal, ($($arg:expr),*)) => { $f::<$width>($($arg),*) };
    (@list $bits:expr, $f:ident, $args:tt, $($width:literal)*) => {
        match $bits {
            $($width => for_width!(@call $f, $width, $args),)*
            _ => unreachable!("words have 1 to 61 bits"),
        }
    };
    ($bits:expr, $f:ident $args:tt) => {
        for_width!(@list $bits, $f, $args, 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30
            31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61)
    };
}

/// Packs words of this width into `out`, which has [`Width::packed_len`] bytes.
pub(super) fn pack(words: &[u64], width: Width, out: &mut [u8]) {
    debug_assert_eq!(out.len(), width.packed_len(words.len()));
    for_width!(width.bits, pack_width(words, out))
}

/// Unpacks into `out`. Fails with the index of the first value above the limit.
pub(super) fn unpack(bytes: &[u8], width: Width, out: &mut [u64]) -> std::result::Result<(), usize> {
    debug_assert_eq!(bytes.len(), width.packed_len(out.len()));
    if for_width!(width.bits, unpack_width(bytes, width.limit, out)) {
        return Ok(());
    }
    Err(out.iter().position(|&v| v > width.limit).unwrap_or(0))
}

fn pack_width<const B: usize>(residues: &[u64], out: &mut [u8]) {
    for (group, out) in residues.as_chunks::<8>().0.iter().zip(out.as_chunks_mut::<B>().0) {
        let (mut waiting, mut bits, mut at) = (0u128, 0, 0);
        for &v in group {
            waiting |= u128::from(v) << bits;
            bits += B;
            if bits >= 64 {
                out[at..at + 8].copy_from_slice(&(waiting as u64).to_le_bytes());
                at += 8;
                waiting >>= 64;
                bits -= 64;
            }
        }
        let rest = B - at;
        out[at..].copy_from_slice(&(waiting as u64).to_le_bytes()[..rest]);
    }
}

/// Unpacks into `out`; returns whether all values are at most `limit`.
fn unpack_width<const B: usize>(bytes: &[u8], limit: u64, out: &mut [u64]) -> bool {
    let mask = (1u64 << B) - 1;
    let mut excess = 0;
    for (group, out) in bytes.as_chunks::<B>().0.iter().zip(out.as_chunks_mut::<8>().0) {
        for (i, out) in out.iter_mut().enumerate() {
            // value i starts in byte `i * B / 8` and ends within the 9 bytes from there on
            let (first, shift) = (i * B / 8, i * B % 8);
            let len = (B - first).min(9);
            let mut word = [0u8; 16];
            word[..len].copy_from_slice(&group[first..first + len]);
            *out = (u128::from_le_bytes(word) >> shift) as u64 & mask;
            excess |= limit.wrapping_sub(*out); // the top bit is set when the value is above: both are below 2^61
        }
    }
    excess >> 63 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first prime of exactly `bits` bits.
    fn prime(bits: u32) -> Modulus {
        let first = (1u64 << (bits - 1)).max(3);
        (first..).find_map(|q| Modulus::new(q).ok()).unwrap()
    }

    /// The definition: bit j of value i is bit `i bits + j` of the string.
    fn textbook(residues: &[u64], bits: usize) -> Vec<u8> {
        let mut out = vec![0; residues.len() * bits / 8];
        for (i, v) in residues.iter().enumerate() {
            for j in 0..bits {
                out[(i * bits + j) / 8] |= ((v >> j & 1) as u8) << ((i * bits + j) % 8);
            }
        }
        out
    }

    /// Packed as [`textbook`] does, and unpacked again.
    fn expect_textbook(words: &[u64], width: Width) {
        let mut bytes = vec![0; width.packed_len(words.len())];
        pack(words, width, &mut bytes);
        assert_eq!(bytes, textbook(words, width.bits as usize), "{width:?}");
        let mut back = vec![0; words.len()];
        assert_eq!(unpack(&bytes, width, &mut back), Ok(()));
        assert_eq!(back, words, "{width:?}");
    }

    #[test]
    fn every_width_follows_the_definition() {
        for bits in 2..=61 {
            let q = prime(bits);
            let width = Width::residues(&q);
            assert_eq!(q.bits(), bits);
            let mut x = 0x9e37_79b9_7f4a_7c15u64;
            let mut residues: Vec<u64> = (0..64)
                .map(|_| {
                    x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (x >> 3) % q.value()
                })
                .collect();
            (residues[0], residues[63]) = (q.value() - 1, q.value() - 1);
            expect_textbook(&residues, width);
        }
    }

    #[test]
    fn words_of_every_width() {
        for bits in 1..=61 {
            let width = Width::words(bits);
            let words: Vec<u64> = (0..64).map(|i| 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(i + 1) & width.limit).collect();
            expect_textbook(&words, width);
        }
    }

    #[test]
    fn residues_above_the_modulus_are_found() {
        for bits in 3..=61 {
            let q = prime(bits);
            let width = Width::residues(&q);
            for i in [0, 5, 7, 8, 31] {
                let mut residues = vec![1u64; 32];
                residues[i] = q.value(); // the modulus itself
                let bytes = textbook(&residues, bits as usize);
                assert_eq!(unpack(&bytes, width, &mut [0; 32]), Err(i), "{bits} bits");
            }
        }
    }
}
