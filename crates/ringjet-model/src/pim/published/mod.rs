//! The figures of N. Klinger, "Accelerating FHE Operations on a Processing-in-Memory System"
//! (bachelor's thesis, Lübeck 2024), beside this model. The thesis has no numbered tables. Its
//! figures are plots: published numbers are those that its text states or that follow from them.
//! Figures 2.1, 4.1 and 4.5 are drawings.

mod coefficients;
mod counts;
mod energy;
mod residues;

pub use counts::{KARATSUBA, NATIVE};

use super::error::PimModelError;
use crate::published::Row;

/// The names of the tables: one for each figure with numbers, and one for numbers in the text.
pub const TABLES: [&str; 12] = [
    "klinger-fig3.1",
    "klinger-fig3.2",
    "klinger-fig3.3",
    "klinger-fig3.4",
    "klinger-fig3.5",
    "klinger-fig3.6",
    "klinger-fig4.2",
    "klinger-fig4.3",
    "klinger-fig4.4",
    "klinger-fig4.6",
    "klinger-fig4.7",
    "klinger-text",
];

/// A table.
///
/// # Errors
/// [`PimModelError::Value`] for a name that is not in [`TABLES`].
pub fn table(name: &str) -> Result<Vec<Row>, PimModelError> {
    let rows = match name {
        "klinger-fig3.1" => counts::native(),
        "klinger-fig3.2" => counts::wide(),
        "klinger-fig3.3" => coefficients::sums(),
        "klinger-fig3.4" => coefficients::products(),
        "klinger-fig3.5" => counts::wide_changes(),
        "klinger-fig3.6" => coefficients::changes(),
        "klinger-fig4.2" => residues::threads()?,
        "klinger-fig4.3" => residues::sixteen_threads()?,
        "klinger-fig4.4" => residues::ladder()?,
        "klinger-fig4.6" => energy::power()?,
        "klinger-fig4.7" => energy::joules()?,
        "klinger-text" => residues::text()?,
        _ => return Err(PimModelError::Value { what: "table", value: name.into(), allowed: TABLES.join(", ") }),
    };
    Ok(rows.into_iter().map(|row| Row { table: name.into(), ..row }).collect())
}
