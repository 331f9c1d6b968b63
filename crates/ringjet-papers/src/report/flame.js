// The tree of steps as rows of boxes: each as wide as its share of time, operations, bytes or keys.
const METRICS = { seconds: ["time", seconds], ops: ["operations", (x) => si(x, "op")], bytes: ["bytes", (x) => si(x, "B")], key_bytes: ["bytes of keys", (x) => si(x, "B")] };
const flame = { metric: "seconds", names: [] };

function flamePath(tree) {
  // the tree's order differs between devices, so that what is looked at is found by names
  const path = [tree];
  for (const name of flame.names) {
    const next = (path[path.length - 1].children || []).find((c) => c.name === name);
    if (!next) break;
    path.push(next);
  }
  flame.names = path.slice(1).map((node) => node.name);
  return path;
}

function drawFlame(focus) {
  const r = run(), host = $("#flame .body"), path = flamePath(r.tree), root = path[path.length - 1];
  const [label, shown] = METRICS[flame.metric];
  const boxes = el("div", { class: "flame", role: "group", "aria-label": `Steps of ${data.programs[r.program].name} by ${label}` });
  const used = host.clientWidth || 600;
  let deepest = 0;
  const place = (node, names, left, width, depth) => {
    if (width * used < 1.2) return;
    deepest = Math.max(deepest, depth);
    boxes.append(flameBox(r, node, names, left, width, depth, used));
    let at = left;
    for (const child of node.children || []) {
      const part = node[flame.metric] ? width * child[flame.metric] / node[flame.metric] : 0;
      place(child, [...names, child.name], at, part, depth + 1);
      at += part;
    }
  };
  const empty = root[flame.metric] === 0;
  if (!empty) place(root, flame.names, 0, 1, 0);
  boxes.style.height = `${(deepest + 1) * 26}px`;
  const controls = el("div", { class: "controls" }, selector("metric", "Width of a box", Object.entries(METRICS).map(([key, [text]]) => [key, text]), flame.metric,
    (v) => { flame.metric = v; drawFlame("#metric"); }));
  const crumbs = el("nav", { class: "crumbs", "aria-label": "Where the view is" }, ...path.flatMap((node, i) => [
    i ? " \u203a " : null,
    el("button", { type: "button", disabled: i === path.length - 1, onclick: () => { flame.names = flame.names.slice(0, i); drawFlame(".flame button"); } },
      i ? node.name : data.programs[r.program].name)]), ` \u2014 ${shown(root[flame.metric])}, ${percent(root[flame.metric] / (r.tree[flame.metric] || 1))} of all`);
  host.replaceChildren(el("p", { class: "quiet" }, "Steps of the program, and below them what they are made of. Press a box to look at it alone, the names above to go back."),
    controls, crumbs, empty ? el("p", { class: "note" }, `Nothing here has any ${label}.`) : boxes, flameTable(r));
  const first = boxes.querySelector("button");
  if (first) first.tabIndex = 0;
  boxes.addEventListener("keydown", flameKeys);
  if (focus && host.querySelector(focus)) host.querySelector(focus).focus({ preventScroll: true });
}

function flameBox(r, node, names, left, width, depth, used) {
  const kind = groupOf.has(node.name), sliver = width * used < 12;
  const pairs = () => [["occurs", `${count(node.count)} \u00d7`], ...Object.entries(METRICS).map(([key, [text, format]]) =>
    [text, `${format(node[key])}, ${percent(node[key] / (r.tree[key] || 1))}`]), ["op/byte", node.bytes ? digits(node.ops / node.bytes) : "\u2013"]];
  const show = (x, y) => showTip(node.name, names.slice(0, -1).join(" \u203a ") || "Program", pairs(), x, y);
  const zoom = () => { if (depth === 0 || node.children) { flame.names = names; hideTip(); drawFlame(".flame button"); } };
  return el("button", {
    type: "button", tabindex: -1, "data-depth": depth, class: [kind ? "kind" : depth % 2 ? "odd" : "even", sliver ? "sliver" : ""].join(" "),
    style: `left:${(100 * left).toFixed(3)}%;width:${(100 * width).toFixed(3)}%;top:${depth * 26}px;${kind ? `background:${colour(node.name)}` : ""}`,
    "aria-label": `${node.name}, ${METRICS[flame.metric][1](node[flame.metric])}`,
    onclick: zoom, onpointermove: (e) => show(e.clientX, e.clientY), onpointerleave: hideTip, onblur: hideTip,
    onfocus: (e) => { if (e.target.matches(":focus-visible")) { const at = e.target.getBoundingClientRect(); show(at.left, at.bottom); } },
  }, sliver ? "" : node.name);
}

// One stop for the tabulator; arrows go on: left and right in a row, up and down between rows.
function flameKeys(e) {
  const all = [...e.currentTarget.querySelectorAll("button")], now = all.indexOf(document.activeElement);
  if (now < 0) return;
  const depth = (b) => +b.dataset.depth, left = (b) => parseFloat(b.style.left), at = all[now];
  const row = (d) => all.filter((b) => depth(b) === d);
  let next = null;
  if (e.key === "ArrowRight" || e.key === "ArrowLeft") {
    const same = row(depth(at));
    next = same[same.indexOf(at) + (e.key === "ArrowRight" ? 1 : -1)];
  } else if (e.key === "ArrowUp") {
    next = row(depth(at) - 1).filter((b) => left(b) <= left(at) + 1e-3).pop();
  } else if (e.key === "ArrowDown") {
    next = row(depth(at) + 1).find((b) => left(b) >= left(at) - 1e-3);
  } else return;
  e.preventDefault();
  if (next) { all.forEach((b) => { b.tabIndex = -1; }); next.tabIndex = 0; next.focus(); }
}

function flameTable(r) {
  const rows = [];
  const add = (node, depth) => {
    rows.push(["\u2003".repeat(depth) + node.name, count(node.count), seconds(node.seconds), percent(node.seconds / r.tree.seconds), si(node.ops, "op"),
      si(node.bytes, "B"), si(node.key_bytes, "B")]);
    (node.children || []).forEach((child) => add(child, depth + 1));
  };
  return asTable("flame", "Steps", ["step", "times", "time", "share", "operations", "bytes", "of keys"], () => { add(r.tree, 0); return rows; });
}
