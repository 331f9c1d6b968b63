//! Linear transforms of the slots, by diagonals, baby steps and giant steps.
//!
//! `out_j = sum over k of M[j][(j + k) mod n] * x[(j + k) mod n]`: diagonal k multiplies the input
//! rotated by k. With `k = g * b + i`, the inner (baby) rotations by i are rotations of the input,
//! and each outer (giant) sum is rotated once (Algorithm PtMatVecMult of de Castro et al., ePrint
//! 2021/1636, in its baby-step giant-step form).

pub(super) mod diagonals;
pub(super) mod encoded;
pub(super) mod hoisting;
mod product;
#[cfg(test)]
mod tests;
mod values;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use ringjet_math::fft::Complex64;
use ringjet_math::memory::{expect, zeros};

use crate::circuits::Arithmetic;
use crate::diagonals::Split;
use crate::params::BootstrapSpec;
use crate::rlwe::MAX_LOG_N;
use crate::vectors::Ciphertext;
use crate::{Error, Result};
pub use diagonals::DiagonalForm;
pub use encoded::EncodedTransform;
pub(crate) use encoded::{Scales, TransformShape};
pub use values::DiagonalValues;
pub(crate) use values::turned_back;

/// The largest number of slots of a vector, or of a row of an exact scheme, in any ring.
const MOST_SLOTS: usize = 1 << (MAX_LOG_N - 1);

/// Sizes of a matrix's rows, which bound values and errors of products.
#[derive(Debug, Clone, Copy)]
pub struct Rows {
    /// The largest sum of absolute values of a row.
    pub(crate) norm: f64,
    /// The largest sum of squares of a row.
    pub(crate) squares: f64,
    pub(crate) real: bool,
    /// See [`LinearTransform::of_bootstrapping`].
    pub(crate) keeps: bool,
}

impl Rows {
    /// The rows of a factor of a Fourier transform, for which the caller knows bounds.
    pub const FOURIER: Self = Self { norm: 1.0, squares: 1.0, real: false, keeps: true };
}

/// A matrix that multiplies the vector in the slots, as its non-zero diagonals: square, with a row
/// for every slot.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearTransform {
    slots: usize,
    diagonals: BTreeMap<usize, DiagonalValues>,
    split: Split,
    /// Whether the caller knows that values within a bound stay within it, whatever the rows say.
    keeps: bool,
    /// The numbers of first slots that rows and columns reach.
    shape: (usize, usize),
    form: DiagonalForm,
}

impl LinearTransform {
    /// From diagonals: `diagonals[k][j] = M[j][(j + k) mod slots]`. `slots` is a power of two.
    pub fn from_diagonals(slots: usize, diagonals: BTreeMap<usize, Vec<Complex64>>) -> Result<Self> {
        // one after the other, so that only one is there twice
        let each = diagonals.into_iter().map(|(k, d)| Ok((k, d.try_into()?)));
        Self::from_values(slots, each.collect::<Result<_>>()?)
    }

    /// [`LinearTransform::from_diagonals`], from the form in which matrices keep their diagonals.
    pub fn from_values(slots: usize, diagonals: BTreeMap<usize, DiagonalValues>) -> Result<Self> {
        Self::expect_slots(slots)?;
        for (&k, d) in &diagonals {
            if d.len() != slots || k >= slots {
                return Err(Error::SlotCount { found: d.len().max(k), slots, max: slots });
            }
            if let Some(index) = d.iter().position(|z| !(z.re.is_finite() && z.im.is_finite())) {
                return Err(Error::NotFinite { index, value: d.at(index).re });
            }
        }
        let places: Vec<i64> = diagonals.keys().map(|&k| k as i64).collect();
        let split = Split::hoisted(&places, slots);
        Ok(Self { slots, diagonals, split, keeps: false, shape: (slots, slots), form: DiagonalForm::default() })
    }

    /// Refuses numbers of slots that no ciphertext has. Fails with [`Error::Argument`].
    pub fn expect_slots(slots: usize) -> Result<()> {
        if slots.is_power_of_two() && slots <= MOST_SLOTS {
            return Ok(());
        }
        Err(Error::argument("slots", slots, format!("a power of two, at most {MOST_SLOTS}")))
    }

    /// From a dense matrix in row-major order, `slots * slots` values; zero diagonals are left out.
    pub fn from_matrix(slots: usize, matrix: &[Complex64]) -> Result<Self> {
        Self::from_rectangle((slots, slots), matrix, slots, 1)
    }

    /// From a matrix of `rows` times `columns` in row-major order, for `slots` slots that hold
    /// `batch` vectors side by side: element i of vector b is in slot `i * batch + b`. All vectors
    /// are multiplied by the same matrix. Slots that belong to no row are zero in the product, and
    /// slots that belong to no column do not count. Zero diagonals are left out.
    ///
    /// The product takes the fewest diagonals where `slots` is the number of rows or columns,
    /// rounded up to a power of two, times `batch`.
    pub fn from_rectangle(
        (rows, columns): (usize, usize),
        matrix: &[Complex64],
        slots: usize,
        batch: usize,
    ) -> Result<Self> {
        if matrix.len() != rows.saturating_mul(columns) {
            return Err(Error::argument(
                "matrix",
                format!("{} elements", matrix.len()),
                format!("{rows} x {columns} elements"),
            ));
        }
        let needed = rows.max(columns).saturating_mul(batch);
        if batch == 0 || needed == 0 || needed > slots {
            return Err(Error::SlotCount { found: needed, slots, max: slots });
        }
        Self::expect_slots(slots)?;
        let entries = || {
            let rows = matrix.chunks_exact(columns).enumerate();
            let all = rows.flat_map(|(i, row)| row.iter().enumerate().map(move |(j, &z)| (i, j, z)));
            let nonzero = all.filter(|(.., z)| z.re != 0.0 || z.im != 0.0);
            nonzero.map(|(i, j, z)| (i, (slots + j * batch - i * batch) % slots, z))
        };
        // a tall matrix of one column has as many diagonals as rows, each as long as the slots
        let mut used = vec![false; slots];
        entries().for_each(|(_, k, _)| used[k] = true);
        let count = used.into_iter().filter(|&used| used).count();
        expect(count.saturating_mul(slots * size_of::<Complex64>()))?;
        let mut diagonals: BTreeMap<usize, Vec<Complex64>> = BTreeMap::new();
        for (i, k, z) in entries() {
            let diagonal = match diagonals.entry(k) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => place.insert(zeros(slots)?),
            };
            diagonal[i * batch..][..batch].fill(z);
        }
        Self::from_diagonals(slots, diagonals)?.with_shape((rows * batch, columns * batch))
    }

    /// States that rows reach the first `shape.0` slots, and columns the first `shape.1`. The slots
    /// after the rows are 0 in a product.
    /// Fails with [`Error::Argument`] where elements are elsewhere, or for numbers that are 0 or above
    /// the number of slots.
    pub fn with_shape(self, shape: (usize, usize)) -> Result<Self> {
        let (rows, columns) = shape;
        let within = |(&k, d): (&usize, &DiagonalValues)| {
            let mut places = d.iter().enumerate().filter(|(_, z)| z.re != 0.0 || z.im != 0.0);
            places.all(|(j, _)| j < rows && (j + k) % self.slots < columns)
        };
        let fits = [rows, columns].iter().all(|n| (1..=self.slots).contains(n));
        if fits && self.diagonals.iter().all(within) {
            return Ok(Self { shape, ..self });
        }
        let expected = format!("as many rows and columns as have elements, and at most {}", self.slots);
        Err(Error::argument("shape", format!("{rows} x {columns}"), expected))
    }

    /// The same matrix, with diagonals that are kept in this form.
    pub fn with_form(self, form: DiagonalForm) -> Self {
        Self { form, ..self }
    }

    /// How diagonals are kept for products with CKKS ciphertexts.
    pub fn form(&self) -> DiagonalForm {
        self.form
    }

    /// The numbers of first slots that rows and columns reach: all, or those of
    /// [`Self::from_rectangle`] and [`Self::with_shape`].
    pub fn shape(&self) -> (usize, usize) {
        self.shape
    }

    /// The non-zero diagonals, in the order of [`Self::from_diagonals`].
    pub fn diagonals(&self) -> &BTreeMap<usize, DiagonalValues> {
        &self.diagonals
    }

    /// The number of slots.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// A matrix of SlotsToCoeffs or, with `inverse`, of CoeffsToSlots: the coefficients of a message become
    /// slots, or the reverse, so that a bound on the values also holds after the transform.
    pub(crate) fn of_bootstrapping(mut self, boot: &BootstrapSpec, inverse: bool) -> Self {
        let places: Vec<i64> = self.diagonals.keys().map(|&k| k as i64).collect();
        (self.keeps, self.split) = (true, boot.split(inverse, &places, self.slots));
        self
    }

    pub(crate) fn rows(&self) -> Result<Rows> {
        let (mut norms, mut squares) = (zeros(self.slots)?, zeros(self.slots)?);
        for d in self.diagonals.values() {
            for ((z, norm), square) in d.iter().zip(&mut norms).zip(&mut squares) {
                *norm += z.abs();
                *square += z.re * z.re + z.im * z.im;
            }
        }
        let most = |all: Vec<f64>| all.into_iter().fold(0.0, f64::max);
        let real = self.diagonals.values().all(|d| matches!(d, DiagonalValues::Real(_)));
        Ok(Rows { norm: most(norms), squares: most(squares), real, keeps: self.keeps })
    }

    /// The inner and outer rotation of diagonal k, and its values rotated back by the outer one.
    /// These values multiply the input that is rotated by the inner step only.
    fn turned(&self, k: usize) -> Result<((i64, i64), Vec<Complex64>)> {
        let parts = self.split.of(k as i64);
        Ok((parts, turned_back(self.diagonals[&k].iter(), parts.1)?))
    }

    /// The rotations whose keys a product with this matrix needs.
    pub fn rotations(&self) -> Vec<i64> {
        self.split.rotations(&self.diagonals.keys().map(|&k| k as i64).collect::<Vec<_>>())
    }

    /// The transform of a vector of plain values.
    pub fn eval(&self, x: &[Complex64]) -> Result<Vec<Complex64>> {
        let mut out = zeros(self.slots)?;
        for (k, d) in &self.diagonals {
            for (j, o) in out.iter_mut().enumerate() {
                *o = *o + d.at(j) * x[(j + k) % self.slots];
            }
        }
        Ok(out)
    }

    /// The transform of `x`, one level down, on any scheme. Diagonals are encoded when used, and
    /// rotations share no work. On CKKS an [`EncodedTransform`](EncodedTransform) is faster.
    /// Fails with [`Error::SlotMismatch`]; [`Error::MissingRotationKey`],
    /// [`Error::MissingRotationKeys`]; the error of [`Arithmetic::expect_levels`] where levels are
    /// missing.
    pub fn apply<E: Arithmetic>(&self, eval: &E, x: &Ciphertext<E::Params>) -> Result<Ciphertext<E::Params>> {
        if x.row_slots() != self.slots {
            return Err(Error::SlotMismatch { lhs: x.row_slots(), rhs: self.slots });
        }
        eval.evaluator().expect_rotations(x, &self.rotations())?;
        eval.expect_levels("linear transform", x, 1)?;
        let mut sums: BTreeMap<i64, Ciphertext<E::Params>> = BTreeMap::new();
        let mut rotated: BTreeMap<i64, Ciphertext<E::Params>> = BTreeMap::new();
        for &k in self.diagonals.keys() {
            let ((inner, outer), values) = self.turned(k)?;
            let turned = match rotated.entry(inner) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => place.insert(eval.evaluator().rotate(x, inner)?),
            };
            let product = eval.product_values(turned, &values)?;
            let sum = match sums.remove(&outer) {
                None => product,
                Some(sum) => eval.evaluator().add_auto(&sum, &product)?,
            };
            sums.insert(outer, sum);
        }
        let turned = sums.into_iter().map(|(outer, sum)| eval.evaluator().rotate(&sum, outer));
        match turned.reduce(|a, b| eval.evaluator().add_auto(&a?, &b?)) {
            Some(sum) => eval.finish_plain(&sum?),
            None => eval.finish_plain(&eval.product_values(x, &zeros(self.slots)?)?),
        }
        .map(Ciphertext::everywhere)
    }
}
