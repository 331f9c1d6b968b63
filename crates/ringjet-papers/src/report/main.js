// The choice of program and device, the overview, and drawing all of it.
const state = { program: 0, device: 0 };
const run = () => data.runs.find((r) => r.program === state.program && r.device === state.device);

function overview() {
  const runs = data.runs.filter((r) => r.program === state.program);
  const program = data.programs[state.program];
  const longest = Math.max(...runs.map((r) => r.time.total_s));
  const numbers = (r) => {
    const d = data.devices[r.device];
    return [d.name, seconds(r.time.total_s), r.compute[0].per_second == null ? "\u2013" : seconds(r.time.compute_s), seconds(r.time.memory_s), seconds(r.time.launch_s),
      si(r.ops / r.time.total_s, "op/s"), si(r.bytes, "B"), digits(r.ops / r.bytes), r.energy_joules == null ? "\u2013" : si(r.energy_joules, "J"),
      program.peak_bytes <= d.capacity_bytes ? "yes" : `no: ${si(d.capacity_bytes, "B")}`];
  };
  const head = ["device", "time", "arithmetic", "traffic", "starting", "reached", "read, written", "op/byte", "energy", "memory is enough",
    el("th", { class: "wide text" }, "time")];
  const made = table(head, runs.map((r) => [...numbers(r),
    el("td", { class: "wide" }, el("span", { class: "meter", style: `width:${Math.max(0.3, 100 * r.time.total_s / longest)}%` }))]));
  runs.forEach((r, i) => made.tBodies[0].rows[i].classList.toggle("on", r.device === state.device));
  $("#overview .body").replaceChildren(
    el("p", { class: "quiet" }, `${program.name}: ${program.summary}. Buffers, keys and matrices take ${si(program.peak_bytes, "B")} at most.`),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Times on every device" }, made));
}

function summary() {
  const r = run(), d = data.devices[r.device];
  $("#summary").textContent = `${data.programs[r.program].name} on ${d.name} (${d.kind}, ${d.units} units): ${seconds(r.time.total_s)}, `
    + `${si(r.ops, "op")}, ${si(r.bytes, "B")} read and written, ${digits(r.ops / r.bytes)} operations a byte.`;
}

function draw() {
  hideTip();
  summary();
  overview();
  drawRoofline();
  drawFlame();
}

$("#choice").append(
  selector("program", "Program", data.programs.map((p, i) => [i, p.name]), 0, (v) => { state.program = +v; draw(); }),
  selector("device", "Device", data.devices.map((d, i) => [i, d.name]), 0, (v) => { state.device = +v; draw(); }));
$("#footer").append(el("p", {}, `ringjet ${data.version}. Made by `, el("code", {}, data.command), ". GB are 10\u2079 bytes; an operation is one addition "
  + "or multiplication modulo a prime below 2\u2075\u2070."));
draw();
drawWaterfalls();
drawSearch();

let wide = innerWidth, waiting = 0;
addEventListener("resize", () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => { if (innerWidth !== wide) { wide = innerWidth; draw(); drawSearch(); } }, 120);
});
addEventListener("keydown", (e) => { if (e.key === "Escape") hideTip(); });
