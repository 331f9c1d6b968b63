//! Copies between host and device: they arrive, and leave no secrets behind.

use ringjet_backend::{Backend, BackendError};

use super::{holding, open, words};
use crate::fake_driver::{Fake, PLAIN, run, with};

/// A word that occurs nowhere else.
const WORD: u64 = 0x0123_4567_89ab_cdef;

/// A number of words larger than both halves of the staging memory together: 3 MiWords and some.
pub const MANY: usize = (3 << 20) + 1000;

#[test]
fn copies_of_any_length_arrive() {
    run(PLAIN, |fake| {
        let b = open();
        let lengths = [0, 1, 8192, 8193, 1 << 20, (1 << 20) + 1, 2 << 20, MANY];
        for length in lengths {
            let data: Vec<u64> = (0..length as u64).map(|i| i * i + 1).collect();
            let (one, two) = (holding(&b, &data), holding(&b, &data[..length / 2]));
            assert!(fake.counts().queued > 0 || length == 0);
            assert!(words(&b, &one) == data && words(&b, &two) == data[..length / 2], "{length}");
        }
        // Parts of a buffer.
        let mut buf = holding(&b, &vec![7; MANY]);
        b.upload(&mut buf, 5, &vec![8; MANY - 10]).unwrap();
        let mut out = vec![0; MANY - 8];
        b.download(&buf, 4, &mut out).unwrap();
        assert!(out[0] == 7 && out[MANY - 9] == 7 && out[1..MANY - 9].iter().all(|&w| w == 8));
    });
}

/// Many small copies, which share a half of the staging memory, and fill it several times.
#[test]
fn small_copies_arrive() {
    run(with(&[("RINGJET_FAKE_SEED", "11")]), |_| {
        let b = open();
        let data = |i: u64| -> Vec<u64> { (0..30_000 + i).map(|k| k * i + 1).collect() };
        let held: Vec<_> = (0..100).map(|i| holding(&b, &data(i))).collect();
        for (i, buf) in held.iter().enumerate() {
            assert!(words(&b, buf) == data(i as u64), "{i}");
        }
    });
}

/// Data uploaded to buffers marked secret is nowhere but in the buffer once the copy is done, and
/// the buffer is wiped before its memory is kept for the next buffer.
#[test]
fn secrets_are_wiped() {
    run(PLAIN, |fake| {
        assert_secrets_wiped(fake);
    });
}

#[test]
fn secrets_are_wiped_when_work_is_done_at_random_times() {
    run(with(&[("RINGJET_FAKE_SEED", "5")]), |fake| {
        assert_secrets_wiped(fake);
    });
}

fn assert_secrets_wiped(fake: &Fake) {
    let b = open();
    fake.watch(WORD);
    for length in [1, 8192, 8193, MANY] {
        let data = vec![WORD; length];
        let mut buf = b.alloc(length, 1).unwrap().into_secret();
        b.upload(&mut buf, 0, &data).unwrap();
        b.sync().unwrap();
        let counts = fake.counts();
        let elsewhere = (counts.pinned_watched, counts.driver_watched);
        assert_eq!((counts.device_watched, elsewhere), (length as u64, (0, 0)), "{length}");
        assert!(words(&b, &buf) == data);
        assert_eq!(fake.counts().pinned_watched, 0, "{length}");
        drop(buf);
        b.sync().unwrap();
        let counts = fake.counts();
        assert_eq!((counts.device_watched, counts.freed_watched), (0, 0), "{length}");
        assert!(counts.taken_bytes >= 8 * length as u64, "the memory is kept");
    }
    // Other data is not wiped. This shows that the counters count.
    drop(holding(&b, &[WORD; 10]));
    drop(holding(&b, &vec![WORD; 10000]));
    b.sync().unwrap();
    let counts = fake.counts();
    assert_eq!((counts.device_watched, counts.pinned_watched, counts.driver_watched), (10010, 10010, 0));
    drop(b);
    assert_eq!(fake.counts().freed_watched, 10010);
}

/// A copy may fail at any of its pieces: none of its data stays in pinned memory, and later copies
/// succeed.
#[test]
fn copies_that_fail_leave_nothing_behind() {
    run(PLAIN, |fake| {
        let b = open();
        fake.watch(WORD);
        let (data, mut out) = (vec![WORD; MANY], vec![0; MANY]);
        let mut buf = b.alloc(MANY, 1).unwrap().into_secret();
        let refused = |result: Result<(), BackendError>, what: &str| {
            let Err(BackendError::Device { message, .. }) = result else { panic!("{what}: {result:?}") };
            assert!(message.contains("CUDA_ERROR_INVALID_VALUE"), "{what}: {message}");
            let counts = fake.counts();
            assert_eq!((counts.pinned_watched, counts.queued), (0, 0), "{what}");
        };
        for after in 0..3 {
            for function in ["cuEventSynchronize", "cuMemcpyHtoDAsync_v2", "cuMemsetD8Async", "cuEventRecord"] {
                fake.refuse(function, after);
                refused(b.upload(&mut buf, 0, &data), &format!("upload, {function} {after}"));
            }
            b.upload(&mut buf, 0, &data).unwrap();
            for function in ["cuMemcpyDtoHAsync_v2", "cuEventRecord", "cuEventSynchronize"] {
                fake.refuse(function, after);
                refused(b.download(&buf, 0, &mut out), &format!("download, {function} {after}"));
            }
            out.fill(0);
            b.download(&buf, 0, &mut out).unwrap();
            assert!(out == data, "{after}");
        }
    });
}
