//! Sums of ciphertexts with integer weights.

use ringjet_backend::{Buf, Coeff, ViewMut};

use super::eval::{Multipliers, each, largest};
use super::modulus::{MAX_PRIMES, reduced};
use super::{Ciphertext, Evaluator};
use crate::noise::{ErrorTerm, Noise};
use crate::rlwe::KeyId;
use crate::vectors::rows::{self, Row};
use crate::vectors::{Rows, joined};
use crate::wire::Held;
use crate::{Error, Result, Scale};

impl Evaluator {
    /// The sum of `weight * a` over all terms, at the lowest of their levels. Ciphertexts of one level
    /// with the same correction factors, such as fresh ones, are read once and summed in one
    /// operation.
    /// Fails with [`Error::NotResidue`] unless weights are integers, with [`Error::Argument`] without
    /// terms, and as [`Evaluator::add_auto`] and [`Evaluator::mul_integer`] do.
    pub fn weighted_sum(&self, terms: &[(&Ciphertext, f64)]) -> Result<Ciphertext> {
        let (cts, weights): (Vec<&Ciphertext>, Vec<f64>) = terms.iter().copied().unzip();
        if are_alike(&cts)? {
            return self.sum_alike(&cts, &self.integers_of(&weights)?);
        }
        let scaled = terms.iter().map(|&(a, weight)| self.mul_scalar_auto(a, weight));
        scaled.reduce(|a, b| self.add_auto(&a?, &b?)).expect("there are terms")
    }

    /// For each row of integers the sum of `weight * ciphertext` plus its bias: [`Evaluator::weighted_sum`] of
    /// each row, and [`Evaluator::add_scalar`]. Ciphertexts of one level with the same correction factors are
    /// multiplied by all rows at once. `step` gets the number of rows that are done, and stops the work when
    /// it returns false.
    ///
    /// # Errors
    /// [`Error::Argument`] for no ciphertexts, for weights that are not whole rows, and for another number of
    /// biases than rows; [`Error::Interrupted`]; those of [`Evaluator::weighted_sum`].
    pub fn weighted_sums(
        &self,
        terms: &[&Ciphertext],
        rows: &Rows<'_>,
        mut step: impl FnMut(usize) -> bool,
    ) -> Result<Vec<Ciphertext>> {
        let alike = are_alike(terms)?;
        let count = rows.expect(terms.len())?;
        let words = if alike { terms[0].polys() * terms[0].components() * terms[0].basis().len() } else { 1 };
        let mut made = Vec::with_capacity(count);
        let blocks = rows::blocks(count, words * self.context().params().n());
        for block in blocks.flat_map(|block| if alike { vec![block] } else { block.map(|m| m..m + 1).collect() }) {
            if !step(block.start) {
                return Err(Error::Interrupted);
            }
            if alike {
                made.extend(self.rows_alike(terms, rows, block)?);
                continue;
            }
            let row: Vec<_> = terms.iter().copied().zip(rows.row(block.start, terms.len()).iter().copied()).collect();
            let (sum, added) = (self.weighted_sum(&row)?, rows.added(block.start));
            made.push(if added == 0.0 { sum } else { self.add_scalar(&sum, added)? });
        }
        Ok(made)
    }

    /// Sums of some rows over terms of one position and number of polynomials.
    fn rows_alike(
        &self,
        terms: &[&Ciphertext],
        rows: &Rows<'_>,
        block: std::ops::Range<usize>,
    ) -> Result<Vec<Ciphertext>> {
        let _scope = self.context().scope("WeightedSums");
        let (ctx, first) = (self.context(), terms[0]);
        let (basis, polys, components) = (first.basis(), first.polys(), first.components());
        let (owner, held) = self.common(terms)?;
        let weights = block.clone().map(|m| self.integers_of(rows.row(m, terms.len())));
        let weights = weights.collect::<Result<Vec<Vec<Multipliers>>>>()?;
        let added = block.clone().map(|m| match rows.added(m) {
            0.0 => Ok(([0; MAX_PRIMES], ErrorTerm::NONE)),
            c => Ok(self.constants(first, self.integer(c)?)),
        });
        let added = added.collect::<Result<Vec<_>>>()?;
        let noises = weights.iter().zip(&added).map(|(weights, (_, error))| {
            let noise = self.noise_of_sum(terms, weights).plus(*error);
            first.expect_room("weighted sums", noise).map(|()| noise)
        });
        let noises = noises.collect::<Result<Vec<Noise>>>()?;
        let mut sums = block.map(|_| ctx.alloc(components * polys * basis.len())).collect::<Result<Vec<Buf>>>()?;
        for i in 0..components {
            let integers = |row: &Vec<Multipliers>| Row::exact(row.iter().map(|by| by[i].into()).collect());
            let integers: Vec<Row> = weights.iter().map(integers).collect();
            let constants: Vec<u64> = (added.iter())
                .flat_map(|(constants, _)| {
                    (0..basis.len()).map(|limb| self.constant_residue(first, *constants, i, limb))
                })
                .collect();
            let sources: Vec<_> = terms.iter().map(|a| a.component(i)).collect();
            let part = sums.iter_mut().map(|sum| sum.view_mut(components * polys).slice(i * polys, polys));
            let mut views: Vec<ViewMut<'_>> = part.collect();
            rows::products(ctx.backend(), &mut views, &sources, &integers, &constants, basis)?;
        }
        let finished = sums.into_iter().zip(noises).zip(&added).map(|((buf, noise), (_, error))| {
            let held = if error.bound == 0.0 { held } else { held.unknown() };
            self.result_like(first, buf, polys, first.position(), noise).with_key(owner).with_held(held)
        });
        Ok(finished.collect())
    }

    /// The sum over terms of one position and number of polynomials.
    fn sum_alike(&self, terms: &[&Ciphertext], weights: &[Multipliers]) -> Result<Ciphertext> {
        let _scope = self.context().scope("WeightedSum");
        let first = terms[0];
        let (basis, polys) = (first.basis(), first.polys());
        let (owner, held) = self.common(terms)?;
        let noise = self.noise_of_sum(terms, weights);
        first.expect_room("weighted sum", noise)?;
        let buf = joined(self.context(), first.components(), polys, basis.len(), |i, dst| {
            let all: Vec<Vec<u64>> = weights.iter().map(|by| rows::residues(by[i].into(), basis).collect()).collect();
            let coefficient = |k: usize| match weights[k][i] {
                1 => Coeff::One,
                -1 => Coeff::MinusOne,
                _ => Coeff::PerLimb(&all[k]),
            };
            let terms: Vec<_> = (0..terms.len()).map(|k| (coefficient(k), terms[k].component(i))).collect();
            Ok(self.context().backend().lincomb(dst, &terms, basis, false)?)
        })?;
        Ok(self.result_like(first, buf, polys, first.position(), noise).with_key(owner).with_held(held))
    }

    /// Integer weights, centred modulo each prime of T.
    fn integers_of(&self, weights: &[f64]) -> Result<Vec<Multipliers>> {
        let params = self.context().params();
        weights.iter().map(|&w| self.integer(w).map(|w| each(params, |_, t| reduced(t, w)))).collect()
    }

    /// The owner of a sum, and which of its slots hold values. Refuses terms that cannot be added.
    fn common(&self, terms: &[&Ciphertext]) -> Result<(KeyId, Held)> {
        let (mut owner, mut held) = (self.owner(terms[0]), terms[0].held());
        for a in terms {
            self.check(a)?;
            terms[0].expect_packing(a)?;
            owner = owner.join("ciphertext", a.key_id())?;
            held = held.sum(a.held())?;
        }
        Ok((owner, held))
    }

    fn noise_of_sum(&self, terms: &[&Ciphertext], weights: &[Multipliers]) -> Noise {
        let range = self.context().params().range();
        // zero times a ciphertext has no noise, and is stated to have that of the ciphertext
        let term = |(a, by): (&&Ciphertext, &Multipliers)| {
            a.noise().scaled(largest(*by).max(1.0), 1.0, Scale::ONE).with_range(range)
        };
        terms.iter().zip(weights).map(term).reduce(Noise::sum).unwrap_or(terms[0].noise())
    }
}

/// Whether ciphertexts have one position and number of polynomials. Refuses none at all.
fn are_alike(terms: &[&Ciphertext]) -> Result<bool> {
    let first = terms.first().ok_or_else(|| Error::none("terms"))?;
    Ok(terms.iter().all(|a| a.position() == first.position() && a.polys() == first.polys()))
}
