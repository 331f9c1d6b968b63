//! CUDA backend of ringjet.

pub mod modarith;
