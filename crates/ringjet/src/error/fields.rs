//! Errors for other languages: the name of a class, and the values as its attributes.

use ringjet_backend::BackendError;

use super::{Error, Number, Unit};

/// The value of an attribute of an error.
#[derive(Debug, Clone, PartialEq)]
pub enum Field {
    /// No value.
    None,
    /// Text.
    Text(String),
    /// An integer or a real number.
    Number(Number),
    /// A list of integers.
    Integers(Vec<i64>),
    /// A list of texts.
    Texts(Vec<String>),
}

/// An error as other languages show it.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    /// The name of the class, such as `TooLargeError`.
    pub class: &'static str,
    /// Names and values of the attributes.
    pub fields: Vec<(&'static str, Field)>,
}

impl Error {
    /// The class of the error, and its values.
    pub fn describe(self) -> Description {
        let (class, fields) = description(self);
        Description { class, fields }
    }
}

macro_rules! fields {
    ($($name:ident),*) => { vec![$((stringify!($name), Field::from($name))),*] };
}

fn description(error: Error) -> (&'static str, Vec<(&'static str, Field)>) {
    // each line: a variant, its fields that become attributes, and the class
    macro_rules! table {
        ($error:expr, $($Variant:ident { $($name:ident),* } => $class:literal,)*) => {
            match $error {
                $(Error::$Variant { $($name,)* .. } => ($class, fields!($($name),*)),)*
                // a variant that neither table knows
                _ => ("RingjetError", vec![]),
            }
        };
    }
    // first the variants whose class depends on a field
    match error {
        Error::Insecure { log_n, log_qp, log_q: Some(log_q), allowed, security } => {
            ("InsecureModulusError", fields!(log_n, log_q, log_qp, allowed, security))
        }
        Error::TooLarge { magnitude, scale_log2, needed, available, level: None } => {
            let [log_scale, needed, log_q] = [scale_log2, needed, available].map(|x| x as u32);
            ("TooLargeForModulusError", fields!(magnitude, log_scale, needed, log_q))
        }
        Error::ModulusMismatch { op, unit: Unit::Levels, lhs, rhs } => ("LevelMismatchError", fields!(op, lhs, rhs)),
        Error::ModulusExhausted { op, unit: Unit::Levels, needed, left } => {
            ("LevelExhaustedError", fields!(op, needed, left))
        }
        Error::PolynomialTooDeep { degree, needed, left, .. } => {
            let op = "polynomial";
            ("LevelExhaustedError", fields!(op, degree, needed, left))
        }
        Error::MissingRotationKey { rotation } => {
            let rotations = vec![rotation];
            ("MissingRotationKeyError", fields!(rotation, rotations))
        }
        Error::MissingRotationKeys { rotations } => {
            let rotation = rotations.first().copied().unwrap_or_default();
            ("MissingRotationKeyError", fields!(rotation, rotations))
        }
        Error::Backend(BackendError::OutOfMemory { backend, bytes, free }) => {
            ("OutOfMemoryError", fields!(backend, bytes, free))
        }
        Error::Backend(BackendError::NoValues { op, backend }) => ("NoValuesError", fields!(op, backend)),
        error => table! { error,
            Insecure { log_n, log_qp, allowed, security } => "InsecureParametersError",
            SparseSecret { weight } => "SparseSecretError",
            EphemeralSecret { log_n, weight, log_modulus, estimate, security } => "EphemeralSecretError",
            Parameters {} => "ParametersError",
            UnknownPreset { name, similar, known } => "UnknownPresetError",
            Unsupported { scheme, op } => "SchemeError",
            ParameterMismatch { what, expected, found } => "ParameterMismatchError",
            KeyMismatch { what, expected, found } => "KeyMismatchError",
            SlotCount { found, slots, max } => "SlotCountError",
            SlotMismatch { lhs, rhs } => "SlotMismatchError",
            CountMismatch { lhs, rhs } => "CountMismatchError",
            Window { stride, count, slots, distinct } => "WindowError",
            NotFinite { index, value } => "NotFiniteError",
            TooLarge { magnitude, scale_log2, needed, available, level } => "TooLargeError",
            Overflow { op, magnitude, scale_log2, needed, available } => "ValueOverflowError",
            Magnitude { found, stated } => "MagnitudeError",
            OutsideStated { found, low, high } => "OutsideStatedError",
            OutsideInterval { low, high, imaginary, a, b } => "OutsideIntervalError",
            BootstrapMagnitude { magnitude, limit } => "BootstrapMagnitudeError",
            Garbage { found_log2, limit_log2 } => "GarbageError",
            NotSharable { reason } => "NotSharableError",
            AnswersExhausted { given, limit } => "AnswersExhaustedError",
            SeveralParties { pieces } => "SeveralPartiesError",
            TooManyPieces { pieces, most } => "TooManyPiecesError",
            NoCollectiveBootstrap { pieces } => "NoCollectiveBootstrapError",
            PartyMissing { what, pieces, parties } => "PartyMissingError",
            SharesDisagree { piece, parties } => "SharesDisagreeError",
            CommitmentMismatch { party, piece } => "CommitmentMismatchError",
            TranscriptMismatch { what, party, expected, found } => "TranscriptMismatchError",
            WrongRound { party, expected, found } => "WrongRoundError",
            WrongSession { what, expected, found } => "WrongSessionError",
            AlreadyAnswered { first, width, now, asked } => "AlreadyAnsweredError",
            ActiveSetChanged { first, asked } => "ActiveSetChangedError",
            ScaleMismatch { op, lhs_log2, rhs_log2 } => "ScaleMismatchError",
            NoiseBudget { op, needed, available } => "NoiseBudgetError",
            NoiseBudgetSpent { budget, least } => "NoiseBudgetSpentError",
            FactorMismatch { op, lhs, rhs } => "FactorMismatchError",
            NotResidue { index, value, low, high, modulus } => "NotResidueError",
            IntegerOverflow { index, value, modulus } => "IntegerOverflowError",
            NotNested { upper, lower } => "NotNestedError",
            KeyLevel { level, key_level } => "KeyLevelError",
            MissingBootstrappingKeys { slots, available } => "MissingBootstrappingKeysError",
            NoBootstrapping { params, instead } => "NoBootstrappingError",
            NoSine { params, instead } => "NoSineError",
            ModulusMismatch { op, lhs, rhs } => "ModulusMismatchError",
            ModulusExhausted { op, needed, left } => "ModulusExhaustedError",
            NoSuchLevel { level, top } => "NoSuchLevelError",
            MissingConjugationKey {} => "MissingConjugationKeyError",
            MissingRelinearizationKey {} => "MissingRelinearizationKeyError",
            Degree { op, expected, found } => "DegreeError",
            Argument { name, value, expected } => "ArgumentError",
            Malformed { what, reason, offset } => "MalformedError",
            OldVersion { what, found, supported } => "OldVersionError",
            NewerVersion { what, found, supported } => "NewerVersionError",
            TooManyBytes { what, bytes, limit } => "TooManyBytesError",
            Io { what, reason } => "StreamError",
            Interrupted {} => "InterruptedWorkError",
            Backend {} => "BackendError",
            Math {} => "MathError",
            Rng {} => "RandomnessError",
        },
    }
}

impl From<&str> for Field {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Field {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<&'static str>> for Field {
    fn from(all: Vec<&'static str>) -> Self {
        Self::Texts(all.into_iter().map(Into::into).collect())
    }
}

impl From<Vec<String>> for Field {
    fn from(all: Vec<String>) -> Self {
        Self::Texts(all)
    }
}

impl From<Number> for Field {
    fn from(number: Number) -> Self {
        Self::Number(number)
    }
}

impl From<f64> for Field {
    fn from(x: f64) -> Self {
        Self::Number(x.into())
    }
}

impl From<Vec<i64>> for Field {
    fn from(all: Vec<i64>) -> Self {
        Self::Integers(all)
    }
}

impl From<Vec<usize>> for Field {
    fn from(all: Vec<usize>) -> Self {
        Self::Integers(all.into_iter().map(|x| x as i64).collect())
    }
}

impl<T: Into<Field>> From<Option<T>> for Field {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::None, Into::into)
    }
}

macro_rules! integers {
    ($($T:ty)*) => { $(
        impl From<$T> for Field {
            fn from(x: $T) -> Self {
                // an integer above 2^127 is no double either, and no field has one
                i128::try_from(x).map_or(Self::Number(Number::Real(x as f64)), |x| Self::Number(x.into()))
            }
        }
    )* };
}
integers! { u16 u32 u64 usize i64 i128 u128 }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_and_values() {
        let error = |level| Error::TooLarge { magnitude: 2.0, scale_log2: 40.0, needed: 50.5, available: 30.0, level };
        let with = error(Some(3)).describe();
        assert_eq!((with.class, with.fields.len()), ("TooLargeError", 5));
        assert_eq!(with.fields[4], ("level", Field::Number(Number::Integer(3))));
        let without = error(None).describe();
        assert_eq!(without.class, "TooLargeForModulusError");
        assert_eq!(without.fields[2], ("needed", Field::Number(Number::Integer(50))));
        let refused = BackendError::OutOfMemory { backend: "x".into(), bytes: 8, free: None };
        let refused = Error::from(refused).describe();
        assert_eq!((refused.class, &refused.fields[2]), ("OutOfMemoryError", &("free", Field::None)));
        assert_eq!(Error::Interrupted.describe(), Description { class: "InterruptedWorkError", fields: vec![] });
    }
}
