//! How long calls of the driver take that do next to nothing.

use std::sync::Arc;
use std::time::Instant;

use ringjet_backend::{Meter, Width};

use crate::device::{Address, Block, Device, DeviceError, Grid};
use crate::graph::MOST_LAUNCHES;
use crate::launch::{Limbs, copy};

/// How often each call is made.
const TIMES: usize = 1000;

/// Words of the memory that is taken and given back: as much as 32 limbs in a ring of 2^16.
const WORDS: usize = 32 << 16;

/// Microseconds of the host's time for a call, each the mean of 1000. The kernel copies one word.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Latencies {
    /// A launch, and the wait for it.
    pub launch_and_wait: f64,
    /// One of many launches, with one wait for all.
    pub launch: f64,
    /// The same in scopes of 64 launches, which become graphs unless graphs are off.
    pub launch_of_graph: f64,
    /// Taking 16 MiB from the driver and giving them back.
    pub allocation: f64,
    /// The same where the backend has kept memory of this size.
    pub kept_allocation: f64,
}

/// Measures. `device` keeps memory and collects launches in scopes of `scopes`; `below` is the device
/// that it takes memory from.
pub fn measure(device: &Arc<dyn Device>, below: &dyn Device, scopes: &dyn Meter) -> Result<Latencies, DeviceError> {
    let (from, to) = (Block::with(device, &[1])?, Block::with(device, &[2])?);
    let view = |at| Limbs { words: at, chosen: Address(0), stride: 1, polys: 1, n: 1, unused: 0 };
    let grid = Grid { blocks: [1; 3], threads: [1; 2], shared: 0 };
    let launch = || copy(&**device, Width::Eight, grid, view(to.at()), view(from.at()));
    let timed = |times: usize, work: &dyn Fn() -> Result<(), DeviceError>| -> Result<f64, DeviceError> {
        device.sync()?;
        let start = Instant::now();
        (0..times).try_for_each(|_| work())?;
        device.sync()?;
        Ok(start.elapsed().as_secs_f64() * 1e6)
    };
    let scope = || {
        scopes.enter("Latencies");
        let done = (0..MOST_LAUNCHES).try_for_each(|_| launch());
        scopes.leave();
        done
    };
    let allocation = |device: &dyn Device| device.alloc(WORDS).map(|at| device.free(at, WORDS));
    let rounds = TIMES.div_ceil(MOST_LAUNCHES);
    // each call a few times before it is timed: the first ones make graphs and take memory
    (0..3).try_for_each(|_| launch().and_then(|()| scope()).and_then(|()| allocation(&**device)))?;
    Ok(Latencies {
        launch_and_wait: timed(TIMES, &|| launch().and_then(|()| device.sync()))? / TIMES as f64,
        launch: timed(TIMES, &launch)? / TIMES as f64,
        launch_of_graph: timed(rounds, &scope)? / (rounds * MOST_LAUNCHES) as f64,
        allocation: timed(TIMES, &|| allocation(below))? / TIMES as f64,
        kept_allocation: timed(TIMES, &|| allocation(&**device))? / TIMES as f64,
    })
}
