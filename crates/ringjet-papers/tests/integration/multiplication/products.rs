//! Compares whole multiplications with big integers, bit for bit.

use super::common::{Random, coefficients, kronecker, modulo, schoolbook, setups, variants};
use num_bigint::BigInt;
use ringjet_papers::multiplication::avx::Instructions;
use ringjet_papers::multiplication::integers::Integers;
use ringjet_papers::multiplication::multiply::{Ciphertext, Key, Multiplication, Workspace};
use ringjet_papers::multiplication::setup::Setup;

/// The product by its definition: the product with the key is taken modulo q * Q and then shifted
/// down by log Q bits.
fn expected(setup: &Setup, key: &[Integers; 2], x: &Ciphertext, y: &Ciphertext) -> [Vec<BigInt>; 2] {
    let (q, widest) = (setup.log_q, setup.log_q.max(2 * setup.log_big_q));
    let product = |a: &[BigInt], b: &[BigInt]| {
        let fast = kronecker(a, b, widest);
        assert!(setup.log_n > 6 || fast == schoolbook(a, b));
        fast
    };
    let [xa, xb, ya, yb] = [&x.ax, &x.bx, &y.ax, &y.bx].map(coefficients);
    let [aa, ab, ba, bb] = [(&xa, &ya), (&xa, &yb), (&xb, &ya), (&xb, &yb)].map(|(a, b)| product(a, b));
    let aa: Vec<BigInt> = aa.iter().map(|c| modulo(c, q)).collect();
    let [switched_a, switched_b] = key.each_ref().map(|key| {
        let product = product(&aa, &coefficients(key));
        product.iter().map(|c| modulo(c, q + setup.log_big_q) >> setup.log_big_q).collect::<Vec<BigInt>>()
    });
    let mixed = ab.iter().zip(&ba).map(|(a, b)| a + b);
    [
        switched_a.iter().zip(mixed).map(|(s, m)| modulo(&(s + m), q)).collect(),
        switched_b.iter().zip(&bb).map(|(s, m)| modulo(&(s + m), q)).collect(),
    ]
}

fn check(setup: &Setup, key: &[Integers; 2], x: &Ciphertext, y: &Ciphertext) {
    let expected = expected(setup, key, x, y);
    let count = Instructions::default();
    for variant in variants(setup, &count) {
        let key = Key::new(setup, &*variant, &key[0], &key[1]);
        let mut memory = Workspace::new(setup, &*variant);
        let mut out = x.clone();
        // Multiplies several times in the same memory, which may not affect the results.
        for threads in [2, 1, 3] {
            let times = Multiplication { setup, variant: &*variant, threads }.run(&key, x, y, &mut memory, &mut out);
            assert!(times.total() > 0.0);
            assert!(
                [&out.ax, &out.bx].map(coefficients) == expected,
                "{}, N = 2^{}, {threads} threads",
                variant.name(),
                setup.log_n
            );
        }
    }
}

#[test]
fn random_ciphertexts() {
    let mut random = Random::from_seed();
    for setup in setups() {
        let (n, log_q, log_big_q) = (setup.n(), setup.log_q, setup.log_big_q);
        let key = [(); 2].map(|_| random.integers(n, 2 * log_big_q));
        let [x, y] = [(); 2].map(|_| Ciphertext { ax: random.integers(n, log_q), bx: random.integers(n, log_q) });
        check(&setup, &key, &x, &y);
    }
}

#[test]
fn greatest_coefficients() {
    for setup in setups() {
        let (log_q, log_big_q) = (setup.log_q, setup.log_big_q);
        let greatest = |bits| Random::greatest(setup.n(), bits);
        let key = [(); 2].map(|_| greatest(2 * log_big_q));
        let x = Ciphertext { ax: greatest(log_q), bx: greatest(log_q) };
        check(&setup, &key, &x, &x);
    }
}
