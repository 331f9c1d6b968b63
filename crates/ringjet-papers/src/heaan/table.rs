//! Looks up the HEAAN tables by name.

use super::error::HeaanError;
use super::{figures, kernels, sizes, tables};
use crate::row::Row;

/// The model compared with a paper: one of [`TABLES`](super::TABLES).
///
/// * `heaan-II`: multiplications, and security of the ring for a modulus.
/// * `heaan-III`: parameters that follow from others.
/// * `heaan-IV`: operations of each function on one polynomial of the first half; the paper's
///   values are computed from its formulas.
/// * `heaan-V`: words of input and of precomputed tables, for one such polynomial.
/// * `heaan-VI`: the numbers of primes, and of transforms modulo one prime in a multiplication.
/// * `heaan-X`: AVX-512 instructions for one such polynomial: those of the kernels of bench/heaan,
///   and those with a native instruction for each operation.
/// * `heaan-words`: AVX-512 instructions of a multiplication with words of 32 and of 64 bits.
/// * `heaan-ops`: AVX-512 lane operations of a multiplication, operations per second from the
///   paper's times, and bytes of memory a second in the second half.
/// * `heaan-fig6`: shares of the functions, and their growth with log Q, with N in proportion.
/// * `heaan-fig7`: operations and numbers of primes as log q falls.
///
/// # Errors
/// [`HeaanError::UnknownTable`] if no table is called `name`.
pub fn table(name: &str) -> Result<Vec<Row>, HeaanError> {
    let mut rows = match name {
        "heaan-II" => sizes::depths(),
        "heaan-III" => sizes::parameters()?,
        "heaan-IV" => tables::operations(),
        "heaan-V" => sizes::words(),
        "heaan-VI" => tables::primes()?,
        "heaan-X" => tables::instructions(),
        "heaan-words" => kernels::words(),
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
