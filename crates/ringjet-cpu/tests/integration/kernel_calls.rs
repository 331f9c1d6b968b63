//! Checks that `CpuBackend::kernel_calls` equals a formula of the shapes for each operation, on
//! every path and with any number of threads. Values do not matter: all buffers hold zeros.

use ringjet_backend::plan::{AutomorphismPlan, BaseConversionPlan, DivisionPlan, Domain, ModUpPlan};
use ringjet_backend::{
    Backend, Buf, Coeff, Gemm, KeySwitch, KeySwitchInput, RotateFactor, RotateSum, RotateTerm, Rotation, Term, View,
};
use ringjet_cpu::blocking::FUSED_DIGITS;
use ringjet_cpu::{CpuBackend, CpuConfig, KernelCalls, Path};
use ringjet_math::Basis;
use ringjet_math::prime::ntt_primes;

/// No calls.
const NONE: KernelCalls = KernelCalls { ntt: 0, intt: 0, base_conversion: 0, products: 0, automorphisms: 0 };

fn ntt(limbs: usize) -> KernelCalls {
    KernelCalls { ntt: limbs as u64, ..NONE }
}

fn intt(limbs: usize) -> KernelCalls {
    KernelCalls { intt: limbs as u64, ..NONE }
}

fn conversion(pairs: usize) -> KernelCalls {
    KernelCalls { base_conversion: pairs as u64, ..NONE }
}

fn products(limbs: usize) -> KernelCalls {
    KernelCalls { products: limbs as u64, ..NONE }
}

fn automorphisms(limbs: usize) -> KernelCalls {
    KernelCalls { automorphisms: limbs as u64, ..NONE }
}

/// The shape of a decomposition: numbers of bits of the primes, the special ones first, and numbers
/// of limbs of the digits.
struct Shape {
    log_n: u32,
    p: Vec<u32>,
    q: Vec<u32>,
    digits: Vec<usize>,
}

impl Shape {
    /// Number of limbs of Q.
    fn limbs(&self) -> usize {
        self.q.len()
    }

    /// Number of limbs of P ++ Q.
    fn extended(&self) -> usize {
        self.p.len() + self.q.len()
    }

    fn beta(&self) -> usize {
        self.digits.len()
    }

    /// The primes of P ++ Q, and two further primes.
    fn primes(&self) -> Basis {
        let mut primes = vec![];
        for &bits in self.p.iter().chain(&self.q).chain(&[50, 50]) {
            let next = ntt_primes(self.log_n, bits, 1, &primes).unwrap();
            primes.extend(next);
        }
        Basis::new(self.log_n, &primes).unwrap()
    }

    fn plan(&self) -> ModUpPlan {
        let (all, special) = (self.primes(), self.p.len());
        ModUpPlan::grouped(&all.select(0..special), &all.select(special..self.extended()), &self.digits)
    }

    fn mod_up(&self) -> KernelCalls {
        let own_and_others = |&len: &usize| (len, self.extended() - len);
        let others = self.digits.iter().map(own_and_others);
        intt(self.limbs())
            + ntt(others.clone().map(|(_, others)| others).sum())
            + conversion(others.map(|(own, others)| own * others).sum())
    }

    fn inner_product(&self) -> KernelCalls {
        products(2 * self.beta() * self.extended())
    }

    /// Divisions of P ++ Q, each with the numbers of primes that leave, stay and enter: by P, and
    /// by P and one or two more primes, while other primes may enter.
    fn divisions(&self) -> Vec<(DivisionPlan, Division)> {
        let (all, special, extended) = (self.primes(), self.p.len(), self.extended());
        let from = all.select(0..extended);
        let mut divisions = vec![];
        for (gone, entering) in [(0, 0), (1, 0), (2, 0), (1, 1), (2, 1), (0, 1), (1, 2)] {
            for first in [false, true] {
                let (stay, enter) = (special..extended - gone, extended..extended + entering);
                if gone > self.limbs() || stay.len() + entering == 0 || entering == 0 && first {
                    continue;
                }
                let to: Vec<usize> = if first { enter.chain(stay).collect() } else { stay.chain(enter).collect() };
                let plan = DivisionPlan::rational(&from, &all.select(to));
                let only_p = gone == 0 && entering == 0;
                let shape = Division { drop: special + gone, stay: self.limbs() - gone, enter: entering, only_p };
                divisions.push((plan, shape));
            }
        }
        divisions
    }
}

/// The numbers of primes that leave, stay and enter in a division.
#[derive(Debug, Clone, Copy)]
struct Division {
    drop: usize,
    stay: usize,
    enter: usize,
    /// Whether exactly the special primes leave and none enters.
    only_p: bool,
}

impl Division {
    fn kept(self) -> usize {
        self.stay + self.enter
    }

    /// The expected calls for the division of `polys` polynomials.
    fn calls(self, polys: usize) -> KernelCalls {
        intt(polys * self.drop)
            + conversion(polys * self.drop * self.kept())
            + ntt(polys * self.kept())
            + products(polys * self.stay)
    }
}

fn shapes() -> Vec<Shape> {
    let bits = |bits: u32, count: usize| vec![bits; count];
    vec![
        Shape { log_n: 10, p: bits(50, 3), q: bits(50, 7), digits: vec![3, 3, 1] },
        // primes with and without IFMA in one basis
        Shape { log_n: 11, p: vec![60, 50], q: vec![60, 50, 40, 60, 50], digits: vec![2, 2, 1] },
        Shape { log_n: 12, p: bits(50, 2), q: bits(45, 4), digits: vec![1, 3] },
        Shape { log_n: 10, p: bits(50, 1), q: bits(40, 1), digits: vec![1] },
        // conversions from more limbs than the vector kernels take
        Shape { log_n: 10, p: bits(50, 13), q: bits(50, 14), digits: vec![12, 2] },
        // more digits than a fused key switch takes, and as many as it takes
        Shape { log_n: 10, p: bits(50, 1), q: bits(45, FUSED_DIGITS + 1), digits: vec![1; FUSED_DIGITS + 1] },
        Shape { log_n: 10, p: bits(50, 2), q: bits(45, FUSED_DIGITS + 1), digits: [vec![2], vec![1; 15]].concat() },
        // a ring smaller than a tile, and too small for the vector kernels' transforms
        Shape { log_n: 7, p: bits(50, 2), q: bits(50, 3), digits: vec![2, 1] },
    ]
}

/// Backends with every path that this machine has, with one and with several threads, among which
/// work is divided differently.
fn backends() -> Vec<CpuBackend> {
    let paths = Path::usable();
    let configs =
        paths.map(|path| CpuConfig { threads: 1, path: Some(path) }).chain([CpuConfig { threads: 3, path: None }]);
    configs.map(|config| CpuBackend::new(config).unwrap()).collect()
}

/// A buffer of `limbs` limbs of zeros.
fn zeros(b: &CpuBackend, limbs: usize, n: usize) -> Buf {
    let mut buf = b.alloc(limbs, n).unwrap();
    b.upload(&mut buf, 0, &vec![0; limbs * n]).unwrap();
    buf
}

/// Checks that `f` makes exactly the calls `expected`.
fn expect(b: &CpuBackend, case: &str, expected: KernelCalls, f: impl FnOnce() -> ringjet_backend::Result<()>) {
    b.reset_counters();
    assert_eq!(b.kernel_calls(), NONE);
    f().unwrap();
    assert_eq!(b.kernel_calls(), expected, "{case}, {} with {} threads", b.id().name(), b.threads());
}

/// Calls `f` for each backend and each shape.
fn each(f: impl Fn(&CpuBackend, &Shape)) {
    for b in backends() {
        shapes().iter().for_each(|shape| f(&b, shape));
    }
}

#[test]
fn transforms_and_required_operations() {
    each(|b, s| {
        let (basis, n, limbs) = (s.plan().src, 1 << s.log_n, s.limbs());
        let (mut x, y) = (zeros(b, 3 * limbs, n), zeros(b, 3 * limbs, n));
        expect(b, "ntt", ntt(3 * limbs), || b.ntt(x.view_mut(3), &basis));
        expect(b, "intt", intt(3 * limbs), || b.intt(x.view_mut(3), &basis));
        for domain in [Domain::Coefficient, Domain::Evaluation] {
            let plan = AutomorphismPlan::new(s.log_n, 5, domain);
            let expected = automorphisms(3 * limbs);
            expect(b, "automorphism", expected, || b.automorphism(x.view_mut(3), y.view(3), &basis, &plan));
        }
        for accumulate in [false, true] {
            let (x, y, one) = (x.view_mut(3), y.view(3), y.view(3).poly(1));
            expect(b, "mul", products(3 * limbs), || b.mul(x, y, one, &basis, accumulate));
        }
        expect(b, "copy", NONE, || b.copy(x.view_mut(3), y.view(3)));
    });
}

#[test]
fn linear_combinations() {
    each(|b, s| {
        let (basis, n, limbs) = (s.plan().src, 1 << s.log_n, s.limbs());
        let (mut x, y) = (zeros(b, 2 * limbs, n), zeros(b, 2 * limbs, n));
        let constants = vec![1; limbs];
        let (c, plus, minus) = (Coeff::PerLimb(&constants), Coeff::One, Coeff::MinusOne);
        for (coeffs, multiplied) in
            [(vec![], 0), (vec![plus, minus], 0), (vec![c], 1), (vec![plus, c, minus, c], 2), (vec![c; 30], 30)]
        {
            let terms: Vec<Term<'_>> = coeffs.iter().map(|&c| (c, y.view(2))).collect();
            for accumulate in [false, true] {
                let case = format!("lincomb of {} terms", terms.len());
                let expected = products(2 * limbs * multiplied);
                expect(b, &case, expected, || b.lincomb(x.view_mut(2), &terms, &basis, accumulate));
            }
        }
    });
}

#[test]
fn matrices() {
    each(|b, s| {
        let (basis, n, limbs) = (s.plan().src, 1 << s.log_n, s.limbs());
        let (mut rows, y) = ([(); 5].map(|()| zeros(b, 2 * limbs, n)), zeros(b, 2 * limbs, n));
        let src = [y.view(2); 3];
        let gemm = Gemm { src: &src, weights: &[-3; 15], factors: &vec![1; 5 * limbs], constants: &[] };
        let mut views = rows.each_mut().map(|row| row.view_mut(2));
        expect(b, "gemm", products(2 * limbs * 15), || b.gemm(&mut views, &gemm, &basis, true));
    });
}

#[test]
fn class_products() {
    each(|b, s| {
        let (basis, n, limbs) = (s.plan().src, 1 << s.log_n, s.limbs());
        let (mut rows, x) = ([(); 4].map(|()| zeros(b, 2 * limbs, n)), zeros(b, 2 * limbs, n));
        let (left, right) = ([x.view(2); 4], [x.view(2).poly(0); 4]);
        let mut views = rows.each_mut().map(|row| row.view_mut(2));
        expect(b, "class_products", products(2 * limbs * 16), || b.class_products(&mut views, &left, &right, &basis));
    });
}

#[test]
fn base_conversions() {
    each(|b, s| {
        let plan = s.plan();
        for (from, to) in [(s.limbs(), s.p.len()), (s.p.len(), s.limbs())] {
            let (special, q) = (plan.extended.select(0..s.p.len()), &plan.src);
            let (src, dst) = if from == q.len() { (q, &special) } else { (&special, q) };
            let conv = BaseConversionPlan::new(src, dst);
            let (x, mut y) = (zeros(b, 2 * src.len(), src.n()), zeros(b, 2 * dst.len(), src.n()));
            let expected = conversion(2 * from * to);
            expect(b, "base_convert", expected, || b.base_convert(y.view_mut(2), x.view(2), &conv));
        }
    });
}

#[test]
fn sums_of_products() {
    each(|b, s| {
        let (basis, n, limbs) = (s.plan().src, 1 << s.log_n, s.limbs());
        let (mut x, y) = (zeros(b, 3 * limbs, n), zeros(b, 2 * limbs, n));
        expect(b, "tensor", products(4 * limbs), || b.tensor(x.view_mut(3), y.view(2), y.view(2), &basis));
        for pairs in [0, 1, 5, 40] {
            let terms: Vec<(View<'_>, View<'_>)> = vec![(y.view(2), y.view(2).poly(0)); pairs];
            for accumulate in [false, true] {
                let (x, expected) = (x.view_mut(3).slice(0, 2), products(2 * pairs * limbs));
                expect(b, "mul_acc", expected, || b.mul_acc(x, &terms, &basis, accumulate));
            }
        }
    });
}

#[test]
fn digits_and_inner_products() {
    each(|b, s| {
        let (plan, n, beta) = (s.plan(), 1 << s.log_n, s.beta());
        let src = zeros(b, s.limbs(), n);
        let mut digits = zeros(b, beta * s.extended(), n);
        expect(b, "mod_up", s.mod_up(), || b.mod_up(digits.view_mut(beta), src.view(1), &plan));
        let (mut acc, key) = (zeros(b, 2 * s.extended(), n), zeros(b, 2 * beta * s.extended(), n));
        expect(b, "key_inner_product", s.inner_product(), || {
            b.key_inner_product(acc.view_mut(2), digits.view(beta), key.view(2 * beta), &plan.extended)
        });
    });
}

/// The expected calls for the addend of a key switch. It is multiplied by P, unless the switch is
/// fused and P is the divisor.
fn addend(s: &Shape, division: Division, polys: usize) -> KernelCalls {
    let multiplied = !division.only_p || s.beta() > FUSED_DIGITS;
    products(if multiplied { polys * s.limbs() } else { 0 })
}

#[test]
fn key_switches() {
    each(|b, s| {
        let (plan, n, beta) = (s.plan(), 1 << s.log_n, s.beta());
        let (src, digits) = (zeros(b, s.limbs(), n), zeros(b, beta * s.extended(), n));
        let (key, add) = (zeros(b, 2 * beta * s.extended(), n), zeros(b, 2 * s.limbs(), n));
        let galois = AutomorphismPlan::new(s.log_n, 5, Domain::Evaluation);
        for (division, shape) in s.divisions() {
            let mut dst = zeros(b, 2 * shape.kept(), n);
            for (from_digits, added, turned) in (0..12).map(|i| (i % 2 == 1, i / 2 % 3, i / 6 == 1)) {
                let source = if from_digits { NONE } else { s.mod_up() };
                let end = if turned { automorphisms(2 * shape.kept()) } else { NONE };
                let expected = source + s.inner_product() + addend(s, shape, added) + shape.calls(2) + end;
                let switch = KeySwitch {
                    input: if from_digits {
                        KeySwitchInput::Digits(digits.view(beta))
                    } else {
                        KeySwitchInput::Polynomial(src.view(1))
                    },
                    key: key.view(2 * beta),
                    mod_up: &plan,
                    division: &division,
                    add: (added > 0).then(|| add.view(2).slice(0, added)),
                    automorphism: turned.then_some(&galois),
                };
                let case = format!("key_switch, {shape:?}, from digits {from_digits}, add {added}, turned {turned}");
                expect(b, &case, expected, || b.key_switch(dst.view_mut(2), &switch));
            }
        }
    });
}

#[test]
fn rounded_divisions() {
    each(|b, s| {
        let n = 1 << s.log_n;
        for (division, shape) in s.divisions() {
            for (polys, added) in [(1, 0), (2, 0), (2, 1), (3, 3)] {
                let (src, mut dst) = (zeros(b, polys * s.extended(), n), zeros(b, polys * shape.kept(), n));
                let add = zeros(b, added * shape.kept(), n);
                let case = format!("divide_round, {shape:?}, {polys} polynomials, {added} to add");
                expect(b, &case, shape.calls(polys), || {
                    let add = (added > 0).then(|| add.view(added));
                    b.divide_round(dst.view_mut(polys), src.view(polys), &division, add)
                });
            }
        }
    });
}

#[test]
fn rotations_into_a_sum() {
    each(|b, s| {
        let (plan, n, beta) = (s.plan(), 1 << s.log_n, s.beta());
        let (src, add) = (zeros(b, s.limbs(), n), zeros(b, s.extended(), n));
        let (key, mut dst) = (zeros(b, 2 * beta * s.extended(), n), zeros(b, 2 * s.extended(), n));
        let automorphism = &AutomorphismPlan::new(s.log_n, 5, Domain::Evaluation);
        let rotation = Rotation { mod_up: &plan, key: key.view(2 * beta), automorphism, add: add.view(1) };
        let expected = s.mod_up() + s.inner_product() + automorphisms(2 * s.extended());
        for accumulate in [false, true] {
            expect(b, "rotate_into", expected, || b.rotate_into(dst.view_mut(2), src.view(1), &rotation, accumulate));
        }
    });
}

#[test]
fn sums_of_rotations() {
    each(|b, s| {
        let (basis, n, beta, limbs) = (s.plan().extended, 1 << s.log_n, s.beta(), s.extended());
        let (digits, add) = (zeros(b, beta * limbs, n), zeros(b, 2 * limbs, n));
        let key = zeros(b, 2 * beta * limbs, n);
        let (full, few) = (zeros(b, limbs, n), zeros(b, limbs, n / 4));
        let (none, one) = (RotateFactor::None, RotateFactor::One);
        let (full, few) = (RotateFactor::Poly(full.view(1)), RotateFactor::Poly(few.view(1)));
        let plans = [5, 25].map(|g| AutomorphismPlan::new(s.log_n, g, Domain::Evaluation));
        let (key, turn) = (Some(key.view(2 * beta)), plans.each_ref().map(Some));
        let factors =
            [[none, one, full, few], [full, none, few, one], [few, full, one, none], [none; 4], [full; 4], [few; 4]];
        // whether a term has a key and an automorphism, and which of `factors` it has
        let kinds = [(true, true, 0), (false, true, 1), (true, false, 2), (false, false, 3), (true, true, 3)];
        let more = [(false, false, 4), (true, true, 5), (false, true, 0), (true, false, 4)];
        let all: Vec<_> = kinds.iter().chain(&more).copied().collect();
        let some = [vec![], all[..1].to_vec(), all[1..2].to_vec(), all[3..4].to_vec(), all[4..5].to_vec(), all];
        for kinds in some {
            for sums in [1, 4] {
                let mut dst = zeros(b, 2 * sums * limbs, n);
                let terms: Vec<RotateTerm<'_>> = (kinds.iter().enumerate())
                    .map(|(i, &(keyed, turned, by))| RotateTerm {
                        key: key.filter(|_| keyed),
                        automorphism: turn[i % 2].filter(|_| turned),
                        factors: &factors[by][..sums],
                    })
                    .collect();
                let poly = |f: &&RotateFactor<'_>| matches!(f, RotateFactor::Poly(_));
                let multiplied: usize = terms.iter().map(|t| t.factors.iter().filter(poly).count()).sum();
                let keyed = kinds.iter().filter(|k| k.0).count();
                let turned = kinds.iter().filter(|k| k.1).count();
                let expected = products(2 * limbs * (beta * keyed + multiplied)) + automorphisms(2 * limbs * turned);
                let sum = RotateSum { digits: digits.view(beta), add: add.view(2), terms: &terms };
                for accumulate in [false, true] {
                    let case = format!("hoisted_rotate_sum, {kinds:?}, {sums} sums");
                    expect(b, &case, expected, || {
                        b.hoisted_rotate_sum(dst.view_mut(2 * sums), &sum, &basis, accumulate)
                    });
                }
            }
        }
    });
}

/// Checks that limbs of rings of different degrees are counted alike.
#[test]
fn different_rings_on_one_backend() {
    for b in backends() {
        let bases = [7, 10, 12].map(|log_n| Basis::new(log_n, &ntt_primes(12, 50, 2, &[]).unwrap()).unwrap());
        expect(&b, "three rings", ntt(6), || {
            bases.iter().try_for_each(|basis| b.ntt(zeros(&b, 2, basis.n()).view_mut(1), basis))
        });
    }
}
