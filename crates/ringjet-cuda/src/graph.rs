//! [`Collector`]: a device that collects the launches of an operation and queues them as one graph.

use std::collections::HashMap;
use std::ffi::c_void;
use std::fmt::Debug;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ringjet_backend::Meter;

use crate::device::{Address, Device, DeviceError, Grid, Mark, forward};
use crate::sequence::{Sequence, Step};

/// Most launches of a graph. A launch of a bootstrap is predicted to take a GPU about 14 us, and
/// the host's part of it takes about 4 us. So at the start of a bootstrap the GPU waits 0.3 ms for
/// the first graph. From then on the host collects the next launches while the GPU does those
/// before. Longer graphs would make the GPU wait longer and save little, as a run of a graph costs
/// the host about as much as one launch.
pub const MOST_LAUNCHES: usize = 64;

/// Most graphs that are kept, and most sequences that are remembered until they come again. A
/// bootstrap of `n16-boot` has 11 graphs; products, rotations and rescalings have one each for each
/// level.
pub const MOST_GRAPHS: usize = 256;

/// A device that can queue several launches by one call.
pub trait Graphs: Device {
    /// Launches that the device knows.
    type Graph: Debug + Send;

    /// Makes a graph that does the launches of `sequence`, one after the other. `None` if the
    /// device has no graphs or no memory for one.
    fn build(&self, sequence: &Sequence) -> Result<Option<Self::Graph>, DeviceError>;

    /// Gives launch `i` of a graph the arguments that it has in `sequence`, whose steps must be
    /// those that the graph was made from. Runs that are queued already keep their arguments.
    fn update(&self, graph: &Self::Graph, sequence: &Sequence, i: usize) -> Result<(), DeviceError>;

    /// Enqueues the launches of a graph.
    fn run(&self, graph: &Self::Graph) -> Result<(), DeviceError>;

    /// Destroys a graph. Runs that are queued are still done.
    fn destroy(&self, graph: Self::Graph);
}

/// A device that collects launches while a scope is open ([`Meter`]), and passes them on together
/// when the outermost scope ends, when [`MOST_LAUNCHES`] are collected, and before copies, wipes,
/// waits, marks of times, and the return of memory. Outside of scopes launches are passed on at once.
///
/// Sequences of the same kernels with the same grids come again and again. The first time the
/// launches are passed on one by one. The second time they become a graph. From then on the graph
/// is run, after those of its launches are updated whose arguments differ from the last run.
///
/// Launches stay in order, those of several threads too. If passing them on fails, operations have
/// already reported success whose results will never be right. So all later calls that return an
/// error return this one, as they do when a kernel fails.
#[derive(Debug)]
pub struct Collector<D: Graphs> {
    device: D,
    state: Mutex<State<D::Graph>>,
}

#[derive(Debug)]
struct State<G> {
    /// Number of open scopes.
    scopes: usize,
    /// The launches that are collected.
    waiting: Sequence,
    /// Why launches were lost.
    failed: Option<DeviceError>,
    /// Sequences that came once.
    once: Recent<()>,
    graphs: Recent<Kept<G>>,
}

/// A graph, and the arguments of its last run.
#[derive(Debug)]
struct Kept<G> {
    graph: G,
    last: Sequence,
}

impl<G> State<G> {
    /// Fails if launches were lost.
    fn ready(&self) -> Result<(), DeviceError> {
        self.failed.clone().map_or(Ok(()), Err)
    }
}

impl<D: Graphs> Collector<D> {
    /// `device`, which collects launches.
    pub fn new(device: D) -> Self {
        let (once, graphs) = (Recent::new(MOST_GRAPHS), Recent::new(MOST_GRAPHS));
        let state = State { scopes: 0, waiting: Sequence::default(), failed: None, once, graphs };
        Self { device, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State<D::Graph>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes on what is collected. Fails if this fails, or has failed before.
    fn flush(&self) -> Result<(), DeviceError> {
        self.flush_in(&mut self.state())
    }

    fn flush_in(&self, state: &mut State<D::Graph>) -> Result<(), DeviceError> {
        if state.failed.is_none() && !state.waiting.steps().is_empty() {
            state.failed = self.pass_on(state).err();
        }
        state.waiting.clear();
        state.ready()
    }

    fn pass_on(&self, state: &mut State<D::Graph>) -> Result<(), DeviceError> {
        let State { waiting, once, graphs, .. } = state;
        if let Some(Kept { graph, last }) = graphs.get(waiting.steps()) {
            for i in 0..waiting.steps().len() {
                if waiting.words(i) != last.words(i) {
                    self.device.update(graph, waiting, i)?;
                    last.copy_words(i, waiting);
                }
            }
            return self.device.run(graph);
        }
        // a graph of one launch would save nothing
        let again = waiting.steps().len() > 1 && once.get(waiting.steps()).is_some();
        if let Some(graph) = if again { self.device.build(waiting)? } else { None } {
            let result = self.device.run(&graph);
            once.remove(waiting.steps());
            if let Some(oldest) = graphs.insert(waiting.steps(), Kept { graph, last: waiting.clone() }) {
                self.device.destroy(oldest.graph);
            }
            return result;
        }
        once.insert(waiting.steps(), ());
        waiting.steps().iter().enumerate().try_for_each(|(i, step)| {
            // SAFETY: these are copies of the arguments that came with this kernel.
            unsafe { self.device.launch(step.kernel, step.grid, &waiting.arguments(i)) }
        })
    }
}

impl<D: Graphs> Drop for Collector<D> {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        for kept in state.graphs.drain() {
            self.device.destroy(kept.graph);
        }
    }
}

impl<D: Graphs> Device for Collector<D> {
    forward!(renew sizes microseconds);

    /// Passes nothing on: new memory is not that of any collected launch. So a sequence stays
    /// whole, and is known again, when one of its operations takes memory from the driver.
    fn alloc(&self, words: usize) -> Result<Address, DeviceError> {
        self.state().ready()?;
        self.device.alloc(words)
    }

    fn free(&self, at: Address, words: usize) {
        let _ = self.flush(); // later calls report a failure
        self.device.free(at, words);
    }

    fn wipe(&self, at: Address, words: usize) -> Result<(), DeviceError> {
        let flushed = self.flush();
        self.device.wipe(at, words)?;
        flushed
    }

    fn upload(&self, to: Address, data: &[u64], secret: bool) -> Result<(), DeviceError> {
        self.flush()?;
        self.device.upload(to, data, secret)
    }

    fn download(&self, from: Address, out: &mut [u64]) -> Result<(), DeviceError> {
        self.flush()?;
        self.device.download(from, out)
    }

    fn sync(&self) -> Result<(), DeviceError> {
        let flushed = self.flush();
        self.device.sync()?;
        flushed
    }

    fn mark(&self) -> Result<Mark, DeviceError> {
        self.flush()?;
        self.device.mark()
    }

    unsafe fn launch(&self, kernel: usize, grid: Grid, arguments: &[*const c_void]) -> Result<(), DeviceError> {
        let mut state = self.state();
        state.ready()?;
        if state.scopes == 0 {
            // SAFETY: the caller's guarantees are those that the device asks for.
            return unsafe { self.device.launch(kernel, grid, arguments) };
        }
        // SAFETY: as above.
        unsafe { state.waiting.push(kernel, grid, arguments) };
        if state.waiting.steps().len() < MOST_LAUNCHES { Ok(()) } else { self.flush_in(&mut state) }
    }
}

impl<D: Graphs> Meter for Collector<D> {
    fn enter(&self, _scope: &'static str) {
        self.state().scopes += 1;
    }

    fn leave(&self) {
        let mut state = self.state();
        state.scopes = state.scopes.saturating_sub(1);
        if state.scopes == 0 {
            let _ = self.flush_in(&mut state); // the next call reports a failure
        }
    }

    fn uses_key(&self, _galois: u32, _limbs: usize) {}
}

/// What belongs to sequences of steps, for a limited number of them: those that were used last.
#[derive(Debug)]
struct Recent<V> {
    most: usize,
    /// Number of uses so far.
    uses: u64,
    /// Number of the last use, and the value.
    known: HashMap<Box<[Step]>, (u64, V)>,
}

impl<V> Recent<V> {
    fn new(most: usize) -> Self {
        Self { most, uses: 0, known: HashMap::new() }
    }

    fn get(&mut self, steps: &[Step]) -> Option<&mut V> {
        let (last, value) = self.known.get_mut(steps)?;
        self.uses += 1;
        *last = self.uses;
        Some(value)
    }

    /// Adds the value of a sequence. Returns a value that has to go: the sequence's former one, or
    /// the one whose last use is longest ago.
    fn insert(&mut self, steps: &[Step], value: V) -> Option<V> {
        self.uses += 1;
        let former = self.known.insert(steps.into(), (self.uses, value)).map(|(_, value)| value);
        if self.known.len() <= self.most {
            return former;
        }
        let oldest = self.known.iter().min_by_key(|(_, (last, _))| *last).map(|(steps, _)| steps.clone());
        oldest.and_then(|steps| self.remove(&steps))
    }

    fn remove(&mut self, steps: &[Step]) -> Option<V> {
        self.known.remove(steps).map(|(_, value)| value)
    }

    fn drain(&mut self) -> impl Iterator<Item = V> {
        self.known.drain().map(|(_, (_, value))| value)
    }
}
