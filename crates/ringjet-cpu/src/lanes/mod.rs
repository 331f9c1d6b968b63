//! Vector kernels, independent of how products are reduced.

pub mod baseconv;
pub mod eltwise;
