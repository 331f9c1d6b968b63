//! Primality and the search for NTT-friendly primes.

use crate::MathError;

/// Deterministic Miller-Rabin for 64-bit integers (the first twelve primes as bases suffice,
/// Sorenson and Webster 2015).
pub const fn is_prime(n: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if n < 2 {
        return false;
    }
    let mut i = 0;
    while i < BASES.len() {
        if n == BASES[i] {
            return true;
        }
        if n % BASES[i] == 0 {
            return false;
        }
        i += 1;
    }
    let s = (n - 1).trailing_zeros();
    let d = (n - 1) >> s;
    let mut i = 0;
    'bases: while i < BASES.len() {
        let mut x = pow(BASES[i], d, n);
        i += 1;
        if x == 1 || x == n - 1 {
            continue;
        }
        let mut r = 1;
        while r < s {
            x = (x as u128 * x as u128 % n as u128) as u64;
            if x == n - 1 {
                continue 'bases;
            }
            r += 1;
        }
        return false;
    }
    true
}

const fn pow(base: u64, mut e: u64, n: u64) -> u64 {
    let mut b = base as u128 % n as u128;
    let mut r = 1u128;
    while e > 0 {
        if e & 1 == 1 {
            r = r * b % n as u128;
        }
        b = b * b % n as u128;
        e >>= 1;
    }
    r as u64
}

/// The largest `count` primes q below 2^bits, of exactly `bits` bits, with q = 1 mod 2N, largest first,
/// leaving out those in `exclude`.
pub fn ntt_primes(log_n: u32, bits: u32, count: usize, exclude: &[u64]) -> Result<Vec<u64>, MathError> {
    let step = 1u64 << (log_n + 1);
    let mut found = Vec::with_capacity(count);
    if bits <= 61 && bits > log_n + 1 {
        let mut q = (1u64 << bits) - step + 1;
        while found.len() < count && q >> (bits - 1) == 1 {
            if is_prime(q) && !exclude.contains(&q) {
                found.push(q);
            }
            q -= step;
        }
    }
    if found.len() < count {
        return Err(MathError::TooFewPrimes { bits, log_n, wanted: count, found: found.len() });
    }
    Ok(found)
}

/// Primes q = 1 mod 2N nearest to `target`, alternating above and below so that their product stays
/// close to `target^count`; all are below `2^60`, none is in `exclude`.
pub fn ntt_primes_near(log_n: u32, target: u64, count: usize, exclude: &[u64]) -> Result<Vec<u64>, MathError> {
    let step = 1u64 << (log_n + 1);
    let mut up = target / step * step + 1;
    let mut down = up.saturating_sub(step);
    let mut found: Vec<u64> = Vec::with_capacity(count);
    // The running product decides the side, so errors of the two sides cancel.
    let mut drift = 0.0f64;
    while found.len() < count {
        let q = if drift <= 0.0 || down <= target / 2 {
            let q = up;
            up += step;
            q
        } else {
            let q = down;
            down -= step;
            q
        };
        if q >> 60 != 0 || q > target.saturating_mul(2) {
            let bits = 64 - target.leading_zeros();
            return Err(MathError::TooFewPrimes { bits, log_n, wanted: count, found: found.len() });
        }
        if is_prime(q) && !exclude.contains(&q) {
            drift += (q as f64 / target as f64).log2();
            found.push(q);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_agree_with_trial_division() {
        for n in 0..20_000u64 {
            let naive = n >= 2 && (2..).take_while(|d| d * d <= n).all(|d| n % d != 0);
            assert_eq!(is_prime(n), naive, "{n}");
        }
    }

    #[test]
    fn strong_pseudoprimes_are_composite() {
        for n in [3215031751, 3474749660383, 341550071728321, 3825123056546413051] {
            assert!(!is_prime(n));
        }
    }

    #[test]
    fn search_gives_what_it_says() {
        let ps = ntt_primes(16, 50, 32, &[]).unwrap();
        assert!(ps.windows(2).all(|w| w[0] > w[1]));
        assert!(ps.iter().all(|&q| q >> 49 == 1 && q % (1 << 17) == 1 && is_prime(q)));
        let near = ntt_primes_near(15, 1 << 40, 12, &ps).unwrap();
        let drift: f64 = near.iter().map(|&q| (q as f64).log2() - 40.0).sum();
        assert!(drift.abs() < 1e-4, "{drift}");
        assert!(ntt_primes(16, 18, 5, &[]).is_err());
    }
}
