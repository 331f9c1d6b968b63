//! A wrong word on purpose, in builds with the feature `planted-fault`, where the environment has
//! `RINGJET_PLANT_FAULT=1`. It is for tests of the code that looks for wrong words.

use std::env;
use std::ffi::c_void;
use std::sync::LazyLock;

use crate::device::Address;
use crate::launch::{EMULATED_NAMES, Limbs};

/// Whether the environment asks for the wrong word.
static PLANTED: LazyLock<bool> = LazyLock::new(|| env::var_os("RINGJET_PLANT_FAULT").is_some_and(|value| value == "1"));

/// The address of the word that is to be wrong after a launch: word 5 of the first limb that
/// `rows_product` writes, in rings of 1024 coefficients or more.
///
/// # Safety
/// The arguments must be those of the kernel.
pub unsafe fn word(kernel: usize, arguments: &[*const c_void]) -> Option<Address> {
    if !cfg!(feature = "planted-fault") || !*PLANTED || !EMULATED_NAMES[kernel].starts_with("rows_product_") {
        return None;
    }
    // SAFETY: the first parameter of this kernel is a view.
    let Limbs { words, n, .. } = unsafe { *arguments[0].cast::<Limbs>() };
    (n >= 1024).then(|| words.offset(5))
}
