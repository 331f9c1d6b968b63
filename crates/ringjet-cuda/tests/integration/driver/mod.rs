//! Tests of the code that talks to NVIDIA's libraries. The libraries are fake ones, which use every
//! freedom that real ones have (`fake_driver/machine.h`).

mod copies;
mod graphs;
mod kernels;
mod memory;
mod mirror;
mod opening;
mod sharing;
mod suite;
mod times;
mod waiting;

use ringjet_backend::{Backend, Buf};
use ringjet_cuda::{CudaBackend, Unavailable, discover};

fn open() -> CudaBackend {
    CudaBackend::open(0).unwrap()
}

fn holding(b: &CudaBackend, words: &[u64]) -> Buf {
    let mut buf = b.alloc(words.len(), 1).unwrap();
    b.upload(&mut buf, 0, words).unwrap();
    buf
}

fn words(b: &CudaBackend, buf: &Buf) -> Vec<u64> {
    let mut out = vec![0; buf.limbs() * buf.n()];
    b.download(buf, 0, &mut out).unwrap();
    out
}

/// Asserts that [`discover`] and [`CudaBackend::open`] both fail with `why`.
fn assert_unavailable(ordinal: usize, why: Unavailable) {
    assert_eq!(discover(ordinal), Err(why.clone()));
    assert_eq!(CudaBackend::open(ordinal).err(), Some(why));
}
