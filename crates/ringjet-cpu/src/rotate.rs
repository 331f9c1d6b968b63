//! Sums of rotations, the heart of a linear transform.
//!
//! Bound by memory: the keys and factors are each read once. So all sums of one tile of one limb are finished before
//! the next tile: the rotated pairs of all terms stay in the second-level cache between their inner products and the
//! sums they go into, and never reach memory.

use crate::backend::CpuBackend;
use crate::kernel::{self, Factor};
use crate::keyswitch::{NTT_TILE as TILE, PAD};
use crate::memory::{Scratch, Source};
use ringjet_backend::{REPEATED_WORDS, Result, RotateFactor, RotateSum, ViewMut, check};
use ringjet_math::Basis;

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
    // for each term a pair of rows and one for its factor where words repeat; and one pair before it is permuted
    let rows = 3 * s.terms.len() + 2;
    let mut block = b.scratch(b.threads.count() * rows * (tile + PAD), digits.is_secret() || add.is_secret())?;
    let scratch = Scratch::new(&mut block, tile + PAD);
    let work = 2 * s.terms.len() * (beta + sums) * basis.len() * n;
    b.threads.run(basis.len(), work, |worker, t| {
        let field = &fields[t];
        // SAFETY: a worker's rows are used by one task at a time, which reads a row only when it is done writing it.
        let row = |i: usize| unsafe { &mut scratch.row(worker * rows + i)[..tile] };
        // Where the words of the tile at `from` come from: all of one tile of the source.
        let source = |i: usize, from: usize| -> (usize, Option<&[u32]>) {
            let map = s.terms[i].automorphism.map(|plan| &plan.map[from..from + tile]);
            (map.map_or(from, |map| (map[0] as usize & (n - 1)) / tile * tile), map)
        };
        let with_key: Vec<usize> = (0..s.terms.len()).filter(|&i| keys[i].is_some()).collect();
        let mut next = vec![[std::ptr::null(); 2]; beta];
        for from in (0..n).step_by(tile) {
            for i in 0..s.terms.len() {
                let (at, map) = source(i, from);
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
                // the key of the next term, or of the first one in the next tile, is on its way meanwhile
                let after = with_key.iter().copied().find(|&k| k > i).map_or((with_key[0], from + tile), |k| (k, from));
                if let (Some(key), true) = (&keys[after.0], after.1 < n) {
                    let at = source(after.0, after.1).0;
                    for (d, next) in next.iter_mut().enumerate() {
                        *next = [0, 1].map(|p| key.limb(2 * d + p, t)[at..].as_ptr());
                    }
                }
                kernel::mul_acc_pair_before(field, [&mut *inner0, &mut *inner1], &terms, &next);
                kernel::lincomb(field, inner0, &[(Factor::One, add0)], true);
                if let Some(map) = map {
                    kernel::permute(field, row(2 * i), inner0, map, false);
                    kernel::permute(field, row(2 * i + 1), inner1, map, false);
                }
            }
            for g in 0..sums {
                let mut products: [Vec<(&[u64], &[u64])>; 2] = [vec![], vec![]];
                let mut plain: [Vec<(Factor, &[u64])>; 2] = [vec![], vec![]];
                for (i, (term, polys)) in s.terms.iter().zip(&factors).enumerate() {
                    let rotated = [0, 1].map(|p| &*row(2 * i + p));
                    match (&term.factors[g], &polys[g]) {
                        (RotateFactor::None, _) => {}
                        (_, Some(by)) => {
                            let by = by.limb(0, t);
                            let factor = if by.len() == n {
                                &by[from..from + tile]
                            } else {
                                let expanded = row(2 * s.terms.len() + i);
                                expand(by, n / by.len(), from, expanded);
                                &*expanded
                            };
                            (0..2).for_each(|p| products[p].push((rotated[p], factor)));
                        }
                        (_, None) => (0..2).for_each(|p| plain[p].push((Factor::One, rotated[p]))),
                    }
                }
                for p in 0..2 {
                    // SAFETY: each limb occurs in one task, and there one tile at a time.
                    let out = unsafe { dst.part(2 * g + p, t, from, from + tile) };
                    kernel::mul_acc(field, out, &products[p], accumulate);
                    if !plain[p].is_empty() {
                        kernel::lincomb(field, out, &plain[p], true);
                    }
                }
            }
        }
    });
    Ok(())
}

/// Words `from..` of the limb of which `few` has each 8 words only once in `repeated` times.
fn expand(few: &[u64], repeated: usize, from: usize, out: &mut [u64]) {
    let run = repeated * REPEATED_WORDS;
    for (k, out) in out.chunks_mut(run).enumerate() {
        let first = (from + k * run) / run * REPEATED_WORDS;
        let words = &few[first..first + REPEATED_WORDS];
        out.chunks_exact_mut(REPEATED_WORDS).for_each(|out| out.copy_from_slice(words));
    }
}
