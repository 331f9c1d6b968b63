//! The fused operations of key switching: digits, inner products with keys, rounded division.
//!
//! Data that leaves the second-level cache costs more time than the arithmetic, so:
//!
//! * The inverse transform of each source limb includes the first factor of the conversion.
//! * Conversions run in tiles whose rows stay in the first-level cache for all target primes.
//! * The digits of a target prime are transformed and multiplied by the key before the next ones.
//!
//! Threads first share the columns of conversions, and then the primes.

mod digits;
mod division;
mod groups;
mod inner_product;
mod layout;
mod mod_up;
mod permutation;
mod products;
mod rotate_into;
mod rotate_sum;
mod switch;
mod switches;

pub use division::divide_round;
pub use inner_product::key_inner_product;
pub use layout::is_fused;
pub use mod_up::mod_up;
pub use rotate_into::rotate_into;
pub use rotate_sum::hoisted_rotate_sum;
pub use switch::{hoisted_rotations, key_switch};
