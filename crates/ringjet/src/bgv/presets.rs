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
    Some(match name {
        // the primes of processors with 32-bit words
        "bgv-n12" => of(12, vec![24, 24, 24], &[30]),
        "bfv-n12" => of(12, vec![34, 34], &[35]),
        "bgv-n13" => of(13, vec![33; 5], &[37]),
        "bfv-n13" => of(13, vec![41; 4], &[45]),
        "bgv-n13-w30" => ParamSpec { alpha: Some(1), ..of(13, vec![30; 5], &[29, 30]) },
        "bgv-n14" => {
            let thirds = [3, 4, 2, 4, 2, 4, 4, 4];
            let q = thirds.map(|third| [23, 35, 47][third - 2]);
            ParamSpec { levels: Some(levels(&thirds)), ..of(14, q.to_vec(), &[49, 49]) }
        }
        "bfv-n14" => of(14, vec![42; 8], &[42, 42]),
        "bgv-n15" => {
            let thirds = [vec![3, 2], vec![4; 13]].concat();
            let q = thirds.iter().map(|third| 12 * *third as u32).collect();
            ParamSpec { levels: Some(levels(&thirds)), ..of(15, q, &[50, 49, 49]) }
        }
        "bfv-n15" => of(15, vec![47; 15], &[48, 48, 48]),
        _ => return None,
    })
}

/// Levels that are each as wide as the next, of primes that are 2, 3 or 4 thirds of a level wide, so
/// that there are fewer primes than levels. A level has the fewest primes whose widths add up to its
/// own, and the first ones of 4 thirds.
fn levels(thirds: &[usize]) -> Vec<Vec<usize>> {
    let (wide, narrow): (Vec<usize>, Vec<usize>) = (0..thirds.len()).partition(|&i| thirds[i] == 4);
    let of = |width: usize| {
        let sets = (0..1 << narrow.len()).filter_map(|chosen: usize| {
            let mut set: Vec<usize> = (0..narrow.len()).filter(|i| chosen >> i & 1 == 1).map(|i| narrow[i]).collect();
            let rest = width.checked_sub(set.iter().map(|&i| thirds[i]).sum())?;
            set.extend(wide.get(..rest / 4).filter(|_| rest % 4 == 0)?);
            set.sort_unstable();
            Some(set)
        });
        sets.min_by_key(Vec::len)
    };
    (1..=thirds.iter().sum::<usize>() / 3).filter_map(|level| of(3 * level)).collect()
}

/// The preset called `name`.
pub fn preset(name: &str) -> Result<Parameters> {
    let spec = spec(name).ok_or_else(|| Error::unknown_preset(name, PRESET_NAMES.iter().copied()))?;
    let product = if name.starts_with("bfv") { Product::Bfv } else { Product::Bgv };
    Parameters::new(&ParamSpec { product, ..spec })
}
