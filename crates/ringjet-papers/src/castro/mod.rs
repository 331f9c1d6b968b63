//! The published cost model of de Castro et al., "Does Fully Homomorphic Encryption Need Compute
//! Acceleration?" (ePrint 2021/1636), on this library's own code.
//!
//! [`bootstrap`] and the programs behind [`table`] run the library on the counting backend, with
//! the paper's algorithms as options: its split of diagonals into baby and giant steps, its order
//! of polynomial evaluation, and merged or separate divisions of a product. [`PaperPolicy`] prices
//! each call by the step around it. It follows the paper's conventions, its caching levels and the
//! [`Quirks`] of its own counting. "Section", "Table", "Figure" and "Algorithm" in this module
//! refer to this paper.

mod configuration;
mod cost;
mod definitions;
pub mod dram;
mod error;
mod limbs;
mod machine;
pub mod mapping;
mod policy;
mod price;
mod programs;
mod published_deviations;
mod regression;
mod rows;
mod tables;

pub use configuration::{Algorithms, Configuration, Counted, MatrixProducts};
pub use definitions::{DEFINITIONS, definitions};
pub use error::PaperError;
pub use policy::PaperPolicy;
pub use programs::{application, bootstrap, operation};
pub use published_deviations::Quirks;
pub use regression::{DOMAIN, Regression, SIGMOID, Step, Sums};
pub use rows::{Figures, Row};
pub use tables::{Candidate, TABLES, candidate, table, table_with};
