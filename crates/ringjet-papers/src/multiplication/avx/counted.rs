//! The lanes in scalar code, with counters of the instructions. So kernels can also be tested on
//! processors without AVX-512.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::lanes::{Kernel, Lanes, Machine};
use crate::multiplication::lines::{LANES, Line};

/// Numbers of vector instructions executed.
#[derive(Debug, Default)]
pub struct Instructions {
    /// `vpmuludq` and `vpmullq`.
    pub multiplications: AtomicU64,
    /// `vpaddq` and `vpsubq`, with and without a mask.
    pub additions: AtomicU64,
    /// `vpsrlq` and `vpsllq`.
    pub shifts: AtomicU64,
    /// `vpcmpuq`.
    pub comparisons: AtomicU64,
    /// Logic, blends and permutations, which Table X of "HEAAN Demystified" (Jung et al.) does not
    /// count.
    pub moves: AtomicU64,
    /// Loads, stores and broadcasts.
    pub memory: AtomicU64,
}

impl Instructions {
    /// The sum of the instructions that Table X of "HEAAN Demystified" counts: add, sub, mul, shift
    /// and cmp.
    pub fn arithmetic(&self) -> u64 {
        [&self.multiplications, &self.additions, &self.shifts, &self.comparisons].map(|n| n.load(Relaxed)).iter().sum()
    }
}

/// Lanes that count in [`Instructions`].
#[derive(Debug, Clone, Copy)]
pub struct Counted<'a>(pub &'a Instructions);

impl Machine for Counted<'_> {
    fn run<K: Kernel>(self, kernel: K) {
        kernel.run(self);
    }
}

/// Adds `n` to a counter. Kernels are counted on one thread, so no atomic addition is needed.
#[inline(always)]
fn count(counter: &AtomicU64, n: u64) {
    counter.store(counter.load(Relaxed) + n, Relaxed);
}

type Words = [u64; LANES];

#[inline(always)]
fn map2(a: Words, b: Words, of: impl Fn(u64, u64) -> u64) -> Words {
    std::array::from_fn(|i| of(a[i], b[i]))
}

impl Lanes for Counted<'_> {
    type Vector = Words;

    fn load(self, from: &Line) -> Words {
        count(&self.0.memory, 1);
        from.0
    }

    fn store(self, to: &mut Line, v: Words) {
        count(&self.0.memory, 1);
        to.0 = v;
    }

    fn splat(self, x: u64) -> Words {
        count(&self.0.memory, 1);
        [x; LANES]
    }

    fn add(self, a: Words, b: Words) -> Words {
        count(&self.0.additions, 1);
        map2(a, b, u64::wrapping_add)
    }

    fn sub(self, a: Words, b: Words) -> Words {
        count(&self.0.additions, 1);
        map2(a, b, u64::wrapping_sub)
    }

    fn mul32(self, a: Words, b: Words) -> Words {
        count(&self.0.multiplications, 1);
        map2(a, b, |a, b| (a & 0xffff_ffff) * (b & 0xffff_ffff))
    }

    fn mullo(self, a: Words, b: Words) -> Words {
        count(&self.0.multiplications, 1);
        map2(a, b, u64::wrapping_mul)
    }

    fn upper_half(self, a: Words) -> Words {
        count(&self.0.shifts, 1);
        a.map(|a| a >> 32)
    }

    fn to_upper_half(self, a: Words) -> Words {
        count(&self.0.shifts, 1);
        a.map(|a| a << 32)
    }

    fn lower_half(self, a: Words) -> Words {
        count(&self.0.moves, 1);
        a.map(|a| a & 0xffff_ffff)
    }

    fn join(self, upper: Words, lower: Words) -> Words {
        count(&self.0.moves, 1);
        map2(upper, lower, |upper, lower| upper & !0xffff_ffff | lower & 0xffff_ffff)
    }

    fn add_where_less(self, sum: Words, a: Words, b: Words) -> Words {
        count(&self.0.comparisons, 1);
        count(&self.0.additions, 1);
        map2(sum, map2(a, b, |a, b| u64::from(a < b)), u64::wrapping_add)
    }

    fn subtract_where_fits(self, a: Words, b: Words) -> Words {
        count(&self.0.comparisons, 1);
        count(&self.0.additions, 1);
        map2(a, b, |a, b| if a >= b { a - b } else { a })
    }

    fn permute2(self, a: Words, index: &Line, b: Words) -> Words {
        count(&self.0.moves, 1);
        index.0.map(|i| if i < 8 { a[i as usize] } else { b[i as usize - 8] })
    }

    fn permute(self, a: Words, index: &Line) -> Words {
        count(&self.0.moves, 1);
        index.0.map(|i| a[i as usize])
    }

    fn transpose(self, rows: [Words; LANES]) -> [Words; LANES] {
        count(&self.0.moves, 24);
        std::array::from_fn(|i| rows.map(|row| row[i]))
    }
}
