//! Sums of rotations, the main operation of a linear transform.
//!
//! Memory bandwidth limits these sums: each key and each factor is read once. So all sums of one
//! tile of one limb are finished before the next tile. The rotated pairs of all terms then stay in
//! the second-level cache between their inner products and the sums.

use ringjet_backend::plan::AutomorphismPlan;
use ringjet_backend::repeat::RUN;
use ringjet_backend::{Result, RotateFactor, RotateSum, ViewMut, check};
use ringjet_math::Basis;

use super::layout::{PAD, TILE};
use crate::kernels::dispatch;
use crate::kernels::field::Field;
use crate::machine::CpuMachine;
use crate::operands::prefetch::TilePrefetch;
use crate::operands::scratch::Scratch;
use crate::operands::terms::{Factor, Output, Start};
use crate::operands::views::{Source, Target};

/// [`ringjet_backend::Backend::hoisted_rotate_sum`].
pub fn hoisted_rotate_sum(
    m: &CpuMachine,
    dst: ViewMut<'_>,
    s: &RotateSum<'_>,
    basis: &Basis,
    accumulate: bool,
) -> Result<()> {
    const OP: &str = "hoisted_rotate_sum";
    check::rotate_sum(OP, &dst, s, basis)?;
    let (digits, add) = (m.source(OP, s.digits)?, m.source(OP, s.add)?);
    let mut keys = Vec::with_capacity(s.terms.len());
    let mut factors: Vec<Vec<Option<Source<'_>>>> = Vec::with_capacity(s.terms.len());
    for term in s.terms {
        keys.push(term.key.map(|key| m.key(OP, key)).transpose()?);
        let of_term = term.factors.iter().map(|factor| match factor {
            RotateFactor::Poly(view) => m.factor(OP, *view, dst.polys()).map(Some),
            RotateFactor::None | RotateFactor::One => Ok(None),
        });
        factors.push(of_term.collect::<Result<_>>()?);
    }
    let dst = m.target(OP, dst)?.updated(accumulate);
    let (beta, n, tile) = (s.digits.polys(), dst.n(), TILE.min(dst.n()));
    // for each term a pair of rows, and one pair of rows for sums before they are permuted
    let rows = 2 * s.terms.len() + 2;
    let mut block = m.scratch(m.threads.count() * rows * (tile + PAD), digits.is_secret() || add.is_secret())?;
    let start = if accumulate { Start::Dst } else { Start::Zero };
    let scratch = Scratch::new(&mut block, tile + PAD);
    let maps = s.terms.iter().map(|term| term.automorphism.map(AutomorphismPlan::map).transpose());
    let maps = maps.collect::<std::result::Result<_, _>>()?;
    let sum = Sum { s, digits, add, keys, factors, maps, dst, start, beta, n, tile, rows, scratch };
    let (sums, fields) = (dst.polys() / 2, m.fields.of(basis)?);
    m.threads.run(basis.len(), 2 * s.terms.len() * (beta + sums) * basis.len() * n, |worker, t| {
        let limb = Limb { sum: &sum, worker, t, field: &fields[t] };
        limb.count();
        for from in (0..n).step_by(tile) {
            limb.rotate_terms(from);
            limb.add_up(from);
        }
    });
    Ok(())
}

/// The operands of a sum of rotations.
struct Sum<'a, 's> {
    s: &'a RotateSum<'a>,
    digits: Source<'a>,
    add: Source<'a>,
    /// The key of each term; `None` for a term without a key.
    keys: Vec<Option<Source<'a>>>,
    /// The factor of each term in each sum; `None` where the factor is not a polynomial.
    factors: Vec<Vec<Option<Source<'a>>>>,
    /// The map of each term's automorphism, if it has one.
    maps: Vec<Option<&'a [u32]>>,
    dst: Target<'a>,
    start: Start<'a>,
    beta: usize,
    n: usize,
    /// Number of words of a tile.
    tile: usize,
    /// Number of scratch rows of a worker.
    rows: usize,
    scratch: Scratch<'s>,
}

/// One limb of all sums. One worker computes it.
struct Limb<'a> {
    sum: &'a Sum<'a, 'a>,
    worker: usize,
    t: usize,
    field: &'a Field,
}

impl<'a> Limb<'a> {
    /// Counts the words that are read and written. Each tile of keys, factors and sums is used once
    /// and counted once. Digits and addends stay in the second-level cache, since each tile of a
    /// sum uses all of their tiles; so they count once for all terms.
    fn count(&self) {
        let Sum { s, digits, add, keys, factors, dst, beta, n, .. } = self.sum;
        let keyed = keys.iter().flatten();
        keyed.clone().for_each(|key| key.count(0, 2 * beta * n));
        digits.count(0, if keyed.count() > 0 { beta * n } else { 0 });
        let pairs = keys.iter().filter(|key| key.is_none()).count();
        let shared = if pairs > 0 { 2 } else { s.terms.len().min(1) };
        add.count(0, n * if s.adds_each() { s.terms.len() + pairs } else { shared });
        factors.iter().flatten().flatten().for_each(|by| by.count(0, by.peek(0, self.t).len()));
        dst.count(dst.polys() * n);
    }

    /// Scratch row `i` of this worker.
    ///
    /// # Safety
    /// No other slice of the row may be alive.
    unsafe fn row(&self, i: usize) -> &'a mut [u64] {
        // SAFETY: by the caller's promise; no other worker uses the row.
        unsafe { &mut self.sum.scratch.row(self.worker * self.sum.rows + i)[..self.sum.tile] }
    }

    /// For the tile at `from` of term `i`: the first word of the source tile that all its words
    /// come from, and the map of its words.
    fn source(&self, i: usize, from: usize) -> (usize, Option<&'a [u32]>) {
        let Sum { n, tile, .. } = self.sum;
        let map = self.sum.maps[i].map(|map| &map[from..from + tile]);
        (map.map_or(from, |map| (map[0] as usize & (n - 1)) / tile * tile), map)
    }

    /// Computes the rotated pairs of all terms for the tile at `from`, and writes them to the rows
    /// of the terms.
    fn rotate_terms(&self, from: usize) {
        let Sum { s, digits, add, keys, beta, tile, .. } = self.sum;
        let (field, t) = (self.field, self.t);
        let mut next = vec![[std::ptr::null(); 2]; *beta];
        for (i, key) in keys.iter().enumerate() {
            let (at, map) = self.source(i, from);
            let words = at..at + tile;
            let first = if s.adds_each() { 2 * i } else { 0 };
            let add = [0, 1].map(|p| &add.peek(first + p, t)[words.clone()]);
            // SAFETY: the rows of this term are read only after they are written.
            let pair = unsafe { [self.row(2 * i), self.row(2 * i + 1)] };
            let Some(key) = key else {
                for (row, add) in pair.into_iter().zip(add) {
                    match map {
                        Some(map) => dispatch::permute(field, row, add, map, false),
                        None => row.copy_from_slice(add),
                    }
                }
                continue;
            };
            let terms: Vec<[&[u64]; 3]> = (0..*beta)
                .map(|d| [digits.peek(d, t), key.peek(2 * d, t), key.peek(2 * d + 1, t)].map(|x| &x[words.clone()]))
                .collect();
            self.next_key(i, from, &mut next);
            let prefetch = &mut TilePrefetch::default();
            let Some(map) = map else {
                dispatch::mul_acc_pair_prefetching(field, pair, &terms, &next, Start::First(add[0]), prefetch);
                continue;
            };
            // SAFETY: one pair of rows is used by one term after the other.
            let [inner0, inner1] = unsafe { [self.row(self.sum.rows - 2), self.row(self.sum.rows - 1)] };
            let inner = [&mut *inner0, &mut *inner1];
            dispatch::mul_acc_pair_prefetching(field, inner, &terms, &next, Start::First(add[0]), prefetch);
            for (row, inner) in pair.into_iter().zip([inner0, inner1]) {
                dispatch::permute(field, row, inner, map, false);
            }
        }
    }

    /// Sets `next` to the words of the key that is used after the key of term `i` in the tile at
    /// `from`: the key of the next term, or that of the first term in the next tile. After the last
    /// tile `next` is unchanged.
    fn next_key(&self, i: usize, from: usize, next: &mut [[*const u64; 2]]) {
        let Sum { keys, n, tile, .. } = self.sum;
        let mut with_key = (0..keys.len()).filter(|&k| keys[k].is_some());
        let first = with_key.clone().next().unwrap_or(i);
        let (term, from) = with_key.find(|&k| k > i).map_or((first, from + tile), |k| (k, from));
        if let (Some(key), true) = (&keys[term], from < *n) {
            let at = self.source(term, from).0;
            for (d, next) in next.iter_mut().enumerate() {
                *next = [0, 1].map(|p| key.peek(2 * d + p, self.t)[at..].as_ptr());
            }
        }
    }

    /// The rotated pair of term `i`.
    ///
    /// # Safety
    /// Nobody writes to the rows of the term.
    unsafe fn rotated(&self, i: usize) -> [&'a [u64]; 2] {
        let Sum { rows, tile, scratch, .. } = self.sum;
        // SAFETY: by the caller's promise.
        [0, 1].map(|p| unsafe { &scratch.read(self.worker * rows + 2 * i + p)[..*tile] })
    }

    /// The polynomial factors of sum `g` in the tile at `from`, each with the rotated pair of its
    /// term.
    fn products(&self, g: usize, from: usize) -> Vec<[&'a [u64]; 3]> {
        let Sum { factors, n, tile, .. } = self.sum;
        let used = factors.iter().enumerate().filter_map(|(i, of_term)| Some((i, of_term.get(g)?.as_ref()?)));
        used.map(|(i, by)| {
            // SAFETY: the rows of all terms are written, and only read until the next tile.
            let [x0, x1] = unsafe { self.rotated(i) };
            [part(by.peek(0, self.t), *n, from, *tile), x0, x1]
        })
        .collect()
    }

    /// Computes all sums of the tile at `from` from the rotated pairs of all terms.
    fn add_up(&self, from: usize) {
        let Sum { s, dst, start, tile, .. } = self.sum;
        let (field, t, sums) = (self.field, self.t, dst.polys() / 2);
        // SAFETY: each limb occurs in one task, and there one tile of each sum at a time.
        let out = |g: usize| [0, 1].map(|p| unsafe { dst.draft(2 * g + p, t, from, from + tile) });
        let mut terms = self.products(0, from);
        for g in 0..sums {
            // the factors of the next sum, and the words of its result, are prefetched meanwhile
            let (following, places) = if g + 1 < sums {
                (self.products(g + 1, from), out(g + 1).map(|x| x.as_ptr()))
            } else {
                (vec![], [std::ptr::null(); 2])
            };
            let next: Vec<[*const u64; 2]> = (terms.iter().enumerate())
                .map(|(j, &[_, here, _])| {
                    let factor = following.get(j).map(|f| f[0]).filter(|f| f.len() == *tile);
                    let place = if j < 2 && g + 1 < sums { places[j] } else { here.as_ptr() };
                    [factor.unwrap_or(here).as_ptr(), place]
                })
                .collect();
            let [out0, out1] = out(g);
            let prefetch = &mut TilePrefetch::default();
            dispatch::mul_acc_pair_prefetching(field, [&mut *out0, &mut *out1], &terms, &next, *start, prefetch);
            for i in (0..s.terms.len()).filter(|&i| matches!(s.terms[i].factors[g], RotateFactor::One)) {
                // SAFETY: as in `products`.
                let [x0, x1] = unsafe { self.rotated(i) };
                dispatch::lincomb(field, out0, &[(Factor::One, x0)], Output::Added);
                dispatch::lincomb(field, out1, &[(Factor::One, x1)], Output::Added);
            }
            terms = following;
        }
    }
}

/// The words of `few` that stand for words `from..from + len` of a limb of `n` words. Each run of
/// [`RUN`] words of `few` stands for several equal runs of the limb.
fn part(few: &[u64], n: usize, from: usize, len: usize) -> &[u64] {
    let first = from * few.len() / n / RUN * RUN;
    &few[first..first + (len * few.len() / n).max(RUN)]
}
