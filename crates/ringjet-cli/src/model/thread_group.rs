//! Threads that do the same work at the same time, each with its own memory and its own
//! single-threaded backend. They measure what all cores reach together, without the cost of
//! distributing work.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use ringjet_backend::{Backend, Buf, Width};

use crate::Result;
use crate::backend::{self, PathChoice};

/// Calls are repeated inside one sample until it lasts this long.
const MIN_SAMPLE: Duration = Duration::from_millis(3);
/// Samples are taken until the time is over, at least this many.
const MIN_SAMPLES: usize = 3;

pub type Work = Box<dyn FnMut() -> Result<()>>;
/// Makes the work of one thread, in that thread.
pub type Setup<'a> = dyn Fn(&Arc<dyn Backend>) -> Result<Work> + Sync + 'a;

/// The backends of the threads. They keep prepared constants and memory between measurements.
pub struct ThreadGroup {
    backends: Vec<Arc<dyn Backend>>,
}

/// What the threads share during one measurement.
struct Shared {
    barrier: Barrier,
    calls: AtomicUsize,
    over: AtomicBool,
    failed: AtomicBool,
}

impl ThreadGroup {
    pub fn new(threads: usize) -> Result<Self> {
        let backends =
            (0..threads.max(1)).map(|_| backend::open(1, PathChoice::Auto, Width::Eight)).collect::<Result<_>>()?;
        Ok(Self { backends })
    }

    /// Seconds of one call, measured for `seconds` seconds. A sample lasts from the start of the
    /// first thread to the end of the last one.
    pub fn measure(&self, seconds: f64, setup: &Setup<'_>) -> Result<Vec<f64>> {
        let shared = Shared {
            barrier: Barrier::new(self.backends.len()),
            calls: AtomicUsize::new(1),
            over: AtomicBool::new(false),
            failed: AtomicBool::new(false),
        };
        let (first, others) = self.backends.split_first().ok_or("no threads")?;
        std::thread::scope(|scope| {
            let shared = &shared;
            let member = |b| move || shared.member(b, setup, None).map_err(|e| e.to_string());
            let handles: Vec<_> = others.iter().map(|b| scope.spawn(member(b))).collect();
            let mut samples = Vec::new();
            let mut result = shared.member(first, setup, Some((seconds, &mut samples)));
            for handle in handles {
                let other = handle.join().unwrap_or_else(|_| Err("a measuring thread panicked".into()));
                result = result.and(other.map_err(Into::into));
            }
            result.map(|()| samples)
        })
    }
}

impl Shared {
    /// The work of one thread. The one with `record` sets the calls of a sample, and when to stop.
    fn member(&self, b: &Arc<dyn Backend>, setup: &Setup<'_>, mut record: Option<(f64, &mut Vec<f64>)>) -> Result<()> {
        let mut work = self.noted(setup(b));
        let mut error = work.as_mut().ok().and_then(|work| self.noted(work()).err());
        let begin = Instant::now();
        let mut first = true;
        loop {
            // all threads are ready; `calls` and `over` change only after the next barrier
            self.barrier.wait();
            if self.over.load(Ordering::SeqCst) {
                return work.and(error.map_or(Ok(()), Err));
            }
            let calls = self.calls.load(Ordering::SeqCst);
            let start = Instant::now();
            if let (Ok(work), None) = (&mut work, &error) {
                error = (0..calls).find_map(|_| self.noted(work()).err());
            }
            self.barrier.wait();
            let once = start.elapsed().as_secs_f64() / calls as f64;
            let Some((seconds, samples)) = &mut record else { continue };
            if std::mem::take(&mut first) {
                let fit = MIN_SAMPLE.as_secs_f64() / once.max(1e-9);
                self.calls.store(fit.ceil().max(1.0) as usize, Ordering::SeqCst);
            } else {
                samples.push(once);
            }
            let spent = begin.elapsed().as_secs_f64() >= *seconds && samples.len() >= MIN_SAMPLES;
            self.over.store(spent || self.failed.load(Ordering::SeqCst), Ordering::SeqCst);
        }
    }

    fn noted<T>(&self, result: Result<T>) -> Result<T> {
        if result.is_err() {
            self.failed.store(true, Ordering::SeqCst);
        }
        result
    }
}

/// A buffer of residues modulo primes of 50 bits.
pub fn filled(backend: &dyn Backend, limbs: usize, n: usize) -> Result<Buf> {
    let mut buf = backend.alloc(limbs, n)?;
    let words: Vec<u64> = (0..n as u64).map(|j| j.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 15).collect();
    for limb in 0..limbs {
        backend.upload(&mut buf, limb, &words)?;
    }
    Ok(buf)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_works_and_errors_end_it() {
        let group = ThreadGroup::new(2).unwrap();
        let calls = Arc::new(AtomicUsize::new(0));
        let samples = group
            .measure(0.0, &|_| {
                let calls = calls.clone();
                Ok(Box::new(move || {
                    calls.fetch_add(1, Ordering::SeqCst);
                    std::thread::sleep(Duration::from_millis(4));
                    Ok(())
                }))
            })
            .unwrap();
        assert_eq!(samples.len(), MIN_SAMPLES);
        assert!(samples.iter().all(|&s| s >= 0.004));
        // before, to find out how long it takes, and in the samples
        assert_eq!(calls.load(Ordering::SeqCst), 2 * (2 + MIN_SAMPLES));
        let error = group.measure(0.0, &|_| Err("no memory".into())).unwrap_err();
        assert_eq!(error.to_string(), "no memory");
        let late = group.measure(0.0, &|_| {
            let mut left = 3;
            Ok(Box::new(move || {
                left -= 1;
                if left == 0 { Err("lost".into()) } else { Ok(()) }
            }))
        });
        assert_eq!(late.unwrap_err().to_string(), "lost");
    }
}
