//! Keys, ciphertexts and parameter sets with which bootstrapping cannot work.

use super::*;

#[test]
fn what_is_missing_is_said() {
    let rig = Rig::new(&chain(8), 7, 6);
    let values = random(128, 1);
    let ct = rig.encrypt(&values, rig.lowest());
    let without = Evaluator::bootstrapping(&rig.ctx, Arc::new(ringjet::EvaluationKeys::empty(rig.params()))).unwrap();
    assert_eq!(without.bootstrap(&ct).err(), Some(Error::MissingBootstrappingKeys { slots: 128, available: vec![] }));
    // an evaluator without bootstrappers does not bootstrap, even with the keys
    let plain = Evaluator::new(&rig.ctx, Arc::new(rig.eval.keys().clone())).unwrap();
    assert!(matches!(plain.bootstrap(&ct), Err(Error::Argument { name: "evaluator", .. })) && !plain.can_bootstrap());
    assert_eq!(plain.mul_auto(&ct, &ct).unwrap().level(), ct.level() - 1);
    assert!(matches!(
        rig.eval.bootstrap(&rig.encrypt(&values, 0)),
        Err(Error::ModulusExhausted { op: "bootstrapping", needed: 2, left: 0, .. })
    ));
    let scaled = ct.with_scale(ringjet::Scale::power_of_two(38));
    assert!(matches!(rig.eval.bootstrap(&scaled), Err(Error::BootstrapMagnitude { limit: 1.0, .. })));
    let scaled = scaled.with_magnitude(1.0);
    assert!(matches!(rig.eval.bootstrap(&scaled), Err(Error::ScaleMismatch { .. })));
    let leveled = Parameters::new(&ringjet::ParamSpec::uniform(8, 50, 2, 40, 2).allow_insecure()).unwrap();
    let ctx = Context::new(&leveled, Arc::new(CpuBackend::new(CpuConfig::default()).unwrap()));
    assert!(matches!(Bootstrapper::new(&ctx, 7, |_, _| true), Err(Error::NoBootstrapping { .. })));
    assert!(matches!(Bootstrapper::new(&rig.ctx, 7, |_, _| false), Err(Error::Interrupted)));
    // a key that serves only lower levels
    let top = rig.params().max_level();
    let high = rig.encrypt(&values, top);
    assert!(matches!(rig.eval.mul(&high, &high).and_then(|p| rig.eval.relinearize(&p)), Err(Error::KeyLevel { .. })));
    // a circuit that fails too often, and one whose ephemeral secret is insecure
    let base = chain(16);
    let often = BootstrapSpec { k: 8, ..base.bootstrap.clone() };
    let (spec, _) = BootstrapChain { bootstrap: often, ..base }.generate().unwrap();
    let refused = Parameters::new(&spec).err().unwrap().to_string();
    assert!(refused.contains("2^-128"), "{refused}");
}

/// A parameter set may be hostile: it must cause neither a panic nor long work.
#[test]
fn senseless_circuits_are_refused() {
    let (good, _) = chain(8).generate().unwrap();
    let refused = |change: &dyn Fn(&mut BootstrapSpec)| {
        let mut spec = good.clone().allow_insecure();
        change(spec.bootstrap.as_mut().unwrap());
        Parameters::new(&spec).err().map(|e| e.to_string())
    };
    assert_eq!(refused(&|_| ()), None);
    let changes: [&dyn Fn(&mut BootstrapSpec); 8] = [
        &|b| b.coeffs_to_slots = vec![u32::MAX, 8],
        &|b| b.slots_to_coeffs = vec![0, 7],
        &|b| b.degree = usize::MAX,
        &|b| b.k = 65,
        &|b| b.passes = u32::MAX,
        &|b| b.double_angles = u32::MAX,
        &|b| b.secret_weight = 1 << 30,
        &|b| b.arcsine = usize::MAX,
    ];
    // as a whole in the keys, CoeffsToSlots leaves room for at most N/4 slots
    let whole = |stages: u32, double_angles| BootstrapSpec {
        slots_to_coeffs: vec![stages],
        coeffs_to_slots: vec![stages],
        matrix_keys: true,
        double_angles,
        ..good.bootstrap.clone().unwrap()
    };
    assert!(refused(&|b| *b = whole(7, 3)).unwrap().contains("the same sum, at most 6"));
    assert!(refused(&|b| *b = whole(6, 0)).unwrap().contains("EvalMod needs double angles and no arcsine"));
    assert!(refused(&|b| b.coeffs_to_slots = vec![3, 3]).unwrap().contains("the same sum, at most 7"));
    // a scale so far from that of the raised ciphertext that products of the matrix do not fit
    let mut far = keyed(chain(8)).generate().unwrap().0.allow_insecure();
    far.levels.as_mut().unwrap().last_mut().unwrap().scale = Some(1 << 12);
    assert!(Parameters::new(&far).unwrap_err().to_string().contains("products grow by"));
    let mut far = super::few_slots::whole(chain(8), 3);
    far.coeffs_to_slots_bits = 100.0;
    let why = Parameters::new(&far.generate().unwrap().0.allow_insecure()).unwrap_err().to_string();
    assert!(why.contains("products grow by"), "{why}");
    // a highest modulus so close to q_0 that one half of the products does not fit
    let small = BootstrapSpec {
        slots_to_coeffs: vec![4],
        coeffs_to_slots: vec![2, 2],
        degree: 3,
        double_angles: 0,
        matrix_keys: true,
        secret_weight: 8,
        ..BootstrapSpec::standard(5, 2)
    };
    let near = ParamSpec {
        levels: Some((0..6).map(|l| LevelSpec { primes: (0..=l).collect(), scale: None }).collect()),
        bootstrap: Some(small),
        ..ParamSpec::uniform(5, 50, 5, 20, 1).allow_insecure()
    };
    let why = Parameters::new(&near).unwrap_err().to_string();
    assert!(why.contains("raising the modulus adds 100.0 bits: a matrix in the keys needs 109"), "{why}");
    for (i, change) in changes.into_iter().enumerate() {
        assert!(refused(change).is_some_and(|e| e.contains("bootstrapping")), "change {i}");
    }
    // more passes than there are levels
    let few = BootstrapChain { message_levels: 1, ..chain(8) };
    let (spec, _) =
        BootstrapChain { bootstrap: BootstrapSpec { passes: 3, ..few.bootstrap.clone() }, ..few }.generate().unwrap();
    assert!(Parameters::new(&spec.allow_insecure()).err().unwrap().to_string().contains("too few"));
    for bad in [
        BootstrapChain { message_levels: usize::MAX, ..chain(8) },
        BootstrapChain { log_n: 0, ..chain(8) },
        BootstrapChain { eval_mod_bits: f64::NAN, ..chain(8) },
        BootstrapChain { log_ratio: 1e300, ..chain(8) },
        BootstrapChain { slots_to_coeffs_bits: 19, ..chain(8) },
        BootstrapChain { slots_to_coeffs_bits: 51, ..chain(8) },
        BootstrapChain {
            shared_primes: true,
            log_ratio: 10.0,
            bootstrap: BootstrapSpec { slots_to_coeffs_first: false, ..chain(8).bootstrap },
            ..chain(8)
        },
        BootstrapChain {
            slots_to_coeffs_bits: 36,
            log_ratio: 10.0,
            bootstrap: BootstrapSpec { slots_to_coeffs_first: false, ..chain(8).bootstrap },
            ..chain(8)
        },
    ] {
        assert!(matches!(bad.generate(), Err(Error::Parameters(_))), "{bad:?}");
    }
    // a chain for SlotsToCoeffs in the other place: its levels exist, but the scales do not fit
    let mut turned = good.clone().allow_insecure();
    turned.bootstrap.as_mut().unwrap().slots_to_coeffs_first = false;
    if let Ok(params) = Parameters::new(&turned) {
        let ctx = Context::new(&params, Arc::new(CpuBackend::new(CpuConfig::default()).unwrap()));
        let made = Bootstrapper::new(&ctx, 7, |_, _| true);
        assert!(matches!(made, Ok(_) | Err(Error::Parameters(_))), "{:?}", made.err());
    }
    let params = Parameters::new(&good.allow_insecure()).unwrap();
    let ctx = Context::new(&params, Arc::new(CpuBackend::new(CpuConfig::default()).unwrap()));
    for log_slots in [8, 64, u32::MAX] {
        assert!(matches!(Bootstrapper::new(&ctx, log_slots, |_, _| true), Err(Error::SlotCount { .. })));
        assert!(matches!(Bootstrapper::key_plan(&params, log_slots), Err(Error::SlotCount { .. })));
    }
}
