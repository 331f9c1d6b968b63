//! Big coefficients and their residues without IFMA: two matrix products of 51-bit words by constants below 2^61, from products
//! of 32-bit halves, on blocks of two vectors of coefficients. Proofs: `docs/proofs/big.md`.
//!
//! Factors are cut in two: `x = x1 2^a + x0`, `c = c1 2^b + c0`. The sums of partial products stay apart, unreduced, until all are
//! there, so that a term costs its products and as many additions:
//!
//! * [`Form::Narrow`], primes below 2^57: a = b = 26, and `x1 c0 + x0 c1 = x0 c0 + x1 c1 + (x0 - x1)(c1 - c0)` (Karatsuba's): three
//!   products and three additions. Its two additions that are left are made once, for the whole sum.
//! * [`Form::Wide`], primes below 2^61: words are cut at 26, residues at 31, as three products of larger halves would have to
//!   be carried every fourth time: four products and four additions.
//!
//! Two vectors by four outputs (narrow) or three (wide) are 24 sums, fed by 18 (10) loads for 48 operations: all but the 24
//! additions and 24 products of a step is hidden behind them. At the end a residue costs 30 or 32 operations more (exact
//! reduction included), a word 12 or 17.
//!
//! What is reduced at the end of [`split`] spans 113 bits. Montgomery's method takes the 62 lower ones off at once and leaves a
//! remainder in (-q, q), which takes one correction: those 30 operations. Shoup's method would take a companion for what lies above
//! 2^52 and one for the rest, and three corrections: 41. Where one residue meets one constant ([`gather`]), nothing has to be
//! assembled, the lowest partial product of the quotient may be left out (not so in Montgomery's, where a carry decides), and
//! Shoup's takes 19 operations instead of 31.

mod join;
mod split;
mod sums;

pub use join::{JoinPrime, gather, join};
pub use split::{SplitPrime, cut, split};
pub use sums::Form;
