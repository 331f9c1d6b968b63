//! [`CpuBackend`]: the implementation of [`Backend`].

use ringjet_backend::big::digits;
use ringjet_backend::{
    Backend, BackendId, Buf, Composed, HoistedRotations, KeySwitch, KeySwitchInput, Result, Rotation, Term, View,
    ViewMut, delegate,
};
use ringjet_math::Basis;

use crate::machine::CpuMachine;
use crate::operations;
use crate::system::path::Path;

/// The configuration of a [`CpuBackend`].
#[derive(Debug, Clone, Copy, Default)]
pub struct CpuConfig {
    /// Number of threads, the caller's included; 0 for one thread per core. With 1 no thread is
    /// ever started.
    pub threads: usize,
    /// The best instruction set that the backend may use. `None` for the best one that this
    /// processor has and the environment allows (see [`Path::best`]).
    pub path: Option<Path>,
}

/// A backend that computes on this machine's processor.
#[derive(Debug)]
pub struct CpuBackend(CpuMachine);

impl CpuBackend {
    /// A backend with its own threads and memory. Refuses a path whose instructions this processor
    /// lacks.
    pub fn new(config: CpuConfig) -> Result<Self> {
        CpuMachine::new(config.threads, config.path).map(Self)
    }

    /// Number of threads, the caller's included.
    pub fn threads(&self) -> usize {
        self.0.threads.count()
    }

    /// How often each kernel was called, in limbs, since the backend was made or since
    /// [`CpuBackend::reset_counters`]. If an operation runs meanwhile, the counts include a part of
    /// it.
    #[cfg(feature = "instrument")]
    pub fn kernel_calls(&self) -> crate::KernelCalls {
        self.0.fields.kernel_calls()
    }

    /// The numbers of words read and written since the same moment as for
    /// [`CpuBackend::kernel_calls`]. Words that come from the host or go to the host are not
    /// counted, except that the words of [`Backend::upload`] count as written.
    #[cfg(feature = "instrument")]
    pub fn traffic(&self) -> crate::Traffic {
        self.0.fields.traffic() + self.0.counters.traffic()
    }

    /// Sets all counts to 0. No operation may run meanwhile, or the next counts include a part of
    /// it.
    #[cfg(feature = "instrument")]
    pub fn reset_counters(&self) {
        self.0.fields.reset_counters();
        self.0.counters.reset();
    }
}

impl Backend for CpuBackend {
    delegate!(self => operations of &self.0; all except id, meter, host_threads, side_by_side, parallel, alloc, sync, compact, affine,
        key_switch, hoisted_rotations, rotate_into, big_prepared_limbs);

    fn id(&self) -> &BackendId {
        &self.0.id
    }

    fn host_threads(&self) -> usize {
        self.0.threads.count()
    }

    fn side_by_side(&self) -> bool {
        true
    }

    fn parallel(&self, jobs: usize, words: usize, run: &(dyn Fn(usize, usize) + Sync)) {
        self.0.threads.run(jobs, words, run);
    }

    fn alloc(&self, limbs: usize, n: usize) -> Result<Buf> {
        self.0.alloc(limbs, n)
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn compact(&self, src: View<'_>, gap: usize) -> Result<Buf> {
        Composed(self).compact(src, gap)
    }

    fn affine(&self, dst: ViewMut<'_>, terms: &[Term<'_>], constant: &[u64], basis: &Basis) -> Result<()> {
        Composed(self).affine(dst, terms, constant, basis)
    }

    fn key_switch(&self, dst: ViewMut<'_>, switch: &KeySwitch<'_>) -> Result<()> {
        match switch.input {
            KeySwitchInput::Products(_) => Composed(self).key_switch_each(dst, switch),
            _ if operations::is_fused(switch.mod_up) => operations::key_switch(&self.0, dst, switch),
            _ => Composed(self).key_switch(dst, switch),
        }
    }

    fn hoisted_rotations(&self, dst: &mut [ViewMut<'_>], rotations: &HoistedRotations<'_>) -> Result<()> {
        if operations::is_fused(rotations.mod_up) {
            operations::hoisted_rotations(&self.0, dst, rotations)
        } else {
            Composed(self).hoisted_rotations(dst, rotations)
        }
    }

    fn rotate_into(&self, dst: ViewMut<'_>, src: View<'_>, rotation: &Rotation<'_>, accumulate: bool) -> Result<()> {
        if operations::is_fused(rotation.mod_up) {
            operations::rotate_into(&self.0, dst, src, rotation, accumulate)
        } else {
            Composed(self).rotate_into(dst, src, rotation, accumulate)
        }
    }

    fn big_prepared_limbs(&self, polys: usize, basis: &Basis, bits: u32) -> usize {
        let (digits, primes) = digits::prepared_shape(polys, basis, bits);
        digits * primes
    }
}

#[cfg(test)]
mod tests;
