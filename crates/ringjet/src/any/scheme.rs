//! What a scheme must say of itself to be one of those that users choose from.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

use ringjet_backend::Backend;
use ringjet_math::fft::Complex64;

use super::{Left, Level, Sizes, Transform};
use crate::circuits::Polynomial;
use crate::rlwe::security::Estimate;
use crate::rng::Seed;
use crate::wire::Kind;
use crate::{Error, KeyMemory, KeyRequest, KeySizes, Result, Values};

/// A scheme: its objects, and what they do under other names or with other arguments than those of other schemes. What objects
/// of all schemes do under one name is not here: the methods of the enums call it.
///
/// Functions with a body are operations that not every scheme has.
pub trait Scheme: Sized {
    /// Its name in messages.
    const NAME: &'static str;
    /// Its name for users of Python and the command.
    const ID: &'static str;
    /// Names of its presets.
    const PRESETS: &'static [&'static str];
    /// What the bytes of its parameters say they are.
    const PARAMETERS: Kind;
    /// What the bytes of its ciphertexts say they are.
    const CIPHERTEXT: Kind;

    /// A parameter set.
    type Parameters: Clone;
    /// A parameter set on a machine.
    type Context: Clone;
    /// A secret key.
    type SecretKey;
    /// A public key.
    type PublicKey: Clone;
    /// Keys to compute with.
    type EvaluationKeys: Clone;
    /// Encoded values, with all that encryption needs to know.
    type Plaintext: Clone;
    /// An encrypted vector.
    type Ciphertext: Clone;
    /// What computes.
    type Evaluator: Clone;

    /// What there is instead of an operation that this scheme lacks, for users.
    fn instead(op: &str) -> &'static str;

    /// The refusal of an operation that this scheme lacks.
    ///
    /// # Errors
    /// [`Error::Unsupported`], always.
    fn lacks<T>(op: &'static str) -> Result<T> {
        Err(Error::Unsupported { scheme: Self::NAME, op, instead: Self::instead(op) })
    }

    // ---- parameters ----

    /// One of [`Scheme::PRESETS`].
    fn preset(name: &str) -> Result<Self::Parameters>;
    /// Whether a JSON description is of this scheme's parameters.
    fn describes(spec: &serde_json::Value) -> bool;
    /// From a JSON description. Parameters weaker than they say are refused without `allow_insecure`, whatever they ask for.
    fn from_spec(spec: serde_json::Value, allow_insecure: bool) -> Result<Self::Parameters>;
    /// The description.
    fn spec(params: &Self::Parameters) -> serde_json::Result<String>;
    /// Slots of a ciphertext unless another number is asked for.
    fn slots(params: &Self::Parameters) -> usize;
    /// Multiplications in a row.
    fn depth(params: &Self::Parameters) -> usize;
    /// Whether parameters weaker than they say were accepted.
    fn allow_insecure(params: &Self::Parameters) -> bool;
    /// Size in bits of the largest modulus under which anything is encrypted.
    fn log_qp(params: &Self::Parameters) -> f64;
    /// Binary logarithm of the scale of what is encrypted.
    fn scale_bits(params: &Self::Parameters) -> u32;
    /// By the 2024 guidelines, where they judge.
    fn security(params: &Self::Parameters) -> Option<Estimate>;
    /// Estimated precision in bits of a product of two fresh ciphertexts with values up to 1. `counting`: a backend that computes
    /// nothing.
    fn precision_bits(params: &Self::Parameters, counting: Arc<dyn Backend>) -> Result<f64>;
    /// Bytes of each kind of object on `backend`.
    fn sizes(params: &Self::Parameters, backend: &dyn Backend) -> Result<Sizes>;
    /// What tells the modulus, for one line.
    fn modulus_text(params: &Self::Parameters) -> String;
    /// Refuses parameters that cannot bootstrap `2^log_slots` slots. Where a scheme refuses some numbers of slots later, when keys
    /// are made, [`Scheme::least_bootstrapping_slots`] tells.
    fn expect_bootstrapping(params: &Self::Parameters, log_slots: u32) -> Result<()>;
    /// The least number of slots that can be bootstrapped.
    fn least_bootstrapping_slots(params: &Self::Parameters) -> Option<usize>;
    /// How many of the phases called `Bootstrap` one bootstrap has.
    fn bootstrap_passes(_: &Self::Parameters) -> u32 {
        1
    }
    /// The level that a ciphertext must have left to be bootstrapped.
    fn bootstrap_input_level(_: &Self::Parameters) -> Option<usize> {
        None
    }
    /// Bits of the modulus before and after bootstrapping the default number of slots.
    fn bootstrap_bits(_: &Self::Parameters) -> Option<(u32, u32)> {
        None
    }
    /// Bits of the largest modulus of ciphertexts, where it is a power of two.
    fn log_q(_: &Self::Parameters) -> Result<u32> {
        Self::lacks("log_q")
    }
    /// Binary logarithm of the default scale, and bits of a rescaling, where these are one number.
    fn log_p(_: &Self::Parameters) -> Result<u32> {
        Self::lacks("log_p")
    }
    /// The levels, the lowest first.
    fn levels(_: &Self::Parameters) -> Result<Vec<Level>> {
        Self::lacks("levels")
    }
    /// The ciphertext primes.
    fn q(_: &Self::Parameters) -> Result<Vec<u64>> {
        Self::lacks("q")
    }
    /// The special primes of key switching.
    fn p(_: &Self::Parameters) -> Result<Vec<u64>> {
        Self::lacks("p")
    }

    // ---- contexts ----

    /// These parameters on this machine.
    fn context(params: &Self::Parameters, backend: Arc<dyn Backend>) -> Self::Context;
    /// The same, for keys that are kept in this form.
    fn with_key_memory(ctx: &Self::Context, memory: KeyMemory) -> Result<Self::Context>;
    /// Encodes values up to `magnitude`.
    fn encode(
        ctx: &Self::Context,
        values: &[Complex64],
        magnitude: f64,
        at: At,
        log_slots: u32,
    ) -> Result<Self::Plaintext>;
    /// A ciphertext without values on a backend that computes nothing.
    fn uncomputed(ctx: &Self::Context, at: At, log_slots: u32) -> Result<Self::Ciphertext>;
    /// Keys for everything, of which only the shapes are right; without `bootstrapping`, none for that.
    fn uncomputed_keys(ctx: &Self::Context, bootstrapping: bool) -> Result<Self::EvaluationKeys>;

    /// What computes with these keys.
    fn evaluator(ctx: &Self::Context, keys: Arc<Self::EvaluationKeys>) -> Result<Self::Evaluator>;

    // ---- keys ----

    /// The secret key of a seed.
    fn secret_key(params: &Self::Parameters, seed: &Seed) -> Result<Self::SecretKey>;
    /// Encrypts with the secret key.
    fn encrypt(
        key: &Self::SecretKey,
        ctx: &Self::Context,
        plain: &Self::Plaintext,
        seed: &Seed,
    ) -> Result<Self::Ciphertext>;
    /// Encrypts with the public key.
    fn encrypt_public(
        key: &Self::PublicKey,
        ctx: &Self::Context,
        plain: &Self::Plaintext,
        seed: &Seed,
    ) -> Result<Self::Ciphertext>;
    /// Decrypts without a check whether what comes out can be a message.
    fn decrypt_unchecked(key: &Self::SecretKey, ctx: &Self::Context, ct: &Self::Ciphertext) -> Result<Values>;
    /// Whether there is a key for this very rotation, which serves all that is encrypted.
    fn has_rotation(keys: &Self::EvaluationKeys, steps: i64) -> bool;
    /// How keys are kept, which is the same for all of them.
    fn memory(keys: &Self::EvaluationKeys) -> KeyMemory;
    /// The same keys kept in another form.
    fn kept(keys: &Self::EvaluationKeys, memory: KeyMemory) -> Result<Self::EvaluationKeys>;
    /// Writes keys; `step(done, total)`, in bytes, stops the work when it returns false.
    fn write_keys(
        keys: &Self::EvaluationKeys,
        ctx: &Self::Context,
        out: &mut dyn Write,
        step: impl FnMut(u64, u64) -> bool,
    ) -> Result<()>;

    // ---- ciphertexts ----

    /// Binary logarithm of the scale.
    fn scale_log2(ct: &Self::Ciphertext) -> f64;
    /// Size of the modulus in bits.
    fn modulus_log2(ct: &Self::Ciphertext) -> f64;
    /// What is left to spend.
    fn left(ct: &Self::Ciphertext) -> Left;

    // ---- evaluators ----

    /// Adds a constant to every slot.
    fn add_scalar(eval: &Self::Evaluator, x: &Self::Ciphertext, c: f64) -> Result<Self::Ciphertext>;
    /// Multiplies every slot by a constant.
    fn mul_scalar(eval: &Self::Evaluator, x: &Self::Ciphertext, c: f64) -> Result<Self::Ciphertext>;
    /// Several rotations of one ciphertext.
    fn rotations(eval: &Self::Evaluator, x: &Self::Ciphertext, steps: &[i64]) -> Result<Vec<Self::Ciphertext>>;
    /// The sum of `x y` over all pairs, of which there is at least one.
    fn mul_sum(eval: &Self::Evaluator, pairs: &[(&Self::Ciphertext, &Self::Ciphertext)]) -> Result<Self::Ciphertext>;
    /// The sum of `weight x` over all terms, of which there is at least one; at a level where the scheme has levels, by default one
    /// below the lowest.
    fn weighted_sum(
        eval: &Self::Evaluator,
        terms: &[(&Self::Ciphertext, f64)],
        level: Option<usize>,
    ) -> Result<Self::Ciphertext>;
    /// A polynomial of every slot.
    fn polynomial(_: &Self::Evaluator, _: &Self::Ciphertext, _: &Polynomial) -> Result<Self::Ciphertext> {
        Self::lacks("polynomial")
    }
    /// A matrix times the slots.
    fn matmul(_: &Self::Evaluator, _: &Self::Ciphertext, _: &Transform) -> Result<Self::Ciphertext> {
        Self::lacks("matmul")
    }
    /// The same values at a lower level.
    fn to_level(_: &Self::Evaluator, _: &Self::Ciphertext, _: usize) -> Result<Self::Ciphertext> {
        Self::lacks("to_level")
    }
    /// Divides modulus and scale by `2^bits`, by default those of a rescaling.
    fn rescale(_: &Self::Evaluator, _: &Self::Ciphertext, _: Option<u32>) -> Result<Self::Ciphertext> {
        Self::lacks("rescale")
    }
    /// The same values modulo the smaller `2^log_q`.
    fn mod_down_to(_: &Self::Evaluator, _: &Self::Ciphertext, _: u32) -> Result<Self::Ciphertext> {
        Self::lacks("mod_down_to")
    }
    /// Whether ciphertexts can be bootstrapped: parameters and keys are there.
    fn can_bootstrap(eval: &Self::Evaluator) -> bool;
    /// Makes what bootstraps `2^log_slots` slots, unless it is there; `step(done, total)` is called after each matrix.
    fn prepare(eval: &Self::Evaluator, log_slots: u32, step: impl FnMut(usize, usize) -> bool) -> Result<()>;
    /// The same values with more to spend; `step(done, total)` is called after each phase. `real`: the values are known to be real.
    fn bootstrap(
        eval: &Self::Evaluator,
        x: &Self::Ciphertext,
        real: bool,
        step: impl FnMut(usize, usize) -> bool,
    ) -> Result<Self::Ciphertext>;
    /// The same of at least one ciphertext, all with as many slots as the first; `step(done)` is called after each.
    fn bootstrap_many(
        eval: &Self::Evaluator,
        all: &[&Self::Ciphertext],
        real: bool,
        step: impl FnMut(usize) -> bool,
    ) -> Result<Vec<Self::Ciphertext>>;
    /// The sizes of the keys of `request` for what was computed: `used` has the Galois elements, 0 for relinearisation, each with
    /// the limbs of the largest extended basis at which it was used.
    fn key_sizes(eval: &Self::Evaluator, request: &KeyRequest, used: &BTreeMap<u32, usize>) -> Result<KeySizes>;
}

/// Where a fresh ciphertext starts: at a level, or modulo so many bits; the largest where nothing is said. A scheme refuses the one
/// that it does not have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct At {
    /// How many rescalings are left.
    pub level: Option<usize>,
    /// Bits of the modulus.
    pub log_q: Option<u32>,
}
