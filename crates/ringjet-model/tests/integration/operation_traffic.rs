//! For each operation alone, the model's calls and traffic equal the CPU backend's counters
//! exactly. Some cases occur in no program of the library: several polynomials or sums of products
//! in one key switch, primes that enter in a division, and more digits than a fused key switch
//! supports.

use ringjet_backend::plan::{
    AutomorphismPlan, BaseConversionPlan, CrtJoinPlan, CrtSplitPlan, DivisionPlan, Domain, ModUpPlan,
};
use ringjet_backend::{
    Backend, Buf, Coeff, Gemm, HoistedRotations, KeySwitch, KeySwitchInput, Result, RotateFactor, RotateSum,
    RotateTerm, Rotation,
};
use ringjet_cpu::blocking::FUSED_DIGITS;
use ringjet_cpu::{CpuBackend, CpuConfig};
use ringjet_math::Basis;
use ringjet_math::prime::ntt_primes;
use ringjet_model::CountingBackend;

use crate::counters::assert_same;

/// A ring, and a decomposition of Q with special primes P. After the primes of Q come two primes
/// that may enter in a division.
struct Shape {
    log_n: u32,
    special: usize,
    q: usize,
    alpha: usize,
}

impl Shape {
    fn primes(&self) -> Basis {
        Basis::new(self.log_n, &ntt_primes(self.log_n, 45, self.special + self.q + 2, &[]).unwrap()).unwrap()
    }

    fn mod_up(&self) -> ModUpPlan {
        let all = self.primes();
        let extended = self.special + self.q;
        ModUpPlan::new(&all.prefix(self.special), &all.select(self.special..extended), self.alpha)
    }

    /// Divisions by P, by P and the last prime of Q, and by P and the last prime of Q with an
    /// entering prime.
    fn divisions(&self) -> [DivisionPlan; 3] {
        let (all, extended) = (self.primes(), self.special + self.q);
        let from = all.prefix(extended);
        [(extended, vec![]), (extended - 1, vec![]), (extended - 1, vec![extended])].map(|(end, enter)| {
            let to = all.select((self.special..end).chain(enter));
            DivisionPlan::rational(&from, &to)
        })
    }
}

/// Two rings with one group of target primes, one with several groups, and one with more digits
/// than a fused key switch supports.
fn shapes() -> [Shape; 4] {
    [
        Shape { log_n: 10, special: 3, q: 7, alpha: 3 },
        Shape { log_n: 7, special: 2, q: 2, alpha: 2 },
        Shape { log_n: 8, special: 4, q: 46, alpha: 4 },
        Shape { log_n: 10, special: 1, q: FUSED_DIGITS + 1, alpha: 1 },
    ]
}

/// Runs an operation on the CPU, with one and with three threads, and on the counting backend.
/// `sizes` are the numbers of limbs of the buffers; the last buffer holds the result.
fn same(what: &str, log_n: u32, sizes: &[usize], run: impl Fn(&dyn Backend, &[Buf], &mut Buf) -> Result<()>) {
    let n = 1 << log_n;
    let zeros = |b: &dyn Backend| -> Vec<Buf> {
        let zero = |&limbs: &usize| {
            let mut buf = b.alloc(limbs, n).unwrap();
            b.upload(&mut buf, 0, &vec![0; limbs * n]).unwrap();
            buf
        };
        sizes.iter().map(zero).collect()
    };
    for threads in [1, 3] {
        let cpu = CpuBackend::new(CpuConfig { threads, path: None }).unwrap();
        let model = CountingBackend::default();
        let backends: [&dyn Backend; 2] = [&cpu, &model];
        for b in backends {
            let mut sources = zeros(b);
            let mut dst = sources.pop().unwrap();
            if b.computes() {
                cpu.reset_counters();
            }
            model.take();
            run(b, &sources, &mut dst).unwrap();
        }
        assert_same(&format!("{what}, N = 2^{log_n}, {threads} threads"), &cpu, &model.trace());
    }
}

#[test]
fn limb_by_limb() {
    for s in shapes() {
        let (basis, l, log_n) = (s.mod_up().src, s.q, s.log_n);
        same("ntt", log_n, &[2 * l], |b, _, x| b.ntt(x.view_mut(2), &basis));
        same("intt", log_n, &[2 * l], |b, _, x| b.intt(x.view_mut(2), &basis));
        let plan = AutomorphismPlan::new(log_n, 5, Domain::Evaluation);
        same("automorphism", log_n, &[2 * l, 2 * l], |b, src, dst| {
            b.automorphism(dst.view_mut(2), src[0].view(2), &basis, &plan)
        });
        same("tensor", log_n, &[2 * l, 2 * l, 3 * l], |b, src, dst| {
            b.tensor(dst.view_mut(3), src[0].view(2), src[1].view(2), &basis)
        });
        same("class_products", log_n, &[2 * l, l, 2 * l], |b, src, dst| {
            b.class_products(&mut [dst.view_mut(2)], &[src[0].view(2)], &[src[1].view(1)], &basis)
        });
        let constants = vec![3; l];
        for accumulate in [false, true] {
            same("lincomb", log_n, &[2 * l, 2 * l, 2 * l], |b, src, dst| {
                let terms = [(Coeff::PerLimb(&constants), src[0].view(2)), (Coeff::MinusOne, src[1].view(2))];
                b.lincomb(dst.view_mut(2), &terms, &basis, accumulate)
            });
            same("gemm", log_n, &[2 * l, 2 * l, 2 * l], |b, src, dst| {
                let src = [src[0].view(2), src[1].view(2)];
                let gemm = Gemm { src: &src, weights: &[7, -9], factors: &constants, constants: &[] };
                b.gemm(&mut [dst.view_mut(2)], &gemm, &basis, accumulate)
            });
            // one polynomial as the factor of both, then two
            for polys in [1, 2] {
                same("mul", log_n, &[2 * l, polys * l, 2 * l], |b, src, dst| {
                    b.mul(dst.view_mut(2), src[0].view(2), src[1].view(polys), &basis, accumulate)
                });
                same("mul_acc", log_n, &[2 * l, polys * l, 2 * l], |b, src, dst| {
                    let pairs = [(src[0].view(2), src[1].view(polys)); 3];
                    b.mul_acc(dst.view_mut(2), &pairs, &basis, accumulate)
                });
            }
        }
        let special = s.primes().prefix(s.special);
        let plan = BaseConversionPlan::new(&special, &basis);
        same("base_convert", log_n, &[2 * s.special, 2 * l], |b, src, dst| {
            // a base conversion alone calls no other counted kernel
            b.ntt(dst.view_mut(2), &basis)?;
            b.base_convert(dst.view_mut(2), src[0].view(2), &plan)
        });
    }
}

#[test]
fn key_switches() {
    for s in shapes() {
        let (up, log_n, l) = (s.mod_up(), s.log_n, s.q);
        let (beta, extended) = (up.beta(), s.special + s.q);
        let rotation = AutomorphismPlan::new(log_n, 5, Domain::Evaluation);
        same("mod_up", log_n, &[l, beta * extended], |b, src, dst| b.mod_up(dst.view_mut(beta), src[0].view(1), &up));
        same("key_inner_product", log_n, &[beta * extended, 2 * beta * extended, 2 * extended], |b, src, dst| {
            b.key_inner_product(dst.view_mut(2), src[0].view(beta), src[1].view(2 * beta), &up.extended)
        });
        for division in s.divisions() {
            let to = division.dst.len();
            for (polys, added) in [(1, 0), (2, 2), (3, 1)] {
                same("divide_round", log_n, &[polys * extended, added * to, polys * to], |b, src, dst| {
                    let add = (added > 0).then(|| src[1].view(added));
                    b.divide_round(dst.view_mut(polys), src[0].view(polys), &division, add)
                });
            }
            let key = 2 * beta * extended;
            for (count, added, turned) in [(1, 0, false), (1, 2, true), (3, 3, true), (2, 4, false)] {
                let run = |ready: bool| {
                    let input = if ready { count * beta * extended } else { count * l };
                    same("key_switch", log_n, &[input, key, added * l, 2 * count * to], |b, src, dst| {
                        let input = if ready {
                            KeySwitchInput::Digits(src[0].view(count * beta))
                        } else {
                            KeySwitchInput::Polynomial(src[0].view(count))
                        };
                        let switch = KeySwitch {
                            input,
                            key: src[1].view(2 * beta),
                            mod_up: &up,
                            division: &division,
                            add: (added > 0).then(|| src[2].view(added)),
                            automorphism: turned.then_some(&rotation),
                        };
                        b.key_switch(dst.view_mut(2 * count), &switch)
                    });
                };
                run(false);
                run(true);
            }
        }
    }
}

/// One sum of one product, then two sums, of one product and of three.
#[test]
fn key_switches_of_products() {
    for s in shapes() {
        let (up, l, [_, division, _]) = (s.mod_up(), s.q, s.divisions());
        let (beta, to) = (up.beta(), division.dst.len());
        let key = 2 * beta * (s.special + s.q);
        for (terms, added) in [(&[1][..], 0), (&[1], 2), (&[1, 3], 2), (&[1, 3], 4)] {
            let count = terms.len();
            same("key_switch", s.log_n, &[2 * l, key, added * l, 2 * count * to], |b, src, dst| {
                let x = src[0].view(2);
                let sums: Vec<Vec<_>> = terms.iter().map(|&terms| vec![(x, x); terms]).collect();
                let sums: Vec<&[_]> = sums.iter().map(|sum| &sum[..]).collect();
                let switch = KeySwitch {
                    input: KeySwitchInput::Products(&sums),
                    key: src[1].view(2 * beta),
                    mod_up: &up,
                    division: &division,
                    add: (added > 0).then(|| src[2].view(added)),
                    automorphism: None,
                };
                b.key_switch(dst.view_mut(2 * count), &switch)
            });
        }
    }
}

/// Includes a ring whose digits exceed the caches, so that rotations come in batches.
#[test]
fn rotations() {
    for s in shapes().into_iter().chain([Shape { log_n: 13, special: 4, q: 24, alpha: 4 }]) {
        let (up, log_n, l, [division, ..]) = (s.mod_up(), s.log_n, s.q, s.divisions());
        let (beta, extended, to) = (up.beta(), s.special + s.q, division.dst.len());
        let (digits, key) = (beta * extended, 2 * beta * extended);
        let plan = AutomorphismPlan::new(log_n, 5, Domain::Evaluation);
        for (count, added) in [(1, 1), (2, 2), (7, 1)] {
            same("hoisted_rotations", log_n, &[digits, key, added * l, count * 2 * to], |b, src, dst| {
                let rotations = vec![(src[1].view(2 * beta), &plan); count];
                let (digits, add) = (src[0].view(beta), src[2].view(added));
                let r = HoistedRotations { digits, mod_up: &up, division: &division, add, rotations: &rotations };
                let mut results: Vec<Buf> = (0..count).map(|_| b.alloc(2 * to, dst.n())).collect::<Result<_>>()?;
                let mut results: Vec<_> = results.iter_mut().map(|buf| buf.view_mut(2)).collect();
                b.hoisted_rotations(&mut results, &r)
            });
        }
        for accumulate in [false, true] {
            same("rotate_into", log_n, &[l, key, extended, 2 * extended], |b, src, dst| {
                let (key, add) = (src[1].view(2 * beta), src[2].view(1));
                let rotation = Rotation { mod_up: &up, key, automorphism: &plan, add };
                b.rotate_into(dst.view_mut(2), src[0].view(1), &rotation, accumulate)
            });
            // for each term: whether it has a key and whether it has an automorphism; each of the
            // two sums has factors
            for terms in [&[(true, true)][..], &[(true, false), (false, true), (true, true)]] {
                same(
                    "hoisted_rotate_sum",
                    log_n,
                    &[digits, key, 2 * extended, extended, 4 * extended],
                    |b, src, dst| {
                        let factors = [RotateFactor::Poly(src[3].view(1)), RotateFactor::One];
                        let term = |&(keyed, turned): &(bool, bool)| RotateTerm {
                            key: keyed.then(|| src[1].view(2 * beta)),
                            automorphism: turned.then_some(&plan),
                            factors: &factors,
                        };
                        let terms: Vec<RotateTerm<'_>> = terms.iter().map(term).collect();
                        let sum = RotateSum { digits: src[0].view(beta), add: src[2].view(2), terms: &terms };
                        b.hoisted_rotate_sum(dst.view_mut(4), &sum, &up.extended, accumulate)
                    },
                );
            }
        }
    }
}

/// Conversions of big coefficients; a counted transform runs beside each.
#[test]
fn big_coefficients() {
    let (log_n, bits, words) = (9, 600, ringjet_math::big::words(600));
    let basis = Basis::new(log_n, &ntt_primes(log_n, 50, 13, &[]).unwrap()).unwrap();
    let (split, join) = (CrtSplitPlan::new(&basis, bits), CrtJoinPlan::new(&basis, bits));
    same("crt_split", log_n, &[2 * words, 2 * 13], |b, src, dst| {
        b.crt_split(dst.view_mut(2), src[0].view(2), &split)?;
        b.ntt(dst.view_mut(2), &basis)
    });
    same("crt_join", log_n, &[2 * 13, 2 * words], |b, src, dst| {
        b.crt_join(dst.view_mut(2), src[0].view(2), &join)?;
        let mut other = b.alloc(13, dst.n())?;
        b.ntt(other.view_mut(1), &basis)
    });
    same("big_prepare", log_n, &[2 * words, 1], |b, src, _| b.big_prepare(src[0].view(2), &split).map(drop));
}
