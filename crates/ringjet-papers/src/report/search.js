// Parameter sets that a search found: any two of their numbers against each other, a third one as colour.
const search = { x: null, y: null, colour: null, logX: false, logY: false };
const NAMES = { seconds: "time (s)", precision_bits: "precision (bits)", log_qp: "log QP (bits)", log_n: "log N" };
const named = (field) => NAMES[field] || field.replace(/_/g, " ");

function drawSearch(focus) {
  const host = $("#search .body");
  if (!data.search) {
    host.replaceChildren(el("p", {}, "No search is on this page. It shows parameter sets against each other: levels, time, throughput, precision, key sizes. To make it:"),
      el("pre", {}, el("code", {}, "ringjet params search --json > search.jsonl\nringjet model report --search search.jsonl -o report.html")));
    return;
  }
  const all = data.search, fields = [...new Set(all.flatMap((c) => Object.keys(c)))];
  const numeric = fields.filter((f) => all.some((c) => typeof c[f] === "number"));
  const varied = numeric.filter((f) => new Set(all.map((c) => c[f])).size > 1);
  const prefer = (...wanted) => wanted.find((f) => varied.includes(f)) || varied[0] || numeric[0];
  if (!search.x) Object.assign(search, { x: prefer("precision_bits", "levels", "log_qp"), y: prefer("throughput", "seconds"), colour: prefer("dnum", "log_n") });
  const shown = all.filter((c) => typeof c[search.x] === "number" && typeof c[search.y] === "number"
    && (!search.logX || c[search.x] > 0) && (!search.logY || c[search.y] > 0));
  const choose = (key, label) => selector(`search-${key}`, label, numeric.map((f) => [f, named(f)]), search[key], (v) => { search[key] = v; drawSearch(`#search-${key}`); });
  const check = (key, label) => el("label", { class: "check" }, el("input", { type: "checkbox", id: `search-${key}`, checked: search[key],
    onchange: (e) => { search[key] = e.target.checked; drawSearch(`#search-${key}`); } }), label);
  const best = [...shown].sort((a, b) => b[search.y] - a[search.y]);
  host.replaceChildren(el("p", { class: "quiet" }, `${count(all.length)} parameter sets, ${count(shown.length)} with both numbers.`),
    el("div", { class: "controls" }, choose("x", "Across"), choose("y", "Up"), choose("colour", "Colour"), check("logX", "logarithmic across"), check("logY", "logarithmic up")),
    shown.length ? searchChart(shown, host) : el("p", { class: "note" }, "Nothing has both numbers."),
    asTable("search", "Parameter sets", fields.map(named), () => best.slice(0, 500).map((c) => fields.map((f) => value(c[f])))));
  if (focus) host.querySelector(focus).focus({ preventScroll: true });
}

const value = (v) => (v == null ? "\u2013" : typeof v === "number" ? (Number.isInteger(v) ? String(v) : digits(v)) : String(v));

const tick = (t) => (Math.abs(t) >= 1e4 ? si(t, "") : value(+t.toPrecision(6)));

// Classes of about as many values each, by colour.
function searchColours(shown) {
  const values = [...new Set(shown.map((c) => c[search.colour]).filter((v) => typeof v === "number"))].sort((a, b) => a - b);
  const classes = Math.min(6, values.length);
  const of = (v) => (typeof v !== "number" ? null : Math.min(classes - 1, Math.floor(values.findIndex((x) => x >= v) * classes / values.length)));
  const shade = (k) => (k == null ? "var(--quiet)" : ["var(--switch)", "var(--sum)", "var(--product)", "var(--division)", "var(--move)", "var(--transform)"][k]);
  const entries = Array.from({ length: classes }, (_, k) => {
    const inside = values.filter((v) => of(v) === k);
    return [shade(k), inside.length > 1 ? `${value(inside[0])} to ${value(inside[inside.length - 1])}` : value(inside[0])];
  });
  return { shade: (c) => shade(of(c[search.colour])), entries };
}

function searchChart(shown, host) {
  const width = Math.max(300, host.clientWidth), box = { left: width < 560 ? 56 : 70, right: 14, top: 24, bottom: 46, width, height: Math.round(Math.min(460, Math.max(320, width * 0.45))) };
  const scale = (field, log, a, b) => {
    const values = shown.map((c) => c[field]);
    let low = Math.min(...values), high = Math.max(...values);
    if (log) { low /= 1.1; high *= 1.1; } else { const pad = (high - low) * 0.05 || Math.abs(high) * 0.05 || 1; low -= pad; high += pad; }
    const at = log ? (v) => a + (b - a) * Math.log(v / low) / Math.log(high / low) : (v) => a + (b - a) * (v - low) / (high - low);
    return { at, ticks: log ? logTicks(low, high) : linearTicks(low, high, Math.max(3, Math.abs(b - a) / 90)) };
  };
  const bottom = box.height - box.bottom, right = box.width - box.right;
  const x = scale(search.x, search.logX, box.left, right), y = scale(search.y, search.logY, bottom, box.top), colours = searchColours(shown);
  const chart = svg("svg", { viewBox: `0 0 ${box.width} ${box.height}`, role: "img", "aria-label": `${named(search.y)} against ${named(search.x)}; the numbers are in the table below` },
    ...x.ticks.flatMap((t) => [svg("line", { class: "grid", x1: x.at(t), x2: x.at(t), y1: box.top, y2: bottom }),
      svg("text", { x: x.at(t), y: bottom + 17, "text-anchor": "middle" }, tick(t))]),
    ...y.ticks.flatMap((t) => [svg("line", { class: "grid", x1: box.left, x2: right, y1: y.at(t), y2: y.at(t) }),
      svg("text", { x: box.left - 6, y: y.at(t) + 4, "text-anchor": "end" }, tick(t))]),
    svg("path", { class: "axis", fill: "none", d: `M${box.left} ${box.top}V${bottom}H${right}` }),
    svg("text", { x: right, y: box.height - 8, "text-anchor": "end" }, named(search.x)), svg("text", { x: box.left - 50, y: 14 }, named(search.y)));
  chart.append(svg("g", { class: "points" }, ...shown.map((c) => svg("circle", { class: "dot", cx: x.at(c[search.x]).toFixed(1), cy: y.at(c[search.y]).toFixed(1), r: 4.5, fill: colours.shade(c),
    onpointermove: (e) => showTip(c.name || c["preset.name"] || "parameter set", "", Object.entries(c).slice(0, 16).map(([k, v]) => [named(k), value(v)]), e.clientX, e.clientY),
    onpointerleave: hideTip }))));
  return el("figure", {}, chart, el("ul", { class: "legend" }, el("li", {}, `${named(search.colour)}:`),
    ...colours.entries.map(([shade, text]) => el("li", {}, el("i", { style: `background:${shade}` }), text))));
}
