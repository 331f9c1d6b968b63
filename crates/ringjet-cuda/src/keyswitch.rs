//! Key switching. Each step is one launch over all limbs, digits and polynomials.

use std::sync::Arc;

use ringjet_backend::plan::{AutomorphismPlan, ModUpPlan};
use ringjet_backend::{KeySwitch, KeySwitchInput, Result, View, ViewMut, check};
use ringjet_math::{Basis, Prime};

use crate::arithmetic::Arithmetic;
use crate::constants::Key;
use crate::device::Grid;
use crate::division::divide;
use crate::elementwise::inverse_galois;
use crate::launch::{self, List};
use crate::machine::CudaMachine;
use crate::memory::{NO_LIMB, NO_LIMBS, Place, number, temporary};
use crate::products::tensors;
use crate::transform::{Conversion, convert_columns, forward_rows, inverse, rows};

/// Implements [`ringjet_backend::Backend::mod_up`].
pub fn mod_up(m: &CudaMachine, dst: &ViewMut<'_>, src: View<'_>, plan: &ModUpPlan) -> Result<()> {
    const OP: &str = "mod_up";
    check::mod_up(OP, dst, src, plan)?;
    let (to, primes, log_rows) = extend(m, OP, dst, src, plan)?;
    if let Some(log_rows) = log_rows {
        forward_rows(m, m.arithmetic(&[&plan.extended])?, &to, &primes, log_rows)?;
    }
    let own = |(d, limb): (usize, usize)| (d, plan.special + limb);
    let limbs: Vec<(usize, usize)> = owners(plan).enumerate().map(|(limb, d)| own((d, limb))).collect();
    let (to, from) = (m.scattered(OP, dst, plan.beta(), &limbs)?, m.source(OP, src)?);
    m.queue(to.each_word(), |d, grid| launch::copy(d, m.width(), grid, to.limbs, from.limbs))
}

/// The digit of each limb of the plan's source.
fn owners(plan: &ModUpPlan) -> impl Iterator<Item = usize> + '_ {
    plan.digits.iter().enumerate().flat_map(|(d, digit)| std::iter::repeat_n(d, digit.len))
}

/// Writes the digits of each polynomial of `src` to `dst`, without their own limbs and without the
/// levels within rows. Returns the place of the limbs that were written, their primes, and log2 of
/// the number of rows; `None` for small rings, whose digits are complete.
pub fn extend<'a>(
    m: &CudaMachine,
    op: &'static str,
    dst: &ViewMut<'a>,
    src: View<'_>,
    plan: &ModUpPlan,
) -> Result<(Place<'a>, Vec<Arc<Prime>>, Option<u32>)> {
    let a = m.arithmetic(&[&plan.extended])?;
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
    let log_rows = convert_columns(m, op, a, &to, x.limbs, (plan.id, &parts), &primes)?;
    Ok((to, primes, log_rows))
}

/// What digits are multiplied by and added to.
pub struct Product<'a, 'k> {
    pub digits: View<'a>,
    /// The polynomials that they are digits of, and the plan, if `digits` lacks their own limbs.
    pub own: Option<(View<'a>, &'a ModUpPlan)>,
    /// log2 of the number of rows, if the digits lack the levels within rows.
    pub log_rows: Option<u32>,
    /// A key for each pair of results, or one for all; with several, all have the same digits.
    pub keys: &'k [View<'a>],
    /// Polynomials that are added.
    pub add: Option<Addends<'a>>,
    /// The automorphism of the results.
    pub automorphism: Option<&'a AutomorphismPlan>,
    /// Whether the old results are added.
    pub accumulate: bool,
    /// The basis of all limbs.
    pub basis: &'a Basis,
}

/// Addends of a product with a key.
pub struct Addends<'a> {
    pub add: View<'a>,
    /// The plan whose `p_residues` they are multiplied by; then they lack the special limbs.
    pub times_p: Option<&'a ModUpPlan>,
    /// How many belong to a pair of results.
    pub each: usize,
}

/// Implements [`ringjet_backend::Backend::key_inner_product`].
pub fn key_inner_product(
    m: &CudaMachine,
    acc: &ViewMut<'_>,
    digits: View<'_>,
    key: View<'_>,
    basis: &Basis,
) -> Result<()> {
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
pub fn key_product(m: &CudaMachine, op: &'static str, acc: &ViewMut<'_>, x: &Product<'_, '_>) -> Result<()> {
    /// What all pairs of results share (`kernels/keyswitch.cuh`).
    const KEYS: u32 = 1;
    const DIGITS: u32 = 2;
    const ADDENDS: u32 = 4;
    let (a, times, basis) = (m.arithmetic(&[x.basis])?, acc.polys() / 2, x.basis);
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
    m.queue(to.each_word_times(1), |d, grid| {
        launch::key_product(
            d,
            a,
            grid,
            to.limbs,
            from.limbs,
            own,
            list,
            addend,
            table,
            beta,
            special,
            times as u32,
            shared,
            adds,
            add_from,
            galois,
            accumulate,
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
pub fn key_switch(m: &CudaMachine, dst: &ViewMut<'_>, s: &KeySwitch<'_>) -> Result<()> {
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
    let product = Product { digits, own, log_rows, keys, add, automorphism: None, accumulate: false, basis: extended };
    let mut acc = temporary(m, 2 * count * extended.len(), n, secret)?;
    key_product(m, OP, &acc.view_mut(2 * count), &product)?;
    divide(m, OP, &[(m.target(OP, dst)?, s.automorphism)], acc.view(2 * count), s.division, None, secret)
}
