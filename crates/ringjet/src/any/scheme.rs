//! What a scheme says of itself to be one of those that users choose from.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use ringjet_backend::Backend;
use ringjet_math::fft::Complex64;

use crate::circuits::{EncodedTransform, LinearTransform, Polynomial};
use crate::rlwe::SchemeParameters;
use crate::{Error, KeyMemory, KeyPlan, KeySizes, Result, Unit, rlwe, wire};

/// A scheme: its objects, and what they do with other arguments than those of other schemes. The
/// methods of the same names in [`super`] say what each function does. What objects of all schemes
/// do under one name, with the same arguments, is not here: the methods of the enums call it.
///
/// A function with a body is an operation that not every scheme has, or one that few schemes do
/// otherwise.
pub trait Scheme: Sized {
    /// As the bytes of its objects name it.
    const SCHEME: wire::Scheme;
    /// Its name for users of Python and the command.
    const ID: &'static str;
    const PRESETS: &'static [&'static str];
    const PRESET: fn(&str) -> Result<Self::Parameters>;
    /// In what ciphertexts count what they have left.
    const UNIT: Unit;
    /// A field that descriptions of this scheme's parameters have and others lack.
    const FIELD: &'static str;

    /// What users write down of parameters.
    type Spec;
    type Parameters: SchemeParameters;
    type EvaluationKeys: Clone;
    type Plaintext;
    type Ciphertext;
    type Evaluator;

    /// What there is instead of an operation that this scheme lacks, for users.
    fn instead(op: &str) -> &'static str;

    /// Refuses an operation that this scheme lacks.
    fn lacks<T>(op: &'static str) -> Result<T> {
        Err(Error::Unsupported { scheme: Self::SCHEME.name(), op, instead: Self::instead(op) })
    }

    fn precision_bits(params: &Self::Parameters, counting: Arc<dyn Backend>) -> Result<f64>;
    fn sizes(params: &Self::Parameters, backend: &dyn Backend) -> Result<Sizes>;
    fn modulus_text(params: &Self::Parameters) -> String;
    fn bootstrapping(params: &Self::Parameters, log_slots: u32) -> Result<Bootstrapping>;
    fn least_bootstrapping_slots(params: &Self::Parameters) -> Option<usize>;
    fn levels(_: &Self::Parameters) -> Result<Vec<Level>> {
        Self::lacks("levels")
    }
    fn primes(_: &Self::Parameters) -> Result<[Vec<u64>; 2]> {
        Self::lacks("primes")
    }

    fn encode(ctx: &Context<Self>, values: &[Complex64], bound: f64, at: At, log_slots: u32)
    -> Result<Plaintext<Self>>;
    fn uncomputed(ctx: &Context<Self>, at: At, log_slots: u32) -> Result<Ciphertext<Self>>;
    fn uncomputed_keys(ctx: &Context<Self>, bootstrapping: bool) -> Result<Self::EvaluationKeys>;
    fn with_key_memory(ctx: &Context<Self>, memory: KeyMemory) -> Result<Context<Self>> {
        expect_expanded(Self::SCHEME, memory).map(|()| ctx.clone())
    }

    fn memory(_: &Self::EvaluationKeys) -> KeyMemory {
        KeyMemory::Expanded
    }
    fn kept(keys: &Self::EvaluationKeys, memory: KeyMemory) -> Result<Self::EvaluationKeys> {
        expect_expanded(Self::SCHEME, memory).map(|()| keys.clone())
    }

    fn budget(ct: &Ciphertext<Self>) -> Budget;
    fn weighted_sum(
        eval: &Self::Evaluator,
        terms: &[(&Ciphertext<Self>, f64)],
        level: Option<usize>,
    ) -> Result<Ciphertext<Self>>;
    fn polynomial(_: &Self::Evaluator, _: &Ciphertext<Self>, _: &Polynomial) -> Result<Ciphertext<Self>> {
        Self::lacks("polynomial")
    }
    fn matmul(_: &Self::Evaluator, _: &Ciphertext<Self>, _: &Transform) -> Result<Ciphertext<Self>> {
        Self::lacks("matmul")
    }
    fn to_level(_: &Self::Evaluator, _: &Ciphertext<Self>, _: usize) -> Result<Ciphertext<Self>> {
        Self::lacks("to_level")
    }
    fn rescale(_: &Self::Evaluator, _: &Ciphertext<Self>, _: Option<u32>) -> Result<Ciphertext<Self>> {
        Self::lacks("rescale")
    }
    fn mod_down_to(_: &Self::Evaluator, _: &Ciphertext<Self>, _: u32) -> Result<Ciphertext<Self>> {
        Self::lacks("mod_down_to")
    }
    fn bootstrap(
        eval: &Self::Evaluator,
        x: &Ciphertext<Self>,
        real: bool,
        step: impl FnMut(usize, usize) -> bool,
    ) -> Result<Ciphertext<Self>>;
    fn bootstrap_many(
        eval: &Self::Evaluator,
        all: &[&Ciphertext<Self>],
        real: bool,
        step: impl FnMut(usize) -> bool,
    ) -> Result<Vec<Ciphertext<Self>>>;
    fn key_sizes(eval: &Self::Evaluator, plan: &KeyPlan, used: &BTreeMap<u32, usize>) -> Result<KeySizes>;
}

// The objects of the scheme S, by the names of the enums.
pub type Parameters<S> = <S as Scheme>::Parameters;
pub type Context<S> = rlwe::Context<Parameters<S>>;
pub type SecretKey<S> = rlwe::SecretKey<Parameters<S>>;
pub type PublicKey<S> = rlwe::PublicKey<Parameters<S>>;
pub type EvaluationKeys<S> = <S as Scheme>::EvaluationKeys;
pub type Plaintext<S> = <S as Scheme>::Plaintext;
pub type Ciphertext<S> = <S as Scheme>::Ciphertext;
pub type Evaluator<S> = <S as Scheme>::Evaluator;

/// Refuses compressed keys of a scheme whose keys are kept in one form.
fn expect_expanded(scheme: wire::Scheme, memory: KeyMemory) -> Result<()> {
    if memory == KeyMemory::Expanded {
        return Ok(());
    }
    let expected = format!("expanded for {scheme}, whose keys are kept in no other form");
    Err(Error::Argument { name: "key_memory", value: "compressed".into(), expected })
}

/// Where a fresh ciphertext starts: at a level, or modulo so many bits; the largest where nothing
/// is said. A scheme refuses the one that it does not have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct At {
    /// How many rescalings are left.
    pub level: Option<usize>,
    /// Bits of the modulus.
    pub log_q: Option<u32>,
}

/// What a ciphertext has left to spend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    /// Of what.
    pub unit: Unit,
    /// How many are left.
    pub left: usize,
    /// How many the largest modulus has.
    pub of: usize,
    /// Size of the modulus in bits.
    pub modulus_log2: f64,
    /// Binary logarithm of the scale.
    pub scale_log2: f64,
}

/// A level of parameters that have levels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// Its number; 0 is the lowest.
    pub level: usize,
    /// What it is for.
    pub purpose: &'static str,
    /// Size of its modulus in bits.
    pub modulus_bits: f64,
    /// Binary logarithm of its scale.
    pub scale_bits: f64,
    /// Bits by which a rescaling from it divides; 0 at the lowest level.
    pub rescale_bits: f64,
    /// How many primes its modulus has.
    pub primes: usize,
}

/// What bootstrapping starts from and ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bootstrapping {
    /// In what it is counted.
    pub unit: Unit,
    /// What a ciphertext must have left.
    pub input: usize,
    /// What it has left afterwards.
    pub output: usize,
    /// How many of the phases called `Bootstrap` one bootstrap has.
    pub passes: u32,
}

/// Bytes of each kind of object under one parameter set. At rest: as it is stored or sent, without
/// the header of about a hundred bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Sizes {
    /// A relinearisation, rotation or conjugation key: numbers take the bits of their modulus, and
    /// half of the key comes from 32 bytes.
    pub switching_key_at_rest: u64,
    /// The same, ready for use.
    pub switching_key_in_memory: u64,
    /// The encryption key.
    pub public_key_at_rest: u64,
    /// The same, expanded for use.
    pub public_key_in_memory: u64,
    /// A ciphertext under the largest modulus.
    pub ciphertext_at_rest: u64,
    /// The same, fresh from secret-key encryption: half of it comes from 32 bytes.
    pub ciphertext_seeded_at_rest: u64,
    /// A ciphertext under the largest modulus in memory.
    pub ciphertext_in_memory: u64,
}

/// A linear transform that keeps what it encodes, so that the same matrix is encoded once for each
/// parameter set, machine and level.
pub struct Transform {
    transform: LinearTransform,
    encoded: Mutex<HashMap<Key, Arc<EncodedTransform>>>,
}

/// Fingerprint of the parameters, backend and level.
type Key = ([u8; 16], String, usize);

impl From<LinearTransform> for Transform {
    fn from(transform: LinearTransform) -> Self {
        Self { transform, encoded: Mutex::default() }
    }
}

impl Transform {
    /// The transform.
    pub fn linear(&self) -> &LinearTransform {
        &self.transform
    }

    /// Encoded for ciphertexts at `level`.
    pub(super) fn encoded(&self, ctx: &crate::Context, level: usize) -> Result<Arc<EncodedTransform>> {
        let key = (*ctx.params().fingerprint(), format!("{:?}", ctx.backend().id()), level);
        let lock = || self.encoded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(encoded) = lock().get(&key) {
            return Ok(Arc::clone(encoded));
        }
        let encoded = Arc::new(self.transform.encode(ctx, level)?);
        lock().insert(key, Arc::clone(&encoded));
        Ok(encoded)
    }
}
