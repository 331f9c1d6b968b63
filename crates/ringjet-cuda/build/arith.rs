//! Compiles the kernels' modular arithmetic for the host; `tests/integration/modarith.rs` calls it.

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
        // The compiler must not fuse additions and products by itself: the kernels write fused ones
        // out.
        .flag("-ffp-contract=off")
        .flag("-Wno-unknown-pragmas")
        .warnings(true)
        .compile("ringjet_modarith");
}
