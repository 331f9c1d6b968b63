//! `ringjet model calibrate`.

use std::path::PathBuf;

use ringjet_backend::{Backend, Coeff, Width};
use ringjet_model::{
    Cost, Device, DeviceKind, DeviceSpec, Division, Operation, Policy, Rates, WorkingSets, between,
    conversion_products, ringjet_parts,
};

use super::bandwidth::{self, Set, Speed, levels, rounded};
use super::kept;
use super::kernels::{self, Kernel};
use super::thread_group::{ThreadGroup, filled};
use crate::backend::{self, PathChoice};
use crate::bench::measure::{self, Body, Budget, Summary};
use crate::text::{bytes, rate, seconds, table};
use crate::{Result, system};

/// Measure this machine and write its profile. An otherwise idle machine gives the best figures.
#[derive(clap::Args)]
pub struct Args {
    /// File for the profile [default: standard output, after the table]
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Keep the profile in the user's cache, as that of the device `here`
    #[arg(long, conflicts_with_all = ["out", "quick"])]
    here: bool,
    /// Threads; 0: one a core
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Seconds of measuring for each of about 40 figures
    #[arg(long, default_value_t = 0.6)]
    seconds: f64,
    /// Use small working sets and rings: for a trial, not for a profile
    #[arg(long)]
    quick: bool,
}

/// What is measured, and for how long.
pub struct Effort {
    pub threads: usize,
    /// Seconds for each figure.
    pub seconds: f64,
    /// Every figure is measured in this many turns, so that a disturbance is not in all its samples.
    pub turns: usize,
    pub kernels: Vec<Kernel>,
    /// Bytes of the working sets, in order. The two largest are in main memory.
    pub sets: Vec<u64>,
}

/// A figure of the table.
pub struct Row {
    what: String,
    unit: &'static str,
    figures: [f64; 3],
    n: usize,
}

pub fn run(args: &Args) -> Result<()> {
    if args.seconds.is_nan() || args.seconds <= 0.0 {
        return Err("--seconds must be positive".into());
    }
    let threads = if args.threads == 0 { system::cores() } else { args.threads };
    let effort = Effort {
        threads,
        seconds: args.seconds,
        turns: 3,
        kernels: Kernel::all(13..=if args.quick { 14 } else { 17 }),
        sets: bandwidth::sizes(if args.quick { 1 << 24 } else { most_bytes(threads, 4) }, 1),
    };
    let (rows, device) = profile(&effort, |step| eprintln!("calibrate: {step}"))?;
    write(args, &rows, &device)
}

/// Bytes of a working set in main memory: `times` as large as the caches or as 256 MiB, as far as memory is
/// free.
pub fn most_bytes(threads: usize, times: u64) -> u64 {
    let largest = bandwidth::caches(threads).last().map_or(0, |c| c.bytes);
    let (_, available) = system::memory().unwrap_or((8 << 30, 4 << 30));
    (times * largest).max(times << 28).min(available / 4)
}

/// Measures this machine: the table of all figures, and the profile. `progress` is told each step.
pub fn profile(effort: &Effort, progress: impl Fn(&str)) -> Result<(Vec<Row>, Device)> {
    let threads = effort.threads;
    let used = backend::open(threads, PathChoice::Auto, Width::Eight)?;
    let (total, _) = system::memory().unwrap_or((8 << 30, 4 << 30));
    let caches = bandwidth::caches(threads);
    let kernels = &effort.kernels;
    let (kernel_samples, sets) = measured(effort, &progress)?;
    progress("starting operations");
    let launch = launch(&*used, threads, effort.seconds)?;

    let summaries: Vec<Summary> = kernel_samples.iter().map(|s| Summary::of(s)).collect();
    let mut rows: Vec<Row> = kernels
        .iter()
        .zip(&summaries)
        .map(|(k, s)| Row::rate(k.label(), "/s", k.operations() * threads as f64, s))
        .collect();
    let speeds = sets.iter().map(|set| memory_rows(set, &mut rows)).collect::<Vec<_>>();
    let rate_of = |k: Kernel| {
        let i = kernels.iter().position(|&known| known == k);
        i.map_or(f64::NAN, |i| rounded(k.operations() * threads as f64 / summaries[i].median))
    };
    let ntts = kernels.iter().filter(|k| matches!(k, Kernel::Ntt { cached: true, .. })).map(|&k| rate_of(k));
    let mut spec = DeviceSpec {
        name: format!("{}-{threads}core", used.id().name()),
        source: source(used.id().name(), threads, launch),
        kind: DeviceKind::Cpu,
        units: u32::try_from(threads)?,
        word_bytes: 8,
        launch_s: rounded(launch),
        overlap: 0.0,
        rates: Rates {
            ntt_butterflies: rounded(Summary::of(&ntts.collect::<Vec<_>>()).median),
            base_conversion_macs: rate_of(Kernel::BaseConversion),
            products: rate_of(Kernel::Products(kernels::PAIRS)),
            additions: rate_of(Kernel::Additions),
        },
        memory: levels(&caches, &speeds, total),
        watts: None,
        energy: None,
    };
    if let Some(main) = spec.memory.last_mut() {
        main.tiles_gb_s = Some(rounded(8e-9 * rate_of(Kernel::Tiles)).min(main.read_gb_s));
    }
    let switch = kernels.iter().position(|&k| k == Kernel::KeySwitch).map_or(0.0, |i| summaries[i].median);
    spec.overlap = overlap(&Device::new(spec.clone())?, threads, switch);
    Ok((rows, Device::new(spec)?))
}

/// How much of the shorter of arithmetic and traffic is hidden behind the longer one, 0 to 1.
/// `measured`: seconds of a key switch when each thread makes one.
fn overlap(device: &Device, threads: usize, measured: f64) -> f64 {
    let (shape, n) = (kernels::switch_shape(), 1 << kernels::SWITCH_LOG_N);
    let division = Division::by_first(shape.special, shape.limbs());
    let switch = Operation::KeySwitch {
        count: 1,
        products: vec![],
        decomposition: shape,
        hoisted: false,
        division,
        add: 1,
        automorphism: false,
    };
    let parts = ringjet_parts(&switch, n, Policy::CPU);
    let cost = parts.iter().map(|p| p.cost).sum::<Cost>() * threads as u64;
    let time = device.time(
        &cost,
        WorkingSets {
            operands: 8 * (cost.reads + cost.writes),
            keys: cost.bytes(),
            between: (8 * between(&switch, n, Policy::CPU) * threads) as u64,
        },
    );
    let hidden = (time.compute_s + time.memory_s - measured) / time.compute_s.min(time.memory_s);
    (100.0 * hidden.clamp(0.0, 1.0)).round() / 100.0
}

/// Seconds of one call of each kernel, and the working sets with their samples.
fn measured(effort: &Effort, progress: impl Fn(&str)) -> Result<(Vec<Vec<f64>>, Vec<Set>)> {
    let &Effort { threads, turns, ref kernels, .. } = effort;
    let seconds = effort.seconds / turns as f64;
    let group = ThreadGroup::new(threads)?;
    let mut samples = vec![Vec::new(); kernels.len()];
    let mut sets: Vec<Set> = effort.sets.iter().map(|&bytes| Set::new(bytes)).collect();
    for turn in 1..=turns {
        for (kernel, samples) in kernels.iter().zip(&mut samples) {
            progress(&format!("turn {turn} of {turns}: {}", kernel.label()));
            samples.extend(kernel.measure(&group, seconds)?);
        }
        for set in &mut sets {
            progress(&format!("turn {turn} of {turns}: reading and writing {}", bytes(set.bytes)));
            set.measure(threads, seconds)?;
        }
    }
    Ok((samples, sets))
}

fn memory_rows(set: &Set, rows: &mut Vec<Row>) -> Speed {
    let [products, copies] = [&set.products, &set.copies].map(|s| Summary::of(s));
    let size = bytes(set.bytes);
    let reads = bandwidth::READS;
    rows.push(Row::rate(format!("{size}: {reads} read, 1 written"), "GB/s", (reads + 1) as f64 * 1e-9, &products));
    rows.push(Row::rate(format!("{size}: copied"), "GB/s", 2e-9, &copies));
    Speed::of(set.bytes, products.median, copies.median)
}

/// Seconds that starting an operation takes, in addition to its work. With several threads, this is
/// the time of transforms of 8 limbs a thread on all threads, minus one thread's time for all of
/// them over the number of threads. It is at least the time to copy 16 words.
fn launch(used: &dyn Backend, threads: usize, seconds: f64) -> Result<f64> {
    let alone = backend::open(1, PathChoice::Auto, Width::Eight)?;
    let copy = kernels::basis(4, 1)?;
    let (src, mut dst) = (filled(used, 1, 16)?, filled(used, 1, 16)?);
    let mut bodies: Vec<Body<'_>> =
        vec![Box::new(move || Ok(used.lincomb(dst.view_mut(1), &[(Coeff::One, src.view(1))], &copy, false)?))];
    for backend in [used, &*alone] {
        let (basis, limbs) = (kernels::basis(13, 1)?, 8 * threads);
        let mut x = filled(backend, limbs, 1 << 13)?;
        bodies.push(Box::new(move || Ok(backend.ntt(x.view_mut(limbs), &basis)?)));
    }
    let s = measure::measure(&mut bodies, Budget::Seconds(seconds))?;
    // one thread does not distribute its work
    let shared = if threads > 1 { s[1].median - s[2].median / threads as f64 } else { 0.0 };
    Ok(shared.max(s[0].median))
}

impl Row {
    /// A rate: `per_call` divided by the seconds of a call, which swaps the quartiles.
    fn rate(what: String, unit: &'static str, per_call: f64, s: &Summary) -> Self {
        Self { what, unit, figures: [s.median, s.q3, s.q1].map(|seconds| per_call / seconds), n: s.n }
    }

    fn cells(&self) -> Vec<String> {
        let show = |x: f64| if self.unit == "/s" { rate(x) } else { format!("{x:.1}") };
        let [median, low, high] = self.figures.map(show);
        vec![self.what.clone(), self.unit.into(), median, low, high, self.n.to_string()]
    }
}

fn source(backend: &str, threads: usize, launch: f64) -> String {
    let processor = system::cpu_model().unwrap_or_else(|| "an unknown processor".into());
    let [from, to] = kernels::CONVERSION;
    let macs = conversion_products(from, to);
    format!(
        "Measured with `ringjet model calibrate` of ringjet {} on {processor},
{threads} of {} cores, backend {backend}. All figures are medians.
Rates: every thread makes calls of its own on about 1 MiB of data, which its second-level cache holds. Transforms:
forth and back, the median of the ring sizes. Base conversion: {from} to {to} primes, {macs} multiplications a
coefficient. Products: sums of four. Additions: sums of two.
Memory: working sets of all threads together. The seconds of a byte read and of a byte written are those that
explain both sums of four products, which read 8 bytes for each that they write, and copies. Sizes of caches are
the system's; one that is shared counts as far as it is faster than main memory. The first level is left out.
Tiles: of 4 KiB, each far from the one before, read by a plain sum. Overlap: what a key switch of 28 limbs (N = 2^16,
4 digits) takes less than its arithmetic and traffic one after the other, of the shorter of the two.
Launch: {}, beside the work of an operation that all threads share.
",
        env!("CARGO_PKG_VERSION"),
        system::cores(),
        seconds(launch)
    )
}

/// Prints the table. The profile has it as a comment at the top.
fn write(args: &Args, rows: &[Row], device: &Device) -> Result<()> {
    let cells: Vec<Vec<String>> = rows.iter().map(Row::cells).collect();
    let lines = table(&["figure", "unit", "median", "quartile", "quartile", "samples"], &cells);
    let mut text: String = lines.iter().map(|line| format!("# {line}\n")).collect();
    if args.quick {
        text += "# small rings and working sets only: not a profile to rely on\n";
    }
    text += "\n";
    text += &device.to_toml()?;
    // the profile must be readable
    Device::from_toml(&text)?;
    let path = match (&args.out, args.here) {
        (Some(path), _) => path.clone(),
        (None, true) => kept::path(device.spec().units as usize)?,
        (None, false) => {
            print!("{text}");
            return Ok(());
        }
    };
    lines.iter().for_each(|line| println!("{line}"));
    match args.here {
        true => kept::keep(&path, &text)?,
        false => crate::text::write(&path, &text)?,
    }
    eprintln!("calibrate: wrote {}", path.display());
    Ok(())
}
