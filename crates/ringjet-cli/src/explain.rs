//! How a parameter set bootstraps, for `ringjet params`.

use ringjet::params::BootstrapSpec;
use ringjet::{Bootstrapper, KeySizes, Parameters};
use ringjet_math::evalmod;
use serde_json::{Value, json};

use crate::Result;
use crate::text::{Lines, bytes};

/// What a parameter set does to bootstrap.
pub struct Bootstrapping<'a> {
    params: &'a Parameters,
    boot: &'a BootstrapSpec,
    levels_between: usize,
    /// Binary logarithm of the probability that one bootstrap fails, of all slots.
    failure_log2: f64,
    /// All evaluation keys for ciphertexts with all slots, each for the levels at which it is used.
    keys: KeySizes,
}

impl<'a> Bootstrapping<'a> {
    /// Of `params`; `None` where they cannot bootstrap.
    pub fn of(params: &'a Parameters) -> Result<Option<Self>> {
        let Some(boot) = params.bootstrap() else { return Ok(None) };
        Ok(Some(Self {
            params,
            boot,
            levels_between: params.top_level() - boot.input_level(),
            failure_log2: evalmod::failure_log2(boot.secret_weight, boot.k, params.log_n()),
            keys: Bootstrapper::key_plan(params, params.log_n() - 1)?.sizes(params)?,
        }))
    }

    /// For programs. `ephemeral_log_qp`: log2 of the modulus above the ephemeral secret, that of level 0 and one special
    /// prime; `ephemeral_security_bits`: null where there is no estimate.
    pub fn json(&self) -> Value {
        json!({
            "levels_between": self.levels_between,
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
        let (between, own, below) = (self.levels_between, boot.upper_levels(), boot.input_level());
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
    format!(
        "SlotsToCoeffs {place} {stc:?}, CoeffsToSlots {cts:?}, K = {k}, cosine of degree {}, {} double angles{arcsine}",
        boot.degree, boot.double_angles
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ringjet::rng::Seed;
    use ringjet::{Context, SecretKey};

    use super::*;
    use crate::{boot, text::Counter};

    #[test]
    fn keys_are_as_large_as_foretold() {
        for name in boot::names() {
            let chain = boot::shrunk(boot::chain(name).unwrap(), 9).unwrap();
            let params = Parameters::new(&chain.generate().unwrap().0.allow_insecure()).unwrap();
            let ctx = Context::new(&params, Arc::new(ringjet_cpu::CpuBackend::new(Default::default()).unwrap()));
            let seed = Seed::from_bytes([5; 32]);
            let secret = SecretKey::from_seed(&params, &seed);
            let request = Bootstrapper::key_plan(&params, 8).unwrap();
            let keys = secret.evaluation_keys(&ctx, &request, &seed, |_, _| true).unwrap();
            let foretold = Bootstrapping::of(&params).unwrap().unwrap().keys;
            assert_eq!((foretold.count, foretold.memory_bytes), (keys.len(), keys.memory_bytes() as u64), "{name}");
            let mut written = Counter::default();
            keys.write_to(&ctx, &mut written).unwrap();
            assert_eq!(written.0, foretold.bytes_at_rest, "{name}");
        }
    }
}
