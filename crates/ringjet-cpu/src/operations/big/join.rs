//! Conversion of residues to big coefficients, one strip at a time.

use std::ops::Range;
use std::sync::Arc;

pub use ringjet_backend::big::digits::joined_bits as bits;
use ringjet_backend::big::digits::{WORD_BITS, words};
use ringjet_math::big::CrtJoin;

#[cfg(target_arch = "x86_64")]
use crate::kernels::avx512::{self, big::Form};
use crate::kernels::field::Field;
#[cfg(target_arch = "x86_64")]
use crate::kernels::ifma::{self, big::JoinPrime};
use crate::kernels::scalar;
use crate::operands::prefetch::{RowPrefetch, prefetch_words};
use crate::operands::rows::{Rows, RowsMut};
use crate::operands::strip::{BLOCK, Strip};
#[cfg(target_arch = "x86_64")]
use crate::system::path::Path;
use crate::system::processor::Processor;

/// A sum of integers, each multiplied by a power of 2^51. The sum is divided by a power of two and
/// rounded to the nearest integer. Words have [`WORD_BITS`] bits.
#[derive(Debug, Clone)]
pub struct Sum {
    /// The sum is computed modulo `2^bits`.
    pub bits: u32,
    /// The number of bits that are divided out.
    pub shift: u32,
    /// The number of words by which one integer is shifted against the next.
    pub digit: usize,
    /// The numbers of the integers: integer w is multiplied by `2^(51 * digit * w)`.
    pub weights: Range<usize>,
    /// The number of lowest words of the sum that are not computed.
    pub skip: usize,
    /// A mask of bits of word `skip + 1`. If these bits are all ones or all zeros, the words that
    /// are not computed may change the result.
    pub unsure: u64,
}

/// The constants of a [`CrtJoin`] in the form that the kernels take.
///
/// For L primes p_i with the product P, the kernel does not compute an integer x but
/// `sum y_i * (P/p_i) + (L + 1 - v) * P = x + (L + 1) * P`, with y_i and v as in [`CrtJoin`]. All
/// terms are positive and the sum is below `(L + 2) * P`, so several such integers are added by
/// additions with carries. The multiples of P are subtracted as one constant.
#[derive(Debug)]
pub struct Join<'a> {
    crt: &'a CrtJoin,
    fields: Vec<Arc<Field>>,
    sum: Sum,
    /// For each word a row: that word of all P/p_i, and of P.
    hat: Vec<u64>,
    /// The words of the sum when all integers are 0.
    constant: Vec<u64>,
    /// Whether residues still have to be multiplied by `crt.hat_inverse`.
    scale: bool,
    #[cfg(target_arch = "x86_64")]
    ifma: Option<Ifma>,
    /// Constants for AVX-512 without IFMA; `None` if there are constants for IFMA.
    #[cfg(target_arch = "x86_64")]
    avx512: Option<Avx512>,
}

#[cfg(target_arch = "x86_64")]
#[derive(Debug)]
struct Avx512 {
    form: Form,
    primes: Vec<avx512::big::JoinPrime>,
    /// For each word a row of pieces: those of that word of all P/p_i, and of P.
    hat: Vec<u32>,
}

#[cfg(target_arch = "x86_64")]
impl Avx512 {
    fn new(crt: &CrtJoin, fields: &[Arc<Field>], words: &[u64]) -> Option<Self> {
        let form = Form::of(fields.iter().map(|f| (f.path, f.modulus.bits())), fields.len() + 1)?;
        let mut hat = Vec::with_capacity(words.len() * form.pieces());
        words.iter().for_each(|&word| form.cut_word(word, &mut hat));
        let prime = |(i, f): (usize, &Arc<Field>)| {
            avx512::big::JoinPrime::new(&f.avx512, &f.modulus, crt.hat_inverse[i], crt.fraction[i])
        };
        Some(Self { form, primes: fields.iter().enumerate().map(prime).collect(), hat })
    }
}

#[cfg(target_arch = "x86_64")]
#[derive(Debug)]
struct Ifma {
    primes: Vec<JoinPrime>,
    /// [`ifma::big::constants`] of each word.
    hat: Vec<u64>,
    /// Whether products are computed in pairs.
    pairs: bool,
}

#[cfg(target_arch = "x86_64")]
impl Ifma {
    fn new(crt: &CrtJoin, fields: &[Arc<Field>], words: &[u64], pairs: bool) -> Option<Self> {
        let prime = |(i, f): (usize, &Arc<Field>)| {
            let r = f.ifma.as_ref().filter(|_| f.path == Path::Ifma)?;
            Some(JoinPrime::new(r, &f.modulus, crt.hat_inverse[i], crt.fraction[i]))
        };
        if fields.len() >= ifma::big::MOST {
            return None;
        }
        let (primes, mut hat) = (fields.iter().enumerate().map(prime).collect::<Option<_>>()?, vec![]);
        for words in words.chunks_exact(fields.len() + 1) {
            ifma::big::constants(words.iter().copied(), [0; 2], pairs, &mut hat);
        }
        Some(Self { primes, hat, pairs })
    }
}

/// Converts an integer modulo `2^bits` from the words `x` of `ringjet_math::big::WORD_BITS` bits to
/// words of [`WORD_BITS`] bits.
fn realigned(x: &[u64], bits: u32) -> Vec<u64> {
    let mut to = vec![0; words(bits)];
    scalar::big::realign(Rows::of(x, 1), 0, 0, 1, 0, &mut to);
    to
}

impl<'a> Join<'a> {
    /// Constants of `crt` for the fields of its basis. `crt` must have all words of P/p_i, or at
    /// least those of P/p_i modulo `2^bits` ([`bits`]). With `scaled`, residues are already
    /// multiplied by `crt.hat_inverse`.
    pub fn new(crt: &'a CrtJoin, fields: Vec<Arc<Field>>, sum: Sum, scaled: bool) -> Self {
        Self::with_rate(crt, fields, sum, scaled, Processor::this().half_rate_ifma)
    }

    /// [`Join::new`]. With `half_rate` products are computed in pairs, which takes half as many
    /// multiplications and more additions.
    fn with_rate(crt: &'a CrtJoin, fields: Vec<Arc<Field>>, sum: Sum, scaled: bool, half_rate: bool) -> Self {
        let product = crt.product();
        let rows: Vec<Vec<u64>> = crt.hat.iter().chain([&product]).map(|x| realigned(x, crt.bits)).collect();
        let hat: Vec<u64> = (0..words(crt.bits)).flat_map(|k| rows.iter().map(move |row| row[k])).collect();
        let shifts = sum.weights.clone().map(|w| (w * sum.digit) as u32 * WORD_BITS);
        let constant = crt.minus_multiples(fields.len() as u64 + 1, shifts, sum.bits);
        #[cfg(target_arch = "x86_64")]
        let ifma = Ifma::new(crt, &fields, &hat, half_rate);
        Self {
            constant: realigned(&constant, sum.bits),
            scale: !scaled,
            #[cfg(target_arch = "x86_64")]
            avx512: if ifma.is_none() { Avx512::new(crt, &fields, &hat) } else { None },
            #[cfg(target_arch = "x86_64")]
            ifma,
            crt,
            fields,
            sum,
            hat,
        }
    }

    /// The fields of the primes.
    pub fn fields(&self) -> &[Arc<Field>] {
        &self.fields
    }

    /// Number of integers that are added.
    pub fn weights(&self) -> usize {
        self.sum.weights.len()
    }

    /// Number of words of the sum.
    fn whole(&self) -> usize {
        self.constant.len()
    }

    /// Number of words of each integer of the result.
    fn kept(&self) -> usize {
        ringjet_math::big::words(self.sum.bits - self.sum.shift)
    }

    /// Number of words of scratch memory for a strip of `strip` coefficients.
    pub fn scratch(&self, strip: usize) -> usize {
        (2 + self.sum.weights.len() * self.size()) * strip + (self.whole() + 1 + self.kept()) * BLOCK
    }

    /// Number of words that the residues and the quotient of one coefficient take.
    fn size(&self) -> usize {
        #[cfg(target_arch = "x86_64")]
        if let Some(f) = &self.avx512 {
            return f.form.pieces() * (self.fields.len() + 1);
        }
        self.fields.len() + 1
    }

    /// Writes the shifted sums of a strip of coefficients to `dst`, which has a row for each word.
    /// `residues(w, i, spare, to)` writes the residues modulo prime i of the integers with weight
    /// number w to `to`, block by block, and may overwrite `spare`, which has as many words. `add`,
    /// if given, has a row for each word and is added to the result. Returns false if the words
    /// that are not computed may have changed the result.
    ///
    /// # Safety
    /// No slice of the strip's words of `dst` is alive. They may be written by streaming stores:
    /// the caller calls [`crate::system::streaming::fence`] before anyone reads them.
    pub unsafe fn strip(
        &self,
        strip: Strip,
        mut residues: impl FnMut(usize, usize, &mut [u64], RowsMut<'_>),
        add: Option<Rows<'_>>,
        scratch: &mut [u64],
        dst: RowsMut<'_>,
        prefetch: &mut RowPrefetch<'_>,
    ) -> bool {
        let (words, len, primes) = (strip.words(), strip.block(), self.fields.len());
        let (row, rest) = scratch.split_at_mut(2 * words);
        let (y, rest) = rest.split_at_mut(self.sum.weights.len() * self.size() * words);
        let (row, spare) = row.split_at_mut(words);
        for (w, y) in y.chunks_exact_mut(self.size() * words).enumerate() {
            for i in 0..primes {
                if self.in_place() {
                    residues(w, i, spare, RowsMut::of(&mut y[i * len..], self.size() * len, len));
                } else {
                    residues(w, i, spare, RowsMut::of(row, len, len));
                    self.gather(i, row, len, y);
                }
            }
        }
        let (whole, rest) = rest.split_at_mut((self.whole() + 1) * len);
        let (made, mut sure) = (self.sum.skip * len, true);
        for at in strip.blocks() {
            self.begin(&mut whole[made..], len);
            for w in 0..self.weights() {
                // the rows of `add` are prefetched, a share of them for each weight
                let rows = w * self.kept() / self.weights()..(w + 1) * self.kept() / self.weights();
                add.iter().for_each(|add| rows.clone().for_each(|k| prefetch_words(add.row(k), strip.place(at), len)));
                let strip = words * self.size();
                self.add(w, &mut y[w * strip + self.size() * at..][..self.size() * len], len, whole, prefetch);
            }
            sure &= self.sum.unsure == 0 || self.sure(whole, len);
            // SAFETY: by the caller's promise; blocks of a strip do not overlap.
            unsafe { self.finish(whole, len, strip.place(at), add, dst, rest) };
        }
        sure
    }

    /// Fills a block with the words, from word `skip` on, that the sum has when all integers are 0.
    /// A row of zeros follows.
    fn begin(&self, whole: &mut [u64], len: usize) {
        let constant = &self.constant[self.sum.skip..];
        let (made, zeros) = whole.split_at_mut(constant.len() * len);
        zeros.fill(0);
        #[cfg(target_arch = "x86_64")]
        if self.ifma.is_some() || self.avx512.is_some() {
            // SAFETY: as in `gather`.
            return unsafe { avx512::words::fill(constant, len, made) };
        }
        made.chunks_exact_mut(len).zip(constant).for_each(|(row, &c)| row.fill(c));
    }

    /// Adds the integers with weight number `i`, whose residues are in the block `y`, to `whole`.
    fn add(&self, i: usize, y: &mut [u64], len: usize, whole: &mut [u64], prefetch: &mut RowPrefetch<'_>) {
        let (inputs, start) = (self.fields.len() + 1, (self.sum.weights.start + i) * self.sum.digit);
        let first = self.sum.skip.saturating_sub(start);
        let words = first..words(self.crt.bits).min(self.whole() - start);
        if words.is_empty() {
            return;
        }
        // The carry goes up to the next word that the carries of all weights together cannot
        // overflow. After the last integer it goes up to the highest word.
        let last = i + 1 == self.weights();
        let absorbs = |&k: &usize| self.constant[k] + (self.weights() as u64) < 1 << WORD_BITS;
        let mut above = start + words.end..self.whole();
        let end = above.find(absorbs).filter(|_| !last).map_or(self.whole(), |k| k + 1);
        let to = &mut whole[(start + first) * len..end * len];
        #[cfg(target_arch = "x86_64")]
        if let Some(f) = &self.ifma {
            let row = ifma::big::row(inputs);
            let hat = &f.hat[words.start * row..words.end * row];
            // SAFETY: as in `gather`.
            unsafe {
                if self.in_place() {
                    ifma::big::quotients(&f.primes, len, y, prefetch);
                }
                ifma::big::join(f.pairs, y, inputs, len, hat, to, prefetch);
            }
            return;
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(f) = &self.avx512 {
            let row = inputs * f.form.pieces();
            let hat = &f.hat[words.start * row..words.end * row];
            // SAFETY: as in `gather`.
            return unsafe { avx512::big::join(f.form, y, inputs, len, hat, to) };
        }
        scalar::big::join(y, len, &self.hat[words.start * inputs..words.end * inputs], to);
    }

    /// Whether residues are written directly to their final place. Then [`Join::gather`] is not
    /// called, and the quotients are computed afterwards.
    fn in_place(&self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return self.ifma.is_some() && !self.scale;
        #[cfg(not(target_arch = "x86_64"))]
        false
    }

    /// Scales the residues modulo prime i and writes them to blocks of `len` coefficients. A block
    /// has a row for each of the L primes, followed by a row of `L + 1 - v` with the quotients v.
    /// The function must be called for the primes in order.
    fn gather(&self, i: usize, row: &[u64], len: usize, y: &mut [u64]) {
        let primes = self.fields.len();
        #[cfg(target_arch = "x86_64")]
        if let Some(f) = &self.ifma {
            // SAFETY: made only for fields with the path Ifma, which exist only where the processor
            // has AVX-512 F and IFMA.
            return unsafe { ifma::big::gather(&f.primes[i], i, primes, row, len, y) };
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(f) = &self.avx512 {
            // SAFETY: made only for fields with other paths than Scalar, which exist only where the
            // processor has AVX-512 F and DQ.
            return unsafe { avx512::big::gather(f.form, &f.primes[i], i, primes, row, len, self.scale, y) };
        }
        let m = &self.fields[i].modulus;
        for (y, x) in y.chunks_exact_mut((primes + 1) * len).zip(row.chunks_exact(len)) {
            let (y, v) = y.split_at_mut(primes * len);
            let y = &mut y[i * len..][..len];
            if i == 0 {
                v.fill(0);
            }
            if self.scale {
                scalar::baseconv::scale(m, x, self.crt.hat_inverse[i], y);
            } else {
                y.copy_from_slice(x);
            }
            scalar::baseconv::fractions(m, y, self.crt.fraction[i], v);
            if i + 1 == primes {
                scalar::baseconv::round(v);
                v.iter_mut().for_each(|v| *v = primes as u64 + 1 - *v);
            }
        }
    }

    /// Whether the words that are not computed change the result of no coefficient.
    fn sure(&self, whole: &[u64], len: usize) -> bool {
        let mask = self.sum.unsure;
        whole[(self.sum.skip + 1) * len..][..len].iter().all(|w| w & mask != mask && w & mask != 0)
    }

    /// Shifts and rounds a block of sums, adds the words of `add` from `at` on, and writes the
    /// result modulo a power of two to the words of `dst` from `at` on.
    ///
    /// # Safety
    /// As for [`Join::strip`].
    unsafe fn finish(
        &self,
        whole: &[u64],
        len: usize,
        at: usize,
        add: Option<Rows<'_>>,
        dst: RowsMut<'_>,
        scratch: &mut [u64],
    ) {
        let (shift, bits) = (self.sum.shift, self.sum.bits - self.sum.shift);
        #[cfg(target_arch = "x86_64")]
        if self.ifma.is_some() || self.avx512.is_some() {
            // SAFETY: as in `gather`, and by the caller's promise.
            return unsafe { avx512::words::shift_add(whole, len, shift, bits, add, dst, at) };
        }
        let out = &mut scratch[..self.kept() * len];
        if let Some(add) = add {
            out.chunks_exact_mut(len).enumerate().for_each(|(k, to)| to.copy_from_slice(&add.row(k)[at..at + len]));
        }
        scalar::big::shift_add(whole, len, shift, bits, add.is_some(), out);
        for (k, from) in out.chunks_exact(len).enumerate() {
            // SAFETY: by the caller's promise.
            unsafe { dst.part(k, at, at + len) }.copy_from_slice(from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::field::Fields;
    use crate::system::path::Path;
    use num_bigint::BigInt;
    use ringjet_backend::big::digits::WORDS;
    use ringjet_math::Basis;
    use ringjet_math::big::{shift_round, to_words, words as limbs};
    use ringjet_math::prime::ntt_primes;

    /// Integer number `c` strictly between -P/2 and P/2, where P is `product`: the largest, the
    /// smallest, small ones and others.
    fn integer(c: usize, product: &BigInt) -> BigInt {
        let half = (product - (product >> 30)) / 2;
        match c {
            0 => BigInt::ZERO,
            1 => half,
            2 => -half,
            3 => BigInt::from(-1),
            4 => BigInt::from(1),
            _ => product * (c as i64 % 17 - 8) / 17 + c,
        }
    }

    /// Sums of one and of several integers, with different shifts and an addend, on every path,
    /// with products one by one and in pairs.
    #[test]
    fn integers_are_those_of_the_residues() {
        let (log_n, len) = (10, BLOCK);
        for path in Path::usable() {
            let all = Fields::new(path);
            for (prime_bits, primes) in [(30, 1), (30, 22), (50, 12), (50, 13), (57, 11), (61, 11)] {
                let basis = Basis::new(log_n, &ntt_primes(log_n, prime_bits, primes, &[]).unwrap()).unwrap();
                let (crt, product) = (CrtJoin::new(&basis, bits(&basis)), BigInt::from(basis.product()));
                let shifts = (0..60).map(|i| (1200, 20 * i)).chain((0..52).map(|i| (400 + i, 306 + i)));
                for (whole, shift, weights, scaled, half_rate) in shifts.flat_map(|(bits, shift)| {
                    [(0..1, false, true), (0..4, true, false), (0..4, true, true), (1..3, false, false)]
                        .map(|(weights, scaled, half_rate)| (bits, shift, weights, scaled, half_rate))
                }) {
                    let weights = weights.start..weights.end.min(digits(whole));
                    let sum = Sum { bits: whole, shift, digit: WORDS, weights: weights.clone(), skip: 0, unsure: 0 };
                    let join = Join::with_rate(&crt, all.of(&basis).unwrap(), sum, scaled, half_rate);
                    let residues = |w: usize, i: usize, _: &mut [u64], to: RowsMut<'_>| {
                        let m = basis.modulus(i);
                        // SAFETY: nobody else uses `to`.
                        let to = unsafe { to.part(0, 0, len) };
                        for (c, to) in to.iter_mut().enumerate() {
                            let x = ((integer(c + w, &product) % m.value()) + m.value()) % m.value();
                            let x = u64::try_from(x).unwrap();
                            *to = if scaled { m.mul(x, crt.hat_inverse[i]) } else { x };
                        }
                    };
                    let kept = limbs(whole - shift);
                    let add: Vec<u64> = (0..kept * len)
                        .map(|at| {
                            let top = ringjet_math::big::top_mask(whole - shift);
                            let mask = if at / len + 1 == kept { top } else { (1 << 52) - 1 };
                            (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 12 & mask
                        })
                        .collect();
                    let (mut scratch, mut out) = (vec![0; join.scratch(len)], vec![0; kept * len]);
                    let to = RowsMut::of(&mut out, len, len);
                    let add = Rows::of(&add, len);
                    // SAFETY: the slices are used one after the other.
                    unsafe {
                        join.strip(
                            Strip::piece(0, len),
                            residues,
                            Some(add),
                            &mut scratch,
                            to,
                            &mut RowPrefetch::default(),
                        )
                    };
                    crate::system::streaming::fence();
                    for c in 0..len {
                        let x: BigInt =
                            weights.clone().enumerate().map(|(w, at)| integer(c + w, &product) << (306 * at)).sum();
                        let added = ringjet_math::big::from_words((0..kept).map(|k| add.row(k)[c]), whole - shift);
                        let expected = to_words(&(shift_round(&x, shift) + added), whole - shift);
                        let found: Vec<u64> = out.chunks_exact(len).map(|row| row[c]).collect();
                        let case = format!(
                            "{path:?} {prime_bits} {primes} {whole} {shift} {weights:?} {scaled} {half_rate} {c}"
                        );
                        assert_eq!(found, expected, "{case}");
                    }
                }
            }
        }
    }

    /// Number of digits of integers modulo `2^bits`.
    fn digits(bits: u32) -> usize {
        ringjet_backend::big::digits::count(bits)
    }
}
