//! Target primes in groups: those that are converted to from one reading of the source.

use std::ops::Range;

use crate::backend::CpuBackend;
use crate::convert::MAX_TILE;
use crate::memory::past_caches;

/// Most rows of a group for each thread: with fewer the source would be read more often, more take more memory. 25 primes with four digits
/// and two results each. In tests there are several groups.
const GROUP: usize = if cfg!(test) { 2 } else { 150 };

/// Part `i` of `0..len` in so many parts, of which none is longer than another by more than one.
fn part(len: usize, parts: usize, i: usize) -> Range<usize> {
    i * len / parts..(i + 1) * len / parts
}

/// How many groups there are of so many target primes, each with so many rows in scratch memory or in the result.
fn count(b: &CpuBackend, targets: usize, rows: usize) -> usize {
    (targets * rows).div_ceil(GROUP * b.threads.count()).clamp(1, targets.max(1))
}

/// Target primes of the largest group.
pub fn largest(b: &CpuBackend, targets: usize, rows: usize) -> usize {
    targets.div_ceil(count(b, targets, rows))
}

/// Target primes `0..targets` with so many rows each, group after group: `convert(group, columns, past)` makes these columns, of n, of
/// `converted` of the rows of each prime, past the caches or not, and then `finish(group)` does the rest. Threads share the columns, as `finish` lets
/// them share the primes, so that each of them reads a part of the source, and none waits long for another that others slow down.
pub fn in_groups(
    b: &CpuBackend,
    n: usize,
    targets: usize,
    [rows, converted]: [usize; 2],
    convert: impl Fn(Range<usize>, Range<usize>, bool) + Sync,
    mut finish: impl FnMut(Range<usize>),
) {
    let groups = count(b, targets, rows);
    let pieces = match b.threads.count() {
        1 => 1,
        threads => (8 * threads).next_power_of_two().min(n / MAX_TILE).max(1),
    };
    for group in (0..groups).map(|i| part(targets, groups, i)) {
        let words = group.len() * converted * n;
        if words > 0 {
            let past = past_caches(words);
            b.threads.run(pieces, words, |_, i| convert(group.clone(), part(n, pieces, i), past));
        }
        finish(group);
    }
}
