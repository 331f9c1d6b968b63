//! An interpreter of DPU assembly, which counts instructions.
//!
//! It knows the instructions that `dpu/assembly` uses. On a DPU every instruction takes one issue
//! slot, so the count is the time of a routine when enough tasklets run. The C functions of
//! `dpu/arithmetic.h` and of `dpu/coefficients` charge the same counts; the tests compare both on
//! random operands.

mod error;
mod machine;
mod macros;
mod parse;
#[cfg(test)]
mod tests;

pub use error::AssemblyError;
pub use machine::TaskletMachine;
pub use parse::Program;

/// The source of the routines.
pub const ROUTINES: &str = concat!(
    include_str!("../../dpu/assembly/macros.S"),
    include_str!("../../dpu/assembly/products.S"),
    include_str!("../../dpu/assembly/halfwords.S"),
    include_str!("../../dpu/assembly/compiler.S"),
    include_str!("../../dpu/assembly/residues.S"),
    include_str!("../../dpu/assembly/loops.S"),
    include_str!("../../dpu/assembly/wide.S"),
    include_str!("../../dpu/assembly/collect.S"),
    include_str!("../../dpu/assembly/wide128.S"),
    include_str!("../../dpu/assembly/wide256.S"),
    include_str!("../../dpu/assembly/karatsuba.S"),
    include_str!("../../dpu/assembly/remainder.S"),
);

/// How many instructions fit the instruction memory of a DPU of version v1B.
pub const IRAM_INSTRUCTIONS: usize = 3968;
