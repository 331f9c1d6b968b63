//! x

pub mod rng;
