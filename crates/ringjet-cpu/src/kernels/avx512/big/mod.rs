//! Big coefficients and their residues without IFMA: two matrix products of 51-bit words by
//! constants below 2^61, from products of 32-bit halves, on blocks of two vectors of coefficients.
//! Proofs: `docs/proofs/big.md`.
//!
//! Factors are cut in two: `x = x1 2^a + x0`, `c = c1 2^b + c0`. The sums of partial products are
//! kept separate and unreduced until the end, so a term costs its products and as many additions:
//!
//! * [`Form::Narrow`], primes below 2^57: a = b = 26, and
//!   `x1 c0 + x0 c1 = x0 c0 + x1 c1 + (x0 - x1)(c1 - c0)` (Karatsuba's): three products and three
//!   additions. The additions of `x0 c0` and `x1 c1` to the middle product are made once, for the
//!   whole sum.
//! * [`Form::Wide`], primes below 2^61: words are cut at 26, residues at 31, since three products
//!   of larger halves would need a carry every fourth time: four products and four additions.
//!
//! Two vectors by four outputs (narrow) or three (wide) are 24 sums, fed by 18 (10) loads for 48
//! operations: all but the 24 additions and 24 products of a step is hidden behind them. At the end
//! a residue costs 30 or 32 operations more (exact reduction included), a word 12 or 17.
//!
//! The sums that [`split()`] reduces have 113 bits. Montgomery's method removes the 62 lower bits at
//! once and leaves a remainder in (-q, q) that takes one correction: those 30 operations. Shoup's
//! method would take one companion for the bits above 2^52, one for the others, and three
//! corrections: 41 operations. For the product of one residue and one constant ([`gather`]) Shoup's
//! method takes 19 operations and Montgomery's 31: nothing has to be assembled, and the lowest
//! partial product of the quotient may be left out, where Montgomery's method needs its carry.

mod join;
mod split;
mod sums;

pub use join::{JoinPrime, gather, join};
pub use split::{SplitPrime, cut, split};
pub use sums::Form;
