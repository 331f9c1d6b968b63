//! Parameter sets, their security, and how many primes they take.

use ringjet::Error;
use ringjet::SecurityLevel;
use ringjet::heaan::{PRESET_NAMES, ParamSpec, Parameters, Secret, preset};

use ringjet::rlwe::security::max_log_qp;

use super::fixture::spec;

#[test]
fn presets_are_secure_with_margin_or_say_so() {
    for name in PRESET_NAMES {
        let params = preset(name).unwrap();
        assert!(params.basis().values().all(|q| q < 1 << 50), "{name}");
        assert_eq!(Parameters::new(params.spec()).unwrap(), params);
        if params.spec().allow_insecure {
            assert!(format!("{params:?}").contains("allow_insecure"), "{params:?}");
            assert!(Parameters::new(&ParamSpec { allow_insecure: false, ..params.spec().clone() }).is_err());
        } else {
            let allowed = max_log_qp(params.log_n(), SecurityLevel::Bits128).unwrap();
            assert!(f64::from(2 * params.log_q()) <= 0.98 * f64::from(allowed), "{name}: {params:?}");
        }
    }
    let known = preset("heaan").unwrap_err().to_string();
    assert!(PRESET_NAMES.iter().all(|name| known.contains(name)), "{known}");
}

#[test]
fn insecure_sets_are_refused_with_the_way_out() {
    let paper = Parameters::new(&ParamSpec::new(16, 1200)).unwrap_err();
    assert_eq!(paper, Error::Insecure { log_n: 16, log_qp: 2400.0, log_q: Some(1200), allowed: 1747, security: 128 });
    assert!(paper.to_string().contains("log_q up to 873"), "{paper}");
    let sparse = ParamSpec { secret: Secret::Weight(64), ..ParamSpec::new(16, 600) };
    assert_eq!(Parameters::new(&sparse).unwrap_err(), Error::SparseSecret { weight: 64 });
    let shown = format!("{:?}", preset("heaan-n16-q1200").unwrap());
    assert!(shown.contains("below 128 bits") && shown.contains("allow_insecure"), "{shown}");
    assert!(format!("{:?}", preset("heaan-n15-boot").unwrap()).contains("in no table"));
}

#[test]
fn numbers_of_primes() {
    let paper = preset("heaan-n16-q1200").unwrap();
    assert_eq!(paper.primes_for(1200, 1200, 2).unwrap(), 49);
    assert_eq!(paper.primes_for(1200, 2400, 1).unwrap(), 73);
    assert_eq!((paper.basis().len(), paper.depth()), (73, 38));
    // exactness: the product of the primes is at least twice the range of the sums
    for (a, b, terms) in [(60, 60, 2), (1200, 31, 1), (30, 2400, 1), (700, 700, 5)] {
        let primes = paper.primes_for(a, b, terms).unwrap();
        let needed = f64::from(a + b - 2 + 16) + (terms as f64).log2() + 1.0;
        let have = |k: usize| paper.basis().prefix(k).log2();
        assert!(have(primes) > needed && have(primes - 1) < needed + 2.0, "{a} {b} {terms}: {primes}");
    }
    assert!(matches!(paper.primes_for(2400, 2400, 1), Err(Error::ModulusExhausted { .. })));
}

#[test]
fn specs_are_checked() {
    let cases = [
        ParamSpec { log_n: 3, ..spec(6, 60) },
        ParamSpec { log_n: 18, ..spec(6, 60) },
        ParamSpec { log_q: 19, ..spec(6, 60) },
        ParamSpec { log_q: 4097, ..spec(6, 60) },
        ParamSpec { log_p: 0, ..spec(6, 60) },
        ParamSpec { log_p: 59, ..spec(6, 60) },
        ParamSpec { log_slots: Some(6), ..spec(6, 60) },
        ParamSpec { secret: Secret::Weight(0), ..spec(6, 60) },
        ParamSpec { secret: Secret::Weight(65), ..spec(6, 60) },
        ParamSpec { security: 100, ..spec(6, 60) },
    ];
    for bad in cases {
        assert!(matches!(Parameters::new(&bad), Err(Error::Parameters(_))), "{bad:?}");
    }
    // the default number of slots is the same whether it is said or not
    let said = ParamSpec { log_slots: Some(5), ..spec(6, 60) };
    assert_eq!(Parameters::new(&said).unwrap(), Parameters::new(&spec(6, 60)).unwrap());
    for other in [spec(6, 61), spec(7, 60), ParamSpec { log_p: 29, ..spec(6, 60) }] {
        assert_ne!(Parameters::new(&other).unwrap(), Parameters::new(&spec(6, 60)).unwrap());
    }
}
