//! Streams of uniform values.

use ringjet_backend::UniformStream;

use crate::kernels::chacha;
use crate::machine::CpuMachine;

/// [`ringjet_backend::Backend::fill_uniform`].
pub fn fill_uniform(m: &CpuMachine, stream: &UniformStream<'_>, out: &mut [u64]) {
    chacha::fill(m.fields.path(), stream, out);
}
