//! Key switching: decomposition, inner products with keys, rounded division.

use ringjet_backend::blocking::{self, FUSED_DIGITS};

use super::limbs::{Limbs, part};
use super::policy::Caching;
use crate::operation::{Decomposition, Division};
use crate::{Cost, Part};

/// Key switches of the same decomposition and division.
#[derive(Clone, Copy)]
pub struct Switches<'a> {
    pub decomposition: &'a Decomposition,
    pub division: &'a Division,
    /// How many.
    pub count: usize,
    /// Whether they all take the same key, or else the same digits.
    pub one_key: bool,
    /// Whether digits are there already.
    pub ready: bool,
    /// Polynomials that are added to each before the division.
    pub add: usize,
    /// Whether an automorphism comes last.
    pub automorphism: bool,
}

impl Switches<'_> {
    /// Polynomials whose digits are switched.
    fn inputs(&self) -> usize {
        if self.one_key { self.count } else { 1 }
    }

    /// Rows that each prime has while it is switched: of digits to transform, and of results.
    pub fn rows(&self) -> usize {
        let digits = if self.ready { 0 } else { self.inputs() * self.decomposition.beta() };
        digits + if self.automorphism { 2 * self.count } else { 0 }
    }
}

impl Limbs {
    /// Decomposition up to digits that are transformed: `written` where they go to memory.
    pub fn mod_up(self, d: &Decomposition, written: bool) -> Cost {
        let (l, converted) = (d.limbs(), d.converted());
        // the source's coefficients
        let mut cost = self.decompose(d) + self.traffic(l, l);
        // a digit's own limbs are copied
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

    /// A rounded division of `polys` polynomials. `ready`: what is dropped is there as
    /// coefficients, and what is kept comes at hand, so that neither is read from memory.
    pub fn division(self, polys: usize, d: &Division, add: usize, ready: bool) -> Cost {
        let (dropped, to) = (polys * d.dropped(), polys * d.to());
        let mut cost = self.divide(polys, d) + self.products(0, add * d.to());
        cost += self.traffic(add * d.to(), to) + self.traffic(if ready { 0 } else { dropped }, dropped);
        cost += self.traffic(if ready { 0 } else { polys * d.kept() }, 0);
        if self.policy.is_cpu() {
            // what is added to a limb that enters is added after its transform
            return cost + self.in_groups(dropped, d.to(), polys, to) + self.near(add * d.entering);
        }
        let between = if self.has(Caching::AlphaLimbs) { 0 } else { to };
        cost += self.traffic(dropped + between, between);
        if !self.has(Caching::Limb) {
            cost += self.traffic(to, to); // between transform and combination
        }
        cost
    }

    /// What is left of a key switch after its inner product, with a cache. P times what is added
    /// divided by P is what is added: no product.
    fn finish(self, s: &Switches<'_>) -> Cost {
        let (automorphisms, added) = self.end(s);
        let mut cost = self.division(2, s.division, 0, self.has(Caching::Reordered)) + self.traffic(added, 0);
        if !self.has(Caching::Limb) {
            cost += self.traffic(added + automorphisms, added + automorphisms);
        }
        cost + self.end_of(s)
    }

    /// Limbs of one switch that are put in order, and limbs that are added.
    fn end(self, s: &Switches<'_>) -> (usize, usize) {
        let automorphisms = if s.automorphism { 2 * s.division.to() } else { 0 };
        (automorphisms, s.add * s.decomposition.limbs())
    }

    /// The arithmetic of one switch's addition and automorphism.
    fn end_of(self, s: &Switches<'_>) -> Cost {
        let (automorphisms, added) = self.end(s);
        let by_p = s.division.dropped() == s.decomposition.special && s.division.entering == 0;
        self.products(if by_p { 0 } else { added }, added) + self.automorphisms(automorphisms)
    }

    /// Key switches, from what is switched to the end.
    pub fn switches(self, s: &Switches<'_>) -> Vec<Part> {
        match self.policy.is_cpu() {
            true if s.decomposition.beta() > FUSED_DIGITS => self.unfused_switches(s),
            true => self.cpu_switches(s),
            false => self.cached_switches(s),
        }
    }

    /// With a cache.
    fn cached_switches(self, s: &Switches<'_>) -> Vec<Part> {
        let (d, times) = (s.decomposition, s.count as u64);
        let (beta, extended) = (d.beta(), d.extended());
        let at_hand = self.has(Caching::BetaLimbs);
        let written = !s.ready && !at_hand;
        // from its digits, or from what the conversions left and the source itself
        let digits = if s.ready || written { beta * extended } else { d.limbs() };
        let sums = if self.has(Caching::Reordered) { 0 } else { 2 * extended };
        let mut inner = self.inner_product(beta, extended, digits, sums) * times;
        if s.one_key {
            // all polynomials are at hand with the key
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

    /// As the CPU's kernels make them: first the inner products modulo the primes that are divided
    /// out, whose inverse transforms give the remainders, then those modulo the primes that stay,
    /// up to the result.
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
            // modulo a prime that is divided out, rotations of the same digits read them one after
            // the other
            (true, false) => beta * (s.count * dropped + kept),
        };
        let arithmetic = self.products(2 * beta, 2 * beta.saturating_sub(1)) * ((dropped + kept) * s.count) as u64;
        let keys = self.key(2 * beta * (dropped + kept) * if s.one_key { 1 } else { s.count });
        let sums = if s.ready { 0 } else { results * dropped };
        parts.push(part("key_inner_product", arithmetic + keys + self.traffic(digits, 0) + self.near(sums)));

        let q = |limbs: &[usize]| limbs.iter().filter(|&&limb| limb >= d.special).count();
        // rotations of one ciphertext add the same words
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

    /// More digits than the CPU's fused key switch takes: operations one after the other.
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

    /// Rotations of the same digits: on the CPU in batches.
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

    /// A rotation that is added to a sum over the extended basis.
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
