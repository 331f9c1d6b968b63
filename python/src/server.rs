//! The server: it computes, and has no way to hold a secret key.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::lists::List;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use ringjet::KeyMemory;
use ringjet::dynamic::{self, Context, Evaluator};
use ringjet::program::Op;
use ringjet_backend::Width;
use ringjet_model::Trace;

use crate::apply::{first, observed};
use crate::backend::{MODEL, OpenBackend};
use crate::bytes::{self, Accept, Input};
use crate::ciphertext::Ciphertext;
use crate::errors::{argument, raise, run, wrong_type};
use crate::files;
use crate::keys::{self, EvaluationKeys};
use crate::loaded::{self, Inner};
use crate::model::{self, Model};
use crate::params::{self, Given, Parameters, mark};
use crate::pricing::Pricing;
use crate::profile::{Profile, Taken};
use crate::progress::Progress;

impl Server {
    /// A ciphertext in the memory of this server's backend.
    fn here(&self, ciphertext: &Bound<'_, Ciphertext>) -> PyResult<Ciphertext> {
        if self.0.recorder.is_some() {
            let loaded = ciphertext.get().loaded()?;
            return loaded.traced(&self.0).map(|_| loaded.clone().into());
        }
        let ct = ciphertext.get().on(&self.0.backend, &self.0.eval.context())?;
        Ok(Ciphertext::of(&self.0, ct))
    }

    /// A server on a counting backend, which computes nothing.
    fn model(params: Option<&dynamic::Parameters>, memory: KeyMemory, bootstrapping: bool) -> PyResult<Self> {
        let Some(params) = params else {
            return Err(argument("params", "None", "Parameters or the name of a preset where backend=\"model\""));
        };
        let (backend, counting, recorder) = OpenBackend::model(params.residue_width());
        let (eval, keys, model) = run(|| Model::new(params, (counting, recorder), memory, bootstrapping))?;
        Ok(Self(Arc::new(Inner { eval, keys, backend, model: Some(model), recorder: None, profile: Mutex::default() })))
    }
}

/// In how many bytes the backend called `backend` is to store residues, for these keys. Only a GPU
/// has a choice.
fn width(backend: &str, keys: &Bound<'_, PyAny>, accept: &Accept) -> PyResult<Width> {
    if !backend.starts_with("cuda") {
        return Ok(Width::Eight);
    }
    let params = if let Ok(keys) = keys.cast::<EvaluationKeys>() {
        keys.get().keys.params()
    } else if let Ok(data) = keys.extract::<Input>() {
        run(|| bytes::keys_params(&data, accept))?
    } else if let Ok(path) = keys.extract::<PathBuf>() {
        let file = File::open(&path).map_err(|e| files::at(&path, e))?;
        run(|| bytes::keys_params_read(BufReader::new(file), accept))?
    } else {
        return Ok(Width::Eight); // the caller refuses such keys
    };
    Ok(params.residue_width())
}

/// Computes on ciphertexts with public keys.
///
/// `Server(keys, backend="auto", threads=None)` takes `EvaluationKeys`, their bytes (as
/// `EvaluationKeys.from_bytes` does, with the same arguments), or the path of a file. backend: one
/// of `backends()`. A GPU stores residues in 4, 6 or 8 bytes, the least that hold the primes of the
/// parameters. threads: 0 for one a core, by default `threads()`. key_memory: "compressed" stores
/// half of each key as a seed: half the memory, and slower to use. By default `EvaluationKeys` stay
/// as they are; keys that are read become "expanded".
///
/// `Server(backend="model", params=...)` takes no keys and holds no values. It counts the
/// operations of a program on `input()`s, as if every key existed; `estimate` gives their cost on a
/// device.
#[pyclass(frozen, module = "ringjet")]
pub struct Server(pub Arc<Inner>);

/// What a model server had counted at one time.
#[pyclass(frozen, module = "ringjet")]
pub struct Counts {
    server: Arc<Inner>,
    trace: Trace,
}

#[pymethods]
impl Counts {
    /// The estimate on a device whose profile has rates: not one of the GPUs whose launches are predicted.
    fn estimate(&self, py: Python<'_>, device: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let (model, device) = (self.server.counted("estimate")?, model::device(device)?);
        let found = py.detach(|| model.estimate(&self.server.eval, &self.trace, &device))?;
        model::read(py, found)
    }
}

properties! { Server, this, py:
    /// How many bootstraps the model server counted.
    _bootstraps: u64 = this.0.counted("_bootstraps")?.bootstraps();
    /// Numbers of slots for which there are bootstrapping keys. Very few slots take those of the smallest
    /// number.
    bootstrapping: Vec<usize> = py.detach(|| this.0.keys.bootstrapping().into_iter().map(|l| 1 << l).collect());
    /// The backend, such as `cpu-ifma`.
    backend: String = this.0.backend.name().into();
    /// Number of threads.
    threads: usize = this.0.backend.threads();
    /// The parameters.
    params: Parameters = Parameters(this.0.eval.params());
    /// The identity of the client's key to which the evaluation keys belong, in hexadecimal; all
    /// zeros on a model server.
    key_id: String = this.0.keys.key_id().to_string();
    /// Rotations that have a key for all levels, in slots to the left; negative ones go right.
    rotations: Vec<i64> = py.detach(|| this.0.keys.rotations());
}

#[pymethods]
impl Server {
    #[new]
    #[pyo3(signature = (keys=None, backend="auto", threads=None, *, max_bytes=bytes::KEYS_LIMIT, allow_insecure=false, params=None, key_memory=None))]
    fn new(
        py: Python<'_>,
        keys: Option<&Bound<'_, PyAny>>,
        backend: &str,
        threads: Option<i64>,
        max_bytes: u64,
        allow_insecure: bool,
        params: Option<Given>,
        key_memory: Option<&str>,
    ) -> PyResult<Self> {
        let memory = key_memory.map(keys::key_memory).transpose()?;
        let accept = Accept::new(max_bytes, allow_insecure, params);
        let keys = match (keys, backend == MODEL) {
            (Some(keys), false) => keys,
            (None, true) => return Self::model(accept.params.as_ref(), memory.unwrap_or_default(), true),
            (None, false) => {
                let expected = "evaluation keys, their bytes or the path of a file; without keys, backend=\"model\" with \
                                params=... counts what a program does";
                return Err(argument("keys", "None", expected));
            }
            (Some(keys), true) => {
                let expected = "None where backend=\"model\", which counts with all keys there could be: give params=... \
                                alone, or another backend to compute";
                return Err(argument("keys", keys.get_type().name()?, expected));
            }
        };
        let backend = OpenBackend::open(backend, threads, width(backend, keys, &accept)?)?;
        let read = memory.unwrap_or(KeyMemory::Expanded);
        let keys = if let Ok(keys) = keys.cast::<EvaluationKeys>() {
            let keys = keys.get();
            py.detach(|| keys.on(&backend, memory))?.keys
        } else if let Ok(data) = keys.extract::<Input>() {
            run(|| bytes::keys_from(&backend, read, &data, &accept))?
        } else if let Ok(path) = keys.extract::<PathBuf>() {
            keys::read_file(&backend, read, &path, &accept, Progress::default())?
        } else {
            return Err(wrong_type("a server takes EvaluationKeys, their bytes or the path of a file", keys));
        };
        let context = Context::new(&keys.params(), backend.shared());
        let eval = Evaluator::new(&context, &keys).map_err(raise)?;
        let inner = Arc::new(Inner { eval, keys, backend, model: None, recorder: None, profile: Mutex::default() });
        loaded::enlist(&inner);
        Ok(Self(inner))
    }

    /// Loads a ciphertext to compute with: from its bytes, from the path of a file that
    /// `Ciphertext.save` wrote, or from a `Ciphertext` of this process.
    /// Refused: more than `max_bytes`, residues out of range, ciphertexts of another client or of
    /// other parameters.
    #[pyo3(signature = (data, *, max_bytes=bytes::CIPHERTEXT_LIMIT))]
    fn load<'py>(&self, data: &Bound<'py, PyAny>, max_bytes: u64) -> PyResult<Bound<'py, Ciphertext>> {
        self.0.backend.check()?;
        if self.0.recorder.is_some() {
            let own = data.cast::<Ciphertext>().ok();
            let own = own.filter(|ct| ct.get().loaded().is_ok_and(|loaded| loaded.traced(&self.0).is_ok()));
            let expected = "a recorded program is given its inputs: load takes a ciphertext that it was given";
            return own.cloned().ok_or_else(|| wrong_type(expected, data));
        }
        let read = || {
            let ct = Ciphertext::read(data, "load", (&self.0.backend, &self.0.eval.context()), max_bytes)?;
            self.0.keys.expect(&ct).map_err(raise)?;
            Ok(ct)
        };
        let ct = match self.0.profile() {
            None => read()?,
            Some(profile) => profile.load(&self.0.eval, read)?,
        };
        Bound::new(data.py(), Ciphertext::of(&self.0, ct))
    }

    /// Bootstraps: the same values, with levels to spend again. Operators bootstrap by themselves
    /// where a ciphertext has no level left. It needs keys made with `bootstrapping=True`, and a
    /// level of at least `params.bootstrap_input_level`; otherwise it is refused.
    ///
    /// real: True states that the values are real, which takes about two thirds of the time with
    /// CKKS. progress: True for a bar, or a callable taking (done, total). Ctrl-C stops the work
    /// between phases.
    /// HEAAN's values must be at most 1 in magnitude. With `params.slots` slots, it needs
    /// `params.bootstrap_input_log_q` bits of modulus at a scale of `2**log_p`, to which larger
    /// scales are rescaled, and returns `params.bootstrap_output_log_q` bits.
    #[pyo3(signature = (ciphertext, real=false, progress=None))]
    fn bootstrap(
        &self,
        ciphertext: &Bound<'_, Ciphertext>,
        real: bool,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Ciphertext> {
        let here = self.here(ciphertext)?;
        observed(&Op::Bootstrap { real }, &[&here], None, Progress::new(progress, "bootstrap")?).map(first)
    }

    /// Bootstraps each ciphertext, in order. All must have the same number of slots; where one
    /// cannot be bootstrapped, nothing is done. With `real=True` CKKS bootstraps two at a time, in
    /// about two thirds of the time. With keys for more slots too, such as `bootstrapping=[4096,
    /// 32768]`, CKKS bootstraps as many ciphertexts at once as have room in so many slots, in little
    /// more than the time of one. Errors are then up to `2 * sqrt(k)` times those of a bootstrap of so
    /// many slots, for k at once, or k pairs of real ones. Each must have one level more than
    /// `params.bootstrap_input_level` for that. progress: True for a bar, or a callable taking (done,
    /// total). Ctrl-C stops the work between ciphertexts.
    #[pyo3(signature = (ciphertexts, real=false, progress=None))]
    fn bootstrap_many(
        &self,
        ciphertexts: List<Bound<'_, Ciphertext>>,
        real: bool,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Ciphertext>> {
        let here = ciphertexts.0.iter().map(|ct| self.here(ct)).collect::<PyResult<Vec<_>>>()?;
        if here.is_empty() {
            return Ok(vec![]);
        }
        let progress = Progress::new(progress, "bootstrap")?;
        observed(&Op::BootstrapMany { real }, &here.iter().collect::<Vec<_>>(), None, progress)
    }

    /// Makes the matrices of bootstrapping, which otherwise happens at the first bootstrap. slots:
    /// their number in the ciphertexts, by default every number that has keys. A model server
    /// without `slots` makes them when it needs them. progress: True for a bar, or a callable
    /// taking (done, total). Ctrl-C stops the work between two matrices.
    #[pyo3(signature = (slots=None, progress=None))]
    fn prepare_bootstrapping(
        &self,
        py: Python<'_>,
        slots: Option<usize>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        self.0.expect_bootstrapping()?;
        let logs = match slots {
            // a model server has keys for every number of slots: it prepares those that it meets
            None if self.0.model.is_some() => return Ok(()),
            Some(_) => vec![params::log_slots(&self.0.eval.params(), slots)?],
            None => py.detach(|| self.0.keys.bootstrapping()),
        };
        let mut progress = Progress::new(progress, "matrices")?;
        let made = logs.iter().enumerate().try_for_each(|(i, &log_slots)| {
            self.0.prepare(log_slots, |done, total| progress.step(i * total + done, logs.len() * total))
        });
        progress.finish(made)
    }

    /// Time, memory and keys of a model server's program on a device, counted since the server's
    /// start or the last `reset_counts`. device: one of `devices()`, by default this machine, or the path
    /// of a profile in TOML. For "h200" and "h100" it is the predicted time of the launches that this library makes on
    /// the GPU, for all others that of a device with the profile's figures.
    #[pyo3(signature = (device=None))]
    fn estimate(&self, py: Python<'_>, device: Option<&Bound<'_, PyAny>>) -> PyResult<Py<PyAny>> {
        let here = PyString::new(py, ringjet_cli::HERE).into_any();
        let device = device.unwrap_or(&here);
        let model = self.0.counted("estimate")?;
        let found = match model::gpu(device)? {
            Some(gpu) => py.detach(|| model.estimate_launches(&self.0.eval, &gpu))?,
            None => {
                let device = model::device(device)?;
                py.detach(|| model.estimate(&self.0.eval, &model.trace(), &device))?
            }
        };
        model::read(py, found)
    }

    /// What a model server has counted so far, which later operations do not change.
    fn _counts(&self) -> PyResult<Counts> {
        let trace = self.0.counted("_counts")?.trace();
        Ok(Counts { server: self.0.clone(), trace })
    }

    /// Sets the counts of a model server to zero. Ciphertexts and matrices that exist still count
    /// as memory.
    fn reset_counts(&self) -> PyResult<()> {
        self.0.counted("reset_counts")?.reset();
        Ok(())
    }

    /// What the processors in memory have done since they were opened: all servers of a process
    /// with this backend share them.
    fn pim_traffic(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.0.backend.check()?;
        let Some(pim) = self.0.backend.pim() else {
            let expected = format!("{} or {}, whose servers count this", ringjet_pim::DEVICE, ringjet_pim::EMULATED);
            return Err(argument("backend", format!("{:?}", self.0.backend.name()), &expected));
        };
        let (traffic, moved) = (pim.traffic(), pim.moved());
        let counts = [
            traffic.launches,
            traffic.cycles,
            traffic.to_dpus,
            traffic.from_dpus,
            traffic.between_dpus,
            moved.operations,
            moved.to_host + moved.from_host,
        ];
        let class = py.import("ringjet._pim")?.getattr("PimTraffic")?;
        Ok(class.call1(PyTuple::new(py, counts)?)?.unbind())
    }

    /// What this server computes in a `with` block, operation by operation, with times, levels, sizes and
    /// memory:
    ///
    ///     with server.profile() as p:
    ///         y = program(server, x)
    ///     print(p)
    ///
    /// Operations are known by the line of the user's code, those of a `Program` by the line where it was
    /// recorded. All threads that use the server are seen. device: one of `devices()`, or the path of a
    /// profile in TOML; what the cost model says for it stands beside the measured times. depth: how many
    /// levels of steps are timed below each operation, such as the phases of a bootstrap. Nothing is
    /// measured outside of the block.
    #[pyo3(signature = (*, device=None, depth=2))]
    fn profile(slf: &Bound<'_, Self>, device: Option<&Bound<'_, PyAny>>, depth: i64) -> PyResult<Py<PyAny>> {
        let depth = usize::try_from(depth).map_err(|_| argument("depth", depth, "0 or more"))?;
        let class = slf.py().import("ringjet.program._profile")?.getattr("Profile")?;
        Ok(class.call1((slf, device, depth))?.unbind())
    }

    /// Begins to write down what this server computes. depth: how many levels of steps are timed below each
    /// operation. device: prices are those of this device.
    #[pyo3(signature = (depth, device=None))]
    fn _begin_profile(&self, depth: usize, device: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        self.0.backend.check()?;
        if self.0.model.is_some() {
            let expected = "a server that computes; estimate(device) and rj.plan say what a model server counts";
            return Err(argument("backend", MODEL, expected));
        }
        let pricing =
            device.map(|device| Pricing::new(&self.0.eval.params(), self.0.keys.memory(), device)).transpose()?;
        let mut place = self.0.profile.lock().unwrap_or_else(PoisonError::into_inner);
        if place.is_some() {
            let expected = "one profile of a server at a time: it sees the operations of all threads";
            return Err(argument("profile", "a second one", expected));
        }
        *place = Some(Arc::new(Profile::new(depth, pricing)));
        Ok(())
    }

    /// Ends the profile, and returns what it saw.
    fn _end_profile(&self, py: Python<'_>) -> PyResult<Taken> {
        let taken = self.0.profile.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(profile) = taken else { return Err(argument("profile", "none", "a profile that has begun")) };
        py.detach(|| profile.taken())
    }

    fn __repr__(&self) -> String {
        let params = self.0.eval.params();
        if self.0.model.is_some() {
            return format!("Server({MODEL}, n=2^{}, counts and holds no values{})", params.log_n(), mark(&params));
        }
        format!(
            "Server({}, {} thread(s), n=2^{}, {} keys{})",
            self.0.backend.name(),
            self.0.backend.threads(),
            params.log_n(),
            self.0.keys.len(),
            mark(&params)
        )
    }
}
