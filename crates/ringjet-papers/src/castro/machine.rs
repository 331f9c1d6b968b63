//! Library parameters for the published model, and an evaluator that counts.

use std::sync::Arc;

use ringjet::params::{LevelSpec, ModulusSpec};
use ringjet::{Ciphertext, Context, EvaluationKeys, KeyPlan, ParamSpec, Parameters};
use ringjet_model::CountingBackend;

use super::configuration::{Algorithms, Configuration, Counted};
use super::error::PaperError;
use crate::orders::Evaluator;

const FIRST_BITS: u32 = 50;
const SCALE_BITS: u32 = 44;

impl Configuration {
    /// Parameters with the configuration's limbs and digits, one prime per level, and as many
    /// special primes as the model has at the highest level. Sizes of primes do not matter here, so
    /// they are all alike. Not secure.
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

/// An evaluator on the counting backend.
pub(super) struct Machine {
    pub(super) configuration: Configuration,
    backend: Arc<CountingBackend>,
    pub(super) eval: Evaluator,
}

impl Machine {
    /// An evaluator with keys for `rotations` and conjugation at every level, without
    /// bootstrapping.
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

    /// An evaluator with the keys of bootstrapping.
    pub(super) fn bootstrapping(configuration: Configuration, algorithms: Algorithms) -> Result<Self, PaperError> {
        let bootstrap = configuration.bootstrap_spec();
        // only the message levels have a chosen scale; above them products follow each other
        let chosen = configuration.limbs.saturating_sub(bootstrap.upper_levels());
        let scale = |l: usize| (l < chosen).then_some(1 << SCALE_BITS);
        let levels = (0..configuration.limbs).map(|l| LevelSpec { primes: (0..=l).collect(), scale: scale(l) });
        let spec = ParamSpec { levels: Some(levels.collect()), bootstrap: Some(bootstrap), ..configuration.spec()? };
        let order = algorithms.order(configuration.degree);
        let plan = |params: &Parameters| Ok(order.key_plan(params, configuration.log_n - 1)?);
        Self::with(configuration, algorithms, &spec, plan)
    }

    /// A ciphertext with `limbs` limbs.
    pub(super) fn ciphertext(&self, limbs: usize) -> Result<Ciphertext, PaperError> {
        Ok(Ciphertext::uncomputed(self.eval.context(), limbs - 1, self.configuration.log_n - 1)?)
    }

    /// The calls since the last call of `counted`.
    pub(super) fn counted(&self) -> Counted {
        let special = self.eval.context().params().p().len();
        Counted { configuration: self.configuration, special, trace: self.backend.take() }
    }
}
