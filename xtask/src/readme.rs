//! Extracts the README's Python examples, which must run as they are written.

use std::fs;

use crate::gate::root;

/// The README's ```` ```python ```` blocks, joined to one program.
pub fn python_examples() -> Result<String, String> {
    let text = fs::read_to_string(root().join("README.md")).map_err(|e| format!("README.md: {e}"))?;
    let blocks = blocks(&text, "python");
    if blocks.is_empty() {
        return Err("README.md has no Python example".into());
    }
    Ok(blocks.join("\n"))
}

/// The contents of the fenced code blocks of a language.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let open = format!("```{language}\n");
    text.split(&open).skip(1).filter_map(|rest| rest.split_once("\n```").map(|(block, _)| block)).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn blocks_of_one_language() {
        let text = "a\n```python\nx\ny\n```\nb\n```sh\nz\n```\n```python\nw\n```\n";
        assert_eq!(super::blocks(text, "python"), ["x\ny", "w"]);
    }
}
