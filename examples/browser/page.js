// Calls the program `dot` of a service. Served from the root of the repository, the package is there:
import { connect } from "../../js/ringjet-client/src/index.js";

const field = (id) => document.getElementById(id);
/** The connection, which is kept: its keys are made and sent once. */
let service, address;

function numbers(id) {
  const all = field(id)
    .value.split(/[\s,;]+/)
    .filter(Boolean)
    .map(Number);
  if (!all.length || all.some(Number.isNaN))
    throw new Error(`"${field(id).value}" is not a list of numbers`);
  return all;
}

function show(what, done, total) {
  const words = { keys: "Making keys", upload: "Sending keys" }[what] ?? "Computing";
  field("status").textContent = `${words}: ${Math.round((100 * done) / total)} %`;
}

async function run() {
  const [x, y] = [numbers("x"), numbers("y")];
  const asked = JSON.stringify([field("url").value, field("token").value]);
  if (asked !== address) {
    service?.close();
    service = address = undefined;
    field("status").textContent = "Connecting";
    service = await connect(field("url").value, field("token").value || undefined);
    address = asked;
  }
  const start = performance.now();
  const sum = await service.call("dot", x, y, { progress: show });
  const seconds = (performance.now() - start) / 1000;
  field("found").textContent = sum[0].toFixed(6);
  field("expected").textContent = x
    .reduce((all, value, i) => all + value * (y[i] ?? 0), 0)
    .toFixed(6);
  field("time").textContent = `${seconds.toFixed(2)} s`;
  field("result").hidden = false;
}

field("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = event.target.querySelector("button");
  [button.disabled, field("error").hidden, field("result").hidden] = [true, true, true];
  field("status").textContent = "Encrypting";
  try {
    await run();
    field("status").textContent = "Done";
  } catch (error) {
    field("status").textContent = "";
    field("error").textContent = `${error.name}: ${error.message}`;
    field("error").hidden = false;
  } finally {
    button.disabled = false;
  }
});
