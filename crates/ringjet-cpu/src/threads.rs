//! The threads of one backend.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// Words of work below which waking another thread costs more than it brings.
const WORTH_SHARING: usize = 1 << 14;

/// The calling thread and `count - 1` helpers of its own.
#[derive(Debug)]
pub struct Threads {
    /// `None` with one thread: everything runs inline.
    helpers: Option<ThreadPool>,
    count: usize,
}

impl Threads {
    /// `count` threads; 0: one a core.
    pub fn new(count: usize) -> Result<Self, ThreadPoolBuildError> {
        let count = match count {
            0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
            n => n,
        };
        if count == 1 {
            return Ok(Self { helpers: None, count });
        }
        let name = |i| format!("ringjet-{i}");
        let helpers = ThreadPoolBuilder::new().num_threads(count - 1).thread_name(name).build()?;
        Ok(Self { helpers: Some(helpers), count })
    }

    /// Number of threads, the caller's included.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Calls `task(worker, i)` once for every `i < tasks`, in any order, on all threads; `worker < count()` is
    /// different for tasks that run at the same time. `words` says how much work there is in all.
    pub fn run(&self, tasks: usize, words: usize, task: impl Fn(usize, usize) + Sync) {
        let helpers = match &self.helpers {
            Some(helpers) if tasks > 1 && words >= WORTH_SHARING => helpers,
            _ => return (0..tasks).for_each(|i| task(0, i)),
        };
        let workers = self.count.min(tasks);
        let first = |worker| worker * tasks / workers;
        let next: Vec<AtomicUsize> = (0..workers).map(|worker| AtomicUsize::new(first(worker))).collect();
        let work = |worker| {
            for range in (worker..workers).chain(0..worker) {
                loop {
                    let i = next[range].fetch_add(1, Ordering::Relaxed);
                    if i >= first(range + 1) {
                        break;
                    }
                    task(worker, i);
                }
            }
        };
        helpers.in_place_scope(|scope| {
            let work = &work;
            for worker in 1..workers {
                scope.spawn(move |_| work(worker));
            }
            work(0);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_runs_once_and_workers_do_not_overlap() {
        for count in [1, 2, 3, 7] {
            let threads = Threads::new(count).unwrap();
            for tasks in [0, 1, 2, 3, 5, 1000] {
                let hits: Vec<AtomicUsize> = (0..tasks).map(|_| AtomicUsize::new(0)).collect();
                let busy: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
                threads.run(tasks, usize::MAX, |worker, i| {
                    assert_eq!(busy[worker].fetch_add(1, Ordering::SeqCst), 0);
                    hits[i].fetch_add(1, Ordering::SeqCst);
                    busy[worker].fetch_sub(1, Ordering::SeqCst);
                });
                assert!(hits.iter().all(|h| h.load(Ordering::SeqCst) == 1), "{count} threads, {tasks} tasks");
            }
        }
    }
}
