//! What the kernels are tuned to. Nothing here changes a result.

use std::sync::OnceLock;

/// What is known of this machine's processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Processor {
    /// Whether it begins fewer multiplications than additions a cycle: AMD's cores do one `vpmadd52` of eight lanes and two
    /// additions where Intel's do two of either.
    pub scarce_multiplications: bool,
    /// Bytes of a core's first-level data cache.
    pub first_cache: usize,
}

impl Processor {
    /// This machine's. Asked once.
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
    // the leaf of the same layout that lists the caches
    let leaf = if amd { 0x8000_001d } else { 4 };
    Processor { scarce_multiplications: amd, first_cache: first_cache(leaf).unwrap_or(DEFAULT.first_cache) }
}

#[cfg(not(target_arch = "x86_64"))]
fn detect() -> Processor {
    DEFAULT
}

/// Where nothing can be asked.
const DEFAULT: Processor = Processor { scarce_multiplications: false, first_cache: 32 << 10 };

/// Bytes of the first level's cache of data, from the leaf that lists caches.
#[cfg(target_arch = "x86_64")]
fn first_cache(leaf: u32) -> Option<usize> {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    if __cpuid(leaf & 0x8000_0000).eax < leaf {
        return None;
    }
    let caches = (0..8).map(|i| __cpuid_count(leaf, i)).take_while(|cache| cache.eax & 31 != 0);
    // kind 1 (data) or 3 (both) of level 1
    let mut first = caches.filter(|cache| matches!(cache.eax & 31, 1 | 3) && cache.eax >> 5 & 7 == 1);
    let cache = first.next()?;
    let field = |from: u32, bits: u32| (cache.ebx >> from & ((1 << bits) - 1)) as usize + 1;
    Some(field(22, 10) * field(12, 10) * field(0, 12) * (cache.ecx as usize + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_has_a_size() {
        let processor = Processor::this();
        println!("{processor:?}");
        assert!((8 << 10..=1 << 20).contains(&processor.first_cache));
    }
}
