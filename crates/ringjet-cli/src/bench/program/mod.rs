//! Programs as a user writes them, optimised ones, and circuits written by hand.

mod tasks;

use std::collections::BTreeSet;
use std::sync::Arc;

use ringjet::circuits::inner_sum_rotations;
use ringjet::dynamic::{Ciphertext, Context, Evaluator, KeyRequest, Parameters, SecretKey, StartModulus, Values};
use ringjet::program::{Op, Passes, Program};
use ringjet::rng::Seed;
use ringjet::{ParamSpec, Stated};
use ringjet_backend::Backend;
use ringjet_math::fft::Complex64;
use ringjet_model::CountingBackend;

use super::measure::{self, Body, Budget, Summary};
use super::report::Record;
use crate::Result;
use crate::text::Form;
use tasks::{Rig, TASKS, Task};

/// The name of the bench.
pub const NAME: &str = "program";

/// Name and meaning.
pub const BENCH: (&str, &str) = (NAME, "six programs: naive, optimised and by hand; alone, --log-n 14 or 15");

/// The largest error of a result, in standard deviations of the estimates.
const TAIL: f64 = 24.0;

/// The circuits written by hand must be so close to the optimised programs, or slower.
const CLOSE: f64 = 1.15;

/// A chain of at least seven levels, as secure as the presets from N = 2^14 on.
fn parameters(log_n: u32) -> Result<Parameters> {
    let params = match log_n {
        15.. => ringjet::preset("n15-depth9")?,
        14 => ringjet::Parameters::new(&ParamSpec::uniform(14, 46, 7, 36, 2))?,
        _ => ringjet::Parameters::new(&ParamSpec::uniform(log_n, 46, 7, 36, 2).allow_insecure())?,
    };
    Ok(params.into())
}

/// The rotations of a program.
fn rotations(program: &Program) -> Vec<i64> {
    let of = |op: &Op| match op {
        Op::Rotate { k } => vec![*k],
        Op::Rotations { ks } | Op::RotationSum { ks } => ks.clone(),
        Op::InnerSum { stride, count, .. } => inner_sum_rotations(*stride, *count),
        Op::Matmul { matrix } => matrix.linear().rotations(),
        _ => vec![],
    };
    program.nodes().iter().flat_map(|node| of(&node.op)).collect()
}

impl Rig {
    fn new(backend: Arc<dyn Backend>, log_n: u32) -> Result<(Self, Vec<[Program; 2]>)> {
        let params = parameters(log_n)?;
        let counting = Context::new(&params, Arc::new(CountingBackend::default()));
        let counting = Evaluator::new(&counting, &counting.uncomputed_keys(false)?)?;
        let log_slots = params.log_n() - 1;
        let naive = TASKS.iter().map(|task| (task.record)(&counting, log_slots));
        let programs = naive.map(|program| {
            let program = program?;
            let better = program.optimised(Passes::default(), &counting)?;
            Ok([program, better])
        });
        let programs = programs.collect::<Result<Vec<_>>>()?;
        let steps: BTreeSet<i64> = programs.iter().flatten().flat_map(rotations).collect();
        let steps: Vec<i64> = steps.into_iter().collect();
        let (ctx, seed) = (Context::new(&params, backend), Seed::from_os()?);
        let secret = SecretKey::from_seed(&params, &seed.derive(b"secret", 0))?;
        let plan = params.key_plan(&KeyRequest { rotations: steps, ..KeyRequest::default() })?;
        let keys = secret.evaluation_keys(&ctx, &plan, &seed.derive(b"keys", 0), |_, _| true)?;
        let eval = Evaluator::new(&ctx, &keys)?;
        let input = |i: u64| {
            let plain = ctx.encode(
                &tasks::vector(1 << log_slots, i),
                Stated::Magnitude(1.0),
                StartModulus::default(),
                log_slots,
            )?;
            secret.encrypt(&ctx, &plain, &seed.derive(b"input", i))
        };
        let inputs = (0..2).map(input).collect::<ringjet::Result<_>>()?;
        Ok((Self { ctx, secret, eval, log_slots, inputs }, programs))
    }

    fn run(&self, program: &Program) -> Result<Ciphertext> {
        let inputs = self.inputs[..program.inputs().len()].to_vec();
        Ok(program.run(&self.eval, inputs, &mut |_, _| true)?.swap_remove(0))
    }

    fn decrypt(&self, ct: &Ciphertext) -> Result<Vec<Complex64>> {
        match self.secret.decrypt_values(&self.ctx, ct)? {
            Values::Numbers(all) => Ok(all),
            Values::Integers(_) => Err("integers".into()),
        }
    }

    /// Refuses results that differ by more than their errors.
    fn expect_same(&self, name: &str, x: &Ciphertext, y: &Ciphertext) -> Result<()> {
        let errors = self.decrypt(x)?.into_iter().zip(self.decrypt(y)?).map(|(a, b)| (a - b).abs());
        let worst = errors.fold(0.0, |m: f64, e| if e.is_nan() { e } else { m.max(e) });
        let allowed = TAIL * (x.noise().error_log2().exp2() + y.noise().error_log2().exp2());
        eprintln!("check {name:18} largest difference 2^{:.1}", worst.log2());
        if worst <= allowed { Ok(()) } else { Err(format!("{name}: differs by {worst:e}, allowed {allowed:e}").into()) }
    }
}

/// Runs all tasks, each as the naive program, the optimised one and the circuit by hand in turn.
pub fn run(backend: Arc<dyn Backend>, log_n: u32, threads: usize, budget: Budget, form: Form) -> Result<()> {
    let name = format!("ringjet-{}", backend.id().name());
    let (rig, programs) = Rig::new(backend, log_n)?;
    let mut records = Vec::new();
    let mut ratios = Vec::new();
    for (task, [naive, better]) in TASKS.iter().zip(&programs) {
        let hand = (task.by_hand)(&rig)?;
        let first = rig.run(naive)?;
        rig.expect_same(task.name, &first, &rig.run(better)?)?;
        rig.expect_same(task.name, &first, &hand(&rig)?)?;
        let mut bodies: Vec<Body<'_>> = vec![
            Box::new(|| rig.run(naive).map(|_| ())),
            Box::new(|| rig.run(better).map(|_| ())),
            Box::new(|| hand(&rig).map(|_| ())),
        ];
        let samples = measure::samples(&mut bodies, budget)?;
        let figures: Vec<Summary> = samples.iter().map(|s| Summary::of(s)).collect();
        ratios.push((task, figures[0].median / figures[1].median, figures[1].median / figures[2].median));
        for (kind, figures) in ["naive", "optimised", "by_hand"].into_iter().zip(figures) {
            let bench = format!("{NAME}_{}_{kind}", task.name);
            let params = format!("n{log_n}, 7 levels or more");
            records.push(Record {
                bench,
                backend: name.clone(),
                params,
                threads,
                unit: "s",
                figures,
                ..Record::default()
            });
        }
    }
    super::report::print(&records, form)?;
    if form.is_table() {
        print_ratios(&ratios);
    }
    Ok(())
}

fn print_ratios(ratios: &[(&Task, f64, f64)]) {
    let row = |(task, gain, behind): &(&Task, f64, f64)| {
        let verdict = if *behind <= CLOSE { "" } else { "slower than by hand" };
        vec![task.name.into(), format!("{gain:.2}"), format!("{behind:.2}"), verdict.into()]
    };
    let rows: Vec<Vec<String>> = ratios.iter().map(row).collect();
    crate::text::print_table(&["program", "times faster", "time by hand = 1", ""], &rows);
}
