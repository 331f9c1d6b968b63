//! Where the rotations by baby steps are divided by P.

use std::collections::BTreeSet;

use crate::Parameters;

/// Where the rotations by baby steps are divided by P, the product of the special primes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hoisting {
    /// Each of them: products are over Q_l.
    Single,
    /// None: products are over `P ++ Q_l`, and the sum of each giant step is divided.
    Double,
}

impl Hoisting {
    /// The one that takes fewer multiplications for a product with a matrix at `level`, given the inner
    /// and the outer rotation of each diagonal. It does not depend on how diagonals are kept, so that
    /// the products do not.
    ///
    /// Both forms decompose the input and the sum of each giant step. Double hoisting has a product of
    /// both polynomials for each diagonal and special prime more, and divides one polynomial of each
    /// giant step's sum; single hoisting divides both polynomials of each baby step. A division
    /// transforms all limbs, each with `log2(N) / 2` multiplications a word, and converts the limbs of P
    /// to those of Q_l. Memory traffic is not counted: which one is faster on a GPU has not been measured.
    pub fn cheapest(params: &Parameters, level: usize, places: &[(i64, i64)]) -> Self {
        let steps =
            |of: fn(&(i64, i64)) -> i64| places.iter().map(of).filter(|&r| r != 0).collect::<BTreeSet<_>>().len();
        let (babies, giants) = (steps(|place| place.0), steps(|place| place.1));
        let (special, limbs) = (params.p().len(), params.level(level).basis.len());
        let division = (special + limbs) * params.log_n() as usize / 2 + special * limbs;
        let [single, double] = [2 * babies * division, 2 * places.len() * special + giants * division];
        if single < double { Self::Single } else { Self::Double }
    }
}
