//! Fibers for the emulators of ringjet: the threads of a GPU's block and of a DPU run one after
//! another on one thread of the host.
//!
//! The fibers are one C++ header, which an emulator includes in one of its files. This crate tells
//! build scripts where the header is.

/// The folder of `ringjet_fibers.h`, for the include path of an emulator's C++ files.
pub const INCLUDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/include");
