//! `ringjet params search` as a user meets it.

use crate::common::{json_lines, ringjet, text};
use serde_json::Value;

const SEARCH: [&str; 8] = ["params", "search", "--from", "n15-boot", "--log-n", "15", "--candidates", "60"];

#[test]
fn searched_sets_are_shown_saved_and_accepted() {
    let path = std::env::temp_dir().join(format!("ringjet-search-{}.json", std::process::id()));
    let file = path.to_str().unwrap();
    let lines = json_lines(&ringjet(&[&SEARCH[..], &["--json", "--save", file, "--precision", "15"]].concat()));
    let last = lines.last().unwrap();
    assert_eq!((&last["kind"], &last["rank"], &last["from"]), (&"preset".into(), &0.into(), &"n15-boot".into()));
    let best = &lines[0];
    assert_eq!((&best["kind"], &best["log_n"]), (&"candidate".into(), &15.into()));
    for field in ["levels", "dnum", "log_qp", "seconds", "throughput", "precision_bits", "key_bytes", "speedup"] {
        assert!(best[field].as_f64().is_some_and(|x| x > 0.0), "{field}: {best}");
    }
    assert!(best["log_qp"].as_f64().unwrap() <= 0.98 * 868.0);
    let saved: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(saved, best["preset"]);
    let checked = &json_lines(&ringjet(&["params", "--check", file, "--json"]))[0];
    assert_eq!((&checked["security_bits"], &checked["allow_insecure"]), (&128.into(), &false.into()));
    assert_eq!((&checked["log_qp"], &checked["dnum"]), (&best["log_qp"], &best["dnum"]));
    let bench = ringjet(&["bench", "bootstrap", "--parameters", file, "--preset", "n15-boot"]);
    assert!(!bench.status.success());
    std::fs::remove_file(path).unwrap();
    let shown = text(&ringjet(&SEARCH).stdout);
    assert!(shown.starts_with("set ") && shown.contains("n15-boot") && shown.contains("60 candidates"), "{shown}");
}

#[test]
fn searches_that_make_no_sense_are_refused() {
    let cases: [(&[&str], &str); 7] = [
        (&["--log-n", "12"], "whole numbers from 13 to 17"),
        (&["--max-key-bytes", "lots"], "4GiB"),
        (&["--slots", "3"], "powers of two"),
        (&["--device", "abacus"], "cpu-ifma-2core"),
        (&["--from", "n15-depth9"], "n16-boot"),
        (&["--levels", "30..", "--log-n", "15", "--candidates", "50"], "lower --levels"),
        (&["--log-n", "13,14", "--candidates", "50"], "50 candidates: "),
    ];
    for (args, expected) in cases {
        let output = ringjet(&[&["params", "search"][..], args].concat());
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(text(&output.stderr).contains(expected), "{args:?}: {}", text(&output.stderr));
    }
    let output = ringjet(&["params", "search", "--levels", "3..2"]);
    assert!(text(&output.stderr).contains("both ends included"));
    assert_eq!(ringjet(&["params", "search", "--paper", "--levels", "3"]).status.code(), Some(2));
}

#[test]
fn the_published_search_is_reproduced() {
    let lines = json_lines(&ringjet(&["params", "search", "--paper", "--json"]));
    assert_eq!(lines.len(), 42);
    let best = &lines[0];
    let numbers = ["log_n", "limbs", "dnum", "fft_iter", "limbs_out"].map(|field| best[field].as_u64().unwrap());
    assert_eq!(numbers, [17, 40, 2, 6, 19]);
    assert!((best["throughput"].as_f64().unwrap() - 469.68).abs() < 0.01);
}
