//! Sums of rotations, the heart of a linear transform.
//!
//! Bound by memory: the keys and factors are each read once. So all sums of one tile of one limb are finished before
//! the next tile: the rotated pairs of all terms stay in the second-level cache between their inner products and the
//! sums they go into, and never reach memory.

use ringjet_backend::{Result, RotateFactor, RotateSum, ViewMut, check};
use ringjet_math::Basis;
use ringjet_math::ntt::LOG_TILE;

use crate::backend::CpuBackend;
use crate::kernel::{self, Factor};
use crate::memory::{Scratch, Source};

/// Words of a tile of the evaluation domain: automorphisms permute tiles, and words within them.
const TILE: usize = 1 << LOG_TILE;

/// Words between scratch rows beyond a tile's: rows a power of two apart would share cache sets.
const PAD: usize = 40;

/// [`ringjet_backend::Backend::hoisted_rotate_sum`].
pub fn hoisted_rotate_sum(
    b: &CpuBackend,
    dst: ViewMut<'_>,
    s: &RotateSum<'_>,
    basis: &Basis,
    accumulate: bool,
) -> Result<()> {
    const OP: &str = "hoisted_rotate_sum";
    check::rotate_sum(OP, &dst, s, basis)?;
    let (digits, add) = (b.source(OP, s.digits)?, b.source(OP, s.add)?);
    let beta = s.digits.polys();
    let mut keys = Vec::with_capacity(s.terms.len());
    let mut factors: Vec<Vec<Option<Source<'_>>>> = Vec::with_capacity(s.terms.len());
    for term in s.terms {
        keys.push(term.key.map(|key| b.source(OP, key)).transpose()?);
        let mut polys = Vec::with_capacity(term.factors.len());
        for factor in term.factors {
            polys.push(if let RotateFactor::Poly(view) = factor { Some(b.source(OP, *view)?) } else { None });
        }
        factors.push(polys);
    }
    let (dst, fields) = (b.target(OP, dst)?, b.fields.of(basis));
    let (n, sums) = (dst.n(), dst.polys() / 2);
    let tile = TILE.min(n);
    // a pair of rows for each term, and one pair before it is permuted
    let rows = 2 * s.terms.len() + 2;
    let mut block = b.scratch(b.threads.count() * rows * (tile + PAD), digits.is_secret() || add.is_secret())?;
    let scratch = Scratch::new(&mut block, tile + PAD);
    let work = 2 * s.terms.len() * (beta + sums) * basis.len() * n;
    b.threads.run(basis.len(), work, |worker, t| {
        let field = &fields[t];
        // SAFETY: a worker's rows are used by one task at a time, which reads a row only when it is done writing it.
        let row = |i: usize| unsafe { &mut scratch.row(worker * rows + i)[..tile] };
        for from in (0..n).step_by(tile) {
            for (i, term) in s.terms.iter().enumerate() {
                // Where the words of this tile come from: all of one tile of the source.
                let map = term.automorphism.map(|plan| &plan.map[from..from + tile]);
                let at = map.map_or(from, |map| (map[0] as usize & (n - 1)) / tile * tile);
                let words = at..at + tile;
                let [add0, add1] = [0, 1].map(|p| &add.limb(p, t)[words.clone()]);
                let Some(key) = &keys[i] else {
                    for (p, add) in [add0, add1].into_iter().enumerate() {
                        match map {
                            Some(map) => kernel::permute(field, row(2 * i + p), add, map, false),
                            None => row(2 * i + p).copy_from_slice(add),
                        }
                    }
                    continue;
                };
                let terms: Vec<[&[u64]; 3]> = (0..beta)
                    .map(|d| [digits.limb(d, t), key.limb(2 * d, t), key.limb(2 * d + 1, t)].map(|x| &x[words.clone()]))
                    .collect();
                let first = if map.is_some() { rows - 2 } else { 2 * i };
                let [inner0, inner1] = [row(first), row(first + 1)];
                kernel::mul_acc_pair(field, [&mut *inner0, &mut *inner1], &terms);
                kernel::lincomb(field, inner0, &[(Factor::One, add0)], true);
                if let Some(map) = map {
                    kernel::permute(field, row(2 * i), inner0, map, false);
                    kernel::permute(field, row(2 * i + 1), inner1, map, false);
                }
            }
            for g in 0..sums {
                for p in 0..2 {
                    // SAFETY: each limb occurs in one task, and there one tile at a time.
                    let out = unsafe { dst.part(2 * g + p, t, from, from + tile) };
                    let mut products: Vec<(&[u64], &[u64])> = vec![];
                    let mut plain: Vec<(Factor, &[u64])> = vec![];
                    for (i, term) in s.terms.iter().enumerate() {
                        let rotated: &[u64] = row(2 * i + p);
                        match (&term.factors[g], &factors[i][g]) {
                            (RotateFactor::None, _) => {}
                            (_, Some(by)) => products.push((rotated, &by.limb(0, t)[from..from + tile])),
                            (_, None) => plain.push((Factor::One, rotated)),
                        }
                    }
                    kernel::mul_acc(field, out, &products, accumulate);
                    if !plain.is_empty() {
                        kernel::lincomb(field, out, &plain, true);
                    }
                }
            }
        }
    });
    Ok(())
}
