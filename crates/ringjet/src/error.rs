//! Everything that can be refused, with the values and the way out.

mod text;

use ringjet_backend::BackendError;
use ringjet_math::MathError;

pub use text::Unit;

use crate::rng::RngError;

/// Result of a library call.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a call was refused. Nothing is changed by a refused call.
///
/// `op` is the operation that was refused, and `what` the object. Sizes and moduli are in bits, and fields whose names end
/// in `log2` are binary logarithms.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the message above each variant says what its fields are")]
pub enum Error {
    /// Parameters weaker than wanted without an explicit permission. `log_qp` are the bits of the key modulus; where the
    /// ciphertext modulus is a power of two, `log_q` are its bits, and keys live modulo `2^(2 log_q)`.
    #[error(
        "log2({} exceeds {allowed} bits, the most that N = 2^{log_n} allows at {security} bits of security: \
         use {}, a larger ring, or allow_insecure for experiments",
        .log_q.map_or_else(|| format!("QP) = {log_qp:.1}"), |log_q| format!("Q^2) = {}", 2 * log_q)),
        .log_q.map_or_else(|| "fewer or smaller primes".into(), |_| format!("log_q up to {}", allowed / 2))
    )]
    Insecure { log_n: u32, log_qp: f64, log_q: Option<u32>, allowed: u32, security: u32 },
    /// A secret that no published table judges, without an explicit permission.
    #[error(
        "a secret of {weight} non-zero coefficients is in no published table: use a dense ternary one, or allow_insecure for \
         experiments"
    )]
    SparseSecret { weight: u32 },
    /// The ephemeral secret of bootstrapping is estimated at less security than the parameter set asks for, without an
    /// explicit permission. `log_modulus` is of q_0 times the first special prime; there is not always an estimate.
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
    /// No preset has this name.
    #[error("no preset is called {name:?}; there are {known}")]
    UnknownPreset { name: String, known: String },
    /// An operation that one scheme lacks.
    #[error("{scheme} has no {op}: {instead}")]
    Unsupported { scheme: &'static str, op: &'static str, instead: &'static str },
    /// Objects of two parameter sets meet, which are named by their fingerprints.
    #[error("the {what} belongs to parameter set {found}, not to {expected}: create both from the same parameters")]
    ParameterMismatch { what: &'static str, expected: String, found: String },
    /// Objects of two secrets meet, which are named by their identities.
    #[error(
        "the {what} belongs to key {found}, not to {expected}: ciphertexts and keys go together where they come from one \
         client; use those of one, or encrypt again under the other's key"
    )]
    KeyMismatch { what: &'static str, expected: String, found: String },
    /// A vector has the wrong length.
    #[error("{found} values do not fit: give 1 to {slots} values, or a power of two of slots up to {max}")]
    SlotCount { found: usize, slots: usize, max: usize },
    /// Ciphertexts of different packing meet.
    #[error("operands have {lhs} and {rhs} slots: encrypt both with the same number of slots")]
    SlotMismatch { lhs: usize, rhs: usize },
    /// A value is not a finite number.
    #[error("value {value} at index {index} is not finite")]
    NotFinite { index: usize, value: f64 },
    /// Values too large to be represented at a scale and modulus; `level` where the scheme has levels.
    #[error("{}", text::too_large(*.magnitude, *.scale_log2, *.needed, *.available, *.level))]
    TooLarge { magnitude: f64, scale_log2: f64, needed: f64, available: f64, level: Option<usize> },
    /// Values that could wrap around the modulus.
    #[error(
        "{op}: values up to {} at scale 2^{scale_log2:.1} need {needed:.1} bits, but the modulus holds {available:.1}, \
         so they could wrap around: scale the values down, compute at a higher level, or state what you know of them with \
         encrypt(magnitude=...) or with_magnitude",
        text::short(*.magnitude)
    )]
    Overflow { op: &'static str, magnitude: f64, scale_log2: f64, needed: f64, available: f64 },
    /// Values to encrypt that are larger than what is stated of them.
    #[error(
        "a value (its real or imaginary part) of {} is larger than the stated magnitude of {stated}: encrypt with magnitude={} or \
         more, or scale the values down",
        text::short(*.found),
        text::enough(*.found)
    )]
    Magnitude { found: f64, stated: f64 },
    /// Values that can leave the interval on which a polynomial approximates something.
    #[error(
        "the polynomial is for real values in [{a}, {b}], these can be anywhere in [{}, {}]{}: choose a wider interval, \
         scale the values down, or state what you know of them with with_range or with_magnitude",
        text::short(*.low),
        text::short(*.high),
        if *.imaginary > 0.0 { format!(" with imaginary parts up to {}", text::short(*.imaginary)) } else { String::new() }
    )]
    OutsideInterval { low: f64, high: f64, imaginary: f64, a: f64, b: f64 },
    /// Values that are too large to be bootstrapped.
    #[error(
        "values up to {} cannot be bootstrapped, the limit is {limit}: scale them down before (times 1/{}) and \
         up after, or state what you know of them with with_magnitude",
        text::short(*.magnitude),
        text::enough(*.magnitude)
    )]
    BootstrapMagnitude { magnitude: f64, limit: f64 },
    /// What was decrypted is no message.
    #[error(
        "what was decrypted is garbage: its coefficients reach 2^{found_log2:.1} where values within their stated magnitudes stay below \
         2^{limit_log2:.1}. The values overflowed or are larger than was stated of them, or the ciphertext is damaged, or of another \
         key; without this check: decrypt(..., check=False)"
    )]
    Garbage { found_log2: f64, limit_log2: f64 },
    /// A result of which nobody knows how far it is off, or a plan of something else.
    #[error("this result cannot be shared: {reason}")]
    NotSharable { reason: String },
    /// All answers of a key are given.
    #[error(
        "{given} decryptions were shared under this key, of {limit}: share under a new key, or ask for a larger number of answers \
         (answers=...), which costs precision"
    )]
    AnswersExhausted { given: u64, limit: u64 },
    /// Two scales differ.
    #[error("{op}: scale 2^{lhs_log2:.6} and 2^{rhs_log2:.6} differ: call rescale or align")]
    ScaleMismatch { op: &'static str, lhs_log2: f64, rhs_log2: f64 },
    /// The lower level has primes that the upper one lacks.
    #[error("level {lower} is not part of level {upper}, whose primes differ: call align")]
    NotNested { upper: usize, lower: usize },
    /// A key made for a lower level.
    #[error(
        "the key serves levels up to {key_level}, the ciphertext is at level {level}: lower it, or make the key for that level"
    )]
    KeyLevel { level: usize, key_level: usize },
    /// Bootstrapping without its keys.
    #[error("no bootstrapping keys: ask for them when the evaluation keys are made, with the number of slots in use")]
    MissingBootstrappingKeys,
    /// Bootstrapping with keys that were made for other numbers of slots.
    #[error(
        "no keys to bootstrap ciphertexts of {slots} slots, only of {available:?}: make the keys with \
         bootstrapping=[..., {slots}], or bring the ciphertext to one of these with with_slots"
    )]
    BootstrappingSlots { slots: usize, available: Vec<usize> },
    /// Bootstrapping with parameters that cannot.
    #[error("parameter set {params} cannot bootstrap: {instead}")]
    NoBootstrapping { params: String, instead: String },
    /// The moduli of two operands, counted in `unit`, differ where the explicit evaluator wants them equal.
    #[error("{op}: {}", text::moduli(*.unit, *.lhs, *.rhs))]
    ModulusMismatch { op: &'static str, unit: Unit, lhs: usize, rhs: usize },
    /// Not enough modulus is left, counted in `unit`.
    #[error("{op} needs {}", text::exhausted(*.unit, *.needed, *.left))]
    ModulusExhausted { op: &'static str, unit: Unit, needed: usize, left: usize },
    /// A level above the top.
    #[error("level {level} does not exist: the top level is {top}")]
    NoSuchLevel { level: usize, top: usize },
    /// A rotation without its key. Rotations are in slots to the left.
    #[error("no key for rotation by {rotation}: make the keys with rotations=[..., {rotation}]")]
    MissingRotationKey { rotation: i64 },
    /// An operation that takes several rotations, of whose keys more than one are missing.
    #[error(
        "no keys for the rotations {rotations:?}: make the keys with rotations=[...] and all of these; those of a matrix are \
         LinearTransform(matrix).rotations"
    )]
    MissingRotationKeys { rotations: Vec<i64> },
    /// Conjugation without its key.
    #[error("no key for conjugation: make the keys with conjugation=True")]
    MissingConjugationKey,
    /// Multiplication without its key.
    #[error("no relinearisation key: make the keys with relinearisation (it is on unless switched off)")]
    MissingRelinearizationKey,
    /// A ciphertext of a degree the operation does not take.
    #[error("{op} takes a ciphertext of {expected} polynomials, this one has {found}: call relinearize")]
    Degree { op: &'static str, expected: usize, found: usize },
    /// An argument that is not accepted.
    #[error("{name} = {value}: expected {expected}")]
    Argument { name: &'static str, value: String, expected: String },
    /// Bytes that are not a valid object.
    #[error("{what}: {reason} (at byte {offset})")]
    Malformed { what: &'static str, reason: String, offset: usize },
    /// Bytes of a format that is not read any more.
    #[error(
        "{what} of format version {found}, which a development version wrote before the first release; this library reads \
         version {supported}: make the object again"
    )]
    OldVersion { what: &'static str, found: u16, supported: u16 },
    /// Bytes of a newer format.
    #[error("{what} of format version {found}, this library reads up to {supported}: upgrade ringjet")]
    NewerVersion { what: &'static str, found: u16, supported: u16 },
    /// More bytes than the reader allows.
    #[error("{what} of {bytes} bytes exceeds the limit of {limit}: raise max_bytes if you trust the sender")]
    TooManyBytes { what: &'static str, bytes: u64, limit: u64 },
    /// A stream failed.
    #[error("cannot read or write the {what}: {reason}")]
    Io { what: &'static str, reason: String },
    /// The work was interrupted by its caller.
    #[error("interrupted")]
    Interrupted,
    /// The machine refused or failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// Arithmetic constants do not exist.
    #[error(transparent)]
    Math(#[from] MathError),
    /// No randomness.
    #[error(transparent)]
    Rng(#[from] RngError),
}

impl Error {
    /// Not enough levels are left for `op`.
    pub fn levels_exhausted(op: &'static str, needed: usize, left: usize) -> Self {
        Self::ModulusExhausted { op, unit: Unit::Levels, needed, left }
    }

    /// A `value` of the argument `name` where `expected` belongs.
    pub(crate) fn argument(name: &'static str, value: impl std::fmt::Display, expected: impl Into<String>) -> Self {
        Self::Argument { name, value: value.to_string(), expected: expected.into() }
    }

    /// An empty list of what a sum or product is made of.
    pub(crate) fn none(name: &'static str) -> Self {
        Self::argument(name, "[]", "at least one")
    }

    /// Not enough bits of modulus are left for `op`.
    pub fn bits_exhausted(op: &'static str, needed: u32, left: u32) -> Self {
        Self::ModulusExhausted { op, unit: Unit::Bits, needed: needed as usize, left: left as usize }
    }

    /// Values that need `needed` bits at the scale `2^log_scale`, where the modulus has `log_q`.
    pub fn too_large_for_bits(magnitude: f64, log_scale: u32, needed: u32, log_q: u32) -> Self {
        let [scale_log2, needed, available] = [log_scale, needed, log_q].map(f64::from);
        Self::TooLarge { magnitude, scale_log2, needed, available, level: None }
    }

    /// [`Error::NoBootstrapping`] for parameters over a chain.
    pub(crate) fn no_bootstrapping(params: &impl std::fmt::Debug) -> Self {
        let instead = "choose a preset whose name has \"boot\" in it".into();
        Self::NoBootstrapping { params: format!("{params:?}"), instead }
    }
}
