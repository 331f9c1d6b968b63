//! Products of matrices whose rows are polynomials.
//!
//! Modulo a prime, polynomials in `X^d` have one value in each class of d leaves: the points that are zeros of
//! one factor `X^d - z` of `X^N + 1`. A class has a product of d x d matrices of residues. In the first factor
//! the last `log2 d` layers of the transform are inverted, which gives the coefficients of `X^i`. The second
//! factor and the result stay in the evaluation domain, since the products are linear in their rows.

use std::ops::Range;

use ringjet_backend::{Result, View, ViewMut, check};
use ringjet_math::Basis;
use ringjet_math::ntt::LOG_TILE;

use crate::kernels::dispatch;
use crate::kernels::field::Field;
use crate::machine::CpuMachine;
use crate::operands::class_shape::ClassShape;
use crate::operands::views::Source;
use crate::system::instrument::Counted;

/// Words of a vector of the evaluation domain.
const LANES: usize = 8;

/// Leaves of a tile that are in one lane.
const COLUMN: usize = (1 << LOG_TILE) / LANES;

/// How the words of some classes lie in memory.
#[derive(Clone, Copy)]
struct Groups {
    /// Rows of a matrix.
    rows: usize,
    /// Words of a group: one class, or several classes whose words alternate.
    words: usize,
    lanes: usize,
    /// Whether all lanes have the same class.
    single: bool,
}

impl Groups {
    fn new(log_n: u32, rows: usize) -> Self {
        let (words, lanes) = match () {
            () if log_n < LOG_TILE => (rows, 1),
            () if rows <= COLUMN => (rows * LANES, LANES),
            () => (rows.max(1 << LOG_TILE), LANES),
        };
        Self { rows, words, lanes, single: words == rows }
    }

    /// The word of leaf `leaf` of class `class` of a group.
    fn word(self, class: usize, leaf: usize) -> usize {
        let at = class * self.rows + leaf;
        match () {
            () if self.lanes == 1 => at,
            () if self.rows <= COLUMN => LANES * leaf + class,
            () => (at >> LOG_TILE << LOG_TILE) + LANES * (at % COLUMN) + at / COLUMN % LANES,
        }
    }

    /// The number of a class of the group that starts at word `start`, counted in the order of leaves.
    fn class(self, start: usize, class: usize) -> usize {
        if self.lanes == 1 || self.rows > COLUMN {
            return start / self.rows + class;
        }
        let (tile, within) = (start >> LOG_TILE << LOG_TILE, start % (1 << LOG_TILE) / LANES);
        (tile + COLUMN * class + within) / self.rows
    }

    /// The lanes that have this class.
    fn lanes_of(self, class: usize) -> Range<usize> {
        if self.single {
            return 0..1;
        }
        let each = self.lanes * self.rows / self.words;
        class * each..(class + 1) * each
    }

    fn shape(self) -> ClassShape {
        let (columns, lanes) = (self.words / self.lanes, if self.single { 1 } else { self.lanes });
        ClassShape { rows: self.rows, columns, lanes: self.lanes, left_lanes: lanes }
    }
}

/// [`ringjet_backend::Backend::class_products`].
pub fn class_products(
    m: &CpuMachine,
    dst: &mut [ViewMut<'_>],
    a: &[View<'_>],
    b: &[View<'_>],
    basis: &Basis,
) -> Result<()> {
    const OP: &str = "class_products";
    check::class_products(OP, dst, [a, b], basis)?;
    let secret = dst.iter().any(|dst| dst.buf().is_secret());
    let [left, right] = [a, b].map(|rows| rows.first().map_or(0, |row| row.polys()));
    let a = a.iter().map(|&row| m.source(OP, row)).collect::<Result<Vec<_>>>()?;
    let b = b.iter().map(|&row| m.source(OP, row)).collect::<Result<Vec<_>>>()?;
    let rows = dst.iter_mut().map(|row| m.target(OP, row.reborrow())).collect::<Result<Vec<_>>>()?;
    let (fields, limbs, n) = (m.fields.of(basis)?, basis.len(), basis.n());
    let factors: Vec<[u64; 2]> = fields.iter().map(|f| f.class_factor(rows.len())).collect();
    let groups = Groups::new(basis.log_n(), rows.len());
    let shape = groups.shape();
    let (first, second) = (shape.left_words(), shape.right_words());
    let scratch = m.worker_scratch(left * first + right * second + rows.len(), secret)?;
    let products = rows.len() * left * right;
    m.threads.run(limbs * (n / groups.words), products * rows.len() * limbs * n, |worker, task| {
        let (i, start) = (task % limbs, task / limbs * groups.words);
        let f = &fields[i];
        f.counters.count(Counted::Products, || products * rows.len() * groups.words);
        // SAFETY: a worker has one task at a time.
        let words = &mut unsafe { scratch.of(worker) }[..left * first + right * second + rows.len()];
        let (lefts, rest) = words.split_at_mut(left * first);
        let (rights, class) = rest.split_at_mut(right * second);
        for (p, to) in lefts.chunks_exact_mut(first).enumerate() {
            let words = start..start + groups.words;
            a.iter().enumerate().for_each(|(j, a)| {
                pack_left((f, factors[i]), groups, a.part(p, i, words.clone()), (start, j), class, to)
            });
        }
        for (p, to) in rights.chunks_exact_mut(second).enumerate() {
            pack_right(shape, &b, |row| row.part(p, i, start..start + groups.words), to);
        }
        for (p, x) in lefts.chunks_exact(first).enumerate() {
            for (r, y) in rights.chunks_exact(second).enumerate() {
                dispatch::class_products(f, shape, x, y, |row, from, words| {
                    // SAFETY: every polynomial, limb and range of words occurs in one task only.
                    let to = unsafe { rows[row].part(right * p + r, i, start + from, start + from + words.len()) };
                    to.copy_from_slice(words);
                });
            }
        }
    });
    Ok(())
}

/// Inverts the layers of the transform in each class of row `j` and packs the coefficients.
fn pack_left(
    (f, factor): (&Field, [u64; 2]),
    g: Groups,
    row: &[u64],
    (start, j): (usize, usize),
    class: &mut [u64],
    to: &mut [u64],
) {
    let shape = g.shape();
    for k in 0..g.words / g.rows {
        class.iter_mut().enumerate().for_each(|(leaf, x)| *x = row[g.word(k, leaf)]);
        f.coefficients_of_class(g.class(start, k), factor, class);
        for (coefficient, &x) in class.iter().enumerate() {
            let at = shape.left(coefficient, j);
            to[at..at + shape.left_lanes][g.lanes_of(k)].fill(x);
        }
    }
}

/// Packs the words of a group of all rows.
fn pack_right<'s>(shape: ClassShape, rows: &[Source<'s>], part: impl Fn(&Source<'s>) -> &'s [u64], to: &mut [u64]) {
    let each = shape.columns_at_once() * shape.lanes;
    for (j, row) in rows.iter().enumerate() {
        for (block, words) in part(row).chunks_exact(each).enumerate() {
            to[(block * shape.rows + j) * each..][..each].copy_from_slice(words);
        }
    }
}
