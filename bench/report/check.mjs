// Opens reports of `ringjet model report` in a headless browser and checks what a reader sees.
//
//   node check.mjs BROWSER PAGE PAGE-WITH-SEARCH [FOLDER FOR SCREENSHOTS]
import assert from "node:assert/strict";
import { Browser, Page as AnyPage } from "../../js/devtools.mjs";

class Page extends AnyPage {
  data() { return this.run(() => JSON.parse(document.getElementById("data").textContent)); }
  tip() { return this.run(() => { const t = document.getElementById("tip"); return t.hidden ? null : t.textContent; }); }
  // Asserts that there were no errors and no requests but for the file, and that the page fits the
  // window.
  async fine() {
    await super.fine();
    assert.deepEqual(this.requests, [this.address]);
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
