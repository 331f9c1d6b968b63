//! From residues to big coefficients, a strip at a time.

use std::ops::Range;
use std::sync::Arc;

pub use ringjet_backend::big::digits::joined_bits as bits;
use ringjet_math::big::{CrtJoin, WORD_BITS, words};

use super::{BLOCK, Strip};
#[cfg(target_arch = "x86_64")]
use crate::avx512::{self, big::Form};
use crate::field::Field;
#[cfg(target_arch = "x86_64")]
use crate::ifma::{self, big::JoinPrime};
use crate::memory::{Fetch, Rows, RowsMut};
#[cfg(target_arch = "x86_64")]
use crate::path::Path;
use crate::scalar;

/// What becomes of the integers that sums of products are: they are added at distances of a digit, and shifted right, to the
/// nearest.
#[derive(Debug, Clone)]
pub struct Sum {
    /// The sum is wanted modulo `2^bits`.
    pub bits: u32,
    /// Bits that are divided out.
    pub shift: u32,
    /// Words from one integer to the next.
    pub digit: usize,
    /// Which integers there are: number w is multiplied by `2^(52 digit w)`.
    pub weights: Range<usize>,
    /// Words of the sum that are left out, with all lower ones.
    pub skip: usize,
    /// Bits of word `skip + 1` that must not be all ones or all zeros.
    pub unsure: u64,
}

/// The constants of a [`CrtJoin`] as its kernel wants them.
///
/// An integer x comes as `sum y_i (P/p_i) + (L + 1 - v) P = x + (L + 1) P` for L primes: a sum of positive terms below `(L + 2) P`,
/// so that carries are all there is to adding several. What is too much is taken off as a constant.
#[derive(Debug)]
pub struct Join<'a> {
    crt: &'a CrtJoin,
    fields: Vec<Arc<Field>>,
    sum: Sum,
    /// A row of words for each prime, and that of P.
    hat: Vec<u64>,
    /// Words of the sum when all integers are 0.
    constant: Vec<u64>,
    /// Whether residues are still to be multiplied by the inverses of P/p_i.
    scale: bool,
    #[cfg(target_arch = "x86_64")]
    ifma: Option<Vec<JoinPrime>>,
    /// Where there is none of `ifma`.
    #[cfg(target_arch = "x86_64")]
    avx512: Option<Avx512>,
}

#[cfg(target_arch = "x86_64")]
#[derive(Debug)]
struct Avx512 {
    form: Form,
    primes: Vec<avx512::big::JoinPrime>,
    /// A row of pieces for each word: of the words of all P/p_i and of P.
    hat: Vec<u32>,
}

#[cfg(target_arch = "x86_64")]
impl Avx512 {
    fn new(crt: &CrtJoin, fields: &[Arc<Field>]) -> Option<Self> {
        let form = Form::of(fields, fields.len() + 1)?;
        let (product, mut hat) = (crt.product(), Vec::with_capacity((fields.len() + 1) * crt.words() * form.pieces()));
        for k in 0..crt.words() {
            crt.hat.iter().chain([&product]).for_each(|words| form.cut_word(words[k], &mut hat));
        }
        let prime = |(i, f): (usize, &Arc<Field>)| {
            avx512::big::JoinPrime::new(&f.avx512, &f.modulus, crt.hat_inverse[i], crt.fraction[i])
        };
        Some(Self { form, primes: fields.iter().enumerate().map(prime).collect(), hat })
    }
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
    /// Constants of `crt` for the fields of its basis. `crt` has the words of P/p_i modulo `2^bits` at least, or all of [`bits`].
    /// `scaled`: residues come multiplied by `crt.hat_inverse`.
    pub fn new(crt: &'a CrtJoin, fields: Vec<Arc<Field>>, sum: Sum, scaled: bool) -> Self {
        #[cfg(target_arch = "x86_64")]
        let ifma = prepare(crt, &fields);
        let shifts = sum.weights.clone().map(|w| (w * sum.digit) as u32 * WORD_BITS);
        Self {
            hat: crt.hat.iter().flatten().copied().chain(crt.product()).collect(),
            constant: crt.minus_multiples(fields.len() as u64 + 1, shifts, sum.bits),
            scale: !scaled,
            #[cfg(target_arch = "x86_64")]
            avx512: if ifma.is_none() { Avx512::new(crt, &fields) } else { None },
            #[cfg(target_arch = "x86_64")]
            ifma,
            crt,
            fields,
            sum,
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

    /// Words of the sum.
    fn whole(&self) -> usize {
        self.constant.len()
    }

    /// Words of each integer of the result.
    fn kept(&self) -> usize {
        words(self.sum.bits - self.sum.shift)
    }

    /// Words of scratch memory for a strip of so many coefficients.
    pub fn scratch(&self, strip: usize) -> usize {
        (2 + self.sum.weights.len() * self.size()) * strip + (2 * (self.whole() + 1) + self.kept()) * BLOCK
    }

    /// Words that a coefficient's residues and quotient take.
    fn size(&self) -> usize {
        #[cfg(target_arch = "x86_64")]
        if let Some(f) = &self.avx512 {
            return f.form.pieces() * (self.fields.len() + 1);
        }
        self.fields.len() + 1
    }

    /// The integers of a strip of coefficients, shifted, into `dst`, which has a limb for each word. `residues(w, i, spare, to)`
    /// writes residues of prime i for weight number w, block after block, and may use `spare`, of as many words. To the result
    /// `add` is added where given, a limb for each word of it. Returns false where what was left out may have mattered.
    ///
    /// # Safety
    /// No slice of the strip's words of `dst` is alive. They may be written past the caches: [`crate::memory::fence`] comes before
    /// anyone reads them.
    pub unsafe fn strip(
        &self,
        strip: Strip,
        mut residues: impl FnMut(usize, usize, &mut [u64], RowsMut<'_>),
        add: Option<Rows<'_>>,
        scratch: &mut [u64],
        dst: RowsMut<'_>,
        fetch: &mut Fetch<'_>,
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
        let (empty, rest) = rest.split_at_mut(whole.len());
        // a row of zeros behind the words
        for (row, &c) in empty.chunks_exact_mut(len).zip(self.constant.iter().chain([&0])) {
            row.fill(c);
        }
        let (made, mut sure) = (self.sum.skip * len, true);
        for at in strip.blocks() {
            whole[made..].copy_from_slice(&empty[made..]);
            if self.in_place() {
                self.quotients(y, at, len, fetch);
            }
            self.add(y, at, len, whole, fetch);
            sure &= self.sum.unsure == 0 || self.sure(whole, len);
            let next = strip.place((at + len) % words);
            // SAFETY: by the caller's promise; blocks of a strip do not overlap.
            unsafe { self.finish(whole, len, [strip.place(at), next], add, dst, rest) };
        }
        sure
    }

    /// Adds the integers of all weights to `whole`.
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "nothing is fetched"))]
    fn add(&self, y: &[u64], at: usize, len: usize, whole: &mut [u64], fetch: &mut Fetch<'_>) {
        let (size, stride, skip) = (self.size(), self.crt.words(), self.sum.skip);
        for (i, w) in self.sum.weights.clone().enumerate() {
            // the blocks of one weight, then those of the next
            let strip = y.len() / (self.sum.weights.len() * size);
            let y = &y[size * (i * strip + at)..][..size * len];
            let start = w * self.sum.digit;
            let first = skip.saturating_sub(start);
            let words = first..stride.min(self.whole() - start);
            if words.is_empty() {
                continue;
            }
            // the carry goes to the next word, and beyond it when no other integer comes
            let last = i + 1 == self.sum.weights.len();
            let end = if last { self.whole() } else { self.whole().min(start + words.end + 1) };
            let to = &mut whole[(start + first) * len..end * len];
            #[cfg(target_arch = "x86_64")]
            if self.ifma.is_some() {
                // SAFETY: as in `gather`.
                unsafe { ifma::big::join(y, len, &self.hat, stride, words, to, fetch) };
                continue;
            }
            #[cfg(target_arch = "x86_64")]
            if let Some(f) = &self.avx512 {
                // SAFETY: as in `gather`.
                unsafe { avx512::big::join(f.form, y, self.fields.len() + 1, len, &f.hat, words, to) };
                continue;
            }
            scalar::big::join(y, len, &self.hat, stride, words, to);
        }
    }

    /// Whether residues are wanted as they come: [`Join::gather`] is left out then, and the quotients come later.
    fn in_place(&self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return self.ifma.is_some() && !self.scale;
        #[cfg(not(target_arch = "x86_64"))]
        false
    }

    /// The complements of the quotients of the block that begins at word `at`, of all weights.
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "nothing is fetched"))]
    fn quotients(&self, y: &mut [u64], at: usize, len: usize, fetch: &mut Fetch<'_>) {
        let size = self.size();
        let strip = y.len() / (self.sum.weights.len() * size);
        for y in y.chunks_exact_mut(size * strip) {
            #[cfg(target_arch = "x86_64")]
            if let Some(primes) = &self.ifma {
                // SAFETY: as in `gather`.
                unsafe { ifma::big::quotients(primes, len, &mut y[size * at..][..size * len], fetch) };
            }
        }
    }

    /// Takes the residues of prime i to where they are wanted: in blocks of `len` coefficients, of each the residues of all primes, scaled,
    /// behind each other, and behind them the complements of the quotients. Primes come one after the other.
    fn gather(&self, i: usize, row: &[u64], len: usize, y: &mut [u64]) {
        let primes = self.fields.len();
        #[cfg(target_arch = "x86_64")]
        if let Some(f) = &self.ifma {
            // SAFETY: made only for fields with the path Ifma, which exist only where the processor has AVX-512 F and IFMA.
            return unsafe { ifma::big::gather(&f[i], i, primes, row, len, y) };
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(f) = &self.avx512 {
            // SAFETY: made only for fields with other paths than Scalar, which exist only where the processor has AVX-512 F and DQ.
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

    /// Whether what was left out cannot change the result of any coefficient.
    fn sure(&self, whole: &[u64], len: usize) -> bool {
        let mask = self.sum.unsure;
        whole[(self.sum.skip + 1) * len..][..len].iter().all(|w| w & mask != mask && w & mask != 0)
    }

    /// Shifts, rounds, adds what lies in `add` at the same place, and cuts, to a place in `dst`. What will be added next is fetched.
    ///
    /// # Safety
    /// That of [`Join::strip`], of the words that are written.
    unsafe fn finish(
        &self,
        whole: &[u64],
        len: usize,
        [at, next]: [usize; 2],
        add: Option<Rows<'_>>,
        dst: RowsMut<'_>,
        scratch: &mut [u64],
    ) {
        let (shift, bits) = (self.sum.shift, self.sum.bits - self.sum.shift);
        #[cfg(target_arch = "x86_64")]
        if self.ifma.is_some() || self.avx512.is_some() {
            // SAFETY: as in `gather`, and by the caller's promise.
            return unsafe { avx512::words::shift_add(whole, len, shift, bits, add, dst, at, next) };
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
