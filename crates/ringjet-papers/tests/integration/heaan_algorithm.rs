//! The model's counts of HEAAN's functions against counts of the algorithms, run on a small ring.
//! Algorithms and tables are those of Jung et al., "HEAAN Demystified".

use num_bigint::{BigInt, BigUint};
use ringjet_math::{Modulus, ntt::minimal_root, prime::ntt_primes};
use ringjet_papers::heaan::{Function, Half, Operations, Residues, Shape};

const LOG_N: u32 = 3;
const N: usize = 1 << LOG_N;
const LOG_Q: u32 = 130;

/// The words of a number, lowest first.
fn words(x: &BigUint, count: usize) -> Vec<u64> {
    let mut words = x.to_u64_digits();
    assert!(words.len() <= count);
    words.resize(count, 0);
    words
}

fn pow(base: u64, mut exponent: u64, p: u64) -> u64 {
    let (mut base, mut result) = (base, 1);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = product(result, base, p);
        }
        base = product(base, base, p);
        exponent >>= 1;
    }
    result
}

fn product(a: u64, b: u64, p: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(p)) as u64
}

/// Counts the arithmetic of the functions that it runs.
#[derive(Default)]
struct Counted(Operations);

impl Counted {
    fn modular(&mut self, a: u64, b: u64, p: u64) -> u64 {
        self.0.modular += 1;
        product(a, b, p)
    }

    fn add(&mut self, a: u64, b: u64, p: u64) -> u64 {
        self.0.additions += 1;
        (a + b) % p
    }

    fn sub(&mut self, a: u64, b: u64, p: u64) -> u64 {
        self.0.additions += 1;
        (a + p - b) % p
    }

    fn accumulate(&mut self, sum: &mut u128, a: u64, b: u64) {
        self.0.multiplications += 1;
        self.0.carries += 1;
        *sum = sum.checked_add(u128::from(a) * u128::from(b)).expect("sums fit two words");
    }

    /// Algorithm 1 modulo one prime. The paper counts the reduction as one modular multiplication.
    fn crt(&mut self, x: &[Vec<u64>], p: u64) -> Vec<u64> {
        let powers: Vec<u64> = (0..x[0].len() as u64).map(|k| pow(pow(2, 64, p), k, p)).collect();
        let residue = |c: &mut Self, coefficient: &Vec<u64>| {
            let mut sum = 0;
            coefficient.iter().zip(&powers).for_each(|(&a, &power)| c.accumulate(&mut sum, a, power));
            c.0.modular += 1;
            (sum % u128::from(p)) as u64
        };
        x.iter().map(|coefficient| residue(self, coefficient)).collect()
    }

    /// Algorithm 3 modulo one prime, with powers of psi in bit-reversed order; psi is a primitive
    /// 2N-th root of unity.
    fn ntt(&mut self, x: &mut [u64], psi: u64, p: u64) {
        let (mut groups, mut width) = (1, N / 2);
        while groups < N {
            for j in 0..groups {
                let w = pow(psi, reversed(groups + j), p);
                for k in 2 * j * width..(2 * j + 1) * width {
                    let u = self.modular(x[k + width], w, p);
                    (x[k], x[k + width]) = (self.add(x[k], u, p), self.sub(x[k], u, p));
                }
            }
            (groups, width) = (2 * groups, width / 2);
        }
    }

    /// The inverse transform, with the division by N at the end.
    fn intt(&mut self, x: &mut [u64], psi: u64, p: u64) {
        let inverse = pow(psi, p - 2, p);
        let (mut groups, mut width) = (N / 2, 1);
        while groups > 0 {
            for j in 0..groups {
                let w = pow(inverse, reversed(groups + j), p);
                for k in 2 * j * width..(2 * j + 1) * width {
                    let difference = self.sub(x[k], x[k + width], p);
                    (x[k], x[k + width]) = (self.add(x[k], x[k + width], p), self.modular(difference, w, p));
                }
            }
            (groups, width) = (groups / 2, 2 * width);
        }
        let scale = pow(N as u64, p - 2, p);
        x.iter_mut().for_each(|a| *a = self.modular(*a, scale, p));
    }

    /// Algorithm 6 for one coefficient, without the final reduction.
    fn icrt(&mut self, residues: &[u64], primes: &[u64], product_limbs: usize) -> BigUint {
        let all: BigUint = primes.iter().map(|&p| BigUint::from(p)).product();
        let (mut temp, mut table) = (Vec::new(), Vec::new());
        for (&residue, &p) in residues.iter().zip(primes) {
            let others = &all / p;
            let inverse = pow((&others % p).try_into().unwrap(), p - 2, p);
            temp.push(self.modular(residue, inverse, p));
            table.push(words(&others, product_limbs));
        }
        let mut sum = BigUint::ZERO;
        for k in 0..product_limbs {
            let mut small = 0;
            temp.iter().zip(&table).for_each(|(&t, words)| self.accumulate(&mut small, t, words[k]));
            sum += BigUint::from(small) << (64 * k);
        }
        sum % all
    }
}

/// Reverses the bits of an index.
fn reversed(index: usize) -> u64 {
    (index as u64).reverse_bits() >> (64 - LOG_N)
}

fn negacyclic(a: &[BigUint], b: &[BigUint]) -> Vec<BigInt> {
    let mut result = vec![BigInt::ZERO; N];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            let term = BigInt::from(x * y);
            if i + j < N { result[i + j] += term } else { result[i + j - N] -= term }
        }
    }
    result
}

fn scaled(operations: Operations, residues: &Residues, function: Function, polynomials: u64) {
    let model = residues.operations(function);
    let expected = [model.multiplications, model.modular, model.carries, model.additions].map(|n| n * polynomials);
    let counted = [operations.multiplications, operations.modular, operations.carries, operations.additions];
    assert_eq!(counted, expected, "{}", function.name());
}

/// The widest product of the first half, `(a + b) * (c + d)`, with the largest possible
/// coefficients.
#[test]
fn a_product_is_right_and_costs_what_the_model_says() {
    let region = Shape::new(LOG_N, LOG_Q, LOG_Q, 57, 64).unwrap().region(Half::Tensor);
    let residues = region.residues;
    let primes = ntt_primes(LOG_N, 58, residues.primes as usize, &[]).unwrap();
    let roots: Vec<u64> = primes.iter().map(|&p| minimal_root(&Modulus::new(p).unwrap(), LOG_N).unwrap()).collect();
    let largest = (BigUint::from(1u32) << LOG_Q) - 1u32;
    let other: Vec<BigUint> = (0..N).map(|i| &largest / (i as u32 + 1)).collect();
    let factors = [vec![largest.clone(); N], vec![largest.clone(); N], vec![largest; N], other];

    let mut counts: [Counted; 4] = Default::default();
    let mut products = Vec::new();
    for (&p, &psi) in primes.iter().zip(&roots) {
        let transformed = factors.each_ref().map(|factor| {
            let limbs: Vec<_> = factor.iter().map(|x| words(x, residues.limbs as usize)).collect();
            let mut x = counts[0].crt(&limbs, p);
            counts[1].ntt(&mut x, psi, p);
            x
        });
        let [a, b, c, d] = &transformed;
        let mut x: Vec<u64> = (0..N).map(|i| product((a[i] + b[i]) % p, (c[i] + d[i]) % p, p)).collect();
        counts[2].intt(&mut x, psi, p);
        products.push(x);
    }
    let all: BigUint = primes.iter().map(|&p| BigUint::from(p)).product();
    let sum = |a: &[BigUint], b: &[BigUint]| a.iter().zip(b).map(|(a, b)| a + b).collect::<Vec<_>>();
    let expected = negacyclic(&sum(&factors[0], &factors[1]), &sum(&factors[2], &factors[3]));
    for (i, expected) in expected.iter().enumerate() {
        let column: Vec<u64> = products.iter().map(|x| x[i]).collect();
        let found = counts[3].icrt(&column, &primes, residues.product_limbs as usize);
        let centred = if &found * 2u32 > all { BigInt::from(found) - BigInt::from(all.clone()) } else { found.into() };
        assert_eq!(&centred, expected, "coefficient {i}");
        assert!(expected.bits() < region.bound_bits);
    }

    let [crt, ntt, intt, mut icrt] = counts.map(|c| c.0);
    scaled(crt, &residues, Function::Crt, region.forward);
    scaled(ntt, &residues, Function::Ntt, region.forward);
    scaled(intt, &residues, Function::Intt, 1);
    // The second modular multiplication of Table IV, which Algorithms 5 and 6 do not show.
    icrt.modular += residues.primes * N as u64;
    scaled(icrt, &residues, Function::Icrt, 1);
}
