//! Few slots: all of CoeffsToSlots in the keys, and fewer slots than the transforms are made for.

use super::*;
use ringjet::KeyUse;

/// `base` for at most `2^log_slots` slots, with all of CoeffsToSlots in the keys.
pub(super) fn whole(base: BootstrapChain, log_slots: u32) -> BootstrapChain {
    let stages = vec![log_slots];
    let bootstrap =
        BootstrapSpec { matrix_keys: true, coeffs_to_slots: stages.clone(), slots_to_coeffs: stages, ..base.bootstrap };
    BootstrapChain { bootstrap, coeffs_to_slots_bits: 12.0, ..base }
}

#[test]
fn keys_can_contain_all_of_coeffs_to_slots() {
    let base = chain(9);
    let last = BootstrapSpec { slots_to_coeffs_first: false, ..base.bootstrap.clone() };
    let last =
        BootstrapChain { scale_bits: 38, slots_to_coeffs_bits: 38, log_ratio: 12.0, bootstrap: last, ..base.clone() };
    let twice = BootstrapSpec { passes: 2, ..base.bootstrap.clone() };
    let twice = BootstrapChain { bootstrap: twice, ..base.clone() };
    for (name, base, [mean, worst]) in
        [("first", &base, [24.0, 23.0]), ("last", &last, [21.0, 19.0]), ("twice", &twice, [27.0, 24.0])]
    {
        for (most, log_slots) in [(3, 3), (3, 1), (3, 0), (5, 5), (7, 7), (1, 1)] {
            println!("SlotsToCoeffs {name}, 2^{log_slots} slots of 2^{most}");
            let rig = Rig::new(&whole(base.clone(), most), log_slots, 22);
            expect_patterns(&rig, mean, worst);
            expect_products(&rig);
        }
    }
}

/// n slots take 2 n diagonals in the keys, a rotation for each stage of the trace above 2 n slots, one by
/// n, and those of SlotsToCoeffs.
#[test]
fn keys_of_a_whole_transform() {
    let params = Parameters::new(&whole(chain(9), 3).generate().unwrap().0.allow_insecure()).unwrap();
    let plan = Bootstrapper::key_plan(&params, 3).unwrap();
    let rotations: Vec<i64> = (plan.uses())
        .filter_map(|(purpose, level)| match purpose {
            KeyUse::Rotation(r) if level == Some(params.max_level()) => Some(r),
            _ => None,
        })
        .collect();
    assert_eq!(rotations, [16, 32, 64, 128]);
    // those, the halves of the slots, SlotsToCoeffs with 4 baby steps of 8, products and conjugates, and keys to
    // the ephemeral secret and back
    assert_eq!(plan.sizes(&params).unwrap().count, 4 + 1 + 4 + 2 + 2);
    let by_half = |(purpose, level)| purpose == KeyUse::Rotation(8) && level < Some(params.max_level() - 1);
    assert!(plan.uses().any(by_half), "{:?}", plan.uses().collect::<Vec<_>>());
    for log_slots in [4, 8] {
        let refused = Bootstrapper::key_plan(&params, log_slots).unwrap_err().to_string();
        assert!(refused.contains("at most 8, as many as these parameters bootstrap"), "{refused}");
    }
}

/// Real and imaginary parts share EvalMod, so `real` drops nothing, and makes no pairs.
#[test]
fn imaginary_parts_are_kept() {
    let rig = Rig::new(&whole(chain(9), 3), 3, 23);
    let (values, boot) = (random(8, 4), rig.eval.bootstrapper(3).unwrap());
    let ct = rig.encrypt(&values, rig.lowest());
    assert_eq!([false, true].map(|real| boot.phases(real)), [4, 4]);
    let out = boot.bootstrap_observed(&rig.eval, &ct, true, |_| true).unwrap();
    assert!(rig.bits(&out, &values).0 > 23.0);
    for out in boot.bootstrap_many(&rig.eval, &[&ct, &ct, &ct], true, |_| true).unwrap() {
        assert!(rig.bits(&out, &values).0 > 23.0);
    }
}

/// Where fewer slots are bootstrapped than the transforms are made for, keys for either number serve both.
#[test]
fn any_number_of_slots_can_be_bootstrapped() {
    for (chain, least) in [(chain(9), 2), (keyed(chain(9)), 3)] {
        for keys_of in 0..=least {
            let mut rig = Rig::new(&chain, keys_of, 24);
            assert_eq!(rig.eval.keys().bootstrapping(), [least]);
            for log_slots in 0..=least {
                rig.log_slots = log_slots;
                expect_patterns(&rig, 24.0, 22.0);
                expect_products(&rig);
            }
            let more = rig.eval.bootstrapper(least + 1).unwrap_err().to_string();
            assert!(more.contains(&format!("only of [{}]", 1 << least)), "{more}");
        }
    }
}

/// A count of values survives, and ciphertexts of several numbers of slots share a bootstrapper.
#[test]
fn one_slot_among_others() {
    let rig = Rig::new(&chain(9), 2, 25);
    let (one, two) = (random(1, 1), random(2, 2));
    let boot = rig.eval.bootstrapper(0).unwrap();
    assert_eq!(boot.log_slots(), 2);
    let encrypted = |values: &[Complex64]| rig.encrypt(values, rig.lowest());
    let all = [encrypted(&one), encrypted(&two), encrypted(&random(4, 3)).with_count(3).unwrap()];
    let out = boot.bootstrap_many(&rig.eval, &all.iter().collect::<Vec<_>>(), false, |_| true).unwrap();
    assert_eq!(out.iter().map(|ct| (ct.slots(), ct.count())).collect::<Vec<_>>(), [(1, 1), (2, 2), (4, 3)]);
    assert!(rig.bits(&out[0], &one).0 > 22.0 && rig.bits(&out[1], &two).0 > 22.0);
    let wide = rig.encrypt(&random(4, 3), rig.lowest()).with_log_slots(3).unwrap();
    assert!(matches!(boot.bootstrap(&rig.eval, &wide), Err(Error::SlotMismatch { lhs: 8, rhs: 4 })));
}
