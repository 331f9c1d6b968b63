//! Encryption for somebody else, with their public key.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use ringjet::any::{self, Context};
use ringjet::rng::Seed;

use crate::backend::Machine;
use crate::bytes::{self, Accept, Input};
use crate::ciphertext::Ciphertext;
use crate::encryption::Encryption;
use crate::errors::{raise, run};
use crate::params::{Given, Parameters, mark};
use crate::small;

/// A client's public key.
#[pyclass(frozen, module = "ringjet")]
#[derive(Clone)]
pub struct PublicKey {
    pub key: any::PublicKey,
    pub machine: Machine,
}

properties! { PublicKey, this, py:
    /// The parameters.
    params: Parameters = Parameters(this.key.params());
    /// The identity of the client's key that it belongs to, in hexadecimal.
    key_id: String = this.key.key_id().to_string();
}

value_class! { PublicKey: to_bytes, public_key }

#[pymethods]
impl PublicKey {
    /// The key as bytes that can be sent.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.machine.check()?;
        let context = Context::new(&self.key.params(), self.machine.backend());
        let data = run(|| bytes::public_to(&context, &self.key))?;
        bytes::copied(py, &data)
    }

    /// Reads a key; arguments as in `EvaluationKeys.from_bytes`.
    #[staticmethod]
    #[pyo3(signature = (data, *, max_bytes=bytes::CIPHERTEXT_LIMIT, allow_insecure=false, params=None))]
    fn from_bytes(data: Input, max_bytes: u64, allow_insecure: bool, params: Option<Given>) -> PyResult<Self> {
        let machine = Machine::default()?;
        let accept = Accept::new(max_bytes, allow_insecure, params);
        let key = run(|| bytes::public_from(&machine.backend(), &data, &accept))?;
        Ok(Self { key, machine })
    }

    fn __repr__(&self) -> String {
        format!("PublicKey(n=2^{}{})", self.key.params().log_n(), mark(&self.key.params()))
    }
}

/// What the bytes of an [`Encryptor`] begin with.
const ENCRYPTOR: small::Kind = small::Kind { name: "encryptor", magic: *b"RJEN" };

/// Encrypts for somebody else, with their public key; it cannot decrypt.
///
/// `Encryptor(public_key, slots=None)` takes a public key, or the bytes of one with secure
/// parameters. `slots`: a power of two, all by default.
#[pyclass(frozen, module = "ringjet")]
pub struct Encryptor {
    key: any::PublicKey,
    with: Encryption,
}

properties! { Encryptor, this, py:
    /// Number of values in a ciphertext.
    slots: usize = 1 << this.with.log_slots;
    /// The parameters.
    params: Parameters = Parameters(this.key.params());
}

value_class! { Encryptor: to_bytes, encryptor }

#[pymethods]
impl Encryptor {
    #[new]
    #[pyo3(signature = (public_key, slots=None, *, magnitude=1.0))]
    fn new(public_key: &Bound<'_, PyAny>, slots: Option<usize>, magnitude: f64) -> PyResult<Self> {
        let PublicKey { key, machine } = match public_key.cast::<PublicKey>() {
            Ok(key) => key.get().clone(),
            Err(_) => PublicKey::from_bytes(public_key.extract()?, bytes::CIPHERTEXT_LIMIT, false, None)?,
        };
        Ok(Self { with: Encryption::new(&key.params(), machine, slots, magnitude)?, key })
    }

    /// Encrypts up to `slots` real or complex values; slots beyond them get `fill`, by default 0.
    /// Arguments as for `Client.encrypt`.
    #[pyo3(signature = (values, level=None, *, fill=None, log_q=None, magnitude=None))]
    fn encrypt(
        &self,
        values: &Bound<'_, PyAny>,
        level: Option<usize>,
        fill: Option<&Bound<'_, PyAny>>,
        log_q: Option<u32>,
        magnitude: Option<f64>,
    ) -> PyResult<Ciphertext> {
        self.with.encrypt(values, fill, (magnitude, level, log_q), |plain| {
            self.key.encrypt(&self.with.context, plain, &Seed::from_os()?)
        })
    }

    /// The public key and the number of slots as bytes that can be sent.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.with.machine.check()?;
        let mut data = small::front(ENCRYPTOR, self.with.log_slots);
        data.extend(run(|| bytes::public_to(&self.with.context, &self.key))?);
        Ok(PyBytes::new(py, &data))
    }

    /// Reads the bytes of `to_bytes`; arguments as in `EvaluationKeys.from_bytes`.
    #[staticmethod]
    #[pyo3(signature = (data, *, max_bytes=bytes::CIPHERTEXT_LIMIT, allow_insecure=false, params=None, magnitude=1.0))]
    fn from_bytes(
        data: Input,
        max_bytes: u64,
        allow_insecure: bool,
        params: Option<Given>,
        magnitude: f64,
    ) -> PyResult<Self> {
        let (log_slots, key) = small::split(ENCRYPTOR, &data, max_bytes).map_err(raise)?;
        let (machine, accept) = (Machine::default()?, Accept::new(max_bytes, allow_insecure, params));
        let key = run(|| bytes::public_from(&machine.backend(), key, &accept))?;
        Ok(Self { with: Encryption::new(&key.params(), machine, Some(1 << log_slots), magnitude)?, key })
    }

    fn __repr__(&self) -> String {
        let params = self.with.context.params();
        format!("Encryptor(n=2^{}, {} slots{})", params.log_n(), 1 << self.with.log_slots, mark(&params))
    }
}
