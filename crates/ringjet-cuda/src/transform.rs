//! Transforms and base conversion: their constants and the shapes of their launches.

use std::sync::Arc;

use ringjet_backend::plan::BaseConversionPlan;
use ringjet_backend::{BackendError, Result, View, ViewMut, check};
use ringjet_math::{Basis, Prime};

use crate::backend::{CudaBackend, modulus};
use crate::big::input_prime;
use crate::constants::{Constant, Key};
use crate::device::{DeviceError, Grid, SHARED_BYTES};
use crate::launch;
use crate::memory::number;

/// `LOG_ROW`, `LOG_COLUMNS_TILE` and `MOST_ROWS` of `kernels/ntt.cuh`.
const LOG_ROW: u32 = 9;
const LOG_COLUMNS_TILE: u32 = 12;
const MOST_ROWS: u32 = 4;

/// Most threads of a block of columns: with more the compiler spills registers for some GPUs.
const COLUMNS_THREADS: u32 = 256;

/// Threads of a base conversion for each coefficient, at most.
const CONVERSION_GROUPS: usize = 8;

/// Coefficient to evaluation domain.
pub fn ntt(b: &CudaBackend, x: &ViewMut<'_>, basis: &Basis) -> Result<()> {
    check::basis("ntt", x.limbs(), x.n(), basis)?;
    let (x, transforms, moduli) = (b.target("ntt", x)?, b.transforms(basis)?, b.moduli(basis)?);
    let (limbs, t, m) = (x.limbs, transforms.at(), moduli.at());
    let Some(log_rows) = basis.log_n().checked_sub(LOG_ROW) else {
        return b.queue(small(basis, limbs), |d, grid| launch::ntt_small(d, grid, limbs, t, m, 0));
    };
    if log_rows > 0 {
        b.queue(columns(basis, limbs), |d, grid| launch::ntt_columns(d, grid, limbs, t, m, log_rows))?;
    }
    b.queue(rows(basis, limbs), |d, grid| launch::ntt_rows(d, grid, limbs, t, m, log_rows))
}

/// Evaluation to coefficient domain.
pub fn intt(b: &CudaBackend, x: &ViewMut<'_>, basis: &Basis) -> Result<()> {
    check::basis("intt", x.limbs(), x.n(), basis)?;
    let (x, transforms, moduli) = (b.target("intt", x)?, b.transforms(basis)?, b.moduli(basis)?);
    let (limbs, t, m) = (x.limbs, transforms.at(), moduli.at());
    let Some(log_rows) = basis.log_n().checked_sub(LOG_ROW) else {
        return b.queue(small(basis, limbs), |d, grid| launch::ntt_small(d, grid, limbs, t, m, 1));
    };
    b.queue(rows(basis, limbs), |d, grid| launch::intt_rows(d, grid, limbs, t, m, log_rows))?;
    if log_rows > 0 {
        b.queue(columns(basis, limbs), |d, grid| launch::intt_columns(d, grid, limbs, t, m, log_rows))?;
    }
    Ok(())
}

fn small(basis: &Basis, x: launch::Limbs) -> Grid {
    Grid { blocks: [1, basis.len() as u32, x.polys], threads: [x.n / 2, 1], shared: 0 }
}

fn columns(basis: &Basis, x: launch::Limbs) -> Grid {
    let log_tile = basis.log_n().min(LOG_COLUMNS_TILE);
    let threads = COLUMNS_THREADS.min(1 << (log_tile - 3));
    Grid { blocks: [x.n >> log_tile, basis.len() as u32, x.polys], threads: [threads, 1], shared: 0 }
}

fn rows(basis: &Basis, x: launch::Limbs) -> Grid {
    let rows = x.n >> LOG_ROW;
    let at_once = rows.min(MOST_ROWS);
    Grid { blocks: [rows / at_once, basis.len() as u32, x.polys], threads: [1 << (LOG_ROW - 3), at_once], shared: 0 }
}

/// [`ringjet_backend::Backend::base_convert`].
pub fn base_convert(b: &CudaBackend, dst: &ViewMut<'_>, src: View<'_>, plan: &BaseConversionPlan) -> Result<()> {
    let conv = &plan.conv;
    check::conversion("base_convert", dst, src, conv)?;
    let (dst, src) = (b.target("base_convert", dst)?, b.source("base_convert", src)?);
    let constants = b.words(Key::Plan(plan.id), || {
        let input = |i: usize| input_prime(&conv.src, i, conv.hat_inverse[i], conv.fraction[i]);
        let output = |j: usize| {
            let own = modulus(conv.dst.modulus(j).value()).into_iter().chain([conv.product[j]]);
            own.chain(conv.hat[j].iter().copied())
        };
        (0..conv.src.len()).flat_map(input).chain((0..conv.dst.len()).flat_map(output)).collect()
    })?;
    let inputs = number("base_convert", "number of source limbs", conv.src.len())?;
    let groups = conv.src.len().max(conv.dst.len()).min(CONVERSION_GROUPS);
    let width = b.width("base_convert", dst.limbs.n, 32, conv.src.len() + groups)?;
    let grid = Grid {
        blocks: [dst.limbs.n / width, (dst.count > 0).into(), dst.limbs.polys],
        threads: [width, groups as u32],
        shared: 8 * width * (inputs + groups as u32),
    };
    let (at, outputs) = (constants.at(), dst.count as u32);
    b.queue(grid, |d, grid| launch::base_convert(d, grid, dst.limbs, src.limbs, at, inputs, outputs))
}

impl CudaBackend {
    /// How many coefficients a block can have that holds `words` words of each in shared memory: a power of two, at most
    /// `most` and n.
    pub(crate) fn width(&self, op: &'static str, n: u32, most: u32, words: usize) -> Result<u32> {
        let mut width = most.min(n);
        while width > 0 && 8 * words * width as usize > SHARED_BYTES {
            width /= 2;
        }
        if width > 0 || n == 0 {
            return Ok(width.max(1));
        }
        let message = format!("{op}: {words} words for one coefficient do not fit the {SHARED_BYTES} bytes of a block");
        Err(BackendError::Device { backend: self.identity().name().into(), message })
    }

    /// Where the roots of a basis's primes are, and its inverses of N (`TRANSFORM_WORDS` of `kernels/ntt.cuh`).
    fn transforms(&self, basis: &Basis) -> Result<Arc<Constant>> {
        let key = Key::Transforms(basis.log_n(), basis.values().collect());
        self.constant(key, || {
            let roots: Vec<_> = basis.primes().iter().map(|p| self.roots(p)).collect::<std::result::Result<_, _>>()?;
            let words = basis.primes().iter().zip(&roots).flat_map(|(p, roots)| {
                let (inverse, m) = (p.table().n_inverse(), p.modulus());
                [roots.at().0, roots.at().offset(2 * basis.n()).0, inverse, m.shoup(inverse)]
            });
            Ok((words.collect(), roots))
        })
    }

    /// Both tables of roots of a prime, one after the other.
    fn roots(&self, prime: &Prime) -> std::result::Result<Arc<Constant>, DeviceError> {
        let table = prime.table();
        self.kept(Key::Roots(table.log_n(), prime.value()), || {
            let factors = table.roots().iter().chain(table.inverse_roots());
            Ok((factors.flat_map(|&(w, shoup)| [w, shoup]).collect(), vec![]))
        })
    }
}
