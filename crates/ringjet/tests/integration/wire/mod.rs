//! The wire format: round trips, every refusal, damaged bytes, and vectors that must load for ever.

mod bgv;
mod bootstrapping;
pub mod ckks;
mod every_scheme;
mod heaan;
pub mod objects;
mod refusals;
mod round_trip;
mod speed;
mod vectors;
