//! The public keys a server computes with.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBytes, PyDict};
use ringjet::dynamic::{self, Context, KeyRequest};
use ringjet::{Error, KeyMemory};
use ringjet_backend::host;

use crate::backend::OpenBackend;
use crate::bytes::{self, Accept, Input};
use crate::errors::{argument, raise, run};
use crate::files;
use crate::lists::List;
use crate::params::{Given, Parameters, mark};
use crate::progress::Progress;
use crate::values::{Purpose, Steps};

/// Public keys that a server computes with. They hold no secret.
#[pyclass(frozen, module = "ringjet")]
#[derive(Clone)]
pub struct EvaluationKeys {
    pub keys: dynamic::EvaluationKeys,
    pub backend: OpenBackend,
}

impl EvaluationKeys {
    pub fn context(&self) -> Context {
        Context::new(&self.keys.params(), self.backend.shared())
    }
}

const EXPANDED: &str = "expanded";
const COMPRESSED: &str = "compressed";

pub fn key_memory(name: &str) -> PyResult<KeyMemory> {
    match name {
        EXPANDED => Ok(KeyMemory::Expanded),
        COMPRESSED => Ok(KeyMemory::Compressed),
        _ => Err(argument("key_memory", format!("{name:?}"), "expanded or compressed")),
    }
}

/// Reads the keys of a file into the memory of `backend`. `progress` counts bytes.
pub fn read_file(
    backend: &OpenBackend,
    memory: KeyMemory,
    path: &Path,
    accept: &Accept,
    mut progress: Progress,
) -> PyResult<dynamic::EvaluationKeys> {
    let file = File::open(path).map_err(|e| files::at(path, e))?;
    let step = |done, total| progress.step(done as usize, total as usize);
    let read = run(|| bytes::keys_read(backend, memory, BufReader::new(file), accept, step));
    progress.finish(read)
}

properties! { EvaluationKeys, this, py:
    /// The parameters.
    params: Parameters = Parameters(this.keys.params());
    /// The identity of the client's key to which they belong, in hexadecimal.
    key_id: String = this.keys.key_id().to_string();
    /// Rotations that have a key for all levels, in slots to the left; negative ones go right.
    rotations: Vec<i64> = py.detach(|| this.keys.rotations());
    /// Whether ciphertexts can be multiplied.
    relinearization: bool = this.keys.has_relinearization();
    /// Whether ciphertexts can be conjugated.
    conjugation: bool = this.keys.has_conjugation();
    /// Numbers of slots for which there are bootstrapping keys. Very few slots take those of the smallest
    /// number.
    bootstrapping: Vec<usize> = py.detach(|| this.keys.bootstrapping().into_iter().map(|l| 1 << l).collect());
    /// The request for which these keys are made, as JSON; it has rotations of bootstrapping too.
    _request: String = py.detach(|| serde_json::to_string(&this.keys.request()).unwrap_or_default());
    /// Number of keys, and the bytes of all of them as sent and in memory.
    sizes: Py<PyDict> = {
        let (count, at_rest, in_memory) = (this.keys.len(), bytes::keys_len(&this.keys), this.keys.memory_bytes());
        [("keys", count), ("bytes", at_rest), ("in_memory", in_memory)].into_py_dict(py)?.unbind()
    };
    /// How the keys are stored in memory: "expanded" or "compressed".
    key_memory: &'static str = if this.keys.memory() == KeyMemory::Expanded { EXPANDED } else { COMPRESSED };
}

value_class! { EvaluationKeys: to_bytes, keys }

#[pymethods]
impl EvaluationKeys {
    /// The union of these keys and those of `other`. Keys of another client are refused.
    fn merge(&self, other: &Self) -> PyResult<Self> {
        let other = other.on(&self.backend, Some(self.keys.memory()))?;
        Ok(Self { keys: self.keys.merged(&other.keys).map_err(raise)?, backend: self.backend.clone() })
    }

    /// The keys that `Client.evaluation_keys` would make for these arguments, from those that are here:
    /// `keys.subset(**plan.keys)` are those of a plan. Keys for fewer levels are smaller, except where
    /// levels share primes. Missing ones are refused. bootstrapping: numbers of slots.
    #[pyo3(signature = (rotations=Steps::default(), conjugation=false, relinearization=true, *, bootstrapping=None, levels=None))]
    fn subset(
        &self,
        rotations: Steps,
        conjugation: bool,
        relinearization: bool,
        bootstrapping: Option<List<usize>>,
        levels: Option<BTreeMap<Purpose, usize>>,
    ) -> PyResult<Self> {
        self.backend.check()?;
        let bootstrapping = bootstrapping.map_or(vec![], |all| all.0);
        let levels = levels.unwrap_or_default().into_iter().map(|(purpose, level)| (purpose.0, level)).collect();
        let request = KeyRequest { rotations: rotations.0, conjugation, relinearization, bootstrapping, levels };
        let keys = run(|| self.keys.subset(&self.keys.params().key_plan(&request)?))?;
        Ok(Self { keys, backend: self.backend.clone() })
    }

    /// The keys as bytes that can be sent; half of each key is 32 bytes of seed.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.backend.check()?;
        let write = |out: &mut &mut [u8]| bytes::keys_write(&self.context(), &self.keys, out, |_, _| true);
        bytes::python(py, bytes::keys_len(&self.keys), write)
    }

    /// Reads keys. Refused: more than `max_bytes`, invalid bytes, and insecure parameters unless
    /// allow_insecure is True. params: `Parameters` or a preset's name, for keys from the Rust
    /// library, which come without parameters. key_memory: "compressed" stores half of each key as
    /// a seed: half the memory, and slower to use.
    #[staticmethod]
    #[pyo3(signature = (data, *, max_bytes=bytes::KEYS_LIMIT, allow_insecure=false, params=None, key_memory="expanded"))]
    fn from_bytes(
        data: Input,
        max_bytes: u64,
        allow_insecure: bool,
        params: Option<Given>,
        key_memory: &str,
    ) -> PyResult<Self> {
        let (backend, memory) = (OpenBackend::default()?, self::key_memory(key_memory)?);
        let accept = Accept::new(max_bytes, allow_insecure, params);
        let keys = run(|| bytes::keys_from(&backend, memory, &data, &accept))?;
        Ok(Self { keys, backend })
    }

    /// Writes the bytes of `to_bytes` to a file, without holding all of them in memory. progress,
    /// in bytes: True for a bar, or a callable taking (done, total). Ctrl-C stops the work between
    /// two keys. An existing file is replaced at the end, and unchanged after an error such as a
    /// full disk. A file with a secret key is not replaced (`OverwriteError`).
    #[pyo3(signature = (path, progress=None))]
    fn save(&self, py: Python<'_>, path: PathBuf, progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        self.backend.check()?;
        let mut progress = Progress::new(progress, "bytes saved")?;
        let step = |done, total| progress.step(done as usize, total as usize);
        let what = "evaluation keys";
        let saved = py.detach(|| {
            files::replace(&path, what, |file| {
                let mut file = BufWriter::new(file);
                bytes::keys_write(&self.context(), &self.keys, &mut file, step)?;
                file.flush().map_err(|e| Error::Io { what, reason: e.to_string() })
            })
        });
        progress.finish(saved)
    }

    /// Reads a file that `save` wrote, piece by piece: only the keys take memory. progress: as for
    /// `save`. Other arguments as for `from_bytes`.
    #[staticmethod]
    #[pyo3(signature = (path, progress=None, *, max_bytes=bytes::KEYS_LIMIT, allow_insecure=false, params=None, key_memory="expanded"))]
    fn load(
        path: PathBuf,
        progress: Option<&Bound<'_, PyAny>>,
        max_bytes: u64,
        allow_insecure: bool,
        params: Option<Given>,
        key_memory: &str,
    ) -> PyResult<Self> {
        let accept = Accept::new(max_bytes, allow_insecure, params);
        let (backend, memory) = (OpenBackend::default()?, self::key_memory(key_memory)?);
        let keys = read_file(&backend, memory, &path, &accept, Progress::new(progress, "bytes loaded")?)?;
        Ok(Self { keys, backend })
    }

    fn __len__(&self) -> usize {
        self.keys.len()
    }

    fn __repr__(&self) -> String {
        let (products, conjugation) = (self.keys.has_relinearization(), self.keys.has_conjugation());
        let python_bool = |x| if x { "True" } else { "False" };
        format!(
            "EvaluationKeys({} rotations, relinearization={}, conjugation={}, {}{:.1} MB in memory{})",
            self.keys.len() - usize::from(products) - usize::from(conjugation),
            python_bool(products),
            python_bool(conjugation),
            if self.keys.can_bootstrap() { "bootstrapping=True, " } else { "" },
            self.keys.memory_bytes() as f64 / 1e6,
            mark(&self.keys.params())
        )
    }
}

impl EvaluationKeys {
    /// The keys in the memory of `backend`, stored as `memory` says, or as they are for `None`.
    pub fn on(&self, backend: &OpenBackend, memory: Option<KeyMemory>) -> PyResult<Self> {
        self.backend.check()?;
        let memory = memory.unwrap_or(self.keys.memory());
        if !self.backend.same(backend) {
            let mut data = host::capacity(bytes::keys_len(&self.keys)).map_err(|e| raise(e.into()))?;
            bytes::keys_write(&self.context(), &self.keys, &mut data, |_, _| true).map_err(raise)?;
            let accept = Accept::new(u64::MAX, true, None);
            let keys = bytes::keys_from(backend, memory, &data, &accept).map_err(raise)?;
            return Ok(Self { keys, backend: backend.clone() });
        }
        Ok(Self { keys: self.keys.in_memory_form(memory).map_err(raise)?, backend: backend.clone() })
    }
}

/// The rotations that `Ciphertext.inner_sum(stride, count)` needs.
#[pyfunction]
pub fn inner_sum_rotations(stride: i64, count: usize) -> Vec<i64> {
    ringjet::circuits::inner_sum_rotations(stride, count)
}
