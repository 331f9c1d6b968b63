//! Products of big coefficients by digits (`kernels/digits.cuh`), in rings that have columns: the
//! words of the processor's backend, and those of big integers where the rounding is close.

use num_bigint::BigInt;
use ringjet_backend::big::{BigFactor, BigMul};
use ringjet_backend::plan::{CrtJoinPlan, CrtSplitPlan};
use ringjet_backend::{Backend, Buf};
use ringjet_cpu::{CpuBackend, CpuConfig};
use ringjet_cuda::{Arithmetic, CudaBackend};
use ringjet_math::big::{shift_round, to_words, top_mask, words};
use ringjet_math::{Basis, prime::ntt_primes};

/// Polynomials of integers modulo `2^bits`: random ones, but every 16th coefficient is extreme.
fn integers(b: &dyn Backend, polys: usize, n: usize, bits: u32, mut seed: u64) -> Buf {
    let (count, low) = (words(bits), (1u64 << 52) - 1);
    let mut buf = b.alloc(polys * count, n).unwrap();
    for limb in 0..polys * count {
        let highest = limb % count + 1 == count;
        let mask = if highest { top_mask(bits) } else { low };
        let sign = if highest { 1 << ((bits - 1) % 52) } else { 0 };
        let word = |c: usize| {
            seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            match c % 64 {
                0 => 0,            // 0
                16 => mask,        // -1
                32 => sign,        // the smallest
                48 => mask ^ sign, // the largest
                _ => seed >> 12 & mask,
            }
        };
        b.upload(&mut buf, limb, &(0..n).map(word).collect::<Vec<_>>()).unwrap();
    }
    buf
}

fn downloaded(b: &dyn Backend, buf: &Buf) -> Vec<u64> {
    let mut all = vec![0; buf.limbs() * buf.n()];
    b.download(buf, 0, &mut all).unwrap();
    all
}

/// Bits of the first factors, of the second ones, and those that are divided out; bits of a prime.
type Case = (u32, u32, u32, u32);

/// The results of all kinds of products: of two ciphertexts, a square, a product with a prepared
/// factor, one with a polynomial, and a sum of many products.
fn results(b: &dyn Backend, log_n: u32, (left, right, shift, prime): Case) -> Vec<Vec<u64>> {
    let n = 1 << log_n;
    let limbs = (left.max(right) + right + log_n + 6).div_ceil(prime - 1) as usize;
    let basis = Basis::new(log_n, &ntt_primes(log_n, prime, limbs, &[]).unwrap()).unwrap();
    let (split, other) = (CrtSplitPlan::new(&basis, left), CrtSplitPlan::new(&basis, right));
    let (x, y) = (integers(b, 2, n, left, 1), integers(b, 2, n, right, 2));
    let add = integers(b, 2, n, left, 3);
    // prepared for more primes than the products have
    let more = Basis::new(log_n, &ntt_primes(log_n, prime, limbs + 8, &[]).unwrap()).unwrap();
    let prepared = b.big_prepare(y.view(2), &CrtSplitPlan::new(&more, right)).unwrap();
    assert_eq!(prepared.limbs(), b.big_prepared_limbs(2, &more, right));
    let join = CrtJoinPlan::new(&basis, left + shift);
    let tensor: &[&[(usize, usize)]] = &[&[(0, 0)], &[(0, 1), (1, 0)], &[(1, 1)]];
    let single: &[&[(usize, usize)]] = &[&[(0, 0)], &[(0, 1)]];
    let many: &[&[(usize, usize)]] = &[&[(0, 0), (1, 1), (0, 1), (1, 0), (0, 0), (1, 1), (0, 1), (1, 0), (1, 1)]];
    let kinds = [
        (BigFactor::Integers(y.view(2), &other), tensor, None),
        (BigFactor::Same, tensor, Some(add.view(2))),
        (BigFactor::Prepared(prepared.view(2), right), single, Some(add.view(2))),
        (BigFactor::Prepared(prepared.view(2), right), many, None),
        (BigFactor::Integers(y.view(2).slice(1, 1), &other), &[&[(0, 0)], &[(1, 0)]], Some(add.view(2).slice(1, 1))),
    ];
    kinds
        .into_iter()
        .filter(|(factor, ..)| !matches!(factor, BigFactor::Same) || left <= right)
        .map(|(factor, sums, add)| {
            let mut out = b.alloc(sums.len() * words(left), n).unwrap();
            let mul = BigMul { left: x.view(2), split: &split, right: factor, sums, join: &join, shift, add };
            b.big_mul(out.view_mut(sums.len()), &mul).unwrap();
            downloaded(b, &out)
        })
        .collect()
}

fn agrees(a: Arithmetic, log_n: u32, case: Case) {
    let (cuda, cpu) = (CudaBackend::emulated().with_arithmetic(a), CpuBackend::new(CpuConfig::default()).unwrap());
    let (found, expected) = (results(&cuda, log_n, case), results(&cpu, log_n, case));
    for (kind, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let wrong = found.iter().zip(expected).position(|(f, e)| f != e);
        assert_eq!(wrong, None, "{a}, N = 2^{log_n}, {case:?}, kind {kind}: the first wrong word");
    }
}

/// From one digit to eight, with digits that are full and such that have one bit, with few bits and
/// with many divided out, and none.
const CASES: [Case; 10] = [
    (30, 30, 0, 50),
    (60, 40, 30, 50),
    (306, 306, 52, 50),
    (307, 300, 0, 50),
    (300, 613, 306, 50),
    (613, 613, 1, 50),
    (1200, 1200, 0, 50),
    (1170, 2400, 1200, 50),
    (240, 2400, 1199, 50),
    (2400, 4800, 2400, 50),
];

#[test]
fn products_in_double_precision() {
    CASES.into_iter().for_each(|case| agrees(Arithmetic::F64, 10, case));
    agrees(Arithmetic::F64, 10, (300, 613, 306, 30));
    agrees(Arithmetic::F64, 10, (300, 613, 306, 40)); // integers of more pieces
}

#[test]
fn products_in_integers() {
    for case in [CASES[1], CASES[7]] {
        agrees(Arithmetic::U64Below50, 10, case);
        agrees(Arithmetic::U64Below50, 10, (case.0, case.1, case.2, 40));
        agrees(Arithmetic::U64Below61, 10, case);
        agrees(Arithmetic::U64Below61, 10, (case.0, case.1, case.2, 61));
        agrees(Arithmetic::U64Below61, 10, (case.0, case.1, case.2, 56));
    }
}

/// One and two rounds of columns; [`products_at_full_size`] has three.
#[test]
fn products_in_rings_of_several_rows() {
    for log_n in [11, 12, 14] {
        agrees(Arithmetic::F64, log_n, (100, 340, 200, 50));
    }
}

/// Two rings with the same primes, and primes of different sizes, on one backend: constants are not
/// mixed up, and tiles fit.
#[test]
fn products_in_several_rings_on_one_backend() {
    let (cuda, cpu) = (CudaBackend::emulated(), CpuBackend::new(CpuConfig::default()).unwrap());
    let square = |b: &dyn Backend, log_n: u32, primes: &[u64], bits: u32| {
        let basis = Basis::new(log_n, primes).unwrap();
        let x = integers(b, 1, basis.n(), bits, 5);
        let (split, join) = (CrtSplitPlan::new(&basis, bits), CrtJoinPlan::new(&basis, bits));
        let mut out = b.alloc(words(bits), basis.n()).unwrap();
        let (left, right, sums): (_, _, &[&[(usize, usize)]]) = (x.view(1), BigFactor::Same, &[&[(0, 0)]]);
        let mul = BigMul { left, split: &split, right, sums, join: &join, shift: 0, add: None };
        b.big_mul(out.view_mut(1), &mul).unwrap();
        downloaded(b, &out)
    };
    let primes = |bits, count| ntt_primes(12, bits, count, &[]).unwrap();
    let mixed = [primes(61, 1), primes(45, 14)].concat();
    for (primes, bits) in [(primes(50, 3), 50), (mixed, 306)] {
        for log_n in [12, 11, 10] {
            assert!(
                square(&cuda, log_n, &primes, bits) == square(&cpu, log_n, &primes, bits),
                "2^{log_n}, {bits} bits"
            );
        }
    }
}

#[test]
#[ignore = "minutes: make test-full"]
fn products_at_full_size() {
    for case in [CASES[6], CASES[7]] {
        agrees(Arithmetic::F64, 16, case);
    }
    for log_n in 11..=17 {
        agrees(Arithmetic::F64, log_n, (100, 340, 200, 50));
    }
}

/// Blocks with less shared memory have smaller tiles.
#[test]
fn products_with_less_shared_memory() {
    let case = (300, 613, 306, 50);
    let expected = results(&CpuBackend::new(CpuConfig::default()).unwrap(), 11, case);
    for kilobytes in [99, 48] {
        assert!(results(&CudaBackend::emulated_with_shared(kilobytes << 10), 11, case) == expected, "{kilobytes} KB");
    }
}

/// Multiplies `2^a` by `2^b * sign + small` plus a multiple of `2^(b+1)` in each coefficient, with the
/// shift a + b + 1: each product differs by `2^a * small` from a value where the rounding changes.
/// Returns how many launches wrote the result.
fn at_boundary(arithmetic: Arithmetic, [a, b]: [u32; 2], sign: i64, small: i64) -> usize {
    const LOG_N: u32 = 10;
    const BITS: u32 = 1200;
    const KEPT: u32 = 300;
    let (n, shift, one) = (1 << LOG_N, a + b + 1, BigInt::from(1));
    let basis = Basis::new(LOG_N, &ntt_primes(LOG_N, 50, 50, &[]).unwrap()).unwrap();
    let backend = CudaBackend::emulated().with_arithmetic(arithmetic);
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
    backend.record_traffic(true);
    backend.big_mul(out.view_mut(1), &mul).unwrap();
    let found = downloaded(&backend, &out);
    for (c, expected) in expected.iter().enumerate() {
        let found: Vec<u64> = found.chunks_exact(n).map(|row| row[c]).collect();
        assert_eq!(&found, expected, "{arithmetic} 2^{a} (2^{b} {sign} + {small})");
    }
    let traffic = backend.take_traffic();
    traffic.iter().filter(|t| t.kernel.starts_with("join_columns") && t.limbs.written > 0).count()
}

#[test]
fn what_is_left_out_is_computed_where_it_matters() {
    for (arithmetic, signs) in [(Arithmetic::F64, &[1, -1][..]), (Arithmetic::U64Below61, &[-1])] {
        for &sign in signs {
            for small in [0, 1, -1] {
                for place in [[100, 519], [3, 800]] {
                    assert_eq!(at_boundary(arithmetic, place, sign, small), 2, "{arithmetic} {place:?} {sign} {small}");
                }
            }
            // far enough from that value
            assert_eq!(at_boundary(arithmetic, [600, 19], sign, 1), 1, "{arithmetic} {sign}");
        }
    }
}
