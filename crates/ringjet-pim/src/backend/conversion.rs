//! Conversions between bases of primes, and automorphisms.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use ringjet_backend::plan::{AutomorphismPlan, BaseConversionPlan};
use ringjet_backend::{Result, Storage as _, View, ViewMut};
use ringjet_math::{BaseConversion, Basis};
use zeroize::Zeroizing;

use crate::Command;
use crate::backend::PimBackend;
use crate::backend::machine::{DpuMachine, Place};
use crate::backend::operands::{Job, Outcome, Refused, bring, destination, fetch, room};
use crate::backend::storage::{Limbs, lock};
use crate::program::layout::pair;

/// A polynomial on a DPU, or its words on their way to another one.
struct Digit {
    place: Place,
    words: Option<Zeroizing<Vec<u32>>>,
}

impl PimBackend {
    /// The change of basis of `ringjet_math::BaseConversion`. Where each prime has its DPU, the
    /// residues go to the DPUs of all new primes, through the host.
    pub(super) fn convert(
        &self,
        op: &'static str,
        dst: ViewMut<'_>,
        src: View<'_>,
        plan: &BaseConversionPlan,
    ) -> Result<()> {
        let (out, from) = (self.limbs(op, dst.buf())?, self.limbs(op, src.buf())?);
        let mut machine = lock(&self.machine);
        let mut used = Vec::new();
        let done = self.convert_all(&mut machine, &plan.conv, (out, &dst), (from, src), &mut used);
        let given = machine.give_all(used, dst.n(), out.is_secret() || from.is_secret());
        done.and(given.map_err(Refused::Pim)).map_err(|refused| self.refusal(&machine, refused))
    }

    fn convert_all(
        &self,
        machine: &mut DpuMachine,
        conv: &BaseConversion,
        (out, dst): (&Limbs, &ViewMut<'_>),
        (from, src): (&Limbs, View<'_>),
        used: &mut Vec<Place>,
    ) -> Outcome<()> {
        let n = dst.n();
        // The digits y_i of all polynomials come first, so that one launch makes those that are moved.
        let mut all: Vec<Vec<Digit>> = Vec::new();
        for p in 0..dst.polys() {
            let mut digits = Vec::with_capacity(conv.src.len());
            for (i, prime) in conv.src.primes().iter().enumerate() {
                let index = src.limb_index(if src.polys() == 1 { 0 } else { p }, i);
                let dpu = self.place_of_work(machine, from, index, prime.table());
                let x = bring(machine, from, index, n, dpu)?;
                if from.place(index) != Some(x) {
                    used.push(x);
                }
                let place = room(machine, dpu, n)?;
                used.push(place);
                let header = machine.header(n, Some(prime.table()))?;
                let operands = [place.index(n), x.index(n)];
                machine.push_scalar(dpu, header, operands, conv.hat_inverse[i], prime.table())?;
                digits.push(Digit { place, words: None });
            }
            all.push(digits);
        }
        for (p, digits) in all.iter_mut().enumerate() {
            // the DPUs of the results, each with the digits and their quotient
            let mut ready: BTreeMap<u32, (Vec<Place>, Place)> = BTreeMap::new();
            for (j, prime) in conv.dst.primes().iter().enumerate() {
                let dpu = self.place_of_result(machine, digits[0].place.dpu, prime.table());
                let (digits, quotient) = match ready.entry(dpu) {
                    Entry::Occupied(made) => made.into_mut(),
                    Entry::Vacant(slot) => slot.insert(gathered(machine, conv, digits, dpu, n, used)?),
                };
                let job = Job { n, table: None, out: (out, dst.limb_index(p, j)), operands: vec![], keep: false };
                let result = destination(machine, &job, dpu)?.index(n);
                let header = machine.header(n, Some(prime.table()))?;
                let minus = prime.modulus().neg(conv.product[j]);
                let factors = conv.hat[j].iter().chain([&minus]);
                let terms: Vec<[u32; 2]> = (digits.iter().chain([&*quotient]).zip(factors))
                    .flat_map(|(place, &factor)| [[place.index(n).into(), 0], pair(prime.table(), factor)])
                    .collect();
                let count = terms.len() as u16 / 2;
                let combine = |first| Command::Combine { out: result, first, terms: count };
                machine.push_with(dpu, header, &terms, combine)?;
            }
        }
        Ok(())
    }

    /// `dst[i] = src[map[i]]` with a sign. The map of a plan stays on every DPU that uses it.
    pub(super) fn permute(
        &self,
        op: &'static str,
        dst: ViewMut<'_>,
        src: View<'_>,
        basis: &Basis,
        plan: &AutomorphismPlan,
    ) -> Result<()> {
        self.each(op, dst, &[src], Some(basis), false, |step| step.gather(plan))
    }
}

/// The digits of a polynomial on one DPU, and the multiple of the old product of primes that they
/// contain too much.
fn gathered(
    machine: &mut DpuMachine,
    conv: &BaseConversion,
    digits: &mut [Digit],
    dpu: u32,
    n: usize,
    used: &mut Vec<Place>,
) -> Outcome<(Vec<Place>, Place)> {
    let mut places = Vec::with_capacity(digits.len());
    for digit in digits {
        if digit.place.dpu == dpu {
            places.push(digit.place);
            continue;
        }
        if digit.words.is_none() {
            digit.words = Some(fetch(machine, digit.place, n)?);
        }
        let place = room(machine, dpu, n)?;
        used.push(place);
        machine.write(place, digit.words.as_ref().expect("fetched"))?;
        places.push(place);
    }
    let quotient = room(machine, dpu, n)?;
    used.push(quotient);
    let header = machine.header(n, Some(conv.src.primes()[0].table()))?;
    let terms: Vec<[u32; 2]> = (places.iter().zip(conv.src.primes()).zip(&conv.fraction))
        .flat_map(|((place, prime), &fraction)| {
            [[place.index(n).into(), prime.modulus().bits()], [fraction as u32, (fraction >> 32) as u32]]
        })
        .collect();
    let (out, count) = (quotient.index(n), conv.src.len() as u16);
    machine.push_with(dpu, header, &terms, |first| Command::Fraction { out, first, terms: count })?;
    Ok((places, quotient))
}
