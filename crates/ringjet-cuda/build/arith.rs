//! The kernels' modular arithmetic, compiled for the host: what `tests/integration/modarith.rs` calls.

/// Compiles `tests/integration/modarith.cpp` and, through it, `kernels/modarith_*.cuh`.
pub fn compile() {
    println!("cargo:rerun-if-changed=kernels");
    println!("cargo:rerun-if-changed=tests/integration/modarith.cpp");
    println!("cargo:rerun-if-changed=build/arith.rs");
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .opt_level(2)
        .include("kernels")
        .file("tests/integration/modarith.cpp")
        // The device's additions and products must not be fused, and its fused ones are written out.
        .flag("-ffp-contract=off")
        .flag("-Wno-unknown-pragmas")
        .warnings(true)
        .compile("ringjet_modarith");
}
