//! Samples of a call's time, and how results are printed.

use std::time::{Duration, Instant};

use ringjet_backend::Backend;
use serde_json::{Value, json};

use crate::Result;

/// A sample repeats a call until it takes about this long.
const SAMPLE: Duration = Duration::from_millis(20);

/// Prints the seconds of a call when many calls are queued. Returns the median.
pub fn time(
    name: &str,
    shape: &str,
    backend: &dyn Backend,
    samples: usize,
    mut call: impl FnMut() -> Result<()>,
) -> Result<f64> {
    let mut sample = |calls: usize| -> Result<f64> {
        let start = Instant::now();
        for _ in 0..calls {
            call()?;
        }
        backend.sync()?;
        Ok(start.elapsed().as_secs_f64() / calls as f64)
    };
    sample(1)?; // the first call makes the constants
    let once = sample(1)?;
    let calls = (SAMPLE.as_secs_f64() / once).clamp(1.0, 1000.0) as usize;
    sample(calls)?;
    let seconds = (0..samples).map(|_| sample(calls)).collect::<Result<Vec<_>>>()?;
    let seconds = summary(seconds);
    print(&json!({"name": name, "shape": shape, "calls_of_a_sample": calls, "seconds": seconds}));
    Ok(seconds["median"].as_f64().unwrap_or(f64::NAN))
}

/// Least, quartiles, median and greatest.
pub fn summary(mut seconds: Vec<f64>) -> Value {
    seconds.sort_by(f64::total_cmp);
    let at = |p: f64| {
        let x = p * (seconds.len() - 1) as f64;
        let (low, high) = (seconds[x.floor() as usize], seconds[x.ceil() as usize]);
        low + (high - low) * x.fract()
    };
    json!({"min": at(0.0), "q1": at(0.25), "median": at(0.5), "q3": at(0.75), "max": at(1.0), "n": seconds.len()})
}

/// Prints a result as a line of JSON.
pub fn print(value: &Value) {
    println!("{value}");
}
