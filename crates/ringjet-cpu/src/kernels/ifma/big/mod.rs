//! Big coefficients and their residues: two matrix products of 51-bit words by 50-bit constants, on
//! blocks of up to [`BLOCK`](crate::operands::strip::BLOCK) coefficients whose words lie together:
//! row k of a block is its word k.
//!
//! Both keep the sums of products unreduced, low and high halves apart, for as many vectors and
//! outputs as registers hold. One by one, four vectors by three outputs are 24 sums, fed by seven
//! loads for 24 multiply-adds. In pairs, on processors that issue half as many IFMA multiply-adds
//! as additions, they are Winograd's inner products (IEEE Trans. Comput. C-17, 1968),
//!
//! ```text
//! x0 c0 + x1 c1 = (x0 + c1)(x1 + c0) - x0 x1 - c0 c1,
//! ```
//!
//! where the sum of the `x0 x1` serves all outputs and that of the `c0 c1` is a constant of each:
//! half as many multiply-adds, and as many additions. Words have 51 bits so that the factors are
//! below 2^52. Proofs: `docs/proofs/big.md`.

mod join;
mod products;
mod split;
mod sums;

pub use join::{JoinPrime, gather, join, quotients};
pub use products::products;
pub use split::{SplitPrime, Way, lazy_constant, split};
pub use sums::{MOST, constants, row};
