//! Rows of tables that compare the model with figures of de Castro et al. (ePrint 2021/1636),
//! called the paper here.

use ringjet_model::Cost;
use serde::Serialize;

use super::configuration::Configuration;
use crate::row;

/// Figures of one entry of a table; `None` if the paper prints none. Operations are in units of
/// 10^9, traffic in units of 10^9 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Figures {
    /// Modular multiplications and additions, in 10^9.
    pub gop: Option<f64>,
    /// Modular multiplications, in 10^9.
    pub mults: Option<f64>,
    /// All traffic, in 10^9 bytes.
    pub gb: Option<f64>,
    /// Reads except those of keys, in 10^9 bytes.
    pub read_gb: Option<f64>,
    /// Writes, in 10^9 bytes.
    pub write_gb: Option<f64>,
    /// Reads of keys, in 10^9 bytes.
    pub key_gb: Option<f64>,
    /// Operations per byte.
    pub op_per_byte: Option<f64>,
    /// Bootstrapping throughput, equation (3) of the paper: the product of slots, limbs left after
    /// bootstrapping and bits of precision, divided by the microseconds of memory traffic.
    pub throughput: Option<f64>,
}

impl Figures {
    /// The figures of a cost, without a throughput.
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

    /// A row of Tables IV, V, VII and VIII: operations, multiplications, all bytes, bytes read,
    /// bytes written, bytes of keys, operations per byte.
    pub(super) fn printed(row: [f64; 7]) -> Self {
        let [gop, mults, gb, read_gb, write_gb, key_gb, op_per_byte] = row.map(Some);
        Self { gop, mults, gb, read_gb, write_gb, key_gb, op_per_byte, throughput: None }
    }

    /// A row of Table XIII: operations, bytes, operations per byte.
    pub(super) fn short(gop: f64, gb: Option<f64>, op_per_byte: Option<f64>) -> Self {
        Self { gop: Some(gop), gb, op_per_byte, ..Self::default() }
    }

    /// The largest relative difference to the figures of `paper`. Operations per byte are not
    /// compared: the paper prints two digits and truncates some of them.
    pub fn deviation(&self, paper: &Self) -> Option<f64> {
        let fields = |f: &Self| [f.gop, f.mults, f.gb, f.read_gb, f.write_gb, f.key_gb, f.throughput];
        let one = |(model, paper): (Option<f64>, Option<f64>)| {
            let (model, paper) = model.zip(paper)?;
            Some(if model == paper { 0.0 } else { model / paper - 1.0 })
        };
        fields(self).into_iter().zip(fields(paper)).filter_map(one).max_by(|a, b| a.abs().total_cmp(&b.abs()))
    }
}

/// An entry of a table, with the model's and the paper's figures. Units are those of [`Figures`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The table's name.
    pub table: String,
    /// The entry's name in the paper.
    pub entry: String,
    /// The model's operations; `None` if nothing is modelled.
    pub gop: Option<f64>,
    /// The model's multiplications.
    pub mults: Option<f64>,
    /// The model's traffic.
    pub gb: Option<f64>,
    /// The model's reads except those of keys.
    pub read_gb: Option<f64>,
    /// The model's writes.
    pub write_gb: Option<f64>,
    /// The model's reads of keys.
    pub key_gb: Option<f64>,
    /// The model's operations per byte.
    pub op_per_byte: Option<f64>,
    /// The model's throughput, if the table has one.
    pub throughput: Option<f64>,
    /// The paper's operations; `None` if it prints none.
    pub paper_gop: Option<f64>,
    /// The paper's multiplications.
    pub paper_mults: Option<f64>,
    /// The paper's traffic.
    pub paper_gb: Option<f64>,
    /// The paper's reads except those of keys.
    pub paper_read_gb: Option<f64>,
    /// The paper's writes.
    pub paper_write_gb: Option<f64>,
    /// The paper's reads of keys.
    pub paper_key_gb: Option<f64>,
    /// The paper's operations per byte.
    pub paper_op_per_byte: Option<f64>,
    /// The paper's throughput.
    pub paper_throughput: Option<f64>,
    /// The largest relative difference, model / paper - 1; `None` if the paper prints no figures.
    /// Figures that are errors in the paper are left out.
    pub deviation: Option<f64>,
    /// The parameters, if the table lists them.
    pub parameters: Option<Configuration>,
    /// A remark: an error in the paper, or a choice of the model.
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

    /// One row for each figure that the model or the paper has. Operations per byte have no
    /// deviation, as the paper prints two digits and truncates some of them.
    pub fn figures(&self) -> Vec<row::Row> {
        let compared = [
            ("10^9 operations", self.gop, self.paper_gop),
            ("10^9 multiplications", self.mults, self.paper_mults),
            ("GB", self.gb, self.paper_gb),
            ("GB read", self.read_gb, self.paper_read_gb),
            ("GB written", self.write_gb, self.paper_write_gb),
            ("GB of keys", self.key_gb, self.paper_key_gb),
            ("operations per byte", self.op_per_byte, self.paper_op_per_byte),
            ("throughput", self.throughput, self.paper_throughput),
        ];
        (compared.into_iter().filter(|(_, model, paper)| model.is_some() || paper.is_some()))
            .map(|(quantity, model, paper)| {
                let row = row::Row::new(self.entry.clone(), quantity, model, paper);
                let deviation = row.deviation.filter(|_| quantity != "operations per byte");
                row::Row { table: self.table.clone(), deviation, note: self.note.clone(), ..row }
            })
            .collect()
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
