//! What the tables are made of.

use serde::Serialize;

/// One number of a table. All tables of HEAAN have this form.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The table's name, one of [`TABLES`](super::TABLES).
    pub table: String,
    /// What the number is of: a function, a parameter set, a modulus.
    pub entry: String,
    /// What is counted, with its unit where it has one: counts are plain numbers, not millions.
    pub quantity: String,
    /// The model's value; none where no count is known to give the paper's.
    pub model: Option<f64>,
    /// The paper's value, as printed or as its formula gives it; none where it prints none.
    pub paper: Option<f64>,
    /// model / paper - 1, where there are both.
    pub deviation: Option<f64>,
    /// What to know of the number: where it is from, an error of the paper, a choice of the model.
    pub note: Option<String>,
}

impl Row {
    pub(super) fn new(entry: impl Into<String>, quantity: &str, model: Option<f64>, paper: Option<f64>) -> Self {
        let deviation = model.zip(paper).map(|(model, paper)| model / paper - 1.0);
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

    pub(super) fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }
}
