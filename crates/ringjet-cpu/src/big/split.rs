//! From big coefficients to residues, a tile at a time.

use std::sync::Arc;

use ringjet_math::big::{CrtSplit, WORD_BITS};

use super::{BLOCK, blocks};
#[cfg(target_arch = "x86_64")]
use crate::avx512::{self, big::Form};
use crate::field::Field;
#[cfg(target_arch = "x86_64")]
use crate::ifma::{
    self,
    big::{Mover, Movers},
};
#[cfg(target_arch = "x86_64")]
use crate::path::Path;
use crate::scalar;

/// The constants of a [`CrtSplit`] as its kernel wants them. Cheap enough (some nanoseconds for each pair of a word and a
/// prime) to be made for each call.
#[derive(Debug)]
pub struct Split<'a> {
    crt: &'a CrtSplit,
    fields: Vec<Arc<Field>>,
    centred: bool,
    #[cfg(target_arch = "x86_64")]
    ifma: Option<Ifma>,
    /// Where there is none of `ifma`.
    #[cfg(target_arch = "x86_64")]
    avx512: Option<Avx512>,
}

#[cfg(target_arch = "x86_64")]
#[derive(Debug)]
struct Avx512 {
    form: Form,
    primes: Vec<avx512::big::SplitPrime>,
    constants: Vec<u32>,
}

#[cfg(target_arch = "x86_64")]
impl Avx512 {
    fn new(crt: &CrtSplit, fields: &[Arc<Field>], centred: bool) -> Option<Self> {
        let form = Form::of(fields, crt.words())?;
        let mut constants = Vec::with_capacity(fields.len() * crt.words() * form.pieces());
        for (f, powers) in fields.iter().zip(&crt.powers) {
            powers.iter().for_each(|&c| form.cut_residue(f.avx512.scaled(&f.modulus, c), &mut constants));
        }
        let prime = |(f, &offset): (&Arc<Field>, &u64)| {
            avx512::big::SplitPrime::new(&f.avx512, &f.modulus, if centred { offset } else { 0 })
        };
        Some(Self { form, primes: fields.iter().zip(&crt.offset).map(prime).collect(), constants })
    }
}

#[cfg(target_arch = "x86_64")]
#[derive(Debug)]
struct Ifma {
    primes: Vec<ifma::big::SplitPrime>,
    constants: Vec<u64>,
}

#[cfg(target_arch = "x86_64")]
impl Ifma {
    fn new(crt: &CrtSplit, fields: &[Arc<Field>], centred: bool) -> Option<Self> {
        let (mut primes, mut constants) = (vec![], Vec::with_capacity(fields.len() * crt.words()));
        for (i, f) in fields.iter().enumerate() {
            let r = f.ifma.as_ref().filter(|_| f.path == Path::Ifma)?;
            primes.push(ifma::big::SplitPrime::new(
                r,
                &f.modulus,
                if centred { crt.offset[i] } else { 0 },
                crt.words(),
            )?);
            constants.extend(crt.powers[i].iter().map(|&c| r.scaled(&f.modulus, c)));
        }
        Some(Self { primes, constants })
    }
}

impl<'a> Split<'a> {
    /// Constants of `crt` for the fields of its basis. Integers are `centred`, or taken as they stand in `[0, 2^bits)`.
    pub fn new(crt: &'a CrtSplit, fields: Vec<Arc<Field>>, centred: bool) -> Self {
        #[cfg(target_arch = "x86_64")]
        let ifma = Ifma::new(crt, &fields, centred);
        Self {
            #[cfg(target_arch = "x86_64")]
            avx512: if ifma.is_none() { Avx512::new(crt, &fields, centred) } else { None },
            #[cfg(target_arch = "x86_64")]
            ifma,
            crt,
            centred,
            fields,
        }
    }

    /// Number of primes.
    pub fn primes(&self) -> usize {
        self.fields.len()
    }

    /// Words of scratch memory.
    pub fn scratch(&self) -> usize {
        // two blocks, or the pieces of one
        3 * self.crt.words() * BLOCK
    }

    /// Residues of a tile: `rows` has a row for each word, `out` one for each prime, all equally long.
    pub fn tile(&self, rows: &[&[u64]], scratch: &mut [u64], out: &mut [&mut [u64]]) {
        let (words, tile) = (rows.len(), rows[0].len());
        let len = BLOCK.min(tile);
        let top = if self.centred { 1 << ((self.crt.bits - 1) % WORD_BITS) } else { 0 };
        #[cfg(target_arch = "x86_64")]
        if let Some(f) = &self.avx512 {
            let y = &mut scratch[..f.form.pieces() * words * len];
            for at in blocks(tile) {
                // SAFETY: made only for fields with other paths than Scalar, which exist only where the processor has AVX-512 F
                // and DQ.
                unsafe {
                    avx512::big::cut(f.form, rows, at, len, top, y);
                    avx512::big::split(f.form, &f.primes, y, len, &f.constants, out, at, (rows, at + len));
                }
            }
            return;
        }
        let (now, next) = scratch.split_at_mut(words * BLOCK);
        let (mut now, mut next) = (&mut now[..words * len], &mut next[..words * len]);
        self.load(rows, 0, len, now);
        for at in blocks(tile) {
            now[(words - 1) * len..].iter_mut().for_each(|x| *x ^= top);
            let following = (at + len < tile).then_some(at + len);
            self.block(now, len, out, at, rows, following, next);
            (now, next) = (next, now);
        }
    }

    /// The rows' words `at..at + len`, one row behind the other.
    fn load(&self, rows: &[&[u64]], at: usize, len: usize, to: &mut [u64]) {
        for (to, row) in to.chunks_exact_mut(len).zip(rows) {
            to.copy_from_slice(&row[at..at + len]);
        }
    }

    /// Residues of the block `now`, while the one at `following` is loaded into `next`.
    #[expect(clippy::too_many_arguments, reason = "two blocks at once")]
    fn block(
        &self,
        now: &[u64],
        len: usize,
        out: &mut [&mut [u64]],
        at: usize,
        rows: &[&[u64]],
        following: Option<usize>,
        next: &mut [u64],
    ) {
        #[cfg(target_arch = "x86_64")]
        if let Some(f) = &self.ifma {
            let mut from = [std::ptr::null(); MOVED];
            let mut to = [std::ptr::null_mut(); MOVED];
            let fits = rows.len() <= MOVED;
            for (i, row) in rows.iter().enumerate().take(if fits { MOVED } else { 0 }) {
                (from[i], to[i]) = (row.as_ptr(), next[i * len..].as_mut_ptr());
            }
            let mover = following.filter(|_| fits).map_or(Mover::NOTHING, |following| {
                // SAFETY: `next` has a row of `len` words for each of `rows`, which have as many words from `following` on.
                unsafe { Mover::new(&from[..rows.len()], &to[..rows.len()], [following, 0], len, false) }
            });
            let mut movers = Movers::new([mover, Mover::NOTHING]);
            // SAFETY: made only for fields with the path Ifma, which exist only where the processor has AVX-512 F and IFMA.
            unsafe {
                ifma::big::split(&f.primes, now, len, &f.constants, out, at, &mut movers);
                movers.finish();
            }
            if let Some(following) = following.filter(|_| !fits) {
                self.load(rows, following, len, next);
            }
            return;
        }
        for (i, out) in out.iter_mut().enumerate() {
            let m = &self.fields[i].modulus;
            let offset = if self.centred { self.crt.offset[i] } else { 0 };
            scalar::big::split(m, now, &self.crt.powers[i], offset, &mut out[at..at + len]);
        }
        if let Some(following) = following {
            self.load(rows, following, len, next);
        }
    }
}

/// Most rows that are loaded while something is computed.
#[cfg(target_arch = "x86_64")]
const MOVED: usize = 128;
