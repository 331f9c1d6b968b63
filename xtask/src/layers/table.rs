//! Reads the tables in section "Layers" of `docs/design/architecture.md`.

use std::collections::{BTreeMap, BTreeSet};

/// The page with the tables.
pub const PAGE: &str = "docs/design/architecture.md";

/// A row: what one crate or module may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub name: String,
    /// The row's line in the page.
    pub line: usize,
    /// The names that may be used, directly or by the rows of used names.
    pub may: BTreeSet<String>,
    /// The names in the row's second cell.
    pub written: Vec<String>,
}

/// The rows in the page's order. Each may use only rows above it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    pub rows: Vec<Row>,
}

impl Table {
    /// The row of a crate.
    pub fn of_crate(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// The row of a module: the one with the longest name that is a prefix of the module's name.
    pub fn of_module(&self, module: &[String]) -> Option<&Row> {
        let fits = |row: &&Row| {
            row.name.split("::").zip(module).filter(|(a, b)| a == b).count() == parts(&row.name)
                && parts(&row.name) <= module.len()
        };
        self.rows.iter().filter(fits).max_by_key(|row| parts(&row.name))
    }
}

fn parts(name: &str) -> usize {
    name.split("::").count()
}

/// All tables of the section: `crates`, and one for the modules of each listed crate, by the
/// crate's name.
pub fn tables(page: &str) -> Result<BTreeMap<String, Table>, String> {
    let mut tables: BTreeMap<String, Table> = BTreeMap::new();
    let (mut inside, mut of) = (false, None);
    for (line, text) in page.lines().enumerate().map(|(i, l)| (i + 1, l.trim())) {
        if let Some(title) = text.strip_prefix("## ") {
            inside = title.trim() == "Layers";
        } else if let Some(title) = text.strip_prefix("### ").filter(|_| inside) {
            of = Some(match title.split('`').nth(1) {
                Some(name) if title.starts_with("Modules of `") => name.to_owned(),
                None if title == "Crates" => "crates".to_owned(),
                _ => return Err(format!("{PAGE}:{line}: a table is called \"Crates\" or \"Modules of `crate`\"")),
            });
        } else if let (Some(of), true) = (&of, inside && text.starts_with("| `")) {
            row(tables.entry(of.clone()).or_default(), text, line)?;
        }
    }
    match tables.is_empty() {
        true => Err(format!("{PAGE} has no tables in a section \"Layers\"")),
        false => Ok(tables),
    }
}

fn row(table: &mut Table, text: &str, line: usize) -> Result<(), String> {
    let cells: Vec<&str> = text.trim_matches('|').split('|').collect();
    let [names, may, ..] = cells.as_slice() else { return Err(format!("{PAGE}:{line}: a row has two cells")) };
    let quoted = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let (names, written) = (quoted(names), quoted(may));
    let mut allowed = BTreeSet::new();
    for name in &written {
        let Some(below) = table.rows.iter().find(|row| row.name == *name) else {
            return Err(format!("{PAGE}:{line}: `{name}` is no row above this one"));
        };
        allowed.extend(below.may.iter().cloned().chain([name.clone()]));
    }
    if let Some(twice) = names.iter().find(|n| table.rows.iter().any(|row| row.name == **n)) {
        return Err(format!("{PAGE}:{line}: `{twice}` has a row already"));
    }
    table.rows.extend(names.into_iter().map(|name| Row { name, line, may: allowed.clone(), written: written.clone() }));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::tables;

    const PAGE: &str = "# A\n| `no` | |\n## Layers\n### Crates\n| crate | may use |\n|---|---|\n| `a` | |\n| `b`, `c` | `a` |\n\
                        | `d` | `c` | what it is for\n### Modules of `d`\n| `x` | |\n| `x::y` | `x` |\n## Other\n| `no` | |\n";

    #[test]
    fn rows_may_use_what_the_rows_that_they_name_may_use() {
        let t = tables(PAGE).unwrap();
        assert_eq!(t.keys().collect::<Vec<_>>(), ["crates", "d"]);
        let d = t["crates"].of_crate("d").unwrap();
        assert_eq!((d.line, d.may.iter().map(String::as_str).collect::<Vec<_>>()), (9, vec!["a", "c"]));
        assert!(t["crates"].of_crate("c").unwrap().may.contains("a"));
    }

    #[test]
    fn a_module_has_the_row_of_the_longest_name() {
        let d = &tables(PAGE).unwrap()["d"];
        let of = |path: &str| {
            let module: Vec<String> = path.split("::").map(str::to_owned).collect();
            d.of_module(&module).map(|row| row.name.clone())
        };
        assert_eq!(of("x::z").as_deref(), Some("x"));
        assert_eq!(of("x::y::z").as_deref(), Some("x::y"));
        assert_eq!(of("xy"), None);
    }

    #[test]
    fn what_a_table_cannot_say() {
        let error = |rows: &str| tables(&format!("## Layers\n### Crates\n{rows}")).unwrap_err();
        assert_eq!(error("| `a` | `b` |\n| `b` | |"), "docs/design/architecture.md:3: `b` is no row above this one");
        assert_eq!(error("| `a` | |\n| `a` | |"), "docs/design/architecture.md:4: `a` has a row already");
        assert!(tables("# A\n").unwrap_err().contains("no tables"));
    }
}
