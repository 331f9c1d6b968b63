//! Big coefficients and their residues with IFMA. Both directions are matrix products of 51-bit
//! words and 50-bit constants, on blocks of up to [`BLOCK`](crate::operands::strip::BLOCK)
//! coefficients. The words of a block are consecutive in memory: row k of a block is word k of its
//! coefficients.
//!
//! Both directions keep the sums of products unreduced, low and high halves separately, for as many
//! vectors and outputs as registers hold. If products are computed one by one, four vectors by
//! three outputs are 24 sums, fed by seven loads for 24 multiply-adds. On processors that issue
//! half as many IFMA multiply-adds as additions, products are computed in pairs by Winograd's inner
//! products ("A New Algorithm for Inner Product", IEEE Trans. Comput. C-17, 1968),
//!
//! ```text
//! x0 * c0 + x1 * c1 = (x0 + c1) * (x1 + c0) - x0 * x1 - c0 * c1,
//! ```
//!
//! where the sum of the `x0 * x1` serves all outputs and that of the `c0 * c1` is a constant of
//! each output. This takes half as many multiply-adds, and as many additions. Words have 51 bits so
//! that the factors are below 2^52. Proofs: `docs/proofs/big.md`.

mod join;
mod products;
mod split;
mod sums;

pub use join::{JoinPrime, gather, join, quotients};
pub use products::products;
pub use split::{SplitPrime, Way, lazy_constant, split};
pub use sums::{MOST, constants, row};
