//! Transforms and base conversion: their constants and their grids.

use std::sync::Arc;

use ringjet_backend::plan::BaseConversionPlan;
use ringjet_backend::{BackendError, Result, View, ViewMut, check};
use ringjet_math::{Basis, Prime};

use crate::arithmetic::Arithmetic;
use crate::big::input_prime;
use crate::constants::{Constant, Key};
use crate::device::{DeviceError, Grid, SHARED_BYTES};
use crate::launch;
use crate::machine::Machine;
use crate::memory::number;

/// These must equal the constants of the same names in `kernels/ntt.cuh`.
const LOG_ROW: u32 = 9;
const LOG_COLUMNS_TILE: u32 = 12;
const MOST_ROWS: u32 = 4;

/// Most threads of a block of columns. With more, the compiler spills registers on some GPUs.
const COLUMNS_THREADS: u32 = 256;

/// Least number of roots in a table; a larger ring has n / 64 (`roots_kept` in `kernels/ntt.cuh`).
const LEAST_ROOTS: usize = 256;

/// Number of powers of psi in a table.
const POWERS: usize = 64;

/// Most threads for each coefficient of a base conversion.
const CONVERSION_GROUPS: usize = 8;

/// Implements [`ringjet_backend::Backend::ntt`]: coefficient to evaluation domain.
pub fn ntt(m: &Machine, x: &ViewMut<'_>, basis: &Basis) -> Result<()> {
    check::basis("ntt", x.limbs(), x.n(), basis)?;
    let a = m.arithmetic(&[basis]);
    let (x, transforms, moduli) = (m.target("ntt", x)?, m.transforms(a, basis)?, m.moduli(a, basis)?);
    let (limbs, t, q) = (x.limbs, transforms.at(), moduli.at());
    let Some(log_rows) = basis.log_n().checked_sub(LOG_ROW) else {
        return m.queue(small(basis, limbs), |d, grid| launch::ntt_small(d, a, grid, limbs, t, q, 0));
    };
    if log_rows > 0 {
        m.queue(columns(basis, limbs), |d, grid| launch::ntt_columns(d, a, grid, limbs, t, q, log_rows))?;
    }
    m.queue(rows(basis, limbs), |d, grid| launch::ntt_rows(d, a, grid, limbs, t, q, log_rows))
}

/// Implements [`ringjet_backend::Backend::intt`]: evaluation to coefficient domain.
pub fn intt(m: &Machine, x: &ViewMut<'_>, basis: &Basis) -> Result<()> {
    check::basis("intt", x.limbs(), x.n(), basis)?;
    let a = m.arithmetic(&[basis]);
    let (x, transforms, moduli) = (m.target("intt", x)?, m.transforms(a, basis)?, m.moduli(a, basis)?);
    let (limbs, t, q) = (x.limbs, transforms.at(), moduli.at());
    let Some(log_rows) = basis.log_n().checked_sub(LOG_ROW) else {
        return m.queue(small(basis, limbs), |d, grid| launch::ntt_small(d, a, grid, limbs, t, q, 1));
    };
    m.queue(rows(basis, limbs), |d, grid| launch::intt_rows(d, a, grid, limbs, t, q, log_rows))?;
    if log_rows > 0 {
        m.queue(columns(basis, limbs), |d, grid| launch::intt_columns(d, a, grid, limbs, t, q, log_rows))?;
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

/// Implements [`ringjet_backend::Backend::base_convert`].
pub fn base_convert(m: &Machine, dst: &ViewMut<'_>, src: View<'_>, plan: &BaseConversionPlan) -> Result<()> {
    let conv = &plan.conv;
    check::conversion("base_convert", dst, src, conv)?;
    let (dst, src) = (m.target("base_convert", dst)?, m.source("base_convert", src)?);
    let a = m.arithmetic(&[&conv.src, &conv.dst]);
    let constants = m.words(Key::Plan(plan.id), || {
        let input = |i: usize| input_prime(a, &conv.src, i, conv.hat_inverse[i], conv.fraction[i]);
        let output = |j: usize| {
            let q = conv.dst.modulus(j);
            let factors = std::iter::once(q.neg(conv.product[j])).chain(conv.hat[j].iter().copied());
            let mut words = a.modulus(q);
            words.extend(factors.map(|w| a.right(q, w)));
            words
        };
        (0..conv.src.len()).flat_map(input).chain((0..conv.dst.len()).flat_map(output)).collect()
    })?;
    let inputs = number("base_convert", "number of source limbs", conv.src.len())?;
    let groups = conv.src.len().max(conv.dst.len()).min(CONVERSION_GROUPS);
    let width = m.width("base_convert", dst.limbs.n, 32, conv.src.len() + groups)?;
    let grid = Grid {
        blocks: [dst.limbs.n / width, (dst.count > 0).into(), dst.limbs.polys],
        threads: [width, groups as u32],
        shared: 8 * width * (inputs + groups as u32),
    };
    let (at, outputs) = (constants.at(), dst.count as u32);
    m.queue(grid, |d, grid| launch::base_convert(d, a, grid, dst.limbs, src.limbs, at, inputs, outputs))
}

impl Machine {
    /// The number of coefficients of a block that needs `words` words of shared memory for each: a
    /// power of two, at most `most` and at most n. Fails if shared memory is too small for one.
    pub fn width(&self, op: &'static str, n: u32, most: u32, words: usize) -> Result<u32> {
        let mut width = most.min(n);
        while width > 0 && 8 * words * width as usize > SHARED_BYTES {
            width /= 2;
        }
        if width > 0 || n == 0 {
            return Ok(width.max(1));
        }
        let message = format!("{op}: {words} words for one coefficient do not fit the {SHARED_BYTES} bytes of a block");
        Err(BackendError::Device { backend: self.id.name().into(), message })
    }

    /// The constants of the transforms of a basis (`Transform` in `kernels/ntt.cuh`).
    fn transforms(&self, a: Arithmetic, basis: &Basis) -> Result<Arc<Constant>> {
        let key = Key::Transforms(a, basis.log_n(), basis.values().collect());
        self.constant(key, || {
            let roots: Vec<_> =
                basis.primes().iter().map(|p| self.roots(a, p)).collect::<std::result::Result<_, _>>()?;
            let words = basis.primes().iter().zip(&roots).flat_map(|(p, roots)| {
                let (m, inverse) = (p.modulus(), p.table().n_inverse());
                let at = [roots.at(), roots.at().offset(roots.words() / 2)];
                at.map(|at| at.0).into_iter().chain(a.constant(m, inverse))
            });
            Ok((words.collect(), roots))
        })
    }

    /// The tables of a prime for the forward and the inverse transform, one after the other. Each
    /// has the first roots, then the first powers of psi.
    fn roots(&self, a: Arithmetic, prime: &Prime) -> std::result::Result<Arc<Constant>, DeviceError> {
        let (table, m) = (prime.table(), prime.modulus());
        self.kept(Key::Roots(a, table.log_n(), prime.value()), || {
            let n = 1usize << table.log_n();
            let kept = (n / POWERS).max(LEAST_ROOTS).min(n);
            let one_way = |roots: &[(u64, u64)]| {
                let psi = roots[n / 2].0;
                let powers = std::iter::successors(Some(1), |&w| Some(m.mul(w, psi))).take(POWERS);
                let all = roots[..kept].iter().map(|r| r.0).chain(powers);
                all.flat_map(|w| a.constant(m, w)).collect::<Vec<_>>()
            };
            Ok(([one_way(table.roots()), one_way(table.inverse_roots())].concat(), vec![]))
        })
    }
}
