//! Tests with two tiny workspaces in `fixtures/layers`. One agrees with its table, the other does
//! not.

use std::path::Path;

use super::faults;

fn found(fixture: &str) -> Vec<String> {
    faults(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/layers").join(fixture)).unwrap()
}

#[test]
fn a_sound_tree_has_no_fault() {
    assert_eq!(found("sound"), Vec::<String>::new());
}

#[test]
fn each_fault_is_found_and_placed() {
    const PAGE: &str = "docs/design/architecture.md";
    let expected = [
        format!("crates/high/src/extra.rs: `extra` has no row in the table \"Modules of `high`\" of {PAGE}"),
        "crates/high/src/base.rs:5: `base` uses `crate::ZERO`, which the root of `high` defines".into(),
        format!("crates/high/src/base.rs:2: `base` uses `top` (`crate::sum`); {PAGE}:16: `base` may use nothing"),
        "a circle of 2 modules:\n    `middle::pair` uses `middle::twice` (crates/high/src/middle/pair.rs:2: `super::twice`)\n    \
         `middle::twice` uses `middle::pair` (crates/high/src/middle/twice.rs:1: `super::half`)"
            .into(),
        format!("crates/low/Cargo.toml:5: `low` depends on `high`; {PAGE}:9: `low` may use nothing"),
    ];
    assert_eq!(found("broken"), expected);
}
