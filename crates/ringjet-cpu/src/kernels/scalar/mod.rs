//! Portable kernels for every prime below 2^61.

pub mod baseconv;
pub mod big;
pub mod class_products;
pub mod eltwise;
pub mod ntt;
