//! Times on the device's own clock, by events of the driver.

use std::sync::PoisonError;

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys;

use super::Driver;
use crate::device::{DeviceError, Mark};

/// The oldest driver that tells the time between events by the function that the bindings have.
const NEEDED: i32 = 12080;

/// Events with times. They are used again once their times have been asked for.
#[derive(Debug, Default)]
pub struct Timers {
    events: Vec<sys::CUevent>,
    /// Indices of the events that are not in use.
    free: Vec<usize>,
}

impl Driver {
    /// Records an event after all work queued so far.
    pub fn timer(&self) -> Result<Mark, DeviceError> {
        if self.version < NEEDED {
            let found = format!("{}.{}", self.version / 1000, self.version % 1000 / 10);
            return Err(DeviceError::Failed(format!("{}: times need a driver for CUDA 12.8, not {found}", self.name)));
        }
        let mut timers = self.timers.lock().unwrap_or_else(PoisonError::into_inner);
        let Timers { events, free } = &mut *timers;
        self.call("an event", || {
            if free.is_empty() {
                events.push(result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT)?);
                free.push(events.len() - 1);
            }
            let index = free[free.len() - 1];
            // SAFETY: event and stream live.
            unsafe { result::event::record(events[index], self.stream) }?;
            free.pop();
            Ok(Mark::Event(index))
        })
    }

    /// Waits for the last event. Returns the microseconds from the first to each.
    pub fn timers(&self, marks: &[Mark]) -> Result<Vec<f64>, DeviceError> {
        let mut timers = self.timers.lock().unwrap_or_else(PoisonError::into_inner);
        let event = |mark: &Mark| match mark {
            Mark::Event(index) => Some(*index),
            Mark::Host(_) => None, // of another device
        };
        let indices: Vec<usize> = marks.iter().filter_map(event).collect();
        let times = self.call("times", || {
            let events: Vec<sys::CUevent> = indices.iter().map(|&i| timers.events[i]).collect();
            // SAFETY: all events live, and have been recorded.
            unsafe {
                events.last().map_or(Ok(()), |&last| result::event::synchronize(last))?;
                // Times between neighbours are added: one long time in 32 bits would be rounded to
                // more than a microsecond.
                let mut sum = 0.0;
                let first = events.first().map(|_| Ok(0.0));
                let next = events.windows(2).map(|pair| {
                    sum += 1e3 * f64::from(result::event::elapsed(pair[0], pair[1])?);
                    Ok(sum)
                });
                first.into_iter().chain(next).collect()
            }
        });
        timers.free.extend(indices);
        times
    }
}

impl Timers {
    /// Destroys all events.
    ///
    /// # Safety
    /// The context must be current, and no event may be used any more.
    pub unsafe fn destroy(&mut self) -> Result<(), DriverError> {
        // SAFETY: each event was made by `timer` and is destroyed once.
        self.events.drain(..).try_for_each(|event| unsafe { result::event::destroy(event) })
    }
}
