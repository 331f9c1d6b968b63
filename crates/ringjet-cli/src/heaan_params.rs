//! What `ringjet params` shows of HEAAN's presets.

use ringjet::KeyPlan;
use ringjet::heaan::{self, PRESET_NAMES, ParamSpec, Parameters};
use serde::Serialize;

use crate::Result;
use crate::backend::{self, PathChoice};
use crate::text::{bytes, print_table};

/// What a user wants to know about a parameter set.
#[derive(Serialize)]
pub struct Summary {
    name: String,
    scheme: &'static str,
    fingerprint: String,
    log_n: u32,
    /// By default.
    slots: usize,
    depth: usize,
    scale_bits: u32,
    log_q: u32,
    /// Through which products go.
    primes: usize,
    /// Bits reached by the 2024 guidelines; 0: below 128, or a secret that they do not judge.
    security_bits: u32,
    /// The largest log_q at that security.
    max_log_q: u32,
    margin_bits: f64,
    margin_percent: f64,
    allow_insecure: bool,
    bytes: Sizes,
    spec: ParamSpec,
}

/// Bytes of each kind of object, headers aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
struct Sizes {
    /// A relinearisation, rotation or conjugation key as stored or sent: half of it comes from 32 bytes.
    switching_key_at_rest: u64,
    /// The same, prepared for use on this machine.
    switching_key_in_memory: u64,
    /// A ciphertext modulo the largest modulus as stored or sent.
    ciphertext_at_rest: u64,
    /// The same, fresh from secret-key encryption: half of it comes from 32 bytes.
    ciphertext_seeded_at_rest: u64,
}

impl Summary {
    fn of(name: &str, p: &Parameters) -> Result<Self> {
        let (n, q) = (p.n() as u64, u64::from(p.log_q()));
        let security = p.security();
        Ok(Self {
            name: name.into(),
            scheme: "heaan",
            fingerprint: p.fingerprint_hex(),
            log_n: p.log_n(),
            slots: 1 << p.log_slots(),
            depth: p.depth(),
            scale_bits: p.log_p(),
            log_q: p.log_q(),
            primes: p.basis().len(),
            security_bits: security.and_then(|s| s.level).map_or(0, |l| l.bits()),
            max_log_q: security.map_or(0, |s| s.max_log_qp / 2),
            margin_bits: security.map_or(0.0, |s| s.margin_bits),
            margin_percent: security.map_or(0.0, |s| s.margin_percent),
            allow_insecure: p.spec().allow_insecure,
            bytes: Sizes {
                switching_key_at_rest: 2 * q * n / 8,
                switching_key_in_memory: p
                    .key_sizes(&*backend::open(1, PathChoice::Auto)?, &KeyPlan::default())
                    .memory_bytes,
                ciphertext_at_rest: 2 * q * n / 8,
                ciphertext_seeded_at_rest: q * n / 8,
            },
            spec: p.spec().clone(),
        })
    }

    fn security(&self) -> String {
        match self.security_bits {
            0 if self.max_log_q == 0 => "in no table".into(),
            0 => "below 128".into(),
            bits => bits.to_string(),
        }
    }

    fn row(&self) -> Vec<String> {
        vec![
            self.name.clone(),
            format!("2^{}", self.log_n),
            self.slots.to_string(),
            self.depth.to_string(),
            format!("2^{}", self.scale_bits),
            self.log_q.to_string(),
            self.primes.to_string(),
            self.security(),
            if self.max_log_q == 0 { String::new() } else { format!("{:.1} %", self.margin_percent) },
            bytes(self.bytes.switching_key_at_rest),
            bytes(self.bytes.switching_key_in_memory),
            bytes(self.bytes.ciphertext_at_rest),
        ]
    }

    /// Line by line.
    pub fn print(&self) {
        let line = |what: &str, value: String| println!("{what:18}{value}");
        line("name", format!("{} (HEAAN)", self.name));
        line("fingerprint", self.fingerprint.clone());
        line("ring degree", format!("2^{}, {} complex slots by default", self.log_n, self.slots));
        line("modulus", format!("2^{}, products through up to {} primes", self.log_q, self.primes));
        line("depth", format!("{} multiplications rescaled by 2^{}", self.depth, self.scale_bits));
        let bound = format!("log2(Q^2) = {} of {}", 2 * self.log_q, 2 * self.max_log_q);
        let margin = format!("margin {:.1} bits, {:.1} %", self.margin_bits, self.margin_percent);
        line(
            "security",
            match self.max_log_q {
                0 => format!("in no published table: {:?}", self.spec.secret),
                _ => format!("{} bits: {bound}, {margin}", self.security()),
            },
        );
        if self.allow_insecure {
            line("", "allow_insecure is set: the wanted security is not enforced".into());
        }
        let s = &self.bytes;
        let (rest, memory) = (bytes(s.switching_key_at_rest), bytes(s.switching_key_in_memory));
        line("evaluation key", format!("{rest} at rest, {memory} in memory, each"));
        let (rest, fresh) = (bytes(s.ciphertext_at_rest), bytes(s.ciphertext_seeded_at_rest));
        line("ciphertext", format!("{rest}, fresh with the secret key {fresh}"));
    }
}

/// The preset `name`, where it is one of these.
pub fn named(name: &str) -> Result<Option<Summary>> {
    if !PRESET_NAMES.contains(&name) {
        return Ok(None);
    }
    Summary::of(name, &heaan::preset(name)?).map(Some)
}

/// All of them.
pub fn all() -> Result<Vec<Summary>> {
    PRESET_NAMES.iter().map(|name| Summary::of(name, &heaan::preset(name)?)).collect()
}

/// The table of all.
pub fn print_all(all: &[Summary]) {
    let header = [
        "HEAAN preset",
        "N",
        "slots",
        "depth",
        "scale",
        "logQ",
        "primes",
        "security",
        "margin",
        "key at rest",
        "key in memory",
        "ciphertext",
    ];
    print_table(&header, &all.iter().map(Summary::row).collect::<Vec<_>>());
}
