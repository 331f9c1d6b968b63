// Bars of traffic: reads, writes, keys and plaintexts, one bar for each thing that is done about it.
const TRAFFIC = [["read", "read_gb", "reads"], ["write", "write_gb", "writes"], ["key", "key_gb", "reads of keys"], ["plain", "plain_gb", "reads of plaintexts"]];
const totalGb = (bar) => TRAFFIC.reduce((sum, [, field]) => sum + bar[field], 0);
const gb = (x) => `${x.toFixed(2)} GB`;

function drawWaterfalls() {
  const used = TRAFFIC.filter(([, field]) => data.waterfalls.some((w) => w.bars.some((b) => b[field] > 0)));
  const published = data.waterfalls.some((w) => w.bars.some((b) => b.published));
  $("#waterfall .body").replaceChildren(
    el("p", { class: "quiet" }, "What goes to and from main memory, step by step; each bar has everything that the ones above it have."),
    el("ul", { class: "legend" }, ...used.map(([look, , label]) => el("li", {}, el("i", { class: look }), label)),
      published ? el("li", {}, el("i", { class: "stroke paper" }), "the value that the paper prints") : null),
    ...data.waterfalls.flatMap(waterfall));
}

function waterfall(w, index) {
  const most = Math.max(...w.bars.flatMap((b) => [totalGb(b), (b.published && b.published.gb) || 0]));
  const rows = w.bars.flatMap((bar, i) => {
    const all = totalGb(bar), before = i ? totalGb(w.bars[i - 1]) : 0;
    const said = bar.published && bar.published.gb;
    const track = el("div", { class: "track" }, ...TRAFFIC.filter(([, field]) => bar[field] > 0).map(([look, field]) =>
      el("span", { class: look, style: `width:${100 * bar[field] / most}%` })), said ? el("i", { style: `left:${100 * said / most}%` }) : null);
    const show = (e) => showTip(bar.label, bar.detail, [...TRAFFIC.map(([, field, label]) => [label, gb(bar[field])]), ["together", gb(all)],
      ["operations", si(bar.gop * 1e9, "op")], ["op/byte", digits(bar.gop / all)], ...(said ? [["in the paper", gb(said)]] : [])], e.clientX, e.clientY);
    track.addEventListener("pointermove", show);
    track.addEventListener("pointerleave", hideTip);
    const change = !i ? "" : Math.abs(all / before - 1) < 5e-5 ? "(the same)" : `${all <= before ? "\u2212" : "+"}${percent(Math.abs(all / before - 1))}`;
    return [el("div", { class: "name" }, bar.label), track, el("div", { class: "value" }, `${gb(all)} ${change}`,
      el("small", {}, ` ${si(bar.gop * 1e9, "op")}, ${digits(bar.gop / all)} op/byte${said ? `; paper ${gb(said)}` : ""}`))];
  });
  const paper = w.bars.some((b) => b.published);
  return [el("h3", {}, w.title), el("p", { class: "note" }, w.note),
    el("div", { class: "bars", role: "img", "aria-label": `${w.title}: from ${gb(totalGb(w.bars[0]))} to ${gb(totalGb(w.bars[w.bars.length - 1]))}` }, ...rows),
    asTable(`waterfall-${index}`, w.title, ["", "reads", "writes", "reads of keys", "reads of plaintexts", "together", ...(paper ? ["paper"] : []), "operations",
      ...(paper ? ["paper"] : []), "op/byte", el("th", { class: "text" }, "what it is")], () => w.bars.map((b) => {
      const said = (value, format) => (paper ? [value == null ? "\u2013" : format(value)] : []), p = b.published || {};
      return [b.label, ...TRAFFIC.map(([, field]) => gb(b[field])), gb(totalGb(b)), ...said(p.gb, gb), si(b.gop * 1e9, "op"),
        ...said(p.gop, (x) => si(x * 1e9, "op")), digits(b.gop / totalGb(b)), el("td", { class: "text" }, b.detail)];
    }))];
}
