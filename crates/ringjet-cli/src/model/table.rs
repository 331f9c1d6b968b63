//! `ringjet model table`.

use std::collections::HashSet;

use ringjet_papers::{castro, heaan, jung, klinger, row};
use serde_json::json;

use crate::Result;
use crate::text::{Form, print_table};

/// How names of figures of Klinger's thesis begin.
const KLINGER: &str = "klinger";

/// A table of a paper, beside the model's counts: I to XIII and fig2 to fig5 of de Castro et al.
/// (ePrint 2021/1636); jung, jung-operations and jung-dnum of Jung et al. (ePrint 2021/508:
/// bootstraps, operations and products by number of digits on a V100); those of HEAAN, whose names
/// begin with heaan-; and figures of Klinger's thesis on processing in memory, whose names begin with
/// klinger-. GOP are 10^9 operations on residues, GB are 10^9 bytes.
#[derive(clap::Args)]
pub struct Args {
    /// The table; without a name, the names of all tables
    name: Option<String>,
    /// A quirk of the counting of de Castro et al. to leave out; repeatable
    #[arg(long, value_name = "QUIRK")]
    without: Vec<String>,
    #[command(flatten)]
    form: Form,
}

pub fn run(args: &Args) -> Result<()> {
    match args.name.as_deref() {
        None => list(args.form),
        Some(name) if has_single_numbers(name) => {
            if let Some(quirk) = args.without.first() {
                return Err(format!("--without {quirk}: the table {name} has nothing to leave out").into());
            }
            let rows = match name {
                name if name.starts_with("jung") => jung::table(name)?,
                name if castro::DEFINITIONS.contains(&name) => castro::definitions(name)?,
                name if name.starts_with(KLINGER) => klinger::table(name)?,
                name => heaan::table(name)?,
            };
            if !args.form.is_table() {
                return args.form.print(&rows);
            }
            table(&rows);
            Ok(())
        }
        Some(name) => {
            let quirks = args.without.iter().try_fold(castro::Quirks::PAPER, |q, quirk| q.without(quirk))?;
            let rows = castro::table_with(name, quirks)?;
            if !args.form.is_table() {
                return args.form.print(rows.iter().flat_map(castro::Row::figures));
            }
            paper_table(&rows);
            Ok(())
        }
    }
}

/// Whether an entry of the table is one number, not a line of figures.
fn has_single_numbers(name: &str) -> bool {
    let known = name.starts_with("jung") || castro::DEFINITIONS.contains(&name);
    known || name.starts_with("heaan") || name.starts_with(KLINGER)
}

/// The tables of de Castro et al.
fn of_castro() -> impl Iterator<Item = &'static str> {
    castro::DEFINITIONS.into_iter().chain(castro::TABLES)
}

fn list(form: Form) -> Result<()> {
    let quirks = castro::Quirks::ALL.iter();
    if !form.is_table() {
        let others = jung::TABLES.into_iter().chain(heaan::TABLES).chain(klinger::TABLES);
        let tables = of_castro().chain(others).map(|table| json!({ "table": table }));
        return form.print(tables.chain(quirks.map(|(quirk, summary)| json!({ "quirk": quirk, "summary": summary }))));
    }
    println!("de Castro et al.: {}", of_castro().collect::<Vec<_>>().join(", "));
    println!("Jung et al. (ePrint 2021/508): {}", jung::TABLES.join(", "));
    println!("HEAAN: {}", heaan::TABLES.join(", "));
    println!("Klinger: {}\n", klinger::TABLES.join(", "));
    let rows: Vec<Vec<String>> = quirks.map(|(quirk, summary)| vec![format!("{quirk:<16}  {summary}")]).collect();
    print_table(&["what --without leaves out of de Castro et al."], &rows);
    Ok(())
}

fn percent(deviation: Option<f64>) -> String {
    deviation.map_or("-".into(), |d| format!("{:+.3} %", 100.0 * d))
}

/// Five significant digits, or all digits of a whole number with more.
fn number(x: Option<f64>) -> String {
    match x {
        None => "-".into(),
        Some(0.0) => "0".into(),
        Some(x) => {
            let digits = 4 - x.abs().log10().floor().clamp(-4.0, 4.0) as i32;
            format!("{x:.*}", digits as usize)
        }
    }
}

/// Prints the notes. Rows of one entry often share a note, which is printed once.
fn notes<'a>(all: impl Iterator<Item = (&'a str, Option<&'a String>)>) {
    let mut printed = HashSet::new();
    for (entry, note) in all {
        if let Some(note) = note
            && printed.insert((entry, note))
        {
            println!("{entry}: {note}");
        }
    }
}

fn paper_table(rows: &[castro::Row]) {
    let cells: Vec<Vec<String>> = (rows.iter())
        .map(|r| {
            let pairs = [
                (r.gop, r.paper_gop),
                (r.mults, r.paper_mults),
                (r.gb, r.paper_gb),
                (r.read_gb, r.paper_read_gb),
                (r.write_gb, r.paper_write_gb),
                (r.key_gb, r.paper_key_gb),
                (r.op_per_byte, r.paper_op_per_byte),
                (r.throughput, r.paper_throughput),
            ];
            let cell = |(model, paper): (Option<f64>, Option<f64>)| match (model, paper) {
                (None, None) => String::new(),
                (model, None) => number(model),
                (model, Some(paper)) => format!("{} ({paper})", number(model)),
            };
            let mut row = vec![r.entry.clone()];
            row.extend(pairs.map(cell));
            row.push(percent(r.deviation));
            row
        })
        .collect();
    println!("model (paper)");
    let header = ["entry", "GOP", "mults", "GB", "read", "written", "keys", "op/byte", "throughput", "deviation"];
    // only columns that have entries
    let used: Vec<usize> = (0..header.len()).filter(|&c| cells.iter().any(|row| !row[c].is_empty())).collect();
    let rows_used: Vec<Vec<String>> = cells.iter().map(|row| used.iter().map(|&c| row[c].clone()).collect()).collect();
    print_table(&used.iter().map(|&c| header[c]).collect::<Vec<_>>(), &rows_used);
    notes(rows.iter().map(|r| (r.entry.as_str(), r.note.as_ref())));
}

fn table(rows: &[row::Row]) {
    let cells: Vec<Vec<String>> = (rows.iter())
        .map(|r| {
            let what = format!("{}, {}", r.entry, r.quantity);
            vec![what, number(r.model), r.paper.map_or("-".into(), |p| p.to_string()), percent(r.deviation)]
        })
        .collect();
    print_table(&["entry", "model", "paper", "deviation"], &cells);
    notes(rows.iter().map(|r| (r.entry.as_str(), r.note.as_ref())));
}
