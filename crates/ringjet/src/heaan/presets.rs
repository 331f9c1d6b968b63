//! Ready parameter sets.

use super::params::Parameters;
use super::spec::{ParamSpec, Secret};
use crate::{Error, Result};

/// Names of the presets, smallest ring first. All but the last two have 128 bits of security with 2 % of margin.
pub const PRESET_NAMES: [&str; 7] = [
    "heaan-n14-q210",
    "heaan-n15-q425",
    "heaan-n16-q850",
    "heaan-n16-boot",
    "heaan-n17-q1200",
    "heaan-n15-boot",
    "heaan-n16-q1200",
];

/// The preset called `name`.
///
/// `heaan-n16-boot` leaves modulus when 8 slots have been [bootstrapped](crate::circuits::heaan::Bootstrapper), with a dense secret and 128 bits of
/// security. `heaan-n16-q1200` is the papers' own set: 80 bits by their account, less than 128 by the table that is used here.
/// `heaan-n15-boot` is the smallest one of the original bootstrapping (Cheon, Han, Kim, Kim and Song, EUROCRYPT 2018, set I),
/// with a secret of 64 non-zero coefficients and 8 slots. Neither of these two is secure: both are for comparison.
/// Fails with [`Error::UnknownPreset`].
pub fn preset(name: &str) -> Result<Parameters> {
    let spec = match name {
        "heaan-n14-q210" => ParamSpec::new(14, 210),
        "heaan-n15-q425" => ParamSpec::new(15, 425),
        "heaan-n16-q850" => ParamSpec::new(16, 850),
        "heaan-n16-boot" => ParamSpec { log_p: 25, log_slots: Some(3), ..ParamSpec::new(16, 850) },
        "heaan-n17-q1200" => ParamSpec::new(17, 1200),
        "heaan-n15-boot" => {
            ParamSpec { log_p: 23, log_slots: Some(3), secret: Secret::Weight(64), ..ParamSpec::new(15, 620) }
                .allow_insecure()
        }
        "heaan-n16-q1200" => ParamSpec::new(16, 1200).allow_insecure(),
        _ => return Err(Error::UnknownPreset { name: name.into(), known: PRESET_NAMES.join(", ") }),
    };
    Parameters::new(&spec)
}
