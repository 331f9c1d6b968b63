//! Gaussian errors of fixed width, for encryption and keys.

use zeroize::Zeroizing;

use super::{SecretStream, Seed, domain};

/// Width of the error distribution: the parameter sigma of the discrete Gaussian
/// `exp(-x^2 / (2 * sigma^2))`, which is also its standard deviation.
pub(crate) const SIGMA: f64 = 3.19;

/// Largest magnitude [`gaussian`] returns: 13.1 sigma.
pub(crate) const GAUSSIAN_BOUND: i8 = 42;

/// Fills `out` with independent samples of the centred discrete Gaussian of parameter [`SIGMA`]
/// over the integers, `P(x)` proportional to `exp(-x^2 / (2 * 3.19^2))`, with `|x| <= 42`.
///
/// Constant time: 127 random bits are compared with all 42 entries of a table of the cumulative
/// distribution of |x|; the 128th bit is the sign. The statistical distance from the distribution
/// without a bound is below 2^-120 for a sample (table entries are exact to 2^-128, and the omitted
/// tail weighs less than 2^-126), so below 2^-103 for a polynomial of 2^17 coefficients. Use a seed
/// for one polynomial only.
pub(crate) fn gaussian(seed: &Seed, out: &mut [i8]) {
    let mut stream = SecretStream::new(seed, domain::GAUSSIAN);
    let mut words = Zeroizing::new([0u64; 128]);
    for out in out.chunks_mut(64) {
        let words = &mut words[..2 * out.len()];
        stream.fill(words);
        for (v, w) in out.iter_mut().zip(words.as_chunks::<2>().0) {
            *v = sample(u128::from(w[1]) << 64 | u128::from(w[0]));
        }
    }
}

/// A sample from 128 random bits: the low bit is the sign, the others are compared with the table.
#[inline]
fn sample(x: u128) -> i8 {
    let (sign, x) = ((x as i8) & 1, x >> 1);
    // x < 2^127, so the top bit of x - t is set exactly if x < t.
    let below: u64 = CUMULATIVE.iter().map(|&t| (x.wrapping_sub(t) >> 127) as u64).sum();
    let magnitude = (CUMULATIVE.len() as u64 - below) as i8;
    (magnitude ^ -sign) + sign
}

/// `round(2^127 * P(|x| <= j))` for j = 0, 1, ... 41; the next entry would round to 2^127.
#[rustfmt::skip]
const CUMULATIVE: [u128; GAUSSIAN_BOUND as usize] = [
    0x1001f9a1b2ca94687d7697c50b544918, 0x2e7cf3ef07836cb5d9a4bfe5b8e648b0, 0x48ca7e85d834a579d04638a68050d8e3,
    0x5d5d51778f760880a29c1adf90486271, 0x6bf35598550421b0387996d1bd8c9679, 0x7552dc90807bbed5d4a4f261c1aa7a5a,
    0x7ac8820561a4c974da6f4bcccb8d91f2, 0x7daa6596524b7ffd3881f3dd327f9af3, 0x7f0b8114bba4ecb935fe043d2ca59821,
    0x7fa4a9fc5ea574e8bb2c9fb7c16c975f, 0x7fe0e1077aef3919f507a817a368a319, 0x7ff6563f810f15d0106026e446869208,
    0x7ffd4490999bc594d4bc791834114abf, 0x7fff4c0804cd386da57bc4e195062c8c, 0x7fffd5e18e7fda1837e0216daa52c40a,
    0x7ffff709c679c2edfe88363fd122c605, 0x7ffffe445c790f6bec4bb4df649a4aab, 0x7fffffb20f7aa54a7f53d25183ccfb5d,
    0x7ffffff3903d235d4193489be593eef1, 0x7ffffffe32b06d1d7640635d5edf8b84, 0x7fffffffc35125cc6a62eb39239da217,
    0x7ffffffff8c11764bfb5d88ae22bc86e, 0x7fffffffff36fe33490f4840a7f430b0, 0x7fffffffffec3bf7fe6400c65e8d04a6,
    0x7ffffffffffe3c8b355c24d8c3787654, 0x7fffffffffffdb75416822942514f505, 0x7ffffffffffffd511eaab0abe823585d,
    0x7fffffffffffffd240aab06b663a0c00, 0x7ffffffffffffffd3c8cd6ab74185a5a, 0x7fffffffffffffffd93dfabe84828443,
    0x7ffffffffffffffffe13098493f65029, 0x7fffffffffffffffffe9ca283a36bd57, 0x7fffffffffffffffffff17b436680fb7,
    0x7ffffffffffffffffffff764fd243dfe, 0x7fffffffffffffffffffffb6005f3ce9, 0x7ffffffffffffffffffffffdbf10c283,
    0x7ffffffffffffffffffffffff011c0a5, 0x7fffffffffffffffffffffffff99e732, 0x7ffffffffffffffffffffffffffdaec9,
    0x7ffffffffffffffffffffffffffff3cb, 0x7fffffffffffffffffffffffffffffc6, 0x7fffffffffffffffffffffffffffffff,
];

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;

    /// An independent implementation computed these values.
    #[test]
    fn known_answers() {
        let mut out = [0i8; 16];
        gaussian(&Seed::from_bytes(std::array::from_fn(|i| i as u8)), &mut out);
        assert_eq!(out, [0, -4, -4, -3, -6, 3, -2, 0, -7, -5, 4, -5, -2, -3, -1, 0]);
    }

    /// exp(-k^2 / (2 * 3.19^2)) 2^300, by the Taylor series of the exponential of a rational.
    fn density(k: u64) -> BigUint {
        let one: BigUint = BigUint::from(1u8) << 400u32;
        // exp(z) for z = k^2 10^4 / (2 * 319^2), then the reciprocal.
        let (num, den) = (k * k * 10_000, 2 * 319 * 319u64);
        let (mut sum, mut term) = (one.clone(), one.clone());
        for i in 1..4000u64 {
            term = term * num / (den * i);
            sum += &term;
        }
        (one << 300u32) / sum
    }

    #[test]
    fn table_is_exact() {
        let rho: Vec<BigUint> = (0..60).map(|k| density(k) << u32::from(k > 0)).collect();
        let total: BigUint = rho.iter().sum();
        let mut sum = BigUint::ZERO;
        for (r, &t) in rho.iter().zip(&CUMULATIVE) {
            sum += r;
            let exact: BigUint = ((&sum << 128) / &total + 1u8) >> 1;
            assert_eq!(exact, BigUint::from(t));
        }
        // The omitted tail weighs less than 2^-126.
        let tail: BigUint = rho[43..].iter().sum();
        assert!((tail << 126) < total);
    }

    #[test]
    fn ends_of_the_table() {
        assert_eq!(sample(0), 0);
        assert_eq!(sample(1), 0);
        assert_eq!(sample(u128::MAX - 1), 42);
        assert_eq!(sample(u128::MAX), -42);
        for (j, &t) in CUMULATIVE.iter().enumerate() {
            assert_eq!(sample((t - 1) << 1), j as i8);
            assert_eq!(sample(t << 1 | 1), -(j as i8 + 1));
        }
    }

    #[test]
    fn moments_and_cells_follow_the_distribution() {
        let n = 1 << 20;
        let mut out = vec![0i8; n];
        gaussian(&Seed::from_bytes([5; 32]), &mut out);
        let mean = out.iter().map(|&x| f64::from(x)).sum::<f64>() / n as f64;
        let variance = out.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>() / n as f64;
        // Bounds of five standard deviations: sigma / sqrt(n) for the mean, sigma^2 sqrt(2 / n) for
        // the variance.
        assert!(mean.abs() < 5.0 * SIGMA / (n as f64).sqrt(), "{mean}");
        let exact = SIGMA * SIGMA; // equals the discrete Gaussian's variance to within 1e-80 at this width
        assert!((variance - exact).abs() < 5.0 * exact * (2.0 / n as f64).sqrt(), "{variance}");
        let total: f64 = (-60..=60).map(|x| (-f64::from(x * x) / (2.0 * exact)).exp()).sum();
        // The cells are -12 ... 12 and the two tails.
        let probability = |x: i32| (-f64::from(x * x) / (2.0 * exact)).exp() / total;
        let tail: f64 = (13..60).map(probability).sum();
        let mut chi = 0.0;
        for cell in -13..=13i32 {
            let expected = n as f64 * if cell.abs() == 13 { tail } else { probability(cell) };
            let seen = out.iter().filter(|&&x| i32::from(x).clamp(-13, 13) == cell).count() as f64;
            chi += (seen - expected).powi(2) / expected;
        }
        assert!((7.0..62.0).contains(&chi), "{chi}"); // 26 degrees of freedom, standard deviation 7.2
    }
}
