//! Products of big coefficients: residues of the digits of all factors by strips of coefficients, then prime by prime and part by
//! part transforms, products and transforms back, then integers by strips again.
//!
//! A limb of residues is 512 KiB at N = 2^16, and there are hundreds: they go to memory between the steps ([`super::residues`]).

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ringjet_backend::big::digits::{self, Digits};
use ringjet_backend::big::{BigFactor, BigMul};
use ringjet_backend::plan::CrtSplitPlan;
use ringjet_backend::{Result, View, ViewMut, check};
use ringjet_math::big::{CrtJoin, WORD_BITS};

use super::join::{self, Join, Sum};
use super::prepared::Prepared;
use super::products::Products;
use super::residues::{ByParts, ByStrips, Layout};
use super::split::Split;
use crate::CpuBackend;
use crate::field::{Field, Root};
use crate::memory::{Fetch, Rows, RowsMut, Source, Target, fence};

/// Big coefficients whose digits become residues.
#[derive(Clone, Copy)]
pub struct Factor<'a> {
    pub polys: usize,
    pub words: Source<'a>,
    pub bits: u32,
}

impl<'a> Factor<'a> {
    pub fn new(b: &CpuBackend, op: &'static str, src: View<'a>, plan: &CrtSplitPlan) -> Result<Self> {
        Ok(Self { polys: src.polys(), words: b.source(op, src)?, bits: plan.crt.bits })
    }
}

/// The operands of a product on this machine.
struct Operation<'a> {
    m: &'a BigMul<'a>,
    dst: Target<'a>,
    factors: Vec<Factor<'a>>,
    /// The second factors where they were prepared.
    prepared: Option<Prepared<'a>>,
    add: Option<Source<'a>>,
    bits: [u32; 2],
    secret: bool,
}

/// [`ringjet_backend::Backend::big_mul`].
pub fn big_mul(b: &CpuBackend, dst: ViewMut<'_>, m: &BigMul<'_>) -> Result<()> {
    check::big_mul("big_mul", &dst, m)?;
    let dst = b.target("big_mul", dst)?;
    let left = Factor::new(b, "big_mul", m.left, m.split)?;
    let mut o = Operation {
        m,
        dst,
        factors: vec![left],
        prepared: None,
        add: m.add.map(|add| b.source("big_mul", add)).transpose()?,
        bits: [left.bits; 2],
        secret: false,
    };
    match m.right {
        BigFactor::Same => {}
        BigFactor::Integers(src, plan) => {
            o.factors.push(Factor::new(b, "big_mul", src, plan)?);
            o.bits[1] = plan.crt.bits;
        }
        BigFactor::Prepared(src, bits) => {
            o.prepared = Some(Prepared::new(b, "big_mul", src, bits, dst.n())?);
            o.bits[1] = bits;
        }
    }
    let sources = o.factors.iter().map(|f| f.words).chain(o.add).chain(o.prepared.map(|p| p.words));
    o.secret = dst.is_secret() || sources.into_iter().any(|s| s.is_secret());
    if m.sums.is_empty() {
        return Ok(());
    }

    let most = o.prepared.map_or(m.join.crt.basis.len(), |p| p.primes);
    let exact = Digits::new(m, o.bits).filter(|d| d.primes <= most);
    let exact = exact.ok_or_else(|| check::too_few_primes("big_mul", most))?;
    if let Some(rounded) = exact.rounded(m, o.bits)
        && o.run(b, &rounded)?
    {
        return Ok(());
    }
    // nothing is left out, or what was left out may have mattered, as it hardly ever does
    #[cfg(test)]
    tests::EXACT.set(tests::EXACT.get() + 1);
    o.run(b, &exact).map(|_| ())
}

impl Operation<'_> {
    /// Number of polynomials of the first and the second factors.
    fn polys(&self) -> [usize; 2] {
        let right = match self.m.right {
            BigFactor::Same => self.m.left,
            BigFactor::Integers(src, _) | BigFactor::Prepared(src, _) => src,
        };
        [self.m.left.polys(), right.polys()]
    }

    /// The sums of products of digits, weight by weight, for one sum of products after the other.
    fn products(&self, d: &Digits) -> Products {
        let ([left, right], [polys, _]) = (d.counts, self.polys());
        let inputs = self.factors.iter().zip(d.counts).map(|(f, count)| f.polys * count).sum();
        let second = match self.m.right {
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
        Products::new(self.m.sums.iter().map(group).collect(), inputs)
    }

    /// The product by these digits. Returns false where what is left out may have mattered.
    fn run(&self, b: &CpuBackend, d: &Digits) -> Result<bool> {
        let (m, n) = (self.m, self.dst.n());
        let basis = m.join.crt.basis.prefix(d.primes);
        let fields = b.fields.of(&basis);
        let crt = CrtJoin::new(&basis, join::bits(&basis));
        let products = self.products(d);
        let layout = Layout::new(&fields, n);

        let mut memory = ByParts::memory(b, layout, d.primes, products.inputs(), self.secret)?;
        let inputs = ByParts::new(&mut memory, layout, products.inputs());
        let factors: Vec<(Factor<'_>, usize)> = self.factors.iter().copied().zip(d.counts).collect();
        split(b, &factors, &basis, &fields, layout, inputs)?;

        let root = |(i, f): (usize, &Arc<Field>)| {
            f.root(f.modulus.mul(crt.hat_inverse[i], Products::divisor(f, layout.part())))
        };
        let roots: Vec<Root> = fields.iter().enumerate().map(root).collect();
        let mut memory = ByStrips::memory(b, layout, d.primes, products.sums(), self.secret)?;
        let sums = ByStrips::new(&mut memory, layout, products.sums());
        let size = products.scratch(layout.part());
        let scratch = b.workers(size, self.secret)?;
        let (parts, limbs) = (layout.parts, products.inputs() + products.sums());
        b.threads.run(d.primes * parts, d.primes * n * limbs, |worker, task| {
            let (i, part) = (task / parts, task % parts);
            let out: Vec<RowsMut<'_>> = (0..products.sums()).map(|l| sums.part(i, part, l)).collect();
            // what this thread will probably need next
            let next = task + 1;
            let fetch = &mut if next < d.primes * parts {
                let (i, from) = (next / parts, next % parts * layout.part());
                let keys = self.prepared.map_or(Rows::default(), |p| p.all(i, from, layout.part()));
                // SAFETY: nothing is read.
                let inputs = unsafe { inputs.all(i, next % parts) };
                Fetch::in_steps(inputs, keys, products.steps(layout.part()))
            } else {
                Fetch::default()
            };
            let prepared = self.prepared.map_or(vec![], |p| p.rows(i, part * layout.part(), layout.part()));
            // SAFETY: a part of all limbs of a prime is used by one task, and a worker's words by one task at a time.
            unsafe {
                let mut inputs: Vec<&mut [u64]> = (0..products.inputs()).map(|l| inputs.row(i, part, l)).collect();
                let scratch = scratch.of(worker);
                products.run(&fields[i], [parts, part], &mut inputs, &prepared, &roots[i], scratch, &out, fetch);
            }
            fence();
        });

        let sum = Sum {
            bits: m.join.crt.bits,
            shift: m.shift,
            digit: digits::WORDS,
            weights: d.weights.clone(),
            skip: d.skip,
            unsure: d.unsure,
        };
        self.join(b, &Join::new(&crt, fields.clone(), sum, true), layout, sums, &roots)
    }

    /// From residues to the result.
    fn join(
        &self,
        b: &CpuBackend,
        join: &Join<'_>,
        layout: Layout,
        sums: ByStrips<'_>,
        roots: &[Root],
    ) -> Result<bool> {
        let (polys, fields, weights) = (self.m.sums.len(), join.fields(), join.weights());
        let size = join.scratch(layout.words());
        let scratch = b.workers(size, self.secret)?;
        let strips = layout.strips();
        let sure = AtomicBool::new(true);
        b.threads.run(polys * strips, polys * weights * self.dst.n() * fields.len(), |worker, task| {
            let (p, strip) = (task / strips, task % strips);
            // SAFETY: nobody writes to the residues any more.
            let rows = |w: usize, i: usize| unsafe { sums.strip(i, strip, p * weights + w) };
            let residues = |w, i: usize, x: &mut [u64], to: RowsMut<'_>| {
                let next = if i + 1 < fields.len() { (w, i + 1) } else { (w + 1, 0) };
                let next = (next.0 < weights).then(|| rows(next.0, next.1));
                // SAFETY: nobody else uses what is given to be written.
                unsafe { fields[i].inverse_last(rows(w, i), next, x, to, &roots[i]) };
            };
            let add = self.m.add.zip(self.add).filter(|(view, _)| p < view.polys());
            let add = add.map(|(view, source)| source.rows(p, 0..view.limbs()));
            let dst = self.dst.rows(p);
            // what this thread will probably need next
            let next = task + 1;
            let next = if next < polys * strips {
                let limbs = next / strips * weights..(next / strips + 1) * weights;
                // SAFETY: as above.
                unsafe { sums.strips(fields.len(), next % strips, limbs) }
            } else {
                Rows::default()
            };
            let fetch = &mut Fetch::new(next);
            // SAFETY: strips of different tasks do not overlap, and a worker's words are used by one task at a time.
            if !unsafe { join.strip(layout.strip(strip), residues, add, scratch.of(worker), dst, fetch) } {
                sure.store(false, Ordering::Relaxed);
            }
            fence();
        });
        Ok(sure.into_inner())
    }
}

/// Residues of the digits of all factors, each with its number of digits: digit after digit, polynomial after polynomial. They are
/// transformed as far as strips of them can be.
pub fn split(
    b: &CpuBackend,
    factors: &[(Factor<'_>, usize)],
    basis: &ringjet_math::Basis,
    fields: &[Arc<Field>],
    layout: Layout,
    to: ByParts<'_>,
) -> Result<()> {
    // what is divided may be below 4q
    let lazy = layout.parts > 1;
    let low = Split::new(digits::BITS, fields.to_vec(), false, lazy);
    let top = |bits: Range<u32>| Split::new(bits.end - bits.start, fields.to_vec(), true, lazy);
    let tops: Vec<Split> = factors.iter().map(|&(f, count)| top(digits::digit(f.bits, count - 1))).collect();

    let mut inputs = vec![];
    for (&(factor, count), top) in factors.iter().zip(&tops) {
        for p in 0..factor.polys {
            for i in 0..count {
                inputs.push((factor, p, i, if i + 1 == count { top } else { &low }));
            }
        }
    }
    let secret = factors.iter().any(|(f, _)| f.words.is_secret());
    let own = tops.iter().chain([&low]).map(|s| s.scratch()).max().unwrap_or(0);
    let layout = layout.wide();
    let (words, strips) = (layout.words(), layout.strips());
    let size = own + words * basis.len();
    let scratch = b.workers(size, secret)?;
    b.threads.run(inputs.len() * strips, inputs.len() * words * strips * basis.len(), |worker, task| {
        let rows = |l: usize| {
            let (factor, p, i, split) = inputs[l];
            let bits = digits::digit(factor.bits, i);
            let limbs = (bits.start / WORD_BITS) as usize..bits.end.div_ceil(WORD_BITS) as usize;
            (factor.words.rows(p, limbs), bits.start % WORD_BITS, split)
        };
        let (l, strip) = (task / strips, layout.strip(task % strips));
        let (words_of, from, split) = rows(l);
        // what this thread will probably need next
        let next = task + 1;
        let next = if next < inputs.len() * strips {
            let strip = layout.strip(next % strips);
            rows(next / strips).0.cut(layout.parts, strip.from..strip.from + strip.columns)
        } else {
            Rows::default()
        };
        // SAFETY: a worker's words are used by one task at a time.
        let (own, residues) = unsafe { scratch.of(worker) }.split_at_mut(own);
        let mut residues: Vec<&mut [u64]> = residues.chunks_exact_mut(words).collect();
        split.strip(words_of, from, strip, own, &mut residues, &mut Fetch::new(next));
        for (i, residues) in residues.into_iter().enumerate() {
            // SAFETY: strips of different tasks do not overlap.
            unsafe { fields[i].forward_first(residues, to.strip(i, l, strip)) };
        }
        fence();
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CpuConfig, Path};
    use num_bigint::BigInt;
    use ringjet_backend::Backend;
    use ringjet_backend::plan::CrtJoinPlan;
    use ringjet_math::Basis;
    use ringjet_math::big::{shift_round, to_words, words};
    use ringjet_math::prime::ntt_primes;
    use std::cell::Cell;

    thread_local! {
        /// Products of this thread with nothing left out.
        pub static EXACT: Cell<usize> = const { Cell::new(0) };
    }

    const LOG_N: u32 = 5;
    const BITS: u32 = 1200;
    const KEPT: u32 = 300;

    /// Multiplies 2^a by `2^b sign + small`, and multiples of 2^(b+1) more, in each coefficient, with the shift a + b + 1: each product
    /// is `2^a small` away from a boundary of rounding. Returns how often that was done with nothing left out.
    fn at_boundary(path: Path, prime: u32, [a, b]: [u32; 2], sign: i64, small: i64) -> usize {
        let (n, shift, one) = (1 << LOG_N, a + b + 1, BigInt::from(1));
        let limbs = (2 * BITS + 10).div_ceil(prime - 1) as usize;
        let basis = Basis::new(LOG_N, &ntt_primes(LOG_N, prime, limbs, &[]).unwrap()).unwrap();
        let backend = CpuBackend::new(CpuConfig { threads: 1, path: Some(path) }).unwrap();
        let y = |c: usize| (&one << b) * sign + small + ((&one << (b + 1)) * (c * 0x1234_5679));
        let (mut left, mut right, mut expected) = (vec![0; words(BITS) * n], vec![0; words(BITS) * n], vec![]);
        to_words(&(&one << a), BITS).into_iter().enumerate().for_each(|(k, word)| left[k * n] = word);
        for c in 0..n {
            to_words(&y(c), BITS).into_iter().enumerate().for_each(|(k, word)| right[k * n + c] = word);
            expected.push(to_words(&shift_round(&(y(c) << a), shift), KEPT));
        }
        let upload = |words: &[u64]| {
            let mut buf = backend.alloc(words.len() / n, n).unwrap();
            backend.upload(&mut buf, 0, words).unwrap();
            buf
        };
        let (left, right) = (upload(&left), upload(&right));
        let mut out = backend.alloc(words(KEPT), n).unwrap();
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
        backend.big_mul(out.view_mut(1), &mul).unwrap();
        let mut found = vec![0; words(KEPT) * n];
        backend.download(&out, 0, &mut found).unwrap();
        for (c, expected) in expected.iter().enumerate() {
            let found: Vec<u64> = found.chunks_exact(n).map(|row| row[c]).collect();
            assert_eq!(&found, expected, "{path:?} {prime} 2^{a} (2^{b} {sign} + {small})");
        }
        EXACT.get()
    }

    #[test]
    fn what_is_left_out_is_made_where_it_matters() {
        for path in [Path::Scalar, Path::Avx512, Path::Ifma].into_iter().filter(|&path| path <= Path::best()) {
            for prime in [30, 50, 56, 61] {
                for sign in [1, -1] {
                    for small in [0, 1, -1, 1 << 50, -(1 << 50)] {
                        for place in [[100, 519], [3, 800]] {
                            let exact = at_boundary(path, prime, place, sign, small);
                            assert_eq!(exact, 1, "{path:?} {prime} {place:?} {sign} {small}");
                        }
                    }
                    // far enough from it
                    for small in [1, -1] {
                        assert_eq!(
                            at_boundary(path, prime, [600, 19], sign, small),
                            0,
                            "{path:?} {prime} {sign} {small}"
                        );
                    }
                    // around the place where it begins to matter
                    for a in 560..610 {
                        at_boundary(path, prime, [a, 619 - a], sign, if a % 2 == 0 { 1 } else { -1 });
                    }
                }
            }
        }
    }
}
