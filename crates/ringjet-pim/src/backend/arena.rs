//! Which words of a DPU's memory are free.

use std::collections::BTreeMap;

/// Free ranges of words by their beginnings. Neighbouring ranges are merged.
#[derive(Debug)]
pub struct Arena {
    free: BTreeMap<u32, u32>,
}

impl Arena {
    /// All words from `begin` to `end` are free.
    pub fn new(begin: u32, end: u32) -> Self {
        Self { free: BTreeMap::from([(begin, end - begin)]) }
    }

    /// The first free range of `words` words whose beginning is a multiple of `words`, a power of
    /// two, and below `limit`.
    pub fn take(&mut self, words: u32, limit: u64) -> Option<u32> {
        let fits = |(&begin, &len): (&u32, &u32)| {
            let at = begin.next_multiple_of(words);
            (u64::from(at) + u64::from(words) <= u64::from(begin) + u64::from(len) && u64::from(at) < limit)
                .then_some((begin, len, at))
        };
        let (begin, len, at) = self.free.iter().find_map(fits)?;
        self.free.remove(&begin);
        if at > begin {
            self.free.insert(begin, at - begin);
        }
        let rest = begin + len - (at + words);
        if rest > 0 {
            self.free.insert(at + words, rest);
        }
        Some(at)
    }

    /// Gives back a range that `take` returned.
    pub fn give(&mut self, mut at: u32, mut words: u32) {
        if let Some((&begin, &len)) = self.free.range(..at).next_back()
            && begin + len == at
        {
            self.free.remove(&begin);
            (at, words) = (begin, words + len);
        }
        if let Some(len) = self.free.remove(&(at + words)) {
            words += len;
        }
        self.free.insert(at, words);
    }

    /// Number of free words.
    pub fn free_words(&self) -> u64 {
        self.free.values().map(|&len| u64::from(len)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::Arena;

    #[test]
    fn ranges_are_aligned_apart_and_merged() {
        let mut arena = Arena::new(1024, 1024 + 96);
        let [a, b, c] = [16, 32, 16].map(|words| arena.take(words, u64::MAX).unwrap());
        assert_eq!([a, b, c], [1024, 1056, 1040]);
        assert_eq!(arena.take(64, u64::MAX), None);
        assert_eq!(arena.take(16, 1088), None);
        assert_eq!(arena.free_words(), 32);
        [(b, 32), (a, 16), (c, 16)].into_iter().for_each(|(at, words)| arena.give(at, words));
        assert_eq!(arena.free, [(1024, 96)].into());
    }
}
