//! Properties of this machine's processor for which kernels are tuned, and its rate of
//! multiply-adds. No result depends on them.

use std::sync::OnceLock;

#[cfg(target_arch = "x86_64")]
use super::path::Path;

/// Properties of a processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Processor {
    /// Whether a core issues half as many 52-bit multiply-adds (IFMA) of eight lanes per cycle as
    /// additions. A Zen 4 issues one and two, a Zen 5 two and four. A Xeon issues two of each.
    /// Assumed of all AMD processors.
    pub half_rate_ifma: bool,
    /// Whether the processor is a Zen 5 or a later AMD processor. Then whole tiles of transforms
    /// run in scheduled assembly, and key rows are prefetched into the first-level cache. A Zen 4
    /// is faster with prefetches into the second-level cache.
    pub zen_5: bool,
    /// Number of bytes of a core's first-level data cache.
    pub l1_data_bytes: usize,
}

impl Processor {
    /// This machine's processor, detected once.
    pub fn this() -> Self {
        static THIS: OnceLock<Processor> = OnceLock::new();
        *THIS.get_or_init(detect)
    }
}

#[cfg(target_arch = "x86_64")]
fn detect() -> Processor {
    use std::arch::x86_64::__cpuid;
    let vendor = __cpuid(0);
    let amd = [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes).concat() == b"AuthenticAMD";
    // both leaves list the caches in the same layout
    let leaf = if amd { 0x8000_001d } else { 4 };
    let version = __cpuid(1).eax;
    let family = (version >> 8 & 15) + (version >> 20 & 255);
    Processor {
        half_rate_ifma: amd,
        zen_5: amd && family >= ZEN_5,
        l1_data_bytes: l1_data_bytes(leaf).unwrap_or(DEFAULT.l1_data_bytes),
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detect() -> Processor {
    DEFAULT
}

/// Family number of AMD's Zen 5: the sum of the two family fields, as for all families from 15 on.
#[cfg(target_arch = "x86_64")]
const ZEN_5: u32 = 0x1a;

/// The properties that are assumed if the processor does not report them.
const DEFAULT: Processor = Processor { half_rate_ifma: false, zen_5: false, l1_data_bytes: 32 << 10 };

/// Number of bytes of the first-level data cache, from the `cpuid` leaf that lists the caches.
#[cfg(target_arch = "x86_64")]
fn l1_data_bytes(leaf: u32) -> Option<usize> {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    if __cpuid(leaf & 0x8000_0000).eax < leaf {
        return None;
    }
    let caches = (0..8).map(|i| __cpuid_count(leaf, i)).take_while(|cache| cache.eax & 31 != 0);
    // cache type 1 (data) or 3 (data and instructions), of level 1
    let mut first = caches.filter(|cache| matches!(cache.eax & 31, 1 | 3) && cache.eax >> 5 & 7 == 1);
    let cache = first.next()?;
    let field = |from: u32, bits: u32| (cache.ebx >> from & ((1 << bits) - 1)) as usize + 1;
    Some(field(22, 10) * field(12, 10) * field(0, 12) * (cache.ecx as usize + 1))
}

/// Number of 52-bit multiply-adds of eight lanes that one core of this machine issues per second.
/// It is the upper bound of every kernel of [`super::path::Path::Ifma`]. The call measures it, in
/// some hundredths of a second. `None` if the processor has no such instructions.
pub fn multiply_adds_per_second() -> Option<f64> {
    #[cfg(target_arch = "x86_64")]
    if Path::Ifma.exists() {
        const STEPS: u32 = 500_000;
        let run = || {
            let start = std::time::Instant::now();
            // SAFETY: the processor has AVX-512 F and IFMA.
            unsafe { multiply_add(STEPS) };
            f64::from(STEPS) * CHAINS as f64 / start.elapsed().as_secs_f64()
        };
        return (0..9).map(|_| run()).reduce(f64::max);
    }
    None
}

/// Number of independent sums: enough to hide the latency of a multiply-add.
#[cfg(target_arch = "x86_64")]
const CHAINS: usize = 16;

/// Executes [`CHAINS`] multiply-adds in each step.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512ifma")]
fn multiply_add(steps: u32) {
    use std::arch::x86_64::*;
    use std::hint::black_box;
    let x = black_box(_mm512_set1_epi64(0x000f_1234_5678_9abc));
    let mut sums = black_box([x; CHAINS]);
    for _ in 0..steps {
        for sum in &mut sums {
            *sum = _mm512_madd52lo_epu64(*sum, x, x);
        }
    }
    black_box(sums);
}

#[cfg(test)]
mod tests {
    use super::super::path::Path;
    use super::*;

    #[test]
    fn a_cache_has_a_size() {
        let processor = Processor::this();
        println!("{processor:?}");
        assert!((8 << 10..=1 << 20).contains(&processor.l1_data_bytes));
    }

    #[test]
    fn multiply_adds_have_a_rate() {
        let rate = multiply_adds_per_second();
        println!("{rate:?} multiply-adds a second");
        assert_eq!(rate.is_some(), Path::Ifma.exists());
        assert!(rate.is_none_or(|r| r > 1e7));
    }
}
