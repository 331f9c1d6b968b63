//! `include/ringjet.h` is what cbindgen writes from the sources.

use std::fs;

use cbindgen::{Builder, Config};

use super::crate_folder;

/// The sources with functions of the interface, in the order of the header.
const SOURCES: [&str; 11] = [
    "border",
    "status",
    "buffer",
    "machine",
    "params",
    "client",
    "keys",
    "server",
    "operations",
    "ciphertext",
    "program",
];

fn source(name: &str) -> String {
    fs::read_to_string(crate_folder().join(format!("src/{name}.rs"))).unwrap()
}

#[test]
fn header_is_of_these_sources() {
    let config = Config::from_file(crate_folder().join("cbindgen.toml")).unwrap();
    let files = SOURCES.map(|name| crate_folder().join(format!("src/{name}.rs")));
    let builder = files.iter().fold(Builder::new().with_config(config), |builder, file| builder.with_src(file));
    let mut written = Vec::new();
    builder.generate().unwrap().write(&mut written);
    let written = String::from_utf8(written).unwrap();
    let path = crate_folder().join("include/ringjet.h");
    if std::env::var_os("RINGJET_WRITE_HEADER").is_some() {
        fs::write(&path, &written).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == written,
        "include/ringjet.h is of other sources: RINGJET_WRITE_HEADER=1 cargo test -p ringjet-c header"
    );
}

/// No function of any file is missing in the header.
#[test]
fn every_function_is_in_the_header() {
    let header = fs::read_to_string(crate_folder().join("include/ringjet.h")).unwrap();
    let mut functions = 0;
    for entry in fs::read_dir(crate_folder().join("src")).unwrap() {
        let path = entry.unwrap().path();
        let Ok(text) = fs::read_to_string(&path) else { continue };
        for part in text.split("extern \"C\" fn ").skip(1) {
            let name = part.split('(').next().unwrap();
            assert!(header.contains(&format!("{name}(")), "{name} of {} is not in the header", path.display());
            functions += 1;
        }
    }
    assert!(functions > 60, "{functions} functions found");
}

/// Every class of the library's errors has a status, and no status is of a class that there is not.
#[test]
fn every_class_of_errors_has_a_status() {
    let table = fs::read_to_string(crate_folder().join("../ringjet/src/error/fields.rs")).unwrap();
    let classes: std::collections::BTreeSet<&str> = table
        .split('"')
        .skip(1)
        .step_by(2)
        .filter(|class| class.ends_with("Error") && *class != "RingjetError")
        .collect();
    let known = crate::status::LIBRARY.iter().map(|(_, name)| name.to_str().unwrap()).collect();
    assert_eq!(classes, known, "src/status.rs has one line for each class");
    let numbers: Vec<i32> = crate::status::LIBRARY.iter().map(|(status, _)| *status as i32).collect();
    assert!(numbers.is_sorted_by(|a, b| a < b) && numbers[0] == 100, "{numbers:?}");
    assert!(source("status").contains("RJ_KEY_MISMATCH = 114,"), "numbers keep their meaning");
}

/// `docs/c.md` has the whole example, and every status with its number and its meaning.
#[test]
fn page_has_the_example_and_all_statuses() {
    let repository = crate_folder().join("../..");
    let page = fs::read_to_string(repository.join("docs/c.md")).unwrap();
    let example = fs::read_to_string(repository.join("examples/c/score.c")).unwrap();
    assert!(page.contains(&format!("```c\n{example}```")), "docs/c.md shows another examples/c/score.c");
    let (mut statuses, mut meaning) = (0, String::new());
    for line in source("status").lines().map(str::trim).take_while(|line| *line != "}") {
        if let Some(text) = line.strip_prefix("/// ") {
            meaning = text.into();
        } else if let Some((name, number)) = line.trim_end_matches(',').split_once(" = ") {
            let row = format!("| `{name}` | {number} | {meaning} |");
            assert!(page.contains(&row), "docs/c.md lacks the row\n{row}");
            statuses += 1;
        }
    }
    assert_eq!(statuses, page.matches("| `RJ_").count());
    assert_eq!(statuses, crate::status::LIBRARY.len() + 13);
}
