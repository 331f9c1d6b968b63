//! One prime and one ring degree with everything the kernels need, built once.

use std::collections::HashMap;
#[cfg(feature = "instrument")]
use std::ops::Add;
use std::sync::{Arc, PoisonError, RwLock};

use ringjet_math::{Basis, Modulus, Prime};

use crate::ahead::{Ahead, Work};
#[cfg(target_arch = "x86_64")]
use crate::ifma::ntt::{Buffer, MIN_LOG_N, Ntt, TILE};
#[cfg(feature = "instrument")]
use crate::instrument::KernelCalls;
use crate::instrument::{Counters, Kernel};
use crate::memory::{Fetch, Rows, RowsMut};
use crate::path::Path;
use crate::scalar;
#[cfg(target_arch = "x86_64")]
use crate::{avx512, ifma};

/// Constants of one prime.
#[derive(Debug)]
pub struct Field {
    /// The prime.
    pub modulus: Modulus,
    /// Instructions to use.
    pub path: Path,
    /// What kernels do modulo this prime.
    pub calls: Counters,
    /// Constants for primes below 2^50.
    #[cfg(target_arch = "x86_64")]
    pub ifma: Option<ifma::arith::Reducer>,
    /// Constants for any prime.
    #[cfg(target_arch = "x86_64")]
    pub avx512: avx512::arith::Reducer,
    /// Transforms for primes below 2^50 and rings of at least 2^10.
    #[cfg(target_arch = "x86_64")]
    ntt: Option<Ntt>,
    /// Transforms for other primes and rings of at least 2^9, where the processor has AVX-512.
    #[cfg(target_arch = "x86_64")]
    wide: Option<avx512::ntt::Ntt>,
    pub(crate) log_n: u32,
    prime: Arc<Prime>,
}

/// A constant that an inverse transform multiplies by.
#[derive(Debug)]
pub struct Root {
    c: u64,
    #[cfg(target_arch = "x86_64")]
    ifma: Option<ifma::ntt::Root>,
}

impl Field {
    fn new(prime: &Arc<Prime>, log_n: u32, path: Path) -> Self {
        let m = *prime.modulus();
        let path = path.for_prime(m.value());
        Self {
            modulus: m,
            path,
            calls: Counters::default(),
            #[cfg(target_arch = "x86_64")]
            ifma: (m.value() < 1 << 50).then(|| ifma::arith::Reducer::new(&m)),
            #[cfg(target_arch = "x86_64")]
            avx512: avx512::arith::Reducer::new(&m),
            #[cfg(target_arch = "x86_64")]
            ntt: (path == Path::Ifma && log_n >= MIN_LOG_N).then(|| Ntt::new(prime.table())),
            #[cfg(target_arch = "x86_64")]
            wide: (path == Path::Avx512 && log_n >= avx512::ntt::MIN_LOG_N)
                .then(|| avx512::ntt::Ntt::new(prime.table())),
            log_n,
            prime: Arc::clone(prime),
        }
    }

    /// Coefficient to evaluation domain; residues in `[0, q)` before and after.
    pub fn forward(&self, x: &mut [u64]) {
        self.calls.count(Kernel::Ntt, || x.len());
        #[cfg(target_arch = "x86_64")]
        if let Some(ntt) = &self.ntt {
            // SAFETY: the transforms exist only where the path is Ifma, which the processor then has.
            return unsafe { ntt.forward(x) };
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(ntt) = &self.wide {
            // SAFETY: the transforms exist only where the path is Avx512, which the processor then has.
            return unsafe { ntt.forward(self.prime.table(), x) };
        }
        scalar::ntt::forward(self.prime.table(), x);
    }

    /// [`Field::forward`] of all `rows` together. As soon as words `from..to` of all are final, `each(rows, from, to)` is
    /// called; before that the same words of the rows that begin at `with` are fetched from memory, during these transforms and the `work` of `each`.
    pub fn forward_each(
        &self,
        rows: &mut [&mut [u64]],
        with: &[*const u64],
        work: Work,
        mut each: impl FnMut(&mut [&mut [u64]], usize, usize, &mut Ahead<'_>),
    ) {
        let n = 1 << self.log_n;
        #[cfg(target_arch = "x86_64")]
        if let Some(ntt) = &self.ntt {
            self.calls.count(Kernel::Ntt, || rows.len() * n);
            for row in rows.iter_mut() {
                // SAFETY: as in `forward`.
                unsafe { ntt.forward_head(row) };
            }
            let (mut buffer, work) = (Buffer::default(), Work { tiles: rows.len() + work.tiles, ..work });
            for from in (0..n).step_by(TILE) {
                let mut ahead = Ahead::new(with, from + TILE, work);
                for i in 0..rows.len() {
                    let next =
                        rows.get(i + 1).map_or(rows[0][from..].as_ptr().wrapping_add(TILE), |row| row[from..].as_ptr());
                    let tile = &mut rows[i][from..from + TILE];
                    // SAFETY: as in `forward`.
                    unsafe { ntt.forward_tail(from / TILE, tile, &mut buffer, ahead.then(next)) };
                }
                each(rows, from, from + TILE, &mut ahead);
            }
            return;
        }
        rows.iter_mut().for_each(|row| self.forward(row));
        each(rows, 0, n, &mut Ahead::default());
    }

    /// Parts into which a transform may be divided: its first stages combine words with the same place in all parts, and the others words
    /// of one part; a transform back ends with those stages.
    pub fn parts(&self) -> usize {
        #[cfg(target_arch = "x86_64")]
        if let Some(ntt) = &self.ntt {
            return ntt.parts();
        }
        1
    }

    /// The first stages of [`Field::forward`], if there are [`Field::parts`] parts, of some words below 4q with the same places in all of them: `x` has
    /// those of one part behind those of the one before, and is used up; `to` has a row for each part. With one part nothing is done to them.
    ///
    /// # Safety
    /// Nobody else uses the rows of `to`. They may be written past the caches: [`crate::memory::fence`] comes before anyone reads them.
    pub unsafe fn forward_first(&self, x: &mut [u64], to: RowsMut<'_>) {
        assert!(x.len() == to.count() * to.words());
        #[cfg(target_arch = "x86_64")]
        if let Some(ntt) = self.ntt.as_ref().filter(|_| to.count() > 1) {
            let (start, stride) = to.place();
            assert!(to.count() == ntt.parts() && start.addr().is_multiple_of(64) && stride.is_multiple_of(8));
            // SAFETY: as in `forward`, and the rows are the caller's.
            return unsafe { ntt.forward_first(x, ifma::ntt::Rows::new(start, stride)) };
        }
        // SAFETY: by the caller's promise.
        unsafe { to.part(0, 0, x.len()) }.copy_from_slice(x);
    }

    /// What is then left to do with part number `part` of `parts`.
    pub fn forward_part(&self, [parts, part]: [usize; 2], x: &mut [u64], fetch: &mut Fetch<'_>) {
        #[cfg(target_arch = "x86_64")]
        if let Some(ntt) = self.ntt.as_ref().filter(|_| parts > 1) {
            self.calls.count(Kernel::Ntt, || x.len());
            // SAFETY: as in `forward`.
            return unsafe { ntt.forward_part(part, x, fetch) };
        }
        self.forward(x);
    }

    /// All stages but the last ones of [`Field::inverse_scaled`], of part number `part` of `parts`, into the rows of `to`, one after the other;
    /// with one part all of it. `x` is used up.
    ///
    /// # Safety
    /// Nobody else uses the rows of `to`. They may be written past the caches: [`crate::memory::fence`] comes before anyone reads them.
    pub unsafe fn inverse_part(
        &self,
        [parts, part]: [usize; 2],
        x: &mut [u64],
        to: RowsMut<'_>,
        root: &Root,
        fetch: &mut Fetch<'_>,
    ) {
        assert!(x.len() == to.count() * to.words());
        #[cfg(target_arch = "x86_64")]
        if let Some(ntt) = self.ntt.as_ref().filter(|_| parts > 1) {
            self.calls.count(Kernel::Intt, || x.len());
            let (start, stride) = to.place();
            assert!(start.addr().is_multiple_of(64) && stride.is_multiple_of(8));
            // SAFETY: as in `forward`, and the rows are the caller's.
            return unsafe { ntt.inverse_part(part, x, ifma::ntt::Rows::new(start, stride), to.words(), fetch) };
        }
        self.inverse_scaled(x, root.c);
        for (i, x) in x.chunks_exact(to.words()).enumerate() {
            // SAFETY: by the caller's promise.
            unsafe { to.part(i, 0, to.words()) }.copy_from_slice(x);
        }
    }

    /// The last stages, if there are any left, of some words with the same places in all parts: `from` has a row for each part, whose words
    /// come one after the other into the rows of `to`. `x` is scratch memory for them. Meanwhile the rows of `next` are fetched.
    ///
    /// # Safety
    /// Nobody else uses the rows of `to`.
    pub unsafe fn inverse_last(
        &self,
        from: Rows<'_>,
        next: Option<Rows<'_>>,
        x: &mut [u64],
        to: RowsMut<'_>,
        root: &Root,
    ) {
        let rows = from.words() / to.words();
        assert!(from.words().is_multiple_of(to.words()) && to.count() == from.count() * rows);
        assert!(x.len() == from.count() * from.words());
        #[cfg(target_arch = "x86_64")]
        if let (Some(ntt), Some(root)) = (self.ntt.as_ref().filter(|_| from.count() > 1), &root.ifma) {
            assert!(from.count() == ntt.parts() && to.words().is_multiple_of(8));
            let rows = |rows: Rows<'_>| ifma::ntt::Rows::new(rows.place().0.cast_mut(), rows.place().1);
            let out = ifma::ntt::Rows::new(to.place().0, to.place().1);
            // SAFETY: as in `forward`; rows that are not the caller's are read only.
            return unsafe { ntt.inverse_last(rows(from), next.map(rows), x, out, to.words(), root) };
        }
        for (i, x) in from.row(0).chunks_exact(to.words()).enumerate() {
            // SAFETY: by the caller's promise.
            unsafe { to.part(i, 0, to.words()) }.copy_from_slice(x);
        }
    }

    /// What [`Field::inverse_part`] and [`Field::inverse_last`] need to multiply by `c < q`.
    pub fn root(&self, c: u64) -> Root {
        Root {
            c,
            #[cfg(target_arch = "x86_64")]
            ifma: self.ntt.as_ref().map(|ntt| ntt.root(c, &self.modulus)),
        }
    }

    /// Evaluation to coefficient domain; residues in `[0, q)` before and after.
    pub fn inverse(&self, x: &mut [u64]) {
        self.inverse_scaled(x, 1);
    }

    /// [`Field::inverse_scaled`] of `src` into `dst`, with `past` past the caches where it can be: [`crate::memory::fence`] comes before
    /// another thread is told. `room` is scratch memory of the same size.
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "in place"))]
    pub fn inverse_scaled_into(&self, src: &[u64], room: &mut [u64], dst: &mut [u64], past: bool, c: u64) {
        #[cfg(target_arch = "x86_64")]
        if let Some(ntt) = &self.ntt {
            self.calls.count(Kernel::Intt, || dst.len());
            let past = past && dst.as_ptr().addr().is_multiple_of(64);
            // SAFETY: as in `forward`.
            return unsafe { ntt.inverse_scaled_into(src, room, dst, past, &ntt.root(c, &self.modulus)) };
        }
        dst.copy_from_slice(src);
        self.inverse_scaled(dst, c);
    }

    /// The part of [`Field::inverse_scaled`] that can be done when words `from..to` of `x` are there, a tile behind those before it or all; the rest is
    /// [`Field::inverse_end`]. Lines of `ahead` are fetched meanwhile.
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "all at the end"))]
    pub fn inverse_begin(&self, x: &mut [u64], from: usize, to: usize, ahead: &mut Ahead<'_>) {
        #[cfg(target_arch = "x86_64")]
        if let Some(ntt) = &self.ntt {
            let mut buffer = Buffer::default();
            for tile in from / TILE..to / TILE {
                // SAFETY: as in `forward`.
                unsafe { ntt.inverse_tail(tile, x, &mut buffer, ahead) };
            }
        }
    }

    /// What is then left to do, into `dst`, with `past` past the caches where it can be: [`crate::memory::fence`] comes before another thread is told.
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "in place"))]
    pub fn inverse_end(&self, x: &mut [u64], dst: &mut [u64], past: bool, c: u64) {
        #[cfg(target_arch = "x86_64")]
        if let Some(ntt) = &self.ntt {
            self.calls.count(Kernel::Intt, || dst.len());
            let past = past && dst.as_ptr().addr().is_multiple_of(64);
            // SAFETY: as in `forward`.
            return unsafe { ntt.inverse_head(x, dst, past, &ntt.root(c, &self.modulus)) };
        }
        dst.copy_from_slice(x);
        self.inverse_scaled(dst, c);
    }

    /// [`Field::inverse`] followed by a multiplication by `c < q`, in one.
    pub fn inverse_scaled(&self, x: &mut [u64], c: u64) {
        self.calls.count(Kernel::Intt, || x.len());
        #[cfg(target_arch = "x86_64")]
        if let Some(ntt) = &self.ntt {
            // SAFETY: as in `forward`.
            return unsafe { ntt.inverse_scaled(x, c, &self.modulus) };
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(ntt) = &self.wide {
            // SAFETY: as in `forward`.
            return unsafe { ntt.inverse_scaled(self.prime.table(), x, c) };
        }
        scalar::ntt::inverse_scaled(self.prime.table(), x, c);
    }
}

/// The fields that were used so far.
#[derive(Debug)]
pub struct Fields {
    path: Path,
    known: RwLock<HashMap<(u64, u32), Arc<Field>>>,
}

impl Fields {
    /// None yet; kernels use `path` where the prime allows.
    pub fn new(path: Path) -> Self {
        Self { path, known: RwLock::default() }
    }

    /// The best instructions, whatever the prime.
    pub fn path(&self) -> Path {
        self.path
    }

    /// The field of every prime of `basis`.
    pub fn of(&self, basis: &Basis) -> Vec<Arc<Field>> {
        basis.primes().iter().map(|p| self.get(p, basis.log_n())).collect()
    }

    fn get(&self, prime: &Arc<Prime>, log_n: u32) -> Arc<Field> {
        let key = (prime.value(), log_n);
        if let Some(field) = self.known.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Arc::clone(field);
        }
        let field = Arc::new(Field::new(prime, log_n, self.path)); // outside the lock: this takes milliseconds
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(key).or_insert(field))
    }

    /// What the kernels have done modulo all primes. A field, once known, stays: no count is lost.
    #[cfg(feature = "instrument")]
    pub fn kernel_calls(&self) -> KernelCalls {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.values().map(|f| f.calls.limbs(f.log_n)).fold(KernelCalls::default(), Add::add)
    }

    /// Counts from 0 again.
    #[cfg(feature = "instrument")]
    pub fn reset_kernel_calls(&self) {
        self.known.read().unwrap_or_else(PoisonError::into_inner).values().for_each(|f| f.calls.reset());
    }
}
