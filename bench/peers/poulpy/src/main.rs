//! Times the CKKS bootstrapping of Poulpy with its own parameter sets, on one thread.

mod setup;

use std::time::Instant;

use poulpy_ckks::presets::bootstrapping::{BootstrappingPreset, all};
use serde_json::{Value, json};

use setup::Run;

struct Options {
    set: String,
    few_keys: bool,
    reps: usize,
    seed: u64,
    json: bool,
}

fn options() -> Options {
    let mut o = Options { set: "n16_d35_k733_p20_s2c".into(), few_keys: false, reps: 3, seed: 1, json: false };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().unwrap_or_else(|| fail(&format!("{word} needs a value")));
        let number = |text: String| text.parse().unwrap_or_else(|_| fail(&format!("not a number: {text}")));
        match word.as_str() {
            "--set" => o.set = value(),
            "--reps" => o.reps = number(value()) as usize,
            "--seed" => o.seed = number(value()),
            "--few-keys" => o.few_keys = true,
            "--json" => o.json = true,
            _ => fail(&format!("no option {word}; there are: --set --few-keys --reps --seed --json")),
        }
    }
    if o.reps == 0 {
        fail("--reps is at least 1");
    }
    o
}

fn fail(why: &str) -> ! {
    eprintln!("{why}");
    std::process::exit(2)
}

fn preset(name: &str) -> BootstrappingPreset {
    let sets = all().expect("the library's sets are valid");
    let names: Vec<_> = sets.iter().map(|s| s.name()).collect();
    let known = names.join(", ");
    sets.into_iter().find(|s| s.name() == name).unwrap_or_else(|| fail(&format!("no set {name}; there are: {known}")))
}

/// Peak resident set of this process in bytes.
fn peak_rss() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

/// One number for each slot: the real part of the error, or |e| of the complex error e. Numbers
/// below 2^-60 count as 2^-60.
fn summary(errors: impl Iterator<Item = f64>) -> Value {
    let (mut logs, mut sum, mut worst, mut n) = (0.0, 0.0, 0.0_f64, 0.0);
    for e in errors {
        let e = e.max((-60f64).exp2());
        logs -= e.log2();
        sum += e;
        worst = worst.max(e);
        n += 1.0;
    }
    json!({
        "mean_log2_precision": logs / n,
        "log2_mean_precision": -(sum / n).log2(),
        "min_log2_precision": -worst.log2(),
    })
}

fn precision(want: &[(f64, f64)], have: &[(f64, f64)]) -> Value {
    let errors = || want.iter().zip(have).map(|(w, h)| (h.0 - w.0, h.1 - w.1));
    json!({
        "real": summary(errors().map(|e| e.0.abs())),
        "complex": summary(errors().map(|e| e.0.hypot(e.1))),
    })
}

fn main() {
    let o = options();
    let mut preset = preset(&o.set);
    if o.few_keys {
        preset = preset.with_power_of_two_keys().expect("every set has keys of power-of-two rotations");
    }
    let preset = setup::at_largest_radix(&preset);
    let mut run = Run::new(&preset, o.seed);

    let fresh = run.decrypted_input();
    let before = precision(&run.values, &fresh);
    run.bootstrap();
    let refreshed = run.decrypted_output();
    let after = precision(&run.values, &refreshed);
    let bits = |part: &str, kind: &str| after[part][kind].as_f64().expect("a number");
    let (mean, least) = (bits("real", "mean_log2_precision"), bits("complex", "min_log2_precision"));
    eprintln!("check random: real part: mean {mean:.2} bit, complex: least {least:.2} bit");
    // NaN fails too
    if !(least > 10.0) {
        fail("wrong result");
    }

    let mut seconds: Vec<f64> = (0..o.reps)
        .map(|_| {
            let start = Instant::now();
            run.bootstrap();
            start.elapsed().as_secs_f64()
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    let n = seconds.len();
    let median = (seconds[(n - 1) / 2] + seconds[n / 2]) / 2.0;

    let usable = preset.output_k() - preset.input_k();
    let levels = usable / preset.log_delta();
    let backend = format!("poulpy-ckks-0.10.0-{}", setup::BACKEND);
    let params = format!("n{} k{} base2^{}", preset.log_n(), run.widest_key, preset.base2k());
    if !o.json {
        println!("{} {params}   bootstrap min {:.3} s   median {median:.3} s   n {n}", preset.name(), seconds[0]);
        println!("levels left {levels} of {} bits   key bytes {}", preset.log_delta(), run.key_bytes);
        return;
    }
    println!(
        "{}",
        json!({
            "bench": "bootstrap", "backend": backend, "params": params, "threads": 1, "unit": "s",
            "min": seconds[0], "median": median, "n": n,
        })
    );
    println!(
        "{}",
        json!({
            "kind": "info", "bench": "bootstrap_info", "backend": backend, "params": params, "threads": 1,
            "set": preset.name(), "few_keys": o.few_keys, "log_n": preset.log_n(), "log_qp": run.widest_key,
            "secret": format!("ternary, weight {}", preset.dense_secret_hamming_weight()),
            "ephemeral_secret_weight": preset.sparse_secret_hamming_weight(),
            "security": format!("128 bits: at most {} bits under this secret, {} under the ephemeral one, by the library's table",
                preset.max_dense_modulus(), preset.max_sparse_modulus()),
            "level_before": 0, "level_after": levels, "level_bits": preset.log_delta(), "usable_bits": usable,
            "output_scale_log2": preset.log_delta(), "keys": run.keys, "key_bytes": run.key_bytes,
            "keygen_s": run.keygen_s, "setup_s": run.setup_s, "peak_rss_bytes": peak_rss(),
            "precision": { "random": { "before": before, "after": after } },
        })
    );
}
