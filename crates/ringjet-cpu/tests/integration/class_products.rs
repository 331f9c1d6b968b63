//! Products of matrices of all sizes against their definition, on every path.

use ringjet_backend::{Backend, Buf};
use ringjet_cpu::{CpuBackend, CpuConfig, Path};
use ringjet_math::ntt::exponents;
use ringjet_math::prime::ntt_primes;
use ringjet_math::{Basis, Modulus};

/// SplitMix64.
fn random(seed: u64, m: &Modulus) -> u64 {
    let z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    m.reduce(z ^ (z >> 27))
}

/// Rows of one polynomial each. The coefficients of the first factor are random; with `extreme` the factor has
/// the coefficient -1 in every class, and the second factor has only -1.
fn rows(basis: &Basis, count: usize, extreme: bool) -> [Vec<Vec<u64>>; 2] {
    let (m, n) = (basis.modulus(0), basis.n());
    let last = m.value() - 1;
    let left = |j: usize, c: usize| match extreme {
        true => last * u64::from(c < count),
        false => random((j * n + c) as u64, m),
    };
    let right = |j: usize, c: usize| if extreme { last } else { random((7 + (count + j) * n + c) as u64, m) };
    [
        (0..count).map(|j| (0..n).map(|c| left(j, c)).collect()).collect(),
        (0..count).map(|j| (0..n).map(|c| right(j, c)).collect()).collect(),
    ]
}

fn uploaded(b: &dyn Backend, words: &[u64]) -> Buf {
    let mut buf = b.alloc(1, words.len()).unwrap();
    b.upload(&mut buf, 0, words).unwrap();
    buf
}

/// The product by `b`, row by row. The first factor comes in coefficients.
fn product(b: &dyn Backend, basis: &Basis, [left, right]: &[Vec<Vec<u64>>; 2]) -> Vec<Vec<u64>> {
    let mut left: Vec<Buf> = left.iter().map(|x| uploaded(b, x)).collect();
    left.iter_mut().for_each(|x| b.ntt(x.view_mut(1), basis).unwrap());
    let right: Vec<Buf> = right.iter().map(|x| uploaded(b, x)).collect();
    let mut made: Vec<Buf> = left.iter().map(|_| b.alloc(1, basis.n()).unwrap()).collect();
    let mut views: Vec<_> = made.iter_mut().map(|x| x.view_mut(1)).collect();
    let [left, right] = [&left, &right].map(|rows| rows.iter().map(|x| x.view(1)).collect::<Vec<_>>());
    b.class_products(&mut views, &left, &right, basis).unwrap();
    let mut words = vec![vec![0; basis.n()]; made.len()];
    words.iter_mut().zip(&made).for_each(|(words, x)| b.download(x, 0, words).unwrap());
    words
}

/// Word `p` of row `i` of the product, from the coefficients.
fn expected(basis: &Basis, [left, right]: &[Vec<Vec<u64>>; 2], i: usize, p: usize) -> u64 {
    let (m, d) = (basis.modulus(0), left.len());
    let point = m.pow(basis.primes()[0].table().psi(), u64::from(exponents(basis.log_n())[p]));
    let step = m.pow(point, d as u64);
    let terms = left.iter().zip(right).map(|(left, right)| {
        let x = left[i..].iter().step_by(d).rev().fold(0, |sum, &c| m.add(m.mul(sum, step), c));
        m.mul(x, right[p])
    });
    terms.fold(0, |sum, x| m.add(sum, x))
}

#[test]
fn matrices_of_all_sizes() {
    let sizes =
        [(3, 8), (8, 4), (8, 256), (9, 2), (9, 8), (10, 32), (10, 64), (10, 128), (9, 256), (10, 512), (10, 1024)];
    for (path, bits) in Path::usable().flat_map(|path| [40, 50, 61].map(|bits| (path, bits))) {
        let b = CpuBackend::new(CpuConfig { threads: 2, path: Some(path) }).unwrap();
        for (log_n, d) in sizes {
            // slow where there is no kernel
            if d > 256 && (path != Path::Ifma || bits > 50) {
                continue;
            }
            let basis = Basis::new(log_n, &ntt_primes(log_n, bits, 1, &[]).unwrap()).unwrap();
            for extreme in [false, true] {
                let factors = rows(&basis, d, extreme);
                let found = product(&b, &basis, &factors);
                for k in 0..64 {
                    let (i, p) = ((5 * k + k * k) % d, (71 * k + 3) % basis.n());
                    let want = expected(&basis, &factors, i, p);
                    assert_eq!(found[i][p], want, "{path:?}, {bits} bits, 2^{log_n}, {d} rows, row {i}, word {p}");
                }
            }
        }
    }
}
