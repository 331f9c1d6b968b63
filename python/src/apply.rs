//! Computes the operations of `ringjet::program` on ciphertexts, and records them on recording
//! servers.

use std::sync::{Arc, MutexGuard, PoisonError};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use ringjet::dynamic;
use ringjet::program::{Op, Recorder, Traced};

use crate::caller::place;
use crate::ciphertext::Ciphertext;
use crate::errors::{argument, run};
use crate::loaded::{Inner, LoadedCiphertext, Trace};
use crate::progress::Progress;

/// The results of `op` on at least one ciphertext, on the server of the first one that has one.
pub fn apply(op: &Op, operands: &[&Ciphertext]) -> PyResult<Vec<Ciphertext>> {
    observed(op, operands, None, Progress::default())
}

/// The result of an operation that has one.
pub fn one(op: &Op, operands: &[&Ciphertext]) -> PyResult<Ciphertext> {
    apply(op, operands).map(first)
}

/// The first of several results.
pub fn first(mut made: Vec<Ciphertext>) -> Ciphertext {
    made.swap_remove(0)
}

/// [`apply`] with progress. `error`: what a simulation shows as the error of a polynomial.
pub fn observed(
    op: &Op,
    operands: &[&Ciphertext],
    error: Option<f64>,
    mut progress: Progress,
) -> PyResult<Vec<Ciphertext>> {
    let (server, loaded) = server_of(operands)?;
    if let Some(recorder) = server.recorder() {
        drop(recorder);
        let traced = loaded.iter().map(|ct| ct.traced(server)).collect::<PyResult<Vec<_>>>()?;
        let place = place()?;
        let made = run(|| {
            let recorder = server.recorder();
            let mut recorder = recorder.expect("a server records from its beginning");
            recorder.step(op, &traced.iter().collect::<Vec<_>>(), &place, error, &mut |_, _| true)
        })?;
        return Ok(made.into_iter().map(|made| recorded(server, made)).collect());
    }
    let own = on(server, operands, &loaded)?;
    if op.is_bootstrap() {
        server.prepare_for(&own)?;
    }
    let profile = server.profile().map(|profile| Ok::<_, PyErr>((profile, place()?))).transpose()?;
    let made = run(|| {
        let operands: Vec<&dynamic::Ciphertext> = own.iter().collect();
        let step = &mut |done, total| progress.step(done, total);
        match &profile {
            None => op.run(&server.eval, &operands, step),
            Some((profile, place)) => profile.op(&server.eval, op, place, &operands, step),
        }
    });
    Ok(progress.finish(made)?.into_iter().map(|ct| Ciphertext::of(server, ct)).collect())
}

/// The server of the first operand that has one, and the operands in its memory. Refuses the operands of a
/// program that is recorded.
pub fn computing<'a>(operands: &[&'a Ciphertext]) -> PyResult<(&'a Arc<Inner>, Vec<dynamic::Ciphertext>)> {
    let (server, loaded) = server_of(operands)?;
    if server.recorder.is_some() {
        let expected = "a ciphertext of a server: plan(), simulate() and compile() do not record explicit operations, and \
                        Server(backend=\"model\") counts them";
        return Err(argument("ciphertext", "an input of a recorded program", expected));
    }
    Ok((server, on(server, operands, &loaded)?))
}

/// The server of the first operand that has one, and all operands with their servers.
fn server_of<'a>(operands: &[&'a Ciphertext]) -> PyResult<(&'a Arc<Inner>, Vec<&'a LoadedCiphertext>)> {
    let loaded = operands.iter().map(|x| x.loaded()).collect::<PyResult<Vec<_>>>()?;
    let chosen = loaded.iter().find(|ct| ct.server.is_some()).unwrap_or(&loaded[0]);
    Ok((chosen.server()?, loaded))
}

/// The operands in the memory of `server`, which does not record.
fn on(server: &Inner, operands: &[&Ciphertext], loaded: &[&LoadedCiphertext]) -> PyResult<Vec<dynamic::Ciphertext>> {
    if loaded.iter().any(|ct| ct.trace.is_some()) {
        return Err(strangers());
    }
    operands.iter().map(|x| x.on(&server.backend, &server.eval.context())).collect()
}

/// A ciphertext of a recording server.
pub fn recorded(server: &Arc<Inner>, traced: Traced) -> Ciphertext {
    let Traced { ct, value, seen } = traced;
    let trace = Some(Trace { value, seen });
    LoadedCiphertext { ct, backend: server.backend.clone(), server: Some(Arc::clone(server)), trace }.into()
}

fn strangers() -> PyErr {
    PyTypeError::new_err("ciphertexts of two runs meet: each run of plan(), simulate() and compile() has its own")
}

impl LoadedCiphertext {
    /// The ciphertext as the recorder of `server` knows it.
    pub fn traced(&self, server: &Arc<Inner>) -> PyResult<Traced> {
        let here = self.server.as_ref().is_some_and(|own| Arc::ptr_eq(own, server));
        let Some(trace) = self.trace.as_ref().filter(|_| here) else { return Err(strangers()) };
        Ok(Traced { ct: self.ct.clone(), value: trace.value, seen: trace.seen.clone() })
    }
}

impl Inner {
    /// The recorder of a recording server.
    pub fn recorder(&self) -> Option<MutexGuard<'_, Recorder>> {
        self.recorder.as_ref().map(|recorder| recorder.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
