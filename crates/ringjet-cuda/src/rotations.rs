//! Rotations of one polynomial by many keys, and their sums.

use ringjet_backend::{HoistedRotations, Result, RotateFactor, RotateSum, RotateTerm, Rotation, View, ViewMut, check};
use ringjet_math::Basis;

use crate::device::Grid;
use crate::division::divide;
use crate::keyswitch::{Addends, Product, extend, key_product};
use crate::launch::{self, LIST_WORDS, List, batches};
use crate::machine::CudaMachine;
use crate::memory::{Place, VIEW_WORDS, number, temporary};

/// Rotations that are computed at once: their sums over the extended basis are in memory together.
const ROTATIONS_AT_ONCE: usize = 8;

/// Implements [`ringjet_backend::Backend::hoisted_rotations`].
pub fn hoisted_rotations(m: &CudaMachine, dst: &[ViewMut<'_>], r: &HoistedRotations<'_>) -> Result<()> {
    const OP: &str = "hoisted_rotations";
    check::hoisted_rotations(OP, dst, r)?;
    let (n, basis) = (r.digits.n(), &r.mod_up.extended);
    let sources = [r.digits, r.add];
    let secret = dst.iter().any(ViewMut::is_secret) || sources.iter().any(View::is_secret);
    for (dst, rotations) in dst.chunks(ROTATIONS_AT_ONCE).zip(r.rotations.chunks(ROTATIONS_AT_ONCE)) {
        let count = rotations.len();
        let secret = secret || rotations.iter().any(|(key, _)| key.is_secret());
        let mut acc = temporary(m, 2 * count * basis.len(), n, secret)?;
        let keys: Vec<View<'_>> = rotations.iter().map(|&(key, _)| key).collect();
        let product = Product {
            digits: r.digits,
            own: None,
            log_rows: None,
            keys: &keys,
            add: Some(Addends { add: r.add, times_p: Some(r.mod_up), each: r.add.polys() }),
            automorphism: None,
            accumulate: false,
            basis,
        };
        key_product(m, OP, &acc.view_mut(2 * count), &product)?;
        let targets = dst.iter().zip(rotations).map(|(dst, &(_, plan))| Ok((m.target(OP, dst)?, Some(plan))));
        let targets = targets.collect::<Result<Vec<_>>>()?;
        divide(m, OP, &targets, acc.view(2 * count), r.division, None, secret)?;
    }
    Ok(())
}

/// Implements [`ringjet_backend::Backend::rotate_into`].
pub fn rotate_into(
    m: &CudaMachine,
    dst: &ViewMut<'_>,
    src: View<'_>,
    r: &Rotation<'_>,
    accumulate: bool,
) -> Result<()> {
    const OP: &str = "rotate_into";
    check::rotate_into(OP, dst, src, r)?;
    let (basis, beta) = (&r.mod_up.extended, r.mod_up.beta());
    let secret = dst.is_secret() || [src, r.key, r.add].iter().any(View::is_secret);
    let mut digits = temporary(m, beta * basis.len(), dst.n(), secret)?;
    let (.., log_rows) = extend(m, OP, &digits.view_mut(beta), src, r.mod_up)?;
    let product = Product {
        digits: digits.view(beta),
        own: Some((src, r.mod_up)),
        log_rows,
        keys: &[r.key],
        add: Some(Addends { add: r.add, times_p: None, each: 1 }),
        automorphism: Some(r.automorphism),
        accumulate,
        basis,
    };
    key_product(m, OP, dst, &product)
}

/// Sums that one launch of `rotate_sum` computes; must equal `SUMS_AT_ONCE` in
/// `kernels/rotations.cuh`.
const SUMS_AT_ONCE: usize = 4;
/// Words of a tile of the evaluation domain.
const TILE: u32 = 512;
/// Words of a tile that a thread of `rotate_sum` has; must equal the constant in
/// `kernels/rotations.cuh`.
const SUM_WORDS: u32 = 4;

/// Implements [`ringjet_backend::Backend::hoisted_rotate_sum`].
pub fn hoisted_rotate_sum(
    m: &CudaMachine,
    dst: &ViewMut<'_>,
    s: &RotateSum<'_>,
    basis: &Basis,
    accumulate: bool,
) -> Result<()> {
    const OP: &str = "hoisted_rotate_sum";
    check::rotate_sum(OP, dst, s, basis)?;
    let a = m.arithmetic(&[basis])?;
    let (to, digits, add) = (m.target(OP, dst)?, m.source(OP, s.digits)?, m.source(OP, s.add)?);
    let keys = s.terms.iter().map(|term| term.key.map(|key| m.source(OP, key)).transpose());
    let keys = keys.collect::<Result<Vec<_>>>()?;
    let (n, sums) = (to.limbs.n, dst.polys() / 2);
    let tile = n.min(TILE);
    let grid = Grid { blocks: [n / tile.max(1), to.count as u32, 1], threads: [tile / SUM_WORDS, 1], shared: 0 };
    let (moduli, beta) = (m.moduli(a, basis.primes())?, number(OP, "digits", s.digits.polys())?);
    let terms: Vec<(&RotateTerm<'_>, &Option<Place<'_>>)> = s.terms.iter().zip(&keys).collect();
    for first in (0..sums).step_by(SUMS_AT_ONCE) {
        let of_launch = first..sums.min(first + SUMS_AT_ONCE);
        let count = of_launch.len();
        // a launch has one pair to add
        let runs = if s.adds_each() {
            terms.chunks(1).collect()
        } else {
            batches(&terms, LIST_WORDS, |_| VIEW_WORDS + 1 + 3 * count)
        };
        for (i, terms) in runs.into_iter().enumerate() {
            let (mut words, mut held) = (vec![], vec![]);
            for (term, key) in terms {
                words.extend(key.as_ref().map_or([0; VIEW_WORDS], Place::listed));
                words.push(term.automorphism.map_or(1, |plan| plan.galois.into()));
                for factor in &term.factors[of_launch.clone()] {
                    words.extend(match factor {
                        RotateFactor::None => [0; 3],
                        RotateFactor::One => [1, 0, 0],
                        RotateFactor::Poly(view) => {
                            let place = m.source(OP, *view)?;
                            let [at, chosen, _] = place.listed();
                            let times = n.checked_div(place.limbs.n).unwrap_or(1);
                            held.push(place);
                            [at, chosen, times.max(1).ilog2().into()]
                        }
                    });
                }
            }
            let (list, accumulate) = (List::new(&words), (accumulate || i > 0).into());
            let (to, terms, count) = (to.from(2 * first), terms.len() as u32, count as u32);
            let (digits, add) = (digits.limbs, if s.adds_each() { add.from(2 * i) } else { add.limbs });
            m.queue(grid, |d, grid| {
                launch::rotate_sum(d, a, grid, to, digits, add, list, moduli.at(), terms, count, beta, accumulate)
            })?;
        }
    }
    Ok(())
}
