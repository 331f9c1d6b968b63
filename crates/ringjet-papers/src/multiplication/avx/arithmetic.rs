//! 64-bit products, carries and modular multiplications, built from 32-bit products (Jung et al.,
//! "Accelerating Fully Homomorphic Encryption Through Microarchitecture-Aware Analysis and
//! Optimization", called paper A, Section III; Jung et al., "HEAAN Demystified", called paper B,
//! Section V-B).

use super::lanes::Lanes;

/// Both words of the products `x * y`, from four products of halves: 4 multiplications, 4
/// additions, 6 shifts, an AND and a blend. Paper A's text has 5 additions and 5 shifts; here a
/// blend joins the halves of the lower word.
#[inline(always)]
fn product<L: Lanes>(l: L, x: L::Vector, y: L::Vector) -> (L::Vector, L::Vector) {
    let (x1, y1) = (l.upper_half(x), l.upper_half(y));
    let low = l.mul32(x, y);
    // None of these sums overflows: (2^32 - 1)^2 + 2^32 - 1 < 2^64.
    let a = l.add(l.mul32(x1, y), l.upper_half(low));
    let b = l.add(l.mul32(x, y1), l.lower_half(a));
    let high = l.add(l.add(l.mul32(x1, y1), l.upper_half(a)), l.upper_half(b));
    (high, l.join(l.to_upper_half(b), low))
}

/// A sum of two words in every lane.
#[derive(Clone, Copy)]
pub struct Sum<V> {
    /// Lower words.
    pub low: V,
    /// Upper words.
    pub high: V,
}

impl<V: Copy> Sum<V> {
    /// The sum 0.
    #[inline(always)]
    pub fn zero<L: Lanes<Vector = V>>(l: L) -> Self {
        Self { low: l.splat(0), high: l.splat(0) }
    }

    /// `self + x * y`, which must be below 2^128. The carry between the words takes a comparison
    /// and an addition.
    #[inline(always)]
    pub fn add_product<L: Lanes<Vector = V>>(self, l: L, x: V, y: V) -> Self {
        let (high, low) = product(l, x, y);
        let sum = l.add(self.low, low);
        Self { low: sum, high: l.add_where_less(l.add(self.high, high), sum, low) }
    }
}

/// How Shoup's modular multiplication computes its quotient.
pub trait Shoup: Copy + Send + Sync {
    /// The name of the variant that uses it.
    const NAME: &'static str;
    /// The remainder is below this multiple of the prime p.
    const MULTIPLES: u64;
    /// Bits of a word: of factors, and of the values of transforms.
    const WORD_BITS: u32 = 64;
    /// The upper words of the products, exact or slightly too small.
    fn upper_product<L: Lanes>(l: L, x: L::Vector, y: L::Vector) -> L::Vector;

    /// The products, modulo 2^64.
    #[inline(always)]
    fn lower_product<L: Lanes>(l: L, x: L::Vector, y: L::Vector) -> L::Vector {
        l.mullo(x, y)
    }
}

/// Computes the exact upper word: 4 multiplications, 4 additions, 5 shifts and an AND. The
/// remainder is below 2 * p.
#[derive(Debug, Clone, Copy)]
pub struct Exact;

impl Shoup for Exact {
    const NAME: &'static str = "AVX";
    const MULTIPLES: u64 = 2;

    #[inline(always)]
    fn upper_product<L: Lanes>(l: L, x: L::Vector, y: L::Vector) -> L::Vector {
        let (x1, y1) = (l.upper_half(x), l.upper_half(y));
        let a = l.add(l.mul32(x1, y), l.upper_half(l.mul32(x, y)));
        let b = l.add(l.mul32(x, y1), l.lower_half(a));
        l.add(l.add(l.mul32(x1, y1), l.upper_half(a)), l.upper_half(b))
    }
}

/// Leaves out the product of the lower halves, which only contributes a carry: 3 multiplications, 2
/// additions, 4 shifts.
///
/// The two products of an upper and a lower half are truncated one by one. Each loses less than 1,
/// in units of the upper word, and so does the product that is left out. So the quotient is too
/// small by 2 at most, and the remainder is below 4 * p.
#[derive(Debug, Clone, Copy)]
pub struct Modified;

impl Shoup for Modified {
    const NAME: &'static str = "AVX-M";
    const MULTIPLES: u64 = 4;

    #[inline(always)]
    fn upper_product<L: Lanes>(l: L, x: L::Vector, y: L::Vector) -> L::Vector {
        let (x1, y1) = (l.upper_half(x), l.upper_half(y));
        let (a, b) = (l.upper_half(l.mul32(x1, y)), l.upper_half(l.mul32(x, y1)));
        l.add(l.add(l.mul32(x1, y1), a), b)
    }
}

/// Words of 32 bits in lanes of 64 bits: a multiplication and a shift. The remainder is below
/// 2 * p.
#[derive(Debug, Clone, Copy)]
pub struct Narrow;

impl Shoup for Narrow {
    const NAME: &'static str = "AVX-32";
    const MULTIPLES: u64 = 2;
    const WORD_BITS: u32 = 32;

    #[inline(always)]
    fn upper_product<L: Lanes>(l: L, x: L::Vector, y: L::Vector) -> L::Vector {
        l.upper_half(l.mul32(x, y))
    }

    #[inline(always)]
    fn lower_product<L: Lanes>(l: L, x: L::Vector, y: L::Vector) -> L::Vector {
        l.mul32(x, y)
    }
}

/// Fixed factors with their companions, in vectors.
#[derive(Clone, Copy)]
pub struct Factors<V> {
    /// Factors below p.
    pub value: V,
    /// Companions, `floor(value * 2^64 / p)`, for words of 32 bits `floor(value * 2^32 / p)`.
    pub shoup: V,
}

/// A word congruent to `x * y` modulo p and below `MULTIPLES * p`, for any word `x` of `WORD_BITS`; see
/// [`Shoup::MULTIPLES`].
#[inline(always)]
pub fn mod_mul<S: Shoup, L: Lanes>(l: L, x: L::Vector, y: Factors<L::Vector>, p: L::Vector) -> L::Vector {
    let quotient = S::upper_product(l, x, y.shoup);
    l.sub(S::lower_product(l, x, y.value), S::lower_product(l, quotient, p))
}

/// Reduces words below `multiples * p` to words below p, with a conditional subtraction for each
/// factor of two. `multiples` must be a power of two.
#[inline(always)]
pub fn correct<L: Lanes>(l: L, mut x: L::Vector, multiples: u64, p: u64) -> L::Vector {
    let mut step = multiples / 2;
    while step > 0 {
        x = l.subtract_where_fits(x, l.splat(step * p));
        step /= 2;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::super::{Counted, Instructions};
    use super::*;

    fn samples() -> Vec<u64> {
        let edges = [0, 1, (1 << 32) - 1, 1 << 32, (1 << 32) + 1, 1 << 63, u64::MAX - 1, u64::MAX];
        let random = (1..200u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ i << 40);
        edges.into_iter().chain(random).collect()
    }

    #[test]
    fn products_and_sums_are_exact() {
        let count = Instructions::default();
        let l = Counted(&count);
        for &x in &samples() {
            for &y in &samples() {
                let exact = u128::from(x) * u128::from(y);
                let (high, low) = product(l, [x; 8], [y; 8]);
                assert_eq!((high[3], low[3]), ((exact >> 64) as u64, exact as u64));
                let sum = Sum { low: [y; 8], high: [0; 8] }.add_product(l, [x; 8], [y; 8]);
                let exact = exact + u128::from(y);
                assert_eq!((sum.high[5], sum.low[5]), ((exact >> 64) as u64, exact as u64));
            }
        }
    }

    #[test]
    fn remainders_are_below_the_stated_bound() {
        let count = Instructions::default();
        let l = Counted(&count);
        for p in [(1u64 << 57) + 29, (1 << 58) - 27, (1 << 60) - 93] {
            for &y in &samples() {
                let value = y % p;
                let shoup = ((u128::from(value) << 64) / u128::from(p)) as u64;
                let y = Factors { value: [value; 8], shoup: [shoup; 8] };
                for &x in &samples() {
                    let exact = (u128::from(x) * u128::from(value) % u128::from(p)) as u64;
                    for (r, multiples) in [
                        (mod_mul::<Exact, _>(l, [x; 8], y, [p; 8]), Exact::MULTIPLES),
                        (mod_mul::<Modified, _>(l, [x; 8], y, [p; 8]), Modified::MULTIPLES),
                    ] {
                        assert!(r[0] < multiples * p && r[0] % p == exact);
                        assert_eq!(correct(l, r, multiples, p), [exact; 8]);
                    }
                }
            }
        }
    }

    #[test]
    fn each_function_has_the_stated_instructions() {
        let counted = |of: &dyn Fn(Counted)| {
            let count = Instructions::default();
            of(Counted(&count));
            count.arithmetic()
        };
        let (x, zero) = ([1; 8], Factors { value: [0; 8], shoup: [0; 8] });
        assert_eq!(counted(&|l| _ = Exact::upper_product(l, x, x)), 13);
        assert_eq!(counted(&|l| _ = Modified::upper_product(l, x, x)), 9);
        assert_eq!(counted(&|l| _ = mod_mul::<Modified, _>(l, x, zero, x)), 12);
        assert_eq!(counted(&|l| _ = product(l, x, x)), 14);
        assert_eq!(counted(&|l| _ = Sum { low: x, high: x }.add_product(l, x, x)), 18);
    }
}
