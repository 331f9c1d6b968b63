//! Times on the device's own clock, by events of the driver.

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys;

/// Events with times. They are used again once their times have been asked for.
#[derive(Debug, Default)]
pub struct Timers {
    events: Vec<sys::CUevent>,
    /// Indices of the events that are not in use.
    free: Vec<usize>,
}

impl Timers {
    /// Records an event after all work that the stream has so far. Returns its number.
    ///
    /// # Safety
    /// The context must be current, and the stream must live.
    pub unsafe fn record(&mut self, stream: sys::CUstream) -> Result<usize, DriverError> {
        if self.free.is_empty() {
            self.events.push(result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT)?);
            self.free.push(self.events.len() - 1);
        }
        let number = self.free[self.free.len() - 1];
        // SAFETY: the event lives; the caller guarantees the stream.
        unsafe { result::event::record(self.events[number], stream) }?;
        self.free.pop();
        Ok(number)
    }

    /// Waits for the last of these events. Returns the microseconds from the first to each. They must be
    /// in the order in which they were recorded; their numbers become free.
    ///
    /// # Safety
    /// The context must be current.
    pub unsafe fn times(&mut self, numbers: &[usize]) -> Result<Vec<f64>, DriverError> {
        self.free.extend(numbers);
        let events: Vec<sys::CUevent> = numbers.iter().map(|&number| self.events[number]).collect();
        let (mut times, mut sum) = (vec![0.0; events.len()], 0.0);
        // SAFETY: all events live, and have been recorded.
        unsafe {
            events.last().map_or(Ok(()), |&last| result::event::synchronize(last))?;
            // Times between neighbours are added: one long time in 32 bits would be rounded to more
            // than a microsecond.
            for (pair, time) in events.windows(2).zip(times.iter_mut().skip(1)) {
                sum += 1e3 * f64::from(result::event::elapsed(pair[0], pair[1])?);
                *time = sum;
            }
        }
        Ok(times)
    }

    /// Destroys all events.
    ///
    /// # Safety
    /// The context must be current, and no event may be used any more.
    pub unsafe fn destroy(&mut self) {
        for event in self.events.drain(..) {
            // SAFETY: each event was made by `record` and is destroyed once. If it fails, nothing can be
            // done.
            let _ = unsafe { result::event::destroy(event) };
        }
    }
}
