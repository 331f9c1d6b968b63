//! Key switching: decomposition, inner products with keys, rounded division.

use ringjet_cpu::blocking::{self, FUSED_DIGITS};

use super::limbs::{Limbs, part};
use super::policy::Caching;
use crate::operation::{Decomposition, Division};
use crate::{Cost, Part};

/// Key switches with the same decomposition and division.
#[derive(Clone, Copy)]
pub struct Switches<'a> {
    pub decomposition: &'a Decomposition,
    pub division: &'a Division,
    /// The number of key switches.
    pub count: usize,
    /// true: all use the same key, with different digits. false: all use the same digits.
    pub one_key: bool,
    /// Whether the digits are ready, so that no decomposition is needed.
    pub ready: bool,
    /// The number of polynomials that are added before the division, for each key switch.
    pub add: usize,
    /// Whether each key switch ends with an automorphism.
    pub automorphism: bool,
}

impl Switches<'_> {
    /// The number of polynomials whose digits are switched.
    fn inputs(&self) -> usize {
        if self.one_key { self.count } else { 1 }
    }

    /// Rows per prime during a key switch: digits to transform, and results.
    pub fn rows(&self) -> usize {
        let digits = if self.ready { 0 } else { self.inputs() * self.decomposition.beta() };
        digits + if self.automorphism { 2 * self.count } else { 0 }
    }
}

impl Limbs {
    /// Decomposition into transformed digits. `written`: whether they are written to memory.
    pub fn mod_up(self, d: &Decomposition, written: bool) -> Cost {
        let (l, converted) = (d.limbs(), d.converted());
        // reads and writes of the source's coefficients
        let mut cost = self.decompose(d) + self.traffic(l, l);
        // the digit's own limbs are copied
        cost += self.traffic(if written { l } else { 0 }, if written { converted + l } else { 0 });
        if self.policy.is_cpu() {
            let all: Vec<usize> = (0..d.extended()).collect();
            return cost + self.digits_in_groups(d, 1, &all, d.beta());
        }
        let between = if self.has(Caching::AlphaLimbs) { 0 } else { converted };
        cost + self.traffic(l + between, between)
    }

    /// The arithmetic of a decomposition.
    fn decompose(self, d: &Decomposition) -> Cost {
        let converted: Cost = d.digits.iter().map(|&len| self.convert(len, d.extended() - len)).sum();
        self.inverse(d.limbs()) + converted + self.forward(d.converted())
    }

    /// The arithmetic of rounded divisions of `polys` polynomials.
    fn divide(self, polys: usize, d: &Division) -> Cost {
        self.inverse(polys * d.dropped())
            + self.convert(d.dropped(), d.to()) * polys as u64
            + self.forward(polys * d.to())
            + self.products(polys * d.kept(), polys * d.kept())
    }

    /// A rounded division of `polys` polynomials. With `ready`, the dropped limbs are available as
    /// coefficients and the kept limbs are in a cache, so neither is read from memory.
    pub fn division(self, polys: usize, d: &Division, add: usize, ready: bool) -> Cost {
        let (dropped, to) = (polys * d.dropped(), polys * d.to());
        let mut cost = self.divide(polys, d) + self.products(0, add * d.to());
        cost += self.traffic(add * d.to(), to) + self.traffic(if ready { 0 } else { dropped }, dropped);
        cost += self.traffic(if ready { 0 } else { polys * d.kept() }, 0);
        if self.policy.is_cpu() {
            // summands of an entering limb are added after its transform
            return cost + self.in_groups(dropped, d.to(), polys, to) + self.near(add * d.entering);
        }
        let between = if self.has(Caching::AlphaLimbs) { 0 } else { to };
        cost += self.traffic(dropped + between, between);
        if !self.has(Caching::Limb) {
            cost += self.traffic(to, to); // between transform and combination
        }
        cost
    }

    /// The steps of a key switch after its inner product, with a cache. Summands need no product
    /// with P, since the division by P would undo it.
    fn finish(self, s: &Switches<'_>) -> Cost {
        let (automorphisms, added) = self.end(s);
        let mut cost = self.division(2, s.division, 0, self.has(Caching::Reordered)) + self.traffic(added, 0);
        if !self.has(Caching::Limb) {
            cost += self.traffic(added + automorphisms, added + automorphisms);
        }
        cost + self.end_of(s)
    }

    /// The limbs that the automorphism of one switch permutes, and the limbs that are added.
    fn end(self, s: &Switches<'_>) -> (usize, usize) {
        let automorphisms = if s.automorphism { 2 * s.division.to() } else { 0 };
        (automorphisms, s.add * s.decomposition.limbs())
    }

    /// The arithmetic of the addition and the automorphism of one switch.
    fn end_of(self, s: &Switches<'_>) -> Cost {
        let (automorphisms, added) = self.end(s);
        let by_p = s.division.dropped() == s.decomposition.special && s.division.entering == 0;
        self.products(if by_p { 0 } else { added }, added) + self.automorphisms(automorphisms)
    }

    /// Key switches from the source polynomials to the result.
    pub fn switches(self, s: &Switches<'_>) -> Vec<Part> {
        match self.policy.is_cpu() {
            true if s.decomposition.beta() > FUSED_DIGITS => self.unfused_switches(s),
            true => self.cpu_switches(s),
            false => self.cached_switches(s),
        }
    }

    /// Key switches on a device with a cache.
    fn cached_switches(self, s: &Switches<'_>) -> Vec<Part> {
        let (d, times) = (s.decomposition, s.count as u64);
        let (beta, extended) = (d.beta(), d.extended());
        let at_hand = self.has(Caching::BetaLimbs);
        let written = !s.ready && !at_hand;
        // limbs read: ready or written digits are read from memory, else only the source's own
        // limbs
        let digits = if s.ready || written { beta * extended } else { d.limbs() };
        let sums = if self.has(Caching::Reordered) { 0 } else { 2 * extended };
        let mut inner = self.inner_product(beta, extended, digits, sums) * times;
        if s.one_key {
            // one reading of the key serves all polynomials
            inner.key_reads /= times.max(1);
        } else if at_hand {
            inner.reads -= self.words(digits) * times.saturating_sub(1);
        }
        let mut parts = vec![];
        if !s.ready {
            parts.push(part("mod_up", self.mod_up(d, written) * times));
        }
        parts.push(part("key_inner_product", inner));
        parts.push(part("divide_round", self.finish(s) * times));
        parts
    }

    /// Key switches as the CPU's kernels compute them. First come the inner products modulo the
    /// primes that are divided out; inverse transforms give the remainders. Then come those modulo
    /// the primes that stay, up to the result.
    fn cpu_switches(self, s: &Switches<'_>) -> Vec<Part> {
        let (d, by, results, rows) = (s.decomposition, s.division, 2 * s.count, s.rows());
        let (l, beta, dropped, kept) = (d.limbs(), d.beta(), by.dropped(), by.kept());
        let mut parts = vec![];
        if !s.ready {
            let up = self.decompose(d) * s.count as u64 + self.traffic(s.count * l, s.count * l);
            let converted = [&by.drop, &by.keep].map(|to| self.digits_in_groups(d, s.inputs(), to, rows));
            parts.push(part("mod_up", up + converted.into_iter().sum()));
        }
        let digits = match (s.ready, s.one_key || s.count == 1) {
            (false, _) => s.inputs() * l,
            (true, true) => s.inputs() * beta * (dropped + kept),
            // Rotations that share digits read them once per kept prime. For primes that are
            // divided out they run one after the other, so each rotation reads the digits again.
            (true, false) => beta * (s.count * dropped + kept),
        };
        let arithmetic = self.products(2 * beta, 2 * beta.saturating_sub(1)) * ((dropped + kept) * s.count) as u64;
        let keys = self.key(2 * beta * (dropped + kept) * if s.one_key { 1 } else { s.count });
        let sums = if s.ready { 0 } else { results * dropped };
        parts.push(part("key_inner_product", arithmetic + keys + self.traffic(digits, 0) + self.near(sums)));

        let q = |limbs: &[usize]| limbs.iter().filter(|&&limb| limb >= d.special).count();
        // all rotations of one ciphertext add the same words
        let added = s.add * (s.count * q(&by.drop) + if s.one_key { s.count } else { 1 } * q(&by.keep));
        let written = results * (dropped + by.to());
        let (staying, entering) = (results * kept, results * by.entering);
        let end = self.divide(results, by)
            + self.end_of(s) * s.count as u64
            + self.traffic(added, written)
            + self.in_groups(results * dropped, kept, rows, staying)
            + self.traffic(by.entering * results * dropped + entering, entering)
            + self.near(entering);
        parts.push(part("divide_round", end));
        parts
    }

    /// For more digits than the CPU's fused key switch supports: separate operations one after the
    /// other.
    fn unfused_switches(self, s: &Switches<'_>) -> Vec<Part> {
        let (d, by, times) = (s.decomposition, s.division, s.count as u64);
        let (beta, extended) = (d.beta(), d.extended());
        let mut parts = vec![];
        if !s.ready {
            parts.push(part("mod_up", self.mod_up(d, true) * times));
        }
        let inner = self.inner_product(beta, extended, beta * extended, 2 * extended);
        let added = if s.add > 0 { self.lincomb(s.add * d.limbs(), [0, 1], true) } else { Cost::default() };
        let (turned, _) = self.end(s);
        let end = self.division(2, by, 0, false) + self.automorphisms(turned) + self.traffic(turned, turned);
        parts.push(part("key_inner_product", (inner + added) * times));
        parts.push(part("divide_round", end * times));
        parts
    }

    /// Rotations that share digits; on the CPU in batches.
    pub fn hoisted_rotations(self, s: &Switches<'_>) -> Vec<Part> {
        let d = s.decomposition;
        if !self.policy.is_cpu() {
            return self.switches(s);
        }
        let batch = blocking::rotations_per_batch(d.beta() * d.extended() * self.n as usize);
        let of = |count: usize| self.switches(&Switches { count, ..*s });
        let mut parts: Vec<Part> = vec![];
        for from in (0..s.count).step_by(batch) {
            for next in of(batch.min(s.count - from)) {
                match parts.iter_mut().find(|p| p.name == next.name) {
                    Some(part) => part.cost += next.cost,
                    None => parts.push(next),
                }
            }
        }
        parts
    }

    /// A rotation whose result is added to a sum over the extended basis.
    pub fn rotate_into(self, d: &Decomposition, accumulate: bool) -> Vec<Part> {
        let (beta, extended) = (d.beta(), d.extended());
        let unfused = self.policy.is_cpu() && beta > FUSED_DIGITS;
        let written = unfused || !self.has(Caching::BetaLimbs);
        let digits = if written { beta * extended } else { d.limbs() };
        let old = if accumulate { 2 * extended } else { 0 };
        let mut sum = self.inner_product(beta, extended, digits, 0)
            + self.products(0, extended + old)
            + self.automorphisms(2 * extended)
            + self.traffic(extended + old, 2 * extended);
        if unfused || !self.has(Caching::Limb) {
            sum += self.traffic(5 * extended, 5 * extended);
        }
        vec![part("mod_up", self.mod_up(d, written)), part("key_inner_product", sum)]
    }
}
