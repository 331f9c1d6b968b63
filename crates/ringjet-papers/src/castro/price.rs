//! Prices of the published model (de Castro et al., ePrint 2021/1636) for the library's calls, by
//! the steps around each call. `l` is the number of limbs of a ciphertext.

use ringjet_model::{Caching, Cost, Division, Operation, RotateSumShape};

use super::limbs::Limbs;

/// Names of the steps of the second rotation sum of an inner product, by the number of levels
/// dropped since its start.
pub(super) const DROPPED: [&str; 4] = ["Dropped 0", "Dropped 1", "Dropped 2", "Dropped 3"];

/// The price list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prices {
    pub(super) limbs: Limbs,
    /// The number of special primes in the library's parameters; the model has another number.
    pub(super) special: usize,
}

/// The number of polynomials that are charged for a ciphertext: one or both.
fn polys(one: bool) -> u64 {
    if one { 1 } else { 2 }
}

fn when(condition: bool, cost: Cost) -> Cost {
    if condition { cost } else { Cost::default() }
}

impl Prices {
    /// The price of a call at the end of a path of steps; `None` if the published model has no such
    /// call.
    pub(super) fn of(&self, path: &[&str], operation: &Operation) -> Option<Cost> {
        if path.contains(&"Encode") {
            return Some(Cost::default()); // plaintexts are there already
        }
        match *operation {
            // the model charges nothing for copies
            Operation::Upload { .. } | Operation::Copy { .. } | Operation::Expand { .. } => Some(Cost::default()),
            Operation::Lincomb { limbs, plain, scaled, accumulate } => match path {
                [.., "Combine"] => self.combine(path, limbs, (plain, scaled)),
                [.., step, "WeightedSum"] => self.scaled_sum(step, limbs / 2, scaled),
                _ => self.sum(path, limbs, accumulate),
            },
            Operation::Mul { limbs, .. } => self.plain_product(path, limbs / 2),
            Operation::Tensor { limbs, square } => self.tensor(path, limbs, square),
            Operation::ModUp(ref d) => self.mod_up(path, d.limbs()),
            Operation::KeySwitch {
                count: 1, ref products, ref decomposition, hoisted: false, ref division, ..
            } if products.is_empty() => self.key_switch(path, decomposition.limbs(), division),
            Operation::HoistedRotations { count, ref decomposition, .. } => match path {
                [.., "HRotate"] => Some(self.limbs.rotate_digits(decomposition.limbs()) * count as u64),
                _ => None,
            },
            Operation::HoistedRotateSum(ref s) => self.rotation_sum(path, s),
            Operation::RotateInto { ref decomposition, accumulate } => {
                Some(self.giant_step(decomposition.limbs(), accumulate))
            }
            Operation::DivideRound { polys: 2, ref division, .. } => self.division(path, division),
            _ => None,
        }
    }

    /// Limbs of the extended basis for `l` limbs in this step.
    fn extended(&self, path: &[&str], l: usize) -> usize {
        let dropped = path.iter().find_map(|step| DROPPED.iter().position(|d| d == step)).unwrap_or(0);
        self.limbs.extended(l + if self.limbs.policy.quirks.lr_keep_k { dropped } else { 0 })
    }

    /// Limbs of the extended basis that giant steps use for `l` limbs.
    fn giant_extended(&self, l: usize) -> usize {
        self.limbs.extended(l + usize::from(self.limbs.policy.quirks.dh_keep_k))
    }

    /// Sums of ciphertexts, or of a ciphertext and a plaintext.
    fn sum(&self, path: &[&str], limbs: usize, accumulate: bool) -> Option<Cost> {
        let (of, l) = (self.limbs, limbs / 2);
        Some(match path {
            // products with P, zeros and copies are part of the price of the rotations
            [.., "PtMatVecMult" | "RotationSum"] => Cost::default(),
            [.., "Unrotated"] => of.pt_mul(l, false, false) + self.accumulated(self.giant_extended(l), accumulate),
            [.., "Sigmoid", "PtAdd"] => of.pt_add(limbs, false, false),
            [.., "PtAdd"] => of.pt_add(limbs, true, true),
            [.., "PtMatVecMult", "Add"] => of.read(2 * l) + of.add(l, false, true),
            [.., "CoeffsToSlots" | "SlotsToCoeffs" | "Tree", "Add"] => of.add(l, false, false),
            [.., "Gradient", "Add"] => {
                let lost = when(!of.policy.quirks.lr_nesterov, of.read(4 * (l + 4) + 2 * l));
                of.add(l, true, false) + of.read(2 * l) + lost
            }
            [.., "Momentum", "Add"] => of.add(l, false, true),
            [.., "Add"] => of.add(l, true, true),
            _ => return None,
        })
    }

    /// Adds a pair of polynomials over the extended basis to a sum, or starts the sum with it.
    fn accumulated(&self, extended: usize, accumulate: bool) -> Cost {
        let of = self.limbs;
        of.write(2 * extended) + when(accumulate, of.read(2 * extended) + of.add(extended, false, false))
    }

    /// Sums of scaled powers: one scaled power that moves to a lower level, or a sum of a
    /// polynomial's terms with its constant.
    fn scaled_sum(&self, step: &str, l: usize, terms: usize) -> Option<Cost> {
        let (of, quirks) = (self.limbs, self.limbs.policy.quirks);
        let one = of.read(2 * l) + of.pt_mul(l, false, false);
        Some(match step {
            "Leaves" => {
                let terms = terms as u64 + u64::from(quirks.leaf_terms);
                one * terms + of.add(l, false, false) * (terms - 1) + of.pt_add(l, false, false)
            }
            "GiantPowers" if quirks.giant_align => Cost::default(),
            "BabyPowers" | "GiantPowers" | "Tree" => one,
            _ => return None,
        })
    }

    /// Doublings, and the subtraction that follows. The library adds a constant by a separate call
    /// on the first polynomial; its price is part of the call on both polynomials.
    fn combine(&self, path: &[&str], limbs: usize, terms: (usize, usize)) -> Option<Cost> {
        let (of, quirks) = (self.limbs, self.limbs.policy.quirks);
        let first = terms == (1, 1);
        let summand = |l: usize, ct: bool| if ct { of.add(l, false, false) } else { of.pt_add(l, false, false) };
        let around = |l: usize| of.traffic(2 * l, 2 * l);
        Some(match path {
            [.., "Leaves", _] => Cost::default(), // with the sum
            [.., "Odd", _] if first => {
                let l = limbs / 2;
                of.add(l, false, true) + summand(l, !quirks.cheb_parity) + around(l)
            }
            [.., "Even", _] if first => of.add(limbs, false, true) + summand(limbs, quirks.cheb_parity) + around(limbs),
            [.., "Square", _] if first => of.add(limbs, false, true) + summand(limbs, false),
            [.., "EvalMod", _] if first => {
                of.add(limbs, false, true) + summand(limbs + usize::from(quirks.sq_add_level), false)
            }
            [.., "Even" | "Square" | "EvalMod", _] if terms == (0, 1) => Cost::default(),
            _ => return None,
        })
    }

    fn plain_product(&self, path: &[&str], l: usize) -> Option<Cost> {
        let (of, quirks) = (self.limbs, self.limbs.policy.quirks);
        let by_i = when(!quirks.times_i, of.pt_mul(l, true, true));
        Some(match path {
            [.., "CoeffsToSlots", "PtMult"] => by_i,
            [.., "Bootstrap", "PtMult"] => by_i + when(quirks.evalmod_write, of.write(4 * l)),
            [.., "Cubic", "PtMult"] => of.pt_mul(l, true, false),
            [.., "Linear" | "Update", "PtMult"] => of.pt_mul(l, false, false),
            [.., "Puncture", "PtMult"] => of.pt_mul(l, false, true) + of.plain(l),
            [.., "PtMult"] => of.pt_mul(l, true, true),
            _ => return None,
        })
    }

    /// Whether a product reads its operands, and whether it writes its result.
    fn product_traffic(&self, path: &[&str]) -> Option<(bool, bool)> {
        Some(match path {
            [.., "Tree", "Mult", _] => (!self.limbs.policy.quirks.tree_reads, false),
            [.., "BabyPowers" | "GiantPowers" | "EvalMod", "Mult", _] => (true, false),
            [.., "Mult", _] => (true, true),
            _ => return None,
        })
    }

    fn tensor(&self, path: &[&str], l: usize, square: bool) -> Option<Cost> {
        let of = self.limbs;
        let square = square && !(of.policy.quirks.lr_square && path.contains(&"Sigmoid"));
        let operands = if square { 1 } else { 2 };
        let (read, _) = self.product_traffic(path)?;
        let stored = when(of.uncached(), of.write(l));
        Some(of.ops(l, 0) + stored + of.tensor(l, square) + when(read, of.read(3 * operands * l)))
    }

    fn mod_up(&self, path: &[&str], l: usize) -> Option<Cost> {
        let (of, quirks) = (self.limbs, self.limbs.policy.quirks);
        Some(match path {
            [.., "HRotate"] => {
                let (extended, inside) = (of.extended(l), path.ends_with(&["PtMatVecMult", "HRotate"]));
                let first = of.has(Caching::BetaLimbs) && (inside || !quirks.hrot_read);
                of.hoist(l, extended, inside) + when(first, of.digits(l, extended) + of.read(l))
            }
            [.., "PtMatVecMult" | "RotationSum"] => of.hoist(l, self.extended(path, l), true),
            [.., "ModRaise"] => {
                let new = of.of.limbs - 1;
                when(!quirks.modraise, of.mod_up(1, new) + of.traffic(1, new))
            }
            _ => return None,
        })
    }

    fn key_switch(&self, path: &[&str], l: usize, division: &Division) -> Option<Cost> {
        let (of, quirks) = (self.limbs, self.limbs.policy.quirks);
        let uncached = of.uncached();
        Some(match path {
            [.., "ModRaise"] => when(!quirks.encapsulation, of.key_switch(l, true, true)),
            [.., "PtMatVecMult", "Rotate"] => of.rotate(l, uncached, uncached),
            [.., "CoeffsToSlots", "Conjugate"] => {
                of.rotate(l, false, false) + of.traffic(4 * l, if quirks.conj_write { 2 * l } else { 4 * l })
            }
            [.., "Rotate" | "Conjugate"] => of.rotate(l, true, true),
            [.., "Mult", "Relinearize"] => self.relinearization(path, l, division.to() < l)?,
            _ => return None,
        })
    }

    /// The relinearization from the decomposition on: by Algorithm 2 or, if `merged`, by Algorithm
    /// 7.
    fn relinearization(&self, path: &[&str], l: usize, merged: bool) -> Option<Cost> {
        let (of, extended) = (self.limbs, self.limbs.extended(l));
        let (uncached, unordered) = (of.uncached(), of.unordered());
        let (_, written) = self.product_traffic(path)?;
        let forced = unordered && !uncached;
        let shared = of.hoist(l, extended, uncached)
            + of.inner(l, extended, true, uncached)
            + when(uncached, of.read(2 * l))
            + of.add(l, false, unordered);
        Some(if merged {
            let p_limbs = forced && !of.policy.quirks.merge_order;
            shared
                + of.ops(2 * l, 0)
                + when(p_limbs, of.write(2 * (extended - l)))
                + of.mod_down(extended, l - 1, unordered, written) * 2
        } else {
            shared + when(forced, of.write(2 * extended)) + of.mod_down(extended, l, unordered, uncached) * 2
        })
    }

    fn rotation_sum(&self, path: &[&str], s: &RotateSumShape) -> Option<Cost> {
        Some(match path {
            [.., "PtMatVecMult"] if s.switched == 0 => self.baby_products(s),
            [.., "PtMatVecMult"] => self.raised_products(s),
            [.., "RotationSum"] => {
                let (of, l) = (self.limbs, s.limbs - self.special);
                let (extended, terms) = (self.extended(path, l), s.ones);
                let through = of.traffic(2 * extended * terms, 2 * extended * (s.switched + 1));
                of.raised_rotations(l, extended, s.switched)
                    + of.add(extended, false, false) * (terms as u64).saturating_sub(1)
                    + when(of.uncached(), through)
            }
            _ => return None,
        })
    }

    /// Products of one baby step with the diagonals of all giant steps, added to the sums of the
    /// giant steps. The first baby step starts the sums.
    fn baby_products(&self, s: &RotateSumShape) -> Cost {
        let (of, l) = (self.limbs, s.limbs);
        let started = if s.accumulate { 0 } else { s.sums };
        let mut cost = (of.read(2 * l) + of.pt_mul(l, false, false)) * s.products as u64
            + of.add(l, false, false) * s.products.saturating_sub(started) as u64
            + of.plain(s.products * l);
        // each sum is written, then read and added to the total, whether rotated or not
        cost += when(of.uncached(), of.traffic(2 * l, 2 * l)) * started as u64;
        if !s.accumulate {
            let first = of.policy.quirks.acc_first;
            cost += if first { of.read(2 * l) + of.add(l, false, true) } else { of.write(2 * l) };
        }
        cost
    }

    /// Products of rotations over the extended basis with diagonals: by Algorithm 8, or by double
    /// hoisting if there are several sums.
    fn raised_products(&self, s: &RotateSumShape) -> Cost {
        let (of, l) = (self.limbs, s.limbs - self.special);
        let (extended, uncached) = (of.extended(l), of.uncached());
        let babies = s.switched + s.unswitched;
        let again = if uncached { s.products } else { s.products.saturating_sub(babies) };
        // the number of polynomials of a rotation that go to memory
        let halves = match (uncached, s.sums > 1) {
            (true, _) => 2,
            (false, true) => 1,
            (false, false) => 0,
        };
        of.raised_rotations(l, extended, s.switched)
            + of.write(halves * extended * s.switched)
            + of.pt_mul(extended, false, false) * s.products as u64
            + of.read(2 * extended * again)
            + of.add(extended, false, false) * s.products.saturating_sub(s.sums) as u64
            + when(uncached, of.write(2 * extended * s.sums))
            + of.plain(s.products * extended)
    }

    /// A giant step with a rotation by double hoisting, at `l` limbs.
    fn giant_step(&self, l: usize, accumulate: bool) -> Cost {
        let (of, extended) = (self.limbs, self.giant_extended(l));
        of.hoist(l, extended, true)
            + of.inner(l, extended, true, false)
            + of.read(l)
            + of.ops(l, l)
            + self.accumulated(extended, accumulate)
    }

    /// A division of both polynomials of a ciphertext.
    fn division(&self, path: &[&str], division: &Division) -> Option<Cost> {
        let (of, quirks) = (self.limbs, self.limbs.policy.quirks);
        let (from, to) = (division.from(), division.to());
        let scale_matching = || of.rescale(from, false, false) * polys(quirks.one_poly) + of.write(2 * to);
        Some(match path {
            [.., "Mult", "Rescale"] => {
                let (_, written) = self.product_traffic(path)?;
                of.rescale(from, of.unordered(), written) * 2
            }
            [.., "Cubic", "Rescale"] => of.rescale(from, false, true) * polys(quirks.one_poly),
            [.., "Update", "Rescale"] => of.rescale(from, true, true) * polys(quirks.lr_update_polys),
            [.., "Rescale"] => of.rescale(from, true, true) * 2,
            [.., "Linear", "RescaleTo"] => of.mod_up(from - to, to) * polys(quirks.one_poly),
            [.., "Update", "RescaleTo"] => of.mod_up(from - to, to) * polys(quirks.lr_update_polys),
            [.., "GiantPowers", "WeightedSum"] if quirks.giant_align => Cost::default(),
            [.., "BabyPowers" | "GiantPowers" | "Leaves" | "Tree", "WeightedSum"] => scale_matching(),
            [.., "RotationSum"] => of.mod_down(self.extended(path, from - self.special), to, of.unordered(), true) * 2,
            [.., "PtMatVecMult"] => {
                let l = from - self.special;
                // a giant step is a level lower, or still has the last limb of this level
                let extended = if l == to { self.giant_extended(l) } else { of.extended(l) };
                of.mod_down(extended, to, of.unordered(), true) * 2
            }
            _ => return None,
        })
    }
}
