//! Products of big coefficients by digits: their constants and their grids. `kernels/digits.cuh` has
//! the three launches of a product.

use std::sync::Arc;

use ringjet_backend::big::digits::{self, Digits, prepared_shape};
use ringjet_backend::big::{BigFactor, BigMul};
use ringjet_backend::plan::CrtSplitPlan;
use ringjet_backend::{BackendError, Buf, Result, View, ViewMut, check};
use ringjet_math::big::{CrtJoin, WORD_BITS};
use ringjet_math::{Basis, Prime};

use crate::arithmetic::Arithmetic;
use crate::big::input_prime;
use crate::constants::{Constant, Key};
use crate::device::Grid;
use crate::launch::{self, Limbs};
use crate::machine::CudaMachine;
use crate::memory::{NO_LIMBS, number, temporary};
use crate::transform::{CONVERT_GROUPS, LOG_CONVERT_TILE, LOG_ROW, MOST_ROWS, forward_rows};

/// These must equal the constants of the same names in `kernels/digits.cuh`.
const SPLIT_BITS: u32 = 44;
const SPLIT_PIECES: usize = 7;
const JOIN_BITS: u32 = 29;
const PIECES_OF_PAIR: usize = 4;
const PIECES_BELOW: usize = 2;
const PREPARED: u32 = u32::MAX;

/// The numbers of pairs of words of `join_columns` and of `join_longer_columns`.
const PAIRS: [usize; 2] = [6, 7];

/// Words of shared memory for a row of a transform (`ROW_SHARED` in `kernels/ntt.cuh`), and for a row
/// that is staged.
const ROW_SHARED: usize = 520;
const ROW: usize = 1 << LOG_ROW;

/// Blocks of `digit_products` that a multiprocessor should have room for, if rows are staged in
/// shared memory. A block has two warps, so fewer would leave it idle too often.
const STAGED_BLOCKS: usize = 3;

/// Binary logarithm of the coefficients of a block of `join_columns`: as many as make two blocks fit
/// a multiprocessor. Fewer than four columns would waste parts of a sector of memory.
const LOG_JOIN_TILE: u32 = 9;
const LOG_JOIN_COLUMNS: u32 = 2;
/// Threads of a block: with more, the compiler spills registers on some GPUs.
const JOIN_THREADS: u32 = 192;

/// Binary logarithm of the words of a thread (`ROUND` in `kernels/ntt.cuh`).
const ROUND: u32 = 3;

/// Bits by which a sum of products of digits may exceed one product.
const TERM_BITS: u32 = 16;

/// How a machine computes products over a basis.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    log_rows: u32,
    /// Binary logarithm of the coefficients of a block of `split_columns`.
    log_split: u32,
}

impl Shape {
    /// `None` for an empty basis, for rings without columns, and for machines whose blocks have too
    /// little shared memory. A product may be over the first primes only of the basis that a factor
    /// was prepared for; so this depends on the ring and on the first prime alone.
    pub fn of(m: &CudaMachine, basis: &Basis) -> Result<Option<Self>> {
        m.need_bits(WORD_BITS)?;
        let a = m.arithmetic(&[basis])?;
        let Some(first) = basis.primes().first() else { return Ok(None) };
        let Some(log_rows) = basis.log_n().checked_sub(LOG_ROW).filter(|&rows| rows > 0) else { return Ok(None) };
        let primes = ((2 * digits::BITS + basis.log_n() + TERM_BITS) / (first.modulus().bits() - 1)) as usize + 1;
        let split = |log: u32| ((SPLIT_PIECES + 1) << log) + ((CONVERT_GROUPS as usize) << LOG_CONVERT_TILE);
        let log_split = fitting(m, log_rows, LOG_CONVERT_TILE, &split);
        let joins = log_join(m, a, log_rows, primes, PAIRS[1]).is_some();
        Ok(log_split.filter(|_| joins).map(|log_split| Self { log_rows, log_split }))
    }
}

/// The binary logarithm of the largest tile of columns, of up to `2^most` coefficients, whose
/// `words(log)` words fit the shared memory of a block.
fn fitting(m: &CudaMachine, log_rows: u32, most: u32, words: &dyn Fn(u32) -> usize) -> Option<u32> {
    let least = (log_rows + 1).max(ROUND); // a thread has 2^ROUND coefficients
    (least..=most).rev().find(|&log| 8 * words(log) <= m.device.shared_bytes())
}

/// The binary logarithm of the coefficients of a block of `join_columns`.
fn log_join(m: &CudaMachine, a: Arithmetic, log_rows: u32, primes: usize, pairs: usize) -> Option<u32> {
    let most = LOG_JOIN_TILE.max(log_rows + LOG_JOIN_COLUMNS);
    fitting(m, log_rows, most, &|log| joined_words(a, primes, pairs) << log)
}

/// Pieces of a residue (`residue_pieces` in `kernels/digits.cuh`).
fn residue_pieces(a: Arithmetic) -> usize {
    ((a.left_bits() + JOIN_BITS) / JOIN_BITS) as usize
}

/// Words of shared memory of a coefficient in `join_columns`.
fn joined_words(a: Arithmetic, primes: usize, pairs: usize) -> usize {
    let window = PIECES_BELOW + PIECES_OF_PAIR * pairs + residue_pieces(a) - 1;
    primes + (window + 2).div_ceil(2)
}

/// Implements [`ringjet_backend::Backend::big_prepare`]: the residues of all digits in the evaluation
/// domain, for each digit of each polynomial a limb for each prime.
pub fn prepare(m: &CudaMachine, shape: Shape, src: View<'_>, plan: &CrtSplitPlan) -> Result<Buf> {
    const OP: &str = "big_prepare";
    check::big_prepare(OP, src, plan)?;
    let (count, primes) = prepared_shape(src.polys(), &plan.crt.basis, plan.crt.bits);
    let basis = plan.crt.basis.prefix(primes);
    let a = m.arithmetic(&[&basis])?;
    let mut buf = temporary(m, count * primes, src.n(), src.is_secret())?;
    split(m, OP, a, shape, &mut buf, 0, (src, plan.crt.bits), &basis)?;
    forward_rows(m, a, &m.target(OP, &buf.view_mut(count))?, basis.primes(), shape.log_rows)?;
    Ok(buf)
}

/// Writes the residues of the digits of `src` (polynomials of integers modulo `2^bits`) to the
/// polynomials of `x` from `first` on, without the levels within rows.
#[allow(clippy::too_many_arguments, reason = "used by two operations")]
fn split(
    m: &CudaMachine,
    op: &'static str,
    a: Arithmetic,
    shape: Shape,
    x: &mut Buf,
    first: usize,
    (src, bits): (View<'_>, u32),
    basis: &Basis,
) -> Result<()> {
    let count = digits::count(bits);
    let to = m.target(op, &x.view_mut(x.limbs() / basis.len().max(1)))?.from(first);
    let to = Limbs { polys: number(op, "number of digits", src.polys() * count)?, ..to };
    let from = m.source(op, src)?;
    let (constants, transforms) = (split_constants(m, a, basis, bits)?, m.transforms(a, basis.primes())?);
    let moduli = m.moduli(a, basis.primes())?;
    let (primes, log_rows, log_tile) = (basis.len() as u32, shape.log_rows, shape.log_split);
    let grid = Grid {
        blocks: [1 << (LOG_ROW + log_rows - log_tile), count as u32, from.limbs.polys],
        threads: [1 << (log_tile - ROUND), CONVERT_GROUPS],
        shared: (8 * (SPLIT_PIECES as u32 + 1)) << log_tile,
    };
    let (k, t, q) = (constants.at(), transforms.at(), moduli.at());
    m.queue(grid, |d, grid| {
        launch::split_columns(d, a, grid, to, from.limbs, k, t, q, primes, bits, log_rows, log_tile)
    })
}

/// The constants of `split_columns`.
fn split_constants(m: &CudaMachine, a: Arithmetic, basis: &Basis, bits: u32) -> Result<Arc<Constant>> {
    let highest = digits::digit(bits, digits::count(bits) - 1).len() as u64;
    m.words(Key::Split(a, basis.values().collect(), highest), || {
        let prime = |p: &Arc<Prime>| {
            let q = *p.modulus();
            let offset = q.neg(q.pow(2, highest - 1));
            let pieces = (0..SPLIT_PIECES as u64).map(|k| q.pow(2, u64::from(SPLIT_BITS) * k));
            std::iter::once(offset).chain(pieces).map(|w| a.right(&q, w)).collect::<Vec<_>>()
        };
        basis.primes().iter().flat_map(prime).collect()
    })
}

/// The constants of `join_columns`: the same for all products over a basis whose sums have these
/// weights.
fn join_constants(m: &CudaMachine, a: Arithmetic, basis: &Basis, d: &Digits, pairs: usize) -> Result<Arc<Constant>> {
    let (start, end) = (d.weights.start as u32, d.weights.end as u32);
    m.words(Key::Join(a, basis.log_n(), basis.values().collect(), start, end), || {
        let crt = CrtJoin::new(basis, digits::joined_bits(basis));
        let prime = |(i, p): (usize, &Arc<Prime>)| {
            let inverse = p.modulus().mul(crt.hat_inverse[i], p.table().n_inverse());
            input_prime(a, basis, i, inverse, crt.fraction[i])
        };
        let mut words: Vec<u64> = basis.primes().iter().enumerate().flat_map(prime).collect();
        let product = crt.product();
        for w in start..end {
            let below = w * digits::BITS % JOIN_BITS;
            for x in crt.hat.iter().chain([&product]) {
                let piece = |j: usize| bits_of(x, i64::from(JOIN_BITS) * j as i64 - i64::from(below));
                words.extend((0..2 * pairs).map(|k| piece(2 * k) | piece(2 * k + 1) << 32));
            }
        }
        words
    })
}

/// Bits `from` to `from + JOIN_BITS - 1` of an integer in words of `WORD_BITS` bits; bits outside of
/// the words are 0.
fn bits_of(words: &[u64], from: i64) -> u64 {
    let bit = |at: i64| {
        let (k, bit) = (at.div_euclid(i64::from(WORD_BITS)), at.rem_euclid(i64::from(WORD_BITS)));
        usize::try_from(k).ok().and_then(|k| words.get(k)).map_or(0, |word| word >> bit & 1)
    };
    (0..i64::from(JOIN_BITS)).map(|i| bit(from + i) << i).sum()
}

/// The operands of a product on the device.
struct Product<'a> {
    m: &'a CudaMachine,
    shape: Shape,
    a: Arithmetic,
    mul: &'a BigMul<'a>,
    basis: Basis,
    dst: Limbs,
    add: Limbs,
    /// The digits of the factors, and how many of them lack the levels within rows.
    x: Limbs,
    staged: usize,
    /// The first digit of the second factors in `x`, or [`PREPARED`].
    second: u32,
    prepared: Limbs,
    /// The pairs of `digit_products`.
    sums: Arc<Constant>,
    products: Limbs,
    /// A word that says whether the result may be wrong.
    flag: Limbs,
}

/// Implements [`ringjet_backend::Backend::big_mul`].
pub fn big_mul(m: &CudaMachine, shape: Shape, dst: &ViewMut<'_>, mul: &BigMul<'_>) -> Result<()> {
    const OP: &str = "big_mul";
    check::big_mul(OP, dst, mul)?;
    if mul.sums.is_empty() {
        return Ok(());
    }
    let (left, n) = (mul.split.crt.bits, dst.n());
    let (factors, bits, prepared_primes) = match mul.right {
        BigFactor::Same => (vec![(mul.left, left)], [left; 2], usize::MAX),
        BigFactor::Integers(src, plan) => {
            (vec![(mul.left, left), (src, plan.crt.bits)], [left, plan.crt.bits], usize::MAX)
        }
        BigFactor::Prepared(src, bits) => {
            check::equal(OP, "ring degree", n, src.n())?;
            (vec![(mul.left, left)], [left, bits], digits::prepared_primes(OP, src, bits)?)
        }
    };
    let exact = Digits::new(mul, bits).filter(|d| d.primes <= prepared_primes);
    let exact = exact.ok_or_else(|| check::too_few_primes(OP, prepared_primes.min(mul.join.crt.basis.len())))?;
    let rounded = exact.rounded(mul, bits);
    let secret = dst.is_secret() || mul.sources().any(|view| view.is_secret());
    let basis = mul.join.crt.basis.prefix(exact.primes);
    let a = m.arithmetic(&[&basis])?;

    let counts: Vec<usize> = factors.iter().map(|&(src, bits)| src.polys() * digits::count(bits)).collect();
    let inputs: usize = counts.iter().sum();
    let mut x = temporary(m, inputs * basis.len(), n, secret)?;
    let mut first = 0;
    for (&factor, count) in factors.iter().zip(counts) {
        split(m, OP, a, shape, &mut x, first, factor, &basis)?;
        first += count;
    }
    let staged = if 8 * STAGED_BLOCKS * (ROW_SHARED + ROW * inputs) <= m.device.shared_bytes() { inputs } else { 0 };
    let x = m.target(OP, &x.view_mut(inputs))?;
    if staged == 0 {
        forward_rows(m, a, &x, basis.primes(), shape.log_rows)?;
    }
    let prepared = match mul.right {
        BigFactor::Prepared(src, _) => {
            let all = m.source(OP, src.buf().view(1))?.limbs;
            let polys = number(OP, "number of digits", src.polys() * exact.counts[1])?;
            Limbs { stride: number(OP, "number of primes", prepared_primes)?, polys, ..all }
        }
        _ => NO_LIMBS,
    };
    let second = match mul.right {
        BigFactor::Same => 0,
        BigFactor::Integers(..) => number(OP, "number of digits", mul.left.polys() * exact.counts[0])?,
        BigFactor::Prepared(..) => PREPARED,
    };
    let products = mul.sums.len() * exact.weights.len();
    let mut memory = temporary(m, products * basis.len(), n, secret)?;
    let mut flag = temporary(m, 1, 1, false)?;
    let p = Product {
        m,
        shape,
        a,
        mul,
        dst: m.target(OP, dst)?.limbs,
        add: mul.add.map(|add| m.source(OP, add)).transpose()?.map_or(NO_LIMBS, |add| add.limbs),
        x: x.limbs,
        staged,
        second,
        prepared,
        sums: sums_of(m, mul)?,
        products: m.target(OP, &memory.view_mut(products))?.limbs,
        flag: m.target(OP, &flag.view_mut(1))?.limbs,
        basis,
    };
    match rounded {
        None => p.run(&exact, None),
        // The second run does nothing unless the first one finds that it may be wrong.
        Some(rounded) => p.run(&rounded, Some(false)).and_then(|()| p.run(&exact, Some(true))),
    }
}

/// The pairs of factors of all sums, as `digit_products` reads them.
fn sums_of(m: &CudaMachine, mul: &BigMul<'_>) -> Result<Arc<Constant>> {
    let mut words = Vec::with_capacity(mul.sums.len());
    let mut first = 0;
    for sum in mul.sums {
        words.push(first | (first + sum.len() as u64) << 32);
        first += sum.len() as u64;
    }
    words.extend(mul.sums.iter().copied().flatten().map(|&(l, r)| l as u64 | (r as u64) << 32));
    m.words(Key::Sums(words.clone()), || words.clone())
}

impl Product<'_> {
    /// The error for primes so much smaller than the first that their residues do not fit a block.
    fn too_little_memory(&self) -> BackendError {
        let (primes, shared) = (self.basis.len(), self.m.device.shared_bytes());
        let message = format!("big_mul: residues modulo {primes} primes do not fit the {shared} bytes of a block");
        BackendError::Device { backend: self.m.id.name().into(), message }
    }

    /// Sums of products, and the integers of their residues. `again`: whether this is a second run,
    /// if there are two.
    fn run(&self, d: &Digits, again: Option<bool>) -> Result<()> {
        let (m, a, mul, primes) = (self.m, self.a, self.mul, self.basis.len() as u32);
        let [left, right] = d.counts.map(|count| count as u32);
        let (first, weights, count) = (d.weights.start as u32, d.weights.len() as u32, mul.sums.len() as u32);
        let (flag, guard) = (if again.is_some() { self.flag } else { NO_LIMBS }, u32::from(again == Some(true)));
        let (transforms, moduli) = (m.transforms(a, self.basis.primes())?, m.moduli(a, self.basis.primes())?);
        let products = Limbs { polys: count * weights, ..self.products };
        let log_rows = self.shape.log_rows;

        let rows = if self.staged > 0 { 1 } else { MOST_ROWS.min(1 << log_rows) };
        let shared = 8 * (rows as usize * ROW_SHARED + ROW * self.staged) as u32;
        let grid =
            Grid { blocks: [(1 << log_rows) / rows, primes, 1], threads: [1 << (LOG_ROW - ROUND), rows], shared };
        let (x, staged, second, s) = (self.x, self.staged as u32, self.second, self.sums.at());
        let (t, q) = (transforms.at(), moduli.at());
        m.queue(grid, |device, grid| {
            launch::digit_products(
                device,
                a,
                grid,
                products,
                x,
                self.prepared,
                flag,
                s,
                t,
                q,
                staged,
                second,
                left,
                right,
                first,
                weights,
                count,
                guard,
                log_rows,
            )
        })?;

        let bits = (self.basis.log2() + 1e-9).ceil() as u32 + JOIN_BITS - 1;
        let pieces = bits.div_ceil(JOIN_BITS) as usize;
        let pairs = PAIRS.into_iter().find(|pairs| PIECES_OF_PAIR * pairs >= pieces).ok_or_else(|| {
            check::too_few_primes("big_mul", self.basis.len()) // no prime is so large
        })?;
        let log_join = log_join(m, a, log_rows, self.basis.len(), pairs).ok_or_else(|| self.too_little_memory())?;
        let constants = join_constants(m, a, &self.basis, d, pairs)?;
        let shared = number("big_mul", "bytes", (8 * joined_words(a, self.basis.len(), pairs)) << log_join)?;
        let grid = Grid {
            blocks: [1 << (LOG_ROW + log_rows - log_join), 1, count],
            threads: [1 << (log_join - ROUND), (JOIN_THREADS >> (log_join - ROUND)).max(1)],
            shared,
        };
        let skipped = d.skip as u32 * digits::WORD_BITS;
        let unsure = (skipped + digits::WORD_BITS + d.unsure.trailing_zeros() % u64::BITS, d.unsure.count_ones());
        let adds = mul.add.map_or(0, |add| add.polys() as u32);
        let k = constants.at();
        let join = if pairs == PAIRS[0] { launch::join_columns } else { launch::join_longer_columns };
        m.queue(grid, |device, grid| {
            join(
                device,
                a,
                grid,
                self.dst,
                products,
                self.add,
                flag,
                k,
                t,
                weights,
                first,
                primes,
                mul.join.crt.bits,
                mul.shift,
                unsure.0,
                unsure.1,
                skipped,
                adds,
                guard,
                log_rows,
                log_join,
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ranges of `docs/proofs/big.md`, for primes of every size: as many as may be needed, each just
    /// above 2^(bits - 1), with residues that are as large as they can be.
    #[test]
    fn sums_of_pieces_fit_words_and_integers_fit_their_pieces() {
        let product = 2 * digits::BITS + 17 + TERM_BITS; // log N is 17 at most
        for bits in 12..=61u32 {
            let arithmetic = if bits > 50 { Arithmetic::U64Below61 } else { Arithmetic::F64 };
            let count = u128::from((product + 2) / (bits - 1) + 1);
            let pieces = bits.div_ceil(JOIN_BITS);
            assert!(pieces as usize <= residue_pieces(arithmetic), "{bits}");
            let piece = |k: u32| (1u128 << JOIN_BITS.min(bits - k * JOIN_BITS)) - 1;
            let word = (1u128 << JOIN_BITS) - 1;
            let sum = count * (0..pieces).map(|k| piece(k) * word).sum::<u128>();
            let others = count * word + 2 * (1 << JOIN_BITS) + (1 << 35);
            assert!(sum + others < 1 << 63, "{bits} bits, {count} primes");
            assert!((sum as f64).log2() < 62.7, "{bits} bits, {count} primes");
            assert!((sum + others) >> JOIN_BITS < 1 << 35, "{bits} bits, {count} primes");
            // the last prime that is needed may have `bits` bits
            assert!(product + 2 + bits + 28 <= JOIN_BITS * (PIECES_OF_PAIR * PAIRS[1]) as u32, "{bits} bits");
        }
    }

    #[test]
    fn bits_are_cut_from_words() {
        let words = [0xf_edcb_a987_6543, 0x1_2345_6789_abcd];
        let whole = u128::from(words[0]) | u128::from(words[1]) << WORD_BITS;
        for from in -28..=120i64 {
            let shifted = if from < 0 { whole << -from } else { whole >> from };
            assert_eq!(u128::from(bits_of(&words, from)), shifted & ((1 << JOIN_BITS) - 1), "{from}");
        }
    }
}
