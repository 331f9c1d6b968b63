//! The search of de Castro et al., "Does Fully Homomorphic Encryption Need Compute Acceleration?" (ePrint 2021/1636), Section
//! VI and Table XI: few parameters on a grid, security by the number of limbs, time by memory traffic alone.

use super::SearchError;
use crate::paper::{self, Algorithms, Candidate, Configuration, PaperPolicy};

/// Bits of a limb in the rule of security.
pub const LIMB_BITS: u32 = 50;

/// Largest log2(QP) that the authors take for 128 bits of security with a secret of 192 non-zero coefficients, by the binary
/// logarithm of the ring degree. No table of 2024 says so: these are theirs.
pub const MAX_LOG_QP: [(u32, u32); 2] = [(16, 1533), (17, 3069)];

/// Largest number of digits on the grid, and largest divisor of the number of stages.
const MOST: u32 = 6;

/// What became of the grid.
#[derive(Debug, Clone)]
pub struct Published {
    /// Points of the grid.
    pub points: usize,
    /// Those that leave at least one limb.
    pub bootstrap: usize,
    /// The different ones of them, best throughput first.
    pub ranked: Vec<Candidate>,
}

/// The points of the grid: rings, 1 to 6 digits, and `fftIter` the stages divided by 1 to 6, rounded up; with as many limbs as
/// the rule of security allows. Different divisors may give the same point.
///
/// With S limbs of 50 bits in P and Q together, `L = floor((S - 1) dnum / (dnum + 1))`: then L limbs, a digit's worth of special
/// ones and one more are at most S.
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

/// Searches the grid, a point being priced by `cost`: none where it leaves no limb.
///
/// # Errors
/// Those of `cost`.
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

/// The published search, with bootstraps that the library's code makes on the counting backend and prices of the published
/// model with everything it proposes ([`PaperPolicy::BEST`], [`Algorithms::BEST`]). `progress(done, total)` is called at each
/// point.
///
/// # Errors
/// [`SearchError::Published`] where the model has no price.
pub fn search(mut progress: impl FnMut(usize, usize)) -> Result<Published, SearchError> {
    let total = grid().count();
    let points = grid().enumerate().map(|(i, point)| {
        progress(i, total);
        point
    });
    search_with(points, |point| paper::candidate(point, Algorithms::BEST, &PaperPolicy::BEST))
        .map_err(|e| SearchError::Published(e.to_string()))
}
