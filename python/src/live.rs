//! A ciphertext and where it is.

use std::sync::Arc;

use pyo3::prelude::*;
use ringjet::{Context, Evaluator};
use ringjet_math::fft::Complex64;

use crate::backend::Machine;
use crate::bytes;
use crate::errors::{raise_as, run};
use crate::params::mark;
use crate::server::{Inner, alive};

/// A ciphertext in the memory of a machine, and the server that computes on it.
#[derive(Clone)]
pub struct Live {
    pub ct: ringjet::Ciphertext,
    pub machine: Machine,
    pub server: Option<Arc<Inner>>,
}

impl Live {
    /// Its server, when that can be used here.
    pub fn server(&self) -> PyResult<&Arc<Inner>> {
        self.machine.check()?;
        self.server.as_ref().ok_or_else(|| {
            let message =
                "this ciphertext is with no server: only a server has the keys to compute, use server.load(...)";
            raise_as("DetachedError", message.into())
        })
    }

    /// The context of its bytes.
    pub fn context(&self) -> Context {
        Context::new(self.ct.params(), self.machine.backend())
    }

    /// A ciphertext out of a pickle, with the only server alive that has its parameters.
    pub fn join(py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        let mut fit = alive();
        fit.retain(|s| bytes::belongs(s.eval.context().params(), data));
        let [server] = &fit[..] else {
            let message = format!(
                "this ciphertext comes from a pickle and {} servers of this process have its parameters: say which one \
                 computes with server.load(ciphertext)",
                fit.len()
            );
            return Err(raise_as("DetachedError", message));
        };
        server.machine.check()?;
        let ct = run(py, || bytes::ciphertext_from(server.eval.context(), data, data.len() as u64))?;
        Ok(Self { ct, machine: server.machine.clone(), server: Some(Arc::clone(server)) })
    }

    /// What Python prints.
    pub fn text(&self) -> String {
        let ct = &self.ct;
        format!(
            "Ciphertext(level {}/{}, scale 2^{:.2}, {} slots, {}, about {:.1} bits{}{})",
            ct.level(),
            ct.params().top_level(),
            ct.scale().log2(),
            ct.slots(),
            self.machine.name(),
            ct.noise().precision_bits(),
            if self.server.is_some() { "" } else { ", with no server" },
            mark(ct.params())
        )
    }

    /// What a notebook shows.
    pub fn html(&self) -> String {
        let ct = &self.ct;
        let insecure = if ct.params().spec().allow_insecure { "allow_insecure" } else { "" };
        let rows = [
            ("level", format!("{} of {}", ct.level(), ct.params().top_level())),
            ("scale", format!("2<sup>{:.2}</sup>", ct.scale().log2())),
            ("slots", ct.slots().to_string()),
            ("backend", self.machine.name().to_string()),
            ("precision", format!("about {:.1} bits", ct.noise().precision_bits())),
            ("parameters", insecure.to_string()),
        ];
        let row = |(name, value): &(&str, String)| {
            format!("<tr><th style='text-align:left'>{name}</th><td>{value}</td></tr>")
        };
        let body: String = rows.iter().filter(|r| !r.1.is_empty()).map(row).collect();
        format!("<table><caption>Ciphertext</caption>{body}</table>")
    }
}

/// A rotation equal to `k` for this packing that there is a key for; `k` itself where there is none.
pub fn with_key(eval: &Evaluator, x: &ringjet::Ciphertext, k: i64) -> i64 {
    let slots = x.slots() as i64;
    let k_reduced = k.rem_euclid(slots);
    let turns = eval.context().params().max_slots() as i64 / slots;
    let known = |r: &i64| eval.keys().rotation(*r).is_ok_and(|key| key.level() >= x.level());
    Some(k).filter(known).or_else(|| (0..turns).map(|t| k_reduced + t * slots).find(known)).unwrap_or(k)
}

/// Multiplied by -1.
pub fn negated(values: &[Complex64]) -> Vec<Complex64> {
    values.iter().map(|z| Complex64 { re: -z.re, im: -z.im }).collect()
}

/// `1/z`; not finite where z is 0.
pub fn inverse(z: &Complex64) -> Complex64 {
    if z.im == 0.0 {
        return Complex64 { re: 1.0 / z.re, im: 0.0 };
    }
    let norm = z.re * z.re + z.im * z.im;
    Complex64 { re: z.re / norm, im: -z.im / norm }
}
