//! Sums of rotations, the heart of a linear transform.
//!
//! Bound by memory: the keys and factors are each read once. So all sums of one tile of one limb are finished before
//! the next tile: the rotated pairs of all terms stay in the second-level cache between their inner products and the
//! sums they go into, and never reach memory.

use crate::ahead::Ahead;
use crate::backend::CpuBackend;
use crate::kernel::{self, Factor, Output, Start};
use crate::keyswitch::{NTT_TILE as TILE, PAD};
use crate::memory::{Scratch, Source};
use ringjet_backend::repeat::RUN;
use ringjet_backend::{Result, RotateFactor, RotateSum, ViewMut, check};
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
    // for each term a pair of rows, and one pair before it is permuted
    let rows = 2 * s.terms.len() + 2;
    let mut block = b.scratch(b.threads.count() * rows * (tile + PAD), digits.is_secret() || add.is_secret())?;
    let scratch = Scratch::new(&mut block, tile + PAD);
    let work = 2 * s.terms.len() * (beta + sums) * basis.len() * n;
    b.threads.run(basis.len(), work, |worker, t| {
        let field = &fields[t];
        // SAFETY: a worker's rows are used by one task at a time, which reads a row only when it is done writing it.
        let row = |i: usize| unsafe { &mut scratch.row(worker * rows + i)[..tile] };
        // Where the words of the tile at `from` come from: all of one tile of the source.
        let source = |i: usize, from: usize| -> (usize, Option<&[u32]>) {
            let map = s.terms[i].automorphism.map(|plan| &plan.map()[from..from + tile]);
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
                kernel::mul_acc_pair_before(
                    field,
                    [&mut *inner0, &mut *inner1],
                    &terms,
                    &next,
                    Start::First(add0),
                    &mut Ahead::default(),
                );
                if let Some(map) = map {
                    kernel::permute(field, row(2 * i), inner0, map, false);
                    kernel::permute(field, row(2 * i + 1), inner1, map, false);
                }
            }
            // SAFETY: the rows of all terms are written, and only read until the next tile.
            let rotated = |i: usize| [0, 1].map(|p| unsafe { &scratch.read(worker * rows + 2 * i + p)[..tile] });
            let products = |g: usize| -> Vec<[&[u64]; 3]> {
                let used = (0..s.terms.len()).filter_map(|i| Some((i, factors[i].get(g)?.as_ref()?)));
                used.map(|(i, by)| {
                    let [x0, x1] = rotated(i);
                    [part(by.limb(0, t), n, from, tile), x0, x1]
                })
                .collect()
            };
            // SAFETY: each limb occurs in one task, and there one tile of each sum at a time.
            let out = |g: usize| [0, 1].map(|p| unsafe { dst.part(2 * g + p, t, from, from + tile) });
            let mut terms = products(0);
            for g in 0..sums {
                // the factors of the next sum, and the place for it, are on their way meanwhile
                let following = if g + 1 < sums { products(g + 1) } else { vec![] };
                let places = if g + 1 < sums { out(g + 1).map(|x| x.as_ptr()) } else { [std::ptr::null(); 2] };
                let next: Vec<[*const u64; 2]> = (terms.iter().enumerate())
                    .map(|(j, &[_, here, _])| {
                        let factor = following.get(j).map(|f| f[0]).filter(|f| f.len() == tile);
                        let place = if j < 2 && g + 1 < sums { places[j] } else { here.as_ptr() };
                        [factor.unwrap_or(here).as_ptr(), place]
                    })
                    .collect();
                let [out0, out1] = out(g);
                let start = if accumulate { Start::Dst } else { Start::Zero };
                kernel::mul_acc_pair_before(
                    field,
                    [&mut *out0, &mut *out1],
                    &terms,
                    &next,
                    start,
                    &mut Ahead::default(),
                );
                let plain = (0..s.terms.len()).filter(|&i| matches!(s.terms[i].factors[g], RotateFactor::One));
                for pair in plain.map(rotated) {
                    kernel::lincomb(field, out0, &[(Factor::One, pair[0])], Output::Added);
                    kernel::lincomb(field, out1, &[(Factor::One, pair[1])], Output::Added);
                }
                terms = following;
            }
        }
    });
    Ok(())
}

/// Words `from..from + len` of a limb of n words, of which `few` has each eight that stand together only once.
fn part(few: &[u64], n: usize, from: usize, len: usize) -> &[u64] {
    let first = from * few.len() / n / RUN * RUN;
    &few[first..first + (len * few.len() / n).max(RUN)]
}
