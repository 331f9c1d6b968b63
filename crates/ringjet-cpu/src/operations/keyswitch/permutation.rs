//! Automorphisms tile by tile.

use super::layout::TILE;

/// An automorphism of the evaluation domain as a permutation of tiles, and of words within them. It
/// is one because of the order of the evaluation domain: the high bits of a position are the low
/// bits of an exponent e, and the low bits of `e g` depend on the low bits of e alone.
pub struct TilePermutation<'a> {
    map: &'a [u32],
    /// Where each tile goes; `None` where a limb has fewer words than a tile.
    to: Option<Vec<usize>>,
}

impl<'a> TilePermutation<'a> {
    /// Of the automorphism whose word i comes from word `map[i]`.
    pub fn new(map: &'a [u32]) -> Self {
        let to = (map.len() >= TILE).then(|| {
            let mut to = vec![0; map.len() / TILE];
            for (tile, map) in map.chunks_exact(TILE).enumerate() {
                to[map[0] as usize / TILE] = tile * TILE;
            }
            to
        });
        Self { map, to }
    }

    /// The map of all words.
    pub fn map(&self) -> &'a [u32] {
        self.map
    }

    /// Where words `from..to` of the source go, a tile or all words, and the map of the words
    /// there.
    pub fn target(&self, from: usize, to: usize) -> (usize, &'a [u32]) {
        match &self.to {
            Some(tiles) if to - from == TILE => {
                let start = tiles[from / TILE];
                (start, &self.map[start..start + TILE])
            }
            _ => (0, self.map),
        }
    }
}
