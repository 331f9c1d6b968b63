//! The wire format: round trips, every refusal, damaged bytes, and vectors that must load for ever.

mod bgv;
mod bgv_vectors;
mod bootstrapping;
mod damage;
mod heaan;
mod heaan_vectors;
pub mod objects;
mod refusals;
mod round_trip;
mod speed;
mod vectors;
