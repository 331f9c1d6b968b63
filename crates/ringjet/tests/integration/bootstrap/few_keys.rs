//! Matrices with few baby steps, whose giant steps share a key.

use super::*;
use ringjet::KeyUse;

/// `chain` with at most so many baby steps in a matrix.
fn few(chain: BootstrapChain, baby_steps: u32) -> BootstrapChain {
    BootstrapChain { bootstrap: BootstrapSpec { baby_steps, ..chain.bootstrap }, ..chain }
}

#[test]
fn fewer_baby_steps_are_as_precise() {
    let base = BootstrapChain { scale_bits: 38, slots_to_coeffs_bits: 38, log_ratio: 12.0, ..chain(9) };
    let last = BootstrapSpec { slots_to_coeffs_first: false, ..base.bootstrap.clone() };
    let last = BootstrapChain { bootstrap: last, ..base.clone() };
    for (name, chain) in [("first", base.clone()), ("last", last), ("in keys", keyed(base))] {
        for (baby_steps, log_slots) in [(1, 8), (2, 8), (4, 8), (256, 8), (2, 7), (4, 4)] {
            println!("SlotsToCoeffs {name}, {baby_steps} baby steps, 2^{log_slots} slots");
            expect_patterns(&Rig::new(&few(chain.clone(), baby_steps), log_slots, 21), 21.0, 19.0);
        }
    }
}

/// Each matrix takes one key for each baby step but the first, and one for all giant steps. The rotation
/// before SlotsToCoeffs is one by 1, which has a key.
#[test]
fn giant_steps_share_a_key() {
    let of = |chain: BootstrapChain| {
        let params = Parameters::new(&chain.generate().unwrap().0.allow_insecure()).unwrap();
        let plan = Bootstrapper::key_plan(&params, 8).unwrap();
        let rotations = plan.uses().filter(|(purpose, _)| matches!(purpose, KeyUse::Rotation(_)));
        rotations.map(|(purpose, _)| purpose).collect::<std::collections::BTreeSet<_>>().len()
    };
    // Strides are 1 and 16 in SlotsToCoeffs, which has twice as many baby steps, 4 and 1 in CoeffsToSlots:
    // with one baby step there are keys for 1, 2, 16, 32, and 4
    for (baby_steps, keys) in [(1, 5), (2, 9), (4, 17)] {
        assert_eq!(of(few(keyed(chain(9)), baby_steps)), keys, "{baby_steps} baby steps");
    }
    assert!(of(keyed(chain(9))) > 20);
}

#[test]
fn numbers_of_baby_steps_that_are_refused() {
    for baby_steps in [3, 12, 1 << 17] {
        let refused = few(chain(9), baby_steps).generate().unwrap_err().to_string();
        assert!(refused.contains(&format!("{baby_steps} baby steps: 0 or a power of two")), "{refused}");
    }
}
