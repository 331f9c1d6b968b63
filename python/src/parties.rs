//! Several parties with one secret. `ringjet.parties` has the classes that people use.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use ringjet::dynamic::{self, Context, KeyRequest};
use ringjet::parties::{Party, Round, Session, Spec, pieces_of};
use ringjet::rlwe::Sharing;
use ringjet::rng::Seed;
use ringjet::wire::Limits;

use crate::backend::OpenBackend;
use crate::bytes::{self, Input};
use crate::ciphertext::Ciphertext;
use crate::client::{planned, shown};
use crate::encryption::PublicKey;
use crate::errors::{argument, raise, run, wrong_type};
use crate::files;
use crate::keys::EvaluationKeys;
use crate::lists::List;
use crate::loaded::LoadedCiphertext;
use crate::params::{Given, Parameters};
use crate::progress::Progress;
use crate::values::{self, Purpose, Steps};

/// The number of pieces of a secret that any `threshold` of `parties` parties use together, by default all of them.
#[pyfunction]
#[pyo3(signature = (parties, threshold=None))]
pub fn pieces(parties: usize, threshold: Option<usize>) -> PyResult<u32> {
    pieces_of(parties, threshold.unwrap_or(parties)).map_err(raise)
}

/// `params` for a secret of so many parties, where their number is given.
pub fn shared(
    params: dynamic::Parameters,
    parties: Option<usize>,
    threshold: Option<usize>,
) -> PyResult<dynamic::Parameters> {
    match (parties, threshold) {
        (None, None) => Ok(params),
        (None, Some(threshold)) => Err(argument("threshold", threshold, "with parties, the number of all of them")),
        (Some(parties), _) => {
            let pieces = pieces(parties, threshold)?;
            run(|| params.with_pieces(pieces))
        }
    }
}

/// What parties agree on.
#[pyclass(frozen, module = "ringjet")]
pub struct PartySpec(Spec);

properties! { PartySpec, this, py:
    /// The parameters.
    params: Parameters = Parameters(this.0.params().clone());
    /// The names of the parties.
    names: Vec<String> = this.0.names().to_vec();
    /// How many parties decrypt together.
    threshold: usize = this.0.threshold();
    /// Statistical security of answers in bits.
    security: u32 = this.0.sharing().security;
    /// Most answers.
    answers: u64 = this.0.sharing().answers;
    /// SHA-256 of what was agreed on, in hexadecimal.
    digest: String = this.0.digest().map_err(raise)?.iter().map(|byte| format!("{byte:02x}")).collect();
}

#[pymethods]
impl PartySpec {
    /// params: parameters for as many pieces as the parties take. plans: a digest of 32 bytes for each plan. The
    /// other arguments are those of `Client.evaluation_keys` and of `Client.decrypt_for_sharing`.
    #[new]
    #[pyo3(signature = (params, names, threshold, plans, *, rotations=Steps::default(), conjugation=false, relinearization=true, bootstrapping=None, levels=None, answers=1024, security=40))]
    fn new(
        params: Given,
        names: Vec<String>,
        threshold: usize,
        plans: Vec<[u8; 32]>,
        rotations: Steps,
        conjugation: bool,
        relinearization: bool,
        bootstrapping: Option<List<usize>>,
        levels: Option<BTreeMap<Purpose, usize>>,
        answers: u64,
        security: u32,
    ) -> PyResult<Self> {
        let levels = levels.unwrap_or_default().into_iter().map(|(purpose, level)| (purpose.0, level)).collect();
        let bootstrapping = bootstrapping.map_or(vec![], |all| all.0);
        let request = KeyRequest { rotations: rotations.0, conjugation, relinearization, bootstrapping, levels };
        let sharing = Sharing { security, answers };
        let made = run(|| Spec::new(&params.0, &names, threshold, &params.0.key_plan(&request)?, &plans, sharing))?;
        Ok(Self(made))
    }

    /// Refuses a plan whose digest is not among those of the spec.
    fn expect_plan(&self, digest: [u8; 32]) -> PyResult<()> {
        self.0.expect_plan(&digest).map_err(raise)
    }
}

fn limits(allow_insecure: bool) -> Limits {
    let limits = Limits::default();
    if allow_insecure { limits.allow_insecure() } else { limits }
}

/// A party, in memory or in a file.
#[pyclass(frozen, module = "ringjet")]
pub struct PartyKeys(Arc<Party>);

properties! { PartyKeys, this, py:
    /// The name of the party.
    name: String = this.0.name().to_string();
    /// How many ciphertexts it has answered.
    answers_given: usize = this.0.answers_given();
    /// The identity of the session, in hexadecimal; refused before the hellos of all others have come.
    session_id: String = this.0.session_id().map_err(raise)?.to_string();
    /// What the parties agreed on.
    spec: PartySpec = PartySpec(this.0.spec().clone());
}

#[pymethods]
impl PartyKeys {
    /// The party `name`: new, or the one in the file `path`. seed: for tests, 32 bytes from which everything follows.
    #[new]
    #[pyo3(signature = (spec, name, path=None, seed=None))]
    fn new(
        py: Python<'_>,
        spec: &PartySpec,
        name: &str,
        path: Option<PathBuf>,
        seed: Option<[u8; 32]>,
    ) -> PyResult<Self> {
        let spec = spec.0.clone();
        let allowed = limits(spec.params().allow_insecure());
        if let (Some(path), Some(_)) = (&path, seed) {
            return Err(argument("seed", "one", &format!("none with a file: {} keeps its seeds", path.display())));
        }
        if let Some(path) = path.as_ref().filter(|path| path.exists()) {
            files::warn_of_readers(py, path)?;
        }
        let made = run(|| match (path, seed) {
            (Some(path), _) => Party::open(spec, name, &path, allowed),
            (None, Some(seed)) => Party::from_seed(spec, name, &Seed::from_bytes(seed)),
            (None, None) => Party::new(spec, name),
        })?;
        Ok(Self(Arc::new(made)))
    }

    /// The party in a file.
    #[staticmethod]
    #[pyo3(signature = (path, allow_insecure=false))]
    fn load(py: Python<'_>, path: PathBuf, allow_insecure: bool) -> PyResult<Self> {
        let made = run(|| Party::load(&path, limits(allow_insecure)))?;
        files::warn_of_readers(py, &path)?;
        Ok(Self(Arc::new(made)))
    }

    /// What is sent to each other party first, in private.
    fn hello<'py>(&self, py: Python<'py>) -> PyResult<BTreeMap<String, Bound<'py, PyBytes>>> {
        let made = run(|| self.0.hello())?;
        made.into_iter().map(|(name, bytes)| Ok((name, bytes::copied(py, &bytes)?))).collect()
    }

    /// Takes hellos of other parties.
    fn receive(&self, hellos: Vec<Input>) -> PyResult<()> {
        run(|| self.0.receive(&hellos))
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// A session of a party.
#[pyclass(frozen, module = "ringjet")]
pub struct PartySession {
    party: Arc<Party>,
    session: Mutex<Session>,
    context: Context,
    backend: OpenBackend,
}

impl PartySession {
    /// Calls `f` with the session, while other Python threads run.
    fn with<T: Send>(&self, f: impl FnOnce(&mut Session) -> ringjet::Result<T> + Send) -> PyResult<T> {
        self.backend.check()?;
        run(|| f(&mut self.session.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// The ciphertext that `data` is, or that is read from it, in the memory of this session.
    fn ciphertext(&self, data: &Bound<'_, PyAny>, max_bytes: u64) -> PyResult<dynamic::Ciphertext> {
        // no path: a file can change between `verify` and the answer
        if data.cast::<Ciphertext>().is_err() && data.extract::<Input>().is_err() {
            return Err(wrong_type("an answer takes a Ciphertext or bytes", data));
        }
        Ciphertext::read(data, "an answer", (&self.backend, &self.context), max_bytes)
    }
}

properties! { PartySession, this, py:
    /// What is sent next: "commit", "open", "second" or "ready".
    round: &'static str = this.round_name()?;
    /// The identity of the session, in hexadecimal.
    id: String = this.with(|session| Ok(session.id().to_string()))?;
}

#[pymethods]
impl PartySession {
    #[new]
    fn new(party: &PartyKeys) -> PyResult<Self> {
        let (party, backend) = (Arc::clone(&party.0), OpenBackend::default()?);
        let context = Context::new(party.spec().params(), backend.shared());
        let session = Mutex::new(run(|| Session::new(Arc::clone(&party), &context))?);
        Ok(Self { party, session, context, backend })
    }

    /// What is sent to all others in this round.
    #[pyo3(signature = (lost, progress=None))]
    fn next<'py>(
        &self,
        py: Python<'py>,
        lost: Vec<String>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut progress = Progress::new(progress, "key shares")?;
        let made = self.with(|session| session.next(&lost, |done, total| progress.step(done, total)));
        bytes::copied(py, &progress.finish(made)?)
    }

    /// What is sent to all others in `round`, which may be done.
    #[pyo3(signature = (round, lost, progress=None))]
    fn again<'py>(
        &self,
        py: Python<'py>,
        round: &str,
        lost: Vec<String>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let rounds = [Round::Commit, Round::Open, Round::Second];
        let Some(round) = rounds.into_iter().find(|known| known.name() == round) else {
            return Err(argument("round", format!("{round:?}"), "\"commit\", \"open\" or \"second\""));
        };
        let mut progress = Progress::new(progress, "key shares")?;
        let made = self.with(|session| session.again(round, &lost, |done, total| progress.step(done, total)));
        bytes::copied(py, &progress.finish(made)?)
    }

    /// Takes messages of other parties.
    fn receive(&self, messages: Vec<Input>) -> PyResult<()> {
        self.with(|session| session.receive(&messages))
    }

    /// The public key and the evaluation keys.
    fn keys(&self) -> PyResult<(PublicKey, EvaluationKeys)> {
        let (key, keys) = self.with(|session| session.keys().map(|(public, keys)| (public.clone(), keys.clone())))?;
        let backend = || self.backend.clone();
        Ok((PublicKey { key, backend: backend() }, EvaluationKeys { keys, backend: backend() }))
    }

    /// What this party deals to each other party, in private.
    fn deal<'py>(&self, py: Python<'py>) -> PyResult<BTreeMap<String, Bound<'py, PyBytes>>> {
        let made = self.with(|session| session.deal())?;
        made.into_iter().map(|(name, bytes)| Ok((name, bytes::copied(py, &bytes)?))).collect()
    }

    /// Takes deals of other parties.
    fn receive_deals(&self, deals: Vec<Input>) -> PyResult<()> {
        self.with(|session| session.receive_deals(&deals))
    }

    /// This party's shares of a decryption.
    fn decryption_share<'py>(
        &self,
        py: Python<'py>,
        ciphertext: &Bound<'py, PyAny>,
        plan: Option<&Bound<'py, PyAny>>,
        output: Option<&Bound<'py, PyAny>>,
        bits: u32,
        active: Vec<String>,
        max_bytes: u64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (plan, ct) = (planned(plan, output)?, self.ciphertext(ciphertext, max_bytes)?);
        bytes::copied(py, &self.with(|session| session.decryption_share(&ct, &plan, bits, &active))?)
    }

    /// This party's shares of a refresh.
    fn refresh_share<'py>(
        &self,
        py: Python<'py>,
        ciphertext: &Bound<'py, PyAny>,
        plan: Option<&Bound<'py, PyAny>>,
        output: Option<&Bound<'py, PyAny>>,
        active: Vec<String>,
        max_bytes: u64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (plan, ct) = (planned(plan, output)?, self.ciphertext(ciphertext, max_bytes)?);
        bytes::copied(py, &self.with(|session| session.refresh_share(&ct, &plan, &active))?)
    }

    /// The values from the shares of enough parties.
    fn combine(
        &self,
        py: Python<'_>,
        ciphertext: &Bound<'_, PyAny>,
        shares: Vec<Input>,
        bits: Option<u32>,
        complex: bool,
        all_slots: bool,
        max_bytes: u64,
    ) -> PyResult<Py<PyAny>> {
        let ct = self.ciphertext(ciphertext, max_bytes)?;
        let values = self.with(|session| session.combine(&ct, &shares, bits))?;
        Ok(values::to_numpy(py, values.first(shown(&ct, all_slots)), complex))
    }

    /// The refreshed ciphertext from the shares of enough parties.
    fn refresh(&self, ciphertext: &Bound<'_, PyAny>, shares: Vec<Input>, max_bytes: u64) -> PyResult<Ciphertext> {
        let ct = self.ciphertext(ciphertext, max_bytes)?;
        let ct = self.with(|session| session.refresh(&ct, &shares))?;
        Ok(LoadedCiphertext { ct, backend: self.backend.clone(), server: None, trace: None }.into())
    }

    fn __repr__(&self) -> PyResult<String> {
        let (id, round) = (self.with(|session| Ok(session.id().to_string()))?, self.round_name()?);
        let names = self.party.spec().names().join(", ");
        Ok(format!("Session({}.., {} of {names}, {round})", &id[..8], self.party.name()))
    }
}

impl PartySession {
    fn round_name(&self) -> PyResult<&'static str> {
        self.with(|session| Ok(session.round().name()))
    }
}
