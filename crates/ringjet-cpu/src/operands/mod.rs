//! What kernels read and write: words of buffers and of scratch memory, with their prefetching.

pub mod class_shape;
pub mod prefetch;
pub mod rows;
pub mod scratch;
pub mod strip;
pub mod terms;
pub mod views;
