//! What key switching takes from CKKS: the first matrix of CoeffsToSlots, where the keys from an
//! ephemeral secret contain it.

use ringjet_math::embed::{Coefficients, EmbedError, encode_coefficients};

use super::Parameters;
use crate::ckks::Scale;
use crate::diagonals::folded;
use crate::rlwe::ChainParameters;
use crate::{Error, Result};

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
        Ok(folded(&up.diagonals[0], 1 << log_slots))
    }

    fn keyed_diagonals(&self, log_slots: u32) -> Result<Vec<Coefficients>> {
        let [_, up] = self.bootstrap_transforms(log_slots)?;
        let growth = self.rise(log_slots)?.raised / self.raised_scale();
        let scale = (growth * Scale::from_u64(self.p().modulus(0).value())).value();
        let matrix = up.values(log_slots)?.swap_remove(0);
        let encode = |mut values: Vec<_>| {
            values.iter_mut().for_each(|z| *z = *z * FIRST_FACTOR);
            encode_coefficients(self.fft(log_slots)?, &values, self.log_n(), scale).map_err(|why| match why {
                EmbedError::OutOfMemory(refused) => refused.into(),
                why => Error::Parameters(format!("bootstrapping: the matrix in the keys: {why}")),
            })
        };
        matrix.into_values().map(encode).collect()
    }
}
