//! How much memory launches read and write: each kernel reads what it has to once.

use ringjet_backend::plan::{DivisionPlan, ModUpPlan};
use ringjet_backend::{Backend, KeySwitch, KeySwitchInput};
use ringjet_cuda::{Arithmetic, Bytes, CudaBackend, Traffic};
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
    let b = CudaBackend::emulated().with_arithmetic(Arithmetic::U64Below61);
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
