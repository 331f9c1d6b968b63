//! What the model says, as one page that opens in any browser: rooflines, traffic, a flame view, a search's results.
//!
//! [`Report::new`] estimates every program on every device; [`html`] writes the page, which needs no network and no other
//! file.

mod program;
mod search;
#[cfg(test)]
mod tests;
mod waterfall;

use std::collections::HashMap;

use serde::Serialize;

use crate::{Cost, Device, DeviceKind, Estimate, Node, Ops, Point, Time};
pub use program::Program;
pub use search::{Candidate, SearchError, read_search};
pub use waterfall::{Bar, Published, Waterfall, waterfalls};

/// Rates from which on a profile says that arithmetic takes no time.
const NO_LIMIT: f64 = 1e15;

/// Everything on the page.
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
    /// Each program on each device, those of a program one after the other.
    pub runs: Vec<Run>,
    /// What is read and written, as less and less of it goes to memory.
    pub waterfalls: Vec<Waterfall>,
    /// What a search of parameters found; none where no search was handed in.
    pub search: Option<Vec<Candidate>>,
}

/// A program, for people.
#[derive(Debug, Clone, Serialize)]
pub struct ProgramCard {
    /// Its name.
    pub name: String,
    /// What it does.
    pub summary: String,
    /// The paths of its steps: names from the outermost.
    pub steps: Vec<Vec<&'static str>>,
    /// Most bytes of buffers, keys and matrices among them, that are there at a time.
    pub peak_bytes: u64,
}

/// A device, for people.
#[derive(Debug, Clone, Serialize)]
pub struct DeviceCard {
    /// Its name.
    pub name: String,
    /// Where its figures come from.
    pub source: String,
    /// What kind of machine.
    pub kind: DeviceKind,
    /// What computes at the same time.
    pub units: u32,
    /// Seconds that starting one operation takes.
    pub launch_s: f64,
    /// How much of arithmetic and traffic goes on at the same time, from 0 to 1.
    pub overlap: f64,
    /// Bytes of main memory.
    pub capacity_bytes: u64,
}

/// A line that no point of its kind gets above.
#[derive(Debug, Clone, Serialize)]
pub struct Ceiling {
    /// Of what.
    pub name: String,
    /// Operations, or bytes, a second; none where there is no limit.
    pub per_second: Option<f64>,
    /// Bytes of the level of memory; none for arithmetic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// A program on a device.
#[derive(Debug, Clone, Serialize)]
pub struct Run {
    /// Index of the program.
    pub program: usize,
    /// Index of the device.
    pub device: usize,
    /// What everything takes.
    pub time: Time,
    /// Joules, where the device's are known.
    pub energy_joules: Option<f64>,
    /// Operations of everything.
    pub ops: u64,
    /// Bytes read and written by everything.
    pub bytes: u64,
    /// Operations a second: in the program's mix, then of each class of work.
    pub compute: Vec<Ceiling>,
    /// Bytes a second of each level of memory, in the program's mix of reads and writes; main memory is last.
    pub memory: Vec<Ceiling>,
    /// The calls, those that take longest first.
    pub points: Vec<Dot>,
    /// The steps, down to the parts of calls.
    pub tree: Branch,
}

/// Calls of one shape in one step. Costs and times are those of one call.
#[derive(Debug, Clone, Serialize)]
pub struct Dot {
    /// Index of its step in [`ProgramCard::steps`].
    pub step: usize,
    /// What is called.
    pub name: &'static str,
    /// How often.
    pub count: u64,
    /// Additions and multiplications.
    pub ops: u64,
    /// Bytes read and written, keys and plaintexts included.
    pub bytes: u64,
    /// Bytes of keys.
    pub key_bytes: u64,
    /// Operations for each byte.
    pub intensity: f64,
    /// Seconds of arithmetic.
    pub compute_s: f64,
    /// Seconds of traffic.
    pub memory_s: f64,
    /// Seconds of starting it.
    pub launch_s: f64,
    /// Seconds altogether.
    pub total_s: f64,
}

/// A step, a call or a part of one, with everything below it.
#[derive(Debug, Clone, Serialize)]
pub struct Branch {
    /// Its name.
    pub name: &'static str,
    /// How often it occurs.
    pub count: u64,
    /// Seconds.
    pub seconds: f64,
    /// Additions and multiplications.
    pub ops: u64,
    /// Bytes read and written.
    pub bytes: u64,
    /// Bytes of keys among them.
    pub key_bytes: u64,
    /// What it is made of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<Branch>,
}

impl Report {
    /// Every program on every device. `command` is shown as what made the page.
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

/// Paths that are written once.
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

/// Seven digits: what a page shows has fewer, and the file is half as large.
fn short(x: f64) -> f64 {
    format!("{x:.6e}").parse().unwrap_or(x)
}

/// What a program that never waits for memory reaches, and what each class of its work does.
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

/// Counted bytes a second, were everything that a program reads and writes in one level of memory.
fn levels(cost: &Cost, device: &Device) -> Vec<Ceiling> {
    let words = device.spec().word_bytes;
    let tiled = cost.tiled_reads.min(cost.key_reads);
    let reads = cost.reads + cost.key_reads + cost.plain_reads - tiled;
    let level = |level: &crate::MemoryLevel| {
        let tiles = level.tiles_gb_s.unwrap_or(level.read_gb_s);
        let rates = [(reads, level.read_gb_s), (tiled, tiles), (cost.writes, level.write_gb_s)];
        let seconds: f64 = rates.iter().map(|&(n, rate)| n as f64 * f64::from(words) / (1e9 * rate)).sum();
        let per_second = Some(short(cost.bytes() as f64 / seconds)).filter(|rate| rate.is_finite());
        Ceiling { name: level.name.clone(), per_second, bytes: Some(level.bytes) }
    };
    device.spec().memory.iter().map(level).collect()
}

/// The page.
///
/// # Errors
/// Where the report cannot be said in JSON; those of [`Report::new`] can.
pub fn html(report: &Report) -> Result<String, serde_json::Error> {
    const SCRIPT: &str = concat!(
        "\"use strict\";\n(() => {\n",
        include_str!("report/core.js"),
        include_str!("report/roofline.js"),
        include_str!("report/waterfall.js"),
        include_str!("report/flame.js"),
        include_str!("report/search.js"),
        include_str!("report/main.js"),
        "})();\n"
    );
    // no text in the data can end the script that it is in, nor begin a comment
    let data = serde_json::to_string(report)?.replace('<', "\\u003c");
    // the data comes last: nothing in it is taken for a place to fill in
    let page = include_str!("report/template.html")
        .replace("/*STYLE*/", include_str!("report/style.css"))
        .replace("/*SCRIPT*/", SCRIPT);
    Ok(match page.split_once("/*DATA*/") {
        Some((before, after)) => [before, &data, after].concat(),
        None => page,
    })
}
