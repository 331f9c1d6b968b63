//! How much memory launches read and write: each kernel reads what it has to once.

use ringjet_backend::big::digits::Digits;
use ringjet_backend::big::{BigFactor, BigMul};
use ringjet_backend::plan::{CrtJoinPlan, CrtSplitPlan, DivisionPlan, ModUpPlan};
use ringjet_backend::{Backend, KeySwitch, KeySwitchInput};
use ringjet_cuda::{Arithmetic, Bytes, CudaBackend, Traffic};
use ringjet_math::big::{top_mask, words};
use ringjet_math::{Basis, prime::ntt_primes};

use crate::launches::zeros;

const LOG_N: u32 = 10;
const LIMB: u64 = 8 << LOG_N;

/// Bytes of constants of the arithmetic for primes below 2^61: a modulus, a factor, and `Transform` in
/// `kernels/ntt.cuh`.
const MODULUS: u64 = 64;
const CONSTANT: u64 = 16;
const TRANSFORM: u64 = 16 + CONSTANT;

/// The launches of a key switch of `count` polynomials, with two added for each, with `q` ciphertext
/// primes and `p` special ones.
fn key_switch(q: usize, p: usize, count: usize) -> Vec<Traffic> {
    let primes = ntt_primes(LOG_N, 50, q + p, &[]).unwrap();
    let basis = |of: &[u64]| Basis::new(LOG_N, of).unwrap();
    let (special, chain, n) = (basis(&primes[..p]), basis(&primes[p..]), 1 << LOG_N);
    let up = ModUpPlan::new(&special, &chain, p);
    let down = DivisionPlan::new(&up.extended, &(0..p).collect::<Vec<_>>());
    // with one multiprocessor, conversions are not split, so each source limb is read once
    let b = CudaBackend::emulated_with_multiprocessors(1).with_arithmetic(Arithmetic::U64Below61);
    let (input, add) = (zeros(&b, count * q, n), zeros(&b, 2 * count * q, n));
    let key = zeros(&b, 2 * up.beta() * (q + p), n);
    let mut switched = zeros(&b, 2 * count * q, n);
    let switch = KeySwitch {
        input: KeySwitchInput::Polynomial(input.view(count)),
        key: key.view(2 * up.beta()),
        mod_up: &up,
        division: &down,
        add: Some(add.view(2 * count)),
        automorphism: None,
    };
    b.record_traffic(true);
    b.key_switch(switched.view_mut(2 * count), &switch).unwrap();
    let traffic = b.take_traffic();
    assert_eq!(b.take_traffic(), []);
    b.record_traffic(false);
    b.key_switch(switched.view_mut(2 * count), &switch).unwrap();
    assert_eq!(b.take_traffic(), []);
    traffic
}

/// Name of a launch, limbs that it reads and writes, and limbs that it reads again.
type Expected = (&'static str, u64, u64, u64);

fn check(traffic: &[Traffic], expected: &[Expected]) {
    let found = traffic.iter().map(|t| (t.kernel, t.limbs)).collect::<Vec<_>>();
    let limbs = |&(name, read, written, again): &Expected| {
        let (read, written, all_read) = (LIMB * read, LIMB * written, LIMB * (read + again));
        (name, Bytes { read, written, all_read, all_written: written })
    };
    assert_eq!(found, expected.iter().map(limbs).collect::<Vec<_>>());
}

#[test]
fn a_key_switch_reads_and_writes_each_word_once() {
    for (q, p, count) in [(5usize, 2, 1), (4, 2, 3), (2, 2, 2)] {
        let (digits, extended, each) = (q.div_ceil(p), q + p, count as u64);
        let (converted, pairs) = ((digits * extended - q) as u64, 2 * each);
        let key = (2 * digits * extended) as u64;
        let [q64, p64, extended] = [q, p, extended].map(|x| x as u64);
        let traffic = key_switch(q, p, count);
        check(
            &traffic,
            &[
                ("intt_rows_u64below61", each * q64, each * q64, 0),
                ("intt_columns_u64below61", each * q64, each * q64, 0),
                ("convert_columns_u64below61", each * q64, each * converted, 0),
                // the digits with the own limbs, the key, and what is added; the key for each polynomial
                (
                    "rows_product_u64below61",
                    each * (converted + q64) + key + pairs * q64,
                    pairs * extended,
                    (each - 1) * key,
                ),
                ("intt_rows_u64below61", pairs * p64, pairs * p64, 0),
                ("intt_columns_u64below61", pairs * p64, pairs * p64, 0),
                ("convert_columns_u64below61", pairs * p64, pairs * q64, 0),
                ("rows_finish_u64below61", pairs * 2 * q64, pairs * q64, 0),
            ],
        );
        // For each limb a modulus and the addresses and the scale of its transform; the rows read the
        // whole table of roots and powers, the columns of two rows one root. They read them for each
        // polynomial again.
        let (limb, table) = (MODULUS + TRANSFORM, (256 + 64) * CONSTANT);
        assert_eq!(traffic[0].constants.read, q64 * (limb + table));
        assert_eq!(traffic[1].constants.read, q64 * (limb + CONSTANT));
        assert_eq!(traffic[7].constants.read, q64 * (limb + table + CONSTANT + 16));
        assert!(traffic.iter().all(|t| t.constants.written == 0 && t.constants.all_read >= each * t.constants.read));
    }
}

/// A product of one polynomial of integers modulo 2^600 with a prepared factor modulo 2^1200, as in a
/// key switch: each integer and each residue once, and a word that says whether what was left out
/// matters. The second run of products reads that word only.
#[test]
fn a_product_of_big_coefficients_reads_and_writes_each_word_once() {
    const BITS: u32 = 600;
    let (n, limbs) = (1 << LOG_N, 40);
    let basis = Basis::new(LOG_N, &ntt_primes(LOG_N, 50, limbs, &[]).unwrap()).unwrap();
    let (split, other) = (CrtSplitPlan::new(&basis, BITS), CrtSplitPlan::new(&basis, 2 * BITS));
    let join = CrtJoinPlan::new(&basis, 2 * BITS);
    let b = CudaBackend::emulated().with_arithmetic(Arithmetic::U64Below61);
    let own = words(BITS);
    // random words: no product is near a value where the rounding changes
    let mut seed = 1u64;
    let mut big = |polys: usize, bits: u32| {
        let (count, mut buf) = (words(bits), zeros(&b, polys * words(bits), n));
        for limb in 0..polys * count {
            let mask = if limb % count + 1 == count { top_mask(bits) } else { (1 << 52) - 1 };
            let word = |_| {
                seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                seed >> 12 & mask
            };
            b.upload(&mut buf, limb, &(0..n).map(word).collect::<Vec<_>>()).unwrap();
        }
        buf
    };
    let (x, add, key) = (big(1, BITS), big(2, BITS), big(2, 2 * BITS));
    let key = b.big_prepare(key.view(2), &other).unwrap();
    let mul = BigMul {
        left: x.view(1),
        split: &split,
        right: BigFactor::Prepared(key.view(2), 2 * BITS),
        sums: &[&[(0, 0)], &[(0, 1)]],
        join: &join,
        shift: BITS,
        add: Some(add.view(2)),
    };
    let mut out = zeros(&b, 2 * own, n);
    b.record_traffic(true);
    b.big_mul(out.view_mut(2), &mul).unwrap();
    let traffic = b.take_traffic();
    let bits = [BITS, 2 * BITS];
    let rounded = Digits::new(&mul, bits).unwrap().rounded(&mul, bits).unwrap();
    let (primes, digits, weights) = (rounded.primes, rounded.counts[0], rounded.weights.len());
    assert_eq!((primes, digits, weights), (13, 2, 4));
    let (inputs, named, sums) = (digits * primes, 2 * rounded.named().len() * primes, 2 * weights * primes);
    let expected = [
        ("split_columns_u64below61", own, inputs, [0, 0]),
        ("digit_products_u64below61", inputs + named, sums, [0, 1]),
        ("join_columns_u64below61", sums + 2 * own, 2 * own, [0, 0]),
        ("digit_products_u64below61", 0, 0, [1, 0]),
        ("join_columns_u64below61", 0, 0, [1, 0]),
    ]
    .map(|(name, read, written, flag): (_, usize, usize, [u64; 2])| {
        (name, LIMB * read as u64 + 8 * flag[0], LIMB * written as u64 + 8 * flag[1])
    });
    let found: Vec<_> = traffic.iter().map(|t| (t.kernel, t.limbs.read, t.limbs.written)).collect();
    assert_eq!(found, expected);
}
