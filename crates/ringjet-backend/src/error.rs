//! The errors of backend calls.

use ringjet_math::memory::OutOfMemory;

use crate::Width;

/// Why a backend refused a call or failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BackendError {
    /// A buffer belongs to another device.
    #[error("{op}: the buffer belongs to backend {found}, not to {expected}: download it there and upload it here")]
    WrongOwner {
        /// The operation that was called.
        op: &'static str,
        /// Name of the backend that was called.
        expected: String,
        /// Name of the buffer's owner.
        found: String,
    },
    /// The shapes of the operands do not fit together.
    #[error("{op}: {what} is {found}, expected {expected}")]
    Shape {
        /// The operation that was called.
        op: &'static str,
        /// The quantity that does not fit.
        what: &'static str,
        /// Its expected value.
        expected: usize,
        /// Its actual value.
        found: usize,
    },
    /// The device has not enough free memory.
    #[error("out of memory on {backend}: {bytes} bytes wanted{}", free.map_or(String::new(), |f| format!(", {f} are free")))]
    OutOfMemory {
        /// Name of the backend, or `the host`.
        backend: String,
        /// Size of the refused request.
        bytes: usize,
        /// Bytes that are free, if the device reports them.
        free: Option<usize>,
    },
    /// The backend stores residues in fewer bytes than these need ([`crate::Width`]).
    #[error(
        "{backend} stores residues in {} bytes, for primes of up to {} bits, and these have {bits}: use \
         smaller primes, or a backend that stores them in {} bytes",
        width.bytes(), width.most_bits(), Width::of_bits(*bits).bytes()
    )]
    NarrowWords {
        /// Name of the backend.
        backend: String,
        /// How it stores residues.
        width: Width,
        /// Bits of the largest prime or word.
        bits: u32,
    },
    /// The backend lacks this operation. Nothing has been written, so another backend can still run
    /// it: see [`crate::HostFallback`].
    #[error("{op}: {backend} has no such operation: wrap it in HostFallback with a backend that has")]
    Unsupported {
        /// The operation that was called.
        op: &'static str,
        /// Name of the backend.
        backend: String,
    },
    /// The backend only counts operations ([`crate::Meter::counts_only`]), so it has no values to
    /// read.
    #[error("{op}: {backend} counts operations and holds no values: compute on another backend to read them")]
    NoValues {
        /// The operation that was called.
        op: &'static str,
        /// Name of the backend.
        backend: String,
    },
    /// The device or its driver failed.
    #[error("{backend}: {message}")]
    Device {
        /// Name of the backend.
        backend: String,
        /// The message of the device or its driver.
        message: String,
    },
}

impl From<OutOfMemory> for BackendError {
    fn from(refused: OutOfMemory) -> Self {
        Self::OutOfMemory { backend: "the host".into(), bytes: refused.bytes, free: None }
    }
}
