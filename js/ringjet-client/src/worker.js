// The Web Worker: it holds one client, encryptor or service client, and answers the page's calls, one
// after the other. No call returns the secret key.

import init from "../wasm/ringjet_wasm.js";
import { presetNames } from "../wasm/ringjet_wasm.js";
import { packed } from "./errors.js";
import { LocalClient, LocalEncryptor, described, parameters } from "./local.js";
import { LocalModel } from "./model.js";
import { LocalProgram } from "./program.js";
import { LocalService } from "./service.js";

const OPEN = {
  client: (params, { allowInsecure } = {}) => new LocalClient(parameters(params, allowInsecure)),
  encryptor: (publicKey, { allowInsecure } = {}) => new LocalEncryptor(publicKey, allowInsecure),
  program: (text, { allowInsecure } = {}) => new LocalProgram(text, allowInsecure),
  model: (text, { allowInsecure } = {}) => LocalModel.open(text, allowInsecure),
  service: (url, token, options) => LocalService.open(url, token, options),
  library: () => ({
    describe: () => ({
      presets: presetNames().map((name) => ({ name, ...described(parameters(name)) })),
    }),
  }),
};

let target;

async function answer(method, args, progress) {
  if (method === "open") {
    const [kind, ...rest] = args;
    await init();
    target = await OPEN[kind](...rest);
    return target.describe();
  }
  if (!target?.constructor.methods?.includes(method))
    throw new TypeError(`there is no method ${method}`);
  return target[method](...args, progress);
}

/** The memory of a result, which moves to the page instead of being copied. */
function buffers(result) {
  if (ArrayBuffer.isView(result)) return [result.buffer];
  return result && typeof result === "object" ? Object.values(result).flatMap(buffers) : [];
}

let last = Promise.resolve();
self.onmessage = ({ data: { id, method, args } }) => {
  last = last.then(async () => {
    try {
      const result = await answer(method, args, (...progress) =>
        self.postMessage({ id, progress }),
      );
      self.postMessage({ id, result }, buffers(result));
    } catch (error) {
      self.postMessage({ id, error: packed(error) });
    }
  });
};
