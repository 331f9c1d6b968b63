//! One rotation added to a sum, and automorphisms tile by tile.

use std::ops::Range;

use ringjet_backend::{Result, Rotation, View, ViewMut, check, unfused};

use super::digits::{Operand, Products, with_digits};
use super::groups::{self, in_groups};
use super::{DIGITS, NTT_TILE, PAD};
use crate::ahead::Work;
use crate::backend::CpuBackend;
use crate::kernel::{self, Factor, Output, Start};
use crate::memory::Scratch;

/// [`ringjet_backend::Backend::rotate_into`]: after the digits' conversion prime after prime and tile after tile to the sum.
pub fn rotate_into(b: &CpuBackend, dst: ViewMut<'_>, src: View<'_>, r: &Rotation<'_>, accumulate: bool) -> Result<()> {
    const OP: &str = "rotate_into";
    check::rotate_into(OP, &dst, src, r)?;
    let (beta, n) = (r.mod_up.beta(), dst.n());
    if beta > DIGITS {
        return unfused::rotate_into(b, dst, src, r, accumulate);
    }
    let (dst, key, add) = (b.target(OP, dst)?, b.source(OP, r.key)?, b.source(OP, r.add)?);
    with_digits(b, OP, src, r.mod_up, |digits, src| {
        let (fields, primes) = (&digits.extended, r.mod_up.extended.len());
        let secret = src.is_secret();
        let products = Products { keys: vec![key], digits: Operand::Coefficients(digits, src), beta, n };
        let automorphism = TilePermutation::new(r.automorphism.map());
        // behind those of a group three for each worker
        let rows = groups::largest(b, primes, beta) * beta;
        let mut block = b.scratch((rows + 3 * b.threads.count()) * (n + PAD), secret)?;
        let scratch = Scratch::new(&mut block, n + PAD);
        let row = |i: usize, d: usize| i * beta + d;
        let all: Vec<usize> = (0..primes).collect();
        let convert = |group: Range<usize>, columns: Range<usize>, past| {
            products.convert(&all[group], columns, past, &scratch, row);
        };
        in_groups(b, n, primes, [beta; 2], convert, |group| {
            b.threads.run(group.len(), 2 * group.len() * beta * n, |worker, place| {
                // SAFETY: a worker's rows are used by one task at a time.
                let [sum0, sum1, turned] = [0, 1, 2].map(|i| unsafe { scratch.row(rows + 3 * worker + i) });
                let t = group.start + place;
                let (field, add) = (&fields[t], add.limb(0, t));
                let row = |d: usize| row(place, d);
                products.of(
                    field,
                    t,
                    0..1,
                    vec![],
                    &[add],
                    Work::default(),
                    &scratch,
                    row,
                    |_, _, terms, from, to, ahead| {
                        let len = to - from;
                        let start = Start::First(&add[from..to]);
                        kernel::mul_acc_pair(field, [&mut sum0[..len], &mut sum1[..len]], terms, start, ahead);
                        let (at, map) = automorphism.target(from, to);
                        for (p, sum) in [&*sum0, &*sum1].into_iter().enumerate() {
                            // SAFETY: a permutation of tiles of a limb that occurs in one task, each of them taken once.
                            let out = unsafe { dst.part(p, t, at, at + len) };
                            if accumulate {
                                kernel::permute(field, &mut turned[..len], &sum[..len], map, false);
                                kernel::lincomb(field, out, &[(Factor::One, &turned[..len])], Output::Added);
                            } else {
                                kernel::permute(field, out, &sum[..len], map, false);
                            }
                        }
                    },
                );
            });
        });
        Ok(())
    })
}

/// An automorphism of the evaluation domain as a permutation of tiles: the high bits of a position in the tree of
/// splittings are the low bits of an exponent, and those of `e g` depend on those of e alone.
pub(super) struct TilePermutation<'a> {
    map: &'a [u32],
    /// Where each tile goes; `None` where a limb is less than a tile.
    to: Option<Vec<usize>>,
}

impl<'a> TilePermutation<'a> {
    pub(super) fn new(map: &'a [u32]) -> Self {
        let to = (map.len() >= NTT_TILE).then(|| {
            let mut to = vec![0; map.len() / NTT_TILE];
            for (tile, map) in map.chunks_exact(NTT_TILE).enumerate() {
                to[map[0] as usize / NTT_TILE] = tile * NTT_TILE;
            }
            to
        });
        Self { map, to }
    }

    /// Of all words.
    pub(super) fn map(&self) -> &'a [u32] {
        self.map
    }

    /// Where words `from..to` of the source go, a tile or all of them, and the map of the words there.
    pub(super) fn target(&self, from: usize, to: usize) -> (usize, &'a [u32]) {
        match &self.to {
            Some(tiles) if to - from == NTT_TILE => {
                let start = tiles[from / NTT_TILE];
                (start, &self.map[start..start + NTT_TILE])
            }
            _ => (0, self.map),
        }
    }
}
