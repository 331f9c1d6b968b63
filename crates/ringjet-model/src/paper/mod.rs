//! The published cost model of de Castro et al., "Does Fully Homomorphic Encryption Need Compute Acceleration?" (ePrint
//! 2021/1636), on this library's own code.
//!
//! [`bootstrap`] and the programs behind [`table`] run the library on the counting backend, with options that give it the
//! paper's algorithms: its split of diagonals into baby and giant steps, its order of a polynomial's evaluation, a product's
//! divisions merged or not. [`PaperPolicy`] prices the calls as the paper does, by the step that each is part of: its
//! conventions, its caching levels and the [`Quirks`] of its authors.

mod configuration;
mod cost;
mod error;
mod limbs;
mod machine;
mod policy;
mod price;
mod programs;
mod quirks;
mod regression;
mod rows;
mod tables;

pub use configuration::{Algorithms, Configuration, Counted, MatrixProducts};
pub use error::PaperError;
pub use policy::PaperPolicy;
pub use programs::{application, bootstrap, operation};
pub use quirks::Quirks;
pub use rows::{Figures, Row};
pub use tables::{Candidate, TABLES, candidate, table, table_with};
