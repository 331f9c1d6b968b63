//! Tests of big coefficients: residues and back, shifts, linear combinations, automorphisms,
//! products.

use ringjet_math::Basis;

use super::data::{Host, Layout, STYLES, Style};
use super::{BigShape, Check, Suite};
use crate::big::{BigFactor, BigMul, BigTerm, MAX_FACTOR};
use crate::plan::{AutomorphismPlan, CrtJoinPlan, CrtSplitPlan, Domain};

impl Suite<'_> {
    pub(super) fn big_coefficients(&mut self, log_n: u32, shape: &BigShape) -> Check {
        let [a, b] = shape.bits;
        // for exact sums of two products of polynomials of degree N, and one more bit
        let limbs = (a + b + log_n + 2).div_ceil(shape.prime - 1) as usize;
        let Some(basis) = self.basis(log_n, &vec![shape.prime; limbs])? else { return Ok(()) };
        for (i, style) in STYLES.into_iter().enumerate() {
            let bits = shape.bits[i % 2];
            self.big_conversions(&basis, bits, style)?;
            self.big_shifts(basis.n(), bits, style)?;
            self.big_combinations(basis.n(), bits, style)?;
            self.big_products(&basis, shape, style)?;
        }
        self.big_automorphisms(log_n, a)
    }

    fn big(&mut self, n: usize, bits: u32, layout: Layout, style: Style) -> Host {
        Host::big(&mut self.rng, n, bits, layout, style)
    }

    fn big_conversions(&mut self, basis: &Basis, bits: u32, style: Style) -> Check {
        let case = format!("{} primes, {bits} bits, N = {}, {style:?}", basis.len(), basis.n());
        let src = self.big(basis.n(), bits, Layout::inside(2), style);
        let residues = Host::new(&mut self.rng, basis, Layout::inside(2), Style::Random);
        let split = CrtSplitPlan::new(basis, bits);
        self.compare("crt_split", &case, std::slice::from_ref(&src), &residues, |b, s, d| {
            b.crt_split(residues.view_mut(d), src.view(&s[0]), &split)
        })?;
        for bits in [1, bits, bits + 52, basis.log2() as u32 - 1] {
            let case = format!("to {bits} bits, {case}");
            let src = Host::new(&mut self.rng, basis, Layout::inside(2), style);
            let dst = self.big(basis.n(), bits, Layout::prefix(2), Style::Random);
            let join = CrtJoinPlan::new(basis, bits);
            self.compare("crt_join", &case, std::slice::from_ref(&src), &dst, |b, s, d| {
                b.crt_join(dst.view_mut(d), src.view(&s[0]), &join)
            })?;
        }
        Ok(())
    }

    fn big_shifts(&mut self, n: usize, bits: u32, style: Style) -> Check {
        for shift in [0, 1, 30, 51, 52, 53, 104, bits / 2, bits - 1] {
            if shift >= bits {
                continue;
            }
            let src = self.big(n, bits, Layout::inside(2), style);
            let dst = self.big(n, bits - shift, Layout::prefix(2), Style::Random);
            let case = format!("{bits} bits by {shift}, N = {n}, {style:?}");
            self.compare("shift_round", &case, std::slice::from_ref(&src), &dst, |b, s, d| {
                b.shift_round(dst.view_mut(d), src.view(&s[0]), bits, shift)
            })?;
        }
        Ok(())
    }

    fn big_combinations(&mut self, n: usize, bits: u32, style: Style) -> Check {
        for (count, accumulate) in [(0, false), (1, false), (2, false), (2, true), (1, true), (5, true)] {
            let dst = self.big(n, bits, Layout::inside(2), style);
            let (mut sources, mut factors) = (vec![], vec![]);
            for t in 0..count {
                let from = [bits, bits + 60, bits.div_ceil(2), bits][t % 4];
                let polys = 1 + self.rng.below(2) as usize;
                sources.push((self.big(n, from, Layout::inside(polys), style), from));
                let any = self.rng.below(2 * MAX_FACTOR + 1) as i64 - MAX_FACTOR as i64;
                factors.push([1, -1, any, MAX_FACTOR as i64, -(MAX_FACTOR as i64), 0][self.rng.below(6) as usize]);
            }
            let (hosts, from): (Vec<Host>, Vec<u32>) = sources.into_iter().unzip();
            let case = format!("{bits} bits from {from:?} times {factors:?}, accumulate {accumulate}, {style:?}");
            self.compare("big_lincomb", &case, &hosts, &dst, |b, s, d| {
                let term = |t: usize| BigTerm { factor: factors[t], src: hosts[t].view(&s[t]), bits: from[t] };
                b.big_lincomb(dst.view_mut(d), &(0..count).map(term).collect::<Vec<_>>(), bits, accumulate)
            })?;
        }
        Ok(())
    }

    fn big_automorphisms(&mut self, log_n: u32, bits: u32) -> Check {
        let two_n = 2 << log_n;
        for galois in [1, 5, 25, two_n - 1, two_n - 5] {
            let plan = AutomorphismPlan::new(log_n, galois, Domain::Coefficient);
            let src = self.big(1 << log_n, bits, Layout::inside(1), Style::Random);
            let dst = self.big(1 << log_n, bits, Layout::prefix(2), Style::Random);
            let case = format!("{bits} bits, X^{galois}, log N = {log_n}");
            self.compare("big_automorphism", &case, std::slice::from_ref(&src), &dst, |b, s, d| {
                b.big_automorphism(dst.view_mut(d), src.view(&s[0]), bits, &plan)
            })?;
        }
        Ok(())
    }

    /// Products of two ciphertexts, squares, key switches, and products with one polynomial.
    fn big_products(&mut self, basis: &Basis, shape: &BigShape, style: Style) -> Check {
        let ([a, b], shift, n) = (shape.bits, shape.shift, basis.n());
        let tensor: &[&[(usize, usize)]] = &[&[(0, 0)], &[(0, 1), (1, 0)], &[(1, 1)]];
        let single: &[&[(usize, usize)]] = &[&[(0, 0)], &[(0, 1)]];
        let (left, right) = (CrtSplitPlan::new(basis, a), CrtSplitPlan::new(basis, b));
        let join = CrtJoinPlan::new(basis, a + shift);
        let sources = [
            self.big(n, a, Layout::inside(2), style),
            self.big(n, b, Layout::prefix(2), style),
            self.big(n, a, Layout::inside(2), style),
        ];
        for (kind, sums) in [tensor, tensor, single, single].into_iter().enumerate() {
            if kind == 1 && 2 * a + basis.log_n() + 2 > basis.log2() as u32 {
                continue;
            }
            let dst = self.big(n, a, Layout::inside(sums.len()), Style::Random);
            let case = format!("{shape:?}, kind {kind}, {} primes, N = {n}, {style:?}", basis.len());
            self.compare("big_mul", &case, &sources, &dst, |backend, s, d| {
                let prepared = backend.big_prepare(sources[1].view(&s[1]), &right)?;
                assert_eq!(prepared.limbs(), backend.big_prepared_limbs(2, basis, b), "{case}: limbs foretold");
                let mul = BigMul {
                    left: sources[0].view(&s[0]),
                    split: &left,
                    right: match kind {
                        0 => BigFactor::Integers(sources[1].view(&s[1]), &right),
                        1 => BigFactor::Same,
                        2 => BigFactor::Prepared(prepared.view(2), b),
                        _ => BigFactor::Integers(sources[1].view(&s[1]), &right),
                    },
                    sums,
                    join: &join,
                    shift,
                    add: (kind != 0).then(|| sources[2].view(&s[2])).map(|v| v.slice(0, 1 + kind % 2)),
                };
                backend.big_mul(dst.view_mut(d), &mul)
            })?;
        }
        Ok(())
    }
}
