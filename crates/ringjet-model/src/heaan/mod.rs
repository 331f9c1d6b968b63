//! What a multiplication of HEAAN costs: CKKS modulo a power of two, coefficients as big integers.
//!
//! Its polynomials go from words to residues (CRT), through number-theoretic transforms (NTT, iNTT) and back to words
//! (iCRT), once for the products of the ciphertexts and once for those with the evaluation key. Counts follow from
//! [`Shape`] and the algorithms; [`table`] sets them beside the numbers of two papers:
//!
//! * *Accelerating FHE*: Jung et al., "Accelerating Fully Homomorphic Encryption Through Microarchitecture-Aware
//!   Analysis and Optimization";
//! * *HEAAN Demystified*: Jung et al., "HEAAN Demystified: Accelerating Fully Homomorphic Encryption Through
//!   Architecture-centric Analysis and Optimization".
//!
//! Three things to count, and not to be mixed:
//!
//! * [`Shape::operations`]: operations on words, of Table IV of HEAAN Demystified.
//! * [`Shape::lane_operations`]: lane operations of AVX-512, idle lanes included, of Table II of Accelerating FHE.
//! * [`Residues::vector_instructions`]: AVX-512 instructions on full vectors, of Table X of HEAAN Demystified.

mod count;
mod error;
mod figures;
mod lanes;
mod row;
mod shape;
mod table;
mod tables;

pub use count::{Function, Operations};
pub use error::{HeaanError, TABLES};
pub use lanes::{Instructions, LANES};
pub use row::Row;
pub use shape::{Half, Region, Residues, Shape};
pub use table::table;
