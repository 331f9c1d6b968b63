//! Compares every function of every variant with big integers, bit for bit.

use super::common::{Random, big, coefficients, modulo, setups, variants};
use num_bigint::{BigInt, BigUint};
use ringjet_papers::multiplication::avx::Instructions;
use ringjet_papers::multiplication::integers::Integers;
use ringjet_papers::multiplication::lines::{Matrix, words};
use ringjet_papers::multiplication::setup::Prime;

#[test]
fn crt_gives_remainders() {
    let mut random = Random::from_seed();
    for setup in setups() {
        let inputs = [
            random.integers(setup.n(), setup.log_q),
            random.integers(setup.n(), 2 * setup.log_big_q),
            Random::greatest(setup.n(), 2 * setup.log_big_q),
        ];
        for (system, input) in setup.systems.iter().flat_map(|s| inputs.iter().map(move |i| (s, i))) {
            let count = Instructions::default();
            for variant in variants(&setup, &count) {
                for threads in [1, 2, 3] {
                    let mut rows = Matrix::new(system.count, setup.n());
                    variant.crt(system, input, &mut rows, threads);
                    for (j, prime) in setup.primes[..system.count].iter().enumerate() {
                        let expected: Vec<BigUint> =
                            (0..setup.n()).map(|i| big(input.get(i)) % prime.modulus.value()).collect();
                        assert!(
                            words(rows.row(j)).iter().zip(&expected).all(|(&x, e)| BigUint::from(x) == *e),
                            "{}",
                            variant.name()
                        );
                    }
                }
            }
        }
    }
}

/// The values of the polynomial `x` at odd powers of psi, the table's primitive 2N-th root of
/// unity. The order is that of Algorithm 3 of Jung et al., "HEAAN Demystified": value i is at
/// psi^(2 * brv(i) + 1), where brv reverses the bits of i.
fn values(prime: &Prime, x: &[u64]) -> Vec<BigUint> {
    let (n, p) = (x.len(), BigUint::from(prime.modulus.value()));
    // The factor of the first stage is psi^(N/2); the first factor of the last stage is psi.
    let psi = BigUint::from(words(&prime.roots.values)[n / 2]);
    assert_eq!(psi.modpow(&BigUint::from(n), &p), &p - 1u32);
    (0..n)
        .map(|i| {
            let exponent = 2 * (i.reverse_bits() >> (usize::BITS - n.ilog2())) + 1;
            let at = psi.modpow(&BigUint::from(exponent), &p);
            x.iter().rev().fold(BigUint::ZERO, |sum, &c| (sum * &at + c) % &p)
        })
        .collect()
}

#[test]
fn transforms_evaluate_and_interpolate() {
    let mut random = Random::from_seed();
    for setup in setups() {
        // All positions are evaluated by Horner's rule, so larger rings test few primes only.
        let primes = &setup.primes[..if setup.log_n > 5 { 2 } else { setup.primes.len() }];
        let input = random.residues(primes, setup.n());
        let expected: Vec<_> = primes.iter().enumerate().map(|(j, p)| values(p, words(input.row(j)))).collect();
        let count = Instructions::default();
        for variant in variants(&setup, &count) {
            for threads in [1, 2, 3] {
                let mut rows = input.clone();
                variant.ntt(&setup.primes, &mut rows, threads);
                for (j, expected) in expected.iter().enumerate() {
                    assert!(
                        words(rows.row(j)).iter().zip(expected).all(|(&x, e)| BigUint::from(x) == *e),
                        "{}",
                        variant.name()
                    );
                }
                variant.intt(&setup.primes, &mut rows, threads);
                assert!(rows == input, "{}", variant.name());
                // The inverse must accept any values, so it is also tested on random ones.
                let mut back = input.clone();
                variant.intt(&setup.primes, &mut back, threads);
                for (j, prime) in primes.iter().enumerate().take(1) {
                    let again = values(prime, words(back.row(j)));
                    assert!(
                        words(input.row(j)).iter().zip(&again).all(|(&x, e)| BigUint::from(x) == *e),
                        "{}",
                        variant.name()
                    );
                }
            }
        }
    }
}

#[test]
fn transforms_of_extremes_agree_with_the_scalar_ones() {
    for setup in setups() {
        let count = Instructions::default();
        let mut expected: Option<[Matrix; 2]> = None;
        for variant in variants(&setup, &count) {
            let mut greatest = Matrix::new(setup.primes.len(), setup.n());
            for (row, prime) in greatest.iter_mut().zip(&setup.primes) {
                ringjet_papers::multiplication::lines::words_mut(row).fill(prime.modulus.value() - 1);
            }
            let mut both = [greatest.clone(), greatest];
            variant.ntt(&setup.primes, &mut both[0], 1);
            variant.intt(&setup.primes, &mut both[1], 1);
            assert!(expected.get_or_insert_with(|| both.clone()) == &both, "{}", variant.name());
        }
    }
}

/// The result of iCRT by the definition of the Chinese remainder theorem.
fn reconstructed(primes: &[Prime], rows: &Matrix, i: usize, bits: u32) -> BigInt {
    let product: BigUint = primes.iter().map(|p| p.modulus.value()).product();
    let mut sum = BigUint::ZERO;
    for (j, prime) in primes.iter().enumerate() {
        let p = BigUint::from(prime.modulus.value());
        let others = &product / &p;
        let inverse = others.modpow(&(&p - 2u32), &p);
        sum += (words(rows.row(j))[i] * inverse % &p) * others;
    }
    let least = BigInt::from(sum % &product);
    let half = BigInt::from(&product >> 1u32);
    modulo(&if least > half { least - BigInt::from(product) } else { least }, bits)
}

#[test]
fn icrt_reconstructs() {
    let mut random = Random::from_seed();
    for setup in setups() {
        for (system, bits) in setup.systems.iter().zip([setup.log_q, setup.log_q + setup.log_big_q]) {
            let primes = &setup.primes[..system.count];
            let input = random.residues(primes, setup.n());
            let expected: Vec<BigInt> = (0..setup.n()).map(|i| reconstructed(primes, &input, i, bits)).collect();
            let count = Instructions::default();
            for variant in variants(&setup, &count) {
                for threads in [1, 2, 3] {
                    let mut out = Integers::new(setup.n(), bits);
                    let mut temp = variant.temp(system, setup.n());
                    variant.icrt(system, &setup.primes, &input, &mut temp, &mut out, threads);
                    assert!(coefficients(&out) == expected, "{}, {threads} threads", variant.name());
                }
            }
        }
    }
}
