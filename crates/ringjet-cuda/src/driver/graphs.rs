//! Graphs of the driver: several kernels that one call enqueues.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys;

use super::Driver;
use crate::device::{DeviceError, Grid};
use crate::graph::Graphs;
use crate::launch::EMULATED_NAMES;
use crate::sequence::Sequence;

/// A chain of kernels in the form that the driver runs, and in the form from which this was made.
/// An update names the nodes of the latter.
#[derive(Debug)]
pub struct Graph {
    plan: sys::CUgraph,
    nodes: Vec<sys::CUgraphNode>,
    exec: sys::CUgraphExec,
    /// Kernel and grid of the last launch.
    last: (usize, Grid),
}

// SAFETY: the driver's handles belong to no thread. One thread at a time uses them, because updates
// and runs need the lock of the collector.
unsafe impl Send for Graph {}

impl Graphs for Driver {
    type Graph = Graph;

    fn build(&self, sequence: &Sequence) -> Result<Option<Graph>, DeviceError> {
        let Some(last) = sequence.steps().last().map(|step| (step.kernel, step.grid)) else { return Ok(None) };
        let mut graph = Graph { plan: null_mut(), nodes: vec![], exec: null_mut(), last };
        match self.enter().and_then(|_entered| self.fill(&mut graph, sequence)) {
            Ok(()) => Ok(Some(graph)),
            Err(e) => {
                self.destroy(graph);
                use sys::CUresult::{CUDA_ERROR_NOT_SUPPORTED, CUDA_ERROR_OUT_OF_MEMORY};
                match e.0 {
                    CUDA_ERROR_NOT_SUPPORTED | CUDA_ERROR_OUT_OF_MEMORY => Ok(None),
                    _ => Err(self.failed("a graph", e)),
                }
            }
        }
    }

    fn update(&self, graph: &Graph, sequence: &Sequence, i: usize) -> Result<(), DeviceError> {
        let mut arguments = pointers(sequence, i);
        let kernel = self.kernel(sequence, i, &mut arguments);
        let what = || {
            let step = sequence.steps()[i];
            format!("a graph's update to {}, {}", EMULATED_NAMES[step.kernel], step.grid)
        };
        // SAFETY: `exec` was made of the plan that has the node, with the same kernel, and both
        // live. The driver copies the arguments.
        let updated = self.enter().and_then(|_entered| unsafe {
            sys::cuGraphExecKernelNodeSetParams_v2(graph.exec, graph.nodes[i], &kernel).result()
        });
        updated.map_err(|e| self.failed(&what(), e))
    }

    fn run(&self, graph: &Graph) -> Result<(), DeviceError> {
        let (kernel, grid) = graph.last;
        // SAFETY: graph and stream live. The arguments are those of launches that were to be queued
        // now.
        self.call(&format!("a graph of {} launches", graph.nodes.len()), || unsafe {
            result::graph::launch(graph.exec, self.stream)
        })?;
        self.queued(kernel, grid);
        Ok(())
    }

    fn destroy(&self, graph: Graph) {
        // If it fails, nothing can be done.
        let _ = self.call("a graph", || {
            // SAFETY: handles that are not null were made by `fill`, and nobody else has them. The
            // driver finishes queued runs of a destroyed graph.
            unsafe {
                if !graph.exec.is_null() {
                    let _ = result::graph::exec_destroy(graph.exec);
                }
                if !graph.plan.is_null() {
                    let _ = result::graph::destroy(graph.plan);
                }
            }
            Ok(())
        });
    }
}

impl Driver {
    /// Makes the handles of a graph. If it fails, some may be made.
    fn fill(&self, graph: &mut Graph, sequence: &Sequence) -> Result<(), DriverError> {
        // SAFETY: the handle is valid for writes, and there are no flags.
        unsafe { sys::cuGraphCreate(&mut graph.plan, 0) }.result()?;
        for i in 0..sequence.steps().len() {
            let mut arguments = pointers(sequence, i);
            let kernel = self.kernel(sequence, i, &mut arguments);
            let before = graph.nodes.last().map_or(null(), std::ptr::from_ref);
            let mut node = null_mut();
            // SAFETY: the plan was made above, and `before` is a node of it, if there is one. The
            // arguments are those of the kernel; the driver copies them.
            unsafe {
                sys::cuGraphAddKernelNode_v2(&mut node, graph.plan, before, graph.nodes.len().min(1), &kernel)
                    .result()?;
            }
            graph.nodes.push(node);
        }
        // SAFETY: the plan is complete.
        graph.exec = unsafe { result::graph::instantiate(graph.plan, sys::CUgraphInstantiate_flags(0)) }?;
        // The first run would take the memory that a graph needs on the device. It is taken here,
        // so that `build` notices if there is none.
        // SAFETY: graph and stream live.
        unsafe { result::graph::upload(graph.exec, self.stream) }
    }

    /// Launch `i` of a sequence as the driver takes it.
    fn kernel(&self, sequence: &Sequence, i: usize, arguments: &mut [*mut c_void]) -> sys::CUDA_KERNEL_NODE_PARAMS {
        let step = sequence.steps()[i];
        let ([x, y, z], [width, height]) = (step.grid.blocks, step.grid.threads);
        sys::CUDA_KERNEL_NODE_PARAMS {
            func: self.functions[step.kernel],
            gridDimX: x,
            gridDimY: y,
            gridDimZ: z,
            blockDimX: width,
            blockDimY: height,
            blockDimZ: 1,
            sharedMemBytes: step.grid.shared,
            kernelParams: arguments.as_mut_ptr(),
            extra: null_mut(),
            kern: null_mut(),
            ctx: null_mut(),
        }
    }
}

/// The arguments of launch `i`. The driver only reads them.
fn pointers(sequence: &Sequence, i: usize) -> Vec<*mut c_void> {
    sequence.arguments(i).into_iter().map(|a| a.cast_mut()).collect()
}
