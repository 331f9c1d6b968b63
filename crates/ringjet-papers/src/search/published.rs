//! The search of de Castro et al., "Does Fully Homomorphic Encryption Need Compute Acceleration?"
//! (ePrint 2021/1636), Section VI and Table XI. It has few parameters on a grid, judges security by
//! the number of limbs, and takes the memory traffic alone as time.

use super::SearchError;
use crate::castro::{self, Algorithms, Candidate, Configuration, PaperPolicy};

/// Bits per limb in the rule of security.
pub const LIMB_BITS: u32 = 50;

/// The largest log2(QP) that the authors take for 128 bits of security with a secret of 192
/// non-zero coefficients, by the binary logarithm of the ring degree. The values are the authors';
/// no table of the 2024 guidelines contains them.
pub const MAX_LOG_QP: [(u32, u32); 2] = [(16, 1533), (17, 3069)];

/// The largest number of digits on the grid, and the largest divisor of the number of stages.
const MOST: u32 = 6;

/// The result of the published search.
#[derive(Debug, Clone)]
pub struct Published {
    /// The number of points on the grid.
    pub points: usize,
    /// The number of points that leave at least one limb after bootstrapping.
    pub bootstrap: usize,
    /// The distinct ones of these points, best throughput first.
    pub ranked: Vec<Candidate>,
}

/// The points of the grid: two rings, 1 to 6 digits, and `fftIter` as the number of stages divided
/// by 1 to 6 and rounded up. Each has as many limbs as the rule of security allows. Different
/// divisors may give the same point.
///
/// If P and Q may have S limbs of 50 bits together, then `L = floor((S - 1) * dnum / (dnum + 1))`.
/// With that, L limbs of Q, the limbs of one digit and one more limb of P are at most S.
pub fn grid() -> impl Iterator<Item = Configuration> {
    MAX_LOG_QP.into_iter().flat_map(|(log_n, bits)| {
        let all = (bits / LIMB_BITS) as usize;
        (1..=MOST as usize).flat_map(move |dnum| {
            let limbs = (all - 1) * dnum / (dnum + 1);
            let stages = move |divisor: u32| (log_n - 1).div_ceil(divisor);
            (1..=MOST).map(stages).map(move |iterations| Configuration {
                log_n,
                limbs,
                dnum,
                iterations,
                ..Configuration::BEST
            })
        })
    })
}

/// Searches the grid. `cost` prices a point; it returns `None` if the point leaves no limb.
///
/// # Errors
/// The errors of `cost`.
pub fn search_with<E>(
    grid: impl Iterator<Item = Configuration>,
    mut cost: impl FnMut(Configuration) -> Result<Option<Candidate>, E>,
) -> Result<Published, E> {
    let (mut points, mut bootstrap) = (0, 0);
    let mut ranked: Vec<Candidate> = vec![];
    for point in grid {
        points += 1;
        if ranked.iter().any(|known| known.configuration == point) {
            bootstrap += 1;
        } else if let Some(candidate) = cost(point)? {
            bootstrap += 1;
            ranked.push(candidate);
        }
    }
    ranked.sort_by(|a, b| b.throughput.total_cmp(&a.throughput));
    Ok(Published { points, bootstrap, ranked })
}

/// The published search. The library's code makes the bootstraps on the counting backend; the
/// prices are those of the published model with all its optimizations ([`PaperPolicy::BEST`],
/// [`Algorithms::BEST`]). `progress(done, total)` is called at each point.
///
/// # Errors
/// [`SearchError::Published`] if the model has no price for a call.
pub fn search(mut progress: impl FnMut(usize, usize)) -> Result<Published, SearchError> {
    let total = grid().count();
    let points = grid().enumerate().map(|(i, point)| {
        progress(i, total);
        point
    });
    search_with(points, |point| castro::candidate(point, Algorithms::BEST, &PaperPolicy::BEST))
        .map_err(|e| SearchError::Published(e.to_string()))
}
