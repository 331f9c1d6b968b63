//! The words of Rust code, without comments, literals and lifetimes.

/// An identifier or keyword, `::`, or one character of punctuation, with its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The text; `r#name` is stored as `name`.
    pub text: String,
    /// The line, counted from 1.
    pub line: usize,
}

impl Token {
    /// Whether the token is an identifier or a keyword.
    pub fn is_word(&self) -> bool {
        self.text.starts_with(|c: char| c.is_alphabetic() || c == '_')
    }
}

/// Splits a file into tokens. A string literal is kept as one token that begins with `"`, because
/// `#[path = "..."]` needs it.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut reader = Reader { rest: text, line: 1 };
    let mut all = vec![];
    while !reader.rest.is_empty() {
        let line = reader.line;
        if let Some(text) = reader.next() {
            all.push(Token { text, line });
        }
    }
    all
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
}

impl Reader<'_> {
    /// Takes the next `bytes` bytes.
    fn take(&mut self, bytes: usize) -> String {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken.to_owned()
    }

    /// The next token; `None` if a comment, white space, a number, a character or a lifetime was
    /// skipped.
    fn next(&mut self) -> Option<String> {
        let rest = self.rest;
        if rest.starts_with("//") {
            self.take(rest.find('\n').unwrap_or(rest.len()));
            return None;
        }
        if rest.starts_with("/*") {
            self.take(block_comment(rest));
            return None;
        }
        if let Some((open, close)) = raw_string(rest) {
            let taken = self.take(close);
            return Some(format!("\"{}", taken[open..].trim_end_matches(['#', '"'])));
        }
        let prefix = ["b\"", "c\""].iter().any(|p| rest.starts_with(p)) as usize;
        if rest[prefix..].starts_with('"') {
            let taken = self.take(prefix + quoted(&rest[prefix..], '"'));
            return Some(taken[prefix..taken.len() - 1].to_owned());
        }
        if rest.starts_with('\'') || rest.starts_with("b'") {
            self.take(character_or_lifetime(rest));
            return None;
        }
        let first = rest.chars().next()?;
        if first.is_alphabetic() || first == '_' {
            let raw = if rest.starts_with("r#") { 2 } else { 0 };
            return Some(self.take(raw + word(&rest[raw..]))[raw..].to_owned());
        }
        if first.is_ascii_digit() {
            self.take(word(rest));
            return None;
        }
        if rest.starts_with("::") {
            return Some(self.take(2));
        }
        let taken = self.take(first.len_utf8());
        (!first.is_whitespace()).then_some(taken)
    }
}

/// The length of a run of letters, digits and underscores.
fn word(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())
}

/// The length of a block comment, which may contain other block comments.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    loop {
        let rest = &text[at..];
        if rest.is_empty() {
            return at;
        }
        let step = if rest.starts_with("/*") {
            depth += 1;
            2
        } else if rest.starts_with("*/") {
            depth -= 1;
            2
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
        at += step;
        if depth == 0 {
            return at;
        }
    }
}

/// For a raw string such as `r"..."`, `r#"..."#` or `br"..."`: the index where its text begins, and
/// its length.
fn raw_string(text: &str) -> Option<(usize, usize)> {
    let prefix = ["r", "br", "cr"]
        .into_iter()
        .find(|p| text.strip_prefix(p).is_some_and(|rest| rest.trim_start_matches('#').starts_with('"')))?;
    let hashes = text[prefix.len()..].len() - text[prefix.len()..].trim_start_matches('#').len();
    let open = prefix.len() + hashes + 1;
    let end = format!("\"{}", "#".repeat(hashes));
    let close = text[open..].find(&end).map_or(text.len(), |at| open + at + end.len());
    Some((open, close))
}

/// The length of a quoted text, quotes included.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (i, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return i + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// `'x'`, `'\n'` and `b'x'` are characters; `'name` without a second quote is a lifetime.
fn character_or_lifetime(text: &str) -> usize {
    let prefix = usize::from(text.starts_with('b'));
    let body = &text[prefix + 1..];
    let mut chars = body.chars();
    match (chars.next(), chars.next()) {
        (Some('\\'), _) => prefix + quoted(&text[prefix..], '\''),
        (Some(c), Some('\'')) => prefix + 1 + c.len_utf8() + 1,
        _ => prefix + 1 + word(body),
    }
}

#[cfg(test)]
mod tests {
    fn words(text: &str) -> Vec<String> {
        super::tokens(text).into_iter().map(|t| t.text).collect()
    }

    #[test]
    fn comments_literals_and_lifetimes_are_no_words() {
        assert_eq!(words("a // crate::b\n/* crate::c /* d */ e */ f"), ["a", "f"]);
        assert_eq!(words("/// [`crate::b`]\nfn g() {}"), ["fn", "g", "(", ")", "{", "}"]);
        assert_eq!(words(r####"("x\"::y", r"a\", r#"b"c"#, b"d", br##"e"#"##)"####).len(), 11);
        assert_eq!(words("'a', '\\'', b'\"', '\"' &'static T"), [",", ",", ",", "&", "T"]);
        assert_eq!(words("1..2 0x1f 1e5 1.0 x.0"), [".", ".", ".", "x", "."]);
    }

    #[test]
    fn paths_and_lines() {
        assert_eq!(words("crate::r#type::X"), ["crate", "::", "type", "::", "X"]);
        let lines: Vec<usize> = super::tokens("a\n\"x\ny\" b /*\n*/ c").iter().map(|t| t.line).collect();
        assert_eq!(lines, [1, 2, 3, 4]);
    }

    #[test]
    fn the_text_of_strings_is_kept() {
        assert_eq!(words("path = \"x/y.rs\" r#\"z\"#"), ["path", "=", "\"x/y.rs", "\"z"]);
    }
}
