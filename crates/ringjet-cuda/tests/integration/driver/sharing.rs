//! Several devices, evaluators and threads work side by side in one process, and a device that fails
//! returns errors and is released.

use std::sync::Arc;

use ringjet_backend::{Backend, BackendError};
use ringjet_cpu::{CpuBackend, CpuConfig};
use ringjet_cuda::CudaBackend;
use ringjet_math::{Basis, prime};

use super::copies::MANY;
use super::{holding, open, words};
use crate::fake_driver::{PLAIN, run, with};
use crate::program;

#[test]
fn two_devices_do_not_share_buffers() {
    run(with(&[("RINGJET_FAKE_DEVICES", "2")]), |fake| {
        let (one, two) = (open(), CudaBackend::open(1).unwrap());
        assert_eq!((one.id().name(), two.id().name()), ("cuda", "cuda:1"));
        let (a, mut c) = (holding(&one, &[1, 2, 3]), holding(&two, &[4, 5, 6]));
        let wrong = |op: &'static str, expected: &str, found: &str| BackendError::WrongOwner {
            op,
            expected: expected.into(),
            found: found.into(),
        };
        assert_eq!(two.copy(c.view_mut(1), a.view(1)), Err(wrong("copy", "cuda:1", "cuda")));
        assert_eq!(one.upload(&mut c, 0, &[7, 8, 9]), Err(wrong("upload", "cuda", "cuda:1")));
        assert_eq!(two.download(&a, 0, &mut [0; 3]), Err(wrong("download", "cuda:1", "cuda")));
        // One thread uses the devices in turn. No context is current between its calls.
        for _ in 0..3 {
            assert_eq!(fake.depth(), 0);
            assert_eq!((words(&one, &a), words(&two, &c)), (vec![1, 2, 3], vec![4, 5, 6]));
        }
        // One backend is dropped while one of its buffers lives on.
        drop(one);
        drop(a);
        assert_eq!((words(&two, &c), fake.counts().contexts), (vec![4, 5, 6], 1));
        // A second backend on the same device does not accept the first one's buffers.
        let again = CudaBackend::open(1).unwrap();
        assert!(matches!(
            again.copy(c.view_mut(1), holding(&again, &[1, 1, 1]).view(1)),
            Err(BackendError::WrongOwner { .. })
        ));
        drop(c);
        drop(two);
        assert_eq!(words(&again, &holding(&again, &[9])), [9]);
    });
}

/// A kernel makes an illegal access. Only a later call reports it, and all calls after it fail.
#[test]
fn a_device_that_fails_says_so_and_is_given_back() {
    run(PLAIN, |fake| {
        let b = open();
        let mut buf = holding(&b, &[1, 2, 3]);
        b.sync().unwrap();
        fake.fail(700);
        b.upload(&mut buf, 0, &[4, 5, 6]).unwrap();
        let failed = |result: Result<(), BackendError>| {
            let Err(BackendError::Device { backend, message }) = result else { panic!("{result:?}") };
            assert_eq!(backend, "cuda");
            assert!(message.starts_with("Fake GPU 0: ") && message.contains("CUDA_ERROR_ILLEGAL_ADDRESS"), "{message}");
        };
        failed(b.sync());
        failed(b.download(&buf, 0, &mut [0; 3]));
        failed(b.upload(&mut buf, 0, &[1; 3]));
        failed(b.alloc(1, 1).map(drop));
        let mut x = vec![0; MANY];
        failed(b.download(&buf, 0, &mut x[..3]));
        drop(buf);
        drop(b);
        // The failure ended with its context.
        assert_eq!(fake.counts().contexts, 0);
        let b = open();
        assert_eq!(words(&b, &holding(&b, &[5])), [5]);
    });
}

/// Several programs run at the same time on one device, each with its own keys and evaluator. Their
/// bytes equal the processor's.
#[test]
fn evaluators_share_a_device() {
    run(with(&[("RINGJET_FAKE_SEED", "13")]), |_| {
        let cpu = Arc::new(CpuBackend::new(CpuConfig { threads: 1, path: None }).unwrap());
        let params = program::parameters(9, 50).unwrap();
        let expected = program::bytes(&params, cpu).unwrap();
        let b = Arc::new(open());
        let each = || {
            std::thread::spawn({
                let (b, params) = (Arc::clone(&b), params.clone());
                move || program::bytes(&params, b).unwrap()
            })
        };
        let threads: Vec<_> = (0..3).map(|_| each()).collect();
        for t in threads {
            assert!(t.join().unwrap() == expected);
        }
    });
}

/// Several threads use one device, and so share its staging memory, its constants and its queue.
#[test]
fn threads_share_a_device() {
    run(with(&[("RINGJET_FAKE_SEED", "11")]), |fake| {
        let b = Arc::new(open());
        let basis = Arc::new(Basis::new(10, &prime::ntt_primes(10, 50, 3, &[]).unwrap()).unwrap());
        let work = |t: u64| {
            let (b, basis) = (Arc::clone(&b), Arc::clone(&basis));
            std::thread::spawn(move || {
                for round in 0..4 {
                    let words_of = |i: u64| (i * i + 1000 * t + round) % (1 << 40);
                    let data: Vec<u64> = (0..3 << 10).map(words_of).collect();
                    let long: Vec<u64> = (0..(1 << 20) + 5000).map(words_of).collect();
                    let mut x = b.alloc(3, 1 << 10).unwrap();
                    b.upload(&mut x, 0, &data).unwrap();
                    b.ntt(x.view_mut(1), &basis).unwrap();
                    let y = holding(&b, &long);
                    b.intt(x.view_mut(1), &basis).unwrap();
                    assert!(words(&b, &x) == data && words(&b, &y) == long, "thread {t}, round {round}");
                }
            })
        };
        let threads: Vec<_> = (0..4).map(work).collect();
        threads.into_iter().for_each(|t| t.join().unwrap());
        // A thread that used no GPU can drop the backend.
        let counts = fake.counts();
        std::thread::spawn(move || drop(b)).join().unwrap();
        assert_eq!(counts.contexts, 1);
    });
}
