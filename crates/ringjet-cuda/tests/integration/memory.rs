//! Tests what happens when memory runs out.

use ringjet_backend::{Backend, BackendError};
use ringjet_cuda::CudaBackend;
use ringjet_math::{Basis, prime};

#[test]
fn too_little_memory_is_an_error_and_leaves_room() {
    let (limbs, n) = (4, 1 << 10);
    let b = CudaBackend::emulated_with(40 * n * 8);
    let basis = Basis::new(10, &prime::ntt_primes(10, 50, limbs, &[]).unwrap()).unwrap();
    let mut x = b.alloc(limbs, n).unwrap();
    b.upload(&mut x, 0, &vec![1; limbs * n]).unwrap();
    b.ntt(x.view_mut(1), &basis).unwrap(); // the roots take 1280 words of constants for each prime
    // The backend frees its constants if nothing else is free.
    let most = b.alloc(36, n).unwrap();
    let refused = b.alloc(1, n);
    let Err(BackendError::OutOfMemory { backend, bytes, free }) = refused else { panic!("{refused:?}") };
    assert_eq!((backend.as_str(), bytes, free), ("cuda-emulated", 8 * n, Some(0)));
    // An operation without room for its constants fails and keeps no memory.
    let refused = b.ntt(x.view_mut(1), &basis);
    assert!(matches!(refused, Err(BackendError::OutOfMemory { .. })), "{refused:?}");
    drop(most);
    b.intt(x.view_mut(1), &basis).unwrap();
    let mut words = vec![0; limbs * n];
    b.download(&x, 0, &mut words).unwrap();
    assert_eq!(words, vec![1; limbs * n]);
    assert!(matches!(b.alloc(usize::MAX, n), Err(BackendError::OutOfMemory { bytes: usize::MAX, .. })));
}
