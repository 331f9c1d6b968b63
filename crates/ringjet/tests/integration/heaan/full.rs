//! Full sizes, on all cores: `cargo test --release -p ringjet --test integration heaan:: -- --ignored --nocapture`.

use std::sync::Arc;
use std::time::Instant;

use ringjet::KeyPlan;
use ringjet::heaan::preset;

use super::fixture::Fixture;
use crate::common::rotate_left;

fn times(name: &str) {
    let backend = Arc::new(ringjet_cpu::CpuBackend::new(Default::default()).unwrap());
    let start = Instant::now();
    let f = Fixture::on(backend, preset(name).unwrap().spec(), &KeyPlan::rotations([1]), 50);
    println!("{name}: keys {:?}", start.elapsed());
    let (a, b) = (f.random(1.0), f.random(1.0));
    let start = Instant::now();
    let (x, y) = (f.encrypt(&a), f.encrypt(&b));
    println!("{name}: two encryptions {:?}", start.elapsed());
    let start = Instant::now();
    let product = f.eval.mul(&x, &y).unwrap();
    println!("{name}: multiplication {:?}", start.elapsed());
    let product = f.eval.rescale(&product, f.params().log_p()).unwrap();
    let start = Instant::now();
    let rotated = f.eval.rotate(&product, 1).unwrap();
    println!("{name}: rotation {:?}", start.elapsed());
    let want: Vec<_> = a.iter().zip(&b).map(|(&a, &b)| a * b).collect();
    f.expect(&product, &want, "product");
    f.expect(&rotated, &rotate_left(&want, 1), "rotation");
}

#[test]
#[ignore = "takes seconds"]
fn n14() {
    times("heaan-n14-q210");
}

#[test]
#[ignore = "takes minutes without fast kernels, and gigabytes"]
fn n16() {
    times("heaan-n16-q850");
    times("heaan-n16-q1200");
}
