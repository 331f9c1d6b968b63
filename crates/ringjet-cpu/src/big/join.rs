//! From residues to big coefficients, a tile at a time.

use std::sync::Arc;

use ringjet_math::big::{CrtJoin, WORD_BITS, words};

use super::{BLOCK, blocks};
use crate::field::Field;
#[cfg(target_arch = "x86_64")]
use crate::ifma::{self, big::JoinPrime};
#[cfg(target_arch = "x86_64")]
use crate::path::Path;
use crate::scalar;

/// How many bits below the shift a word must lie for what is below it to be left out: the sum of what is left out stays below
/// `2^57` times the lowest word kept (127 primes), and of the bits between, 30 at least show whether it matters.
const GUARD_BITS: u32 = 87;

/// Most primes with which words are left out.
const GUARDED: usize = 127;

/// The constants of a [`CrtJoin`] as its kernel wants them, and what becomes of the integers: they are shifted right, to the
/// nearest.
#[derive(Debug)]
pub struct Join<'a> {
    crt: &'a CrtJoin,
    fields: Vec<Arc<Field>>,
    shift: u32,
    /// A row of words for each prime, and that of -P.
    hat: Vec<u64>,
    /// Words that are computed only where the result would depend on them.
    skip: usize,
    /// Whether residues are still to be multiplied by the inverses of P/p_i.
    scale: bool,
    #[cfg(target_arch = "x86_64")]
    ifma: Option<Vec<JoinPrime>>,
}

/// The constants that the kernels of the path Ifma want, where all fields have it.
#[cfg(target_arch = "x86_64")]
fn prepare(crt: &CrtJoin, fields: &[Arc<Field>]) -> Option<Vec<JoinPrime>> {
    let prime = |(i, f): (usize, &Arc<Field>)| {
        let r = f.ifma.as_ref().filter(|_| f.path == Path::Ifma)?;
        Some(JoinPrime::new(r, &f.modulus, crt.hat_inverse[i], crt.fraction[i]))
    };
    if fields.len() < ifma::big::MOST { fields.iter().enumerate().map(prime).collect() } else { None }
}

impl<'a> Join<'a> {
    /// Constants of `crt` for the fields of its basis. `scaled`: residues come multiplied by `crt.hat_inverse`.
    pub fn new(crt: &'a CrtJoin, fields: Vec<Arc<Field>>, shift: u32, scaled: bool) -> Self {
        let guarded = fields.len() <= GUARDED && shift > GUARD_BITS;
        Self {
            hat: crt.hat.iter().flatten().chain(&crt.minus_product).copied().collect(),
            skip: if guarded { ((shift - 1 - GUARD_BITS) / WORD_BITS) as usize } else { 0 },
            scale: !scaled,
            #[cfg(target_arch = "x86_64")]
            ifma: prepare(crt, &fields),
            crt,
            fields,
            shift,
        }
    }

    /// Words of each integer of the result.
    fn kept(&self) -> usize {
        words(self.crt.bits - self.shift)
    }

    /// Words of scratch memory for a tile of `tile` coefficients.
    pub fn scratch(&self, tile: usize) -> usize {
        (self.fields.len() + 1 + self.crt.words() + 1) * BLOCK + self.kept() * tile
    }

    /// The integers of a tile, shifted: `rows` has a row for each prime, `out` one for each word of the result. To the result
    /// `add` is added where given, rows like `out`'s.
    pub fn tile(&self, rows: &[&[u64]], add: Option<&[&[u64]]>, scratch: &mut [u64], out: &mut [&mut [u64]]) {
        let tile = rows[0].len();
        let len = BLOCK.min(tile);
        let (y, rest) = scratch.split_at_mut((rows.len() + 1) * len);
        let (whole, rest) = rest.split_at_mut((self.crt.words() + 1) * len);
        let result = &mut rest[..self.kept() * tile];
        for (k, to) in result.chunks_exact_mut(tile).enumerate().filter(|_| add.is_some()) {
            let row = |k: usize| add.and_then(|add| add.get(k));
            self.copy(to, row(k).expect("a row for each word"), row(k + 1).map_or(std::ptr::null(), |r| r.as_ptr()));
        }
        for at in blocks(tile) {
            self.gather(rows, at, len, y);
            self.words(y, len, self.skip, whole, (rows, at + len));
            if self.skip > 0 && self.unsure(whole, len) {
                self.words(y, len, 0, whole, (&[], 0));
            }
            self.finish(whole, len, add.is_some(), &mut result[at..], tile);
        }
        for (from, out) in result.chunks_exact(tile).zip(out) {
            #[cfg(target_arch = "x86_64")]
            if self.ifma.is_some() {
                // SAFETY: as in `gather`.
                unsafe { ifma::big::copy_past(out, from) };
                continue;
            }
            out.copy_from_slice(from);
        }
    }

    /// `to = from`, while `next` is fetched.
    fn copy(&self, to: &mut [u64], from: &[u64], next: *const u64) {
        #[cfg(target_arch = "x86_64")]
        if self.ifma.is_some() {
            // SAFETY: as in `gather`.
            return unsafe { ifma::big::copy(to, from, next) };
        }
        let _ = next;
        to.copy_from_slice(from);
    }

    /// The rows of a block behind each other, scaled, and the quotients as the last one.
    fn gather(&self, rows: &[&[u64]], at: usize, len: usize, y: &mut [u64]) {
        #[cfg(target_arch = "x86_64")]
        if let Some(primes) = &self.ifma {
            // SAFETY: made only for fields with the path Ifma, which exist only where the processor has AVX-512 F and IFMA.
            return unsafe { ifma::big::gather(primes, rows, at, len, self.scale, y) };
        }
        let (y, v) = y.split_at_mut(rows.len() * len);
        v.fill(0);
        for (i, (y, row)) in y.chunks_exact_mut(len).zip(rows).enumerate() {
            let (m, x) = (&self.fields[i].modulus, &row[at..at + len]);
            if self.scale {
                scalar::baseconv::scale(m, x, self.crt.hat_inverse[i], y);
            } else {
                y.copy_from_slice(x);
            }
            scalar::baseconv::fractions(m, y, self.crt.fraction[i], v);
        }
        scalar::baseconv::round(v);
    }

    /// Words `skip..` of the integers into `whole`, and as many of what is beyond the modulus as its last word holds.
    /// Meanwhile the rows' words that come next are fetched.
    fn words(&self, y: &[u64], len: usize, skip: usize, whole: &mut [u64], next: (&[&[u64]], usize)) {
        let stride = self.crt.words();
        let (out, beyond) = whole[skip * len..].split_at_mut((stride - skip) * len);
        beyond.fill(0);
        #[cfg(target_arch = "x86_64")]
        if self.ifma.is_some() {
            // SAFETY: as in `gather`.
            return unsafe { ifma::big::join(y, len, &self.hat, stride, skip, out, next) };
        }
        let _ = next;
        scalar::big::join(y, len, &self.hat, stride, skip, out);
    }

    /// Whether what was left out could change the result of some coefficient: it could where the bits below the one that is
    /// rounded, down to the largest that the rest can reach, are all ones.
    fn unsure(&self, whole: &[u64], len: usize) -> bool {
        // r is the bit that decides about rounding, counted from the lowest word that is kept; r >= 87
        let r = self.shift - 1 - self.skip as u32 * WORD_BITS;
        let bits = (1 << (r - WORD_BITS).min(WORD_BITS)) - 1;
        let mask = bits ^ ((1 << 5) - 1);
        whole[(self.skip + 1) * len..][..len].iter().any(|w| w & mask == mask)
    }

    /// Shifts, rounds, adds and cuts.
    fn finish(&self, whole: &[u64], len: usize, add: bool, out: &mut [u64], stride: usize) {
        let bits = self.crt.bits - self.shift;
        #[cfg(target_arch = "x86_64")]
        if self.ifma.is_some() {
            // SAFETY: as in `gather`.
            return unsafe { ifma::big::shift_add(whole, len, self.shift, bits, add, out, stride) };
        }
        scalar::big::shift_add(whole, len, self.shift, bits, add, out, stride);
    }
}
