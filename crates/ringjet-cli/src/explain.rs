//! How a preset bootstraps, for `ringjet params`.

use ringjet::Parameters;
use ringjet::params::{BootstrapSpec, ExplainedLevel, Explanation};
use ringjet_math::evalmod;
use serde::Serialize;

use crate::Result;
use crate::boot;
use crate::sizes::BootstrapKeys;
use crate::text::bytes;

/// What a parameter set does to bootstrap.
#[derive(Serialize)]
pub struct Bootstrapping {
    /// Multiplications between two bootstraps.
    pub levels_between: usize,
    /// The level at which a bootstrap starts.
    pub input_level: usize,
    /// Levels above those of messages.
    pub upper_levels: usize,
    /// Binary logarithm of the probability that one bootstrap fails, of all slots.
    pub failure_log2: f64,
    pub ephemeral_secret_weight: u32,
    /// log2 of the modulus above the ephemeral secret: that of level 0, and one special prime.
    pub ephemeral_log_qp: f64,
    /// Estimated bits of security of the ephemeral secret, where there is an estimate.
    pub ephemeral_security_bits: Option<f64>,
    pub keys: BootstrapKeys,
}

impl Bootstrapping {
    /// Of `params`; `None` where they cannot bootstrap.
    pub fn of(params: &Parameters) -> Result<Option<Self>> {
        let (Some(boot), Some(keys)) = (params.bootstrap(), BootstrapKeys::of(params)?) else { return Ok(None) };
        Ok(Some(Self {
            levels_between: params.top_level() - boot.input_level(),
            input_level: boot.input_level(),
            upper_levels: boot.upper_levels(),
            failure_log2: evalmod::failure_log2(boot.secret_weight, boot.k, params.log_n()),
            ephemeral_secret_weight: boot.secret_weight,
            ephemeral_log_qp: params.ephemeral_modulus_bits(),
            ephemeral_security_bits: params.ephemeral_security(),
            keys,
        }))
    }

    /// Lines of a title and a text.
    pub fn lines(&self, params: &Parameters) -> Vec<(&'static str, String)> {
        let (own, below) = (self.upper_levels, self.input_level);
        let levels = format!("{} multiplications in between; {own} levels above, {below} below", self.levels_between);
        let failure = format!("with probability 2^{:.1} for each bootstrap", self.failure_log2);
        let (weight, log_qp) = (self.ephemeral_secret_weight, self.ephemeral_log_qp);
        let worth = self
            .ephemeral_security_bits
            .map_or("no estimate of its security".into(), |bits| format!("about {bits:.1} bits of security"));
        let ephemeral = format!("{weight} non-zero coefficients, under a modulus of {log_qp:.1} bits: {worth}");
        let k = self.keys;
        let (rest, memory, compressed) = (bytes(k.at_rest), bytes(k.in_memory), bytes(k.in_memory_compressed));
        let keys = format!("{}: {rest} at rest, {memory} in memory, {compressed} there compressed", k.count);
        let mut lines = vec![("bootstrapping", levels)];
        lines.extend(params.bootstrap().map(|boot| ("", circuit(boot))));
        lines.extend([("it fails", failure), ("ephemeral secret", ephemeral), ("all keys for it", keys)]);
        lines
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

/// [`Explanation`] as JSON.
#[derive(Serialize)]
pub struct Chain {
    terminal_bits: Vec<f64>,
    main_bits: f64,
    /// The highest level first.
    levels: Vec<Level>,
}

#[derive(Serialize)]
struct Level {
    level: usize,
    purpose: &'static str,
    modulus_bits: f64,
    ratio_bits: f64,
    scale_bits: f64,
    primes: Primes,
}

#[derive(Serialize)]
struct Primes {
    messages: usize,
    mains: usize,
    /// Which.
    terminals: Vec<usize>,
}

impl From<&ExplainedLevel> for Level {
    fn from(l: &ExplainedLevel) -> Self {
        let (messages, mains, terminals) = l.primes.clone();
        let primes = Primes { messages, mains, terminals };
        let (purpose, ratio_bits) = (l.purpose, l.ratio_bits);
        Self { level: l.level, purpose, modulus_bits: l.modulus_bits, ratio_bits, scale_bits: l.scale_bits, primes }
    }
}

impl From<&Explanation> for Chain {
    fn from(e: &Explanation) -> Self {
        let levels = e.levels.iter().map(Level::from).collect();
        Self { terminal_bits: e.terminals.clone(), main_bits: e.main, levels }
    }
}

/// How the chain of the preset `name` came about.
pub fn explanation(name: &str) -> Result<Explanation> {
    Ok(boot::chain(name)?.generate()?.1)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ringjet::rng::Seed;
    use ringjet::{Bootstrapper, Context, SecretKey};

    use super::*;
    use crate::sizes::Counter;

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
            let foretold = BootstrapKeys::of(&params).unwrap().unwrap();
            assert_eq!((foretold.count, foretold.in_memory), (keys.len(), keys.memory_bytes() as u64), "{name}");
            let mut written = Counter::default();
            keys.write_to(&ctx, &mut written).unwrap();
            assert_eq!(written.0, foretold.at_rest, "{name}");
        }
    }
}
