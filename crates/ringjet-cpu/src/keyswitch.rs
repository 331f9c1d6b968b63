//! The fused operations of key switching: digits, inner products with keys, rounded division.
//!
//! What leaves the second-level cache costs more than what is computed, so: the inverse transform of each source limb
//! carries the conversion's first factor; conversions run in tiles whose rows stay in the first-level cache for all
//! target primes; and each target prime's digits are transformed and multiplied by the key before the next prime's. Threads
//! share the columns of conversions, and then the primes.

use std::ops::Range;
use std::sync::Arc;

use ringjet_backend::plan::{DivisionPlan, ModUpPlan};
use ringjet_backend::{KeySwitch, KeySwitchInput, Result, Rotation, View, ViewMut, check, unfused};
use ringjet_math::Basis;
use ringjet_math::ntt::LOG_TILE;

use crate::backend::CpuBackend;
use crate::convert::{Conversion, MAX_TILE};
use crate::field::Field;
use crate::kernel::{self, Factor, Output, Start};
use crate::memory::{Scratch, Source, Target, fence, past_caches};

/// Words between limbs in scratch memory beyond N: limbs a power of two apart would share cache sets.
pub(crate) const PAD: usize = 40;

/// Most rows of a group for each thread; a group is target primes that are converted to from one reading of the source: with fewer rows the
/// source would be read more often, more take more memory. 25 primes with four digits and two results each.
const GROUP: usize = 150;

/// Words of a rotation's result from which on it is written past the caches: the second-level cache would not keep it, and
/// lines that are written whole need not be read first.
const PAST: usize = 1 << 18;

/// Digits of a fused inner product; more are computed first and multiplied then.
const DIGITS: usize = 16;

/// Words of a tile of the evaluation domain: automorphisms permute tiles, and words within them.
pub(crate) const NTT_TILE: usize = 1 << LOG_TILE;

/// How many groups so many target primes with so many rows each are divided into, which come one after the other.
fn groups(targets: usize, rows: usize, threads: usize) -> usize {
    (targets * rows).div_ceil(GROUP * threads).clamp(1, targets.max(1))
}

/// Part `i` of `0..len` in so many parts, of which none is longer than another by more than one.
fn part(len: usize, parts: usize, i: usize) -> Range<usize> {
    i * len / parts..(i + 1) * len / parts
}

/// Conversions of n columns to a group of primes, so many words in all: `f` converts some of the columns. Threads share these, as they later
/// share the primes, so that each of them reads a part of the source, and none waits long for another that others slow down.
fn convert(b: &CpuBackend, n: usize, words: usize, f: impl Fn(Range<usize>) + Sync) {
    let pieces = match b.threads.count() {
        1 => 1,
        threads => (8 * threads).next_power_of_two().min(n / MAX_TILE).max(1),
    };
    b.threads.run(pieces, words, |_, i| f(part(n, pieces, i)));
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

    /// Converts `columns` of digit `d` to the primes `targets`: `out(i, tile)` says where each tile of number `i` of them goes, `past` the caches
    /// or not.
    fn convert<'o>(
        &self,
        d: usize,
        targets: &[usize],
        columns: Range<usize>,
        past: bool,
        out: impl Fn(usize, usize, usize) -> &'o mut [u64],
    ) {
        let (digit, conversion) = (&self.plan.digits[d], &self.conversions[d]);
        let rows: Vec<&[u64]> = (digit.start..digit.start + digit.len).map(|i| self.row(i)).collect();
        // the targets of a digit are in order
        let (outputs, places): (Vec<usize>, Vec<usize>) =
            targets.iter().enumerate().filter_map(|(i, t)| Some((digit.targets.binary_search(t).ok()?, i))).unzip();
        conversion.run(&rows, &outputs, columns, past, |o, start, end| out(places[o], start, end));
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
    // behind those of the limbs a row for each worker
    let mut block = b.scratch((limbs + b.threads.count()) * (n + PAD), src.is_secret())?;
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
    let past = past_caches(limbs * n);
    b.threads.run(limbs, limbs * n, |worker, i| {
        // SAFETY: each limb occurs in one task, and a worker's row is used by one task at a time.
        let [row, room] = [i, limbs + worker].map(|i| &mut (unsafe { rows.row(i) })[..n]);
        extended[plan.special + i].inverse_scaled_into(src.limb(0, i), room, row, past, factors[i]);
        fence();
    });
    f(&Digits { plan, extended, conversions, rows, n }, src)
}

/// [`ringjet_backend::Backend::mod_up`].
pub fn mod_up(b: &CpuBackend, dst: ViewMut<'_>, src: View<'_>, plan: &ModUpPlan) -> Result<()> {
    check::mod_up("mod_up", &dst, src, plan)?;
    let dst = b.target("mod_up", dst)?;
    with_digits(b, "mod_up", src, plan, |digits, src| {
        let (primes, beta, n) = (plan.extended.len(), plan.beta(), digits.n);
        let groups = groups(primes, beta, b.threads.count());
        for group in 0..groups {
            let targets: Vec<usize> = part(primes, groups, group).collect();
            let words = targets.len() * beta * n;
            convert(b, n, words, |columns| {
                for d in 0..beta {
                    // SAFETY: tasks have different columns, one tile at a time.
                    let out = |i: usize, start, end| unsafe { dst.part(d, targets[i], start, end) };
                    digits.convert(d, &targets, columns.clone(), past_caches(words), out);
                }
            });
            b.threads.run(targets.len() * beta, words, |_, task| {
                let (t, d) = (targets[task / beta], task % beta);
                // SAFETY: each limb occurs in one task.
                let limb = unsafe { dst.limb(d, t) };
                match digits.own(d, t) {
                    Some(i) => limb.copy_from_slice(src.limb(0, i)),
                    None => digits.extended[t].forward(limb),
                }
            });
        }
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
        kernel::mul_acc_pair(&fields[t], unsafe { [acc.limb(0, t), acc.limb(1, t)] }, &terms, Start::Zero);
    });
    Ok(())
}

/// [`ringjet_backend::Backend::key_switch`].
pub fn key_switch(b: &CpuBackend, dst: ViewMut<'_>, s: &KeySwitch<'_>) -> Result<()> {
    const OP: &str = "key_switch";
    check::key_switch(OP, &dst, s)?;
    if s.mod_up.beta() > DIGITS {
        return unfused::key_switch(b, dst, s);
    }
    let (beta, n) = (s.mod_up.beta(), dst.n());
    let (dst, key) = (b.target(OP, dst)?, b.source(OP, s.key)?);
    let add = s.add.map(|a| b.source(OP, a)).transpose()?;
    match s.input {
        KeySwitchInput::Digits(digits) => {
            let digits = b.source(OP, digits)?;
            let products = Products { key, digits: Operand::Ready(digits), beta, n };
            Switch { b, s, dst, add, products, secret: digits.is_secret() }.run()
        }
        KeySwitchInput::Polynomial(src) => with_digits(b, OP, src, s.mod_up, |digits, src| {
            let products = Products { key, digits: Operand::Coefficients(digits, src), beta, n };
            Switch { b, s, dst, add, products, secret: src.is_secret() }.run()
        }),
    }
}

/// Where a key switch finds its digits.
enum Operand<'a> {
    /// As scaled coefficients, and the source in the evaluation domain for a digit's own primes.
    Coefficients(&'a Digits<'a>, Source<'a>),
    /// As digits in the evaluation domain.
    Ready(Source<'a>),
}

impl Operand<'_> {
    /// Digit `d` modulo target prime `t`, unless it is still to be converted and transformed.
    fn ready(&self, d: usize, t: usize) -> Option<&[u64]> {
        match self {
            Self::Coefficients(digits, src) => digits.own(d, t).map(|i| src.limb(0, i)),
            Self::Ready(digits) => Some(digits.limb(d, t)),
        }
    }
}

/// A key switch. First the inner product modulo the primes that are divided out, whose remainder is then known; then,
/// prime after prime and tile after tile, the inner product modulo a prime that stays, its division, and the
/// automorphism, none of which goes back to memory in between.
struct Switch<'a> {
    b: &'a CpuBackend,
    s: &'a KeySwitch<'a>,
    dst: Target<'a>,
    add: Option<Source<'a>>,
    products: Products<'a>,
    secret: bool,
}

impl Switch<'_> {
    fn run(&self) -> Result<()> {
        let (b, division, plan) = (self.b, self.s.division, self.s.mod_up);
        let conv = &division.conv.conv;
        let (n, beta, workers) = (self.dst.n(), plan.beta(), b.threads.count());
        let fields = b.fields.of(&plan.extended);
        let dropped: Vec<_> = division.drop.iter().map(|&t| Arc::clone(&fields[t])).collect();
        let kept = b.fields.of(&division.dst);
        let minus: Vec<u64> = kept.iter().zip(&division.inverse).map(|(f, &x)| f.modulus.neg(x)).collect();
        let conversion = Conversion::new(conv, dropped.clone(), kept.clone(), Some(&minus));

        // rows of the remainders' coefficients: two polynomials
        let mut block = b.scratch(2 * dropped.len() * (n + PAD), self.secret)?;
        let remainders = Scratch::new(&mut block, n + PAD);
        // limbs of the result, and what they come from
        let (results, staying): (Vec<usize>, Vec<usize>) =
            division.keep.iter().enumerate().filter_map(|(j, t)| Some((j, (*t)?))).unzip();
        let entering: Vec<usize> = (0..kept.len()).filter(|&j| division.keep[j].is_none()).collect();
        // rows of a target prime: its digits, and two results where they are permuted on their way out
        let permuted = self.s.automorphism.is_some();
        let rows = beta + if permuted { 2 } else { 0 };
        let (dropping, keeping) = (groups(dropped.len(), rows, workers), groups(staying.len(), rows, workers));
        let most = dropped.len().div_ceil(dropping).max(staying.len().div_ceil(keeping));
        // behind those of a group, for each worker, the results modulo a prime that enters
        let own = if entering.is_empty() { 0 } else { 2 };
        let mut block = b.scratch((most * rows + workers * own) * (n + PAD), self.secret)?;
        let scratch = Scratch::new(&mut block, n + PAD);
        let row = |i: usize, d: usize| i * rows + d;

        let converted = self.products.converted();
        for group in 0..dropping {
            let range = part(dropped.len(), dropping, group);
            let (first, targets) = (range.start, &division.drop[range]);
            let words = targets.len() * converted * n;
            if converted > 0 {
                convert(b, n, words, |columns| {
                    self.products.convert(targets, columns, past_caches(words), &scratch, row);
                });
            }
            b.threads.run(targets.len(), 2 * beta * targets.len() * n, |_, place| {
                let (i, t) = (first + place, targets[place]);
                let field = &fields[t];
                // SAFETY: each dropped prime occurs in one task.
                let [out0, out1] = [0, 1].map(|p| &mut (unsafe { remainders.row(p * dropped.len() + i) })[..n]);
                let row = |d: usize| row(place, d);
                self.products.of(field, t, vec![], &[], &scratch, row, |_, terms, from, to| {
                    kernel::mul_acc_pair(field, [&mut out0[from..to], &mut out1[from..to]], terms, Start::Zero);
                });
                for (p, out) in [out0, out1].into_iter().enumerate() {
                    if let Some((add, w)) = self.addend(p, t) {
                        kernel::lincomb(field, out, &[(Factor::Constant(w), add)], Output::Added);
                    }
                    field.inverse_scaled(out, conv.hat_inverse[i]);
                }
            });
        }

        let automorphism = self.s.automorphism.map(|plan| TilePermutation::new(plan.map()));
        let past = 2 * kept.len() * n >= PAST;
        // SAFETY: rows are only read once all are there.
        let remainder = |p: usize, i: usize| &(unsafe { remainders.read(p * dropped.len() + i) })[..n];
        let enter = |worker: usize, j: usize| {
            for p in 0..2 {
                let y: Vec<&[u64]> = (0..dropped.len()).map(|i| remainder(p, i)).collect();
                // SAFETY: a row of this worker, one tile at a time, and then all of it.
                let row = || unsafe { &mut scratch.row(most * rows + worker * own + p)[..n] };
                conversion.run(&y, &[j], 0..n, false, |_, start, end| &mut row()[start..end]);
                kept[j].forward(row());
                // SAFETY: each prime that enters occurs in one task.
                let out = unsafe { self.dst.limb(p, j) };
                match &self.s.automorphism {
                    Some(plan) => kernel::permute(&kept[j], out, row(), plan.map(), false),
                    None => out.copy_from_slice(row()),
                }
            }
        };
        for group in 0..keeping {
            let range = part(staying.len(), keeping, group);
            let (targets, outputs) = (&staying[range.clone()], &results[range]);
            let words = targets.len() * (converted + 2) * n;
            let rows_past = past_caches(words);
            convert(b, n, words, |columns| {
                self.products.convert(targets, columns.clone(), rows_past, &scratch, row);
                for p in 0..2 {
                    let y: Vec<&[u64]> = (0..dropped.len()).map(|i| remainder(p, i)).collect();
                    conversion.run(&y, outputs, columns.clone(), rows_past, |i, start, end| {
                        // SAFETY: tasks have different columns, one tile at a time.
                        unsafe {
                            if permuted {
                                scratch.part(row(i, beta + p), start, end)
                            } else {
                                self.dst.part(p, outputs[i], start, end)
                            }
                        }
                    });
                }
            });
            // primes that enter come with the first group
            let more: &[usize] = if group == 0 { &entering } else { &[] };
            let tasks = targets.len() + more.len();
            b.threads.run(tasks, 2 * beta * tasks * n, |worker, place| {
                if let Some(&j) = more.get(place.wrapping_sub(targets.len())) {
                    return enter(worker, j);
                }
                let (t, j) = (targets[place], outputs[place]);
                let field = &fields[t];
                let inverse = division.inverse[j];
                let out = [0, 1].map(|p| {
                    if permuted {
                        // SAFETY: each prime's rows are taken once, by one task.
                        &mut (unsafe { scratch.row(row(place, beta + p)) })[..n]
                    } else {
                        // SAFETY: each kept prime occurs in one task.
                        unsafe { self.dst.limb(p, j) }
                    }
                });
                let addends = [0, 1].map(|p| self.addend(p, t));
                let with: Vec<&[u64]> = addends.iter().flatten().map(|a| a.0).collect();
                let row = |d: usize| row(place, d);
                self.products.of(field, t, out.into(), &with, &scratch, row, |out, terms, from, to| {
                    let [out0, out1] = out else { unreachable!("two results") };
                    let out = [&mut out0[from..to], &mut out1[from..to]];
                    let add = addends.map(|add| add.map(|(add, w)| (&add[from..to], w)));
                    kernel::mul_acc_pair_scaled(field, out, terms, inverse, add);
                    for (p, out) in [out0, out1].into_iter().enumerate() {
                        let out = &mut out[from..to];
                        if let Some(permutation) = &automorphism {
                            let (to, map) = permutation.target(from, to);
                            // SAFETY: a permutation of tiles, each of which is written once.
                            let dst = unsafe { self.dst.part(p, j, to, to + out.len()) };
                            if past {
                                kernel::permute_past(field, dst, out, map);
                            } else {
                                kernel::permute(field, dst, out, map, false);
                            }
                        }
                    }
                });
                if past {
                    fence();
                }
            });
        }
        Ok(())
    }

    /// Polynomial `p` to be added modulo target prime `t`, and P modulo that prime.
    fn addend(&self, p: usize, t: usize) -> Option<(&[u64], u64)> {
        let i = t.checked_sub(self.s.mod_up.special)?;
        let add = self.add.as_ref().filter(|a| p < a.polys())?;
        Some((add.limb(p, i), self.s.mod_up.p_residues[i]))
    }
}

/// The digits of a switch and its key.
struct Products<'a> {
    key: Source<'a>,
    digits: Operand<'a>,
    beta: usize,
    n: usize,
}

impl Products<'_> {
    /// Digits that are still to be converted.
    fn converted(&self) -> usize {
        if let Operand::Coefficients(..) = self.digits { self.beta } else { 0 }
    }

    /// Converts `columns` of the digits to the primes `targets`, number `i` of them to row `row(i, d)`, `past` the caches or not.
    fn convert(
        &self,
        targets: &[usize],
        columns: Range<usize>,
        past: bool,
        scratch: &Scratch<'_>,
        row: impl Fn(usize, usize) -> usize,
    ) {
        if let Operand::Coefficients(digits, _) = &self.digits {
            for d in 0..self.beta {
                // SAFETY: tasks have different columns, one tile at a time.
                let out = |i, start, end| unsafe { scratch.part(row(i, d), start, end) };
                digits.convert(d, targets, columns.clone(), past, out);
            }
        }
    }

    /// Transforms the digits' rows `row(d)` modulo target prime `t` and `out`, and calls `each(out, terms, from, to)` where words
    /// `from..to` of all are ready: `terms` are those of digits and keys. The same words of `addends` will be read, too.
    #[expect(clippy::too_many_arguments, reason = "one call for what both kinds of switch do")]
    fn of(
        &self,
        field: &Field,
        t: usize,
        out: Vec<&mut [u64]>,
        addends: &[&[u64]],
        scratch: &Scratch<'_>,
        row: impl Fn(usize) -> usize,
        mut each: impl FnMut(&mut [&mut [u64]], &[[&[u64]; 3]], usize, usize),
    ) {
        let (n, beta, results) = (self.n, self.beta, out.len());
        let ready: Vec<Option<&[u64]>> = (0..beta).map(|d| self.digits.ready(d, t)).collect();
        let keys: Vec<&[u64]> = (0..2 * beta).map(|i| self.key.limb(i, t)).collect();
        // SAFETY: each row is taken once for each target prime.
        let taken = (0..beta).filter(|&d| ready[d].is_none()).map(|d| &mut (unsafe { scratch.row(row(d)) })[..n]);
        let mut rows: Vec<&mut [u64]> = out.into_iter().chain(taken).collect();
        let with = keys.iter().chain(ready.iter().flatten()).chain(addends.iter());
        let with: Vec<*const u64> = with.map(|row| row.as_ptr()).collect();
        field.forward_each(&mut rows, &with, |rows, from, to| {
            let (out, transformed) = rows.split_at_mut(results);
            let mut transformed = transformed.iter();
            let mut terms = [[&[][..]; 3]; DIGITS];
            for (d, term) in terms[..beta].iter_mut().enumerate() {
                let digit = match ready[d] {
                    Some(digit) => digit,
                    None => transformed.next().expect("a row for each digit that is not ready"),
                };
                *term = [&digit[from..to], &keys[2 * d][from..to], &keys[2 * d + 1][from..to]];
            }
            each(out, &terms[..beta], from, to);
        });
    }
}

/// [`ringjet_backend::Backend::rotate_into`]: after the digits' conversion prime after prime and tile after tile to the sum.
pub fn rotate_into(b: &CpuBackend, dst: ViewMut<'_>, src: View<'_>, r: &Rotation<'_>, accumulate: bool) -> Result<()> {
    const OP: &str = "rotate_into";
    check::rotate_into(OP, &dst, src, r)?;
    let (beta, n) = (r.mod_up.beta(), dst.n());
    if beta > DIGITS {
        return unfused::rotate_into(b, dst, src, r, accumulate);
    }
    let (dst, key, add) = (b.target(OP, dst)?, b.source(OP, r.key)?, b.source(OP, r.add)?);
    with_digits(b, OP, src, r.mod_up, |digits, src| {
        let (fields, primes) = (&digits.extended, r.mod_up.extended.len());
        let secret = src.is_secret();
        let products = Products { key, digits: Operand::Coefficients(digits, src), beta, n };
        let automorphism = TilePermutation::new(r.automorphism.map());
        let groups = groups(primes, beta, b.threads.count());
        // behind those of a group three for each worker
        let rows = primes.div_ceil(groups) * beta;
        let mut block = b.scratch((rows + 3 * b.threads.count()) * (n + PAD), secret)?;
        let scratch = Scratch::new(&mut block, n + PAD);
        let row = |i: usize, d: usize| i * beta + d;
        for group in 0..groups {
            let targets: Vec<usize> = part(primes, groups, group).collect();
            let words = targets.len() * beta * n;
            convert(b, n, words, |columns| products.convert(&targets, columns, past_caches(words), &scratch, row));
            b.threads.run(targets.len(), 2 * words, |worker, place| {
                // SAFETY: a worker's rows are used by one task at a time.
                let [sum0, sum1, turned] = [0, 1, 2].map(|i| unsafe { scratch.row(rows + 3 * worker + i) });
                let t = targets[place];
                let (field, add) = (&fields[t], add.limb(0, t));
                let row = |d: usize| row(place, d);
                products.of(field, t, vec![], &[add], &scratch, row, |_, terms, from, to| {
                    let len = to - from;
                    let start = Start::First(&add[from..to]);
                    kernel::mul_acc_pair(field, [&mut sum0[..len], &mut sum1[..len]], terms, start);
                    let (at, map) = automorphism.target(from, to);
                    for (p, sum) in [&*sum0, &*sum1].into_iter().enumerate() {
                        // SAFETY: a permutation of tiles of a limb that occurs in one task, each of them taken once.
                        let out = unsafe { dst.part(p, t, at, at + len) };
                        if accumulate {
                            kernel::permute(field, &mut turned[..len], &sum[..len], map, false);
                            kernel::lincomb(field, out, &[(Factor::One, &turned[..len])], Output::Added);
                        } else {
                            kernel::permute(field, out, &sum[..len], map, false);
                        }
                    }
                });
            });
        }
        Ok(())
    })
}

/// An automorphism of the evaluation domain as a permutation of tiles: the high bits of a position in the tree of
/// splittings are the low bits of an exponent, and those of `e g` depend on those of e alone.
struct TilePermutation<'a> {
    map: &'a [u32],
    /// Where each tile goes; `None` where a limb is less than a tile.
    to: Option<Vec<usize>>,
}

impl<'a> TilePermutation<'a> {
    fn new(map: &'a [u32]) -> Self {
        let to = (map.len() >= NTT_TILE).then(|| {
            let mut to = vec![0; map.len() / NTT_TILE];
            for (tile, map) in map.chunks_exact(NTT_TILE).enumerate() {
                to[map[0] as usize / NTT_TILE] = tile * NTT_TILE;
            }
            to
        });
        Self { map, to }
    }

    /// Where words `from..to` of the source go, a tile or all of them, and the map of the words there.
    fn target(&self, from: usize, to: usize) -> (usize, &'a [u32]) {
        match &self.to {
            Some(tiles) if to - from == NTT_TILE => {
                let start = tiles[from / NTT_TILE];
                (start, &self.map[start..start + NTT_TILE])
            }
            _ => (0, self.map),
        }
    }
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
    // behind those of the limbs a row for each worker
    let mut block = b.scratch((polys * limbs + b.threads.count()) * (n + PAD), src.is_secret())?;
    let rows = Scratch::new(&mut block, n + PAD);
    let past = past_caches(limbs * polys * n);
    b.threads.run(polys * limbs, polys * limbs * n, |worker, task| {
        let (p, i) = (task % polys, task / polys);
        // SAFETY: each limb occurs in one task, and a worker's row is used by one task at a time.
        let [row, room] = [p * limbs + i, polys * limbs + worker].map(|i| &mut (unsafe { rows.row(i) })[..n]);
        dropped[i].inverse_scaled_into(src.limb(p, plan.drop[i]), room, row, past, conv.hat_inverse[i]);
        fence();
    });
    let groups = groups(kept.len(), polys, b.threads.count());
    for group in 0..groups {
        let targets: Vec<usize> = part(kept.len(), groups, group).collect();
        let words = targets.len() * polys * n;
        convert(b, n, words, |columns| {
            for p in 0..polys {
                // SAFETY: rows are only read in this phase.
                let y: Vec<&[u64]> = (0..limbs).map(|i| &(unsafe { rows.read(p * limbs + i) })[..n]).collect();
                // SAFETY: tasks have different columns, one tile at a time.
                let out = |i: usize, start, end| unsafe { dst.part(p, targets[i], start, end) };
                conversion.run(&y, &targets, columns.clone(), past_caches(words), out);
            }
        });
        b.threads.run(targets.len() * polys, words, |_, task| {
            let (j, p) = (targets[task / polys], task % polys);
            // SAFETY: each limb occurs in one task.
            let out = unsafe { dst.limb(p, j) };
            let add = add.filter(|a| p < a.polys()).map(|a| a.limb(p, j));
            let Some(src) = plan.keep[j].map(|i| src.limb(p, i)) else {
                kept[j].forward(out);
                if let Some(add) = add {
                    kernel::lincomb(&kept[j], out, &[(Factor::One, add)], Output::Added);
                }
                return;
            };
            let with = [src, add.unwrap_or_default()].map(|row| row.as_ptr());
            let with = &with[..1 + usize::from(add.is_some())];
            kept[j].forward_each(&mut [out], with, |rows, from, to| {
                let (out, add) = (&mut rows[0][from..to], add.map(|a| &a[from..to]));
                kernel::scale_add(&kept[j], out, &src[from..to], plan.inverse[j], add);
            });
        });
    }
    Ok(())
}
