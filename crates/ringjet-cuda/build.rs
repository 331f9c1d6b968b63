//! Compiles what the tests need of the kernels for the host.

#[cfg(feature = "host-arith")]
#[path = "build/arith.rs"]
mod arith;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    #[cfg(feature = "host-arith")]
    arith::compile();
}
