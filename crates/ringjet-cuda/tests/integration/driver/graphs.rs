//! Operations that are launched as graphs: their bytes, how often which call of the driver is made,
//! and what happens when one fails.

use std::sync::Arc;

use ringjet::{Ciphertext, Evaluator};
use ringjet_backend::{Backend, BackendError, Buf};
use ringjet_cpu::{CpuBackend, CpuConfig};
use ringjet_cuda::{CudaBackend, Unavailable};

use super::{holding, open, words};
use crate::fake_driver::{Counts, Fake, PLAIN, run, with};
use crate::program;

/// Most graphs that a backend keeps, and most launches of a graph (`src/graph.rs`).
const MOST_GRAPHS: u64 = 256;
const MOST_LAUNCHES: u64 = 64;

/// Handles that a backend without graphs has: a stream, two events, a pool and a module.
const HANDLES: u64 = 5;

/// Kernels launched one by one, graphs made, graphs run, and launches changed, while `work` ran.
fn counted(fake: &Fake, work: impl FnOnce()) -> [u64; 4] {
    let of = |c: Counts| [c.launches, c.graph_builds, c.graph_launches, c.graph_updates];
    let before = of(fake.counts());
    work();
    let after = of(fake.counts());
    std::array::from_fn(|i| after[i] - before[i])
}

/// Runs `work` in a scope.
fn scoped(b: &CudaBackend, work: impl FnOnce()) {
    let meter = b.meter().unwrap();
    meter.enter("Test");
    work();
    meter.leave();
}

/// Asserts that the scheme's program has the processor's bytes each time, while its operations go
/// from single launches to graphs, and while its memory moves.
fn assert_program_repeats(fake: &Fake, graphs: bool) {
    let params = program::parameters(9, 50).unwrap();
    let cpu = Arc::new(CpuBackend::new(CpuConfig { threads: 1, path: None }).unwrap());
    let expected = program::bytes(&params, cpu).unwrap();
    let b = Arc::new(open());
    let mut held = vec![];
    let [_, builds, runs, updates] = counted(fake, || {
        for round in 0..8 {
            assert!(program::bytes(&params, Arc::clone(&b) as _).unwrap() == expected, "round {round}");
            // takes the memory that the next round would have, and later gives it back
            if round == 4 {
                held.clear();
            }
            held.push([1, 2, 3, 4].map(|limbs| b.alloc(2 * limbs, params.n()).unwrap()));
        }
    });
    if graphs {
        assert!(builds > 0 && runs > builds && updates > 0, "{builds} {runs} {updates}");
    } else {
        assert_eq!([builds, runs, updates], [0; 3]);
    }
}

#[test]
fn a_program_of_graphs_has_the_processors_bytes() {
    run(PLAIN, |fake| assert_program_repeats(fake, true));
}

#[test]
fn a_program_of_graphs_has_the_processors_bytes_when_work_is_done_at_random_times() {
    run(with(&[("RINGJET_FAKE_SEED", "17")]), |fake| assert_program_repeats(fake, true));
}

#[test]
fn graphs_can_be_turned_off() {
    run(with(&[("RINGJET_CUDA_GRAPHS", "0")]), |fake| assert_program_repeats(fake, false));
}

#[test]
fn a_driver_without_graphs() {
    run(with(&[("RINGJET_FAKE_GRAPHS", "801")]), |fake| assert_program_repeats(fake, false));
}

#[test]
fn a_driver_without_memory_for_graphs() {
    run(with(&[("RINGJET_FAKE_GRAPHS", "2")]), |fake| assert_program_repeats(fake, false));
}

#[test]
fn a_driver_without_memory_to_run_graphs() {
    run(with(&[("RINGJET_FAKE_UPLOADS", "2")]), |fake| {
        let before = fake.counts().graph_builds;
        let b = open();
        scoped(&b, || copies(&b, &mut pair(&b, 3), 2));
        assert!(fake.counts().graph_builds > before && fake.counts().graph_launches == 0);
        assert_eq!(fake.counts().owned, HANDLES, "graphs that cannot run are destroyed");
    });
}

#[test]
fn a_driver_that_fails_to_make_graphs() {
    run(with(&[("RINGJET_FAKE_GRAPHS", "999")]), |_| {
        let Err(Unavailable::Failed { message, .. }) = CudaBackend::open(0) else { panic!("the self-test has graphs") };
        assert!(message.contains("a graph: DriverError(CUDA_ERROR_UNKNOWN"), "{message}");
    });
}

#[test]
fn an_unknown_word_for_graphs() {
    run(with(&[("RINGJET_CUDA_GRAPHS", "no")]), |_| {
        assert_eq!(
            CudaBackend::open(0).err(),
            Some(Unavailable::Switch { name: "RINGJET_CUDA_GRAPHS", found: "no".into() })
        );
    });
}

/// An operation becomes one launch of a graph, whose launches change only if their memory has
/// moved.
#[test]
fn an_operation_is_one_launch() {
    run(PLAIN, |fake| {
        let params = program::parameters(10, 50).unwrap();
        let b = Arc::new(open());
        let (_, eval, [x, y]) = program::client(&params, Arc::clone(&b) as _).unwrap();
        let mut held: Vec<Ciphertext> = vec![];
        let operations: [&dyn Fn(&Evaluator) -> Ciphertext; 2] =
            [&|eval| eval.rotate(&x, 1).unwrap(), &|eval| eval.mul_relin_rescale(&x, &y).unwrap()];
        for operation in operations {
            drop(operation(&eval)); // makes the constants
            let times = [(); 6].map(|()| counted(fake, || drop(operation(&eval))));
            let kernels = times[0][0];
            assert!(kernels >= 8, "{times:?}");
            assert_eq!(
                times,
                [[kernels, 0, 0, 0], [0, 1, 1, 0], [0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 1, 0]]
            );
            held.push(operation(&eval)); // so the next result has other memory
            let [launched, built, ran, updated] = counted(fake, || drop(operation(&eval)));
            assert_eq!([launched, built, ran], [0, 0, 1]);
            assert!(0 < updated && updated < kernels, "{updated} of {kernels}");
        }
    });
}

/// Two buffers of `limbs` limbs that hold ones and twos.
fn pair(b: &CudaBackend, limbs: usize) -> [Buf; 2] {
    [1, 2].map(|word| {
        let mut buf = b.alloc(limbs, 1).unwrap();
        b.upload(&mut buf, 0, &vec![word; limbs]).unwrap();
        buf
    })
}

/// Copies the first buffer of a pair to the second, `times` times.
fn copies(b: &CudaBackend, [from, to]: &mut [Buf; 2], times: u64) {
    (0..times).for_each(|_| b.copy(to.view_mut(1), from.view(1)).unwrap());
}

/// Only so many graphs are kept, those that ran last.
#[test]
fn graphs_are_bounded() {
    run(PLAIN, |fake| {
        let b = open();
        let twice = |limbs: usize| {
            let mut buffers = pair(&b, limbs);
            counted(fake, || (0..2).for_each(|_| scoped(&b, || copies(&b, &mut buffers, 2))))
        };
        let sizes = 1..=MOST_GRAPHS as usize + 10;
        for limbs in sizes.clone() {
            assert_eq!(twice(limbs), [2, 1, 1, 0], "{limbs}");
            assert_eq!(twice(1)[..3], [0, 0, 2], "the first stays in use");
        }
        // each graph has two handles
        assert_eq!(fake.counts().owned, 2 * MOST_GRAPHS + HANDLES);
        assert_eq!(twice(*sizes.end())[1..3], [0, 2], "the last is kept");
        assert_eq!(twice(2)[..3], [2, 1, 1], "the second has gone");
    });
}

/// Long operations are several graphs.
#[test]
fn long_operations_are_cut() {
    run(PLAIN, |fake| {
        let b = open();
        let mut buffers = pair(&b, 5);
        let mut round = |times| counted(fake, || scoped(&b, || copies(&b, &mut buffers, times)));
        let many = 2 * MOST_LAUNCHES + 3;
        // the second run of 64 is the first again
        assert_eq!(round(many), [MOST_LAUNCHES + 3, 1, 1, 0]);
        assert_eq!(round(many), [0, 1, 3, 0]);
        assert_eq!(round(many), [0, 0, 3, 0]);
        // one launch never becomes a graph
        (0..3).for_each(|_| assert_eq!(round(1), [1, 0, 0, 0]));
    });
}

/// What is collected comes before everything else that the thread asks for.
#[test]
fn other_work_waits_for_collected_launches() {
    run(with(&[("RINGJET_FAKE_SEED", "4")]), |fake| {
        let b = open();
        fake.watch(0x0123_4567_89ab_cdef);
        for _ in 0..4 {
            let (mut x, mut y) = (holding(&b, &[1; 9]), holding(&b, &[2; 9]));
            scoped(&b, || {
                b.copy(y.view_mut(1), x.view(1)).unwrap();
                b.upload(&mut x, 0, &[3; 9]).unwrap(); // not before the copy
                assert_eq!(words(&b, &y), [1; 9]);
                b.copy(y.view_mut(1), x.view(1)).unwrap();
                assert_eq!(words(&b, &y), [3; 9]); // not before the second copy
                let launches = fake.counts().launches;
                b.copy(x.view_mut(1), y.view(1)).unwrap();
                assert_eq!(fake.counts().launches, launches, "the copy waits");
                b.sync().unwrap();
                assert_eq!((fake.counts().launches, fake.counts().queued), (launches + 1, 0));
                // a secret that the last kernel reads is wiped after it
                let mut secret = b.alloc(9, 1).unwrap().into_secret();
                b.upload(&mut secret, 0, &[0x0123_4567_89ab_cdef; 9]).unwrap();
                b.copy(y.view_mut(1), secret.view(1)).unwrap();
                drop(secret);
                assert_eq!(words(&b, &y), [0x0123_4567_89ab_cdef; 9]);
                assert_eq!(fake.counts().device_watched, 9, "in the copy alone");
            });
        }
    });
}

/// Operations report success before their launches are passed on. So once this fails, nothing can
/// be read any more.
#[test]
fn launches_that_are_lost_are_reported_by_all_later_calls() {
    run(PLAIN, |fake| {
        let functions = [
            ("cuLaunchKernel", 0),
            ("cuGraphAddKernelNode_v2", 1),
            ("cuGraphInstantiateWithFlags", 1),
            ("cuGraphLaunch", 2),
            ("cuGraphExecKernelNodeSetParams_v2", 3),
        ];
        for (function, round) in functions {
            let b = open();
            let mut buffers = pair(&b, 7);
            let mut other = pair(&b, 7);
            let go = |buffers: &mut [Buf; 2]| scoped(&b, || copies(&b, buffers, 3));
            for _ in 0..round {
                go(&mut buffers);
            }
            fake.refuse(function, u64::from(function == "cuGraphAddKernelNode_v2"));
            go(if function.contains("SetParams") { &mut other } else { &mut buffers });
            let failed = |result: Result<(), BackendError>| {
                let Err(BackendError::Device { backend, message }) = result else { panic!("{function}: {result:?}") };
                assert!(backend == "cuda" && message.contains("CUDA_ERROR_INVALID_VALUE"), "{function}: {message}");
            };
            let [x, mut y] = buffers;
            for _ in 0..2 {
                failed(b.download(&y, 0, &mut [0; 7]));
                failed(b.upload(&mut y, 0, &[1; 7]));
                failed(b.copy(y.view_mut(1), x.view(1)));
                failed(b.sync());
                failed(b.alloc(1000, 1).map(drop));
            }
        }
    });
}

/// Threads share the queue: their launches may come to be in one graph.
#[test]
fn threads_collect_together() {
    run(with(&[("RINGJET_FAKE_SEED", "23")]), |_| {
        let params = program::parameters(8, 50).unwrap();
        let cpu = Arc::new(CpuBackend::new(CpuConfig { threads: 1, path: None }).unwrap());
        let expected = program::bytes(&params, cpu).unwrap();
        let b = Arc::new(open());
        std::thread::scope(|s| {
            for _ in 0..3 {
                s.spawn(|| {
                    for _ in 0..4 {
                        assert!(program::bytes(&params, Arc::clone(&b) as _).unwrap() == expected);
                    }
                });
            }
        });
    });
}

/// A backend that is told of scopes is none that only counts.
#[test]
fn a_backend_with_graphs_computes() {
    run(PLAIN, |_| assert!((&open() as &dyn Backend).computes()));
}
