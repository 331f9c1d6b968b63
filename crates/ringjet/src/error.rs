//! The library's error type: each message names the values, and the way out in terms of the
//! operation. Python, the command and JavaScript add their own calls or options
//! (`python/ringjet/errors.py`, `ringjet-cli/src/lib.rs`, `ringjet-wasm/src/errors.rs`).

mod fields;
mod number;
mod similar;
mod text;

use ringjet_backend::BackendError;
use ringjet_math::MathError;
use ringjet_math::memory::OutOfMemory;

pub use fields::{Description, Field};
pub use number::Number;
pub use text::Unit;
pub(crate) use text::short;

use crate::rng::RngError;

/// Result of a library call.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a call was refused. A refused call changes nothing.
///
/// `op` is the refused operation, and `what` the kind of object. Sizes and moduli are in bits.
/// Fields whose names end in `log2` are binary logarithms.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the message above each variant says what its fields are")]
pub enum Error {
    /// Parameters have less security than asked for, and `allow_insecure` is not set. `log_qp` is
    /// the size of the key modulus in bits. Where the ciphertext modulus is a power of two, `log_q`
    /// is its size in bits, and keys live modulo `2^(2 * log_q)`.
    #[error(
        "log2({} exceeds {allowed} bits, the most that N = 2^{log_n} allows at {security} bits of security: \
         use {}, a larger ring, or allow_insecure for experiments",
        .log_q.map_or_else(|| format!("QP) = {log_qp:.1}"), |log_q| format!("Q^2) = {}", 2 * log_q)),
        .log_q.map_or_else(|| "fewer or smaller primes".into(), |_| format!("log_q up to {}", allowed / 2))
    )]
    Insecure { log_n: u32, log_qp: f64, log_q: Option<u32>, allowed: u32, security: u32 },
    /// No published table gives the security of this secret, and `allow_insecure` is not set.
    #[error(
        "a secret of {weight} non-zero coefficients is in no published table: use a dense ternary one, or allow_insecure for \
         experiments"
    )]
    SparseSecret { weight: u32 },
    /// The ephemeral secret of bootstrapping is estimated at less security than asked for, and
    /// `allow_insecure` is not set. `log_modulus` is the size of q_0 times the first special prime;
    /// `estimate` is `None` where no estimate exists.
    #[error(
        "the ephemeral secret of h = {weight} non-zero coefficients under {log_modulus:.1} bits of modulus at N = 2^{log_n} \
         has {}, not the {security} bits wanted: {}, or allow_insecure for experiments",
        .estimate.map_or("no estimate".into(), |bits| format!("an estimated {bits:.1} bits of security")),
        .instead
    )]
    EphemeralSecret { log_n: u32, weight: u32, log_modulus: f64, estimate: Option<f64>, security: u32, instead: String },
    /// A parameter set is not usable.
    #[error("parameters: {0}")]
    Parameters(String),
    /// No preset has this name. `similar` are names that it could have been meant to be.
    #[error("no preset is called {name:?}{} {}", text::meant(.similar), .known.join(", "))]
    UnknownPreset { name: String, similar: Vec<&'static str>, known: Vec<&'static str> },
    /// The scheme does not have this operation.
    #[error("{scheme} has no {op}")]
    Unsupported { scheme: &'static str, op: &'static str },
    /// Objects of two parameter sets were combined. `expected` and `found` are their fingerprints.
    #[error("the {what} belongs to parameter set {found}, not to {expected}: create both from the same parameters")]
    ParameterMismatch { what: &'static str, expected: String, found: String },
    /// Objects of two secrets were combined. `expected` and `found` are the identities of the keys.
    #[error(
        "the {what} belongs to key {found}, not to {expected}: ciphertexts and keys go together where they come from one \
         client; use those of one, or encrypt again under the other's key"
    )]
    KeyMismatch { what: &'static str, expected: String, found: String },
    /// A vector has the wrong length.
    #[error("{found} values do not fit: give 1 to {slots} values, or a power of two of slots up to {max}")]
    SlotCount { found: usize, slots: usize, max: usize },
    /// Ciphertexts with different numbers of slots were combined.
    #[error("operands have {lhs} and {rhs} slots: encrypt both with the same number of slots")]
    SlotMismatch { lhs: usize, rhs: usize },
    /// Two vectors hold different numbers of values, both below the number of slots.
    #[error(
        "operands hold {lhs} and {rhs} values: encrypt equally many, or state how many one of them holds; a vector with a value in \
         every slot fits any other"
    )]
    CountMismatch { lhs: usize, rhs: usize },
    /// A sum over more slots than there are at this distance in a row of `slots` slots: the window
    /// goes around the row, and values would count more than once.
    #[error(
        "a sum of {count} slots at a distance of {stride}: a row of {slots} slots has only {distinct} such slots, so values would \
         count more than once"
    )]
    Window { stride: i64, count: usize, slots: usize, distinct: usize },
    /// A value is not a finite number.
    #[error("value {value} at index {index} is not finite")]
    NotFinite { index: usize, value: f64 },
    /// Values are too large for the scale and modulus. `level` is absent in schemes without levels.
    #[error("{}", text::too_large(*.magnitude, *.scale_log2, *.needed, *.available, *.level))]
    TooLarge { magnitude: f64, scale_log2: f64, needed: f64, available: f64, level: Option<usize> },
    /// The result could wrap around the modulus.
    #[error(
        "{op}: values up to {} at scale 2^{scale_log2:.1} need {needed:.1} bits, but the modulus holds {available:.1}, \
         so they could wrap around: scale the values down, compute at a higher level, or state smaller bounds on them",
        text::short(*.magnitude)
    )]
    Overflow { op: &'static str, magnitude: f64, scale_log2: f64, needed: f64, available: f64 },
    /// Values to encrypt are larger than their stated magnitude.
    #[error(
        "a value (its real or imaginary part) of {} is larger than the stated magnitude of {stated}: state {} or \
         more, or scale the values down",
        text::short(*.found),
        text::enough(*.found)
    )]
    Magnitude { found: f64, stated: f64 },
    /// Values to encrypt, or what fills the slots after them, are not within their stated bounds.
    /// `found` is the lowest or the highest value.
    #[error(
        "a value of {} is outside the stated bounds of {low} to {high}: state wider bounds; what fills the other slots is within \
         them, too",
        text::short(*.found)
    )]
    OutsideStated { found: f64, low: f64, high: f64 },
    /// Values can leave the interval on which a polynomial approximates a function.
    #[error(
        "the polynomial is for real values in [{a}, {b}], these can be anywhere in [{}, {}]{}: choose a wider interval, \
         scale the values down, or state smaller bounds on them",
        text::short(*.low),
        text::short(*.high),
        if *.imaginary > 0.0 { format!(" with imaginary parts up to {}", text::short(*.imaginary)) } else { String::new() }
    )]
    OutsideInterval { low: f64, high: f64, imaginary: f64, a: f64, b: f64 },
    /// Values are too large to be bootstrapped.
    #[error(
        "values up to {} cannot be bootstrapped, the limit is {limit}: scale them down before (times 1/{}) and \
         up after, or state a smaller bound on them",
        text::short(*.magnitude),
        text::enough(*.magnitude)
    )]
    BootstrapMagnitude { magnitude: f64, limit: f64 },
    /// The decrypted polynomial is no message: its coefficients are too large.
    #[error(
        "what was decrypted is garbage: its coefficients reach 2^{found_log2:.1} where values within their stated magnitudes stay below \
         2^{limit_log2:.1}. The values overflowed or are larger than was stated of them, or the ciphertext is damaged, or of another \
         key"
    )]
    Garbage { found_log2: f64, limit_log2: f64 },
    /// The error of a result has no known bound, or the result does not match the sharing plan.
    #[error("this result cannot be shared: {reason}")]
    NotSharable { reason: String },
    /// All decryptions that may be shared under a key have been shared.
    #[error(
        "{given} decryptions were shared under this key, of {limit}: share under a new key, or allow more answers, which \
         costs precision"
    )]
    AnswersExhausted { given: u64, limit: u64 },
    /// The parameters are for a secret of several pieces, which no single client makes.
    #[error(
        "these parameters are for a secret of {pieces} pieces, which several parties make together: take parameters of one piece, or \
         be one of several parties"
    )]
    SeveralParties { pieces: u32 },
    /// More pieces of a secret than are supported.
    #[error(
        "a secret of {pieces} pieces: at most {most} are supported; take fewer parties, or a threshold nearer to their number"
    )]
    TooManyPieces { pieces: u64, most: u32 },
    /// Parameters that bootstrap have a secret of one piece.
    #[error(
        "parameters that bootstrap cannot have a secret of {pieces} pieces: take parameters without bootstrapping, and refresh \
         ciphertexts together"
    )]
    NoCollectiveBootstrap { pieces: u32 },
    /// Something is missing of which parties have to send it: for each of the pieces one holder.
    #[error("no {what} came{}: {} can send it", text::of_pieces(.pieces), text::names(.parties))]
    PartyMissing { what: &'static str, pieces: Vec<usize>, parties: Vec<String> },
    /// Holders of one piece sent different bytes, which depend on the piece alone.
    #[error("{} sent different bytes for piece {piece} of the secret: one of them is wrong, or cheats", text::names(.parties))]
    SharesDisagree { piece: usize, parties: Vec<String> },
    /// A share is not the one that was committed to.
    #[error(
        "the share of {party} for piece {piece} is not the one that was committed to before: it was damaged, or chosen later"
    )]
    CommitmentMismatch { party: String, piece: usize },
    /// A message was made with other agreements, or after other messages, than this party has.
    #[error(
        "the {what} of {party} follows from {found}, and here is {expected}: parties must agree on all that went before"
    )]
    TranscriptMismatch { what: &'static str, party: String, expected: String, found: String },
    /// A message of a later round.
    #[error(
        "the message of {party} is of round {found:?}, and this party is in round {expected:?}: bring the rounds before it first"
    )]
    WrongRound { party: String, expected: &'static str, found: &'static str },
    /// A message of another session.
    #[error("the {what} belongs to session {found}, not to {expected}")]
    WrongSession { what: &'static str, expected: String, found: String },
    /// A ciphertext was answered with noise of another width, or in another way.
    #[error(
        "this ciphertext was answered by {first} with noise of 2^{width}, and not by {now} with 2^{asked}: two answers would reveal more \
         than was planned"
    )]
    AlreadyAnswered { first: &'static str, width: u32, now: &'static str, asked: u32 },
    /// A ciphertext was answered together with other parties.
    #[error(
        "this party answered the ciphertext together with {}, and does not answer it as one of {}: that would be one more answer \
         than its noise is made for",
        text::names(.first), text::names(.asked)
    )]
    ActiveSetChanged { first: Vec<String>, asked: Vec<String> },
    /// Two scales differ.
    #[error("{op}: scale 2^{lhs_log2:.6} and 2^{rhs_log2:.6} differ: bring both to one scale first")]
    ScaleMismatch { op: &'static str, lhs_log2: f64, rhs_log2: f64 },
    /// The noise of a result would be too large to decrypt it. Both sizes are in bits of the
    /// modulus.
    #[error(
        "{op}: the noise budget is too small by {:.1} bits: the result needs a modulus of {needed:.1} bits, and there are \
         {available:.1}. Compute with fewer products in a row, encrypt at a higher level, or take parameters with more levels",
        .needed - .available
    )]
    NoiseBudget { op: &'static str, needed: f64, available: f64 },
    /// The noise of a ciphertext is too large to decrypt it: what is left of the budget is below a
    /// bit, so the message may have wrapped around the modulus.
    #[error(
        "the noise budget is spent: {budget:.2} bits are left, and decryption is certain only above {least} bits. Compute with fewer \
         products in a row, or take parameters with more levels"
    )]
    NoiseBudgetSpent { budget: f64, least: f64 },
    /// The messages of two exact ciphertexts are multiplied by different factors modulo t.
    #[error("{op}: the correction factors {lhs} and {rhs} differ: bring both to one factor first")]
    FactorMismatch { op: &'static str, lhs: u64, rhs: u64 },
    /// A value that an exact scheme cannot encode: not an integer, or outside the range of
    /// residues.
    #[error("value {value} at index {index} is not an integer from {low} to {high}, the values modulo {modulus}")]
    NotResidue { index: usize, value: Number, low: i64, high: i64, modulus: u128 },
    /// A decrypted integer is no `i64`, which a plaintext modulus of more than 64 bits makes
    /// possible.
    #[error(
        "the value {value} of slot {index} does not fit 64 bits with sign; it is exact modulo T = {modulus}: compute with smaller \
         values"
    )]
    IntegerOverflow { index: usize, value: i128, modulus: u128 },
    /// The lower level has primes that the upper one lacks.
    #[error("level {lower} is not part of level {upper}, whose primes differ: more than dropping primes leads there")]
    NotNested { upper: usize, lower: usize },
    /// The key was made for a lower level than the ciphertext's.
    #[error(
        "the key serves levels up to {key_level}, the ciphertext is at level {level}: lower it, or make the key for that level"
    )]
    KeyLevel { level: usize, key_level: usize },
    /// The evaluation keys have no keys for bootstrapping, or only for other numbers of slots:
    /// `available`.
    #[error("no keys to bootstrap ciphertexts of {slots} slots{}", text::other_slots(.available))]
    MissingBootstrappingKeys { slots: usize, available: Vec<usize> },
    /// The parameters do not allow bootstrapping.
    #[error("parameter set {params} cannot bootstrap: {instead}")]
    NoBootstrapping { params: String, instead: String },
    /// The parameters have no sine, of which tables are polynomials.
    #[error("parameter set {params} has no sine: {instead}")]
    NoSine { params: String, instead: String },
    /// The moduli of two operands, in `unit`, differ; the explicit evaluator aligns nothing.
    #[error("{op}: {}", text::moduli(*.unit, *.lhs, *.rhs))]
    ModulusMismatch { op: &'static str, unit: Unit, lhs: usize, rhs: usize },
    /// Not enough modulus is left, counted in `unit`.
    #[error("{op} needs {}", text::exhausted(*.unit, *.needed, *.left))]
    ModulusExhausted { op: &'static str, unit: Unit, needed: usize, left: usize },
    /// A polynomial takes more levels than there are. `fresh` is the level of a bootstrapped
    /// ciphertext, where the evaluator bootstraps.
    #[error("a polynomial of degree {degree} takes {}", text::too_deep(*.degree, *.needed, *.left, *.fresh))]
    PolynomialTooDeep { degree: usize, needed: usize, left: usize, fresh: Option<usize> },
    /// The level is above the top level.
    #[error("level {level} does not exist: the top level is {top}")]
    NoSuchLevel { level: usize, top: usize },
    /// The key of a rotation is missing. Rotations are in slots to the left.
    #[error("no key for rotation by {rotation}: make the keys with this rotation")]
    MissingRotationKey { rotation: i64 },
    /// More than one key is missing of an operation that takes several rotations.
    #[error(
        "no keys for the rotations {rotations:?}: make the keys with all of these; a plan of the program lists all keys \
         that it takes"
    )]
    MissingRotationKeys { rotations: Vec<i64> },
    /// The key of conjugation is missing.
    #[error("no key for conjugation: make the keys with one for it")]
    MissingConjugationKey,
    /// The relinearisation key, which products need, is missing.
    #[error("no relinearisation key: make the keys with one")]
    MissingRelinearizationKey,
    /// The operation does not take a ciphertext of so many polynomials.
    #[error("{op} takes a ciphertext of {expected} polynomials, this one has {found}: relinearise it first")]
    Degree { op: &'static str, expected: usize, found: usize },
    /// An argument that is not accepted.
    #[error("{name} = {value}: expected {expected}")]
    Argument { name: &'static str, value: String, expected: String },
    /// Bytes that are not a valid object.
    #[error("{what}: {reason} (at byte {offset})")]
    Malformed { what: &'static str, reason: String, offset: usize },
    /// The bytes have a format version that this library no longer reads.
    #[error(
        "{what} of format version {found}, which a development version wrote before the first release; this library reads \
         version {supported}: make the object again"
    )]
    OldVersion { what: &'static str, found: u16, supported: u16 },
    /// The bytes have a newer format version.
    #[error("{what} of format version {found}, this library reads up to {supported}: upgrade ringjet")]
    NewerVersion { what: &'static str, found: u16, supported: u16 },
    /// The object has more bytes than the reader's limit.
    #[error("{what} of {bytes} bytes exceeds the limit of {limit}: raise the limit if you trust the sender")]
    TooManyBytes { what: &'static str, bytes: u64, limit: u64 },
    /// A stream failed.
    #[error("cannot read or write the {what}: {reason}")]
    Io { what: &'static str, reason: String },
    /// The work was interrupted by its caller.
    #[error("interrupted")]
    Interrupted,
    /// The backend refused the call or failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// Constants of the arithmetic, such as primes, do not exist.
    #[error(transparent)]
    Math(#[from] MathError),
    /// No randomness is available.
    #[error(transparent)]
    Rng(#[from] RngError),
}

impl From<OutOfMemory> for Error {
    fn from(refused: OutOfMemory) -> Self {
        BackendError::from(refused).into()
    }
}

impl Error {
    /// Not enough levels are left for `op`.
    pub fn levels_exhausted(op: &'static str, needed: usize, left: usize) -> Self {
        Self::ModulusExhausted { op, unit: Unit::Levels, needed, left }
    }

    /// No preset is called `name`; `known` are the names that there are.
    pub fn unknown_preset(name: &str, known: impl IntoIterator<Item = &'static str>) -> Self {
        let known: Vec<_> = known.into_iter().collect();
        Self::UnknownPreset { name: name.into(), similar: similar::names(name, &known), known }
    }

    /// The argument `name` has the value `value` instead of `expected`.
    pub(crate) fn argument(name: &'static str, value: impl std::fmt::Display, expected: impl Into<String>) -> Self {
        Self::Argument { name, value: value.to_string(), expected: expected.into() }
    }

    /// The list `name` of summands or factors is empty.
    pub(crate) fn none(name: &'static str) -> Self {
        Self::argument(name, "[]", "at least one")
    }

    /// Not enough bits of modulus are left for `op`.
    pub fn bits_exhausted(op: &'static str, needed: u32, left: u32) -> Self {
        Self::ModulusExhausted { op, unit: Unit::Bits, needed: needed as usize, left: left as usize }
    }

    /// Values need `needed` bits at the scale `2^log_scale`, but the modulus has `log_q` bits.
    pub fn too_large_for_bits(magnitude: f64, log_scale: u32, needed: u32, log_q: u32) -> Self {
        let [scale_log2, needed, available] = [log_scale, needed, log_q].map(f64::from);
        Self::TooLarge { magnitude, scale_log2, needed, available, level: None }
    }

    /// [`Error::NoBootstrapping`] for CKKS parameters.
    pub(crate) fn no_bootstrapping(params: &impl std::fmt::Debug) -> Self {
        let instead = "choose a preset whose name has \"boot\" in it".into();
        Self::NoBootstrapping { params: format!("{params:?}"), instead }
    }

    /// [`Error::NoBootstrapping`] for parameters whose bootstrap returns a sine of the values.
    pub(crate) fn returns_sine(params: &impl std::fmt::Debug) -> Self {
        let instead = "it returns a sine of the values, for tables of integers; for real numbers choose a preset whose \
                       name has \"boot\" in it";
        Self::NoBootstrapping { params: format!("{params:?}"), instead: instead.into() }
    }

    /// [`Error::NoSine`] for CKKS parameters.
    pub(crate) fn no_sine(params: &impl std::fmt::Debug) -> Self {
        let instead = "choose a preset whose name has \"int\" in it".into();
        Self::NoSine { params: format!("{params:?}"), instead }
    }
}
