// Writes the bytes of keys and ciphertexts from fixed seeds, so that a test can compare them with those
// of another build.
//
//   node bytes.mjs < CASES     CASES: a list of {params, seed, steps} in JSON; params is text, and steps are [method, ...arguments]
import { readFileSync } from "node:fs";
import { Client, Parameters, initSync } from "../wasm/ringjet_wasm.js";

initSync({ module: readFileSync(new URL("../wasm/ringjet_wasm_bg.wasm", import.meta.url)) });

const hexadecimal = (bytes) => Buffer.from(bytes).toString("hex");
const call = (client, [method, given, options]) => {
  if (method === "encryptNumbers")
    return client[method](Float64Array.from(given), JSON.stringify(options));
  if (method === "encryptIntegers")
    return client[method](BigInt64Array.from(given.map(BigInt)), JSON.stringify(options));
  if (method === "evaluationKeys") return client[method](JSON.stringify(given));
  if (method === "decrypt")
    return new Uint8Array(client[method](Buffer.from(given, "hex"), "{}").buffer);
  return client[method]();
};
const all = JSON.parse(readFileSync(0, "utf8")).map(({ params, seed, steps }) => {
  const client = new Client(
    Parameters.fromJson(params, true),
    Uint8Array.from(Buffer.from(seed, "hex")),
  );
  return { keyId: client.keyId, bytes: steps.map((step) => hexadecimal(call(client, step))) };
});
console.log(JSON.stringify(all));
