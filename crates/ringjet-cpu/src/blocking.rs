//! Sizes by which the backend divides its fused operations. They decide which data it reads more
//! than once, so its cost model takes them from here.

use std::ops::Range;

/// A result of this many words leaves every cache before it is read again, so it is written by
/// streaming stores.
pub const STREAMED_WORDS: usize = 1 << 20;

/// Most digits of a fused key switch. A key switch with more digits is composed of smaller
/// operations, see [`Composed::key_switch`](ringjet_backend::Composed::key_switch).
pub const FUSED_DIGITS: usize = 16;

/// Most rows of a [group](groups) for each thread: 25 primes with four digits and two results each.
/// Smaller groups read the source of a conversion more often; larger groups take more memory.
pub const GROUP_ROWS: usize = 150;

/// Number of rotations in a batch, for digits too large for any cache.
const BATCH: usize = 3;

/// How many rotations of the same digits are computed together, where the digits have `digit_words`
/// words. If the digits fit no cache, a batch reads their tiles and the tiles of the addend once
/// for all its rotations. In a larger batch the rotations' own rows would leave the second-level
/// cache.
pub fn rotations_per_batch(digit_words: usize) -> usize {
    if digit_words >= STREAMED_WORDS { BATCH } else { 1 }
}

/// Divides `targets` primes into groups: the source of a conversion is read once for all limbs of a
/// group's primes. Each prime has `rows` rows in scratch memory or in the result; a group has at
/// most about `most` rows, and at least one prime. Without targets there is one empty group.
pub fn groups(targets: usize, rows: usize, most: usize) -> impl Iterator<Item = Range<usize>> + Clone {
    let count = (targets * rows).div_ceil(most).clamp(1, targets.max(1));
    (0..count).map(move |i| part(targets, count, i))
}

/// Part `i` when `0..len` is divided into `parts` parts whose lengths differ by at most one.
pub fn part(len: usize, parts: usize, i: usize) -> Range<usize> {
    i * len / parts..(i + 1) * len / parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_cover_all_targets_and_keep_to_their_rows() {
        for (targets, rows, most) in [(0, 3, 10), (1, 40, 10), (7, 2, 10), (35, 6, 150), (60, 6, 150), (5, 0, 1)] {
            let groups: Vec<Range<usize>> = groups(targets, rows, most).collect();
            assert_eq!((groups[0].start, groups.last().unwrap().end), (0, targets));
            assert!(groups.windows(2).all(|w| w[0].end == w[1].start && !w[0].is_empty()));
            // lengths differ by at most one, so the largest may be one above the even share
            assert!(groups.iter().all(|g| g.len() <= 1 || (g.len() - 1) * rows <= most), "{groups:?}");
        }
        assert_eq!(groups(60, 6, 150).map(|g| g.len()).collect::<Vec<_>>(), [20; 3]);
        assert_eq!([rotations_per_batch(STREAMED_WORDS - 1), rotations_per_batch(STREAMED_WORDS)], [1, 3]);
    }
}
