//! The comparison as one HTML page with plots, and its main plot alone.

use std::fmt::Write as _;

use super::comparison::{Comparison, Row};
use super::error::PimModelError;
use super::svg::{self, Dots, Lines, escape, short};
use super::sweep::{Axis, Setting};
use super::task::{Operation, TaskSpec};

/// The style of all pages with figures of a model.
pub const STYLE: &str = include_str!("style.css");
/// How often data are used after they were moved, in the winner map.
const USES: [u32; 6] = [1, 3, 10, 30, 100, 300];
/// Operations whose times are plotted along axes.
const PLOTTED: [Operation; 4] = [Operation::Ntt, Operation::Products, Operation::Sums, Operation::WeightedSum];

/// The page. It shows `command` as the command that made it, and needs no other files.
///
/// # Errors
/// [`PimModelError`] for figures out of range, and batches that do not fit.
pub fn page(setting: &Setting<'_>, command: &str) -> Result<String, PimModelError> {
    let comparison = setting.compare()?;
    let style = [STYLE, include_str!("page.css")].concat();
    let mut page = include_str!("page.html").replace("/*STYLE*/", &style);
    let places = [
        ("/*TASK*/", lead(setting, &comparison)),
        ("/*DOTS*/", dots(setting)?),
        ("/*TABLE*/", table(&comparison)),
        ("/*BREAKEVEN*/", break_even(&comparison)),
        ("/*MAPS*/", maps(setting)?),
        ("/*LEGEND*/", legend(&comparison)),
        ("/*PLOTS*/", Axis::ALL.map(|axis| panels(setting, axis)).concat()),
        ("/*SOURCES*/", sources(setting)),
        ("/*COMMAND*/", escape(command)),
        ("/*VERSION*/", env!("CARGO_PKG_VERSION").into()),
    ];
    for (place, text) in places {
        page = page.replacen(place, &text, 1);
    }
    Ok(page)
}

/// The main plot as an SVG file: each operation on each machine.
///
/// # Errors
/// As [`page`].
pub fn plot(setting: &Setting<'_>) -> Result<String, PimModelError> {
    Ok(svg::alone(&dots(setting)?))
}

fn lead(setting: &Setting<'_>, c: &Comparison) -> String {
    let Setting { machine, task, .. } = setting;
    format!(
        "{} ciphertexts of two polynomials, N = {}, log Q = {}: {} primes of {} bits on DPUs, {} elsewhere. {} DPUs at {} MHz \
         ({} W), program <code>{}</code>.",
        task.ciphertexts,
        task.n,
        task.log_q,
        c.limbs,
        c.prime_bits,
        c.rival_limbs,
        machine.dpus,
        machine.megahertz,
        short(c.watts),
        machine.program.name(),
    )
}

/// Where the figures of the other machines come from.
fn sources(setting: &Setting<'_>) -> String {
    let source = |device: &crate::Device| {
        format!("<h3>{}</h3><p class=\"quiet\">{}</p>", escape(device.name()), escape(device.spec().source.trim()))
    };
    setting.rivals.iter().map(source).collect()
}

/// Milliseconds on each machine, DPUs first.
fn milliseconds(row: &Row) -> Vec<f64> {
    std::iter::once(row.pim_s()).chain(row.rivals.iter().map(|r| r.total_s)).map(|s| 1e3 * s).collect()
}

fn machines(c: &Comparison) -> Vec<String> {
    std::iter::once("DPUs".into()).chain(c.rivals.iter().cloned()).collect()
}

/// The setting with data that stay in the DPUs, or that are moved.
fn with_moves<'a>(setting: &Setting<'a>, moved: bool) -> Setting<'a> {
    Setting { task: TaskSpec { moved, ..setting.task }, ..*setting }
}

fn dots(setting: &Setting<'_>) -> Result<String, PimModelError> {
    let [stays, moved] = [false, true].map(|moved| with_moves(setting, moved).compare());
    let (stays, moved) = (stays?, moved?);
    let rows = (stays.rows.iter().zip(&moved.rows))
        .map(|(row, moved)| (row.operation, milliseconds(row), 1e3 * moved.pim_s()))
        .collect();
    let title = format!("{} ciphertexts, N = {}: milliseconds", setting.task.ciphertexts, setting.task.n);
    Ok(svg::dots(&Dots { title: &title, machines: &machines(&stays), rows }))
}

fn cells(tag: &str, cells: impl Iterator<Item = String>) -> String {
    cells.map(|cell| format!("<{tag}>{}</{tag}>", escape(&cell))).collect::<String>()
}

fn table(c: &Comparison) -> String {
    let head = ["operation", "DPUs, ms", "transfers", "host"].map(String::from).into_iter();
    let head = head
        .chain(c.rivals.iter().cloned())
        .chain(["fastest", "without GPUs", "least joules", "DPUs, J", "with host, J"].map(String::from));
    let mut out = format!("<table><thead><tr>{}</tr></thead><tbody>", cells("th", head));
    for row in &c.rows {
        let ms = [row.pim_s(), row.pim.transfer_s, row.host_s].into_iter().chain(row.rivals.iter().map(|r| r.total_s));
        let line = std::iter::once(row.operation.to_owned()).chain(ms.map(|s| short(1e3 * s))).chain([
            row.winner.clone(),
            row.winner_without_gpus.clone(),
            row.least_joules.clone(),
            short(row.pim.joules),
            short(row.pim.joules_with_host),
        ]);
        let _ = write!(out, "<tr>{}</tr>", cells("td", line));
    }
    out + "</tbody></table>"
}

fn break_even(c: &Comparison) -> String {
    let each = c.rivals.iter().zip(&c.products_between_transforms).map(|(name, products)| match products {
        Some(0.0) => format!("at once against {}", escape(name)),
        Some(products) => format!("{} against {}", short(*products), escape(name)),
        None => format!("never against {}", escape(name)),
    });
    let each: Vec<String> = each.collect();
    let pipelines = c.rivals.iter().zip(&c.pipelines).map(|(name, p)| {
        let [shared, same, alone] = [p.shared_s, p.same_memory_s, p.alone_s].map(|s| short(1e3 * s));
        format!(
            "{shared} ms with transforms on {}, which alone takes {alone} ({same} in the same memory)",
            escape(name)
        )
    });
    let pipelines: Vec<String> = pipelines.collect();
    format!(
        "Products between a pair of transforms from which on DPUs win: {}. Transforms, products on DPUs, transforms back: {}.",
        each.join("; "),
        pipelines.join("; ")
    )
}

/// Who wins, by operation and by how often data are used that were moved once: among all machines,
/// and without those that are no CPUs.
fn maps(setting: &Setting<'_>) -> Result<String, PimModelError> {
    let c = with_moves(setting, false).compare()?;
    let cpus: Vec<bool> = setting.rivals.iter().map(|d| d.spec().kind == crate::DeviceKind::Cpu).collect();
    let all = vec![true; cpus.len()];
    let mut out = map(&c, "all machines", &all);
    if cpus != all {
        out += &map(&c, "CPUs only", &cpus);
    }
    Ok(out)
}

fn map(c: &Comparison, title: &str, counts: &[bool]) -> String {
    let head = std::iter::once(title.to_owned())
        .chain(USES.iter().map(|uses| format!("used {uses} x")))
        .chain(["stay there".into()]);
    let mut out = format!("<table><thead><tr>{}</tr></thead><tbody>", cells("th", head));
    for row in &c.rows {
        let moves = USES.iter().map(|&uses| row.bring_s / f64::from(uses)).chain([0.0]);
        let _ = write!(out, "<tr><td>{}</td>", row.operation);
        for moved_s in moves {
            let rivals = c.rivals.iter().zip(&row.rivals).zip(counts).filter(|&(_, &counts)| counts);
            let best = rivals.map(|((name, time), _)| (name, time.total_s)).min_by(|a, b| a.1.total_cmp(&b.1));
            match best {
                Some((name, seconds)) if seconds < row.pim_s() + moved_s => {
                    let _ = write!(out, "<td>{}</td>", escape(name));
                }
                _ => out += "<td class=\"dpus\">DPUs</td>",
            }
        }
        out += "</tr>";
    }
    out + "</tbody></table>"
}

fn legend(c: &Comparison) -> String {
    let entry = |(i, name): (usize, &String)| format!("<li><i class=\"m{i}\"></i>{}</li>", escape(name));
    machines(c).iter().enumerate().map(entry).collect()
}

fn panels(setting: &Setting<'_>, axis: Axis) -> String {
    let points = setting.along(axis);
    let mut out = format!("<h3>{}</h3><div class=\"panels\">", axis.label());
    for operation in PLOTTED {
        let rows: Vec<(f64, Vec<f64>)> = (points.iter())
            .filter_map(|(value, c)| Some((f64::from(*value), milliseconds(c.row(operation)?))))
            .collect();
        let Some((_, first)) = rows.first() else { continue };
        let ms = (0..first.len()).map(|i| rows.iter().map(|(_, ms)| ms[i]).collect()).collect();
        let x = rows.iter().map(|&(value, _)| value).collect();
        let plot = Lines { title: operation.name(), label: axis.label(), x, ms };
        let _ = write!(out, "<figure>{}</figure>", svg::lines(&plot));
    }
    out + "</div>"
}
