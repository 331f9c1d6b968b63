//! How the CPU backend divides its fused operations: the sizes that decide what it reads again.
//!
//! The backend asks here, and so does a model of its costs: both take the same sizes.

use std::ops::Range;

/// A result of this many words leaves every cache before it is read again. It is written by streaming
/// stores.
pub const STREAMED_WORDS: usize = 1 << 20;

/// Most digits of a fused key switch. A key switch of more digits is made of the operations
/// [`unfused`](crate::unfused) names.
pub const FUSED_DIGITS: usize = 16;

/// Most rows of a [group](groups) for each thread: 25 primes with four digits and two results each.
/// With smaller groups the source of a conversion is read more often, larger ones take more memory.
pub const GROUP_ROWS: usize = 150;

/// Rotations of a batch, where rotations of the same digits are computed in batches.
const BATCH: usize = 3;

/// How many rotations of the same digits, which have this many words, are computed together. Where no
/// cache holds the digits, their tiles and those of the addend are then read once for the whole batch.
/// In a larger batch the rotations' own rows leave the second-level cache.
pub fn rotations_per_batch(digit_words: usize) -> usize {
    if digit_words >= STREAMED_WORDS { BATCH } else { 1 }
}

/// Divides `targets` primes into groups: one reading of a conversion's source makes the limbs of all
/// primes of a group. Each prime has `rows` rows in scratch memory or in the result, a group at most
/// `most` of them. Without targets there is one empty group.
pub fn groups(targets: usize, rows: usize, most: usize) -> impl Iterator<Item = Range<usize>> + Clone {
    let count = (targets * rows).div_ceil(most).clamp(1, targets.max(1));
    (0..count).map(move |i| part(targets, count, i))
}

/// Part `i` of `0..len` in `parts` parts whose lengths differ by one at most.
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
            // lengths differ by one at most, so that the largest may be one above the even share
            assert!(groups.iter().all(|g| g.len() <= 1 || (g.len() - 1) * rows <= most), "{groups:?}");
        }
        assert_eq!(groups(60, 6, 150).map(|g| g.len()).collect::<Vec<_>>(), [20; 3]);
        assert_eq!([rotations_per_batch(STREAMED_WORDS - 1), rotations_per_batch(STREAMED_WORDS)], [1, 3]);
    }
}
