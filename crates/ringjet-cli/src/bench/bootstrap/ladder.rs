//! `ringjet bench bootstrap --ladder`: the steps of Jung et al. (ePrint 2021/508) on one set of keys.

use std::sync::Arc;

use ringjet::{Ciphertext, Context};
use ringjet_papers::fusion::{Fusion, PartlyFused};
use ringjet_papers::jung::{LADDER, Rung};
use serde::Serialize;

use super::without::Left;
use super::{BootstrapArgs, PARTS, Rig, expect_right, input, open};
use crate::backend::PathChoice;
use crate::bench::measure::Summary;
use crate::text::{self, Form};
use crate::{Result, system};

/// The times of one step, in seconds, in order of the rounds.
#[derive(Default, Serialize)]
struct Step {
    kind: &'static str,
    bench: &'static str,
    rung: &'static str,
    bootstrap: Vec<f64>,
    /// Time of SlotsToCoeffs and CoeffsToSlots, divided by that of the bootstrap.
    transforms: Vec<f64>,
    /// One product at each level after the bootstrap.
    products: Vec<f64>,
    /// Bits of the worst slot of the checked bootstrap.
    least_bits: f64,
}

/// Runs every step in each round, every second round backwards.
pub fn run(
    (args, preset): (&BootstrapArgs, Option<&str>),
    path: PathChoice,
    threads: usize,
    reps: usize,
    form: Form,
) -> Result<()> {
    let (params, backend, mut info) = open((args, preset), path, threads)?;
    let fused = Arc::new(PartlyFused::new(backend, Fusion::ALL));
    let ctx = Context::new(&params, fused.clone()).with_key_memory(args.key_memory());
    let mut rig = Rig::new(ctx, path, Left::of(LADDER[0].order), false, &mut info)?;
    let want = input("random", 1 << rig.boot.log_slots(), false, 1);
    let ct = rig.encrypt(&want, 0)?;
    let mut steps: Vec<Step> = LADDER.iter().map(|_| Step::default()).collect();
    // check results before they are timed
    for (step, rung) in steps.iter_mut().zip(&LADDER) {
        (step.kind, step.bench, step.rung) = ("ladder", "bootstrap_ladder", rung.name);
        rig.switch(&fused, rung);
        let out = rig.once(&ct)?.0;
        let precision = rig.precision(&out, &want)?;
        step.least_bits = precision.complex.min_log2_precision;
        eprintln!("check {:24} least of all {:.2} bits", rung.name, step.least_bits);
        expect_right(rung.name, precision)?;
        info.set_output(&params, &out);
    }
    for round in 0..reps {
        for i in 0..LADDER.len() {
            let i = if round % 2 == 1 { LADDER.len() - 1 - i } else { i };
            rig.switch(&fused, &LADDER[i]);
            rig.time(&ct, info.level_before, &mut steps[i])?;
        }
    }
    info.peak_rss_bytes = system::peak_rss();
    if !form.is_table() {
        form.print(&steps)?;
    } else {
        print(&steps, info.levels_left);
    }
    info.print(form)
}

impl Rig {
    /// Computes by a step from now on.
    fn switch(&mut self, fused: &PartlyFused, rung: &Rung) {
        fused.set(rung.fusion);
        self.eval = Left::of(rung.order).evaluator((*self.eval).clone());
    }

    /// Times a bootstrap and the products after it.
    fn time(&self, ct: &Ciphertext, least: usize, step: &mut Step) -> Result<()> {
        let (out, times) = self.once(ct)?;
        step.products.push(self.products(out, least)?);
        let of = |part: &str| PARTS.iter().zip(times).find(|(name, _)| **name == part).map_or(0.0, |(_, time)| time);
        step.bootstrap.push(of("bootstrap"));
        step.transforms.push((of("bootstrap_s2c") + of("bootstrap_c2s")) / of("bootstrap"));
        Ok(())
    }
}

fn print(steps: &[Step], levels: usize) {
    let median = |samples: &[f64]| Summary::of(samples).median;
    let row = |(i, step): (usize, &Step)| {
        let gain = |before: &Step| format!("{:.3}", median(&before.bootstrap) / median(&step.bootstrap));
        let amortised = (median(&step.bootstrap) + median(&step.products)) / levels.max(1) as f64;
        vec![
            step.rung.to_owned(),
            text::seconds(median(&step.bootstrap)),
            i.checked_sub(1).map_or(String::new(), |before| gain(&steps[before])),
            format!("{:.1} %", 100.0 * median(&step.transforms)),
            text::seconds(amortised),
        ]
    };
    let header = ["step", "bootstrap", "times faster", "linear transforms", "a product, amortised"];
    text::print_table(&header, &steps.iter().enumerate().map(row).collect::<Vec<_>>());
}
