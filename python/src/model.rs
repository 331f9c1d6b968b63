//! The counts and estimates of model servers.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyString;
use ringjet::KeyMemory;
use ringjet::dynamic::{Context, EvaluationKeys, Evaluator, KeyRequest, Parameters};
use ringjet_cuda::predict::{Gpu, PredictError};
use ringjet_cuda::{Launch, Recorder};
use ringjet_model::{CountingBackend, Device, DeviceError, Estimate, Trace, UsedKeys};
use serde_json::{Value, json};

use crate::backend::OpenBackend;
use crate::errors::{self, raise};
use crate::launches::{self, Predicted, predict};

/// The phase that makes the matrices of bootstrapping, once for each server.
pub const SET_UP: &str = "BootstrapMatrices";
const BOOTSTRAP: &str = "Bootstrap";

/// A counting backend, and what is needed to read its counts.
pub struct Model {
    pub backend: Arc<CountingBackend>,
    recorder: Arc<Recorder>,
    /// The launches so far.
    launches: Mutex<Vec<Launch>>,
    memory: KeyMemory,
    /// Bytes that the backend counts for keys without values: a few shared shapes stand for all
    /// keys.
    shapes: u64,
    /// The keys that were used before the counts were last forgotten.
    before: Mutex<UsedKeys>,
    /// Number of phases called `Bootstrap` in one bootstrap.
    passes: u32,
}

impl Model {
    /// An evaluator with every key that can exist. Without `bootstrapping` it lacks bootstrapping
    /// keys.
    pub fn new(
        params: &Parameters,
        (backend, recorder): (Arc<CountingBackend>, Arc<Recorder>),
        memory: KeyMemory,
        bootstrapping: bool,
    ) -> ringjet::Result<(Evaluator, EvaluationKeys, Self)> {
        let context = Context::new(params, backend.clone()).with_key_memory(memory)?;
        let keys = context.uncomputed_keys(bootstrapping)?;
        let eval = Evaluator::new(&context, &keys)?;
        let shapes = backend.take().resident_bytes;
        recorder.take();
        let passes = params.bootstrapping(params.slots().ilog2()).map_or(1, |boot| boot.passes);
        Ok((
            eval,
            keys,
            Self { backend, recorder, launches: Mutex::default(), memory, shapes, before: Mutex::default(), passes },
        ))
    }

    pub fn bootstraps(&self) -> u64 {
        self.bootstraps_of(&self.backend.trace())
    }

    fn bootstraps_of(&self, trace: &Trace) -> u64 {
        trace.entered(BOOTSTRAP) / u64::from(self.passes)
    }

    /// What was counted so far.
    pub fn trace(&self) -> Trace {
        self.backend.trace()
    }

    /// The keys of the program so far.
    pub fn keys(&self, eval: &Evaluator) -> KeyRequest {
        self.used().request(eval)
    }

    /// The keys of the program so far, also before [`Model::reset`].
    fn used(&self) -> UsedKeys {
        let before = self.before.lock().unwrap_or_else(PoisonError::into_inner);
        UsedKeys::of(&self.backend.trace()).and(&before)
    }

    /// Forgets what was counted, but not the keys of the program.
    pub fn reset(&self) {
        let used = self.used();
        *self.before.lock().unwrap_or_else(PoisonError::into_inner) = used;
        self.backend.take();
        self.recorder.take();
        self.launches.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// What was counted since the last call: the operations, and the launches that a GPU would get for them.
    pub fn take(&self) -> (Trace, Vec<Launch>) {
        (self.backend.take(), self.recorder.take().launches)
    }

    /// The time on a GPU of launches that were counted, and whose operations `trace` has.
    pub fn predicted(&self, gpu: &Gpu, launches: Vec<Launch>, trace: &Trace) -> PyResult<Predicted> {
        let wrong = |e: PredictError| errors::device(gpu.name.into(), e.to_string());
        predict(gpu, launches, &self.recorder, trace).map_err(wrong)
    }

    /// The estimate of a program whose operations `trace` has, on `device`, in the JSON that
    /// `ringjet.program._estimate` reads.
    pub fn estimate(&self, eval: &Evaluator, trace: &Trace, device: &Device) -> PyResult<String> {
        let (program, set_up) = trace.apart(SET_UP);
        let Estimate { time, cost, energy_joules, tree, .. } = program.estimate(device);
        let set_up_s = set_up.estimate(device).time.total_s;
        self.report(
            eval,
            trace,
            (device.name(), device.capacity_bytes()),
            json!({
                "set_up_s": set_up_s, "time": time, "energy_joules": energy_joules, "cost": cost, "tree": tree,
            }),
        )
    }

    /// The same on a GPU that gets the launches of the CUDA backend.
    pub fn estimate_launches(&self, eval: &Evaluator, gpu: &Gpu) -> PyResult<String> {
        let trace = self.backend.trace();
        let all = {
            let mut launches = self.launches.lock().unwrap_or_else(PoisonError::into_inner);
            launches.extend(self.recorder.take().launches);
            launches.clone()
        };
        let (set_up, program): (Vec<Launch>, Vec<Launch>) = all.into_iter().partition(|l| l.scopes.contains(&SET_UP));
        let (of_program, of_set_up) = trace.apart(SET_UP);
        let Predicted { time, cost, tree } = self.predicted(gpu, program, &of_program)?;
        let set_up_s = self.predicted(gpu, set_up, &of_set_up)?.time.total_s;
        self.report(
            eval,
            &trace,
            (&gpu.name.to_lowercase(), gpu.capacity),
            json!({
                "set_up_s": set_up_s, "time": time, "energy_joules": null, "cost": cost, "tree": tree,
            }),
        )
    }

    /// The whole report, from what is different for each device.
    fn report(&self, eval: &Evaluator, trace: &Trace, (name, bytes): (&str, u64), of: Value) -> PyResult<String> {
        let (keys, in_memory) = keys(trace, eval, self.memory).map_err(raise)?;
        let peak_bytes = trace.peak_bytes - self.shapes + in_memory;
        let mut report = json!({
            "device": name,
            "memory_bytes": bytes,
            "fits": peak_bytes <= bytes,
            "peak_bytes": peak_bytes,
            "bootstraps": self.bootstraps_of(trace),
            "keys": keys,
        });
        if let (Some(report), Value::Object(of)) = (report.as_object_mut(), of) {
            report.extend(of);
        }
        Ok(report.to_string())
    }
}

/// The estimate of a report.
pub fn read(py: Python<'_>, report: String) -> PyResult<Py<PyAny>> {
    Ok(py.import("ringjet.program._estimate")?.getattr("from_json")?.call1((report,))?.unbind())
}

/// The request for the keys that were used, with their sizes, and their bytes in memory.
fn keys(trace: &Trace, eval: &Evaluator, memory: KeyMemory) -> ringjet::Result<(Value, u64)> {
    let (params, request) = (eval.params(), UsedKeys::of(trace).request(eval));
    let sizes = params.key_sizes(&params.key_plan(&request)?, eval.context().backend())?;
    let in_memory = match memory {
        KeyMemory::Expanded => sizes.memory_bytes,
        KeyMemory::Compressed => sizes.compressed_memory_bytes,
    };
    let keys = json!({
        "request": request,
        "count": sizes.count,
        "at_rest": sizes.bytes_at_rest,
        "in_memory": in_memory,
    });
    Ok((keys, in_memory))
}

/// The GPU of this name whose launches can be predicted. A file of this name is a profile.
pub fn gpu(device: &Bound<'_, PyAny>) -> PyResult<Option<Gpu>> {
    let path: PathBuf = device.extract()?;
    Ok(if path.is_file() { None } else { launches::gpu(&path.to_string_lossy()) })
}

/// A device by its name, or from a file.
pub fn device(device: &Bound<'_, PyAny>) -> PyResult<Device> {
    let path: PathBuf = device.extract()?;
    let name = path.to_string_lossy().into_owned();
    if name == ringjet_cli::HERE && !path.is_file() {
        let threads = OpenBackend::default()?.threads();
        return device.py().detach(|| ringjet_cli::this_machine(threads)).map_err(|why| errors::device(name, why));
    }
    let named = device.is_instance_of::<PyString>() && !name.contains(['/', '\\']) && !name.ends_with(".toml");
    if named && !path.is_file() {
        return Device::builtin(&name).map_err(|e| {
            let hint = matches!(e, DeviceError::UnknownDevice { .. })
                .then_some(", h200, h100, or give the path of a profile (.toml)");
            errors::device(name, format!("{e}{}", hint.unwrap_or_default()))
        });
    }
    let text = std::fs::read_to_string(&path).map_err(|e| std::io::Error::new(e.kind(), format!("{name}: {e}")))?;
    Device::from_toml(&text).map_err(|e| errors::device(name.clone(), format!("{name}: {e}")))
}

/// The devices that [`device`] knows by name.
#[pyfunction]
pub fn devices() -> Vec<&'static str> {
    std::iter::once(ringjet_cli::HERE).chain(Device::names()).chain(["h200", "h100"]).collect()
}
