//! What encryption takes beside a key: where it is done, of which shape, and with which randomness.

use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::prelude::*;
use ringjet::Error;
use ringjet::any::{self, At, Context, Plaintext};
use ringjet::rng::Seed;
use ringjet_math::fft::Complex64;
use zeroize::Zeroizing;

use crate::backend::Machine;
use crate::bytes::Input;
use crate::ciphertext::Ciphertext;
use crate::errors::{argument, raise, run};
use crate::live::Live;
use crate::{params, values};

/// What somebody who encrypts knows beside the key.
pub struct Encryption {
    pub context: Context,
    pub machine: Machine,
    pub log_slots: u32,
    /// Bound on values where an encryption states none.
    magnitude: f64,
}

impl Encryption {
    pub fn new(params: &any::Parameters, machine: Machine, slots: Option<usize>, magnitude: f64) -> PyResult<Self> {
        values::expect_magnitude(magnitude)?;
        let (context, log_slots) = (Context::new(params, machine.backend()), params::log_slots(params, slots)?);
        Ok(Self { context, machine, log_slots, magnitude })
    }

    /// Encodes and encrypts `given`; `fill` takes the slots that it leaves.
    pub fn encrypt(
        &self,
        given: &Bound<'_, PyAny>,
        fill: Option<&Bound<'_, PyAny>>,
        (magnitude, level, log_q): (Option<f64>, Option<usize>, Option<u32>),
        encrypt: impl FnOnce(&Plaintext) -> ringjet::Result<any::Ciphertext> + Send,
    ) -> PyResult<Ciphertext> {
        self.machine.check()?;
        let given = values::vector(given)?;
        let slots = 1usize << self.log_slots;
        if given.is_empty() {
            return Err(raise(Error::SlotCount { found: 0, slots, max: self.context.params().max_slots() }));
        }
        let fill = fill.map_or(Ok(Complex64::default()), values::number)?;
        let padding = std::iter::repeat_n(fill, slots.saturating_sub(given.len()));
        let mut values = Zeroizing::new(Vec::with_capacity(2 * slots.max(given.len())));
        values.extend(given.into_iter().chain(padding).flat_map(|z| [z.re, z.im]));
        let magnitude = magnitude.unwrap_or(self.magnitude);
        let ct = run(|| {
            let complex: Vec<_> = values.chunks_exact(2).map(|z| Complex64 { re: z[0], im: z[1] }).collect();
            encrypt(&self.context.encode(&complex, magnitude, At { level, log_q }, self.log_slots)?)
        })?;
        Ok(Live { ct, machine: self.machine.clone(), server: None }.into())
    }
}

/// Where the seeds of encryptions and keys come from.
pub enum Randomness {
    System,
    /// The same calls give the same bytes.
    Fixed {
        root: Seed,
        counter: AtomicU64,
        /// From 32 bytes, not from a number that can be guessed.
        secret: bool,
    },
}

impl Randomness {
    pub fn new(seed: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(seed) = seed else { return Ok(Self::System) };
        let counter = AtomicU64::new(0);
        if let Ok(data) = seed.extract::<Input>() {
            let Ok(root) = <[u8; 32]>::try_from(&data[..]) else {
                return Err(argument("seed", format!("{} bytes", data.len()), "a number, or 32 bytes"));
            };
            return Ok(Self::Fixed { root: Seed::from_bytes(root), counter, secret: true });
        }
        let mut root = [0; 32];
        root[..8].copy_from_slice(&seed.extract::<u64>()?.to_le_bytes());
        Ok(Self::Fixed { root: Seed::from_bytes(root), counter, secret: false })
    }

    /// A seed that was not used before.
    pub fn next(&self) -> ringjet::Result<Seed> {
        match self {
            Self::System => Ok(Seed::from_os()?),
            Self::Fixed { root, counter, .. } => {
                Ok(root.derive(b"ringjet python client", counter.fetch_add(1, Ordering::Relaxed)))
            }
        }
    }
}
