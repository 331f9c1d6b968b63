//! The limbs of the launches of the library's kernels.

use std::collections::HashMap;

use crate::recorder::{Argument, Launch};

/// The kernel of sums of rotations.
pub const SUM_OF_ROTATIONS: &str = "ringjet_rotate_sum";
/// Words of a term and of a factor in the list of `rotate_sum` (`kernels/rotations.cuh`).
const ROTATION_WORDS: usize = 4;
const FACTOR_WORDS: usize = 3;

/// Of an allocation: bytes of a limb, and what part of the threads' accesses are to different words.
pub type Share = (u64, f64);

/// Bytes of a residue in memory, by the name of an entry point: that of an arithmetic or their number
/// is its last part.
fn bytes_of_a_residue(kernel: &str) -> u64 {
    let last = kernel.rsplit('_').next().unwrap_or_default();
    match last.parse() {
        Ok(bytes) => bytes,
        Err(_) if last.starts_with("u32") => 4,
        Err(_) if last.ends_with("48") => 6,
        Err(_) => 8,
    }
}

/// The bytes of a limb, and the allocations that have other limbs: compact factors, whose words are
/// read several times.
pub fn shares(launch: &Launch) -> (u64, HashMap<u64, Share>) {
    let views: Vec<(u64, u64)> = (launch.arguments.iter())
        .filter_map(|a| match a {
            Argument::View { words, n, .. } if *words != 0 => Some((*words, u64::from(*n))),
            _ => None,
        })
        .collect();
    let (bytes, n) = (bytes_of_a_residue(launch.kernel), views.iter().map(|v| v.1).max().unwrap_or(1));
    let mut found = HashMap::new();
    if launch.kernel.starts_with(SUM_OF_ROTATIONS) {
        for (address, log_times) in factors(launch) {
            found.insert(address, ((bytes * n) >> log_times, 1.0 / f64::from(1 << log_times)));
        }
    }
    if let (true, [(_, to), (src, from)]) = (launch.kernel.starts_with("ringjet_expand"), &views[..]) {
        found.insert(*src, (bytes * from, *from as f64 / *to as f64));
    }
    (bytes * n, found)
}

/// Of the factors in the list of `rotate_sum`: address, and binary logarithm of how often each word
/// is used.
fn factors(launch: &Launch) -> Vec<(u64, u32)> {
    let numbers: Vec<usize> = (launch.arguments.iter())
        .filter_map(|a| if let Argument::Number(x) = a { Some(*x as usize) } else { None })
        .collect();
    let list = launch.arguments.iter().find_map(|a| if let Argument::List(words) = a { Some(words) } else { None });
    let (Some(list), [count, sums, ..]) = (list, &numbers[..]) else { return vec![] };
    let word = |at: usize| list.get(at).copied().unwrap_or(0);
    let place =
        |i: usize| (i / sums) * (ROTATION_WORDS + FACTOR_WORDS * sums) + ROTATION_WORDS + FACTOR_WORDS * (i % sums);
    (0..count * sums).map(place).filter(|&at| word(at) > 1).map(|at| (word(at), word(at + 2) as u32)).collect()
}
