//! Running the command and reading what it says.

use std::process::{Command, Output};

use serde_json::Value;

pub fn ringjet(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ringjet")).args(args).output().unwrap()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

pub fn json_lines(output: &Output) -> Vec<Value> {
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout).lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}
