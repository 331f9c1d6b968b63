//! What ciphertexts keep of the server that computes on them.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use pyo3::prelude::*;
use ringjet::any::{self, Evaluator};

use crate::backend::{MODEL, Machine};
use crate::errors::{argument, raise, run};
use crate::model::Model;
use crate::progress::Progress;

/// A server, as its ciphertexts share it.
pub struct Inner {
    pub eval: Evaluator,
    pub keys: any::EvaluationKeys,
    pub machine: Machine,
    /// Where it counts instead of computing.
    pub model: Option<Model>,
}

impl Inner {
    /// Makes what bootstraps `2^log_slots` slots, unless it is there.
    pub fn prepare(&self, log_slots: u32, step: &mut Step<'_>) -> PyResult<()> {
        self.expect_bootstrapping()?;
        run(|| self.eval.prepare(log_slots, step))
    }

    /// What counts, or why nothing does.
    pub fn counted(&self, method: &'static str) -> PyResult<&Model> {
        self.model.as_ref().ok_or_else(|| {
            let name = self.machine.name();
            let expected = format!("{MODEL} for {method}(): rj.Server(backend=\"{MODEL}\", params=...) counts");
            argument("backend", name, &expected)
        })
    }

    pub fn expect_bootstrapping(&self) -> PyResult<()> {
        self.machine.check()?;
        self.eval.expect_bootstrapping().map_err(raise)
    }

    /// The same values with more to spend. `progress` is told of the phases; it, or Ctrl-C, stops
    /// the work between two of them.
    pub fn bootstrap(&self, ct: &any::Ciphertext, real: bool, mut progress: Progress) -> PyResult<any::Ciphertext> {
        self.prepare_for(std::slice::from_ref(ct))?;
        let made = run(|| self.eval.bootstrap(ct, real, |done, total| progress.step(done, total)));
        progress.finish(made)
    }

    /// Makes the matrices for the first of these, and refuses others' ciphertexts; Ctrl-C stops it.
    pub fn prepare_for(&self, cts: &[any::Ciphertext]) -> PyResult<()> {
        cts.iter().try_for_each(|ct| self.keys.expect(ct)).map_err(raise)?;
        let Some(log_slots) = cts.first().map(any::Ciphertext::log_slots) else { return Ok(()) };
        let mut interrupted = Progress::silent();
        let made = self.prepare(log_slots, &mut |_, _| interrupted.step(0, 0));
        interrupted.finish(made)
    }
}

/// Called with (done, total); false stops the work.
pub type Step<'a> = dyn FnMut(usize, usize) -> bool + Send + 'a;

/// Servers that are alive, for ciphertexts that come out of a pickle.
static ALIVE: Mutex<Vec<Weak<Inner>>> = Mutex::new(Vec::new());

pub fn enlist(inner: &Arc<Inner>) {
    ALIVE.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(inner));
}

pub fn alive() -> Vec<Arc<Inner>> {
    let mut alive = ALIVE.lock().unwrap_or_else(PoisonError::into_inner);
    alive.retain(|s| s.strong_count() > 0);
    alive.iter().filter_map(Weak::upgrade).collect()
}
