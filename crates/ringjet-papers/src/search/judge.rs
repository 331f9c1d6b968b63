//! Judges one candidate: bounds first, then the library's checks and a counted bootstrap.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use ringjet::params::{BootstrapChain, BootstrapSpec, UpperLevels};
use ringjet::rlwe::security::max_log_qp;
use ringjet::rlwe::{certain_security, ephemeral_security};
use ringjet::{Ciphertext, Context, EvaluationKeys, KeyPlan, ParamSpec, Parameters, SecurityLevel};
use ringjet_model::{CountingBackend, Device};

use super::tally::Asked;
use super::{Axis, Found, Limits, Options, Reason, SearchError, Shape, bound};
use crate::orders::{Evaluator, Order};

/// Upper levels by shape and number of message levels; `None` where there are none.
type Uppers = HashMap<(Shape, usize), Option<Arc<UpperLevels>>>;

/// The requirements that candidates must meet.
pub(super) struct Judge<'a> {
    pub(super) options: &'a Options,
    pub(super) device: &'a Device,
    level: SecurityLevel,
    /// The least precision in bits.
    pub(super) precision: f64,
    levels: Limits,
    dnum: Limits,
    /// Upper levels that were generated before, by the part of the shape that decides them.
    uppers: Mutex<Uppers>,
}

/// The outcome of making the parameters of a chain.
enum Made {
    Parameters(Box<Parameters>),
    /// The chain is insecure, although it passed the bound on log2(QP).
    TooLarge,
    Out(Reason),
}

impl<'a> Judge<'a> {
    pub(super) fn new(options: &'a Options, device: &'a Device, precision: f64) -> Result<Self, SearchError> {
        let level = SecurityLevel::from_bits(options.security).ok_or_else(|| SearchError::Option {
            name: "security",
            value: options.security.to_string(),
            allowed: "128, 192 and 256 bits".into(),
        })?;
        let any = Limits { parts: vec![(1.0, f64::INFINITY)] };
        let levels = options.levels.clone().unwrap_or_else(|| any.clone());
        let dnum = options.dnum.clone().unwrap_or(any);
        Ok(Self { options, device, level, precision, levels, dnum, uppers: Mutex::default() })
    }

    /// The largest allowed log2(QP), reduced by the margin; 0 if the security table has no entry
    /// for the ring.
    pub(super) fn allowed(&self, log_n: u32) -> f64 {
        f64::from(max_log_qp(log_n, self.level).unwrap_or(0)) * (1.0 - self.options.margin_percent / 100.0)
    }

    pub(super) fn asked(&self) -> Asked {
        Asked {
            levels: self.levels.to_string(),
            precision: self.precision,
            dnum: self.dnum.to_string(),
            key_bytes: self.options.max_key_bytes.unwrap_or(u64::MAX),
            capacity: self.device.capacity_bytes(),
            allowed: (10..=17).map(|log_n| (log_n, self.allowed(log_n))).collect(),
        }
    }

    fn log_slots(&self, log_n: u32) -> u32 {
        self.options.log_slots.unwrap_or(log_n - 1).min(log_n - 1)
    }

    /// Checks the bounds only. Returns the largest number of message levels that may be secure, or
    /// the reason why there is none.
    pub(super) fn prune(&self, shape: &Shape) -> Result<usize, Reason> {
        let log_n = shape.log_n();
        let chain = shape.chain(0);
        // a prime of b bits is above 2^(b - 1)
        let least = f64::from(chain.first_bits + chain.prime_bits) - 2.0;
        let worth = ephemeral_security(log_n, chain.bootstrap.secret_weight, least);
        if worth.is_none_or(|bits| certain_security(bits) < f64::from(self.level.bits())) {
            return Err(Reason::Ephemeral);
        }
        let most = bound::most_levels(&chain, self.allowed(log_n)).ok_or(Reason::Security)?;
        if self.wanted(most, shape).is_none() {
            return Err(Reason::Levels);
        }
        if bound::most_precision(&chain, self.log_slots(log_n)) < self.precision {
            return Err(Reason::Precision);
        }
        Ok(most)
    }

    /// The number of message levels to try if at most `most` are secure. It is the largest allowed
    /// number less the spare levels; if the objective is a short bootstrap, it is the smallest
    /// allowed number plus the spare levels. Each pass after the first takes one level.
    fn wanted(&self, most: usize, shape: &Shape) -> Option<usize> {
        let (passes, spare) = (shape.get(Axis::Passes) as usize, shape.spare());
        let ok = |&l: &usize| l >= passes && self.levels.contains((l + 1 - passes) as f64);
        if self.options.objective.wants_few_levels() {
            return (1..=most).find(ok).and_then(|l| (l + spare..=most).find(ok));
        }
        (1..=most.checked_sub(spare)?).rev().find(ok)
    }

    /// The counted bootstrap of a shape, or the reason why it is left out. The flag says whether
    /// the bootstrap was counted.
    pub(super) fn judge(&self, shape: &Shape) -> Result<Found, (Reason, bool)> {
        let pruned = |reason| (reason, false);
        let mut most = self.prune(shape).map_err(pruned)?;
        loop {
            let levels = self.wanted(most, shape).ok_or(pruned(Reason::Levels))?;
            let (chain, upper) = (shape.chain(levels), self.upper(shape, levels).ok_or(pruned(Reason::Chain))?);
            match self.make(&chain, &upper) {
                Made::Parameters(params) => return self.count(shape, &chain, &params),
                Made::Out(reason) => return Err(pruned(reason)),
                // the bound let an insecure chain pass: give up at the smallest number of levels,
                // else try fewer
                Made::TooLarge if self.options.objective.wants_few_levels() || levels == 1 => {
                    return Err(pruned(Reason::Security));
                }
                Made::TooLarge => most = levels + shape.spare() - 1,
            }
        }
    }

    /// The upper levels of a shape, from the cache or newly generated. Those of messages are among
    /// them where they share primes.
    fn upper(&self, shape: &Shape, levels: usize) -> Option<Arc<UpperLevels>> {
        let mut key = shape.clone();
        let levels = if shape.shared_primes { levels } else { 0 };
        for axis in [Axis::LogN, Axis::Special, Axis::Passes, Axis::Spare] {
            key.set(axis, 0);
        }
        // the scales depend on the number of levels of CoeffsToSlots only, and not on the place of
        // SlotsToCoeffs
        key.coeffs_to_slots = vec![0; shape.coeffs_to_slots.len()];
        (key.slots_to_coeffs, key.slots_to_coeffs_first) = (vec![], true);
        key.baby_steps = Default::default();
        let locked = || self.uppers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = locked().get(&(key.clone(), levels)) {
            return known.clone();
        }
        let found = shape.chain(levels).upper_levels().ok().map(Arc::new);
        locked().insert((key, levels), found.clone());
        found
    }

    fn make(&self, chain: &BootstrapChain, upper: &UpperLevels) -> Made {
        let Ok((spec, _)) = chain.generate_with(upper) else { return Made::Out(Reason::Chain) };
        match Parameters::new(&ParamSpec { security: self.options.security, ..spec }) {
            Ok(params) if params.log_qp() <= self.allowed(chain.log_n) => Made::Parameters(Box::new(params)),
            Ok(_) | Err(ringjet::Error::Insecure { .. }) => Made::TooLarge,
            Err(ringjet::Error::EphemeralSecret { .. }) => Made::Out(Reason::Ephemeral),
            Err(_) => Made::Out(Reason::Refused),
        }
    }

    /// The checks that need the parameters, and the counted bootstrap.
    fn count(&self, shape: &Shape, chain: &BootstrapChain, params: &Parameters) -> Result<Found, (Reason, bool)> {
        let pruned = |reason| (reason, false);
        if !self.dnum.contains(params.dnum() as f64) {
            return Err(pruned(Reason::Dnum));
        }
        let log_slots = self.log_slots(params.log_n());
        let order = Order { baby_steps: shape.baby_steps, ..Order::LIBRARY };
        let request = order.key_plan(params, log_slots).map_err(|_| pruned(Reason::Refused))?;
        let keys = request.sizes(params).map_err(|_| pruned(Reason::Refused))?;
        if self.options.max_key_bytes.is_some_and(|most| keys.memory_bytes > most) {
            return Err(pruned(Reason::KeyBytes));
        }
        if keys.memory_bytes > self.device.capacity_bytes() {
            return Err(pruned(Reason::Memory));
        }
        let mut found = self.run(shape, params, &request).map_err(|_| pruned(Reason::Refused))?;
        (found.key_bytes, found.key_count) = (keys.memory_bytes, keys.count);
        found.chain = Some(chain.clone());
        match () {
            () if found.peak_bytes > self.device.capacity_bytes() => Err((Reason::Memory, true)),
            () if found.precision_bits < self.precision => Err((Reason::Precision, true)),
            () => Ok(found),
        }
    }

    /// Runs one bootstrap on the counting backend.
    pub(super) fn run(&self, shape: &Shape, params: &Parameters, request: &KeyPlan) -> ringjet::Result<Found> {
        let log_slots = self.log_slots(params.log_n());
        let backend = Arc::new(CountingBackend::default());
        let ctx = Context::new(params, backend.clone());
        let eval = ringjet::Evaluator::new(&ctx, Arc::new(EvaluationKeys::uncomputed(&ctx, request)?))?;
        let order = Order { baby_steps: shape.baby_steps, ..Order::LIBRARY };
        let (eval, boot) = (Evaluator::new(eval, order), order.bootstrapper(&ctx, log_slots, |_, _| true)?);
        let input_level = params.bootstrap().map_or(0, BootstrapSpec::input_level);
        let input = Ciphertext::uncomputed(&ctx, input_level, log_slots)?;
        backend.take();
        let out = boot.bootstrap_observed(&eval, &input, self.options.real, |_| true)?;
        let estimate = backend.take().estimate(self.device);
        let levels = out.level().saturating_sub(input_level);
        let precision_bits = out.noise().precision_bits();
        let (slots, seconds) = (f64::from(log_slots).exp2(), estimate.time.total_s);
        Ok(Found {
            shape: shape.clone(),
            chain: None,
            parameters: params.clone(),
            log_slots,
            levels,
            limbs: params.limbs(params.max_level()),
            dnum: params.dnum(),
            log_qp: params.log_qp(),
            precision_bits,
            key_bytes: 0,
            key_count: 0,
            peak_bytes: estimate.peak_bytes,
            bytes: estimate.cost.bytes(),
            operations: estimate.cost.ops(),
            seconds,
            throughput: slots * levels as f64 * precision_bits / (seconds * 1e6),
        })
    }
}
