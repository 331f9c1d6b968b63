//! The fused operations of key switching: digits, inner products with keys, rounded division.
//!
//! What leaves the second-level cache costs more than what is computed, so: the inverse transform of each source limb
//! carries the conversion's first factor; conversions run in tiles whose rows stay in the first-level cache for all
//! target primes; and each target prime's digits are transformed and multiplied by the key before the next prime's. Threads
//! share the columns of conversions, and then the primes.

mod digits;
mod division;
mod groups;
mod rotation;

use std::ops::Range;
use std::sync::Arc;

use ringjet_backend::plan::{DivisionPlan, ModUpPlan};
use ringjet_backend::{HoistedRotations, KeySwitch, KeySwitchInput, Result, View, ViewMut, check, unfused};
use ringjet_math::Basis;
use ringjet_math::ntt::LOG_TILE;

pub use digits::mod_up;
use digits::{Operand, Products, with_digits};
pub use division::divide_round;
use groups::in_groups;
use rotation::TilePermutation;
pub use rotation::rotate_into;

use crate::ahead::{Ahead, Work};
use crate::backend::CpuBackend;
use crate::convert::Conversion;
use crate::kernel::{self, Factor, Output, Start};
use crate::memory::{Scratch, Source, Target, fence, past_caches};

/// Words between limbs in scratch memory beyond N: limbs a power of two apart would share cache sets.
pub(crate) const PAD: usize = 40;

/// Words of a rotation's result from which on it is written past the caches: the second-level cache would not keep it, and
/// lines that are written whole need not be read first.
const PAST: usize = 1 << 18;

/// Rotations of the same digits, of so many words, that are computed together. Where no cache keeps the digits, their tiles and those of what is added
/// are read once for all of them; but the more rotations there are, the more of their own rows leave the second-level cache.
fn together(digits: usize) -> usize {
    if cfg!(test) || past_caches(digits) { 3 } else { 1 }
}

/// Digits of a fused inner product; more are computed first and multiplied then.
const DIGITS: usize = 16;

/// Words of a tile of the evaluation domain: automorphisms permute tiles, and words within them.
pub(crate) const NTT_TILE: usize = 1 << LOG_TILE;

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
        kernel::mul_acc_pair(
            &fields[t],
            unsafe { [acc.limb(0, t), acc.limb(1, t)] },
            &terms,
            Start::Zero,
            &mut Ahead::default(),
        );
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
    if !s.is_single() {
        return unfused::key_switch_each(b, dst, s);
    }
    match s.input {
        KeySwitchInput::Digits(digits) => switch_digits(b, OP, &mut [dst], digits, &[*s]),
        KeySwitchInput::Polynomial(src) => {
            let (beta, n, keys) = (s.mod_up.beta(), dst.n(), vec![b.source(OP, s.key)?]);
            let finish = vec![Finish::new(b, OP, dst, s)?];
            with_digits(b, OP, src, s.mod_up, |digits, src| {
                let products = Products { keys, digits: Operand::Coefficients(digits, src), beta, n };
                Switches { b, mod_up: s.mod_up, division: s.division, finish, products, secret: src.is_secret() }.run()
            })
        }
        KeySwitchInput::Products(_) => unreachable!("no single switch"),
    }
}

/// [`ringjet_backend::Backend::hoisted_rotations`].
pub fn hoisted_rotations(b: &CpuBackend, dst: &mut [ViewMut<'_>], r: &HoistedRotations<'_>) -> Result<()> {
    const OP: &str = "hoisted_rotations";
    check::hoisted_rotations(OP, dst, r)?;
    if r.mod_up.beta() > DIGITS {
        return unfused::hoisted_rotations(b, dst, r);
    }
    let switches: Vec<KeySwitch<'_>> = (0..dst.len()).map(|i| r.switch(i)).collect();
    let together = together(r.digits.polys() * r.digits.limbs() * r.digits.n());
    let mut batches = dst.chunks_mut(together).zip(switches.chunks(together));
    batches.try_for_each(|(dst, s)| switch_digits(b, OP, dst, r.digits, s))
}

/// Switches of the same `digits` that divide by the same primes.
fn switch_digits(
    b: &CpuBackend,
    op: &'static str,
    dst: &mut [ViewMut<'_>],
    digits: View<'_>,
    switches: &[KeySwitch<'_>],
) -> Result<()> {
    let KeySwitch { mod_up, division, .. } = switches[0];
    let (beta, n, digits) = (mod_up.beta(), digits.n(), b.source(op, digits)?);
    let keys = switches.iter().map(|s| b.source(op, s.key)).collect::<Result<_>>()?;
    let finish = dst.iter_mut().zip(switches).map(|(dst, s)| Finish::new(b, op, dst.reborrow(), s));
    let finish = finish.collect::<Result<_>>()?;
    let products = Products { keys, digits: Operand::Ready(digits), beta, n };
    Switches { b, mod_up, division, finish, products, secret: digits.is_secret() }.run()
}

/// Where the result of a switch goes, and what becomes of it before.
struct Finish<'a> {
    dst: Target<'a>,
    add: Option<Source<'a>>,
    automorphism: Option<TilePermutation<'a>>,
}

impl<'a> Finish<'a> {
    fn new(b: &CpuBackend, op: &'static str, dst: ViewMut<'a>, s: &KeySwitch<'a>) -> Result<Self> {
        let add = s.add.map(|a| b.source(op, a)).transpose()?;
        let automorphism = s.automorphism.map(|plan| TilePermutation::new(plan.map()));
        Ok(Self { dst: b.target(op, dst)?, add, automorphism })
    }
}

/// Key switches of the same digits, all with an automorphism or none. First the inner products modulo the primes that are divided out, whose
/// remainders are then known; then, prime after prime and tile after tile, the inner products modulo a prime that stays, their division, and the
/// automorphisms, none of which goes back to memory in between.
struct Switches<'a> {
    b: &'a CpuBackend,
    mod_up: &'a ModUpPlan,
    division: &'a DivisionPlan,
    /// One for each key of the products.
    finish: Vec<Finish<'a>>,
    products: Products<'a>,
    secret: bool,
}

impl Switches<'_> {
    fn run(&self) -> Result<()> {
        let (b, division, plan) = (self.b, self.division, self.mod_up);
        let conv = &division.conv.conv;
        let (n, beta, workers) = (self.products.n, plan.beta(), b.threads.count());
        let fields = b.fields.of(&plan.extended);
        let dropped: Vec<_> = division.drop.iter().map(|&t| Arc::clone(&fields[t])).collect();
        let kept = b.fields.of(&division.dst);
        let conversion = Conversion::new(conv, dropped.clone(), kept.clone(), None);

        // two polynomials of each switch
        let results = 2 * self.finish.len();
        // rows of the remainders' coefficients
        let mut block = b.scratch(results * dropped.len() * (n + PAD), self.secret)?;
        let remainders = Scratch::new(&mut block, n + PAD);
        // limbs of the results, and what they come from
        let (limbs, staying): (Vec<usize>, Vec<usize>) =
            division.keep.iter().enumerate().filter_map(|(j, t)| Some((j, (*t)?))).unzip();
        let entering: Vec<usize> = (0..kept.len()).filter(|&j| division.keep[j].is_none()).collect();
        // rows of a target prime: its digits, and the results where they are permuted on their way out
        let permuted = self.finish[0].automorphism.is_some();
        let converted = self.products.converted();
        let rows = converted + if permuted { results } else { 0 };
        let most = groups::largest(b, dropped.len(), rows).max(groups::largest(b, staying.len(), rows));
        // behind those of a group two for each worker
        let mut block = b.scratch((most * rows + 2 * workers) * (n + PAD), self.secret)?;
        let scratch = Scratch::new(&mut block, n + PAD);
        let row = |i: usize, d: usize| i * rows + d;

        let convert = |group: Range<usize>, columns: Range<usize>, past| {
            self.products.convert(&division.drop[group], columns, past, &scratch, row);
        };
        // one switch after the other, in rows that stay in a cache: only coefficients leave it. Digits to convert are those of one switch
        let switches = self.finish.len();
        assert!(converted == 0 || switches == 1);
        let past = past_caches(results * dropped.len() * n);
        in_groups(b, n, dropped.len(), [rows, converted], convert, |group| {
            b.threads.run(group.len() * switches, results * beta * group.len() * n, |worker, task| {
                let (place, s) = (task / switches, task % switches);
                let i = group.start + place;
                let t = division.drop[i];
                let field = &fields[t];
                // SAFETY: a worker's rows are used by one task at a time.
                let mut sums = [0, 1].map(|p| &mut (unsafe { scratch.row(most * rows + 2 * worker + p) })[..n]);
                let row = |d: usize| row(place, d);
                let addends = [0, 1].map(|p| self.addend(2 * s + p, t));
                let with: Vec<&[u64]> = addends.iter().flatten().map(|a| a.0).collect();
                // where digits are transformed too, which takes most of the time, sums are transformed back after them: a multiplication takes 1 to 2 %
                // longer otherwise, measured on a Zen 5
                let (at_once, transforms) = if converted == 0 { (true, 2) } else { (false, 0) };
                let products = &self.products;
                products.of(
                    field,
                    t,
                    s..s + 1,
                    vec![],
                    &with,
                    Work { tiles: transforms, ..Work::default() },
                    &scratch,
                    row,
                    |_, _, terms, from, to, ahead| {
                        let words = sums.each_mut().map(|sum| &mut sum[from..to]);
                        kernel::mul_acc_pair(field, words, terms, Start::Zero, ahead);
                        for (sum, add) in sums.iter_mut().zip(addends) {
                            if let Some((add, w)) = add {
                                let add = [(Factor::Constant(w), &add[from..to])];
                                kernel::lincomb(field, &mut sum[from..to], &add, Output::Added);
                            }
                            if at_once {
                                field.inverse_begin(sum, from, to, ahead);
                            }
                        }
                    },
                );
                for (p, sum) in sums.into_iter().enumerate() {
                    if !at_once {
                        field.inverse_begin(sum, 0, n, &mut Ahead::default());
                    }
                    // SAFETY: each result modulo each dropped prime occurs in one task.
                    let out = &mut (unsafe { remainders.row((2 * s + p) * dropped.len() + i) })[..n];
                    field.inverse_end(sum, out, past, conv.hat_inverse[i]);
                }
                if past {
                    fence();
                }
            });
        });

        let past = 2 * kept.len() * n >= PAST;
        let moved = if permuted && past { results } else { 0 };
        let remainders = |r: usize| -> Vec<&[u64]> {
            // SAFETY: rows are only read once all are there.
            (0..dropped.len()).map(|i| &(unsafe { remainders.read(r * dropped.len() + i) })[..n]).collect()
        };
        let enter = |worker: usize, j: usize| {
            for r in 0..results {
                let (y, finish) = (remainders(r), &self.finish[r / 2]);
                // SAFETY: a row of this worker, one tile at a time, and then all of it.
                let row = || unsafe { &mut scratch.row(most * rows + 2 * worker + r % 2)[..n] };
                conversion.run(&y, &[j], 0..n, false, |_, start, end| &mut row()[start..end]);
                kept[j].forward(row());
                // SAFETY: each prime that enters occurs in one task.
                let out = unsafe { finish.dst.limb(r % 2, j) };
                match &finish.automorphism {
                    Some(permutation) => kernel::permute(&kept[j], out, row(), permutation.map(), false),
                    None => out.copy_from_slice(row()),
                }
            }
        };
        let convert = |group: Range<usize>, columns: Range<usize>, past| {
            let (targets, outputs) = (&staying[group.clone()], &limbs[group]);
            self.products.convert(targets, columns.clone(), past, &scratch, row);
            for r in 0..results {
                let y = remainders(r);
                conversion.run(&y, outputs, columns.clone(), past, |i, start, end| {
                    // SAFETY: tasks have different columns, one tile at a time.
                    unsafe {
                        if permuted {
                            scratch.part(row(i, converted + r), start, end)
                        } else {
                            self.finish[r / 2].dst.part(r % 2, outputs[i], start, end)
                        }
                    }
                });
            }
        };
        in_groups(b, n, staying.len(), [rows, converted + results], convert, |group| {
            // primes that enter come with the first group
            let more: &[usize] = if group.start == 0 { &entering } else { &[] };
            let tasks = group.len() + more.len();
            b.threads.run(tasks, results * beta * tasks * n, |worker, place| {
                if let Some(&j) = more.get(place.wrapping_sub(group.len())) {
                    return enter(worker, j);
                }
                let (t, j) = (staying[group.start + place], limbs[group.start + place]);
                let field = &fields[t];
                let inverse = division.inverse[j];
                let result = |r: usize| {
                    if permuted {
                        // SAFETY: each prime's rows are taken once, by one task.
                        &mut (unsafe { scratch.row(row(place, converted + r)) })[..n]
                    } else {
                        // SAFETY: each kept prime occurs in one task.
                        unsafe { self.finish[r / 2].dst.limb(r % 2, j) }
                    }
                };
                let out = (0..results).map(result).collect();
                let addends: Vec<_> = (0..results).map(|r| self.addend(r, t)).collect();
                let mut with: Vec<&[u64]> = addends.iter().flatten().map(|a| a.0).collect();
                // rotations of one ciphertext add the same words
                with.dedup_by_key(|a| a.as_ptr());
                let row = |d: usize| row(place, d);
                self.products.of(
                    field,
                    t,
                    0..switches,
                    out,
                    &with,
                    Work { moved, ..Work::default() },
                    &scratch,
                    row,
                    |i, out, terms, from, to, ahead| {
                        let [out0, out1] = &mut out[2 * i..2 * i + 2] else { unreachable!("two results") };
                        let out = [&mut out0[from..to], &mut out1[from..to]];
                        let add = [0, 1].map(|p| addends[2 * i + p].map(|(add, w)| (&add[from..to], w)));
                        kernel::mul_acc_pair_scaled(field, out, terms, inverse, add, ahead);
                        let Finish { dst, automorphism: Some(permutation), .. } = &self.finish[i] else { return };
                        for (p, out) in [out0, out1].into_iter().enumerate() {
                            let (out, (to, map)) = (&out[from..to], permutation.target(from, to));
                            // SAFETY: a permutation of tiles, each of which is written once.
                            let dst = unsafe { dst.part(p, j, to, to + out.len()) };
                            if past {
                                kernel::permute_past(field, dst, out, map, ahead);
                            } else {
                                kernel::permute(field, dst, out, map, false);
                            }
                        }
                    },
                );
                if past {
                    fence();
                }
            });
        });
        Ok(())
    }

    /// What is to be added to polynomial `r` of the results modulo target prime `t`, and P modulo that prime.
    fn addend(&self, r: usize, t: usize) -> Option<(&[u64], u64)> {
        let i = t.checked_sub(self.mod_up.special)?;
        let add = self.finish[r / 2].add.as_ref().filter(|a| r % 2 < a.polys())?;
        Some((add.limb(r % 2, i), self.mod_up.p_residues[i]))
    }
}

#[cfg(test)]
mod tests {
    use ringjet_backend::conformance::{Chain, Options, run};

    use super::*;
    use crate::backend::CpuConfig;
    use crate::path::Path;

    /// In tests a group has few primes, so that there are several of them, on one thread and on three.
    #[test]
    fn several_groups_agree_with_the_reference() {
        let bits = |n: usize| vec![50; n];
        let chains =
            vec![Chain { p: bits(2), q: bits(5), alpha: 2 }, Chain { p: vec![60], q: vec![60, 50, 40], alpha: 1 }];
        let options = Options { log_ns: vec![12], seed: 3, bases: vec![], chains, bigs: vec![] };
        for (path, threads) in [(Path::Avx512, 3), (Path::Ifma, 1), (Path::Ifma, 3)] {
            if Path::best() < path {
                println!("skipped: no {path:?} here, or the environment forbids it");
                continue;
            }
            let backend = CpuBackend::new(CpuConfig { threads, path: Some(path) }).unwrap();
            // kept primes of the first chain: three digits and two results
            assert!(groups::largest(&backend, 5, 5) < 5, "one group");
            match run(&backend, &options) {
                Ok(report) => assert!(report.checks > 100, "{report}"),
                Err(failure) => panic!("{path:?}, {threads} threads: {failure}"),
            }
        }
    }
}
