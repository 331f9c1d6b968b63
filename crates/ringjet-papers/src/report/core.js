// What all charts share: the data, elements, numbers with units, the tooltip, tables.
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (selector) => document.querySelector(selector);
const SVG = "http://www.w3.org/2000/svg";

// Children that are no elements become text: nothing in the data is taken for markup.
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.flat().filter((c) => c != null));
  return node;
}
const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

function digits(x) {
  const size = Math.abs(x);
  if (size === 0) return "0";
  if (size >= 1e15 || size < 1e-4) return x.toExponential(2);
  return x.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 4).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
}
const PREFIXES = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "\u00b5"], [1e-9, "n"]];
function si(x, unit) {
  if (x === 0) return `0 ${unit}`;
  const [scale, prefix] = PREFIXES.find(([s]) => Math.abs(x) >= s * 0.9995) || PREFIXES[PREFIXES.length - 1];
  const value = x / scale;
  return `${value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)} ${prefix}${unit}`;
}
function seconds(x) {
  return x >= 600 ? `${digits(x)} s` : si(x, "s");
}
function percent(x) {
  const p = 100 * x;
  return p === 0 ? "0 %" : p < 0.01 ? "< 0.01 %" : `${p.toFixed(p >= 10 ? 1 : 2)} %`;
}
const count = (n) => n.toLocaleString("en-US");

// Kinds of operations and of their parts, by the names of the backend's methods: by colour.
const GROUPS = [
  ["switch", "key switching", ["key_switch", "hoisted_rotations", "key_inner_product", "mod_up"]],
  ["sum", "sums of rotations", ["hoisted_rotate_sum", "rotate_into"]],
  ["division", "divisions, rescaling", ["divide_round", "shift_round"]],
  ["transform", "transforms, conversions", ["ntt", "intt", "base_convert", "crt_split", "crt_join"]],
  ["product", "products", ["mul", "tensor", "mul_acc", "big_mul", "big_prepare"]],
  ["linear", "linear combinations", ["lincomb", "big_lincomb"]],
  ["move", "moves", ["upload", "copy", "expand", "automorphism", "big_automorphism"]],
];
const groupOf = new Map(GROUPS.flatMap(([key, , names]) => names.map((name) => [name, key])));
const colour = (name) => `var(--${groupOf.get(name) || "linear"})`;

function boundBy(p) {
  if (p.launch_s > p.compute_s && p.launch_s > p.memory_s) return "start-bound";
  return p.compute_s >= p.memory_s ? "compute-bound" : "memory-bound";
}

// A title, a line below it, and pairs of names and values; at a place in the window.
function showTip(title, below, pairs, x, y) {
  const tip = $("#tip");
  tip.replaceChildren(el("b", {}, title), el("div", { class: "quiet" }, below),
    el("dl", {}, ...pairs.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const left = x + 14 + box.width > innerWidth ? Math.max(8, x - 14 - box.width) : x + 14;
  const top = y + 14 + box.height > innerHeight ? Math.max(8, y - 14 - box.height) : y + 14;
  tip.style.left = `${left}px`;
  tip.style.top = `${top}px`;
}
const hideTip = () => { $("#tip").hidden = true; };

function selector(id, label, options, value, changed) {
  const list = el("select", { id, onchange: (e) => changed(e.target.value) },
    ...options.map(([key, text]) => el("option", { value: key, selected: String(key) === String(value) }, text)));
  return el("label", {}, label, list);
}

const cells = (tag, row) => row.map((c) => (c instanceof Node ? c : el(tag, {}, c)));
function table(head, rows) {
  return el("table", {}, el("thead", {}, el("tr", {}, ...cells("th", head))),
    el("tbody", {}, ...rows.map((row) => el("tr", {}, ...cells("td", row)))));
}
// The chart in words; made when it is asked for, and kept open when the chart is drawn again.
const open = new Set();
function asTable(id, label, head, rows) {
  const place = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label });
  const make = () => place.firstChild || place.append(table(head, rows()));
  const details = el("details", { "data-table": id, open: open.has(id), ontoggle: (e) => {
    if (e.target.open) { open.add(id); make(); } else open.delete(id);
  } }, el("summary", {}, `${label} as a table`), place);
  if (open.has(id)) make();
  return details;
}

// Powers of ten, and their parts where there are few.
function logTicks(low, high) {
  const from = Math.floor(Math.log10(low)), to = Math.ceil(Math.log10(high));
  const steps = to - from > 4 ? [1] : to - from > 2 ? [1, 3] : [1, 2, 5];
  const all = [];
  for (let e = from; e <= to; e++) for (const s of steps) all.push(s * 10 ** e);
  return all.filter((t) => t >= low && t <= high);
}
function linearTicks(low, high, wanted) {
  const raw = (high - low) / wanted || 1, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5].find((s) => s * power >= raw) || 10);
  const all = [];
  for (let t = Math.ceil(low / step); t * step <= high; t++) all.push(t * step);
  return all;
}
