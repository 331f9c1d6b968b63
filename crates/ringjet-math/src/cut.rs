//! How residues are cut in two, so that sums of their products with short integers are exact in double
//! precision. `docs/proofs/gemm.md` has the proof.

/// A centred residue x is `2^b h + l` with `|l| <= 2^(b-1)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// b, half the bits of the modulus.
    pub bits: u32,
    /// Number of products whose sums are exact for both halves, at most [`Cut::MOST_TERMS`].
    pub terms: usize,
}

impl Cut {
    /// The largest number of products in a sum.
    pub const MOST_TERMS: usize = 128;

    /// For a modulus q below `2^50`, and integers of at most `largest` in size, which is at most `2^24`.
    pub fn new(q: u64, largest: u32) -> Self {
        assert!(q < 1 << 50 && largest <= 1 << 24, "q = {q}, integers of at most {largest}");
        let bits = (u64::BITS - q.leading_zeros()).div_ceil(2);
        let [low, high] = Self::halves(q, bits);
        let most = |room: u64, half: u64| room / (half * u64::from(largest.max(1)));
        let terms = most((1 << 53) - q - (1 << 26), low).min(most(1 << 53, high)).min(Self::MOST_TERMS as u64);
        Self { bits, terms: terms as usize }
    }

    /// The largest sizes of l and h.
    fn halves(q: u64, bits: u32) -> [u64; 2] {
        [(1 << bits) / 2, (q >> (bits + 1)) + 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_both_halves_stay_within_the_whole_numbers_of_doubles() {
        for q in [17, 97, (1 << 20) + 7, (1 << 31) - 1, (1 << 40) + 15, (1 << 49) + 1, (1 << 50) - 27] {
            for largest in [0, 1, 127, (1 << 12) + 1, (1 << 20) - 1, (1 << 24) - 1, 1 << 24] {
                let cut = Cut::new(q, largest);
                let [low, high] = Cut::halves(q, cut.bits).map(|half| u128::from(half) * u128::from(largest));
                let exact = |terms: usize| {
                    let terms = terms as u128;
                    terms * low + u128::from(q) + (1 << 26) <= 1 << 53 && terms * high <= 1 << 53
                };
                assert!(cut.terms > 0 && exact(cut.terms), "q = {q}, at most {largest}: {cut:?}");
                assert!(cut.terms == Cut::MOST_TERMS || !exact(cut.terms + 1), "q = {q}, {largest}: {cut:?}");
            }
        }
        assert_eq!(Cut::new((1 << 50) - 27, 1 << 24), Cut { bits: 25, terms: 27 });
    }

    #[test]
    fn halves_are_bounds() {
        for q in [17u64, 97, 193, 7681] {
            let Cut { bits, .. } = Cut::new(q, 1);
            let [low, high] = Cut::halves(q, bits);
            for x in 0..q / 2 + 1 {
                let h = (x as f64 / f64::from(1u32 << bits)).round_ties_even() as u64;
                assert!(h <= high && x.abs_diff(h << bits) <= low, "{x} modulo {q}");
            }
        }
    }
}
