//! Tests of the CPU backend's public interface, in one program so that it is linked once.

mod big;
mod class_products;
mod conformance;
#[cfg(feature = "instrument")]
mod kernel_calls;
