//! The cost of a multiplication in HEAAN: CKKS modulo a power of two with big integers as
//! coefficients.
//!
//! A polynomial goes from words to residues (CRT), through number-theoretic transforms (NTT, iNTT)
//! and back to words (iCRT). This happens once for the product of the ciphertexts and once for the
//! product with the evaluation key. Counts follow from [`Shape`] and the algorithms; [`table`]
//! compares them with the numbers of two papers:
//!
//! * *Accelerating FHE*: Jung et al., "Accelerating Fully Homomorphic Encryption Through
//!   Microarchitecture-Aware Analysis and Optimization";
//! * *HEAAN Demystified*: Jung et al., "HEAAN Demystified: Accelerating Fully Homomorphic Encryption
//!   Through Architecture-centric Analysis and Optimization".
//!
//! There are four different counts, which must not be mixed:
//!
//! * [`Shape::operations`]: operations on words, as in Table IV of HEAAN Demystified.
//! * [`Shape::lane_operations`]: lane operations of AVX-512 with idle lanes, as in Table II of
//!   Accelerating FHE.
//! * [`Residues::vector_instructions`]: AVX-512 instructions on full vectors, as in Table X of
//!   HEAAN Demystified.
//! * [`Residues::kernel_instructions`]: AVX-512 instructions that the kernels of bench/heaan
//!   execute.

mod count;
mod error;
mod figures;
mod kernels;
mod lanes;
mod shape;
mod sizes;
mod table;
mod tables;

pub use count::{Function, Operations};
pub use error::{HeaanError, TABLES};
pub use kernels::Modular;
pub use lanes::{Instructions, LANES};
pub use shape::{Half, Region, Residues, Shape};
pub use sizes::Sizes;
pub use table::table;
