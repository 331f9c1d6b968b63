//! The figures of N. Klinger, "Accelerating FHE Operations on a Processing-in-Memory System"
//! (bachelor's thesis, Lübeck 2024), beside this model. The thesis has no numbered tables. Its
//! figures are plots: published numbers are those that its text states or that follow from them.
//! Figures 2.1, 4.1 and 4.5 are drawings.

mod coefficients;
mod counts;
mod energy;
mod residues;

use ringjet_model::pim::PimModelError;

use crate::row::Row;

pub use counts::{KARATSUBA, NATIVE};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_close_or_say_why() {
        for name in TABLES {
            let rows = table(name).unwrap();
            for row in &rows {
                assert!(row.table == name && row.model.is_some_and(f64::is_finite), "{row:?}");
                // who deviates says why
                assert!(row.note.is_some() || row.deviation.is_some_and(|d| d.abs() < 0.01), "{row:?}");
            }
            println!("{name}: {} rows", rows.len());
        }
        let value = |table: &str, entry: &str| {
            let rows = super::table(table).unwrap();
            let row = rows.into_iter().find(|row| row.entry == entry).unwrap();
            (row.model.unwrap(), row.paper)
        };
        // Klinger, section 4.3.5; the counted division is shorter than the vendor's
        let (products, paper) = value("klinger-text", "products of 163,840 sub-polynomials of 27 bits");
        assert!(paper == Some(353.0) && (0.7..1.0).contains(&(products / 353.0)), "{products}");
        let (transforms, paper) = value("klinger-text", "the same with transforms");
        assert!(paper == Some(7.9) && (0.7..1.0).contains(&(transforms / 7.9)), "{transforms}");
        // section 4.4.4: DPUs take more energy for all operations; for products it is close
        let watts = "CPU system, BGV products: more watts would make DPUs' modules win";
        let (watts, _) = value("klinger-fig4.6", watts);
        assert!((watts - 222.4).abs() < 0.1 && watts > 150.0, "{watts}");
        for (operation, ratio) in [("NTT", 2.85), ("inverse NTT", 4.21), ("BGV products", 1.46)] {
            let (found, _) = value("klinger-fig4.7", &format!("{operation}, modules / SEAL"));
            assert!((found - ratio).abs() < 0.02, "{operation}: {found}");
        }
    }

    #[test]
    fn an_unknown_table_is_refused_with_the_known_ones() {
        let error = table("klinger-fig2.1").unwrap_err().to_string();
        assert_eq!(error, format!("table is klinger-fig2.1, allowed is {}", TABLES.join(", ")));
    }
}
