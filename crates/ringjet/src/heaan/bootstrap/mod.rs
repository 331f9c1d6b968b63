//! Whether and how parameters bootstrap: what is asked for, what it takes of the modulus, and its keys. The circuit is in
//! [`crate::circuits::heaan`].

mod budget;
mod estimate;
mod keys;

pub(crate) use budget::expect_margin;
pub use budget::{BootstrapSpec, Budget, Step};
pub(crate) use estimate::bootstrapped;
pub(crate) use keys::{FLAT_GIANT_COST, groups};

/// Bits that a message's scale must be below the modulus that is raised: beyond, the sine is not even roughly a line.
const MARGIN_BITS: u32 = 4;

/// Bits that the sums of a transform keep until their rotations are done, so that these add no error.
pub(crate) const GUARD_BITS: u32 = 5;
