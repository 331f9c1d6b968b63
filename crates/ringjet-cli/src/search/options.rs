//! The options of `ringjet params search`.

use std::collections::BTreeMap;

use ringjet_papers::orders::BabySteps;
use ringjet_papers::search::{Axis, Limits, Options, Order};

use crate::Result;

/// Limits on the parameter sets of the search.
#[derive(clap::Args)]
#[group(id = "Choice", multiple = true)]
#[command(next_help_heading = "What is searched")]
pub struct Choice {
    /// Binary logarithm of the ring degree, 13 to 17
    #[arg(long, value_name = "NUMBERS")]
    log_n: Option<Limits>,
    /// Levels left after a bootstrap
    #[arg(long, value_name = "NUMBERS")]
    levels: Option<Limits>,
    /// Least precision of a bootstrap in bits [default: the preset's]
    #[arg(long, value_name = "BITS")]
    precision: Option<f64>,
    /// Bits of security: 128, 192 or 256
    #[arg(long, value_name = "BITS", default_value_t = 128)]
    security: u32,
    /// Distance of log2(QP) from the security bound, in per cent
    #[arg(long, value_name = "PERCENT", default_value_t = 2.0)]
    margin: f64,
    /// Number of digits of key switching
    #[arg(long, value_name = "NUMBERS")]
    dnum: Option<Limits>,
    /// Most bytes of evaluation keys in memory, such as 4GiB or 4e9
    #[arg(long, value_name = "BYTES")]
    max_key_bytes: Option<String>,
    /// Slots to bootstrap, a power of two [default: all slots of the ring]
    #[arg(long)]
    slots: Option<u64>,
    /// Bootstrap real values only
    #[arg(long)]
    real: bool,
    /// Bits of the scale of messages, 20 to 50
    #[arg(long, value_name = "NUMBERS")]
    scale_bits: Option<Limits>,
    /// Bits of the lowest prime, 30 to 50
    #[arg(long, value_name = "NUMBERS")]
    first_bits: Option<Limits>,
    /// log2(q_0 / scale) while the modulus is raised, 2 to 20, in quarters
    #[arg(long, value_name = "NUMBERS")]
    log_ratio: Option<Limits>,
    /// Bits of EvalMod's scale, 30 to 80, in quarters
    #[arg(long, value_name = "NUMBERS")]
    eval_mod_bits: Option<Limits>,
    /// Degree of the polynomial for the cosine, 3 to 255
    #[arg(long, value_name = "NUMBERS")]
    degree: Option<Limits>,
    /// Double-angle steps after the cosine, 0 to 6
    #[arg(long, value_name = "NUMBERS")]
    double_angles: Option<Limits>,
    /// Degree of the polynomial for the arcsine, odd, up to 15; 1: none
    #[arg(long, value_name = "NUMBERS")]
    arcsine: Option<Limits>,
    /// Number of special primes, 1 to 64
    #[arg(long, value_name = "NUMBERS")]
    special: Option<Limits>,
    /// Bits of each level of CoeffsToSlots, 20 to 80
    #[arg(long, value_name = "NUMBERS")]
    coeffs_to_slots_bits: Option<Limits>,
    /// Bits of each level of SlotsToCoeffs, 20 to 50; where it comes last, those of the scale
    #[arg(long, value_name = "NUMBERS")]
    slots_to_coeffs_bits: Option<Limits>,
    /// Levels of CoeffsToSlots, 1 to 16
    #[arg(long, value_name = "NUMBERS")]
    coeffs_to_slots: Option<Limits>,
    /// Fourier stages in each level of CoeffsToSlots, in the preset's order: a level of g stages
    /// has radix 2^g
    #[arg(long, value_name = "STAGES", value_delimiter = ',', conflicts_with = "coeffs_to_slots")]
    coeffs_to_slots_stages: Option<Vec<u32>>,
    /// Levels of SlotsToCoeffs, 1 to 16
    #[arg(long, value_name = "NUMBERS")]
    slots_to_coeffs: Option<Limits>,
    /// Fourier stages in each level of SlotsToCoeffs, in the preset's order
    #[arg(long, value_name = "STAGES", value_delimiter = ',', conflicts_with = "slots_to_coeffs")]
    slots_to_coeffs_stages: Option<Vec<u32>>,
    /// Position of SlotsToCoeffs
    #[arg(long, value_enum, default_value_t = Place::Any)]
    slots_to_coeffs_place: Place,
    /// Rules for the inner rotations of the transforms. cheapest: a giant step costs three baby
    /// steps; fewest: as bench bootstrap --without baby-steps; all: as --without giant-steps
    #[arg(long, value_parser = RULES.map(|(name, _)| name), value_delimiter = ',', default_values = ["cheapest"])]
    baby_steps: Vec<String>,
    /// Passes, 1 to 3: each further pass bootstraps the error of the passes before
    #[arg(long, value_name = "NUMBERS")]
    passes: Option<Limits>,
    /// How many message levels fewer than the most that are secure (with --minimize time: more than
    /// the least that --levels allows), 0 to 64
    #[arg(long, value_name = "NUMBERS")]
    spare: Option<Limits>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Place {
    /// Both positions
    Any,
    /// Before the modulus is raised
    First,
    /// After EvalMod
    Last,
}

pub const RULES: [(&str, BabySteps); 3] =
    [("cheapest", BabySteps::Cheapest), ("fewest", BabySteps::Fewest), ("all", BabySteps::All)];

impl Choice {
    pub fn options(&self) -> Result<Options> {
        let limits = [
            (Axis::LogN, &self.log_n),
            (Axis::ScaleBits, &self.scale_bits),
            (Axis::FirstBits, &self.first_bits),
            (Axis::LogRatio, &self.log_ratio),
            (Axis::EvalModBits, &self.eval_mod_bits),
            (Axis::Degree, &self.degree),
            (Axis::DoubleAngles, &self.double_angles),
            (Axis::Arcsine, &self.arcsine),
            (Axis::CoeffsToSlotsBits, &self.coeffs_to_slots_bits),
            (Axis::SlotsToCoeffsBits, &self.slots_to_coeffs_bits),
            (Axis::Special, &self.special),
            (Axis::Passes, &self.passes),
            (Axis::Spare, &self.spare),
            (Axis::CoeffsToSlots, &self.coeffs_to_slots),
            (Axis::SlotsToCoeffs, &self.slots_to_coeffs),
        ];
        let limits: BTreeMap<Axis, Limits> =
            limits.into_iter().filter_map(|(axis, limits)| Some((axis, limits.clone()?))).collect();
        Ok(Options {
            limits,
            levels: self.levels.clone(),
            dnum: self.dnum.clone(),
            coeffs_to_slots_stages: self.coeffs_to_slots_stages.clone(),
            slots_to_coeffs_stages: self.slots_to_coeffs_stages.clone(),
            order: match self.slots_to_coeffs_place {
                Place::Any => Order::Any,
                Place::First => Order::SlotsToCoeffsFirst,
                Place::Last => Order::SlotsToCoeffsLast,
            },
            baby_steps: RULES.iter().filter(|rule| self.baby_steps.iter().any(|b| b == rule.0)).map(|r| r.1).collect(),
            security: self.security,
            margin_percent: self.margin,
            precision: self.precision,
            max_key_bytes: self.max_key_bytes.as_deref().map(size).transpose()?,
            log_slots: self.slots.map(log_slots).transpose()?,
            real: self.real,
            ..Options::default()
        })
    }
}

fn log_slots(slots: u64) -> Result<u32> {
    if slots.is_power_of_two() && (2..=1 << 16).contains(&slots) {
        return Ok(slots.trailing_zeros());
    }
    Err(format!("--slots {slots}: powers of two from 2 to 65536 are possible").into())
}

/// Reads bytes: `4GiB`, `500 MB` or `4e9`.
fn size(text: &str) -> Result<u64> {
    const UNITS: [(&str, f64); 7] = [
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
        ("KB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("B", 1.0),
    ];
    let unit = UNITS.into_iter().find(|(unit, _)| text.trim().ends_with(unit));
    let number = unit.map_or(text, |(unit, _)| text.trim().trim_end_matches(unit)).trim();
    match number.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok((value * unit.map_or(1.0, |u| u.1)) as u64),
        _ => {
            Err(format!("--max-key-bytes {text:?}: a positive number, or one with KiB, MiB or GiB, as in 4GiB").into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_slots() {
        let bytes = |text: &str| size(text).unwrap();
        assert_eq!(
            ["4GiB", "1.5 KiB", "4e9", "7GB", "12 B"].map(bytes),
            [1 << 32, 1536, 4_000_000_000, 7_000_000_000, 12]
        );
        for bad in ["", "GiB", "-1", "4 TiBs", "nan"] {
            assert!(size(bad).unwrap_err().to_string().contains("4GiB"), "{bad}");
        }
        assert_eq!(log_slots(32768).unwrap(), 15);
        assert!(log_slots(3).unwrap_err().to_string().contains("powers of two"));
    }
}
