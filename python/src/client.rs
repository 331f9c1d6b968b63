//! The client: it holds the secret key.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyInt};
use ringjet::Error;
use ringjet::dynamic::{self, KeyRequest, SecretKey};
use ringjet::rlwe::Sharing;
use ringjet::rng::Seed;

use crate::answers::{AnswerFiles, Refusal};
use crate::backend::{MODEL, OpenBackend};
use crate::bytes::{self, Accept, Input};
use crate::ciphertext::Ciphertext;
use crate::encryption::{Encryption, PublicKey, Randomness};
use crate::errors::{self, argument, raise, run, wrong_type};
use crate::files;
use crate::keys::{self, EvaluationKeys};
use crate::lists::List;
use crate::params::{self, Given, Parameters, mark};
use crate::progress::Progress;
use crate::values::{self, Bounds, Purpose, Steps};

/// Holds the secret key: encrypts, decrypts, and makes the public keys. The secret leaves it only
/// through `to_secret_bytes` and `save`.
///
/// `Client(params, slots=None, seed=None, *, magnitude=1.0)` makes a fresh secret key.
/// params: `Parameters`, or the name of a preset. slots: values in a ciphertext, a power of two, by
/// default the parameters' number.
/// seed: makes everything reproducible: the same calls give the same bytes. Whoever knows the seed
/// can decrypt everything. A number below 2**64 can be guessed and is for tests; 32 random bytes
/// must be kept as secret as the key. The same seed gives other keys with other parameters.
/// magnitude: the default of `encrypt`'s `magnitude`: a positive number, or (low, high); 1 unless
/// stated.
#[pyclass(frozen, module = "ringjet")]
pub struct Client {
    secret: SecretKey,
    public: OnceLock<dynamic::PublicKey>,
    with: Encryption,
    randomness: Randomness,
    answers: Arc<AnswerFiles>,
}

/// Where values drown in errors: the precision in bits, and the magnitude of the values.
type Drowned = Option<(f64, f64)>;

impl Client {
    /// `file`: where the count of shared answers is kept.
    fn build(
        secret: SecretKey,
        slots: Option<usize>,
        magnitude: Option<Bounds>,
        randomness: Randomness,
        file: Option<PathBuf>,
    ) -> PyResult<Self> {
        let with = Encryption::new(&secret.params(), OpenBackend::default()?, slots, magnitude)?;
        let answers = Arc::new(AnswerFiles::new(secret.key_id(), secret.answers_given(), file));
        secret.keep_answers_in(answers.clone());
        Ok(Self { secret, public: OnceLock::new(), with, randomness, answers })
    }

    /// A client from the bytes of its secret key, which are in `file`.
    fn restore(
        data: &[u8],
        accept: &Accept,
        slots: Option<usize>,
        magnitude: Option<Bounds>,
        file: Option<PathBuf>,
    ) -> PyResult<Self> {
        let secret = run(|| bytes::secret_from(data, accept))?;
        Self::build(secret, slots, magnitude, Randomness::SYSTEM, file)
    }

    fn public(&self) -> ringjet::Result<&dynamic::PublicKey> {
        if let Some(key) = self.public.get() {
            return Ok(key);
        }
        let key = dynamic::PublicKey::generate(&self.with.context, &self.secret, &self.randomness.next()?)?;
        Ok(self.public.get_or_init(|| key))
    }

    /// Binary logarithms of the numbers of slots that the argument `bootstrapping` asks for: an
    /// empty list for None and False, this client's number for True, or those of a list.
    fn bootstrapping(&self, asked: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<usize>> {
        let params = self.with.context.params();
        let all = match asked {
            None => vec![],
            Some(x) if x.is_instance_of::<PyBool>() => {
                x.extract::<bool>()?.then_some(1 << self.with.log_slots).into_iter().collect()
            }
            Some(x) => {
                if x.is_instance_of::<PyInt>() {
                    let expected = "True, or a list of numbers of slots, such as [8]";
                    return Err(argument("bootstrapping", x.repr()?, expected));
                }
                x.extract::<List<usize>>()?.0
            }
        };
        for &slots in &all {
            params.bootstrapping(params::log_slots(&params, Some(slots))?).map_err(raise)?;
        }
        Ok(all)
    }

    /// The ciphertext that `data` is, or that is read from it, in the memory of this client.
    fn ciphertext(&self, data: &Bound<'_, PyAny>, max_bytes: u64) -> PyResult<dynamic::Ciphertext> {
        Ciphertext::read(data, "decryption", (&self.with.backend, &self.with.context), max_bytes)
    }
}

/// The number of values that decryption shows.
pub fn shown(ct: &dynamic::Ciphertext, all_slots: bool) -> usize {
    if all_slots { ct.slots() } else { ct.count() }
}

/// The ciphertext that `plan` holds for the output `output`, from a counting backend.
pub fn planned(plan: Option<&Bound<'_, PyAny>>, output: Option<&Bound<'_, PyAny>>) -> PyResult<dynamic::Ciphertext> {
    let Some(plan) = plan else {
        let reason = "it takes a plan of the computation, plan = ringjet.plan(program, params, magnitudes=...), and then \
                      decrypt_for_sharing(ciphertext, bits, plan=plan): what a ciphertext states of its own error is its sender's word";
        return Err(raise(Error::NotSharable { reason: reason.into() }));
    };
    let found = match plan.cast::<Ciphertext>() {
        Ok(ct) => ct.clone().into_any(),
        Err(_) if plan.hasattr("planned")? => plan.call_method1("planned", (output,))?,
        Err(_) => return Err(wrong_type("plan: what ringjet.plan returned", plan)),
    };
    let found = found.cast::<Ciphertext>()?.get().loaded()?;
    if found.backend.name() != MODEL {
        let reason = "its plan is a ciphertext that came from somewhere: take one of a model server";
        return Err(raise(Error::NotSharable { reason: reason.into() }));
    }
    Ok(found.ct.clone())
}

properties! { Client, this, py:
    /// The parameters.
    params: Parameters = Parameters(this.with.context.params());
    /// The identity of the secret key, in hexadecimal. It reveals nothing about the key. Everything
    /// made with the key carries its identity.
    key_id: String = this.secret.key_id().to_string();
    /// Number of values in a ciphertext.
    slots: usize = this.with.slots();
    /// How many decryptions were shared under this key, as far as this client knows. The file that it
    /// was loaded from or saved to has the count for all who use the file.
    answers_given: u64 = this.secret.answers_given();
}

#[pymethods]
impl Client {
    #[new]
    #[pyo3(signature = (params, slots=None, seed=None, *, magnitude=None))]
    fn new(
        params: Given,
        slots: Option<usize>,
        seed: Option<&Bound<'_, PyAny>>,
        magnitude: Option<Bounds>,
    ) -> PyResult<Self> {
        let (params, randomness) = (params.0, Randomness::new(seed)?);
        let secret = run(|| SecretKey::from_seed(&params, &randomness.next()?))?;
        Self::build(secret, slots, magnitude, randomness, None)
    }

    /// Encrypts a vector.
    ///
    /// values: 1 to `slots` real or complex numbers; with BGV and BFV integers from -(t-1)/2 to
    /// `t - 1` that fit 64 bits with sign, whose array has an integer type. The ciphertext knows how
    /// many they are: its `count`, which is public. fill: the value of the slots that remain, by
    /// default 0, or the number nearest to 0 within an interval that `magnitude` states.
    /// level: how many rescalings will be possible, from 0 to the default `params.top_level`; lower
    /// levels make smaller ciphertexts. HEAAN takes `log_q` instead, bits of
    /// the modulus.
    /// public: True encrypts with the public key, which doubles the size of the bytes.
    /// magnitude: bound on real and imaginary parts, or an interval (low, high) of real values, by
    /// default the client's; values outside are refused. Bounds are not secret: the ciphertext
    /// carries them, and later checks and error estimates rely on them. Whether all values are real
    /// is not secret either.
    #[pyo3(signature = (values, level=None, public=false, *, fill=None, log_q=None, magnitude=None))]
    fn encrypt(
        &self,
        values: &Bound<'_, PyAny>,
        level: Option<usize>,
        public: bool,
        fill: Option<&Bound<'_, PyAny>>,
        log_q: Option<u32>,
        magnitude: Option<Bounds>,
    ) -> PyResult<Ciphertext> {
        self.with.encrypt(values, fill, (magnitude, level, log_q), |plain| {
            let seed = self.randomness.next()?;
            if public {
                self.public()?.encrypt(&self.with.context, plain, &seed)
            } else {
                self.secret.encrypt(&self.with.context, plain, &seed)
            }
        })
    }

    /// Decrypts a `Ciphertext`, its bytes, or the file whose path is given; more than `max_bytes` are refused. Returns
    /// the real parts, or with `complex=True` complex values; with BGV and BFV integers between
    /// -(t-1)/2 and (t-1)/2. There are as many as the ciphertext holds, its `count`; with
    /// `all_slots=True` those of all slots, padding included.
    ///
    /// The result is for the owner of the key alone: its last bits can reveal the key. Use
    /// `decrypt_for_sharing` for results that others see. Raises `GarbageError` where the
    /// ciphertext cannot be an encryption, under this key, of values within their stated
    /// magnitudes, and `NoiseBudgetSpentError` where the noise of BGV or BFV may hide the values;
    /// with `check=False` it returns whatever comes out. Warns with `GarbageWarning` where the
    /// estimated errors are larger than the values can be. Integers that do not fit 64 bits with sign
    /// raise `IntegerOverflowError`.
    #[pyo3(signature = (ciphertext, complex=false, *, all_slots=false, check=true, max_bytes=bytes::CIPHERTEXT_LIMIT))]
    fn decrypt(
        &self,
        py: Python<'_>,
        ciphertext: &Bound<'_, PyAny>,
        complex: bool,
        all_slots: bool,
        check: bool,
        max_bytes: u64,
    ) -> PyResult<Py<PyAny>> {
        let (values, drowned) = self._decrypt(py, ciphertext, complex, all_slots, check, max_bytes)?;
        if let Some(precision) = drowned.filter(|_| check) {
            py.import("ringjet._drowned")?.call_method1("warn", (precision,))?;
        }
        Ok(values)
    }

    /// As `decrypt` without its warning, which it returns.
    #[pyo3(signature = (ciphertext, complex=false, *, all_slots=false, check=true, max_bytes=bytes::CIPHERTEXT_LIMIT))]
    fn _decrypt(
        &self,
        py: Python<'_>,
        ciphertext: &Bound<'_, PyAny>,
        complex: bool,
        all_slots: bool,
        check: bool,
        max_bytes: u64,
    ) -> PyResult<(Py<PyAny>, Drowned)> {
        let ct = self.ciphertext(ciphertext, max_bytes)?;
        let values = run(|| match check {
            true => self.secret.decrypt_values(&self.with.context, &ct),
            false => self.secret.decrypt_unchecked(&self.with.context, &ct),
        })?;
        let (exact, noise) = (ct.params().is_exact(), ct.noise());
        let drowned = !exact && noise.is_drowned();
        let precision = drowned.then(|| (noise.precision_bits(), noise.range().largest_part()));
        Ok((values::to_numpy(py, values.first(shown(&ct, all_slots)), complex), precision))
    }

    /// The estimated precision of a ciphertext or of its bytes, in bits.
    #[pyo3(signature = (ciphertext, *, max_bytes=bytes::CIPHERTEXT_LIMIT))]
    fn _precision_bits(&self, ciphertext: &Bound<'_, PyAny>, max_bytes: u64) -> PyResult<f64> {
        Ok(self.ciphertext(ciphertext, max_bytes)?.noise().precision_bits())
    }

    /// BGV and BFV only: the true noise budget of a ciphertext in bits, 0 or less where its values
    /// are lost. `Ciphertext.noise_budget` is a lower bound for every key, which needs no secret.
    #[pyo3(signature = (ciphertext, *, max_bytes=bytes::CIPHERTEXT_LIMIT))]
    fn noise_budget(&self, ciphertext: &Bound<'_, PyAny>, max_bytes: u64) -> PyResult<f64> {
        let ct = self.ciphertext(ciphertext, max_bytes)?;
        run(|| self.secret.measured_budget(&self.with.context, &ct))
    }

    /// Decrypts a result that others will see. Noise hides the exact error, which could reveal the
    /// key, and values are rounded to `bits` bits after the point. With BGV and BFV values are
    /// exact, and `bits` is left out.
    ///
    /// all_slots: as for `decrypt`. plan: what `ringjet.plan` returned for the computation of this
    /// result, with the counts of its inputs. The bound on the error comes from the plan, since the
    /// sender of a ciphertext can state any bound. output: which output of the plan, where it has
    /// several.
    /// security: statistical security of hiding, 1 to 128 bits. answers: most decryptions that are
    /// shared under this key, at least 1. They are counted in the key's file, in blocks of 16, before
    /// they are given; `to_secret_bytes` has the count that this client knows, too. Raises `StreamError` where the file
    /// cannot be written.
    /// Refused where the plan has another modulus, scale or number of slots, or holds fewer values,
    /// where scale or modulus leave no room for the noise, and after `answers` decryptions.
    #[pyo3(signature = (ciphertext, bits=None, complex=false, *, all_slots=false, plan=None, output=None, security=40, answers=1024, max_bytes=bytes::CIPHERTEXT_LIMIT))]
    fn decrypt_for_sharing(
        &self,
        py: Python<'_>,
        ciphertext: &Bound<'_, PyAny>,
        bits: Option<u32>,
        complex: bool,
        all_slots: bool,
        plan: Option<&Bound<'_, PyAny>>,
        output: Option<&Bound<'_, PyAny>>,
        security: u32,
        answers: u64,
        max_bytes: u64,
    ) -> PyResult<Py<PyAny>> {
        let plan = planned(plan, output)?;
        let ct = self.ciphertext(ciphertext, max_bytes)?;
        let sharing = Sharing { security, answers };
        // never from the client's seed: the same noise in two answers would hide nothing
        let share =
            || self.secret.decrypt_for_sharing(&self.with.context, &ct, &plan, bits, &sharing, &Seed::from_os()?);
        let values = run(share)?;
        Ok(values::to_numpy(py, values.first(shown(&ct, all_slots)), complex))
    }

    /// Makes the public keys that a server computes with.
    ///
    /// rotations: slots to the left, negative for the right; one key each. relinearization: the key
    /// for products of ciphertexts. conjugation: the key for complex conjugation, and for swapping
    /// the rows of BGV and BFV.
    /// bootstrapping: True for ciphertexts of this client's number of slots, or a list of numbers
    /// of slots; refused where the parameters cannot bootstrap them.
    /// levels: the highest level at which a key is used, by "relinearization", "conjugation" or the rotation;
    /// such keys are smaller. By default keys serve all levels. Plans and programs say which levels suffice.
    /// progress: True for a bar, or a callable taking (done, total). Ctrl-C stops the work.
    /// key_memory: "compressed" stores half of each key as a seed, "expanded" stores all of it.
    #[pyo3(signature = (rotations=Steps::default(), conjugation=false, relinearization=true, progress=None, *, bootstrapping=None, levels=None, key_memory="expanded"))]
    fn evaluation_keys(
        &self,
        rotations: Steps,
        conjugation: bool,
        relinearization: bool,
        progress: Option<&Bound<'_, PyAny>>,
        bootstrapping: Option<&Bound<'_, PyAny>>,
        levels: Option<BTreeMap<Purpose, usize>>,
        key_memory: &str,
    ) -> PyResult<EvaluationKeys> {
        self.with.backend.check()?;
        let mut progress = Progress::new(progress, "keys")?;
        let bootstrapping = self.bootstrapping(bootstrapping)?;
        let levels = levels.unwrap_or_default().into_iter().map(|(purpose, level)| (purpose.0, level)).collect();
        let request = KeyRequest { rotations: rotations.0, conjugation, relinearization, bootstrapping, levels };
        let plan = self.with.context.params().key_plan(&request).map_err(raise)?;
        let context = self.with.context.clone().with_key_memory(keys::key_memory(key_memory)?).map_err(raise)?;
        let made = run(|| {
            let seed = self.randomness.next()?;
            self.secret.evaluation_keys(&context, &plan, &seed, |done, total| progress.step(done, total))
        });
        let keys = progress.finish(made)?;
        Ok(EvaluationKeys { keys, backend: self.with.backend.clone() })
    }

    /// The public key. Others encrypt with it for this client.
    fn public_key(&self) -> PyResult<PublicKey> {
        self.with.backend.check()?;
        let key = run(|| self.public().cloned())?;
        Ok(PublicKey { key, backend: self.with.backend.clone() })
    }

    /// The secret key as bytes. Whoever has them can decrypt everything.
    fn to_secret_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let data = run(|| bytes::secret_to(&self.secret))?;
        bytes::copied(py, &data)
    }

    /// Writes `to_secret_bytes` to a file that only its owner may read (mode 0600). An existing file
    /// of this key is replaced when the new one is complete. A file with another key, or with
    /// something that is no key, is refused (`OverwriteError`), unless `overwrite` is True. From now
    /// on the count of shared answers is kept in the file, as by `load`.
    #[pyo3(signature = (path, *, overwrite=false))]
    fn save(&self, py: Python<'_>, path: PathBuf, overwrite: bool) -> PyResult<()> {
        let target = files::resolved(&path);
        let saved = py.detach(|| {
            let data = bytes::secret_to(&self.secret).map_err(raise)?;
            if fs::metadata(&target).is_ok_and(|found| !found.is_file()) {
                let file = OpenOptions::new().write(true).open(&target);
                return file.and_then(|mut file| file.write_all(&data)).map_err(|e| files::at(&path, e)).map(Ok);
            }
            Ok(self.answers.save(&target, data, overwrite))
        })?;
        saved.map_err(|refusal| match refusal {
            Refusal::Open(e) => files::at(&path, e),
            Refusal::Write(e) => raise(Error::Io { what: "secret key", reason: format!("{}: {e}", path.display()) }),
            Refusal::Holds(key) => {
                errors::overwrite(&path, key.as_deref(), "choose another name, or client.save(path, overwrite=True)")
            }
        })
    }

    /// Reads a client from a file that `save` wrote. The count of shared answers stays in the file:
    /// it is written there before an answer is given, so that it holds for everybody who uses the
    /// file. Warns of a file that others may read. Arguments as for `from_secret_bytes`.
    #[staticmethod]
    #[pyo3(signature = (path, slots=None, *, max_bytes=files::SECRET_LIMIT, allow_insecure=false, params=None, magnitude=None))]
    fn load(
        py: Python<'_>,
        path: PathBuf,
        slots: Option<usize>,
        max_bytes: u64,
        allow_insecure: bool,
        params: Option<Given>,
        magnitude: Option<Bounds>,
    ) -> PyResult<Self> {
        let data = py.detach(|| files::read(&path, "secret key", max_bytes))?;
        files::warn_of_readers(py, &path)?;
        let file = Some(files::resolved(&path)).filter(|file| file.is_file());
        Self::restore(&data, &Accept::new(max_bytes, allow_insecure, params), slots, magnitude, file)
    }

    /// Reads a client from the bytes of `to_secret_bytes`. `slots`, `magnitude` as for `Client`,
    /// other arguments as for `EvaluationKeys.from_bytes`.
    #[staticmethod]
    #[pyo3(signature = (data, slots=None, *, max_bytes=files::SECRET_LIMIT, allow_insecure=false, params=None, magnitude=None))]
    fn from_secret_bytes(
        data: Input,
        slots: Option<usize>,
        max_bytes: u64,
        allow_insecure: bool,
        params: Option<Given>,
        magnitude: Option<Bounds>,
    ) -> PyResult<Self> {
        Self::restore(&data, &Accept::new(max_bytes, allow_insecure, params), slots, magnitude, None)
    }

    fn __reduce__(&self) -> PyResult<()> {
        let message =
            "a client is not pickled, lest its secret end up in a file by accident: to_secret_bytes() writes it";
        Err(PyTypeError::new_err(message))
    }

    fn __repr__(&self) -> String {
        let params = self.with.context.params();
        let seeded = self.randomness.remark;
        format!(
            "Client(n=2^{}, {} slots, depth {}, secret not shown{seeded}{})",
            params.log_n(),
            self.with.slots(),
            params.depth(),
            mark(&params)
        )
    }
}
