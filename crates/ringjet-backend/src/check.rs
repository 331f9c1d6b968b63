//! Checks of shapes and owners that all backends use. A wrong view gives a typed error, never a
//! panic.

use ringjet_math::{BaseConversion, Basis, big};

use crate::big::{BigFactor, BigMul, BigTerm, MAX_FACTOR};
use crate::plan::{AutomorphismPlan, CrtJoinPlan, CrtSplitPlan, DivisionPlan, Domain, ModUpPlan};
use crate::{
    BackendError, BackendId, Buf, Coeff, Gemm, HoistedRotations, Integers, KeySwitch, KeySwitchInput, MAX_WEIGHT,
    Result, RotateFactor, RotateSum, Rotation, Term, View, ViewMut, repeat,
};

/// Refuses `found` unless it equals `expected`. `op` and `what` name the operation and the
/// quantity.
pub fn equal(op: &'static str, what: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == found { Ok(()) } else { Err(BackendError::Shape { op, what, expected, found }) }
}

/// Refuses a buffer that does not belong to backend `id`.
pub fn owner(op: &'static str, id: &BackendId, buf: &Buf) -> Result<()> {
    if buf.owner() == id {
        return Ok(());
    }
    Err(BackendError::WrongOwner { op, expected: id.name().into(), found: buf.owner().name().into() })
}

/// Refuses a range of `words` words from limb `first` on, unless it consists of whole limbs of the
/// buffer.
pub fn range(op: &'static str, buf: &Buf, first: usize, words: usize) -> Result<()> {
    equal(op, "words beyond whole limbs", 0, words % buf.n().max(1))?;
    let limbs = words / buf.n().max(1);
    if first.checked_add(limbs).is_some_and(|end| end <= buf.limbs()) {
        return Ok(());
    }
    Err(BackendError::Shape { op, what: "last limb", expected: buf.limbs(), found: first.saturating_add(limbs) })
}

/// Refuses a view whose number of limbs or ring degree differs from those of `basis`.
pub fn basis(op: &'static str, limbs: usize, n: usize, basis: &Basis) -> Result<()> {
    equal(op, "number of limbs", basis.len(), limbs)?;
    equal(op, "ring degree", basis.n(), n)
}

/// Refuses `src` unless it has the limbs and degree of `dst`, and as many polynomials as `dst` or
/// one.
pub fn source(op: &'static str, dst: &ViewMut<'_>, src: View<'_>) -> Result<()> {
    equal(op, "number of limbs", dst.limbs(), src.limbs())?;
    equal(op, "ring degree", dst.n(), src.n())?;
    if src.polys() == 1 { Ok(()) } else { equal(op, "number of polynomials", dst.polys(), src.polys()) }
}

/// Refuses terms and residues of a constant that do not fit an affine combination.
pub fn affine(op: &'static str, dst: &ViewMut<'_>, terms: &[Term<'_>], constant: &[u64], over: &Basis) -> Result<()> {
    lincomb(op, dst, terms, over)?;
    equal(op, "number of residues of the constant", over.len(), constant.len())
}

/// Refuses terms that do not fit a linear combination.
pub fn lincomb(op: &'static str, dst: &ViewMut<'_>, terms: &[Term<'_>], over: &Basis) -> Result<()> {
    basis(op, dst.limbs(), dst.n(), over)?;
    for &(coeff, src) in terms {
        source(op, dst, src)?;
        if let Coeff::PerLimb(c) = coeff {
            equal(op, "number of coefficients", over.len(), c.len())?;
        }
    }
    Ok(())
}

/// Refuses operands that do not fit a product with a matrix.
pub fn gemm(op: &'static str, dst: &[ViewMut<'_>], gemm: &Gemm<'_>, over: &Basis) -> Result<()> {
    let (rows, limbs, polys) = (dst.len(), over.len(), dst.first().map_or(0, |dst| dst.polys()));
    for dst in dst {
        basis(op, dst.limbs(), dst.n(), over)?;
        gemm.src.iter().try_for_each(|&src| source(op, dst, src))?;
        equal(op, "number of polynomials", polys, dst.polys())?;
    }
    equal(op, "number of weights", rows * gemm.src.len(), gemm.weights.len())?;
    equal(op, "number of factors", rows * limbs, gemm.factors.len())?;
    if !gemm.constants.is_empty() {
        equal(op, "number of constants", rows * limbs, gemm.constants.len())?;
    }
    let largest = gemm.weights.iter().map(|w| w.unsigned_abs()).max().unwrap_or(0);
    let most = MAX_WEIGHT.unsigned_abs();
    if largest <= most { Ok(()) } else { equal(op, "size of a weight, at most", most as usize, largest as usize) }
}

/// Refuses operands that do not fit products of matrices whose rows are polynomials.
pub fn class_products(op: &'static str, dst: &[ViewMut<'_>], [a, b]: [&[View<'_>]; 2], over: &Basis) -> Result<()> {
    let rows = dst.len();
    equal(op, "number of rows, a power of two up to the ring degree", rows.next_power_of_two().min(over.n()), rows)?;
    equal(op, "number of rows of the first factor", rows, a.len())?;
    equal(op, "number of rows of the second factor", rows, b.len())?;
    let polys = [a, b].map(|rows| rows.first().map_or(0, |row| row.polys()));
    for (rows, polys) in [a, b].into_iter().zip(polys) {
        for row in rows {
            basis(op, row.limbs(), row.n(), over)?;
            equal(op, "number of polynomials of a row", polys, row.polys())?;
        }
    }
    for row in dst {
        basis(op, row.limbs(), row.n(), over)?;
        equal(op, "number of polynomials of a row of the result", polys[0] * polys[1], row.polys())?;
    }
    Ok(())
}

/// Refuses views that do not fit the base conversion.
pub fn conversion(op: &'static str, dst: &ViewMut<'_>, src: View<'_>, conv: &BaseConversion) -> Result<()> {
    basis(op, src.limbs(), src.n(), &conv.src)?;
    basis(op, dst.limbs(), dst.n(), &conv.dst)?;
    equal(op, "number of polynomials", dst.polys(), src.polys())
}

/// Refuses views that do not fit a tensor product.
pub fn tensor(op: &'static str, dst: &ViewMut<'_>, a: View<'_>, b: View<'_>, over: &Basis) -> Result<()> {
    basis(op, dst.limbs(), dst.n(), over)?;
    basis(op, a.limbs(), a.n(), over)?;
    basis(op, b.limbs(), b.n(), over)?;
    equal(op, "number of polynomials of the product", 3, dst.polys())?;
    equal(op, "number of polynomials of the first factor", 2, a.polys())?;
    equal(op, "number of polynomials of the second factor", 2, b.polys())
}

/// Refuses views that do not fit a sum of products.
pub fn mul_acc(op: &'static str, dst: &ViewMut<'_>, pairs: &[(View<'_>, View<'_>)], over: &Basis) -> Result<()> {
    basis(op, dst.limbs(), dst.n(), over)?;
    for &(x, y) in pairs {
        source(op, dst, x)?;
        source(op, dst, y)?;
    }
    Ok(())
}

/// Refuses `dst` unless it has the shape of the digits of the decomposition, and `src` unless it
/// can be decomposed.
pub fn mod_up(op: &'static str, dst: &ViewMut<'_>, src: View<'_>, plan: &ModUpPlan) -> Result<()> {
    decomposed(op, src, plan)?;
    basis(op, dst.limbs(), dst.n(), &plan.extended)?;
    equal(op, "number of digits", plan.beta(), dst.polys())
}

/// Refuses `src` unless it is one polynomial over the plan's Q_l.
pub fn decomposed(op: &'static str, src: View<'_>, plan: &ModUpPlan) -> Result<()> {
    basis(op, src.limbs(), src.n(), &plan.src)?;
    equal(op, "number of polynomials to decompose", 1, src.polys())
}

/// Refuses `acc` unless it is two polynomials, and `key` unless it has two polynomials for each of
/// the `digits`.
pub fn inner_product(op: &'static str, acc: &ViewMut<'_>, digits: usize, key: View<'_>, over: &Basis) -> Result<()> {
    basis(op, acc.limbs(), acc.n(), over)?;
    basis(op, key.limbs(), key.n(), over)?;
    equal(op, "number of polynomials of the result", 2, acc.polys())?;
    equal(op, "number of polynomials of the key", 2 * digits, key.polys())
}

/// Refuses a division by no prime.
fn divides(op: &'static str, plan: &DivisionPlan) -> Result<()> {
    if plan.drop.is_empty() { equal(op, "number of primes to divide by, at least", 1, 0) } else { Ok(()) }
}

/// Refuses views and plans that do not fit a key switch.
pub fn key_switch(op: &'static str, dst: &ViewMut<'_>, s: &KeySwitch<'_>) -> Result<()> {
    let (plan, division, count) = (s.mod_up, s.division, s.count());
    match s.input {
        KeySwitchInput::Polynomial(src) => basis(op, src.limbs(), src.n(), &plan.src)?,
        KeySwitchInput::Digits(digits) => {
            basis(op, digits.limbs(), digits.n(), &plan.extended)?;
            equal(op, "number of digits", plan.beta() * count.max(1), digits.polys())?;
        }
        KeySwitchInput::Products(sums) => {
            for &(a, b) in sums.iter().copied().flatten() {
                for x in [a, b] {
                    basis(op, x.limbs(), x.n(), &plan.src)?;
                    equal(op, "number of polynomials of a factor", 2, x.polys())?;
                }
            }
        }
    }
    if count == 0 {
        equal(op, "number of polynomials to switch, at least", 1, 0)?;
    }
    basis(op, s.key.limbs(), s.key.n(), &plan.extended)?;
    equal(op, "number of polynomials of the key", 2 * plan.beta(), s.key.polys())?;
    basis(op, division.src.len(), division.src.n(), &plan.extended)?;
    divides(op, division)?;
    let special = division.drop.iter().filter(|&&i| i < plan.special).count();
    equal(op, "special primes divided out", plan.special, special)?;
    basis(op, dst.limbs(), dst.n(), &division.dst)?;
    equal(op, "number of polynomials of the result", 2 * count, dst.polys())?;
    if let Some(add) = s.add {
        basis(op, add.limbs(), add.n(), &plan.src)?;
        if add.polys() != count {
            equal(op, "number of polynomials to add", 2 * count, add.polys())?;
        }
    }
    s.automorphism.map_or(Ok(()), |plan| evaluation_automorphism(op, plan, dst.n()))
}

/// Refuses a plan that is not one of the evaluation domain for polynomials of `n` words.
fn evaluation_automorphism(op: &'static str, plan: &AutomorphismPlan, n: usize) -> Result<()> {
    equal(op, "ring degree", plan.n(), n)?;
    let in_evaluation = usize::from(plan.domain == Domain::Evaluation);
    equal(op, "automorphisms of the evaluation domain", 1, in_evaluation)
}

/// Refuses views and plans that do not fit one of the rotations.
pub fn hoisted_rotations(op: &'static str, dst: &[ViewMut<'_>], r: &HoistedRotations<'_>) -> Result<()> {
    equal(op, "number of results", r.rotations.len(), dst.len())?;
    equal(op, "number of digits", r.mod_up.beta(), r.digits.polys())?;
    dst.iter().enumerate().try_for_each(|(i, dst)| key_switch(op, dst, &r.switch(i)))
}

/// Refuses views that do not fit a sum of rotations.
pub fn rotate_sum(op: &'static str, dst: &ViewMut<'_>, s: &RotateSum<'_>, over: &Basis) -> Result<()> {
    basis(op, dst.limbs(), dst.n(), over)?;
    basis(op, s.digits.limbs(), s.digits.n(), over)?;
    basis(op, s.add.limbs(), s.add.n(), over)?;
    let adds = if s.adds_each() { 2 * s.terms.len() } else { 2 };
    equal(op, "number of polynomials to add", adds, s.add.polys())?;
    equal(op, "number of polynomials of the sums beyond pairs", 0, dst.polys() % 2)?;
    for term in s.terms {
        equal(op, "number of sums", dst.polys() / 2, term.factors.len())?;
        if let Some(key) = term.key {
            basis(op, key.limbs(), key.n(), over)?;
            equal(op, "number of polynomials of the key", 2 * s.digits.polys(), key.polys())?;
        }
        if let Some(plan) = term.automorphism {
            evaluation_automorphism(op, plan, dst.n())?;
        }
        for factor in term.factors {
            if let RotateFactor::Poly(factor) = factor {
                equal(op, "number of limbs", over.len(), factor.limbs())?;
                compact_words(op, over.n(), factor.n())?;
                equal(op, "number of polynomials of a factor", 1, factor.polys())?;
            }
        }
    }
    Ok(())
}

/// Refuses compact limbs of `found` words for limbs of `n` words, unless `n / found` is a power of
/// two.
fn compact_words(op: &'static str, n: usize, found: usize) -> Result<()> {
    let repeated = n / found.max(1);
    let fits = repeated.is_power_of_two() && repeated * found == n && (repeated == 1 || found >= repeat::RUN);
    if fits { Ok(()) } else { equal(op, "words of a factor", n, found) }
}

/// Refuses `gap` unless it is a power of two up to the ring degree.
pub fn compact(op: &'static str, src: View<'_>, gap: usize) -> Result<()> {
    let fits = gap.is_power_of_two() && gap <= src.n();
    if fits { Ok(()) } else { equal(op, "power of X (the largest is expected)", src.n(), gap) }
}

/// Refuses `src` unless it is the compact form of polynomials of the shape of `dst`.
pub fn expand(op: &'static str, dst: &ViewMut<'_>, src: View<'_>) -> Result<()> {
    equal(op, "number of limbs", dst.limbs(), src.limbs())?;
    compact_words(op, dst.n(), src.n())?;
    if src.polys() == 1 { Ok(()) } else { equal(op, "number of polynomials", dst.polys(), src.polys()) }
}

/// Refuses coefficients that do not fit the factors that are made of them.
pub fn integer_factors(op: &'static str, dst: &ViewMut<'_>, src: &[Integers<'_>], over: &Basis) -> Result<()> {
    equal(op, "number of limbs", over.len(), dst.limbs())?;
    equal(op, "number of polynomials", dst.polys(), src.len())?;
    let len = src.first().map_or(over.n(), Integers::len);
    let fits = len.is_power_of_two() && (8..=over.n()).contains(&len);
    equal(op, "coefficients, a power of two from 8 on", if fits { len } else { over.n() }, len)?;
    src.iter().try_for_each(|c| equal(op, "coefficients of a polynomial", len, c.len()))?;
    equal(op, "words of a factor", repeat::words(over.n(), over.n() / len), dst.n())
}

/// Refuses views that do not fit the rotation that is added to a sum.
pub fn rotate_into(op: &'static str, dst: &ViewMut<'_>, src: View<'_>, r: &Rotation<'_>) -> Result<()> {
    decomposed(op, src, r.mod_up)?;
    inner_product(op, dst, r.mod_up.beta(), r.key, &r.mod_up.extended)?;
    basis(op, r.add.limbs(), r.add.n(), &r.mod_up.extended)?;
    equal(op, "number of polynomials to add", 1, r.add.polys())?;
    evaluation_automorphism(op, r.automorphism, dst.n())
}

/// Refuses views that do not fit a rounded division.
pub fn divide_round(
    op: &'static str,
    dst: &ViewMut<'_>,
    src: View<'_>,
    plan: &DivisionPlan,
    add: Option<View<'_>>,
) -> Result<()> {
    basis(op, src.limbs(), src.n(), &plan.src)?;
    basis(op, dst.limbs(), dst.n(), &plan.dst)?;
    divides(op, plan)?;
    equal(op, "number of polynomials", src.polys(), dst.polys())?;
    if let Some(add) = add {
        basis(op, add.limbs(), add.n(), &plan.dst)?;
        if add.polys() > dst.polys() {
            equal(op, "number of polynomials to add", dst.polys(), add.polys())?;
        }
    }
    Ok(())
}

/// Refuses views that do not fit a conversion from big coefficients to residues.
pub fn crt_split(op: &'static str, dst: &ViewMut<'_>, src: View<'_>, plan: &CrtSplitPlan) -> Result<()> {
    basis(op, dst.limbs(), dst.n(), &plan.crt.basis)?;
    consecutive(op, src)?;
    big_source(op, dst, src, plan.crt.bits)
}

/// Refuses a view with chosen limbs, which products of big coefficients do not take.
fn consecutive(op: &'static str, src: View<'_>) -> Result<()> {
    let what = "number of chosen limbs (big coefficients must have all of theirs)";
    src.chosen().map_or(Ok(()), |chosen| Err(BackendError::Shape { op, what, expected: 0, found: chosen.len() }))
}

/// Refuses views that do not fit a conversion from residues to big coefficients.
pub fn crt_join(op: &'static str, dst: &ViewMut<'_>, src: View<'_>, plan: &CrtJoinPlan) -> Result<()> {
    basis(op, src.limbs(), src.n(), &plan.crt.basis)?;
    equal(op, "ring degree", dst.n(), src.n())?;
    equal(op, "number of words", plan.crt.words(), dst.limbs())?;
    equal(op, "number of polynomials", dst.polys(), src.polys())
}

/// Refuses views that do not fit a shift by `shift` bits.
pub fn shift_round(op: &'static str, dst: &ViewMut<'_>, src: View<'_>, bits: u32, shift: u32) -> Result<()> {
    shifted(op, bits, shift)?;
    equal(op, "number of words", big::words(bits - shift), dst.limbs())?;
    big_source(op, dst, src, bits)
}

fn shifted(op: &'static str, bits: u32, shift: u32) -> Result<()> {
    if shift < bits {
        return Ok(());
    }
    let (expected, found) = ((bits as usize).saturating_sub(1), shift as usize);
    Err(BackendError::Shape { op, what: "shift, in bits (the largest is expected)", expected, found })
}

/// Refuses `src` unless it has the words of integers modulo `2^bits`, and as many polynomials as
/// `dst` or one.
fn big_source(op: &'static str, dst: &ViewMut<'_>, src: View<'_>, bits: u32) -> Result<()> {
    equal(op, "ring degree", dst.n(), src.n())?;
    big_words(op, bits, src.limbs())?;
    if src.polys() == 1 { Ok(()) } else { equal(op, "number of polynomials", dst.polys(), src.polys()) }
}

/// Refuses `found` unless it is the number of words of integers modulo `2^bits` and `bits` is at
/// least 1.
fn big_words(op: &'static str, bits: u32, found: usize) -> Result<()> {
    if bits == 0 {
        return Err(BackendError::Shape { op, what: "number of bits", expected: 1, found: 0 });
    }
    equal(op, "number of words", big::words(bits), found)
}

/// Refuses views that do not fit a linear combination of big coefficients, and too large factors.
pub fn big_lincomb(op: &'static str, dst: &ViewMut<'_>, terms: &[BigTerm<'_>], bits: u32) -> Result<()> {
    big_words(op, bits, dst.limbs())?;
    for t in terms {
        if t.factor.unsigned_abs() > MAX_FACTOR {
            let (expected, found) = (MAX_FACTOR as usize, t.factor.unsigned_abs() as usize);
            return Err(BackendError::Shape { op, what: "size of a factor", expected, found });
        }
        big_source(op, dst, t.src, t.bits)?;
    }
    Ok(())
}

/// Refuses views that do not fit an automorphism of big coefficients.
pub fn big_automorphism(
    op: &'static str,
    dst: &ViewMut<'_>,
    src: View<'_>,
    bits: u32,
    plan: &AutomorphismPlan,
) -> Result<()> {
    big_words(op, bits, dst.limbs())?;
    big_source(op, dst, src, bits)?;
    equal(op, "ring degree", plan.n(), dst.n())?;
    equal(op, "domain (0: coefficient, 1: evaluation)", 0, usize::from(plan.domain == Domain::Evaluation))
}

/// Refuses views and plans that do not fit a product of big coefficients.
pub fn big_mul(op: &'static str, dst: &ViewMut<'_>, m: &BigMul<'_>) -> Result<()> {
    let (over, bits) = (&m.join.crt.basis, m.join.crt.bits);
    shifted(op, bits, m.shift)?;
    equal(op, "ring degree", over.n(), dst.n())?;
    equal(op, "number of words", big::words(bits - m.shift), dst.limbs())?;
    equal(op, "number of sums", dst.polys(), m.sums.len())?;
    let integers = |src: View<'_>, plan: &CrtSplitPlan| {
        same_basis(op, over, &plan.crt.basis)?;
        consecutive(op, src)?;
        equal(op, "ring degree", over.n(), src.n())?;
        equal(op, "number of words", plan.crt.words(), src.limbs())
    };
    integers(m.left, m.split)?;
    let right = match m.right {
        BigFactor::Same => m.left.polys(),
        BigFactor::Integers(right, plan) => {
            integers(right, plan)?;
            right.polys()
        }
        BigFactor::Prepared(_, 0) => {
            return Err(BackendError::Shape { op, what: "number of bits of a prepared factor", expected: 1, found: 0 });
        }
        BigFactor::Prepared(right, _) => {
            consecutive(op, right)?;
            right.polys()
        }
    };
    if m.left.polys() == 0 {
        return Err(BackendError::Shape { op, what: "number of first factors", expected: 1, found: 0 });
    }
    for &(l, r) in m.sums.iter().copied().flatten() {
        for (found, polys) in [(l, m.left.polys()), (r, right)] {
            if found >= polys {
                return Err(BackendError::Shape { op, what: "number of a factor", expected: polys, found });
            }
        }
    }
    let Some(add) = m.add else { return Ok(()) };
    consecutive(op, add)?;
    equal(op, "ring degree", dst.n(), add.n())?;
    big_words(op, bits - m.shift, add.limbs())?;
    if add.polys() <= dst.polys() {
        Ok(())
    } else {
        equal(op, "number of polynomials to add", dst.polys(), add.polys())
    }
}

/// Refuses `src` unless it has the shape of the integers of the plan.
pub fn big_prepare(op: &'static str, src: View<'_>, plan: &CrtSplitPlan) -> Result<()> {
    consecutive(op, src)?;
    equal(op, "ring degree", plan.crt.basis.n(), src.n())?;
    equal(op, "number of words", plan.crt.words(), src.limbs())
}

/// The error for a product whose integers need more than the `found` primes that there are.
pub fn too_few_primes(op: &'static str, found: usize) -> BackendError {
    BackendError::Shape { op, what: "number of primes (more are expected)", expected: found + 1, found }
}

fn same_basis(op: &'static str, expected: &Basis, found: &Basis) -> Result<()> {
    equal(op, "number of primes", expected.len(), found.len())?;
    match expected.values().zip(found.values()).find(|(e, f)| e != f) {
        None => Ok(()),
        Some((expected, found)) => {
            let (expected, found) = (expected as usize, found as usize);
            Err(BackendError::Shape { op, what: "a prime of the factors", expected, found })
        }
    }
}
