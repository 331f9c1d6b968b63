//! Looks up the HEAAN tables by name.

use super::error::HeaanError;
use super::{figures, tables};
use crate::published::Row;

/// The model compared with a paper: one of [`TABLES`](super::TABLES).
///
/// * `heaan-IV`: operations of each function on one polynomial of the first half; the paper's
///   values are computed from its formulas.
/// * `heaan-VI`: the numbers of primes, and of transforms modulo one prime in a multiplication.
/// * `heaan-X`: AVX-512 instructions for one such polynomial, with emulated and with native
///   instructions.
/// * `heaan-ops`: AVX-512 lane operations of a multiplication, and operations per second from the
///   measured times.
/// * `heaan-fig6`: shares of the functions, and their growth with log Q, with N in proportion.
/// * `heaan-fig7`: operations and numbers of primes as log q falls.
///
/// # Errors
/// [`HeaanError::UnknownTable`] if no table is called `name`.
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
