//! Products of rows with a matrix of short integers, in double precision (`kernels/gemm.cuh`).

use std::sync::Arc;

use ringjet_backend::{Gemm, Result, ViewMut};
use ringjet_math::{Basis, Cut};

use crate::constants::{Constant, Key};
use crate::device::{Block, Grid};
use crate::launch::{self, LIST_WORDS, Limbs, List};
use crate::machine::CudaMachine;
use crate::memory::{NO_LIMBS, Place, number};
use crate::modarith::F64Modulus;

const OP: &str = "gemm";

/// Rows and words of a thread; these must equal the constants of the same names in `kernels/gemm.cuh`.
const GEMM_ROWS: usize = 8;
const GEMM_WORDS: usize = 4;
/// Threads of a block, by the table of kernels.
const THREADS: usize = 128;
/// Most groups of rows of a block. The other threads share the words.
const MOST_GROUPS: usize = 8;

/// Most rows and most columns of a launch: its list has an address for each.
const MOST_ROWS: usize = 128;
const MOST_COLUMNS: usize = LIST_WORDS - MOST_ROWS;

/// Bytes of shared memory of a block, so that a multiprocessor has room for two, and most columns there.
const SHARED: usize = 96 << 10;
const MOST_STEP: usize = 32;

/// Words of a row's factor in one limb (`RowFactor` in `kernels/gemm.cuh`).
const FACTOR_WORDS: usize = 4;

/// Implements [`ringjet_backend::Backend::gemm`] for primes below 2^50. The caller has checked the operands.
pub fn gemm(m: &CudaMachine, dst: &[ViewMut<'_>], gemm: &Gemm<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
    let rows = dst.iter().map(|dst| m.target(OP, dst)).collect::<Result<Vec<_>>>()?;
    let sources = gemm.src.iter().map(|&src| m.source(OP, src)).collect::<Result<Vec<_>>>()?;
    let Some(polys) = dst.first().map(|dst| dst.polys()).filter(|&polys| polys > 0) else { return Ok(()) };
    let mut columns = alike(&sources, MOST_COLUMNS);
    if columns.is_empty() {
        columns.push(vec![]);
    }
    let cuts = cuts(m, gemm, basis)?;
    let padded = rows.len().next_multiple_of(GEMM_ROWS * MOST_GROUPS);
    let mut words = Vec::with_capacity(padded * (sources.len() + FACTOR_WORDS * basis.len()));
    let mut blocks = vec![];
    for group in alike(&rows, MOST_ROWS) {
        let tiles = Tiles::new(m, group.len(), basis.n());
        let at = words.len();
        factors(gemm, basis, &group, &mut words);
        let weights: Vec<usize> =
            columns.iter().map(|some| tiles.pack(|row| gemm.row(row), &group, some, &mut words)).collect();
        blocks.push((group, tiles, at, weights));
    }
    let memory = m.with_room(|| Block::with(&m.device, &words))?;
    for (group, tiles, factors, weights) in &blocks {
        for (j, (some, &at)) in columns.iter().zip(weights).enumerate() {
            let places = group.iter().map(|&r| &rows[r]).chain(some.iter().map(|&k| &sources[k]));
            let list = List::new(&places.map(|place| place.limbs.words.0).collect::<Vec<_>>());
            let (first, src) = (rows[group[0]].limbs, some.first().map_or(NO_LIMBS, |&k| sources[k].limbs));
            let (count, terms) = (number(OP, "rows", group.len())?, number(OP, "columns", some.len())?);
            let plus = j == 0 && !gemm.constants.is_empty();
            let (factors, at) = (memory.at().offset(*factors), memory.at().offset(at));
            let (cuts, step) = (cuts.at(), tiles.step as u32);
            m.queue(tiles.grid(basis, polys), |d, grid| {
                let again = accumulate || j > 0;
                let (w, plus, again) = (m.width(), plus.into(), again.into());
                launch::gemm(d, w, grid, first, src, list, cuts, factors, at, count, terms, step, plus, again)
            })?;
        }
    }
    Ok(())
}

/// The places that differ in their address alone, by their indices, at most `most` of them in a group.
fn alike(places: &[Place<'_>], most: usize) -> Vec<Vec<usize>> {
    let mut groups: Vec<(Limbs, Vec<usize>)> = vec![];
    for (i, place) in places.iter().enumerate() {
        let same = |a: &Limbs| {
            let b = &place.limbs;
            (a.chosen, a.stride, a.polys, a.n) == (b.chosen, b.stride, b.polys, b.n)
        };
        match groups.iter_mut().find(|(first, _)| same(first)) {
            Some((_, group)) => group.push(i),
            None => groups.push((place.limbs, vec![i])),
        }
    }
    let parts = |(_, group): (Limbs, Vec<usize>)| {
        let each = group.len().div_ceil(group.len().div_ceil(most));
        group.chunks(each).map(<[usize]>::to_vec).collect::<Vec<_>>()
    };
    groups.into_iter().flat_map(parts).collect()
}

/// How the residues of each prime are cut.
fn cuts(m: &CudaMachine, gemm: &Gemm<'_>, basis: &Basis) -> Result<Arc<Constant>> {
    let largest = gemm.weights.iter().map(|w| w.unsigned_abs()).max().unwrap_or(0);
    let cuts: Vec<Cut> = basis.values().map(|q| Cut::new(q, largest)).collect();
    m.words(Key::Cuts(basis.values().collect(), cuts.iter().map(|cut| cut.terms).collect()), || {
        let words = |(i, cut): (usize, &Cut)| {
            let (q, unit) = (basis.modulus(i).value() as f64, (1u64 << cut.bits) as f64);
            [q, 1.0 / q, unit, unit / q, 1.0 / unit].map(f64::to_bits).into_iter().chain([cut.terms as u64])
        };
        cuts.iter().enumerate().flat_map(words).collect()
    })
}

/// Appends the factors and constants of these rows.
fn factors(gemm: &Gemm<'_>, basis: &Basis, rows: &[usize], words: &mut Vec<u64>) {
    let limbs = basis.len();
    for (&row, i) in rows.iter().flat_map(|row| (0..limbs).map(move |i| (row, i))) {
        let q = basis.modulus(i);
        let plus = q.center(gemm.constant(row, 0, i, limbs)) as f64;
        let factor: [u64; FACTOR_WORDS - 2] = F64Modulus::constant(q, gemm.factor(row, i, limbs)).words();
        words.extend(factor.into_iter().chain([plus.to_bits(), 0]));
    }
}

/// How a launch is cut into blocks.
#[derive(Debug, PartialEq, Eq)]
struct Tiles {
    /// Number of tiles of rows.
    count: usize,
    /// Groups of rows of a block, and threads that share the words of each.
    groups: usize,
    width: usize,
    /// Columns in shared memory at a time.
    step: usize,
}

impl Tiles {
    /// For a launch of `rows` rows of polynomials with n words: with few rows a block has more words.
    fn new(m: &CudaMachine, rows: usize, n: usize) -> Self {
        let groups = rows.div_ceil(GEMM_ROWS).next_power_of_two().min(MOST_GROUPS);
        let width = (THREADS / groups).min(n / GEMM_WORDS);
        let step = SHARED.min(m.device.shared_bytes()) / bytes_of_a_column(groups, width);
        Self { count: rows.div_ceil(GEMM_ROWS * groups), groups, width, step: step.min(MOST_STEP) }
    }

    /// Rows of a tile.
    fn rows(&self) -> usize {
        GEMM_ROWS * self.groups
    }

    /// Appends the weights of some rows and columns as the kernel reads them. Returns where they begin.
    fn pack<'a>(
        &self,
        row: impl Fn(usize) -> &'a [i32],
        rows: &[usize],
        columns: &[usize],
        words: &mut Vec<u64>,
    ) -> usize {
        let at = words.len();
        words.resize(at + self.count * self.rows() * columns.len(), 0);
        let tiles = words[at..].chunks_mut((self.rows() * columns.len()).max(1));
        for (rows, tile) in rows.chunks(self.rows()).zip(tiles) {
            let rows: Vec<&[i32]> = rows.iter().map(|&m| row(m)).collect();
            for (column, &k) in tile.chunks_exact_mut(self.rows()).zip(columns) {
                column.iter_mut().zip(&rows).for_each(|(weight, row)| *weight = f64::from(row[k]).to_bits());
            }
        }
        at
    }

    fn grid(&self, basis: &Basis, polys: usize) -> Grid {
        let Self { count, groups, width, step } = *self;
        Grid {
            blocks: [basis.n() / (GEMM_WORDS * width), basis.len(), polys * count].map(|x| x as u32),
            threads: [width as u32, groups as u32],
            shared: (step * bytes_of_a_column(groups, width)) as u32,
        }
    }
}

/// Bytes of shared memory for a column: both halves of its words, and its weights.
fn bytes_of_a_column(groups: usize, width: usize) -> usize {
    8 * (2 * GEMM_WORDS * width + GEMM_ROWS * groups)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;
    use crate::emulator::Emulator;

    fn machine(shared: usize) -> CudaMachine {
        CudaMachine::new("test", Arc::new(Emulator::new(1 << 20).with_shared(shared)) as Arc<dyn Device>, 100, true)
    }

    #[test]
    fn blocks_have_all_threads_and_fit_shared_memory() {
        for shared in [48 << 10, 99 << 10, 227 << 10] {
            let m = machine(shared);
            for rows in 1..=MOST_ROWS {
                for log_n in 3..=17 {
                    let (tiles, n) = (Tiles::new(&m, rows, 1 << log_n), 1usize << log_n);
                    let threads = tiles.width * tiles.groups;
                    assert!(threads == THREADS || 4 * tiles.width == n, "{rows} rows, 2^{log_n}: {tiles:?}");
                    assert!(threads <= THREADS && n.is_multiple_of(GEMM_WORDS * tiles.width));
                    let bytes = tiles.step * bytes_of_a_column(tiles.groups, tiles.width);
                    assert!(tiles.step > 0 && bytes <= shared.min(SHARED), "{rows} rows, 2^{log_n}: {tiles:?}");
                    assert!((tiles.count - 1) * tiles.rows() < rows && rows <= tiles.count * tiles.rows());
                }
            }
        }
    }

    #[test]
    fn weights_are_packed_by_tiles_and_columns() {
        let weights: Vec<i32> = (0..60).map(|w| w - 7).collect();
        let row = |m: usize| &weights[3 * m..][..3];
        let tiles = Tiles { count: 2, groups: 1, width: 2, step: 1 };
        let (rows, mut words) = ([4, 0, 9, 1, 2, 3, 5, 6, 7], vec![1, 2]);
        assert_eq!(tiles.pack(row, &rows, &[2, 0], &mut words), 2);
        assert_eq!(words.len(), 2 + 2 * 8 * 2);
        let weight = |tile: usize, column: usize, r: usize| f64::from_bits(words[2 + 16 * tile + 8 * column + r]);
        for (at, &m) in rows.iter().enumerate() {
            for (column, k) in [2, 0].into_iter().enumerate() {
                assert_eq!(weight(at / 8, column, at % 8), f64::from(row(m)[k]), "row {m}, column {k}");
            }
        }
        assert!((1..8).all(|r| weight(1, 0, r) == 0.0 && weight(1, 1, r) == 0.0), "rows beyond the last");
    }
}
