//! Launches that are repeated on the emulator and compared.

use std::sync::Arc;

use ringjet_cpu::{CpuBackend, CpuConfig};
use ringjet_cuda::CudaBackend;

use crate::program;

/// An emulated device has the emulator's words, unless one is wrong on purpose. The gate's step
/// `gpu-rehearsal` runs a program with the wrong word; this test does with
/// `RINGJET_PLANT_FAULT=rows_product`.
#[test]
fn an_emulated_device_and_the_emulator() {
    let params = program::parameters(10, 50).unwrap();
    let b = Arc::new(CudaBackend::emulated_mirrored());
    let found = program::bytes(&params, Arc::clone(&b) as _);
    if std::env::var_os("RINGJET_PLANT_FAULT").is_some_and(|kernel| kernel == "rows_product") {
        let difference = b.difference().unwrap();
        assert_eq!((difference.kernel, difference.argument), ("rows_product_f64", Some(0)));
        assert_eq!((difference.index, difference.wrong), (5, 1));
        assert_eq!(difference.found, difference.expected ^ 1);
        let message = found.unwrap_err().to_string();
        assert!(message.contains(&difference.to_string()), "{message}");
    } else {
        let cpu = Arc::new(CpuBackend::new(CpuConfig { threads: 1, path: None }).unwrap());
        assert!(found.unwrap() == program::bytes(&params, cpu).unwrap());
        assert_eq!(b.difference(), None);
    }
}
