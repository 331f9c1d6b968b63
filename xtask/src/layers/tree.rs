//! The modules of one crate, and the dependencies between them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::source::{Import, Source};

/// A module's name `a::b` as its segments. The crate's root has none.
pub type Name = Vec<String>;

/// A dependency: module `from` uses an item that module `to` defines. Re-exports are followed to
/// the definition.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrow {
    pub from: Name,
    pub to: Name,
    /// The file of module `from`, relative to the repository's root.
    pub file: PathBuf,
    pub line: usize,
    /// The path as it is written.
    pub text: String,
}

/// All modules of a crate, except those for tests only.
#[derive(Debug)]
pub struct Tree {
    modules: BTreeMap<Name, (PathBuf, Source)>,
}

/// The module or item that a path refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    Module(Name),
    /// An item, by the module that defines it.
    Item(Name),
}

impl Tree {
    /// Reads a crate from its `lib.rs` or `main.rs`.
    pub fn read(root: &Path, folder: &Path) -> Result<Self, String> {
        let source = folder.join("src");
        let file = ["lib.rs", "main.rs"].iter().map(|f| source.join(f)).find(|f| root.join(f).exists());
        let file = file.ok_or_else(|| format!("{}: neither lib.rs nor main.rs", source.display()))?;
        let mut tree = Self { modules: BTreeMap::new() };
        let text = read(root, &file)?;
        tree.add(root, vec![], &file, &source, Source::read(&text))?;
        Ok(tree)
    }

    /// Adds a module, and the modules that it declares. Their files are in `folder`.
    fn add(&mut self, root: &Path, name: Name, file: &Path, folder: &Path, source: Source) -> Result<(), String> {
        let child = |child: &str| [&name[..], &[child.to_owned()]].concat();
        for (inner, body) in source.inline.clone() {
            self.add(root, child(&inner), file, &folder.join(&inner), body)?;
        }
        for declared in &source.declared {
            let files = match &declared.file {
                Some(path) => vec![file.with_file_name(path)],
                None => vec![folder.join(format!("{}.rs", declared.name)), folder.join(&declared.name).join("mod.rs")],
            };
            let Some(found) = files.iter().find(|f| root.join(f).exists()) else {
                return Err(format!("{}:{}: no file for `mod {}`", file.display(), declared.line, declared.name));
            };
            let text = read(root, found)?;
            self.add(root, child(&declared.name), found, &folder.join(&declared.name), Source::read(&text))?;
        }
        self.modules.insert(name, (file.to_owned(), source));
        Ok(())
    }

    /// All modules, with their files.
    pub fn modules(&self) -> impl Iterator<Item = (&Name, &Path)> {
        self.modules.iter().map(|(name, (file, _))| (name, file.as_path()))
    }

    /// All dependencies between modules.
    pub fn arrows(&self) -> BTreeSet<Arrow> {
        let mut arrows = BTreeSet::new();
        for (from, (file, source)) in &self.modules {
            let mut add = |segments: &[String], line: usize, to: Name| {
                if to != *from {
                    let text = segments.join("::");
                    arrows.insert(Arrow { from: from.clone(), to, file: file.clone(), line, text });
                }
            };
            for import in &source.imports {
                match self.resolve(from, &import.path.segments, &mut vec![]) {
                    Some(Target::Item(to)) if !offers(import, from, &to, source) => {
                        add(&import.path.segments, import.path.line, to)
                    }
                    Some(Target::Module(to)) if import.alias.is_none() && !import.public => {
                        add(&import.path.segments, import.path.line, to)
                    }
                    _ => {}
                }
            }
            // a path that begins with an imported item needs no dependency of its own: the import
            // has one
            let told = |first: &[String]| matches!(self.resolve(from, first, &mut vec![]), Some(Target::Item(_)));
            for path in source.paths.iter().filter(|p| !told(&p.segments[..1])) {
                if let Some(Target::Item(to)) = self.resolve(from, &path.segments, &mut vec![]) {
                    add(&path.segments, path.line, to);
                }
            }
        }
        arrows
    }

    /// Resolves a path that is written in module `at`; `None` for other crates and local names.
    fn resolve(&self, at: &Name, segments: &[String], seen: &mut Vec<(Name, String)>) -> Option<Target> {
        let (first, rest) = segments.split_first()?;
        match first.as_str() {
            "crate" => self.walk(&vec![], rest, seen),
            "self" => self.walk(at, rest, seen),
            "super" => {
                let (_, parent) = at.split_last()?;
                let above = parent.to_vec();
                if rest.first().is_some_and(|s| s == "super") {
                    return self.resolve(&above, rest, seen);
                }
                self.walk(&above, rest, seen)
            }
            _ if segments.len() == 1 => self.offered(at, first, &[], seen),
            _ => match self.child(at, first) {
                Some(child) => self.walk(&child, rest, seen),
                None => self.offered(at, first, rest, seen),
            },
        }
    }

    /// Resolves the rest of a path from module `at`. A name that is not found is taken as an item
    /// that a macro defines in `at`.
    fn walk(&self, at: &Name, segments: &[String], seen: &mut Vec<(Name, String)>) -> Option<Target> {
        let Some((first, rest)) = segments.split_first() else { return Some(Target::Module(at.clone())) };
        if self.source(at).defined.contains(first) {
            return Some(Target::Item(at.clone()));
        }
        let child = self.child(at, first);
        if let (Some(child), false) = (&child, rest.is_empty()) {
            return self.walk(child, rest, seen);
        }
        let offered = self.offered(at, first, rest, seen);
        offered.or(child.map(Target::Module)).or_else(|| self.macro_of(first)).or(Some(Target::Item(at.clone())))
    }

    /// Resolves a name that module `at` imports.
    fn offered(&self, at: &Name, name: &str, rest: &[String], seen: &mut Vec<(Name, String)>) -> Option<Target> {
        if seen.iter().any(|(m, n)| m == at && n == name) {
            return None;
        }
        seen.push((at.clone(), name.to_owned()));
        let source = self.source(at);
        let named = source.imports.iter().filter(|i| i.alias.as_deref() == Some(name));
        // `use name::...` refers to another crate if `at` has no child called `name`
        let own = |i: &&Import| i.path.segments.first().is_none_or(|s| s != name) || self.child(at, name).is_some();
        let found = named.filter(own).find_map(|i| match self.resolve(at, &i.path.segments, seen)? {
            Target::Module(m) => self.walk(&m, rest, seen),
            item => Some(item),
        });
        let stars = source.imports.iter().filter(|i| i.alias.is_none());
        found.or_else(|| {
            stars.into_iter().find_map(|i| match self.resolve(at, &i.path.segments, seen)? {
                Target::Module(m) if self.source(&m).defined.contains(name) => Some(Target::Item(m)),
                Target::Module(m) if self.child(&m, name).is_some() => self.walk(&self.child(&m, name)?, rest, seen),
                Target::Module(m) => self.offered(&m, name, rest, seen),
                Target::Item(_) => None,
            })
        })
    }

    /// The macro of this name: `#[macro_export]` puts it at the root, wherever it is defined.
    fn macro_of(&self, name: &str) -> Option<Target> {
        let has =
            |(_, source): &(PathBuf, Source)| source.defined.contains(name) && source.words.contains("macro_rules");
        self.modules.iter().find(|(_, m)| has(m)).map(|(at, _)| Target::Item(at.clone()))
    }

    fn child(&self, at: &Name, name: &str) -> Option<Name> {
        let child = [&at[..], &[name.to_owned()]].concat();
        self.modules.contains_key(&child).then_some(child)
    }

    fn source(&self, at: &Name) -> &Source {
        &self.modules[at].1
    }
}

/// Whether a parent module only re-exports an item from a child, without using it.
fn offers(import: &Import, from: &Name, to: &Name, source: &Source) -> bool {
    let below = to.len() > from.len() && to.starts_with(from);
    below && import.public && import.alias.as_ref().is_none_or(|a| !source.words.contains(a))
}

fn read(root: &Path, file: &Path) -> Result<String, String> {
    fs::read_to_string(root.join(file)).map_err(|e| format!("{}: {e}", file.display()))
}
