//! Work on the host for backends without threads of their own: threads that end with the call, and
//! memory allocation that returns an error instead of aborting.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::{BackendError, Result};

/// Number of words of work below which starting a thread costs more time than it saves.
const WORTH_STARTING: usize = 1 << 16;

/// [`Backend::parallel`](crate::Backend::parallel) for backends without host threads of their own.
/// It uses `threads` threads, the caller's included, which end with the call. No thread outlives
/// the call, so it works in a forked process, too.
pub fn scoped(threads: usize, jobs: usize, words: usize, run: &(dyn Fn(usize, usize) + Sync)) {
    let workers = if words < WORTH_STARTING { 1 } else { threads.min(jobs) };
    let next = AtomicUsize::new(0);
    let work = |worker| {
        loop {
            let job = next.fetch_add(1, Ordering::Relaxed);
            if job >= jobs {
                break;
            }
            run(worker, job);
        }
    };
    thread::scope(|scope| {
        for worker in 1..workers {
            // if the system refuses a thread, the other threads do its jobs
            let _ = thread::Builder::new().spawn_scoped(scope, move || work(worker));
        }
        work(0);
    });
}

/// A vector of `len` zeros.
///
/// # Errors
/// [`BackendError::OutOfMemory`] if the host lacks the memory.
pub fn zeros<T: Copy + Default>(len: usize) -> Result<Vec<T>> {
    let mut out = capacity(len)?;
    out.resize(len, T::default());
    Ok(out)
}

/// An empty vector with room for `len` values.
///
/// # Errors
/// [`BackendError::OutOfMemory`] if the host lacks the memory.
pub fn capacity<T>(len: usize) -> Result<Vec<T>> {
    let mut out = Vec::new();
    out.try_reserve_exact(len).map_err(|_| out_of_memory(len.saturating_mul(size_of::<T>())))?;
    Ok(out)
}

/// The error for a request of `bytes` bytes that the host cannot allocate.
pub fn out_of_memory(bytes: usize) -> BackendError {
    BackendError::OutOfMemory { backend: "the host".into(), bytes, free: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_runs_once_whatever_the_threads() {
        for (threads, jobs) in [(1, 5), (2, 1), (3, 100), (8, 3), (4, 0)] {
            for words in [0, usize::MAX] {
                let runs: Vec<AtomicUsize> = (0..jobs).map(|_| AtomicUsize::new(0)).collect();
                scoped(threads, jobs, words, &|worker, job| {
                    assert!(worker < threads);
                    runs[job].fetch_add(1, Ordering::Relaxed);
                });
                assert!(runs.iter().all(|r| r.load(Ordering::Relaxed) == 1), "{threads} threads, {jobs} jobs");
            }
        }
    }

    #[test]
    fn memory_that_is_not_there_is_an_error() {
        assert_eq!(zeros::<u64>(3).unwrap(), [0; 3]);
        let refused = zeros::<u64>(1 << 58).unwrap_err();
        assert_eq!(refused, out_of_memory(1 << 61));
        assert!(capacity::<u8>(usize::MAX).is_err());
    }
}
