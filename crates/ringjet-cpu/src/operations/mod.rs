//! The operations of a backend, divided into tasks for the threads of a
//! [`crate::machine::CpuMachine`].

pub mod base_convert;
pub mod big;
pub mod buffers;
pub mod elementwise;
pub mod keyswitch;
