//! Vector kernels that do not depend on how products are reduced.

pub mod baseconv;
pub mod eltwise;
pub mod permute;
pub mod vectors;
