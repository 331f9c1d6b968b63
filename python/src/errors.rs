//! Errors of the library as the Python exceptions of `ringjet.errors`, one to one, with their
//! values as attributes.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use ringjet::{Error, Unit};
use ringjet_backend::BackendError;

/// An attribute of an exception.
enum Field {
    Int(i128),
    Float(f64),
    Text(String),
    Ints(Vec<i64>),
    None,
}

macro_rules! field_from {
    ($($t:ty => $variant:ident ($x:ident) $e:expr),* $(,)?) => {
        $(impl From<$t> for Field { fn from($x: $t) -> Self { Self::$variant($e) } })*
    };
}
field_from! {
    usize => Int(x) x as i128,
    u64 => Int(x) x.into(),
    u32 => Int(x) x.into(),
    u16 => Int(x) x.into(),
    i64 => Int(x) x.into(),
    f64 => Float(x) x,
    Vec<i64> => Ints(x) x,
    Vec<usize> => Ints(x) x.into_iter().map(|n| n as i64).collect(),
    String => Text(x) x,
    &'static str => Text(x) x.into(),
}

impl From<Option<usize>> for Field {
    fn from(x: Option<usize>) -> Self {
        x.map_or(Self::None, Self::from)
    }
}

impl From<Option<f64>> for Field {
    fn from(x: Option<f64>) -> Self {
        x.map_or(Self::None, Self::from)
    }
}

type Fields = Vec<(&'static str, Field)>;

macro_rules! fields {
    ($class:literal $(, $name:ident)* $(,)?) => { ($class, vec![$((stringify!($name), Field::from($name))),*]) };
}

/// The exception of a refused call.
pub fn raise(error: Error) -> PyErr {
    let message = error.to_string();
    let (class, fields) = describe(error);
    build(class, message, fields)
}

/// An exception that only Python's side knows.
pub fn raise_as(class: &'static str, message: String) -> PyErr {
    build(class, message, Vec::new())
}

/// The same with one attribute.
pub fn raise_with(class: &'static str, message: String, name: &'static str, value: String) -> PyErr {
    build(class, message, vec![(name, value.into())])
}

/// An argument out of its range.
pub fn argument(name: &'static str, value: impl std::fmt::Display, expected: &str) -> PyErr {
    raise(Error::Argument { name, value: value.to_string(), expected: expected.into() })
}

fn build(class: &'static str, message: String, fields: Fields) -> PyErr {
    Python::attach(|py| {
        let make = || -> PyResult<PyErr> {
            let value = py.import("ringjet.errors")?.getattr(class)?.call1((message,))?;
            for (name, field) in fields {
                let field = match field {
                    Field::Int(x) => x.into_bound_py_any(py)?,
                    Field::Float(x) => x.into_bound_py_any(py)?,
                    Field::Text(x) => x.into_bound_py_any(py)?,
                    Field::Ints(x) => x.into_bound_py_any(py)?,
                    Field::None => py.None().into_bound(py),
                };
                value.setattr(name, field)?;
            }
            Ok(PyErr::from_value(value))
        };
        make().unwrap_or_else(|e| e)
    })
}

fn describe(error: Error) -> (&'static str, Fields) {
    match error {
        Error::Insecure { log_n, log_qp, log_q: None, allowed, security } => {
            fields!("InsecureParametersError", log_n, log_qp, allowed, security)
        }
        Error::Insecure { log_n, log_qp, log_q: Some(log_q), allowed, security } => {
            fields!("InsecureModulusError", log_n, log_q, log_qp, allowed, security)
        }
        Error::SparseSecret { weight } => fields!("SparseSecretError", weight),
        Error::ModulusMismatch { op, unit, lhs, rhs } => match unit {
            Unit::Levels => fields!("LevelMismatchError", op, lhs, rhs),
            Unit::Bits => fields!("ModulusMismatchError", op, lhs, rhs),
        },
        Error::ModulusExhausted { op, unit, needed, left } => match unit {
            Unit::Levels => fields!("LevelExhaustedError", op, needed, left),
            Unit::Bits => fields!("ModulusExhaustedError", op, needed, left),
        },
        Error::TooLarge { magnitude, scale_log2, needed, available, level: None } => {
            let [log_scale, needed, log_q] = [scale_log2, needed, available].map(|x| x as u32);
            fields!("TooLargeForModulusError", magnitude, log_scale, needed, log_q)
        }
        Error::EphemeralSecret { log_n, weight, log_modulus, estimate, security, .. } => {
            fields!("EphemeralSecretError", log_n, weight, log_modulus, estimate, security)
        }
        Error::Parameters(_) => fields!("ParametersError"),
        Error::UnknownPreset { name, known } => fields!("UnknownPresetError", name, known),
        Error::Unsupported { scheme, op, .. } => fields!("SchemeError", scheme, op),
        Error::ParameterMismatch { what, expected, found } => {
            fields!("ParameterMismatchError", what, expected, found)
        }
        Error::KeyMismatch { what, expected, found } => fields!("KeyMismatchError", what, expected, found),
        Error::SlotCount { found, slots, max } => fields!("SlotCountError", found, slots, max),
        Error::SlotMismatch { lhs, rhs } => fields!("SlotMismatchError", lhs, rhs),
        Error::NotFinite { index, value } => fields!("NotFiniteError", index, value),
        Error::TooLarge { magnitude, scale_log2, needed, available, level: Some(level) } => {
            fields!("TooLargeError", magnitude, scale_log2, needed, available, level)
        }
        Error::Overflow { op, magnitude, scale_log2, needed, available } => {
            fields!("ValueOverflowError", op, magnitude, scale_log2, needed, available)
        }
        Error::Magnitude { found, stated } => fields!("MagnitudeError", found, stated),
        Error::OutsideInterval { low, high, imaginary, a, b } => {
            fields!("OutsideIntervalError", low, high, imaginary, a, b)
        }
        Error::BootstrapMagnitude { magnitude, limit } => fields!("BootstrapMagnitudeError", magnitude, limit),
        Error::Garbage { found_log2, limit_log2 } => fields!("GarbageError", found_log2, limit_log2),
        Error::NotSharable { reason } => fields!("NotSharableError", reason),
        Error::AnswersExhausted { given, limit } => fields!("AnswersExhaustedError", given, limit),
        Error::ScaleMismatch { op, lhs_log2, rhs_log2 } => fields!("ScaleMismatchError", op, lhs_log2, rhs_log2),
        Error::NotNested { upper, lower } => fields!("NotNestedError", upper, lower),
        Error::KeyLevel { level, key_level } => fields!("KeyLevelError", level, key_level),
        Error::MissingBootstrappingKeys => fields!("MissingBootstrappingKeysError"),
        Error::NoBootstrapping { params, instead } => fields!("NoBootstrappingError", params, instead),
        Error::NoSuchLevel { level, top } => fields!("NoSuchLevelError", level, top),
        Error::MissingRotationKey { rotation } => {
            let rotations = vec![rotation];
            fields!("MissingRotationKeyError", rotation, rotations)
        }
        Error::MissingRotationKeys { rotations } => {
            let rotation = rotations.first().copied().unwrap_or_default();
            fields!("MissingRotationKeyError", rotation, rotations)
        }
        Error::BootstrappingSlots { slots, available } => fields!("MissingBootstrappingKeysError", slots, available),
        Error::MissingConjugationKey => fields!("MissingConjugationKeyError"),
        Error::MissingRelinearizationKey => fields!("MissingRelinearizationKeyError"),
        Error::Degree { op, expected, found } => fields!("DegreeError", op, expected, found),
        Error::Argument { name, value, expected } => fields!("ArgumentError", name, value, expected),
        Error::Malformed { what, reason, offset } => fields!("MalformedError", what, reason, offset),
        Error::OldVersion { what, found, supported } => fields!("OldVersionError", what, found, supported),
        Error::NewerVersion { what, found, supported } => fields!("NewerVersionError", what, found, supported),
        Error::TooManyBytes { what, bytes, limit } => fields!("TooManyBytesError", what, bytes, limit),
        Error::Io { what, reason } => fields!("StreamError", what, reason),
        Error::Interrupted => fields!("InterruptedWorkError"),
        Error::Backend(BackendError::OutOfMemory { backend, bytes, free }) => {
            fields!("OutOfMemoryError", backend, bytes, free)
        }
        Error::Backend(BackendError::NoValues { op, backend }) => fields!("NoValuesError", op, backend),
        Error::Backend(_) => fields!("BackendError"),
        Error::Math(_) => fields!("MathError"),
        Error::Rng(_) => fields!("RandomnessError"),
        // a variant of a newer library
        _ => fields!("RingjetError"),
    }
}

/// Lets other Python threads run while the library works.
pub fn run<T: Send>(py: Python<'_>, work: impl FnOnce() -> ringjet::Result<T> + Send) -> PyResult<T> {
    py.detach(work).map_err(raise)
}
