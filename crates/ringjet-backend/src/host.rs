//! Work on the host for backends without threads of their own: threads that end with the call, and
//! memory allocation that returns an error instead of aborting.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

pub use ringjet_math::memory::{OutOfMemory, capacity, collected, expect, zeros};

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
}
