//! Work on the host: shared by the threads of a backend, or watched by an observer who may stop it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use ringjet_backend::{Backend, host};

use crate::{Error, Result};

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The data that `make` prepares for the backend; `None`, unprepared, where it only counts.
pub(crate) fn values<T>(backend: &dyn Backend, make: impl FnOnce() -> T) -> Option<T> {
    backend.computes().then(make)
}

/// Calls `work(worker, item)` once for each item, as [`Backend::parallel`] does.
pub(crate) fn for_each<T: Send>(
    backend: &dyn Backend,
    words: usize,
    items: impl IntoIterator<Item = T>,
    work: impl Fn(usize, T) + Sync,
) {
    let items: Vec<Mutex<Option<T>>> = items.into_iter().map(|item| Mutex::new(Some(item))).collect();
    backend.parallel(items.len(), words, &|worker, i| {
        let item = lock(&items[i]).take();
        if let Some(item) = item {
            work(worker, item);
        }
    });
}

/// Words for each thread of a backend to work with. They hold nothing secret.
pub(crate) struct PerThread(Vec<Mutex<Vec<u64>>>);

impl PerThread {
    /// `words` words for each thread.
    pub fn new(backend: &dyn Backend, words: usize) -> Result<Self> {
        let threads = if words == 0 { 0 } else { backend.host_threads() };
        Ok(Self((0..threads).map(|_| Ok(Mutex::new(host::zeros(words)?))).collect::<Result<_>>()?))
    }

    /// The words of this worker, which no other one uses.
    pub fn of(&self, worker: usize) -> MutexGuard<'_, Vec<u64>> {
        lock(&self.0[worker])
    }
}

/// Asks between steps of a key whether to go on; an error stops the work.
pub(crate) type Check<'a> = &'a mut dyn FnMut() -> Result<()>;

/// Tells an observer how many of `total` things are done. It stops the work when it returns false.
pub(crate) struct Progress<'a> {
    observer: Box<dyn FnMut(usize, usize) -> bool + 'a>,
    done: usize,
    total: usize,
}

impl<'a> Progress<'a> {
    pub(crate) fn new(total: usize, observer: impl FnMut(usize, usize) -> bool + 'a) -> Self {
        Self { observer: Box::new(observer), done: 0, total }
    }

    pub(crate) fn step(&mut self) -> Result<()> {
        self.done += 1;
        self.check()
    }

    /// Asks the observer while a thing is being made.
    pub(crate) fn check(&mut self) -> Result<()> {
        if (self.observer)(self.done, self.total) { Ok(()) } else { Err(Error::Interrupted) }
    }
}
