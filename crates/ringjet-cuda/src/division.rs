//! Divisions with rounding.

use std::sync::Arc;

use ringjet_backend::plan::{AutomorphismPlan, DivisionPlan};
use ringjet_backend::{Result, View, ViewMut, check};
use ringjet_math::Prime;

use crate::arithmetic::Arithmetic;
use crate::constants::Key;
use crate::elementwise::inverse_galois;
use crate::launch::{self, List};
use crate::machine::CudaMachine;
use crate::memory::{NO_LIMB, NO_LIMBS, Place, VIEW_WORDS, number, temporary};
use crate::transform::{Conversion, convert_columns, inverse, rows};

/// Implements [`ringjet_backend::Backend::divide_round`].
pub fn divide_round(
    m: &CudaMachine,
    dst: &ViewMut<'_>,
    src: View<'_>,
    plan: &DivisionPlan,
    add: Option<View<'_>>,
) -> Result<()> {
    check::divide_round("divide_round", dst, src, plan, add)?;
    divide(
        m,
        "divide_round",
        &[(m.target("divide_round", dst)?, None)],
        src,
        plan,
        add,
        src.is_secret() || dst.is_secret(),
    )
}

/// Words of a target of a division; must equal `TARGET_WORDS` in `kernels/keyswitch.cuh`.
const TARGET_WORDS: usize = VIEW_WORDS + 1;

/// The division of `src`, whose polynomials belong to the targets in turn, each followed by its
/// automorphism of the evaluation domain if it has one. All targets have as many polynomials.
pub fn divide(
    m: &CudaMachine,
    op: &'static str,
    targets: &[(Place<'_>, Option<&AutomorphismPlan>)],
    src: View<'_>,
    plan: &DivisionPlan,
    add: Option<View<'_>>,
    secret: bool,
) -> Result<()> {
    let (a, n, polys) = (m.arithmetic(&[&plan.src, &plan.dst])?, src.n(), src.polys());
    let mut dropped = temporary(m, polys * plan.drop.len(), n, secret)?;
    let x = m.target(op, &dropped.view_mut(polys))?;
    inverse(m, a, &x, m.gathered(op, src, &plan.drop)?.limbs, plan.conv.conv.src.primes())?;
    let mut remainder = temporary(m, polys * plan.keep.len(), n, secret)?;
    let r = m.target(op, &remainder.view_mut(polys))?;
    let parts = [Conversion { conv: &plan.conv.conv, source: 0, target: 0 }];
    let (conversion, primes) = ((plan.conv.id, &parts[..]), plan.dst.primes());
    let log_rows = convert_columns(m, op, a, &r, x.limbs, conversion, primes)?;
    let table = m.words(Key::Division(plan.id, a), || division_limbs(a, plan))?;
    let from = m.source(op, src)?;
    let addend = add.map(|add| m.source(op, add)).transpose()?;
    let adds = number(op, "addends", add.map_or(0, |add| add.polys()))?;
    let addend = addend.map_or(NO_LIMBS, |addend| addend.limbs);
    let table = table.at();
    let galois = |plan: Option<&AutomorphismPlan>| match log_rows {
        Some(_) => plan.map_or(1, inverse_galois),
        None => plan.map_or(1, |plan| plan.galois),
    };
    let words = |(place, plan): &(Place<'_>, Option<&AutomorphismPlan>)| {
        let [words, chosen, polys] = place.listed();
        [words, chosen, polys, galois(*plan).into()]
    };
    let group = number(op, "polynomials", polys / targets.len().max(1))?;
    let list: Vec<[u64; TARGET_WORDS]> = targets.iter().map(words).collect();
    let list = List::new(&list.concat());
    if let Some(log_rows) = log_rows {
        let transforms = m.transforms(a, plan.dst.primes())?;
        let t = transforms.at();
        return m.queue(rows(&r), |d, grid| {
            launch::rows_finish(d, a, grid, list, r.limbs, from.limbs, addend, t, table, adds, group, log_rows)
        });
    }
    m.queue(r.each_word(), |d, grid| {
        launch::finish_division(d, a, grid, list, r.limbs, from.limbs, addend, table, adds, group)
    })
}

/// The constants of `finish_division` (`DivisionLimb` in `kernels/keyswitch.cuh`).
fn division_limbs(a: Arithmetic, plan: &DivisionPlan) -> Vec<u64> {
    let limb = |(j, prime): (usize, &Arc<Prime>)| {
        let (q, keep) = (prime.modulus(), plan.keep[j].map_or(NO_LIMB, |limb| limb as u64));
        a.modulus(q).into_iter().chain(a.constant(q, plan.inverse[j])).chain([keep, 0]).collect::<Vec<_>>()
    };
    plan.dst.primes().iter().enumerate().flat_map(limb).collect()
}
