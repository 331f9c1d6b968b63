//! Ready parameter sets of BGV and BFV, all at 128 bits by the 2024 guidelines with a margin of at
//! least 2 %.

use super::{ParamSpec, Parameters, Product};
use crate::{Error, Result};

/// Names of the presets, smallest ring first.
pub const PRESET_NAMES: [&str; 9] =
    ["bgv-n12", "bgv-n13", "bgv-n13-w30", "bgv-n14", "bgv-n15", "bfv-n12", "bfv-n13", "bfv-n14", "bfv-n15"];

/// The plaintext modulus of the presets: the Fermat prime 2^16 + 1 packs rings of up to 2^15.
const T: u64 = 65537;

fn spec(name: &str) -> Option<ParamSpec> {
    let of = |log_n, q: Vec<u32>, p: &[u32]| ParamSpec::uniform(log_n, T, &q, p);
    let chain = |first: u32, bits: u32, count: usize| [vec![first], vec![bits; count]].concat();
    Some(match name {
        "bgv-n12" | "bfv-n12" => of(12, vec![24, 24, 24], &[30]),
        "bgv-n13" => of(13, vec![33; 5], &[37]),
        "bfv-n13" => of(13, chain(30, 29, 5), &[34]),
        "bgv-n13-w30" => ParamSpec { alpha: Some(1), ..of(13, vec![30; 5], &[29, 30]) },
        "bgv-n14" => of(14, vec![35; 9], &[37, 37]),
        "bfv-n14" => of(14, chain(32, 31, 10), &[36, 36]),
        "bgv-n15" => ParamSpec { alpha: Some(4), ..of(15, vec![36; 19], &[50, 49, 49]) },
        "bfv-n15" => ParamSpec { alpha: Some(4), ..of(15, chain(33, 31, 22), &[45, 45, 45]) },
        _ => return None,
    })
}

/// The preset called `name`.
pub fn preset(name: &str) -> Result<Parameters> {
    let spec = spec(name).ok_or_else(|| Error::unknown_preset(name, PRESET_NAMES.iter().copied()))?;
    let product = if name.starts_with("bfv") { Product::Bfv } else { Product::Bgv };
    Parameters::new(&ParamSpec { product, ..spec })
}
