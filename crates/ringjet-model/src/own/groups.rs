//! Traffic of the CPU's conversions, which make the limbs of a group of target primes from one
//! reading of their source.

use ringjet_backend::blocking;

use super::limbs::Limbs;
use crate::Cost;
use crate::operation::Decomposition;

impl Limbs {
    /// Conversion of `inputs` polynomials' digits to these primes of the extended basis, each of
    /// which has `rows` rows: what is converted is written, and read by the transforms after it.
    pub fn digits_in_groups(self, d: &Decomposition, inputs: usize, targets: &[usize], rows: usize) -> Cost {
        let groups = blocking::groups(targets.len(), rows, self.policy.group_rows());
        let sources: usize = groups.map(|group| d.converted_to(&targets[group])).sum();
        let own = targets.iter().filter(|&&t| t >= d.special).count();
        let converted = d.beta() * targets.len() - own;
        self.traffic(inputs * (sources + converted), inputs * converted)
    }

    /// Conversion of `sources` limbs to `targets` primes, each of which has `rows` rows;
    /// `converted` limbs in all.
    pub fn in_groups(self, sources: usize, targets: usize, rows: usize, converted: usize) -> Cost {
        let groups = blocking::groups(targets, rows, self.policy.group_rows()).filter(|group| !group.is_empty());
        self.traffic(groups.count() * sources + converted, converted)
    }
}
