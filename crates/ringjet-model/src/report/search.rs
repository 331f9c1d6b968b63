//! What a search of parameters found, for the page.

use serde_json::{Map, Value};
use thiserror::Error;

/// One parameter set: its fields that are numbers, words or switches.
pub type Candidate = Map<String, Value>;

/// Why a search's results are refused.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SearchError {
    /// A line is no JSON.
    #[error("line {line} is no JSON: {source}")]
    Syntax {
        /// Its number, from 1.
        line: usize,
        /// Why.
        source: serde_json::Error,
    },
    /// A line is JSON, but no object.
    #[error("line {0} is no JSON object")]
    NoObject(usize),
    /// There are none.
    #[error("there is no line with a parameter set")]
    Empty,
}

/// Reads one JSON object a line. Fields of objects within are named `outer.inner`; lists are left out. Unknown fields are
/// welcome, missing ones are too.
///
/// # Errors
/// [`SearchError`], for the first line that is no object.
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
