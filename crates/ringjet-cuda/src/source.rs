//! Joins the files of the kernels to one text. The build script uses this file as well.

use std::collections::HashSet;

/// The file that includes all others.
pub const ROOT: &str = "kernels.cuh";

/// The text of `file`, with each `#include "..."` replaced by the file's text at its first
/// occurrence. `read` returns a file by its name.
pub fn expand<E>(file: &str, read: &impl Fn(&str) -> Result<String, E>) -> Result<String, E> {
    let mut out = String::new();
    place(file, read, &mut HashSet::new(), &mut out)?;
    Ok(out)
}

fn place<E>(
    file: &str,
    read: &impl Fn(&str) -> Result<String, E>,
    seen: &mut HashSet<String>,
    out: &mut String,
) -> Result<(), E> {
    if !seen.insert(file.into()) {
        return Ok(());
    }
    out.push_str(&format!("#line 1 \"{file}\"\n"));
    for (i, line) in read(file)?.lines().enumerate() {
        match line.strip_prefix("#include \"").and_then(|rest| rest.strip_suffix('"')) {
            Some(included) => {
                place(included, read, seen, out)?;
                out.push_str(&format!("#line {} \"{file}\"\n", i + 2));
            }
            None if line == "#pragma once" => out.push('\n'),
            None => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    Ok(())
}
