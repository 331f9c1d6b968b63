//! The step `layers`: crates and modules may use only what `docs/design/architecture.md` allows,
//! and modules must not depend on each other in a cycle.
//!
//! A dependency counts for the module that defines the used item; re-exports are followed to the
//! definition. Code for tests only does not count. Nor does a parent module that re-exports an item
//! from a child without using it.

mod circles;
mod source;
mod table;
mod tokens;
mod tree;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::gate::{Outcome, root};
use table::{PAGE, Table};
use tree::{Arrow, Name, Tree};

/// Checks the repository.
pub fn layers() -> Outcome {
    match faults(&root()) {
        Ok(faults) if faults.is_empty() => Outcome::Passed,
        Ok(faults) => {
            faults.iter().for_each(|f| println!("{f}"));
            Outcome::Failed(format!("{} arrows that should not be there", faults.len()))
        }
        Err(why) => Outcome::Failed(why),
    }
}

/// A line for each dependency that no table allows, and for each cycle.
fn faults(root: &Path) -> Result<Vec<String>, String> {
    let page = fs::read_to_string(root.join(PAGE)).map_err(|e| format!("{PAGE}: {e}"))?;
    let tables = table::tables(&page)?;
    let crates = crates(root)?;
    if let Some(unknown) = tables.keys().find(|name| *name != "crates" && !crates.contains_key(*name)) {
        return Err(format!("{PAGE}: there is no crate `{unknown}`"));
    }
    let mut faults = vec![];
    for (name, folder) in &crates {
        if let Some(table) = tables.get("crates") {
            faults.extend(dependencies(root, name, folder, table)?);
        }
        let tree = Tree::read(root, folder)?;
        let arrows = tree.arrows();
        if let Some(table) = tables.get(name) {
            faults.extend(without_row(&tree, name, table));
            faults.extend(arrows.iter().filter_map(|arrow| forbidden(arrow, name, table)));
        }
        faults.extend(circles::circles(&arrows).iter().map(|circle| shown(circle)));
    }
    Ok(faults)
}

/// The packages of the workspace with their folders.
fn crates(root: &Path) -> Result<BTreeMap<String, PathBuf>, String> {
    let entries = fs::read_dir(root.join("crates")).map_err(|e| format!("crates: {e}"))?;
    let below = entries.filter_map(|entry| Some(Path::new("crates").join(entry.ok()?.file_name())));
    let mut crates = BTreeMap::new();
    for folder in below.chain(["python", "xtask"].map(PathBuf::from)) {
        let manifest = folder.join("Cargo.toml");
        if let Ok(text) = fs::read_to_string(root.join(&manifest)) {
            let name = text.lines().find_map(|l| l.strip_prefix("name = \"")?.strip_suffix('"'));
            let name = name.ok_or_else(|| format!("{}: no name", manifest.display()))?;
            crates.insert(name.to_owned(), folder);
        }
    }
    Ok(crates)
}

/// Dependencies of a crate on other crates of the table that its row does not allow. Dependencies
/// of tests are not checked.
fn dependencies(root: &Path, name: &str, folder: &Path, table: &Table) -> Result<Vec<String>, String> {
    let manifest = folder.join("Cargo.toml");
    let text = fs::read_to_string(root.join(&manifest)).map_err(|e| format!("{}: {e}", manifest.display()))?;
    let Some(row) = table.of_crate(name) else {
        return Ok(vec![format!("{}: `{name}` has no row in the table \"Crates\" of {PAGE}", manifest.display())]);
    };
    let (mut counts, mut faults) = (false, vec![]);
    for (line, text) in text.lines().enumerate().map(|(i, l)| (i + 1, l.trim())) {
        if text.starts_with('[') {
            counts = text.ends_with("dependencies]") && !text.contains("dev-") && !text.contains("build-");
            continue;
        }
        let used = text.split(['.', '=', ' ']).next().unwrap_or_default();
        if counts && table.of_crate(used).is_some() && !row.may.contains(used) {
            let place = format!("{}:{line}", manifest.display());
            faults.push(format!("{place}: `{name}` depends on `{used}`; {}", allowed(row)));
        }
    }
    Ok(faults)
}

/// Modules without a row in the table.
fn without_row(tree: &Tree, of: &str, table: &Table) -> Vec<String> {
    let unknown = tree.modules().filter(|(name, _)| !name.is_empty() && table.of_module(name).is_none());
    let tell = |(name, file): (&Name, &Path)| {
        format!("{}: `{}` has no row in the table \"Modules of `{of}`\" of {PAGE}", file.display(), name.join("::"))
    };
    unknown.map(tell).collect()
}

/// Why a dependency is not allowed; `None` if it is.
fn forbidden(arrow: &Arrow, of: &str, table: &Table) -> Option<String> {
    let row = table.of_module(&arrow.from)?;
    let place = format!("{}:{}", arrow.file.display(), arrow.line);
    if arrow.to.is_empty() {
        return Some(format!("{place}: `{}` uses `{}`, which the root of `{of}` defines", row.name, arrow.text));
    }
    let to = table.of_module(&arrow.to)?;
    let fine = to.name == row.name || row.may.contains(&to.name);
    (!fine).then(|| format!("{place}: `{}` uses `{}` (`{}`); {}", row.name, to.name, arrow.text, allowed(row)))
}

/// What a row allows, and the line of the row.
fn allowed(row: &table::Row) -> String {
    let list = row.written.iter().map(|w| format!("`{w}`")).collect::<Vec<_>>().join(", ");
    let list = if list.is_empty() { "nothing".into() } else { list };
    format!("{PAGE}:{}: `{}` may use {list}", row.line, row.name)
}

/// A cycle as text, one dependency after the other.
fn shown(circle: &[&Arrow]) -> String {
    let name = |module: &Name| if module.is_empty() { "the root".into() } else { format!("`{}`", module.join("::")) };
    let steps = circle.iter().map(|a| {
        format!("\n    {} uses {} ({}:{}: `{}`)", name(&a.from), name(&a.to), a.file.display(), a.line, a.text)
    });
    format!("a circle of {} modules:{}", circle.len(), steps.collect::<String>())
}

#[cfg(test)]
mod tests;
