//! Big coefficients and their residues without IFMA. Both directions are matrix products of 51-bit
//! words and constants below 2^61, computed from products of 32-bit halves on blocks of two vectors
//! of coefficients. Proofs: `docs/proofs/big.md`.
//!
//! Factors are cut into two halves: `x = x1 * 2^a + x0`, `c = c1 * 2^b + c0`. The sums of partial
//! products are kept separate and unreduced until the end, so a term costs its products and as many
//! additions:
//!
//! * [`Form::Narrow`], primes below 2^57: a = b = 26, and
//!   `x1 * c0 + x0 * c1 = x0 * c0 + x1 * c1 + (x0 - x1) * (c1 - c0)` (Karatsuba's method): three
//!   products and three additions. `x0 * c0` and `x1 * c1` are added to the middle product once,
//!   for the whole sum.
//! * [`Form::Wide`], primes below 2^61: words are cut at bit 26, residues at bit 31. Four products
//!   and four additions, because three products of larger halves would need a carry at every fourth
//!   term.
//!
//! Two vectors by four outputs (narrow) or three (wide) are 24 sums, fed by 18 (10) loads for 48
//! operations. All but the 24 additions and 24 products of a step are hidden behind them. At the
//! end a residue costs 30 (narrow) or 32 (wide) operations more, exact reduction included, and a
//! word 12 or 17.
//!
//! The sums that [`split()`] reduces have 113 bits. Montgomery's method removes the 62 lower bits
//! at once and leaves a remainder in (-q, q) that needs one correction: 30 operations. Shoup's
//! method would need one companion for the bits above 2^52, one for the other bits, and three
//! corrections: 41 operations. For the product of one residue and one constant ([`gather`]) Shoup's
//! method takes 19 operations and Montgomery's 31. There no sum has to be assembled, and the lowest
//! partial product of the quotient may be omitted, whereas Montgomery's method needs its carry.

mod join;
mod split;
mod sums;

pub use join::{JoinPrime, gather, join};
pub use split::{SplitPrime, cut, split};
pub use sums::Form;
