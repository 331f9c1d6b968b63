//! What a scheme says of itself to be one of those that users choose from.

use std::collections::BTreeMap;
use std::sync::Arc;

use ringjet_backend::Backend;
use ringjet_math::fft::Complex64;

use super::{Bootstrapping, Budget, Level, Sizes, Transform};
use crate::circuits::Polynomial;
use crate::{Error, KeyMemory, KeyPlan, KeySizes, Result, Unit, wire};

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
    type Parameters;
    type Context: Clone;
    type SecretKey;
    type PublicKey;
    type EvaluationKeys: Clone;
    /// Encoded values, with all that encryption needs to know.
    type Plaintext;
    type Ciphertext;
    type Evaluator;

    /// What there is instead of an operation that this scheme lacks, for users.
    fn instead(op: &str) -> &'static str;

    /// Refuses an operation that this scheme lacks.
    fn lacks<T>(op: &'static str) -> Result<T> {
        Err(Error::Unsupported { scheme: Self::SCHEME.name(), op, instead: Self::instead(op) })
    }

    // ---- parameters ----

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

    // ---- contexts ----

    fn encode(
        ctx: &Self::Context,
        values: &[Complex64],
        magnitude: f64,
        at: At,
        log_slots: u32,
    ) -> Result<Self::Plaintext>;
    fn uncomputed(ctx: &Self::Context, at: At, log_slots: u32) -> Result<Self::Ciphertext>;
    fn uncomputed_keys(ctx: &Self::Context, bootstrapping: bool) -> Result<Self::EvaluationKeys>;
    fn with_key_memory(ctx: &Self::Context, memory: KeyMemory) -> Result<Self::Context> {
        expect_expanded(Self::SCHEME, memory).map(|()| ctx.clone())
    }

    // ---- keys ----

    fn has_rotation(keys: &Self::EvaluationKeys, steps: i64) -> bool;
    fn memory(_: &Self::EvaluationKeys) -> KeyMemory {
        KeyMemory::Expanded
    }
    fn kept(keys: &Self::EvaluationKeys, memory: KeyMemory) -> Result<Self::EvaluationKeys> {
        expect_expanded(Self::SCHEME, memory).map(|()| keys.clone())
    }

    // ---- ciphertexts ----

    fn budget(ct: &Self::Ciphertext) -> Budget;

    // ---- evaluators ----

    fn weighted_sum(
        eval: &Self::Evaluator,
        terms: &[(&Self::Ciphertext, f64)],
        level: Option<usize>,
    ) -> Result<Self::Ciphertext>;
    fn polynomial(_: &Self::Evaluator, _: &Self::Ciphertext, _: &Polynomial) -> Result<Self::Ciphertext> {
        Self::lacks("polynomial")
    }
    fn matmul(_: &Self::Evaluator, _: &Self::Ciphertext, _: &Transform) -> Result<Self::Ciphertext> {
        Self::lacks("matmul")
    }
    fn to_level(_: &Self::Evaluator, _: &Self::Ciphertext, _: usize) -> Result<Self::Ciphertext> {
        Self::lacks("to_level")
    }
    fn rescale(_: &Self::Evaluator, _: &Self::Ciphertext, _: Option<u32>) -> Result<Self::Ciphertext> {
        Self::lacks("rescale")
    }
    fn mod_down_to(_: &Self::Evaluator, _: &Self::Ciphertext, _: u32) -> Result<Self::Ciphertext> {
        Self::lacks("mod_down_to")
    }
    fn evaluator(ctx: &Self::Context, keys: Arc<Self::EvaluationKeys>) -> Result<Self::Evaluator>;
    fn bootstrap(
        eval: &Self::Evaluator,
        x: &Self::Ciphertext,
        real: bool,
        step: impl FnMut(usize, usize) -> bool,
    ) -> Result<Self::Ciphertext>;
    fn bootstrap_many(
        eval: &Self::Evaluator,
        all: &[&Self::Ciphertext],
        real: bool,
        step: impl FnMut(usize) -> bool,
    ) -> Result<Vec<Self::Ciphertext>>;
    fn key_sizes(eval: &Self::Evaluator, plan: &KeyPlan, used: &BTreeMap<u32, usize>) -> Result<KeySizes>;
}

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
