//! What a cache of a given size keeps, and what traffic is left.

use ringjet_backend::plan::{DivisionPlan, ModUpPlan};
use ringjet_backend::{Backend, KeySwitch, KeySwitchInput};
use ringjet_math::Basis;
use ringjet_math::prime::ntt_primes;
use ringjet_model::{
    Caching, CallSizes, Cost, CountingBackend, Device, DeviceSpec, Operation, Policy, Trace, ringjet_parts,
};
use ringjet_papers::castro::{Algorithms, Configuration, Quirks, application, bootstrap};

fn cost(operation: &Operation, n: usize, policy: Policy) -> Cost {
    ringjet_parts(operation, n, policy).iter().map(|part| part.cost).sum()
}

/// Section IV-B and IV-C of de Castro et al. (ePrint 2021/1636): "about 6 MB" and "about 27 MB" at
/// N = 2^17 for 3 digits of 12 limbs, where a limb has 2^20 bytes.
#[test]
fn thresholds_are_the_published_ones() {
    let sizes = CallSizes { alpha: 12, beta: 3, all: 1000 };
    let at = |limbs: u64| match Policy::for_cache(limbs << 20, 1 << 17, sizes) {
        Policy::Cached { caching, .. } => caching,
        cpu => panic!("{cpu:?}"),
    };
    assert_eq!([at(1), at(2), at(5)], [Caching::None, Caching::Limb, Caching::Limb]);
    assert_eq!([at(6), at(26)], [Caching::BetaLimbs; 2]);
    assert_eq!([at(27), at(29)], [Caching::AlphaLimbs; 2]);
    assert_eq!([at(30), at(999), at(1000)], [Caching::Reordered, Caching::Reordered, Caching::Resident]);
    // many small digits
    let sizes = CallSizes { alpha: 1, beta: 10, all: 1000 };
    let at = |limbs: u64| Policy::for_cache(limbs << 20, 1 << 17, sizes);
    let cached = |caching| Policy::Cached { caching, seeded_keys: false };
    assert_eq!([at(19), at(20), at(30)], [Caching::Limb, Caching::AlphaLimbs, Caching::Reordered].map(cached));
}

fn programs() -> Vec<Trace> {
    let of = Configuration::BASELINE;
    let merged = Algorithms { merged: true, ..Algorithms::BASELINE };
    let iteration = application("Full LR Iteration", of, merged, Quirks::PAPER).unwrap();
    let bootstraps = [Algorithms::BASELINE, Algorithms::BEST].map(|by| bootstrap(of, by).unwrap().trace);
    bootstraps.into_iter().chain([iteration.trace]).collect()
}

/// Every call of these programs, with caches of 0 limbs up to all limbs of the call.
#[test]
fn traffic_never_rises_as_the_cache_grows() {
    let (mut calls, mut falls) = (0, 0);
    for trace in programs() {
        for call in &trace.calls {
            let sizes = call.operation.sizes(call.n);
            let words = |limbs: usize| {
                let bytes = (8 * limbs * call.n) as u64;
                cost(&call.operation, call.n, Policy::for_cache(bytes, call.n, sizes)).words()
            };
            let mut before = words(0);
            for limbs in 1..=sizes.all + 1 {
                let now = words(limbs);
                assert!(
                    now <= before,
                    "{:?}: {before} words with {} limbs, {now} with one more",
                    call.operation,
                    limbs - 1
                );
                falls += usize::from(now < before);
                before = now;
            }
            let resident = Policy::Cached { caching: Caching::Resident, seeded_keys: false };
            assert_eq!(before, cost(&call.operation, call.n, resident).words());
            calls += 1;
        }
    }
    println!("{calls} calls, {falls} steps down");
    assert!(calls > 100 && falls > calls);
}

/// Counted on buffers: what a call is given and what it returns.
#[test]
fn a_call_in_a_large_cache_reads_its_inputs_and_writes_its_outputs() {
    const LOG_N: u32 = 10;
    let n = 1 << LOG_N;
    let all = Basis::new(LOG_N, &ntt_primes(LOG_N, 50, 7, &[]).unwrap()).unwrap();
    // two special primes, five primes in digits of 2, 2 and 1
    let up = ModUpPlan::new(&all.prefix(2), &all.select(2..7), 2);
    let division = DivisionPlan::new(&all, &[0, 1]);
    let key = 6 * 7;
    let resident = |run: &dyn Fn(&CountingBackend)| {
        let b = CountingBackend::default();
        run(&b);
        let huge =
            |operation: &Operation, n| ringjet_parts(operation, n, Policy::for_cache(1 << 40, n, operation.sizes(n)));
        let cost = b.trace().total(huge);
        [cost.reads, cost.writes, cost.key_reads].map(|words| words as usize / n)
    };
    let switch = |b: &CountingBackend, input: KeySwitchInput<'_>, add: Option<usize>| {
        let (key, add) = (b.alloc(key, n).unwrap(), add.map(|limbs| (b.alloc(limbs, n).unwrap(), limbs / 5)));
        let mut dst = b.alloc(10, n).unwrap();
        let add = add.as_ref().map(|(buf, polys)| buf.view(*polys));
        let switch = KeySwitch { input, key: key.view(6), mod_up: &up, division: &division, add, automorphism: None };
        b.key_switch(dst.view_mut(2), &switch).unwrap();
    };
    // one polynomial of 5 limbs, one to add
    let one = |b: &CountingBackend| switch(b, KeySwitchInput::Polynomial(b.alloc(5, n).unwrap().view(1)), Some(5));
    assert_eq!(resident(&one), [10, 10, key]);
    // two ciphertexts, multiplied and relinearised
    let product = |b: &CountingBackend| {
        let (x, y) = (b.alloc(10, n).unwrap(), b.alloc(10, n).unwrap());
        let products: [&[_]; 1] = [&[(x.view(2), y.view(2))]];
        switch(b, KeySwitchInput::Products(&products), None);
    };
    assert_eq!(resident(&product), [20, 10, key]);
    // three digits of 7 limbs that are ready
    let ready = |b: &CountingBackend| switch(b, KeySwitchInput::Digits(b.alloc(21, n).unwrap().view(3)), None);
    assert_eq!(resident(&ready), [21, 10, key]);
    let mod_up = |b: &CountingBackend| {
        let (src, mut dst) = (b.alloc(5, n).unwrap(), b.alloc(21, n).unwrap());
        b.mod_up(dst.view_mut(3), src.view(1), &up).unwrap();
    };
    assert_eq!(resident(&mod_up), [5, 21, 0]);
    let divided = |b: &CountingBackend| {
        let (src, mut dst) = (b.alloc(14, n).unwrap(), b.alloc(10, n).unwrap());
        b.divide_round(dst.view_mut(2), src.view(2), &division, None).unwrap();
    };
    assert_eq!(resident(&divided), [14, 10, 0]);
    // a square reads one ciphertext
    let square = |b: &CountingBackend| {
        let (x, mut dst) = (b.alloc(10, n).unwrap(), b.alloc(15, n).unwrap());
        b.tensor(dst.view_mut(3), x.view(2), x.view(2), &up.src).unwrap();
    };
    assert_eq!(resident(&square), [10, 15, 0]);
}

/// Where the cache holds a whole iteration of logistic regression, the speed of main memory does not
/// matter.
#[test]
fn a_program_that_fits_into_the_cache_does_not_wait_for_main_memory() {
    let programs = programs();
    // the best-case bootstrap does not fit: docs/design/cost-model.md
    assert!((programs[1].peak_bytes as f64 / 1e9 - 83.34).abs() < 0.01, "{}", programs[1].peak_bytes);
    let trace = &programs[2];
    let wafer = Device::builtin("paper-wafer").unwrap();
    let mut spec: DeviceSpec = wafer.spec().clone();
    spec.memory[1].read_gb_s /= 100.0;
    spec.memory[1].write_gb_s /= 100.0;
    let slower = Device::new(spec.clone()).unwrap();
    assert!(trace.peak_bytes < spec.memory[0].bytes, "{}", trace.peak_bytes);
    let time = |device: &Device| trace.estimate(device).time.memory_s;
    assert_eq!(time(&wafer), time(&slower));
    spec.memory[0].bytes = 1 << 30;
    let smaller = Device::new(spec).unwrap();
    assert!(time(&smaller) > 100.0 * time(&wafer), "{} {}", time(&smaller), time(&wafer));
}
