//! The conformance suite on the fake driver.

use ringjet_backend::conformance::{BigShape, Chain, Options};
use ringjet_backend::{Backend, conformance};

use super::open;
use crate::fake_driver::{PLAIN, run, with};

fn small(log_ns: Vec<u32>) -> Options {
    Options {
        log_ns,
        seed: 3,
        bases: vec![vec![50, 61]],
        chains: vec![Chain { p: vec![60, 50], q: vec![60, 50, 40], alpha: 2 }],
        bigs: vec![BigShape { bits: [60, 120], shift: 60, prime: 50, most_log_n: 11 }],
    }
}

fn conforms(seed: &str, log_ns: Vec<u32>) {
    let b = open();
    assert_eq!(b.id().name(), "cuda");
    let report = conformance::run(&b, &small(log_ns)).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    assert!(report.checks > 500, "{report}");
}

#[test]
fn conforms_when_work_is_done_as_late_as_possible() {
    run(PLAIN, |fake| {
        conforms("none", vec![3, 9]);
        let counts = fake.counts();
        assert!(counts.launches > 500 && counts.images == 1, "{counts:?}");
    });
}

/// A scope is open all the time, so all launches are collected.
#[test]
fn conforms_when_launches_are_collected() {
    run(with(&[("RINGJET_FAKE_SEED", "19")]), |fake| {
        let b = open();
        b.meter().unwrap().enter("Suite");
        let report = conformance::run(&b, &small(vec![4, 9])).unwrap_or_else(|e| panic!("{e}"));
        assert!(report.checks > 500 && fake.counts().graph_launches > 50, "{report}, {:?}", fake.counts());
    });
}

#[test]
fn conforms_when_work_is_done_at_random_times() {
    run(with(&[("RINGJET_FAKE_SEED", "7")]), |_| conforms("7", vec![4, 6]));
}

/// Runs every shape of the suite; work is done at random times.
#[test]
#[ignore = "a minute"]
fn conforms_in_full() {
    run(with(&[("RINGJET_FAKE_SEED", "1")]), |_| {
        let options = Options { log_ns: vec![3, 4, 5], ..Options::default() };
        conformance::run(&open(), &options).unwrap_or_else(|e| panic!("{e}"));
    });
}
