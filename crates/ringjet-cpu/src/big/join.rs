//! From residues to big coefficients, a tile at a time.

use std::sync::Arc;

use ringjet_math::big::{CrtJoin, WORD_BITS};

use super::{BLOCK, blocks};
use crate::field::Field;
#[cfg(target_arch = "x86_64")]
use crate::ifma;
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
    ifma: bool,
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
            ifma: fields.len() < ifma::big::MOST && fields.iter().all(|f| f.path == Path::Ifma && f.ifma.is_some()),
            crt,
            fields,
            shift,
        }
    }

    /// Words of scratch memory for a tile of `tile` coefficients.
    pub fn scratch(&self, tile: usize) -> usize {
        (self.fields.len() + 1) * tile + (self.crt.words() + 1) * BLOCK
    }

    /// The integers of a tile, shifted: `rows` has a row for each prime, `out` one for each word of the result. To the result
    /// `add` is added where given, rows like `out`'s.
    pub fn tile(&self, rows: &[&[u64]], add: Option<&[&[u64]]>, scratch: &mut [u64], out: &mut [&mut [u64]]) {
        let (primes, tile) = (rows.len(), rows[0].len());
        let len = BLOCK.min(tile);
        let size = (primes + 1) * len;
        let (y, whole) = scratch.split_at_mut((primes + 1) * tile);
        let whole = &mut whole[..(self.crt.words() + 1) * len];
        for (y, at) in y.chunks_exact_mut(size).zip(blocks(tile)) {
            self.gather(rows, at, len, y);
            self.words(y, len, self.skip, whole);
            if self.skip > 0 && self.unsure(whole, len) {
                self.words(y, len, 0, whole);
            }
            self.finish(whole, len, add, out, at);
        }
    }

    /// The rows of a block behind each other, scaled, and the quotients as the last one.
    fn gather(&self, rows: &[&[u64]], at: usize, len: usize, y: &mut [u64]) {
        let (y, v) = y.split_at_mut(rows.len() * len);
        v.fill(0);
        for (i, (y, row)) in y.chunks_exact_mut(len).zip(rows).enumerate() {
            let (f, x, ratio) = (&self.fields[i], &row[at..at + len], self.crt.fraction[i]);
            #[cfg(target_arch = "x86_64")]
            if let Some(r) = f.ifma.as_ref().filter(|_| self.ifma) {
                let w = self.scale.then(|| r.constant(&f.modulus, self.crt.hat_inverse[i]));
                // SAFETY: `ifma` is true only for fields with that path, which exist only where the processor has it.
                unsafe { ifma::big::gather(r, x, w, f.modulus.bits(), ratio, y, v) };
                continue;
            }
            if self.scale {
                scalar::baseconv::scale(&f.modulus, x, self.crt.hat_inverse[i], y);
            } else {
                y.copy_from_slice(x);
            }
            scalar::baseconv::fractions(&f.modulus, y, ratio, v);
        }
        scalar::baseconv::round(v);
    }

    /// Words `skip..` of the integers into `whole`, and as many of what is beyond the modulus as its last word holds.
    fn words(&self, y: &[u64], len: usize, skip: usize, whole: &mut [u64]) {
        let stride = self.crt.words();
        let (low, rest) = whole.split_at_mut(skip * len);
        low.fill(0);
        let (out, beyond) = rest.split_at_mut((stride - skip) * len);
        beyond.fill(0);
        #[cfg(target_arch = "x86_64")]
        if self.ifma {
            // SAFETY: as in `gather`.
            return unsafe { ifma::big::join(y, len, &self.hat, stride, skip, out) };
        }
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
    fn finish(&self, whole: &[u64], len: usize, add: Option<&[&[u64]]>, out: &mut [&mut [u64]], at: usize) {
        let bits = self.crt.bits - self.shift;
        scalar::big::shift_add(whole, len, self.shift, bits, add, out, at);
    }
}
