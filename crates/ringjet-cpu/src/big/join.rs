//! From residues to big coefficients, a tile at a time.

use std::ops::Range;
use std::sync::Arc;

pub use ringjet_backend::big::digits::joined_bits as bits;
use ringjet_math::big::{CrtJoin, WORD_BITS, words};

use super::{BLOCK, blocks};
#[cfg(target_arch = "x86_64")]
use crate::avx512::{self, big::Form};
use crate::field::Field;
#[cfg(target_arch = "x86_64")]
use crate::ifma::{
    self,
    big::{JoinPrime, Mover, Movers},
};
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

    /// Words of the sum.
    fn whole(&self) -> usize {
        self.constant.len()
    }

    /// Words of each integer of the result.
    fn kept(&self) -> usize {
        words(self.sum.bits - self.sum.shift)
    }

    /// Words of scratch memory for a tile of `tile` coefficients.
    pub fn scratch(&self, tile: usize) -> usize {
        self.sum.weights.len() * self.size() * tile + (self.whole() + 1 + 2 * self.kept()) * BLOCK
    }

    /// Words that a coefficient's residues and quotient take.
    fn size(&self) -> usize {
        #[cfg(target_arch = "x86_64")]
        if let Some(f) = &self.avx512 {
            return f.form.pieces() * (self.fields.len() + 1);
        }
        self.fields.len() + 1
    }

    /// The integers of a tile, shifted: `rows` has for each weight a row for each prime, `out` one for each word of the result. To
    /// the result `add` is added where given, rows like `out`'s. Returns false where what was left out may have mattered.
    pub fn tile(&self, rows: &[&[u64]], add: Option<&[&[u64]]>, scratch: &mut [u64], out: &mut [&mut [u64]]) -> bool {
        let (tile, primes) = (rows[0].len(), self.fields.len());
        let len = BLOCK.min(tile);
        let (y, rest) = scratch.split_at_mut(self.sum.weights.len() * self.size() * tile);
        for (y, rows) in y.chunks_exact_mut(self.size() * tile).zip(rows.chunks_exact(primes)) {
            self.gather(rows, len, y);
        }
        let (whole, rest) = rest.split_at_mut((self.whole() + 1) * len);
        let (now, before) = rest[..2 * self.kept() * len].split_at_mut(self.kept() * len);
        let (mut now, mut before) = (now, before);
        let mut sure = true;
        for at in blocks(tile) {
            let store = (at > 0).then(|| (&*before, at - len));
            let load = add.map(|add| (add, at));
            self.block(y, at, len, whole, store, load, now, out);
            sure &= self.sum.unsure == 0 || self.sure(whole, len);
            self.finish(whole, len, add.is_some(), now);
            (now, before) = (before, now);
        }
        for (from, out) in before.chunks_exact(len).zip(out) {
            out[tile - len..].copy_from_slice(from);
        }
        sure
    }

    /// The words of the sum into `whole`, with a row of zeros behind them. Meanwhile the block `store` goes where it belongs, and
    /// `now` is loaded.
    #[expect(clippy::too_many_arguments, reason = "three things at once")]
    fn block(
        &self,
        y: &[u64],
        at: usize,
        len: usize,
        whole: &mut [u64],
        store: Option<(&[u64], usize)>,
        load: Option<(&[&[u64]], usize)>,
        now: &mut [u64],
        out: &mut [&mut [u64]],
    ) {
        let constants = self.constant.iter().chain([&0]);
        for (row, &c) in whole.chunks_exact_mut(len).zip(constants).skip(self.sum.skip) {
            row.fill(c);
        }
        #[cfg(target_arch = "x86_64")]
        if self.ifma.is_some() && self.kept() <= MOVED {
            let kept = self.kept();
            let (mut from, mut to) = ([[std::ptr::null(); MOVED]; 2], [[std::ptr::null_mut(); MOVED]; 2]);
            for k in 0..kept {
                if let Some((before, _)) = store {
                    (from[0][k], to[0][k]) = (before[k * len..].as_ptr(), out[k].as_mut_ptr());
                }
                if let Some((add, _)) = load {
                    (from[1][k], to[1][k]) = (add[k].as_ptr(), now[k * len..].as_mut_ptr());
                }
            }
            let (from, to) = (from.each_ref().map(|f| &f[..kept]), to.each_ref().map(|t| &t[..kept]));
            // SAFETY: `before` and `now` have a row of `len` words for each of `out` and `add`, which have as many words from
            // these places on.
            let movers = unsafe {
                [
                    store.map_or(Mover::NOTHING, |(_, at)| Mover::new(from[0], to[0], [0, at], len, true)),
                    load.map_or(Mover::NOTHING, |(_, at)| Mover::new(from[1], to[1], [at, 0], len, false)),
                ]
            };
            let mut movers = Movers::new(movers);
            self.weights(y, at, len, whole, &mut movers);
            // SAFETY: as in `gather`.
            return unsafe { movers.finish() };
        }
        if let Some((before, at)) = store {
            out.iter_mut().zip(before.chunks_exact(len)).for_each(|(out, x)| out[at..at + len].copy_from_slice(x));
        }
        if let Some((add, at)) = load {
            now.chunks_exact_mut(len).zip(add).for_each(|(to, add)| to.copy_from_slice(&add[at..at + len]));
        }
        #[cfg(target_arch = "x86_64")]
        self.weights(y, at, len, whole, &mut Movers::new([Mover::NOTHING; 2]));
        #[cfg(not(target_arch = "x86_64"))]
        self.weights(y, at, len, whole);
    }

    /// Adds the integers of all weights to `whole`.
    fn weights(
        &self,
        y: &[u64],
        at: usize,
        len: usize,
        whole: &mut [u64],
        #[cfg(target_arch = "x86_64")] movers: &mut Movers<'_>,
    ) {
        let (size, stride, skip) = (self.size(), self.crt.words(), self.sum.skip);
        for (i, w) in self.sum.weights.clone().enumerate() {
            // the blocks of one weight, then those of the next
            let tile = y.len() / (self.sum.weights.len() * size);
            let y = &y[size * (i * tile + at)..][..size * len];
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
                unsafe { ifma::big::join(y, len, &self.hat, stride, words, to, movers) };
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

    /// Rows in blocks of `len` words of each, behind each other, scaled, and the quotients' complements as the last one of a block.
    fn gather(&self, rows: &[&[u64]], len: usize, y: &mut [u64]) {
        #[cfg(target_arch = "x86_64")]
        if let Some(primes) = &self.ifma {
            // SAFETY: made only for fields with the path Ifma, which exist only where the processor has AVX-512 F and IFMA.
            return unsafe { ifma::big::gather(primes, rows, len, self.scale, y) };
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(f) = &self.avx512 {
            // SAFETY: made only for fields with other paths than Scalar, which exist only where the processor has AVX-512 F and DQ.
            return unsafe { avx512::big::gather(f.form, &f.primes, rows, len, self.scale, y) };
        }
        for (y, at) in y.chunks_exact_mut((rows.len() + 1) * len).zip((0..).step_by(len)) {
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
            v.iter_mut().for_each(|v| *v = rows.len() as u64 + 1 - *v);
        }
    }

    /// Whether what was left out cannot change the result of any coefficient.
    fn sure(&self, whole: &[u64], len: usize) -> bool {
        let mask = self.sum.unsure;
        whole[(self.sum.skip + 1) * len..][..len].iter().all(|w| w & mask != mask && w & mask != 0)
    }

    /// Shifts, rounds, adds and cuts.
    fn finish(&self, whole: &[u64], len: usize, add: bool, out: &mut [u64]) {
        let (shift, bits) = (self.sum.shift, self.sum.bits - self.sum.shift);
        #[cfg(target_arch = "x86_64")]
        if self.ifma.is_some() || self.avx512.is_some() {
            // SAFETY: as in `gather`.
            return unsafe { avx512::words::shift_add(whole, len, shift, bits, add, out) };
        }
        scalar::big::shift_add(whole, len, shift, bits, add, out);
    }
}

/// Most rows that are moved while something is computed.
#[cfg(target_arch = "x86_64")]
const MOVED: usize = 128;
