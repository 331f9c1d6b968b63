//! The tables by their names.

use super::error::HeaanError;
use super::row::Row;
use super::{figures, tables};

/// The model beside a paper: one of [`TABLES`](super::TABLES).
///
/// * `heaan-IV`: operations of each function on one polynomial of the first half; the paper's column is its formula.
/// * `heaan-VI`: numbers of primes, and of transforms of one prime in a multiplication.
/// * `heaan-X`: AVX-512 instructions for one such polynomial, with and without the instructions that are emulated.
/// * `heaan-ops`: AVX-512 lane operations of a multiplication, and how many a second the measured times make.
/// * `heaan-fig6`: how they are distributed and grow with log Q, where N grows in proportion.
/// * `heaan-fig7`: how they and the numbers of primes fall with log q.
///
/// # Errors
/// [`HeaanError::UnknownTable`] where `name` is none of them.
pub fn table(name: &str) -> Result<Vec<Row>, HeaanError> {
    let mut rows = match name {
        "heaan-IV" => tables::operations(),
        "heaan-VI" => tables::primes()?,
        "heaan-X" => tables::instructions(),
        "heaan-ops" => tables::lane_operations(),
        "heaan-fig6" => figures::growth()?,
        "heaan-fig7" => figures::descent()?,
        _ => return Err(HeaanError::UnknownTable(name.into())),
    };
    for row in &mut rows {
        row.table = name.into();
    }
    Ok(rows)
}
