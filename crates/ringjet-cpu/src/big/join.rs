//! From residues to big coefficients, a tile at a time.

use std::sync::Arc;

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

/// Bits between the bit that decides about rounding and what is left out: so many at least show whether that matters.
const SHOWN: u32 = 30;

/// Bits that what is left out may reach above the lowest word kept: it is a sum of products of a residue, or the quotient, and
/// words below that word.
fn reach(fields: &[Arc<Field>]) -> u32 {
    let bits = fields.iter().map(|f| f.modulus.bits()).max().unwrap_or(0);
    (bits + (fields.len() + 1).next_power_of_two().ilog2()).max(WORD_BITS)
}

/// Most of them with which words are left out: those that are shown lie in one word.
const MOST_REACH: u32 = 2 * WORD_BITS - SHOWN;

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
    /// See [`reach`].
    reach: u32,
    /// Whether residues are still to be multiplied by the inverses of P/p_i.
    scale: bool,
    /// Blocks whose lower words were needed.
    #[cfg(test)]
    unsure: std::sync::atomic::AtomicUsize,
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
    /// A row of pieces for each word: of the words of all P/p_i and of -P.
    hat: Vec<u32>,
}

#[cfg(target_arch = "x86_64")]
impl Avx512 {
    fn new(crt: &CrtJoin, fields: &[Arc<Field>]) -> Option<Self> {
        let form = Form::of(fields, fields.len() + 1)?;
        let mut hat = Vec::with_capacity((fields.len() + 1) * crt.words() * form.pieces());
        for k in 0..crt.words() {
            crt.hat.iter().chain([&crt.minus_product]).for_each(|words| form.cut_word(words[k], &mut hat));
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
    /// Constants of `crt` for the fields of its basis. `scaled`: residues come multiplied by `crt.hat_inverse`.
    pub fn new(crt: &'a CrtJoin, fields: Vec<Arc<Field>>, shift: u32, scaled: bool) -> Self {
        let reach = reach(&fields);
        let guarded = reach <= MOST_REACH && shift > reach + SHOWN;
        #[cfg(target_arch = "x86_64")]
        let ifma = prepare(crt, &fields);
        Self {
            #[cfg(target_arch = "x86_64")]
            avx512: if ifma.is_none() { Avx512::new(crt, &fields) } else { None },
            hat: crt.hat.iter().flatten().chain(&crt.minus_product).copied().collect(),
            skip: if guarded { ((shift - 1 - reach - SHOWN) / WORD_BITS) as usize } else { 0 },
            reach,
            scale: !scaled,
            #[cfg(test)]
            unsure: Default::default(),
            #[cfg(target_arch = "x86_64")]
            ifma,
            crt,
            fields,
            shift,
        }
    }

    /// Words of each integer of the result.
    fn kept(&self) -> usize {
        words(self.crt.bits - self.shift)
    }

    /// Words of scratch memory.
    pub fn scratch(&self) -> usize {
        (self.pieces() * (self.fields.len() + 1) + self.crt.words() + 1 + 2 * self.kept()) * BLOCK
    }

    /// Words that a residue takes in a block.
    fn pieces(&self) -> usize {
        #[cfg(target_arch = "x86_64")]
        if let Some(f) = &self.avx512 {
            return f.form.pieces();
        }
        1
    }

    /// The integers of a tile, shifted: `rows` has a row for each prime, `out` one for each word of the result. To the result
    /// `add` is added where given, rows like `out`'s.
    pub fn tile(&self, rows: &[&[u64]], add: Option<&[&[u64]]>, scratch: &mut [u64], out: &mut [&mut [u64]]) {
        let tile = rows[0].len();
        let len = BLOCK.min(tile);
        let (y, rest) = scratch.split_at_mut(self.pieces() * (rows.len() + 1) * len);
        let (whole, rest) = rest.split_at_mut((self.crt.words() + 1) * len);
        let (now, before) = rest[..2 * self.kept() * len].split_at_mut(self.kept() * len);
        let (mut now, mut before) = (now, before);
        for at in blocks(tile) {
            self.gather(rows, at, len, y);
            let store = (at > 0).then(|| (&*before, at - len));
            let load = add.map(|add| (add, at));
            self.words(y, len, self.skip, whole, (rows, at + len), store, load, now, out);
            if self.skip > 0 && self.unsure(whole, len) {
                #[cfg(test)]
                self.unsure.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                self.words(y, len, 0, whole, (&[], 0), None, None, now, out);
            }
            self.finish(whole, len, add.is_some(), now);
            (now, before) = (before, now);
        }
        for (from, out) in before.chunks_exact(len).zip(out) {
            out[tile - len..].copy_from_slice(from);
        }
    }

    /// The rows of a block behind each other, scaled, and the quotients as the last one.
    fn gather(&self, rows: &[&[u64]], at: usize, len: usize, y: &mut [u64]) {
        #[cfg(target_arch = "x86_64")]
        if let Some(primes) = &self.ifma {
            // SAFETY: made only for fields with the path Ifma, which exist only where the processor has AVX-512 F and IFMA.
            return unsafe { ifma::big::gather(primes, rows, at, len, self.scale, y) };
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(f) = &self.avx512 {
            // SAFETY: made only for fields with other paths than Scalar, which exist only where the processor has AVX-512 F and DQ.
            return unsafe { avx512::big::gather(f.form, &f.primes, rows, at, len, self.scale, y) };
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

    /// Words `skip..` of the integers into `whole`, and as many of what is beyond the modulus as its last word holds. Meanwhile
    /// the rows' words that come next are fetched, the block `store` goes where it belongs, and `now` is loaded.
    #[expect(clippy::too_many_arguments, reason = "three things at once")]
    fn words(
        &self,
        y: &[u64],
        len: usize,
        skip: usize,
        whole: &mut [u64],
        next: (&[&[u64]], usize),
        store: Option<(&[u64], usize)>,
        load: Option<(&[&[u64]], usize)>,
        now: &mut [u64],
        out: &mut [&mut [u64]],
    ) {
        let stride = self.crt.words();
        let (to, beyond) = whole[skip * len..].split_at_mut((stride - skip) * len);
        beyond.fill(0);
        #[cfg(target_arch = "x86_64")]
        if self.ifma.is_some() && self.kept() <= MOVED {
            let kept = self.kept();
            let (mut from, mut into) = ([[std::ptr::null(); MOVED]; 2], [[std::ptr::null_mut(); MOVED]; 2]);
            for k in 0..kept {
                if let Some((before, _)) = store {
                    (from[0][k], into[0][k]) = (before[k * len..].as_ptr(), out[k].as_mut_ptr());
                }
                if let Some((add, _)) = load {
                    (from[1][k], into[1][k]) = (add[k].as_ptr(), now[k * len..].as_mut_ptr());
                }
            }
            // SAFETY: `before` and `now` have a row of `len` words for each of `out` and `add`, which have as many words from
            // these places on.
            let movers = unsafe {
                [
                    store.map_or(Mover::NOTHING, |(_, at)| {
                        Mover::new(&from[0][..kept], &into[0][..kept], [0, at], len, true)
                    }),
                    load.map_or(Mover::NOTHING, |(_, at)| {
                        Mover::new(&from[1][..kept], &into[1][..kept], [at, 0], len, false)
                    }),
                ]
            };
            let mut movers = Movers::new(movers);
            // SAFETY: as in `gather`.
            unsafe {
                ifma::big::join(y, len, &self.hat, stride, skip, to, next, &mut movers);
                movers.finish();
            }
            return;
        }
        if let Some((before, at)) = store {
            out.iter_mut().zip(before.chunks_exact(len)).for_each(|(out, x)| out[at..at + len].copy_from_slice(x));
        }
        if let Some((add, at)) = load {
            now.chunks_exact_mut(len).zip(add).for_each(|(to, add)| to.copy_from_slice(&add[at..at + len]));
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(f) = &self.avx512 {
            // SAFETY: as in `gather`.
            return unsafe { avx512::big::join(f.form, y, self.fields.len() + 1, len, &f.hat, skip, to, next) };
        }
        let _ = next;
        scalar::big::join(y, len, &self.hat, stride, skip, to);
    }

    /// Whether what was left out could change the result of some coefficient: it could where the bits below the one that is
    /// rounded, down to the largest that the rest can reach, are all ones.
    fn unsure(&self, whole: &[u64], len: usize) -> bool {
        // r is the bit that decides about rounding, counted from the lowest word that is kept; r >= reach + SHOWN
        let r = self.shift - 1 - self.skip as u32 * WORD_BITS;
        let bits = (1 << (r - WORD_BITS).min(WORD_BITS)) - 1;
        let mask = bits ^ ((1 << (self.reach - WORD_BITS)) - 1);
        whole[(self.skip + 1) * len..][..len].iter().any(|w| w & mask == mask)
    }

    /// Shifts, rounds, adds and cuts.
    fn finish(&self, whole: &[u64], len: usize, add: bool, out: &mut [u64]) {
        let bits = self.crt.bits - self.shift;
        #[cfg(target_arch = "x86_64")]
        if self.ifma.is_some() || self.avx512.is_some() {
            // SAFETY: as in `gather`.
            return unsafe { avx512::words::shift_add(whole, len, self.shift, bits, add, out) };
        }
        scalar::big::shift_add(whole, len, self.shift, bits, add, out);
    }
}

/// Most rows that are moved while something is computed.
#[cfg(target_arch = "x86_64")]
const MOVED: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Fields;
    use crate::path::Path;
    use num_bigint::BigInt;
    use ringjet_math::Basis;
    use ringjet_math::big::{from_words, shift_round, to_words};
    use ringjet_math::prime::ntt_primes;

    const SHIFT: u32 = 620;
    const BITS: u32 = 600;

    /// Coefficients that a block has.
    fn joined(path: Path, prime: u32, limbs: usize, from_boundary: &BigInt) -> usize {
        let basis = Basis::new(5, &ntt_primes(5, prime, limbs, &[]).unwrap()).unwrap();
        let crt = CrtJoin::new(&basis, SHIFT + BITS);
        let join = Join::new(&crt, Fields::new(path).of(&basis), SHIFT, false);
        assert!(join.skip > 0, "{prime} {limbs}: nothing is left out");
        let x: Vec<BigInt> = (0..BLOCK as i64)
            .map(|c| (BigInt::from(1) << (SHIFT - 1)) + from_boundary + (BigInt::from((c - 16) * 0x1234_5679) << SHIFT))
            .collect();
        let residues = basis.values().map(|p| x.iter().map(|x| u64::try_from(((x % p) + p) % p).unwrap()).collect());
        let residues: Vec<Vec<u64>> = residues.collect();
        let rows: Vec<&[u64]> = residues.iter().map(|row| &row[..]).collect();
        let mut out = vec![vec![0; BLOCK]; words(BITS)];
        let mut scratch = vec![0; join.scratch()];
        join.tile(&rows, None, &mut scratch, &mut out.iter_mut().map(|row| &mut row[..]).collect::<Vec<_>>());
        for (c, x) in x.iter().enumerate() {
            let found = from_words(out.iter().map(|row| row[c]), BITS);
            let expected = from_words(to_words(&shift_round(x, SHIFT), BITS), BITS);
            assert_eq!(found, expected, "{path:?} {prime}: {from_boundary} from the boundary");
        }
        join.unsure.into_inner()
    }

    #[test]
    fn what_is_left_out_is_computed_where_it_matters() {
        let one = BigInt::from(1);
        for path in [Path::Scalar, Path::Avx512, Path::Ifma].into_iter().filter(|path| path.exists()) {
            for (prime, limbs) in [(30, 60), (50, 30), (50, 100), (56, 25), (61, 24), (61, 100)] {
                // a little above the boundary, or on it: what was computed without the rest lies below
                for near in [BigInt::ZERO, one.clone(), -&one, &one << 52u32, -(&one << 300u32), &one << 400u32] {
                    assert_eq!(joined(path, prime, limbs, &near), 1, "{path:?} {prime} {limbs}: {near}");
                }
                for far in [&one << 600u32, -(&one << 600u32), -(&one << (SHIFT - 2))] {
                    assert_eq!(joined(path, prime, limbs, &far), 0, "{path:?} {prime} {limbs}: {far}");
                }
                // as far from it as what is left out is large
                for bits in 505..590u32 {
                    joined(path, prime, limbs, &(&one << bits));
                }
            }
        }
    }
}
