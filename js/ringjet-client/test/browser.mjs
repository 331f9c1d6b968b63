// Uses the package and the example page in a headless browser, with a service that runs. Prints what
// it found as JSON.
//
//   node browser.mjs BROWSER ROOT SERVICE TOKEN PROGRAM [FOLDER FOR SCREENSHOTS]
//
// ROOT: an address under which the repository's files are. PROGRAM: a file that `Program.client_json`
// wrote, of a program that returns its input x as `same`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Browser, Page } from "../../devtools.mjs";

const [chromium, root, service, token, file, folder] = process.argv.slice(2);

// In the page: calls programs, and measures.
async function programs(source, service, token) {
  const { connect } = await import(source);
  const timed = async (work) => {
    const start = performance.now();
    return [await work(), performance.now() - start];
  };
  const [client, connecting] = await timed(() => connect(service, token));
  const x = Array.from({ length: 4096 }, (_, i) => Math.sin(i)),
    y = x.map((_, i) => Math.cos(3 * i));
  const plus = await client.call("plus", x, y); // needs no keys
  const shown = [];
  const [first, prepared] = await timed(() =>
    client.call("dot", x, y, { progress: (what) => shown.push(what) }),
  );
  const [dot, again] = await timed(() => client.call("dot", x, y));
  const product = await client.call("product", x, y);
  const total = await client.call("total", [1n, -2n, 3n]);
  const far = (found, expected) =>
    Math.max(...expected.map((value, i) => Math.abs(found[i] - value)));
  const sum = x.reduce((all, value, i) => all + value * y[i], 0);
  const error = async (work) => {
    try {
      await work();
    } catch ({ name, fields, status, kind }) {
      return { name, fields, status, kind };
    }
    return null;
  };
  const errors = {
    magnitude: await error(() => client.call("dot", [2], [1])),
    count: await error(() => client.call("dot", [1])),
    whole: await error(() => client.call("variance", [1])),
    name: await error(() => client.call("nothing", [1])),
    token: await error(() => connect(service, "rj_wrong")),
    unsafe: await error(() => client.call("total", [0.5])),
  };
  const keyId = await client.keyId("dot");
  await client.forget("dot");
  const after = await client.call("product", x, y); // makes and sends the keys again
  client.close();
  return {
    dot: Math.abs(dot[0] - sum),
    first: Math.abs(first[0] - sum),
    plus: far(
      plus,
      x.map((v, i) => v + y[i]),
    ),
    product: far(
      product,
      x.map((v, i) => v * y[i]),
    ),
    after: far(
      after,
      x.map((v, i) => v * y[i]),
    ),
    total: String(total[0]),
    errors,
    keyId,
    shown: [...new Set(shown)],
    milliseconds: { connecting, prepared, again },
  };
}

// In the page: a client without a service.
async function alone(source, name) {
  const { Client, Encryptor, presets } = await import(source);
  const times = {};
  const timed = async (what, work) => {
    const start = performance.now();
    const made = await work();
    times[what] = performance.now() - start;
    return made;
  };
  const known = (await presets()).map((preset) => preset.name);
  const client = await timed("client", () => Client.create(name));
  const values = Array.from({ length: client.params.slots }, (_, i) => Math.sin(i));
  await client.encrypt(values); // makes the tables
  const ciphertext = await timed("encrypt", () => client.encrypt(values));
  const found = await timed("decrypt", () => client.decrypt(ciphertext));
  const keys = await timed("relinearization", () => client.evaluationKeys());
  const rotations = await timed("rotations", () =>
    client.evaluationKeys({ relinearization: false, rotations: [1, 2, 4, 8] }),
  );
  const publicKey = await timed("publicKey", () => client.publicKey());
  const encryptor = await Encryptor.create(publicKey);
  const other = await client.decrypt(await encryptor.encrypt([0.5, -0.25]));
  const interval = await encryptor.encrypt([4], { magnitude: [0.2, 5] });
  const padded = await client.decrypt(interval, { allSlots: true });
  const complex = await client.decrypt(await client.encrypt([0.5, -0.25], { complex: true }), {
    complex: true,
  });
  const secrets = Object.getOwnPropertyNames(client.constructor.prototype).filter((n) =>
    /secret|export|seed|save/i.test(n),
  );
  const misspelt = await client.encrypt([1], { levle: 1 }).then(
    () => null,
    (e) => e.name,
  );
  client.close();
  encryptor.close();
  const closed = await client.publicKey().then(
    () => null,
    (e) => e.message,
  );
  return {
    error: Math.max(...values.map((v, i) => Math.abs(found[i] - v))),
    other: Array.from(other),
    padded: Array.from(padded.slice(0, 2)),
    complex: Array.from(complex.slice(0, 2)),
    known: known.includes(name),
    same: encryptor.keyId === client.keyId,
    secrets,
    misspelt,
    closed,
    milliseconds: times,
    bytes: {
      ciphertext: ciphertext.length,
      relinearization: keys.length,
      rotations: rotations.length,
      publicKey: publicKey.length,
    },
  };
}

// In the page: a client of a program, from what a client needs of it.
async function program(source, text) {
  const { ProgramClient } = await import(source);
  const client = await ProgramClient.create(text);
  const ciphertext = await client.encrypt("x", [0.5, -0.25]);
  const refused = await client.encrypt("x", [0.5, 3]).then(
    () => null,
    ({ name, fields }) => ({ name, fields }),
  );
  const shown = [];
  const keys = await client.evaluationKeys((done, total) => shown.push([done, total]));
  const result = {
    outputs: client.outputs,
    all: Array.from((await client.decryptAll([ciphertext])).same),
    one: Array.from(await client.decrypt("['same']", ciphertext)),
    keys: keys.length,
    publicKey: (await client.publicKey()).length,
    shown,
    refused,
  };
  client.close();
  return result;
}

// Uses the example as a reader does.
async function example(width, name) {
  const page = await Page.open(browser, `${root}/examples/browser/index.html`, { width });
  await page.run(
    (url, token) => {
      document.getElementById("url").value = url;
      document.getElementById("token").value = token;
    },
    service,
    token,
  );
  await page.screenshot(folder, `${name}-before`);
  await page.click("button");
  await page.run(async () => {
    const end = performance.now() + 60000;
    while (
      !/^Done$/.test(document.getElementById("status").textContent) &&
      document.getElementById("error").hidden &&
      performance.now() < end
    )
      await new Promise((done) => setTimeout(done, 50));
  });
  assert.equal(
    await page.run(() => document.getElementById("error").hidden),
    true,
    await page.text("#error"),
  );
  await page.screenshot(folder, name);
  await page.fine();
  assert.deepEqual(
    page.requests.filter((url) => ![root, service, "data:"].some((start) => url.startsWith(start))),
    [],
  );
  return {
    found: Number(await page.text("#found")),
    expected: Number(await page.text("#expected")),
  };
}

// The status page of the service.
async function status(width, name) {
  const page = await Page.open(browser, `${service}/`, { width, token });
  await page.screenshot(folder, name);
  await page.fine();
  return page.text("body");
}

const browser = new Browser(chromium);
try {
  const page = await Page.open(browser, `${root}/examples/browser/index.html`, { width: 1280 });
  const source = `${root}/js/ringjet-client/src/index.js`;
  const found = { alone: {} };
  for (const name of ["n13-depth2", "n14-depth6"])
    found.alone[name] = await page.run(alone, source, name);
  found.program = await page.run(program, source, readFileSync(file, "utf8"));
  await page.fine();
  found.programs = await page.run(programs, source, service, token);
  found.example = [await example(1280, "example-desktop"), await example(390, "example-phone")];
  found.status = [await status(1280, "status-desktop"), await status(390, "status-phone")];
  console.log(JSON.stringify(found));
} finally {
  await browser.close();
}
