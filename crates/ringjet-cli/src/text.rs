//! Output of commands: JSON for programs, tables and units for people. Also reads input files.

use std::fmt::Display;
use std::io::Read as _;
use std::path::Path;

use serde::Serialize;

/// The result of a command; its error is shown to the user unchanged.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

pub type Lines = Vec<(&'static str, String)>;

pub fn print_json<T: Serialize>(all: impl IntoIterator<Item = T>) -> Result<()> {
    all.into_iter().try_for_each(|one| {
        println!("{}", serde_json::to_string(&one)?);
        Ok(())
    })
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
