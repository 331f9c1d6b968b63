//! [`Clock`]: a device that measures how long the steps of a program, or its launches, take.

use std::ffi::c_void;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ringjet_backend::Meter;

use crate::device::{Device, DeviceError, Grid, Mark, forward};
use crate::launch::EMULATED_NAMES;

/// What is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Times {
    /// The outermost scopes ([`Meter`]), bootstraps, and the phases of a bootstrap: the scopes
    /// directly within `Bootstrap`. The host waits for nothing.
    Scopes,
    /// Every launch. No launches are collected to graphs.
    Launches,
}

/// A step of a program on the device.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// Name of the scope, or of the kernel with its arithmetic.
    pub name: &'static str,
    /// Shape of the launch; `None` for a scope.
    pub grid: Option<Grid>,
    /// When all work queued before the step was done, in microseconds.
    pub begin: f64,
    /// When the step was done, in microseconds. 0 is the begin of the first step.
    pub end: f64,
}

/// The scope whose direct inner scopes are timed.
const PHASES_OF: &str = "Bootstrap";

/// A device that measures times on demand. It is also told of scopes, and passes them on.
pub struct Clock {
    device: Arc<dyn Device>,
    /// Who else wants to be told of scopes.
    meter: Option<Arc<dyn Meter>>,
    /// Whether every launch is timed.
    launches: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    times: Option<Times>,
    /// Moments, in their order.
    marks: Vec<Mark>,
    /// Names of open scopes, and the index of the mark at their begin if they are timed.
    open: Vec<(&'static str, Option<usize>)>,
    /// Steps that have ended, with the indices of their marks.
    steps: Vec<(&'static str, Option<Grid>, usize, usize)>,
    /// Why a time is missing.
    failed: Option<DeviceError>,
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clock").field("device", &self.device).field("state", &self.state).finish_non_exhaustive()
    }
}

impl Clock {
    /// `device`, whose scopes `meter` is told.
    pub fn new(device: Arc<dyn Device>, meter: Option<Arc<dyn Meter>>) -> Self {
        Self { device, meter, launches: AtomicBool::new(false), state: Mutex::default() }
    }

    /// Whether anybody wants to be told of scopes.
    pub fn wants_scopes(&self) -> bool {
        self.meter.is_some() || self.state().times == Some(Times::Scopes)
    }

    /// Forgets all times and measures these from now on.
    pub fn record(&self, times: Option<Times>) -> Result<(), DeviceError> {
        let taken = self.take();
        let mut state = self.state();
        state.times = times;
        self.launches.store(times == Some(Times::Launches), Ordering::Relaxed);
        taken.map(drop)
    }

    /// Waits for the device, and returns the steps that have ended since the last call, in the order
    /// of their ends. A scope that is open now is not timed.
    pub fn take(&self) -> Result<Vec<Span>, DeviceError> {
        let mut state = self.state();
        state.open.iter_mut().for_each(|(_, mark)| *mark = None);
        let (marks, steps) = (std::mem::take(&mut state.marks), std::mem::take(&mut state.steps));
        let at = self.device.microseconds(&marks)?;
        if let Some(failed) = state.failed.take() {
            return Err(failed);
        }
        Ok(steps
            .into_iter()
            .map(|(name, grid, begin, end)| Span { name, grid, begin: at[begin], end: at[end] })
            .collect())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a mark and returns its index. If that fails, the next call of `take` reports it.
    fn mark(&self, state: &mut State) -> Option<usize> {
        match self.device.mark() {
            Ok(mark) => {
                state.marks.push(mark);
                Some(state.marks.len() - 1)
            }
            Err(e) => {
                state.failed.get_or_insert(e);
                None
            }
        }
    }
}

impl Meter for Clock {
    fn counts_only(&self) -> bool {
        self.meter.as_ref().is_some_and(|meter| meter.counts_only())
    }

    fn enter(&self, scope: &'static str) {
        let mut state = self.state();
        let phase = state.open.last().is_none_or(|&(outer, _)| outer == PHASES_OF) || scope == PHASES_OF;
        let timed = state.times == Some(Times::Scopes) && phase;
        let begin = if timed { self.mark(&mut state) } else { None };
        state.open.push((scope, begin));
        drop(state);
        if let Some(meter) = &self.meter {
            meter.enter(scope);
        }
    }

    fn leave(&self) {
        if let Some(meter) = &self.meter {
            meter.leave();
        }
        let mut state = self.state();
        if let Some((scope, Some(begin))) = state.open.pop()
            && let Some(end) = self.mark(&mut state)
        {
            state.steps.push((scope, None, begin, end));
        }
    }

    fn uses_key(&self, galois: u32, limbs: usize) {
        if let Some(meter) = &self.meter {
            meter.uses_key(galois, limbs);
        }
    }
}

impl Device for Clock {
    forward!(alloc renew free wipe copies sizes sync mark microseconds);

    unsafe fn launch(&self, kernel: usize, grid: Grid, arguments: &[*const c_void]) -> Result<(), DeviceError> {
        if !self.launches.load(Ordering::Relaxed) {
            // SAFETY: the caller's guarantees are those that the device asks for.
            return unsafe { self.device.launch(kernel, grid, arguments) };
        }
        let mut state = self.state();
        let begin = self.mark(&mut state);
        // SAFETY: as above.
        unsafe { self.device.launch(kernel, grid, arguments) }?;
        if let (Some(begin), Some(end)) = (begin, self.mark(&mut state)) {
            state.steps.push((EMULATED_NAMES[kernel], Some(grid), begin, end));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use ringjet_backend::{Backend, Buf};

    use super::*;
    use crate::backend::CudaBackend;
    use crate::latencies::Latencies;

    fn copy(b: &CudaBackend, [from, to]: &mut [Buf; 2]) {
        b.copy(to.view_mut(1), from.view(1)).unwrap();
    }

    #[test]
    fn an_emulated_device_has_times_of_the_host() {
        let b = CudaBackend::emulated();
        assert!(b.meter().is_none());
        let mut buffers = [(); 2].map(|()| b.alloc(2, 8).unwrap());
        b.upload(&mut buffers[0], 0, &[1; 16]).unwrap();
        b.record_times(Some(Times::Scopes)).unwrap();
        let meter = b.meter().unwrap();
        for scope in ["Outer", "Inner"] {
            meter.enter(scope);
            copy(&b, &mut buffers);
        }
        (0..2).for_each(|_| meter.leave());
        let [outer] = &b.take_times().unwrap()[..] else { panic!() };
        assert_eq!((outer.name, outer.grid, outer.begin), ("Outer", None, 0.0));
        assert!(outer.end > 0.0);
        b.record_times(Some(Times::Launches)).unwrap();
        (0..2).for_each(|_| copy(&b, &mut buffers));
        let [first, second] = &b.take_times().unwrap()[..] else { panic!() };
        let grid = Some(Grid { blocks: [1, 2, 1], threads: [8, 1], shared: 0 });
        assert_eq!((first.name, first.grid, second.name, second.grid), ("copy_8", grid, "copy_8", grid));
        assert!(first.begin == 0.0 && first.end > 0.0 && second.begin >= first.end && second.end > second.begin);
        b.record_times(None).unwrap();
        copy(&b, &mut buffers);
        assert!(b.take_times().unwrap().is_empty() && b.meter().is_none());
    }

    #[test]
    fn latencies_are_measured() {
        let found = CudaBackend::emulated().latencies().unwrap();
        let Latencies { launch_and_wait, launch, launch_of_graph, allocation, kept_allocation } = found;
        let all = [launch_and_wait, launch, launch_of_graph, allocation, kept_allocation];
        assert!(all.iter().all(|&time| time > 0.0 && time < 1e6), "{all:?}");
    }
}
