//! Sizes of keys.

use ringjet::{Bootstrapper, Parameters};
use serde::Serialize;

use crate::Result;

/// All evaluation keys for bootstrapping ciphertexts with all slots, each for the levels at which
/// it is used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct BootstrapKeys {
    /// Relinearisation, automorphisms, and two for the ephemeral secret.
    pub count: usize,
    pub at_rest: u64,
    pub in_memory: u64,
    /// With one half of each as a seed.
    pub in_memory_compressed: u64,
}

impl BootstrapKeys {
    /// Of `params`; `None` where they cannot bootstrap.
    pub fn of(params: &Parameters) -> Result<Option<Self>> {
        if params.bootstrap().is_none() {
            return Ok(None);
        }
        let request = Bootstrapper::key_plan(params, params.log_n() - 1)?;
        let sizes = request.sizes(params)?;
        Ok(Some(Self {
            count: sizes.count,
            at_rest: sizes.bytes_at_rest,
            in_memory: sizes.memory_bytes,
            in_memory_compressed: sizes.compressed_memory_bytes,
        }))
    }
}

/// Counts what is written and keeps nothing.
#[derive(Default)]
pub struct Counter(pub u64);

impl std::io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
