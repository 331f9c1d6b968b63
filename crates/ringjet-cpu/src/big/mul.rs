//! Products of big coefficients: residues of the digits of all factors by tiles of coefficients, then prime by prime transforms,
//! products and transforms back, then integers by tiles again.
//!
//! A limb of residues is 512 KiB at N = 2^16, and there are hundreds: they go to memory between the steps.

use std::sync::atomic::{AtomicBool, Ordering};

use ringjet_backend::big::{BigFactor, BigMul};
use ringjet_backend::plan::CrtSplitPlan;
use ringjet_backend::{Backend, Buf, Result, View, ViewMut, check};
use ringjet_math::Basis;
use ringjet_math::big::{CrtJoin, CrtSplit, WORD_BITS};

use super::digits::{self, Digits};
use super::join::{self, Join, Sum};
use super::products::{self, Products};
use super::split::Split;
use super::{TILE, rows, rows_mut};
use crate::CpuBackend;
use crate::memory::{Scratch, Source, Target};
use crate::pool::Block;

/// Words between two limbs of residues beyond their own: limbs a power of two apart would share a few places of the caches.
const GAP: usize = 32;

/// Limbs of residues: limb l of prime i is row `i limbs + l`.
struct Grid {
    block: Block,
    n: usize,
}

impl Grid {
    fn new(b: &CpuBackend, primes: usize, limbs: usize, n: usize, secret: bool) -> Result<Self> {
        Ok(Self { block: b.scratch(primes * limbs * (n + GAP), secret)?, n })
    }

    fn rows(&mut self) -> Scratch<'_> {
        Scratch::new(&mut self.block, self.n + GAP)
    }
}

/// Big coefficients whose digits become residues.
#[derive(Clone, Copy)]
struct Factor<'a> {
    polys: usize,
    words: Source<'a>,
    bits: u32,
}

impl<'a> Factor<'a> {
    fn new(b: &CpuBackend, op: &'static str, src: View<'a>, plan: &CrtSplitPlan) -> Result<Self> {
        Ok(Self { polys: src.polys(), words: b.source(op, src)?, bits: plan.crt.bits })
    }
}

/// A prepared factor: residues of all digits in the evaluation domain. Products read pieces of all digits' residues at once, so they
/// lie together: piece t of row l of prime i begins at word `((i rows n) + (t rows + l) piece)`.
#[derive(Clone, Copy)]
struct Prepared<'a> {
    words: Source<'a>,
    /// Digits of all polynomials.
    rows: usize,
    /// Primes for which there are residues.
    primes: usize,
    n: usize,
}

impl<'a> Prepared<'a> {
    fn new(b: &CpuBackend, op: &'static str, view: View<'a>, bits: u32, n: usize) -> Result<Self> {
        let words = b.source(op, view.buf().view(1))?;
        check::equal(op, "ring degree", n, view.n())?;
        let (limbs, rows) = (view.buf().limbs(), view.polys() * digits::count(bits));
        check::equal(op, "limbs of a prepared factor beyond whole digits, or left out", 0, limbs % rows.max(1))?;
        check::equal(op, "limbs of a prepared factor", limbs, view.polys() * view.limbs())?;
        Ok(Self { words, rows, primes: limbs / rows.max(1), n })
    }

    /// Words of a piece.
    fn piece(n: usize) -> usize {
        products::WORDS.min(n)
    }

    /// Limb and first word of a piece.
    fn place(rows: usize, n: usize, i: usize, t: usize, l: usize) -> (usize, usize) {
        let word = (t * rows + l) * Self::piece(n);
        (i * rows + word / n, word % n)
    }

    /// Piece `t` of all rows of prime `i`.
    fn pieces(self, i: usize, t: usize) -> Vec<&'a [u64]> {
        let piece = |l| {
            let (limb, word) = Self::place(self.rows, self.n, i, t, l);
            &self.words.limb(0, limb)[word..word + Self::piece(self.n)]
        };
        (0..self.rows).map(piece).collect()
    }
}

/// [`ringjet_backend::Backend::big_prepare`], see [`Prepared`].
pub fn prepare(b: &CpuBackend, src: View<'_>, plan: &CrtSplitPlan) -> Result<Buf> {
    check::big_prepare("big_prepare", src, plan)?;
    let (basis, n) = (&plan.crt.basis, src.n());
    let factor = Factor::new(b, "big_prepare", src, plan)?;
    let count = digits::count(factor.bits);
    let (rows, primes) = prepared_shape(src.polys(), basis, factor.bits);
    let basis = basis.prefix(primes);
    let mut buf = b.alloc(rows * primes, n)?;
    let mut grid = Grid::new(b, primes, rows, n, factor.words.is_secret())?;
    let grid = grid.rows();
    split(b, &[(factor, count)], &basis, grid, rows, n)?;
    let (fields, dst) = (b.fields.of(&basis), b.target("big_prepare", buf.view_mut(1))?);
    b.threads.run(primes * rows, primes * rows * n, |_, task| {
        let (i, l) = (task / rows, task % rows);
        // SAFETY: every row is used by one task.
        let row = &mut unsafe { grid.row(task) }[..n];
        fields[i].forward(row);
        for (t, piece) in row.chunks_exact(Prepared::piece(n)).enumerate() {
            let (limb, word) = Prepared::place(rows, n, i, t, l);
            // SAFETY: every piece has its own place.
            unsafe { dst.part(0, limb, word, word + piece.len()) }.copy_from_slice(piece);
        }
    });
    Ok(buf)
}

/// Digits of all polynomials of a [`Prepared`], and the primes for which it has residues.
pub fn prepared_shape(polys: usize, basis: &Basis, bits: u32) -> (usize, usize) {
    (polys * digits::count(bits), digits::prepared_primes(basis, bits).unwrap_or(basis.len()))
}

/// The operands of a product on this machine.
struct Operation<'a> {
    m: &'a BigMul<'a>,
    dst: Target<'a>,
    factors: Vec<Factor<'a>>,
    /// The second factors where they were prepared.
    prepared: Option<Prepared<'a>>,
    add: Option<Source<'a>>,
    bits: [u32; 2],
    secret: bool,
}

/// [`ringjet_backend::Backend::big_mul`].
pub fn big_mul(b: &CpuBackend, dst: ViewMut<'_>, m: &BigMul<'_>) -> Result<()> {
    check::big_mul("big_mul", &dst, m)?;
    let dst = b.target("big_mul", dst)?;
    let left = Factor::new(b, "big_mul", m.left, m.split)?;
    let mut o = Operation {
        m,
        dst,
        factors: vec![left],
        prepared: None,
        add: m.add.map(|add| b.source("big_mul", add)).transpose()?,
        bits: [left.bits; 2],
        secret: false,
    };
    match m.right {
        BigFactor::Same => {}
        BigFactor::Integers(src, plan) => {
            o.factors.push(Factor::new(b, "big_mul", src, plan)?);
            o.bits[1] = plan.crt.bits;
        }
        BigFactor::Prepared(src, bits) => {
            o.prepared = Some(Prepared::new(b, "big_mul", src, bits, dst.n())?);
            o.bits[1] = bits;
        }
    }
    let sources = o.factors.iter().map(|f| f.words).chain(o.add).chain(o.prepared.map(|p| p.words));
    o.secret = dst.is_secret() || sources.into_iter().any(|s| s.is_secret());

    let most = o.prepared.map_or(m.join.crt.basis.len(), |p| p.primes);
    let exact = Digits::new(m, o.bits).filter(|d| d.primes <= most);
    let exact = exact.ok_or_else(|| check::too_few_primes("big_mul", most))?;
    if let Some(rounded) = exact.rounded(m, o.bits)
        && o.run(b, &rounded)?
    {
        return Ok(());
    }
    // nothing is left out, or what was left out may have mattered, as it hardly ever does
    #[cfg(test)]
    tests::EXACT.set(tests::EXACT.get() + 1);
    o.run(b, &exact).map(|_| ())
}

impl Operation<'_> {
    /// Number of polynomials of the first and the second factors.
    fn polys(&self) -> [usize; 2] {
        let right = match self.m.right {
            BigFactor::Same => self.m.left,
            BigFactor::Integers(src, _) | BigFactor::Prepared(src, _) => src,
        };
        [self.m.left.polys(), right.polys()]
    }

    /// The sums of products of digits, weight by weight, for one sum of products after the other.
    fn products(&self, d: &Digits) -> Products {
        let ([left, right], [polys, _]) = (d.counts, self.polys());
        let inputs = self.factors.iter().zip(d.counts).map(|(f, count)| f.polys * count).sum();
        let second = match self.m.right {
            BigFactor::Same => 0,
            BigFactor::Integers(..) => polys * left,
            BigFactor::Prepared(..) => inputs,
        };
        let mut sums = vec![];
        for sum in self.m.sums {
            for w in d.weights.clone() {
                let pairs = (0..left).filter(|&i| (i..i + right).contains(&w));
                let pairs = pairs.flat_map(|i| sum.iter().map(move |&(l, r)| (l, r, i)));
                sums.push(pairs.map(|(l, r, i)| [l * left + i, second + r * right + w - i]).collect());
            }
        }
        Products::new(sums, inputs)
    }

    /// The product by these digits. Returns false where what is left out may have mattered.
    fn run(&self, b: &CpuBackend, d: &Digits) -> Result<bool> {
        let (m, n) = (self.m, self.dst.n());
        let basis = m.join.crt.basis.prefix(d.primes);
        let fields = b.fields.of(&basis);
        let products = self.products(d);
        let limbs = products.inputs().max(products.sums());
        let mut grid = Grid::new(b, d.primes, limbs, n, self.secret)?;
        let grid = grid.rows();

        let factors: Vec<(Factor<'_>, usize)> = self.factors.iter().copied().zip(d.counts).collect();
        split(b, &factors, &basis, grid, limbs, n)?;

        let crt = CrtJoin::new(&basis, join::bits(&basis));
        let mut scratch = b.scratch(products.scratch() * b.threads.count(), self.secret)?;
        let scratch = Scratch::new(&mut scratch, products.scratch());
        b.threads.run(d.primes, d.primes * n * limbs, |worker, i| {
            // SAFETY: the limbs of a prime are used by one task.
            let mut rows: Vec<&mut [u64]> = (0..limbs).map(|l| &mut unsafe { grid.row(i * limbs + l) }[..n]).collect();
            let prepared = |t| self.prepared.map_or(vec![], |p| p.pieces(i, t));
            // SAFETY: a worker's row is used by one task at a time.
            let by = products.run(&fields[i], &mut rows, prepared, unsafe { scratch.row(worker) });
            let scale = fields[i].modulus.mul(crt.hat_inverse[i], by);
            rows[..products.sums()].iter_mut().for_each(|row| fields[i].inverse_scaled(row, scale));
        });

        let sum = Sum {
            bits: m.join.crt.bits,
            shift: m.shift,
            digit: digits::WORDS,
            weights: d.weights.clone(),
            skip: d.skip,
            unsure: d.unsure,
        };
        self.join(b, &Join::new(&crt, fields, sum, true), d, grid, limbs)
    }

    /// From residues to the result.
    fn join(&self, b: &CpuBackend, join: &Join<'_>, d: &Digits, grid: Scratch<'_>, limbs: usize) -> Result<bool> {
        let (m, n) = (self.m, self.dst.n());
        let (tile, size) = (TILE.min(n), join.scratch(TILE.min(n)));
        let mut scratch = b.scratch(size * b.threads.count(), self.secret)?;
        let scratch = Scratch::new(&mut scratch, size);
        let (tiles, weights) = (n / tile, d.weights.len());
        let sure = AtomicBool::new(true);
        b.threads.run(m.sums.len() * tiles, m.sums.len() * weights * n * d.primes, |worker, task| {
            let (p, from) = (task / tiles, task % tiles * tile);
            let row = |(w, i): (usize, usize)| {
                // SAFETY: nobody writes to the limbs of residues any more.
                let row = unsafe { grid.read(i * limbs + p * weights + w) };
                &row[from..from + tile]
            };
            let residues = (0..weights).flat_map(|w| (0..d.primes).map(move |i| (w, i)));
            let residues: Vec<&[u64]> = residues.map(row).collect();
            let add = m.add.zip(self.add).filter(|(view, _)| p < view.polys());
            let add = add.map(|(view, source)| rows(source, p, view.limbs(), from, tile));
            // SAFETY: tiles of different tasks do not overlap, and a worker's row is used by one task at a time.
            let (mut out, scratch) = unsafe { (rows_mut(&self.dst, p, from, tile), scratch.row(worker)) };
            if !join.tile(&residues, add.as_deref(), scratch, &mut out) {
                sure.store(false, Ordering::Relaxed);
            }
        });
        Ok(sure.into_inner())
    }
}

/// Residues of the digits of all factors, each with its number of digits: digit after digit, polynomial after polynomial.
fn split(
    b: &CpuBackend,
    factors: &[(Factor<'_>, usize)],
    basis: &ringjet_math::Basis,
    grid: Scratch<'_>,
    limbs: usize,
    n: usize,
) -> Result<()> {
    let fields = b.fields.of(basis);
    let low = CrtSplit::new(basis, digits::WORDS as u32 * WORD_BITS);
    let tops: Vec<CrtSplit> =
        factors.iter().map(|&(f, count)| CrtSplit::new(basis, digits::digit(f.bits, count - 1).1)).collect();
    let low = Split::new(&low, fields.clone(), false);
    let tops: Vec<Split<'_>> = tops.iter().map(|top| Split::new(top, fields.clone(), true)).collect();

    let mut inputs = vec![];
    for (&(factor, count), top) in factors.iter().zip(&tops) {
        for p in 0..factor.polys {
            for i in 0..count {
                inputs.push((factor, p, i, if i + 1 == count { top } else { &low }));
            }
        }
    }
    let secret = factors.iter().any(|(f, _)| f.words.is_secret());
    let size = tops.iter().chain([&low]).map(|s| s.scratch()).max().unwrap_or(0);
    let mut scratch = b.scratch(size * b.threads.count(), secret)?;
    let scratch = Scratch::new(&mut scratch, size);
    let tile = TILE.min(n);
    let tiles = n / tile;
    b.threads.run(inputs.len() * tiles, inputs.len() * n * basis.len(), |worker, task| {
        let (l, from) = (task / tiles, task % tiles * tile);
        let (factor, p, i, split) = inputs[l];
        let words = digits::digit(factor.bits, i).0;
        let rows: Vec<&[u64]> = words.map(|k| &factor.words.limb(p, k)[from..from + tile]).collect();
        // SAFETY: tiles of different tasks do not overlap, and a worker's row is used by one task at a time.
        let (mut out, scratch) = unsafe {
            let row = |i: usize| grid.part(i * limbs + l, from, from + tile);
            ((0..split.primes()).map(row).collect::<Vec<_>>(), scratch.row(worker))
        };
        split.tile(&rows, scratch, &mut out);
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CpuConfig, Path};
    use num_bigint::BigInt;
    use ringjet_backend::plan::CrtJoinPlan;
    use ringjet_math::Basis;
    use ringjet_math::big::{shift_round, to_words, words};
    use ringjet_math::prime::ntt_primes;
    use std::cell::Cell;

    thread_local! {
        /// Products of this thread with nothing left out.
        pub static EXACT: Cell<usize> = const { Cell::new(0) };
    }

    const LOG_N: u32 = 5;
    const BITS: u32 = 1200;
    const KEPT: u32 = 300;

    /// Multiplies 2^a by `2^b sign + small`, and multiples of 2^(b+1) more, in each coefficient, with the shift a + b + 1: each product
    /// is `2^a small` away from a boundary of rounding. Returns how often that was done with nothing left out.
    fn at_boundary(path: Path, prime: u32, [a, b]: [u32; 2], sign: i64, small: i64) -> usize {
        let (n, shift, one) = (1 << LOG_N, a + b + 1, BigInt::from(1));
        let limbs = (2 * BITS + 10).div_ceil(prime - 1) as usize;
        let basis = Basis::new(LOG_N, &ntt_primes(LOG_N, prime, limbs, &[]).unwrap()).unwrap();
        let backend = CpuBackend::new(CpuConfig { threads: 1, path: Some(path) }).unwrap();
        let y = |c: usize| (&one << b) * sign + small + ((&one << (b + 1)) * (c * 0x1234_5679));
        let (mut left, mut right, mut expected) = (vec![0; words(BITS) * n], vec![0; words(BITS) * n], vec![]);
        to_words(&(&one << a), BITS).into_iter().enumerate().for_each(|(k, word)| left[k * n] = word);
        for c in 0..n {
            to_words(&y(c), BITS).into_iter().enumerate().for_each(|(k, word)| right[k * n + c] = word);
            expected.push(to_words(&shift_round(&(y(c) << a), shift), KEPT));
        }
        let upload = |words: &[u64]| {
            let mut buf = backend.alloc(words.len() / n, n).unwrap();
            backend.upload(&mut buf, 0, words).unwrap();
            buf
        };
        let (left, right) = (upload(&left), upload(&right));
        let mut out = backend.alloc(words(KEPT), n).unwrap();
        let (split, join) = (CrtSplitPlan::new(&basis, BITS), CrtJoinPlan::new(&basis, KEPT + shift));
        let mul = BigMul {
            left: left.view(1),
            split: &split,
            right: BigFactor::Integers(right.view(1), &split),
            sums: &[&[(0, 0)]],
            join: &join,
            shift,
            add: None,
        };
        EXACT.set(0);
        backend.big_mul(out.view_mut(1), &mul).unwrap();
        let mut found = vec![0; words(KEPT) * n];
        backend.download(&out, 0, &mut found).unwrap();
        for (c, expected) in expected.iter().enumerate() {
            let found: Vec<u64> = found.chunks_exact(n).map(|row| row[c]).collect();
            assert_eq!(&found, expected, "{path:?} {prime} 2^{a} (2^{b} {sign} + {small})");
        }
        EXACT.get()
    }

    #[test]
    fn what_is_left_out_is_made_where_it_matters() {
        for path in [Path::Scalar, Path::Avx512, Path::Ifma].into_iter().filter(|&path| path <= Path::best()) {
            for prime in [30, 50, 56, 61] {
                for sign in [1, -1] {
                    for small in [0, 1, -1, 1 << 50, -(1 << 50)] {
                        for place in [[100, 519], [3, 800]] {
                            let exact = at_boundary(path, prime, place, sign, small);
                            assert_eq!(exact, 1, "{path:?} {prime} {place:?} {sign} {small}");
                        }
                    }
                    // far enough from it
                    for small in [1, -1] {
                        assert_eq!(
                            at_boundary(path, prime, [600, 19], sign, small),
                            0,
                            "{path:?} {prime} {sign} {small}"
                        );
                    }
                    // around the place where it begins to matter
                    for a in 560..610 {
                        at_boundary(path, prime, [a, 619 - a], sign, if a % 2 == 0 { 1 } else { -1 });
                    }
                }
            }
        }
    }
}
