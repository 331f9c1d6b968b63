//! The library's integration tests, as one program: it is linked once, and all its tests run in
//! parallel.
//!
//! To run a part: `cargo test -p ringjet wire::refusals`.

mod bgv;
mod bootstrap;
mod circuits;
mod ckks;
mod common;
mod counts;
mod examples;
mod garbage;
mod heaan;
mod identity;
mod keys;
mod matrices;
mod noise;
mod programs;
mod sharing;
mod weighted_sums;
mod wire;
