//! Compares operations on big coefficients with arithmetic on big integers, on every path that this
//! machine has.

use num_bigint::BigInt;
use ringjet_backend::big::{BigFactor, BigMul, BigTerm, MAX_FACTOR};
use ringjet_backend::plan::{AutomorphismPlan, CrtJoinPlan, CrtSplitPlan, Domain};
use ringjet_backend::{Backend, Buf};
use ringjet_cpu::{CpuBackend, CpuConfig, Path};
use ringjet_math::Basis;
use ringjet_math::big::{from_words, shift_round, to_words, words};
use ringjet_math::prime::ntt_primes;

/// Numbers of bits of the integers, each with the log2 of the ring degree used with it.
const SHAPES: [(u32, u32); 9] =
    [(30, 3), (52, 4), (104, 5), (306, 4), (307, 4), (620, 6), (1200, 7), (1201, 4), (2400, 5)];
/// Numbers of bits of the primes, which select every form of the kernels.
const PRIMES: [u32; 5] = [40, 50, 56, 57, 61];

/// SplitMix64 (Steele, Lea and Flood 2014).
struct Rng(u64);

impl Rng {
    fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(limit)) >> 64) as u64
    }
}

fn backends() -> impl Iterator<Item = CpuBackend> {
    let paths = Path::usable();
    paths.map(|path| CpuBackend::new(CpuConfig { threads: 1, path: Some(path) }).unwrap())
}

/// A generator with a seed that is printed: RINGJET_SEED, or the time if it is not set.
fn rng() -> Rng {
    let now = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as u64;
    let seed = std::env::var("RINGJET_SEED").map_or_else(|_| now(), |seed| seed.parse().expect("a number"));
    println!("RINGJET_SEED={seed}");
    Rng::new(seed)
}

fn two(bits: u32) -> BigInt {
    BigInt::from(1) << bits
}

/// Centred integers of `bits` bits: random ones, and the extremes.
fn inputs(rng: &mut Rng, bits: u32, n: usize) -> Vec<Vec<BigInt>> {
    let random = (0..n).map(|_| from_words((0..words(bits)).map(|_| rng.next() >> 12), bits)).collect();
    let mut one_hot = vec![BigInt::ZERO; n];
    one_hot[rng.below(n as u64) as usize] = BigInt::from(if bits == 1 { -1 } else { 1 });
    let all = |x: BigInt| vec![x; n];
    vec![random, all(-two(bits - 1)), all(two(bits - 1) - 1), all((-1).into()), all(BigInt::ZERO), one_hot]
}

/// A buffer with the polynomials `polys` modulo `2^bits`.
fn upload(b: &CpuBackend, polys: &[&Vec<BigInt>], bits: u32) -> Buf {
    let (w, n) = (words(bits), polys[0].len());
    let mut data = vec![0; polys.len() * w * n];
    for (p, poly) in polys.iter().enumerate() {
        for (c, x) in poly.iter().enumerate() {
            for (k, word) in to_words(x, bits).into_iter().enumerate() {
                data[(p * w + k) * n + c] = word;
            }
        }
    }
    let mut buf = b.alloc(polys.len() * w, n).unwrap();
    b.upload(&mut buf, 0, &data).unwrap();
    buf
}

fn limbs(b: &CpuBackend, buf: &Buf) -> Vec<u64> {
    let mut data = vec![0; buf.limbs() * buf.n()];
    b.download(buf, 0, &mut data).unwrap();
    data
}

/// Checks that `buf` has exactly the words of the polynomials `polys` modulo `2^bits`.
fn check(b: &CpuBackend, buf: &Buf, polys: &[Vec<BigInt>], bits: u32, case: &str) {
    let expected = limbs(b, &upload(b, &polys.iter().collect::<Vec<_>>(), bits));
    assert!(limbs(b, buf) == expected, "{} {case}", b.id().name());
}

fn basis(log_n: u32, bits: u32, product_bits: u32) -> Basis {
    let count = product_bits.div_ceil(bits - 1).max(1) as usize;
    Basis::new(log_n, &ntt_primes(log_n, bits, count, &[]).unwrap()).unwrap()
}

#[test]
fn residues_of_integers_and_integers_of_residues() {
    let mut rng = rng();
    for (bits, log_n) in SHAPES {
        for prime in PRIMES {
            let basis = basis(log_n, prime, bits + 2);
            let (split, join) = (CrtSplitPlan::new(&basis, bits), CrtJoinPlan::new(&basis, bits));
            for x in inputs(&mut rng, bits, basis.n()) {
                let expected: Vec<u64> = basis
                    .values()
                    .flat_map(|p| x.iter().map(move |x| u64::try_from(((x % p) + p) % p).unwrap()))
                    .collect();
                for b in backends() {
                    let case = format!("{bits} bits, {} primes of {prime}", basis.len());
                    let mut residues = b.alloc(basis.len(), basis.n()).unwrap();
                    b.crt_split(residues.view_mut(1), upload(&b, &[&x], bits).view(1), &split).unwrap();
                    assert!(limbs(&b, &residues) == expected, "{} {case}", b.id().name());
                    let mut back = b.alloc(words(bits), basis.n()).unwrap();
                    b.crt_join(back.view_mut(1), residues.view(1), &join).unwrap();
                    check(&b, &back, std::slice::from_ref(&x), bits, &case);
                }
            }
        }
    }
}

/// Integers up to the bound of exactness, `(P/2) * (1 - 2^-40)`, reduced modulo other powers of
/// two.
#[test]
fn integers_of_residues_up_to_the_bound() {
    let mut rng = rng();
    for (prime, limbs) in [(50, 3), (50, 49), (50, 110), (57, 30), (57, 40), (61, 2), (61, 41), (61, 110)] {
        let basis = Basis::new(4, &ntt_primes(4, prime, limbs, &[]).unwrap()).unwrap();
        let product = BigInt::from(basis.product());
        let most: BigInt = (&product >> 1u32) - (&product >> 41u32) - 1;
        let x: Vec<BigInt> = (0..basis.n() as u64)
            .map(|c| match c {
                0 => most.clone(),
                1 => -&most,
                _ => &most * (rng.next() >> 1) / (1u64 << 63) * if c % 2 == 0 { 1 } else { -1 },
            })
            .collect();
        let data: Vec<u64> =
            basis.values().flat_map(|p| x.iter().map(move |x| u64::try_from(((x % p) + p) % p).unwrap())).collect();
        for bits in [1, 52, 53, 100 + rng.below(4000) as u32, product.bits() as u32 + 60] {
            let join = CrtJoinPlan::new(&basis, bits);
            for b in backends() {
                let mut residues = b.alloc(limbs, basis.n()).unwrap();
                b.upload(&mut residues, 0, &data).unwrap();
                let mut out = b.alloc(words(bits), basis.n()).unwrap();
                b.crt_join(out.view_mut(1), residues.view(1), &join).unwrap();
                check(&b, &out, std::slice::from_ref(&x), bits, &format!("{limbs} primes of {prime} to {bits} bits"));
            }
        }
    }
}

#[test]
fn shifts() {
    let mut rng = rng();
    for (bits, log_n) in SHAPES {
        let any = 1 + rng.below(u64::from(bits) - 1) as u32;
        for shift in [0, 1, 51, 52, 53, 104, bits / 2, bits - 1, any] {
            if shift >= bits {
                continue;
            }
            for x in inputs(&mut rng, bits, 1 << log_n) {
                let expected: Vec<BigInt> = x.iter().map(|x| shift_round(x, shift)).collect();
                for b in backends() {
                    let mut out = b.alloc(words(bits - shift), x.len()).unwrap();
                    b.shift_round(out.view_mut(1), upload(&b, &[&x], bits).view(1), bits, shift).unwrap();
                    check(&b, &out, std::slice::from_ref(&expected), bits - shift, &format!("{bits} by {shift}"));
                }
            }
        }
    }
}

#[test]
fn linear_combinations() {
    let mut rng = rng();
    let max = MAX_FACTOR as i64;
    for (bits, log_n) in SHAPES {
        let n = 1 << log_n;
        let other = 1 + rng.below(2 * u64::from(bits)) as u32;
        let any = rng.below(2 * MAX_FACTOR) as i64 - max;
        for factors in [vec![1], vec![1, 1], vec![1, -1], vec![-1, 0, 7, -500], vec![max, -max], vec![any, -1, 3]] {
            let from: Vec<u32> = (0..factors.len()).map(|t| [bits, other, bits + 60, 1][t]).collect();
            let sources: Vec<Vec<Vec<BigInt>>> = from.iter().map(|&bits| inputs(&mut rng, bits, n)).collect();
            let start = &inputs(&mut rng, bits, n)[0];
            for style in 0..sources[0].len() {
                for accumulate in [false, true] {
                    let sum = |c: usize| {
                        let terms = factors.iter().zip(&sources).map(|(&f, s)| &s[style][c] * f);
                        terms.sum::<BigInt>() + if accumulate { &start[c] } else { &BigInt::ZERO }
                    };
                    let expected = vec![(0..n).map(sum).collect::<Vec<_>>()];
                    for b in backends() {
                        let mut out = upload(&b, &[start], bits);
                        let bufs: Vec<Buf> =
                            sources.iter().zip(&from).map(|(s, &bits)| upload(&b, &[&s[style]], bits)).collect();
                        let term = |t: usize| BigTerm { factor: factors[t], src: bufs[t].view(1), bits: from[t] };
                        let terms: Vec<BigTerm<'_>> = (0..factors.len()).map(term).collect();
                        b.big_lincomb(out.view_mut(1), &terms, bits, accumulate).unwrap();
                        check(&b, &out, &expected, bits, &format!("{bits} from {from:?}, {factors:?}, style {style}"));
                    }
                }
            }
        }
    }
}

#[test]
fn automorphisms() {
    let mut rng = rng();
    for (bits, log_n) in SHAPES {
        let n = 1usize << log_n;
        for galois in [1, 5, 2 * rng.below(n as u64) + 1, 2 * n as u64 - 1] {
            let plan = AutomorphismPlan::new(log_n, galois, Domain::Coefficient);
            for x in inputs(&mut rng, bits, n) {
                let mut expected = vec![BigInt::ZERO; n];
                for (i, x) in x.iter().enumerate() {
                    let to = i * galois as usize % (2 * n);
                    expected[to % n] = if to < n { x.clone() } else { -x };
                }
                for b in backends() {
                    let mut out = b.alloc(words(bits), n).unwrap();
                    let src = upload(&b, &[&x], bits);
                    b.big_automorphism(out.view_mut(1), src.view(1), bits, &plan).unwrap();
                    check(&b, &out, std::slice::from_ref(&expected), bits, &format!("{bits} bits, X^{galois}"));
                }
            }
        }
    }
}

/// `x * y` modulo X^N + 1.
fn product(x: &[BigInt], y: &[BigInt]) -> Vec<BigInt> {
    let n = x.len();
    let mut out = vec![BigInt::ZERO; n];
    for (i, x) in x.iter().enumerate().filter(|(_, x)| **x != BigInt::ZERO) {
        for (j, y) in y.iter().enumerate() {
            if i + j < n { out[i + j] += x * y } else { out[i + j - n] -= x * y }
        }
    }
    out
}

/// Checks `x * y` shifted by `shift`, plus `add`, modulo `2^bits`, on every backend.
fn multiply(x: &Vec<BigInt>, y: &Vec<BigInt>, add: &Vec<BigInt>, in_bits: u32, shift: u32, bits: u32, basis: &Basis) {
    let expected = product(x, y).iter().zip(add).map(|(z, add)| shift_round(z, shift) + add).collect::<Vec<_>>();
    let (split, join) = (CrtSplitPlan::new(basis, in_bits), CrtJoinPlan::new(basis, bits + shift));
    for b in backends() {
        let (x, y, add) = (upload(&b, &[x], in_bits), upload(&b, &[y], in_bits), upload(&b, &[add], bits));
        let mut out = b.alloc(words(bits), basis.n()).unwrap();
        let mul = BigMul {
            left: x.view(1),
            split: &split,
            right: BigFactor::Integers(y.view(1), &split),
            sums: &[&[(0, 0)]],
            join: &join,
            shift,
            add: Some(add.view(1)),
        };
        b.big_mul(out.view_mut(1), &mul).unwrap();
        let case = format!("{in_bits} bits, {} primes, by {shift} to {bits}", basis.len());
        check(&b, &out, std::slice::from_ref(&expected), bits, &case);
    }
}

#[test]
fn products() {
    let mut rng = rng();
    for (bits, log_n) in SHAPES {
        for prime in [30, 50, 61] {
            let basis = basis(log_n.min(4), prime, 2 * bits + log_n + 2);
            let [left, right, add] = [(); 3].map(|()| inputs(&mut rng, bits, basis.n()));
            for (i, shift) in [0, bits / 2, bits + 30].into_iter().enumerate() {
                for ((x, y), add) in left.iter().zip(&right).zip(&add) {
                    multiply(x, y, add, bits, shift, bits, &basis);
                }
                // extremes with random integers
                multiply(&left[0], &right[1 + i], &add[0], bits, shift, bits, &basis);
            }
        }
    }
}

/// Compares rings that are divided into parts, on one thread and on two, with the path that does
/// not divide them.
#[test]
fn products_in_large_rings() {
    let mut rng = rng();
    for log_n in 10..=17 {
        let (n, bits, key_bits, shift) = (1 << log_n, 400, 500, 450);
        let mut primes: Vec<u64> = basis(log_n, 50, 2 * 306 + log_n + 20).values().collect();
        if log_n == 11 {
            primes[1] = ntt_primes(log_n, 61, 1, &[]).unwrap()[0]; // a prime too large for IFMA
        }
        let basis = Basis::new(log_n, &primes).unwrap();
        let mut random = |bits: u32, polys: usize| -> Vec<u64> {
            let top = |k: usize| if (k + 1).is_multiple_of(words(bits)) { (bits - 1) % 52 + 1 } else { 52 };
            (0..polys * words(bits))
                .flat_map(|k| (0..n).map(move |_| top(k)).collect::<Vec<_>>())
                .map(|b| rng.next() >> (64 - b))
                .collect()
        };
        let (left, key, add) = (random(bits, 1), random(key_bits, 2), random(bits, 2));
        let (split, key_split) = (CrtSplitPlan::new(&basis, bits), CrtSplitPlan::new(&basis, key_bits));
        let join = CrtJoinPlan::new(&basis, bits + shift);
        let mut expected: Option<Vec<u64>> = None;
        let two = CpuBackend::new(CpuConfig { threads: 2, path: None }).unwrap();
        for b in backends().chain([two]) {
            let upload = |data: &[u64]| {
                let mut buf = b.alloc(data.len() / n, n).unwrap();
                b.upload(&mut buf, 0, data).unwrap();
                buf
            };
            let (left, key, add) = (upload(&left), upload(&key), upload(&add));
            let key = b.big_prepare(key.view(2), &key_split).unwrap();
            let mut out = b.alloc(2 * words(bits), n).unwrap();
            let mul = BigMul {
                left: left.view(1),
                split: &split,
                right: BigFactor::Prepared(key.view(2), key_bits),
                sums: &[&[(0, 0)], &[(0, 1)]],
                join: &join,
                shift,
                add: Some(add.view(2)),
            };
            b.big_mul(out.view_mut(2), &mul).unwrap();
            let found = limbs(&b, &out);
            assert!(*expected.get_or_insert_with(|| found.clone()) == found, "{} 2^{log_n}", b.id().name());
        }
    }
}

/// Products that are smaller than the shift, and a call without sums.
#[test]
fn products_of_nothing() {
    let mut rng = rng();
    let (bits, shift) = (30, 1000);
    let basis = basis(3, 50, 200);
    for x in inputs(&mut rng, bits, basis.n()) {
        multiply(&x, &x, &x, bits, shift, bits, &basis);
    }
    let (split, join) = (CrtSplitPlan::new(&basis, bits), CrtJoinPlan::new(&basis, bits));
    for b in backends() {
        let x = upload(&b, &[&inputs(&mut rng, bits, basis.n())[0]], bits);
        let mut out = b.alloc(1, basis.n()).unwrap();
        let right = BigFactor::Integers(x.view(1), &split);
        let mul = BigMul { left: x.view(1), split: &split, right, sums: &[], join: &join, shift: 0, add: None };
        b.big_mul(out.view_mut(1).slice(0, 0), &mul).unwrap();
    }
}

/// Products at a rounding boundary and next to it: words below the shift may be omitted only if
/// they do not change the result.
#[test]
fn products_at_rounding_boundaries() {
    let mut rng = rng();
    for prime in [30, 50, 57, 61] {
        for (a, b) in [(600, 19), (100, 519), (300, 700), (52, 1000)] {
            let (shift, basis) = (a + b + 1, basis(5, prime, 2600));
            for sign in [1, -1] {
                for small in [-1i64, 0, 1, -(1 << 50), 1 << 50] {
                    // left is a constant, so each coefficient is a product of two numbers
                    let mut x = vec![BigInt::ZERO; basis.n()];
                    x[0] = two(a);
                    let y = |_| (two(b) * sign + small) + two(b + 1) * (rng.next() >> 40);
                    let y: Vec<BigInt> = (0..basis.n()).map(y).collect();
                    multiply(&x, &y, &vec![BigInt::ZERO; basis.n()], 1200, shift, 300, &basis);
                }
            }
        }
    }
}
