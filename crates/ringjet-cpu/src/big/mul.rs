//! Products of big coefficients: residues of all factors by tiles of coefficients, then prime by prime transforms, products and
//! transforms back, then integers by tiles again.
//!
//! A limb of residues is 512 KiB at N = 2^16, and there are hundreds: they go to memory twice, between the three steps. What is
//! done in one step stays in the second-level cache: the transforms of one prime's factors, their products, and the transforms
//! of those.

use ringjet_backend::big::{BigFactor, BigMul};
use ringjet_backend::{Result, View, ViewMut, check};

use super::join::Join;
use super::split::Split;
use super::{TILE, rows, rows_mut};
use crate::CpuBackend;
use crate::field::Field;
use crate::kernel;
use crate::memory::{Scratch, Source};

/// Words between two limbs of residues beyond their own: limbs a power of two apart would share a few places of the caches.
const GAP: usize = 32;

/// Words of a tile of products.
const PRODUCTS: usize = 512;

/// Factors that become residues, with the number of the first limb of each.
struct Factor<'a> {
    src: View<'a>,
    words: Source<'a>,
    split: &'a Split<'a>,
}

/// [`ringjet_backend::Backend::big_mul`].
pub fn big_mul(b: &CpuBackend, dst: ViewMut<'_>, m: &BigMul<'_>) -> Result<()> {
    check::big_mul("big_mul", &dst, m)?;
    let basis = &m.join.crt.basis;
    let (n, fields) = (dst.n(), b.fields.of(basis));
    let dst = b.target("big_mul", dst)?;
    let left = Split::new(&m.split.crt, fields.clone());
    let right = match m.right {
        BigFactor::Integers(_, plan) => Some(Split::new(&plan.crt, fields.clone())),
        _ => None,
    };
    let mut factors = vec![Factor { src: m.left, words: b.source("big_mul", m.left)?, split: &left }];
    let (mut residues, mut offset) = (None, 0);
    match (m.right, &right) {
        (BigFactor::Integers(src, _), Some(split)) => {
            offset = m.left.polys();
            factors.push(Factor { src, words: b.source("big_mul", src)?, split });
        }
        (BigFactor::Residues(src), _) => residues = Some(b.source("big_mul", src)?),
        _ => {}
    }
    let add = m.add.map(|add| b.source("big_mul", add)).transpose()?;
    let secret =
        dst.is_secret() || factors.iter().map(|f| f.words).chain(residues).chain(add).any(|source| source.is_secret());

    let inputs: usize = factors.iter().map(|f| f.src.polys()).sum();
    let limbs = inputs.max(m.sums.len());
    let mut block = b.scratch(fields.len() * limbs * (n + GAP), secret)?;
    let grid = Scratch::new(&mut block, n + GAP);

    split_all(b, &factors, grid, limbs, n, secret)?;
    let mut temporary = b.scratch(m.sums.len() * PRODUCTS * b.threads.count(), secret)?;
    let temporary = Scratch::new(&mut temporary, m.sums.len() * PRODUCTS);
    b.threads.run(fields.len(), fields.len() * n * limbs, |worker, i| {
        // SAFETY: the limbs of a prime are used by one task.
        let mut rows: Vec<&mut [u64]> = (0..limbs).map(|l| &mut unsafe { grid.row(i * limbs + l) }[..n]).collect();
        // SAFETY: a worker's row is used by one task at a time.
        let temporary = unsafe { temporary.row(worker) };
        products(&fields[i], &mut rows, inputs, residues.map(|r| (r, i)), m.sums, offset, temporary);
        for row in &mut rows[..m.sums.len()] {
            fields[i].inverse_scaled(row, m.join.crt.hat_inverse[i]);
        }
    });

    let join = Join::new(&m.join.crt, fields.clone(), m.shift, true);
    let tile = TILE.min(n);
    let size = join.scratch(tile);
    let mut scratch = b.scratch(size * b.threads.count(), secret)?;
    let scratch = Scratch::new(&mut scratch, size);
    let tiles = n / tile;
    b.threads.run(m.sums.len() * tiles, m.sums.len() * n * fields.len(), |worker, task| {
        let (p, from) = (task / tiles, task % tiles * tile);
        // SAFETY: nobody writes to the limbs of residues any more.
        let row = |i: usize| &unsafe { grid.read(i * limbs + p) }[from..from + tile];
        let residues: Vec<&[u64]> = (0..fields.len()).map(row).collect();
        let add = m.add.zip(add).filter(|(view, _)| p < view.polys());
        let add = add.map(|(view, source)| rows(source, p, view.limbs(), from, tile));
        // SAFETY: tiles of different tasks do not overlap, and a worker's row is used by one task at a time.
        let (mut out, scratch) = unsafe { (rows_mut(&dst, p, from, tile), scratch.row(worker)) };
        join.tile(&residues, add.as_deref(), scratch, &mut out);
    });
    Ok(())
}

/// Residues of all factors: limb l of prime i is row `i limbs + l` of `grid`.
fn split_all(
    b: &CpuBackend,
    factors: &[Factor<'_>],
    grid: Scratch<'_>,
    limbs: usize,
    n: usize,
    secret: bool,
) -> Result<()> {
    let tile = TILE.min(n);
    let tiles = n / tile;
    let size = factors.iter().map(|f| f.split.scratch(tile)).max().unwrap_or(0);
    let mut scratch = b.scratch(size * b.threads.count(), secret)?;
    let scratch = Scratch::new(&mut scratch, size);
    let of: Vec<(&Factor<'_>, usize)> = factors.iter().flat_map(|f| (0..f.src.polys()).map(move |p| (f, p))).collect();
    b.threads.run(of.len() * tiles, of.len() * n * size / tile, |worker, task| {
        let (l, from) = (task / tiles, task % tiles * tile);
        let (f, p) = of[l];
        let rows = rows(f.words, p, f.src.limbs(), from, tile);
        // SAFETY: tiles of different tasks do not overlap, and a worker's row is used by one task at a time.
        let (mut out, scratch) = unsafe {
            let row = |i: usize| grid.part(i * limbs + l, from, from + tile);
            ((0..f.split.primes()).map(row).collect::<Vec<_>>(), scratch.row(worker))
        };
        f.split.tile(&rows, scratch, &mut out);
    });
    Ok(())
}

/// Transforms the first `inputs` rows and leaves the sums of products in the first ones.
fn products(
    field: &Field,
    rows: &mut [&mut [u64]],
    inputs: usize,
    residues: Option<(Source<'_>, usize)>,
    sums: &[&[(usize, usize)]],
    offset: usize,
    temporary: &mut [u64],
) {
    let with: Vec<&[u64]> = residues.map_or(vec![], |(r, i)| (0..r.polys()).map(|p| r.limb(p, i)).collect());
    let (first, rest) = rows.split_at_mut(inputs);
    field.forward_each(first, &with, |first, from, to| {
        for from in (from..to).step_by(PRODUCTS) {
            let to = to.min(from + PRODUCTS);
            for (out, sum) in temporary.chunks_exact_mut(PRODUCTS).zip(sums) {
                let pair = |&(l, r): &(usize, usize)| {
                    let right = if with.is_empty() { &first[offset + r][from..to] } else { &with[r][from..to] };
                    (&first[l][from..to], right)
                };
                let pairs: Vec<(&[u64], &[u64])> = sum.iter().map(pair).collect();
                kernel::mul_acc(field, &mut out[..to - from], &pairs, false);
            }
            for (s, out) in temporary.chunks_exact(PRODUCTS).take(sums.len()).enumerate() {
                let row: &mut [u64] = if s < inputs { &mut *first[s] } else { &mut *rest[s - inputs] };
                row[from..to].copy_from_slice(&out[..to - from]);
            }
        }
    });
}
