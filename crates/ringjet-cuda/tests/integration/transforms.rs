//! Compares transforms of every ring size in every arithmetic with the textbook's. The conformance
//! suite would take too long for large rings on the emulator.

use ringjet_cuda::{Arithmetic, CudaBackend};

use crate::textbook;

fn transforms(a: Arithmetic) {
    let b = CudaBackend::emulated().with_arithmetic(a);
    for log_n in 3..=17 {
        let words = textbook::transforms(&b, a, log_n).unwrap_or_else(|e| panic!("{e}"));
        assert!(words >= 6 << log_n, "log N = {log_n}: {words} words");
    }
}

tests! {
    transforms:
    u32_transforms_as_the_textbook(Arithmetic::U32);
    u32_unsigned_transforms_as_the_textbook(Arithmetic::U32Unsigned);
    f64_transforms_as_the_textbook(Arithmetic::F64);
    u64_below_50_transforms_as_the_textbook(Arithmetic::U64Below50);
    f64_below_48_transforms_as_the_textbook(Arithmetic::F64Below48);
    u64_below_48_transforms_as_the_textbook(Arithmetic::U64Below48);
    u64_below_61_transforms_as_the_textbook(Arithmetic::U64Below61);
}
