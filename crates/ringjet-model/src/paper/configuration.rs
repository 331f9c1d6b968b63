//! What is counted: parameter sets of the published model, and its algorithms, as options of the library.

use ringjet::circuits::paper::{BabySteps, Hoisting, Order};
use ringjet::params::BootstrapSpec;
use serde::Serialize;

use crate::Trace;

/// Parameters, in the published model's terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Configuration {
    /// Binary logarithm of the ring degree.
    pub log_n: u32,
    /// L: limbs of a ciphertext whose modulus has been raised.
    pub limbs: usize,
    /// Digits of key switching.
    pub dnum: usize,
    /// fftIter: levels of each of the two transforms.
    pub iterations: u32,
    /// Of the polynomial in EvalMod.
    pub degree: usize,
    /// Double-angle steps after it.
    pub double_angles: u32,
}

impl Configuration {
    /// Table XI, "Baseline": that of Tables IV to VIII.
    pub const BASELINE: Self = Self { log_n: 17, limbs: 35, dnum: 3, iterations: 3, degree: 63, double_angles: 2 };

    /// Table XI, "Best-case".
    pub const BEST: Self = Self { limbs: 40, dnum: 2, iterations: 6, ..Self::BASELINE };

    /// Table XII, Jung et al.: a polynomial of degree 31 and three double-angle steps.
    pub const JUNG: Self = Self { degree: 31, double_angles: 3, ..Self::BASELINE };

    /// Table XII, Bossuat et al.
    pub const BOSSUAT: Self = Self { log_n: 16, limbs: 31, dnum: 5, iterations: 4, ..Self::BASELINE };

    /// Limbs after bootstrapping; none where there are too few to bootstrap.
    pub fn limbs_out(&self) -> Option<usize> {
        let spec = self.bootstrap_spec();
        self.limbs.checked_sub(spec.upper_levels()).filter(|&limbs| limbs > 0)
    }

    /// The circuit: stages as even as they get, the larger ones last, and SlotsToCoeffs at the end.
    pub(super) fn bootstrap_spec(&self) -> BootstrapSpec {
        let (count, levels) = (self.log_n.saturating_sub(1), self.iterations.max(1));
        let stages: Vec<u32> = (0..levels).map(|i| count / levels + u32::from(levels - i <= count % levels)).collect();
        BootstrapSpec {
            slots_to_coeffs: stages.clone(),
            coeffs_to_slots: stages,
            slots_to_coeffs_first: false,
            // level by level, the polynomial takes a level more: as many as one of this degree
            degree: 2 * self.degree + 1,
            double_angles: self.double_angles,
            ..BootstrapSpec::standard(self.log_n, levels)
        }
    }
}

/// How matrices are multiplied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum MatrixProducts {
    /// Baby steps from one decomposition, giant steps by themselves: the baseline.
    BabyGiant,
    /// Divisions by P for giant steps only (Bossuat et al.).
    DoubleHoisted,
    /// No giant steps, one division (Algorithm 8).
    SingleStep,
}

/// Algorithms that change what is computed, not only what is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Algorithms {
    /// How matrices are multiplied.
    pub products: MatrixProducts,
    /// Whether the division by P and the rescaling of a product are one (Algorithm 7).
    pub merged: bool,
}

impl Algorithms {
    /// Those of Section II.
    pub const BASELINE: Self = Self { products: MatrixProducts::BabyGiant, merged: false };

    /// Those of Section V.
    pub const BEST: Self = Self { products: MatrixProducts::SingleStep, merged: true };

    /// As an order of the library's, with a cosine of this degree.
    pub(super) fn order(self, degree: usize) -> Order {
        let (hoisting, baby_steps) = match self.products {
            MatrixProducts::BabyGiant => (Hoisting::Single, BabySteps::Root),
            MatrixProducts::DoubleHoisted => (Hoisting::DoubleRescaled, BabySteps::Root),
            MatrixProducts::SingleStep => (Hoisting::Double, BabySteps::Each),
        };
        Order { hoisting, baby_steps, merged_rescaling: self.merged, levelled: Some(degree), ..Order::LIBRARY }
    }
}

/// What a program did, and with how many special primes.
#[derive(Debug, Clone)]
pub struct Counted {
    /// Of these parameters.
    pub configuration: Configuration,
    /// Special primes of the library's parameters.
    pub special: usize,
    /// The calls.
    pub trace: Trace,
}
