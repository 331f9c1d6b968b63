//! A published number beside this library's number. Every table of a paper consists of such rows, so
//! that one program can print, count and compare the numbers of all papers.

use serde::Serialize;

/// One number of a table or a figure of a paper.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The table's name, as `ringjet model table` takes it.
    pub table: String,
    /// The subject of the number: a function, a parameter set or a modulus.
    pub entry: String,
    /// The counted quantity, with its unit if it has one. Counts are plain numbers, not millions.
    pub quantity: String,
    /// The model's value; `None` if no known count gives the paper's value.
    pub model: Option<f64>,
    /// The paper's value, as printed or computed from the printed formula; `None` if the paper has
    /// none.
    pub paper: Option<f64>,
    /// model / paper - 1; `None` if one of the two is missing.
    pub deviation: Option<f64>,
    /// A remark: the source of the number, an error in the paper, or a choice of the model.
    pub note: Option<String>,
}

impl Row {
    pub(crate) fn new(entry: impl Into<String>, quantity: &str, model: Option<f64>, paper: Option<f64>) -> Self {
        let relative = |(model, paper): (f64, f64)| if model == paper { 0.0 } else { model / paper - 1.0 };
        let deviation = model.zip(paper).map(relative);
        Self {
            table: String::new(),
            entry: entry.into(),
            quantity: quantity.into(),
            model,
            paper,
            deviation,
            note: None,
        }
    }

    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }
}
