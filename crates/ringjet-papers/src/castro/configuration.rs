//! Parameter sets and algorithms of the published model (de Castro et al., ePrint 2021/1636; see
//! the module above). The algorithms are options of the library.

use ringjet::params::BootstrapSpec;
use ringjet_model::Trace;
use serde::Serialize;

use crate::orders::{BabySteps, Hoisting, Order};

/// A parameter set, in the terms of the published model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Configuration {
    /// Binary logarithm of the ring degree.
    pub log_n: u32,
    /// L: limbs of a ciphertext after ModRaise.
    pub limbs: usize,
    /// The number of digits of key switching.
    pub dnum: usize,
    /// fftIter: levels of CoeffsToSlots, and of SlotsToCoeffs.
    pub iterations: u32,
    /// The degree of the polynomial in EvalMod.
    pub degree: usize,
    /// The number of double-angle steps after the polynomial.
    pub double_angles: u32,
}

impl Configuration {
    /// Table XI, "Baseline"; Tables IV to VIII use the same parameters.
    pub const BASELINE: Self = Self { log_n: 17, limbs: 35, dnum: 3, iterations: 3, degree: 63, double_angles: 2 };

    /// Table XI, "Best-case".
    pub const BEST: Self = Self { limbs: 40, dnum: 2, iterations: 6, ..Self::BASELINE };

    /// Table XII, row of Jung et al.: a polynomial of degree 31 and three double-angle steps.
    pub const JUNG: Self = Self { degree: 31, double_angles: 3, ..Self::BASELINE };

    /// Table XII, row of Bossuat et al.
    pub const BOSSUAT: Self = Self { log_n: 16, limbs: 31, dnum: 5, iterations: 4, ..Self::BASELINE };

    /// Limbs after bootstrapping; `None` if there are too few limbs to bootstrap.
    pub fn limbs_out(&self) -> Option<usize> {
        let spec = self.bootstrap_spec();
        self.limbs.checked_sub(spec.upper_levels()).filter(|&limbs| limbs > 0)
    }

    /// The bootstrapping circuit: stages split as evenly as possible, the larger levels last, and
    /// SlotsToCoeffs at the end.
    pub(super) fn bootstrap_spec(&self) -> BootstrapSpec {
        let (count, levels) = (self.log_n.saturating_sub(1), self.iterations.max(1));
        let stages: Vec<u32> = (0..levels).map(|i| count / levels + u32::from(levels - i <= count % levels)).collect();
        BootstrapSpec {
            slots_to_coeffs: stages.clone(),
            coeffs_to_slots: stages,
            slots_to_coeffs_first: false,
            // the paper evaluates the polynomial level by level, which takes one level more: as
            // many as a polynomial of this degree takes here
            degree: 2 * self.degree + 1,
            double_angles: self.double_angles,
            ..BootstrapSpec::standard(self.log_n, levels)
        }
    }
}

/// The algorithm of matrix products.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum MatrixProducts {
    /// Baby steps from one decomposition, giant steps one by one: the baseline.
    BabyGiant,
    /// Double hoisting: only giant steps are divided by P (Bossuat et al.).
    DoubleHoisted,
    /// No giant steps and one division by P (Algorithm 8).
    SingleStep,
}

/// Algorithms that change the computation, not only what is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Algorithms {
    /// The algorithm of matrix products.
    pub products: MatrixProducts,
    /// Whether the division by P and the rescaling of a product are merged (Algorithm 7).
    pub merged: bool,
}

impl Algorithms {
    /// The algorithms of Section II of the paper.
    pub const BASELINE: Self = Self { products: MatrixProducts::BabyGiant, merged: false };

    /// The algorithms of Section V of the paper.
    pub const BEST: Self = Self { products: MatrixProducts::SingleStep, merged: true };

    /// The same algorithms as an order of the library, with a cosine polynomial of this degree.
    pub(super) fn order(self, degree: usize) -> Order {
        let (hoisting, baby_steps) = match self.products {
            MatrixProducts::BabyGiant => (Hoisting::Single, BabySteps::Root),
            MatrixProducts::DoubleHoisted => (Hoisting::DoubleRescaled, BabySteps::Root),
            MatrixProducts::SingleStep => (Hoisting::Double, BabySteps::Each),
        };
        Order { hoisting, baby_steps, merged_rescaling: self.merged, levelled: Some(degree), ..Order::LIBRARY }
    }
}

/// The calls of a program, and the number of special primes.
#[derive(Debug, Clone)]
pub struct Counted {
    /// The parameters of the program.
    pub configuration: Configuration,
    /// The number of special primes in the library's parameters.
    pub special: usize,
    /// The recorded calls.
    pub trace: Trace,
}
