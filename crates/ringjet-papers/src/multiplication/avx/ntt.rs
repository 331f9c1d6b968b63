//! NTT and its inverse (Algorithm 3 of Jung et al., "HEAAN Demystified"). Each lane has one
//! coefficient; each thread has some of the primes.
//!
//! Values are not reduced below the prime p between stages. With m = [`Shoup::MULTIPLES`],
//! remainders of modular multiplications are below m * p, forward values below 2 * m * p, and
//! inverse values below m * p (8 * p < 2^61 for primes of 58 bits). The papers do not say so, but
//! this way a butterfly has 17 instructions, as their totals require.

use std::marker::PhantomData;

use super::arithmetic::{Factors, Shoup, correct, mod_mul};
use super::lanes::{Kernel, Lanes};
use crate::multiplication::lines::{LANES, Line, words};
use crate::multiplication::setup::{Prime, Roots};

/// The forward transform of one row. Values are below p before and after.
pub struct Ntt<'a, S> {
    prime: &'a Prime,
    row: &'a mut [Line],
    shoup: PhantomData<S>,
}

impl<'a, S> Ntt<'a, S> {
    /// A kernel with these operands.
    pub fn new(prime: &'a Prime, row: &'a mut [Line]) -> Self {
        Self { prime, row, shoup: PhantomData }
    }
}

/// The inverse transform of one row. Values are below p before and after.
pub struct Intt<'a, S> {
    prime: &'a Prime,
    row: &'a mut [Line],
    shoup: PhantomData<S>,
}

impl<'a, S> Intt<'a, S> {
    /// A kernel with these operands.
    pub fn new(prime: &'a Prime, row: &'a mut [Line]) -> Self {
        Self { prime, row, shoup: PhantomData }
    }
}

impl<S: Shoup> Kernel for Ntt<'_, S> {
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let p = self.prime.modulus.value();
        let butterfly = Forward::<L, S>::new(l, p);
        let mut t = self.row.len() / 2;
        while t > 0 {
            long_stage(l, self.row, t, &self.prime.roots, butterfly);
            t /= 2;
        }
        short_stage::<4, L>(l, self.row, &self.prime.roots, butterfly);
        short_stage::<2, L>(l, self.row, &self.prime.roots, butterfly);
        short_stage::<1, L>(l, self.row, &self.prime.roots, butterfly);
        for line in self.row {
            let x = correct(l, l.load(line), 2 * S::MULTIPLES, p);
            l.store(line, x);
        }
    }
}

impl<S: Shoup> Kernel for Intt<'_, S> {
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let p = self.prime.modulus.value();
        let butterfly = Inverse::<L, S>::new(l, p);
        short_stage::<1, L>(l, self.row, &self.prime.inverse_roots, butterfly);
        short_stage::<2, L>(l, self.row, &self.prime.inverse_roots, butterfly);
        short_stage::<4, L>(l, self.row, &self.prime.inverse_roots, butterfly);
        let mut t = 1;
        while t < self.row.len() {
            long_stage(l, self.row, t, &self.prime.inverse_roots, butterfly);
            t *= 2;
        }
        let by = self.prime.n_inverse;
        let (by, p_lanes) = (Factors { value: l.splat(by.value), shoup: l.splat(by.shoup) }, l.splat(p));
        for line in self.row {
            let x = mod_mul::<S, L>(l, l.load(line), by, p_lanes);
            l.store(line, correct(l, x, S::MULTIPLES, p));
        }
    }
}

/// The operation of a stage on each pair of values.
trait Butterfly<L: Lanes>: Copy {
    fn apply(self, l: L, a: L::Vector, b: L::Vector, w: Factors<L::Vector>) -> (L::Vector, L::Vector);
}

/// The lazy butterfly of Algorithm 4: values are below 2 * m * p.
struct Forward<L: Lanes, S> {
    p: L::Vector,
    multiple: L::Vector,
    shoup: PhantomData<S>,
}

/// The inverse butterfly: values are below m * p.
struct Inverse<L: Lanes, S> {
    p: L::Vector,
    multiple: L::Vector,
    shoup: PhantomData<S>,
}

impl<L: Lanes, S> Clone for Forward<L, S> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<L: Lanes, S> Copy for Forward<L, S> {}
impl<L: Lanes, S> Clone for Inverse<L, S> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<L: Lanes, S> Copy for Inverse<L, S> {}

impl<L: Lanes, S: Shoup> Forward<L, S> {
    #[inline(always)]
    fn new(l: L, p: u64) -> Self {
        Self { p: l.splat(p), multiple: l.splat(S::MULTIPLES * p), shoup: PhantomData }
    }
}

impl<L: Lanes, S: Shoup> Inverse<L, S> {
    #[inline(always)]
    fn new(l: L, p: u64) -> Self {
        Self { p: l.splat(p), multiple: l.splat(S::MULTIPLES * p), shoup: PhantomData }
    }
}

impl<L: Lanes, S: Shoup> Butterfly<L> for Forward<L, S> {
    #[inline(always)]
    fn apply(self, l: L, a: L::Vector, b: L::Vector, w: Factors<L::Vector>) -> (L::Vector, L::Vector) {
        let a = l.subtract_where_fits(a, self.multiple);
        let u = mod_mul::<S, L>(l, b, w, self.p);
        (l.add(a, u), l.sub(l.add(a, self.multiple), u))
    }
}

impl<L: Lanes, S: Shoup> Butterfly<L> for Inverse<L, S> {
    #[inline(always)]
    fn apply(self, l: L, a: L::Vector, b: L::Vector, w: Factors<L::Vector>) -> (L::Vector, L::Vector) {
        let difference = l.sub(l.add(a, self.multiple), b);
        (l.subtract_where_fits(l.add(a, b), self.multiple), mod_mul::<S, L>(l, difference, w, self.p))
    }
}

/// A stage whose groups are two runs of `t` lines each.
#[inline(always)]
fn long_stage<L: Lanes>(l: L, row: &mut [Line], t: usize, roots: &Roots, butterfly: impl Butterfly<L>) {
    let m = row.len() / (2 * t);
    let (values, shoup) = (&words(&roots.values)[m..2 * m], &words(&roots.shoup)[m..2 * m]);
    for ((group, &value), &shoup) in row.chunks_exact_mut(2 * t).zip(values).zip(shoup) {
        let w = Factors { value: l.splat(value), shoup: l.splat(shoup) };
        let (a, b) = group.split_at_mut(t);
        for (a, b) in a.iter_mut().zip(b) {
            let (x, y) = butterfly.apply(l, l.load(a), l.load(b), w);
            l.store(a, x);
            l.store(b, y);
        }
    }
}

/// A stage whose groups are two runs of `T` < 8 coefficients each. Two lines hold eight
/// butterflies.
#[inline(always)]
fn short_stage<const T: usize, L: Lanes>(l: L, row: &mut [Line], roots: &Roots, butterfly: impl Butterfly<L>) {
    let index = const { Index::new(T) };
    let m = row.len() * LANES / (2 * T);
    for (i, pair) in row.chunks_exact_mut(2).enumerate() {
        let (x, y) = (l.load(&pair[0]), l.load(&pair[1]));
        let (a, b) = (l.permute2(x, &index.first, y), l.permute2(x, &index.second, y));
        // 8 / T groups with one factor each; the factors lie in one line
        let at = m + i * (LANES / T);
        let spread = &index.factors[at % LANES / (LANES / T)];
        let value = l.permute(l.load(&roots.values[at / LANES]), spread);
        let shoup = l.permute(l.load(&roots.shoup[at / LANES]), spread);
        let (a, b) = butterfly.apply(l, a, b, Factors { value, shoup });
        l.store(&mut pair[0], l.permute2(a, &index.back[0], b));
        l.store(&mut pair[1], l.permute2(a, &index.back[1], b));
    }
}

/// Lane indices of permutations between two lines, which hold short groups in order, and the first
/// and second coefficients of their pairs.
struct Index {
    /// Where the first coefficient of each pair is in the two lines.
    first: Line,
    /// Where the second coefficient of each pair is in the two lines.
    second: Line,
    /// For each of the two lines: where its coefficients are in the vectors of first and of second
    /// coefficients.
    back: [Line; 2],
    /// Where the factor of each pair is in its line of factors. There is one entry for each
    /// position that the first group's factor can have.
    factors: [Line; 4],
}

impl Index {
    const fn new(t: usize) -> Self {
        let mut made = Self { first: Line::ZERO, second: Line::ZERO, back: [Line::ZERO; 2], factors: [Line::ZERO; 4] };
        let (mut position, mut firsts, mut seconds) = (0, 0, 0);
        while position < 2 * LANES {
            let back = &mut made.back[position / LANES].0[position % LANES];
            if position & t == 0 {
                made.first.0[firsts] = position as u64;
                *back = firsts as u64;
                let mut place = 0;
                while place < t {
                    made.factors[place].0[firsts] = (place * (LANES / t) + position / (2 * t)) as u64;
                    place += 1;
                }
                firsts += 1;
            } else {
                made.second.0[seconds] = position as u64;
                *back = (LANES + seconds) as u64;
                seconds += 1;
            }
            position += 1;
        }
        made
    }
}
