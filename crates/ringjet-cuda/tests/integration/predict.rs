//! The predictor counts the bytes that the emulator counts, launch by launch; the page of predictions
//! has its times.

use std::sync::Arc;

use ringjet::{Ciphertext, Context, EvaluationKeys, Evaluator, KeyPlan, Parameters};
use ringjet_cuda::predict::{Gpu, Launched, Predictor, Program, Unit};
use ringjet_cuda::{Argument, Arithmetic, CudaBackend, Launch};
use ringjet_model::CountingBackend;

use crate::program;

type Run = fn(&Evaluator, &Ciphertext) -> ringjet::Result<()>;

const OPERATIONS: [(&str, Run); 8] = [
    ("multiply", |e, x| e.mul_relin_rescale(x, x).map(drop)),
    ("product", |e, x| e.mul(x, x).map(drop)),
    ("rotate", |e, x| e.rotate(x, 1).map(drop)),
    ("hoisted rotations", |e, x| e.rotate_hoisted(x, &[1, 1, 0]).map(drop)),
    ("rotation sum", |e, x| e.rotation_sum(x, &[0, 1]).map(drop)),
    ("rescale", |e, x| e.rescale(x).map(drop)),
    ("sum", |e, x| e.add(x, x).map(drop)),
    ("negation", |e, x| e.neg(x).map(drop)),
];

/// An evaluator without values, on a backend that records.
fn shapes(
    params: &Parameters,
    plan: &KeyPlan,
    arithmetic: Arithmetic,
) -> (Evaluator, Ciphertext, Arc<ringjet_cuda::Recorder>) {
    let (backend, recorder) = CudaBackend::recording();
    let ctx = Context::new(params, Arc::new(backend.with_arithmetic(arithmetic)));
    let keys = EvaluationKeys::uncomputed(&ctx, plan).unwrap();
    let eval = Evaluator::bootstrapping(&ctx, Arc::new(keys)).unwrap();
    let level = params.bootstrap().map_or(params.top_level(), |boot| boot.input_level());
    let x = Ciphertext::uncomputed(&ctx, level, params.log_n() - 1).unwrap();
    (eval, x, recorder)
}

#[test]
fn bytes_are_those_that_the_emulator_counts() {
    let mut compared = 0;
    for arithmetic in Arithmetic::ALL {
        let params = program::parameters(11, arithmetic.bits().min(60)).unwrap();
        let emulator = Arc::new(CudaBackend::emulated().with_arithmetic(arithmetic));
        let (_ctx, computing, [a, _]) = program::client(&params, emulator.clone()).unwrap();
        let (recording, x, recorder) = shapes(&params, &KeyPlan::rotations([1]), arithmetic);
        emulator.record_traffic(true);
        for (name, run) in OPERATIONS {
            emulator.take_traffic();
            run(&computing, &a).unwrap();
            let counted = emulator.take_traffic();
            run(&recording, &x).unwrap();
            recorder.take();
            run(&recording, &x).unwrap();
            let launched = Launched::all(recorder.take().launches, &recorder, Gpu::H200.cache).unwrap();
            let found: Vec<_> =
                launched.iter().map(|l| (l.launch.kernel, l.work.bytes(false), l.work.bytes(true))).collect();
            let expected: Vec<_> = (counted.iter())
                .map(|t| (format!("ringjet_{}", t.kernel), t.limbs.read as f64, t.limbs.written as f64))
                .collect();
            let expected: Vec<_> = expected.iter().map(|(name, r, w)| (name.as_str(), *r, *w)).collect();
            assert_eq!(found, expected, "{name} in {arithmetic}");
            compared += found.len();
        }
    }
    assert!(compared > 200, "{compared}");
}

/// A row of the page's first table: launches, MB and microseconds on an H200 and an H100.
fn row(page: &str, name: &str) -> [f64; 4] {
    let start = format!("| {name} |");
    let line = page.lines().find(|line| line.starts_with(&start)).unwrap();
    let cells: Vec<&str> = line.split('|').map(|cell| cell.trim().trim_matches('*')).collect();
    [2, 3, 8, 10].map(|i| cells[i].parse().unwrap())
}

/// Runs a program on a backend that counts and passes calls on to one that records.
fn estimated(preset: &str, run: Run) -> [f64; 4] {
    let params = ringjet::preset(preset).unwrap();
    let (backend, recorder) = CudaBackend::recording();
    let ctx = Context::new(&params, Arc::new(CountingBackend::over(Arc::new(backend))));
    let keys = Arc::new(EvaluationKeys::uncomputed_for_all(&ctx).unwrap());
    let eval = Evaluator::bootstrapping(&ctx, keys).unwrap();
    if eval.can_bootstrap() {
        eval.bootstrapper(params.log_n() - 1).unwrap();
    }
    let level = params.bootstrap().map_or(params.top_level(), |boot| boot.input_level());
    let x = Ciphertext::uncomputed(&ctx, level, params.log_n() - 1).unwrap();
    recorder.take();
    run(&eval, &x).unwrap();
    let launched = Launched::all(recorder.take().launches, &recorder, Gpu::H200.cache).unwrap();
    let bytes: f64 = launched.iter().map(|l| l.work.bytes(false) + l.work.bytes(true)).sum();
    let us = |gpu: &Gpu| 1e6 * launched.iter().map(|l| l.seconds(gpu)).sum::<f64>();
    [launched.len() as f64, bytes / 1e6, us(&Gpu::H200), us(&Gpu::H100)]
}

#[test]
fn estimates_are_those_of_the_page() {
    let page = std::fs::read_to_string("../../docs/design/gpu-prediction.md").unwrap();
    let programs: [(&str, &str, Run); 4] = [
        ("multiply", "n16-depth24", OPERATIONS[0].1),
        ("rotate", "n16-depth24", OPERATIONS[2].1),
        ("rescale", "n16-depth24", OPERATIONS[5].1),
        ("bootstrap", "n16-boot", |e, x| e.bootstrap(x).map(drop)),
    ];
    for (name, preset, run) in programs {
        let (found, expected) = (estimated(preset, run), row(&page, name));
        for (found, expected) in found.into_iter().zip(expected) {
            assert!((found / expected - 1.0).abs() < 0.01, "{name}: {found}, on the page {expected}");
        }
    }
}

/// A kernel with arguments x, rounds, threads and root: reads x and root, writes an array of its own in
/// each round; the first `threads` threads of a block write x.
const KERNEL: &str = "
kernel rounds 10 0
accesses gr4 gw4 lw4 gr8
2,0,0,0,0,3,0 0 =R0 8 K 9 K 32 << | S4 64 * S0 + 4 * + =R1 R1 T0 12 K 13 K 32 << | T3 >1
1,0,0,0,0,2,1 R0 4 * T2 R0 1 + =R0 R0 10 K < ?1 >1 >2
0,0,0,0,0,1,1 S0 11 K < ?1 >3 >4
1,0,0,0,0,0,1 R1 T1 >-1
0,0,0,0,0,0,1 >-1
";

#[test]
fn kernels_of_another_program_are_followed() {
    const X: u64 = 1 << 44;
    const ROOT: u64 = 2 << 44;
    let launch = |threads| Launch {
        kernel: "rounds",
        blocks: [3, 1, 1],
        threads: [64, 1],
        shared: 0,
        arguments: vec![
            Argument::Constants(X),
            Argument::Number(5),
            Argument::Number(threads),
            Argument::Constants(ROOT),
        ],
        scopes: vec![],
    };
    let allocated = vec![(X, 3 * 64 * 4), (ROOT, 8)];
    let program = Program { allocated, skeletons: KERNEL, parameters: 32, limb: 1 << 10, ..Program::default() };
    let mut predictor = Predictor::of(program).unwrap();
    let launched = Launched::followed(vec![launch(32), launch(64)], &mut predictor, 0.0).unwrap();
    // warps execute 5 + 5 x 4 + 2 instructions, and 2 or 1 at the end
    assert_eq!(launched[0].work.instructions(), 32.0 * 3.0 * (29.0 + 28.0));
    assert_eq!(launched[1].work.instructions(), 32.0 * 3.0 * (29.0 + 29.0));
    assert_eq!([false, true].map(|store| launched[1].work.bytes(store)), [768.0 + 8.0, 768.0], "root is one word");
    assert_eq!(launched[0].work.bytes(true), 384.0);

    let mut few = launched[1].clone();
    few.warps = 2.0;
    let starting = |l: &Launched| l.times(&Gpu::TITAN_RTX)[0];
    assert_eq!(starting(&few), 2.0 * starting(&launched[1]), "two schedulers without a warp");
    // arrays of 64 threads: 20 bytes each
    let at = |unit| Unit::ALL.iter().position(|&u| u == unit).unwrap();
    let bytes = |first_level, cache| {
        let gpu = Gpu { first_level, cache, second_level: 1.0, memory: 1.0, ..Gpu::TITAN_RTX };
        [Unit::SecondLevel, Unit::Memory].map(|unit| few.times(&gpu)[at(unit)])
    };
    let [fits, second, none] = [bytes(1280.0, 1e9), bytes(1279.0, 1e9), bytes(1279.0, 72.0 * 1280.0 - 1.0)];
    let local = f64::from(3 * 64 * 5 * 4);
    assert_eq!(second, [fits[0] + local, fits[1]]);
    assert_eq!(none, [fits[0] + local, fits[1] + local]);
}
