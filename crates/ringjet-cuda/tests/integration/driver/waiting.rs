//! Kernels that fail: what the error says, with and without a wait after each launch.

use ringjet_backend::{Backend, BackendError};

use super::{holding, open};
use crate::fake_driver::{PLAIN, run, with};

fn message(result: Result<(), BackendError>) -> String {
    match result {
        Err(BackendError::Device { message, .. }) => message,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_failure_names_the_last_launch() {
    run(PLAIN, |fake| {
        let b = open();
        let (x, mut y) = (holding(&b, &[1; 9]), holding(&b, &[2; 9]));
        b.sync().unwrap();
        fake.fail(719);
        b.copy(y.view_mut(1), x.view(1)).unwrap();
        let found = message(b.sync());
        let last = "the last one that was queued was copy_8, 1 x 9 x 1 blocks of 1 x 1 threads with 0 bytes; ";
        assert!(found.contains("CUDA_ERROR_LAUNCH_FAILED") && found.contains(last), "{found}");
        assert!(found.ends_with("RINGJET_CUDA_WAIT=1 names the one that fails"), "{found}");
    });
}

#[test]
fn a_wait_after_each_launch_names_the_kernel_that_fails() {
    run(with(&[("RINGJET_CUDA_WAIT", "1")]), |fake| {
        let b = open();
        let (x, mut y) = (holding(&b, &[1; 9]), holding(&b, &[2; 9]));
        b.copy(y.view_mut(1), x.view(1)).unwrap();
        assert_eq!((fake.counts().queued, fake.counts().graph_builds), (0, 0));
        fake.fail(700);
        let found = message(b.copy(y.view_mut(1), x.view(1)));
        let launch = "Fake GPU 0: launch of copy_8, 1 x 9 x 1 blocks of 1 x 1 threads with 0 bytes: ";
        assert!(found.starts_with(launch) && found.contains("CUDA_ERROR_ILLEGAL_ADDRESS"), "{found}");
    });
}

#[test]
fn a_launch_that_the_driver_refuses_is_named() {
    run(PLAIN, |fake| {
        let b = open();
        let (x, mut y) = (holding(&b, &[1; 9]), holding(&b, &[2; 9]));
        fake.refuse("cuLaunchKernel", 0);
        let found = message(b.copy(y.view_mut(1), x.view(1)));
        assert!(found.contains("launch of copy_8, 1 x 9 x 1 blocks") && found.contains("INVALID_VALUE"), "{found}");
    });
}
