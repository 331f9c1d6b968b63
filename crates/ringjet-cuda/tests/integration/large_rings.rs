//! Key switches with an automorphism, and divisions, in rings of every number of rows. Their kernels
//! have more rounds and barriers in large rings than in those of the conformance suite, which would
//! take too long there on the emulator.

use ringjet_backend::plan::{AutomorphismPlan, DivisionPlan, Domain, ModUpPlan};
use ringjet_backend::{Backend, Buf, KeySwitch, KeySwitchInput};
use ringjet_cpu::{CpuBackend, CpuConfig};
use ringjet_cuda::{Arithmetic, CudaBackend};
use ringjet_math::{Basis, prime::ntt_primes};

/// Residues that a generator makes from `seed`, for each limb of `polys` polynomials over `basis`.
pub fn residues(b: &dyn Backend, basis: &Basis, polys: usize, mut seed: u64) -> Buf {
    let mut buf = b.alloc(polys * basis.len(), basis.n()).unwrap();
    for limb in 0..polys * basis.len() {
        let q = basis.modulus(limb % basis.len()).value();
        let mut next = || {
            seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            ((u128::from(seed) * u128::from(q)) >> 64) as u64
        };
        let words: Vec<u64> = (0..basis.n()).map(|_| next()).collect();
        b.upload(&mut buf, limb, &words).unwrap();
    }
    buf
}

/// Two polynomials switched at once, with two addends each and an automorphism; and a division, with
/// an addend for one of two polynomials.
fn words(b: &dyn Backend, log_n: u32, bits: u32) -> Vec<u64> {
    let primes = ntt_primes(log_n, bits, 5, &[]).unwrap();
    let basis = |of: &[u64]| Basis::new(log_n, of).unwrap();
    let (special, chain) = (basis(&primes[..2]), basis(&primes[2..]));
    let up = ModUpPlan::new(&special, &chain, 2);
    let down = DivisionPlan::new(&up.extended, &[0, 1]);
    let turn = AutomorphismPlan::new(log_n, 25, Domain::Evaluation);
    let (n, q) = (chain.n(), chain.len());
    let (x, add, key) =
        (residues(b, &chain, 2, 1), residues(b, &chain, 4, 2), residues(b, &up.extended, 2 * up.beta(), 3));
    let mut switched = b.alloc(4 * q, n).unwrap();
    let switch = KeySwitch {
        input: KeySwitchInput::Polynomial(x.view(2)),
        key: key.view(2 * up.beta()),
        mod_up: &up,
        division: &down,
        add: Some(add.view(4)),
        automorphism: Some(&turn),
    };
    b.key_switch(switched.view_mut(4), &switch).unwrap();
    let rescale = DivisionPlan::new(&chain, &[q - 1]);
    let mut rescaled = b.alloc(2 * (q - 1), n).unwrap();
    let addend = add.view(4).poly(0).prefix(q - 1);
    b.divide_round(rescaled.view_mut(2), switched.view(4).slice(0, 2), &rescale, Some(addend)).unwrap();
    let mut all = vec![0; (4 * q + 2 * (q - 1)) * n];
    let (first, second) = all.split_at_mut(4 * q * n);
    b.download(&switched, 0, first).unwrap();
    b.download(&rescaled, 0, second).unwrap();
    all
}

fn agrees(a: Arithmetic, log_ns: impl IntoIterator<Item = u32>) {
    let (cuda, cpu) = (CudaBackend::emulated().with_arithmetic(a), CpuBackend::new(CpuConfig::default()).unwrap());
    for log_n in log_ns {
        let bits = a.bits().min(60);
        assert!(words(&cuda, log_n, bits) == words(&cpu, log_n, bits), "{a}, N = 2^{log_n}");
    }
}

#[test]
fn key_switches_in_double_precision() {
    agrees(Arithmetic::F64, [9, 10, 12, 14, 16]);
}

#[test]
#[ignore = "minutes: make test-full"]
fn key_switches_in_every_ring() {
    Arithmetic::ALL.into_iter().for_each(|a| agrees(a, 9..=17));
}

#[test]
fn key_switches_in_integers() {
    for a in Arithmetic::ALL.into_iter().filter(|&a| a != Arithmetic::F64) {
        agrees(a, [9, 13]);
    }
}
