// A client of a program or of a compiled model, for tests: encrypts inputs, and decrypts what somebody else
// computed.
//
//   node program.mjs < COMMANDS     a line of JSON each: [method, ...arguments]
//
// The first line is ["open", TEXT, ...] with what `Program.client_json` writes, or ["openModel", TEXT, ...]
// with a model's client.json. Bytes are hexadecimal. Writes a line of JSON for each command: {result} or {error}.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { packed } from "../src/errors.js";
import { LocalModel } from "../src/model.js";
import { LocalProgram } from "../src/program.js";
import { initSync } from "../wasm/ringjet_wasm.js";

initSync({ module: readFileSync(new URL("../wasm/ringjet_wasm_bg.wasm", import.meta.url)) });

const BYTES = "hex:";
const given = (_, x) =>
  typeof x === "string" && x.startsWith(BYTES) ? Buffer.from(x.slice(BYTES.length), "hex") : x;
const shown = (_, x) => {
  if (x instanceof Uint8Array) return BYTES + Buffer.from(x).toString("hex");
  if (x instanceof BigInt64Array) return Array.from(x, Number);
  return x instanceof Float64Array ? Array.from(x) : x;
};

const OPEN = {
  open: (...args) => new LocalProgram(...args),
  openModel: LocalModel.open,
};

let target;
for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    const [method, ...args] = JSON.parse(line, given);
    const open = OPEN[method];
    if (open) target = open(...args);
    answer = { result: open ? target.describe() : target[method](...args) };
  } catch (error) {
    answer = { error: packed(error) };
  }
  console.log(JSON.stringify(answer, shown));
}
