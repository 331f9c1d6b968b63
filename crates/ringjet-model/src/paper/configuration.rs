//! What is counted: parameter sets of the published model, as the library's own parameters, and its algorithms, as options of
//! the library.

use std::sync::Arc;

use ringjet::circuits::paper::{BabySteps, Evaluator, Hoisting, Order};
use ringjet::params::{BootstrapSpec, LevelSpec, ModulusSpec};
use ringjet::{Ciphertext, Context, EvaluationKeys, KeyPlan, ParamSpec, Parameters};
use serde::Serialize;

use super::PaperError;
use crate::{CountingBackend, Trace};

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
    fn bootstrap_spec(&self) -> BootstrapSpec {
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

    /// As many limbs and digits as stated, one prime a level; sizes of primes do not count here, so they are all alike, and
    /// special primes as many as the highest level has in the model. Not secure.
    fn spec(&self) -> Result<ParamSpec, PaperError> {
        if self.dnum == 0 || self.limbs == 0 || self.limbs > 120 {
            return Err(PaperError::Configuration(*self));
        }
        let alpha = self.limbs.div_ceil(self.dnum);
        let mut left = self.limbs;
        let mut digits = vec![];
        while left > 0 {
            digits.push(alpha.min(left));
            left -= alpha.min(left);
        }
        let mut bits = vec![SCALE_BITS; self.limbs];
        bits[0] = FIRST_BITS;
        let uniform = ParamSpec::uniform(self.log_n, FIRST_BITS, self.limbs - 1, SCALE_BITS, alpha + 1);
        Ok(ParamSpec { q: ModulusSpec::Bits(bits), digits: Some(digits), ..uniform }.allow_insecure())
    }
}

const FIRST_BITS: u32 = 50;
const SCALE_BITS: u32 = 44;

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

/// An evaluator that counts.
pub(super) struct Machine {
    pub(super) configuration: Configuration,
    backend: Arc<CountingBackend>,
    pub(super) eval: Evaluator,
}

impl Machine {
    /// With keys for these rotations and conjugation at every level, without bootstrapping.
    pub(super) fn new(
        configuration: Configuration,
        algorithms: Algorithms,
        rotations: &[i64],
    ) -> Result<Self, PaperError> {
        let plan = |_: &Parameters| Ok(KeyPlan::rotations(rotations.iter().copied()).conjugation());
        Self::with(configuration, algorithms, &configuration.spec()?, plan)
    }

    fn with(
        configuration: Configuration,
        algorithms: Algorithms,
        spec: &ParamSpec,
        plan: impl FnOnce(&Parameters) -> Result<KeyPlan, PaperError>,
    ) -> Result<Self, PaperError> {
        let backend = Arc::new(CountingBackend::default());
        let ctx = Context::new(&Parameters::new(spec)?, backend.clone());
        let keys = EvaluationKeys::uncomputed(&ctx, &plan(ctx.params())?)?;
        let eval = ringjet::Evaluator::new(&ctx, Arc::new(keys))?;
        let eval = Evaluator::new(eval, algorithms.order(configuration.degree));
        Ok(Self { configuration, backend, eval })
    }

    /// With the keys of bootstrapping.
    pub(super) fn bootstrapping(configuration: Configuration, algorithms: Algorithms) -> Result<Self, PaperError> {
        let bootstrap = configuration.bootstrap_spec();
        // products follow each other above the levels of messages alone
        let chosen = configuration.limbs.saturating_sub(bootstrap.upper_levels());
        let scale = |l: usize| (l < chosen).then_some(1 << SCALE_BITS);
        let levels = (0..configuration.limbs).map(|l| LevelSpec { primes: (0..=l).collect(), scale: scale(l) });
        let spec = ParamSpec { levels: Some(levels.collect()), bootstrap: Some(bootstrap), ..configuration.spec()? };
        let order = algorithms.order(configuration.degree);
        let plan = |params: &Parameters| Ok(order.key_plan(params, configuration.log_n - 1)?);
        Self::with(configuration, algorithms, &spec, plan)
    }

    /// A ciphertext of so many limbs.
    pub(super) fn ciphertext(&self, limbs: usize) -> Result<Ciphertext, PaperError> {
        Ok(Ciphertext::uncomputed(self.eval.context(), limbs - 1, self.configuration.log_n - 1)?)
    }

    /// What was done since the last call.
    pub(super) fn counted(&self) -> Counted {
        let special = self.eval.context().params().p().len();
        Counted { configuration: self.configuration, special, trace: self.backend.take() }
    }
}
