// Scores samples in a headless browser, by a service that runs. Prints what it found as JSON.
//
//   node model.mjs BROWSER ROOT SERVICE TOKEN MODEL SAMPLES
//
// ROOT: an address under which the repository's files are. MODEL: the client.json of the service's model
// "digits". SAMPLES: a file with samples for each model of the service, by its name, in JSON.
import { readFileSync } from "node:fs";
import { Browser, Page } from "../../devtools.mjs";

const [chromium, root, service, token, model, samples] = process.argv.slice(2);

// In the page: calls the model of a service.
async function called(source, service, token, samples) {
  const { connect } = await import(source);
  const client = await connect(service, token);
  const error = (work) =>
    work.then(
      () => null,
      ({ name, message }) => ({ name, message }),
    );
  const found = {
    one: await client.predict("digits", samples.digits.slice(0, 1)),
    three: await client.predict("digits", samples.digits.slice(0, 3), { timeout: 60 }),
    many: await client.predict("digits", samples.digits),
    columns: await client.predict("columns", samples.columns),
    trees: await client.predict("trees", samples.trees),
    outside: await error(client.predict("digits", [[0, 0, -3, ...Array(61).fill(0)]])),
    noModel: await error(client.predict("double", samples.digits)),
  };
  client.close();
  return found;
}

// In the page: a client of the model without a service.
async function alone(source, text, samples) {
  const { ModelClient } = await import(source);
  const milliseconds = {};
  const timed = async (what, work) => {
    const start = performance.now();
    const made = await work();
    milliseconds[what] = performance.now() - start;
    return made;
  };
  const error = (work) =>
    work.then(
      () => null,
      ({ name, message }) => ({ name, message }),
    );
  const client = await timed("client", () => ModelClient.create(text));
  const keys = await timed("keys", () => client.keys());
  const sent = await timed("encrypt", () => client.encrypt(samples.digits.slice(0, 1)));
  const result = {
    milliseconds,
    bytes: { keys: keys.length, sent: sent.length },
    classes: client.classes,
    range: client.ranges[0],
    outside: await error(client.encrypt([[0, 0, -3, ...Array(61).fill(0)]])),
    // samples are no scores
    other: await error(client.decrypt(sent)),
  };
  client.close();
  return result;
}

const browser = new Browser(chromium);
try {
  const page = await Page.open(browser, `${root}/examples/browser/index.html`, { width: 1280 });
  const source = `${root}/js/ringjet-client/src/index.js`;
  const all = JSON.parse(readFileSync(samples, "utf8"));
  const found = await page.run(called, source, service, token, all);
  found.alone = await page.run(alone, source, readFileSync(model, "utf8"), all);
  await page.fine();
  console.log(JSON.stringify(found));
} finally {
  await browser.close();
}
