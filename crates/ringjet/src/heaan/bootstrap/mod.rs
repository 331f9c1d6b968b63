//! Whether and how parameters bootstrap: what is asked for, what it takes of the modulus, and its keys. The circuit is in
//! [`crate::circuits::heaan`].

mod budget;
mod estimate;
mod keys;

pub use budget::{BootstrapSpec, Budget, Step};
pub(crate) use budget::{FLAT_GIANT_COST, GUARD_BITS, expect_margin, groups};
pub(crate) use estimate::bootstrapped;
