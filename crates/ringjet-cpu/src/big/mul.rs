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
use super::{BLOCK, TILE, rows, rows_mut};
use crate::CpuBackend;
use crate::field::Field;
#[cfg(target_arch = "x86_64")]
use crate::ifma::{self, big::Operand};
use crate::instrument::Kernel;
use crate::kernel;
use crate::memory::{Scratch, Source};
#[cfg(target_arch = "x86_64")]
use crate::path::Path;

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

    let t0 = std::time::Instant::now();
    split_all(b, &factors, grid, limbs, n, secret)?;
    let t1 = t0.elapsed();
    let sums = Sums::new(m.sums, inputs, offset, residues.is_some());
    let mut temporary = b.scratch(m.sums.len() * PRODUCTS * b.threads.count(), secret)?;
    let temporary = Scratch::new(&mut temporary, m.sums.len() * PRODUCTS);
    b.threads.run(fields.len(), fields.len() * n * limbs, |worker, i| {
        // SAFETY: the limbs of a prime are used by one task.
        let mut rows: Vec<&mut [u64]> = (0..limbs).map(|l| &mut unsafe { grid.row(i * limbs + l) }[..n]).collect();
        // SAFETY: a worker's row is used by one task at a time.
        let temporary = unsafe { temporary.row(worker) };
        let with: Vec<&[u64]> = residues.iter().flat_map(|r| (0..r.polys()).map(|p| r.limb(p, i))).collect();
        let field = &fields[i];
        let by = sums.run(field, &mut rows, &with, temporary);
        let scale = field.modulus.mul(m.join.crt.hat_inverse[i], by);
        rows[..m.sums.len()].iter_mut().for_each(|row| field.inverse_scaled(row, scale));
    });

    let t2 = t0.elapsed();
    let join = Join::new(&m.join.crt, fields.clone(), m.shift, true);
    let tile = TILE.min(n);
    let size = join.scratch();
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
    if std::env::var("T").is_ok() {
        eprintln!("split {:?} products {:?} join {:?}", t1, t2 - t1, t0.elapsed() - t2);
    }
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
    let size = factors.iter().map(|f| f.split.scratch()).max().unwrap_or(0);
    let mut scratch = b.scratch(size * b.threads.count(), secret)?;
    let scratch = Scratch::new(&mut scratch, size);
    let of: Vec<(&Factor<'_>, usize)> = factors.iter().flat_map(|f| (0..f.src.polys()).map(move |p| (f, p))).collect();
    b.threads.run(of.len() * tiles, of.len() * n * limbs, |worker, task| {
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

/// The sums of products of one call.
struct Sums<'a> {
    sums: &'a [&'a [(usize, usize)]],
    /// Rows that are transformed first.
    inputs: usize,
    /// The first row of the second factors, where they are not residues that were there.
    second: usize,
    /// The same sums, where factors lie.
    #[cfg(target_arch = "x86_64")]
    operands: Vec<Vec<[Operand; 2]>>,
}

impl<'a> Sums<'a> {
    fn new(sums: &'a [&'a [(usize, usize)]], inputs: usize, second: usize, residues: bool) -> Self {
        #[cfg(target_arch = "x86_64")]
        let operand = |&(l, r): &(usize, usize)| {
            [Operand::Row(l), if residues { Operand::Other(r) } else { Operand::Row(second + r) }]
        };
        Self {
            sums,
            inputs,
            second,
            #[cfg(target_arch = "x86_64")]
            operands: sums.iter().map(|s| s.iter().map(operand).collect()).collect(),
        }
    }

    /// Transforms the inputs and leaves the sums of products in the first rows, divided by a residue that is returned. Each
    /// transform fetches what comes after it; the last one ends together with the products.
    fn run(&self, field: &Field, rows: &mut [&mut [u64]], with: &[&[u64]], temporary: &mut [u64]) -> u64 {
        let (before, rest) = rows.split_at_mut(self.inputs - 1);
        let (last, after) = rest.split_at_mut(1);
        for i in 0..before.len() {
            let next = before.get(i + 1).map_or(last[0].as_ptr(), |row| row.as_ptr());
            field.forward_each(&mut before[i..i + 1], &[next], |_, _, _| {});
        }
        let written = after.iter().take(self.sums.len().saturating_sub(self.inputs));
        let fetch = with.iter().copied().chain(before.iter().chain(written).map(|row| &**row));
        let fetch: Vec<*const u64> = fetch.map(|row| row.as_ptr()).collect();
        let mut divided = 1;
        field.forward_each(last, &fetch, |last, from, to| {
            let mut rows: Vec<&mut [u64]> = Vec::with_capacity(before.len() + 1 + after.len());
            rows.extend(before.iter_mut().map(|row| &mut row[from..to]));
            rows.extend(last.iter_mut().map(|row| &mut row[from..to]));
            rows.extend(after.iter_mut().map(|row| &mut row[from..to]));
            let with: Vec<&[u64]> = with.iter().map(|row| &row[from..to]).collect();
            #[cfg(target_arch = "x86_64")]
            if self.fits(field, to - from) {
                divided = self.in_registers(field, &mut rows, &with);
                return;
            }
            self.in_memory(field, &mut rows, &with, temporary);
        });
        divided
    }

    /// All sums of some words, by way of `temporary`.
    fn in_memory(&self, field: &Field, rows: &mut [&mut [u64]], with: &[&[u64]], temporary: &mut [u64]) {
        let words = rows[0].len();
        for from in (0..words).step_by(PRODUCTS) {
            let range = from..words.min(from + PRODUCTS);
            for (out, sum) in temporary.chunks_exact_mut(PRODUCTS).zip(self.sums) {
                let right = |r: usize| if with.is_empty() { &*rows[self.second + r] } else { with[r] };
                let pair = |&(l, r): &(usize, usize)| (&rows[l][range.clone()], &right(r)[range.clone()]);
                let pairs: Vec<(&[u64], &[u64])> = sum.iter().map(pair).collect();
                kernel::mul_acc(field, &mut out[..range.len()], &pairs, false);
            }
            for (row, out) in rows.iter_mut().zip(temporary.chunks_exact(PRODUCTS)).take(self.sums.len()) {
                row[range.clone()].copy_from_slice(&out[..range.len()]);
            }
        }
    }

    /// Whether the sums of so many words can be made without a detour through memory.
    #[cfg(target_arch = "x86_64")]
    fn fits(&self, field: &Field, words: usize) -> bool {
        let short = self.operands.iter().all(|s| s.len() <= ifma::arith::TERMS);
        field.path == Path::Ifma && (1..=3).contains(&self.sums.len()) && short && words.is_multiple_of(BLOCK)
    }

    /// The same where [`Sums::fits`], divided by a residue that is returned.
    #[cfg(target_arch = "x86_64")]
    fn in_registers(&self, field: &Field, rows: &mut [&mut [u64]], with: &[&[u64]]) -> u64 {
        let (Some(r), words) = (&field.ifma, rows[0].len()) else {
            unreachable!("a field with the path Ifma has its constants")
        };
        field.calls.count(Kernel::Products, || self.operands.iter().map(|s| s.len()).sum::<usize>() * words);
        // SAFETY: the processor has the features of the field's path.
        unsafe {
            match self.sums.len() {
                1 => ifma::big::products::<1>(r, rows, with, &self.operands),
                2 => ifma::big::products::<2>(r, rows, with, &self.operands),
                _ => ifma::big::products::<3>(r, rows, with, &self.operands),
            }
        }
        r.scaled(&field.modulus, 1)
    }
}
