//! The description of a HEAAN parameter set that a user writes.

use serde::{Deserialize, Serialize};

/// How secrets are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Secret {
    /// Every coefficient uniform in {-1, 0, 1}.
    #[default]
    Ternary,
    /// This many coefficients are 1 or -1, the others 0; the original bootstrapping has 64. No
    /// published table gives the security of such secrets: `allow_insecure` is needed.
    Weight(u32),
}

/// A HEAAN parameter set as a user writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParamSpec {
    /// Binary logarithm of the ring degree N, 4 to 17. Below 10 it is for tests, never secure.
    pub log_n: u32,
    /// Bits of the largest ciphertext modulus Q, 20 to 4096. Switching keys live modulo `2^(2 *
    /// log_q)`, which decides the security.
    #[serde(default = "default_log_q")]
    pub log_q: u32,
    /// Binary logarithm of the default scale, and the bits by which a rescaling divides; 1 to 100,
    /// and at most `log_q - 2`.
    #[serde(default = "default_log_p")]
    pub log_p: u32,
    /// Binary logarithm of the default number of slots, 0 to `log_n - 1`; `log_n - 1` where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_slots: Option<u32>,
    /// How secrets are drawn.
    #[serde(default)]
    pub secret: Secret,
    /// Wanted security in bits: 128, 192 or 256.
    #[serde(default = "default_security")]
    pub security: u32,
    /// Accept parameters below the wanted security. All objects made from them show it.
    #[serde(default)]
    pub allow_insecure: bool,
}

fn default_log_q() -> u32 {
    1200
}

fn default_log_p() -> u32 {
    30
}

fn default_security() -> u32 {
    128
}

impl ParamSpec {
    /// A modulus of `log_q` bits in ring degree `2^log_n`; scales of 30 bits, all slots, a dense
    /// secret, 128 bits.
    pub fn new(log_n: u32, log_q: u32) -> Self {
        Self {
            log_n,
            log_q,
            log_p: default_log_p(),
            log_slots: None,
            secret: Secret::Ternary,
            security: default_security(),
            allow_insecure: false,
        }
    }

    /// The same spec without the security check.
    pub fn allow_insecure(self) -> Self {
        Self { allow_insecure: true, ..self }
    }
}
