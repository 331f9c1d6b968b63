//! The command line as a user meets it.

use std::process::{Command, Output};
use std::sync::OnceLock;

use crate::common::{json_lines, ringjet, text};
use serde_json::Value;

const SMALL: [&str; 8] = ["--log-n", "10", "--limbs", "3", "--dnum", "2", "--reps", "2"];

#[test]
fn version_is_that_of_the_workspace() {
    assert_eq!(text(&ringjet(&["--version"]).stdout), concat!("ringjet ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn bench_prints_one_object_a_line() {
    let lines = json_lines(&ringjet(&[&["bench", "rotate", "ntt", "--json"][..], &SMALL].concat()));
    let field = |i: usize, name: &str| lines[i][name].clone();
    assert_eq!((field(0, "bench"), field(1, "bench")), ("ntt".into(), "rotate".into()));
    assert_eq!((field(0, "params"), field(1, "params")), ("n10 l1 p50".into(), "n10 l3 k2 dnum2 p50".into()));
    assert_eq!((field(0, "insecure"), field(1, "insecure")), (Value::Null, true.into()));
    for line in &lines {
        assert_eq!((&line["threads"], &line["unit"], &line["n"]), (&1.into(), &"s".into(), &2.into()));
        assert!(line["backend"].as_str().unwrap().starts_with("ringjet-"));
        let seconds = |name: &str| line[name].as_f64().unwrap();
        assert!(seconds("min") > 0.0 && seconds("min") <= seconds("median"));
    }
}

/// Samples of benches in turns can be held against each other.
#[test]
fn bench_prints_every_sample_when_asked() {
    let lines = json_lines(&ringjet(&[&["bench", "memory", "ntt", "--samples", "--json"][..], &SMALL].concat()));
    assert_eq!((&lines[0]["bench"], &lines[1]["bench"]), (&"ntt".into(), &"memory".into()));
    assert_eq!(lines[1]["params"], "64 MiB a thread");
    for line in &lines {
        let samples: Vec<f64> = serde_json::from_value(line["samples"].clone()).unwrap();
        assert_eq!((samples.len(), line["n"].as_u64()), (2, Some(2)));
        assert!(samples.iter().all(|&s| s >= line["min"].as_f64().unwrap()) && samples[0] > 0.0);
    }
}

#[test]
fn heaan_is_timed_as_a_whole_and_function_by_function() {
    let lines = json_lines(&ringjet(&["bench", "heaan", "--log-n", "10", "--log-q", "120", "--reps", "1", "--json"]));
    let names: Vec<&str> = lines.iter().map(|l| l["bench"].as_str().unwrap()).collect();
    assert_eq!(names[..5], ["heaan_mul", "heaan_crt", "heaan_ntt", "heaan_intt", "heaan_icrt"]);
    assert_eq!(names[5..9], ["heaan_square", "heaan_rotate", "heaan_conjugate", "heaan_rescale"]);
    assert_eq!(names[9..], ["heaan_add", "heaan_plain_add", "heaan_plain_mul"]);
    for line in &lines {
        assert_eq!((&line["params"], &line["unit"]), (&"heaan n10 logQ120 logq120 logp30".into(), &"s".into()));
        assert!(line["insecure"] == true && line["median"].as_f64().unwrap() > 0.0);
    }
    // 3 words; 6 primes for the ciphertexts' products, 8 for those with the key, of which 5 words remain before the division
    if let Some(products) = lines[4]["products"].as_f64() {
        assert_eq!(products, 1024.0 * (3.0 * 3.0 * 6.0 + 2.0 * 5.0 * 8.0));
    }
}

#[test]
fn sizes_are_those_of_the_parameters() {
    let lines = json_lines(&ringjet(&[&["bench", "sizes", "--json"][..], &SMALL].concat()));
    let size = |name: &str| {
        let line = lines.iter().find(|l| l["bench"] == name).unwrap();
        assert_eq!(line["unit"], "B");
        line["median"].as_f64().unwrap()
    };
    // 2 digits, 3 + 2 primes, 1024 coefficients of 8 bytes
    assert_eq!(size("relin_key_memory_bytes"), 2.0 * 2.0 * 5.0 * 8192.0);
    assert_eq!(size("ciphertext_memory_bytes"), 2.0 * 3.0 * 8192.0);
    // at rest: 50 bits each, half of it from a seed, and a header
    let at_rest = |name: &str, polys: f64, primes: f64| {
        let header = size(name) - polys * primes * 1024.0 * 50.0 / 8.0;
        assert!((48.0..=200.0).contains(&header), "{name}: {header}");
    };
    at_rest("relin_key_bytes", 2.0, 5.0);
    at_rest("rotation_key_bytes", 2.0, 5.0);
    at_rest("public_key_bytes", 1.0, 4.0);
    at_rest("ciphertext_bytes", 2.0, 3.0);
    at_rest("ciphertext_seeded_bytes", 1.0, 3.0);
    assert!(size("secret_key_bytes") < 1024.0 + 160.0);
}

#[test]
fn unknown_names_and_impossible_shapes_are_refused() {
    let cases: [(&[&str], &str); 16] = [
        (&["bench", "heaan_mul", "--samples", "--json"], "benches of CKKS"),
        (&["bench", "heaan_mul", "add"], "apart from the others"),
        (&["bench", "add", "--log-p", "30"], "benches heaan_*"),
        (&["bench", "heaan_crt", "--log-n", "10", "--log-q", "100", "--log-q-current", "101"], "at most 100"),
        (&["bench", "bootstrap"], "n16-boot"),
        (&["bench", "bootstrap", "--preset", "n15-depth9"], "n16-boot"),
        (&["bench", "bootstrap", "add", "--preset", "n16-boot"], "alone"),
        (&["bench", "add", "--real"], "bench bootstrap"),
        (&["bench", "add", "--without", "all"], "bench bootstrap"),
        (&["bench", "bootstrap", "--paper", "n16-boot"], "castro-best"),
        (&["params", "--paper", "n16-boot"], "castro-best"),
        (&["params", "n15-depth9", "--explain"], "n16-boot"),
        (&["bench", "nothing"], "mul_relin_rescale"),
        (&["bench", "add", "--limbs", "0"], "at least 1"),
        (&["bench", "add", "--log-n", "30"], "outside 4..=17"),
        (&["params", "nothing"], "n15-depth9"),
    ];
    for (args, expected) in cases {
        let output = ringjet(args);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(text(&output.stderr).contains(expected), "{args:?}: {}", text(&output.stderr));
    }
}

#[test]
fn params_shows_presets_and_checks_files() {
    let presets = json_lines(&ringjet(&["params", "--json"]));
    assert!(presets.len() >= 5);
    let (heaan, presets): (Vec<_>, Vec<_>) = presets.into_iter().partition(|p| p["scheme"] == "heaan");
    for p in &heaan {
        assert_eq!(p["security_bits"].as_u64().unwrap() >= 128, p["allow_insecure"] == false, "{p}");
    }
    let shown = text(&ringjet(&["params", heaan[0]["name"].as_str().unwrap()]).stdout);
    assert!(shown.contains(heaan[0]["fingerprint"].as_str().unwrap()) && shown.contains("log2(Q^2)"), "{shown}");
    for p in &presets {
        assert!(p["security_bits"].as_u64().unwrap() >= 128 && p["margin_bits"].as_f64().unwrap() > 0.0, "{p}");
    }
    let dir = std::env::temp_dir().join(format!("ringjet-cli-test-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let check = |name: &str, content: &str| {
        let path = dir.join(name);
        std::fs::write(&path, content).unwrap();
        ringjet(&["params", "--check", path.to_str().unwrap()])
    };
    // what --json shows can be checked again
    let good = check("good.json", &presets[0]["spec"].to_string());
    assert!(good.status.success(), "{}", text(&good.stderr));
    assert!(text(&good.stdout).contains(presets[0]["fingerprint"].as_str().unwrap()));
    let weak = check("weak.json", r#"{"log_n":12,"q":{"bits":[50,40,40]},"p":{"bits":[50]},"scale_bits":40}"#);
    assert_eq!(weak.status.code(), Some(1));
    assert!(text(&weak.stderr).contains("exceeds 106 bits"), "{}", text(&weak.stderr));
    assert_eq!(check("bad.json", "{").status.code(), Some(1));
    std::fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn a_machine_is_measured_and_its_profile_can_be_read() {
    let path = std::env::temp_dir().join(format!("ringjet-calibrate-test-{}.toml", std::process::id()));
    let quick = ["model", "calibrate", "--quick", "--seconds", "0.001", "--threads", "2"];
    let output = ringjet(&[&quick[..], &["-o", path.to_str().unwrap()]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let profile = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let device = ringjet_model::Device::from_toml(&profile).unwrap();
    assert!(device.name().starts_with("cpu-") && device.name().ends_with("-2core"), "{}", device.name());
    assert_eq!((device.spec().units, device.spec().word_bytes), (2, 8));
    // the table is on standard output, and in the file as comments
    let table = text(&output.stdout);
    assert!(table.starts_with("figure ") && table.lines().count() > 20, "{table}");
    assert!(table.lines().zip(profile.lines()).all(|(a, b)| b == format!("# {a}")));
    assert!(text(&output.stderr).contains("turn 3 of 3"));
    let refused = ringjet(&["model", "calibrate", "--seconds", "0"]);
    assert!(text(&refused.stderr).contains("must be positive"));
}

#[test]
fn profiles_are_listed_and_shown() {
    let list = text(&ringjet(&["model", "devices"]).stdout);
    for name in ringjet_model::Device::names() {
        assert!(list.lines().any(|l| l.starts_with(&format!("{name} "))), "{name} in {list}");
        let shown = text(&ringjet(&["model", "devices", name]).stdout);
        assert_eq!(ringjet_model::Device::from_toml(&shown), ringjet_model::Device::builtin(name));
    }
    let unknown = ringjet(&["model", "devices", "abacus"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(text(&unknown.stderr).contains("there are cpu-ifma-2core, "), "{}", text(&unknown.stderr));
}

/// A Python of the test's own, which says what it was asked.
#[cfg(unix)]
fn handed_over(python: &str, args: &[&str]) -> Output {
    use std::os::unix::fs::PermissionsExt;
    use std::sync::atomic::{AtomicU32, Ordering};
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let dir = std::env::temp_dir().join(format!("ringjet-python-test-{}-{count}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let path = dir.join("python3");
    std::fs::write(&path, format!("#!/bin/sh\n{python}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_ringjet"));
    let output = command.args(args).env("RINGJET_PYTHON", &path).output().unwrap();
    std::fs::remove_dir_all(&dir).unwrap();
    output
}

#[cfg(unix)]
#[test]
fn programs_are_left_to_python() {
    let says = r#"[ "$1" = -c ] && exit 0; echo "$@"; exit 3"#;
    for command in ["train", "estimate"] {
        for args in [&["--data", "a b.csv", "--iterations=3"][..], &["a.py:f", "--json"], &["--help"], &[]] {
            let output = handed_over(says, &[&[command], args].concat());
            assert_eq!(output.status.code(), Some(3));
            let expected = format!("-m ringjet {command} {}", args.join(" "));
            assert_eq!(text(&output.stdout).trim(), expected.trim());
        }
    }
}

#[cfg(unix)]
#[test]
fn train_says_what_is_missing() {
    let output =
        handed_over("echo \"ModuleNotFoundError: No module named 'ringjet'\" >&2; exit 1", &["train", "--data", "x"]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("RINGJET_PYTHON is") && said.contains("No module named 'ringjet'"), "{said}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_ringjet"));
    let output = command.arg("train").env("PATH", "/nonexistent").env_remove("RINGJET_PYTHON").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("pip install ./python") && said.contains("python3:") && said.contains("python:"), "{said}");
}

#[test]
fn params_explains_how_a_preset_bootstraps() {
    let number = |v: &Value| v.as_f64().unwrap();
    for p in json_lines(&ringjet(&["params", "--explain", "--json"])) {
        let (boot, levels) = (&p["bootstrapping"], p["chain"]["levels"].as_array().unwrap());
        let count = |purpose: &str| levels.iter().filter(|l| l["purpose"] == purpose).count() as u64;
        assert_eq!(Some(count("messages")), boot["levels_between"].as_u64(), "{p}");
        assert_eq!(Some(count("EvalMod") + count("CoeffsToSlots")), boot["upper_levels"].as_u64(), "{p}");
        assert!(number(&boot["failure_log2"]) < -128.0 && number(&boot["ephemeral_log_qp"]) > 50.0, "{p}");
        // a level's modulus is what all rescalings from there divide by, and the lowest prime
        let steps: f64 = levels.iter().map(|l| number(&l["ratio_bits"])).sum();
        let (highest, lowest) = (&levels[0]["modulus_bits"], &levels[levels.len() - 1]["modulus_bits"]);
        assert!((number(highest) - steps - number(lowest)).abs() < 1e-6, "{p}");
        let keys = &boot["keys"];
        assert!(
            number(&keys["memory_bytes"]) > 2.0 * number(&keys["bytes_at_rest"]) && number(&keys["count"]) > 20.0,
            "{p}"
        );

        let name = p["name"].as_str().unwrap();
        let shown = text(&ringjet(&["params", name, "--explain"]).stdout);
        assert_eq!(shown.matches("CoeffsToSlots  ").count() as u64, count("CoeffsToSlots"), "{shown}");
        for line in ["security ", "margin ", "it fails ", "all keys for it ", "terminals of "] {
            assert!(shown.contains(line), "no {line}in {shown}");
        }
    }
}

#[test]
fn bench_bootstrap_times_every_part() {
    let small = ["bench", "bootstrap", "--preset", "n16-boot", "--log-n-override", "9", "--reps", "2"];
    let lines = json_lines(&ringjet(&[&small[..], &["--runs", "2", "--json"]].concat()));
    let times = ["", "_s2c", "_modraise", "_c2s", "_evalmod", "_products"];
    let number = |v: &Value| v.as_f64().unwrap();
    for (line, part) in lines.iter().zip(times) {
        assert_eq!((line["bench"].as_str(), &line["unit"]), (Some(&*format!("bootstrap{part}")), &"s".into()));
        assert_eq!((&line["n"], &line["insecure"]), (&2.into(), &true.into()));
        assert!(number(&line["min"]) > 0.0 && number(&line["min"]) <= number(&line["median"]), "{line}");
    }
    let parts: f64 = lines[1..5].iter().map(|l| number(&l["min"])).sum();
    assert!(parts <= number(&lines[0]["median"]) && parts > 0.2 * number(&lines[0]["min"]), "{parts}: {}", lines[0]);

    let info = &lines[6];
    assert_eq!((&info["bench"], &info["log_n"], &info["slots"]), (&"bootstrap_info".into(), &9.into(), &256.into()));
    assert_eq!(number(&info["levels_left"]), number(&info["level_after"]) - number(&info["level_before"]));
    assert_eq!(number(&info["keys"]), number(&info["galois_keys"]) + 3.0);
    for kind in ["random", "constant", "period256", "onehot"] {
        let bits = |when: &str, which: &str| number(&info["precision"][kind][when]["real"][which]);
        assert!(bits("after", "min_log2_precision") > 15.0, "{kind}: {info}");
        assert!(bits("after", "mean_log2_precision") >= bits("after", "log2_mean_precision"), "{kind}: {info}");
        assert!(bits("before", "mean_log2_precision") > bits("after", "mean_log2_precision"), "{kind}: {info}");
    }
    assert_eq!(lines.len(), 7 + 4 * 3);
    for (kind, lines) in ["random", "constant", "period256", "onehot"].iter().zip(lines[7..].chunks(3)) {
        assert!(lines.iter().all(|l| l["input"] == *kind), "{kind}: {lines:?}");
        assert_eq!((&lines[0]["run"], &lines[1]["run"]), (&0.into(), &1.into()));
        let bits = |l: &Value| number(&l["real"]["mean_log2_precision"]);
        assert!(bits(&lines[0]) > 15.0 && bits(&lines[0]) != bits(&lines[1]), "{kind}: not two encryptions");
        let counts = lines[2]["counts"].as_array().unwrap();
        assert_eq!(counts.iter().map(|c| c.as_u64().unwrap()).sum::<u64>(), 2 * 256);
    }

    let half = ringjet(
        &[&small[..6], &["--key-memory", "compressed", "--inputs", "random", "--reps", "1", "--json"]].concat(),
    );
    let half = &json_lines(&half)[6];
    assert_eq!((&half["key_memory"], &info["key_memory"]), (&"compressed".into(), &"expanded".into()));
    assert!(number(&half["key_bytes"]) < 0.51 * number(&info["key_bytes"]), "{half}");

    let real = ringjet(&[&small[..], &["--real", "--inputs", "random", "--threads", "2"]].concat());
    assert!(real.status.success(), "{}", text(&real.stderr));
    let shown = text(&real.stdout);
    assert!(shown.contains("insecure") && shown.contains("random") && !shown.contains("onehot"), "{shown}");
}

/// What `ringjet doctor` says here; it takes seconds, so two tests share it.
fn doctor() -> &'static Output {
    static SAID: OnceLock<Output> = OnceLock::new();
    SAID.get_or_init(|| ringjet(&["doctor"]))
}

#[test]
fn doctor_finds_this_machine_in_order() {
    let output = doctor();
    let report = text(&output.stdout);
    assert!(output.status.success(), "{report}");
    assert!(report.contains("everything checked is right") && report.contains("scalar"), "{report}");
}

#[test]
fn doctor_says_why_a_path_is_off() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ringjet"));
    let output = command.arg("doctor").env("RINGJET_DISABLE_AVX512", "1").output().unwrap();
    let report = text(&output.stdout);
    assert!(output.status.success(), "{report}");
    let line = report.lines().find(|l| l.trim_start().starts_with("avx512 ")).unwrap();
    assert!(line.contains("RINGJET_DISABLE_AVX512 is set") || line.contains("lacks"), "{line}");
}

#[test]
fn doctor_and_bench_say_why_there_is_no_gpu() {
    let bench = |path| ringjet(&[&["bench", "ntt", "--json", "--path", path][..], &SMALL].concat());
    let report = text(&doctor().stdout);
    let line = report.lines().find(|l| l.trim_start().starts_with("cuda ")).unwrap();
    let refused = bench("cuda");
    match line.split_once("off: ") {
        None => assert!(line.contains("available") && refused.status.success(), "{line}"),
        Some((_, why)) => {
            let message = text(&refused.stderr);
            assert!(!refused.status.success() && message.contains(&format!("--path cuda is off: {why}")), "{message}");
            assert!(["driver", "GPU", "NVRTC"].iter().any(|w| why.contains(w)), "{why}");
        }
    }
    let emulated = bench("cuda-emulated");
    assert!(emulated.status.success(), "{}", text(&emulated.stderr));
    assert!(text(&emulated.stdout).contains("cuda-emulated"));
}

#[test]
fn bench_bootstrap_leaves_optimizations_out() {
    let small =
        ["bench", "bootstrap", "--preset", "n15-boot", "--log-n-override", "9", "--reps", "1", "--inputs", "random"];
    let info = |without: &[&str]| {
        let without = without.iter().flat_map(|w| ["--without", w]);
        let words: Vec<&str> = small.iter().copied().chain(["--json"]).chain(without).collect();
        json_lines(&ringjet(&words)).pop().unwrap()
    };
    let (full, steps) = (info(&[]), info(&["giant-steps", "compressed-diagonals"]));
    assert!(full["without"].is_null());
    assert_eq!(steps["without"], serde_json::json!(["giant-steps", "compressed-diagonals"]));
    for field in ["keys", "key_bytes", "key_bytes_at_rest", "matrix_bytes"] {
        assert!(steps[field].as_u64() > full[field].as_u64(), "{field}");
    }
}

#[test]
fn sets_of_the_literature_say_what_they_are() {
    let shown = ringjet(&["params", "--paper", "jung-n16"]).stdout;
    let shown = text(&shown);
    assert!(shown.contains("allow_insecure is set") && shown.contains("dnum = 5, security 106"), "{shown}");
    let best = json_lines(&ringjet(&["params", "--paper", "castro-best", "--explain", "--json"])).remove(0);
    assert_eq!(
        (&best["dnum"], &best["special_primes"], &best["allow_insecure"]),
        (&2.into(), &21.into(), &false.into())
    );
    assert!(best["paper"]["source"].as_str().unwrap().contains("Table XI"), "{best}");
    assert_eq!(best["chain"]["levels"].as_array().unwrap().len(), 40);

    let small = ["bench", "bootstrap", "--paper", "castro-best", "--log-n-override", "9", "--reps", "1", "--json"];
    let info = json_lines(&ringjet(&small)).pop().unwrap();
    assert_eq!(
        (&info["preset"], &info["p_primes"], &info["insecure"]),
        (&"castro-best".into(), &21.into(), &true.into())
    );
    assert_eq!(info["levels_left"], 18);
    for (kind, found) in info["precision"].as_object().unwrap() {
        assert!(found["after"]["real"]["mean_log2_precision"].as_f64() > Some(17.0), "{kind}: {found}");
    }
}

#[test]
fn tables_of_papers() {
    let lines = json_lines(&ringjet(&["model", "table", "VII", "--json"]));
    assert_eq!(lines.len(), 4 * 7, "four entries of seven figures");
    for line in &lines {
        assert_eq!(line["table"], "VII");
        let compared = line["quantity"] != "operations per byte";
        assert_eq!(line["deviation"].as_f64().is_some_and(|d| d.abs() < 1e-4), compared, "{line}");
    }
    let bootstrap = |lines: &[Value], quantity: &str| {
        let found = lines.iter().find(|l| l["entry"] == "Bootstrap" && l["quantity"] == quantity);
        found.unwrap_or_else(|| panic!("no {quantity}")).clone()
    };
    assert_eq!(bootstrap(&lines, "10^9 operations")["paper"], 149.546);
    let gb = bootstrap(&lines, "GB");
    assert_eq!(gb["paper"], 207.982);
    // without a way of the authors
    let fixed = json_lines(&ringjet(&["model", "table", "VII", "--json", "--without", "plain_reads"]));
    let more = bootstrap(&fixed, "GB")["model"].as_f64().unwrap() - gb["model"].as_f64().unwrap();
    assert!((more - 14.722).abs() < 1e-3, "{more}");

    let heaan = json_lines(&ringjet(&["model", "table", "heaan-IV", "--json"]));
    assert!(heaan.len() == 10 && heaan.iter().all(|l| l["deviation"] == 0.0));
    let memory = json_lines(&ringjet(&["model", "table", "X", "--json"]));
    let slots = memory.iter().find(|l| l["entry"] == "Baseline, slot-wise").unwrap();
    assert_eq!((&slots["quantity"], &slots["paper"]), (&"ms".into(), &9.2.into()));
    let shown = text(&ringjet(&["model", "table", "XII"]).stdout);
    assert!(shown.contains("Our Best Throughput") && shown.contains("469.68 (469.68)"), "{shown}");
    let all = text(&ringjet(&["model", "table"]).stdout);
    assert!(all.contains("fig4, fig5") && all.contains("heaan-fig7") && all.contains("shrink_p"), "{all}");
    for (args, why) in [
        (&["model", "table", "XIV"][..], "no table \"XIV\"; there are I, II, III, VI, IX, X"),
        (&["model", "table", "V", "--without", "x"], "no quirk \"x\"; there are shrink_p"),
        (&["params", "n14_depth6"], "no preset is called \"n14_depth6\": did you mean \"n14-depth6\"? There are n12-"),
        (
            &["params", "--explain", "n16boot"],
            "no preset is called \"n16boot\": did you mean \"n16-boot\"? There are n15-boot",
        ),
    ] {
        let refused = ringjet(args);
        assert!(!refused.status.success() && text(&refused.stderr).contains(why), "{}", text(&refused.stderr));
    }
}

#[test]
fn a_report_is_one_page_with_what_was_asked_for() {
    let folder = std::env::temp_dir().join(format!("ringjet-report-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (page, search) = (folder.join("page.html"), folder.join("search.jsonl"));
    let (page, search) = (page.to_str().unwrap(), search.to_str().unwrap());
    std::fs::write(search, "{\"seconds\":1.5}\n").unwrap();
    let report = |more: &[&str]| ringjet(&[&["model", "report", "-o", page, "--search", search], more].concat());
    let output = report(&["--preset", "n13-depth2", "--device", "ideal-h200", "--device", "v100"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let html = std::fs::read_to_string(page).unwrap();
    let (_, data) = html.split_once("id=\"data\">").unwrap();
    let data: Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    assert_eq!([&data["devices"][0]["name"], &data["devices"][1]["name"]], ["ideal-h200", "v100"]);
    assert_eq!((&data["programs"][0]["name"], data["runs"].as_array().unwrap().len()), (&"n13-depth2".into(), 2));
    assert_eq!(data["search"][0]["seconds"], 1.5);
    let command = data["command"].as_str().unwrap();
    assert!(command.starts_with("ringjet model report --preset n13-depth2 ") && !command.contains('/'), "{command}");

    std::fs::write(search, "{\"seconds\":1.5}\n7\n").unwrap();
    let refused = report(&[]);
    assert!(!refused.status.success());
    assert!(text(&refused.stderr).contains("line 2 is no JSON object"), "{}", text(&refused.stderr));
    std::fs::remove_dir_all(folder).unwrap();
}

/// Integers of 64 bits: three components, with the keys of the preset.
#[test]
fn params_show_a_wider_plaintext_modulus() {
    let show = |args: &[&str]| json_lines(&ringjet(&[&["params", "bgv-n13", "--json"], args].concat())).remove(0);
    let (one, three) = (show(&[]), show(&["--t-bits", "64"]));
    assert_eq!((one["t"][0].as_u64(), three["t"].as_array().unwrap().len()), (Some(65537), 3));
    let bytes = |of: &Value| of["bytes"]["ciphertext_at_rest"].as_u64().unwrap();
    assert_eq!(3 * bytes(&one), bytes(&three));
    assert_eq!(one["bytes"]["switching_key_at_rest"], three["bytes"]["switching_key_at_rest"]);
    let refused = ringjet(&["params", "n15-boot", "--t-bits", "64"]);
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("t_bits"), "{refused:?}");
}

/// As in `ringjet params | head -1`: no panic, no message, and the status of a program that the
/// signal of a closed pipe ends.
#[test]
fn commands_end_quietly_when_nobody_reads() {
    let commands: [&[&str]; 8] = [
        &["params"],
        &["params", "n15-boot", "--explain"],
        &["params", "bgv-n13", "--json"],
        &["doctor"],
        &["model", "table", "XII"],
        &["model", "devices"],
        &["model", "devices", "ideal-h200"],
        &[&["bench", "ntt"][..], &SMALL].concat(),
    ];
    for args in commands {
        // the reader is gone before the command starts
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ended = Command::new(env!("CARGO_BIN_EXE_ringjet")).args(args).stdout(writer).output().unwrap();
        // what a bench says of its checks is no complaint
        let said = text(&ended.stderr);
        let complaints: Vec<&str> = said.lines().filter(|line| !line.starts_with("check ")).collect();
        assert_eq!((ended.status.code(), complaints), (Some(141), vec![]), "{args:?}");
    }
}
