//! Macros of the assembler.

use std::collections::HashMap;

use super::AssemblyError;

/// A macro: names of its arguments, longer ones first, each with its position, and its lines.
struct Macro<'a> {
    arguments: Vec<(usize, &'a str)>,
    lines: Vec<String>,
}

/// The lines of a source text with their numbers, without comments and empty lines. A call of a macro
/// becomes the lines of the macro, with the number of the call. A macro can call those above it.
pub(super) fn expand(source: &str) -> Result<Vec<(usize, String)>, AssemblyError> {
    let mut macros = HashMap::new();
    let (mut lines, mut open) = (Vec::new(), None);
    for (index, text) in source.lines().enumerate() {
        let (line, text) = (index + 1, text.split("//").next().unwrap_or_default().trim());
        if let Some(head) = text.strip_prefix(".macro ") {
            let (name, arguments) = split(head);
            let mut arguments: Vec<_> = arguments.into_iter().enumerate().collect();
            arguments.sort_by_key(|(_, argument)| std::cmp::Reverse(argument.len()));
            open = Some((name, Macro { arguments, lines: Vec::new() }));
        } else if text == ".endm" {
            macros.extend(open.take());
        } else if !text.is_empty() {
            let expanded = called(&macros, line, text)?;
            match &mut open {
                Some((_, definition)) => definition.lines.extend(expanded),
                None => lines.extend(expanded.into_iter().map(|text| (line, text))),
            }
        }
    }
    Ok(lines)
}

/// The lines of a macro if the text calls one, otherwise the text.
fn called(macros: &HashMap<&str, Macro<'_>>, line: usize, text: &str) -> Result<Vec<String>, AssemblyError> {
    let (name, values) = split(text);
    let Some(Macro { arguments, lines }) = macros.get(name) else { return Ok(vec![text.to_owned()]) };
    if values.len() != arguments.len() {
        let expected = "as many arguments as the macro has";
        return Err(AssemblyError::Operand { line, found: text.to_owned(), expected });
    }
    let replaced = |text: &String| {
        arguments.iter().fold(text.clone(), |text, &(position, argument)| {
            // `\name\()` ends the name of an argument where a letter follows
            let text = text.replace(&format!("\\{argument}\\()"), values[position]);
            text.replace(&format!("\\{argument}"), values[position])
        })
    };
    Ok(lines.iter().map(replaced).collect())
}

/// The first word and the operands, which commas separate.
fn split(text: &str) -> (&str, Vec<&str>) {
    let (name, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (name, operands.split(',').map(str::trim).collect())
}
