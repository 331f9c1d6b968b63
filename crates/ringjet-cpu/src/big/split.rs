//! From big coefficients to residues, a strip at a time.

use std::sync::Arc;

use ringjet_math::big::{CrtSplit, WORD_BITS};

use super::{BLOCK, Strip};
#[cfg(target_arch = "x86_64")]
use crate::avx512::{self, big::Form};
use crate::field::Field;
#[cfg(target_arch = "x86_64")]
use crate::ifma;
use crate::memory::{Fetch, Rows};
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

    /// Words of scratch memory.
    pub fn scratch(&self) -> usize {
        // the pieces of a block
        3 * self.crt.words() * BLOCK
    }

    /// Residues of a strip's coefficients: `words` has a limb for each word, `out` a row for each prime, as long as the strip.
    pub fn strip(
        &self,
        words: Rows<'_>,
        strip: Strip,
        scratch: &mut [u64],
        out: &mut [&mut [u64]],
        fetch: &mut Fetch<'_>,
    ) {
        let (count, len) = (words.count(), strip.block());
        let top = if self.centred { 1 << ((self.crt.bits - 1) % WORD_BITS) } else { 0 };
        let place = |at: usize| Some(at).filter(|&at| at < strip.words()).map(|at| strip.place(at));
        #[cfg(target_arch = "x86_64")]
        if let Some(f) = &self.avx512 {
            let (y, rows) = (&mut scratch[..f.form.pieces() * count * len], words.to_vec());
            for at in strip.blocks() {
                let next = place(at + len).map_or((&rows[..0], 0), |next| (&rows[..], next));
                // SAFETY: made only for fields with other paths than Scalar, which exist only where the processor has AVX-512 F
                // and DQ.
                unsafe {
                    avx512::big::cut(f.form, &rows, strip.place(at), len, top, y);
                    avx512::big::split(f.form, &f.primes, y, len, &f.constants, out, at, next);
                }
            }
            return;
        }
        let block = &mut scratch[..count * len];
        for at in strip.blocks() {
            self.load(words, strip.place(at), place(at + len), block);
            block[(count - 1) * len..].iter_mut().for_each(|x| *x ^= top);
            #[cfg(target_arch = "x86_64")]
            if let Some(f) = &self.ifma {
                // SAFETY: made only for fields with the path Ifma, which exist only where the processor has AVX-512 F and IFMA.
                unsafe { ifma::big::split(&f.primes, block, len, &f.constants, out, at, fetch) };
                continue;
            }
            for (i, out) in out.iter_mut().enumerate() {
                let m = &self.fields[i].modulus;
                let offset = if self.centred { self.crt.offset[i] } else { 0 };
                scalar::big::split(m, block, &self.crt.powers[i], offset, &mut out[at..at + len]);
            }
        }
    }

    /// A block's words from word `at` of the rows on, one row behind the other. The rows are a power of two apart and so compete for a few
    /// places of the caches, where they would not stay for long. The words from `next` on are fetched.
    fn load(&self, words: Rows<'_>, at: usize, next: Option<usize>, to: &mut [u64]) {
        let len = to.len() / words.count();
        for (i, to) in to.chunks_exact_mut(len).enumerate() {
            let row = words.row(i);
            #[cfg(target_arch = "x86_64")]
            if let (Some(next), Some(_)) = (next, &self.ifma) {
                avx512::fetch(row, next, len);
            }
            to.copy_from_slice(&row[at..at + len]);
        }
    }
}
