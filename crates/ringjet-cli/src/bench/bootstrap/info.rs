//! The results of `ringjet bench bootstrap` other than times.

use std::collections::BTreeMap;

use ringjet::{Ciphertext, Parameters};
use serde::Serialize;

use crate::Result;
use crate::bench::precision::{ErrorSummary, SlotPrecision};
use crate::text::{self, Form};

/// Everything except times. Fields have the names that the drivers of other libraries print.
#[derive(Debug, Default, Serialize)]
pub struct Info {
    pub kind: &'static str,
    pub bench: &'static str,
    pub backend: String,
    pub params: String,
    pub threads: usize,
    pub preset: String,
    /// The source of a parameter set of the literature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paper: Option<&'static str>,
    /// 0 means the ring of the preset.
    pub log_n_override: u32,
    pub insecure: bool,
    pub real: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
    pub log_n: u32,
    pub slots: usize,
    pub log_q: f64,
    pub log_p: f64,
    pub log_qp: f64,
    pub q_primes: usize,
    pub p_primes: usize,
    pub ephemeral_secret_weight: u32,
    pub failure_log2: f64,
    pub level_before: usize,
    pub level_after: usize,
    /// Number of multiplications until the next bootstrap.
    pub levels_left: usize,
    pub output_scale_log2: f64,
    /// log2 of the factors by which rescaling divides over these levels.
    pub modulus_left_log2: f64,
    pub keys: usize,
    pub galois_keys: usize,
    pub key_memory: String,
    pub key_bytes: u64,
    pub key_bytes_at_rest: u64,
    pub matrix_bytes: u64,
    pub keygen_s: f64,
    /// Seconds to make matrices and polynomials.
    pub setup_s: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_rss_keygen_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_rss_setup_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_rss_bytes: Option<u64>,
    pub precision: BTreeMap<&'static str, BeforeAfter>,
}

#[derive(Debug, Clone, Copy, Serialize)]
pub struct BeforeAfter {
    pub before: SlotPrecision,
    pub after: SlotPrecision,
}

impl Info {
    /// The figures that are known before keys are made.
    pub fn of(params: &Parameters, preset: &str) -> Result<Self> {
        let circuit = params.bootstrap().ok_or("these parameters do not bootstrap")?;
        Ok(Self {
            kind: "info",
            bench: "bootstrap_info",
            params: format!("n{} l{} k{} dnum{}", params.log_n(), params.q().len(), params.p().len(), params.dnum()),
            preset: preset.into(),
            insecure: params.spec().allow_insecure,
            log_n: params.log_n(),
            slots: params.max_slots(),
            log_q: params.q().log2(),
            log_p: params.p().log2(),
            log_qp: params.log_qp(),
            q_primes: params.q().len(),
            p_primes: params.p().len(),
            ephemeral_secret_weight: circuit.secret_weight,
            failure_log2: ringjet_math::evalmod::failure_log2(circuit.secret_weight, circuit.k, params.log_n()),
            level_before: circuit.input_level(),
            ..Self::default()
        })
    }

    pub fn set_output(&mut self, params: &Parameters, out: &Ciphertext) {
        (self.level_after, self.output_scale_log2) = (out.level(), out.scale().log2());
        self.levels_left = out.level().saturating_sub(self.level_before);
        self.modulus_left_log2 = (self.level_before + 1..=out.level()).map(|l| params.ratio(l).log2()).sum();
    }

    /// As CSV it is left out: its lists are no columns.
    pub fn print(&self, form: Form) -> Result<()> {
        if form.is_csv() {
            return Ok(());
        }
        if !form.is_table() {
            return form.print([self]);
        }
        let (before, after, left) = (self.level_before, self.level_after, self.levels_left);
        println!("level {before} to {after}: {left} until the next; scale 2^{:.2}", self.output_scale_log2);
        let (q, p, log_qp) = (self.q_primes, self.p_primes, self.log_qp);
        println!("log2(QP) = {log_qp:.1}, {q} + {p} primes; fails with probability 2^{:.1}", self.failure_log2);
        let (memory, rest) = (text::bytes(self.key_bytes), text::bytes(self.key_bytes_at_rest));
        let (keys, kept) = (self.keys, &self.key_memory);
        println!("{keys} keys: {memory} in memory ({kept}), {rest} at rest, made in {:.1} s", self.keygen_s);
        println!("matrices: {}, made in {:.1} s", text::bytes(self.matrix_bytes), self.setup_s);
        if !self.without.is_empty() {
            println!("without {}", self.without.join(", "));
        }
        if let Some(peak) = self.peak_rss_bytes {
            println!("peak memory {} (VmHWM, keys and setup included)", text::bytes(peak));
        }
        let bits = |x: f64| format!("{x:.2}");
        let row = |(kind, p): (&&str, &BeforeAfter)| {
            let three = |e: ErrorSummary| [e.mean_log2_precision, e.log2_mean_precision, e.min_log2_precision];
            let cells = [three(p.after.real), three(p.after.complex)].concat();
            [vec![(*kind).to_owned()], cells.into_iter().map(bits).collect()].concat()
        };
        let header = ["bits", "real: mean", "of the mean", "least", "complex: mean", "of the mean", "least"];
        text::print_table(&header, &self.precision.iter().map(row).collect::<Vec<_>>());
        if self.log_n_override != 0 {
            println!("--log-n-override: insecure, and not the preset's precision");
        }
        Ok(())
    }
}
