//! Conversion of big coefficients to residues, one strip at a time.

use std::sync::Arc;

use ringjet_backend::big::digits::{WORD_BITS, WORDS, words};
use ringjet_math::Modulus;

#[cfg(target_arch = "x86_64")]
use crate::kernels::avx512::{self, big::Form};
use crate::kernels::field::Field;
#[cfg(target_arch = "x86_64")]
use crate::kernels::ifma::{self, big::Way};
use crate::kernels::scalar;
use crate::operands::prefetch::RowPrefetch;
#[cfg(target_arch = "x86_64")]
use crate::operands::prefetch::prefetch_words;
use crate::operands::rows::Rows;
use crate::operands::strip::{BLOCK, Strip};
#[cfg(target_arch = "x86_64")]
use crate::system::path::Path;
use crate::system::processor::Processor;

/// The constants of `ringjet_math::big::CrtSplit` for words of [`WORD_BITS`] bits, in the form that
/// the kernels take. They are computed for each call, which takes some nanoseconds for each pair of
/// a word and a prime.
#[derive(Debug)]
pub struct Split {
    /// Number of words of the integers.
    words: usize,
    /// The bit of the highest word that is inverted because integers are centred, or 0.
    top: u64,
    fields: Vec<Arc<Field>>,
    sums: Vec<Sum>,
    #[cfg(target_arch = "x86_64")]
    ifma: Option<Ifma>,
    /// Constants for AVX-512 without IFMA; `None` if there are constants for IFMA.
    #[cfg(target_arch = "x86_64")]
    avx512: Option<Avx512>,
}

/// The constants of one prime. A residue is the sum of all words, each times its power of two, and
/// the offset.
#[derive(Debug)]
struct Sum {
    powers: Vec<u64>,
    offset: u64,
}

impl Sum {
    /// The constants for integers modulo `2^bits`, `centred` or in `[0, 2^bits)`.
    fn new(m: &Modulus, bits: u32, centred: bool) -> Self {
        let word = m.pow(2, WORD_BITS.into());
        let powers = std::iter::successors(Some(m.reduce(1)), |&power| Some(m.mul(power, word)));
        let offset = if centred { m.neg(m.pow(2, u64::from(bits) - 1)) } else { 0 };
        Self { powers: powers.take(words(bits)).collect(), offset }
    }
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
        let form = Form::of(fields.iter().map(|f| (f.path, f.modulus.bits())), words)?;
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
    way: Way,
}

#[cfg(target_arch = "x86_64")]
impl Ifma {
    fn new(fields: &[Arc<Field>], sums: &[Sum], words: usize, way: Way) -> Option<Self> {
        let (mut primes, mut constants) = (vec![], vec![]);
        for (f, sum) in fields.iter().zip(sums) {
            let (m, r) = (&f.modulus, f.ifma.as_ref().filter(|_| f.path == Path::Ifma)?);
            let scaled = |c: u64| if way.lazy { ifma::big::lazy_constant(m, c) } else { r.scaled(m, c) };
            let start = [scaled(sum.offset), if way.lazy { m.value() } else { 0 }];
            let powers = sum.powers.iter().map(|&c| scaled(c));
            // fails here if there are too many words
            primes.push(if way.lazy {
                ifma::big::SplitPrime::lazy(r)
            } else {
                ifma::big::SplitPrime::new(r, m, words)?
            });
            ifma::big::constants(powers, start, way.pairs, &mut constants);
        }
        Some(Self { primes, constants, way })
    }
}

impl Split {
    /// Constants for integers modulo `2^bits`, `centred` or in `[0, 2^bits)`. With `lazy`, residues
    /// are below 4q instead of q, and integers must have at most the words of one digit.
    pub fn new(bits: u32, fields: Vec<Arc<Field>>, centred: bool, lazy: bool) -> Self {
        Self::with_rate(bits, fields, centred, lazy, Processor::this().half_rate_ifma)
    }

    /// [`Split::new`]. With `half_rate` products are computed in pairs, which takes half as many
    /// multiplications and more additions.
    fn with_rate(bits: u32, fields: Vec<Arc<Field>>, centred: bool, lazy: bool, half_rate: bool) -> Self {
        assert!(!lazy || words(bits) <= WORDS);
        let sums: Vec<Sum> = fields.iter().map(|f| Sum::new(&f.modulus, bits, centred)).collect();
        let words = words(bits);
        #[cfg(target_arch = "x86_64")]
        let ifma = Ifma::new(&fields, &sums, words, Way { pairs: half_rate, lazy });
        Self {
            #[cfg(target_arch = "x86_64")]
            avx512: if ifma.is_none() { Avx512::new(&fields, &sums, words) } else { None },
            #[cfg(target_arch = "x86_64")]
            ifma,
            words,
            top: if centred { 1 << ((bits - 1) % WORD_BITS) } else { 0 },
            fields,
            sums,
        }
    }

    /// Number of words of scratch memory.
    pub fn scratch(&self) -> usize {
        // a block and its pieces
        4 * self.words * BLOCK
    }

    /// Writes the residues of a strip of coefficients to `out`, which has a row as long as the
    /// strip for each prime. The integers begin at bit `from` of the words in `rows`.
    pub fn strip(
        &self,
        rows: Rows<'_>,
        from: u32,
        strip: Strip,
        scratch: &mut [u64],
        out: &mut [&mut [u64]],
        prefetch: &mut RowPrefetch<'_>,
    ) {
        let (count, len) = (self.words, strip.block());
        let (block, pieces) = scratch.split_at_mut(count * len);
        for at in strip.blocks() {
            let next = Some(at + len).filter(|&at| at < strip.words()).map(|at| strip.place(at));
            self.load(rows, from, strip.place(at), next, len, block);
            #[cfg(target_arch = "x86_64")]
            if let Some(f) = &self.ifma {
                // SAFETY: made only for fields with the path Ifma, which exist only where the
                // processor has AVX-512 F and IFMA.
                unsafe { ifma::big::split(f.way, &f.primes, block, len, &f.constants, out, at, prefetch) };
                continue;
            }
            #[cfg(target_arch = "x86_64")]
            if let Some(f) = &self.avx512 {
                let y = &mut pieces[..f.form.pieces() * count * len];
                // SAFETY: made only for fields with other paths than Scalar, which exist only where
                // the processor has AVX-512 F and DQ.
                unsafe {
                    avx512::big::cut(f.form, block, len, y);
                    avx512::big::split(f.form, &f.primes, y, len, &f.constants, out, at);
                }
                continue;
            }
            for (i, out) in out.iter_mut().enumerate() {
                let (m, sum) = (&self.fields[i].modulus, &self.sums[i]);
                scalar::big::split(m, block, &sum.powers, sum.offset, &mut out[at..at + len]);
            }
        }
    }

    /// Copies a block, that is words `at..at + len` of all rows, to consecutive rows in `to`, with
    /// the highest bit inverted if integers are centred. The rows of the source are a power of two
    /// apart, so they compete for the same cache sets and would not stay in a cache. The words from
    /// `next` on are prefetched.
    fn load(&self, rows: Rows<'_>, from: u32, at: usize, next: Option<usize>, len: usize, to: &mut [u64]) {
        #[cfg(target_arch = "x86_64")]
        if self.ifma.is_some() || self.avx512.is_some() {
            if let Some(next) = next {
                (0..rows.count()).for_each(|i| prefetch_words(rows.row(i), next, len));
            }
            // SAFETY: as in `strip`.
            return unsafe { avx512::words::realign(rows, from, at, len, self.top, to) };
        }
        scalar::big::realign(rows, from, at, len, self.top, to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::field::Fields;
    use crate::system::path::Path;
    use num_bigint::BigUint;
    use ringjet_math::Basis;
    use ringjet_math::big::{to_words, words as limbs};
    use ringjet_math::prime::ntt_primes;

    /// Integers of `bits` bits: 0, the largest, the two around the middle, and others.
    fn integer(c: usize, bits: u32) -> BigUint {
        let one = BigUint::from(1u32);
        match c {
            0 => BigUint::ZERO,
            1 => (&one << bits) - 1u32,
            2 => &one << (bits - 1),
            3 => (&one << (bits - 1)) - 1u32,
            _ => {
                let piece = |k: u32| (c as u64 + u64::from(k)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let x: BigUint = (0..=bits / 64).map(|k| BigUint::from(piece(k)) << (64 * k)).sum();
                x % (&one << bits)
            }
        }
    }

    /// Integers that begin at any bit of longer ones, converted to canonical residues and to
    /// residues below 4q, with products one by one and in pairs.
    #[test]
    fn residues_are_those_of_the_integers() {
        let (log_n, len, flags) = (10, BLOCK, [false, true]);
        let digits = (0..52).map(|i| (306 * i, 306));
        let others = [(0, 1), (0, 51), (0, 52), (51, 1), (3, 49), (918, 282), (306, 200), (17, 1200), (0, 2400)];
        let shapes: Vec<(u32, u32)> = digits.chain(others).collect();
        for path in Path::usable() {
            let all = Fields::new(path);
            for (prime_bits, &(from, bits)) in
                [20, 30, 40, 49, 50].into_iter().flat_map(|q| shapes.iter().map(move |s| (q, s)))
            {
                let basis = Basis::new(log_n, &ntt_primes(log_n, prime_bits, 13, &[]).unwrap()).unwrap();
                let (first, shift) = ((from / 52) as usize, from % 52);
                // the bits below the integers are all ones
                let mut rows = vec![0; limbs(from + bits) * len];
                for c in 0..len {
                    let x = (integer(c, bits) << from) + ((BigUint::from(1u32) << from) - 1u32);
                    let x = to_words(&x.into(), from + bits);
                    x.into_iter().enumerate().for_each(|(k, word)| rows[k * len + c] = word);
                }
                let rows = Rows::of(&rows[first * len..], len);
                for way in 0..8 {
                    let [centred, lazy, half_rate] = [way & 1, way >> 1 & 1, way >> 2].map(|i| flags[i]);
                    if lazy && words(bits) > WORDS {
                        continue;
                    }
                    let split = Split::with_rate(bits, all.of(&basis).unwrap(), centred, lazy, half_rate);
                    let (mut scratch, mut out) = (vec![0; split.scratch()], vec![0; basis.len() * len]);
                    let mut found: Vec<&mut [u64]> = out.chunks_exact_mut(len).collect();
                    split.strip(
                        rows,
                        shift,
                        Strip::piece(0, len),
                        &mut scratch,
                        &mut found,
                        &mut RowPrefetch::default(),
                    );
                    for (at, &found) in out.iter().enumerate() {
                        let (m, x) = (basis.modulus(at / len), integer(at % len, bits));
                        let residue = u64::try_from(&x % m.value()).unwrap();
                        let negative = centred && x.bit(u64::from(bits) - 1);
                        let residue = if negative { m.sub(residue, m.pow(2, bits.into())) } else { residue };
                        let case = format!("{path:?} {prime_bits} {from} {bits} {at} {centred} {lazy} {half_rate}");
                        assert!(found < if lazy { 4 } else { 1 } * m.value(), "{case}");
                        assert_eq!(m.reduce(found), residue, "{case}");
                    }
                }
            }
        }
    }
}
