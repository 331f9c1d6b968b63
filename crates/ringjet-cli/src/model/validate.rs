//! `ringjet model validate`: runs the same programs on the CPU and on the model.

use std::sync::Arc;

use ringjet::rng::Seed;
use ringjet::{Bootstrapper, Ciphertext, Context, EvaluationKeys, Evaluator, KeyPlan, Parameters};
use ringjet_backend::Width;
use ringjet_model::{CountingBackend, Device, Estimate, Trace};
use serde_json::{Value, json};

use crate::backend::{self, PathChoice};
use crate::bench::measure::{Body, Budget, Summary, measure};
use crate::client::{Client, encode};
use crate::text::{Form, print_table, seconds};
use crate::{Result, system};

/// Compare the model's times with those of this machine.
#[derive(clap::Args)]
pub struct Args {
    /// The machine's profile: a name, or a file from `ringjet model calibrate` with as many threads
    #[arg(long, default_value = "here")]
    device: String,
    /// Presets. Those that bootstrap are bootstrapped, the others multiply and rotate; repeatable
    #[arg(long = "preset", default_values = ["n15-depth14", "n15-boot", "n16-depth24", "n16-boot"])]
    presets: Vec<String>,
    /// Threads; 0: one a core
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Samples of each program
    #[arg(long, default_value_t = 7)]
    reps: usize,
    #[command(flatten)]
    form: Form,
}

type Program = fn(&Evaluator, &Ciphertext) -> ringjet::Result<()>;
type Programs = &'static [(&'static str, Program)];

const STEPS: [i64; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

const LEVELED: [(&str, Program); 4] = [
    ("multiply", |e, x| e.mul_relin_rescale(x, x).map(drop)),
    ("rotate", |e, x| e.rotate(x, 1).map(drop)),
    ("rotate_hoisted8", |e, x| e.rotate_hoisted(x, &STEPS).map(drop)),
    ("rescale", |e, x| e.rescale(x).map(drop)),
];
const BOOTSTRAP: [(&str, Program); 1] = [("bootstrap", |e, x| e.bootstrap(x).map(drop))];

/// Binary logarithm of the slots of the ciphertexts: as many as there are, or as can be bootstrapped.
fn log_slots(params: &Parameters) -> u32 {
    params.bootstrap().map_or(params.log_n() - 1, |boot| boot.most_log_slots())
}

pub fn run(args: &Args) -> Result<()> {
    let threads = if args.threads == 0 { system::cores() } else { args.threads };
    let device = super::devices::device(&args.device, threads)?;
    let (mut rows, mut records) = (vec![], vec![]);
    for name in &args.presets {
        let params = ringjet::preset(name)?;
        let boots = params.bootstrap().is_some();
        let programs: Programs = if boots { &BOOTSTRAP } else { &LEVELED };
        eprintln!("validate: {name}");
        let request =
            if boots { Bootstrapper::key_plan(&params, log_slots(&params))? } else { KeyPlan::rotations(STEPS) };
        let measured = on_cpu(args, &params, &request, programs, threads)?;
        for (&(program, run), s) in programs.iter().zip(measured) {
            let estimate = trace(&params, &request, run)?.estimate(&device);
            records.push(json(name, program, (&device, threads), &s, &estimate));
            rows.push(row(name, program, &s, &estimate));
        }
    }
    if !args.form.is_table() {
        return args.form.print(records);
    }
    let header = ["preset", "program", "measured", "quartiles", "model", "deviation", "compute", "memory", "GOP", "GB"];
    print_table(&header, &rows);
    Ok(())
}

fn on_cpu(args: &Args, params: &Parameters, plan: &KeyPlan, all: Programs, threads: usize) -> Result<Vec<Summary>> {
    let Client { ctx, secret, eval, values, .. } =
        &Client::new(params, backend::open(threads, PathChoice::Auto, Width::Eight)?, plan)?;
    let plain = encode(ctx, &values[0], level(params))?;
    let input = &secret.encrypt(ctx, &plain, &Seed::from_os()?)?;
    // matrices are made before, and not timed
    if eval.can_bootstrap() {
        eval.bootstrapper(log_slots(params))?;
    }
    let mut bodies: Vec<Body<'_>> = (all.iter())
        .map(|&(_, run)| -> Body<'_> {
            Box::new(move || {
                run(eval, input)?;
                Ok(ctx.backend().sync()?)
            })
        })
        .collect();
    measure(&mut bodies, Budget::Reps(args.reps))
}

/// Seconds measured and by the model. `deviation` is model over measured time, minus 1.
fn json(preset: &str, program: &str, (device, threads): (&Device, usize), s: &Summary, e: &Estimate) -> Value {
    json!({
        "kind": "model",
        "preset": preset,
        "program": program,
        "device": device.name(),
        "threads": threads,
        "measured_s": s.median,
        "q1_s": s.q1,
        "q3_s": s.q3,
        "model_s": e.time.total_s,
        "deviation": e.time.total_s / s.median - 1.0,
        "compute_s": e.time.compute_s,
        "memory_s": e.time.memory_s,
        "launch_s": e.time.launch_s,
        "gop": e.cost.ops() as f64 * 1e-9,
        "gb": e.cost.bytes() as f64 * 1e-9,
    })
}

fn row(preset: &str, program: &str, s: &Summary, e: &Estimate) -> Vec<String> {
    vec![
        preset.into(),
        program.into(),
        seconds(s.median),
        format!("{} to {}", seconds(s.q1).trim_end(), seconds(s.q3).trim_end()),
        seconds(e.time.total_s),
        format!("{:+.1} %", 100.0 * (e.time.total_s / s.median - 1.0)),
        seconds(e.time.compute_s),
        seconds(e.time.memory_s),
        format!("{:.3}", e.cost.ops() as f64 * 1e-9),
        format!("{:.3}", e.cost.bytes() as f64 * 1e-9),
    ]
}

/// The level of a program's input.
fn level(params: &Parameters) -> usize {
    params.bootstrap().map_or(params.top_level(), |b| b.input_level())
}

/// The trace of `run` on a counting backend, without making the matrices of bootstrapping.
pub fn trace(
    params: &Parameters,
    request: &KeyPlan,
    run: impl Fn(&Evaluator, &Ciphertext) -> ringjet::Result<()>,
) -> Result<Trace> {
    let model = Arc::new(CountingBackend::default());
    let ctx = Context::new(params, model.clone());
    let eval = Evaluator::bootstrapping(&ctx, Arc::new(EvaluationKeys::uncomputed(&ctx, request)?))?;
    let log_slots = log_slots(params);
    if eval.can_bootstrap() {
        eval.bootstrapper(log_slots)?;
    }
    let input = Ciphertext::uncomputed(&ctx, level(params), log_slots)?;
    model.take();
    run(&eval, &input)?;
    Ok(model.take())
}
