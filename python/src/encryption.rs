//! Encryption with the secret or the public key, and the public key's classes.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use ringjet::dynamic::{self, Context, Plaintext, StartModulus};
use ringjet::rng::{Seed, Seeds};
use ringjet::{Error, Stated};
use zeroize::Zeroizing;

use crate::backend::OpenBackend;
use crate::bytes::{self, Accept, Front, Input};
use crate::ciphertext::Ciphertext;
use crate::errors::{argument, raise, run};
use crate::files;
use crate::loaded::LoadedCiphertext;
use crate::params::{self, Given, Parameters, mark};
use crate::values::{Bounds, Numbers, UNSTATED};

/// What encryption needs beside a key.
pub struct Encryption {
    pub context: Context,
    pub backend: OpenBackend,
    pub log_slots: u32,
    /// Default bounds on values.
    stated: Stated,
}

impl Encryption {
    pub fn new(
        params: &dynamic::Parameters,
        backend: OpenBackend,
        slots: Option<usize>,
        magnitude: Option<Bounds>,
    ) -> PyResult<Self> {
        let stated = magnitude.map_or(UNSTATED, |bounds| bounds.0);
        let (context, log_slots) = (Context::new(params, backend.shared()), params::log_slots(params, slots)?);
        Ok(Self { context, backend, log_slots, stated })
    }

    /// Number of values in a ciphertext.
    pub fn slots(&self) -> usize {
        self.context.params().rows() << self.log_slots
    }

    /// Encodes and encrypts `given`. The slots that remain get `fill`, by default the number nearest to
    /// 0 within the stated bounds.
    pub fn encrypt(
        &self,
        given: &Bound<'_, PyAny>,
        fill: Option<&Bound<'_, PyAny>>,
        (magnitude, level, log_q): (Option<Bounds>, Option<usize>, Option<u32>),
        encrypt: impl FnOnce(&Plaintext) -> ringjet::Result<dynamic::Ciphertext> + Send,
    ) -> PyResult<Ciphertext> {
        self.backend.check()?;
        let params = self.context.params();
        let (numbers, slots) = (Numbers::of(&params), self.slots());
        let stated = magnitude.map_or(self.stated, |bounds| bounds.0);
        let (values, count) = numbers.filled(given, slots, fill, stated.padding())?;
        let values = Zeroizing::new(values);
        if values.is_empty() {
            return Err(raise(Error::SlotCount { found: 0, slots, max: params.max_slots() }));
        }
        let at = StartModulus { level, log_q };
        let encode = || self.context.encode(&values, stated, at, self.log_slots)?.counted(count);
        let ct = run(|| encrypt(&encode()?))?;
        Ok(LoadedCiphertext { ct, backend: self.backend.clone(), server: None, trace: None }.into())
    }
}

/// Where the seeds of encryptions and keys come from.
pub struct Randomness {
    pub seeds: Seeds,
    /// What a client's text says of its seed.
    pub remark: &'static str,
}

impl Randomness {
    pub const SYSTEM: Self = Self { seeds: Seeds::System, remark: "" };

    pub fn new(seed: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(seed) = seed else { return Ok(Self::SYSTEM) };
        if let Ok(data) = seed.extract::<Input>() {
            let Ok(root) = <[u8; 32]>::try_from(&data[..]) else {
                return Err(argument("seed", format!("{} bytes", data.len()), "a number, or 32 bytes"));
            };
            return Ok(Self { seeds: Seeds::fixed(Seed::from_bytes(root)), remark: ", seeded" });
        }
        let mut root = [0; 32];
        root[..8].copy_from_slice(&seed.extract::<u64>()?.to_le_bytes());
        Ok(Self { seeds: Seeds::fixed(Seed::from_bytes(root)), remark: ", seeded: for tests only" })
    }

    /// A seed that was not used before.
    pub fn next(&self) -> ringjet::Result<Seed> {
        Ok(self.seeds.next()?)
    }
}

/// A client's public key.
#[pyclass(frozen, module = "ringjet")]
#[derive(Clone)]
pub struct PublicKey {
    pub key: dynamic::PublicKey,
    pub backend: OpenBackend,
}

properties! { PublicKey, this, py:
    /// The parameters.
    params: Parameters = Parameters(this.key.params());
    /// The identity of the client's key to which it belongs, in hexadecimal.
    key_id: String = this.key.key_id().to_string();
}

value_class! { PublicKey: to_bytes, public_key }

#[pymethods]
impl PublicKey {
    /// The key as bytes that can be sent.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.backend.check()?;
        let context = Context::new(&self.key.params(), self.backend.shared());
        let data = run(|| bytes::public_to(&context, &self.key))?;
        bytes::copied(py, &data)
    }

    /// Reads a public key. Arguments as for `EvaluationKeys.from_bytes`.
    #[staticmethod]
    #[pyo3(signature = (data, *, max_bytes=bytes::CIPHERTEXT_LIMIT, allow_insecure=false, params=None))]
    fn from_bytes(data: Input, max_bytes: u64, allow_insecure: bool, params: Option<Given>) -> PyResult<Self> {
        Self::read(&data, &Accept::new(max_bytes, allow_insecure, params))
    }

    /// Writes `to_bytes` to a file, as `Ciphertext.save` does.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let data = self.to_bytes(py)?;
        let data = data.as_bytes();
        py.detach(|| files::save(&path, PUBLIC_KEY, data))
    }

    /// Reads a file that `save` wrote. Arguments as for `from_bytes`.
    #[staticmethod]
    #[pyo3(signature = (path, *, max_bytes=bytes::CIPHERTEXT_LIMIT, allow_insecure=false, params=None))]
    fn load(path: PathBuf, max_bytes: u64, allow_insecure: bool, params: Option<Given>) -> PyResult<Self> {
        let data = files::read(&path, PUBLIC_KEY, max_bytes)?;
        Self::read(&data, &Accept::new(max_bytes, allow_insecure, params))
    }

    fn __repr__(&self) -> String {
        format!("PublicKey(n=2^{}{})", self.key.params().log_n(), mark(&self.key.params()))
    }
}

impl PublicKey {
    fn read(data: &[u8], accept: &Accept) -> PyResult<Self> {
        let backend = OpenBackend::default()?;
        let key = run(|| bytes::public_from(&backend, data, accept))?;
        Ok(Self { key, backend })
    }
}

const PUBLIC_KEY: &str = "public key";

const ENCRYPTOR: Front = Front { name: "encryptor", magic: *b"RJEN" };

/// Encrypts for a client with the client's public key. It cannot decrypt.
///
/// `Encryptor(public_key, slots=None)` takes a `PublicKey`, or the bytes of one with secure
/// parameters. slots: values in a ciphertext, a power of two, by default the parameters' number.
/// magnitude: as for `Client`.
#[pyclass(frozen, module = "ringjet")]
pub struct Encryptor {
    key: dynamic::PublicKey,
    with: Encryption,
}

properties! { Encryptor, this, py:
    /// Number of values in a ciphertext.
    slots: usize = this.with.slots();
    /// The parameters.
    params: Parameters = Parameters(this.key.params());
}

value_class! { Encryptor: to_bytes, encryptor }

#[pymethods]
impl Encryptor {
    #[new]
    #[pyo3(signature = (public_key, slots=None, *, magnitude=None))]
    fn new(public_key: &Bound<'_, PyAny>, slots: Option<usize>, magnitude: Option<Bounds>) -> PyResult<Self> {
        let PublicKey { key, backend } = match public_key.cast::<PublicKey>() {
            Ok(key) => key.get().clone(),
            Err(_) => PublicKey::from_bytes(public_key.extract()?, bytes::CIPHERTEXT_LIMIT, false, None)?,
        };
        Ok(Self { with: Encryption::new(&key.params(), backend, slots, magnitude)?, key })
    }

    /// Encrypts 1 to `slots` real or complex values. Arguments as for `Client.encrypt`.
    #[pyo3(signature = (values, level=None, *, fill=None, log_q=None, magnitude=None))]
    fn encrypt(
        &self,
        values: &Bound<'_, PyAny>,
        level: Option<usize>,
        fill: Option<&Bound<'_, PyAny>>,
        log_q: Option<u32>,
        magnitude: Option<Bounds>,
    ) -> PyResult<Ciphertext> {
        self.with.encrypt(values, fill, (magnitude, level, log_q), |plain| {
            self.key.encrypt(&self.with.context, plain, &Seed::from_os()?)
        })
    }

    /// The public key and the number of slots as bytes that can be sent.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.with.backend.check()?;
        let mut data = ENCRYPTOR.bytes(self.with.log_slots);
        data.extend(run(|| bytes::public_to(&self.with.context, &self.key))?);
        Ok(PyBytes::new(py, &data))
    }

    /// Reads the bytes of `to_bytes`. Arguments as for `EvaluationKeys.from_bytes`.
    #[staticmethod]
    #[pyo3(signature = (data, *, max_bytes=bytes::CIPHERTEXT_LIMIT, allow_insecure=false, params=None, magnitude=None))]
    fn from_bytes(
        data: Input,
        max_bytes: u64,
        allow_insecure: bool,
        params: Option<Given>,
        magnitude: Option<Bounds>,
    ) -> PyResult<Self> {
        Self::read(&data, &Accept::new(max_bytes, allow_insecure, params), magnitude)
    }

    /// Writes `to_bytes` to a file, as `Ciphertext.save` does.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let data = self.to_bytes(py)?;
        let data = data.as_bytes();
        py.detach(|| files::save(&path, ENCRYPTOR.name, data))
    }

    /// Reads a file that `save` wrote. Arguments as for `from_bytes`.
    #[staticmethod]
    #[pyo3(signature = (path, *, max_bytes=bytes::CIPHERTEXT_LIMIT, allow_insecure=false, params=None, magnitude=None))]
    fn load(
        path: PathBuf,
        max_bytes: u64,
        allow_insecure: bool,
        params: Option<Given>,
        magnitude: Option<Bounds>,
    ) -> PyResult<Self> {
        let data = files::read(&path, ENCRYPTOR.name, max_bytes)?;
        Self::read(&data, &Accept::new(max_bytes, allow_insecure, params), magnitude)
    }

    fn __repr__(&self) -> String {
        let params = self.with.context.params();
        format!("Encryptor(n=2^{}, {} slots{})", params.log_n(), self.with.slots(), mark(&params))
    }
}

impl Encryptor {
    fn read(data: &[u8], accept: &Accept, magnitude: Option<Bounds>) -> PyResult<Self> {
        let (log_slots, key) = ENCRYPTOR.split(data, accept.max_bytes).map_err(raise)?;
        let PublicKey { key, backend } = PublicKey::read(key, accept)?;
        let slots = key.params().rows() << log_slots;
        Ok(Self { with: Encryption::new(&key.params(), backend, Some(slots), magnitude)?, key })
    }
}
