//! Encrypted vectors.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use ringjet::dynamic::{self, Context};

use crate::backend::OpenBackend;
use crate::bytes::{self, Input};
use crate::errors::{raise, run, wrong_type};
use crate::files;
use crate::loaded::{Inner, LoadedCiphertext};
use crate::params::Parameters;

/// An encrypted vector. Immutable: every operation makes a new one.
///
/// The operators take ciphertexts, and in the clear a number, which counts for every slot, also in an
/// array of length 1; or an array with a number for each slot, or for each of the first `count`
/// slots: the others then stay as they are. With BGV and BFV
/// these are integers with the range of messages: others raise `NotResidueError`, also where they
/// stand for every slot.
#[pyclass(frozen, module = "ringjet")]
pub struct Ciphertext {
    loaded: OnceLock<LoadedCiphertext>,
    /// The bytes of a ciphertext that was unpickled and has no server yet.
    stored: Vec<u8>,
}

impl From<LoadedCiphertext> for Ciphertext {
    fn from(loaded: LoadedCiphertext) -> Self {
        Self { loaded: OnceLock::from(loaded), stored: Vec::new() }
    }
}

impl Ciphertext {
    /// A ciphertext of a server.
    pub fn of(server: &Arc<Inner>, ct: dynamic::Ciphertext) -> Self {
        LoadedCiphertext { ct, backend: server.backend.clone(), server: Some(Arc::clone(server)), trace: None }.into()
    }

    /// The ciphertext with its server. An unpickled ciphertext joins the only living server that
    /// has its client's keys.
    pub fn loaded(&self) -> PyResult<&LoadedCiphertext> {
        if let Some(loaded) = self.loaded.get() {
            return Ok(loaded);
        }
        let loaded = LoadedCiphertext::join(&self.stored)?;
        Ok(self.loaded.get_or_init(|| loaded))
    }

    /// The ciphertext `data` in the memory of `backend`: a ciphertext, its bytes, or the path of its file, of at most
    /// `max_bytes`. `purpose` names, in an error, what takes it.
    pub fn read(
        data: &Bound<'_, PyAny>,
        purpose: &str,
        (backend, context): (&OpenBackend, &Context),
        max_bytes: u64,
    ) -> PyResult<dynamic::Ciphertext> {
        backend.check()?;
        if let Ok(ct) = data.cast::<Self>() {
            return ct.get().on(backend, context);
        }
        if let Ok(data) = data.extract::<Input>() {
            return run(|| bytes::ciphertext(context, &data, max_bytes));
        }
        let Ok(path) = data.extract::<PathBuf>() else {
            return Err(wrong_type(&format!("{purpose} takes a Ciphertext, bytes, or the path of a file"), data));
        };
        let data = data.py().detach(|| files::read(&path, "ciphertext", max_bytes))?;
        run(|| bytes::ciphertext(context, &data, max_bytes))
    }

    /// The ciphertext in the memory of `backend`, copied where it is in another one.
    pub fn on(&self, backend: &OpenBackend, context: &Context) -> PyResult<dynamic::Ciphertext> {
        if let Some(loaded) = self.loaded.get() {
            loaded.backend.check()?;
        }
        match self.loaded.get() {
            Some(loaded) if loaded.backend.same(backend) => Ok(loaded.ct.clone()),
            Some(loaded) => run(|| {
                let data = loaded.ct.to_bytes(&loaded.context())?;
                bytes::ciphertext(context, &data, u64::MAX)
            }),
            None => run(|| bytes::ciphertext(context, &self.stored, u64::MAX)),
        }
    }
}

properties! { Ciphertext, this, py:
    /// How many rescalings are left. HEAAN's ciphertexts have `log_q` instead.
    level: usize = this.loaded()?.ct.level().map_err(raise)?;
    /// HEAAN only: bits of the modulus that are left.
    log_q: usize = this.loaded()?.ct.log_q().map_err(raise)?;
    /// Levels or bits of the modulus that are left; `params._unit` says which.
    _left: usize = this.loaded()?.ct.budget().left;
    /// HEAAN only: binary logarithm of the scale, a whole number.
    log_scale: u32 = this.loaded()?.ct.log_scale().map_err(raise)?;
    /// Binary logarithm of the scale.
    scale: f64 = this.loaded()?.ct.budget().scale_log2;
    /// BGV and BFV only: the noise budget in bits, which says how often the noise may double. It is a
    /// lower bound for every key; `Client.noise_budget` measures it.
    noise_budget: f64 = this.loaded()?.ct.noise_budget().map_err(raise)?;
    /// Number of slots.
    slots: usize = this.loaded()?.ct.slots();
    /// How many of the first slots hold values: those that were encrypted, or every slot. It is not
    /// secret. Statistics are over so many values by default, and `Client.decrypt` returns so many.
    /// Operations on single slots keep it; of two operands with different counts one must hold a
    /// value in every slot, and the result has the count of the other. What moves values, as
    /// `rotate`, `inner_sum` and `swap_rows` do, or repeats a result, as `sum` does, has a value in
    /// every slot.
    count: usize = this.loaded()?.ct.count();
    /// Whether the slots after the first `count` are known to hold 0.
    _zero_padded: bool = this.loaded()?.ct.is_zero_padded();
    /// Estimated precision in bits: -log2 of the standard deviation of the error of a slot's real
    /// part, for values as large as their stated bounds allow. Infinite with BGV and BFV.
    precision_bits: f64 = {
        let ct = &this.loaded()?.ct;
        if ct.params().is_exact() { f64::INFINITY } else { ct.noise().precision_bits() }
    };
    /// Bound on real and imaginary parts: stated at encryption, then derived by each operation.
    /// With BGV and BFV (t-1)/2: their values wrap around.
    magnitude: f64 = {
        let ct = &this.loaded()?.ct;
        let whole = ct.params().plaintext_modulus().map(|t| (t / 2) as f64);
        whole.unwrap_or(ct.noise().range().largest_part())
    };
    /// Bounds on the real parts of the values, (low, high).
    range: (f64, f64) = {
        let range = this.loaded()?.ct.noise().range();
        (range.low(), range.high())
    };
    /// Whether all values are real.
    is_real: bool = this.loaded()?.ct.noise().range().is_real();
    /// Proven bound on the error of every value; it fails with a probability of at most 2**-64.
    /// Infinite after bootstrapping, which has no proven bound. The noise of `decrypt_for_sharing`
    /// hides an error of this size. It does not count that values are rounded to doubles while they
    /// are encoded, which depends on no secret; `precision_bits` counts it.
    error_bound: f64 = {
        let ct = &this.loaded()?.ct;
        let bound = if ct.params().is_exact() { 0.0 } else { ct.noise().bound() };
        if bound >= f64::MAX { f64::INFINITY } else { bound * (-ct.budget().scale_log2).exp2() }
    };
    /// The backend, such as `cpu-ifma`.
    backend: String = this.loaded()?.backend.name().into();
    /// The parameters.
    params: Parameters = Parameters(this.loaded()?.ct.params());
    /// The identity of the client's key under which it is encrypted, in hexadecimal; all zeros on a
    /// model server.
    key_id: String = this.loaded()?.ct.key_id().to_string();
}

value_class! { Ciphertext: to_bytes, ciphertext }

#[pymethods]
impl Ciphertext {
    /// Tells pandas to use the operators of this class: the priorities of its own types are at most
    /// 4000. A `Series` then counts as the array of its values.
    #[classattr]
    fn __pandas_priority__() -> u32 {
        5000
    }

    /// The ciphertext as bytes. A fresh one from the secret key takes half the size: the other half
    /// is 32 bytes of seed.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let Some(loaded) = self.loaded.get() else {
            return bytes::copied(py, &self.stored);
        };
        loaded.backend.check()?;
        let data = run(|| loaded.ct.to_bytes(&loaded.context()))?;
        bytes::copied(py, &data)
    }

    /// Writes `to_bytes` to a file. An existing file is replaced when the new one is complete; a file
    /// with a secret key is not (`OverwriteError`). `Server.load(path)` and `Client.decrypt(path)` read
    /// it.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let data = self.to_bytes(py)?;
        let data = data.as_bytes();
        py.detach(|| files::save(&path, "ciphertext", data))
    }

    fn __hash__(slf: &Bound<'_, Self>) -> isize {
        slf.as_ptr() as isize >> 4
    }

    fn __repr__(&self) -> String {
        let Ok(loaded) = self.loaded() else {
            return format!("Ciphertext({} bytes from a pickle, with no server)", self.stored.len());
        };
        loaded.text()
    }

    fn _repr_html_(&self) -> PyResult<String> {
        let Ok(loaded) = self.loaded() else {
            return Ok(format!("<code>{}</code>", self.__repr__()));
        };
        Ok(loaded.html())
    }
}

/// Makes a ciphertext from its pickled bytes.
#[pyfunction]
pub fn restore_ciphertext(data: bytes::Input) -> Ciphertext {
    Ciphertext { loaded: OnceLock::new(), stored: data.to_vec() }
}
