//! Operations of a program that are computed side by side are at work at the same time.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use ringjet::ParamSpec;
use ringjet::dynamic::Parameters;
use ringjet_backend::{Backend, delegate};
use ringjet_cpu::{CpuBackend, CpuConfig};

use super::random::rounds;
use super::{World, all_rotations};

/// How long a job waits for the others. Only jobs that are not at work at the same time wait so long.
const LONGEST: Duration = Duration::from_secs(10);

/// A processor on which the jobs of operations that are computed side by side wait for one another.
#[derive(Debug)]
struct Watched {
    cpu: CpuBackend,
    jobs: Mutex<Jobs>,
    arrived: Condvar,
}

#[derive(Debug, Default)]
struct Jobs {
    /// Jobs at work now, and whether all jobs of the call were.
    now: usize,
    met: bool,
    /// For each call its jobs, and how many were at work at the same time.
    calls: Vec<[usize; 2]>,
}

impl Watched {
    fn on(threads: usize) -> Arc<Self> {
        let cpu = CpuBackend::new(CpuConfig { threads, path: None }).unwrap();
        Arc::new(Self { cpu, jobs: Mutex::default(), arrived: Condvar::new() })
    }

    /// A job begins. Returns when all jobs of the call have begun.
    fn begin(&self) {
        let mut jobs = self.jobs.lock().unwrap();
        jobs.now += 1;
        let now = jobs.now;
        let [all, most] = jobs.calls.last_mut().unwrap();
        *most = now.max(*most);
        jobs.met |= *most == *all;
        self.arrived.notify_all();
        drop(self.arrived.wait_timeout_while(jobs, LONGEST, |jobs| !jobs.met).unwrap());
    }
}

impl Backend for Watched {
    delegate!(self => self.cpu; all except parallel);

    fn parallel(&self, jobs: usize, words: usize, run: &(dyn Fn(usize, usize) + Sync)) {
        // steps of an operation state how many words they have
        if words < usize::MAX {
            return self.cpu.parallel(jobs, words, run);
        }
        {
            let mut all = self.jobs.lock().unwrap();
            all.calls.push([jobs, 0]);
            all.met = false;
        }
        self.cpu.parallel(jobs, words, &|worker, job| {
            self.begin();
            run(worker, job);
            self.jobs.lock().unwrap().now -= 1;
        });
    }
}

#[test]
fn as_many_operations_as_threads_are_at_work_at_the_same_time() {
    let params: Parameters =
        ringjet::Parameters::new(&ParamSpec::uniform(7, 55, 8, 45, 3).allow_insecure()).unwrap().into();
    let plan = params.key_plan(&all_rotations()).unwrap();
    let results = [1, 2, 3, 4, 5].map(|threads| {
        let backend = Watched::on(threads);
        let world = World::on_backend(backend.clone(), &params, &plan, 6, 12);
        let program = rounds(&world, 2);
        let found: Vec<_> = world.run(&program).iter().map(|ct| ct.to_bytes(&world.ctx).unwrap()).collect();
        let calls = std::mem::take(&mut backend.jobs.lock().unwrap().calls);
        // of four operations, those that are fewer than the threads are computed one by one
        let groups = if threads == 1 { 0 } else { 4 * (4 / threads) };
        assert_eq!(calls, vec![[threads; 2]; groups], "{threads} threads");
        found
    });
    assert!(results.iter().all(|found| *found == results[0]), "results depend on the threads");
}
