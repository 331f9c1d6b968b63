//! What the calls cost with this library's own algorithms: centred base conversion with a
//! quotient's term, decomposition over the primes of the level at hand, tables of twiddle factors
//! that stay in the caches.
//!
//! Arithmetic is the same whatever the memory; traffic is what the CPU's kernels move, or depends
//! on what stays in a cache between two steps, see [`Policy`].

mod big;
mod groups;
mod limbs;
mod parts;
mod policy;
mod sums;
mod switches;

pub use limbs::conversion_products;
pub use parts::{between, parts};
pub use policy::{Caching, Policy};
