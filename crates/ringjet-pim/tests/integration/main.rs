//! Tests of the program of a DPU, of the emulator, and of the host.

mod backend;
mod bgv;
mod coefficients;
mod fake_library;
mod faults;
mod model;
mod program;
mod source;
mod support;
mod twins;
