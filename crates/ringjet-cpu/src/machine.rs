//! [`CpuMachine`]: the threads, memory and constants that operations use.

use std::io::ErrorKind;
use std::sync::Arc;

use ringjet_backend::{BackendError, BackendId, Buf, Result, View, ViewMut, host};

use crate::kernels::field::Fields;
use crate::operands::scratch::WorkerScratch;
use crate::operands::views::{Memory, Source, Target};
use crate::system::instrument::{Counted, Counters, Counting};
use crate::system::path::Path;
use crate::system::pool::{Block, Pool};
use crate::system::streaming::fence;
use crate::system::threads::{STACK, Threads};

/// Number of bytes of free memory that a machine keeps for its next buffers.
const POOL_BYTES: usize = 2 << 30;

/// Threads, memory and the constants of all primes used so far.
#[derive(Debug)]
pub struct CpuMachine {
    /// The identity of the backend whose buffers the machine takes.
    pub id: BackendId,
    /// The threads that share the tasks of an operation.
    pub threads: Threads,
    /// The constants of each prime.
    pub fields: Fields,
    /// The counts of words read from buffers and written to them.
    pub counters: Counters,
    pool: Arc<Pool>,
}

impl CpuMachine {
    /// A machine with `threads` threads; 0 for one thread per core. Refuses a `path` that this
    /// processor lacks or the environment forbids. `None` is the best path.
    pub fn new(threads: usize, path: Option<Path>) -> Result<Self> {
        let best = Path::best();
        let path = path.unwrap_or(best);
        let name = name(path);
        let device = |message: String| BackendError::Device { backend: name.into(), message };
        if path > best {
            return Err(device(format!("this processor, or the environment, allows {best:?} at best")));
        }
        let threads = Threads::new(threads).map_err(|e| match e.kind() {
            ErrorKind::OutOfMemory => host::OutOfMemory { bytes: STACK }.into(),
            _ => device(format!("the system starts no more threads: {e}. Ask for fewer")),
        })?;
        let (id, fields, counters) = (BackendId::new(name), Fields::new(path), Counters::default());
        Ok(Self { id, pool: Pool::new(POOL_BYTES), threads, fields, counters })
    }

    /// A new buffer with unspecified contents.
    pub fn alloc(&self, limbs: usize, n: usize) -> Result<Buf> {
        let block = self.scratch(limbs.saturating_mul(n), false)?;
        Ok(Buf::new(Box::new(Memory(block)), self.id.clone(), limbs, n))
    }

    /// Scratch memory of `words` words. If `secret`, it is overwritten when it is dropped.
    pub fn scratch(&self, words: usize, secret: bool) -> Result<Block> {
        let bytes = words.saturating_mul(8);
        let none = || BackendError::OutOfMemory { backend: self.id.name().into(), bytes, free: None };
        let mut block = self.pool.take(words).ok_or_else(none)?;
        if secret {
            block.mark_secret();
        }
        Ok(block)
    }

    /// Scratch memory of `words` words for each thread, see [`CpuMachine::scratch`].
    pub fn worker_scratch(&self, words: usize, secret: bool) -> Result<WorkerScratch> {
        let count = self.threads.count();
        Ok(WorkerScratch::new(self.scratch(WorkerScratch::block(words, count), secret)?, words, count))
    }

    /// The words of a view, to be read. Refuses buffers of other backends.
    pub fn source<'a>(&'a self, op: &'static str, view: View<'a>) -> Result<Source<'a>> {
        Source::new(op, &self.id, view, Counting::by(&self.counters))
    }

    /// [`CpuMachine::source`] for a switching key; its words are counted as words of keys.
    pub fn key<'a>(&'a self, op: &'static str, view: View<'a>) -> Result<Source<'a>> {
        Ok(self.source(op, view)?.counted_as(Counted::KeyRead))
    }

    /// [`CpuMachine::source`] for a factor of a result with `polys` polynomials. A factor with fewer
    /// polynomials is counted as a plaintext.
    pub fn factor<'a>(&'a self, op: &'static str, view: View<'a>, polys: usize) -> Result<Source<'a>> {
        let counted = if view.polys() < polys { Counted::PlainRead } else { Counted::Read };
        Ok(self.source(op, view)?.counted_as(counted))
    }

    /// The words of a view, to be written. Refuses buffers of other backends.
    pub fn target<'a>(&'a self, op: &'static str, view: ViewMut<'a>) -> Result<Target<'a>> {
        Target::new(op, &self.id, view, Counting::by(&self.counters))
    }

    /// Calls `f(polynomial, limb, words)` for every limb of `dst`, in parallel. `f` may use
    /// streaming stores.
    pub fn each_limb(&self, dst: Target<'_>, f: impl Fn(usize, usize, &mut [u64]) + Sync) {
        let (polys, limbs) = (dst.polys(), dst.limbs());
        self.threads.run(polys * limbs, polys * limbs * dst.n(), |_, task| {
            let (p, i) = (task % polys, task / polys);
            // SAFETY: every (p, i) occurs in one task only.
            f(p, i, unsafe { dst.limb(p, i) });
            fence();
        });
    }
}

/// Name of a backend with the best path `path`.
fn name(path: Path) -> &'static str {
    match path {
        Path::Scalar => "cpu-scalar",
        Path::Fma => "cpu-fma",
        Path::Avx512 => "cpu-avx512",
        Path::Ifma => "cpu-ifma",
    }
}
