//! Operations with more operands than the list of one launch holds (`List` in
//! `kernels/device.cuh`), or than one launch computes at a time. Results are compared with those of
//! the reference backend, and launches are counted, so that each case really takes several.

use ringjet_backend::plan::{AutomorphismPlan, DivisionPlan, Domain, ModUpPlan};
use ringjet_backend::{
    Backend, Buf, Coeff, HoistedRotations, KeySwitch, KeySwitchInput, Reference, RotateFactor, RotateSum, RotateTerm,
    Term, View, ViewMut,
};
use ringjet_cuda::{Arithmetic, CudaBackend};
use ringjet_math::{Basis, prime::ntt_primes};

use crate::large_rings::residues;

const LOG_N: u32 = 4;

fn bases(bits: u32) -> [Basis; 3] {
    let primes = ntt_primes(LOG_N, bits, 5, &[]).unwrap();
    [&primes[..2], &primes[2..], &primes[..]].map(|of| Basis::new(LOG_N, of).unwrap())
}

fn words(b: &dyn Backend, buf: &Buf) -> Vec<u64> {
    let mut out = vec![0; buf.limbs() * buf.n()];
    b.download(buf, 0, &mut out).unwrap();
    out
}

/// What `run` writes on the emulator is what it writes on the reference backend, in at least
/// `launches` launches.
fn compare(launches: u64, run: impl Fn(&dyn Backend, u32) -> Vec<u64>) {
    for a in [Arithmetic::F64, Arithmetic::U64Below50, Arithmetic::F64Below48, Arithmetic::U32] {
        let cuda = CudaBackend::emulated().with_arithmetic(a);
        let found = run(&cuda, a.bits());
        assert!(found == run(&Reference::default(), a.bits()), "{a}");
        assert!(cuda.launches() >= launches, "{a}: {} launches", cuda.launches());
    }
}

#[test]
fn linear_combinations_of_many_terms() {
    compare(4, |b, bits| {
        let [.., basis] = bases(bits);
        let x = residues(b, &basis, 2, 1);
        let factors: Vec<Vec<u64>> = (1..=90).map(|t| basis.values().map(|q| q - t).collect()).collect();
        let terms: Vec<Term<'_>> = factors.iter().map(|f| (Coeff::PerLimb(f), x.view(2))).collect();
        let constant: Vec<u64> = basis.values().map(|q| q - 1).collect();
        let mut sum = residues(b, &basis, 2, 2);
        b.lincomb(sum.view_mut(2), &terms, &basis, true).unwrap();
        let mut with_constant = residues(b, &basis, 2, 3);
        b.affine(with_constant.view_mut(2), &terms, &constant, &basis).unwrap();
        [words(b, &sum), words(b, &with_constant)].concat()
    });
}

#[test]
fn sums_of_many_products() {
    compare(2, |b, bits| {
        let [.., basis] = bases(bits);
        let (x, y) = (residues(b, &basis, 2, 1), residues(b, &basis, 2, 2));
        let mut sum = residues(b, &basis, 2, 3);
        b.mul_acc(sum.view_mut(2), &vec![(x.view(2), y.view(2)); 100], &basis, true).unwrap();
        words(b, &sum)
    });
}

#[test]
fn relinearised_sums_of_many_products() {
    // the second pair of sums does not fit one launch, so they are switched one after the other
    compare(30, |b, bits| {
        let [special, chain, _] = bases(bits);
        let up = ModUpPlan::new(&special, &chain, 2);
        let down = DivisionPlan::new(&up.extended, &[0, 1]);
        let (x, y) = (residues(b, &chain, 2, 1), residues(b, &chain, 2, 2));
        let (key, add) = (residues(b, &up.extended, 2 * up.beta(), 3), residues(b, &chain, 4, 4));
        let (long, short) = (vec![(x.view(2), y.view(2)); 100], vec![(y.view(2), y.view(2)); 9]);
        let mut all = vec![];
        for sums in [[&short[..], &short[..2]], [&long[..], &short[..]]] {
            let switch = KeySwitch {
                input: KeySwitchInput::Products(&sums),
                key: key.view(2 * up.beta()),
                mod_up: &up,
                division: &down,
                add: Some(add.view(4)),
                automorphism: None,
            };
            let mut dst = b.alloc(4 * chain.len(), chain.n()).unwrap();
            b.key_switch(dst.view_mut(4), &switch).unwrap();
            all.extend(words(b, &dst));
        }
        all
    });
}

#[test]
fn many_sums_of_many_rotations() {
    // 40 terms of four sums take two launches, and of two more sums one; twice
    compare(6, |b, bits| {
        let [special, chain, _] = bases(bits);
        let up = ModUpPlan::new(&special, &chain, 2);
        let basis = &up.extended;
        let (digits, add) = (residues(b, basis, up.beta(), 1), residues(b, basis, 2, 2));
        let (key, by) = (residues(b, basis, 2 * up.beta(), 3), residues(b, basis, 6, 4));
        let plans: Vec<_> = (0..40).map(|i| AutomorphismPlan::new(LOG_N, 2 * i + 1, Domain::Evaluation)).collect();
        let poly = |g: usize| RotateFactor::Poly(by.view(6).poly(g));
        let factors = |i: usize| [poly(0), RotateFactor::None, poly(2), RotateFactor::One, poly(i % 6), poly(5)];
        let factors: Vec<_> = (0..plans.len()).map(factors).collect();
        let term = |i: usize| RotateTerm {
            key: (!i.is_multiple_of(5)).then(|| key.view(2 * up.beta())),
            automorphism: Some(&plans[i]),
            factors: &factors[i],
        };
        let terms: Vec<RotateTerm<'_>> = (0..plans.len()).map(term).collect();
        let sum = RotateSum { digits: digits.view(up.beta()), add: add.view(2), terms: &terms };
        let mut dst = residues(b, basis, 12, 5);
        b.hoisted_rotate_sum(dst.view_mut(12), &sum, basis, true).unwrap();
        let kept = words(b, &dst);
        b.hoisted_rotate_sum(dst.view_mut(12), &sum, basis, false).unwrap();
        [kept, words(b, &dst)].concat()
    });
}

#[test]
fn many_hoisted_rotations() {
    // products with keys and a division, for 8, 8 and 3 rotations
    compare(15, |b, bits| {
        let [special, chain, _] = bases(bits);
        let up = ModUpPlan::new(&special, &chain, 2);
        let down = DivisionPlan::new(&up.extended, &[0, 1]);
        let (digits, add) = (residues(b, &up.extended, up.beta(), 1), residues(b, &chain, 2, 2));
        let keys: Vec<Buf> = (0..3).map(|i| residues(b, &up.extended, 2 * up.beta(), 3 + i)).collect();
        let plans: Vec<_> = (0..19).map(|i| AutomorphismPlan::new(LOG_N, 2 * i + 1, Domain::Evaluation)).collect();
        let rotations: Vec<(View<'_>, &AutomorphismPlan)> =
            plans.iter().enumerate().map(|(i, plan)| (keys[i % 3].view(2 * up.beta()), plan)).collect();
        let mut bufs: Vec<Buf> = plans.iter().map(|_| b.alloc(2 * chain.len(), chain.n()).unwrap()).collect();
        let mut dst: Vec<ViewMut<'_>> = bufs.iter_mut().map(|buf| buf.view_mut(2)).collect();
        let hoisted = HoistedRotations {
            digits: digits.view(up.beta()),
            mod_up: &up,
            division: &down,
            add: add.view(2),
            rotations: &rotations,
        };
        b.hoisted_rotations(&mut dst, &hoisted).unwrap();
        bufs.iter().flat_map(|buf| words(b, buf)).collect()
    });
}
