//! Traffic of bootstraps, as a cache keeps more and as the algorithms change.

use ringjet_model::{Caching, Policy, ringjet_parts as parts};
use ringjet_model::{Cost, Trace};
use serde::Serialize;

use super::program::Program;
use crate::castro::{self, PaperError, Row};

/// Bars of traffic. Each bar adds one optimization to the ones before it.
#[derive(Debug, Clone, Serialize)]
pub struct Waterfall {
    /// The title.
    pub title: String,
    /// What is counted, and how.
    pub note: String,
    /// The bars.
    pub bars: Vec<Bar>,
}

/// The traffic of a program, in 10^9 bytes.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Bar {
    /// A short name of the added optimization.
    pub label: String,
    /// A description of the added optimization.
    pub detail: String,
    /// Reads of ciphertexts and intermediate results.
    pub read_gb: f64,
    /// Writes.
    pub write_gb: f64,
    /// Reads of keys.
    pub key_gb: f64,
    /// Reads of plaintexts.
    pub plain_gb: f64,
    /// Operations, in 10^9.
    pub gop: f64,
    /// The figures that a paper prints for this bar.
    pub published: Option<Published>,
}

/// Figures that a paper prints for a bar.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Published {
    /// All traffic, in 10^9 bytes.
    pub gb: Option<f64>,
    /// Operations, in 10^9.
    pub gop: Option<f64>,
}

impl Bar {
    fn of(label: &str, detail: &str, cost: &Cost) -> Self {
        let gb = |words: u64| words as f64 * 8e-9;
        Self {
            label: label.into(),
            detail: detail.into(),
            read_gb: gb(cost.reads),
            write_gb: gb(cost.writes),
            key_gb: gb(cost.key_reads),
            plain_gb: gb(cost.plain_reads),
            gop: cost.ops() as f64 * 1e-9,
            published: None,
        }
    }

    fn published(row: &Row) -> Self {
        let number = Option::unwrap_or_default;
        let printed = Published { gb: row.paper_gb, gop: row.paper_gop };
        Self {
            label: row.entry.clone(),
            detail: row.note.clone().unwrap_or_default(),
            read_gb: number(row.read_gb),
            write_gb: number(row.write_gb),
            key_gb: number(row.key_gb),
            plain_gb: 0.0,
            gop: number(row.gop),
            published: (printed.gb.is_some() || printed.gop.is_some()).then_some(printed),
        }
    }

    /// All traffic, in 10^9 bytes.
    pub fn gb(&self) -> f64 {
        self.read_gb + self.write_gb + self.key_gb + self.plain_gb
    }
}

/// The caching levels of [`Caching`], as bars.
const LEVELS: [(Caching, &str, &str); 6] = [
    (Caching::None, "no cache", "each step of an operation reads its operands from memory and writes its result there"),
    (Caching::Limb, "+ O(1) limbs", "what follows limb by limb is done while a limb is at hand"),
    (Caching::BetaLimbs, "+ beta limbs", "a limb of every digit: transformed and multiplied by the key at once"),
    (Caching::AlphaLimbs, "+ alpha limbs", "all limbs of a digit: converted and transformed without going to memory"),
    (Caching::Reordered, "+ re-ordering", "what is divided out comes first, the rest is finished while it is at hand"),
    (Caching::Resident, "+ everything of a call", "operands and keys are read once, results are written once"),
];

/// All waterfalls: each program by what a cache keeps, with this library's own costs; then Figures
/// 4 and 5 of de Castro et al. (ePrint 2021/1636).
pub fn waterfalls(programs: &[Program]) -> Vec<Waterfall> {
    let own = programs.iter().map(|p| caching(&p.name, &p.trace));
    // the published parameters are fixed, and a test checks that they give no error
    own.chain(published().unwrap_or_default()).collect()
}

/// Figures 4 and 5 of de Castro et al., counted with the paper's costs.
fn published() -> Result<Vec<Waterfall>, PaperError> {
    const CITED: &str =
        "de Castro et al., \"Does Fully Homomorphic Encryption Need Compute Acceleration?\" (ePrint 2021/1636)";
    let figures = [
        ("fig4", "Figure 4 of a published model: by caching", "the baseline's parameters, with the paper's costs"),
        ("fig5", "Figure 5 of a published model: by algorithm", "the best case's parameters, with the paper's costs"),
    ];
    (figures.into_iter())
        .map(|(table, title, what)| {
            let note = format!("{CITED}: {what}. The paper prints few of its bars' heights.");
            Ok(Waterfall {
                title: title.into(),
                note,
                bars: castro::table(table)?.iter().map(Bar::published).collect(),
            })
        })
        .collect()
}

fn caching(name: &str, trace: &Trace) -> Waterfall {
    let cost = |policy: Policy| trace.total(|operation, n| parts(operation, n, policy));
    let plain = |caching| Policy::Cached { caching, seeded_keys: false };
    let mut bars: Vec<Bar> =
        LEVELS.iter().map(|&(caching, label, detail)| Bar::of(label, detail, &cost(plain(caching)))).collect();
    let seeded = Policy::Cached { caching: Caching::Resident, seeded_keys: true };
    bars.push(Bar::of("+ seeded keys", "half of each key is made from a seed instead of read", &cost(seeded)));
    Waterfall {
        title: format!("{name}, by what a cache keeps"),
        note: "This library's own algorithms and costs. The levels are those of de Castro et al., Section IV, and \
               the last one keeps all that a call touches. Operations stay what they are."
            .into(),
        bars,
    }
}
