//! Traffic of the base conversions on the CPU. One reading of the source gives the limbs of a group
//! of target primes.

use ringjet_cpu::blocking;

use super::limbs::Limbs;
use crate::Cost;
use crate::operation::Decomposition;

impl Limbs {
    /// Conversion of the digits of `inputs` polynomials to the primes `targets` of the extended
    /// basis, with `rows` rows per prime. Converted limbs are written, and read by the transforms
    /// that follow.
    pub fn digits_in_groups(self, d: &Decomposition, inputs: usize, targets: &[usize], rows: usize) -> Cost {
        let groups = blocking::groups(targets.len(), rows, self.policy.group_rows());
        let sources: usize = groups.map(|group| d.converted_to(&targets[group])).sum();
        let own = targets.iter().filter(|&&t| t >= d.special).count();
        let converted = d.beta() * targets.len() - own;
        self.traffic(inputs * (sources + converted), inputs * converted)
    }

    /// Conversion of `sources` limbs to `targets` primes, with `rows` rows per prime. `converted`
    /// is the number of produced limbs.
    pub fn in_groups(self, sources: usize, targets: usize, rows: usize, converted: usize) -> Cost {
        let groups = blocking::groups(targets, rows, self.policy.group_rows()).filter(|group| !group.is_empty());
        self.traffic(groups.count() * sources + converted, converted)
    }
}
