//! Prints the results of a search, for people and for programs.

use ringjet_math::evalmod;
use ringjet_papers::castro::Candidate;
use ringjet_papers::search::published::Published;
use ringjet_papers::search::{Axis, Found, Objective, Options, Outcome};
use serde_json::{Value, json};

use super::options::RULES;
use crate::text::{bytes, print_table, seconds};

/// The sets as JSON, the best first, then the preset, which has rank 0.
pub fn lines<'a>(outcome: &'a Outcome, device: &'a str) -> impl Iterator<Item = Value> + 'a {
    let best = outcome.found.iter().enumerate().map(move |(i, found)| line(outcome, device, i + 1, found));
    best.chain([line(outcome, device, 0, &outcome.start)])
}

/// One set as JSON. `speedup` is relative to the preset.
fn line(outcome: &Outcome, device: &str, rank: usize, found: &Found) -> Value {
    let (spec, shape) = (found.spec(), &found.shape);
    let failure = |b: &ringjet::params::BootstrapSpec| evalmod::failure_log2(b.secret_weight, b.k, spec.log_n);
    json!({
        "kind": if rank == 0 { "preset" } else { "candidate" },
        "rank": rank,
        "from": outcome.from,
        "device": device,
        "log_n": spec.log_n,
        "slots": 1u64 << found.log_slots,
        "levels": found.levels,
        "limbs": found.limbs,
        "special": found.parameters.p().len(),
        "dnum": found.dnum,
        "log_qp": found.log_qp,
        "coeffs_to_slots": shape.coeffs_to_slots,
        "slots_to_coeffs": shape.slots_to_coeffs,
        "slots_to_coeffs_first": shape.slots_to_coeffs_first,
        "matrix_keys": shape.matrix_keys,
        "baby_steps": RULES.iter().find(|rule| rule.1 == shape.baby_steps).map(|rule| rule.0),
        "passes": shape.get(Axis::Passes) as u32,
        "precision_bits": found.precision_bits,
        "failure_log2": spec.bootstrap.as_ref().map_or(0.0, failure),
        "key_bytes": found.key_bytes,
        "key_count": found.key_count,
        "peak_bytes": found.peak_bytes,
        "seconds": found.seconds,
        "throughput": found.throughput,
        "speedup": found.throughput / outcome.start.throughput,
        "operations": found.operations,
        "bytes": found.bytes,
        "preset": spec,
    })
}

/// Formats stages: `5 5 5` as `5+5+5`.
fn stages(stages: &[u32]) -> String {
    stages.iter().map(u32::to_string).collect::<Vec<_>>().join("+")
}

pub fn print(outcome: &Outcome, options: &Options, device: &str) {
    let chain = ["set", "N", "limbs", "dnum", "levels", "logQP", "CoeffsToSlots", "SlotsToCoeffs", "EvalMod", "scale"];
    let figures = ["precision", "keys", "time", "throughput", "against"];
    let best = outcome.found.iter().enumerate().map(|(i, f)| row(outcome, options, &format!("{}", i + 1), f));
    let rows: Vec<_> = [row(outcome, options, &outcome.from, &outcome.start)].into_iter().chain(best).collect();
    print_table(&[&chain[..], &figures].concat(), &rows);
    let real = if options.real { ", real values" } else { "" };
    let scope = match (outcome.stopped, outcome.exhaustive) {
        (true, _) => "stopped",
        (false, true) => "every set that is allowed",
        (false, false) => "a climb from the preset and from samples",
    };
    println!("\n{scope} on {device}{real}: {}", outcome.tally);
    println!(
        "throughput: slots x levels left x bits of precision, a microsecond; against: {} of {}",
        match options.objective {
            Objective::Throughput => "throughput over that",
            Objective::Time => "time over that",
            Objective::TimePerLevel => "time a level over that",
        },
        outcome.from
    );
    println!(
        "CoeffsToSlots: stages of its matrices; k: keys contain the first one, which takes no level\n\
         EvalMod: degree, double angles, bits of its scale; precision: standard deviation, at least {:.1} bits were asked \
         for",
        outcome.precision
    );
}

fn row(outcome: &Outcome, options: &Options, name: &str, f: &Found) -> Vec<String> {
    let (start, shape) = (&outcome.start, &f.shape);
    let level = |f: &Found| f.seconds / f.levels.max(1) as f64;
    let against = match options.objective {
        Objective::Throughput => f.throughput / start.throughput,
        Objective::Time => f.seconds / start.seconds,
        Objective::TimePerLevel => level(f) / level(start),
    };
    let arcsine =
        if shape.get(Axis::Arcsine) > 1.0 { format!(" a{}", shape.get(Axis::Arcsine)) } else { String::new() };
    let passes = if shape.get(Axis::Passes) > 1.0 { format!(" x{}", shape.get(Axis::Passes)) } else { String::new() };
    let (degree, doubles) = (shape.get(Axis::Degree), shape.get(Axis::DoubleAngles));
    let place = if shape.slots_to_coeffs_first { "first" } else { "last" };
    vec![
        name.into(),
        format!("2^{}", shape.log_n()),
        format!("{}+{}", f.limbs, f.parameters.p().len()),
        f.dnum.to_string(),
        f.levels.to_string(),
        format!("{:.0}", f.log_qp),
        format!("{}{}", stages(&shape.coeffs_to_slots), if shape.matrix_keys { " k" } else { "" }),
        format!("{} {place}", stages(&shape.slots_to_coeffs)),
        format!("{degree} {doubles} {}{arcsine}{passes}", shape.get(Axis::EvalModBits)),
        format!("2^{}", shape.get(Axis::ScaleBits)),
        format!("{:.1}", f.precision_bits),
        bytes(f.key_bytes),
        seconds(f.seconds),
        format!("{:.3}", f.throughput),
        format!("{against:.3}"),
    ]
}

/// All points of the published grid, the best first.
pub fn published_lines(found: &Published) -> impl Iterator<Item = Value> + '_ {
    found.ranked.iter().zip(1..).map(|(point, rank)| {
        let of = point.configuration;
        json!({
            "kind": "paper",
            "rank": rank,
            "log_n": of.log_n,
            "limbs": of.limbs,
            "dnum": of.dnum,
            "fft_iter": of.iterations,
            "limbs_out": point.limbs_out,
            "gop": point.cost.ops() as f64 / 1e9,
            "gb": point.cost.bytes() as f64 / 1e9,
            "throughput": point.throughput,
        })
    })
}

pub fn print_published(found: &Published, top: usize) {
    let header = ["rank", "N", "L", "dnum", "fftIter", "limbs left", "GOP", "GB", "throughput"];
    let row = |(point, rank): (&Candidate, usize)| {
        let of = point.configuration;
        let [gop, gb] = [point.cost.ops(), point.cost.bytes()].map(|x| format!("{:.3}", x as f64 / 1e9));
        let [limbs, dnum, left] = [of.limbs, of.dnum, point.limbs_out].map(|x| x.to_string());
        let (n, iterations) = (format!("2^{}", of.log_n), of.iterations.to_string());
        vec![rank.to_string(), n, limbs, dnum, iterations, left, gop, gb, format!("{:.2}", point.throughput)]
    };
    print_table(&header, &found.ranked.iter().zip(1..).take(top).map(row).collect::<Vec<_>>());
    println!(
        "\n{} points, {} of which leave limbs, {} of these different: P and Q of at most 1533 bits at N = 2^16 and 3069 at\n\
         2^17 in limbs of 50, 900 GB/s, 19 bits; throughput as in equation (3) of ePrint 2021/1636",
        found.points,
        found.bootstrap,
        found.ranked.len()
    );
}
