//! A function for each kernel, made by the build script from `kernels/table.txt`: they pass arguments of the types that the
//! kernel has.

use std::ffi::c_void;
use std::ptr::from_ref;

use crate::arithmetic::Arithmetic;
use crate::device::{Address, Device, DeviceError, Grid};

/// A view of residue polynomials as kernels know it (`Limbs` in `kernels/device.cuh`).
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Limbs {
    /// Limb 0 of polynomial 0.
    pub words: Address,
    /// Indices of the chosen limbs (32 bits each), or 0.
    pub chosen: Address,
    /// Limbs between polynomials.
    pub stride: u32,
    /// Polynomials; one stands for each.
    pub polys: u32,
    /// Words of a limb.
    pub n: u32,
    /// Nothing.
    pub unused: u32,
}

include!(concat!(env!("OUT_DIR"), "/launches.rs"));

/// The kernels with which the emulator is tested.
#[cfg(test)]
pub mod probes {
    use super::*;
    include!(concat!(env!("OUT_DIR"), "/probes.rs"));
}
