//! Programs in FHETCH's polynomial IR, in the text of niobium-fhetch (`.fhetch`).
//!
//! [`Exporter`] is a backend that computes on another backend and records what it computes as a
//! [`Program`]: instructions on polynomials modulo one prime, the data of the inputs, and the
//! results. [`parse`] reads the text, and [`interpret`] runs it with plain arithmetic of its own, so
//! that a program can be checked without ringjet's kernels.
//!
//! `docs/design/interchange.md` has the grammar, where it was found, and what was not tested.
//!
//! ```
//! use std::sync::Arc;
//! use ringjet_backend::{Backend, Coeff, Reference};
//! use ringjet_fhetch::{Exporter, interpret, parse};
//! use ringjet_math::Basis;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let exporter = Exporter::new(Arc::new(Reference::default()));
//! let basis = Basis::new(3, &[97])?;
//! let (mut x, mut y) = (exporter.alloc(1, 8)?, exporter.alloc(1, 8)?);
//! exporter.input("x", || exporter.upload(&mut x, 0, &[1, 2, 3, 4, 5, 6, 7, 8]))?;
//! exporter.lincomb(y.view_mut(1), &[(Coeff::PerLimb(&[50]), x.view(1))], &basis, false)?;
//! let mut words = [0; 8];
//! exporter.output("y", || exporter.download(&y, 0, &mut words))?;
//!
//! let program = exporter.program();
//! assert!(program.text()?.contains("sr_mulps %2, %1, 50, m=1\n"));
//! let found = interpret(8, &parse(&program.text()?, 8)?, program.given(), &program.results())?;
//! assert_eq!(words, [50, 3, 53, 6, 56, 9, 59, 12]);
//! assert_eq!(*found[&2], words);
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod backend;
mod conversion;
mod error;
mod exporter;
mod files;
mod interpret;
mod parse;
mod program;
mod recording;

pub use error::FhetchError;
pub use exporter::Exporter;
pub use interpret::interpret;
pub use parse::parse;
pub use program::{Instruction, MAX_MODULI, Named, Op, Polynomial, Program, Words};
pub use ringjet_backend::plan::Domain;

/// Result of reading, writing or running a program.
pub type Result<T> = std::result::Result<T, FhetchError>;
