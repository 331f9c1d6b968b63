//! The common parts of bootstrapping in all schemes: its phases, its checks, and bootstrappers that
//! are made at their first use.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use crate::host::lock;
use crate::rlwe::keyswitch::{EvaluationKeys, Key, KeyPlan};
use crate::rlwe::{Context, SchemeParameters};
use crate::vectors::{Ciphertext, Evaluator, Refresh, Refreshed, Vectors};
use crate::{Error, Result};

/// A part of bootstrapping, as reported to an observer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Slots to coefficients.
    SlotsToCoeffs,
    /// To the ephemeral secret, to the large modulus, and back to the main secret.
    ModRaise,
    /// Coefficients to slots.
    CoeffsToSlots,
    /// Reduction modulo q_0.
    EvalMod,
}

/// Largest real and imaginary part that is bootstrapped; the presets are tuned for it.
const MAX_MAGNITUDE: f64 = 1.0;

/// Refuses objects of other parameters than `ctx`, ciphertexts that are not bootstrapped with
/// `2^log_slots` slots or have fewer than `needed` levels or bits, and values for which the sine is not
/// nearly linear.
pub(super) fn check<P: Bootstraps>(
    ctx: &Context<P>,
    log_slots: u32,
    needed: usize,
    eval: &Evaluator<P>,
    ct: &Ciphertext<P>,
) -> Result<()> {
    ctx.params().ring().expect_same("evaluator", eval.context().params().ring())?;
    eval.check(ct)?;
    if ctx.params().bootstrapped_by(ct.log_slots()) != log_slots {
        return Err(Error::SlotMismatch { lhs: ct.slots(), rhs: 1 << log_slots });
    }
    let (unit, left) = (P::UNIT, P::left(ct.position()));
    if left < needed {
        return Err(Error::ModulusExhausted { op: "bootstrapping", unit, needed, left });
    }
    let magnitude = ct.noise().range().largest_part();
    // bounds are sums, which are rounded
    if magnitude <= MAX_MAGNITUDE * (1.0 + 1e-9) {
        return Ok(());
    }
    Err(Error::BootstrapMagnitude { magnitude, limit: MAX_MAGNITUDE })
}

/// Applies `run` to groups of `at_once` ciphertexts. After each group `done` gets the number of
/// finished ciphertexts and stops the work by returning false.
pub(super) fn in_groups<C>(
    cts: &[&C],
    at_once: usize,
    mut run: impl FnMut(&[&C]) -> Result<Vec<C>>,
    mut done: impl FnMut(usize) -> bool,
) -> Result<Vec<C>> {
    let mut out = Vec::with_capacity(cts.len());
    for group in cts.chunks(at_once) {
        out.extend(run(group)?);
        if !done(out.len()) {
            return Err(Error::Interrupted);
        }
    }
    Ok(out)
}

/// Parameters of a scheme that has bootstrapping.
pub trait Bootstraps: Vectors {
    /// The type that bootstraps ciphertexts of one number of slots.
    type Bootstrapper: fmt::Debug + Send + Sync + 'static;

    /// Binary logarithm of the slots of the bootstrapper for ciphertexts of `2^log_slots` slots: as many,
    /// or more where there is none for so few.
    fn bootstrapped_by(&self, log_slots: u32) -> u32 {
        log_slots
    }

    /// The keys that bootstrapping ciphertexts of `2^log_slots` slots needs.
    /// Fails with [`Error::NoBootstrapping`], [`Error::SlotCount`], [`Error::Argument`] for too many
    /// slots.
    fn key_plan(&self, log_slots: u32) -> Result<KeyPlan>;

    /// Refuses a number of slots that these parameters do not bootstrap.
    /// Fails as [`Bootstraps::key_plan`] does.
    fn expect_bootstrapping(&self, log_slots: u32) -> Result<()> {
        self.key_plan(log_slots).map(|_| ())
    }

    /// Makes the bootstrapper for `2^log_slots` slots; calls `progress(done, total)` for each
    /// matrix.
    /// Fails as [`Bootstraps::expect_bootstrapping`] does, and with [`Error::Interrupted`] where
    /// `progress` returns false.
    fn prepare(ctx: &Context<Self>, log_slots: u32, progress: Observer<'_>) -> Result<Self::Bootstrapper>;

    /// Binary logarithm of the number of slots that `made` is for.
    fn log_slots(made: &Self::Bootstrapper) -> u32;

    /// Bootstraps `a`: the same message with more levels or bits. Fails as the scheme's
    /// `Bootstrapper::bootstrap` does.
    fn run(made: &Self::Bootstrapper, eval: &Evaluator<Self>, a: &Ciphertext<Self>) -> Result<Ciphertext<Self>>;

    /// The levels, or bits of modulus, that a ciphertext needs to be bootstrapped and that it has
    /// afterwards. `None` where parameters or keys do not allow bootstrapping. `made` is the
    /// bootstrapper, if there is one already.
    fn span(eval: &Evaluator<Self>, log_slots: u32, made: Option<&Self::Bootstrapper>) -> Option<(usize, usize)>;

    /// Whether to bootstrap `a` before `amount` is spent; `span` is that of [`Bootstraps::span`].
    fn is_due(a: &Ciphertext<Self>, amount: usize, span: (usize, usize)) -> bool;
}

/// Called with the numbers of prepared and of all matrices; returns false to stop.
pub(crate) type Observer<'a> = &'a mut dyn FnMut(usize, usize) -> bool;

/// The bootstrappers of an evaluator and its clones, by the number of slots. Each one is made at
/// its first use, which takes seconds in large rings, or set by the caller.
pub struct Bootstrappers<P: Bootstraps> {
    made: Mutex<BTreeMap<u32, Entry<P::Bootstrapper>>>,
    /// What was refreshed by the way, once somebody watches.
    watched: Mutex<Option<Vec<Refreshed>>>,
}

struct Entry<B> {
    made: Option<Arc<B>>,
    /// [`Bootstraps::span`], once it is known.
    span: Option<Option<(usize, usize)>>,
}

impl<P: Bootstraps> Bootstrappers<P> {
    fn prepared(&self) -> Vec<u32> {
        lock(&self.made).iter().filter(|(_, entry)| entry.made.is_some()).map(|(&log_slots, _)| log_slots).collect()
    }

    fn get(&self, eval: &Evaluator<P>, log_slots: u32, progress: Observer<'_>) -> Result<Arc<P::Bootstrapper>> {
        let log_slots = eval.context().params().bootstrapped_by(log_slots);
        if let Some(made) = lock(&self.made).get(&log_slots).and_then(|entry| entry.made.clone()) {
            return Ok(made);
        }
        eval.keys().expect_bootstrapping(log_slots)?;
        // the lock is not held meanwhile, since `progress` may use the evaluator
        let made = Arc::new(P::prepare(eval.context(), log_slots, progress)?);
        self.insert(Arc::clone(&made));
        Ok(made)
    }

    fn insert(&self, made: Arc<P::Bootstrapper>) {
        lock(&self.made).insert(P::log_slots(&made), Entry { made: Some(made), span: None });
    }

    fn span(&self, eval: &Evaluator<P>, log_slots: u32) -> Option<(usize, usize)> {
        let log_slots = eval.context().params().bootstrapped_by(log_slots);
        let mut all = lock(&self.made);
        let entry = all.entry(log_slots).or_insert(Entry { made: None, span: None });
        *entry.span.get_or_insert_with(|| P::span(eval, log_slots, entry.made.as_deref()))
    }
}

impl<P: Bootstraps> fmt::Debug for Bootstrappers<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bootstrappers({:?})", self.prepared())
    }
}

impl<P: Bootstraps> Refresh<P> for Bootstrappers<P> {
    fn refresh(&self, eval: &Evaluator<P>, a: &Ciphertext<P>) -> Result<Ciphertext<P>> {
        if let Some(watched) = &mut *lock(&self.watched) {
            watched.push(Refreshed { left: P::left(a.position()), log_slots: a.log_slots() });
        }
        P::run(&*self.get(eval, a.log_slots(), &mut |_, _| true)?, eval, a)
    }

    fn before_spending(&self, eval: &Evaluator<P>, a: &Ciphertext<P>, amount: usize) -> Result<Ciphertext<P>> {
        match self.span(eval, a.log_slots()) {
            Some(span) if P::is_due(a, amount, span) => self.refresh(eval, a),
            _ => Ok(a.clone()),
        }
    }
}

impl<K: Key> EvaluationKeys<K>
where
    K::Params: Bootstraps<Key = K>,
{
    /// The numbers of slots (binary logarithms) for which the parameters can bootstrap and all keys
    /// exist. Keys for one number of slots may serve others. Numbers without a bootstrapper of their own,
    /// see [`Bootstraps::bootstrapped_by`], are not listed.
    pub fn bootstrapping(&self) -> Vec<u32> {
        let own = |l| self.params().bootstrapped_by(l) == l && self.params().expect_bootstrapping(l).is_ok();
        let ready = |&l: &u32| self.is_complete(l) && own(l);
        (0..self.params().ring().log_n()).filter(ready).collect()
    }

    /// Whether the keys can bootstrap any number of slots.
    pub fn can_bootstrap(&self) -> bool {
        !self.bootstrapping().is_empty()
    }

    /// Whether no key for bootstrapping `2^log_slots` slots is missing.
    pub(super) fn is_complete(&self, log_slots: u32) -> bool {
        let complete = |plan: KeyPlan| self.has_ephemeral_of(&plan) && self.missing(&plan).is_empty();
        self.params().key_plan(log_slots).is_ok_and(complete)
    }

    /// Refuses slots that these keys cannot bootstrap; the error names the numbers that they can.
    /// Fails with [`Error::NoBootstrapping`], [`Error::MissingBootstrappingKeys`].
    pub fn expect_bootstrapping(&self, log_slots: u32) -> Result<()> {
        self.params().expect_bootstrapping(log_slots)?;
        if self.is_complete(log_slots) {
            return Ok(());
        }
        let available = self.bootstrapping().iter().map(|l| 1 << l).collect();
        Err(Error::MissingBootstrappingKeys { slots: 1 << log_slots, available })
    }
}

/// Methods of an evaluator to which [`Bootstrappers`] are attached.
impl<P: Bootstraps> Evaluator<P> {
    /// Makes an evaluator that bootstraps automatically where the keys for it exist.
    /// Fails as [`Evaluator::new`] does.
    pub fn bootstrapping(ctx: &Context<P>, keys: Arc<EvaluationKeys<P::Key>>) -> Result<Self> {
        Ok(Self::new(ctx, keys)?
            .with_refresh(Arc::new(Bootstrappers::<P> { made: Mutex::default(), watched: Mutex::default() })))
    }

    fn attached(&self) -> Result<&Bootstrappers<P>> {
        let expected = "one made by Evaluator::bootstrapping";
        let none = || Error::argument("evaluator", "one without bootstrappers", expected);
        let refresh = self.refresh().map(|refresh| refresh as &dyn Any);
        refresh.and_then(<dyn Any>::downcast_ref).ok_or_else(none)
    }

    /// The bootstrapper for ciphertexts of `2^log_slots` slots. It is made at the first call, which
    /// takes seconds in large rings, or set by `set_bootstrapper`.
    ///
    /// # Errors
    /// [`Error::NoBootstrapping`], [`Error::MissingBootstrappingKeys`]; [`Error::Argument`] for an evaluator that was not made by
    /// [`Evaluator::bootstrapping`].
    pub fn bootstrapper(&self, log_slots: u32) -> Result<Arc<P::Bootstrapper>> {
        self.bootstrapper_observed(log_slots, |_, _| true)
    }

    /// [`Self::bootstrapper`] with progress: while the bootstrapper is made, `progress(done,
    /// total)` is called after each matrix and stops the work when it returns false. Fails as that
    /// does, and with [`Error::Interrupted`].
    pub(crate) fn bootstrapper_observed(
        &self,
        log_slots: u32,
        mut progress: impl FnMut(usize, usize) -> bool,
    ) -> Result<Arc<P::Bootstrapper>> {
        self.attached()?.get(self, log_slots, &mut progress)
    }

    /// Sets the bootstrapper for its number of slots, in this evaluator and its clones.
    /// Fails with [`Error::Argument`] for an evaluator that was not made by
    /// [`Evaluator::bootstrapping`].
    pub fn set_bootstrapper(&self, made: Arc<P::Bootstrapper>) -> Result<()> {
        self.attached()?.insert(made);
        Ok(())
    }

    /// The numbers of slots (binary logarithms) for which bootstrappers have been made.
    pub(crate) fn bootstrappers(&self) -> Vec<u32> {
        self.attached().map_or(vec![], Bootstrappers::prepared)
    }

    /// From now on remembers what operations refresh by the way, for [`Evaluator::bootstrapped`].
    pub(crate) fn watch_bootstraps(&self) {
        if let Ok(attached) = self.attached() {
            *lock(&attached.watched) = Some(Vec::new());
        }
    }

    /// What operations of a watched evaluator and its clones refreshed since the last call.
    pub(crate) fn bootstrapped(&self) -> Vec<Refreshed> {
        let watched = self.attached().ok().and_then(|attached| lock(&attached.watched).as_mut().map(std::mem::take));
        watched.unwrap_or_default()
    }

    /// Whether bootstrapping keys exist and bootstrappers are attached.
    pub fn can_bootstrap(&self) -> bool {
        self.attached().is_ok() && self.keys().can_bootstrap()
    }

    /// Bootstraps `a`: the same message with more levels or bits, by the
    /// [`bootstrapper`](Self::bootstrapper) for its number of slots. Fails as that and
    /// `Bootstrapper::bootstrap` do.
    pub fn bootstrap(&self, a: &Ciphertext<P>) -> Result<Ciphertext<P>> {
        self.attached()?.refresh(self, a)
    }
}
