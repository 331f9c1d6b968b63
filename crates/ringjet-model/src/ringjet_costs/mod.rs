//! Costs of calls with this library's own algorithms: centred base conversion with a quotient,
//! decomposition over the primes of the current level, and tables of twiddle factors that stay in
//! the caches.
//!
//! Arithmetic does not depend on the memory. Traffic is what the CPU's kernels move, or depends on
//! what a cache keeps between two steps; see [`Policy`].

mod big;
mod groups;
mod limbs;
mod parts;
mod policy;
mod resident;
mod sums;
mod switches;

pub use limbs::conversion_products;
pub use parts::{between, parts};
pub use policy::{Caching, CallSizes, Policy};
