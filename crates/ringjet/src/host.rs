//! Work on the host: loops shared by the threads of a backend, and reports to an observer.

use std::sync::{Mutex, MutexGuard, PoisonError};

use ringjet_backend::{Backend, host};
use zeroize::Zeroizing;

use crate::{Error, Result};

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The result of `make`; `None`, without a call of `make`, if the backend only counts.
pub(crate) fn values<T>(backend: &dyn Backend, make: impl FnOnce() -> T) -> Option<T> {
    backend.computes().then(make)
}

/// [`Backend::parallel`] over `items`: calls `work(worker, item)` once for each item.
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

/// Scratch memory for each thread of a backend. It holds no secret values.
pub(crate) struct PerThread(Vec<Mutex<Zeroizing<Vec<u64>>>>);

impl PerThread {
    /// Allocates `words` words for each thread.
    pub fn new(backend: &dyn Backend, words: usize) -> Result<Self> {
        let threads = if words == 0 { 0 } else { backend.host_threads() };
        Ok(Self((0..threads).map(|_| Ok(Mutex::new(Zeroizing::new(host::zeros(words)?)))).collect::<Result<_>>()?))
    }

    /// The words of the thread `worker`; no other thread uses them.
    pub fn of(&self, worker: usize) -> MutexGuard<'_, Zeroizing<Vec<u64>>> {
        lock(&self.0[worker])
    }
}

/// Called between the steps of making a key. An error that it returns stops the work.
pub(crate) type Check<'a> = &'a mut dyn FnMut() -> Result<()>;

/// Reports to an observer how many of `total` things are done. If it returns false, the work stops.
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

    /// Calls the observer while a thing is being made, with the count unchanged.
    pub(crate) fn check(&mut self) -> Result<()> {
        if (self.observer)(self.done, self.total) { Ok(()) } else { Err(Error::Interrupted) }
    }
}
