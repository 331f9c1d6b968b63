//! The noise of a sum of many terms.

use super::{ErrorTerm, Noise};

/// Which terms of a sum may depend on the same encryption, directly or through other terms.
///
/// Terms of one group add standard deviations, groups add variances. Where terms are added one by one, all
/// terms after the 128th count as dependent on the sum before them, as [`super::Sources`] has 128 bits.
pub(crate) struct Groups {
    /// The group of each term.
    of: Vec<usize>,
    count: usize,
}

impl Groups {
    /// The groups of terms with this noise.
    pub(crate) fn new(terms: &[Noise]) -> Self {
        let mut sets: Vec<u128> = Vec::new();
        for term in terms {
            let mut joined = term.sources.0;
            // sets have no bit in common, so a set that is passed over has none in common with the others
            sets.retain(|&set| {
                let apart = set & joined == 0;
                joined |= if apart { 0 } else { set };
                apart
            });
            sets.push(joined);
        }
        let group = |term: &Noise| sets.iter().position(|set| set & term.sources.0 != 0);
        let mut count = sets.len();
        // a term without randomness depends on nothing
        let alone = |count: &mut usize| {
            *count += 1;
            *count - 1
        };
        let of = terms.iter().map(|term| group(term).unwrap_or_else(|| alone(&mut count))).collect();
        Self { of, count }
    }

    /// The noise of the sum of these terms, in the order of [`Groups::new`]; `None` without terms.
    pub(crate) fn sum(&self, terms: impl Iterator<Item = Noise>) -> Option<Noise> {
        let mut variances = Vec::with_capacity(self.of.len());
        let sum = terms.inspect(|term| variances.push(term.error.variance)).reduce(Noise::sum)?;
        // both are upper bounds; one by one is the smaller one where a late term depends on two groups
        let variance = self.variance(variances.into_iter());
        Some(sum.with_added(ErrorTerm { variance: variance.min(sum.error.variance), ..sum.error }))
    }

    /// The variance of the sum of terms with these variances, in the order of [`Groups::new`].
    pub(crate) fn variance(&self, variances: impl Iterator<Item = f64>) -> f64 {
        let mut deviations = vec![0.0; self.count];
        variances.zip(&self.of).for_each(|(variance, &group)| deviations[group] += variance.sqrt());
        deviations.iter().map(|deviation: &f64| deviation * deviation).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ErrorTerm, Noise, Range, Scale, Sources};
    use super::Groups;

    fn sum(sources: &[&[u8]]) -> f64 {
        let noise = |bits: &&[u8]| {
            let sources = bits.iter().fold(Sources::NONE, |all, &bit| Sources(all.0 | Sources::one(bit).0));
            Noise::new(ErrorTerm::random(1.0, 1), Range::real(-1.0, 1.0), Scale::ONE, sources)
        };
        let terms: Vec<Noise> = sources.iter().map(noise).collect();
        let sum = Groups::new(&terms).sum(terms.iter().copied()).unwrap();
        let one_by_one = terms.into_iter().reduce(Noise::sum).unwrap();
        assert!(sum.variance() <= one_by_one.variance() + 1e-9);
        assert_eq!((sum.bound(), sum.range()), (one_by_one.bound(), one_by_one.range()));
        sum.variance()
    }

    #[test]
    fn groups_add_variances_and_terms_of_a_group_deviations() {
        assert_eq!(sum(&[&[0], &[1], &[2]]), 3.0);
        assert_eq!(sum(&[&[0], &[1], &[0]]), 5.0);
        // two terms that share nothing, and a later one that depends on both
        assert!((sum(&[&[0], &[1], &[0, 1], &[2]]) - (2f64.sqrt() + 1.0).powi(2) - 1.0).abs() < 1e-9);
        assert_eq!(sum(&[&[0, 1], &[], &[1, 2], &[2, 3], &[4]]), 11.0);
        let many: Vec<[u8; 1]> = (0..256).map(|k| [(k % 128) as u8]).collect();
        let many: Vec<&[u8]> = many.iter().map(|bits| &bits[..]).collect();
        assert_eq!(sum(&many), 512.0);
        assert!(Groups::new(&[]).sum(std::iter::empty()).is_none());
    }
}
