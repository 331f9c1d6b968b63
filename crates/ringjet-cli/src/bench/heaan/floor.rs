//! The least time of HEAAN's functions, counted as in [`crate::bench::floor`].

use super::functions::Shape;
use crate::bench::floor::{KNOWN, LANES, TERM};

/// Seconds of the multiplications alone, at so many multiply-adds a second of all threads together.
pub fn seconds(name: &str, log_n: u32, shapes: &[Shape; 2], rate: f64) -> Option<f64> {
    let n = f64::from(log_n).exp2();
    let limbs = |polys: fn(&Shape) -> usize| shapes.iter().map(|s| (polys(s) * s.primes) as f64).sum::<f64>();
    let ntt = KNOWN * f64::from(log_n) / 2.0;
    let count = match name {
        "heaan_ntt" => n * ntt * limbs(|s| s.split_polys),
        "heaan_intt" => n * ntt * limbs(|s| s.join_polys),
        _ => TERM * products(name, log_n, shapes)?,
    };
    Some(count / LANES / rate)
}

/// Products of a word and a constant that conversions sum up: each word of an integer, as it is kept, with each prime. (What
/// scales residues by a constant before iCRT, and reduces the sums, comes on top.)
pub fn products(name: &str, log_n: u32, shapes: &[Shape; 2]) -> Option<f64> {
    let of = |s: &Shape| match name {
        "heaan_crt" => Some(s.split_polys * s.split_words * s.primes),
        "heaan_icrt" => Some(s.join_polys * s.join_words * s.primes),
        _ => None,
    };
    Some((of(&shapes[0])? + of(&shapes[1])?) as f64 * f64::from(log_n).exp2())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_the_papers_multiplication() {
        let shapes = [
            Shape { primes: 49, split_polys: 4, split_words: 24, join_polys: 3, join_words: 24 },
            Shape { primes: 73, split_polys: 1, split_words: 24, join_polys: 2, join_words: 47 },
        ];
        assert_eq!(products("heaan_crt", 16, &shapes), Some(65536.0 * (4704.0 + 1752.0)));
        assert_eq!(products("heaan_icrt", 16, &shapes), Some(65536.0 * (3528.0 + 6862.0)));
        // two instructions for eight products
        assert_eq!(seconds("heaan_crt", 16, &shapes, 1.0), Some(65536.0 * 6456.0 / 4.0));
        assert_eq!(seconds("heaan_ntt", 16, &shapes, 1.0), Some(196608.0 * 269.0));
        assert_eq!(seconds("heaan_mul", 16, &shapes, 1.0), None);
    }
}
