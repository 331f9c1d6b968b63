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

/// Most rows whose transforms end together with the products: more would not stay in the second-level cache until then.
const TOGETHER: usize = 2;

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
    /// Whether they are few and short enough for registers.
    #[cfg(target_arch = "x86_64")]
    fits: bool,
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
            #[cfg(target_arch = "x86_64")]
            fits: (1..=3).contains(&sums.len()) && sums.iter().all(|s| s.len() <= ifma::arith::TERMS),
        }
    }

    /// Transforms the inputs and leaves the sums of products in the first rows, divided by a residue that is returned.
    fn run(&self, field: &Field, rows: &mut [&mut [u64]], with: &[&[u64]], temporary: &mut [u64]) -> u64 {
        let (first, rest) = rows.split_at_mut(self.inputs);
        let mut divided = 1;
        let mut each = |first: &mut [&mut [u64]], from: usize, to: usize| {
            #[cfg(target_arch = "x86_64")]
            if self.in_registers(field, first, rest, with, from, to) {
                divided = field.ifma.as_ref().map_or(1, |r| r.scaled(&field.modulus, 1));
                return;
            }
            for from in (from..to).step_by(PRODUCTS) {
                let to = to.min(from + PRODUCTS);
                for (out, sum) in temporary.chunks_exact_mut(PRODUCTS).zip(self.sums) {
                    let pair = |&(l, r): &(usize, usize)| {
                        let right = if with.is_empty() { &*first[self.second + r] } else { with[r] };
                        (&first[l][from..to], &right[from..to])
                    };
                    let pairs: Vec<(&[u64], &[u64])> = sum.iter().map(pair).collect();
                    kernel::mul_acc(field, &mut out[..to - from], &pairs, false);
                }
                for (s, out) in temporary.chunks_exact(PRODUCTS).take(self.sums.len()).enumerate() {
                    let row = if s < self.inputs { &mut *first[s] } else { &mut *rest[s - self.inputs] };
                    row[from..to].copy_from_slice(&out[..to - from]);
                }
            }
        };
        if self.inputs <= TOGETHER {
            field.forward_each(first, with, each);
        } else {
            for i in 0..first.len() {
                // while one is transformed, the next one is fetched
                let (now, next) = first[i..].split_at_mut(1);
                let next: Vec<&[u64]> = next.iter().take(1).map(|row| &**row).collect();
                field.forward_each(now, &next, |_, _, _| {});
            }
            for from in (0..first[0].len()).step_by(PRODUCTS) {
                let to = first[0].len().min(from + PRODUCTS);
                each(first, from, to);
            }
        }
        divided
    }

    /// Words `from..to` of up to three sums without a detour through memory, where the field allows.
    #[cfg(target_arch = "x86_64")]
    fn in_registers(
        &self,
        field: &Field,
        first: &mut [&mut [u64]],
        rest: &mut [&mut [u64]],
        with: &[&[u64]],
        from: usize,
        to: usize,
    ) -> bool {
        let Some(r) = field.ifma.as_ref().filter(|_| field.path == Path::Ifma && self.fits && (to - from) % BLOCK == 0)
        else {
            return false;
        };
        let start = |row: &mut &mut [u64]| row[from..to].as_mut_ptr();
        let rows: Vec<*mut u64> = first.iter_mut().map(start).chain(rest.iter_mut().map(start)).collect();
        let others: Vec<*const u64> = with.iter().map(|row| row[from..to].as_ptr()).collect();
        field.calls.count(Kernel::Products, || self.operands.iter().map(|s| s.len()).sum::<usize>() * (to - from));
        // SAFETY: the processor has the features of the field's path; the slices above have these words, and are borrowed
        // uniquely where they are written to.
        unsafe {
            match self.sums.len() {
                1 => ifma::big::products::<1>(r, &rows, &others, &self.operands, to - from),
                2 => ifma::big::products::<2>(r, &rows, &others, &self.operands, to - from),
                _ => ifma::big::products::<3>(r, &rows, &others, &self.operands, to - from),
            }
        }
        true
    }
}
