//! The fused operations of key switching: digits, inner products with keys, rounded division.
//!
//! What leaves the second-level cache costs more than what is computed, so: the inverse transform of each source limb
//! carries the conversion's first factor; conversions run in tiles whose rows stay in the first-level cache for all
//! target primes; and each target prime's digits are transformed and multiplied by the key before the next prime's.

use std::sync::Arc;

use ringjet_backend::plan::{DivisionPlan, ModUpPlan};
use ringjet_backend::{Backend, Result, View, ViewMut, check};
use ringjet_math::Basis;

use crate::backend::CpuBackend;
use crate::convert::Conversion;
use crate::field::Field;
use crate::kernel;
use crate::memory::{Scratch, Source, Target};

/// Words between limbs in scratch memory beyond N: limbs a power of two apart would share cache sets.
const PAD: usize = 40;

/// Most target primes whose conversions are made from one reading of the source: more would not fit the scratch memory
/// of a group into a few caches' worth, fewer would read the source too often.
const GROUP: usize = 16;

/// Digits of a fused inner product; more are computed first and multiplied then.
const DIGITS: usize = 16;

/// Target primes of one task: two tasks a thread, so that none waits long for the last.
fn group(targets: usize, threads: usize) -> usize {
    let tasks = if threads == 1 { 1 } else { 2 * threads };
    targets.div_ceil(tasks).clamp(1, GROUP)
}

/// The digits of a source polynomial as scaled coefficients, ready to be converted.
struct Digits<'a> {
    plan: &'a ModUpPlan,
    extended: Vec<Arc<Field>>,
    conversions: Vec<Conversion<'a>>,
    /// One row for each source limb.
    rows: Scratch<'a>,
    n: usize,
}

impl Digits<'_> {
    /// Row of source limb `i`.
    fn row(&self, i: usize) -> &[u64] {
        // SAFETY: rows are only read once the struct exists.
        &(unsafe { self.rows.read(i) })[..self.n]
    }

    /// Whether target prime `t` is one of digit `d`'s own.
    fn own(&self, d: usize, t: usize) -> Option<usize> {
        let digit = &self.plan.digits[d];
        let i = t.checked_sub(self.plan.special + digit.start)?;
        (i < digit.len).then_some(digit.start + i)
    }

    /// Converts digit `d` to the target primes `from..to`: `out(t, tile)` says where each tile of each goes.
    fn convert<'o>(&self, d: usize, from: usize, to: usize, out: impl Fn(usize, usize, usize) -> &'o mut [u64]) {
        let (digit, conversion) = (&self.plan.digits[d], &self.conversions[d]);
        let rows: Vec<&[u64]> = (digit.start..digit.start + digit.len).map(|i| self.row(i)).collect();
        // the targets are in order
        let first = digit.targets.partition_point(|&t| t < from);
        let last = digit.targets.partition_point(|&t| t < to);
        conversion.run(&rows, first..last, |j, start, end| out(digit.targets[j], start, end));
    }
}

/// The coefficients of each limb times the factor of its digit's conversion; then `f` with them.
fn with_digits(
    b: &CpuBackend,
    op: &'static str,
    src: View<'_>,
    plan: &ModUpPlan,
    f: impl FnOnce(&Digits<'_>, Source<'_>) -> Result<()>,
) -> Result<()> {
    let src = b.source(op, src)?;
    let extended = b.fields.of(&plan.extended);
    let (n, limbs) = (plan.src.n(), plan.src.len());
    let mut block = b.scratch(limbs * (n + PAD), src.is_secret())?;
    let rows = Scratch::new(&mut block, n + PAD);
    let mut factors = vec![0; limbs];
    let mut conversions = Vec::with_capacity(plan.beta());
    for digit in &plan.digits {
        let conv = &digit.conv.conv;
        factors[digit.start..digit.start + digit.len].copy_from_slice(&conv.hat_inverse);
        let own = plan.special + digit.start;
        let targets = digit.targets.iter().map(|&t| Arc::clone(&extended[t])).collect();
        conversions.push(Conversion::new(conv, extended[own..own + digit.len].to_vec(), targets, None));
    }
    b.threads.run(limbs, limbs * n, |_, i| {
        // SAFETY: each row occurs in one task.
        let row = &mut (unsafe { rows.row(i) })[..n];
        extended[plan.special + i].inverse_scaled_into(src.limb(0, i), row, factors[i]);
    });
    f(&Digits { plan, extended, conversions, rows, n }, src)
}

/// [`ringjet_backend::Backend::mod_up`].
pub fn mod_up(b: &CpuBackend, dst: ViewMut<'_>, src: View<'_>, plan: &ModUpPlan) -> Result<()> {
    check::mod_up("mod_up", &dst, src, plan)?;
    let dst = b.target("mod_up", dst)?;
    with_digits(b, "mod_up", src, plan, |digits, src| {
        let (targets, n) = (plan.extended.len(), digits.n);
        let group = group(targets, b.threads.count());
        b.threads.run(targets.div_ceil(group), targets * plan.beta() * n, |_, task| {
            let (from, to) = (task * group, targets.min((task + 1) * group));
            for d in 0..plan.beta() {
                // SAFETY: each target prime occurs in one task, and there one tile at a time.
                digits.convert(d, from, to, |t, start, end| unsafe { dst.part(d, t, start, end) });
            }
            for t in from..to {
                for d in 0..plan.beta() {
                    // SAFETY: as above.
                    let limb = unsafe { dst.limb(d, t) };
                    match digits.own(d, t) {
                        Some(i) => limb.copy_from_slice(src.limb(0, i)),
                        None => digits.extended[t].forward(limb),
                    }
                }
            }
        });
        Ok(())
    })
}

/// [`ringjet_backend::Backend::key_inner_product`].
pub fn key_inner_product(
    b: &CpuBackend,
    acc: ViewMut<'_>,
    digits: View<'_>,
    key: View<'_>,
    basis: &Basis,
) -> Result<()> {
    const OP: &str = "key_inner_product";
    check::inner_product(OP, &acc, digits.polys(), key, basis)?;
    check::basis(OP, digits.limbs(), digits.n(), basis)?;
    let beta = digits.polys();
    let (digits, key) = (b.source(OP, digits)?, b.source(OP, key)?);
    let (acc, fields) = (b.target(OP, acc)?, b.fields.of(basis));
    b.threads.run(basis.len(), 2 * beta * basis.len() * basis.n(), |_, t| {
        let terms: Vec<[&[u64]; 3]> =
            (0..beta).map(|d| [digits.limb(d, t), key.limb(2 * d, t), key.limb(2 * d + 1, t)]).collect();
        // SAFETY: each limb occurs in one task.
        kernel::mul_acc_pair(&fields[t], unsafe { [acc.limb(0, t), acc.limb(1, t)] }, &terms);
    });
    Ok(())
}

/// [`ringjet_backend::Backend::mod_up_inner_product`].
pub fn mod_up_inner_product(
    b: &CpuBackend,
    acc: ViewMut<'_>,
    src: View<'_>,
    key: View<'_>,
    plan: &ModUpPlan,
) -> Result<()> {
    const OP: &str = "mod_up_inner_product";
    check::decomposed(OP, src, plan)?;
    check::inner_product(OP, &acc, plan.beta(), key, &plan.extended)?;
    if plan.beta() > DIGITS {
        let mut digits = b.alloc(plan.beta() * plan.extended.len(), src.n())?;
        if b.source(OP, src)?.is_secret() {
            digits = digits.into_secret();
        }
        mod_up(b, digits.view_mut(plan.beta()), src, plan)?;
        return key_inner_product(b, acc, digits.view(plan.beta()), key, &plan.extended);
    }
    let (acc, key) = (b.target(OP, acc)?, b.source(OP, key)?);
    with_digits(b, OP, src, plan, |digits, src| {
        let (targets, n, beta) = (plan.extended.len(), digits.n, plan.beta());
        let group = group(targets, b.threads.count());
        let row = group * beta * (n + PAD);
        let mut block = b.scratch(row * b.threads.count(), src.is_secret())?;
        let scratch = Scratch::new(&mut block, n + PAD);
        b.threads.run(targets.div_ceil(group), targets * beta * n, |worker, task| {
            let (from, to) = (task * group, targets.min((task + 1) * group));
            let index = |t: usize, d: usize| (worker * group + t - from) * beta + d;
            for d in 0..beta {
                // SAFETY: the rows of one worker are used by one task at a time, and there tile after tile.
                let row = |t, start, end| unsafe { &mut scratch.row(index(t, d))[start..end] };
                digits.convert(d, from, to, row);
            }
            for t in from..to {
                // SAFETY: each limb occurs in one task.
                let (acc0, acc1) = unsafe { (acc.limb(0, t), acc.limb(1, t)) };
                let keys: Vec<&[u64]> = (0..2 * beta).map(|i| key.limb(i, t)).collect();
                // SAFETY: each row is taken once for each target prime.
                let row = |d| (digits.own(d, t).is_none()).then(|| &mut (unsafe { scratch.row(index(t, d)) })[..n]);
                let mut rows: Vec<&mut [u64]> = (0..beta).filter_map(row).collect();
                let field = &digits.extended[t];
                field.forward_each(&mut rows, &keys, |rows, from, to| {
                    let mut transformed = rows.iter();
                    let mut terms = [[&[][..]; 3]; DIGITS];
                    for (d, term) in terms[..beta].iter_mut().enumerate() {
                        let digit = match digits.own(d, t) {
                            Some(i) => src.limb(0, i),
                            None => transformed.next().expect("a row for each digit that is not its own"),
                        };
                        *term = [&digit[from..to], &keys[2 * d][from..to], &keys[2 * d + 1][from..to]];
                    }
                    kernel::mul_acc_pair(field, [&mut acc0[from..to], &mut acc1[from..to]], &terms[..beta]);
                });
            }
        });
        Ok(())
    })
}

/// [`ringjet_backend::Backend::divide_round`]: with the factor -1/D in the conversion's constants, the transformed
/// remainder is already `-[src]_D / D`, and `src / D + add` remains to be added.
pub fn divide_round(
    b: &CpuBackend,
    dst: ViewMut<'_>,
    src: View<'_>,
    plan: &DivisionPlan,
    add: Option<View<'_>>,
) -> Result<()> {
    const OP: &str = "divide_round";
    check::divide_round(OP, &dst, src, plan, add)?;
    let (dst, src): (Target<'_>, _) = (b.target(OP, dst)?, b.source(OP, src)?);
    let add = add.map(|a| b.source(OP, a)).transpose()?;
    let conv = &plan.conv.conv;
    let (dropped, kept) = (b.fields.of(&conv.src), b.fields.of(&plan.dst));
    let minus: Vec<u64> = kept.iter().zip(&plan.inverse).map(|(f, &x)| f.modulus.neg(x)).collect();
    let conversion = Conversion::new(conv, dropped.clone(), kept.clone(), Some(&minus));
    let (n, limbs, polys) = (plan.src.n(), dropped.len(), dst.polys());
    let mut block = b.scratch(polys * limbs * (n + PAD), src.is_secret())?;
    let rows = Scratch::new(&mut block, n + PAD);
    b.threads.run(polys * limbs, polys * limbs * n, |_, task| {
        let (p, i) = (task % polys, task / polys);
        // SAFETY: each row occurs in one task.
        let row = &mut (unsafe { rows.row(p * limbs + i) })[..n];
        dropped[i].inverse_scaled_into(src.limb(p, plan.drop[i]), row, conv.hat_inverse[i]);
    });
    let group = group(kept.len(), b.threads.count());
    b.threads.run(kept.len().div_ceil(group), polys * kept.len() * n, |_, task| {
        let targets = task * group..kept.len().min((task + 1) * group);
        for p in 0..polys {
            // SAFETY: rows are only read in this phase.
            let y: Vec<&[u64]> = (0..limbs).map(|i| &(unsafe { rows.read(p * limbs + i) })[..n]).collect();
            // SAFETY: each target prime occurs in one task, and there tile after tile.
            conversion.run(&y, targets.clone(), |j, start, end| unsafe { dst.part(p, j, start, end) });
        }
        for j in targets {
            for p in 0..polys {
                // SAFETY: as above.
                let out = unsafe { dst.limb(p, j) };
                let src = src.limb(p, plan.keep[j]);
                let add = add.filter(|a| p < a.polys()).map(|a| a.limb(p, j));
                let with = [src, add.unwrap_or_default()];
                let with = &with[..1 + usize::from(add.is_some())];
                kept[j].forward_each(&mut [out], with, |rows, from, to| {
                    let (out, add) = (&mut rows[0][from..to], add.map(|a| &a[from..to]));
                    kernel::scale_add(&kept[j], out, &src[from..to], plan.inverse[j], add);
                });
            }
        }
    });
    Ok(())
}
