//! Ciphertexts with their servers, and the list of living servers.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use pyo3::prelude::*;
use ringjet::Unit;
use ringjet::dynamic::{Ciphertext, Context, EvaluationKeys, Evaluator};
use ringjet::program::{Recorder, Seen, Value};

use crate::backend::{MODEL, OpenBackend};
use crate::bytes;
use crate::errors::{argument, raise, raise_as, run};
use crate::model::Model;
use crate::params::{mark, property};
use crate::profile::Profile;
use crate::progress::Progress;

/// Whether errors of the standard deviation `2**-bits` drown values of at most `magnitude`: no
/// digit is right.
#[pyfunction]
pub fn drowned(bits: f64, magnitude: f64) -> bool {
    ringjet::ckks::drowned(bits, magnitude)
}

/// As text, the precision of values of at most `magnitude` whose errors have the standard deviation
/// `2**-bits`.
#[pyfunction]
pub fn precision_text(bits: f64, magnitude: f64) -> String {
    ringjet::ckks::precision_text(bits, magnitude)
}

/// A ciphertext in the memory of a backend, and the server that computes on it.
#[derive(Clone)]
pub struct LoadedCiphertext {
    pub ct: Ciphertext,
    pub backend: OpenBackend,
    pub server: Option<Arc<Inner>>,
    /// Of a ciphertext of a recording server.
    pub trace: Option<Trace>,
}

/// What a recording server knows of a ciphertext.
#[derive(Clone)]
pub struct Trace {
    /// Its number in the program.
    pub value: Value,
    /// Its values, in a simulation.
    pub seen: Option<Arc<Seen>>,
}

impl LoadedCiphertext {
    /// The server of the ciphertext. Fails in a forked process, and where there is no server.
    pub fn server(&self) -> PyResult<&Arc<Inner>> {
        self.backend.check()?;
        self.server.as_ref().ok_or_else(|| {
            let message =
                "this ciphertext is with no server: only a server has the keys to compute, use server.load(...)";
            raise_as("DetachedError", message.into())
        })
    }

    /// The context that writes the ciphertext as bytes.
    pub fn context(&self) -> Context {
        Context::new(&self.ct.params(), self.backend.shared())
    }

    /// Reads an unpickled ciphertext for the only living server that has its client's keys.
    pub fn join(data: &[u8]) -> PyResult<Self> {
        let mut fit = alive();
        fit.retain(|s| bytes::belongs(&s.keys, data));
        let [server] = &fit[..] else {
            let message = format!(
                "this ciphertext comes from a pickle and {} servers of this process have its client's keys: say which \
                 one computes with server.load(ciphertext)",
                fit.len()
            );
            return Err(raise_as("DetachedError", message));
        };
        server.backend.check()?;
        let ct = run(|| bytes::ciphertext(&server.eval.context(), data, data.len() as u64))?;
        Ok(Self { ct, backend: server.backend.clone(), server: Some(Arc::clone(server)), trace: None })
    }

    /// For people: the name of the budget, how much is left, its maximum, and the binary logarithm
    /// of the scale.
    fn budget(&self) -> (&'static str, usize, usize, String) {
        let budget = self.ct.budget();
        // where moduli are powers of two, scales are as well
        let digits = if budget.unit == Unit::Bits { 0 } else { 2 };
        (property(budget.unit), budget.left, budget.of, format!("{:.digits$}", budget.scale_log2))
    }

    /// The precision, or the noise budget of an exact scheme.
    fn quality(&self) -> String {
        match self.ct.noise_budget() {
            Ok(bits) => format!("noise budget {bits:.0} bits"),
            Err(_) => self.ct.noise().precision_text(),
        }
    }

    pub fn text(&self) -> String {
        let (ct, (name, left, of, scale)) = (&self.ct, self.budget());
        let shape = match ct.params().plaintext_modulus() {
            Some(t) if of == 0 => format!("modulo {t}"),
            Some(t) => format!("modulo {t}, {name} {left}/{of}"),
            None => format!("{name} {left}/{of}, scale 2^{scale}"),
        };
        format!(
            "Ciphertext({shape}, {}{} slots, {}, {}{}{})",
            if ct.count() < ct.slots() { format!("{} values, ", ct.count()) } else { String::new() },
            ct.slots(),
            self.backend.name(),
            self.quality(),
            if self.server.is_some() { "" } else { ", with no server" },
            mark(&ct.params())
        )
    }

    pub fn html(&self) -> String {
        let (ct, (name, left, of, scale)) = (&self.ct, self.budget());
        let exact = ct.params().is_exact();
        let insecure = if ct.params().allow_insecure() { "allow_insecure" } else { "" };
        let rows = [
            // BFV has no levels
            (name, if exact && of == 0 { String::new() } else { format!("{left} of {of}") }),
            ("scale", if exact { String::new() } else { format!("2<sup>{scale}</sup>") }),
            ("values", if ct.count() < ct.slots() { ct.count().to_string() } else { String::new() }),
            ("slots", ct.slots().to_string()),
            ("backend", self.backend.name().to_string()),
            (if exact { "budget" } else { "precision" }, self.quality()),
            ("parameters", insecure.to_string()),
        ];
        let row = |(name, value): &(&str, String)| {
            format!("<tr><th style='text-align:left'>{name}</th><td>{value}</td></tr>")
        };
        let body: String = rows.iter().filter(|r| !r.1.is_empty()).map(row).collect();
        format!("<table><caption>Ciphertext</caption>{body}</table>")
    }
}

/// The contents of a server, which its ciphertexts share.
pub struct Inner {
    pub eval: Evaluator,
    pub keys: EvaluationKeys,
    pub backend: OpenBackend,
    /// The counts of a model server.
    pub model: Option<Model>,
    /// Of a model server that records its program.
    pub recorder: Option<Mutex<Recorder>>,
    /// The profile that is being taken of a server that computes.
    pub profile: Mutex<Option<Arc<Profile>>>,
}

impl Inner {
    /// Makes the matrices and polynomials that bootstrap `2^log_slots` slots, unless they exist.
    pub fn prepare(&self, log_slots: u32, step: impl FnMut(usize, usize) -> bool + Send) -> PyResult<()> {
        self.expect_bootstrapping()?;
        let make = || run(|| self.eval.prepare(log_slots, step));
        match self.profile() {
            None => make(),
            Some(profile) => profile.matrices(&self.eval, log_slots, make),
        }
    }

    /// The profile that is being taken.
    pub fn profile(&self) -> Option<Arc<Profile>> {
        self.profile.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The counts; refused where this is no model server.
    pub fn counted(&self, method: &'static str) -> PyResult<&Model> {
        self.model.as_ref().ok_or_else(|| {
            let name = self.backend.name();
            let expected = format!("{MODEL} for {method}(): rj.Server(backend=\"{MODEL}\", params=...) counts");
            argument("backend", name, &expected)
        })
    }

    pub fn expect_bootstrapping(&self) -> PyResult<()> {
        self.backend.check()?;
        self.eval.expect_bootstrapping().map_err(raise)
    }

    /// Makes the matrices for the number of slots of the first ciphertext. Refuses ciphertexts of
    /// another client. Ctrl-C stops it.
    pub fn prepare_for(&self, cts: &[Ciphertext]) -> PyResult<()> {
        cts.iter().try_for_each(|ct| self.keys.expect(ct)).map_err(raise)?;
        let Some(log_slots) = cts.first().map(Ciphertext::log_slots) else { return Ok(()) };
        let mut interrupted = Progress::default();
        let made = self.prepare(log_slots, |_, _| interrupted.step(0, 0));
        interrupted.finish(made)
    }
}

/// Living servers. Unpickled ciphertexts look for theirs here.
static ALIVE: Mutex<Vec<Weak<Inner>>> = Mutex::new(Vec::new());

pub fn enlist(inner: &Arc<Inner>) {
    ALIVE.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(inner));
}

pub fn alive() -> Vec<Arc<Inner>> {
    let mut alive = ALIVE.lock().unwrap_or_else(PoisonError::into_inner);
    alive.retain(|s| s.strong_count() > 0);
    alive.iter().filter_map(Weak::upgrade).collect()
}
