//! The threads of one backend: the calling thread, and helper threads.
//!
//! An operation is a sequence of short steps, and all threads share each step. Waking a sleeping
//! thread takes about as long as a short step. So a waiting thread spins for [`LOOK`] before it
//! sleeps. A step ends when all its tasks are done: no thread waits for a helper that has not begun
//! by then. Measurements: `docs/tuning/threads.md`.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, mpsc};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use ringjet_backend::host;

/// Number of words of work below which waking another thread costs more time than it saves.
const WORTH_SHARING: usize = 1 << 15;

/// Bytes of memory that a new thread takes: its stack, and what the system adds.
pub const STACK: usize = 3 << 20;

/// How long a waiting thread spins before it sleeps: longer than the time between two steps of an
/// operation.
const LOOK: Duration = Duration::from_micros(100);

/// The calling thread and `count - 1` helper threads.
#[derive(Debug)]
pub struct Threads {
    helpers: Vec<Helper>,
    /// Locked by the thread whose steps the helpers are working on.
    caller: Mutex<()>,
    /// The process that started the helpers. A forked process has none of them.
    process: u32,
}

#[derive(Debug)]
struct Helper {
    desk: Arc<Desk>,
    thread: Thread,
}

/// The place through which a helper receives its work.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Desk {
    /// One of [`IDLE`], [`OFFERED`], [`TAKEN`] and [`CLOSED`].
    state: AtomicU8,
    /// Whether the helper sleeps, or is about to.
    asleep: AtomicBool,
    /// The work that is offered.
    work: Mutex<Option<Work>>,
    /// The panic of the helper's last step, if there was one.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// The helper has no work. Only the caller ends this state.
const IDLE: u8 = 0;
/// There is work that the helper may take, or the caller may take back.
const OFFERED: u8 = 1;
/// The helper is working. Only the helper ends this state.
const TAKEN: u8 = 2;
/// There will be no more work.
const CLOSED: u8 = 3;

/// A step of an operation. Every worker calls it with its worker number.
type Step<'a> = &'a (dyn Fn(usize) + Sync);

/// A step, and the thread that waits for its end.
struct Work {
    step: Step<'static>,
    /// The helper's number as a worker.
    worker: usize,
    caller: Arc<Caller>,
}

impl std::fmt::Debug for Work {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Work").finish_non_exhaustive()
    }
}

/// A thread that waits for helpers.
#[derive(Debug)]
struct Caller {
    thread: Thread,
    asleep: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns once `ready` returns true. The thread that makes `ready` true must then read `asleep`,
/// and unpark this thread if `asleep` is set.
fn wait(asleep: &AtomicBool, ready: impl Fn() -> bool) {
    let start = Instant::now();
    loop {
        for _ in 0..64 {
            if ready() {
                return;
            }
            std::hint::spin_loop();
        }
        if start.elapsed() >= LOOK {
            break;
        }
    }
    // Sequentially consistent, like the load in `ready`: either this thread sees that `ready` is
    // true, or the other thread sees that `asleep` is set.
    asleep.store(true, Ordering::SeqCst);
    while !ready() {
        thread::park();
    }
    asleep.store(false, Ordering::SeqCst);
}

impl Desk {
    fn is(&self, state: u8) -> bool {
        self.state.load(Ordering::SeqCst) == state
    }

    /// Changes the state from `from` to `to`. Returns whether the state was `from`.
    fn moves(&self, from: u8, to: u8) -> bool {
        self.state.compare_exchange(from, to, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }

    /// The loop of a helper's thread.
    fn serve(&self) {
        loop {
            wait(&self.asleep, || self.is(OFFERED) || self.is(CLOSED));
            if self.is(CLOSED) {
                return;
            }
            if !self.moves(OFFERED, TAKEN) {
                continue;
            }
            let work = lock(&self.work).take();
            if let Some(Work { step, worker, caller }) = work {
                if let Err(panic) = catch_unwind(AssertUnwindSafe(|| step(worker))) {
                    *lock(&self.panic) = Some(panic);
                }
                self.state.store(IDLE, Ordering::SeqCst);
                if caller.asleep.load(Ordering::SeqCst) {
                    caller.thread.unpark();
                }
            }
        }
    }
}

impl Helper {
    fn new(number: usize) -> io::Result<Self> {
        let desk = Arc::new(Desk::default());
        let served = Arc::clone(&desk);
        // a thread that finds no memory for its thread-local data ends the process: so there is room
        // for it, and the thread has allocated them when this function returns
        host::expect(STACK).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let (begun, began) = mpsc::sync_channel(1);
        let work = move || {
            let _ = begun.send(thread::current().id());
            served.serve();
        };
        let thread = thread::Builder::new().name(format!("ringjet-{number}")).spawn(work)?;
        let _ = began.recv();
        Ok(Self { desk, thread: thread.thread().clone() })
    }

    fn change(&self, state: u8) {
        self.desk.state.store(state, Ordering::SeqCst);
        if self.desk.asleep.load(Ordering::SeqCst) {
            self.thread.unpark();
        }
    }
}

/// Helpers that were offered work. Dropping this value waits until none of them is working.
struct Shared<'a> {
    helpers: &'a [Helper],
    caller: &'a Caller,
}

impl Drop for Shared<'_> {
    fn drop(&mut self) {
        for Helper { desk, .. } in self.helpers {
            if desk.moves(OFFERED, IDLE) {
                *lock(&desk.work) = None;
            }
        }
        for Helper { desk, .. } in self.helpers {
            wait(&self.caller.asleep, || desk.is(IDLE));
        }
    }
}

impl Threads {
    /// `count` threads; with 0 one thread per core.
    pub fn new(count: usize) -> io::Result<Self> {
        let count = match count {
            0 => thread::available_parallelism().map_or(1, |n| n.get()),
            n => n,
        };
        let mut threads = Self { helpers: Vec::new(), caller: Mutex::new(()), process: process::id() };
        for number in 0..count - 1 {
            threads.helpers.push(Helper::new(number)?);
        }
        Ok(threads)
    }

    /// Number of threads, the caller's included.
    pub fn count(&self) -> usize {
        self.helpers.len() + 1
    }

    /// Calls `task(worker, i)` once for every `i < tasks`, in any order, on all threads. Tasks of
    /// one call that run at the same time have different values of `worker`, below `count()`.
    /// `words` is the size of the work of all tasks. If the helpers are already working (for
    /// another thread, or because a task calls this function), or in a forked process, the calling
    /// thread runs all tasks itself.
    pub fn run(&self, tasks: usize, words: usize, task: impl Fn(usize, usize) + Sync) {
        let workers = self.count().min(tasks);
        let turn = if workers > 1 && words >= WORTH_SHARING { self.turn() } else { None };
        if turn.is_none() {
            return (0..tasks).for_each(|i| task(0, i));
        }
        let first = |worker| worker * tasks / workers;
        let next: Vec<AtomicUsize> = (0..workers).map(|worker| AtomicUsize::new(first(worker))).collect();
        let step = |worker| {
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
        self.share(&self.helpers[..workers - 1], &step);
    }

    /// The lock of the helpers. `None` if they are working for another call, or belong to the
    /// process from which this process was forked.
    fn turn(&self) -> Option<MutexGuard<'_, ()>> {
        if self.process != process::id() {
            return None;
        }
        match self.caller.try_lock() {
            Ok(turn) => Some(turn),
            // a task of another call panicked, and the helpers are idle again
            Err(TryLockError::Poisoned(turn)) => Some(turn.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Calls `step(0)` on this thread, and `step(i + 1)` at most once on helper i. No other call
    /// uses the helpers meanwhile.
    fn share(&self, helpers: &[Helper], step: Step<'_>) {
        let caller = Arc::new(Caller { thread: thread::current(), asleep: AtomicBool::new(false) });
        // SAFETY: a helper uses the step only from TAKEN to IDLE, and `Shared`, which is dropped
        // before this function returns or unwinds, waits for the end of that, and takes back what
        // is not taken.
        let lasting = unsafe { std::mem::transmute::<Step<'_>, Step<'static>>(step) };
        let shared = Shared { helpers, caller: &caller };
        for (i, helper) in helpers.iter().enumerate() {
            *lock(&helper.desk.panic) = None;
            *lock(&helper.desk.work) = Some(Work { step: lasting, worker: i + 1, caller: Arc::clone(&caller) });
            helper.change(OFFERED);
        }
        step(0);
        drop(shared);
        let panics: Vec<_> = helpers.iter().filter_map(|helper| lock(&helper.desk.panic).take()).collect();
        if let Some(panic) = panics.into_iter().next() {
            resume_unwind(panic);
        }
    }
}

impl Drop for Threads {
    /// Tells the helpers to end without waiting for them, since a forked process has none.
    fn drop(&mut self) {
        self.helpers.iter().for_each(|helper| helper.change(CLOSED));
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

    /// Runs one task for each of three threads. Each task waits for the others; those of helpers
    /// wait a little longer.
    fn meet(threads: &Threads, longer: Duration) {
        let workers: Vec<AtomicUsize> = (0..3).map(|_| AtomicUsize::new(0)).collect();
        threads.run(3, usize::MAX, |worker, _| {
            workers[worker].fetch_add(1, Ordering::SeqCst);
            let start = Instant::now();
            while workers.iter().any(|w| w.load(Ordering::SeqCst) == 0) {
                assert!(start.elapsed() < Duration::from_secs(60), "a helper is missing");
                thread::yield_now();
            }
            if worker > 0 {
                thread::sleep(longer);
            }
        });
        assert!(workers.iter().all(|w| w.load(Ordering::SeqCst) == 1));
    }

    /// Tests helpers that are awake, about to sleep, or asleep, and a caller that sleeps before
    /// they have finished.
    #[test]
    fn threads_wake_each_other() {
        let threads = Threads::new(3).unwrap();
        for (i, pause) in [0, 50, 100, 150, 2000].into_iter().cycle().take(300).enumerate() {
            thread::sleep(Duration::from_micros(pause));
            meet(&threads, Duration::from_micros([0, 100, 1000][i % 3]));
        }
    }

    /// Tests callers on different threads, whose tasks call [`Threads::run`] again.
    #[test]
    fn callers_do_not_wait_for_each_other() {
        let threads = Threads::new(3).unwrap();
        let total = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        threads.run(5, usize::MAX, |_, _| {
                            threads.run(7, usize::MAX, |_, _| _ = total.fetch_add(1, Ordering::Relaxed));
                        });
                    }
                });
            }
        });
        assert_eq!(total.into_inner(), 4 * 100 * 5 * 7);
    }

    /// Tests that a forked process never waits for helpers of another process.
    #[test]
    fn a_forked_process_works_alone() {
        let mut threads = Threads::new(3).unwrap();
        threads.process ^= 1;
        let callers = Mutex::new(vec![]);
        threads.run(100, usize::MAX, |worker, _| lock(&callers).push((worker, thread::current().id())));
        assert_eq!(*lock(&callers), [(0, thread::current().id()); 100]);
    }

    /// Tests that a panic of a task on any thread reaches the caller, and that the helpers work
    /// afterwards.
    #[test]
    fn failures_reach_the_caller() {
        let threads = Threads::new(3).unwrap();
        for failing in 0..30 {
            let all = AtomicUsize::new(0);
            let failed = catch_unwind(AssertUnwindSafe(|| {
                threads.run(30, usize::MAX, |_, i| {
                    all.fetch_add(1, Ordering::Relaxed);
                    thread::sleep(Duration::from_micros(20));
                    assert_ne!(i, failing, "on purpose");
                });
            }));
            assert!(failed.is_err(), "task {failing}");
            meet(&threads, Duration::ZERO);
        }
    }
}
