//! Output of commands: JSON for programs, tables and units for people. Also reads input files.

use std::fmt::Display;
use std::io::Read as _;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

/// The result of a command; its error is shown to the user unchanged.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

pub type Lines = Vec<(&'static str, String)>;

/// How a command prints: as tables for people, or as records for programs.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct Form {
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
    /// Print a line of names, and a line of values for each record, with commas between them
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

impl Form {
    pub fn is_table(self) -> bool {
        !self.json && !self.csv
    }

    pub fn is_csv(self) -> bool {
        self.csv
    }

    /// Prints records. As CSV, a part of a part has a name such as `time.total_s`, and a list is JSON.
    pub fn print<T: Serialize>(self, all: impl IntoIterator<Item = T>) -> Result<()> {
        if self.csv {
            let all = all.into_iter().map(serde_json::to_value).collect::<std::result::Result<Vec<_>, _>>()?;
            csv(&all).iter().for_each(|line| println!("{line}"));
            return Ok(());
        }
        print_json(all)
    }
}

/// Prints one JSON object a line.
pub fn print_json<T: Serialize>(all: impl IntoIterator<Item = T>) -> Result<()> {
    all.into_iter().try_for_each(|one| {
        println!("{}", serde_json::to_string(&one)?);
        Ok(())
    })
}

/// A line of the names of all records, and a line for each record (RFC 4180, with newlines alone).
fn csv(all: &[Value]) -> Vec<String> {
    let rows: Vec<Vec<(String, String)>> = all.iter().map(|one| cells("", one)).collect();
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in rows.iter().flatten() {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    if names.is_empty() {
        return vec![];
    }
    let value = |row: &[(String, String)], name: &str| {
        row.iter().find(|cell| cell.0 == name).map_or_else(String::new, |cell| quoted(&cell.1))
    };
    let line = |row: &Vec<_>| names.iter().map(|name| value(row, name)).collect::<Vec<_>>().join(",");
    let header = names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(",");
    std::iter::once(header).chain(rows.iter().map(line)).collect()
}

/// The names and values of a record.
fn cells(name: &str, value: &Value) -> Vec<(String, String)> {
    let text = match value {
        Value::Object(parts) => {
            let within = |part: &String| if name.is_empty() { part.clone() } else { format!("{name}.{part}") };
            return parts.iter().flat_map(|(part, value)| cells(&within(part), value)).collect();
        }
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    vec![(name.to_owned(), text)]
}

fn quoted(text: &str) -> String {
    let plain = !text.contains([',', '"', '\n', '\r']);
    if plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

/// Prints rows under a header, columns padded; the first column is left-aligned, the others right-aligned.
pub fn print_table(header: &[&str], rows: &[Vec<String>]) {
    table(header, rows).iter().for_each(|line| println!("{line}"));
}

pub fn table(header: &[&str], rows: &[Vec<String>]) -> Vec<String> {
    let width = |c: usize| {
        let cells = rows.iter().filter_map(|r| r.get(c)).map(|s| s.chars().count());
        cells.chain([header[c].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let line = |cells: &[String]| {
        let padded = cells.iter().zip(&widths).enumerate().map(|(i, (cell, &w))| match i {
            0 => format!("{cell:<w$}"),
            _ => format!("{cell:>w$}"),
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let header: Vec<String> = header.iter().map(|&h| h.to_owned()).collect();
    std::iter::once(&header).chain(rows).map(|r| line(r)).collect()
}

/// Formats seconds: `0.0123` as `12.3 ms`.
pub fn seconds(s: f64) -> String {
    let (value, unit) = match s {
        s if s >= 1.0 => (s, "s "),
        s if s >= 1e-3 => (s * 1e3, "ms"),
        s if s >= 1e-6 => (s * 1e6, "us"),
        s => (s * 1e9, "ns"),
    };
    let digits = match value {
        v if v >= 100.0 => 1,
        v if v >= 10.0 => 2,
        _ => 3,
    };
    format!("{value:.digits$} {unit}")
}

/// Formats bytes: `1536` as `1.5 KiB`.
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = n as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{n} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

/// The text of a file of at most 64 MiB.
pub fn read(path: &Path) -> Result<String> {
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(|e| at(path, e))?;
    file.take(64 << 20).read_to_string(&mut text).map_err(|e| at(path, e))?;
    Ok(text)
}

/// `2.1e9` as `2.10 G`.
pub fn rate(per_second: f64) -> String {
    match per_second {
        r if r >= 1e15 => "no limit".into(),
        r if r >= 1e12 => format!("{:.2} T", r / 1e12),
        r if r >= 1e9 => format!("{:.2} G", r / 1e9),
        r => format!("{:.2} M", r / 1e6),
    }
}

pub fn write(path: &Path, text: &str) -> Result<()> {
    Ok(std::fs::write(path, text).map_err(|e| at(path, e))?)
}

/// The message of an error, after the name of its file.
pub fn at(path: &Path, error: impl Display) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    #[test]
    fn records_as_csv() {
        let all = [
            serde_json::json!({ "name": "a, \"b\"", "time": { "total_s": 0.5, "parts": [1, 2] }, "none": null }),
            serde_json::json!({ "name": "c", "more": true }),
        ];
        let lines = super::csv(&all);
        let mut names: Vec<&str> = lines[0].split(',').collect();
        names.sort_unstable();
        assert_eq!(names, ["more", "name", "none", "time.parts", "time.total_s"]);
        assert!(lines[1].contains("\"a, \"\"b\"\"\"") && lines[1].contains("\"[1,2]\"") && lines[1].contains("0.5"));
        assert!(lines[2].contains('c') && lines[2].contains("true") && lines.len() == 3);
        assert_eq!(super::csv(&[]), [""; 0]);
    }

    #[test]
    fn units() {
        assert_eq!(super::seconds(0.0123), "12.30 ms");
        assert_eq!(super::seconds(118e-6), "118.0 us");
        assert_eq!(super::bytes(1536), "1.5 KiB");
        assert_eq!(super::bytes(12), "12 B");
        assert_eq!(
            ["2.50 G", "1.54 T", "12.00 M", "no limit"].map(str::to_owned),
            [2.5e9, 1.545e12, 1.2e7, 1e18].map(super::rate)
        );
    }
}
