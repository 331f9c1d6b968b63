//! A wrong word on purpose, in builds with the feature `planted-fault`, where the environment has
//! `RINGJET_PLANT_FAULT=rows_product`, or the name of another kernel whose first argument is a view. It is for
//! tests of the code that looks for wrong words.

use std::env;
use std::ffi::c_void;
use std::sync::LazyLock;

use crate::device::Address;
use crate::launch::{ARGUMENTS, EMULATED_NAMES, Limbs};

/// The begin of the entry points' names of the kernel that the environment names.
static PLANTED: LazyLock<Option<String>> =
    LazyLock::new(|| env::var("RINGJET_PLANT_FAULT").ok().map(|name| format!("{name}_")));

/// The address of the word that is to be wrong after a launch: word 5 of the first limb that
/// the kernel writes, in rings of 1024 coefficients or more.
///
/// # Safety
/// The arguments must be those of the kernel.
pub unsafe fn word(kernel: usize, arguments: &[*const c_void]) -> Option<Address> {
    let planted = PLANTED.as_deref().is_some_and(|name| EMULATED_NAMES[kernel].starts_with(name));
    if !cfg!(feature = "planted-fault") || !planted || !ARGUMENTS.get(kernel)?.starts_with('L') {
        return None;
    }
    // SAFETY: the first parameter of this kernel is a view, by its letter.
    let Limbs { words, n, .. } = unsafe { *arguments[0].cast::<Limbs>() };
    (n >= 1024).then(|| words.offset(5))
}
