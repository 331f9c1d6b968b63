//! What can go wrong between a host and its DPUs.

use crate::host::Fault;

/// An error of a host, a DPU or a program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PimError {
    /// The vendor's library is not there.
    #[error("no UPMEM library {path:?}: {reason}. Set {variable} to its path, or use the emulator", variable = crate::host::LIBRARY_VARIABLE)]
    NoLibrary {
        /// What was looked for.
        path: String,
        /// What the system's loader said.
        reason: String,
    },
    /// The host has no memory for what it sends to the processors.
    #[error(transparent)]
    HostMemory(#[from] ringjet_backend::host::OutOfMemory),
    /// The library is there, but lacks a function.
    #[error("the UPMEM library {path:?} has no function {symbol}: its version is not supported")]
    NoSymbol {
        /// The library.
        path: String,
        /// The function.
        symbol: String,
    },
    /// The environment asks for a number of DPUs that there cannot be.
    #[error("{variable} = {value:?}: a number from 1 to {most} is expected", variable = crate::host::DPUS_VARIABLE)]
    Dpus {
        /// The value.
        value: String,
        /// The largest number.
        most: u32,
    },
    /// A function of the vendor's interface refused its arguments.
    #[error("{function} failed with error {code} ({name})")]
    Call {
        /// The function.
        function: &'static str,
        /// The number of the error.
        code: i32,
        /// Its name in the vendor's headers.
        name: &'static str,
    },
    /// The library's answers contradict each other.
    #[error(
        "dpu_get_nr_dpus counts {counted} DPUs, the iterator {iterated}: this version of the library is not supported"
    )]
    Members {
        /// What the library counts.
        counted: u32,
        /// What its iterator goes through.
        iterated: u32,
    },
    /// A DPU stopped at a mistake in its program.
    #[error("{0}")]
    Fault(Fault),
    /// A DPU is in fault, and the library does not say why.
    #[error("a DPU is in fault; the library gives no reason. The emulator names the tasklet and address")]
    UnknownFault,
    /// A DPU's program refused a command.
    #[error("DPU {dpu} refuses command {command}: {reason}")]
    Refused {
        /// The DPU.
        dpu: u32,
        /// The index of the command.
        command: u32,
        /// Why.
        reason: Refusal,
    },
    /// A transfer that does not consist of whole pairs of words, or begins beyond MRAM.
    #[error("a transfer of {words} words at word {offset}: both must be even, below 2^24, and words not 0")]
    OddTransfer {
        /// First word.
        offset: u32,
        /// Number of words.
        words: usize,
    },
    /// A DPU's number is too large.
    #[error("DPU {dpu} of a set of {count}")]
    NoSuchDpu {
        /// The DPU.
        dpu: u32,
        /// How many there are.
        count: u32,
    },
    /// As many rows of words as DPUs, all of one length, are needed.
    #[error("{rows} rows for {count} DPUs; each DPU needs one row of {words} words")]
    Rows {
        /// Number of rows.
        rows: usize,
        /// Number of DPUs.
        count: u32,
        /// Words of the first row.
        words: usize,
    },
    /// There is no such program.
    #[error("no program {name:?}; there are {known}")]
    UnknownProgram {
        /// What was asked for.
        name: String,
        /// The names of all programs.
        known: String,
    },
    /// A modulus that the program cannot use.
    #[error("modulus {modulus}: the program takes primes of 3 to {most_bits} bits")]
    Modulus {
        /// The modulus.
        modulus: u64,
        /// The most bits.
        most_bits: u32,
    },
    /// A modulus that the program on wide coefficients cannot use.
    #[error("modulus {modulus}: the program on wide coefficients takes 2 to 2^127 - 1")]
    WideModulus {
        /// The modulus.
        modulus: u128,
    },
    /// A ring degree that the program cannot use.
    #[error("ring degree 2^{log_n}: programs take 2^3 to 2^15")]
    Degree {
        /// Its binary logarithm.
        log_n: u32,
    },
    /// More data than MRAM has room for.
    #[error("{words} words; the MRAM of a DPU has {available}. At most {most} polynomials fit")]
    NoRoom {
        /// Words needed.
        words: u64,
        /// Words there are.
        available: u64,
        /// How many polynomials fit.
        most: u32,
    },
    /// More commands or scalars than a layout has room for.
    #[error("{count} {what}, of which the layout has room for {room}")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// For how many there is room.
        room: u32,
    },
}

/// Why a program refuses a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The command's number is unknown.
    #[error("unknown command")]
    UnknownCommand,
    /// A polynomial beyond those that the header has room for.
    #[error("a polynomial that does not exist")]
    NoSuchPolynomial,
    /// A scalar beyond those of the header.
    #[error("a scalar that does not exist")]
    NoSuchScalar,
    /// The header is none that the program can use.
    #[error(
        "the header has no ring degree from 2^3 to 2^15, no modulus of as many bits as the program takes, or odd offsets"
    )]
    Header,
    /// The program has buffers for 16 tasklets.
    #[error("more than 16 tasklets")]
    TooManyTasklets,
    /// A batch cannot be repeated.
    #[error("a batch after a REPEAT")]
    RepeatedBatch,
    /// A sum whose weights are too large, alone or together.
    #[error("a weight outside -255 to 255, or weights whose sizes add up to the modulus or more")]
    Weight,
    /// A command whose tasklets would read polynomials that others write.
    #[error("a polynomial that is written for one repetition and read for another, or both in a product")]
    Overlap,
    /// A number that this version does not know.
    #[error("status {0}")]
    Other(u32),
}

impl From<u32> for Refusal {
    fn from(status: u32) -> Self {
        match status {
            1 => Self::UnknownCommand,
            2 => Self::NoSuchPolynomial,
            3 => Self::NoSuchScalar,
            4 => Self::Header,
            5 => Self::TooManyTasklets,
            6 => Self::RepeatedBatch,
            7 => Self::Weight,
            8 => Self::Overlap,
            other => Self::Other(other),
        }
    }
}
