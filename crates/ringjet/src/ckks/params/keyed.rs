//! What key switching takes from CKKS: the first matrix of CoeffsToSlots, where the keys from an
//! ephemeral secret contain it.

use ringjet_math::embed::{Coefficients, EmbedError, encode_coefficients};
use ringjet_math::fft::Complex64;

use super::Parameters;
use crate::ckks::Scale;
use crate::diagonals::folded;
use crate::rlwe::ChainParameters;
use crate::{Error, Result};

/// A diagonal for n slots, followed by the product with u = (1 | -i) in 2 n slots, in which the values
/// repeat. The real part of the matrix's result is (real parts | imaginary parts).
pub(crate) fn turned_apart(mut diagonal: Vec<Complex64>) -> Vec<Complex64> {
    diagonal.extend_from_within(..);
    let half = diagonal.len() / 2;
    diagonal[half..].iter_mut().for_each(|z| *z = Complex64::new(z.im, -z.re));
    diagonal
}

/// The factor of the first matrix of CoeffsToSlots: the sum with the conjugate doubles the real part.
pub(crate) const FIRST_FACTOR: f64 = 0.5;

impl ChainParameters for Parameters {
    fn ephemeral_weight(&self) -> Option<usize> {
        self.bootstrap().map(|boot| boot.secret_weight as usize)
    }

    fn has_matrix_keys(&self) -> bool {
        self.bootstrap().is_some_and(|boot| boot.matrix_keys)
    }

    fn keyed_rotations(&self, log_slots: u32) -> Result<Vec<i64>> {
        let [_, up] = self.bootstrap_transforms(log_slots)?;
        let all = folded(&up.diagonals[0], 1 << log_slots);
        let copies: &[i64] = if self.expect_bootstrap()?.is_keyed_whole() { &[0, 1 << log_slots] } else { &[0] };
        Ok(copies.iter().flat_map(|copy| all.iter().map(move |k| k + copy)).collect())
    }

    fn keyed_diagonals(&self, log_slots: u32) -> Result<Vec<Coefficients>> {
        let [_, up] = self.bootstrap_transforms(log_slots)?;
        let whole = self.expect_bootstrap()?.is_keyed_whole();
        // the sum with the rotation by n doubles the scale
        let growth = self.rise(log_slots)?.raised / self.raised_scale() / Scale::from_u64(if whole { 2 } else { 1 });
        let scale = (growth * Scale::from_u64(self.p().modulus(0).value())).value();
        let matrix = up.values(log_slots)?.swap_remove(0).into_values();
        let encode = |log_slots, mut values: Vec<Complex64>| {
            values.iter_mut().for_each(|z| *z = *z * FIRST_FACTOR);
            encode_coefficients(self.fft(log_slots)?, &values, self.log_n(), scale).map_err(|why| match why {
                EmbedError::OutOfMemory(refused) => refused.into(),
                why => Error::Parameters(format!("bootstrapping: the matrix in the keys: {why}")),
            })
        };
        if !whole {
            return matrix.map(|values| encode(log_slots, values)).collect();
        }
        let once = matrix.map(|values| encode(log_slots + 1, turned_apart(values))).collect::<Result<Vec<_>>>()?;
        Ok([once.clone(), once].concat())
    }
}
