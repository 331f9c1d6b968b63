//! Products of encrypted matrices, many at a time: one ciphertext for a row of all matrices.
//!
//! Let d be a power of two up to N/2 and `Z = X^d`. The ring is `sum over j < d of X^j R'` with
//! `R' = Z[Z]/(Z^(N/d) + 1)`, so a polynomial is a row of d elements of R', and an element of R' has N/(2d)
//! complex values. Row i of N/(2d) matrices is `sum over j of X^j M_ij(Z)`; its slot u holds
//! `sum over j of z^(j 5^u) M^(u mod N/(2d))_ij`, where z is the root of unity of slot 0.
//!
//! A product with the secret s is linear over R', so it is a product with a matrix S. Let A be sent transposed:
//! `A = B_A + S^T A_A` and `B = B_B + A_B S`, where the rows of `B_B` and `A_B` are the two polynomials of the
//! ciphertexts, and those of `B_A` and `A_A` are transposed. Then, after Park, "Ciphertext-Ciphertext Matrix
//! Multiplication: Fast for Large Matrices" (ePrint 2025/448),
//!
//! ```text
//! A B = (B_A B_B + B_A A_B S) + S^T (A_A B_B + A_A A_B S)
//! ```
//!
//! The first bracket is a ciphertext for each row. The second one, E, is multiplied by S^T from the left:
//! transposed, multiplied by S from the right (by s, with a relinearisation), and transposed again.

mod noise;
mod transpose;

use ringjet_backend::{Buf, Coeff, View, ViewMut};

use super::ciphertext::Position;
use super::{Ciphertext, Evaluator};
use crate::noise::Noise;
use crate::rlwe::keyswitch::{SwitchTail, apply};
use crate::vectors::Operations;
use crate::{Error, Result};
use noise::Shape;

impl Evaluator {
    /// The rows of the transposed matrices, from the rows of d x d matrices. Level and scale stay. It takes the
    /// keys of [`transposition_steps`] and `d - 1` key switches. No entry is larger than `entries`, which the
    /// caller states: the bound on values rests on it.
    ///
    /// # Errors
    /// [`Error::Argument`] where the number of rows is not a power of two up to N/2, or a row has fewer slots
    /// than N/2; [`Error::MissingRotationKeys`]; those of [`Evaluator::add_auto`].
    pub fn transpose_rows(&self, rows: &[&Ciphertext], entries: f64) -> Result<Vec<Ciphertext>> {
        let _scope = self.context().scope("Transpose");
        let rows = self.aligned("transposition", rows)?;
        self.expect_size(&rows[0], rows.len())?;
        expect_bounds(&[entries])?;
        self.expect_rotations(&rows[0], &transposition_steps(rows.len(), rows[0].slots()))?;
        let views: Vec<View<'_>> = rows.iter().map(|row| row.view()).collect();
        let shape = Shape::new(&rows[0], rows.len());
        let noise = shape.transposed(&rows, entries);
        let made = self.transposed(&views, rows[0].level())?;
        self.results(&rows, made, rows[0].position(), noise)
    }

    /// The rows of the products A B of d x d matrices: `columns` are the columns of A, so the rows of A
    /// transposed, and `rows` the rows of B. The result is one level below the lowest operand. It takes the keys
    /// of [`transposition_steps`] and of relinearisation, and `3 d - 2` key switches. No entry of A is larger than
    /// `entries[0]`, none of B larger than `entries[1]`: the caller states that, and the estimate of errors and
    /// the bound on values rest on it.
    ///
    /// # Errors
    /// As [`Evaluator::transpose_rows`]; [`Error::ModulusExhausted`] at level 0; [`Error::Overflow`] where the
    /// entries of the products could wrap around the modulus.
    pub fn mul_rows(
        &self,
        columns: &[&Ciphertext],
        rows: &[&Ciphertext],
        entries: [f64; 2],
    ) -> Result<Vec<Ciphertext>> {
        let _scope = self.context().scope("MatrixProduct");
        let all: Vec<&Ciphertext> = columns.iter().chain(rows).copied().collect();
        let (all, d) = (self.aligned("product of matrices", &all)?, rows.len());
        if columns.len() != d {
            return Err(Error::argument("columns", columns.len(), format!("{d}, as many as rows")));
        }
        expect_bounds(&entries)?;
        let (first, level) = (&all[0], all[0].level());
        self.expect_size(first, d)?;
        let plan = self.context().params().level(level).rescale.as_ref();
        let plan = plan.ok_or(Error::levels_exhausted("product of matrices", 1, level))?;
        self.expect_product(level)?;
        self.keys().relinearization()?;
        self.expect_rotations(first, &transposition_steps(d, first.slots()))?;
        let (a, b) = all.split_at(d);
        let noise = Shape::new(first, d).product(a, b, entries)?;
        let products = self.products(a, b)?;
        let late: Vec<View<'_>> = products.iter().map(|row| row.view(4).slice(2, 2)).collect();
        let times_s = self.times_secret(self.transposed(&late, level)?, level)?;
        let views: Vec<View<'_>> = times_s.iter().map(|row| row.view(2)).collect();
        let rest = self.transposed(&views, level - 1)?;
        let sums = products.iter().zip(rest).map(|(product, rest)| {
            let mut sum = self.context().alloc(2 * plan.dst.len())?;
            let early = product.view(4).slice(0, 2);
            self.context().backend().divide_round(sum.view_mut(2), early, plan, Some(rest.view(2)))?;
            Ok(sum)
        });
        let sums = sums.collect::<Result<Vec<Buf>>>()?;
        let scale = self.context().params().scale(level - 1);
        self.results(&all, sums, Position { level: level - 1, scale }, noise)
    }

    /// For each row the polynomials `B_A B_B`, `B_A A_B`, `A_A B_B` and `A_A A_B`.
    fn products(&self, a: &[Ciphertext], b: &[Ciphertext]) -> Result<Vec<Buf>> {
        let basis = a[0].basis();
        let mut made = a.iter().map(|_| self.context().alloc(4 * basis.len())).collect::<Result<Vec<Buf>>>()?;
        let [a, b] = [a, b].map(|rows| rows.iter().map(|row| row.view()).collect::<Vec<_>>());
        let mut views: Vec<ViewMut<'_>> = made.iter_mut().map(|buf| buf.view_mut(4)).collect();
        self.context().backend().class_products(&mut views, &a, &b, basis)?;
        Ok(made)
    }

    /// Multiplies pairs of polynomials by the secret, relinearises and rescales.
    fn times_secret(&self, pairs: Vec<Buf>, level: usize) -> Result<Vec<Buf>> {
        let (ctx, plans) = (self.context(), self.context().params().level(level));
        let division = plans.mod_down_rescale.as_ref().ok_or(Error::levels_exhausted("relinearize", 1, level))?;
        let (key, limbs) = (self.keys().relinearization()?, plans.basis.len());
        let mut add = ctx.alloc(2 * limbs)?;
        ctx.backend().lincomb(add.view_mut(2).poly(0), &[], &plans.basis, false)?;
        let one = |pair: Buf| {
            // t0 s + t1 s^2 has the polynomials (0, t0, t1)
            ctx.backend().copy(add.view_mut(2).poly(1), pair.view(2).poly(0))?;
            let mut made = ctx.alloc(2 * division.dst.len())?;
            let finish = SwitchTail { add: add.view(2), division, automorphism: None };
            apply(ctx, made.view_mut(2), &plans.mod_up, pair.view(2).poly(1), level, key, finish)?;
            Ok(made)
        };
        pairs.into_iter().map(one).collect()
    }

    /// The operands of an operation on matrices at one level and scale, all with two polynomials and N/2 slots.
    fn aligned(&self, op: &'static str, rows: &[&Ciphertext]) -> Result<Vec<Ciphertext>> {
        let lowest = rows.iter().min_by_key(|row| row.level()).ok_or_else(|| Error::none("rows"))?;
        let mut made = Vec::with_capacity(rows.len());
        for row in rows {
            self.check_degree(op, row)?;
            let (row, lowest) = Operations::align(self, row, lowest)?;
            self.check_pair(op, &row, &lowest)?;
            made.push(row);
        }
        Ok(made)
    }

    fn expect_size(&self, row: &Ciphertext, rows: usize) -> Result<()> {
        let most = self.context().params().n() / 2;
        if row.slots() != most {
            return Err(Error::argument("slots", row.slots(), format!("{most}, the most slots")));
        }
        if !rows.is_power_of_two() || rows > most {
            return Err(Error::argument("rows", rows, format!("a power of two up to {most}")));
        }
        Ok(())
    }

    fn results(&self, from: &[Ciphertext], made: Vec<Buf>, at: Position, noise: Noise) -> Result<Vec<Ciphertext>> {
        let mut owner = self.owner(&from[0]);
        for row in from {
            owner = owner.join("ciphertext", row.key_id())?;
        }
        let one = |buf| self.result_like(&from[0], buf, 2, at, noise).with_key(owner).everywhere();
        Ok(made.into_iter().map(one).collect())
    }
}

/// The rotations whose keys transpose d x d matrices in ciphertexts of N/2 `slots`.
pub fn transposition_steps(rows: usize, slots: usize) -> Vec<i64> {
    (1..rows).map(|k| (k * (slots / rows.max(1))) as i64).collect()
}

fn expect_bounds(entries: &[f64]) -> Result<()> {
    match entries.iter().find(|entry| !(entry.is_finite() && **entry >= 0.0)) {
        Some(entry) => Err(Error::argument("entries", entry, "bounds on absolute values")),
        None => Ok(()),
    }
}

/// `dst = a + b` or `a - b`.
fn sum_into(eval: &Evaluator, dst: ViewMut<'_>, a: View<'_>, b: View<'_>, minus: bool, level: usize) -> Result<()> {
    let basis = &eval.context().params().level(level).basis;
    let sign = if minus { Coeff::MinusOne } else { Coeff::One };
    Ok(eval.context().backend().lincomb(dst, &[(Coeff::One, a), (sign, b)], basis, false)?)
}
