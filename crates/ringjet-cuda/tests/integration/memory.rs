//! Tests what happens when memory runs out, and with words that do not fit.

use ringjet_backend::{Backend, BackendError, Width};
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

#[test]
fn residues_of_fewer_bytes_take_less_memory() {
    let n = 1 << 10;
    for (width, limbs) in [(Width::Four, 20), (Width::Six, 13), (Width::Eight, 10)] {
        let b = CudaBackend::emulated_with(10 * n * 8).with_width(width);
        assert!(b.alloc(limbs, n).is_ok(), "{width:?}");
        assert!(matches!(b.alloc(limbs + 1, n), Err(BackendError::OutOfMemory { .. })), "{width:?}");
    }
}

#[test]
fn residues_that_do_not_fit_are_refused() {
    let b = CudaBackend::emulated().with_width(Width::Six);
    let mut x = b.alloc(2, 4).unwrap();
    let most = (1 << 48) - 1;
    b.upload(&mut x, 0, &[most; 8]).unwrap();
    let refused = b.upload(&mut x, 1, &[0, most + 1, 0, 0]).unwrap_err();
    let narrow = |bits| BackendError::NarrowWords { backend: "cuda-emulated".into(), width: Width::Six, bits };
    assert_eq!(refused, narrow(49));
    assert_eq!(
        refused.to_string(),
        "cuda-emulated stores residues in 6 bytes, for primes of up to 48 bits, and these have 49: use smaller primes, \
         or a backend that stores them in 8 bytes"
    );
    let mut words = [0; 8];
    b.download(&x, 0, &mut words).unwrap();
    assert_eq!(words, [most; 8]); // nothing was written
    let basis = Basis::new(3, &prime::ntt_primes(3, 50, 1, &[]).unwrap()).unwrap();
    let mut y = b.alloc(1, 8).unwrap();
    assert_eq!(b.ntt(y.view_mut(1), &basis), Err(narrow(50)));
    assert_eq!(b.shift_round(y.view_mut(1), b.alloc(1, 8).unwrap().view(1), 52, 0), Err(narrow(52)));
    // buffers of one width are foreign to a backend of another
    let b = b.with_width(Width::Eight);
    assert!(matches!(b.download(&x, 0, &mut words), Err(BackendError::WrongOwner { .. })));
}
