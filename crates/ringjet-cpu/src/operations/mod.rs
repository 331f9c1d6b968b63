//! The operations of a backend, cut into tasks that the threads of a [`crate::machine::Machine`]
//! share.

pub mod base_convert;
pub mod big;
pub mod buffers;
pub mod elementwise;
pub mod keyswitch;
