//! Tests of digits, inner products with keys, key switches and rounded divisions.

use ringjet_math::Basis;

use super::data::{Host, Layout, STYLES, Style};
use super::elementwise::describe;
use super::{Check, Suite};
use crate::plan::{AutomorphismPlan, DivisionPlan, Domain, ModUpPlan};
use crate::{HoistedRotations, KeySwitch, KeySwitchInput, Result, RotateFactor, RotateSum, RotateTerm, Rotation};

/// The factor of scaled decompositions. It exceeds primes of 30 bits.
const SCALED_BY: u64 = 0x1_2345_6789;

impl Suite<'_> {
    pub(super) fn keyswitch(&mut self, p: &Basis, q: &Basis, alpha: usize) -> Check {
        for limbs in [q.len(), q.len().div_ceil(2), 1] {
            let plan = ModUpPlan::new(p, &q.prefix(limbs), alpha);
            for style in STYLES {
                self.digits(&plan, q, style)?;
            }
        }
        Ok(())
    }

    fn digits(&mut self, plan: &ModUpPlan, q: &Basis, style: Style) -> Check {
        let case = format!("{}, {} digits of P {}, {style:?}", describe(&plan.src), plan.beta(), plan.special);
        let rng = &mut self.rng;
        let mut src = Host::new(rng, &plan.src, Layout::inside(1), style);
        if style == Style::Max {
            // In the coefficient domain y_i = d_i - 1 everywhere: the largest possible sums.
            for digit in plan.digits.iter() {
                for i in 0..digit.len {
                    let m = digit.conv.conv.src.modulus(i);
                    let limb = src.limb(0, digit.start + i);
                    limb.fill(m.neg(m.inv(digit.conv.conv.hat_inverse[i]).unwrap_or(1)));
                    digit.conv.conv.src.primes()[i].table().forward(limb);
                }
            }
        }
        let dst = Host::new(rng, &plan.extended, Layout::inside(plan.beta()), style);
        let sources = std::slice::from_ref(&src);
        self.compare("mod_up", &case, sources, &dst, |b, s, d| b.mod_up(dst.view_mut(d), src.view(&s[0]), plan))?;
        let rng = &mut self.rng;
        // Keys are made at the highest level, so their polynomials have more limbs.
        let key = Host::new(rng, &plan.extended, Layout::prefix(2 * plan.beta()), style);
        for to in [Layout::dense(2), Layout::inside(2)] {
            let acc = Host::new(&mut self.rng, &plan.extended, to, Style::Random);
            let sources = [dst.clone(), key.clone()];
            self.compare("key_inner_product", &case, &sources, &acc, |b, s, d| {
                b.key_inner_product(acc.view_mut(d), dst.view(&s[0]), key.view(&s[1]), &plan.extended)
            })?;
        }
        self.chosen_limbs(plan, style, &case, &dst)?;
        // the other styles would find only faults that tests of products and permutations find, too
        if matches!(style, Style::Random | Style::Max) {
            self.rotations(plan, style, &case, [&src, &dst, &key])?;
            self.hoisted(plan, style, &case, [&dst, &key])?;
        }
        if style == Style::Random && plan.src.len() == q.len() {
            self.several(plan, &case, &key)?;
        }
        self.switches(plan, q, style, &case, [&src, &dst, &key])?;
        // the factor changes only what is added before the division
        let scaled = plan.scaled(SCALED_BY);
        self.switches(&scaled, q, style, &format!("{case}, times {SCALED_BY}"), [&src, &dst, &key])?;
        if style == Style::Random && plan.src.len() == q.len() {
            self.several(&scaled, &format!("{case}, times {SCALED_BY}"), &key)?;
        }
        Ok(())
    }

    /// Three sums of rotations, with and without keys, automorphisms and factors.
    fn rotations(&mut self, plan: &ModUpPlan, style: Style, case: &str, operands: [&Host; 3]) -> Check {
        let [src, digits, key] = operands;
        let basis = &plan.extended;
        let add = Host::new(&mut self.rng, basis, Layout::inside(2), style);
        let factor = Host::new(&mut self.rng, basis, Layout::prefix(1), style);
        let spaced = Host::spaced(&mut self.rng, basis, Layout::prefix(1), 8);
        let dst = Host::new(&mut self.rng, basis, Layout::inside(6), style);
        let plans = [5, 25].map(|g| AutomorphismPlan::new(plan.src.log_n(), g, Domain::Evaluation));
        let pair = Host::new(&mut self.rng, basis, Layout::inside(2), style);
        for accumulate in [false, true] {
            let sources = [src.clone(), key.clone(), factor.clone()];
            let case = format!("{case}, accumulate {accumulate}");
            self.compare("rotate_into", &case, &sources, &pair, |b, s, d| {
                let (key, add) = (key.view(&s[1]), factor.view(&s[2]));
                let rotation = Rotation { mod_up: plan, key, automorphism: &plans[0], add };
                b.rotate_into(pair.view_mut(d), src.view(&s[0]), &rotation, accumulate)
            })?;
        }
        let each = Host::new(&mut self.rng, basis, Layout::inside(18), style);
        // the last ones have more terms than a backend may add up without reducing
        let cases = [(0, false), (1, true), (4, false), (4, true), (9, true)].map(|case| (case, false));
        for ((terms, accumulate), own) in cases.into_iter().chain([((4, false), true), ((9, true), true)]) {
            let pairs = if own { &each } else { &add };
            let sources = [digits.clone(), key.clone(), pairs.clone(), factor.clone(), spaced.clone()];
            let case = format!("{case}, {terms} terms, accumulate {accumulate}, pairs of their own {own}");
            self.compare("hoisted_rotate_sum", &case, &sources, &dst, |b, s, d| {
                let (key, by) = (Some(key.view(&s[1])), RotateFactor::Poly(factor.view(&s[3])));
                let (none, one) = (RotateFactor::None, RotateFactor::One);
                let few = b.compact(spaced.view(&s[4]), 8)?;
                let few = RotateFactor::Poly(few.view(1));
                let all = [
                    RotateTerm { key, automorphism: Some(&plans[0]), factors: &[one, by, none] },
                    RotateTerm { key: None, automorphism: None, factors: &[by, none, none] },
                    RotateTerm { key, automorphism: None, factors: &[few, by, none] },
                    RotateTerm { key: None, automorphism: Some(&plans[1]), factors: &[none, one, none] },
                ];
                let all: Vec<RotateTerm<'_>> = all.into_iter().cycle().take(terms).collect();
                let add = if own { pairs.view(&s[2]).slice(0, 2 * terms) } else { pairs.view(&s[2]) };
                let sum = RotateSum { digits: digits.view(&s[0]), add, terms: &all };
                b.hoisted_rotate_sum(dst.view_mut(d), &sum, basis, accumulate)
            })?;
        }
        Ok(())
    }

    /// Inner products with key limbs that are chosen from longer polynomials, in another order.
    fn chosen_limbs(&mut self, plan: &ModUpPlan, style: Style, case: &str, digits: &Host) -> Check {
        let limbs = plan.extended.len();
        let (reversed, basis) = ((0..limbs).rev().collect::<Vec<_>>(), plan.extended.select((0..limbs).rev()));
        let key = Host::new(&mut self.rng, &basis, Layout::inside(2 * plan.beta()), style);
        let acc = Host::new(&mut self.rng, &plan.extended, Layout::inside(2), Style::Random);
        self.compare(
            "key_inner_product",
            &format!("{case}, chosen"),
            &[digits.clone(), key.clone()],
            &acc,
            |b, s, d| {
                let key = key.view(&s[1]).choose(&reversed);
                b.key_inner_product(acc.view_mut(d), digits.view(&s[0]), key, &plan.extended)
            },
        )
    }

    /// Key switches of a polynomial and of digits, divided by P and by more primes, with and
    /// without addend and automorphism.
    fn switches(&mut self, plan: &ModUpPlan, q: &Basis, style: Style, case: &str, operands: [&Host; 3]) -> Check {
        let [src, digits, key] = operands;
        let special: Vec<usize> = (0..plan.special).collect();
        let last = plan.extended.len() - 1;
        let merged: Vec<usize> = special.iter().copied().chain([last]).collect();
        let galois = AutomorphismPlan::new(plan.src.log_n(), 5, Domain::Evaluation);
        let by = |drop: &Vec<usize>| (drop.len() < last + 1).then(|| DivisionPlan::new(&plan.extended, drop));
        let mut divisions: Vec<DivisionPlan> = [special, merged].iter().filter_map(by).collect();
        let limbs = plan.src.len();
        if limbs < q.len() {
            // the next prime enters, before or after those that stay, and the last prime is divided
            // out
            let (stay, enter) = (plan.src.prefix(limbs - 1), q.select([limbs]));
            divisions.push(DivisionPlan::rational(&plan.extended, &enter.concat(&stay)));
            divisions.push(DivisionPlan::rational(&plan.extended, &stay.concat(&enter)));
        }
        for division in divisions {
            for (added, galois) in [(None, None), (Some(2), None), (Some(1), Some(&galois)), (Some(2), Some(&galois))] {
                let add = Host::new(&mut self.rng, &plan.src, Layout::inside(added.unwrap_or(1)), style);
                let dst = Host::new(&mut self.rng, &division.dst, Layout::inside(2), Style::Random);
                let (drop, keep) = (&division.drop, &division.keep);
                let galois_case = galois.is_some();
                let case = format!("{case}, drop {drop:?}, keep {keep:?}, add {added:?}, automorphism {galois_case}");
                for from_digits in [false, true] {
                    let input = if from_digits { digits } else { src };
                    let sources = [input.clone(), key.clone(), add.clone()];
                    self.compare("key_switch", &case, &sources, &dst, |b, s, d| {
                        let view = input.view(&s[0]);
                        let switch = KeySwitch {
                            input: if from_digits {
                                KeySwitchInput::Digits(view)
                            } else {
                                KeySwitchInput::Polynomial(view)
                            },
                            key: key.view(&s[1]),
                            mod_up: plan,
                            division: &division,
                            add: added.map(|_| add.view(&s[2])),
                            automorphism: galois,
                        };
                        b.key_switch(dst.view_mut(d), &switch)
                    })?;
                }
            }
        }
        Ok(())
    }

    /// Hoisted rotations: none, one, and more than a backend may compute together, each with its
    /// own destination.
    fn hoisted(&mut self, plan: &ModUpPlan, style: Style, case: &str, [digits, key]: [&Host; 2]) -> Check {
        let (log_n, last, beta) = (plan.src.log_n(), plan.extended.len() - 1, plan.beta());
        let special: Vec<usize> = (0..plan.special).collect();
        let merged: Vec<usize> = special.iter().copied().chain([last]).collect();
        let galois: Vec<AutomorphismPlan> =
            [5, 3, 2 * (1 << log_n) - 1].map(|g| AutomorphismPlan::new(log_n, g, Domain::Evaluation)).into();
        for drop in [special, merged].iter().filter(|drop| drop.len() <= last) {
            let division = DivisionPlan::new(&plan.extended, drop);
            for (count, added) in [(1, 2), (2, 1), (4, 2), (7, 1)] {
                let add = Host::new(&mut self.rng, &plan.src, Layout::inside(added), style);
                let other = Host::new(&mut self.rng, &plan.extended, Layout::inside(2 * beta), style);
                let dst = Host::new(&mut self.rng, &division.dst, Layout::inside(2 * count), Style::Random);
                let case = format!("{case}, drop {drop:?}, {count} rotations, add {added}");
                let sources = [digits.clone(), key.clone(), other.clone(), add.clone()];
                self.compare("hoisted_rotations", &case, &sources, &dst, |b, s, d| {
                    let keys = [key.view(&s[1]), other.view(&s[2])];
                    let rotations: Vec<_> = (0..count).map(|i| (keys[i % 2], &galois[i % 3])).collect();
                    let rotations = HoistedRotations {
                        digits: digits.view(&s[0]),
                        mod_up: plan,
                        division: &division,
                        add: add.view(&s[3]),
                        rotations: &rotations,
                    };
                    b.hoisted_rotations(&mut [], &HoistedRotations { rotations: &[], ..rotations })?;
                    let limbs = division.dst.len();
                    let mut bufs = (0..count).map(|_| b.alloc(2 * limbs, plan.src.n())).collect::<Result<Vec<_>>>()?;
                    let mut views: Vec<_> = bufs.iter_mut().map(|buf| buf.view_mut(2)).collect();
                    b.hoisted_rotations(&mut views, &rotations)?;
                    (bufs.iter().enumerate())
                        .try_for_each(|(i, buf)| b.copy(dst.view_mut(d).slice(2 * i, 2), buf.view(2)))
                })?;
            }
        }
        Ok(())
    }

    /// Divisions: ModDown, rescaling, both at once, by several primes, by a prime from the middle,
    /// and with primes that enter.
    pub(super) fn divisions(&mut self, all: &Basis, special: usize) -> Check {
        let last = all.len() - 1;
        let p: Vec<usize> = (0..special).collect();
        let merged: Vec<usize> = p.iter().copied().chain([last]).collect();
        let mut drops = vec![p, vec![last], merged, vec![all.len() / 2], vec![last - 1, last], vec![last, 0]];
        drops.retain(|d| d.len() < all.len() && (1..d.len()).all(|i| !d[..i].contains(&d[i])));
        let mut plans: Vec<DivisionPlan> = drops.iter().map(|drop| DivisionPlan::new(all, drop)).collect();
        if all.len() > 3 {
            let without = |gone: &[usize]| all.select((0..all.len()).filter(|i| !gone.contains(i)));
            plans.push(DivisionPlan::rational(&without(&[1]), &without(&[last])));
            plans.push(DivisionPlan::rational(&without(&[0, last]), &without(&[1, 2])));
        }
        for plan in plans {
            for style in STYLES {
                for (polys, added) in [(1, None), (2, Some(2)), (2, Some(1)), (3, None)] {
                    let rng = &mut self.rng;
                    let mut src = Host::new(rng, &plan.src, Layout::inside(polys), style);
                    if style == Style::Max {
                        for (i, &limb) in plan.drop.iter().enumerate() {
                            let (m, w) = (plan.src.modulus(limb), plan.conv.conv.hat_inverse[i]);
                            let words = src.limb(0, limb);
                            words.fill(m.neg(m.inv(w).unwrap_or(1)));
                            plan.src.primes()[limb].table().forward(words);
                        }
                    }
                    let add = Host::new(rng, &plan.dst, Layout::prefix(added.unwrap_or(1)), style);
                    let dst = Host::new(rng, &plan.dst, Layout::inside(polys), style);
                    let (drop, keep) = (&plan.drop, &plan.keep);
                    let of = describe(&plan.src);
                    let case = format!("{of}, drop {drop:?}, keep {keep:?}, {polys} polys, add {added:?}, {style:?}");
                    self.compare("divide_round", &case, &[src.clone(), add.clone()], &dst, |b, s, d| {
                        let add = added.map(|_| add.view(&s[1]));
                        b.divide_round(dst.view_mut(d), src.view(&s[0]), &plan, add)
                    })?;
                }
            }
        }
        Ok(())
    }
}
