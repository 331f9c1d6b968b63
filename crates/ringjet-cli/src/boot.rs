//! Presets that bootstrap, their chains in smaller rings, and how a parameter set bootstraps.

use ringjet::params::{BootstrapChain, BootstrapSpec, PRESET_NAMES, bootstrap_chain};
use ringjet::{Bootstrapper, Error, KeySizes, ParamSpec, Parameters};
use ringjet_math::evalmod;
use serde_json::{Value, json};

use crate::Result;
use crate::text::{Lines, bytes};

pub fn names() -> impl Iterator<Item = &'static str> {
    PRESET_NAMES.into_iter().filter(|name| bootstrap_chain(name).is_some())
}

/// The chain of the bootstrapping preset `name`.
pub fn chain(name: &str) -> Result<BootstrapChain> {
    Ok(bootstrap_chain(name).ok_or_else(|| Error::unknown_preset(name, names()))?)
}

/// The parameters of `spec`. Insecure ones are accepted only if `spec` sets `allow_insecure`.
pub fn parameters(spec: ParamSpec) -> Result<Parameters> {
    match Parameters::new(&spec) {
        Err(Error::Insecure { .. } | Error::EphemeralSecret { .. }) => Ok(Parameters::new(&spec.allow_insecure())?),
        made => Ok(made?),
    }
}

/// Warns the user of insecure parameters.
pub fn warn_insecure(params: &Parameters) {
    if params.spec().allow_insecure {
        eprintln!("note: insecure parameters, for timing only: {}", params.security());
    }
}

pub struct Bootstrapping<'a> {
    params: &'a Parameters,
    boot: &'a BootstrapSpec,
    /// Binary logarithm of the probability that one bootstrap fails in any slot.
    failure_log2: f64,
    /// Sizes of all keys for ciphertexts with as many slots as can be bootstrapped. Each key covers the
    /// levels that use it.
    keys: KeySizes,
}

impl<'a> Bootstrapping<'a> {
    /// `None` where the parameters cannot bootstrap.
    pub fn of(params: &'a Parameters) -> Result<Option<Self>> {
        let Some(boot) = params.bootstrap() else { return Ok(None) };
        Ok(Some(Self {
            params,
            boot,
            failure_log2: evalmod::failure_log2(boot.secret_weight, boot.k, params.log_n()),
            keys: Bootstrapper::key_plan(params, boot.most_log_slots())?.sizes(params)?,
        }))
    }

    /// The figures for programs. `ephemeral_log_qp`: log2 of the modulus under the ephemeral
    /// secret, which is that of level 0 times one special prime. `ephemeral_security_bits`: null
    /// without an estimate.
    pub fn json(&self) -> Value {
        json!({
            "levels_between": self.params.top_level() - self.boot.input_level(),
            "input_level": self.boot.input_level(),
            "upper_levels": self.boot.upper_levels(),
            "failure_log2": self.failure_log2,
            "ephemeral_secret_weight": self.boot.secret_weight,
            "ephemeral_log_qp": self.params.ephemeral_modulus_bits(),
            "ephemeral_security_bits": self.params.ephemeral_security(),
            "keys": self.keys,
        })
    }

    pub fn lines(&self) -> Lines {
        let (boot, k) = (self.boot, self.keys);
        let (own, below) = (boot.upper_levels(), boot.input_level());
        let between = self.params.top_level() - below;
        let worth = self.params.ephemeral_security().map(|bits| format!("about {bits:.1} bits of security"));
        let (weight, modulus) = (boot.secret_weight, self.params.ephemeral_modulus_bits());
        let worth = worth.unwrap_or_else(|| "no estimate of its security".into());
        let [rest, memory, compressed] = [k.bytes_at_rest, k.memory_bytes, k.compressed_memory_bytes].map(bytes);
        vec![
            ("bootstrapping", format!("{between} multiplications in between; {own} levels above, {below} below")),
            ("", circuit(boot)),
            ("it fails", format!("with probability 2^{:.1} for each bootstrap", self.failure_log2)),
            (
                "ephemeral secret",
                format!("{weight} non-zero coefficients, under a modulus of {modulus:.1} bits: {worth}"),
            ),
            (
                "all keys for it",
                format!("{}: {rest} at rest, {memory} in memory, {compressed} there compressed", k.count),
            ),
        ]
    }
}

fn circuit(boot: &BootstrapSpec) -> String {
    let place = if boot.slots_to_coeffs_first { "first" } else { "last" };
    let (stc, cts, k) = (&boot.slots_to_coeffs, &boot.coeffs_to_slots, boot.k);
    let arcsine = if boot.arcsine > 1 { format!(", arcsine of degree {}", boot.arcsine) } else { String::new() };
    let keyed = match (boot.matrix_keys, cts.len()) {
        (false, _) => "",
        (true, 1) => " (in the keys)",
        _ => " (the first matrix is in the keys)",
    };
    let sine = if boot.sine { ", returns sin(pi / 2 * z) of values z" } else { "" };
    let babies = match boot.baby_steps {
        0 => String::new(),
        most => format!(", at most {} and {most} baby steps", 2 * most),
    };
    format!(
        "SlotsToCoeffs {place} {stc:?}, CoeffsToSlots {cts:?}{keyed}{babies}, K = {k}, cosine of degree {}, {} double angles{arcsine}{sine}",
        boot.degree, boot.double_angles
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ringjet::rng::Seed;
    use ringjet::{Context, SecretKey};

    use super::*;

    #[test]
    fn a_smaller_ring_has_the_same_levels() {
        for name in names() {
            let chain = chain(name).unwrap();
            let small = chain.clone().shrunk(9).unwrap();
            assert_eq!(small.bootstrap.upper_levels(), chain.bootstrap.upper_levels());
            let most = if name == "n15-boot-few" { 5 } else { 8 };
            assert_eq!(small.bootstrap.slots_to_coeffs.iter().sum::<u32>(), most);
            assert_eq!(small.bootstrap.coeffs_to_slots.iter().sum::<u32>(), most);
            let (spec, _) = small.generate().unwrap();
            assert!(Parameters::new(&spec.allow_insecure()).is_ok());
            assert!(chain.shrunk(18).is_err());
        }
        assert!(chain("n15-depth9").unwrap_err().to_string().contains("n16-boot"));
    }

    #[test]
    fn keys_are_as_large_as_foretold() {
        for name in names() {
            let chain = chain(name).unwrap().shrunk(9).unwrap();
            let params = Parameters::new(&chain.generate().unwrap().0.allow_insecure()).unwrap();
            let ctx = Context::new(&params, Arc::new(ringjet_cpu::CpuBackend::new(Default::default()).unwrap()));
            let seed = Seed::from_bytes([5; 32]);
            let secret = SecretKey::from_seed(&params, &seed).unwrap();
            let most = params.bootstrap().unwrap().most_log_slots();
            let request = Bootstrapper::key_plan(&params, most).unwrap();
            let keys = secret.evaluation_keys(&ctx, &request, &seed, |_, _| true).unwrap();
            let foretold = Bootstrapping::of(&params).unwrap().unwrap().keys;
            assert_eq!((foretold.count, foretold.memory_bytes), (keys.len(), keys.memory_bytes() as u64), "{name}");
            let mut written = Vec::new();
            keys.write_to(&ctx, &mut written).unwrap();
            assert_eq!(written.len() as u64, foretold.bytes_at_rest, "{name}");
        }
    }
}
