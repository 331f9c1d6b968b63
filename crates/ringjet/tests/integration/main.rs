//! The library's tests from outside, in one program: it is linked once and runs on all cores to its end.
//!
//! Part of them: `cargo test -p ringjet wire::refusals`.

mod ablation;
mod bootstrap;
mod ckks;
mod common;
mod garbage;
mod heaan;
mod identity;
mod keys;
mod noise;
mod programs;
mod schedules;
mod sharing;
mod wire;
