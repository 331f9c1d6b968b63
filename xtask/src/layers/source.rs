//! Reads one source file: the modules that it declares, and the items that it defines, imports and
//! names.

use std::collections::BTreeSet;
use std::ops::Range;

use super::tokens::{Token, tokens};

/// A path such as `a::b::c`, and its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    pub segments: Vec<String>,
    pub line: usize,
}

/// One name that a `use` imports. A group is split into its names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    pub path: Path,
    /// The name in the importing module; `None` for `*`.
    pub alias: Option<String>,
    /// Whether the `use` has any form of `pub`.
    pub public: bool,
}

/// A declaration `mod name;`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    pub name: String,
    pub line: usize,
    /// The file in an attribute `#[path = "..."]`.
    pub file: Option<String>,
}

/// The contents of a module, without code for tests only.
#[derive(Debug, Clone, Default)]
pub struct Source {
    pub declared: Vec<Declared>,
    /// Modules of the form `mod name { ... }`.
    pub inline: Vec<(String, Source)>,
    pub defined: BTreeSet<String>,
    pub imports: Vec<Import>,
    /// Paths of two or more segments outside `use`.
    pub paths: Vec<Path>,
    /// All words outside of `use`.
    pub words: BTreeSet<String>,
}

/// Keywords before the name of a defined item.
const DEFINE: [&str; 9] = ["fn", "struct", "enum", "union", "trait", "type", "const", "static", "mod"];

impl Source {
    /// Reads a file.
    pub fn read(text: &str) -> Self {
        let all = tokens(text);
        if all.windows(4).any(|w| is(w, &["#", "!", "[", "cfg"])) && inner_test(&all) {
            return Self::default();
        }
        Self::of(&all)
    }

    fn of(all: &[Token]) -> Self {
        let (mut source, mut at, mut depth, mut file) = (Self::default(), 0, 0usize, None);
        while at < all.len() {
            let rest = &all[at..];
            if is(rest, &["#", "["]) {
                let attribute = group(all, at + 1);
                let words = &all[attribute.clone()];
                at = attribute.end;
                if test_only(words) {
                    at = item_end(all, at);
                } else if is(&words[1..], &["path", "="]) {
                    file = words.get(3).map(|t| t.text.trim_start_matches('"').to_owned());
                }
                continue;
            }
            at = match rest[0].text.as_str() {
                "use" if rest.len() > 1 && rest[1].text != "<" => source.import(all, at),
                "mod" if depth == 0 && rest.len() > 2 => source.module(all, at, file.take()),
                _ => source.word(all, at, &mut depth),
            };
        }
        source
    }

    /// Handles a token that begins no attribute, `use` or module. Returns the index of the next
    /// token.
    fn word(&mut self, all: &[Token], at: usize, depth: &mut usize) -> usize {
        let token = &all[at];
        match token.text.as_str() {
            "{" => *depth += 1,
            "}" => *depth = depth.saturating_sub(1),
            _ => {}
        }
        if !token.is_word() {
            return at + 1;
        }
        self.words.insert(token.text.clone());
        if *depth == 0
            && let Some(name) = defined(&all[at..])
        {
            self.defined.insert(name);
        }
        let mut end = at + 1;
        while end + 1 < all.len() && all[end].text == "::" && all[end + 1].is_word() {
            end += 2;
        }
        if end > at + 1 {
            let segments: Vec<String> = all[at..end].iter().step_by(2).map(|t| t.text.clone()).collect();
            self.words.extend(segments.iter().cloned());
            self.paths.push(Path { segments, line: token.line });
        }
        end
    }

    /// `mod name;` or `mod name { ... }`.
    fn module(&mut self, all: &[Token], at: usize, file: Option<String>) -> usize {
        let (name, line) = (all[at + 1].text.clone(), all[at].line);
        match all[at + 2].text.as_str() {
            "{" => {
                let body = group(all, at + 2);
                self.inline.push((name, Self::of(&all[body.start + 1..body.end - 1])));
                body.end
            }
            _ => {
                self.declared.push(Declared { name, line, file });
                at + 3
            }
        }
    }

    /// Handles `use ...;` and splits all groups.
    fn import(&mut self, all: &[Token], at: usize) -> usize {
        let end = all[at..].iter().position(|t| t.text == ";").map_or(all.len(), |i| at + i);
        let public = match all[..at].last().map(|t| t.text.as_str()) {
            Some("pub") => true,
            Some(")") => all[..at].iter().rev().find(|t| t.text == "(" || t.text == ";").is_some_and(|t| t.text == "("),
            _ => false,
        };
        self.tree(&all[at + 1..end], &[], public);
        end + 1
    }

    fn tree(&mut self, tokens: &[Token], before: &[String], public: bool) {
        let (mut segments, mut at) = (before.to_vec(), 0);
        while let Some(token) = tokens.get(at) {
            match token.text.as_str() {
                "::" => at += 1,
                "{" => {
                    let inside = group(tokens, at);
                    parts(&tokens[inside.start + 1..inside.end - 1]).for_each(|p| self.tree(p, &segments, public));
                    return;
                }
                "*" => {
                    let path = Path { segments, line: token.line };
                    self.imports.push(Import { path, alias: None, public });
                    return;
                }
                name => {
                    segments.push(name.to_owned());
                    at += 1;
                    if tokens.get(at).is_none_or(|t| t.text != "::") {
                        self.name(segments, tokens, at, public);
                        return;
                    }
                }
            }
        }
    }

    /// Handles the end of a branch in a `use` tree: `name` or `name as other`.
    fn name(&mut self, mut segments: Vec<String>, tokens: &[Token], at: usize, public: bool) {
        let line = tokens[at - 1].line;
        if segments.len() > 1 && segments.last().is_some_and(|s| s == "self") {
            segments.pop();
        }
        let renamed = tokens.get(at).filter(|t| t.text == "as").and(tokens.get(at + 1));
        let alias = renamed.map(|t| t.text.clone()).or_else(|| segments.last().cloned());
        self.imports.push(Import { path: Path { segments, line }, alias, public });
    }
}

/// Whether `tokens` begins with `texts`.
fn is(tokens: &[Token], texts: &[&str]) -> bool {
    tokens.len() >= texts.len() && tokens.iter().zip(texts).all(|(t, text)| t.text == *text)
}

/// The range from an opening bracket to the position after its closing bracket.
fn group(tokens: &[Token], open: usize) -> Range<usize> {
    let mut depth = 0usize;
    for (i, token) in tokens.iter().enumerate().skip(open) {
        match token.text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return open..i + 1;
        }
    }
    open..tokens.len()
}

/// Splits tokens at commas outside of brackets.
fn parts(tokens: &[Token]) -> impl Iterator<Item = &[Token]> {
    let mut depth = 0usize;
    tokens.split(move |t| {
        match t.text.as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        depth == 0 && t.text == ","
    })
}

/// Whether an attribute is `[cfg(test)]` or `[cfg(all(test, ...))]`.
fn test_only(attribute: &[Token]) -> bool {
    is(attribute, &["[", "cfg", "(", "test", ")"]) || is(attribute, &["[", "cfg", "(", "all", "(", "test", ","])
}

/// Whether a file begins with `#![cfg(test)]`.
fn inner_test(all: &[Token]) -> bool {
    (0..all.len()).any(|i| is(&all[i..], &["#", "!"]) && test_only(&all[i + 2..]))
}

/// The index after the item, field or statement at `start`. It ends with `;`, with a block, or with
/// a comma if it is not an item.
fn item_end(tokens: &[Token], start: usize) -> usize {
    let mut at = start;
    while is(&tokens[at..], &["#", "["]) {
        at = group(tokens, at + 1).end;
    }
    let head = tokens[at..].iter().take(8).take_while(|t| !["{", "=", ","].contains(&t.text.as_str()));
    let keyword = head.map(|t| t.text.as_str()).find(|t| DEFINE.contains(t) || ["use", "impl", "let"].contains(t));
    while let Some(token) = tokens.get(at) {
        match token.text.as_str() {
            ";" => return at + 1,
            "," if keyword.is_none() => return at + 1,
            "}" => return at, // of what the field or statement is in
            "{" if !matches!(keyword, Some("use" | "let" | "const" | "static" | "type")) => {
                return group(tokens, at).end;
            }
            "(" | "[" | "{" => at = group(tokens, at).end,
            _ => at += 1,
        }
    }
    at
}

/// The name that an item defines.
fn defined(tokens: &[Token]) -> Option<String> {
    if is(tokens, &["macro_rules", "!"]) {
        return tokens.get(2).map(|t| t.text.clone());
    }
    let (word, name) = (tokens.first()?, tokens.get(1)?);
    let more = ["fn", "unsafe", "extern", "async", "mut"].contains(&name.text.as_str());
    (DEFINE.contains(&word.text.as_str()) && name.is_word() && !more).then(|| name.text.clone())
}

#[cfg(test)]
mod tests {
    use super::Source;

    fn imports(text: &str) -> Vec<String> {
        let shown = |i: super::Import| {
            let (pub_, alias) = (if i.public { "pub " } else { "" }, i.alias.unwrap_or("*".into()));
            format!("{pub_}{} as {alias} @{}", i.path.segments.join("::"), i.path.line)
        };
        Source::read(text).imports.into_iter().map(shown).collect()
    }

    #[test]
    fn groups_are_taken_apart() {
        assert_eq!(
            imports("use crate::{a::{self, B, c::{D as E, *}}, f};\npub(crate) use super::g;\npub use self::h::I;"),
            [
                "crate::a as a @1",
                "crate::a::B as B @1",
                "crate::a::c::D as E @1",
                "crate::a::c as * @1",
                "crate::f as f @1",
                "pub super::g as g @2",
                "pub self::h::I as I @3",
            ]
        );
        assert_eq!(imports("use a::{\n    b,\n    c,\n};"), ["a::b as b @2", "a::c as c @3"]);
        assert_eq!(imports("fn f() -> impl Sized + use<'a> { use x::y as _; }"), ["x::y as _ @1"]);
        assert_eq!(imports("struct T(u8);\nuse b::c;"), ["b::c as c @2"]);
    }

    fn paths(text: &str) -> Vec<String> {
        Source::read(text).paths.iter().map(|p| p.segments.join("::")).collect()
    }

    #[test]
    fn paths_in_code_and_macros() {
        assert_eq!(
            paths("fn f(x: &crate::a::B<super::C>) { x.y::<self::d::E>(); g!(crate::h::i()) }"),
            ["crate::a::B", "super::C", "self::d::E", "crate::h::i"]
        );
        assert_eq!(paths("macro_rules! m { () => { $crate::a::b() } }"), ["crate::a::b"]);
        assert_eq!(paths("// crate::a::b\nconst S: &str = \"crate::c::d\";"), Vec::<String>::new());
    }

    #[test]
    fn what_is_compiled_for_tests_only_does_not_count() {
        assert_eq!(
            paths("#[cfg(test)]\n#[allow(x)]\nmod tests { fn f() { crate::a::b() } }\nfn g() { crate::c::d() }"),
            ["crate::c::d"]
        );
        assert_eq!(imports("#[cfg(test)]\nuse crate::a::{b, c};\nuse crate::d;"), ["crate::d as d @3"]);
        assert_eq!(paths("struct S { #[cfg(test)] a: crate::a::A, b: crate::b::B }"), ["crate::b::B"]);
        assert_eq!(
            paths("#[cfg(all(test, unix))] const A: [crate::a::A; 1] = [a::B { c: 1 }]; type T = crate::b::B;"),
            ["crate::b::B"]
        );
        assert_eq!(paths("#[cfg(not(test))]\nfn f() { crate::a::b() }"), ["crate::a::b"]);
        assert_eq!(paths("#![cfg(test)]\nfn f() { crate::a::b() }"), Vec::<String>::new());
        assert!(Source::read("#[cfg(test)]\nmod tests;").declared.is_empty());
    }

    #[test]
    fn modules_and_definitions() {
        let text = "#[path = \"x/y.rs\"]\nmod a;\npub mod b { pub fn inner() {} mod c; }\npub const fn f() { struct Local; }\n\
                    macro_rules! m { () => {} }\npub(crate) struct S<T>(T);\nconst LIMIT: usize = 1;";
        let s = Source::read(text);
        assert_eq!(
            s.declared.iter().map(|d| (d.name.as_str(), d.file.as_deref())).collect::<Vec<_>>(),
            [("a", Some("x/y.rs"))]
        );
        assert_eq!((s.inline[0].0.as_str(), s.inline[0].1.declared[0].name.as_str()), ("b", "c"));
        assert_eq!(s.defined.iter().map(String::as_str).collect::<Vec<_>>(), ["LIMIT", "S", "f", "m"]);
    }
}
