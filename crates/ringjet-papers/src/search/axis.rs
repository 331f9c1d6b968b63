//! The numbers of a candidate parameter set, with their allowed values.

use std::fmt;

use super::{Limits, SearchError};

/// A number of a candidate parameter set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Axis {
    /// Binary logarithm of the ring degree.
    LogN,
    /// Bits of the scale of messages.
    ScaleBits,
    /// Bits of the lowest prime q_0.
    FirstBits,
    /// `log2(q_0 / scale)` in ModRaise: how far a message may grow below q_0.
    LogRatio,
    /// Bits of the scale in EvalMod.
    EvalModBits,
    /// The degree of the cosine polynomial; an even one is half as many in the square.
    Degree,
    /// The number of double-angle steps after the cosine polynomial.
    DoubleAngles,
    /// The degree of the arcsine polynomial; 1 means no arcsine.
    Arcsine,
    /// Bits of the primes of each level of CoeffsToSlots.
    CoeffsToSlotsBits,
    /// Bits of the prime of each level of SlotsToCoeffs; if it comes last, those of the scale.
    SlotsToCoeffsBits,
    /// The number of special primes.
    Special,
    /// Passes of one bootstrap.
    Passes,
    /// By how many message levels a candidate has fewer than security allows.
    Spare,
    /// The number of levels of CoeffsToSlots.
    CoeffsToSlots,
    /// The number of levels of SlotsToCoeffs.
    SlotsToCoeffs,
}

/// The number of axes that [`super::Shape`] stores as numbers: all but the levels of the two
/// transforms.
pub(super) const NUMBERS: usize = 13;

impl Axis {
    /// All axes.
    pub const ALL: [Self; 15] = [
        Self::LogN,
        Self::ScaleBits,
        Self::FirstBits,
        Self::LogRatio,
        Self::EvalModBits,
        Self::Degree,
        Self::DoubleAngles,
        Self::Arcsine,
        Self::CoeffsToSlotsBits,
        Self::SlotsToCoeffsBits,
        Self::Special,
        Self::Passes,
        Self::Spare,
        Self::CoeffsToSlots,
        Self::SlotsToCoeffs,
    ];

    /// The name, which is also that of the command-line option.
    pub fn name(self) -> &'static str {
        match self {
            Self::LogN => "log-n",
            Self::ScaleBits => "scale-bits",
            Self::FirstBits => "first-bits",
            Self::LogRatio => "log-ratio",
            Self::EvalModBits => "eval-mod-bits",
            Self::Degree => "degree",
            Self::DoubleAngles => "double-angles",
            Self::Arcsine => "arcsine",
            Self::CoeffsToSlotsBits => "coeffs-to-slots-bits",
            Self::SlotsToCoeffsBits => "slots-to-coeffs-bits",
            Self::Special => "special",
            Self::Passes => "passes",
            Self::Spare => "spare",
            Self::CoeffsToSlots => "coeffs-to-slots",
            Self::SlotsToCoeffs => "slots-to-coeffs",
        }
    }

    /// The least value, the largest value, the step, and the ranges of values that are tried
    /// without an option.
    fn domain(self) -> (f64, f64, f64, &'static [(f64, f64)]) {
        match self {
            Self::LogN => (13.0, 17.0, 1.0, &[(13.0, 17.0)]),
            Self::ScaleBits => (20.0, 50.0, 1.0, &[(28.0, 50.0)]),
            Self::FirstBits => (30.0, 50.0, 1.0, &[(40.0, 50.0)]),
            Self::LogRatio => (2.0, 20.0, 0.25, &[(6.0, 16.0)]),
            Self::EvalModBits => (30.0, 80.0, 0.25, &[(44.0, 66.0)]),
            Self::Degree => (3.0, 255.0, 1.0, &[(30.0, 30.0), (40.0, 40.0), (46.0, 46.0), (62.0, 62.0)]),
            Self::DoubleAngles => (0.0, 6.0, 1.0, &[(2.0, 4.0)]),
            Self::Arcsine => (1.0, 15.0, 2.0, &[(1.0, 1.0), (3.0, 3.0), (5.0, 5.0), (7.0, 7.0)]),
            Self::CoeffsToSlotsBits => (20.0, 80.0, 0.5, &[(30.0, 56.0)]),
            Self::SlotsToCoeffsBits => (20.0, 50.0, 1.0, &[(28.0, 46.0)]),
            Self::Special => (1.0, 64.0, 1.0, &[(1.0, 24.0)]),
            Self::Passes => (1.0, 3.0, 1.0, &[(1.0, 2.0)]),
            Self::Spare => (0.0, 64.0, 1.0, &[(0.0, 3.0)]),
            Self::CoeffsToSlots | Self::SlotsToCoeffs => (1.0, 16.0, 1.0, &[(2.0, 6.0)]),
        }
    }

    /// The values that `limits` allow, in units of 1/4.
    pub(super) fn values(self, limits: Option<&Limits>) -> Result<Vec<u16>, SearchError> {
        let (low, high, step, usual) = self.domain();
        let values = match limits {
            Some(limits) => limits.values(low, high, step),
            None => usual.iter().flat_map(|&(a, b)| Limits { parts: vec![(a, b)] }.values(low, high, step)).collect(),
        };
        let even = |x: &f64| self == Self::Arcsine && x % 2.0 == 0.0;
        let quarters: Vec<u16> = (values.iter())
            .filter(|x| (4.0 * *x).fract() == 0.0 && (step < 1.0 || x.fract() == 0.0) && !even(x))
            .map(|x| (4.0 * x) as u16)
            .collect();
        if !quarters.is_empty() {
            return Ok(quarters);
        }
        let allowed = match step {
            s if s < 1.0 => format!("{low} to {high}, in quarters"),
            s if s > 1.0 => format!("odd numbers from {low} to {high}"),
            _ => format!("whole numbers from {low} to {high}"),
        };
        let value = limits.map_or_else(String::new, Limits::to_string);
        Err(SearchError::Option { name: self.name(), value, allowed })
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
