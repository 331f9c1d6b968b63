//! From big coefficients to residues, a strip at a time.

use std::sync::Arc;

use ringjet_backend::big::digits;
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

/// What residues of digits are multiplied by, for each prime: then half a reduction is enough for them, with results below 4q, which transforms take
/// that are divided.
#[derive(Debug)]
pub struct Multiples {
    multiples: Vec<u64>,
    lazy: bool,
}

impl Multiples {
    /// Canonical residues of so many primes.
    pub fn one(primes: usize) -> Self {
        Self { multiples: vec![1; primes], lazy: false }
    }

    /// For digits modulo the primes of these fields; what a prime has depends on its field alone.
    pub fn of(fields: &[Arc<Field>]) -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            let multiple = |f: &Arc<Field>| {
                let divided = f.path == Path::Ifma && f.ifma.is_some() && f.parts() > 1;
                if divided { ifma::big::lazy_multiple(&f.modulus, digits::WORDS) } else { None }
            };
            let found: Vec<Option<u64>> = fields.iter().map(multiple).collect();
            let lazy = found.iter().all(|m| m.is_some());
            Self { multiples: found.into_iter().map(|m| m.unwrap_or(1)).collect(), lazy }
        }
        #[cfg(not(target_arch = "x86_64"))]
        Self::one(fields.len())
    }

    /// The inverse of the multiple of prime `i`, whose field is given.
    pub fn inverse(&self, i: usize, field: &Field) -> u64 {
        let m = &field.modulus;
        m.inv(m.reduce(self.multiples[i])).expect("no prime divides a number below it")
    }
}

/// The constants of a [`CrtSplit`] as its kernel wants them. Cheap enough (some nanoseconds for each pair of a word and a
/// prime) to be made for each call.
#[derive(Debug)]
pub struct Split {
    /// Words of the integers.
    words: usize,
    /// The bit of the highest word that centres them.
    top: u64,
    fields: Vec<Arc<Field>>,
    sums: Vec<Sum>,
    #[cfg(target_arch = "x86_64")]
    ifma: Option<Ifma>,
    /// Where there is none of `ifma`.
    #[cfg(target_arch = "x86_64")]
    avx512: Option<Avx512>,
}

/// A residue: words, each times its power, and the offset.
#[derive(Debug)]
struct Sum {
    powers: Vec<u64>,
    offset: u64,
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
    fn new(fields: &[Arc<Field>], sums: &[Sum], words: usize) -> Option<Self> {
        let form = Form::of(fields, words)?;
        let mut constants = Vec::with_capacity(fields.len() * words * form.pieces());
        for (f, sum) in fields.iter().zip(sums) {
            sum.powers.iter().for_each(|&c| form.cut_residue(f.avx512.scaled(&f.modulus, c), &mut constants));
        }
        let prime = |(f, sum): (&Arc<Field>, &Sum)| avx512::big::SplitPrime::new(&f.avx512, &f.modulus, sum.offset);
        Some(Self { form, primes: fields.iter().zip(sums).map(prime).collect(), constants })
    }
}

#[cfg(target_arch = "x86_64")]
#[derive(Debug)]
struct Ifma {
    primes: Vec<ifma::big::SplitPrime>,
    constants: Vec<u64>,
    lazy: bool,
}

#[cfg(target_arch = "x86_64")]
impl Ifma {
    fn new(fields: &[Arc<Field>], sums: &[Sum], lazy: bool) -> Option<Self> {
        let (mut primes, mut constants) = (vec![], vec![]);
        for (f, sum) in fields.iter().zip(sums) {
            let (m, r) = (&f.modulus, f.ifma.as_ref().filter(|_| f.path == Path::Ifma)?);
            if lazy {
                primes.push(ifma::big::SplitPrime::lazy(r, m, sum.offset));
                constants.extend(sum.powers.iter().map(|&c| ifma::big::lazy_constant(m, c)));
            } else {
                primes.push(ifma::big::SplitPrime::new(r, m, sum.offset, sum.powers.len())?);
                constants.extend(sum.powers.iter().map(|&c| r.scaled(m, c)));
            }
        }
        Some(Self { primes, constants, lazy })
    }
}

impl Split {
    /// Constants of `crt` for the fields of its basis. Integers are `centred`, or taken as they stand in `[0, 2^bits)`. Residues are to
    /// come as `multiples`.
    pub fn new(crt: &CrtSplit, fields: Vec<Arc<Field>>, centred: bool, multiples: &Multiples) -> Self {
        let sum = |(i, f): (usize, &Arc<Field>)| {
            let times = |c: u64| f.modulus.mul(c, f.modulus.reduce(multiples.multiples[i]));
            let offset = if centred { times(crt.offset[i]) } else { 0 };
            Sum { powers: crt.powers[i].iter().map(|&c| times(c)).collect(), offset }
        };
        let sums: Vec<Sum> = fields.iter().enumerate().map(sum).collect();
        #[cfg(target_arch = "x86_64")]
        let ifma = Ifma::new(&fields, &sums, multiples.lazy);
        Self {
            #[cfg(target_arch = "x86_64")]
            avx512: if ifma.is_none() { Avx512::new(&fields, &sums, crt.words()) } else { None },
            #[cfg(target_arch = "x86_64")]
            ifma,
            words: crt.words(),
            top: if centred { 1 << ((crt.bits - 1) % WORD_BITS) } else { 0 },
            fields,
            sums,
        }
    }

    /// Words of scratch memory.
    pub fn scratch(&self) -> usize {
        // the pieces of a block
        3 * self.words * BLOCK
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
        let place = |at: usize| Some(at).filter(|&at| at < strip.words()).map(|at| strip.place(at));
        #[cfg(target_arch = "x86_64")]
        if let Some(f) = &self.avx512 {
            let (y, rows) = (&mut scratch[..f.form.pieces() * count * len], words.to_vec());
            for at in strip.blocks() {
                let next = place(at + len).map_or((&rows[..0], 0), |next| (&rows[..], next));
                // SAFETY: made only for fields with other paths than Scalar, which exist only where the processor has AVX-512 F
                // and DQ.
                unsafe {
                    avx512::big::cut(f.form, &rows, strip.place(at), len, self.top, y);
                    avx512::big::split(f.form, &f.primes, y, len, &f.constants, out, at, next);
                }
            }
            return;
        }
        let block = &mut scratch[..count * len];
        for at in strip.blocks() {
            self.load(words, strip.place(at), place(at + len), block);
            block[(count - 1) * len..].iter_mut().for_each(|x| *x ^= self.top);
            #[cfg(target_arch = "x86_64")]
            if let Some(f) = &self.ifma {
                // SAFETY: made only for fields with the path Ifma, which exist only where the processor has AVX-512 F and IFMA.
                unsafe {
                    if f.lazy {
                        ifma::big::split::<true>(&f.primes, block, len, &f.constants, out, at, fetch);
                    } else {
                        ifma::big::split::<false>(&f.primes, block, len, &f.constants, out, at, fetch);
                    }
                }
                continue;
            }
            for (i, out) in out.iter_mut().enumerate() {
                let (m, sum) = (&self.fields[i].modulus, &self.sums[i]);
                scalar::big::split(m, block, &sum.powers, sum.offset, &mut out[at..at + len]);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CpuBackend, CpuConfig};
    use ringjet_math::Basis;
    use ringjet_math::prime::ntt_primes;

    /// Digits of the largest, the smallest and other words: what comes lazily is below 4q, and the multiple of what comes otherwise.
    #[test]
    fn multiples_are_multiples() {
        if Path::best() != Path::Ifma {
            println!("no IFMA here: nothing tested");
            return;
        }
        let (log_n, len) = (10, BLOCK);
        let b = CpuBackend::new(CpuConfig { threads: 1, path: Some(Path::Ifma) }).unwrap();
        for prime_bits in [20, 30, 40, 49, 50] {
            let basis = Basis::new(log_n, &ntt_primes(log_n, prime_bits, 13, &[]).unwrap()).unwrap();
            let fields = b.fields.of(&basis);
            let multiples = Multiples::of(&fields);
            assert!(multiples.lazy, "{prime_bits}");
            for (bits, centred) in [(312, false), (312, true), (264, true), (100, true), (1, true)] {
                let crt = CrtSplit::new(&basis, bits);
                let mask = |k: usize| {
                    if k + 1 == crt.words() { ringjet_math::big::top_mask(bits) } else { (1 << WORD_BITS) - 1 }
                };
                let word = |at: usize| match at % len {
                    0 => 0,
                    1 => mask(at / len),
                    2 => 1 << ((bits - 1) % WORD_BITS) & mask(at / len),
                    _ => (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 12 & mask(at / len),
                };
                let words: Vec<u64> = (0..crt.words() * len).map(word).collect();
                let residues = |multiples: &Multiples| {
                    let split = Split::new(&crt, fields.clone(), centred, multiples);
                    let (mut scratch, mut out) = (vec![0; split.scratch()], vec![0; fields.len() * len]);
                    let mut rows: Vec<&mut [u64]> = out.chunks_exact_mut(len).collect();
                    let strip = Strip::piece(0, len);
                    split.strip(Rows::of(&words, len), strip, &mut scratch, &mut rows, &mut Fetch::default());
                    out
                };
                let (exact, lazy) = (residues(&Multiples::one(fields.len())), residues(&multiples));
                for (at, (exact, lazy)) in exact.into_iter().zip(lazy).enumerate() {
                    let (i, case) = (at / len, format!("{prime_bits} {bits} {centred} {at}"));
                    let (m, multiple) = (&fields[i].modulus, multiples.multiples[i]);
                    assert!(lazy < 4 * m.value(), "{case}");
                    assert_eq!(m.reduce(lazy), m.mul(exact, multiple), "{case}");
                    assert_eq!(m.mul(m.mul(exact, multiple), multiples.inverse(i, &fields[i])), exact, "{case}");
                }
            }
        }
    }
}
