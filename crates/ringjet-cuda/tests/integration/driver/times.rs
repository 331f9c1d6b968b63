//! Times on the device's clock. A kernel of the fake device takes 10 microseconds.

use ringjet_backend::{Backend, Buf};
use ringjet_cuda::{CudaBackend, Span, Times};

use super::{holding, open};
use crate::fake_driver::{PLAIN, run, with};

/// Copies the first of two buffers to the second, `times` times.
fn copies(b: &CudaBackend, [from, to]: &mut [Buf; 2], times: usize) {
    (0..times).for_each(|_| b.copy(to.view_mut(1), from.view(1)).unwrap());
}

/// Names, begins and ends, in whole microseconds.
fn rounded(spans: &[Span]) -> Vec<(&'static str, i64, i64)> {
    spans.iter().map(|s| (s.name, s.begin.round() as i64, s.end.round() as i64)).collect()
}

/// Outermost scopes and the phases of a bootstrap are timed without a wait. Launches still become
/// graphs, and the times are those of all launches before the end of a scope.
#[test]
fn scopes() {
    run(with(&[("RINGJET_FAKE_SEED", "0")]), |fake| {
        let b = open();
        let mut buffers = [holding(&b, &[1; 9]), holding(&b, &[2; 9])];
        b.record_times(Some(Times::Scopes)).unwrap();
        let scoped = |name, work: &mut dyn FnMut()| {
            let meter = b.meter().unwrap();
            meter.enter(name);
            work();
            meter.leave();
        };
        let mut handles = vec![];
        for round in 0..4 {
            let before = fake.counts();
            scoped("Bootstrap", &mut || {
                scoped("ModRaise", &mut || {
                    copies(&b, &mut buffers, 3);
                    scoped("Rescale", &mut || copies(&b, &mut buffers, 1));
                });
                copies(&b, &mut buffers, 2);
                scoped("EvalMod", &mut || copies(&b, &mut buffers, 5));
            });
            scoped("Add", &mut || copies(&b, &mut buffers, 2));
            let counts = fake.counts();
            assert!(counts.queued > before.queued, "nothing was waited for");
            let expected = [("ModRaise", 0, 40), ("EvalMod", 60, 110), ("Bootstrap", 0, 110), ("Add", 110, 130)];
            assert_eq!(rounded(&b.take_times().unwrap()), expected);
            if round > 0 {
                assert_eq!(fake.counts().graph_launches - before.graph_launches, 4, "round {round}");
            }
            handles.push(fake.counts().owned);
        }
        assert_eq!(handles[2], handles[3], "events are used again");
        b.record_times(None).unwrap();
        scoped("Add", &mut || copies(&b, &mut buffers, 2));
        assert_eq!(b.take_times().unwrap(), []);
    });
}

#[test]
fn launches() {
    run(with(&[("RINGJET_FAKE_SEED", "7")]), |fake| {
        let b = open();
        let mut buffers = [holding(&b, &[1; 9]), holding(&b, &[2; 9])];
        b.record_times(Some(Times::Launches)).unwrap();
        for _ in 0..3 {
            let before = fake.counts().graph_launches;
            let meter = b.meter().unwrap();
            meter.enter("Scope");
            copies(&b, &mut buffers, 3);
            meter.leave();
            let spans = b.take_times().unwrap();
            assert_eq!(rounded(&spans), [("copy_8", 0, 10), ("copy_8", 10, 20), ("copy_8", 20, 30)]);
            assert!(spans.iter().all(|span| span.grid.unwrap().blocks == [1, 9, 1]));
            assert_eq!(fake.counts().graph_launches, before);
        }
    });
}

#[test]
fn a_time_that_is_missing_is_an_error() {
    run(PLAIN, |fake| {
        let b = open();
        let mut buffers = [holding(&b, &[1; 9]), holding(&b, &[2; 9])];
        b.record_times(Some(Times::Launches)).unwrap();
        fake.refuse("cuEventRecord", 1);
        copies(&b, &mut buffers, 2);
        let why = b.take_times().unwrap_err().to_string();
        assert!(why.contains("an event: ") && why.contains("CUDA_ERROR_INVALID_VALUE"), "{why}");
        copies(&b, &mut buffers, 2);
        assert_eq!(b.take_times().unwrap().len(), 2);
    });
}

#[test]
fn a_driver_without_times() {
    run(with(&[("RINGJET_FAKE_DRIVER", "12040")]), |_| {
        let b = open();
        b.record_times(Some(Times::Launches)).unwrap();
        copies(&b, &mut [holding(&b, &[1; 9]), holding(&b, &[2; 9])], 1);
        let why = b.take_times().unwrap_err().to_string();
        assert!(why.contains("times need a driver for CUDA 12.8, not 12.4"), "{why}");
    });
}

/// Each kind of call is made: launches alone and in graphs, and memory from the driver.
#[test]
fn latencies() {
    run(PLAIN, |fake| {
        let b = open();
        let before = fake.counts();
        let found = b.latencies().unwrap();
        let after = fake.counts();
        let times =
            [found.launch_and_wait, found.launch, found.launch_of_graph, found.allocation, found.kept_allocation];
        assert!(times.iter().all(|&time| time > 0.0), "{found:?}");
        assert!(after.launches - before.launches >= 2000);
        assert!(after.graph_launches - before.graph_launches >= 1000 / 64);
    });
}
