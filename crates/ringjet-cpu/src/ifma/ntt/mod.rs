//! Negacyclic NTT for primes below 2^50: radix 4 and 8 in registers, on exact products.
//!
//! A product with a constant is a fraction of q first: two multiply-adds give `u` with `u q / 2^52` just above the
//! residue, and one more, `floor(u q / 2^52)`, is the residue itself, in `[0, q)` ([`super::arith`]). Fractions add
//! and subtract modulo one by themselves, so `w y + w' y'` costs one such last step, not two; and `q - w y` comes from
//! `-u`, so that both outputs of a butterfly accumulate straight onto `x`: five operations instead of the usual seven
//! or eight. Values grow by q a level; a product accepts them up to 4q <= 2^52, and only what is added to is reduced.
//! The ranges are proved, and the operations counted, in `docs/proofs/ntt-ifma.md`.
//!
//! The ring of N words is worked on in two phases. While the halves of a block are at least 64 words apart, vectors
//! hold neighbouring coefficients and a constant is one broadcast. The last six levels work on tiles of 8 x 64
//! words, transposed on the way in, so that a vector holds the same element of eight subtrees; that is the order of the
//! evaluation domain ([`ringjet_math::ntt::tree_index`]), and nothing is transposed back.
//!
//! Twiddle factors of the last three levels of subtree s are `theta_s^j` times constants that all subtrees share, so a
//! table of 21 constants a subtree replaces one of 63: each word is multiplied by a power of theta, which costs the butterflies
//! of one level two or three operations more, and the table has a third of the bytes.

mod forward;
mod inverse;
mod lanes;
mod pass;
mod scheduled;
mod tables;
#[cfg(test)]
mod tests;

use std::arch::x86_64::*;

use ringjet_math::Modulus;
use ringjet_math::ntt::{LOG_TILE, NttTable};

use lanes::{Balanced, Factor, Fractions, Lanes, Out, Residues, Scaled, balanced, splats, vectors};
pub use pass::Rows;
use pass::*;
use scheduled::{Shared, Tile};
use tables::{Eight, Inverse4, Stage, Tables, forward_node, inverse_node, triple};

use super::arith::{Constant, Reducer, splat};
use crate::ahead::{Ahead, Step, fetch_lines};
use crate::avx512::permute::{exchanged, transpose, transpose_quarters};
use crate::memory::Fetch;
use crate::processor::Processor;

/// Words of a tile.
pub const TILE: usize = 1 << LOG_TILE;

/// Smallest supported log2 of the ring degree.
pub const MIN_LOG_N: u32 = 10;

/// Transforms of one prime below 2^50 and one ring degree of at least 2^10.
#[derive(Debug)]
pub struct Ntt {
    log_n: u32,
    reducer: Reducer,
    one: Constant,
    forward: Tables<5>,
    inverse: Tables<8>,
    /// Inverse of the twiddle factors of the root and its children: with a scale they make the last node.
    root: [u64; 3],
    /// Stages above parts.
    above: usize,
    /// Whether multiplications are scarce: [`Lanes`].
    scarce: bool,
    /// Whether tiles are [`scheduled`], where multiplications are scarce and nothing is fetched meanwhile.
    scheduled: bool,
}

/// Words of a part at most, where there are several: some dozens of them stay in the second cache.
const PART: usize = 1 << 12;

/// The last two levels of an inverse transform whose result is multiplied by a constant.
#[derive(Debug)]
pub struct Root(Inverse4);

/// Room for a tile between its levels.
#[derive(Debug)]
#[repr(align(64))]
pub struct Buffer([u64; TILE]);

impl Default for Buffer {
    fn default() -> Self {
        Self([0; TILE])
    }
}

/// What tiles need, one after the other.
struct Leaves<'a, 'b> {
    buffer: Buffer,
    /// What is fetched meanwhile.
    fetch: &'a mut Fetch<'b>,
}

impl<'a, 'b> Leaves<'a, 'b> {
    fn new(fetch: &'a mut Fetch<'b>) -> Self {
        Self { buffer: Buffer::default(), fetch }
    }
}

impl Ntt {
    /// Constants from the textbook tables; the prime must be below 2^50 and `log_n` at least [`MIN_LOG_N`].
    pub fn new(table: &NttTable) -> Self {
        let (log_n, m) = (table.log_n(), table.modulus());
        assert!(log_n >= MIN_LOG_N);
        let reducer = Reducer::new(m);
        let constant = |w| reducer.constant(m, w);
        let inverse_root = |i: usize| table.inverse_roots()[i].0;
        let forward = Tables::new(table, &constant, &|i| table.roots()[i].0, &|t| forward_node(m, &constant, t), 1);
        let mut part = 1 << log_n;
        let above = forward.stages.iter().position(|stage| {
            part /= stage.radix();
            part <= PART
        });
        Self {
            log_n,
            scarce: Processor::this().scarce_multiplications,
            scheduled: Processor::this().zen_5,
            one: constant(1),
            above: above.map_or(0, |last| last + 1),
            forward,
            inverse: Tables::new(
                table,
                &constant,
                &inverse_root,
                &|t| inverse_node(m, &constant, t, 1),
                table.n_inverse(),
            ),
            root: triple(&inverse_root, 1),
            reducer,
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn lanes(&self) -> Balanced {
        let q = self.reducer.q();
        if self.scarce { Balanced::Scarce(Lanes::new(q, self.one)) } else { Balanced::Ample(Lanes::new(q, self.one)) }
    }

    /// Parts of the ring: the first stages combine words with the same place in all of them, the others words of one part.
    pub fn parts(&self) -> usize {
        self.forward.stages[..self.above].iter().map(|stage| stage.radix()).product()
    }
}
