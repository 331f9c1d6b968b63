//! The kernels as PTX, which the driver compiles itself. It is for machines without NVRTC.

use std::io::Read;

use flate2::read::GzDecoder;

/// The PTX, compressed. `tools/compile.py` makes it.
const PTX: &[u8] = include_bytes!("../kernels/compute_80.ptx.gz");

/// The least compute capability that the PTX runs on.
pub const CAPABILITY: (i32, i32) = (8, 0);

/// The embedded PTX with a zero byte at its end, as the driver reads it, if it was made from
/// `source`.
pub fn of(source: &str) -> Option<Vec<u8>> {
    let mut ptx = Vec::new();
    GzDecoder::new(PTX).read_to_end(&mut ptx).ok()?;
    let head = format!("// ringjet kernels {:016x}\n", fnv(source.as_bytes()));
    ptx.starts_with(head.as_bytes()).then(|| {
        ptx.push(0);
        ptx
    })
}

/// FNV-1a with 64 bits. Cached files and the embedded PTX depend on it, so it must not change
/// between builds.
pub fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &b| (hash ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::NEEDED;
    use crate::{compile, launch};

    #[test]
    fn the_embedded_ptx_is_of_the_embedded_kernels() {
        let source = compile::embedded();
        let ptx = of(&source).expect("kernels/compute_80.ptx.gz is out of date: run tools/compile.py, as it says");
        let text = std::str::from_utf8(ptx.strip_suffix(b"\0").unwrap()).unwrap();
        let line = |start: &str| text.lines().find_map(|l| l.strip_prefix(start)).map(str::trim);
        assert_eq!((line(".version "), NEEDED), (Some("8.0"), 12000), "PTX 8.0 came with CUDA 12.0");
        assert_eq!(line(".target sm_"), Some(format!("{}{}", CAPABILITY.0, CAPABILITY.1).as_str()));
        assert_eq!(text.matches(".visible .entry ").count(), launch::NAMES.len());
        for name in launch::NAMES {
            let name = name.to_str().unwrap();
            assert!(text.contains(&format!(".visible .entry {name}(")), "{name}");
        }
        assert_eq!(of(&(source + " ")), None);
    }
}
