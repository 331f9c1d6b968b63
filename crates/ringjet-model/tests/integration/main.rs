//! The cost model's tests from outside, in one program, so that it is linked once.

#[cfg(feature = "instrument")]
mod counters;
mod heaan_bootstrap;
#[cfg(feature = "instrument")]
mod heaan_kernel_calls;
mod heaan_program;
#[cfg(feature = "instrument")]
mod kernel_calls;
mod key_switches;
#[cfg(feature = "instrument")]
mod operation_traffic;
mod optimise;
