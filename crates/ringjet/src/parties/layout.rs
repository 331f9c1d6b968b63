//! Which party holds which piece of the secret.

use crate::{Error, Result};

/// The maximum number of parties whose pieces are replicated.
pub const MOST_REPLICATED: usize = 8;

/// The maximum number of parties.
pub const MOST_PARTIES: usize = 64;

/// Which party holds which piece.
///
/// Up to [`MOST_REPLICATED`] parties have *replicated* pieces: one for each set of `threshold - 1` parties, held by all
/// the others. Any `threshold` parties together hold all pieces; `threshold - 1` of them miss the piece of their own set.
///
/// More parties have *dealt* pieces: one for each party, which it alone holds. It deals a point of a polynomial through
/// its piece to each other party, so that any `threshold` parties can answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    parties: usize,
    /// For each piece the parties without it, in lexicographic order.
    without: Vec<Vec<usize>>,
}

/// The number of pieces of a secret that any `threshold` of `parties` parties can use together: the binomial
/// coefficient of `parties` over `threshold - 1`, or for more than [`MOST_REPLICATED`] parties one for each. Parameters
/// state it, as errors grow with it.
/// Fails with [`Error::Argument`] for fewer than two parties, and for a threshold outside 2 to `parties`.
pub fn pieces_of(parties: usize, threshold: usize) -> Result<u32> {
    Ok(Layout::new(parties, threshold)?.pieces() as u32)
}

impl Layout {
    /// The layout for any `threshold` of `parties` parties. Fails as [`pieces_of`] does.
    pub fn new(parties: usize, threshold: usize) -> Result<Self> {
        if !(2..=MOST_PARTIES).contains(&parties) {
            return Err(Error::argument("parties", parties, format!("2 to {MOST_PARTIES}")));
        }
        if !(2..=parties).contains(&threshold) {
            let expected = format!("2 to {parties}, the number of parties: how many of them decrypt together");
            return Err(Error::argument("threshold", threshold, expected));
        }
        if parties > MOST_REPLICATED {
            let others = |piece: usize| (0..parties).filter(|&party| party != piece).collect();
            return Ok(Self { parties, without: (0..parties).map(others).collect() });
        }
        let mut without: Vec<Vec<usize>> = (0..1u32 << parties)
            .filter(|set| set.count_ones() as usize == threshold - 1)
            .map(|set| (0..parties).filter(|i| set >> i & 1 == 1).collect())
            .collect();
        without.sort();
        Ok(Self { parties, without })
    }

    /// The number of parties.
    pub fn parties(&self) -> usize {
        self.parties
    }

    /// Whether each piece has one holder, who deals points of it to the others.
    pub fn is_dealt(&self) -> bool {
        self.parties > MOST_REPLICATED
    }

    /// The number of pieces.
    pub fn pieces(&self) -> usize {
        self.without.len()
    }

    /// Whether `party` holds `piece`.
    pub fn holds(&self, party: usize, piece: usize) -> bool {
        self.without.get(piece).is_some_and(|without| !without.contains(&party)) && party < self.parties
    }

    /// The parties that hold `piece`, in order. The first of them draws its seed.
    pub fn holders(&self, piece: usize) -> impl Iterator<Item = usize> {
        (0..self.parties).filter(move |&party| self.holds(party, piece))
    }

    /// The pieces whose seeds `party` draws: it is their first holder.
    pub fn drawn_by(&self, party: usize) -> impl Iterator<Item = usize> {
        self.held_by(party).filter(move |&piece| self.holders(piece).next() == Some(party))
    }

    /// The pieces that `party` holds, in order.
    pub fn held_by(&self, party: usize) -> impl Iterator<Item = usize> {
        (0..self.pieces()).filter(move |&piece| self.holds(party, piece))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For every set of parties: as many as the threshold hold all pieces, one fewer do not.
    #[test]
    fn the_threshold_decides() {
        for parties in 2..=MOST_REPLICATED {
            for threshold in 2..=parties {
                let layout = Layout::new(parties, threshold).unwrap();
                let choose = |n: usize, k: usize| (0..k).fold(1, |product, i| product * (n - i) / (i + 1));
                assert_eq!(layout.pieces(), choose(parties, threshold - 1));
                assert_eq!(pieces_of(parties, threshold), Ok(layout.pieces() as u32));
                for set in 0..1u32 << parties {
                    let members: Vec<usize> = (0..parties).filter(|i| set >> i & 1 == 1).collect();
                    let all = (0..layout.pieces()).all(|p| members.iter().any(|&m| layout.holds(m, p)));
                    assert_eq!(all, members.len() >= threshold, "{members:?} of {parties}, threshold {threshold}");
                }
                assert!((0..layout.pieces()).all(|p| layout.holders(p).count() == parties - threshold + 1));
                assert!(!layout.holds(parties, 0) && !layout.holds(0, layout.pieces()));
            }
        }
        for parties in MOST_REPLICATED + 1..=MOST_PARTIES {
            let layout = Layout::new(parties, 2).unwrap();
            assert!(layout.is_dealt() && layout.pieces() == parties && pieces_of(parties, 7) == Ok(parties as u32));
            for party in 0..parties {
                assert!(layout.held_by(party).eq([party]) && layout.holders(party).eq([party]));
                assert!(layout.drawn_by(party).eq([party]));
            }
        }
        for (parties, threshold) in [(1, 1), (0, 2), (65, 2), (3, 1), (3, 4), (2, 0), (9, 10)] {
            assert!(matches!(Layout::new(parties, threshold), Err(Error::Argument { .. })), "{parties} {threshold}");
        }
    }
}
