//! The shape of a candidate: everything but the number of message levels, which follows from the
//! shape.

use ringjet::params::{BootstrapChain, BootstrapSpec};

use super::Axis;
use super::axis::NUMBERS;
use crate::orders::BabySteps;

/// A candidate without its number of message levels. That number is the largest secure one, less
/// the spare levels.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The numbers of the first axes of [`Axis::ALL`], in units of 1/4.
    pub(super) numbers: [u16; NUMBERS],
    /// All primes are below `2^prime_bits`.
    pub prime_bits: u32,
    /// [`BootstrapSpec::baby_steps`].
    pub most_baby_steps: u32,
    /// The number of stages in each level of CoeffsToSlots.
    pub coeffs_to_slots: Vec<u32>,
    /// The number of stages in each level of SlotsToCoeffs.
    pub slots_to_coeffs: Vec<u32>,
    /// Whether SlotsToCoeffs comes before ModRaise.
    pub slots_to_coeffs_first: bool,
    /// Whether keys contain the first matrix of CoeffsToSlots.
    pub matrix_keys: bool,
    /// Whether message levels share primes; not if SlotsToCoeffs comes last.
    pub shared_primes: bool,
    /// The rule for baby steps of the transforms.
    pub baby_steps: BabySteps,
}

impl Shape {
    /// The shape of a chain; fractions of bits are rounded to quarters.
    pub fn of(chain: &BootstrapChain) -> Self {
        let boot = &chain.bootstrap;
        let mut shape = Self {
            numbers: [0; NUMBERS],
            prime_bits: chain.prime_bits,
            most_baby_steps: boot.baby_steps,
            coeffs_to_slots: boot.coeffs_to_slots.clone(),
            slots_to_coeffs: boot.slots_to_coeffs.clone(),
            slots_to_coeffs_first: boot.slots_to_coeffs_first,
            matrix_keys: boot.matrix_keys,
            shared_primes: chain.shared_primes,
            baby_steps: BabySteps::default(),
        };
        for (axis, value) in [
            (Axis::LogN, f64::from(chain.log_n)),
            (Axis::ScaleBits, f64::from(chain.scale_bits)),
            (Axis::FirstBits, f64::from(chain.first_bits)),
            (Axis::LogRatio, chain.log_ratio),
            (Axis::EvalModBits, chain.eval_mod_bits),
            (Axis::Degree, boot.degree as f64),
            (Axis::DoubleAngles, f64::from(boot.double_angles)),
            (Axis::Arcsine, boot.arcsine as f64),
            (Axis::CoeffsToSlotsBits, chain.coeffs_to_slots_bits),
            (Axis::SlotsToCoeffsBits, f64::from(chain.slots_to_coeffs_bits)),
            (Axis::Special, chain.special as f64),
            (Axis::Passes, f64::from(boot.passes)),
        ] {
            shape.set(axis, (4.0 * value).round() as u16);
        }
        shape
    }

    pub(super) fn set(&mut self, axis: Axis, quarters: u16) {
        if let Some(number) = self.numbers.get_mut(axis as usize) {
            *number = quarters;
        }
    }

    /// The number on this axis.
    pub fn get(&self, axis: Axis) -> f64 {
        match axis {
            Axis::CoeffsToSlots => self.coeffs_to_slots.len() as f64,
            Axis::SlotsToCoeffs => self.slots_to_coeffs.len() as f64,
            _ => f64::from(self.numbers[axis as usize]) / 4.0,
        }
    }

    fn whole(&self, axis: Axis) -> u32 {
        self.get(axis) as u32
    }

    /// Binary logarithm of the ring degree.
    pub fn log_n(&self) -> u32 {
        self.whole(Axis::LogN)
    }

    /// By how many message levels the candidate has fewer than security allows.
    pub fn spare(&self) -> usize {
        self.whole(Axis::Spare) as usize
    }

    /// Whether the ratio of q_0 to the message can be chosen. If SlotsToCoeffs comes last, or the
    /// circuit ends with an arcsine, the ratio follows from q_0 and the message's scale.
    pub(super) fn chooses_room(&self) -> bool {
        self.slots_to_coeffs_first && self.get(Axis::Arcsine) <= 1.0
    }

    /// Sets what cannot be chosen: the ratio of q_0 to the message, the bits of SlotsToCoeffs, and
    /// whether message levels share primes.
    pub(super) fn settle(&mut self) {
        if self.baby_steps != BabySteps::Cheapest {
            self.most_baby_steps = 0;
        }
        if !self.slots_to_coeffs_first {
            self.numbers[Axis::SlotsToCoeffsBits as usize] = self.numbers[Axis::ScaleBits as usize];
            self.shared_primes = false;
        }
        if !self.chooses_room() {
            let room = |i: Axis| self.numbers[i as usize];
            self.numbers[Axis::LogRatio as usize] = room(Axis::FirstBits).saturating_sub(room(Axis::ScaleBits));
        }
    }

    /// The chain with `message_levels` message levels, of which each pass after the first takes
    /// one. Values without an option are those of the presets: K = 16 (the bound on the multiple of
    /// q_0 after ModRaise) and an ephemeral secret with 32 non-zero coefficients.
    pub fn chain(&self, message_levels: usize) -> BootstrapChain {
        let log_n = self.log_n();
        BootstrapChain {
            log_n,
            message_levels,
            scale_bits: self.whole(Axis::ScaleBits),
            prime_bits: self.prime_bits,
            first_bits: self.whole(Axis::FirstBits),
            slots_to_coeffs_bits: self.whole(Axis::SlotsToCoeffsBits),
            log_ratio: self.get(Axis::LogRatio),
            eval_mod_bits: self.get(Axis::EvalModBits),
            coeffs_to_slots_bits: self.get(Axis::CoeffsToSlotsBits),
            special: self.whole(Axis::Special) as usize,
            shared_primes: self.shared_primes,
            bootstrap: BootstrapSpec {
                slots_to_coeffs: self.slots_to_coeffs.clone(),
                coeffs_to_slots: self.coeffs_to_slots.clone(),
                slots_to_coeffs_first: self.slots_to_coeffs_first,
                matrix_keys: self.matrix_keys,
                baby_steps: self.most_baby_steps,
                degree: self.whole(Axis::Degree) as usize,
                double_angles: self.whole(Axis::DoubleAngles),
                arcsine: self.whole(Axis::Arcsine) as usize,
                passes: self.whole(Axis::Passes),
                ..BootstrapSpec::standard(log_n, self.coeffs_to_slots.len().max(1) as u32)
            },
        }
    }
}

/// Splits `count` stages into `levels` levels as evenly as possible, larger levels first.
pub(super) fn even(count: u32, levels: u32) -> Vec<u32> {
    (0..levels).map(|i| count / levels + u32::from(i < count % levels)).collect()
}

/// All splits of `count` stages into `levels` levels whose sizes differ by at most two.
pub(super) fn splits(count: u32, levels: u32) -> Vec<Vec<u32>> {
    fn extend(prefix: &mut Vec<u32>, left: u32, levels: usize, least: u32, most: u32, all: &mut Vec<Vec<u32>>) {
        let open = (levels - prefix.len()) as u32;
        if open == 0 {
            all.extend((left == 0).then(|| prefix.clone()));
            return;
        }
        for size in least..=most {
            let rest = left.saturating_sub(size);
            if size <= left && rest >= (open - 1) * least && rest <= (open - 1) * most {
                prefix.push(size);
                extend(prefix, rest, levels, least, most, all);
                prefix.pop();
            }
        }
    }
    let mut all = vec![];
    if (1..=count).contains(&levels) {
        let middle = count / levels;
        for least in middle.saturating_sub(2).max(1)..=middle {
            extend(&mut vec![], count, levels as usize, least, least + 2, &mut all);
        }
        all.sort();
        all.dedup();
    }
    all
}

/// Whether `b` differs from `a` by one moved stage, or by one level more or less with an even
/// split.
pub(super) fn is_near(a: &[u32], b: &[u32]) -> bool {
    if a.len() == b.len() {
        let moved: u32 = a.iter().zip(b).map(|(x, y)| x.abs_diff(*y)).sum();
        return moved == 2 || (moved > 0 && even(b.iter().sum(), b.len() as u32) == b);
    }
    a.len().abs_diff(b.len()) == 1 && even(b.iter().sum(), b.len() as u32) == b
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringjet::params::bootstrap_chain;

    #[test]
    fn a_shape_is_its_chain() {
        for name in ["n15-boot", "n16-boot", "n16-boot-48", "n16-boot-small", "n16-boot-precise"] {
            let chain = bootstrap_chain(name).unwrap();
            assert_eq!(Shape::of(&chain).chain(chain.message_levels), chain, "{name}");
        }
        let mut last = Shape::of(&bootstrap_chain("n16-boot").unwrap());
        last.slots_to_coeffs_first = false;
        last.set(Axis::SlotsToCoeffsBits, 4 * 33);
        last.settle();
        assert_eq!((last.get(Axis::LogRatio), last.get(Axis::SlotsToCoeffsBits)), (9.0, 40.0));
        assert!(!last.shared_primes);
    }

    #[test]
    fn splits_are_all_that_are_nearly_even() {
        assert_eq!(splits(4, 2), [[1, 3], [2, 2], [3, 1]]);
        assert_eq!(splits(3, 1), [[3]]);
        assert!(splits(2, 3).is_empty() && splits(2, 0).is_empty());
        let all = splits(15, 4);
        assert!(all.contains(&vec![4, 4, 4, 3]) && all.contains(&vec![3, 3, 4, 5]) && !all.contains(&vec![6, 3, 3, 3]));
        assert!(all.iter().all(|s| s.iter().sum::<u32>() == 15));
        assert_eq!((even(15, 4), even(14, 2)), (vec![4, 4, 4, 3], vec![7, 7]));
        assert!(
            is_near(&[5, 5, 5], &[5, 6, 4]) && is_near(&[5, 5, 5], &[4, 4, 4, 3]) && is_near(&[6, 4, 5], &[5, 5, 5])
        );
        assert!(!is_near(&[5, 5, 5], &[5, 5, 5]) && !is_near(&[5, 5, 5], &[3, 4, 4, 4]));
    }
}
