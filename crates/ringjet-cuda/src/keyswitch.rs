//! Tensor products, key switching and divisions. Each step is one launch over all limbs, digits and
//! polynomials.

use std::sync::Arc;

use ringjet_backend::plan::{AutomorphismPlan, DivisionPlan, ModUpPlan};
use ringjet_backend::{
    Buf, HoistedRotations, KeySwitch, KeySwitchInput, Products, Result, RotateFactor, RotateSum, RotateTerm, Rotation,
    View, ViewMut, check,
};
use ringjet_math::{Basis, Prime};

use crate::arithmetic::Arithmetic;
use crate::constants::Key;
use crate::device::{Address, Grid};
use crate::elementwise::inverse_galois;
use crate::launch::{self, LIST_WORDS, Limbs, List, batches};
use crate::machine::Machine;
use crate::memory::{Place, VIEW_WORDS, number};
use crate::transform::{Conversion, convert_columns, forward_rows, inverse, rows};

/// A limb that is absent (`NO_LIMB` in `kernels/keyswitch.cuh`).
const NO_LIMB: u64 = 0xffff_ffff;

/// Operands that a kernel does not read.
const NO_LIMBS: Limbs = Limbs { words: Address(0), chosen: Address(0), stride: 0, polys: 0, n: 0, unused: 0 };

/// Memory for a temporary, secret if an operand is.
fn temporary(m: &Machine, limbs: usize, n: usize, secret: bool) -> Result<Buf> {
    let buf = m.alloc(limbs, n)?;
    Ok(if secret { buf.into_secret() } else { buf })
}

/// A grid for each word of `limbs` limbs, `times` times.
fn grid(place: &Place<'_>, times: usize) -> Grid {
    let each = place.each_word();
    Grid { blocks: [each.blocks[0], each.blocks[1], times as u32], ..each }
}

/// Implements [`ringjet_backend::Backend::tensor`].
pub fn tensor(m: &Machine, dst: &ViewMut<'_>, x: View<'_>, y: View<'_>, basis: &Basis) -> Result<()> {
    const OP: &str = "tensor";
    check::tensor(OP, dst, x, y, basis)?;
    let dst = m.target(OP, dst)?;
    tensors(m, OP, [dst.limbs, dst.from(2)], &dst, &[&[(x, y)]], None, basis)
}

/// Most words of a list that pairs of `tensors` take beside the word of each sum.
const PAIR_WORDS: usize = 2 * VIEW_WORDS;

/// Whether the pairs of these sums fit one launch of `tensors`.
pub fn fits_one_launch(sums: &[Products<'_>]) -> bool {
    sums.iter().map(|sum| 1 + PAIR_WORDS * sum.len()).sum::<usize>() <= LIST_WORDS
}

/// Sums of products before relinearisation, plus polynomials of `add`. The first two polynomials of
/// each sum go to `dst[0]`, the third ones to `dst[1]`; `place` has limbs like both.
fn tensors(
    m: &Machine,
    op: &'static str,
    dst: [Limbs; 2],
    place: &Place<'_>,
    sums: &[Products<'_>],
    add: Option<View<'_>>,
    basis: &Basis,
) -> Result<()> {
    let a = m.arithmetic(&[basis]);
    let pairs = sums.iter().copied().flatten().map(|&(x, y)| Ok([m.source(op, x)?, m.source(op, y)?]));
    let pairs = pairs.collect::<Result<Vec<_>>>()?;
    let mut end = 0;
    let ranges = sums.iter().map(|sum| {
        let first = end;
        end += sum.len() as u64;
        first | end << 32
    });
    let words: Vec<u64> = ranges.chain(pairs.iter().flatten().flat_map(Place::listed)).collect();
    let (list, moduli) = (List::new(&words), m.moduli(a, basis.primes())?);
    let addend = add.map(|add| m.source(op, add)).transpose()?;
    let adds = add.map_or(0, |add| add.polys() / sums.len().max(1)) as u32;
    let (addend, count) = (addend.map_or(NO_LIMBS, |addend| addend.limbs), sums.len() as u32);
    m.queue(grid(place, sums.len()), |d, grid| {
        launch::tensors(d, a, grid, dst[0], dst[1], list, addend, moduli.at(), count, adds)
    })
}

/// Implements [`ringjet_backend::Backend::mod_up`].
pub fn mod_up(m: &Machine, dst: &ViewMut<'_>, src: View<'_>, plan: &ModUpPlan) -> Result<()> {
    const OP: &str = "mod_up";
    check::mod_up(OP, dst, src, plan)?;
    let (to, primes, log_rows) = extend(m, OP, dst, src, plan)?;
    if let Some(log_rows) = log_rows {
        forward_rows(m, m.arithmetic(&[&plan.extended]), &to, &primes, log_rows)?;
    }
    let own = |(d, limb): (usize, usize)| (d, plan.special + limb);
    let limbs: Vec<(usize, usize)> = owners(plan).enumerate().map(|(limb, d)| own((d, limb))).collect();
    let (to, from) = (m.scattered(OP, dst, plan.beta(), &limbs)?, m.source(OP, src)?);
    m.queue(to.each_word(), |d, grid| launch::copy(d, grid, to.limbs, from.limbs))
}

/// The digit of each limb of the plan's source.
fn owners(plan: &ModUpPlan) -> impl Iterator<Item = usize> + '_ {
    plan.digits.iter().enumerate().flat_map(|(d, digit)| std::iter::repeat_n(d, digit.len))
}

/// Writes the digits of each polynomial of `src` to `dst`, without their own limbs and without the
/// levels within rows. Returns the place of the limbs that were written, their primes, and log2 of
/// the number of rows; `None` for small rings, whose digits are complete.
fn extend<'a>(
    m: &Machine,
    op: &'static str,
    dst: &ViewMut<'a>,
    src: View<'_>,
    plan: &ModUpPlan,
) -> Result<(Place<'a>, Vec<Arc<Prime>>, Option<u32>)> {
    let a = m.arithmetic(&[&plan.extended]);
    let secret = dst.is_secret() || src.is_secret();
    let mut coefficients = temporary(m, src.polys() * src.limbs(), src.n(), secret)?;
    let x = m.target(op, &coefficients.view_mut(src.polys()))?;
    inverse(m, a, &x, m.source(op, src)?.limbs, plan.src.primes())?;
    let (mut parts, mut limbs, mut primes) = (vec![], vec![], vec![]);
    for (d, digit) in plan.digits.iter().enumerate() {
        let conv = &digit.conv.conv;
        parts.push(Conversion { conv, source: digit.start, target: limbs.len() });
        limbs.extend(digit.targets.iter().map(|&target| (d, target)));
        primes.extend(conv.dst.primes().iter().map(Arc::clone));
    }
    let to = m.scattered(op, dst, plan.beta(), &limbs)?;
    let log_rows = convert_columns(m, op, a, &to, x.limbs, (Key::Plan(plan.id, a), &parts), &primes)?;
    Ok((to, primes, log_rows))
}

/// What digits are multiplied by and added to.
struct Product<'a, 'k> {
    digits: View<'a>,
    /// The polynomials that they are digits of, and the plan, if `digits` lacks their own limbs.
    own: Option<(View<'a>, &'a ModUpPlan)>,
    /// log2 of the number of rows, if the digits lack the levels within rows.
    log_rows: Option<u32>,
    /// A key for each pair of results, or one for all; with several, all have the same digits.
    keys: &'k [View<'a>],
    /// Polynomials that are added.
    add: Option<Addends<'a>>,
    /// The automorphism of the results.
    automorphism: Option<&'a AutomorphismPlan>,
    /// Whether the old results are added.
    accumulate: bool,
    /// The basis of all limbs.
    basis: &'a Basis,
}

/// Addends of a product with a key.
struct Addends<'a> {
    add: View<'a>,
    /// The plan whose `p_residues` they are multiplied by; then they lack the special limbs.
    times_p: Option<&'a ModUpPlan>,
    /// How many belong to a pair of results.
    each: usize,
}

/// Implements [`ringjet_backend::Backend::key_inner_product`].
pub fn key_inner_product(m: &Machine, acc: &ViewMut<'_>, digits: View<'_>, key: View<'_>, basis: &Basis) -> Result<()> {
    const OP: &str = "key_inner_product";
    check::inner_product(OP, acc, digits.polys(), key, basis)?;
    check::basis(OP, digits.limbs(), digits.n(), basis)?;
    let product = Product {
        digits,
        own: None,
        log_rows: None,
        keys: &[key],
        add: None,
        automorphism: None,
        accumulate: false,
        basis,
    };
    key_product(m, OP, acc, &product)
}

/// The inner products of digits with keys, plus addends, for each pair of polynomials of `acc`.
fn key_product(m: &Machine, op: &'static str, acc: &ViewMut<'_>, x: &Product<'_, '_>) -> Result<()> {
    /// What all pairs of results share (`kernels/keyswitch.cuh`).
    const KEYS: u32 = 1;
    const DIGITS: u32 = 2;
    const ADDENDS: u32 = 4;
    let (a, times, basis) = (m.arithmetic(&[x.basis]), acc.polys() / 2, x.basis);
    let beta = x.keys.first().map_or(0, |key| key.polys() / 2);
    let owned = x.own.map(|(_, plan)| plan);
    let times_p = x.add.as_ref().and_then(|add| add.times_p);
    let id = |plan: Option<&ModUpPlan>| plan.map(|plan| plan.id);
    let made_for = Key::SwitchingProduct(a, basis.values().collect(), id(owned), id(times_p));
    let table = m.words(made_for, || product_limbs(a, basis, owned, times_p))?;
    let (to, from) = (m.target(op, acc)?, m.source(op, x.digits)?);
    let keys = x.keys.iter().map(|&key| m.source(op, key)).collect::<Result<Vec<_>>>()?;
    let own = x.own.map(|(own, _)| m.source(op, own)).transpose()?;
    let addend = x.add.as_ref().map(|add| m.source(op, add.add)).transpose()?;
    let limbs = |place: &Option<Place<'_>>| place.as_ref().map_or(NO_LIMBS, |place| place.limbs);
    let (own, addend) = (limbs(&own), limbs(&addend));
    let special = owned.map_or(basis.len(), |plan| plan.special) as u32;
    let add_from = times_p.map_or(0, |plan| plan.special) as u32;
    let adds = x.add.as_ref().map_or(0, |add| add.each) as u32;
    let (beta, accumulate, table) = (number(op, "digits", beta)?, x.accumulate.into(), table.at());
    if let (Some(log_rows), [key]) = (x.log_rows, &keys[..]) {
        let transforms = m.transforms(a, basis.primes())?;
        let (t, each, inverse) = (transforms.at(), rows(&to), x.automorphism.map_or(1, inverse_galois));
        let each = Grid { blocks: [each.blocks[0], each.blocks[1], times as u32], ..each };
        return m.queue(each, |d, grid| {
            let (to, from, key) = (to.limbs, from.limbs, key.limbs);
            launch::rows_product(
                d, a, grid, to, from, own, key, addend, t, table, beta, special, adds, add_from, inverse, accumulate,
                log_rows,
            )
        });
    }
    let list = List::new(&keys.iter().flat_map(Place::listed).collect::<Vec<_>>());
    let shared = if keys.len() == 1 { KEYS } else { DIGITS | ADDENDS };
    let galois = x.automorphism.map_or(1, |plan| plan.galois);
    m.queue(grid(&to, 1), |d, grid| {
        launch::key_product(
            d, a, grid, to.limbs, from.limbs, own, list, addend, table, beta, special, times as u32, shared, adds, add_from,
            galois, accumulate,
        )
    })
}

/// The constants of `key_product` (`ProductLimb` in `kernels/keyswitch.cuh`).
fn product_limbs(a: Arithmetic, basis: &Basis, owned: Option<&ModUpPlan>, times_p: Option<&ModUpPlan>) -> Vec<u64> {
    let owner: Vec<usize> = owned.map_or_else(Vec::new, |plan| owners(plan).collect());
    let limb = |(i, prime): (usize, &Arc<Prime>)| {
        let (q, inside) = (prime.modulus(), |plan: &ModUpPlan| i.checked_sub(plan.special));
        let factor = times_p.map_or(1, |plan| inside(plan).map_or(0, |i| plan.p_residues[i]));
        let owner = owned.and_then(inside).map_or(NO_LIMB, |i| owner[i] as u64);
        a.modulus(q).into_iter().chain(a.constant(q, factor)).chain([owner, 0]).collect::<Vec<_>>()
    };
    basis.primes().iter().enumerate().flat_map(limb).collect()
}

/// Implements [`ringjet_backend::Backend::key_switch`]; sums of products must fit one launch
/// ([`fits_one_launch`]).
pub fn key_switch(m: &Machine, dst: &ViewMut<'_>, s: &KeySwitch<'_>) -> Result<()> {
    const OP: &str = "key_switch";
    let (n, extended, beta, count) = (dst.n(), &s.mod_up.extended, s.mod_up.beta(), s.count());
    let secret = dst.is_secret() || s.sources().any(|x| x.is_secret());
    let (mut products, mut digits);
    let (input, add) = match s.input {
        KeySwitchInput::Polynomial(x) | KeySwitchInput::Digits(x) => (x, s.add),
        KeySwitchInput::Products(sums) => {
            let basis = &s.mod_up.src;
            products = temporary(m, 3 * count * basis.len(), n, secret)?;
            let place = m.target(OP, &products.view_mut(3 * count))?;
            tensors(m, OP, [place.from(count), place.limbs], &place, sums, s.add, basis)?;
            let products = products.view(3 * count);
            (products.slice(0, count), Some(products.slice(count, 2 * count)))
        }
    };
    let (digits, own, log_rows) = if let KeySwitchInput::Digits(digits) = s.input {
        (digits, None, None)
    } else {
        digits = temporary(m, count * beta * extended.len(), n, secret)?;
        let (.., log_rows) = extend(m, OP, &digits.view_mut(count * beta), input, s.mod_up)?;
        (digits.view(count * beta), Some((input, s.mod_up)), log_rows)
    };
    let each = add.map_or(0, |add| add.polys() / count.max(1));
    let add = add.map(|add| Addends { add, times_p: Some(s.mod_up), each });
    let keys = &[s.key];
    let product =
        Product { digits, own, log_rows, keys, add, automorphism: None, accumulate: false, basis: extended };
    let mut acc = temporary(m, 2 * count * extended.len(), n, secret)?;
    key_product(m, OP, &acc.view_mut(2 * count), &product)?;
    divide(m, OP, &[(m.target(OP, dst)?, s.automorphism)], acc.view(2 * count), s.division, None, secret)
}

/// Rotations that are computed at once: their sums over the extended basis are in memory together.
const ROTATIONS_AT_ONCE: usize = 8;

/// Implements [`ringjet_backend::Backend::hoisted_rotations`].
pub fn hoisted_rotations(m: &Machine, dst: &[ViewMut<'_>], r: &HoistedRotations<'_>) -> Result<()> {
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
pub fn rotate_into(m: &Machine, dst: &ViewMut<'_>, src: View<'_>, r: &Rotation<'_>, accumulate: bool) -> Result<()> {
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
const SUM_WORDS: u32 = 2;

/// Implements [`ringjet_backend::Backend::hoisted_rotate_sum`].
pub fn hoisted_rotate_sum(
    m: &Machine,
    dst: &ViewMut<'_>,
    s: &RotateSum<'_>,
    basis: &Basis,
    accumulate: bool,
) -> Result<()> {
    const OP: &str = "hoisted_rotate_sum";
    check::rotate_sum(OP, dst, s, basis)?;
    let a = m.arithmetic(&[basis]);
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
        for (i, terms) in batches(&terms, |_| VIEW_WORDS + 1 + 3 * count).into_iter().enumerate() {
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
            let (digits, add) = (digits.limbs, add.limbs);
            m.queue(grid, |d, grid| {
                launch::rotate_sum(d, a, grid, to, digits, add, list, moduli.at(), terms, count, beta, accumulate)
            })?;
        }
    }
    Ok(())
}

/// Implements [`ringjet_backend::Backend::divide_round`].
pub fn divide_round(
    m: &Machine,
    dst: &ViewMut<'_>,
    src: View<'_>,
    plan: &DivisionPlan,
    add: Option<View<'_>>,
) -> Result<()> {
    check::divide_round("divide_round", dst, src, plan, add)?;
    divide(m, "divide_round", &[(m.target("divide_round", dst)?, None)], src, plan, add, src.is_secret() || dst.is_secret())
}

/// Words of a target of a division; must equal `TARGET_WORDS` in `kernels/keyswitch.cuh`.
const TARGET_WORDS: usize = VIEW_WORDS + 1;

/// The division of `src`, whose polynomials belong to the targets in turn, each followed by its
/// automorphism of the evaluation domain if it has one. All targets have as many polynomials.
fn divide(
    m: &Machine,
    op: &'static str,
    targets: &[(Place<'_>, Option<&AutomorphismPlan>)],
    src: View<'_>,
    plan: &DivisionPlan,
    add: Option<View<'_>>,
    secret: bool,
) -> Result<()> {
    let (a, n, polys) = (m.arithmetic(&[&plan.src, &plan.dst]), src.n(), src.polys());
    let mut dropped = temporary(m, polys * plan.drop.len(), n, secret)?;
    let x = m.target(op, &dropped.view_mut(polys))?;
    inverse(m, a, &x, m.gathered(op, src, &plan.drop)?.limbs, plan.conv.conv.src.primes())?;
    let mut remainder = temporary(m, polys * plan.keep.len(), n, secret)?;
    let r = m.target(op, &remainder.view_mut(polys))?;
    let parts = [Conversion { conv: &plan.conv.conv, source: 0, target: 0 }];
    let (conversion, primes) = ((Key::Plan(plan.conv.id, a), &parts[..]), plan.dst.primes());
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
