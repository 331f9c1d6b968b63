//! A report of the model as one HTML page: rooflines, traffic, a flame view and the results of a
//! search.
//!
//! [`Report::new`] estimates every program on every device. [`html`] writes the page, which needs
//! neither a network nor other files.

mod program;
mod search;
#[cfg(test)]
mod tests;
mod waterfall;

use std::collections::HashMap;

use ringjet_model::{Cost, Device, DeviceKind, Estimate, Node, Ops, Point, Time};
use serde::Serialize;

pub use program::Program;
pub use search::{Candidate, SearchError, read_search};
pub use waterfall::{Bar, Published, Waterfall, waterfalls};

/// A rate in a profile from here on means that the arithmetic takes no time.
const NO_LIMIT: f64 = 1e15;

/// The contents of the page.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// This library's version.
    pub version: &'static str,
    /// The command that makes the page.
    pub command: String,
    /// The programs.
    pub programs: Vec<ProgramCard>,
    /// The devices.
    pub devices: Vec<DeviceCard>,
    /// The estimates of each program on each device, grouped by program.
    pub runs: Vec<Run>,
    /// Reads and writes of bootstraps, with more and more of them kept in a cache.
    pub waterfalls: Vec<Waterfall>,
    /// The results of a parameter search; `None` if there was no search.
    pub search: Option<Vec<Candidate>>,
}

/// A program's description on the page.
#[derive(Debug, Clone, Serialize)]
pub struct ProgramCard {
    /// The program's name.
    pub name: String,
    /// A summary of the program.
    pub summary: String,
    /// The paths of the program's steps: names from the outermost step on.
    pub steps: Vec<Vec<&'static str>>,
    /// The largest number of bytes in use at a time: buffers, keys and matrices.
    pub peak_bytes: u64,
}

/// A device's description on the page.
#[derive(Debug, Clone, Serialize)]
pub struct DeviceCard {
    /// The device's name.
    pub name: String,
    /// The sources of the device's figures.
    pub source: String,
    /// The kind of machine.
    pub kind: DeviceKind,
    /// The number of units that compute at the same time.
    pub units: u32,
    /// Seconds that one launch of an operation takes.
    pub launch_s: f64,
    /// The fraction of arithmetic and traffic that overlaps, from 0 to 1.
    pub overlap: f64,
    /// Bytes of main memory.
    pub capacity_bytes: u64,
}

/// An upper limit in a roofline.
#[derive(Debug, Clone, Serialize)]
pub struct Ceiling {
    /// The name of the limiting arithmetic or memory level.
    pub name: String,
    /// Operations per second or bytes per second; `None` if there is no limit.
    pub per_second: Option<f64>,
    /// The size of the memory level in bytes; `None` for arithmetic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// The estimate of a program on a device.
#[derive(Debug, Clone, Serialize)]
pub struct Run {
    /// Index into [`Report::programs`].
    pub program: usize,
    /// Index into [`Report::devices`].
    pub device: usize,
    /// The time of all calls.
    pub time: Time,
    /// Energy in joules, if the device's profile has energies.
    pub energy_joules: Option<f64>,
    /// The operations of all calls.
    pub ops: u64,
    /// The bytes that all calls read and write.
    pub bytes: u64,
    /// Limits of arithmetic: first for the program's mix of operations, then for each class of
    /// work.
    pub compute: Vec<Ceiling>,
    /// Limits of each memory level, for the program's mix of reads and writes; main memory is last.
    pub memory: Vec<Ceiling>,
    /// The calls, sorted by their total time, longest first.
    pub points: Vec<Dot>,
    /// The tree of steps, down to the parts of calls.
    pub tree: Branch,
}

/// Calls of one shape in one step. Costs and times are those of one call.
#[derive(Debug, Clone, Serialize)]
pub struct Dot {
    /// Index of the step in [`ProgramCard::steps`].
    pub step: usize,
    /// The name of the call.
    pub name: &'static str,
    /// The number of calls.
    pub count: u64,
    /// Additions and multiplications.
    pub ops: u64,
    /// Bytes read and written, keys and plaintexts included.
    pub bytes: u64,
    /// Bytes of keys that are read.
    pub key_bytes: u64,
    /// Operations per byte.
    pub intensity: f64,
    /// Seconds of arithmetic.
    pub compute_s: f64,
    /// Seconds of memory traffic.
    pub memory_s: f64,
    /// Seconds of launching the call.
    pub launch_s: f64,
    /// Seconds in all.
    pub total_s: f64,
}

/// A step, a call or a part of a call, including everything below it.
#[derive(Debug, Clone, Serialize)]
pub struct Branch {
    /// The branch's name.
    pub name: &'static str,
    /// The number of times that it occurs.
    pub count: u64,
    /// Seconds in all.
    pub seconds: f64,
    /// Additions and multiplications.
    pub ops: u64,
    /// Bytes read and written.
    pub bytes: u64,
    /// Bytes of keys that are read, included in `bytes`.
    pub key_bytes: u64,
    /// The branches below this one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<Branch>,
}

impl Report {
    /// Estimates every program on every device. The page shows `command` as the command that made
    /// it.
    pub fn new(command: &str, programs: &[Program], devices: &[Device]) -> Self {
        let mut report = Self {
            version: env!("CARGO_PKG_VERSION"),
            command: command.into(),
            programs: vec![],
            devices: devices.iter().map(DeviceCard::of).collect(),
            runs: vec![],
            waterfalls: waterfalls(programs),
            search: None,
        };
        for (index, program) in programs.iter().enumerate() {
            let mut steps = Steps::default();
            for (at, device) in devices.iter().enumerate() {
                report.runs.push(Run::of(&program.trace.estimate(device), (index, at), device, &mut steps));
            }
            let Program { name, summary, trace } = program;
            let (name, summary, peak_bytes) = (name.clone(), summary.clone(), trace.peak_bytes);
            report.programs.push(ProgramCard { name, summary, steps: steps.paths, peak_bytes });
        }
        report
    }
}

/// Paths of steps, each stored once.
#[derive(Default)]
struct Steps {
    paths: Vec<Vec<&'static str>>,
    known: HashMap<Vec<&'static str>, usize>,
}

impl Steps {
    fn index(&mut self, path: &[&'static str]) -> usize {
        *self.known.entry(path.to_vec()).or_insert_with(|| {
            self.paths.push(path.to_vec());
            self.paths.len() - 1
        })
    }
}

impl DeviceCard {
    fn of(device: &Device) -> Self {
        let spec = device.spec();
        Self {
            name: spec.name.clone(),
            source: spec.source.trim().into(),
            kind: spec.kind,
            units: spec.units,
            launch_s: spec.launch_s,
            overlap: spec.overlap,
            capacity_bytes: device.capacity_bytes(),
        }
    }
}

impl Run {
    fn of(estimate: &Estimate, (program, device): (usize, usize), on: &Device, steps: &mut Steps) -> Self {
        let mut dot = |p: &Point| Dot {
            step: steps.index(&p.path),
            name: p.name,
            count: p.count,
            ops: p.cost.ops(),
            bytes: p.cost.bytes(),
            key_bytes: 8 * p.cost.key_reads,
            intensity: short(p.intensity),
            compute_s: short(p.time.compute_s),
            memory_s: short(p.time.memory_s),
            launch_s: short(p.time.launch_s),
            total_s: short(p.time.total_s),
        };
        Self {
            program,
            device,
            time: estimate.time,
            energy_joules: estimate.energy_joules,
            ops: estimate.cost.ops(),
            bytes: estimate.cost.bytes(),
            points: estimate.points.iter().map(&mut dot).collect(),
            compute: arithmetic(&estimate.cost, estimate.time.compute_s, on),
            memory: levels(&estimate.cost, on),
            tree: Branch::of(&estimate.tree),
        }
    }
}

impl Branch {
    fn of(node: &Node) -> Self {
        Self {
            name: node.name,
            count: node.count,
            seconds: short(node.seconds),
            ops: node.cost.ops(),
            bytes: node.cost.bytes(),
            key_bytes: 8 * node.cost.key_reads,
            children: node.children.iter().map(Self::of).collect(),
        }
    }
}

/// Rounds to seven digits. The page shows fewer, and the file becomes half as large.
fn short(x: f64) -> f64 {
    format!("{x:.6e}").parse().unwrap_or(x)
}

/// The rate of a program that never waits for memory, and the rate of each class of its work.
fn arithmetic(cost: &Cost, compute_s: f64, device: &Device) -> Vec<Ceiling> {
    let rates = &device.spec().rates;
    let alone = |ops: Ops, rate: f64| (ops.mul > 0).then(|| rate * (ops.mul + ops.add) as f64 / ops.mul as f64);
    let more = cost.elementwise.add.saturating_sub(cost.elementwise.mul) as f64;
    let elementwise_s = cost.elementwise.mul as f64 / rates.products + more / rates.additions;
    let elementwise = (cost.elementwise.mul + cost.elementwise.add) as f64 / elementwise_s;
    let classes = [
        ("this program's mix", Some(cost.ops() as f64 / compute_s)),
        ("transforms", alone(cost.ntt, rates.ntt_butterflies)),
        ("base conversion", alone(cost.base_conversion, rates.base_conversion_macs)),
        ("products and additions", elementwise.is_finite().then_some(elementwise)),
    ];
    let ceiling = |(name, rate): (&str, f64)| Ceiling {
        name: name.to_owned(),
        per_second: Some(short(rate)).filter(|&r| r < NO_LIMIT),
        bytes: None,
    };
    classes.into_iter().filter_map(|(name, rate)| rate.map(|rate| ceiling((name, rate)))).collect()
}

/// Bytes per second if all of a program's traffic were in one memory level, for each level.
fn levels(cost: &Cost, device: &Device) -> Vec<Ceiling> {
    let words = device.spec().word_bytes;
    let tiled = cost.tiled_reads.min(cost.key_reads);
    let reads = cost.reads + cost.key_reads + cost.plain_reads - tiled;
    let level = |level: &ringjet_model::MemoryLevel| {
        let tiles = level.tiles_gb_s.unwrap_or(level.read_gb_s);
        let rates = [(reads, level.read_gb_s), (tiled, tiles), (cost.writes, level.write_gb_s)];
        let seconds: f64 = rates.iter().map(|&(n, rate)| n as f64 * f64::from(words) / (1e9 * rate)).sum();
        let per_second = Some(short(cost.bytes() as f64 / seconds)).filter(|rate| rate.is_finite());
        Ceiling { name: level.name.clone(), per_second, bytes: Some(level.bytes) }
    };
    device.spec().memory.iter().map(level).collect()
}

/// The report as an HTML page.
///
/// # Errors
/// An error of JSON serialization; reports made by [`Report::new`] cause none.
pub fn html(report: &Report) -> Result<String, serde_json::Error> {
    const SCRIPT: &str = concat!(
        "\"use strict\";\n(() => {\n",
        include_str!("core.js"),
        include_str!("roofline.js"),
        include_str!("waterfall.js"),
        include_str!("flame.js"),
        include_str!("search.js"),
        include_str!("main.js"),
        "})();\n"
    );
    // no text in the data can end the enclosing script element or begin a comment
    let data = serde_json::to_string(report)?.replace('<', "\\u003c");
    // the data is inserted last, so that no text in it is taken for a placeholder
    let page =
        include_str!("template.html").replace("/*STYLE*/", ringjet_model::pim::STYLE).replace("/*SCRIPT*/", SCRIPT);
    Ok(match page.split_once("/*DATA*/") {
        Some((before, after)) => [before, &data, after].concat(),
        None => page,
    })
}
