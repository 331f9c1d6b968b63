//! Target primes in groups: the source of a conversion is read once for all primes of a group.

use std::ops::Range;

use crate::blocking::{self, GROUP_ROWS, part};

use crate::kernels::conversion::MAX_TILE;
use crate::machine::CpuMachine;
use crate::system::streaming::use_streaming_stores;

/// Most rows of a group for each thread. In tests it is small, so that there are several groups.
const ROWS: usize = if cfg!(test) { 2 } else { GROUP_ROWS };

/// The groups of `targets` primes, each with `rows` rows in scratch memory or in the result.
fn groups(m: &CpuMachine, targets: usize, rows: usize) -> impl Iterator<Item = Range<usize>> {
    blocking::groups(targets, rows, ROWS * m.threads.count())
}

/// Number of primes of the largest group.
pub fn largest(m: &CpuMachine, targets: usize, rows: usize) -> usize {
    groups(m, targets, rows).map(|group| group.len()).max().unwrap_or(0)
}

/// Processes target primes `0..targets` group by group. Each prime has `rows` rows, of which
/// `converted` are made by a conversion. `convert(group, columns, stream)` makes the columns
/// `columns` (of n) of the converted rows, with `stream` by streaming stores. Then `finish(group)`
/// completes the group.
///
/// Threads share the columns in `convert`, and `finish` lets them share the primes. So each thread
/// reads a part of the source, and no thread waits long for another thread that was interrupted.
pub fn in_groups(
    m: &CpuMachine,
    n: usize,
    targets: usize,
    [rows, converted]: [usize; 2],
    convert: impl Fn(Range<usize>, Range<usize>, bool) + Sync,
    mut finish: impl FnMut(Range<usize>),
) {
    let pieces = match m.threads.count() {
        1 => 1,
        threads => (8 * threads).next_power_of_two().min(n / MAX_TILE).max(1),
    };
    for group in groups(m, targets, rows) {
        let words = group.len() * converted * n;
        if words > 0 {
            let stream = use_streaming_stores(words);
            m.threads.run(pieces, words, |_, i| convert(group.clone(), part(n, pieces, i), stream));
        }
        finish(group);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests of key switches rely on having several groups. The numbers are those of one of their
    /// chains: its kept primes, and rows for three digits and two results.
    #[test]
    fn tests_have_several_groups() {
        for threads in [1, 3] {
            assert!(largest(&CpuMachine::new(threads, None).unwrap(), 5, 5) < 5);
        }
    }
}
