// A headless browser for tests. It only needs Node.js and Chromium, and talks to the browser through
// two pipes, in the DevTools protocol.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--remote-debugging-pipe"];

export class Browser {
  constructor(program) {
    this.profile = mkdtempSync(join(tmpdir(), "ringjet-browser-"));
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

// An open page, with all errors that it reported and all requests that it made. `file`: a file, or
// an address of http. `token`: the password that the browser sends with every request.
export class Page {
  static async open(browser, file, { width, height = 900, dark = false, token }) {
    const { targetId } = await browser.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await browser.send("Target.attachToTarget", { targetId, flatten: true });
    const page = Object.assign(new this(), { browser, sessionId, complaints: [], requests: [] });
    const loaded = new Promise((done) => browser.listeners.push((m) => {
      if (m.sessionId !== sessionId) return;
      if (m.method === "Page.loadEventFired") done();
      if (m.method === "Network.requestWillBeSent") page.requests.push(m.params.request.url);
      if (["Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled"].includes(m.method)) page.complaints.push(JSON.stringify(m.params));
    }));
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await page.send(`${domain}.enable`);
    await page.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    await page.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
    if (token) {
      const headers = { Authorization: `Basic ${Buffer.from(`token:${token}`).toString("base64")}` };
      await page.send("Network.setExtraHTTPHeaders", { headers });
    }
    page.address = /^https?:/.test(file) ? file : pathToFileURL(resolve(file)).href;
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
  async screenshot(folder, name) {
    if (!folder) return;
    const { cssContentSize: size } = await this.send("Page.getLayoutMetrics");
    const clip = { x: 0, y: 0, width: size.width, height: size.height, scale: 1 };
    const { data } = await this.send("Page.captureScreenshot", { captureBeyondViewport: true, clip });
    writeFileSync(join(folder, `${name}.png`), Buffer.from(data, "base64"));
  }
  // Asserts that there were no errors, and that the page fits the window.
  async fine() {
    assert.deepEqual(this.complaints, []);
    assert.equal(await this.run(() => document.documentElement.scrollWidth <= innerWidth), true, "the page is wider than the window");
  }
}

