//! From big coefficients to residues, a tile at a time.

use std::sync::Arc;

use ringjet_math::big::{CrtSplit, WORD_BITS};

use super::{BLOCK, blocks};
use crate::field::Field;
#[cfg(target_arch = "x86_64")]
use crate::ifma;
#[cfg(target_arch = "x86_64")]
use crate::path::Path;
use crate::scalar;

/// The constants of a [`CrtSplit`] as its kernel wants them. Cheap enough (some nanoseconds for each pair of a word and a
/// prime) to be made for each call.
#[derive(Debug)]
pub struct Split<'a> {
    crt: &'a CrtSplit,
    fields: Vec<Arc<Field>>,
    #[cfg(target_arch = "x86_64")]
    ifma: Option<Ifma>,
}

#[cfg(target_arch = "x86_64")]
#[derive(Debug)]
struct Ifma {
    primes: Vec<ifma::big::SplitPrime>,
    constants: Vec<u64>,
}

#[cfg(target_arch = "x86_64")]
impl Ifma {
    fn new(crt: &CrtSplit, fields: &[Arc<Field>]) -> Option<Self> {
        let (mut primes, mut constants) = (vec![], Vec::with_capacity(fields.len() * crt.words()));
        for (i, f) in fields.iter().enumerate() {
            let r = f.ifma.as_ref().filter(|_| f.path == Path::Ifma)?;
            primes.push(ifma::big::SplitPrime::new(r, &f.modulus, crt.offset[i], crt.words())?);
            constants.extend(crt.powers[i].iter().map(|&c| r.scaled(&f.modulus, c)));
        }
        Some(Self { primes, constants })
    }
}

impl<'a> Split<'a> {
    /// Constants of `crt` for the fields of its basis.
    pub fn new(crt: &'a CrtSplit, fields: Vec<Arc<Field>>) -> Self {
        Self {
            #[cfg(target_arch = "x86_64")]
            ifma: Ifma::new(crt, &fields),
            crt,
            fields,
        }
    }

    /// Number of primes.
    pub fn primes(&self) -> usize {
        self.fields.len()
    }

    /// Words of scratch memory for a tile of `tile` coefficients.
    pub fn scratch(&self, tile: usize) -> usize {
        self.crt.words() * tile
    }

    /// Residues of a tile: `rows` has a row for each word, `out` one for each prime, all equally long.
    pub fn tile(&self, rows: &[&[u64]], scratch: &mut [u64], out: &mut [&mut [u64]]) {
        let (words, tile) = (rows.len(), rows[0].len());
        let top = 1 << ((self.crt.bits - 1) % WORD_BITS);
        let len = BLOCK.min(tile);
        for (k, row) in rows.iter().enumerate() {
            let next = rows.get(k + 1).map_or(std::ptr::null(), |r| r.as_ptr());
            for (block, at) in scratch.chunks_exact_mut(words * len).zip(blocks(tile)) {
                self.copy(&mut block[k * len..][..len], &row[at..at + len], next.wrapping_add(at));
            }
        }
        for block in scratch.chunks_exact_mut(words * len) {
            block[(words - 1) * len..].iter_mut().for_each(|x| *x ^= top);
        }
        for (block, at) in scratch.chunks_exact(words * len).zip(blocks(tile)) {
            self.block(block, len, out, at);
        }
    }

    /// `to = from`, while `next` is fetched.
    fn copy(&self, to: &mut [u64], from: &[u64], next: *const u64) {
        #[cfg(target_arch = "x86_64")]
        if self.ifma.is_some() {
            // SAFETY: as in `block`.
            return unsafe { ifma::big::copy(to, from, next) };
        }
        let _ = next;
        to.copy_from_slice(from);
    }

    fn block(&self, block: &[u64], len: usize, out: &mut [&mut [u64]], at: usize) {
        #[cfg(target_arch = "x86_64")]
        if let Some(f) = &self.ifma {
            // SAFETY: made only for fields with the path Ifma, which exist only where the processor has AVX-512 F and IFMA.
            return unsafe { ifma::big::split(&f.primes, block, len, &f.constants, out, at) };
        }
        for (i, out) in out.iter_mut().enumerate() {
            let m = &self.fields[i].modulus;
            scalar::big::split(m, block, &self.crt.powers[i], self.crt.offset[i], &mut out[at..at + len]);
        }
    }
}
