//! Automorphisms tile by tile.

use super::layout::TILE;

/// An automorphism X -> X^g of the evaluation domain as a permutation of tiles, and of words within
/// tiles. The order of the evaluation domain makes this possible: the high bits of a position are
/// the low bits of an exponent e, and the low bits of `e * g` depend on the low bits of e alone.
pub struct TilePermutation<'a> {
    map: &'a [u32],
    /// For each tile of the source the word where it goes; `None` where a limb has fewer words than
    /// a tile.
    to: Option<Vec<usize>>,
}

impl<'a> TilePermutation<'a> {
    /// The automorphism by which word i comes from word `map[i]`.
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

    /// The map of all words: word i of the result comes from word `map[i]`.
    pub fn map(&self) -> &'a [u32] {
        self.map
    }

    /// For words `from..to` of the source (a tile, or all words): the first word of the result
    /// where they go, and the map of the words there.
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
