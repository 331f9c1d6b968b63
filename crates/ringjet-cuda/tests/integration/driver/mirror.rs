//! A GPU whose launches are repeated on the emulator and compared.

use std::sync::Arc;

use ringjet_cpu::{CpuBackend, CpuConfig};
use ringjet_cuda::{CudaBackend, Unavailable};

use super::open;
use crate::fake_driver::{run, with};
use crate::program;

const MIRROR: (&str, &str) = ("RINGJET_CUDA_MIRROR", "1");

#[test]
fn a_device_that_computes_right() {
    run(with(&[MIRROR, ("RINGJET_FAKE_SEED", "3")]), |fake| {
        let params = program::parameters(9, 50).unwrap();
        let cpu = Arc::new(CpuBackend::new(CpuConfig { threads: 1, path: None }).unwrap());
        let b = Arc::new(open());
        assert!(program::bytes(&params, Arc::clone(&b) as _).unwrap() == program::bytes(&params, cpu).unwrap());
        assert_eq!(b.difference(), None);
        assert_eq!((fake.counts().graph_builds, fake.counts().launches), (0, b.launches()));
    });
}

/// A kernel that the self-test does not run does nothing on the device.
#[test]
fn a_kernel_that_does_nothing() {
    run(with(&[MIRROR, ("RINGJET_FAKE_SKIP", "ringjet_lincomb")]), |_| {
        let params = program::parameters(9, 50).unwrap();
        let b = Arc::new(open());
        let message = program::bytes(&params, Arc::clone(&b) as _).unwrap_err().to_string();
        let difference = b.difference().unwrap();
        assert_eq!((difference.kernel, difference.argument, difference.index), ("lincomb_f64", Some(0), 0));
        assert!(message.ends_with(&difference.to_string()), "{message}");
    });
}

/// The self-test of a compared device says which kernel is wrong.
#[test]
fn a_self_test_that_finds_a_difference() {
    run(with(&[MIRROR, ("RINGJET_FAKE_SKIP", "ringjet_products")]), |_| {
        let Err(Unavailable::Failed { message, .. }) = CudaBackend::open(0) else { panic!() };
        assert!(message.contains("products_u32, ") && message.contains("word 0 of argument 0 is"), "{message}");
    });
}

#[test]
fn an_unknown_word() {
    run(with(&[("RINGJET_CUDA_MIRROR", "yes")]), |_| {
        let why = Unavailable::Switch { name: "RINGJET_CUDA_MIRROR", found: "yes".into() };
        assert_eq!(CudaBackend::open(0).err(), Some(why));
    });
}
