//! Checks of the documentation and of all text that the repository tracks.

use crate::gate::{Outcome, command, exists, passes};

/// The exit code of `git grep` if no line matches.
const NO_MATCH: i32 = 1;

/// No tracked file has a line that git wrote for an unsolved merge conflict. A line of equal signs
/// alone is no such line: Markdown underlines headings with it.
pub fn markers() -> Outcome {
    if !exists("git", &["rev-parse", "--git-dir"]) {
        return Outcome::Skipped("this folder is no git repository, or git does not run".into());
    }
    let search = ["grep", "--line-number", "-E", r"^(<{7}|>{7}|[|]{7})( |$)"];
    match command("git", &search).output() {
        Ok(found) if found.status.code() == Some(NO_MATCH) => Outcome::Passed,
        Ok(found) if found.status.success() => {
            print!("{}", String::from_utf8_lossy(&found.stdout));
            Outcome::Failed("the lines above are merge markers".into())
        }
        Ok(failed) => Outcome::Failed(format!("git grep: {}", String::from_utf8_lossy(&failed.stderr).trim_end())),
        Err(e) => Outcome::Failed(format!("git grep: {e}")),
    }
}

/// Builds the documentation site, with the help of all commands of the program `ringjet`. Any warning
/// and any dead link is an error.
pub fn site(ringjet: &str) -> Outcome {
    if !exists("docs/build.sh", &["tools"]) {
        return Outcome::Skipped("Python cannot install the tools: docs/build.sh tools says why".into());
    }
    let mut build = command("docs/build.sh", &[]);
    build.env("RINGJET", ringjet);
    passes(build)
}
