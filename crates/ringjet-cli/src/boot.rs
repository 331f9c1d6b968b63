//! Presets that bootstrap, and the same in smaller rings.

use std::path::Path;

use ringjet::params::{BootstrapChain, PRESET_NAMES, PaperSet, bootstrap_chain};
use ringjet::{Error, ParamSpec, Parameters};

use crate::Result;
use crate::text::{at, read};

pub fn names() -> impl Iterator<Item = &'static str> {
    PRESET_NAMES.into_iter().filter(|name| bootstrap_chain(name).is_some())
}

/// The chain of the preset `name`.
pub fn chain(name: &str) -> Result<BootstrapChain> {
    let known = || names().collect::<Vec<_>>().join(", ");
    Ok(bootstrap_chain(name)
        .ok_or_else(|| format!("no preset that bootstraps is called {name:?}; there are {}", known()))?)
}

/// The parameters of a set of the literature, insecure where there is no other way.
pub fn paper_parameters(set: &PaperSet) -> Result<Parameters> {
    parameters(set.spec()?)
}

/// The parameters of a description; with `allow_insecure` only where they ask for it.
pub fn parameters(spec: ParamSpec) -> Result<Parameters> {
    match Parameters::new(&spec) {
        Err(Error::Insecure { .. } | Error::EphemeralSecret { .. }) => Ok(Parameters::new(&spec.allow_insecure())?),
        made => Ok(made?),
    }
}

/// Tells the user of insecure parameters.
pub fn warn_insecure(params: &Parameters) {
    if params.spec().allow_insecure {
        eprintln!("note: insecure parameters, for timing only: {}", params.security());
    }
}

/// The description of parameters of CKKS in a file.
pub fn read_spec(path: &Path) -> Result<ParamSpec> {
    Ok(serde_json::from_str(&read(path)?).map_err(|e| at(path, e))?)
}

/// The same chain for a ring of degree `2^log_n`: as many levels, fewer stages in each, no security.
pub fn shrunk(mut chain: BootstrapChain, log_n: u32) -> Result<BootstrapChain> {
    let boot = &mut chain.bootstrap;
    let least = boot.slots_to_coeffs.len().max(boot.coeffs_to_slots.len()) as u32 + 1;
    if !(least..=chain.log_n).contains(&log_n) {
        return Err(format!("--log-n-override is from {least} to {} for this preset", chain.log_n).into());
    }
    let regroup = |groups: &mut Vec<u32>| {
        let (count, levels) = (log_n - 1, groups.len() as u32);
        *groups = (0..levels).map(|i| count / levels + u32::from(i < count % levels)).collect();
    };
    regroup(&mut boot.slots_to_coeffs);
    regroup(&mut boot.coeffs_to_slots);
    boot.secret_weight = boot.secret_weight.min(1 << (log_n - 1));
    chain.log_n = log_n;
    Ok(chain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smaller_ring_has_the_same_levels() {
        for name in names() {
            let chain = chain(name).unwrap();
            let small = shrunk(chain.clone(), 9).unwrap();
            assert_eq!(small.bootstrap.upper_levels(), chain.bootstrap.upper_levels());
            assert_eq!(small.bootstrap.slots_to_coeffs.iter().sum::<u32>(), 8);
            assert_eq!(small.bootstrap.coeffs_to_slots.iter().sum::<u32>(), 8);
            let (spec, _) = small.generate().unwrap();
            assert!(Parameters::new(&spec.allow_insecure()).is_ok());
            assert!(shrunk(chain, 18).is_err());
        }
        assert!(chain("n15-depth9").unwrap_err().to_string().contains("n16-boot"));
    }
}
