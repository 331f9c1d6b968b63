//! The status that every function of the interface returns, one for each class of errors.

use std::ffi::CStr;

/// What a function returns. Numbers keep their meaning in later versions. Those from 100 on are the errors of
/// the library, which Python knows by the names that rj_status_name gives.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum rj_status {
    /// Done.
    RJ_OK = 0,
    /// A pointer is null where something is needed.
    RJ_NULL_POINTER = 1,
    /// A pointer to numbers or to handles is not aligned as C requires.
    RJ_MISALIGNED = 2,
    /// An array has the wrong length.
    RJ_LENGTH = 3,
    /// A text is not UTF-8.
    RJ_NOT_UTF8 = 4,
    /// A flag that the function does not have.
    RJ_FLAGS = 5,
    /// A file cannot be opened, read or written.
    RJ_FILE = 6,
    /// A file is there that the function does not replace, such as one with a secret key.
    RJ_OVERWRITE = 7,
    /// Errors drown the decrypted values: no digit of them is right.
    RJ_DROWNED = 8,
    /// The library was used before this process was forked; use threads, or start a new program.
    RJ_FORKED = 9,
    /// The number of threads was asked for too late: something was made already.
    RJ_TOO_LATE = 10,
    /// A fault in the library. The call had no effect. Please report the text of rj_last_error.
    RJ_PANIC = 11,
    /// An error that has no status of its own yet.
    RJ_OTHER = 12,
    /// The modulus of HEAAN is larger than its security allows, and RJ_ALLOW_INSECURE is not given.
    RJ_INSECURE_MODULUS = 100,
    /// Values are too large for the scale and the modulus of HEAAN.
    RJ_TOO_LARGE_FOR_MODULUS = 101,
    /// The levels of two operands differ.
    RJ_LEVEL_MISMATCH = 102,
    /// Not enough levels are left.
    RJ_LEVEL_EXHAUSTED = 103,
    /// The keys of one or more rotations are missing.
    RJ_MISSING_ROTATION_KEY = 104,
    /// There is not enough memory.
    RJ_OUT_OF_MEMORY = 105,
    /// The ciphertext has no values.
    RJ_NO_VALUES = 106,
    /// Parameters have less security than asked for, and RJ_ALLOW_INSECURE is not given.
    RJ_INSECURE_PARAMETERS = 107,
    /// No published table gives the security of this secret, and RJ_ALLOW_INSECURE is not given.
    RJ_SPARSE_SECRET = 108,
    /// The ephemeral secret of bootstrapping has too little security, and RJ_ALLOW_INSECURE is not given.
    RJ_EPHEMERAL_SECRET = 109,
    /// A parameter set is not usable.
    RJ_PARAMETERS = 110,
    /// No preset has this name.
    RJ_UNKNOWN_PRESET = 111,
    /// The scheme does not have this operation.
    RJ_SCHEME = 112,
    /// Objects of two parameter sets were combined.
    RJ_PARAMETER_MISMATCH = 113,
    /// Objects of two secrets were combined.
    RJ_KEY_MISMATCH = 114,
    /// There are no values, or more than the ciphertext has slots.
    RJ_SLOT_COUNT = 115,
    /// Ciphertexts with different numbers of slots were combined.
    RJ_SLOT_MISMATCH = 116,
    /// Two vectors hold different numbers of values, both below the number of slots.
    RJ_COUNT_MISMATCH = 117,
    /// A sum goes around the row of slots, and values would count more than once.
    RJ_WINDOW = 118,
    /// A value is not a finite number.
    RJ_NOT_FINITE = 119,
    /// Values are too large for the scale and modulus.
    RJ_TOO_LARGE = 120,
    /// The result could wrap around the modulus.
    RJ_VALUE_OVERFLOW = 121,
    /// Values to encrypt are larger than their stated magnitude.
    RJ_MAGNITUDE = 122,
    /// Values to encrypt, or what fills the slots after them, are not within their stated bounds.
    RJ_OUTSIDE_STATED = 123,
    /// Values can leave the interval on which a polynomial approximates a function.
    RJ_OUTSIDE_INTERVAL = 124,
    /// Values are too large to be bootstrapped.
    RJ_BOOTSTRAP_MAGNITUDE = 125,
    /// The decrypted polynomial is no message: its coefficients are too large.
    RJ_GARBAGE = 126,
    /// The error of a result has no known bound, or the result does not match the sharing plan.
    RJ_NOT_SHARABLE = 127,
    /// All decryptions that may be shared under a key have been shared.
    RJ_ANSWERS_EXHAUSTED = 128,
    /// The parameters are for a secret of several pieces, which no single client makes.
    RJ_SEVERAL_PARTIES = 129,
    /// More pieces of a secret than are supported.
    RJ_TOO_MANY_PIECES = 130,
    /// Parameters that bootstrap have a secret of one piece.
    RJ_NO_COLLECTIVE_BOOTSTRAP = 131,
    /// Something is missing that parties have to send.
    RJ_PARTY_MISSING = 132,
    /// Holders of one piece sent different bytes, which depend on the piece alone.
    RJ_SHARES_DISAGREE = 133,
    /// A share is not the one that was committed to.
    RJ_COMMITMENT_MISMATCH = 134,
    /// A message was made with other agreements, or after other messages, than this party has.
    RJ_TRANSCRIPT_MISMATCH = 135,
    /// A message of a later round.
    RJ_WRONG_ROUND = 136,
    /// A message of another session.
    RJ_WRONG_SESSION = 137,
    /// A ciphertext was answered with noise of another width, or in another way.
    RJ_ALREADY_ANSWERED = 138,
    /// A ciphertext was answered together with other parties.
    RJ_ACTIVE_SET_CHANGED = 139,
    /// Two scales differ.
    RJ_SCALE_MISMATCH = 140,
    /// The noise of a result would be too large to decrypt it.
    RJ_NOISE_BUDGET = 141,
    /// The noise of a ciphertext is too large to decrypt it.
    RJ_NOISE_BUDGET_SPENT = 142,
    /// The messages of two exact ciphertexts are multiplied by different factors modulo t.
    RJ_FACTOR_MISMATCH = 143,
    /// A value that an exact scheme cannot encode: not an integer, or outside the range of residues.
    RJ_NOT_RESIDUE = 144,
    /// A decrypted integer does not fit 64 bits with sign.
    RJ_INTEGER_OVERFLOW = 145,
    /// The lower level has primes that the upper one lacks.
    RJ_NOT_NESTED = 146,
    /// The key was made for a lower level than the ciphertext's.
    RJ_KEY_LEVEL = 147,
    /// There are no keys for bootstrapping, or only for other numbers of slots.
    RJ_MISSING_BOOTSTRAPPING_KEYS = 148,
    /// The parameters do not allow bootstrapping.
    RJ_NO_BOOTSTRAPPING = 149,
    /// The parameters have no sine, of which tables are polynomials.
    RJ_NO_SINE = 150,
    /// The moduli of two operands differ.
    RJ_MODULUS_MISMATCH = 151,
    /// Not enough bits of the modulus are left.
    RJ_MODULUS_EXHAUSTED = 152,
    /// The level is above the top level.
    RJ_NO_SUCH_LEVEL = 153,
    /// The key of conjugation is missing.
    RJ_MISSING_CONJUGATION_KEY = 154,
    /// The relinearisation key, which products need, is missing.
    RJ_MISSING_RELINEARIZATION_KEY = 155,
    /// The operation does not take a ciphertext of so many polynomials.
    RJ_DEGREE = 156,
    /// An argument that is not accepted.
    RJ_ARGUMENT = 157,
    /// Bytes that are not a valid object.
    RJ_MALFORMED = 158,
    /// The bytes have a format version that this library no longer reads.
    RJ_OLD_VERSION = 159,
    /// The bytes have a newer format version.
    RJ_NEWER_VERSION = 160,
    /// The object has more bytes than the reader's limit.
    RJ_TOO_MANY_BYTES = 161,
    /// Bytes of an object cannot be read or written.
    RJ_STREAM = 162,
    /// The work was interrupted by its caller.
    RJ_INTERRUPTED_WORK = 163,
    /// The processor refused the call or failed.
    RJ_BACKEND = 164,
    /// Constants of the arithmetic, such as primes, do not exist.
    RJ_MATH = 165,
    /// The system gives no random bytes.
    RJ_RANDOMNESS = 166,
}

/// The statuses of the interface itself, with their names.
const OWN: [(rj_status, &CStr); 13] = [
    (rj_status::RJ_OK, c"OK"),
    (rj_status::RJ_NULL_POINTER, c"NullPointerError"),
    (rj_status::RJ_MISALIGNED, c"MisalignedError"),
    (rj_status::RJ_LENGTH, c"LengthError"),
    (rj_status::RJ_NOT_UTF8, c"NotUtf8Error"),
    (rj_status::RJ_FLAGS, c"FlagsError"),
    (rj_status::RJ_FILE, c"FileError"),
    (rj_status::RJ_OVERWRITE, c"OverwriteError"),
    (rj_status::RJ_DROWNED, c"DrownedError"),
    (rj_status::RJ_FORKED, c"ForkedError"),
    (rj_status::RJ_TOO_LATE, c"TooLateError"),
    (rj_status::RJ_PANIC, c"PanicError"),
    (rj_status::RJ_OTHER, c"RingjetError"),
];

/// The statuses of the library's errors, with the names of their classes.
pub(crate) const LIBRARY: [(rj_status, &CStr); 67] = [
    (rj_status::RJ_INSECURE_MODULUS, c"InsecureModulusError"),
    (rj_status::RJ_TOO_LARGE_FOR_MODULUS, c"TooLargeForModulusError"),
    (rj_status::RJ_LEVEL_MISMATCH, c"LevelMismatchError"),
    (rj_status::RJ_LEVEL_EXHAUSTED, c"LevelExhaustedError"),
    (rj_status::RJ_MISSING_ROTATION_KEY, c"MissingRotationKeyError"),
    (rj_status::RJ_OUT_OF_MEMORY, c"OutOfMemoryError"),
    (rj_status::RJ_NO_VALUES, c"NoValuesError"),
    (rj_status::RJ_INSECURE_PARAMETERS, c"InsecureParametersError"),
    (rj_status::RJ_SPARSE_SECRET, c"SparseSecretError"),
    (rj_status::RJ_EPHEMERAL_SECRET, c"EphemeralSecretError"),
    (rj_status::RJ_PARAMETERS, c"ParametersError"),
    (rj_status::RJ_UNKNOWN_PRESET, c"UnknownPresetError"),
    (rj_status::RJ_SCHEME, c"SchemeError"),
    (rj_status::RJ_PARAMETER_MISMATCH, c"ParameterMismatchError"),
    (rj_status::RJ_KEY_MISMATCH, c"KeyMismatchError"),
    (rj_status::RJ_SLOT_COUNT, c"SlotCountError"),
    (rj_status::RJ_SLOT_MISMATCH, c"SlotMismatchError"),
    (rj_status::RJ_COUNT_MISMATCH, c"CountMismatchError"),
    (rj_status::RJ_WINDOW, c"WindowError"),
    (rj_status::RJ_NOT_FINITE, c"NotFiniteError"),
    (rj_status::RJ_TOO_LARGE, c"TooLargeError"),
    (rj_status::RJ_VALUE_OVERFLOW, c"ValueOverflowError"),
    (rj_status::RJ_MAGNITUDE, c"MagnitudeError"),
    (rj_status::RJ_OUTSIDE_STATED, c"OutsideStatedError"),
    (rj_status::RJ_OUTSIDE_INTERVAL, c"OutsideIntervalError"),
    (rj_status::RJ_BOOTSTRAP_MAGNITUDE, c"BootstrapMagnitudeError"),
    (rj_status::RJ_GARBAGE, c"GarbageError"),
    (rj_status::RJ_NOT_SHARABLE, c"NotSharableError"),
    (rj_status::RJ_ANSWERS_EXHAUSTED, c"AnswersExhaustedError"),
    (rj_status::RJ_SEVERAL_PARTIES, c"SeveralPartiesError"),
    (rj_status::RJ_TOO_MANY_PIECES, c"TooManyPiecesError"),
    (rj_status::RJ_NO_COLLECTIVE_BOOTSTRAP, c"NoCollectiveBootstrapError"),
    (rj_status::RJ_PARTY_MISSING, c"PartyMissingError"),
    (rj_status::RJ_SHARES_DISAGREE, c"SharesDisagreeError"),
    (rj_status::RJ_COMMITMENT_MISMATCH, c"CommitmentMismatchError"),
    (rj_status::RJ_TRANSCRIPT_MISMATCH, c"TranscriptMismatchError"),
    (rj_status::RJ_WRONG_ROUND, c"WrongRoundError"),
    (rj_status::RJ_WRONG_SESSION, c"WrongSessionError"),
    (rj_status::RJ_ALREADY_ANSWERED, c"AlreadyAnsweredError"),
    (rj_status::RJ_ACTIVE_SET_CHANGED, c"ActiveSetChangedError"),
    (rj_status::RJ_SCALE_MISMATCH, c"ScaleMismatchError"),
    (rj_status::RJ_NOISE_BUDGET, c"NoiseBudgetError"),
    (rj_status::RJ_NOISE_BUDGET_SPENT, c"NoiseBudgetSpentError"),
    (rj_status::RJ_FACTOR_MISMATCH, c"FactorMismatchError"),
    (rj_status::RJ_NOT_RESIDUE, c"NotResidueError"),
    (rj_status::RJ_INTEGER_OVERFLOW, c"IntegerOverflowError"),
    (rj_status::RJ_NOT_NESTED, c"NotNestedError"),
    (rj_status::RJ_KEY_LEVEL, c"KeyLevelError"),
    (rj_status::RJ_MISSING_BOOTSTRAPPING_KEYS, c"MissingBootstrappingKeysError"),
    (rj_status::RJ_NO_BOOTSTRAPPING, c"NoBootstrappingError"),
    (rj_status::RJ_NO_SINE, c"NoSineError"),
    (rj_status::RJ_MODULUS_MISMATCH, c"ModulusMismatchError"),
    (rj_status::RJ_MODULUS_EXHAUSTED, c"ModulusExhaustedError"),
    (rj_status::RJ_NO_SUCH_LEVEL, c"NoSuchLevelError"),
    (rj_status::RJ_MISSING_CONJUGATION_KEY, c"MissingConjugationKeyError"),
    (rj_status::RJ_MISSING_RELINEARIZATION_KEY, c"MissingRelinearizationKeyError"),
    (rj_status::RJ_DEGREE, c"DegreeError"),
    (rj_status::RJ_ARGUMENT, c"ArgumentError"),
    (rj_status::RJ_MALFORMED, c"MalformedError"),
    (rj_status::RJ_OLD_VERSION, c"OldVersionError"),
    (rj_status::RJ_NEWER_VERSION, c"NewerVersionError"),
    (rj_status::RJ_TOO_MANY_BYTES, c"TooManyBytesError"),
    (rj_status::RJ_STREAM, c"StreamError"),
    (rj_status::RJ_INTERRUPTED_WORK, c"InterruptedWorkError"),
    (rj_status::RJ_BACKEND, c"BackendError"),
    (rj_status::RJ_MATH, c"MathError"),
    (rj_status::RJ_RANDOMNESS, c"RandomnessError"),
];

impl rj_status {
    /// The status of a class of errors.
    pub(crate) fn of_class(class: &str) -> Self {
        let found = LIBRARY.iter().find(|(_, name)| name.to_bytes() == class.as_bytes());
        found.map_or(Self::RJ_OTHER, |(status, _)| *status)
    }
}

/// The name of a status, such as "KeyMismatchError"; null for a number that is no status.
#[unsafe(no_mangle)]
pub extern "C" fn rj_status_name(status: i32) -> *const std::ffi::c_char {
    let mut all = OWN.iter().chain(&LIBRARY);
    all.find(|(known, _)| *known as i32 == status).map_or(std::ptr::null(), |(_, name)| name.as_ptr())
}
