//! Costs of the published model's building blocks (de Castro et al., ePrint 2021/1636), by numbers
//! of limbs. `l` is the number of limbs of a ciphertext.

use ringjet_model::{Caching, Cost, Ops};

use super::configuration::Configuration;
use super::policy::PaperPolicy;

/// Computes costs from numbers of limbs, under a policy; in operations on single residues and
/// words.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limbs {
    pub(super) of: Configuration,
    pub(super) policy: PaperPolicy,
}

impl Limbs {
    fn words(&self, limbs: usize) -> u64 {
        (limbs as u64) << self.of.log_n
    }

    pub(super) fn has(&self, caching: Caching) -> bool {
        self.policy.caching >= caching
    }

    /// Whether every step goes through memory.
    pub(super) fn uncached(&self) -> bool {
        !self.has(Caching::Limb)
    }

    /// Whether the input of ModDown goes through memory.
    pub(super) fn unordered(&self) -> bool {
        !self.has(Caching::Reordered)
    }

    pub(super) fn alpha(&self, l: usize) -> usize {
        (if self.policy.quirks.shrink_p { l } else { self.of.limbs }).div_ceil(self.of.dnum)
    }

    fn beta(&self, l: usize) -> usize {
        if self.policy.quirks.beta_dnum { self.of.dnum } else { l.div_ceil(self.alpha(l)) }
    }

    /// Limbs of the extended basis for `l` limbs.
    pub(super) fn extended(&self, l: usize) -> usize {
        l + self.alpha(l) + 1
    }

    pub(super) fn read(&self, limbs: usize) -> Cost {
        Cost { reads: self.words(limbs), ..Cost::default() }
    }

    pub(super) fn write(&self, limbs: usize) -> Cost {
        Cost { writes: self.words(limbs), ..Cost::default() }
    }

    pub(super) fn traffic(&self, read: usize, written: usize) -> Cost {
        self.read(read) + self.write(written)
    }

    /// The reading of plaintexts, if the policy counts it.
    pub(super) fn plain(&self, limbs: usize) -> Cost {
        let counted = if self.policy.quirks.plain_reads { 0 } else { limbs };
        Cost { plain_reads: self.words(counted), ..Cost::default() }
    }

    pub(super) fn ops(&self, mul: usize, add: usize) -> Cost {
        Cost { elementwise: Ops { mul: self.words(mul), add: self.words(add) }, ..Cost::default() }
    }

    /// A butterfly has one multiplication and two additions; computing the twiddle factors takes
    /// 1.5 multiplications per residue.
    fn ntt(&self, limbs: usize) -> Cost {
        let log_n = u64::from(self.of.log_n);
        let mul = self.words(limbs) / 2 * (log_n + 3);
        Cost { ntt: Ops { mul, add: self.words(limbs) * log_n }, ..Cost::default() }
    }

    fn convert(&self, from: usize, to: usize) -> Cost {
        let ops = Ops { mul: self.words(from * (to + 1)), add: self.words(from * to) };
        Cost { base_conversion: ops, ..Cost::default() }
    }

    /// Limbs that are written limb by limb and read slot by slot, or the reverse.
    fn swap(&self, limbs: usize) -> Cost {
        if self.has(Caching::AlphaLimbs) { Cost::default() } else { self.traffic(limbs, limbs) }
    }

    /// Conversion from `from` limbs to `to` new limbs, without reading the source and writing the
    /// result.
    pub(super) fn mod_up(&self, from: usize, to: usize) -> Cost {
        self.ntt(from) + self.swap(from) + self.convert(from, to) + self.swap(to) + self.ntt(to)
    }

    /// Division of one polynomial of `from` limbs; `to` limbs stay.
    pub(super) fn mod_down(&self, from: usize, to: usize, read: bool, written: bool) -> Cost {
        self.mod_up(from - to, to)
            + self.ops(to, to)
            + self.traffic(if read { from } else { 0 }, if written { to } else { 0 })
    }

    /// Decomposition of `l` limbs into digits of `extended` limbs.
    pub(super) fn hoist(&self, l: usize, extended: usize, read: bool) -> Cost {
        let (alpha, beta) = (self.alpha(l), self.beta(l));
        let digit = |j: usize| {
            let limbs = if self.policy.quirks.full_digits { alpha } else { alpha.min(l.saturating_sub(j * alpha)) };
            self.ops(2 * limbs, 0) + self.mod_up(limbs, extended - limbs) + self.write(extended - limbs)
        };
        (0..beta).map(digit).sum::<Cost>() + self.read(if read { l } else { 0 })
    }

    /// The reading of the digits of `l` limbs.
    pub(super) fn digits(&self, l: usize, extended: usize) -> Cost {
        self.read(self.beta(l) * extended)
    }

    /// An inner product of digits with a key.
    pub(super) fn inner(&self, l: usize, extended: usize, digits_read: bool, written: bool) -> Cost {
        let beta = self.beta(l);
        let halves = if self.policy.seeded_keys { 1 } else { 2 };
        let mut cost = self.ops(2 * beta * extended, 2 * (beta - 1) * extended);
        cost.key_reads = self.words(beta * halves * extended);
        if digits_read {
            cost += self.digits(l, extended);
        }
        cost + self.write(if written { 2 * extended } else { 0 })
    }

    /// Division of one polynomial of `l` limbs by its last prime.
    pub(super) fn rescale(&self, l: usize, read: bool, written: bool) -> Cost {
        self.ntt(l) + self.ops(l - 1, l - 1) + self.traffic(if read { l } else { 0 }, if written { l - 1 } else { 0 })
    }

    pub(super) fn pt_add(&self, l: usize, read: bool, written: bool) -> Cost {
        self.ops(0, l) + self.traffic(if read { 2 * l } else { 0 }, if written { l } else { 0 })
    }

    pub(super) fn add(&self, l: usize, read: bool, written: bool) -> Cost {
        self.ops(0, 2 * l) + self.traffic(if read { 4 * l } else { 0 }, if written { 2 * l } else { 0 })
    }

    pub(super) fn pt_mul(&self, l: usize, read: bool, written: bool) -> Cost {
        self.ops(2 * l, 0) + self.traffic(if read { 3 * l } else { 0 }, if written { 2 * l } else { 0 })
    }

    /// Karatsuba products of two ciphertexts `(a_0, b_0)` and `(a_1, b_1)`, without `a_0 * a_1`.
    pub(super) fn tensor(&self, l: usize, square: bool) -> Cost {
        self.ops(2 * l, if square { l } else { 4 * l })
    }

    /// A key switch, with the addition of the polynomial that is not switched.
    pub(super) fn key_switch(&self, l: usize, read: bool, written: bool) -> Cost {
        let extended = self.extended(l);
        let through = if self.policy.quirks.ks_order { self.uncached() } else { self.unordered() };
        self.hoist(l, extended, read)
            + self.inner(l, extended, true, through)
            + self.mod_down(extended, l, through, written)
            + self.mod_down(extended, l, through, false)
            + self.ops(0, l)
            + self.traffic(if read { l } else { 0 }, if written { l } else { 0 })
    }

    /// An automorphism and the key switch after it.
    pub(super) fn rotate(&self, l: usize, read: bool, written: bool) -> Cost {
        let uncached = self.uncached();
        self.traffic(if read { 2 * l } else { 0 }, if uncached { 2 * l } else { 0 })
            + self.key_switch(l, uncached, written)
    }

    /// One rotation from ready digits.
    pub(super) fn rotate_digits(&self, l: usize) -> Cost {
        let (extended, read) = (self.extended(l), !self.has(Caching::BetaLimbs));
        let through = self.policy.quirks.bsgs_digits_wr || self.unordered();
        self.inner(l, extended, read, through)
            + self.mod_down(extended, l, through, true)
            + self.mod_down(extended, l, through, false)
            + self.ops(0, l)
            + self.traffic(if read { l } else { 0 }, l)
    }

    /// Rotations from ready digits whose results stay over the extended basis: inner products,
    /// products of the ciphertext's first polynomial b with P, and their sums. Writing the inner
    /// products is not included.
    pub(super) fn raised_rotations(&self, l: usize, extended: usize, rotations: usize) -> Cost {
        let (uncached, quirks) = (self.uncached(), self.policy.quirks);
        let one = |first: bool| {
            let mut cost = self.inner(l, extended, first || !self.has(Caching::BetaLimbs), false) + self.ops(0, l);
            cost += self.read(if uncached || first { l } else { 0 });
            cost += self.ops(if uncached || first || !quirks.pmult_once { l } else { 0 }, 0);
            cost + if uncached { self.traffic(l, l) } else { Cost::default() }
        };
        if rotations == 0 { Cost::default() } else { one(true) + one(false) * (rotations as u64 - 1) }
    }
}
