//! Ternary secrets, dense and sparse.

use zeroize::Zeroizing;

use super::{RngError, SecretStream, Seed, domain, scale_to};

/// Fills `out` with independent uniform values of {-1, 0, 1}.
///
/// Constant time. Each coefficient is `floor(3 * x / 2^128) - 1` for a 128-bit random x. Its
/// statistical distance from uniform is within 2^-128 (below 2^-111 for a polynomial of 2^17
/// coefficients). Use a seed for one secret only.
pub fn ternary(seed: &Seed, out: &mut [i8]) {
    let mut stream = SecretStream::new(seed, domain::TERNARY);
    out.fill_with(|| scale_to(stream.next_u128(), 3) as i8 - 1);
}

/// Fills `out` with a uniform choice among the vectors of {-1, 0, 1} with exactly `weight` non-zero
/// entries.
///
/// Constant time for given `weight` and length n of `out`, which are public. Step i draws r and
/// takes the r-th position that is still free; it finds the position among the sorted earlier ones
/// in O(weight) without a branch. The vector is written by comparing every index with every
/// position, in O(n * weight). The statistical distance from uniform is below
/// `weight * n * 2^-128`. Use a seed for one secret only. Fails with [`RngError::Weight`] unless
/// `1 <= weight <= n`.
pub(crate) fn sparse_ternary(seed: &Seed, weight: usize, out: &mut [i8]) -> Result<(), RngError> {
    let n = out.len();
    if weight == 0 || weight > n || n >= 1 << 31 {
        return Err(RngError::Weight { weight, n });
    }
    let mut stream = SecretStream::new(seed, domain::SPARSE);
    let mut sorted = Zeroizing::new(vec![u32::MAX >> 1; weight]);
    for i in 0..weight {
        let x = stream.next_u128();
        insert_free(&mut sorted[..=i], scale_to(x, (n - i) as u64) as u32);
    }
    let mut signs = Zeroizing::new(vec![0u32; weight]);
    signs.fill_with(|| (stream.next_u128() & 1) as u32);
    out.fill(0);
    for (block, out) in out.chunks_mut(256).enumerate() {
        let start = (block * 256) as u32;
        let mut acc = Zeroizing::new([0u32; 256]);
        for (&p, &s) in sorted.iter().zip(signs.iter()) {
            let value = 1u32.wrapping_sub(2 * s); // 1 or -1
            for (j, a) in acc.iter_mut().enumerate() {
                *a |= value & equal_mask(start + j as u32, p);
            }
        }
        for (o, &a) in out.iter_mut().zip(acc.iter()) {
            *o = a as i8;
        }
    }
    Ok(())
}

/// All ones when `a = b`, else zero, for `a, b < 2^31`.
#[inline(always)]
fn equal_mask(a: u32, b: u32) -> u32 {
    0u32.wrapping_sub((a ^ b).wrapping_sub(1) >> 31)
}

/// Inserts the `r`-th index that is absent from the sorted `list[..len - 1]` into the list, which
/// stays sorted.
///
/// With p_k the sorted members, the r-th free index is `r + #{k : p_k - k <= r}`: p_k - k counts
/// the free indices below p_k, and grows with k.
fn insert_free(list: &mut [u32], r: u32) {
    let last = list.len() - 1;
    let below: u32 = (0..last).map(|k| 1 - (r.wrapping_sub(list[k] - k as u32) >> 31)).sum();
    let position = r + below;
    // Carries the new index through the list: each place keeps the smaller of the two indices and
    // passes the larger on.
    let mut carried = position;
    for slot in list[..last].iter_mut() {
        let swap = 0u32.wrapping_sub(carried.wrapping_sub(*slot) >> 31); // carried < slot
        let diff = (carried ^ *slot) & swap;
        *slot ^= diff;
        carried ^= diff;
    }
    list[last] = carried;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An independent implementation computed these values.
    #[test]
    fn known_answers() {
        let seed = Seed::from_bytes(std::array::from_fn(|i| i as u8));
        let mut out = [0i8; 16];
        ternary(&seed, &mut out);
        assert_eq!(out, [1, 0, 1, -1, 0, 0, 0, 0, 1, -1, 0, 1, -1, -1, 1, 0]);
        let mut out = [0i8; 64];
        sparse_ternary(&seed, 8, &mut out).unwrap();
        let nonzero: Vec<_> = out.iter().enumerate().filter(|x| *x.1 != 0).map(|(i, &v)| (i, v)).collect();
        assert_eq!(nonzero, [(1, 1), (9, 1), (10, -1), (15, 1), (45, 1), (53, -1), (54, 1), (61, -1)]);
    }

    #[test]
    fn dense_is_uniform() {
        let n = 1 << 18;
        let mut out = vec![0i8; n];
        ternary(&Seed::from_bytes([1; 32]), &mut out);
        let count = |v: i8| out.iter().filter(|&&x| x == v).count() as f64;
        let expected = n as f64 / 3.0;
        let chi: f64 = [-1, 0, 1].map(|v| (count(v) - expected).powi(2) / expected).iter().sum();
        assert!(chi < 20.0, "{chi}"); // 2 degrees of freedom: probability e^-10
        assert_eq!(count(-1) + count(0) + count(1), n as f64);
        // If neighbours are uncorrelated, the sum of their products has variance n (2/3)^2.
        let corr: i64 = out.windows(2).map(|w| i64::from(w[0] * w[1])).sum();
        assert!((corr as f64).abs() < 5.0 * (2.0 / 3.0) * (n as f64).sqrt(), "{corr}");
    }

    #[test]
    fn sparse_has_the_weight_and_uniform_positions() {
        let (n, h, rounds) = (64, 8, 4000);
        let mut count = [0f64; 64];
        let mut plus = 0;
        for round in 0..rounds {
            let mut out = vec![5i8; n];
            sparse_ternary(&Seed::from_bytes([9; 32]).derive(b"t", round), h, &mut out).unwrap();
            assert_eq!(out.iter().filter(|&&v| v != 0).count(), h);
            assert!(out.iter().all(|v| (-1..=1).contains(v)));
            out.iter().zip(&mut count).for_each(|(v, c)| *c += f64::from(v.abs()));
            plus += out.iter().filter(|&&v| v == 1).count();
        }
        let expected = (rounds as usize * h / n) as f64;
        let chi: f64 = count.iter().map(|c| (c - expected).powi(2) / expected).sum();
        assert!((20.0..110.0).contains(&chi), "{chi}"); // about 63 (1 - h/n) = 55, standard deviation 10
        let (mean, deviation) = (rounds as f64 * h as f64 / 2.0, (rounds as f64 * h as f64).sqrt() / 2.0);
        assert!((plus as f64 - mean).abs() < 5.0 * deviation, "{plus}");
    }

    #[test]
    fn sparse_pairs_of_positions_are_uniform() {
        // Each of the 15 pairs out of 6 positions must be equally frequent. A bias of the search
        // for a free index would show here.
        let rounds = 15_000;
        let mut count = std::collections::HashMap::new();
        for round in 0..rounds {
            let mut out = [0i8; 6];
            sparse_ternary(&Seed::from_bytes([4; 32]).derive(b"p", round), 2, &mut out).unwrap();
            *count.entry(out.map(i8::abs)).or_insert(0f64) += 1.0;
        }
        assert_eq!(count.len(), 15);
        let chi: f64 = count.values().map(|c| (c - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi < 45.0, "{chi}"); // 14 degrees of freedom: probability below 1e-4
    }

    #[test]
    fn edges() {
        let seed = Seed::from_bytes([2; 32]);
        let mut out = [0i8; 300];
        sparse_ternary(&seed, 300, &mut out).unwrap();
        assert!(out.iter().all(|v| v.abs() == 1));
        assert_eq!(sparse_ternary(&seed, 301, &mut out), Err(RngError::Weight { weight: 301, n: 300 }));
        assert_eq!(sparse_ternary(&seed, 0, &mut out), Err(RngError::Weight { weight: 0, n: 300 }));
    }
}
