//! Facts from the operating system about this machine and this process.

use std::fs;

/// Bytes of the line `Name: value kB` of a file such as `/proc/meminfo`.
fn kib_field(path: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(':'))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

/// Physical memory in bytes: (total, available).
pub fn memory() -> Option<(u64, u64)> {
    Some((kib_field("/proc/meminfo", "MemTotal")?, kib_field("/proc/meminfo", "MemAvailable")?))
}

/// Seconds that all threads of this process have spent on processors, ended threads too. `None` where
/// the system does not count them.
#[cfg(unix)]
pub fn cpu_seconds() -> Option<f64> {
    use nix::time::{ClockId, clock_gettime};
    Some(std::time::Duration::from(clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).ok()?).as_secs_f64())
}

#[cfg(not(unix))]
pub fn cpu_seconds() -> Option<f64> {
    None
}

pub fn peak_rss() -> Option<u64> {
    kib_field("/proc/self/status", "VmHWM")
}

/// Bytes of this process's memory that lie on huge pages.
pub fn huge_page_bytes() -> Option<u64> {
    kib_field("/proc/self/smaps_rollup", "AnonHugePages")
}

/// The kernel's policy on transparent huge pages: `always`, `madvise` or `never`.
pub fn huge_page_policy() -> Option<String> {
    let text = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").ok()?;
    let (_, rest) = text.split_once('[')?;
    Some(rest.split_once(']')?.0.to_owned())
}

pub fn cpu_model() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|l| l.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// Number of threads that this process may run at once.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The CPU features that paths need, and whether this CPU has them. Empty except on x86.
pub fn features() -> Vec<(&'static str, bool)> {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        vec![
            ("avx2", has!("avx2")),
            ("fma", has!("fma")),
            ("avx512f", has!("avx512f")),
            ("avx512dq", has!("avx512dq")),
            ("avx512ifma", has!("avx512ifma")),
        ]
    }
    #[cfg(not(target_arch = "x86_64"))]
    Vec::new()
}

/// Whether an environment switch is on: set, not empty, and not `0`.
pub fn switch(name: &str) -> bool {
    std::env::var(name).is_ok_and(|v| !v.is_empty() && v != "0")
}
