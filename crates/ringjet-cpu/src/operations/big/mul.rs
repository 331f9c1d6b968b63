//! Products of big coefficients, in three steps:
//!
//! 1. By strips of coefficients: convert the digits of all factors to residues.
//! 2. Prime by prime and part by part: transform, multiply, transform back.
//! 3. By strips of coefficients: convert the residues of the sums to integers.
//!
//! A limb of residues has 512 KiB at N = 2^16, and there are hundreds of them. So residues are
//! written to memory between the steps ([`super::residues`]).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ringjet_backend::big::digits::{self, Digits};
use ringjet_backend::big::{BigFactor, BigMul};
use ringjet_backend::{Result, ViewMut, check};
use ringjet_math::big::CrtJoin;

use super::factors::{Factor, split};
use super::join::{self, Join, Sum};
use super::prepared::Prepared;
use super::products::Products;
use super::residues::{ByParts, ByStrips, Layout};
use crate::kernels::field::Field;
use crate::kernels::transforms::Root;
use crate::machine::CpuMachine;
use crate::operands::prefetch::RowPrefetch;
use crate::operands::rows::{Rows, RowsMut};
use crate::operands::views::{Source, Target};
use crate::system::streaming::fence;

/// The operands of a product as this machine's views.
struct Operation<'a> {
    m: &'a CpuMachine,
    mul: &'a BigMul<'a>,
    dst: Target<'a>,
    factors: Vec<Factor<'a>>,
    /// The second factors, if they are prepared.
    prepared: Option<Prepared<'a>>,
    add: Option<Source<'a>>,
    bits: [u32; 2],
    secret: bool,
}

/// [`ringjet_backend::Backend::big_mul`].
pub fn big_mul(m: &CpuMachine, dst: ViewMut<'_>, mul: &BigMul<'_>) -> Result<()> {
    const OP: &str = "big_mul";
    check::big_mul(OP, &dst, mul)?;
    let dst = m.target(OP, dst)?;
    let left = Factor::new(m, OP, mul.left, mul.split)?;
    let add = mul.add.map(|add| m.source(OP, add)).transpose()?;
    let (factors, bits) = (vec![left], [left.bits; 2]);
    let mut o = Operation { m, mul, dst, factors, prepared: None, add, bits, secret: false };
    match mul.right {
        BigFactor::Same => {}
        BigFactor::Integers(src, plan) => {
            o.factors.push(Factor::new(m, OP, src, plan)?);
            o.bits[1] = plan.crt.bits;
        }
        BigFactor::Prepared(src, bits) => {
            o.prepared = Some(Prepared::new(m, OP, src, bits, dst.n())?);
            o.bits[1] = bits;
        }
    }
    let sources = o.factors.iter().map(|f| f.words).chain(o.add).chain(o.prepared.map(|p| p.words));
    o.secret = dst.is_secret() || sources.into_iter().any(|s| s.is_secret());
    if mul.sums.is_empty() {
        return Ok(());
    }

    let most = o.prepared.map_or(mul.join.crt.basis.len(), |p| p.primes);
    let exact = Digits::new(mul, o.bits).filter(|d| d.primes <= most);
    let exact = exact.ok_or_else(|| check::too_few_primes(OP, most))?;
    if let Some(rounded) = exact.rounded(mul, o.bits)
        && o.run(&rounded)?
    {
        return Ok(());
    }
    // Compute the product with all words. There are no words to omit, or the omitted words may have
    // changed the result, which is very rare.
    #[cfg(test)]
    tests::EXACT.set(tests::EXACT.get() + 1);
    o.run(&exact).map(|_| ())
}

impl Operation<'_> {
    /// Numbers of polynomials of the first and of the second factors.
    fn polys(&self) -> [usize; 2] {
        let right = match self.mul.right {
            BigFactor::Same => self.mul.left,
            BigFactor::Integers(src, _) | BigFactor::Prepared(src, _) => src,
        };
        [self.mul.left.polys(), right.polys()]
    }

    /// The sums of products of digits: for each sum of products of polynomials, one for each
    /// weight.
    fn products(&self, d: &Digits) -> Products {
        let ([left, right], [polys, _]) = (d.counts, self.polys());
        let inputs = self.factors.iter().zip(d.counts).map(|(f, count)| f.polys * count).sum();
        let second = match self.mul.right {
            BigFactor::Same => 0,
            BigFactor::Integers(..) => polys * left,
            BigFactor::Prepared(..) => inputs,
        };
        let group = |sum: &&[(usize, usize)]| {
            let pairs = |w: usize| {
                let pairs = (0..left).filter(move |i| (*i..i + right).contains(&w));
                let pairs = pairs.flat_map(|i| sum.iter().map(move |&(l, r)| (l, r, i)));
                pairs.map(|(l, r, i)| [l * left + i, second + r * right + w - i]).collect()
            };
            d.weights.clone().map(pairs).collect()
        };
        Products::new(self.mul.sums.iter().map(group).collect(), inputs)
    }

    /// Computes the product with the digits `d`. Returns false if the omitted words may have
    /// changed the result.
    fn run(&self, d: &Digits) -> Result<bool> {
        let (m, mul) = (self.m, self.mul);
        let basis = mul.join.crt.basis.prefix(d.primes);
        let fields = m.fields.of(&basis)?;
        let crt = CrtJoin::new(&basis, join::bits(&basis));
        let products = self.products(d);
        let layout = Layout::new(&fields, self.dst.n());

        let mut memory = ByParts::memory(m, layout, d.primes, products.inputs(), self.secret)?;
        let inputs = ByParts::new(&mut memory, layout, products.inputs());
        let factors: Vec<(Factor<'_>, usize)> = self.factors.iter().copied().zip(d.counts).collect();
        split(m, &factors, &basis, &fields, layout, inputs)?;

        let root = |(i, f): (usize, &Arc<Field>)| {
            f.root(f.modulus.mul(crt.hat_inverse[i], Products::divisor(f, layout.part())))
        };
        let roots: Vec<Root> = fields.iter().enumerate().map(root).collect();
        let mut memory = ByStrips::memory(m, layout, d.primes, products.sums(), self.secret)?;
        let sums = ByStrips::new(&mut memory, layout, products.sums());
        self.multiply(&fields, &products, layout, inputs, sums, &roots)?;

        let sum = Sum {
            bits: mul.join.crt.bits,
            shift: mul.shift,
            digit: digits::WORDS,
            weights: d.weights.clone(),
            skip: d.skip,
            unsure: d.unsure,
        };
        self.join(&Join::new(&crt, fields, sum, true), layout, sums, &roots)
    }

    /// Computes the residues of the sums of products from those of the digits. A task takes one
    /// part of all limbs of one prime.
    fn multiply(
        &self,
        fields: &[Arc<Field>],
        products: &Products,
        layout: Layout,
        inputs: ByParts<'_>,
        sums: ByStrips<'_>,
        roots: &[Root],
    ) -> Result<()> {
        let scratch = self.m.worker_scratch(products.scratch(layout.part()), self.secret)?;
        let (parts, limbs) = (layout.parts, products.inputs() + products.sums());
        let tasks = fields.len() * parts;
        self.m.threads.run(tasks, fields.len() * self.dst.n() * limbs, |worker, task| {
            let (i, part) = (task / parts, task % parts);
            let out: Vec<RowsMut<'_>> = (0..products.sums()).map(|l| sums.part(i, part, l)).collect();
            // prefetch the operands of the task that this thread probably runs next
            let next = task + 1;
            let prefetch = &mut if next < tasks {
                let (i, from) = (next / parts, next % parts * layout.part());
                let keys = self.prepared.map_or(Rows::default(), |p| p.all(i, from, layout.part()));
                // SAFETY: the rows are only prefetched, not read.
                let inputs = unsafe { inputs.all(i, next % parts) };
                RowPrefetch::in_steps(inputs, keys, products.steps(layout.part()))
            } else {
                RowPrefetch::default()
            };
            let prepared = self.prepared.map_or(vec![], |p| p.rows(i, part * layout.part(), layout.part()));
            // SAFETY: a part of all limbs of a prime is used by one task, and a worker's words by
            // one task at a time.
            unsafe {
                let mut inputs: Vec<&mut [u64]> = (0..products.inputs()).map(|l| inputs.row(i, part, l)).collect();
                let scratch = scratch.of(worker);
                products.run(&fields[i], [parts, part], &mut inputs, &prepared, &roots[i], scratch, &out, prefetch);
            }
            fence();
        });
        Ok(())
    }

    /// Computes the result from the residues of the sums.
    fn join(&self, join: &Join<'_>, layout: Layout, sums: ByStrips<'_>, roots: &[Root]) -> Result<bool> {
        let (polys, fields, weights) = (self.mul.sums.len(), join.fields(), join.weights());
        let scratch = self.m.worker_scratch(join.scratch(layout.words()), self.secret)?;
        let strips = layout.strips();
        let sure = AtomicBool::new(true);
        self.m.threads.run(polys * strips, polys * weights * self.dst.n() * fields.len(), |worker, task| {
            let (p, strip) = (task / strips, task % strips);
            // SAFETY: nobody writes to the residues any more.
            let rows = |w: usize, i: usize| unsafe { sums.strip(i, strip, p * weights + w) };
            let residues = |w, i: usize, x: &mut [u64], to: RowsMut<'_>| {
                let next = if i + 1 < fields.len() { (w, i + 1) } else { (w + 1, 0) };
                let next = (next.0 < weights).then(|| rows(next.0, next.1));
                // SAFETY: nobody else uses `to`.
                unsafe { fields[i].inverse_last(rows(w, i), next, x, to, &roots[i]) };
            };
            let add = self.mul.add.zip(self.add).filter(|(view, _)| p < view.polys());
            let add = add.map(|(view, source)| {
                source.count(p, view.limbs() * layout.words());
                source.rows(p, 0..view.limbs())
            });
            self.dst.count(self.dst.limbs() * layout.words());
            let dst = self.dst.rows(p);
            // prefetch the residues of the task that this thread probably runs next
            let next = task + 1;
            let next = if next < polys * strips {
                let limbs = next / strips * weights..(next / strips + 1) * weights;
                // SAFETY: as above.
                unsafe { sums.strips(fields.len(), next % strips, limbs) }
            } else {
                Rows::default()
            };
            let prefetch = &mut RowPrefetch::new(next);
            // SAFETY: strips of different tasks do not overlap, and a worker's words are used by
            // one task at a time.
            if !unsafe { join.strip(layout.strip(strip), residues, add, scratch.of(worker), dst, prefetch) } {
                sure.store(false, Ordering::Relaxed);
            }
            fence();
        });
        Ok(sure.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::buffers;
    use crate::system::path::Path;
    use num_bigint::BigInt;
    use ringjet_backend::plan::{CrtJoinPlan, CrtSplitPlan};
    use ringjet_math::Basis;
    use ringjet_math::big::{shift_round, to_words, words};
    use ringjet_math::prime::ntt_primes;
    use std::cell::Cell;

    thread_local! {
        /// How many products this thread has computed with all words.
        pub static EXACT: Cell<usize> = const { Cell::new(0) };
    }

    const LOG_N: u32 = 5;
    const BITS: u32 = 1200;
    const KEPT: u32 = 300;

    /// Multiplies `2^a` by `2^b * sign + small` plus a multiple of `2^(b+1)` in each coefficient,
    /// with the shift a + b + 1: each product differs by `2^a * small` from a value where the
    /// rounding changes. Returns the number of products that were computed with all words.
    fn at_boundary(path: Path, prime: u32, [a, b]: [u32; 2], sign: i64, small: i64) -> usize {
        let (n, shift, one) = (1 << LOG_N, a + b + 1, BigInt::from(1));
        let limbs = (2 * BITS + 10).div_ceil(prime - 1) as usize;
        let basis = Basis::new(LOG_N, &ntt_primes(LOG_N, prime, limbs, &[]).unwrap()).unwrap();
        let machine = CpuMachine::new(1, Some(path)).unwrap();
        let y = |c: usize| (&one << b) * sign + small + ((&one << (b + 1)) * (c * 0x1234_5679));
        let (mut left, mut right, mut expected) = (vec![0; words(BITS) * n], vec![0; words(BITS) * n], vec![]);
        to_words(&(&one << a), BITS).into_iter().enumerate().for_each(|(k, word)| left[k * n] = word);
        for c in 0..n {
            to_words(&y(c), BITS).into_iter().enumerate().for_each(|(k, word)| right[k * n + c] = word);
            expected.push(to_words(&shift_round(&(y(c) << a), shift), KEPT));
        }
        let upload = |words: &[u64]| {
            let mut buf = machine.alloc(words.len() / n, n).unwrap();
            buffers::upload(&machine, &mut buf, 0, words).unwrap();
            buf
        };
        let (left, right) = (upload(&left), upload(&right));
        let mut out = machine.alloc(words(KEPT), n).unwrap();
        let (split, join) = (CrtSplitPlan::new(&basis, BITS), CrtJoinPlan::new(&basis, KEPT + shift));
        let mul = BigMul {
            left: left.view(1),
            split: &split,
            right: BigFactor::Integers(right.view(1), &split),
            sums: &[&[(0, 0)]],
            join: &join,
            shift,
            add: None,
        };
        EXACT.set(0);
        big_mul(&machine, out.view_mut(1), &mul).unwrap();
        let mut found = vec![0; words(KEPT) * n];
        buffers::download(&machine, &out, 0, &mut found).unwrap();
        for (c, expected) in expected.iter().enumerate() {
            let found: Vec<u64> = found.chunks_exact(n).map(|row| row[c]).collect();
            assert_eq!(&found, expected, "{path:?} {prime} 2^{a} (2^{b} {sign} + {small})");
        }
        EXACT.get()
    }

    #[test]
    fn what_is_left_out_is_made_where_it_matters() {
        for path in Path::usable() {
            for prime in [30, 50, 56, 61] {
                for sign in [1, -1] {
                    for small in [0, 1, -1, 1 << 50, -(1 << 50)] {
                        for place in [[100, 519], [3, 800]] {
                            let exact = at_boundary(path, prime, place, sign, small);
                            assert_eq!(exact, 1, "{path:?} {prime} {place:?} {sign} {small}");
                        }
                    }
                    // far enough from that value
                    for small in [1, -1] {
                        assert_eq!(
                            at_boundary(path, prime, [600, 19], sign, small),
                            0,
                            "{path:?} {prime} {sign} {small}"
                        );
                    }
                    // around the distance at which products must be computed with all words
                    for a in 560..610 {
                        at_boundary(path, prime, [a, 619 - a], sign, if a % 2 == 0 { 1 } else { -1 });
                    }
                }
            }
        }
    }
}
