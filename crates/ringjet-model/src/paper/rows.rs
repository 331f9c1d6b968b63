//! The model beside a paper's figures.

use serde::Serialize;

use super::configuration::Configuration;
use crate::Cost;

/// What a table has of an entry. As the paper prints it, where it prints it; 10^9 operations and 10^9 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Figures {
    /// Multiplications and additions modulo a prime, in 10^9.
    pub gop: Option<f64>,
    /// Multiplications among them.
    pub mults: Option<f64>,
    /// Everything read and written, in 10^9 bytes.
    pub gb: Option<f64>,
    /// Read but for keys.
    pub read_gb: Option<f64>,
    /// Written.
    pub write_gb: Option<f64>,
    /// Keys, read.
    pub key_gb: Option<f64>,
    /// Operations for each byte.
    pub op_per_byte: Option<f64>,
    /// Slots times limbs left times bits of precision, for each microsecond of memory traffic (equation (3)).
    pub throughput: Option<f64>,
}

impl Figures {
    /// Of a cost.
    pub fn of(cost: &Cost) -> Self {
        let (ops, words) = (|n: u64| Some(n as f64 / 1e9), |n: u64| Some(n as f64 * 8.0 / 1e9));
        Self {
            gop: ops(cost.ops()),
            mults: ops(cost.mul()),
            gb: words(cost.words()),
            read_gb: words(cost.reads + cost.plain_reads),
            write_gb: words(cost.writes),
            key_gb: words(cost.key_reads),
            op_per_byte: (cost.words() > 0).then(|| cost.ops() as f64 / cost.bytes() as f64),
            throughput: None,
        }
    }

    /// Operations, multiplications, bytes, those read, written and of keys, operations for each byte: a row of Tables IV, V,
    /// VII and VIII.
    pub(super) fn printed(row: [f64; 7]) -> Self {
        let [gop, mults, gb, read_gb, write_gb, key_gb, op_per_byte] = row.map(Some);
        Self { gop, mults, gb, read_gb, write_gb, key_gb, op_per_byte, throughput: None }
    }

    /// Operations, bytes, operations for each byte: a row of Table XIII.
    pub(super) fn short(gop: f64, gb: Option<f64>, op_per_byte: Option<f64>) -> Self {
        Self { gop: Some(gop), gb, op_per_byte, ..Self::default() }
    }

    /// The largest relative difference to what `paper` prints, operations for each byte excepted: they have two digits, some
    /// of them cut off.
    pub fn deviation(&self, paper: &Self) -> Option<f64> {
        let fields = |f: &Self| [f.gop, f.mults, f.gb, f.read_gb, f.write_gb, f.key_gb, f.throughput];
        let one = |(model, paper): (Option<f64>, Option<f64>)| {
            let (model, paper) = model.zip(paper)?;
            Some(if model == paper { 0.0 } else { model / paper - 1.0 })
        };
        fields(self).into_iter().zip(fields(paper)).filter_map(one).max_by(|a, b| a.abs().total_cmp(&b.abs()))
    }
}

/// An entry of a table. Units are those of [`Figures`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The table's name.
    pub table: String,
    /// The entry, as the paper calls it.
    pub entry: String,
    /// The model's operations; none where nothing is modelled.
    pub gop: Option<f64>,
    /// Multiplications.
    pub mults: Option<f64>,
    /// All bytes.
    pub gb: Option<f64>,
    /// Bytes read but for keys.
    pub read_gb: Option<f64>,
    /// Bytes written.
    pub write_gb: Option<f64>,
    /// Bytes of keys.
    pub key_gb: Option<f64>,
    /// Operations for each byte.
    pub op_per_byte: Option<f64>,
    /// Throughput, where the table has it.
    pub throughput: Option<f64>,
    /// The paper's operations; none where it prints none.
    pub paper_gop: Option<f64>,
    /// Its multiplications.
    pub paper_mults: Option<f64>,
    /// All its bytes.
    pub paper_gb: Option<f64>,
    /// Those read but for keys.
    pub paper_read_gb: Option<f64>,
    /// Those written.
    pub paper_write_gb: Option<f64>,
    /// Those of keys.
    pub paper_key_gb: Option<f64>,
    /// Its operations for each byte.
    pub paper_op_per_byte: Option<f64>,
    /// Its throughput.
    pub paper_throughput: Option<f64>,
    /// The largest relative difference, model / paper - 1; none where the paper prints nothing. What the paper has in error
    /// is left out.
    pub deviation: Option<f64>,
    /// The parameters, where the table is about them.
    pub parameters: Option<Configuration>,
    /// What to know of the entry: an error of the paper, a choice of the model.
    pub note: Option<String>,
}

impl Row {
    pub(super) fn new(table: &str, entry: &str, model: Figures, paper: Figures) -> Self {
        Self {
            table: table.into(),
            entry: entry.into(),
            gop: model.gop,
            mults: model.mults,
            gb: model.gb,
            read_gb: model.read_gb,
            write_gb: model.write_gb,
            key_gb: model.key_gb,
            op_per_byte: model.op_per_byte,
            throughput: model.throughput,
            paper_gop: paper.gop,
            paper_mults: paper.mults,
            paper_gb: paper.gb,
            paper_read_gb: paper.read_gb,
            paper_write_gb: paper.write_gb,
            paper_key_gb: paper.key_gb,
            paper_op_per_byte: paper.op_per_byte,
            paper_throughput: paper.throughput,
            deviation: model.deviation(&paper),
            parameters: None,
            note: None,
        }
    }

    pub(super) fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    pub(super) fn of(mut self, parameters: Configuration) -> Self {
        self.parameters = Some(parameters);
        self
    }
}
