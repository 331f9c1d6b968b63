//! Primality and the search for NTT-friendly primes.

use crate::MathError;

/// Deterministic Miller-Rabin test for 64-bit integers. The first twelve primes as bases suffice
/// (Sorenson and Webster, "Strong pseudoprimes to twelve prime bases", 2015).
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
        if n.is_multiple_of(BASES[i]) {
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

/// The `count` largest primes q of exactly `bits` bits with q = 1 mod 2N, N = `2^log_n`, largest
/// first, without those in `exclude`. Fails with [`MathError::TooFewPrimes`] if there are fewer, or
/// if `bits` is above 61 or below `log_n + 2`.
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

/// The prime q = 1 mod 2N, N = `2^log_n`, that is nearest to `target` among the primes below
/// `limit` (at most 2^60), without those in `exclude`. Fails with [`MathError::TooFewPrimes`] if
/// there is none within half of `target` around `target`.
pub fn ntt_prime_nearest(log_n: u32, target: u64, limit: u64, exclude: &[u64]) -> Result<u64, MathError> {
    let step = 1u64 << (log_n + 1);
    let base = target / step * step + 1;
    let fits = |q: u64| q > step && q < limit.min(1 << 60) && is_prime(q) && !exclude.contains(&q);
    // Half of `target` in both directions covers far more primes than any chain has.
    for i in 0..(target / (2 * step)).max(1) {
        let (up, down) = (base.saturating_add(i * step), base.saturating_sub(i * step));
        let nearer_first = if up.abs_diff(target) < down.abs_diff(target) { [up, down] } else { [down, up] };
        if let Some(q) = nearer_first.into_iter().find(|&q| fits(q)) {
            return Ok(q);
        }
    }
    Err(MathError::TooFewPrimes {
        bits: 64 - target.leading_zeros(),
        log_n,
        wanted: exclude.len() + 1,
        found: exclude.len(),
    })
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
        let near = ntt_prime_nearest(15, 1 << 40, u64::MAX, &ps).unwrap();
        assert!(near.abs_diff(1 << 40) < 1 << 24, "{near}");
        let below = ntt_prime_nearest(15, 1 << 50, 1 << 50, &ps).unwrap();
        assert!(below < 1 << 50 && !ps.contains(&below));
        assert!(ntt_primes(16, 18, 5, &[]).is_err());
    }
}
