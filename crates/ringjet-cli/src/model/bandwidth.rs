//! Measures the speed of memory for working sets of all sizes, and finds the levels of memory.

use std::fs;

use ringjet_model::MemoryLevel;

use super::kernels::{PAIRS, basis, products, sums};
use super::thread_group::ThreadGroup;
use crate::Result;
use crate::bench::measure::Summary;

/// One level of cache, as the operating system describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cache {
    /// The name, such as `L2`.
    pub name: String,
    /// Bytes of all caches of this level that the threads use.
    pub bytes: u64,
    pub shared: bool,
}

/// The caches of `threads` cores, from the first level on. Empty where the system does not tell.
pub fn caches(threads: usize) -> Vec<Cache> {
    let index = |i: usize| {
        let field = |name| fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{i}/{name}")).ok();
        Some([field("level")?, field("type")?, field("size")?, field("shared_cpu_list")?])
    };
    let described = (0..).map_while(index);
    described.filter_map(|d| cache(&d.each_ref().map(|s| s.trim()), threads)).collect()
}

fn cache([level, kind, size, shared]: &[&str; 4], threads: usize) -> Option<Cache> {
    if *kind == "Instruction" {
        return None;
    }
    let (digits, unit) = size.split_at(size.find(|c: char| !c.is_ascii_digit()).unwrap_or(size.len()));
    let bytes = digits.parse::<u64>().ok()? * if unit == "M" { 1 << 20 } else { 1 << 10 };
    let sharing: usize = shared.split(',').filter_map(cpus).sum();
    let count = threads.div_ceil(sharing.max(1)) as u64;
    Some(Cache { name: format!("L{level}"), bytes: bytes * count, shared: sharing > 1 })
}

/// Number of processors in a list such as `3` or `0-7`.
fn cpus(range: &str) -> Option<usize> {
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    (last.parse::<usize>().ok()? + 1).checked_sub(first.parse().ok()?)
}

/// A working set, and the samples of two loops: seconds for each byte that is written.
#[derive(Debug, Clone)]
pub struct Set {
    /// Bytes of all threads together.
    pub bytes: u64,
    /// Samples of sums of products, which read [`READS`] bytes for each byte written.
    pub products: Vec<f64>,
    /// Samples of copies, made by the kernel that adds.
    pub copies: Vec<f64>,
}

/// Words that a sum of products reads for each word it writes.
pub const READS: usize = 2 * PAIRS;

/// Bytes of working sets from 256 KiB to `most`, each `2^step` times as large as the one before.
pub fn sizes(most: u64, step: usize) -> Vec<u64> {
    (18..).step_by(step).map(|log| 1 << log).take_while(|&bytes| bytes <= most).collect()
}

impl Set {
    pub fn new(bytes: u64) -> Self {
        Self { bytes, products: Vec::new(), copies: Vec::new() }
    }

    /// Takes more samples of both loops. Memory is freed in between.
    pub fn measure(&mut self, threads: usize, seconds: f64) -> Result<()> {
        let words = (self.bytes / 8) as usize / threads;
        let measure = |into: &mut Vec<f64>, buffers: usize, work: fn(&_, _, _, _, _) -> _, terms| {
            let each = (words / buffers).max(16);
            let n = (1usize << each.ilog2()).min(1 << 13);
            let limbs = each / n;
            let ring = basis(n.ilog2(), 1)?;
            let samples = ThreadGroup::new(threads)?.measure(seconds, &|b| work(b, ring.clone(), n, limbs, terms))?;
            into.extend(samples.iter().map(|s| s / (8 * n * limbs * threads) as f64));
            Ok(())
        };
        measure(&mut self.products, READS + 1, products, PAIRS)?;
        measure(&mut self.copies, 2, sums, 1)
    }
}

/// The speed of memory for a working set: seconds a byte read, and seconds a byte written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speed {
    pub bytes: u64,
    pub read: f64,
    pub write: f64,
}

impl Speed {
    /// Solves `products = READS * read + write` and `copies = read + write` for the times of the
    /// two loops. Where noise makes one of the results not positive, both are half the copy's time.
    pub fn of(bytes: u64, products: f64, copies: f64) -> Self {
        let read = (products - copies) / (READS - 1) as f64;
        let read = if read > 0.0 && read < copies { read } else { copies / 2.0 };
        Self { bytes, read, write: copies - read }
    }
}

/// Levels of memory. A level has the median speeds of the working sets that take at most three
/// quarters of it and do not fit the level before. First-level caches are left out: no operation's
/// limbs fit them. Main memory has the speed of the two largest sets. A shared cache is as large as
/// the largest set that is copied at least 1.5 times as fast as in main memory; without such a set
/// it is left out. No level is faster than the one before.
pub fn levels(caches: &[Cache], speeds: &[Speed], capacity: u64) -> Vec<MemoryLevel> {
    let Some(main) = median(&speeds[speeds.len().saturating_sub(2)..]) else { return Vec::new() };
    let mut levels: Vec<MemoryLevel> = Vec::new();
    for cache in caches.iter().filter(|c| c.name != "L1") {
        let above = levels.last().map_or(0, |l| l.bytes);
        let most = if cache.shared { cache.bytes } else { cache.bytes / 4 * 3 };
        let fast = |s: &Speed| 1.5 * (s.read + s.write) <= main.read + main.write;
        let sets = speeds.iter().filter(|s| s.bytes > above && s.bytes <= most).copied();
        let ours: Vec<Speed> = sets.take_while(fast).collect();
        let (Some(speed), Some(last)) = (median(&ours), ours.last()) else { continue };
        let bytes = if cache.shared { last.bytes } else { cache.bytes };
        levels.push(level(&cache.name, bytes, speed, levels.last()));
    }
    let bytes = capacity.max(levels.last().map_or(0, |l| l.bytes + 1));
    levels.push(level("DRAM", bytes, main, levels.last()));
    levels
}

fn median(speeds: &[Speed]) -> Option<Speed> {
    let of = |f: fn(&Speed) -> f64| Summary::of(&speeds.iter().map(f).collect::<Vec<_>>()).median;
    let last = speeds.last()?;
    Some(Speed { bytes: last.bytes, read: of(|s| s.read), write: of(|s| s.write) })
}

fn level(name: &str, bytes: u64, speed: Speed, before: Option<&MemoryLevel>) -> MemoryLevel {
    let (read, write) = before.map_or((f64::MAX, f64::MAX), |b| (b.read_gb_s, b.write_gb_s));
    MemoryLevel {
        name: name.into(),
        bytes,
        read_gb_s: rounded(1e-9 / speed.read).min(read),
        write_gb_s: rounded(1e-9 / speed.write).min(write),
        tiles_gb_s: None,
    }
}

/// Rounds to three significant digits: further digits are noise.
pub fn rounded(x: f64) -> f64 {
    format!("{x:.2e}").parse().unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_are_counted_as_often_as_threads_have_them() {
        let own = cache(&["2", "Unified", "2048K", "0"], 4);
        assert_eq!(own, Some(Cache { name: "L2".into(), bytes: 8 << 20, shared: false }));
        let pairs = cache(&["1", "Data", "48K", "0,2"], 4);
        assert_eq!(pairs, Some(Cache { name: "L1".into(), bytes: 96 << 10, shared: true }));
        let shared = cache(&["3", "Unified", "32M", "0-7"], 4);
        assert_eq!(shared, Some(Cache { name: "L3".into(), bytes: 32 << 20, shared: true }));
        assert_eq!(cache(&["1", "Instruction", "32K", "0"], 4), None);
    }

    #[test]
    fn reading_and_writing_are_told_apart() {
        let speed = Speed::of(1 << 20, 8.0 * 2.0 + 5.0, 2.0 + 5.0);
        assert_eq!(speed, Speed { bytes: 1 << 20, read: 2.0, write: 5.0 });
        assert_eq!(Speed::of(0, 4.0, 6.0), Speed { bytes: 0, read: 3.0, write: 3.0 });
    }

    #[test]
    fn levels_are_what_sets_say_of_caches() {
        let cache = |name: &str, bytes| Cache { name: name.into(), bytes, shared: name == "L3" };
        let caches = [cache("L1", 96 << 10), cache("L2", 4 << 20), cache("L3", 260 << 20)];
        let speed = |log: u32, s: f64| Speed { bytes: 1 << log, read: s * 1e-9, write: 2.0 * s * 1e-9 };
        // to 2 MiB, to 32 MiB, beyond
        let slower = |log: u32| [0.02, 0.05, 0.1][usize::from(log > 21) + usize::from(log > 25)];
        let speeds: Vec<_> = (18..31).map(|log| speed(log, slower(log))).collect();
        let found = levels(&caches, &speeds, 24 << 30);
        let want = [("L2", 4 << 20, 50.0), ("L3", 32 << 20, 20.0), ("DRAM", 24 << 30, 10.0)];
        assert_eq!(found.len(), want.len());
        for (level, (name, bytes, read)) in found.iter().zip(want) {
            assert_eq!((level.name.as_str(), level.bytes, level.read_gb_s), (name, bytes, read));
            assert_eq!(level.write_gb_s, read / 2.0);
        }
        // a third level that is no faster than memory is no level
        let speeds: Vec<_> = (18..31).map(|log| speed(log, if log < 22 { 0.02 } else { 0.1 })).collect();
        let names: Vec<_> = levels(&caches, &speeds, 24 << 30).into_iter().map(|l| l.name).collect();
        assert_eq!(names, ["L2", "DRAM"]);
    }
}
