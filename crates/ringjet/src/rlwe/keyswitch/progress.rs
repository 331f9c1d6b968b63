//! Long work that its observer may stop.

use crate::{Error, Result};

/// Asks between steps of a key whether to go on; an error stops the work.
pub(crate) type Check<'a> = &'a mut dyn FnMut() -> Result<()>;

/// Tells an observer how many of `total` things are done. It stops the work when it returns false.
pub(crate) struct Progress<F> {
    observer: F,
    done: usize,
    total: usize,
}

impl<F: FnMut(usize, usize) -> bool> Progress<F> {
    pub(crate) fn new(total: usize, observer: F) -> Self {
        Self { observer, done: 0, total }
    }

    /// Counts one thing as done.
    pub(crate) fn step(&mut self) -> Result<()> {
        self.done += 1;
        self.check()
    }

    /// Asks the observer while a thing is being made.
    pub(crate) fn check(&mut self) -> Result<()> {
        if (self.observer)(self.done, self.total) { Ok(()) } else { Err(Error::Interrupted) }
    }
}
