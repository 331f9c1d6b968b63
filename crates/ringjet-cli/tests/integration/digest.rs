//! `ringjet digest`: the same hashes from every backend, and a failure where one differs.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::common::{json_lines, ringjet, text};

/// A file that is removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, text: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ringjet-digest-{name}-{}", std::process::id()));
        fs::write(&path, text).unwrap();
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

const SHORT: [&str; 9] =
    ["digest", "product", "rotate-sum", "hoisted", "bgv", "heaan", "gradient-step", "--log-n", "10"];

#[test]
fn every_backend_has_the_same_hashes() {
    let expected = ringjet(&SHORT);
    let count = json_lines(&expected).len();
    assert_eq!(count, 6);
    let file = Scratch::new("same", &text(&expected.stdout));
    for path in ["scalar", "cuda-emulated"] {
        let lines = json_lines(&ringjet(&[&SHORT[..], &["--path", path, "--expect", file.path()]].concat()));
        assert_eq!(lines.len(), count);
        for line in &lines {
            assert_eq!((&line["equal"], &line["log_n"]), (&true.into(), &10.into()), "{path}: {line}");
        }
    }
}

#[test]
fn another_hash_is_a_failure_that_names_the_result() {
    let found = json_lines(&ringjet(&["digest", "product", "--log-n", "10"]));
    let sha256 = found[0]["results"][2]["sha256"].as_str().unwrap();
    let wrong = found[0].to_string().replace(sha256, &"0".repeat(64));
    let file = Scratch::new("other", &wrong);
    let run = ringjet(&["digest", "product", "--log-n", "10", "--expect", file.path()]);
    assert_eq!(run.status.code(), Some(1));
    let said = text(&run.stderr);
    assert!(said.contains("product: rotation has the hash") && said.contains(sha256), "{said}");
    let line: Value = serde_json::from_str(text(&run.stdout).trim()).unwrap();
    assert_eq!(line["equal"], false);

    let missing = ringjet(&["digest", "bgv", "--log-n", "10", "--expect", file.path()]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(text(&missing.stderr).contains("no hashes of bgv in a ring of 2^10"));
}

#[test]
fn bootstraps_have_the_same_hashes_in_both_widths() {
    const BOTH: [&str; 5] = ["digest", "bootstrap", "bootstrap48", "--log-n", "9"];
    let file = Scratch::new("bootstraps", &text(&ringjet(&BOTH).stdout));
    let lines = json_lines(&ringjet(&[&BOTH[..], &["--path", "scalar", "--expect", file.path()]].concat()));
    assert!(lines.len() == 2 && lines.iter().all(|line| line["equal"] == true));
}
