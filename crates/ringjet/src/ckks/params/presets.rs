//! Ready parameter sets, all at 128 bits by the 2024 guidelines with at least 2 % of margin.

use ringjet_math::prime::{ntt_prime_nearest, ntt_primes};

use super::{BootstrapChain, BootstrapSpec, LevelSpec, ModulusSpec, ParamSpec, Parameters};
use crate::{Error, Result};

/// Names of the presets, smallest ring first.
pub const PRESET_NAMES: [&str; 19] = [
    "n12-depth1",
    "n13-depth2",
    "n14-depth6",
    "n14-share-depth2",
    "n15-depth9",
    "n15-depth14",
    "n15-share-depth5",
    "n16-depth24",
    "n16-depth30",
    "n15-boot",
    "n15-boot-fast",
    "n15-boot-few",
    "n15-int",
    "n16-boot",
    "n16-boot-48",
    "n16-boot-small",
    "n16-boot-precise",
    "n16-int",
    "n17-depth50",
];

/// The bootstrapping chain of the preset `name`; `None` for presets that do not bootstrap.
pub fn bootstrap_chain(name: &str) -> Option<BootstrapChain> {
    let n16 = BootstrapChain {
        message_levels: 13,
        first_bits: 49,
        slots_to_coeffs_bits: 35,
        eval_mod_bits: 60.5,
        shared_primes: true,
        bootstrap: BootstrapSpec {
            coeffs_to_slots: vec![5, 3, 3, 4],
            matrix_keys: true,
            ..BootstrapSpec::standard(16, 3)
        },
        ..BootstrapChain::standard(16)
    };
    let narrow = BootstrapChain {
        prime_bits: 48,
        first_bits: 46,
        slots_to_coeffs_bits: 34,
        log_ratio: 13.0,
        eval_mod_bits: 58.25,
        coeffs_to_slots_bits: 47.0,
        special: 9,
        ..n16.clone()
    };
    let n15 = BootstrapChain {
        scale_bits: 35,
        prime_bits: 47,
        first_bits: 46,
        slots_to_coeffs_bits: 30,
        log_ratio: 11.5,
        eval_mod_bits: 53.25,
        coeffs_to_slots_bits: 45.5,
        special: 2,
        bootstrap: BootstrapSpec {
            coeffs_to_slots: vec![6, 4, 4],
            matrix_keys: true,
            ..BootstrapSpec::standard(15, 2)
        },
        ..BootstrapChain::standard(15)
    };
    let fast = BootstrapChain {
        scale_bits: 32,
        prime_bits: 50,
        first_bits: 40,
        slots_to_coeffs_bits: 27,
        log_ratio: 10.75,
        eval_mod_bits: 49.25,
        coeffs_to_slots_bits: 41.0,
        special: 3,
        shared_primes: true,
        ..n15.clone()
    };
    Some(match name {
        "n15-boot" => n15,
        "n15-boot-fast" => fast,
        // at most 32 slots
        "n15-boot-few" => BootstrapChain {
            prime_bits: 48,
            first_bits: 42,
            log_ratio: 12.25,
            eval_mod_bits: 48.25,
            coeffs_to_slots_bits: 12.0,
            special: 5,
            bootstrap: BootstrapSpec { slots_to_coeffs: vec![5], coeffs_to_slots: vec![5], ..fast.bootstrap.clone() },
            ..fast
        },
        "n16-boot" => n16,
        "n16-boot-48" => narrow,
        "n16-boot-small" => {
            BootstrapChain { bootstrap: BootstrapSpec { baby_steps: 4, ..narrow.bootstrap.clone() }, ..narrow }
        }
        "n15-int" => BootstrapChain {
            message_levels: 5,
            scale_bits: 38,
            prime_bits: 50,
            first_bits: 40,
            slots_to_coeffs_bits: 34,
            log_ratio: 2.0,
            eval_mod_bits: 46.0,
            coeffs_to_slots_bits: 42.0,
            bootstrap: BootstrapSpec { sine: true, ..n15.bootstrap.clone() },
            ..n15
        },
        "n16-int" => BootstrapChain {
            message_levels: 12,
            scale_bits: 48,
            first_bits: 50,
            slots_to_coeffs_bits: 40,
            log_ratio: 2.0,
            eval_mod_bits: 57.0,
            coeffs_to_slots_bits: 46.0,
            bootstrap: BootstrapSpec { sine: true, ..n16.bootstrap.clone() },
            ..n16
        },
        "n16-boot-precise" => BootstrapChain {
            scale_bits: 45,
            first_bits: 50,
            slots_to_coeffs_bits: 32,
            log_ratio: 13.25,
            eval_mod_bits: 58.25,
            coeffs_to_slots_bits: 46.0,
            bootstrap: BootstrapSpec { passes: 2, ..n16.bootstrap.clone() },
            ..n16
        },
        _ => return None,
    })
}

fn spec(name: &str) -> Option<ParamSpec> {
    Some(match name {
        // a scale of 29 bits leaves room for sums of up to 2^7 at level 0
        "n12-depth1" => ParamSpec { p: ModulusSpec::Bits(vec![37]), ..ParamSpec::uniform(12, 37, 1, 29, 1) },
        "n13-depth2" => ParamSpec { p: ModulusSpec::Bits(vec![46]), ..ParamSpec::uniform(13, 46, 2, 34, 1) },
        "n14-depth6" => ParamSpec::uniform(14, 46, 6, 38, 2),
        "n15-depth9" => ParamSpec::uniform(15, 50, 9, 42, 4),
        "n15-depth14" => ParamSpec::uniform(15, 50, 14, 40, 4),
        "n16-depth24" => ParamSpec::uniform(16, 50, 24, 45, 7),
        "n16-depth30" => ParamSpec::uniform(16, 50, 30, 40, 8),
        "n17-depth50" => ParamSpec::uniform(17, 50, 50, 45, 17),
        _ => return None,
    })
}

/// A chain for results that are shared. Each level is two primes of 40 bits: scales of 80 bits have
/// room for the noise that hides errors. Two primes of 48 bits are always left. There are `special`
/// special primes of 50 bits, and as many primes in a digit.
fn wide(log_n: u32, depth: usize, special: usize) -> Result<ParamSpec> {
    const SCALE_BITS: u32 = 80;
    let nominal = f64::from(SCALE_BITS).exp2();
    let half = 1u64 << (SCALE_BITS / 2);
    let first = ntt_primes(log_n, 48, 2, &[])?;
    let mut taken = first.clone();
    let (mut scale, mut pairs) = (nominal, Vec::new());
    for _ in 0..depth {
        // rescaling takes a scale s to s^2 / (a * b): the two primes bring it back
        let a = ntt_prime_nearest(log_n, half, 2 * half, &taken)?;
        taken.push(a);
        let b = ntt_prime_nearest(log_n, (scale * scale / nominal / a as f64) as u64, 2 * half, &taken)?;
        taken.push(b);
        scale = scale * scale / (a as f64 * b as f64);
        pairs.push([a, b]);
    }
    let q: Vec<u64> = first.into_iter().chain(pairs.into_iter().rev().flatten()).collect();
    let levels = Some((0..=depth).map(|l| LevelSpec { primes: (0..2 * (l + 1)).collect(), scale: None }).collect());
    let p = ModulusSpec::Primes(ntt_primes(log_n, 50, special, &taken)?);
    let (q, alpha) = (ModulusSpec::Primes(q), Some(special));
    Ok(ParamSpec { q, p, alpha, scale_bits: SCALE_BITS, levels, ..ParamSpec::uniform(log_n, 50, depth, 40, special) })
}

/// The preset called `name`.
pub fn preset(name: &str) -> Result<Parameters> {
    match name {
        "n14-share-depth2" => return Parameters::new(&wide(14, 2, 3)?),
        "n15-share-depth5" => return Parameters::new(&wide(15, 5, 4)?),
        _ => {}
    }
    if let Some(chain) = bootstrap_chain(name) {
        return Parameters::new(&chain.generate()?.0);
    }
    let spec = spec(name).ok_or_else(|| Error::unknown_preset(name, PRESET_NAMES.iter().copied()))?;
    Parameters::new(&spec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_secure_with_margin_and_fast() {
        for name in PRESET_NAMES {
            let params = preset(name).unwrap();
            let allowed = crate::rlwe::security::max_log_qp(params.log_n(), crate::SecurityLevel::Bits128);
            assert!(params.log_qp() <= 0.98 * f64::from(allowed.unwrap()), "{name}: {params:?}");
            assert!(params.extended().values().all(|q| q < 1 << 50), "{name}");
            assert!(!params.spec().allow_insecure);
        }
    }

    #[test]
    fn primes_of_n16_boot_48_are_below_its_limit() {
        let (narrow, wide) = (preset("n16-boot-48").unwrap(), preset("n16-boot").unwrap());
        assert!(narrow.extended().values().all(|q| q < 1 << 48));
        assert!(wide.extended().values().any(|q| q > 1 << 48));
        let levels = |p: &Parameters| p.top_level() - p.bootstrap().unwrap().input_level();
        assert_eq!((levels(&narrow), levels(&wide)), (13, 13));
    }

    /// The security of a chain is at most that of its ephemeral secret, whatever its modulus.
    #[test]
    fn the_ephemeral_secret_limits_security() {
        let chain = BootstrapChain {
            log_n: 17,
            message_levels: 8,
            bootstrap: BootstrapSpec::standard(17, 4),
            ..bootstrap_chain("n16-boot").unwrap()
        };
        let (spec, _) = chain.generate().unwrap();
        let with = |security, allow_insecure| Parameters::new(&ParamSpec { security, allow_insecure, ..spec.clone() });
        let refused = with(256, false).unwrap_err();
        let Error::EphemeralSecret { log_n: 17, weight: 32, log_modulus, estimate: Some(192.2), security: 256, .. } =
            refused
        else {
            panic!("{refused:?}")
        };
        assert!((log_modulus - 99.0).abs() < 0.01, "{log_modulus}");
        assert!(with(192, false).unwrap_err().to_string().contains("use at least 40 non-zero coefficients"));
        let params = with(128, false).unwrap();
        assert!(params.log_qp() < 1866.0, "the modulus alone would have 256 bits: {}", params.log_qp());
        assert_eq!(params.security().level, Some(crate::SecurityLevel::Bits128));
        assert_eq!(with(256, true).unwrap().security(), params.security());
        // without an estimate there is no security level
        let light = ParamSpec { bootstrap: Some(BootstrapSpec { secret_weight: 16, ..chain.bootstrap }), ..spec };
        assert!(matches!(Parameters::new(&light), Err(Error::EphemeralSecret { estimate: None, .. })));
        assert_eq!(Parameters::new(&light.allow_insecure()).unwrap().security().level, None);
    }
}
