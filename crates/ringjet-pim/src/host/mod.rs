//! The host: allocates sets of DPUs, moves data, and launches programs.
//!
//! Everything goes through a table of functions with the vendor's names. One table is that of the
//! emulator, which is part of this crate. The other is the vendor's library, found at run time.
//!
//! No hardware was available: the vendor's library is untested. A test runs the emulator as a
//! library of that name, which checks the loading and the calls, but not the vendor's ABI.

mod fault;
mod functions;
mod library;
mod profile;
mod set;

pub use fault::{Fault, FaultKind};
pub use library::{DPUS_VARIABLE, Host, LIBRARY_VARIABLE, PROGRAMS_VARIABLE, default_dpus};
pub use profile::{CommandProfile, LaunchProfile};
pub use set::{DpuSet, Hardware, Version};
