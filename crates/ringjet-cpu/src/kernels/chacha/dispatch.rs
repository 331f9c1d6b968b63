//! The choice of the instruction set.

use ringjet_backend::UniformStream;

use crate::system::path::Path;

/// [`UniformStream::fill`], by the instructions of `path`, which this processor has.
pub fn fill(path: Path, stream: &UniformStream<'_>, out: &mut [u64]) {
    match path {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: both paths need AVX-512 F.
        Path::Avx512 | Path::Ifma => unsafe { super::avx512::fill(stream, out) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the path needs AVX2.
        Path::Fma => unsafe { super::avx2::fill(stream, out) },
        _ => stream.fill(out),
    }
}
