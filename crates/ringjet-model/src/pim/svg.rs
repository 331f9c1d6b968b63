//! Plots as SVG: lines over an axis, and dots in rows. All axes are logarithmic.
//!
//! Shapes have classes: `m0` for DPUs, `m1` and on for the other machines. The page colours them;
//! [`alone`] adds colours of its own.

use std::fmt::Write as _;

/// Colours of an SVG file by itself.
const STYLE: &str = "text{fill:#444;font:12px sans-serif}.b{fill:#111;font-weight:600}.g{stroke:#e3e5e8}\
    .l{fill:none;stroke-width:2}.m0{stroke:#c0392b;fill:#c0392b}.m1{stroke:#2f6fb5;fill:#2f6fb5}\
    .m2{stroke:#17877a;fill:#17877a}.m3{stroke:#7a52a8;fill:#7a52a8}.m4{stroke:#a88412;fill:#a88412}\
    .l{fill:none}.hollow{fill:#fff;stroke-width:2}";

/// Lines over one axis, in milliseconds.
pub struct Lines<'a> {
    pub title: &'a str,
    pub label: &'a str,
    pub x: Vec<f64>,
    /// Milliseconds of each machine, DPUs first.
    pub ms: Vec<Vec<f64>>,
}

/// Dots in rows, in milliseconds.
pub struct Dots<'a> {
    pub title: &'a str,
    /// The machines' names, DPUs first.
    pub machines: &'a [String],
    /// Label, milliseconds of each machine, and milliseconds of DPUs if data move.
    pub rows: Vec<(&'a str, Vec<f64>, f64)>,
}

/// A logarithmic axis from value to pixel.
struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    fn new(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (low, high) = values.fold((f64::MAX, f64::MIN_POSITIVE), |(l, h), v| (l.min(v), h.max(v)));
        Self { low: low.min(high), high: high.max(low * 1.01), from, to }
    }

    /// The same axis, from one power of ten to another.
    fn decades(self) -> Self {
        let (low, high) = (10f64.powf(self.low.log10().floor()), 10f64.powf(self.high.log10().ceil()));
        Self { low, high: high.max(10.0 * low), ..self }
    }

    fn at(&self, value: f64) -> f64 {
        self.from + (self.to - self.from) * (value / self.low).ln() / (self.high / self.low).ln()
    }

    fn powers(&self) -> impl Iterator<Item = f64> {
        let (low, high) = (self.low.log10().round() as i32, self.high.log10().round() as i32);
        // 10^-1 as 1 / 10, which is printed without more digits
        (low..=high).map(|e| if e < 0 { 1.0 / 10f64.powi(-e) } else { 10f64.powi(e) })
    }
}

/// Text that is no markup.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Three significant digits; a dash for nothing.
pub fn short(x: f64) -> String {
    if x == 0.0 {
        return "-".into();
    }
    // the exponent after rounding
    let exponent = format!("{x:.2e}").split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0i32);
    format!("{x:.*}", (2 - exponent).clamp(0, 5) as usize)
}

fn text(out: &mut String, (x, y): (f64, f64), anchor: &str, class: &str, words: &str) {
    let words = escape(words);
    let _ = writeln!(out, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" class="{class}">{words}</text>"#);
}

fn rule(out: &mut String, (x, y): (f64, f64), (to_x, to_y): (f64, f64)) {
    let _ = writeln!(out, r#"<line x1="{x:.1}" y1="{y:.1}" x2="{to_x:.1}" y2="{to_y:.1}" class="g"/>"#);
}

fn frame(width: f64, height: f64, title: &str, inner: &str) -> String {
    let title = escape(title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"{title}\">\n<title>{title}</title>\n{inner}</svg>\n"
    )
}

/// A plot as a file of its own: with colours, and on white.
pub fn alone(svg: &str) -> String {
    let background = format!("<style>{STYLE}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    match svg.find("</title>\n") {
        Some(at) => {
            let (head, rest) = svg.split_at(at + "</title>\n".len());
            [head, &background, rest].concat()
        }
        None => svg.into(),
    }
}

pub fn lines(plot: &Lines<'_>) -> String {
    const WIDTH: f64 = 300.0;
    const HEIGHT: f64 = 220.0;
    let x = Scale::new(plot.x.iter().copied(), 46.0, WIDTH - 14.0);
    let y = Scale::new(plot.ms.iter().flatten().copied(), HEIGHT - 44.0, 30.0).decades();
    let mut out = String::new();
    text(&mut out, (8.0, 16.0), "start", "b", plot.title);
    for power in y.powers() {
        rule(&mut out, (x.from, y.at(power)), (x.to, y.at(power)));
        text(&mut out, (x.from - 5.0, y.at(power) + 4.0), "end", "", &power.to_string());
    }
    let mut free = f64::MIN;
    for &value in &plot.x {
        rule(&mut out, (x.at(value), y.from), (x.at(value), y.from + 4.0));
        if x.at(value) > free {
            let middle = x.at(value).min(WIDTH - 18.0);
            text(&mut out, (middle, y.from + 17.0), "middle", "", &value.to_string());
            free = middle + 40.0;
        }
    }
    text(&mut out, (WIDTH / 2.0 + 14.0, HEIGHT - 8.0), "middle", "", plot.label);
    for (machine, ms) in plot.ms.iter().enumerate().rev() {
        let points: Vec<String> =
            plot.x.iter().zip(ms).map(|(&v, &ms)| format!("{:.1},{:.1}", x.at(v), y.at(ms))).collect();
        let _ = writeln!(out, r#"<polyline points="{}" class="l m{machine}"/>"#, points.join(" "));
    }
    frame(WIDTH, HEIGHT, &format!("{}: milliseconds by {}", plot.title, plot.label), &out)
}

pub fn dots(plot: &Dots<'_>) -> String {
    const WIDTH: f64 = 760.0;
    const ROW: f64 = 30.0;
    const TOP: f64 = 62.0;
    let bottom = TOP + ROW * plot.rows.len() as f64;
    let all = plot.rows.iter().flat_map(|(_, ms, moved)| ms.iter().chain([moved]).copied());
    let x = Scale::new(all, 150.0, WIDTH - 44.0).decades();
    let mut out = String::new();
    text(&mut out, (8.0, 18.0), "start", "b", plot.title);
    let moved = ["DPUs, data moved there and back".to_owned()];
    let mut at = 16.0;
    for (i, name) in plot.machines.iter().chain(&moved).enumerate() {
        let class = if i == plot.machines.len() { "m0 hollow".into() } else { format!("m{i}") };
        let _ = writeln!(out, r#"<circle cx="{at:.1}" cy="38" r="5" class="{class}"/>"#);
        text(&mut out, (at + 10.0, 42.0), "start", "", name);
        at += 34.0 + 7.0 * name.chars().count() as f64;
    }
    for power in x.powers() {
        rule(&mut out, (x.at(power), TOP - 6.0), (x.at(power), bottom));
        text(&mut out, (x.at(power), bottom + 16.0), "middle", "", &format!("{power} ms"));
    }
    for (row, (label, ms, moved)) in plot.rows.iter().enumerate() {
        let y = TOP + ROW * (row as f64 + 0.5);
        rule(&mut out, (x.from, y), (x.to, y));
        text(&mut out, (x.from - 8.0, y + 4.0), "end", "", label);
        let _ = writeln!(out, r#"<circle cx="{:.1}" cy="{y:.1}" r="5.5" class="m0 hollow"/>"#, x.at(*moved));
        for (machine, &ms) in ms.iter().enumerate().rev() {
            let _ = writeln!(out, r#"<circle cx="{:.1}" cy="{y:.1}" r="5.5" class="m{machine}"/>"#, x.at(ms));
        }
    }
    frame(WIDTH, bottom + 28.0, plot.title, &out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits() {
        let cases =
            [(0.0, "-"), (0.99951, "1.00"), (770.22, "770"), (0.0123, "0.0123"), (32.93, "32.9"), (1014.8, "1015")];
        for (x, shown) in cases {
            assert_eq!(short(x), shown);
        }
    }

    #[test]
    fn a_scale_is_logarithmic() {
        let scale = Scale::new([0.3, 40.0].into_iter(), 100.0, 400.0).decades();
        assert_eq!(scale.powers().map(|p| p.to_string()).collect::<Vec<_>>(), ["0.1", "1", "10", "100"]);
        for (power, at) in [(0.1, 100.0), (1.0, 200.0), (100.0, 400.0)] {
            assert!((scale.at(power) - at).abs() < 1e-9);
        }
    }
}
