// Opens reports of `ringjet model report` in a headless browser and checks what a reader sees.
//
//   node check.mjs BROWSER PAGE PAGE-WITH-SEARCH [FOLDER FOR SCREENSHOTS]
//
// It only needs Node.js and Chromium, and talks to the browser through two pipes, in the DevTools
// protocol.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--remote-debugging-pipe"];

class Browser {
  constructor(program) {
    this.profile = mkdtempSync(join(tmpdir(), "ringjet-report-"));
    this.process = spawn(program, [...FLAGS, `--user-data-dir=${this.profile}`, "about:blank"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    [this.next, this.waiting, this.listeners, this.rest] = [1, new Map(), [], []];
    this.process.stdio[4].on("data", (bytes) => this.receive(bytes));
  }
  receive(bytes) {
    for (let end; (end = bytes.indexOf(0)) >= 0; bytes = bytes.subarray(end + 1)) {
      const message = JSON.parse(Buffer.concat([...this.rest, bytes.subarray(0, end)]));
      this.rest = [];
      if (!message.id) { this.listeners.forEach((f) => f(message)); continue; }
      const [done, failed] = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.error) failed(new Error(message.error.message)); else done(message.result);
    }
    if (bytes.length) this.rest.push(bytes);
  }
  send(method, params = {}, sessionId) {
    const id = this.next++;
    this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    return new Promise((done, failed) => this.waiting.set(id, [done, failed]));
  }
  async close() {
    const ended = new Promise((done) => this.process.on("exit", done));
    await this.send("Browser.close");
    await ended;
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

// An open page, with all errors that it reported and all requests that it made.
class Page {
  static async open(browser, file, { width, height = 900, dark = false }) {
    const { targetId } = await browser.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await browser.send("Target.attachToTarget", { targetId, flatten: true });
    const page = Object.assign(new Page(), { browser, sessionId, complaints: [], requests: [] });
    const loaded = new Promise((done) => browser.listeners.push((m) => {
      if (m.sessionId !== sessionId) return;
      if (m.method === "Page.loadEventFired") done();
      if (m.method === "Network.requestWillBeSent") page.requests.push(m.params.request.url);
      if (["Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled"].includes(m.method)) page.complaints.push(JSON.stringify(m.params));
    }));
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await page.send(`${domain}.enable`);
    await page.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    await page.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
    page.address = pathToFileURL(resolve(file)).href;
    await page.send("Page.navigate", { url: page.address });
    await loaded;
    return page;
  }
  send(method, params) { return this.browser.send(method, params, this.sessionId); }
  async run(f, ...args) {
    const expression = `(${f})(...${JSON.stringify(args)})`;
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
    assert.equal(exceptionDetails, undefined, `${f}: ${JSON.stringify(exceptionDetails)}`);
    return result.value;
  }
  // Scrolls an element into view and returns the position of its centre in the window.
  place(selector) {
    return this.run(async (s) => {
      const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      await drawn(); // waits until opened elements have their final size
      const node = document.querySelector(s);
      node.scrollIntoView({ block: "center" });
      await drawn();
      const b = node.getBoundingClientRect();
      return { x: b.x + b.width / 2, y: b.y + b.height / 2 };
    }, selector);
  }
  async hover(selector) { await this.send("Input.dispatchMouseEvent", { type: "mouseMoved", ...await this.place(selector) }); }
  async click(selector) {
    const at = { ...await this.place(selector), button: "left", clickCount: 1 };
    await this.send("Input.dispatchMouseEvent", { type: "mousePressed", ...at });
    await this.send("Input.dispatchMouseEvent", { type: "mouseReleased", ...at });
  }
  async key(key) {
    for (const type of ["keyDown", "keyUp"]) await this.send("Input.dispatchKeyEvent", { type, key, code: key });
  }
  choose(selector, value) {
    return this.run((s, v) => {
      const list = document.querySelector(s);
      list.value = v;
      list.dispatchEvent(new Event("change", { bubbles: true }));
    }, selector, String(value));
  }
  text(selector) { return this.run((s) => document.querySelector(s)?.textContent, selector); }
  count(selector) { return this.run((s) => document.querySelectorAll(s).length, selector); }
  data() { return this.run(() => JSON.parse(document.getElementById("data").textContent)); }
  tip() { return this.run(() => { const t = document.getElementById("tip"); return t.hidden ? null : t.textContent; }); }
  async screenshot(folder, name) {
    if (!folder) return;
    const { cssContentSize: size } = await this.send("Page.getLayoutMetrics");
    const clip = { x: 0, y: 0, width: size.width, height: size.height, scale: 1 };
    const { data } = await this.send("Page.captureScreenshot", { captureBeyondViewport: true, clip });
    writeFileSync(join(folder, `${name}.png`), Buffer.from(data, "base64"));
  }
  // Asserts that there were no errors and no requests but for the file, and that the page fits the
  // window.
  async fine() {
    assert.deepEqual(this.complaints, []);
    assert.deepEqual(this.requests, [this.address]);
    assert.equal(await this.run(() => document.documentElement.scrollWidth <= innerWidth), true, "the page is wider than the window");
  }
}

async function rooflines(page, data) {
  for (const r of data.runs) {
    await page.choose("#program", r.program);
    await page.choose("#device", r.device);
    const name = data.devices[r.device].name;
    assert.equal(await page.count("#roofline circle.dot"), r.points.length, `points on ${name}`);
    assert.ok((await page.text("#summary")).includes(`${data.programs[r.program].name} on ${name} `));
    const outside = await page.run(() => [...document.querySelectorAll("#roofline circle.dot")].filter((c) => {
      const box = c.ownerSVGElement.viewBox.baseVal, [x, y] = [+c.getAttribute("cx"), +c.getAttribute("cy")];
      return !(x >= 0 && x <= box.width && y >= 0 && y <= box.height && +c.getAttribute("r") > 0);
    }).length);
    assert.equal(outside, 0, `points outside the chart on ${name}`);
  }
  await page.choose("#program", 0);
  await page.choose("#device", 0);
  assert.equal(await page.tip(), null);
  const last = data.runs[0].points.length - 1, run = data.runs[0];
  await page.hover(`#roofline circle[data-i="${last}"]`); // the last point is drawn last, so nothing covers it
  const tip = await page.tip();
  const expected = [run.points[last].name, data.programs[0].steps[run.points[last].step].join(" \u203a "), "time of all", "op/byte"];
  expected.forEach((part) => assert.ok(tip?.includes(part), `${part} in ${tip}`));
  assert.match(tip, /(compute|memory|start)-bound/);
  await page.hover("h1");
  assert.equal(await page.tip(), null, "the tooltip goes with the pointer");
  await page.run(() => document.querySelector("#roofline svg").focus());
  await page.key("ArrowRight");
  assert.ok((await page.tip()).startsWith(run.points[0].name), "arrow keys begin with the longest");
  await page.run(() => { document.querySelector("[data-table=roofline]").open = true; });
}

async function flames(page, data) {
  const boxes = await page.count(".flame button"), tree = data.runs[0].tree;
  assert.ok(boxes > 20, `${boxes} boxes`);
  const child = '.flame button[data-depth="2"]';
  const name = await page.text(child);
  await page.hover(child);
  const tip = await page.tip();
  assert.ok(tip?.startsWith(name), `${name} in ${tip}`);
  await page.click(child);
  assert.equal(await page.text('.flame button[data-depth="0"]'), name, "a box that was pressed is looked at alone");
  assert.equal(await page.count(".crumbs button"), 3);
  await page.choose("#metric", "key_bytes");
  assert.equal(await page.text('.flame button[data-depth="0"]'), name);
  await page.choose("#metric", "seconds");
  await page.click(".crumbs button");
  assert.equal(await page.text('.flame button[data-depth="0"]'), tree.name);
  assert.equal(await page.count(".flame button"), boxes, "back at the whole");
  await page.run(() => document.querySelector('.flame button[data-depth="0"]').focus());
  await page.key("ArrowDown");
  await page.key("Enter");
  await page.run(() => document.activeElement.click()); // a key event of a script does not press a button, so click
  assert.equal(await page.count(".crumbs button"), 2, "by keys as well");
  await page.click(".crumbs button");
}

async function tables(page, data) {
  await page.run(() => document.querySelectorAll("details").forEach((d) => { d.open = true; }));
  await page.place("#footer"); // waits until everything is drawn
  const rows = (id) => page.count(`[data-table="${id}"] tbody tr`);
  assert.equal(await rows("roofline"), data.runs[0].points.length);
  for (const [i, w] of data.waterfalls.entries()) assert.equal(await rows(`waterfall-${i}`), w.bars.length);
  const nodes = (n) => 1 + (n.children ?? []).reduce((sum, c) => sum + nodes(c), 0);
  assert.equal(await rows("flame"), nodes(data.runs[0].tree));
  assert.equal(await page.count("#overview tbody tr"), data.devices.length);
  assert.equal(await page.count(".bars .track"), data.waterfalls.reduce((sum, w) => sum + w.bars.length, 0));
}

async function searches(page, data) {
  assert.equal(await page.count("#search circle.dot"), data.search.length);
  await page.choose("#search-x", "log_n");
  await page.run(() => document.querySelector("#search-logY").click());
  assert.equal(await page.count("#search circle.dot"), data.search.length);
  await page.hover("#search circle.dot:last-child");
  assert.match(await page.tip(), /log N/);
}

const [program, file, withSearch, folder] = process.argv.slice(2);
const browser = new Browser(program);
try {
  const page = await Page.open(browser, file, { width: 1280 });
  const data = await page.data();
  await page.screenshot(folder, "light");
  await rooflines(page, data);
  await page.screenshot(folder, "hover");
  await flames(page, data);
  await tables(page, data);
  assert.match(await page.text("#search"), /ringjet params search --json/);
  await page.fine();

  const narrow = await Page.open(browser, file, { width: 400 });
  await narrow.screenshot(folder, "narrow");
  await narrow.fine();

  const dark = await Page.open(browser, withSearch, { width: 1280, dark: true });
  await dark.choose("#device", data.devices.length - 1);
  await dark.screenshot(folder, "dark");
  await searches(dark, await dark.data());
  await dark.fine();
  console.log(`${file}: ${data.runs.length} rooflines, ${data.runs[0].points.length} points in the first; fine in light, dark and at 400 pixels`);
} finally {
  await browser.close();
}
