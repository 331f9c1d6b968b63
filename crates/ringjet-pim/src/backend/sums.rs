//! Sums of polynomials, made where the polynomials are.

use std::collections::BTreeMap;

use ringjet_backend::{Coeff, Result, Storage as _, Term, View, ViewMut};
use ringjet_math::Basis;
use ringjet_math::ntt::NttTable;
use zeroize::Zeroizing;

use crate::Command;
use crate::backend::machine::{DpuMachine, MOST_SCALARS, Place};
use crate::backend::operands::{Job, Outcome, Refused, bring, destination, fetch, room};
use crate::backend::storage::{Limb, Limbs, lock};
use crate::backend::{PimBackend, Placement};

/// Weights of [`Command::Sum`] are below this in size.
const WEIGHT_LIMIT: u64 = 256;

/// Most terms of a command, half of what there is room for.
const MOST_TERMS: usize = MOST_SCALARS as usize / 2;

/// A sum of one limb.
struct Sum<'a> {
    n: usize,
    table: &'a NttTable,
    out: (&'a Limbs, usize),
    /// Buffers, limbs and factors modulo the prime. The destination is the first if it is added to.
    terms: Vec<(&'a Limbs, usize, u64)>,
    keep: bool,
}

/// Memory that is used until a sum is there.
struct Partial {
    /// The number of the sum of which this is a part: of the terms that are on one DPU, and not on
    /// that of the result. Copies of terms, and products, have none.
    sum: Option<usize>,
    place: Place,
}

impl PimBackend {
    /// `dst = sum of terms`. Every DPU adds up the terms that it has; only these sums go to the DPU
    /// of the result.
    pub(super) fn sum(
        &self,
        op: &'static str,
        dst: ViewMut<'_>,
        terms: &[Term<'_>],
        basis: &Basis,
        accumulate: bool,
    ) -> Result<()> {
        let out = self.limbs(op, dst.buf())?;
        let from = terms.iter().map(|(_, view)| self.limbs(op, view.buf())).collect::<Result<Vec<_>>>()?;
        let mut machine = lock(&self.machine);
        let mut sums = Vec::with_capacity(dst.polys() * dst.limbs());
        for p in 0..dst.polys() {
            for i in 0..dst.limbs() {
                let table = basis.primes()[i].table();
                let (index, q) = (dst.limb_index(p, i), table.modulus().value());
                let own = accumulate.then_some((out, index, 1));
                let others = terms
                    .iter()
                    .zip(&from)
                    .map(|(&(coefficient, view), &limbs)| (limbs, limb_of(view, p, i), factor(coefficient, i, q)));
                let terms = own.into_iter().chain(others).collect();
                sums.push(Sum { n: dst.n(), table, out: (out, index), terms, keep: accumulate });
            }
        }
        let mut used = Vec::new();
        let done = self.add_up(&mut machine, &sums, &mut used);
        let secret = out.is_secret() || from.iter().any(|limbs| limbs.is_secret());
        let given = machine.give_all(used.into_iter().map(|partial| partial.place), dst.n(), secret);
        done.and(given.map_err(Refused::Pim)).map_err(|refused| self.refusal(&machine, refused))
    }

    fn add_up(&self, machine: &mut DpuMachine, sums: &[Sum<'_>], used: &mut Vec<Partial>) -> Outcome<()> {
        let mut local = Vec::with_capacity(sums.len());
        for (number, sum) in sums.iter().enumerate() {
            let mut groups: BTreeMap<u32, Vec<(u16, u64)>> = BTreeMap::new();
            let mut first = None;
            for &(limbs, index, factor) in &sum.terms {
                let dpu = self.place_of_work(machine, limbs, index, sum.table);
                first.get_or_insert(dpu);
                let place = bring(machine, limbs, index, sum.n, dpu)?;
                if limbs.place(index) != Some(place) {
                    used.push(Partial { sum: None, place });
                }
                groups.entry(dpu).or_default().push((place.index(sum.n), factor));
            }
            let dpu = first.expect("a sum has terms");
            local.push((dpu, groups.remove(&dpu).unwrap_or_default()));
            for (dpu, terms) in groups {
                let place = room(machine, dpu, sum.n)?;
                used.push(Partial { sum: Some(number), place });
                self.queue(machine, sum, place, &terms, used)?;
            }
        }
        // All DPUs have made their sums when the first one is read.
        let mut moved: BTreeMap<usize, Vec<Zeroizing<Vec<u32>>>> = BTreeMap::new();
        for partial in used.iter() {
            if let Some(number) = partial.sum {
                moved.entry(number).or_default().push(fetch(machine, partial.place, sums[number].n)?);
            }
        }
        for (number, (sum, (dpu, mut terms))) in sums.iter().zip(local).enumerate() {
            for words in moved.remove(&number).unwrap_or_default() {
                let place = room(machine, dpu, sum.n)?;
                used.push(Partial { sum: None, place });
                machine.write(place, &words)?;
                terms.push((place.index(sum.n), 1));
            }
            let job = Job { n: sum.n, table: None, out: sum.out, operands: vec![], keep: sum.keep };
            let out = destination(machine, &job, dpu)?;
            self.queue(machine, sum, out, &terms, used)?;
        }
        Ok(())
    }

    /// The DPU on which a term is used: that of its prime, or where it is.
    pub(super) fn place_of_work(&self, machine: &mut DpuMachine, limbs: &Limbs, index: usize, table: &NttTable) -> u32 {
        match (self.placement, &limbs.lock()[index]) {
            (Placement::PrimePerDpu, _) => machine.dpu_of(table.modulus().value()),
            (_, Limb::Dpu(place)) => place.dpu,
            _ => limbs.home,
        }
    }

    /// The DPU of a result whose operands are on `dpu`, or on several DPUs that do not matter.
    pub(super) fn place_of_result(&self, machine: &mut DpuMachine, dpu: u32, table: &NttTable) -> u32 {
        match self.placement {
            Placement::PrimePerDpu => machine.dpu_of(table.modulus().value()),
            Placement::PolynomialPerDpu => dpu,
        }
    }

    /// The commands of a sum on one DPU. Other memory that they use is added to `used`.
    fn queue(
        &self,
        machine: &mut DpuMachine,
        sum: &Sum<'_>,
        out: Place,
        terms: &[(u16, u64)],
        used: &mut Vec<Partial>,
    ) -> Outcome<()> {
        let (dpu, index, q) = (out.dpu, out.index(sum.n), sum.table.modulus().value());
        let header = machine.header(sum.n, Some(sum.table))?;
        let mut product = |machine: &mut DpuMachine, a: u16, factor: u64| -> Outcome<u16> {
            let place = room(machine, dpu, sum.n)?;
            used.push(Partial { sum: None, place });
            let product = place.index(sum.n);
            machine.push_scalar(dpu, header, [product, a], factor, sum.table)?;
            Ok(product)
        };
        let mut small = Vec::with_capacity(terms.len());
        for &(a, factor) in terms {
            let size = factor.min(q - factor);
            match size {
                0 => {}
                WEIGHT_LIMIT.. => small.push((product(machine, a, factor)?, 1)),
                _ => small.push((a, if size == factor { size as i32 } else { -(size as i32) })),
            }
        }
        // terms without products are cheapest among themselves; the old result stays the first
        small.sort_by_key(|(_, weight)| weight.abs() != 1);
        if one_by_one_is_cheaper(&small) {
            for (k, &(a, weight)) in small.iter().enumerate() {
                let factor = i64::from(weight).rem_euclid(q as i64) as u64;
                match (k, weight) {
                    (0, 1) if a == index => {}
                    (0, 1) => machine.push(dpu, header, Command::Copy { out: index, a })?,
                    (0, _) => machine.push_scalar(dpu, header, [index, a], factor, sum.table)?,
                    (_, 1) => machine.push(dpu, header, Command::Add { out: index, a: index, b: a })?,
                    (_, -1) => machine.push(dpu, header, Command::Sub { out: index, a: index, b: a })?,
                    _ => {
                        let b = product(machine, a, factor)?;
                        machine.push(dpu, header, Command::Add { out: index, a: index, b })?;
                    }
                }
            }
        } else {
            for part in parts(&small, index, q) {
                let words: Vec<[u32; 2]> = part.iter().map(|&(a, weight)| [a.into(), weight as u32]).collect();
                let terms = words.len() as u16;
                machine.push_with(dpu, header, &words, |first| Command::Sum { out: index, first, terms })?;
            }
        }
        if small.is_empty() {
            machine.push_scalar(dpu, header, [index, index], 0, sum.table)?;
        }
        Ok(())
    }
}

/// Whether additions and products of whole polynomials take fewer cycles than one command for all
/// terms, by the instructions for a word (docs/design/pim-arithmetic.md). Terms of weight 1 or -1
/// come first.
fn one_by_one_is_cheaper(terms: &[(u16, i32)]) -> bool {
    let plain = terms.iter().take_while(|(_, weight)| weight.abs() == 1).count();
    let (weighted, rest) = (terms.len() - plain, plain % 8);
    let last = if weighted > 0 { 89 * (rest + weighted).div_ceil(8) } else { 8 * rest };
    9 * plain + 113 * weighted < 80 + 29 * (plain / 8) + last
}

/// The terms of one command after the other. The sizes of the weights of each add up to less than
/// q. From the second on the result so far, `out`, is a term.
fn parts(terms: &[(u16, i32)], out: u16, q: u64) -> Vec<Vec<(u16, i32)>> {
    let mut parts = vec![Vec::new()];
    let mut total = 0;
    for &(a, weight) in terms {
        let size = u64::from(weight.unsigned_abs());
        let last = parts.last_mut().expect("there is a part");
        if total + size < q && last.len() < MOST_TERMS {
            last.push((a, weight));
            total += size;
        } else {
            parts.push(vec![(out, 1), (a, weight)]);
            total = 1 + size;
        }
    }
    parts
}

fn factor(coefficient: Coeff<'_>, limb: usize, q: u64) -> u64 {
    match coefficient {
        Coeff::One => 1,
        Coeff::MinusOne => q - 1,
        Coeff::PerLimb(factors) => factors[limb],
    }
}

fn limb_of(view: View<'_>, poly: usize, limb: usize) -> usize {
    view.limb_index(if view.polys() == 1 { 0 } else { poly }, limb)
}
