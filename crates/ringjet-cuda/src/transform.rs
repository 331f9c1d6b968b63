//! Transforms and base conversion: their constants and their grids.

use std::sync::Arc;

use ringjet_backend::plan::{BaseConversionPlan, PlanId};
use ringjet_backend::{BackendError, Result, View, ViewMut, check};
use ringjet_math::{BaseConversion, Basis, Prime};

use crate::arithmetic::Arithmetic;
use crate::big::input_prime;
use crate::constants::{Constant, Key};
use crate::device::{DeviceError, Grid};
use crate::launch;
use crate::machine::CudaMachine;
use crate::memory::{Place, number};

/// These must equal the constants of the same names in `kernels/ntt.cuh`.
pub const LOG_ROW: u32 = 9;
const LOG_COLUMNS_TILE: u32 = 12;
pub const MOST_ROWS: u32 = 4;

/// Most threads of a block of columns. With more, the compiler spills registers on some GPUs.
const COLUMNS_THREADS: u32 = 256;

/// Least number of roots in a table; a larger ring has n / 64 (`roots_kept` in `kernels/ntt.cuh`).
const LEAST_ROOTS: usize = 256;

/// Number of powers of psi in a table.
const POWERS: usize = 64;

/// These must equal the constants of the same names in `kernels/convert.cuh`.
pub const LOG_CONVERT_TILE: u32 = 10;
pub const CONVERT_GROUPS: u32 = 2;
const OUTPUTS_AT_ONCE: u32 = 2;

/// Most threads for each coefficient of a base conversion.
const CONVERSION_GROUPS: usize = 8;

/// Implements [`ringjet_backend::Backend::ntt`]: coefficient to evaluation domain.
pub fn ntt(m: &CudaMachine, x: &ViewMut<'_>, basis: &Basis) -> Result<()> {
    check::basis("ntt", x.limbs(), x.n(), basis)?;
    forward(m, m.arithmetic(&[basis])?, &m.target("ntt", x)?, basis.primes())
}

/// Implements [`ringjet_backend::Backend::intt`]: evaluation to coefficient domain.
pub fn intt(m: &CudaMachine, x: &ViewMut<'_>, basis: &Basis) -> Result<()> {
    check::basis("intt", x.limbs(), x.n(), basis)?;
    let x = m.target("intt", x)?;
    inverse(m, m.arithmetic(&[basis])?, &x, x.limbs, basis.primes())
}

/// Transforms limbs of these primes in place, to the evaluation domain. A prime may occur several
/// times.
pub fn forward(m: &CudaMachine, a: Arithmetic, x: &Place<'_>, primes: &[Arc<Prime>]) -> Result<()> {
    let Some(log_n) = primes.first().map(|p| p.table().log_n()) else { return Ok(()) };
    let (transforms, moduli) = (m.transforms(a, primes)?, m.moduli(a, primes)?);
    let (limbs, t, q) = (x.limbs, transforms.at(), moduli.at());
    let Some(log_rows) = log_n.checked_sub(LOG_ROW) else {
        return m.queue(small(x), |d, grid| launch::ntt_small(d, a, grid, limbs, limbs, t, q, 0));
    };
    if log_rows > 0 {
        m.queue(columns(x, log_n), |d, grid| launch::ntt_columns(d, a, grid, limbs, t, q, log_rows))?;
    }
    forward_rows(m, a, x, primes, log_rows)
}

/// The second part of [`forward`], after [`convert_columns`]: the levels within rows.
pub fn forward_rows(m: &CudaMachine, a: Arithmetic, x: &Place<'_>, primes: &[Arc<Prime>], log_rows: u32) -> Result<()> {
    let (transforms, moduli) = (m.transforms(a, primes)?, m.moduli(a, primes)?);
    let (limbs, t, q) = (x.limbs, transforms.at(), moduli.at());
    m.queue(rows(x), |d, grid| launch::ntt_rows(d, a, grid, limbs, t, q, log_rows))
}

/// The first part of [`forward`]: all levels but those within rows. Returns log2 of the number of
/// rows, or `None` for a small ring, which is transformed completely.
fn forward_columns(m: &CudaMachine, a: Arithmetic, x: &Place<'_>, primes: &[Arc<Prime>]) -> Result<Option<u32>> {
    let log_n = primes.first().map_or(LOG_ROW, |p| p.table().log_n());
    let Some(log_rows) = log_n.checked_sub(LOG_ROW) else {
        return forward(m, a, x, primes).map(|()| None);
    };
    if log_rows > 0 && !primes.is_empty() {
        let (transforms, moduli) = (m.transforms(a, primes)?, m.moduli(a, primes)?);
        let (limbs, t, q) = (x.limbs, transforms.at(), moduli.at());
        m.queue(columns(x, log_n), |d, grid| launch::ntt_columns(d, a, grid, limbs, t, q, log_rows))?;
    }
    Ok(Some(log_rows))
}

/// Transforms limbs of these primes from `src`, which may be those of `x`, to `x`, in the
/// coefficient domain.
pub fn inverse(m: &CudaMachine, a: Arithmetic, x: &Place<'_>, src: launch::Limbs, primes: &[Arc<Prime>]) -> Result<()> {
    let Some(log_n) = primes.first().map(|p| p.table().log_n()) else { return Ok(()) };
    let (transforms, moduli) = (m.transforms(a, primes)?, m.moduli(a, primes)?);
    let (limbs, t, q) = (x.limbs, transforms.at(), moduli.at());
    let Some(log_rows) = log_n.checked_sub(LOG_ROW) else {
        return m.queue(small(x), |d, grid| launch::ntt_small(d, a, grid, limbs, src, t, q, 1));
    };
    m.queue(rows(x), |d, grid| launch::intt_rows(d, a, grid, limbs, src, t, q, log_rows))?;
    if log_rows > 0 {
        m.queue(columns(x, log_n), |d, grid| launch::intt_columns(d, a, grid, limbs, t, q, log_rows))?;
    }
    Ok(())
}

fn small(x: &Place<'_>) -> Grid {
    Grid { blocks: [1, x.count as u32, x.limbs.polys], threads: [x.limbs.n / 2, 1], shared: 0 }
}

fn columns(x: &Place<'_>, log_n: u32) -> Grid {
    let log_tile = log_n.min(LOG_COLUMNS_TILE);
    let threads = COLUMNS_THREADS.min(1 << (log_tile - 3));
    Grid { blocks: [x.limbs.n >> log_tile, x.count as u32, x.limbs.polys], threads: [threads, 1], shared: 0 }
}

/// The grid of kernels that work on rows.
pub fn rows(x: &Place<'_>) -> Grid {
    let rows = x.limbs.n >> LOG_ROW;
    let at_once = rows.min(MOST_ROWS);
    Grid { blocks: [rows / at_once, x.count as u32, x.limbs.polys], threads: [1 << (LOG_ROW - 3), at_once], shared: 0 }
}

/// Implements [`ringjet_backend::Backend::base_convert`].
pub fn base_convert(m: &CudaMachine, dst: &ViewMut<'_>, src: View<'_>, plan: &BaseConversionPlan) -> Result<()> {
    let conv = &plan.conv;
    check::conversion("base_convert", dst, src, conv)?;
    let (dst, src) = (m.target("base_convert", dst)?, m.source("base_convert", src)?);
    let a = m.arithmetic(&[&conv.src, &conv.dst])?;
    let parts = [Conversion { conv, source: 0, target: 0 }];
    convert(m, "base_convert", a, &dst, src.limbs, plan.id, &parts)
}

/// A base conversion, from the limbs from `source` on to the limbs from `target` on.
pub struct Conversion<'a> {
    pub conv: &'a BaseConversion,
    pub source: usize,
    pub target: usize,
}

/// Converts by each of `parts`, in one launch. `plan` identifies their constants.
fn convert(
    m: &CudaMachine,
    op: &'static str,
    a: Arithmetic,
    dst: &Place<'_>,
    src: launch::Limbs,
    plan: PlanId,
    parts: &[Conversion<'_>],
) -> Result<()> {
    let constants = m.words(Key::Conversions(plan, a, 1), || conversions(a, parts, 1))?;
    let most = |size: fn(&BaseConversion) -> usize| parts.iter().map(|part| size(part.conv)).max().unwrap_or(0);
    let (inputs, outputs) = (most(|conv| conv.src.len()), most(|conv| conv.dst.len()));
    let groups = inputs.max(outputs).min(CONVERSION_GROUPS);
    let width = m.coefficients_at_once(op, dst.limbs.n, 32, inputs + groups)?;
    let count = if outputs > 0 { number(op, "number of conversions", parts.len())? } else { 0 };
    let grid = Grid {
        blocks: [dst.limbs.n / width, count, dst.limbs.polys],
        threads: [width, groups as u32],
        shared: 8 * width * number(op, "words of shared memory", inputs + groups)?,
    };
    m.queue(grid, |d, grid| launch::base_convert(d, a, grid, dst.limbs, src, constants.at()))
}

/// Most source limbs of a conversion that is followed by columns in the same launch: their tiles,
/// one more, and those of the columns fit the shared memory of a block.
fn most_inputs(m: &CudaMachine) -> usize {
    let tiles = m.device.shared_bytes() >> (3 + LOG_CONVERT_TILE);
    tiles.saturating_sub(1 + (CONVERT_GROUPS * OUTPUTS_AT_ONCE) as usize)
}

/// Into how many parts `convert_columns` splits the outputs of each conversion. Each part is a block
/// more, and scales the sources again. The busiest of the multiprocessors decides how long a launch of
/// `blocks` blocks for each part takes. A word of a source takes about 6 units of work, a word of an
/// output one for each source and 10 more (counted in the machine code for sm_90 in double precision).
fn parts(multiprocessors: u32, blocks: u32, inputs: u32, outputs: u32) -> u32 {
    let work = |parts: u32| {
        let each = outputs.div_ceil(parts).next_multiple_of(CONVERT_GROUPS);
        (blocks * parts).div_ceil(multiprocessors.max(1)) * (6 * inputs + each * (inputs + 10))
    };
    (1..=outputs.div_ceil(CONVERT_GROUPS).max(1)).min_by_key(|&parts| work(parts)).unwrap_or(1)
}

/// [`convert`], followed by [`forward_columns`] on the results, which have the primes `primes`. One
/// launch does both where shared memory has room.
pub fn convert_columns(
    m: &CudaMachine,
    op: &'static str,
    a: Arithmetic,
    dst: &Place<'_>,
    src: launch::Limbs,
    (plan, conversions_of): (PlanId, &[Conversion<'_>]),
    primes: &[Arc<Prime>],
) -> Result<Option<u32>> {
    let most = |size: fn(&BaseConversion) -> usize| conversions_of.iter().map(|c| size(c.conv)).max().unwrap_or(0);
    let (inputs, outputs) = (most(|conv| conv.src.len()), most(|conv| conv.dst.len()));
    let log_rows = dst.limbs.n.max(1).ilog2().saturating_sub(LOG_ROW);
    if log_rows == 0 || inputs > most_inputs(m) || primes.is_empty() {
        convert(m, op, a, dst, src, plan, conversions_of)?;
        return forward_columns(m, a, dst, primes);
    }
    let log_columns = LOG_CONVERT_TILE - log_rows;
    let (tiles, count) = (1 << (LOG_ROW - log_columns), number(op, "number of conversions", conversions_of.len())?);
    let parts = parts(m.device.multiprocessors(), tiles * count * dst.limbs.polys, inputs as u32, outputs as u32);
    let constants = m.words(Key::Conversions(plan, a, parts), || conversions(a, conversions_of, parts as usize))?;
    let (transforms, moduli) = (m.transforms(a, primes)?, m.moduli(a, primes)?);
    let grid = Grid {
        blocks: [tiles, parts * count, dst.limbs.polys],
        threads: [1 << (LOG_CONVERT_TILE - 3), CONVERT_GROUPS],
        shared: (8 * (inputs as u32 + 1)) << LOG_CONVERT_TILE,
    };
    let (k, t, q) = (constants.at(), transforms.at(), moduli.at());
    m.queue(grid, |d, grid| launch::convert_columns(d, a, grid, dst.limbs, src, k, t, q, log_rows))?;
    Ok(Some(log_rows))
}

/// The constants of conversions, in the layout of `kernels/convert.cuh`; the outputs of each are split
/// into `parts` parts.
fn conversions(a: Arithmetic, conversions: &[Conversion<'_>], parts: usize) -> Vec<u64> {
    const WORDS: usize = 4; // CONVERSION_WORDS of the kernel
    let (mut table, mut constants) = (vec![], vec![]);
    let end = WORDS * conversions.len() * parts;
    for Conversion { conv, source, target } in conversions {
        let pair = |low: usize, high: usize| low as u64 | (high as u64) << 32;
        let input = |i: usize| input_prime(a, &conv.src, i, conv.hat_inverse[i], conv.fraction[i]);
        let output = |j: usize| {
            let q = conv.dst.modulus(j);
            let factors = std::iter::once(q.neg(conv.product[j])).chain(conv.hat[j].iter().copied());
            let mut words = a.modulus(q);
            words.extend(factors.map(|w| a.right(q, w)));
            words
        };
        let (inputs, outputs) = (conv.src.len(), conv.dst.len());
        let inputs_at = end + constants.len();
        constants.extend((0..inputs).flat_map(input));
        let (outputs_at, before) = (end + constants.len(), constants.len());
        constants.extend((0..outputs).flat_map(output));
        let each = (constants.len() - before).checked_div(outputs).unwrap_or(0);
        for part in 0..parts {
            let (first, last) = (part * outputs / parts, (part + 1) * outputs / parts);
            let at = pair(inputs_at, outputs_at + first * each);
            table.extend([at, pair(inputs, last - first), pair(*source, target + first), 0]);
        }
        constants.resize(constants.len().next_multiple_of(2), 0);
    }
    table.append(&mut constants);
    table
}

impl CudaMachine {
    /// The number of coefficients of a block that needs `words` words of shared memory for each: a
    /// power of two, at most `most` and at most n. Fails if shared memory is too small for one.
    pub fn coefficients_at_once(&self, op: &'static str, n: u32, most: u32, words: usize) -> Result<u32> {
        let (mut width, shared) = (most.min(n), self.device.shared_bytes());
        while width > 0 && 8 * words * width as usize > shared {
            width /= 2;
        }
        if width > 0 || n == 0 {
            return Ok(width.max(1));
        }
        let message = format!("{op}: {words} words for one coefficient do not fit the {shared} bytes of a block");
        Err(BackendError::Device { backend: self.id.name().into(), message })
    }

    /// The constants of the transforms of these primes (`Transform` in `kernels/ntt.cuh`).
    pub fn transforms(&self, a: Arithmetic, primes: &[Arc<Prime>]) -> Result<Arc<Constant>> {
        let log_n = primes.first().map_or(0, |p| p.table().log_n());
        let key = Key::Transforms(a, log_n, primes.iter().map(|p| p.value()).collect());
        self.constant(key, || {
            let roots: Vec<_> = primes.iter().map(|p| self.roots(a, p)).collect::<std::result::Result<_, _>>()?;
            let words = primes.iter().zip(&roots).flat_map(|(p, roots)| {
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
