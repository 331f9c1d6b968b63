//! What can be wrong with assembly or its execution.

/// An error of the assembler or the interpreter. Lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AssemblyError {
    /// An instruction or directive that the interpreter does not know.
    #[error("line {line}: {name:?} is no known instruction; add it to src/assembly/parse.rs and machine.rs")]
    UnknownInstruction {
        /// The line.
        line: usize,
        /// The word.
        name: String,
    },
    /// An operand that an instruction cannot have.
    #[error("line {line}: {found:?} where the instruction needs {expected}")]
    Operand {
        /// The line.
        line: usize,
        /// The text of the operand, empty if there is none.
        found: String,
        /// What can stand there.
        expected: &'static str,
    },
    /// A condition that an instruction does not compute.
    #[error("line {line}: {instruction} has no condition {condition:?}")]
    Condition {
        /// The line.
        line: usize,
        /// The instruction.
        instruction: String,
        /// The condition.
        condition: String,
    },
    /// A jump to a label that does not exist.
    #[error("line {line}: there is no label {label:?}")]
    UnknownLabel {
        /// The line, or 0 for an entry point.
        line: usize,
        /// The label.
        label: String,
    },
    /// A label stands twice.
    #[error("line {line}: a second label {label:?}")]
    DuplicateLabel {
        /// The line of the second.
        line: usize,
        /// The label.
        label: String,
    },
    /// A load or store outside WRAM, or at an address that is no multiple of its size.
    #[error("line {line}: {bytes} bytes at address {address}; WRAM has {size}, and addresses are multiples of {bytes}")]
    Address {
        /// The line.
        line: usize,
        /// The address.
        address: u64,
        /// Bytes loaded or stored.
        bytes: u32,
        /// Bytes of WRAM.
        size: usize,
    },
    /// A jump to an address without an instruction.
    #[error("line {line}: a jump to instruction {target} of {count}")]
    Jump {
        /// The line of the jump, or 0 for a routine that runs past the last instruction.
        line: usize,
        /// The target.
        target: u32,
        /// How many instructions there are.
        count: usize,
    },
    /// A routine did not return in time.
    #[error("no return after {limit} instructions; raise the limit of the machine if the routine is that long")]
    TooLong {
        /// The limit.
        limit: u64,
    },
}
