//! Programs as values, and the servers that record them.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use ringjet::dynamic::{StartModulus, Values};
use ringjet::program::{self, Clear, Finding, Input, MAX_BYTES, Passes, Recorder, Span};
use ringjet::{Error, KeyMemory, Stated};

use crate::apply::recorded;
use crate::backend::{MODEL, OpenBackend};
use crate::bytes;
use crate::ciphertext::Ciphertext;
use crate::errors::{self, argument, raise, run};
use crate::files;
use crate::loaded::Inner;
use crate::model::Model;
use crate::params::{self, Given, Parameters};
use crate::progress::Progress;
use crate::server::Server;
use crate::values::{self, Bounds, Numbers, UNSTATED};

/// What is asked of an input of a model server.
pub struct Fresh<'a, 'py> {
    pub slots: Option<usize>,
    pub level: Option<usize>,
    pub log_q: Option<u32>,
    pub magnitude: Option<Bounds>,
    pub count: Option<usize>,
    pub fill: Option<&'a Bound<'py, PyAny>>,
    pub complex: bool,
    pub public_key: bool,
}

impl Fresh<'_, '_> {
    fn stated(&self) -> Stated {
        self.magnitude.map_or(UNSTATED, |bounds| bounds.0)
    }

    /// The input called `name`.
    pub fn input(&self, name: &str, params: &ringjet::dynamic::Parameters) -> PyResult<Input> {
        let fill = self.fill.map_or(Ok(self.stated().padding().into()), values::number)?;
        Ok(Input {
            name: name.into(),
            log_slots: params::log_slots(params, self.slots)?,
            at: StartModulus { level: self.level, log_q: self.log_q },
            stated: self.stated(),
            complex: self.complex,
            public_key: self.public_key,
            count: self.count,
            zero_padded: fill.abs() == 0.0,
        })
    }

    /// The values of a simulation's input, packed as encryption packs them, and how many are given.
    fn packed(
        &self,
        given: &Bound<'_, PyAny>,
        params: &ringjet::dynamic::Parameters,
        slots: usize,
    ) -> PyResult<(Clear, usize)> {
        let padding = self.stated().padding();
        let (packed, count) = Numbers::of(params).filled(given, slots, self.fill, padding)?;
        if count == 0 || count > slots {
            return Err(raise(Error::SlotCount { found: count, slots, max: slots }));
        }
        let clear = match packed {
            Values::Numbers(mut all) => {
                all.resize(slots, Default::default());
                let complex = self.complex || all.iter().any(|z| z.im != 0.0);
                Clear::numbers(all, count, complex)
            }
            Values::Integers(mut all) => {
                let t = params.plaintext_modulus().unwrap_or(1);
                if let Some(residues) = params.residues() {
                    all.iter().enumerate().try_for_each(|(i, &x)| residues.expect(i, x)).map_err(raise)?;
                }
                all.resize(slots, 0);
                Clear::integers(&all, count, t)
            }
        };
        Ok((clear, count))
    }
}

/// Least and greatest value with their slots.
type Ends = (f64, f64, usize, usize);

/// What a recording server knows of a value: place, operation, level, scale, slots, magnitude,
/// precision, (level, slots) of what was bootstrapped, ranges of given values and of padding, error of a
/// polynomial, noise budget.
type FactRow = (
    String,
    &'static str,
    usize,
    f64,
    usize,
    f64,
    f64,
    Vec<(usize, usize)>,
    Option<Ends>,
    Option<Ends>,
    Option<f64>,
    Option<f64>,
);

/// An input of a program: name, slots, level, bits of the modulus, (interval, magnitude) of which one is
/// None, count of values, whether it is complex and encrypted with the public key.
type OptionRow =
    (String, usize, Option<usize>, Option<u32>, (Option<(f64, f64)>, Option<f64>), Option<usize>, bool, bool);

fn ends(span: Span) -> Ends {
    (span.low, span.high, span.low_slot, span.high_slot)
}

/// A warning in the words of Python.
fn worded(finding: &Finding) -> (String, String, String) {
    let error =
        finding.error.clone().map_or(String::new(), |error| Python::attach(|py| raise(error).value(py).to_string()));
    (finding.place.clone(), finding.operation.clone(), error + &finding.text)
}

impl Server {
    /// A fresh ciphertext of a model server; in a simulation with its values.
    pub fn fresh(
        &self,
        name: &str,
        fresh: &Fresh<'_, '_>,
        values: Option<&Bound<'_, PyAny>>,
        padding: Option<Vec<bool>>,
    ) -> PyResult<Ciphertext> {
        self.0.counted("input")?;
        let params = self.0.eval.params();
        let mut input = fresh.input(name, &params)?;
        if self.0.recorder.is_none() {
            let ct = input.uncomputed(&self.0.eval.context()).map_err(raise)?;
            return Ok(Ciphertext::of(&self.0, ct));
        }
        let clear = match values {
            Some(values) => {
                let (clear, count) = fresh.packed(values, &params, params.rows() << input.log_slots)?;
                Some(match padding {
                    Some(padding) => clear.with_padding(padding).map_err(raise)?,
                    None => {
                        input.count = Some(count);
                        clear
                    }
                })
            }
            None if self.recording()?.simulates() => return Err(errors::no_values(MODEL)),
            None => None,
        };
        let mut recorder = self.0.recorder().expect("it was there before");
        Ok(recorded(&self.0, recorder.input(input, clear).map_err(raise)?))
    }

    fn recording(&self) -> PyResult<std::sync::MutexGuard<'_, Recorder>> {
        self.0.recorder().ok_or_else(|| argument("server", self.0.backend.name(), "a server that records"))
    }
}

#[pymethods]
impl Server {
    /// A fresh ciphertext without values, on a model server: it stands for one from a client.
    /// slots: a power of two, all by default. level: the top one by default. log_q: bits of HEAAN's
    /// modulus, the largest by default. magnitude: bound on real and imaginary parts, or (low, high)
    /// for real values; 1 unless stated. count: how many values it holds, a value in every slot by
    /// default. fill: as for `Client.encrypt`; it only matters whether it is 0. complex: False for
    /// real values. public_key: whether it stands for one that was encrypted with the public key.
    #[pyo3(signature = (slots=None, level=None, *, log_q=None, magnitude=None, count=None, fill=None, complex=false, public_key=false))]
    fn input(
        &self,
        slots: Option<usize>,
        level: Option<usize>,
        log_q: Option<u32>,
        magnitude: Option<Bounds>,
        count: Option<usize>,
        fill: Option<&Bound<'_, PyAny>>,
        complex: bool,
        public_key: bool,
    ) -> PyResult<Ciphertext> {
        let fresh = Fresh { slots, level, log_q, magnitude, count, fill, complex, public_key };
        self.fresh("", &fresh, None, None)
    }

    /// A model server that records its program. With CKKS parameters, `bootstrapping=False` leaves out
    /// the bootstrapping keys. simulates: inputs have values; modular: those of BGV and BFV may wrap
    /// around.
    #[staticmethod]
    fn _recording(params: Given, bootstrapping: bool, simulates: bool, modular: bool) -> PyResult<Self> {
        let (backend, counting, recorder) = OpenBackend::model(params.0.residue_width());
        let (eval, keys, model) =
            run(|| Model::new(&params.0, (counting, recorder), KeyMemory::default(), bootstrapping))?;
        let recorder = if simulates { Recorder::simulating(&eval, modular) } else { Recorder::new(&eval) };
        let recorder = Some(Mutex::new(recorder));
        Ok(Self(Arc::new(Inner { eval, keys, backend, model: Some(model), recorder, profile: Mutex::default() })))
    }

    /// `input` with the name of the input, and in a simulation with its values.
    /// padding: which slots are padding, by default those after the values.
    #[pyo3(signature = (name, values=None, padding=None, slots=None, level=None, log_q=None, magnitude=None, count=None, fill=None, complex=false, public_key=false))]
    fn _input(
        &self,
        name: &str,
        values: Option<&Bound<'_, PyAny>>,
        padding: Option<Vec<bool>>,
        slots: Option<usize>,
        level: Option<usize>,
        log_q: Option<u32>,
        magnitude: Option<Bounds>,
        count: Option<usize>,
        fill: Option<&Bound<'_, PyAny>>,
        complex: bool,
        public_key: bool,
    ) -> PyResult<Ciphertext> {
        let fresh = Fresh { slots, level, log_q, magnitude, count, fill, complex, public_key };
        self.fresh(name, &fresh, values, padding)
    }

    /// What is known of every value of the recorded program, in order.
    fn _facts(&self) -> PyResult<Vec<FactRow>> {
        let recorder = self.recording()?;
        let rows = recorder.facts().iter().map(|fact| {
            (
                fact.place.clone(),
                fact.operation,
                fact.left,
                fact.scale_log2,
                fact.slots,
                fact.magnitude,
                fact.precision_bits,
                fact.bootstraps.iter().map(|b| (b.left, 1 << b.log_slots)).collect(),
                fact.given.map(ends),
                fact.padding.map(ends),
                fact.error,
                fact.noise_budget,
            )
        });
        Ok(rows.collect())
    }

    /// The warnings of a simulation: place, operation and text.
    fn _findings(&self) -> PyResult<Vec<(String, String, String)>> {
        Ok(self.recording()?.findings().iter().map(worded).collect())
    }

    /// The request for the keys that the program has used so far, as JSON.
    fn _keys(&self) -> PyResult<String> {
        let request = self.0.counted("_keys")?.keys(&self.0.eval);
        Ok(serde_json::to_string(&request).unwrap_or_default())
    }

    /// The recorded program that returns these ciphertexts.
    fn _program(&self, outputs: Vec<(String, Py<Ciphertext>)>, bootstrapping: bool) -> PyResult<RecordedProgram> {
        let outputs = outputs.iter().map(|(name, ct)| Ok((name.clone(), ct.get().loaded()?.traced(&self.0)?.value)));
        let outputs = outputs.collect::<PyResult<_>>()?;
        let program = self.recording()?.returning(outputs).map_err(raise)?;
        Ok(RecordedProgram { program, params: self.0.eval.params(), bootstrapping })
    }
}

/// The native half of `ringjet.Program`.
#[pyclass(frozen, module = "ringjet._ringjet")]
pub struct RecordedProgram {
    program: program::Program,
    params: ringjet::dynamic::Parameters,
    bootstrapping: bool,
}

properties! { RecordedProgram, this, py:
    /// The parameters under which it was recorded.
    params: Parameters = Parameters(this.params.clone());
    /// Whether it was recorded for servers with bootstrapping keys.
    bootstrapping: bool = this.bootstrapping;
    /// The names of its inputs.
    inputs: Vec<String> = this.program.inputs().iter().map(|(input, _)| input.name.clone()).collect();
    /// The names of its results.
    outputs: Vec<String> = this.program.outputs().iter().map(|(name, _)| name.clone()).collect();
    /// The names of its operations, in order.
    operations: Vec<&'static str> = this.program.nodes().iter().map(|node| node.op.name()).collect();
}

value_class! { RecordedProgram: to_bytes, program }

#[pymethods]
impl RecordedProgram {
    /// A program that computes the same with less work. passes: names of `Passes`.
    fn optimised(&self, passes: Vec<String>) -> PyResult<Self> {
        let mut chosen = Passes::NONE;
        for name in &passes {
            let pass = match name.as_str() {
                "constants" => &mut chosen.constants,
                "sharing" => &mut chosen.sharing,
                "sums" => &mut chosen.sums,
                "transforms" => &mut chosen.transforms,
                "polynomials" => &mut chosen.polynomials,
                "bootstraps" => &mut chosen.bootstraps,
                "levels" => &mut chosen.levels,
                _ => {
                    let known = "constants, sharing, sums, transforms, polynomials, bootstraps, levels";
                    return Err(argument("optimise", format!("{name:?}"), known));
                }
            };
            *pass = true;
        }
        let (_, counting, recorder) = OpenBackend::model(self.params.residue_width());
        let program = run(|| {
            let (eval, ..) = Model::new(&self.params, (counting, recorder), KeyMemory::default(), self.bootstrapping)?;
            self.program.optimised(chosen, &eval)
        })?;
        Ok(Self { program, params: self.params.clone(), bootstrapping: self.bootstrapping })
    }

    /// Records it again on a recording server; in a simulation with values for the inputs.
    #[pyo3(signature = (server, values=None, fill=None))]
    fn record_on(
        &self,
        server: &Bound<'_, Server>,
        values: Option<Vec<Bound<'_, PyAny>>>,
        fill: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Ciphertext>> {
        let inner = &server.get().0;
        drop(server.get().recording()?);
        let params = inner.eval.params();
        let mut clear = Vec::new();
        for ((input, _), values) in self.program.inputs().iter().zip(values.into_iter().flatten()) {
            let magnitude = Some(Bounds(input.stated));
            let (complex, none) = (input.complex, None);
            let fresh = Fresh {
                slots: None,
                level: None,
                log_q: None,
                magnitude,
                count: none,
                fill,
                complex,
                public_key: false,
            };
            clear.push(Some(fresh.packed(&values, &params, params.rows() << input.log_slots)?.0));
        }
        let made = run(|| {
            let recorder = inner.recorder();
            self.program.record_on(&mut recorder.expect("it was there before"), clear)
        })?;
        Ok(made.into_iter().map(|made| recorded(inner, made)).collect())
    }

    /// Its inputs as options of `plan`: names, slots, levels, bits of moduli, bounds, counts of values, and
    /// whether they are complex and encrypted with the public key.
    fn options(&self) -> Vec<OptionRow> {
        let rows = self.program.inputs().iter().map(|(input, _)| {
            let magnitude = match input.stated {
                Stated::Magnitude(size) => Err(size),
                Stated::Interval(low, high) => Ok((low, high)),
            };
            let slots = self.params.rows() << input.log_slots;
            let interval = magnitude.ok();
            (
                input.name.clone(),
                slots,
                input.at.level,
                input.at.log_q,
                (interval, magnitude.err()),
                input.count,
                input.complex,
                input.public_key,
            )
        });
        rows.collect()
    }

    /// Computes its results from ciphertexts for all inputs; on a recording server it becomes part of what
    /// is recorded.
    #[pyo3(signature = (server, inputs, progress=None))]
    fn run(
        &self,
        server: &Bound<'_, Server>,
        inputs: Vec<Py<Ciphertext>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Ciphertext>> {
        let inner = &server.get().0;
        if inner.recorder.is_some() {
            let traced = inputs.iter().map(|ct| ct.get().loaded()?.traced(inner)).collect::<PyResult<Vec<_>>>()?;
            let made = run(|| {
                let recorder = inner.recorder();
                self.program.record_with(&mut recorder.expect("it was there before"), traced)
            })?;
            return Ok(made.into_iter().map(|made| recorded(inner, made)).collect());
        }
        inner.eval.params().expect_same("program", &self.params).map_err(raise)?;
        let own = inputs.iter().map(|ct| ct.get().on(&inner.backend, &inner.eval.context()));
        let own = own.collect::<PyResult<Vec<_>>>()?;
        own.iter().try_for_each(|ct| inner.keys.expect(ct)).map_err(raise)?;
        let mut progress = Progress::new(progress, "program")?;
        let (program, profile) = (&self.program, inner.profile());
        let made = run(|| {
            let step = &mut |done, total| progress.step(done, total);
            let Some(profile) = profile else { return program.run(&inner.eval, own, step) };
            program.run_by(&inner.eval, own, step, &|node, operands, step| {
                profile.op(&inner.eval, &node.op, program.place(node), operands, step)
            })
        });
        Ok(progress.finish(made)?.into_iter().map(|ct| Ciphertext::of(inner, ct)).collect())
    }

    /// The program as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let data = run(|| self.program.to_bytes(&self.params, self.bootstrapping))?;
        bytes::copied(py, &data)
    }

    /// Writes `to_bytes` to a file. An existing file is replaced when the new one is complete.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| {
            let data = self.program.to_bytes(&self.params, self.bootstrapping).map_err(raise)?;
            files::save(&path, "program", &data)
        })
    }

    /// Reads the bytes of `to_bytes`; more than `max_bytes` are refused.
    #[staticmethod]
    #[pyo3(signature = (data, *, max_bytes=MAX_BYTES, allow_insecure=false))]
    fn from_bytes(data: bytes::Input, max_bytes: u64, allow_insecure: bool) -> PyResult<Self> {
        let stored = run(|| program::Program::from_bytes(&data, max_bytes, allow_insecure))?;
        Ok(Self { program: stored.program, params: stored.params, bootstrapping: stored.bootstrapping })
    }
}
