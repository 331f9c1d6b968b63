//! What the calls cost with this library's own algorithms: centred base conversion with a quotient's term, decomposition
//! over the primes of the level at hand, tables of twiddle factors that stay in the caches.
//!
//! Arithmetic is the same whatever the memory; traffic depends on what stays in a cache between two steps, see
//! [`Caching`].

mod big;

use crate::operation::{Decomposition, Division, RotateSumShape};
use crate::{Cost, Operation, Ops, Part};

/// What stays at hand between the steps of one call: the cumulative caching levels of de Castro et al., Section IV.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub enum Caching {
    /// Nothing: each step reads its operands from memory and writes its result there.
    None,
    /// One limb, or a few: what follows limb by limb is done at once.
    Limb,
    /// A limb of each digit: a limb's digits are transformed and multiplied by the key at once.
    BetaLimbs,
    /// All limbs of a digit: it is converted and transformed without going to memory.
    AlphaLimbs,
    /// Also what is divided out comes first, so that what stays is finished while it is at hand.
    Reordered,
}

/// How many target limbs the CPU's kernels make from one reading of a conversion's source.
pub const TARGETS_AT_ONCE: usize = 8;

/// How costs are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
pub struct Policy {
    /// What stays in a cache.
    pub caching: Caching,
    /// As the CPU's kernels do: conversions go through tiles, for [`TARGETS_AT_ONCE`] targets at a time, and what they leave
    /// for the transforms goes through the last cache instead of staying in a nearer one.
    pub tiled: bool,
    /// Keys are read as one half, the other one is made from a seed.
    pub seeded_keys: bool,
}

impl Policy {
    /// What the CPU backend's kernels do.
    pub const CPU: Self = Self { caching: Caching::Reordered, tiled: true, seeded_keys: false };

    /// What a cache of `bytes` allows at ring degree `n`, digits of `alpha` limbs and `beta` of them, limbs being kept as a
    /// whole. One more limb is being written to while others are kept.
    pub fn for_cache(bytes: u64, n: usize, alpha: usize, beta: usize) -> Self {
        let limbs = (bytes / (8 * n as u64)) as usize;
        let caching = match limbs {
            l if l > 2 * alpha + 1 => Caching::Reordered,
            l if l > alpha => Caching::AlphaLimbs,
            l if l > beta => Caching::BetaLimbs,
            l if l > 1 => Caching::Limb,
            _ => Caching::None,
        };
        Self { caching, tiled: false, seeded_keys: false }
    }
}

/// Multiplications for each coefficient of a base conversion from `from` to `to` primes: what a rate of conversions is a rate of.
/// Each target is a sum of one product for each source limb and one for the quotient, which is a sum over the source limbs. One
/// more factor for each source limb is not counted: kernels make it part of the transform before, where there is one.
pub fn conversion_products(from: usize, to: usize) -> usize {
    to * (from + 1) + from
}

/// Limbs of degree n, as costs.
#[derive(Clone, Copy)]
struct Limbs {
    n: u64,
    policy: Policy,
}

impl Limbs {
    fn words(self, limbs: usize) -> u64 {
        self.n * limbs as u64
    }

    /// A butterfly is one multiplication and two additions; `N / 2 log N` of them.
    fn ntt(self, limbs: usize) -> Cost {
        let butterflies = self.words(limbs) / 2 * u64::from(self.n.ilog2());
        Cost { ntt: Ops { mul: butterflies, add: 2 * butterflies }, ..Cost::default() }
    }

    fn forward(self, limbs: usize) -> Cost {
        let mut cost = self.ntt(limbs);
        cost.calls.ntt = limbs as u64;
        cost
    }

    fn inverse(self, limbs: usize) -> Cost {
        let mut cost = self.ntt(limbs);
        cost.calls.intt = limbs as u64;
        cost
    }

    /// As [`conversion_products`] says.
    fn convert(self, from: usize, to: usize) -> Cost {
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

    fn products(self, limbs: usize, sums: usize) -> Cost {
        let mut cost = Cost { elementwise: Ops { mul: self.words(limbs), add: self.words(sums) }, ..Cost::default() };
        cost.calls.products = limbs as u64;
        cost
    }

    fn permuted(self, limbs: usize) -> Cost {
        let mut cost = Cost::default();
        cost.calls.permutations = limbs as u64;
        cost
    }

    fn traffic(self, reads: usize, writes: usize) -> Cost {
        Cost { reads: self.words(reads), writes: self.words(writes), ..Cost::default() }
    }

    fn key(self, limbs: usize) -> Cost {
        let limbs = if self.policy.seeded_keys { limbs / 2 } else { limbs };
        Cost { key_reads: self.words(limbs), ..Cost::default() }
    }

    /// Traffic of a conversion from `from` limbs, to `to` limbs of each polynomial, `converted` limbs in all, with the
    /// transforms after it.
    fn conversion(self, from: usize, to: usize, converted: usize) -> Cost {
        if self.policy.tiled {
            // all but the last levels of a transform are made in one pass, the last ones in another
            let passes = to.div_ceil(TARGETS_AT_ONCE);
            return Cost {
                near_reads: self.words(from * passes + 2 * converted),
                near_writes: self.words(2 * converted),
                ..Cost::default()
            };
        }
        let between = if self.has(Caching::AlphaLimbs) { 0 } else { converted };
        self.traffic(from + between, between)
    }

    fn has(self, caching: Caching) -> bool {
        self.policy.caching >= caching
    }

    /// Decomposition up to digits that are transformed: `written` where they go to memory.
    fn mod_up(self, d: &Decomposition, written: bool) -> Cost {
        let (l, converted) = (d.limbs(), d.converted());
        let compute: Cost = self.inverse(l)
            + d.digits.iter().map(|&len| self.convert(len, d.extended() - len)).sum()
            + self.forward(converted);
        // the source's coefficients, then the digits'
        let mut traffic = self.traffic(l, l) + self.conversion(l, d.extended(), converted);
        // a digit's own limbs are copied
        traffic += self.traffic(if written { l } else { 0 }, if written { converted + l } else { 0 });
        compute + traffic
    }

    /// Four products for each of the limbs, two of them in one sum.
    fn tensor(self, limbs: usize) -> Cost {
        let mut cost = self.products(4 * limbs, limbs) + self.traffic(4 * limbs, 3 * limbs);
        if !self.has(Caching::Limb) {
            cost += self.traffic(5 * limbs, limbs); // four products, each by itself, one of them into a sum
        }
        cost
    }

    /// Inner product with two polynomials for each digit; `digits` limbs of digits are read, `sums` of sums written.
    fn inner_product(self, beta: usize, limbs: usize, digits: usize, sums: usize) -> Cost {
        self.products(2 * beta * limbs, 2 * beta.saturating_sub(1) * limbs)
            + self.traffic(digits, sums)
            + self.key(2 * beta * limbs)
    }

    /// A rounded division of `polys` polynomials. `ready`: what is dropped is there as coefficients, and what is kept comes
    /// at hand, so that neither is read from memory.
    fn division(self, polys: usize, d: &Division, add: usize, ready: bool) -> Cost {
        let compute = self.inverse(polys * d.dropped)
            + self.convert(d.dropped, d.to()) * polys as u64
            + self.forward(polys * d.to())
            + self.products(polys * d.kept, polys * d.kept + add * d.to());
        let mut traffic = self.traffic(add * d.to(), polys * d.to());
        traffic += self.traffic(if ready { 0 } else { polys * d.dropped }, polys * d.dropped);
        traffic += self.conversion(polys * d.dropped, d.to(), polys * d.to());
        traffic += self.traffic(if ready { 0 } else { polys * d.kept }, 0);
        if !self.has(Caching::Limb) {
            traffic += self.traffic(polys * d.to(), polys * d.to()); // between transform and combination
        }
        compute + traffic
    }

    /// What is left of a key switch after its inner product. P times what is added divided by P is what is added: no product.
    fn finish(self, d: &Division, add: usize, decomposed: &Decomposition, automorphism: bool) -> Cost {
        let (permuted, by_p) =
            (if automorphism { 2 * d.to() } else { 0 }, d.dropped == decomposed.special && d.entering == 0);
        let (added, products) = (add * decomposed.limbs(), if by_p { 0 } else { add * decomposed.limbs() });
        let mut cost = self.division(2, d, 0, self.has(Caching::Reordered)) + self.permuted(permuted);
        cost += self.products(products, added) + self.traffic(added, 0);
        if !self.has(Caching::Limb) {
            cost += self.traffic(added + permuted, added + permuted);
        } else if self.policy.tiled {
            // limbs are finished, then put in order by a map of half words
            cost.near_reads += self.words(permuted) * 3 / 2;
            cost.near_writes += self.words(permuted);
        }
        cost
    }
}

fn part(name: &'static str, cost: Cost) -> Part {
    Part { name, cost, seconds: 0.0 }
}

/// The parts of a call and their costs, at ring degree `n`.
pub fn parts(operation: &Operation, n: usize, policy: Policy) -> Vec<Part> {
    let of = Limbs { n: n as u64, policy };
    let mut parts = match *operation {
        Operation::Upload { limbs } => vec![part("Upload", of.traffic(0, limbs))],
        Operation::Copy { limbs } => vec![part("Copy", of.traffic(limbs, limbs))],
        Operation::Ntt { limbs } => vec![part("NTT", of.forward(limbs) + of.traffic(limbs, limbs))],
        Operation::Intt { limbs } => vec![part("iNTT", of.inverse(limbs) + of.traffic(limbs, limbs))],
        Operation::Lincomb { limbs, plain, scaled, accumulate } => {
            let (terms, old) = (plain + scaled, usize::from(accumulate));
            let compute = of.products(scaled * limbs, (terms + old).saturating_sub(1) * limbs);
            vec![part("LinearCombination", compute + of.traffic((terms + old) * limbs, limbs))]
        }
        Operation::Mul { limbs, factor, accumulate } => {
            let old = usize::from(accumulate) * limbs;
            let mut cost = of.products(limbs, old) + of.traffic(limbs + old, limbs);
            if factor < limbs {
                cost.plain_reads += of.words(factor);
            } else {
                cost += of.traffic(factor, 0);
            }
            vec![part("Product", cost)]
        }
        Operation::Automorphism { limbs } => {
            vec![part("Automorph", of.permuted(limbs) + of.traffic(limbs, limbs))]
        }
        Operation::BaseConvert { polys, from, to } => {
            let cost = of.convert(from, to) * polys as u64 + of.traffic(polys * from, polys * to);
            vec![part("BaseConversion", cost)]
        }
        Operation::Tensor { limbs, .. } => vec![part("TensorProduct", of.tensor(limbs))],
        Operation::MulAcc { limbs, pairs, factors, accumulate } => {
            let old = usize::from(accumulate) * limbs;
            let sums = (pairs * limbs + old).saturating_sub(limbs);
            let mut cost = of.products(pairs * limbs, sums) + of.traffic(pairs * limbs + old, limbs);
            cost.plain_reads += of.words(factors);
            if !of.has(Caching::Limb) {
                let again = pairs.saturating_sub(1) * limbs;
                cost += of.traffic(again, again);
            }
            vec![part("ProductSum", cost)]
        }
        Operation::ModUp(ref d) => vec![part("ModUp", of.mod_up(d, true))],
        Operation::KeyInnerProduct { digits, limbs } => {
            vec![part("KSKInnerProd", of.inner_product(digits, limbs, digits * limbs, 2 * limbs))]
        }
        Operation::KeySwitch { .. } => key_switch(of, operation),
        Operation::RotateSum(ref s) => rotate_sum(of, s),
        Operation::RotateInto { ref decomposition, accumulate } => {
            let d = decomposition;
            let (beta, extended) = (d.beta(), d.extended());
            let written = !of.has(Caching::BetaLimbs);
            let digits = if written { beta * extended } else { d.limbs() };
            let old = if accumulate { 2 * extended } else { 0 };
            let mut sum = of.inner_product(beta, extended, digits, 0)
                + of.products(0, extended + old)
                + of.permuted(2 * extended)
                + of.traffic(extended + old, 2 * extended);
            if !of.has(Caching::Limb) {
                sum += of.traffic(5 * extended, 5 * extended);
            }
            vec![part("ModUp", of.mod_up(d, written)), part("KSKInnerProd", sum)]
        }
        Operation::CrtSplit { polys, words, primes } => {
            vec![part("CRT", of.split(polys * words, primes) + of.traffic(polys * words, polys * primes))]
        }
        Operation::CrtJoin { polys, primes, words } => {
            vec![part("iCRT", of.join(polys, primes, polys * words) + of.traffic(polys * primes, polys * words))]
        }
        Operation::ShiftRound { from, to } => vec![part("ShiftRound", of.products(0, to) + of.traffic(from, to))],
        Operation::BigLincomb { limbs, read, scaled } => {
            let sums = read.saturating_sub(limbs) + limbs; // with the carry
            let mut cost = of.traffic(read, limbs);
            cost.elementwise = Ops { mul: of.words(scaled), add: of.words(sums) };
            vec![part("BigCombination", cost)]
        }
        Operation::BigAutomorphism { limbs } => vec![part("BigAutomorph", of.traffic(limbs, limbs))],
        Operation::BigPrepare { digits, words, limbs, primes } => big::prepare(of, digits, words, limbs, primes),
        Operation::BigMul(ref m) => big::mul(of, m),
        Operation::DivideRound { polys, ref division, add } => {
            vec![part("ModDown", of.division(polys, division, add, false))]
        }
    };
    if let Some(first) = parts.first_mut() {
        first.cost.launches = 1;
    }
    parts
}

fn key_switch(of: Limbs, operation: &Operation) -> Vec<Part> {
    let Operation::KeySwitch { count, products, ref decomposition, hoisted, division, add, automorphism } = *operation
    else {
        return vec![];
    };
    let (d, times) = (decomposition, count as u64);
    let (beta, extended) = (d.beta(), d.extended());
    // from its digits, or from what the conversions left and the source itself
    let digits =
        if hoisted || of.has(Caching::BetaLimbs) { hoisted.then_some(beta * extended) } else { Some(beta * extended) };
    let own = if digits.is_none() { d.limbs() } else { 0 };
    let sums = if of.has(Caching::Reordered) { 0 } else { 2 * extended };
    let mut inner = of.inner_product(beta, extended, digits.unwrap_or(own), sums) * times;
    if !of.policy.tiled {
        // our processors take one polynomial after the other; elsewhere all are at hand with the key
        inner.key_reads /= times.max(1);
    }
    // products are computed before, and two of each sum's three polynomials are added
    let mut parts = vec![];
    if products > 0 {
        let combined = of.products(0, add * d.limbs()) + of.traffic(2 * add * d.limbs(), add * d.limbs());
        parts.push(part("TensorProduct", of.tensor(d.limbs()) * products as u64 + combined));
    }
    let add = if products > 0 { 2 } else { add / count.max(1) };
    if !hoisted {
        parts.push(part("ModUp", of.mod_up(d, digits.is_some()) * times));
    }
    parts.push(part("KSKInnerProd", inner));
    parts.push(part("ModDown", of.finish(&division, add, d, automorphism) * times));
    parts
}

fn rotate_sum(of: Limbs, s: &RotateSumShape) -> Vec<Part> {
    let (beta, limbs) = (s.digits, s.limbs);
    // the digits and the addends of a term, and the pair that it makes
    let pairs = s.switched + s.unswitched;
    let digits = if of.has(Caching::BetaLimbs) { (s.switched > 0).then_some(1) } else { Some(s.switched) };
    let mut inner = of.products(2 * beta * limbs * s.switched, (2 * beta.saturating_sub(1) + 1) * limbs * s.switched)
        + of.permuted(2 * limbs * s.turned)
        + of.key(2 * beta * limbs * s.switched)
        + of.traffic(digits.unwrap_or(0) * beta * limbs, 0);
    // an automorphism moves tiles: of the keys, and of the digits, which stay near
    inner.tiled_reads = of.key(2 * beta * limbs * s.turned.min(s.switched)).key_reads;
    inner += of.traffic(limbs * if of.has(Caching::BetaLimbs) { 2 } else { s.switched + 2 * s.unswitched }, 0);
    let written = if s.accumulate { 2 * limbs * s.sums } else { 0 };
    let sums = (2 * limbs * (s.products + s.ones) + written).saturating_sub(2 * limbs * s.sums);
    let mut outer = of.products(2 * limbs * s.products, sums) + of.traffic(written, 2 * limbs * s.sums);
    outer.plain_reads += s.factor_words as u64;
    if !of.has(Caching::BetaLimbs) {
        inner += of.traffic(0, 2 * limbs * pairs);
        outer += of.traffic(2 * limbs * (s.products + s.ones), 0);
        if !of.has(Caching::Limb) {
            let again = 2 * limbs * (s.products + s.ones).saturating_sub(s.sums);
            outer += of.traffic(again, again);
            inner += of.traffic(2 * limbs * s.turned, 2 * limbs * s.turned);
        }
    }
    vec![part("KSKInnerProd", inner), part("PtMult", outer)]
}
