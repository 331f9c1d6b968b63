//! Looking for a GPU and opening it: drivers and devices that cannot be used, and why.

use ringjet_cuda::{CudaBackend, Unavailable, discover};

use super::{assert_unavailable, kernels, open};
use crate::fake_driver::{Fake, FakeMachine, PLAIN, run, run_without, with};

#[test]
fn no_driver() {
    run_without(FakeMachine { driver: false, ..PLAIN }, || assert_unavailable(0, Unavailable::NoDriver));
}

#[test]
fn an_old_driver() {
    let machine = with(&[("RINGJET_FAKE_DRIVER", "11080")]);
    run(machine, |_| assert_unavailable(0, Unavailable::OldDriver { found: 11080, needed: 12000 }));
}

#[test]
fn no_device() {
    run(with(&[("RINGJET_FAKE_DEVICES", "0")]), |_| {
        assert_unavailable(0, Unavailable::NoDevice { found: 0, wanted: 0 })
    });
}

#[test]
fn too_few_devices() {
    run(with(&[("RINGJET_FAKE_DEVICES", "2")]), |_| {
        assert_unavailable(2, Unavailable::NoDevice { found: 2, wanted: 2 });
        assert_unavailable(usize::MAX, Unavailable::NoDevice { found: 2, wanted: usize::MAX });
    });
}

#[test]
fn a_device_without_memory_pools() {
    let why = || Unavailable::OldDevice { name: "Fake GPU 0".into(), what: "memory pools" };
    run(with(&[("RINGJET_FAKE_POOLS", "0")]), |_| assert_unavailable(0, why()));
}

#[test]
fn a_driver_that_does_not_start() {
    run(with(&[("RINGJET_FAKE_INIT", "803")]), |_| {
        let why = discover(0).unwrap_err();
        assert!(why.to_string().contains("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"), "{why}");
        assert_unavailable(0, why);
    });
}

#[test]
fn discovery_describes_the_gpu() {
    let machine =
        with(&[("RINGJET_FAKE_CAPABILITY", "103"), ("RINGJET_FAKE_BYTES", "123456789"), ("RINGJET_FAKE_RATIO", "64")]);
    run(machine, |fake| {
        let gpu = discover(0).unwrap();
        assert_eq!(
            (gpu.name.as_str(), gpu.capability, gpu.bytes, gpu.driver, gpu.single_to_double),
            ("Fake GPU 0", (10, 3), 123456789, 13000, 64)
        );
        assert_eq!((fake.compilations(), fake.counts().contexts), (0, 0));
        drop(open());
        assert!(kernels::files()[0].starts_with("kernels-sm_103-"), "{:?}", kernels::files());
    });
}

/// Asserts that the self-test finds this operation wrong.
fn assert_wrong(fake: &Fake, operation: &str) {
    let Err(Unavailable::Wrong { name, what, found, expected, .. }) = CudaBackend::open(0) else { panic!() };
    assert_eq!((name.as_str(), what), ("Fake GPU 0", operation));
    assert_ne!(found, expected);
    assert_eq!(fake.counts().taken, 0);
}

#[test]
fn a_device_with_wrong_products() {
    run(with(&[("RINGJET_FAKE_SKIP", "ringjet_products")]), |fake| assert_wrong(fake, "a product of polynomials"));
}

#[test]
fn a_device_with_wrong_key_switches() {
    run(with(&[("RINGJET_FAKE_SKIP", "ringjet_rows_product")]), |fake| assert_wrong(fake, "a key switch"));
}

#[test]
fn a_device_with_wrong_sums_of_rotations() {
    run(with(&[("RINGJET_FAKE_SKIP", "ringjet_rotate_sum")]), |fake| assert_wrong(fake, "a sum of rotations"));
}

#[test]
fn no_room_to_start_is_an_error() {
    run(with(&[("RINGJET_FAKE_BYTES", "1000")]), |_| {
        let Err(why) = CudaBackend::open(0) else { panic!() };
        assert!(why.to_string().contains("out of memory on cuda"), "{why}");
    });
}
