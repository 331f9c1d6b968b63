//! Turns each error of the library into an exception of `ringjet.errors`. The values of the error
//! become attributes of the exception.

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use ringjet::{Error, Number, Unit};
use ringjet_backend::BackendError;

/// The class of an exception, and its attributes.
type Description = (&'static str, Vec<(&'static str, Py<PyAny>)>);

/// The exception for an error of the library.
pub fn raise(error: Error) -> PyErr {
    exception(error.to_string(), |py| describe(py, error))
}

/// An exception that has no error in the library.
pub fn raise_as(class: &'static str, message: String) -> PyErr {
    exception(message, |_| Ok((class, vec![])))
}

pub fn argument(name: &'static str, value: impl std::fmt::Display, expected: &str) -> PyErr {
    raise(Error::Argument { name, value: value.to_string(), expected: expected.into() })
}

/// The exception for an object of a wrong class. `expected` says which classes are accepted.
pub fn wrong_type(expected: &str, found: &Bound<'_, PyAny>) -> PyErr {
    let message = |name| PyTypeError::new_err(format!("{expected}, not {name}"));
    found.get_type().name().map_or_else(|e| e, message)
}

/// The exception for a device that is unknown or whose profile is unusable.
pub fn device(device: String, message: String) -> PyErr {
    exception(message, |py| Ok(("DeviceError", vec![("device", device.into_py_any(py)?)])))
}

fn exception(message: String, describe: impl FnOnce(Python<'_>) -> PyResult<Description>) -> PyErr {
    let build = |py: Python<'_>| {
        let (class, fields) = describe(py)?;
        let value = py.import("ringjet.errors")?.getattr(class)?.call1((message,))?;
        fields.into_iter().try_for_each(|(name, field)| value.setattr(name, field))?;
        Ok(PyErr::from_value(value))
    };
    Python::attach(build).unwrap_or_else(|e| e)
}

/// The class and attributes of an error.
fn describe(py: Python<'_>, error: Error) -> PyResult<Description> {
    macro_rules! fields {
        ($($name:ident),*) => { vec![$((stringify!($name), $name.into_py_any(py)?)),*] };
    }
    // each line: a variant, its fields that become attributes, and the class
    macro_rules! table {
        ($error:expr, $($Variant:ident { $($name:ident),* } => $class:literal,)*) => {
            match $error {
                $(Error::$Variant { $($name,)* .. } => ($class, fields!($($name),*)),)*
                // a variant that this table does not know
                _ => ("RingjetError", vec![]),
            }
        };
    }
    // first the variants whose class depends on a field
    Ok(match error {
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
        Error::MissingRotationKey { rotation } => {
            let rotations = vec![rotation];
            ("MissingRotationKeyError", fields!(rotation, rotations))
        }
        Error::MissingRotationKeys { rotations } => {
            let rotation = rotations.first().copied().unwrap_or_default();
            ("MissingRotationKeyError", fields!(rotation, rotations))
        }
        Error::NotResidue { index, value, low, high, modulus } => {
            let value = python_number(py, value)?;
            ("NotResidueError", fields!(index, value, low, high, modulus))
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
            UnknownPreset { name, known } => "UnknownPresetError",
            Unsupported { scheme, op } => "SchemeError",
            ParameterMismatch { what, expected, found } => "ParameterMismatchError",
            KeyMismatch { what, expected, found } => "KeyMismatchError",
            SlotCount { found, slots, max } => "SlotCountError",
            SlotMismatch { lhs, rhs } => "SlotMismatchError",
            NotFinite { index, value } => "NotFiniteError",
            TooLarge { magnitude, scale_log2, needed, available, level } => "TooLargeError",
            Overflow { op, magnitude, scale_log2, needed, available } => "ValueOverflowError",
            Magnitude { found, stated } => "MagnitudeError",
            OutsideInterval { low, high, imaginary, a, b } => "OutsideIntervalError",
            BootstrapMagnitude { magnitude, limit } => "BootstrapMagnitudeError",
            Garbage { found_log2, limit_log2 } => "GarbageError",
            NotSharable { reason } => "NotSharableError",
            AnswersExhausted { given, limit } => "AnswersExhaustedError",
            ScaleMismatch { op, lhs_log2, rhs_log2 } => "ScaleMismatchError",
            NoiseBudget { op, needed, available } => "NoiseBudgetError",
            NoiseBudgetSpent { budget, least } => "NoiseBudgetSpentError",
            FactorMismatch { op, lhs, rhs } => "FactorMismatchError",
            IntegerOverflow { index, value, modulus } => "IntegerOverflowError",
            NotNested { upper, lower } => "NotNestedError",
            KeyLevel { level, key_level } => "KeyLevelError",
            MissingBootstrappingKeys {} => "MissingBootstrappingKeysError",
            BootstrappingSlots { slots, available } => "MissingBootstrappingKeysError",
            NoBootstrapping { params, instead } => "NoBootstrappingError",
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
    })
}

/// An integer for integers of any size, otherwise a float.
fn python_number(py: Python<'_>, number: Number) -> PyResult<Py<PyAny>> {
    match number {
        Number::Integer(x) => x.into_py_any(py),
        Number::Real(x) => x.into_py_any(py),
    }
}

/// Lets other Python threads run while the library works.
pub fn run<T: Send>(work: impl FnOnce() -> ringjet::Result<T> + Send) -> PyResult<T> {
    Python::attach(|py| py.detach(work)).map_err(raise)
}
