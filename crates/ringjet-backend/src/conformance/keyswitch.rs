//! Digits, inner products with keys, rounded division.

use ringjet_math::Basis;

use super::data::{Host, Layout, STYLES, Style};
use super::elementwise::describe;
use super::{Check, Suite};
use crate::plan::{AutomorphismPlan, DivisionPlan, Domain, ModUpPlan};
use crate::{KeySwitch, KeySwitchInput};

impl Suite<'_> {
    pub(super) fn keyswitch(&mut self, p: &Basis, q: &Basis, alpha: usize) -> Check {
        for limbs in [q.len(), q.len().div_ceil(2), 1] {
            let plan = ModUpPlan::new(p, &q.prefix(limbs), alpha);
            for style in STYLES {
                self.digits(&plan, style)?;
            }
        }
        Ok(())
    }

    fn digits(&mut self, plan: &ModUpPlan, style: Style) -> Check {
        let case = format!("{}, {} digits of P {}, {style:?}", describe(&plan.src), plan.beta(), plan.special);
        let rng = &mut self.rng;
        let mut src = Host::new(rng, &plan.src, Layout::inside(1), style);
        if style == Style::Max {
            // In the coefficient domain y_i = d_i - 1 everywhere: the largest sums there are.
            for digit in &plan.digits {
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
        // Keys are made at the top level: theirs are longer polynomials.
        let key = Host::new(rng, &plan.extended, Layout::prefix(2 * plan.beta()), style);
        for to in [Layout::dense(2), Layout::inside(2)] {
            let acc = Host::new(&mut self.rng, &plan.extended, to, Style::Random);
            let sources = [dst.clone(), key.clone()];
            self.compare("key_inner_product", &case, &sources, &acc, |b, s, d| {
                b.key_inner_product(acc.view_mut(d), dst.view(&s[0]), key.view(&s[1]), &plan.extended)
            })?;
        }
        self.switches(plan, style, &case, [&src, &dst, &key])
    }

    /// From a polynomial and from digits, by P and by more, with and without all that may follow.
    fn switches(&mut self, plan: &ModUpPlan, style: Style, case: &str, [src, digits, key]: [&Host; 3]) -> Check {
        let special: Vec<usize> = (0..plan.special).collect();
        let last = plan.extended.len() - 1;
        let merged: Vec<usize> = special.iter().copied().chain([last]).collect();
        let galois = AutomorphismPlan::new(plan.src.log_n(), 5, Domain::Evaluation);
        for drop in [special, merged] {
            if drop.len() == plan.extended.len() {
                continue;
            }
            let division = DivisionPlan::new(&plan.extended, &drop);
            for (added, galois) in [(None, None), (Some(2), None), (Some(1), Some(&galois)), (Some(2), Some(&galois))] {
                let add = Host::new(&mut self.rng, &plan.src, Layout::inside(added.unwrap_or(1)), style);
                let dst = Host::new(&mut self.rng, &division.dst, Layout::inside(2), Style::Random);
                let case = format!("{case}, drop {drop:?}, add {added:?}, automorphism {}", galois.is_some());
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

    /// ModDown, rescaling, both at once, several primes, and a prime from the middle.
    pub(super) fn divisions(&mut self, all: &Basis, special: usize) -> Check {
        let last = all.len() - 1;
        let p: Vec<usize> = (0..special).collect();
        let merged: Vec<usize> = p.iter().copied().chain([last]).collect();
        let mut drops = vec![p, vec![last], merged, vec![all.len() / 2], vec![last - 1, last], vec![last, 0]];
        drops.retain(|d| d.len() < all.len() && (1..d.len()).all(|i| !d[..i].contains(&d[i])));
        for drop in drops {
            let plan = DivisionPlan::new(all, &drop);
            for style in STYLES {
                for (polys, added) in [(1, None), (2, Some(2)), (2, Some(1)), (3, None)] {
                    let rng = &mut self.rng;
                    let mut src = Host::new(rng, all, Layout::inside(polys), style);
                    if style == Style::Max {
                        for (i, &limb) in drop.iter().enumerate() {
                            let (m, w) = (all.modulus(limb), plan.conv.conv.hat_inverse[i]);
                            let words = src.limb(0, limb);
                            words.fill(m.neg(m.inv(w).unwrap_or(1)));
                            all.primes()[limb].table().forward(words);
                        }
                    }
                    let add = Host::new(rng, &plan.dst, Layout::prefix(added.unwrap_or(1)), style);
                    let dst = Host::new(rng, &plan.dst, Layout::inside(polys), style);
                    let case = format!("{}, drop {drop:?}, {polys} polys, add {added:?}, {style:?}", describe(all));
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
