//! [`Sequence`]: launches with copies of their arguments.

use std::ffi::c_void;

use crate::device::Grid;
use crate::launch::{ARGUMENTS, argument_bytes};

/// A launch without its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Step {
    /// Number of the kernel.
    pub kernel: usize,
    /// Shape of the launch.
    pub grid: Grid,
    /// Index of its first argument among the words of the sequence.
    first: usize,
}

/// Launches in their order, with copies of their arguments. Each argument begins at a multiple of 8
/// bytes.
#[derive(Debug, Clone, Default)]
pub struct Sequence {
    steps: Vec<Step>,
    words: Vec<u64>,
}

impl Sequence {
    /// Appends a launch and copies its arguments.
    ///
    /// # Safety
    /// As for [`Device::launch`](crate::device::Device::launch).
    pub unsafe fn push(&mut self, kernel: usize, grid: Grid, arguments: &[*const c_void]) {
        self.steps.push(Step { kernel, grid, first: self.words.len() });
        for (from, letter) in arguments.iter().zip(ARGUMENTS[kernel].chars()) {
            let (at, bytes) = (self.words.len(), argument_bytes(letter));
            self.words.resize(at + bytes.div_ceil(8), 0);
            // SAFETY: the caller guarantees a value of the type that the letter states, which has
            // this many bytes and no padding. The words behind `at` have room for it.
            unsafe { std::ptr::copy_nonoverlapping(from.cast::<u8>(), self.words[at..].as_mut_ptr().cast(), bytes) };
        }
    }

    /// The launches without their arguments. They also tell where the arguments lie.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The arguments of launch `i`, as [`Device::launch`](crate::device::Device::launch) takes
    /// them. Valid until the sequence is changed.
    pub fn arguments(&self, i: usize) -> Vec<*const c_void> {
        let mut at = self.steps[i].first;
        let pointer = |letter: char| {
            let from = self.words[at..].as_ptr().cast();
            at += argument_bytes(letter).div_ceil(8);
            from
        };
        ARGUMENTS[self.steps[i].kernel].chars().map(pointer).collect()
    }

    /// The words of the arguments of launch `i`.
    pub fn words(&self, i: usize) -> &[u64] {
        let end = self.steps.get(i + 1).map_or(self.words.len(), |next| next.first);
        &self.words[self.steps[i].first..end]
    }

    /// Copies the arguments of launch `i` of `other`, a sequence of the same steps.
    pub fn copy_words(&mut self, i: usize, other: &Self) {
        let first = self.steps[i].first;
        let from = other.words(i);
        self.words[first..first + from.len()].copy_from_slice(from);
    }

    /// Removes all launches and keeps the memory.
    pub fn clear(&mut self) {
        self.steps.clear();
        self.words.clear();
    }
}
