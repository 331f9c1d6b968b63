//! [`CpuBackend`]: the operations, cut into tasks for threads.

use std::sync::Arc;

use ringjet_backend::big::{BigMul, BigTerm, digits};
use ringjet_backend::plan::{
    AutomorphismPlan, BaseConversionPlan, CrtJoinPlan, CrtSplitPlan, DivisionPlan, Domain, ModUpPlan,
};
use ringjet_backend::{
    Backend, BackendError, BackendId, Buf, Coeff, HoistedRotations, KeySwitch, Result, RotateSum, Rotation, Term, View,
    ViewMut, check, repeat,
};
use ringjet_math::Basis;

use crate::big;
use crate::convert::{self, Conversion};
use crate::field::Fields;
use crate::kernel::{self, Factor, Output};
use crate::keyswitch;
use crate::memory::{Memory, Source, Target, Workers, fence};
use crate::path::Path;
use crate::pool::{Block, Pool};
use crate::rotate;
use crate::threads::Threads;

/// Free memory that a backend keeps for its next buffers.
const POOL_BYTES: usize = 2 << 30;

/// How a [`CpuBackend`] is to work.
#[derive(Debug, Clone, Copy, Default)]
pub struct CpuConfig {
    /// Threads, the caller's included; 0: one a core. With 1 no thread is ever started.
    pub threads: usize,
    /// The best instructions it may use; `None`: the best there are and no environment switch forbids.
    pub path: Option<Path>,
}

/// This machine's processor.
#[derive(Debug)]
pub struct CpuBackend {
    pub(crate) id: BackendId,
    pub(crate) pool: Arc<Pool>,
    pub(crate) threads: Threads,
    pub(crate) fields: Fields,
}

impl CpuBackend {
    /// A backend with its own threads and memory. Refuses a path that this machine lacks.
    pub fn new(config: CpuConfig) -> Result<Self> {
        let best = Path::best();
        let path = config.path.unwrap_or(best);
        let name = name(path);
        let device = |message: String| BackendError::Device { backend: name.into(), message };
        if path > best {
            return Err(device(format!("this processor, or the environment, allows {best:?} at best")));
        }
        let threads = Threads::new(config.threads).map_err(|e| device(format!("threads: {e}")))?;
        Ok(Self { id: BackendId::new(name), pool: Pool::new(POOL_BYTES), threads, fields: Fields::new(path) })
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.threads.count()
    }

    /// What the kernels have done since the backend was made, or since [`CpuBackend::reset_kernel_calls`]. Exact between
    /// operations; while one runs, some of it.
    #[cfg(feature = "instrument")]
    pub fn kernel_calls(&self) -> crate::KernelCalls {
        self.fields.kernel_calls()
    }

    /// Counts what the kernels do from 0 again. No operation may be running if the next counts are to be exact.
    #[cfg(feature = "instrument")]
    pub fn reset_kernel_calls(&self) {
        self.fields.reset_kernel_calls();
    }

    /// Scratch memory.
    pub(crate) fn scratch(&self, words: usize, secret: bool) -> Result<Block> {
        let bytes = words.saturating_mul(8);
        let none = || BackendError::OutOfMemory { backend: self.id.name().into(), bytes, free: None };
        let mut block = self.pool.take(words).ok_or_else(none)?;
        if secret {
            block.mark_secret();
        }
        Ok(block)
    }

    /// Scratch memory of so many words for each thread.
    pub(crate) fn workers(&self, words: usize, secret: bool) -> Result<Workers> {
        let count = self.threads.count();
        Ok(Workers::new(self.scratch(Workers::block(words, count), secret)?, words, count))
    }

    pub(crate) fn source<'a>(&self, op: &'static str, view: View<'a>) -> Result<Source<'a>> {
        Source::new(op, &self.id, view)
    }

    pub(crate) fn target<'a>(&self, op: &'static str, view: ViewMut<'a>) -> Result<Target<'a>> {
        Target::new(op, &self.id, view)
    }

    /// Calls `f(polynomial, limb, words)` for every limb of `dst`, in parallel; it may write past the caches.
    pub(crate) fn each_limb(&self, dst: Target<'_>, f: impl Fn(usize, usize, &mut [u64]) + Sync) {
        let (polys, limbs) = (dst.polys(), dst.limbs());
        self.threads.run(polys * limbs, polys * limbs * dst.n(), |_, task| {
            let (p, i) = (task % polys, task / polys);
            // SAFETY: every (p, i) occurs in one task only.
            f(p, i, unsafe { dst.limb(p, i) });
            fence();
        });
    }
}

/// Name of a backend whose best path is `path`.
fn name(path: Path) -> &'static str {
    match path {
        Path::Scalar => "cpu-scalar",
        Path::Avx512 => "cpu-avx512",
        Path::Ifma => "cpu-ifma",
    }
}

impl Backend for CpuBackend {
    fn id(&self) -> &BackendId {
        &self.id
    }

    fn host_threads(&self) -> usize {
        self.threads.count()
    }

    fn parallel(&self, jobs: usize, words: usize, run: &(dyn Fn(usize, usize) + Sync)) {
        self.threads.run(jobs, words, run);
    }

    fn upload_each(
        &self,
        dst: &mut Buf,
        first_limb: usize,
        limbs: usize,
        fill: &(dyn Fn(usize, usize, &mut [u64]) + Sync),
    ) -> Result<()> {
        let words = limbs.saturating_mul(dst.n());
        check::range("upload_each", dst, first_limb, words)?;
        let dst = self.target("upload_each", dst.view_mut(1))?;
        self.threads.run(limbs, words, |worker, i| {
            // SAFETY: each limb occurs in one task only.
            fill(worker, i, unsafe { dst.limb(0, first_limb + i) });
        });
        Ok(())
    }

    fn alloc(&self, limbs: usize, n: usize) -> Result<Buf> {
        let words = limbs.saturating_mul(n);
        let block = self.scratch(words, false)?;
        Ok(Buf::new(Box::new(Memory(block)), self.id.clone(), limbs, n))
    }

    fn upload(&self, dst: &mut Buf, first_limb: usize, data: &[u64]) -> Result<()> {
        check::range("upload", dst, first_limb, data.len())?;
        check::owner("upload", &self.id, dst)?;
        let start = first_limb * dst.n();
        if let Some(memory) = dst.storage_mut().as_any_mut().downcast_mut::<Memory>() {
            memory.0.words_mut()[start..start + data.len()].copy_from_slice(data);
        }
        Ok(())
    }

    fn download(&self, src: &Buf, first_limb: usize, out: &mut [u64]) -> Result<()> {
        check::range("download", src, first_limb, out.len())?;
        let source = self.source("download", src.view(1))?;
        for (i, out) in out.chunks_exact_mut(src.n().max(1)).enumerate() {
            out.copy_from_slice(source.limb(0, first_limb + i));
        }
        Ok(())
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn copy(&self, dst: ViewMut<'_>, src: View<'_>) -> Result<()> {
        check::source("copy", &dst, src)?;
        let (dst, src) = (self.target("copy", dst)?, self.source("copy", src)?);
        self.each_limb(dst, |p, i, out| out.copy_from_slice(src.limb(p, i)));
        Ok(())
    }

    fn ntt(&self, x: ViewMut<'_>, basis: &Basis) -> Result<()> {
        check::basis("ntt", x.limbs(), x.n(), basis)?;
        let (x, fields) = (self.target("ntt", x)?, self.fields.of(basis));
        self.each_limb(x, |_, i, x| fields[i].forward(x));
        Ok(())
    }

    fn intt(&self, x: ViewMut<'_>, basis: &Basis) -> Result<()> {
        check::basis("intt", x.limbs(), x.n(), basis)?;
        let (x, fields) = (self.target("intt", x)?, self.fields.of(basis));
        self.each_limb(x, |_, i, x| fields[i].inverse(x));
        Ok(())
    }

    fn lincomb(&self, dst: ViewMut<'_>, terms: &[Term<'_>], basis: &Basis, accumulate: bool) -> Result<()> {
        check::basis("lincomb", dst.limbs(), dst.n(), basis)?;
        let mut sources = Vec::with_capacity(terms.len());
        for &(coeff, src) in terms {
            check::source("lincomb", &dst, src)?;
            if let Coeff::PerLimb(c) = coeff {
                check::equal("lincomb", "number of coefficients", basis.len(), c.len())?;
            }
            sources.push((coeff, self.source("lincomb", src)?));
        }
        let (dst, fields) = (self.target("lincomb", dst)?, self.fields.of(basis));
        let output = Output::of(dst.words(), accumulate);
        self.each_limb(dst, |p, i, out| {
            let factor = |c: &Coeff<'_>| match c {
                Coeff::One => Factor::One,
                Coeff::MinusOne => Factor::MinusOne,
                Coeff::PerLimb(c) => Factor::Constant(c[i]),
            };
            let terms: Vec<(Factor, &[u64])> = sources.iter().map(|(c, s)| (factor(c), s.limb(p, i))).collect();
            kernel::lincomb(&fields[i], out, &terms, output);
        });
        Ok(())
    }

    fn mul(&self, dst: ViewMut<'_>, a: View<'_>, b: View<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
        check::basis("mul", dst.limbs(), dst.n(), basis)?;
        check::source("mul", &dst, a)?;
        check::source("mul", &dst, b)?;
        let (a, b) = (self.source("mul", a)?, self.source("mul", b)?);
        let (dst, fields) = (self.target("mul", dst)?, self.fields.of(basis));
        let output = Output::of(dst.words(), accumulate);
        self.each_limb(dst, |p, i, out| {
            kernel::mul_acc(&fields[i], out, &[(a.limb(p, i), b.limb(p, i))], output);
        });
        Ok(())
    }

    fn automorphism(&self, dst: ViewMut<'_>, src: View<'_>, basis: &Basis, plan: &AutomorphismPlan) -> Result<()> {
        check::basis("automorphism", dst.limbs(), dst.n(), basis)?;
        check::source("automorphism", &dst, src)?;
        check::equal("automorphism", "ring degree", plan.n(), dst.n())?;
        let (dst, src) = (self.target("automorphism", dst)?, self.source("automorphism", src)?);
        let (fields, signed) = (self.fields.of(basis), plan.domain == Domain::Coefficient);
        self.each_limb(dst, |p, i, out| kernel::permute(&fields[i], out, src.limb(p, i), plan.map(), signed));
        Ok(())
    }

    fn base_convert(&self, dst: ViewMut<'_>, src: View<'_>, plan: &BaseConversionPlan) -> Result<()> {
        let conv = &plan.conv;
        check::conversion("base_convert", &dst, src, conv)?;
        let (dst, src) = (self.target("base_convert", dst)?, self.source("base_convert", src)?);
        let prepared = Conversion::new(conv, self.fields.of(&conv.src), self.fields.of(&conv.dst), None);
        let (n, limbs) = (dst.n(), prepared.inputs());
        let tile = convert::tile().min(n);
        let row = (limbs + prepared.common_rows()) * tile;
        let scratch = self.workers(row, src.is_secret() || dst.is_secret())?;
        let tiles = n / tile;
        self.threads.run(dst.polys() * tiles, dst.polys() * n * (limbs + dst.limbs()), |worker, task| {
            let (p, from) = (task / tiles, task % tiles * tile);
            // SAFETY: a worker's words are used by one task at a time.
            let (y, common) = unsafe { scratch.of(worker) }.split_at_mut(limbs * tile);
            for (i, y) in y.chunks_exact_mut(tile).enumerate() {
                prepared.scale(i, &src.limb(p, i)[from..][..tile], y);
            }
            let y: Vec<&[u64]> = y.chunks_exact(tile).collect();
            prepared.common(&y, common);
            for j in 0..prepared.outputs() {
                // SAFETY: tiles of different tasks do not overlap.
                let out = unsafe { dst.part(p, j, from, from + tile) };
                prepared.output(j, &y, common, out, [y[0].as_ptr(); 2], false);
            }
        });
        Ok(())
    }

    fn tensor(&self, dst: ViewMut<'_>, a: View<'_>, b: View<'_>, basis: &Basis) -> Result<()> {
        check::tensor("tensor", &dst, a, b, basis)?;
        let (a, b) = (self.source("tensor", a)?, self.source("tensor", b)?);
        let (dst, fields) = (self.target("tensor", dst)?, self.fields.of(basis));
        let output = Output::of(dst.words(), false);
        self.threads.run(fields.len(), 3 * fields.len() * dst.n(), |_, i| {
            // SAFETY: each limb occurs in one task, and once there.
            let out = unsafe { [dst.limb(0, i), dst.limb(1, i), dst.limb(2, i)] };
            kernel::tensor(&fields[i], out, [a.limb(0, i), a.limb(1, i)], [b.limb(0, i), b.limb(1, i)], output);
            fence();
        });
        Ok(())
    }

    fn mul_acc(&self, dst: ViewMut<'_>, pairs: &[(View<'_>, View<'_>)], basis: &Basis, accumulate: bool) -> Result<()> {
        check::mul_acc("mul_acc", &dst, pairs, basis)?;
        let mut sources = Vec::with_capacity(pairs.len());
        for &(x, y) in pairs {
            sources.push((self.source("mul_acc", x)?, self.source("mul_acc", y)?));
        }
        let (dst, fields) = (self.target("mul_acc", dst)?, self.fields.of(basis));
        let output = Output::of(dst.words(), accumulate);
        self.each_limb(dst, |p, i, out| {
            let pairs: Vec<(&[u64], &[u64])> = sources.iter().map(|(x, y)| (x.limb(p, i), y.limb(p, i))).collect();
            kernel::mul_acc(&fields[i], out, &pairs, output);
        });
        Ok(())
    }

    fn mod_up(&self, dst: ViewMut<'_>, src: View<'_>, plan: &ModUpPlan) -> Result<()> {
        keyswitch::mod_up(self, dst, src, plan)
    }

    fn key_inner_product(&self, acc: ViewMut<'_>, digits: View<'_>, key: View<'_>, basis: &Basis) -> Result<()> {
        keyswitch::key_inner_product(self, acc, digits, key, basis)
    }

    fn key_switch(&self, dst: ViewMut<'_>, switch: &KeySwitch<'_>) -> Result<()> {
        keyswitch::key_switch(self, dst, switch)
    }

    fn hoisted_rotations(&self, dst: &mut [ViewMut<'_>], rotations: &HoistedRotations<'_>) -> Result<()> {
        keyswitch::hoisted_rotations(self, dst, rotations)
    }

    fn hoisted_rotate_sum(&self, dst: ViewMut<'_>, sum: &RotateSum<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
        rotate::hoisted_rotate_sum(self, dst, sum, basis, accumulate)
    }

    fn rotate_into(&self, dst: ViewMut<'_>, src: View<'_>, rotation: &Rotation<'_>, accumulate: bool) -> Result<()> {
        keyswitch::rotate_into(self, dst, src, rotation, accumulate)
    }

    fn divide_round(&self, dst: ViewMut<'_>, src: View<'_>, plan: &DivisionPlan, add: Option<View<'_>>) -> Result<()> {
        keyswitch::divide_round(self, dst, src, plan, add)
    }

    fn expand(&self, dst: ViewMut<'_>, src: View<'_>) -> Result<()> {
        check::expand("expand", &dst, src)?;
        let times = dst.n() / src.n();
        let (dst, src) = (self.target("expand", dst)?, self.source("expand", src)?);
        self.each_limb(dst, |p, i, out| {
            out.iter_mut().zip(repeat::repeated(src.limb(p, i), times)).for_each(|(out, word)| *out = word);
        });
        Ok(())
    }

    fn crt_split(&self, dst: ViewMut<'_>, src: View<'_>, plan: &CrtSplitPlan) -> Result<()> {
        big::crt_split(self, dst, src, plan)
    }

    fn crt_join(&self, dst: ViewMut<'_>, src: View<'_>, plan: &CrtJoinPlan) -> Result<()> {
        big::crt_join(self, dst, src, plan)
    }

    fn shift_round(&self, dst: ViewMut<'_>, src: View<'_>, bits: u32, shift: u32) -> Result<()> {
        big::shift_round(self, dst, src, bits, shift)
    }

    fn big_lincomb(&self, dst: ViewMut<'_>, terms: &[BigTerm<'_>], bits: u32, accumulate: bool) -> Result<()> {
        big::lincomb(self, dst, terms, bits, accumulate)
    }

    fn big_automorphism(&self, dst: ViewMut<'_>, src: View<'_>, bits: u32, plan: &AutomorphismPlan) -> Result<()> {
        big::automorphism(self, dst, src, bits, plan)
    }

    fn big_prepare(&self, src: View<'_>, plan: &CrtSplitPlan) -> Result<Buf> {
        big::prepare(self, src, plan)
    }

    fn big_prepared_limbs(&self, polys: usize, basis: &Basis, bits: u32) -> usize {
        let (digits, primes) = digits::prepared_shape(polys, basis, bits);
        digits * primes
    }

    fn big_mul(&self, dst: ViewMut<'_>, mul: &BigMul<'_>) -> Result<()> {
        big::big_mul(self, dst, mul)
    }
}
