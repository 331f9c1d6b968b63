//! The CPU backend's tests from outside, in one program, so that it is linked once.

mod big;
mod conformance;
#[cfg(feature = "instrument")]
mod kernel_calls;
