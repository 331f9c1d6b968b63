//! What can go wrong with programs.

use ringjet_backend::BackendError;
use ringjet_backend::host::OutOfMemory;

/// Why a computation cannot be exported, or a program cannot be read or run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FhetchError {
    /// The host would read a value that depends on the inputs. Results are read within
    /// [`Exporter::output`](crate::Exporter::output).
    #[error(
        "{op}: the host reads a value that was computed from inputs, so the exported program would \
         only be right for these inputs"
    )]
    Computed {
        /// The operation that was called.
        op: &'static str,
    },
    /// A buffer that is marked as secret would be written to the files or to an unmarked buffer. Use
    /// another backend to compute with secret keys.
    #[error("{op}: the data of a secret would be written to the program or to a buffer that is not marked as secret")]
    Secret {
        /// The operation that was called.
        op: &'static str,
    },
    /// A polynomial is read in another domain than it has. Inputs are in the evaluation domain.
    #[error("{op}: a polynomial is read as {expected}, but has {found}")]
    Domain {
        /// The operation that was called.
        op: &'static str,
        /// What the operation reads.
        expected: &'static str,
        /// What the polynomial has.
        found: &'static str,
    },
    /// Polynomials of two lengths: a program is of one ring.
    #[error("a polynomial of {found} words in a program of degree {expected}")]
    Degree {
        /// The degree of the program's ring.
        expected: usize,
        /// Words of the polynomial.
        found: usize,
    },
    /// More primes than an instruction can name.
    #[error("{found} primes; an instruction can name at most {most}")]
    Moduli {
        /// Number of primes.
        found: usize,
        /// The largest number.
        most: usize,
    },
    /// More polynomials than there are addresses.
    #[error("more polynomials than a program can have: at most {most}")]
    Addresses {
        /// The largest number.
        most: u32,
    },
    /// A line of a text is no line of a program.
    #[error("line {line}: found {found:?}, expected {expected}")]
    Text {
        /// The line, from 1 on.
        line: usize,
        /// What it has, up to 80 characters.
        found: String,
        /// What could be there.
        expected: String,
    },
    /// An instruction reads a polynomial that is no input and was not written.
    #[error("instruction {instruction} reads %{address}, which is no input and was not written before")]
    Unwritten {
        /// The instruction, from 1 on.
        instruction: usize,
        /// The address.
        address: u32,
    },
    /// A result is neither given nor written.
    #[error("%{address} is a result, but no instruction writes it")]
    MissingResult {
        /// The address.
        address: u32,
    },
    /// The degree of the ring is not a power of two.
    #[error("the ring degree is {found}, expected a power of two")]
    RingDegree {
        /// The degree.
        found: usize,
    },
    /// The modulus of an instruction is below 3, or N has no inverse modulo it in `sr_intt`.
    #[error("instruction {instruction}: the modulus is {modulus}, expected an odd prime")]
    Modulus {
        /// The instruction, from 1 on.
        instruction: usize,
        /// The modulus.
        modulus: u64,
    },
    /// The root of unity of a transform has another order than 2N.
    #[error("instruction {instruction}: omega={omega}, expected a root of unity of order {order} modulo {modulus}")]
    Root {
        /// The instruction, from 1 on.
        instruction: usize,
        /// What the instruction has.
        omega: u64,
        /// 2N, for the ring's degree N.
        order: usize,
        /// The modulus.
        modulus: u64,
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
    /// The host has too little memory.
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
