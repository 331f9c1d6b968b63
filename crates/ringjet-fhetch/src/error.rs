//! What can go wrong with programs.

use ringjet_backend::BackendError;
use ringjet_backend::host::OutOfMemory;

/// Why a computation cannot be exported, or a program cannot be read or run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FhetchError {
    /// The host would read a value that depends on the inputs.
    #[error(
        "{op}: the host reads a value that was computed from inputs, so the exported program would \
         only be right for these inputs: read results within Exporter::output"
    )]
    Computed {
        /// The operation that was called.
        op: &'static str,
    },
    /// A buffer that is marked as secret would be written to the files.
    #[error("{op}: the data of a secret would be written to the files: compute with secret keys on another backend")]
    Secret {
        /// The operation that was called.
        op: &'static str,
    },
    /// A polynomial is read in another domain than it has.
    #[error("{op}: a polynomial is read as {expected}, but has {found}: inputs are values (the evaluation domain)")]
    Domain {
        /// The operation that was called.
        op: &'static str,
        /// What the operation reads.
        expected: &'static str,
        /// What the polynomial has.
        found: &'static str,
    },
    /// Polynomials of two lengths.
    #[error("a polynomial of {found} words in a program of degree {expected}: export the rings one by one")]
    Degree {
        /// The degree of the program's ring.
        expected: usize,
        /// Words of the polynomial.
        found: usize,
    },
    /// More primes than an instruction can name.
    #[error("{found} primes, an instruction can name {most}: choose parameters with fewer primes")]
    Moduli {
        /// Number of primes.
        found: usize,
        /// The largest number.
        most: usize,
    },
    /// More polynomials than there are addresses.
    #[error("a program has at most {most} polynomials: export it in parts")]
    Addresses {
        /// The largest number.
        most: u32,
    },
    /// A line of a text is no line of a program.
    #[error("line {line}: found {found:?}, expected {expected}")]
    Text {
        /// The line, from 1 on.
        line: usize,
        /// What it has.
        found: String,
        /// What could be there.
        expected: String,
    },
    /// An instruction reads a polynomial that is no input and was not written.
    #[error("instruction {instruction} reads %{address}, which is no input and was not written before")]
    Unwritten {
        /// The instruction, from 1 on; one more than there are for a result.
        instruction: usize,
        /// The address.
        address: u32,
    },
    /// A polynomial that an instruction reads has a word that is not below the modulus.
    #[error("instruction {instruction} reads the word {word} in %{address}, expected words below {modulus}")]
    Word {
        /// The instruction, from 1 on.
        instruction: usize,
        /// The address.
        address: u32,
        /// The word.
        word: u64,
        /// The modulus.
        modulus: u64,
    },
    /// An input has another number of words than the ring's degree.
    #[error("%{address} has {found} words, expected {expected}")]
    Words {
        /// The address.
        address: u32,
        /// The ring's degree.
        expected: usize,
        /// Number of words.
        found: usize,
    },
    /// A file is missing, or is not what it should be.
    #[error("{path}: {message}")]
    File {
        /// The file.
        path: String,
        /// What is wrong.
        message: String,
    },
    /// Memory that was not to be had.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

impl From<FhetchError> for BackendError {
    fn from(error: FhetchError) -> Self {
        match error {
            FhetchError::OutOfMemory(refused) => refused.into(),
            other => Self::Device { backend: "fhetch".into(), message: other.to_string() },
        }
    }
}
