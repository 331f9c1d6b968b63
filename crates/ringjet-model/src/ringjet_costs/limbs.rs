//! Costs of limbs: the arithmetic of each kind of kernel, and the words read and written.

use super::policy::{Caching, Policy};
use crate::{Cost, Ops, Part};

/// Multiplications per coefficient of a base conversion from `from` to `to` primes; rates of base
/// conversion are per such multiplication. A target residue is a sum of one product per source limb
/// and one product with the quotient; the quotient is a sum over the source limbs. One more factor
/// per source limb is not counted: kernels merge it into the transform before, if there is one.
pub fn conversion_products(from: usize, to: usize) -> usize {
    to * (from + 1) + from
}

/// A part of a call, without a time.
pub fn part(name: &'static str, cost: Cost) -> Part {
    Part { name, cost, seconds: 0.0 }
}

/// Computes costs from numbers of limbs, at ring degree `n`.
#[derive(Clone, Copy)]
pub struct Limbs {
    pub n: u64,
    pub policy: Policy,
}

/// Products with short integers that take the time of one with a residue, about: `docs/tuning/gemm.md`.
const SHORT_PRODUCTS: u64 = 8;

impl Limbs {
    pub fn words(self, limbs: usize) -> u64 {
        self.n * limbs as u64
    }

    /// A transform has `(N / 2) * log2(N)` butterflies of one multiplication and two additions
    /// each. The CPU's transforms read and write a limb twice.
    fn transforms(self, limbs: usize) -> Cost {
        let butterflies = self.words(limbs) / 2 * u64::from(self.n.ilog2());
        Cost { ntt: Ops { mul: butterflies, add: 2 * butterflies }, ..self.near(limbs) }
    }

    pub fn forward(self, limbs: usize) -> Cost {
        let mut cost = self.transforms(limbs);
        cost.calls.ntt = limbs as u64;
        cost
    }

    pub fn inverse(self, limbs: usize) -> Cost {
        let mut cost = self.transforms(limbs);
        cost.calls.intt = limbs as u64;
        cost
    }

    /// A base conversion; see [`conversion_products`].
    pub fn convert(self, from: usize, to: usize) -> Cost {
        let mut cost = Cost {
            base_conversion: Ops {
                mul: self.words(conversion_products(from, to)),
                add: self.words(to * from + from.saturating_sub(1)),
            },
            ..Cost::default()
        };
        cost.calls.base_conversion = (from * to) as u64;
        cost
    }

    pub fn products(self, limbs: usize, sums: usize) -> Cost {
        let mut cost = Cost { elementwise: Ops { mul: self.words(limbs), add: self.words(sums) }, ..Cost::default() };
        cost.calls.products = limbs as u64;
        cost
    }

    pub fn automorphisms(self, limbs: usize) -> Cost {
        let mut cost = Cost::default();
        cost.calls.automorphisms = limbs as u64;
        cost
    }

    pub fn traffic(self, reads: usize, writes: usize) -> Cost {
        Cost { reads: self.words(reads), writes: self.words(writes), ..Cost::default() }
    }

    /// Intermediate limbs that one step on a prime leaves in a cache for the next step, on the CPU.
    pub fn near(self, limbs: usize) -> Cost {
        let words = if self.policy.is_cpu() { self.words(limbs) } else { 0 };
        Cost { near_reads: words, near_writes: words, ..Cost::default() }
    }

    pub fn key(self, limbs: usize) -> Cost {
        let limbs = if self.policy.seeded_keys() { limbs / 2 } else { limbs };
        Cost { key_reads: self.words(limbs), ..Cost::default() }
    }

    pub fn has(self, caching: Caching) -> bool {
        self.policy.has(caching)
    }

    /// Four products per limb; two of them are added.
    pub fn tensor(self, limbs: usize) -> Cost {
        let mut cost = self.products(4 * limbs, limbs) + self.traffic(4 * limbs, 3 * limbs);
        if !self.has(Caching::Limb) {
            cost += self.traffic(5 * limbs, limbs); // four products, each by itself, one of them into a sum
        }
        cost
    }

    /// A sum of products. A second factor that multiplies several polynomials is a plaintext; then
    /// `factors` is less than the number of limbs of the products.
    pub fn mul_acc(self, limbs: usize, pairs: usize, factors: usize, accumulate: bool) -> Cost {
        let old = usize::from(accumulate) * limbs;
        let sums = (pairs * limbs + old).saturating_sub(limbs);
        let mut cost = self.products(pairs * limbs, sums) + self.traffic(pairs * limbs + old, limbs);
        if factors < pairs * limbs {
            cost.plain_reads += self.words(factors);
        } else {
            cost += self.traffic(factors, 0);
        }
        if !self.has(Caching::Limb) {
            let again = pairs.saturating_sub(1) * limbs;
            cost += self.traffic(again, again);
        }
        cost
    }

    /// A linear combination of `plain` terms with a factor of 1 or -1 and `scaled` terms with
    /// another factor.
    pub fn lincomb(self, limbs: usize, [plain, scaled]: [usize; 2], accumulate: bool) -> Cost {
        let (terms, old) = (plain + scaled, usize::from(accumulate));
        let sums = (terms + old).saturating_sub(1) * limbs;
        self.products(scaled * limbs, sums) + self.traffic((terms + old) * limbs, limbs)
    }

    /// A product of rows, each of `limbs` limbs, with a matrix of short integers.
    pub fn gemm(self, [rows, terms]: [usize; 2], limbs: usize, accumulate: bool) -> Cost {
        let mut cost = self.traffic((terms + usize::from(accumulate) * rows) * limbs, rows * limbs);
        cost.elementwise.mul = self.words(rows * terms * limbs) / SHORT_PRODUCTS + self.words(rows * limbs);
        cost.calls.products = (rows * terms * limbs) as u64;
        cost
    }

    /// A product of matrices with `rows` rows, each of `polys` polynomials. The layers of the transform that
    /// are inverted count as products.
    pub fn class_products(self, rows: usize, polys: [usize; 2], limbs: usize) -> Cost {
        let [read, written] = [(polys[0] + polys[1]) * rows * limbs, polys[0] * polys[1] * rows * limbs];
        let layers = u64::from(rows.max(1).ilog2());
        let mut cost = self.products(written * rows, written * rows.saturating_sub(1)) + self.traffic(read, written);
        cost.elementwise.mul += self.words(polys[0] * rows * limbs) * layers / 2;
        cost
    }

    /// An inner product of `beta` digits with a key, which has two polynomials per digit. `digits`
    /// limbs of digits are read and `sums` limbs of sums are written.
    pub fn inner_product(self, beta: usize, limbs: usize, digits: usize, sums: usize) -> Cost {
        self.products(2 * beta * limbs, 2 * beta.saturating_sub(1) * limbs)
            + self.traffic(digits, sums)
            + self.key(2 * beta * limbs)
    }
}
