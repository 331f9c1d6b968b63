//! Tests of transforms, products, linear combinations, automorphisms and base conversions.

use std::sync::atomic::{AtomicUsize, Ordering};

use ringjet_math::Basis;

use super::data::{Host, Layout, STYLES, Style};
use super::{Check, FailureKind, Suite};
use crate::plan::{AutomorphismPlan, BaseConversionPlan, Domain};
use crate::repeat::words;
use crate::{Coeff, Gemm, Integers, MAX_WEIGHT, Term, UniformRange, UniformStream, View, Width};

/// Layouts for `polys` polynomials.
fn layouts(polys: usize) -> [Layout; 3] {
    [Layout::dense(polys), Layout::prefix(polys), Layout::inside(polys)]
}

impl Suite<'_> {
    pub(super) fn elementwise(&mut self, basis: &Basis) -> Check {
        for style in STYLES {
            for (dst, src) in layouts(2).into_iter().zip([Layout::inside(1), Layout::prefix(2), Layout::dense(2)]) {
                self.transforms(basis, dst, style)?;
                self.products(basis, dst, src, style)?;
            }
            self.fillings(basis, style)?;
            self.combinations(basis, style)?;
            self.sums_of_products(basis, style)?;
        }
        self.uniform_streams(basis)?;
        for style in [Style::Random, Style::Max, Style::Halves] {
            self.matrices(basis, style)?;
            self.class_products(basis, style)?;
        }
        self.automorphisms(basis)?;
        self.repetitions(basis)?;
        self.integers(basis)
    }

    /// Makes polynomials in powers of X from integer coefficients of every width.
    fn integers(&mut self, basis: &Basis) -> Check {
        for gap in (0..=basis.log_n() - 3).map(|log| 1usize << log) {
            let len = basis.n() / gap;
            let mut values = |bits: u32| -> Vec<i128> {
                let one = |i: usize| match i {
                    0 => -(1i128 << (bits - 1)),
                    1 => (1 << (bits - 1)) - 1,
                    _ => (i128::from(self.rng.next() as i64) << 64 | i128::from(self.rng.next())) >> (128 - bits),
                };
                (0..len).map(one).collect()
            };
            let narrow: Vec<i32> = values(32).iter().map(|&c| c as i32).collect();
            let usual: Vec<i64> = values(64).iter().map(|&c| c as i64).collect();
            let wide = values(121);
            let src = [Integers::I64(&usual), Integers::I32(&narrow), Integers::I128(&wide)];
            for polys in [1, 3] {
                let case = format!("{}, {polys} polynomials in X^{gap}", describe(basis));
                let dst = self.host(basis, Layout::inside(polys), Style::Random);
                self.compare("integer_factors", &case, &[], &dst, |b, _, d| {
                    let mut few = b.alloc(polys * basis.len(), words(basis.n(), gap))?;
                    b.integer_factors(few.view_mut(polys), &src[..polys], basis)?;
                    b.expand(dst.view_mut(d), few.view(polys))
                })?;
            }
        }
        Ok(())
    }

    /// Compacts and expands polynomials in powers of X.
    fn repetitions(&mut self, basis: &Basis) -> Check {
        for gap in (0..=basis.log_n()).map(|log| 1usize << log) {
            let src = Host::spaced(&mut self.rng, basis, Layout::inside(2), gap);
            let polys = 1 + (gap.trailing_zeros() as usize % 2);
            let dst = self.host(basis, Layout::inside(2), Style::Random);
            let case = format!("{}, {polys} polynomials in X^{gap}", describe(basis));
            self.compare("expand", &case, std::slice::from_ref(&src), &dst, |b, s, d| {
                let few = b.compact(src.view(&s[0]).slice(0, polys), gap)?;
                b.expand(dst.view_mut(d), few.view(polys))
            })?;
        }
        Ok(())
    }

    fn host(&mut self, basis: &Basis, layout: Layout, style: Style) -> Host {
        Host::new(&mut self.rng, basis, layout, style)
    }

    fn transforms(&mut self, basis: &Basis, layout: Layout, style: Style) -> Check {
        let case = format!("{}, {layout:?}, {style:?}", describe(basis));
        let x = self.host(basis, layout, style);
        self.compare("ntt", &case, &[], &x, |b, _, dst| b.ntt(x.view_mut(dst), basis))?;
        self.compare("intt", &case, &[], &x, |b, _, dst| b.intt(x.view_mut(dst), basis))
    }

    fn products(&mut self, basis: &Basis, to: Layout, from: Layout, style: Style) -> Check {
        let case = format!("{}, {to:?} from {from:?}, {style:?}", describe(basis));
        let (x, y, dst) = (self.host(basis, from, style), self.host(basis, to, style), self.host(basis, to, style));
        let sources = [x.clone(), y.clone()];
        self.compare("copy", &case, &sources, &dst, |b, s, d| b.copy(dst.view_mut(d), x.view(&s[0])))?;
        for accumulate in [false, true] {
            let case = format!("{case}, accumulate {accumulate}");
            self.compare("mul", &case, &sources, &dst, |b, s, d| {
                b.mul(dst.view_mut(d), x.view(&s[0]), y.view(&s[1]), basis, accumulate)
            })?;
        }
        let (a, c) = (self.host(basis, Layout::inside(2), style), self.host(basis, Layout::prefix(2), style));
        let dst = self.host(basis, Layout { polys: 3, ..to }, style);
        self.compare("tensor", &case, &[a.clone(), c.clone()], &dst, |b, s, d| {
            b.tensor(dst.view_mut(d), a.view(&s[0]), c.view(&s[1]), basis)
        })
    }

    /// Fills some limbs, and no limbs, on the host, and checks that each job runs once.
    fn fillings(&mut self, basis: &Basis, style: Style) -> Check {
        let dst = self.host(basis, Layout::inside(2), style);
        let all = dst.all_limbs();
        for (first, limbs) in [(0, all), (1, all - 1), (all, 0)] {
            let case = format!("{}, {limbs} limbs from {first}", describe(basis));
            self.compare("upload_each", &case, &[], &dst, |b, _, d| {
                b.upload_each(d, first, limbs, &|worker, i, words| {
                    let from = if worker < b.host_threads() { 1000 * i as u64 } else { u64::MAX / 2 };
                    words.iter_mut().zip(from..).for_each(|(word, value)| *word = value);
                })
            })?;
        }
        for jobs in [0, 1, 2, 100] {
            let runs: Vec<AtomicUsize> = (0..jobs).map(|_| AtomicUsize::new(0)).collect();
            self.backend.parallel(jobs, usize::MAX, &|_, job| _ = runs[job].fetch_add(1, Ordering::Relaxed));
            if runs.iter().any(|r| r.load(Ordering::Relaxed) != 1) {
                let name = self.backend.id().name().to_owned();
                return Err(self.failure(&name, "parallel", &format!("{jobs} jobs"), FailureKind::Accepted));
            }
        }
        Ok(())
    }

    /// Fills limbs with residues and words of streams, whose seed and number are random.
    fn uniform_streams(&mut self, basis: &Basis) -> Check {
        let seed: [u8; 32] = std::array::from_fn(|_| self.rng.next() as u8);
        let (dst, number) = (self.host(basis, Layout::dense(1), Style::Zero), self.rng.next());
        for bits in [None, Some(1 + self.rng.below(Width::of(basis).most_bits().into()) as u32)] {
            let case = format!("{}, bits {bits:?}, seed {seed:?}, stream {number}", describe(basis));
            self.compare("fill_uniform", &case, &[], &dst, |b, _, d| {
                b.upload_each(d, 0, basis.len(), &|_, i, words| {
                    let range = bits.map_or_else(|| UniformRange::Below(*basis.modulus(i)), UniformRange::Bits);
                    b.fill_uniform(
                        &UniformStream { seed: &seed, number: number ^ i as u64, range, segment: i as u64 },
                        words,
                    );
                })
            })?;
        }
        Ok(())
    }

    fn combinations(&mut self, basis: &Basis, style: Style) -> Check {
        for count in [0, 1, 2, 3, 5, 20] {
            for accumulate in [false, true] {
                let dst = self.host(basis, Layout::inside(2), style);
                let mut sources = vec![];
                let mut factors: Vec<Option<Vec<u64>>> = vec![];
                let mut signs = vec![];
                for t in 0..count {
                    let polys = 1 + (self.rng.below(3) > 0) as usize;
                    sources.push(self.host(basis, layouts(polys)[t % 3], style));
                    let kind = self.rng.below(4);
                    signs.push(kind == 0);
                    let constant = |q: u64, r: u64| if style == Style::Random { r } else { q - 1 };
                    let constants = basis.values().map(|q| constant(q, self.rng.below(q))).collect();
                    factors.push((kind > 1).then_some(constants));
                }
                let case = format!("{}, {count} terms, accumulate {accumulate}, {style:?}", describe(basis));
                let coeff = |t: usize| match (&factors[t], signs[t]) {
                    (Some(c), _) => Coeff::PerLimb(c),
                    (None, true) => Coeff::MinusOne,
                    (None, false) => Coeff::One,
                };
                self.compare("lincomb", &case, &sources, &dst, |b, s, d| {
                    let terms: Vec<Term<'_>> = (0..count).map(|t| (coeff(t), sources[t].view(&s[t]))).collect();
                    b.lincomb(dst.view_mut(d), &terms, basis, accumulate)
                })?;
                if accumulate {
                    continue;
                }
                let constant: Vec<u64> = basis.values().map(|q| if count == 2 { 1 } else { q - 1 }).collect();
                self.compare("affine", &case, &sources, &dst, |b, s, d| {
                    let terms: Vec<Term<'_>> = (0..count).map(|t| (coeff(t), sources[t].view(&s[t]))).collect();
                    b.affine(dst.view_mut(d), &terms, &constant, basis)
                })?;
            }
        }
        Ok(())
    }

    fn sums_of_products(&mut self, basis: &Basis, style: Style) -> Check {
        for (count, accumulate) in [(0, false), (0, true), (1, true), (2, false), (16, true), (17, false), (35, true)] {
            let dst = self.host(basis, Layout::inside(2), style);
            let mut sources = vec![];
            for t in 0..count {
                sources.push(self.host(basis, layouts(2)[t % 3], style));
                let polys = 1 + (self.rng.below(2) as usize);
                sources.push(self.host(basis, layouts(polys)[(t + 1) % 3], style));
            }
            let case = format!("{}, {count} pairs, accumulate {accumulate}, {style:?}", describe(basis));
            self.compare("mul_acc", &case, &sources, &dst, |b, s, d| {
                let view = |i: usize| sources[i].view(&s[i]);
                let pairs: Vec<(View<'_>, View<'_>)> = (0..count).map(|t| (view(2 * t), view(2 * t + 1))).collect();
                b.mul_acc(dst.view_mut(d), &pairs, basis, accumulate)
            })?;
        }
        Ok(())
    }

    /// Products with matrices of short integers, also of the largest ones, with more and fewer rows and columns
    /// than kernels take at once.
    fn matrices(&mut self, basis: &Basis, style: Style) -> Check {
        let limbs = basis.len();
        for (rows, columns, accumulate) in [
            (0, 3, false),
            (1, 0, true),
            (2, 1, false),
            (5, 27, true),
            (6, 28, false),
            (1, 29, false),
            (13, 33, true),
            (3, 129, false),
        ] {
            let residues = |rng: &mut super::data::Rng| {
                (0..rows).flat_map(|_| basis.values()).map(|q| rng.below(q)).collect::<Vec<u64>>()
            };
            let weight = |rng: &mut super::data::Rng| match (style, rng.next() & 1) {
                (Style::Random, _) => (rng.below(1 << 25) as i64 - (1 << 24)) as i32,
                (Style::Halves, _) => MAX_WEIGHT - 1,
                (_, 0) => MAX_WEIGHT,
                _ => -MAX_WEIGHT,
            };
            let weights: Vec<i32> = (0..rows * columns).map(|_| weight(&mut self.rng)).collect();
            let factors = residues(&mut self.rng);
            let constants = if accumulate { residues(&mut self.rng) } else { vec![] };
            let sources: Vec<Host> = (0..columns).map(|k| self.host(basis, layouts(2)[k % 3], style)).collect();
            let dst = self.host(basis, Layout::inside(2 * rows.max(1)), Style::Random);
            let case = format!("{}, {rows} x {columns}, accumulate {accumulate}, {style:?}", describe(basis));
            self.compare("gemm", &case, &sources, &dst, |b, s, d| {
                let src: Vec<View<'_>> = sources.iter().zip(s).map(|(host, buf)| host.view(buf)).collect();
                let gemm = Gemm { src: &src, weights: &weights, factors: &factors, constants: &constants };
                let mut bufs = Vec::with_capacity(rows);
                for row in 0..rows {
                    let mut buf = b.alloc(2 * limbs, basis.n())?;
                    b.copy(buf.view_mut(2), dst.view(d).slice(2 * row, 2))?;
                    bufs.push(buf);
                }
                let mut views: Vec<_> = bufs.iter_mut().map(|buf| buf.view_mut(2)).collect();
                b.gemm(&mut views, &gemm, basis, accumulate)?;
                (bufs.iter().enumerate())
                    .try_for_each(|(row, buf)| b.copy(dst.view_mut(d).slice(2 * row, 2), buf.view(2)))
            })?;
        }
        Ok(())
    }

    /// Products of matrices of small sizes, which are slow on the oracle.
    fn class_products(&mut self, basis: &Basis, style: Style) -> Check {
        let cases = [(1, [1, 1]), (2, [2, 2]), (4, [1, 2]), (8, [2, 1]), (32, [1, 1])];
        for (rows, polys) in cases {
            if rows > basis.n() || rows * rows * basis.n() * basis.len() > 1 << 15 {
                continue;
            }
            let of = |k: usize| layouts(polys[k / rows])[k % 3];
            let sources: Vec<Host> = (0..2 * rows).map(|k| self.host(basis, of(k), style)).collect();
            let count = polys[0] * polys[1];
            let dst = self.host(basis, Layout::inside(count * rows), Style::Random);
            let case = format!("{}, {rows} x {rows}, polynomials {polys:?}, {style:?}", describe(basis));
            self.compare("class_products", &case, &sources, &dst, |b, s, d| {
                let src: Vec<View<'_>> = sources.iter().zip(s).map(|(host, buf)| host.view(buf)).collect();
                let buffers = (0..rows).map(|_| b.alloc(count * basis.len(), basis.n()));
                let mut buffers = buffers.collect::<crate::Result<Vec<_>>>()?;
                let mut views: Vec<_> = buffers.iter_mut().map(|buf| buf.view_mut(count)).collect();
                b.class_products(&mut views, &src[..rows], &src[rows..], basis)?;
                (buffers.iter().enumerate())
                    .try_for_each(|(row, buf)| b.copy(dst.view_mut(d).slice(count * row, count), buf.view(count)))
            })?;
        }
        Ok(())
    }

    fn automorphisms(&mut self, basis: &Basis) -> Check {
        let log_n = basis.log_n();
        let two_n = 2 << log_n;
        let galois = [1, 3, 5, 25, 125 % two_n, two_n - 1, two_n - 5, two_n / 2 + 1, self.rng.next() | 1];
        for domain in [Domain::Evaluation, Domain::Coefficient] {
            for (i, g) in galois.into_iter().enumerate() {
                let plan = AutomorphismPlan::new(log_n, g, domain);
                let (to, from) = (layouts(2)[i % 3], layouts(1 + i % 2)[(i + 1) % 3]);
                let (src, dst) = (self.host(basis, from, Style::Random), self.host(basis, to, Style::Random));
                let case = format!("{}, X^{}, {domain:?}, {to:?} from {from:?}", describe(basis), plan.galois);
                self.compare("automorphism", &case, std::slice::from_ref(&src), &dst, |b, s, d| {
                    b.automorphism(dst.view_mut(d), src.view(&s[0]), basis, &plan)
                })?;
            }
        }
        Ok(())
    }

    /// Converts from each prefix of the basis to the other primes, and in the other direction.
    pub(super) fn base_conversions(&mut self, basis: &Basis) -> Check {
        for cut in 1..basis.len() {
            let (head, rest) = (basis.prefix(cut), basis.select(cut..basis.len()));
            for (src, dst) in [(&head, &rest), (&rest, &head)] {
                let plan = BaseConversionPlan::new(src, dst);
                for (i, style) in STYLES.into_iter().enumerate() {
                    let (to, from) = (layouts(1 + i % 2)[i % 3], layouts(1 + i % 2)[(i + 2) % 3]);
                    let (mut x, out) = (self.host(src, from, style), self.host(dst, to, Style::Random));
                    if style == Style::Max {
                        // y_i = d_i - 1 for every limb: the largest possible sums
                        for p in 0..from.polys {
                            for limb in 0..src.len() {
                                let (m, w) = (src.modulus(limb), plan.conv.hat_inverse[limb]);
                                x.limb(p, limb).fill(m.neg(m.inv(w).unwrap_or(1)));
                            }
                        }
                    }
                    let case = format!("{} to {}, {style:?}", describe(src), describe(dst));
                    self.compare("base_convert", &case, std::slice::from_ref(&x), &out, |b, s, d| {
                        b.base_convert(out.view_mut(d), x.view(&s[0]), &plan)
                    })?;
                }
            }
        }
        Ok(())
    }
}

/// Ring degree of the basis and numbers of bits of its primes.
pub(super) fn describe(basis: &Basis) -> String {
    let bits: Vec<u32> = basis.primes().iter().map(|p| p.modulus().bits()).collect();
    format!("N = {}, bits {bits:?}", basis.n())
}
