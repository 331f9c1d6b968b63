//! [`CpuBackend`]: the implementation of [`Backend`].

use ringjet_backend::big::{BigMul, BigTerm, digits};
use ringjet_backend::plan::{AutomorphismPlan, BaseConversionPlan, CrtJoinPlan, CrtSplitPlan, DivisionPlan, ModUpPlan};
use ringjet_backend::{
    Backend, BackendId, Buf, Composed, HoistedRotations, KeySwitch, KeySwitchInput, Result, RotateSum, Rotation, Term,
    View, ViewMut,
};
use ringjet_math::Basis;

use crate::machine::CpuMachine;
use crate::operations::{base_convert, big, buffers, elementwise, keyswitch};
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
    fn affine(&self, dst: ViewMut<'_>, terms: &[Term<'_>], constant: &[u64], basis: &Basis) -> Result<()> {
        Composed(self).affine(dst, terms, constant, basis)
    }

    fn compact(&self, src: View<'_>, gap: usize) -> Result<Buf> {
        Composed(self).compact(src, gap)
    }

    fn id(&self) -> &BackendId {
        &self.0.id
    }

    fn host_threads(&self) -> usize {
        self.0.threads.count()
    }

    fn parallel(&self, jobs: usize, words: usize, run: &(dyn Fn(usize, usize) + Sync)) {
        self.0.threads.run(jobs, words, run);
    }

    fn alloc(&self, limbs: usize, n: usize) -> Result<Buf> {
        self.0.alloc(limbs, n)
    }

    fn upload_each(
        &self,
        dst: &mut Buf,
        first_limb: usize,
        limbs: usize,
        fill: &(dyn Fn(usize, usize, &mut [u64]) + Sync),
    ) -> Result<()> {
        buffers::upload_each(&self.0, dst, first_limb, limbs, fill)
    }

    fn upload(&self, dst: &mut Buf, first_limb: usize, data: &[u64]) -> Result<()> {
        buffers::upload(&self.0, dst, first_limb, data)
    }

    fn download(&self, src: &Buf, first_limb: usize, out: &mut [u64]) -> Result<()> {
        buffers::download(&self.0, src, first_limb, out)
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn copy(&self, dst: ViewMut<'_>, src: View<'_>) -> Result<()> {
        buffers::copy(&self.0, dst, src)
    }

    fn ntt(&self, x: ViewMut<'_>, basis: &Basis) -> Result<()> {
        elementwise::ntt(&self.0, x, basis)
    }

    fn intt(&self, x: ViewMut<'_>, basis: &Basis) -> Result<()> {
        elementwise::intt(&self.0, x, basis)
    }

    fn lincomb(&self, dst: ViewMut<'_>, terms: &[Term<'_>], basis: &Basis, accumulate: bool) -> Result<()> {
        elementwise::lincomb(&self.0, dst, terms, basis, accumulate)
    }

    fn mul(&self, dst: ViewMut<'_>, a: View<'_>, b: View<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
        elementwise::mul(&self.0, dst, a, b, basis, accumulate)
    }

    fn automorphism(&self, dst: ViewMut<'_>, src: View<'_>, basis: &Basis, plan: &AutomorphismPlan) -> Result<()> {
        elementwise::automorphism(&self.0, dst, src, basis, plan)
    }

    fn base_convert(&self, dst: ViewMut<'_>, src: View<'_>, plan: &BaseConversionPlan) -> Result<()> {
        base_convert::base_convert(&self.0, dst, src, plan)
    }

    fn tensor(&self, dst: ViewMut<'_>, a: View<'_>, b: View<'_>, basis: &Basis) -> Result<()> {
        elementwise::tensor(&self.0, dst, a, b, basis)
    }

    fn mul_acc(&self, dst: ViewMut<'_>, pairs: &[(View<'_>, View<'_>)], basis: &Basis, accumulate: bool) -> Result<()> {
        elementwise::mul_acc(&self.0, dst, pairs, basis, accumulate)
    }

    fn mod_up(&self, dst: ViewMut<'_>, src: View<'_>, plan: &ModUpPlan) -> Result<()> {
        keyswitch::mod_up(&self.0, dst, src, plan)
    }

    fn key_inner_product(&self, acc: ViewMut<'_>, digits: View<'_>, key: View<'_>, basis: &Basis) -> Result<()> {
        keyswitch::key_inner_product(&self.0, acc, digits, key, basis)
    }

    fn key_switch(&self, dst: ViewMut<'_>, switch: &KeySwitch<'_>) -> Result<()> {
        match switch.input {
            KeySwitchInput::Products(_) => Composed(self).key_switch_each(dst, switch),
            _ if keyswitch::is_fused(switch.mod_up) => keyswitch::key_switch(&self.0, dst, switch),
            _ => Composed(self).key_switch(dst, switch),
        }
    }

    fn hoisted_rotations(&self, dst: &mut [ViewMut<'_>], rotations: &HoistedRotations<'_>) -> Result<()> {
        if keyswitch::is_fused(rotations.mod_up) {
            keyswitch::hoisted_rotations(&self.0, dst, rotations)
        } else {
            Composed(self).hoisted_rotations(dst, rotations)
        }
    }

    fn hoisted_rotate_sum(&self, dst: ViewMut<'_>, sum: &RotateSum<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
        keyswitch::hoisted_rotate_sum(&self.0, dst, sum, basis, accumulate)
    }

    fn rotate_into(&self, dst: ViewMut<'_>, src: View<'_>, rotation: &Rotation<'_>, accumulate: bool) -> Result<()> {
        if keyswitch::is_fused(rotation.mod_up) {
            keyswitch::rotate_into(&self.0, dst, src, rotation, accumulate)
        } else {
            Composed(self).rotate_into(dst, src, rotation, accumulate)
        }
    }

    fn divide_round(&self, dst: ViewMut<'_>, src: View<'_>, plan: &DivisionPlan, add: Option<View<'_>>) -> Result<()> {
        keyswitch::divide_round(&self.0, dst, src, plan, add)
    }

    fn expand(&self, dst: ViewMut<'_>, src: View<'_>) -> Result<()> {
        elementwise::expand(&self.0, dst, src)
    }

    fn crt_split(&self, dst: ViewMut<'_>, src: View<'_>, plan: &CrtSplitPlan) -> Result<()> {
        big::crt_split(&self.0, dst, src, plan)
    }

    fn crt_join(&self, dst: ViewMut<'_>, src: View<'_>, plan: &CrtJoinPlan) -> Result<()> {
        big::crt_join(&self.0, dst, src, plan)
    }

    fn shift_round(&self, dst: ViewMut<'_>, src: View<'_>, bits: u32, shift: u32) -> Result<()> {
        big::shift_round(&self.0, dst, src, bits, shift)
    }

    fn big_lincomb(&self, dst: ViewMut<'_>, terms: &[BigTerm<'_>], bits: u32, accumulate: bool) -> Result<()> {
        big::lincomb(&self.0, dst, terms, bits, accumulate)
    }

    fn big_automorphism(&self, dst: ViewMut<'_>, src: View<'_>, bits: u32, plan: &AutomorphismPlan) -> Result<()> {
        big::automorphism(&self.0, dst, src, bits, plan)
    }

    fn big_prepare(&self, src: View<'_>, plan: &CrtSplitPlan) -> Result<Buf> {
        big::prepare(&self.0, src, plan)
    }

    fn big_prepared_limbs(&self, polys: usize, basis: &Basis, bits: u32) -> usize {
        let (digits, primes) = digits::prepared_shape(polys, basis, bits);
        digits * primes
    }

    fn big_mul(&self, dst: ViewMut<'_>, mul: &BigMul<'_>) -> Result<()> {
        big::big_mul(&self.0, dst, mul)
    }
}

#[cfg(test)]
mod tests;
