//! Tensor products, key switching and divisions. Each step is one launch over all limbs, digits and
//! polynomials.

use std::sync::Arc;

use ringjet_backend::plan::{AutomorphismPlan, DivisionPlan, ModUpPlan};
use ringjet_backend::{Buf, KeySwitch, Result, View, ViewMut, check};
use ringjet_math::{Basis, Prime};

use crate::arithmetic::Arithmetic;
use crate::constants::{Constant, Key};
use crate::device::{Address, Grid};
use crate::launch::{self, Limbs};
use crate::machine::Machine;
use crate::memory::{Place, number};
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
    let a = m.arithmetic(&[basis]);
    let (dst, x, y, moduli) = (m.target(OP, dst)?, m.source(OP, x)?, m.source(OP, y)?, m.moduli(a, basis.primes())?);
    m.queue(grid(&dst, 1), |d, grid| launch::tensor(d, a, grid, dst.limbs, x.limbs, y.limbs, moduli.at()))
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

/// Digits to be multiplied by a key.
struct Digits<'a> {
    digits: View<'a>,
    /// The polynomials that they are digits of, and the plan, if `digits` lacks their own limbs.
    own: Option<(View<'a>, &'a ModUpPlan)>,
    /// log2 of the number of rows, if the digits lack the levels within rows.
    log_rows: Option<u32>,
}

/// Implements [`ringjet_backend::Backend::key_inner_product`].
pub fn key_inner_product(m: &Machine, acc: &ViewMut<'_>, digits: View<'_>, key: View<'_>, basis: &Basis) -> Result<()> {
    const OP: &str = "key_inner_product";
    check::inner_product(OP, acc, digits.polys(), key, basis)?;
    check::basis(OP, digits.limbs(), digits.n(), basis)?;
    key_product(m, OP, acc, &Digits { digits, own: None, log_rows: None }, key, None, basis)
}

/// The inner products of digits with a key, for each polynomial that has digits, plus `add` times
/// the plan's `p_residues`.
fn key_product(
    m: &Machine,
    op: &'static str,
    acc: &ViewMut<'_>,
    digits: &Digits<'_>,
    key: View<'_>,
    add: Option<(View<'_>, &ModUpPlan)>,
    basis: &Basis,
) -> Result<()> {
    let (a, beta, times) = (m.arithmetic(&[basis]), key.polys() / 2, acc.polys() / 2);
    let owned = digits.own.map(|(_, plan)| plan);
    let plan = owned.or(add.map(|(_, plan)| plan));
    let made_for = Key::SwitchingProduct(a, basis.values().collect(), plan.map(|plan| plan.id), owned.is_some());
    let table = m.words(made_for, || product_limbs(a, basis, plan, owned.is_some()))?;
    let (to, from, key) = (m.target(op, acc)?, m.source(op, digits.digits)?, m.source(op, key)?);
    let own = digits.own.map(|(own, _)| m.source(op, own)).transpose()?;
    let addend = add.map(|(add, _)| m.source(op, add)).transpose()?;
    let limbs = |place: &Option<Place<'_>>| place.as_ref().map_or(NO_LIMBS, |place| place.limbs);
    let special = plan.map_or(basis.len(), |plan| plan.special);
    let adds = add.map_or(0, |(add, _)| add.polys() / times.max(1));
    let [beta, special, adds] =
        [(beta, "digits"), (special, "special primes"), (adds, "addends")].map(|(count, what)| number(op, what, count));
    let (beta, special, adds) = (beta?, special?, adds?);
    let (own, addend) = (limbs(&own), limbs(&addend));
    let table = table.at();
    if let Some(log_rows) = digits.log_rows {
        let transforms = m.transforms(a, basis.primes())?;
        let (t, each) = (transforms.at(), rows(&to));
        let each = Grid { blocks: [each.blocks[0], each.blocks[1], times as u32], ..each };
        return m.queue(each, |d, grid| {
            let (to, from, key) = (to.limbs, from.limbs, key.limbs);
            launch::rows_product(d, a, grid, to, from, own, key, addend, t, table, beta, special, adds, log_rows)
        });
    }
    m.queue(grid(&to, times), |d, grid| {
        launch::key_product(d, a, grid, to.limbs, from.limbs, own, key.limbs, addend, table, beta, special, adds)
    })
}

/// The constants of `key_product` (`ProductLimb` in `kernels/keyswitch.cuh`).
fn product_limbs(a: Arithmetic, basis: &Basis, plan: Option<&ModUpPlan>, owned: bool) -> Vec<u64> {
    let special = plan.map_or(basis.len(), |plan| plan.special);
    let owners: Vec<usize> = plan.map_or_else(Vec::new, |plan| owners(plan).collect());
    let limb = |(i, prime): (usize, &Arc<Prime>)| {
        let q = prime.modulus();
        let inside = i.checked_sub(special);
        let factor = inside.zip(plan).map_or(0, |(i, plan)| plan.p_residues[i]);
        let owner = inside.filter(|_| owned).map_or(NO_LIMB, |i| owners[i] as u64);
        a.modulus(q).into_iter().chain(a.constant(q, factor)).chain([owner, 0]).collect::<Vec<_>>()
    };
    basis.primes().iter().enumerate().flat_map(limb).collect()
}

/// Implements [`ringjet_backend::Backend::key_switch`] for polynomials, or the digits of some.
pub fn key_switch(m: &Machine, dst: &ViewMut<'_>, s: &KeySwitch<'_>, input: View<'_>, is_digits: bool) -> Result<()> {
    const OP: &str = "key_switch";
    let (n, extended, beta, count) = (dst.n(), &s.mod_up.extended, s.mod_up.beta(), s.count());
    let secret = dst.is_secret() || s.sources().any(|x| x.is_secret());
    let mut acc = temporary(m, 2 * count * extended.len(), n, secret)?;
    let add = s.add.map(|add| (add, s.mod_up));
    let made;
    let digits = if is_digits {
        Digits { digits: input, own: None, log_rows: None }
    } else {
        let mut digits = temporary(m, count * beta * extended.len(), n, secret)?;
        let (.., log_rows) = extend(m, OP, &digits.view_mut(count * beta), input, s.mod_up)?;
        made = digits;
        Digits { digits: made.view(count * beta), own: Some((input, s.mod_up)), log_rows }
    };
    key_product(m, OP, &acc.view_mut(2 * count), &digits, s.key, add, extended)?;
    divide(m, OP, dst, acc.view(2 * count), s.division, None, s.automorphism)
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
    divide(m, "divide_round", dst, src, plan, add, None)
}

/// The division, followed by an automorphism of the evaluation domain if there is one.
fn divide(
    m: &Machine,
    op: &'static str,
    dst: &ViewMut<'_>,
    src: View<'_>,
    plan: &DivisionPlan,
    add: Option<View<'_>>,
    automorphism: Option<&AutomorphismPlan>,
) -> Result<()> {
    let (a, n, polys) = (m.arithmetic(&[&plan.src, &plan.dst]), src.n(), src.polys());
    let secret = src.is_secret() || dst.is_secret();
    let mut dropped = temporary(m, polys * plan.drop.len(), n, secret)?;
    let x = m.target(op, &dropped.view_mut(polys))?;
    inverse(m, a, &x, m.gathered(op, src, &plan.drop)?.limbs, plan.conv.conv.src.primes())?;
    let mut remainder = temporary(m, polys * plan.keep.len(), n, secret)?;
    let r = m.target(op, &remainder.view_mut(polys))?;
    let parts = [Conversion { conv: &plan.conv.conv, source: 0, target: 0 }];
    let (conversion, primes) = ((Key::Plan(plan.conv.id, a), &parts[..]), plan.dst.primes());
    let log_rows = convert_columns(m, op, a, &r, x.limbs, conversion, primes)?;
    let table = m.words(Key::Division(plan.id, a), || division_limbs(a, plan))?;
    let map = automorphism.map(|plan| if log_rows.is_some() { m.inverse_map(plan) } else { m.map(plan) });
    let map: Option<Arc<Constant>> = map.transpose()?;
    let (to, from) = (m.target(op, dst)?, m.source(op, src)?);
    let addend = add.map(|add| m.source(op, add)).transpose()?;
    let adds = number(op, "addends", add.map_or(0, |add| add.polys()))?;
    let addend = addend.map_or(NO_LIMBS, |addend| addend.limbs);
    let map = map.as_ref().map_or(Address(0), |map| map.at());
    let table = table.at();
    if let Some(log_rows) = log_rows {
        let transforms = m.transforms(a, plan.dst.primes())?;
        let (t, grid) = (transforms.at(), rows(&to));
        return m.queue(grid, |d, grid| {
            launch::rows_finish(d, a, grid, to.limbs, r.limbs, from.limbs, addend, t, table, map, adds, log_rows)
        });
    }
    m.queue(to.each_word(), |d, grid| {
        launch::finish_division(d, a, grid, to.limbs, r.limbs, from.limbs, addend, table, map, adds)
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
