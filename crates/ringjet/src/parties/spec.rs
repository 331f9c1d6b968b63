//! What parties agree on before they begin.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};

use super::layout::Layout;
use crate::dynamic::Parameters;
use crate::rlwe::{ChainParameters, Sharing};
use crate::wire::{Field, Input, Limits};
use crate::{Error, KeyPlan, Result};

/// The longest name of a party in bytes.
const MAX_NAME: usize = 64;

/// The largest number of answers: a party lists them in its file, which is written anew for each.
const MAX_ANSWERS: u64 = 1 << 18;

/// What parties agree on: parameters, names, how many of them decrypt together, the keys that are made, the
/// plans of results that are answered, and how many answers each party gives with which security. All parties make
/// the same spec; the identity of a session follows from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    params: Parameters,
    names: Vec<String>,
    threshold: usize,
    layout: Layout,
    /// The keys by Galois element, each with its highest level.
    keys: BTreeMap<u32, usize>,
    /// Digests of the plans whose results may be answered, in increasing order.
    plans: Vec<[u8; 32]>,
    sharing: Sharing,
}

impl Spec {
    /// Checks what parties agree on. `names`: one for each party, in an order that all use. `threshold`: how many
    /// of them decrypt together. `keys`: the evaluation keys that they make. `plans`: digests of the plans
    /// of what they answer, in any order: whoever asks for an answer compares its plan with them by
    /// [`Spec::expect_plan`].
    ///
    /// # Errors
    /// [`Error::Argument`] for names that are empty, too long or equal, for a threshold outside 2 to the number of
    /// parties, for `sharing` (at most 2^18 answers), and for parameters with another number of pieces than
    /// [`pieces_of`](super::pieces_of) says; [`Error::Unsupported`] for HEAAN; [`Error::NoCollectiveBootstrap`] for keys
    /// of bootstrapping; [`Error::NoSuchLevel`] for keys above the top level.
    pub fn new(
        params: &Parameters,
        names: &[impl AsRef<str>],
        threshold: usize,
        keys: &KeyPlan,
        plans: &[[u8; 32]],
        sharing: Sharing,
    ) -> Result<Self> {
        let keys = match params {
            Parameters::Ckks(own) => elements(own, keys)?,
            Parameters::Bgv(own) => elements(own, keys)?,
            Parameters::Heaan(_) => return params.lacks("secret of several parties"),
        };
        let plans = plans.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
        let names = names.iter().map(|name| name.as_ref().to_owned()).collect();
        Self::checked(params.clone(), names, threshold, keys, plans, sharing)
    }

    fn checked(
        params: Parameters,
        names: Vec<String>,
        threshold: usize,
        keys: BTreeMap<u32, usize>,
        plans: Vec<[u8; 32]>,
        sharing: Sharing,
    ) -> Result<Self> {
        let layout = Layout::new(names.len(), threshold)?;
        for (i, name) in names.iter().enumerate() {
            let odd = name.contains(|c: char| c.is_control() || c == '/');
            if name.is_empty() || name.len() > MAX_NAME || odd || names[..i].contains(name) {
                let expected = format!("names of 1 to {MAX_NAME} bytes without /, a different one for each party");
                return Err(Error::argument("names", format!("{name:?}"), expected));
            }
        }
        let (found, pieces) = (params.pieces(), layout.pieces());
        if found as usize != pieces {
            let (parties, found) = (names.len(), format!("parameters for a secret of {found} piece(s)"));
            let expected = format!("those of {pieces} pieces, which any {threshold} of {parties} parties take");
            return Err(Error::Argument { name: "params", value: found, expected });
        }
        sharing.log_sigma(1.0)?;
        if sharing.answers > MAX_ANSWERS {
            return Err(Error::argument("answers", sharing.answers, format!("1 to {MAX_ANSWERS}")));
        }
        Ok(Self { params, names, threshold, layout, keys, plans, sharing })
    }

    /// The parameters.
    pub fn params(&self) -> &Parameters {
        &self.params
    }

    /// The names of the parties.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many parties decrypt together.
    pub fn threshold(&self) -> usize {
        self.threshold
    }

    /// Which party holds which piece of the secret.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// How many answers each party gives, with which security.
    pub fn sharing(&self) -> &Sharing {
        &self.sharing
    }

    /// What the width of noise follows from: a ciphertext can get `parties - threshold + 1` answers with independent
    /// noise. So many holders has each replicated piece, and each of them counts for itself; so many sets of parties can
    /// answer with dealt points.
    pub fn noise(&self) -> Sharing {
        let holders = (self.names.len() - self.threshold + 1) as u64;
        Sharing { answers: self.sharing.answers.saturating_mul(holders), ..self.sharing }
    }

    /// The keys by Galois element, each with its highest level; the relinearisation key has element 0.
    pub(super) fn keys(&self) -> &BTreeMap<u32, usize> {
        &self.keys
    }

    /// Refuses a plan whose digest is not among those that were agreed on. A spec without plans allows all.
    /// Fails with [`Error::NotSharable`].
    pub fn expect_plan(&self, digest: &[u8; 32]) -> Result<()> {
        if self.plans.is_empty() || self.plans.binary_search(digest).is_ok() {
            return Ok(());
        }
        let reason = "its plan is none of those that the parties agreed on in their spec".into();
        Err(Error::NotSharable { reason })
    }

    /// The number of a party. Fails with [`Error::Argument`] for an unknown name.
    pub fn number(&self, name: &str) -> Result<usize> {
        let found = self.names.iter().position(|known| known == name);
        found.ok_or_else(|| Error::argument("party", format!("{name:?}"), format!("one of {}", self.names.join(", "))))
    }

    /// The names of parties.
    pub(super) fn named(&self, parties: impl IntoIterator<Item = usize>) -> Vec<String> {
        parties.into_iter().filter_map(|i| self.names.get(i).cloned()).collect()
    }

    /// SHA-256 of what was agreed on.
    pub fn digest(&self) -> Result<[u8; 32]> {
        let mut bytes = b"ringjet parties\0".to_vec();
        self.put(&mut bytes)?;
        Ok(Sha256::digest(&bytes).into())
    }

    /// Appends the encoding to `out`.
    pub(super) fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        self.params.to_bytes()?.put(out)?;
        self.names.len().put(out)?;
        self.names.iter().try_for_each(|name| name.as_bytes().to_vec().put(out))?;
        self.threshold.put(out)?;
        self.keys.len().put(out)?;
        for (element, level) in &self.keys {
            element.put(out)?;
            level.put(out)?;
        }
        self.plans.len().put(out)?;
        self.plans.iter().for_each(|digest| out.extend_from_slice(digest));
        self.sharing.security.put(out)?;
        self.sharing.answers.put(out)
    }

    /// Reads what [`Spec::put`] wrote, and checks it as [`Spec::new`] does.
    pub(super) fn read(r: &mut impl Input, limits: Limits) -> Result<Self> {
        let params = Parameters::from_bytes(&Vec::<u8>::read(r)?, limits)?;
        let mut names = vec![];
        for _ in 0..usize::read(r)? {
            let here = r.offset();
            let name = String::from_utf8(Vec::<u8>::read(r)?);
            names.push(name.map_err(|_| r.malformed_at(here, "a name that is no text"))?);
        }
        let threshold = usize::read(r)?;
        let mut keys = BTreeMap::new();
        for _ in 0..usize::read(r)? {
            let here = r.offset();
            let (element, level) = (u32::read(r)?, usize::read(r)?);
            let odd = element == 0 || element & 1 == 1 && element > 1 && (element as usize) < 4 * params.max_slots();
            if !odd
                || level > params.top_level().unwrap_or(0)
                || keys.last_key_value().is_some_and(|(&last, _)| element <= last)
            {
                return Err(r.malformed_at(here, format!("a key of element {element} for level {level}")));
            }
            keys.insert(element, level);
        }
        let mut plans: Vec<[u8; 32]> = vec![];
        for _ in 0..usize::read(r)? {
            let here = r.offset();
            let digest = r.array()?;
            if plans.last().is_some_and(|last| digest <= *last) {
                return Err(r.malformed_at(here, "the digests of plans are out of order"));
            }
            plans.push(digest);
        }
        let sharing = Sharing { security: Field::read(r)?, answers: Field::read(r)? };
        Self::checked(params, names, threshold, keys, plans, sharing)
    }
}

/// The keys of `plan` by Galois element.
fn elements(params: &impl ChainParameters, plan: &KeyPlan) -> Result<BTreeMap<u32, usize>> {
    if !plan.ephemeral().is_empty() {
        return Err(Error::NoCollectiveBootstrap { pieces: params.pieces() });
    }
    let keys = plan.levels(params)?;
    match keys.values().max() {
        Some(&level) if level > params.message_level() => {
            Err(Error::NoSuchLevel { level, top: params.message_level() })
        }
        _ => Ok(keys),
    }
}
