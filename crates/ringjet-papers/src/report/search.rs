//! Results of a parameter search, read for the page.

use serde_json::{Map, Value};
use thiserror::Error;

/// The fields of one parameter set: numbers, words and switches.
pub type Candidate = Map<String, Value>;

/// An error in a file of search results.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SearchError {
    /// A line is not valid JSON.
    #[error("line {line} is no JSON: {source}")]
    Syntax {
        /// The line's number, from 1.
        line: usize,
        /// The reason.
        source: serde_json::Error,
    },
    /// A line is valid JSON, but not an object.
    #[error("line {0} is no JSON object")]
    NoObject(usize),
    /// The file has no parameter sets.
    #[error("there is no line with a parameter set")]
    Empty,
}

/// Reads one JSON object per line. A field `inner` of a nested object `outer` is named
/// `outer.inner`; lists are left out. Fields may be unknown or missing.
///
/// # Errors
/// [`SearchError`] for the first line that is not an object, or if there are no objects.
pub fn read_search(text: &str) -> Result<Vec<Candidate>, SearchError> {
    let mut all = vec![];
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        let value = serde_json::from_str(text).map_err(|source| SearchError::Syntax { line, source })?;
        let Value::Object(fields) = value else { return Err(SearchError::NoObject(line)) };
        let mut candidate = Candidate::new();
        flatten("", fields, &mut candidate);
        all.push(candidate);
    }
    if all.is_empty() { Err(SearchError::Empty) } else { Ok(all) }
}

fn flatten(prefix: &str, fields: Map<String, Value>, into: &mut Candidate) {
    for (name, value) in fields {
        let name = format!("{prefix}{name}");
        match value {
            Value::Object(inner) => flatten(&format!("{name}."), inner, into),
            Value::Array(_) | Value::Null => {}
            value => drop(into.insert(name, value)),
        }
    }
}
