// A client of a program, for tests: encrypts its inputs, and decrypts what somebody else computed.
//
//   node program.mjs < COMMANDS     a line of JSON each: [method, ...arguments]
//
// The first line is the program, as `Program.client_json` writes it. Bytes are hexadecimal. Writes a line
// of JSON for each command: {result} or {error}.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { packed } from "../src/errors.js";
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

let program;
for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    const [method, ...args] = JSON.parse(line, given);
    if (method === "open") program = new LocalProgram(...args);
    answer = { result: method === "open" ? program.describe() : program[method](...args) };
  } catch (error) {
    answer = { error: packed(error) };
  }
  console.log(JSON.stringify(answer, shown));
}
