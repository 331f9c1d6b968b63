//! [`Switches`]: key switches that use the same digits or the same key, from digits to results.

use std::ops::Range;
use std::sync::Arc;

use ringjet_backend::Result;
use ringjet_backend::plan::{DivisionPlan, ModUpPlan};

use super::groups::{self, in_groups};
use super::layout::PAD;
use super::permutation::TilePermutation;
use super::products::{Part, Products};
use crate::kernels::conversion::Conversion;
use crate::kernels::dispatch;
use crate::kernels::field::Field;
use crate::machine::CpuMachine;
use crate::operands::prefetch::{TilePrefetch, TileWork};
use crate::operands::scratch::Scratch;
use crate::operands::terms::{Factor, Output, Start};
use crate::operands::views::{Source, Target};
use crate::system::streaming::{fence, use_streaming_stores};

/// Results of at least this many words are written by streaming stores, since they do not fit the
/// second-level cache.
const STREAMED_RESULT_WORDS: usize = 1 << 18;

/// The last steps of one switch: addition, automorphism and writing the result.
pub struct SwitchTail<'a> {
    /// The destination, and the number of the first of the two polynomials of the result there.
    pub dst: Target<'a>,
    pub first: usize,
    /// What is multiplied by P, the product of the special primes, and added to each of the two
    /// polynomials before the division: a polynomial of a source, given by its number.
    pub add: [Option<(Source<'a>, usize)>; 2],
    /// The automorphism that is applied to the result.
    pub automorphism: Option<TilePermutation<'a>>,
}

/// Key switches with the same decomposition and division, either all with an automorphism or all
/// without.
///
/// First the inner products modulo the primes that are divided out are computed; their inverse
/// transforms give the remainders. Then, prime by prime and tile by tile, the inner products modulo
/// a prime that stays are computed, divided, and permuted by the automorphism. None of these
/// results is written to memory in between.
pub struct Switches<'a> {
    pub m: &'a CpuMachine,
    pub mod_up: &'a ModUpPlan,
    pub division: &'a DivisionPlan,
    /// The last steps of each switch.
    pub finish: Vec<SwitchTail<'a>>,
    pub products: Products<'a>,
    /// Whether scratch memory is overwritten at the end.
    pub secret: bool,
}

impl Switches<'_> {
    /// Computes all results.
    pub fn run(&self) -> Result<()> {
        let (m, n, dropped) = (self.m, self.products.n, self.division.drop.len());
        let constants = Constants::new(self)?;
        let rows = RowLayout::new(self, constants.staying.len());
        let mut remainders = m.scratch(self.results() * dropped * (n + PAD), self.secret)?;
        let mut scratch = m.scratch(rows.count * (n + PAD), self.secret)?;
        let run = Run {
            s: self,
            constants,
            rows,
            scratch: Scratch::new(&mut scratch, n + PAD),
            remainders: Scratch::new(&mut remainders, n + PAD),
        };
        run.make_remainders();
        run.make_results();
        Ok(())
    }

    /// Number of polynomials of all results.
    fn results(&self) -> usize {
        2 * self.finish.len()
    }

    /// Number of switches that one task computes modulo a dropped prime. With one key it is the
    /// number of all switches, so that the key is read once. With several keys it is one, so that
    /// all rows but those of the key stay in a cache.
    fn per_task(&self) -> usize {
        if self.products.keys.len() == 1 { self.finish.len() } else { 1 }
    }

    /// The addend of polynomial `r` of the results modulo target prime `t`, and P modulo that
    /// prime. [`Products::run`] counts the words.
    fn addend(&self, r: usize, t: usize) -> Option<(&[u64], u64)> {
        let i = t.checked_sub(self.mod_up.special)?;
        let (source, p) = self.finish[r / 2].add[r % 2]?;
        Some((source.peek(p, i), self.mod_up.p_residues[i]))
    }
}

/// The constants of [`Switches`].
struct Constants<'a> {
    /// The fields of the extended basis.
    fields: Vec<Arc<Field>>,
    /// The fields of the basis of the results.
    kept: Vec<Arc<Field>>,
    /// The conversion from the dropped primes to the basis of the results, times -1/D, where D is
    /// the product of the dropped primes.
    conversion: Conversion<'a>,
    /// The numbers, in the extended basis, of the primes that stay, and the limbs of the results
    /// with these primes.
    staying: Vec<usize>,
    limbs: Vec<usize>,
    /// The limbs of the results whose primes are not in the extended basis.
    entering: Vec<usize>,
}

impl<'a> Constants<'a> {
    fn new(s: &Switches<'a>) -> Result<Self> {
        let division = s.division;
        let fields = s.m.fields.of(&s.mod_up.extended)?;
        let dropped = division.drop.iter().map(|&t| Arc::clone(&fields[t])).collect();
        let kept = s.m.fields.of(&division.dst)?;
        let conversion = Conversion::new(&division.conv.conv, dropped, kept.clone());
        let (limbs, staying) = division.keep.iter().enumerate().filter_map(|(j, t)| Some((j, (*t)?))).unzip();
        let entering = (0..kept.len()).filter(|&j| division.keep[j].is_none()).collect();
        Ok(Self { fields, kept, conversion, staying, limbs, entering })
    }
}

/// Rows of scratch memory: the rows of each prime of a group, followed by the rows of each worker.
struct RowLayout {
    /// Number of rows for the digits of a target prime, and number of all its rows. The latter
    /// include the results if these are permuted at the end.
    digits: usize,
    per_prime: usize,
    /// The first row of the first worker, and the number of rows of a worker.
    workers: usize,
    per_worker: usize,
    /// Number of all rows.
    count: usize,
}

impl RowLayout {
    fn new(s: &Switches<'_>, staying: usize) -> Self {
        let digits = s.products.converted();
        let per_prime = digits + if s.finish[0].automorphism.is_some() { s.results() } else { 0 };
        let largest = |targets| groups::largest(s.m, targets, per_prime);
        let workers = per_prime * largest(s.division.drop.len()).max(largest(staying));
        let per_worker = 2 * s.per_task();
        Self { digits, per_prime, workers, per_worker, count: workers + per_worker * s.m.threads.count() }
    }

    /// The row of digit `d` of the prime that is number `place` in its group.
    fn digit(&self, place: usize, d: usize) -> usize {
        place * self.per_prime + d
    }

    /// The row of result `r` of the prime that is number `place` in its group.
    fn result(&self, place: usize, r: usize) -> usize {
        place * self.per_prime + self.digits + r
    }

    /// The row `i` of worker `worker`.
    fn worker(&self, worker: usize, i: usize) -> usize {
        self.workers + worker * self.per_worker + i
    }
}

/// [`Switches`] with their constants and scratch memory.
struct Run<'a, 's> {
    s: &'a Switches<'a>,
    constants: Constants<'a>,
    rows: RowLayout,
    scratch: Scratch<'s>,
    /// The coefficients of the remainders: for each result a row for each dropped prime.
    remainders: Scratch<'s>,
}

impl Run<'_, '_> {
    /// Row `i` of the scratch memory.
    ///
    /// # Safety
    /// No other slice of it may be alive.
    #[allow(clippy::mut_from_ref, reason = "as for `Scratch::row`")]
    unsafe fn row(&self, i: usize) -> &mut [u64] {
        // SAFETY: by the caller's promise.
        &mut (unsafe { self.scratch.row(i) })[..self.s.products.n]
    }

    /// The rows of the remainder of result `r`, after [`Run::make_remainders`].
    fn remainder(&self, r: usize) -> Vec<&[u64]> {
        let dropped = self.s.division.drop.len();
        // SAFETY: rows are read only after all are written.
        (0..dropped).map(|i| &(unsafe { self.remainders.read(r * dropped + i) })[..self.s.products.n]).collect()
    }

    /// Computes the remainders of all results.
    fn make_remainders(&self) {
        let (s, rows, n) = (self.s, &self.rows, self.s.products.n);
        let (dropped, results) = (s.division.drop.len(), s.results());
        let (per_task, tasks) = (s.per_task(), s.finish.len() / s.per_task());
        let stream = use_streaming_stores(results * dropped * n);
        let convert = |group: Range<usize>, columns: Range<usize>, stream| {
            let row = |place, d| rows.digit(place, d);
            s.products.convert(&s.division.drop[group], columns, stream, &self.scratch, row);
        };
        in_groups(s.m, n, dropped, [rows.per_prime, rows.digits], convert, |group| {
            let work = results * s.products.beta * group.len() * n;
            s.m.threads.run(group.len() * tasks, work, |worker, task| {
                let (place, first) = (task / tasks, task % tasks * per_task);
                self.make_remainder(worker, [group.start + place, place], first..first + per_task, stream);
                if stream {
                    fence();
                }
            });
        });
    }

    /// Computes the remainders of some switches modulo dropped prime `i`, which is number `place`
    /// in its group.
    fn make_remainder(&self, worker: usize, [i, place]: [usize; 2], switches: Range<usize>, stream: bool) {
        let (s, n, t) = (self.s, self.s.products.n, self.s.division.drop[i]);
        let (field, first) = (&*self.constants.fields[t], switches.start);
        let results = 2 * switches.start..2 * switches.end;
        let addends: Vec<_> = results.clone().map(|r| s.addend(r, t)).collect();
        let with: Vec<&[u64]> = addends.iter().flatten().map(|a| a.0).collect();
        // SAFETY: a worker's rows are used by one task at a time.
        let sums = (0..results.len()).map(|p| unsafe { self.row(self.rows.worker(worker, p)) });
        let mut sums: Vec<&mut [u64]> = sums.collect();
        // SAFETY: each row is taken once for each target prime.
        let row = |d: usize| unsafe { self.row(self.rows.digit(place, d)) };
        // Where digits are converted, which takes most of the time, sums are transformed back after
        // all products, because that is faster there than tile by tile
        // (`docs/tuning/key-switching.md`).
        let by_tiles = self.rows.digits == 0;
        let work = TileWork { transforms: if by_tiles { sums.len() } else { 0 }, ..TileWork::default() };
        let part = Part { field, prime: t, switches, addends: &with, work };
        s.products.run(part, vec![], row, |k, _, terms, from, to, prefetch| {
            let r = 2 * (k - first);
            let [sum0, sum1] = &mut sums[r..r + 2] else { unreachable!("two results") };
            let words = [&mut sum0[from..to], &mut sum1[from..to]];
            dispatch::mul_acc_pair(field, words, terms, Start::Zero, prefetch);
            for (sum, add) in [sum0, sum1].into_iter().zip(&addends[r..]) {
                if let Some((add, w)) = *add {
                    let add = [(Factor::Constant(w), &add[from..to])];
                    dispatch::lincomb(field, &mut sum[from..to], &add, Output::Added);
                }
                if by_tiles {
                    field.inverse_begin(sum, from, to, prefetch);
                }
            }
        });
        for (r, sum) in results.zip(sums) {
            if !by_tiles {
                field.counters.count_near(|| n);
                field.inverse_begin(sum, 0, n, &mut TilePrefetch::default());
            }
            // SAFETY: each result modulo each dropped prime occurs in one task.
            let out = &mut (unsafe { self.remainders.row(r * s.division.drop.len() + i) })[..n];
            field.inverse_end(sum, out, stream, s.division.conv.conv.hat_inverse[i]);
        }
    }

    /// Computes all results from the remainders.
    fn make_results(&self) {
        let (s, c, rows, n) = (self.s, &self.constants, &self.rows, self.s.products.n);
        let results = s.results();
        let stream = 2 * c.kept.len() * n >= STREAMED_RESULT_WORDS;
        let convert = |group: Range<usize>, columns: Range<usize>, stream| self.convert_kept(group, columns, stream);
        in_groups(s.m, n, c.staying.len(), [rows.per_prime, rows.digits + results], convert, |group| {
            // primes that enter are computed with the first group
            let entering: &[usize] = if group.start == 0 { &c.entering } else { &[] };
            let tasks = group.len() + entering.len();
            s.m.threads.run(tasks, results * s.products.beta * tasks * n, |worker, place| {
                if let Some(&j) = entering.get(place.wrapping_sub(group.len())) {
                    return self.enter(worker, j);
                }
                self.make_result(group.start + place, place, stream);
                if stream {
                    fence();
                }
            });
        });
    }

    /// Converts `columns` of the digits and of the remainders to a group of primes that stay.
    fn convert_kept(&self, group: Range<usize>, columns: Range<usize>, stream: bool) {
        let (s, rows) = (self.s, &self.rows);
        let (targets, outputs) = (&self.constants.staying[group.clone()], &self.constants.limbs[group]);
        s.products.convert(targets, columns.clone(), stream, &self.scratch, |place, d| rows.digit(place, d));
        for r in 0..s.results() {
            let SwitchTail { dst, first, automorphism, .. } = &s.finish[r / 2];
            self.constants.conversion.run(&self.remainder(r), outputs, columns.clone(), stream, |i, from, to| {
                // SAFETY: tasks have different columns, one tile at a time.
                unsafe {
                    match automorphism {
                        Some(_) => self.scratch.part(rows.result(i, r), from, to),
                        None => dst.draft(first + r % 2, outputs[i], from, to),
                    }
                }
            });
        }
    }

    /// Computes limb `j` of all results, whose prime is not in the extended basis. There the result
    /// consists only of the converted remainders.
    fn enter(&self, worker: usize, j: usize) {
        let (s, n, field) = (self.s, self.s.products.n, &self.constants.kept[j]);
        for r in 0..s.results() {
            let finish = &s.finish[r / 2];
            // SAFETY: a row of this worker, one tile at a time, and then all of it.
            let row = || unsafe { self.row(self.rows.worker(worker, r % 2)) };
            let out = |_, from: usize, to: usize| &mut row()[from..to];
            self.constants.conversion.run(&self.remainder(r), &[j], 0..n, false, out);
            field.forward(row());
            // SAFETY: each prime that enters occurs in one task.
            let out = unsafe { finish.dst.limb(finish.first + r % 2, j) };
            field.counters.count_near(|| n);
            match &finish.automorphism {
                Some(permutation) => dispatch::permute(field, out, row(), permutation.map(), false),
                None => out.copy_from_slice(row()),
            }
        }
    }

    /// Computes all results modulo number `i` of the primes that stay, which is number `place` in
    /// its group.
    fn make_result(&self, i: usize, place: usize, stream: bool) {
        let (s, results) = (self.s, self.s.results());
        let (t, j) = (self.constants.staying[i], self.constants.limbs[i]);
        let (field, inverse) = (&*self.constants.fields[t], s.division.inverse[j]);
        let out = (0..results).map(|r| {
            let SwitchTail { dst, first, automorphism, .. } = &s.finish[r / 2];
            // SAFETY: each prime that stays, and each of its rows, is taken once, by one task.
            unsafe {
                match automorphism {
                    Some(_) => self.row(self.rows.result(place, r)),
                    None => dst.limb(first + r % 2, j),
                }
            }
        });
        let addends: Vec<_> = (0..results).map(|r| s.addend(r, t)).collect();
        let mut with: Vec<&[u64]> = addends.iter().flatten().map(|a| a.0).collect();
        // rotations of one ciphertext have the same addend
        with.dedup_by_key(|a| a.as_ptr());
        // SAFETY: each row is taken once for each target prime.
        let row = |d: usize| unsafe { self.row(self.rows.digit(place, d)) };
        let permutations = if s.finish[0].automorphism.is_some() && stream { results } else { 0 };
        let work = TileWork { permutations, ..TileWork::default() };
        let part = Part { field, prime: t, switches: 0..s.finish.len(), addends: &with, work };
        s.products.run(part, out.collect(), row, |k, out, terms, from, to, prefetch| {
            let [out0, out1] = &mut out[2 * k..2 * k + 2] else { unreachable!("two results") };
            let add = [0, 1].map(|p| addends[2 * k + p].map(|(add, w)| (&add[from..to], w)));
            let words = [&mut out0[from..to], &mut out1[from..to]];
            dispatch::mul_acc_pair_scaled(field, words, terms, inverse, add, prefetch);
            let SwitchTail { dst, first, automorphism: Some(permutation), .. } = &s.finish[k] else { return };
            for (p, out) in [out0, out1].into_iter().enumerate() {
                let (out, (to, map)) = (&out[from..to], permutation.target(from, to));
                // SAFETY: a permutation of tiles, each of which is written once.
                let dst = unsafe { dst.part(first + p, j, to, to + out.len()) };
                if stream {
                    dispatch::permute_streamed(field, dst, out, map, prefetch);
                } else {
                    dispatch::permute(field, dst, out, map, false);
                }
            }
        });
    }
}
