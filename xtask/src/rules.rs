//! Rules about files and commits: how long a file is, and what a commit's subject says.

use crate::gate::{Outcome, command, exists, root};

/// Lines that a hand-written file may have.
const MOST_LINES: usize = 500;

/// How names of hand-written files end.
const WRITTEN: [&str; 7] = [".rs", ".py", ".cuh", ".h", ".cpp", ".js", ".md"];

/// Files that may be longer, one a line: the path, a colon, the reason.
const LONGER: &str = include_str!("../longer_files.txt");

/// No hand-written file is longer than [`MOST_LINES`], except for those of [`LONGER`].
pub fn lengths() -> Outcome {
    let tracked = match lines_of_git(&["ls-files"]) {
        Ok(tracked) => tracked,
        Err(other) => return other,
    };
    let written = tracked.iter().filter(|path| WRITTEN.iter().any(|end| path.ends_with(end)));
    let lines = |path: &String| std::fs::read_to_string(root().join(path)).map_or(0, |text| text.lines().count());
    let long: Vec<(&str, usize)> = written.map(|path| (path.as_str(), lines(path))).collect();
    complaints(lengths_broken(&long, LONGER), "xtask/longer_files.txt says which files may be longer")
}

/// What is wrong with these files, given by path and number of lines, and with the exceptions.
fn lengths_broken(files: &[(&str, usize)], exceptions: &str) -> Vec<String> {
    let (mut wrong, mut excepted) = (Vec::new(), Vec::new());
    for line in exceptions.lines() {
        match line.split_once(": ") {
            Some((path, reason)) if !reason.trim().is_empty() => excepted.push(path),
            _ => wrong.push(format!("{line}: an exception without a reason")),
        }
    }
    let long: Vec<_> = files.iter().filter(|(_, lines)| *lines > MOST_LINES).collect();
    let not_excepted = long.iter().filter(|(path, _)| !excepted.contains(path));
    wrong.extend(not_excepted.map(|(path, lines)| format!("{path}: {lines} lines, {MOST_LINES} are allowed")));
    let not_long = excepted.iter().filter(|path| !long.iter().any(|(other, _)| other == *path));
    wrong.extend(not_long.map(|path| format!("{path}: needs no exception")));
    wrong
}

/// The commit after which subjects are checked.
const SINCE: &str = "1ee874e2721363c342aee6656557aa1fdf6f03ad";

/// Columns that a subject may have.
const MOST_COLUMNS: usize = 100;

/// What a subject may begin with: crates without their prefix, modules of `ringjet`, folders.
const COMPONENTS: [&str; 40] = [
    "backend", "bench", "bgv", "browser", "c", "circuits", "ckks", "cli", "cluster", "cpu", "cuda", "deploy", "dist",
    "docs", "dynamic", "examples", "fhetch", "fibers", "fuzz", "heaan", "js", "keys", "math", "ml", "model", "papers",
    "params", "parties", "pim", "program", "python", "ringjet", "rlwe", "serve", "tests", "vectors", "wasm", "wire",
    "xtask", "noise",
];

/// Subjects of commits are `component: what`, and not too long. Merges have the subject that git
/// gives them.
pub fn subjects() -> Outcome {
    if !exists("git", &["merge-base", "--is-ancestor", SINCE, "HEAD"]) {
        return Outcome::Skipped(format!("commit {SINCE:.8} is not in this clone, or git does not run"));
    }
    match lines_of_git(&["log", "--no-merges", "--format=%h %s", &format!("{SINCE}..HEAD")]) {
        Ok(commits) => complaints(
            commits
                .iter()
                .filter_map(|c| c.split_once(' '))
                .filter_map(|(hash, s)| Some(format!("{hash}: {}", subject_broken(s)?)))
                .collect(),
            "CONTRIBUTING.md, \"Style\", says what a subject is",
        ),
        Err(other) => other,
    }
}

/// What is wrong with a subject.
fn subject_broken(subject: &str) -> Option<String> {
    let columns = subject.chars().count();
    match subject.split_once(": ") {
        _ if columns > MOST_COLUMNS => Some(format!("{columns} columns, {MOST_COLUMNS} are allowed")),
        None => Some(format!("{subject:?} does not begin with a component and a colon")),
        Some((component, _)) if COMPONENTS.contains(&component) => None,
        Some((component, _)) => Some(format!("{component:?} is none of {}", COMPONENTS.join(", "))),
    }
}

/// The lines that git prints.
fn lines_of_git(arguments: &[&str]) -> Result<Vec<String>, Outcome> {
    match command("git", arguments).output() {
        Ok(o) if o.status.success() => Ok(String::from_utf8_lossy(&o.stdout).lines().map(str::to_owned).collect()),
        _ => Err(Outcome::Skipped("this folder is no git repository, or git does not run".into())),
    }
}

/// Prints what is wrong. Passes if that is nothing.
fn complaints(wrong: Vec<String>, hint: &str) -> Outcome {
    wrong.iter().for_each(|line| println!("{line}"));
    if wrong.is_empty() { Outcome::Passed } else { Outcome::Failed(format!("{} of them; {hint}", wrong.len())) }
}

#[cfg(test)]
mod tests {
    #[test]
    fn lengths() {
        let files = [("a.rs", 500), ("b.rs", 501), ("c.rs", 501), ("d.rs", 10)];
        let wrong = super::lengths_broken(&files, "c.rs: generated\nd.rs: was long\ne.rs:  \n");
        let names: Vec<_> = wrong.iter().map(|w| &w[..4]).collect();
        assert_eq!(names, ["e.rs", "b.rs", "d.rs"]);
    }

    #[test]
    fn subjects() {
        let wrong = |subject: &str| super::subject_broken(subject).is_some();
        assert!(!wrong("cpu: build without AVX-512 again"));
        assert!(!wrong(&format!("cpu: {}", "x".repeat(95))));
        assert!(wrong(&format!("cpu: {}", "x".repeat(96))));
        assert!(wrong("build without AVX-512 again") && wrong("zpu: build") && wrong("cpu:build"));
    }
}
