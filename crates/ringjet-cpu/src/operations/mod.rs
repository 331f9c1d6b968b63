//! The operations of a backend, under the names of its methods, divided into tasks for the threads of a
//! [`crate::machine::CpuMachine`].

mod base_convert;
mod big;
mod buffers;
mod class_products;
mod elementwise;
mod gemm;
mod integers;
mod keyswitch;
mod uniform;

pub use base_convert::base_convert;
pub use big::{big_automorphism, big_lincomb, big_mul, big_prepare, crt_join, crt_split, shift_round};
pub use buffers::{copy, download, upload, upload_each};
pub use class_products::class_products;
pub use elementwise::{automorphism, expand, intt, lincomb, mul, mul_acc, ntt, tensor};
pub use gemm::gemm;
pub use integers::integer_factors;
pub use keyswitch::{
    divide_round, hoisted_rotate_sum, hoisted_rotations, is_fused, key_inner_product, key_switch, mod_up, rotate_into,
};
pub use uniform::fill_uniform;
