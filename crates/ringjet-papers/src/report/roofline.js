// Operations for each byte against operations a second; every call of one shape in one step is a point.
function drawRoofline() {
  const r = run(), device = data.devices[r.device], host = $("#roofline .body");
  const width = Math.max(300, host.clientWidth), narrow = width < 560;
  const box = { left: narrow ? 70 : 74, right: 10, top: 14, bottom: 46, width, height: Math.round(Math.min(520, Math.max(340, width * 0.5))) };
  const scales = rooflineScales(r, box);
  const chart = svg("svg", { viewBox: `0 0 ${box.width} ${box.height}`, tabindex: 0, role: "group",
    "aria-label": `Roofline of ${data.programs[r.program].name} on ${device.name}. ${r.points.length} points; arrow keys go through them.` });
  chart.append(svg("clipPath", { id: "plot" }, svg("rect", { x: box.left, y: box.top, width: box.width - box.left - box.right,
    height: box.height - box.top - box.bottom })));
  rooflineAxes(chart, box, scales);
  const words = rooflineRoofs(chart, r, device, box, scales, narrow);
  rooflinePoints(chart, r, box, scales);
  chart.append(words);
  host.replaceChildren(
    el("figure", {}, chart, rooflineLegend(r, device), el("figcaption", {}, rooflineCaption(r, device))),
    asTable("roofline", "Points", ["step", "operation", "calls", "op/byte", "op a call", "bytes a call", "key bytes a call", "time a call", "time of all",
      "share", "bound"], () => r.points.map((p) => [pathOf(r, p), p.name, count(p.count), digits(p.intensity), si(p.ops, "op"), si(p.bytes, "B"),
      si(p.key_bytes, "B"), seconds(p.total_s), seconds(p.total_s * p.count), percent(p.total_s * p.count / r.time.total_s), boundBy(p)])),
    asTable("ceilings", "Ceilings", ["ceiling", "rate"], () => [
      ...r.compute.map((c) => [`arithmetic: ${c.name}`, c.per_second == null ? "no limit" : si(c.per_second, "op/s")]),
      ...r.memory.map((m) => [`memory: ${m.name}, ${si(m.bytes, "B")}`, si(m.per_second, "B/s")])]),
    el("details", {}, el("summary", {}, `Where the figures of ${device.name} come from`), el("pre", {}, device.source)));
}

const pathOf = (r, p) => data.programs[r.program].steps[p.step].join(" \u203a ") || "Program";

function rooflineScales(r, box) {
  const computing = r.points.filter((p) => p.ops > 0);
  const ceilings = r.compute.map((c) => c.per_second).filter((c) => c != null);
  const main = r.memory[r.memory.length - 1].per_second;
  const xs = computing.map((p) => p.intensity), ys = computing.map((p) => p.ops / p.total_s);
  if (ceilings.length) xs.push(ceilings[0] / main);
  const x = [Math.min(...xs) / 1.6, Math.max(...xs) * 1.8], y = [Math.min(...ys) / 2, Math.max(...ys, ...ceilings) * 1.8];
  const moves = r.points.length - computing.length;
  const from = box.left + (moves ? 26 : 0), to = box.width - box.right, bottom = box.height - box.bottom;
  const log = (value, [low, high], a, b) => a + (b - a) * Math.log(value / low) / Math.log(high / low);
  return { x: (v) => log(v, x, from, to), y: (v) => log(v, y, bottom, box.top), xs: x, ys: y, from, moves };
}

function rooflineAxes(chart, box, s) {
  const bottom = box.height - box.bottom, right = box.width - box.right;
  for (const t of logTicks(...s.xs)) {
    chart.append(svg("line", { class: "grid", x1: s.x(t), x2: s.x(t), y1: box.top, y2: bottom }),
      s.x(t) > box.left + (s.moves ? 34 : 0) ? svg("text", { x: s.x(t), y: bottom + 17, "text-anchor": "middle" }, digits(t)) : "");
  }
  for (const t of logTicks(...s.ys)) {
    chart.append(svg("line", { class: "grid", x1: box.left, x2: right, y1: s.y(t), y2: s.y(t) }),
      svg("text", { x: box.left - 6, y: s.y(t) + 4, "text-anchor": "end" }, si(t, "op/s").replace(/\.0+ /, " ")));
  }
  chart.append(svg("path", { class: "axis", fill: "none", d: `M${box.left} ${box.top}V${bottom}H${right}` }),
    svg("text", { x: right, y: box.height - 8, "text-anchor": "end" }, "operations for each byte read or written"));
  if (s.moves) {
    const at = box.left + 13;
    chart.append(svg("line", { class: "class", x1: s.from, x2: s.from, y1: box.top, y2: bottom }),
      svg("text", { x: at, y: bottom + 17, "text-anchor": "middle" }, "0"));
  }
}

function rooflineRoofs(chart, r, device, box, s, narrow) {
  const lines = svg("g", { "clip-path": "url(#plot)" }), words = svg("g", { "pointer-events": "none" });
  const [low, high] = s.xs, right = box.width - box.right;
  const finite = r.compute.filter((c) => c.per_second != null);
  const top = finite.length ? Math.max(...finite.map((c) => c.per_second)) : s.ys[1];
  const mixed = r.compute[0].per_second;
  const path = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${s.x(x).toFixed(1)} ${s.y(y).toFixed(1)}`).join("");
  r.memory.forEach((m, i) => {
    const main = i === r.memory.length - 1, knee = Math.min(high, top / m.per_second), start = Math.min(low, knee);
    lines.append(svg("path", { class: main && mixed == null ? "roof" : "bound", d: path([[start, start * m.per_second], [knee, knee * m.per_second]]) }));
    // along the line, where it is inside the chart
    const a = Math.max(low, s.ys[0] / m.per_second), b = Math.min(high, knee);
    if (b <= a) return;
    const at = a * (b / a) ** (0.1 + 0.16 * i), angle = Math.atan2(s.y(b * m.per_second) - s.y(a * m.per_second), s.x(b) - s.x(a)) * 180 / Math.PI;
    words.append(svg("text", { class: "halo", transform: `translate(${s.x(at)},${s.y(at * m.per_second) - 6}) rotate(${angle})` },
      narrow ? m.name : `${m.name}, ${si(m.per_second, "B/s")}`));
  });
  const main = r.memory[r.memory.length - 1].per_second;
  // named where they begin, to the left of which there are no points; from the lowest up, so that names do not meet
  let taken = Infinity;
  for (const c of r.compute.slice(1).filter((c) => c.per_second != null).sort((a, b) => a.per_second - b.per_second)) {
    const start = Math.max(low, c.per_second / r.memory[0].per_second), x = s.x(start);
    lines.append(svg("path", { class: "class", d: path([[start, c.per_second], [high, c.per_second]]) }));
    taken = Math.min(s.y(c.per_second) + 4, taken - 14);
    const inside = x < box.left + 150;
    if (!narrow) words.append(svg("text", { class: "halo", x: inside ? Math.max(x, box.left + 165) : x - 6, y: inside ? taken - 8 : taken, "text-anchor": inside ? "start" : "end" }, c.name));
  }
  if (mixed != null) {
    const knee = mixed / main;
    lines.append(svg("path", { class: "roof", d: path(knee > low ? [[low, low * main], [knee, mixed], [high, mixed]] : [[low, mixed], [high, mixed]]) }));
    words.append(svg("text", { class: "strong halo", x: right - 6, y: Math.max(box.top + 12, s.y(top) - 34), "text-anchor": "end" },
      narrow ? `roof: ${si(mixed, "op/s")}` : `roof of ${r.compute[0].name}: ${si(mixed, "op/s")}`));
    if (device.overlap < 1) {
      const at = (x) => { const c = 1 / mixed, m = 1 / (x * main); return 1 / (Math.max(c, m) + (1 - device.overlap) * Math.min(c, m)); };
      lines.append(svg("path", { class: "attained", d: path(Array.from({ length: 61 }, (_, i) => low * (high / low) ** (i / 60)).map((x) => [x, at(x)])) }));
    }
  }
  chart.append(lines);
  return words;
}

function rooflinePoints(chart, r, box, s) {
  const largest = Math.min(46, box.width / 16), bottom = box.height - box.bottom;
  let still = 0;
  const dots = r.points.map((p, i) => {
    const share = p.total_s * p.count / r.time.total_s;
    const moved = p.ops === 0 ? still++ : 0;
    const cx = p.ops > 0 ? s.x(p.intensity) : box.left + 13;
    const cy = p.ops > 0 ? s.y(p.ops / p.total_s) : bottom - 10 - (moved + 0.5) * Math.min(16, (bottom - box.top - 20) / s.moves);
    return svg("circle", { class: "dot", cx: cx.toFixed(1), cy: cy.toFixed(1), r: Math.max(2.2, 2 * largest * Math.sqrt(share)).toFixed(1),
      fill: colour(p.name), "data-i": i });
  });
  chart.append(svg("g", { class: "points" }, ...dots));
  let on = null;
  const show = (i, x, y) => {
    if (on != null) dots[on].classList.remove("on");
    on = i;
    if (i == null) { hideTip(); return; }
    const p = r.points[i], all = p.total_s * p.count;
    dots[i].classList.add("on");
    showTip(p.name, pathOf(r, p), [["calls", count(p.count)], ["time of all", `${seconds(all)}, ${percent(all / r.time.total_s)}`], ["time a call", seconds(p.total_s)],
      ["arithmetic", seconds(p.compute_s)], ["traffic", seconds(p.memory_s)], ["starting", seconds(p.launch_s)], ["operations a call", si(p.ops, "op")],
      ["bytes a call", si(p.bytes, "B")], ["keys among them", si(p.key_bytes, "B")], ["op/byte", digits(p.intensity)],
      ["reached", p.ops ? si(p.ops / p.total_s, "op/s") : "no arithmetic"], ["it is", boundBy(p)]], x, y);
  };
  const showAt = (i) => { const at = dots[i].getBoundingClientRect(); show(i, at.right, at.bottom); };
  chart.addEventListener("pointermove", (e) => {
    const i = e.target.getAttribute && e.target.getAttribute("data-i");
    if (i != null) show(+i, e.clientX, e.clientY); else if (on != null) show(null);
  });
  chart.addEventListener("pointerleave", () => show(null));
  chart.addEventListener("blur", () => show(null));
  chart.addEventListener("keydown", (e) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
    if (!step) return;
    e.preventDefault();
    showAt(on == null ? 0 : (on + step + dots.length) % dots.length);
  });
}

function rooflineLegend(r, device) {
  const share = (key) => r.points.filter((p) => groupOf.get(p.name) === key).reduce((sum, p) => sum + p.total_s * p.count, 0) / r.time.total_s;
  const kinds = GROUPS.map(([key, label]) => [key, label, share(key)]).filter(([, , part]) => part > 0);
  const line = (look, text) => el("li", {}, el("i", { class: `stroke ${look}` }), text);
  const limited = r.compute[0].per_second != null;
  return el("ul", { class: "legend" },
    ...kinds.map(([key, label, part]) => el("li", {}, el("i", { style: `background:var(--${key})` }), `${label}, ${percent(part)} of the time`)),
    line("", "roof: main memory and arithmetic"), r.memory.length > 1 ? line("thin", "memory nearer by") : null,
    limited ? line("dotted", "arithmetic of one class") : null,
    limited && device.overlap < 1 ? line("dashed", `the same, with ${percent(device.overlap)} of arithmetic and traffic at the same time, as on this device`) : null);
}

function rooflineCaption(r, device) {
  const limited = r.compute[0].per_second != null;
  return `${count(r.points.length)} points, each the calls of one shape in one step; their areas are shares of the time, small ones drawn larger than they are. `
    + (limited ? "" : `On ${device.name} arithmetic takes no time, so that there is no ceiling. `)
    + "Points below a roof start operations, or do not overlap arithmetic and traffic; points above it find operands in a cache, or are of work that is faster than the mix."
    + (r.points.some((p) => p.ops === 0) ? " On the left: what moves data and computes nothing; its height means nothing." : "");
}
