//! Prints results: one JSON object a line, or a table.

use serde::Serialize;

use super::measure::Summary;
use crate::text::{self, Form};

/// One result. `unit` is `s` for times, or `B` for sizes.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Record {
    pub bench: String,
    pub backend: String,
    pub params: String,
    pub threads: usize,
    pub unit: &'static str,
    #[serde(flatten)]
    pub figures: Summary,
    /// The parameter set has less than 128 bits of security.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub insecure: bool,
    /// Peak memory of the process so far, including keys and setup.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_rss_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<f64>,
    /// For conversions: the speed of their products.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub products: Option<Products>,
    #[serde(skip)]
    pub floor: Option<f64>,
}

/// Products of words whose low and high halves are summed. Eight of them nominally take two
/// multiply-adds of eight lanes. Code that makes products in pairs (`docs/proofs/big.md`) needs
/// half as many.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Products {
    pub products: f64,
    pub products_per_s: f64,
    /// Nominal multiply-adds a second, divided by the rate that the cores reached in this run with
    /// nothing else to do.
    pub share_of_peak: f64,
}

impl Record {
    /// The record of a size in bytes, with the other fields of `self`.
    pub fn size(&self, bench: &str, bytes: u64) -> Self {
        let b = bytes as f64;
        let figures = Summary { min: b, q1: b, median: b, q3: b, n: 1 };
        Self { bench: bench.into(), unit: "B", figures, ..self.clone() }
    }
}

pub fn print(records: &[Record], form: Form) -> crate::Result<()> {
    if !form.is_table() {
        return form.print(records);
    }
    let (times, sizes): (Vec<_>, Vec<_>) = records.iter().partition(|r| r.unit == "s");
    if !times.is_empty() {
        print_times(&times);
    }
    if !sizes.is_empty() {
        let row = |r: &&Record| {
            let bytes = r.figures.median;
            vec![r.bench.clone(), text::bytes(bytes as u64), format!("{bytes:.0}")]
        };
        text::print_table(&["size", "", "bytes"], &sizes.iter().map(row).collect::<Vec<_>>());
    }
    Ok(())
}

fn print_times(records: &[&Record]) {
    let floors = records.iter().any(|r| r.floor.is_some());
    let columns = if floors { 8 } else { 6 };
    let row = |r: &&Record| {
        let s = r.figures;
        let floor = r.floor.map(|f| (text::seconds(f), format!("{:.2}", s.median / f)));
        let (floor, factor) = floor.unwrap_or_default();
        let [median, q1, q3, min] = [s.median, s.q1, s.q3, s.min].map(text::seconds);
        let mut row = vec![r.bench.clone(), median, q1, q3, min, s.n.to_string(), floor, factor];
        row.truncate(columns);
        row
    };
    let header = ["bench", "median", "quartile 1", "quartile 3", "min", "n", "floor", "median/floor"];
    text::print_table(&header[..columns], &records.iter().map(row).collect::<Vec<_>>());
    if floors {
        println!("floor: the 52-bit multiplications alone, at the rate measured now; memory is not counted");
    }
    for (r, p) in records.iter().filter_map(|r| Some((r, r.products?))) {
        let (rate, share) = (p.products_per_s / 1e9, 100.0 * p.share_of_peak);
        println!(
            "{}: {rate:.2} G products of a word and a constant a second, {share:.0} % of the rate of multiply-adds alone",
            r.bench
        );
    }
    for r in records {
        if let Some(bytes) = r.peak_rss_bytes {
            println!("{}: peak memory {} (VmHWM, keys and setup included)", r.bench, text::bytes(bytes));
        }
    }
}
