//! Device memory: what happens when it runs out, and that it is given back.

use ringjet_backend::{Backend, BackendError, Buf};
use ringjet_cuda::CudaBackend;
use ringjet_math::{Basis, prime};

use super::{holding, open, words};
use crate::fake_driver::{Fake, PLAIN, run, with};

/// Takes all of 64 MiB of memory.
#[test]
fn out_of_memory_says_how_much_there_was() {
    let total = 1 << 26;
    run(with(&[("RINGJET_FAKE_BYTES", "67108864")]), |fake| {
        let b = open();
        let n = 1 << 12;
        let mut taken: Vec<Buf> = vec![];
        let refused = loop {
            match b.alloc(100, n) {
                Ok(buf) => taken.push(buf),
                Err(e) => break e,
            }
        };
        assert_eq!(taken.len(), total / (8 * 100 * n));
        let room = total - taken.len() * 8 * 100 * n;
        let BackendError::OutOfMemory { backend, bytes, free } = refused.clone() else { panic!("{refused}") };
        assert_eq!((backend.as_str(), bytes), ("cuda", 8 * 100 * n));
        // The backend has freed the constants of the self-test.
        assert_eq!(free, Some(room), "{refused}");
        assert_eq!(fake.counts().taken_bytes as usize, total - room);
        assert!(refused.to_string().contains(&format!("{bytes} bytes wanted, {room} are free")), "{refused}");
        // A request that fails takes no memory, so a smaller one still succeeds.
        let rest = b.alloc(room / (8 * n), n).unwrap();
        assert!(matches!(b.alloc(usize::MAX, 8), Err(BackendError::OutOfMemory { bytes: usize::MAX, .. })));
        assert!(matches!(b.alloc(1 << 40, 1), Err(BackendError::OutOfMemory { bytes: 0x800_0000_0000, .. })));
        // Memory given back in several pieces can be taken as one.
        drop((taken, rest));
        let limbs = total / (8 * n) - 1;
        let one = b.alloc(limbs, n).unwrap();
        drop(one);
        assert_eq!(fake.counts().taken_bytes as usize, 8 * limbs * n, "the backend keeps it");
        assert_takes_nothing(&b, fake);
    });
}

/// Asserts that all memory of the device is free once a request that cannot be met has made the
/// backend give back what it keeps.
fn assert_takes_nothing(b: &CudaBackend, fake: &Fake) {
    assert!(matches!(b.alloc(1 << 40, 1), Err(BackendError::OutOfMemory { .. })));
    assert_eq!((fake.counts().taken, fake.counts().taken_bytes), (0, 0));
}

/// Memory that is given back is kept, and handed out again to the next of the same size.
#[test]
fn memory_is_used_again() {
    run(with(&[("RINGJET_FAKE_SEED", "3")]), |fake| {
        let n = 1 << 10;
        let basis = Basis::new(10, &prime::ntt_primes(10, 50, 3, &[]).unwrap()).unwrap();
        let b = open();
        let data: Vec<u64> = (0..3 << 10).collect();
        let round = |limbs: usize| {
            let mut x = holding_limbs(&b, &data[..limbs * n], n);
            let first = basis.select(0..limbs);
            b.ntt(x.view_mut(1), &first).unwrap();
            let mut y = b.alloc(limbs, n).unwrap();
            b.copy(y.view_mut(1), x.view(1)).unwrap();
            drop(x); // its memory has a new owner while the work above waits
            let z = holding_limbs(&b, &vec![7; limbs * n], n);
            b.intt(y.view_mut(1), &first).unwrap();
            assert!(words(&b, &y) == data[..limbs * n] && words(&b, &z) == vec![7; limbs * n]);
        };
        round(3);
        round(2);
        let taken = fake.counts().taken;
        for _ in 0..3 {
            round(2);
            round(3);
            b.sync().unwrap();
        }
        assert_eq!(fake.counts().taken, taken);
    });
}

fn holding_limbs(b: &CudaBackend, words: &[u64], n: usize) -> Buf {
    let mut buf = b.alloc(words.len() / n, n).unwrap();
    b.upload(&mut buf, 0, words).unwrap();
    buf
}

/// A transform that has no room for its roots keeps no memory.
#[test]
fn an_operation_without_room_takes_nothing() {
    run(with(&[("RINGJET_FAKE_BYTES", "4194304")]), |fake| {
        let (limbs, n) = (4, 1 << 12);
        let basis = Basis::new(12, &prime::ntt_primes(12, 50, limbs, &[]).unwrap()).unwrap();
        let b = open();
        let mut x = b.alloc(limbs, n).unwrap();
        b.upload(&mut x, 0, &vec![1; limbs * n]).unwrap();
        let most = b.alloc(123, n).unwrap();
        for _ in 0..2 {
            let refused = b.ntt(x.view_mut(1), &basis);
            assert!(matches!(refused, Err(BackendError::OutOfMemory { .. })), "{refused:?}");
            assert!(matches!(b.alloc(1 << 40, 1), Err(BackendError::OutOfMemory { .. }))); // returns what is kept
            assert_eq!(fake.counts().taken_bytes, 8 * 127 * n as u64);
        }
        drop(most);
        b.ntt(x.view_mut(1), &basis).unwrap();
        b.intt(x.view_mut(1), &basis).unwrap();
        assert_eq!(words(&b, &x), vec![1; limbs * n]);
    });
}

/// Each backend has a memory pool of its own. Dropping one backend returns what it kept, and what its
/// pool kept for it. The other backend keeps the memory of its self-test.
#[test]
fn dropping_a_backend_returns_the_memory_of_its_pool() {
    run(PLAIN, |fake| {
        let (one, two) = (open(), open());
        drop(one.alloc(1 << 20, 4).unwrap());
        one.sync().unwrap();
        assert!(fake.counts().reserved_bytes > 1 << 25);
        drop(one);
        assert!(fake.counts().reserved_bytes < 1 << 22, "{:?}", fake.counts());
        assert_eq!(words(&two, &holding(&two, &[5])), [5]);
    });
}
