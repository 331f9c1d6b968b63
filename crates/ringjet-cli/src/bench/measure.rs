//! Sampling. The benches of a run take turns: changes of the machine's speed affect all of them.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::{Result, system};

pub type Body<'a> = Box<dyn FnMut() -> Result<()> + 'a>;

/// Idle processors and untouched memory are slow at first. Two processors of a virtual machine may
/// share a core until the host notices that both are busy.
const WARM_UP: Duration = Duration::from_secs(1);
/// Calls are repeated inside one sample until it lasts this long.
const MIN_SAMPLE: Duration = Duration::from_millis(2);
/// The same with the time on processors, which the system counts in steps of some milliseconds.
const MIN_PROCESSOR_SAMPLE: Duration = Duration::from_millis(100);
/// Rounds are made until the time is over, within these limits.
const ROUNDS: std::ops::RangeInclusive<usize> = 5..=1001;

/// Whether samples are times on processors.
static PROCESSOR_TIME: AtomicBool = AtomicBool::new(false);
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Makes all samples times on processors, of all threads together. Other programs disturb these less
/// than the time that passes.
pub fn use_processor_time() -> Result<()> {
    system::cpu_seconds().ok_or("--processor-time: this system does not count it")?;
    PROCESSOR_TIME.store(true, Ordering::Relaxed);
    Ok(())
}

/// Seconds on the clock of the samples.
pub fn now() -> f64 {
    let passed = || START.elapsed().as_secs_f64();
    if PROCESSOR_TIME.load(Ordering::Relaxed) { system::cpu_seconds().unwrap_or(f64::NAN) } else { passed() }
}

#[derive(Debug, Clone, Copy)]
pub enum Budget {
    Reps(usize),
    /// This many seconds for each bench on average.
    Seconds(f64),
}

/// Statistics of the seconds of one call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Summary {
    pub min: f64,
    pub q1: f64,
    pub median: f64,
    pub q3: f64,
    pub n: usize,
}

impl Summary {
    pub fn of(samples: &[f64]) -> Self {
        let mut s = samples.to_vec();
        s.sort_by(f64::total_cmp);
        let quantile = |p: f64| {
            let x = p * (s.len() - 1) as f64;
            let (low, high) = (s[x.floor() as usize], s[x.ceil() as usize]);
            low + (high - low) * x.fract()
        };
        Self { min: s[0], q1: quantile(0.25), median: quantile(0.5), q3: quantile(0.75), n: s.len() }
    }
}

/// Runs and checks each bench once. `prepare` returns the work to time and its largest error.
pub fn prepared<'a>(names: &[&str], prepare: impl Fn(&str) -> Result<(Body<'a>, f64)>) -> Result<Vec<Body<'a>>> {
    let one = |name: &&str| {
        let (body, error) = prepare(name).map_err(|e| format!("{name}: {e}"))?;
        match error {
            0.0 => eprintln!("check {name:18} exact"),
            _ => eprintln!("check {name:18} largest error 2^{:.1}", error.log2()),
        }
        Ok(body)
    };
    names.iter().map(one).collect()
}

/// Times each body, after calling all bodies in turns at least twice to warm up.
pub fn measure(bodies: &mut [Body<'_>], budget: Budget) -> Result<Vec<Summary>> {
    Ok(samples(bodies, budget)?.iter().map(|s| Summary::of(s)).collect())
}

/// All samples of each body, in order of time. Samples with the same index were taken together.
pub fn samples(bodies: &mut [Body<'_>], budget: Budget) -> Result<Vec<Vec<f64>>> {
    let start = Instant::now();
    while start.elapsed() < WARM_UP && !bodies.is_empty() {
        for body in bodies.iter_mut() {
            body()?;
        }
    }
    let mut calls = Vec::with_capacity(bodies.len());
    for body in bodies.iter_mut() {
        let once = time(body, 1)?;
        let least = if PROCESSOR_TIME.load(Ordering::Relaxed) { MIN_PROCESSOR_SAMPLE } else { MIN_SAMPLE };
        let fit = least.as_secs_f64() / once.max(1e-9);
        calls.push(if fit <= 1.0 { 1 } else { fit as usize + 1 });
    }
    let mut samples = vec![Vec::new(); bodies.len()];
    let start = Instant::now();
    for round in 0.. {
        let over = match budget {
            Budget::Reps(reps) => round >= reps,
            Budget::Seconds(s) => {
                let spent = start.elapsed().as_secs_f64() >= s * bodies.len() as f64;
                round >= *ROUNDS.end() || (spent && round >= *ROUNDS.start())
            }
        };
        if over {
            break;
        }
        for i in 0..bodies.len() {
            let i = if round % 2 == 1 { bodies.len() - 1 - i } else { i };
            samples[i].push(time(&mut bodies[i], calls[i])?);
        }
    }
    Ok(samples)
}

fn time(body: &mut Body<'_>, calls: usize) -> Result<f64> {
    let start = now();
    for _ in 0..calls {
        body()?;
    }
    Ok((now() - start) / calls as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate() {
        let s = Summary::of(&[4.0, 1.0, 3.0, 2.0]);
        assert_eq!(s, Summary { min: 1.0, q1: 1.75, median: 2.5, q3: 3.25, n: 4 });
        assert_eq!(Summary::of(&[7.0]).median, 7.0);
    }

    #[test]
    fn reps_are_kept() {
        let mut count = 0;
        let mut bodies: Vec<Body<'_>> = vec![Box::new(|| {
            count += 1;
            std::thread::sleep(Duration::from_millis(3));
            Ok(())
        })];
        let start = Instant::now();
        assert_eq!(measure(&mut bodies, Budget::Reps(4)).unwrap()[0].n, 4);
        assert!(start.elapsed() >= WARM_UP);
        drop(bodies);
        assert!(count > 2 + 4);
    }
}
