//! The free memory of a pool.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::raw::{HUGE, Raw};

/// Free memory. Pages are divided and joined; smaller blocks are reused for the same size.
#[derive(Debug, Default)]
pub struct Free {
    /// Pieces that do not touch each other, by address, each with the time when it was last used.
    pages: BTreeMap<usize, (Raw, u64)>,
    /// Blocks without pages, the least recently used first.
    blocks: Vec<(Raw, u64)>,
    bytes: usize,
    /// The number of blocks that came back, as a clock.
    time: u64,
}

impl Free {
    /// The number of free bytes.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Memory of `bytes` bytes, if it is there. With pages it is the beginning of the smallest piece that is
    /// large enough, without them the block of this size that came back last.
    pub fn take(&mut self, bytes: usize) -> Option<Raw> {
        let found = if Raw::has_pages(bytes) { self.take_pages(bytes) } else { self.take_block(bytes) };
        self.bytes -= found.as_ref().map_or(0, Raw::bytes);
        found
    }

    fn take_block(&mut self, bytes: usize) -> Option<Raw> {
        let i = self.blocks.iter().rposition(|(block, _)| block.bytes() == bytes)?;
        Some(self.blocks.remove(i).0)
    }

    fn take_pages(&mut self, bytes: usize) -> Option<Raw> {
        let fit = self.pages.iter().filter(|(_, (piece, _))| piece.bytes() >= bytes);
        let (&address, _) = fit.min_by_key(|(_, (piece, used))| (piece.bytes(), Reverse(*used)))?;
        let (mut piece, used) = self.pages.remove(&address)?;
        if piece.bytes() > bytes {
            let rest = piece.split_off(bytes);
            self.pages.insert(rest.address(), (rest, used));
        }
        Some(piece)
    }

    /// Keeps memory that came back.
    pub fn give(&mut self, mut raw: Raw) {
        self.bytes += raw.bytes();
        self.time += 1;
        if !Raw::has_pages(raw.bytes()) {
            self.blocks.push((raw, self.time));
            return;
        }
        if let Some((next, _)) = self.pages.remove(&(raw.address() + raw.bytes())) {
            raw = raw.joined(next);
        }
        let before = self.pages.range(..raw.address()).next_back();
        let touches = before.filter(|(start, (piece, _))| *start + piece.bytes() == raw.address());
        if let Some((before, _)) = touches.map(|(&start, _)| start).and_then(|start| self.pages.remove(&start)) {
            raw = before.joined(raw);
        }
        self.pages.insert(raw.address(), (raw, self.time));
    }

    /// Takes out what is free beyond `cap` bytes, the least recently used first, the ends of pieces.
    pub fn released(&mut self, cap: usize) -> Vec<Raw> {
        let mut out = vec![];
        while let Some(excess) = self.bytes.checked_sub(cap).filter(|&excess| excess > 0) {
            let piece = self.pages.iter().map(|(&start, &(_, used))| (used, start)).min();
            let block = self.blocks.first().map(|&(_, used)| used);
            let found = match (piece, block) {
                (Some((used, start)), block) if block.is_none_or(|block| used < block) => self.end(start, excess),
                _ => (!self.blocks.is_empty()).then(|| self.blocks.remove(0).0),
            };
            let Some(found) = found else { break };
            self.bytes -= found.bytes();
            out.push(found);
        }
        out
    }

    /// Takes out the last pages of the piece at `start`, `bytes` or a little more, or all of them.
    fn end(&mut self, start: usize, bytes: usize) -> Option<Raw> {
        let (mut piece, used) = self.pages.remove(&start)?;
        let kept = piece.bytes().saturating_sub(bytes.next_multiple_of(HUGE));
        if kept == 0 {
            return Some(piece);
        }
        let end = piece.split_off(kept);
        self.pages.insert(start, (piece, used));
        Some(end)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn pages(count: usize) -> Raw {
        Raw::with_room(count * HUGE).expect("a few pages")
    }

    /// The sizes of the pieces, in pages.
    fn pieces(free: &Free) -> Vec<usize> {
        free.pages.values().map(|(piece, _)| piece.bytes() / HUGE).collect()
    }

    #[test]
    fn pages_are_divided_and_joined() {
        let mut free = Free::default();
        let mut first = pages(8);
        let (mut second, start) = (first.split_off(3 * HUGE), first.address());
        let third = second.split_off(2 * HUGE);
        free.give(first);
        free.give(third);
        assert_eq!(pieces(&free), [3, 3]);
        free.give(second);
        assert_eq!((pieces(&free), free.bytes()), (vec![8], 8 * HUGE));
        let taken = free.take(5 * HUGE).unwrap();
        assert_eq!((taken.address(), taken.bytes(), pieces(&free)), (start, 5 * HUGE, vec![3]));
        assert!(free.take(4 * HUGE).is_none());
        free.give(taken);
        assert_eq!((pieces(&free), free.bytes()), (vec![8], 8 * HUGE));
    }

    #[test]
    fn the_smallest_piece_that_fits_is_taken() {
        let mut free = Free::default();
        let mut large = pages(7);
        let mut between = large.split_off(4 * HUGE);
        let small = between.split_off(HUGE);
        let addresses = [small.address(), large.address()];
        free.give(small);
        free.give(large);
        assert_eq!(pieces(&free), [4, 2]);
        assert_eq!([2, 3].map(|count| free.take(count * HUGE).unwrap().address()), addresses);
    }

    #[test]
    fn the_oldest_memory_is_released_first() {
        let mut free = Free::default();
        let block = || Raw::with_room(HUGE / 2).expect("a block");
        free.give(block());
        free.give(pages(4));
        free.give(block());
        let sizes = |all: Vec<Raw>| all.iter().map(Raw::bytes).collect::<Vec<_>>();
        assert_eq!(sizes(free.released(9 * HUGE / 2)), [HUGE / 2]);
        // whole pages
        assert_eq!(sizes(free.released(4 * HUGE)), [HUGE]);
        assert_eq!(pieces(&free), [3]);
        assert_eq!(sizes(free.released(0)), [3 * HUGE, HUGE / 2]);
        assert_eq!(free.bytes(), 0);
    }
}
