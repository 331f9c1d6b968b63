//! What the bootstrapping of all schemes has in common: its phases, its limit, and bootstrappers that are made when needed.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::refresh::Refresh;
use crate::{Error, Range, Result};

/// A part of bootstrapping, as reported to an observer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Slots to coefficients.
    SlotsToCoeffs,
    /// To the ephemeral secret, up, and back.
    ModRaise,
    /// Coefficients to slots.
    CoeffsToSlots,
    /// Reduction modulo q_0.
    EvalMod,
}

/// The real and imaginary parts that are bootstrapped: what presets are tuned for.
const MAX_MAGNITUDE: f64 = 1.0;

/// Refuses larger values: the sine is not near a line there.
pub(super) fn expect_magnitude(values: Range) -> Result<()> {
    let magnitude = values.largest_part();
    // sums of bounds are rounded
    if magnitude <= MAX_MAGNITUDE * (1.0 + 1e-9) {
        return Ok(());
    }
    Err(Error::BootstrapMagnitude { magnitude, limit: MAX_MAGNITUDE })
}

/// A bootstrapper of one scheme, for one number of slots.
pub trait Bootstrap: Sized + fmt::Debug + Send + Sync + 'static {
    /// The scheme's evaluator.
    type Evaluator;
    /// The scheme's ciphertexts.
    type Ciphertext: Clone;

    /// Prepares for `2^log_slots` slots, where keys and parameters allow it.
    ///
    /// # Errors
    /// [`Error::NoBootstrapping`], [`Error::MissingBootstrappingKeys`], [`Error::BootstrappingSlots`],
    /// [`Error::Interrupted`] where `progress(done, total)`, which is called after each matrix, returns false.
    fn prepare(eval: &Self::Evaluator, log_slots: u32, progress: &mut dyn FnMut(usize, usize) -> bool) -> Result<Self>;

    /// Binary logarithm of the number of slots it is for.
    fn log_slots(&self) -> u32;

    /// The number of slots of a ciphertext.
    fn slots_of(a: &Self::Ciphertext) -> u32;

    /// The same message with more to spend.
    ///
    /// # Errors
    /// As the scheme's `Bootstrapper::bootstrap`.
    fn run(&self, eval: &Self::Evaluator, a: &Self::Ciphertext) -> Result<Self::Ciphertext>;

    /// What a ciphertext needs to be bootstrapped, and what it has afterwards: levels, or bits of the modulus. `None` where
    /// parameters or keys do not allow it; `made` is the bootstrapper, where there is one already.
    fn span(eval: &Self::Evaluator, log_slots: u32, made: Option<&Self>) -> Option<(usize, usize)>;

    /// Whether to bootstrap before `amount` is spent, where bootstrapping leads from `before` to `after`.
    fn is_due(a: &Self::Ciphertext, amount: usize, span: (usize, usize)) -> bool;
}

/// The bootstrappers of an evaluator and its clones, by the number of slots: each is made when it is first needed, which takes
/// seconds in large rings, or handed over.
pub struct Bootstrappers<B>(Mutex<BTreeMap<u32, Entry<B>>>);

struct Entry<B> {
    made: Option<Arc<B>>,
    /// [`Bootstrap::span`], once it is known.
    span: Option<Option<(usize, usize)>>,
}

impl<B> Default for Bootstrappers<B> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<B> Bootstrappers<B> {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u32, Entry<B>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The numbers of slots (binary logarithms) that are prepared.
    pub fn prepared(&self) -> Vec<u32> {
        self.lock().iter().filter(|(_, entry)| entry.made.is_some()).map(|(&log_slots, _)| log_slots).collect()
    }
}

impl<B: Bootstrap> Bootstrappers<B> {
    /// The bootstrapper for `2^log_slots` slots. Where it is to be made, `progress(done, total)` is called after each matrix
    /// and stops the work when it returns false.
    ///
    /// # Errors
    /// As [`Bootstrap::prepare`].
    pub fn get(
        &self,
        eval: &B::Evaluator,
        log_slots: u32,
        mut progress: impl FnMut(usize, usize) -> bool,
    ) -> Result<Arc<B>> {
        if let Some(made) = self.lock().get(&log_slots).and_then(|entry| entry.made.clone()) {
            return Ok(made);
        }
        // not while it is locked: `progress` may use the evaluator
        let made = Arc::new(B::prepare(eval, log_slots, &mut progress)?);
        self.insert(Arc::clone(&made));
        Ok(made)
    }

    /// Hands over a bootstrapper for its number of slots.
    pub fn insert(&self, made: Arc<B>) {
        self.lock().insert(made.log_slots(), Entry { made: Some(made), span: None });
    }

    fn span(&self, eval: &B::Evaluator, log_slots: u32) -> Option<(usize, usize)> {
        let mut all = self.lock();
        let entry = all.entry(log_slots).or_insert(Entry { made: None, span: None });
        *entry.span.get_or_insert_with(|| B::span(eval, log_slots, entry.made.as_deref()))
    }
}

/// What an evaluator of either scheme offers once [`Bootstrappers`] are attached to it.
macro_rules! evaluator_methods {
    ($evaluator:ty, $bootstrapper:ty, $ciphertext:ty) => {
        impl $evaluator {
            fn attached(&self) -> $crate::Result<&$crate::circuits::Bootstrappers<$bootstrapper>> {
                let refresh = self.refresh().map(|refresh| refresh as &dyn std::any::Any);
                refresh.and_then(<dyn std::any::Any>::downcast_ref).ok_or_else($crate::circuits::no_bootstrappers)
            }

            /// What bootstraps ciphertexts of `2^log_slots` slots: prepared at the first call, which takes seconds in large
            /// rings, or given by `set_bootstrapper`.
            ///
            /// # Errors
            /// As [`Bootstrap::prepare`](crate::circuits::Bootstrap::prepare); [`Error::Argument`](crate::Error::Argument)
            /// for an evaluator that was not made by `Bootstrapper::evaluator`.
            pub fn bootstrapper(&self, log_slots: u32) -> $crate::Result<std::sync::Arc<$bootstrapper>> {
                self.bootstrapper_observed(log_slots, |_, _| true)
            }

            /// The same; where it is to be made, `progress(done, total)` is called after each matrix and stops the work when
            /// it returns false.
            ///
            /// # Errors
            /// As there; [`Error::Interrupted`](crate::Error::Interrupted).
            pub fn bootstrapper_observed(
                &self,
                log_slots: u32,
                progress: impl FnMut(usize, usize) -> bool,
            ) -> $crate::Result<std::sync::Arc<$bootstrapper>> {
                self.attached()?.get(self, log_slots, progress)
            }

            /// Hands over what bootstraps ciphertexts of its number of slots, to this evaluator and its clones.
            ///
            /// # Errors
            /// [`Error::Argument`](crate::Error::Argument) for an evaluator that was not made by `Bootstrapper::evaluator`.
            pub fn set_bootstrapper(&self, made: std::sync::Arc<$bootstrapper>) -> $crate::Result<()> {
                self.attached()?.insert(made);
                Ok(())
            }

            /// The numbers of slots (binary logarithms) that are prepared for bootstrapping.
            pub fn bootstrappers(&self) -> Vec<u32> {
                self.attached().map_or(vec![], |all| all.prepared())
            }

            /// Whether there are keys to bootstrap with, and bootstrappers are attached.
            pub fn can_bootstrap(&self) -> bool {
                self.attached().is_ok() && self.keys().can_bootstrap()
            }

            /// The same message with more to spend: what [`bootstrapper`](Self::bootstrapper) makes of it.
            ///
            /// # Errors
            /// As there, and as `Bootstrapper::bootstrap`.
            pub fn bootstrap(&self, a: &$ciphertext) -> $crate::Result<$ciphertext> {
                $crate::refresh::Refresh::refresh(self.attached()?, self, a)
            }
        }
    };
}
pub(super) use evaluator_methods;

/// The refusal of an evaluator that has no bootstrappers.
pub(crate) fn no_bootstrappers() -> Error {
    let (value, expected) = ("one without bootstrappers".into(), "one made by Bootstrapper::evaluator".into());
    Error::Argument { name: "evaluator", value, expected }
}

impl<B> fmt::Debug for Bootstrappers<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bootstrappers({:?})", self.prepared())
    }
}

impl<B: Bootstrap> Refresh<B::Evaluator, B::Ciphertext> for Bootstrappers<B> {
    fn refresh(&self, eval: &B::Evaluator, a: &B::Ciphertext) -> Result<B::Ciphertext> {
        self.get(eval, B::slots_of(a), |_, _| true)?.run(eval, a)
    }

    fn before_spending(&self, eval: &B::Evaluator, a: &B::Ciphertext, amount: usize) -> Result<B::Ciphertext> {
        match self.span(eval, B::slots_of(a)) {
            Some(span) if B::is_due(a, amount, span) => self.refresh(eval, a),
            _ => Ok(a.clone()),
        }
    }
}
