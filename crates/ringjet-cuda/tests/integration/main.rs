//! The integration tests of the CUDA backend, in one program so that it is linked once.

/// Tests that call one function, each with another argument. All can be ignored.
macro_rules! tests {
    ($function:path: $($name:ident($argument:expr);)+) => {
        $(#[test]
        fn $name() {
            $function($argument);
        })+
    };
    (ignored $reason:literal $function:path: $($name:ident($argument:expr);)+) => {
        $(#[test]
        #[ignore = $reason]
        fn $name() {
            $function($argument);
        })+
    };
}

mod conformance;
#[cfg(target_os = "linux")]
mod driver;
#[cfg(target_os = "linux")]
mod fake_driver;
mod gemm;
#[cfg(target_os = "linux")]
mod heaan004;
mod large_rings;
mod launches;
mod long_sums;
mod memory;
mod mirror;
#[cfg(feature = "host-arith")]
mod modarith;
#[cfg(feature = "host-arith")]
mod modarith_calls;
mod predict;
mod products;
mod program;
mod scheme;
mod shared;
mod suite;
mod textbook;
mod traffic;
mod transforms;
