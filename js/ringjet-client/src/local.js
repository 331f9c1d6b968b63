// The holders of keys, in the worker: the compiled library with options as objects.

import * as wasm from "../wasm/ringjet_wasm.js";
import { RingjetError } from "./errors.js";

/**
 * Parameters from the name of a preset, or from text in the form that services publish. Objects are
 * refused: a prime above 2^53 is no number of JavaScript.
 */
export function parameters(given, allowInsecure = false) {
  if (typeof given !== "string")
    throw argument("params", typeof given, "the name of a preset, or parameters as JSON text");
  return given.trimStart().startsWith("{")
    ? wasm.Parameters.fromJson(given, allowInsecure)
    : wasm.Parameters.preset(given);
}

/** The parameters with this fingerprint in the text that a service publishes of itself. */
export const published = (config, fingerprint, allowInsecure) =>
  wasm.Parameters.fromConfig(config, fingerprint, allowInsecure);

/** The parameters in the text of a compiled model's client.json. */
export const modelParameters = (text, allowInsecure) =>
  wasm.Parameters.fromModel(text, allowInsecure);

/** What a page may know of parameters. */
export function described(params) {
  const { fingerprint, scheme, logN, slots, depth, exact } = params;
  return { fingerprint, scheme, logN, slots, depth, exact, json: params.toJson() };
}

/** The refusal of an argument. */
export function argument(name, value, expected) {
  return new RingjetError("ArgumentError", `${name} = ${value}: expected ${expected}`, {
    name,
    value,
    expected,
  });
}

/** Values as a list; a single value is a list of one. */
export const listed = (values) =>
  Array.isArray(values) || ArrayBuffer.isView(values) ? Array.from(values) : [values];

/** Encrypts with a key of the library; exact schemes take integers. */
function encrypt(key, exact, values, options = {}) {
  const all = listed(values);
  if (exact) {
    const integers = all.map((x, i) => {
      if (typeof x !== "bigint" && !Number.isSafeInteger(x))
        throw argument(`values[${i}]`, x, "an integer, or a BigInt");
      if (BigInt.asIntN(64, BigInt(x)) !== BigInt(x))
        throw argument(`values[${i}]`, x, "an integer of 64 bits with sign");
      return BigInt(x);
    });
    return key.encryptIntegers(BigInt64Array.from(integers), JSON.stringify(options));
  }
  const wrong = all.findIndex((x) => typeof x !== "number");
  if (wrong >= 0) throw argument(`values[${wrong}]`, String(all[wrong]), "a number");
  return key.encryptNumbers(Float64Array.from(all), JSON.stringify(options));
}

/** Holds a secret key. */
export class LocalClient {
  static methods = ["encrypt", "decrypt", "evaluationKeys", "publicKey"];

  constructor(params) {
    this.key = new wasm.Client(params);
    this.params = described(params);
  }

  describe() {
    return { keyId: this.key.keyId, params: this.params };
  }

  encrypt(values, options) {
    return encrypt(this.key, this.params.exact, values, options);
  }

  decrypt(ciphertext, options = {}) {
    return this.key.decrypt(ciphertext, JSON.stringify(options));
  }

  evaluationKeys(keys = {}, progress) {
    return this.key.evaluationKeys(JSON.stringify(keys), progress);
  }

  publicKey() {
    return this.key.publicKey();
  }
}

/** Holds a public key. */
export class LocalEncryptor {
  static methods = ["encrypt"];

  constructor(publicKey, allowInsecure = false) {
    this.key = new wasm.Encryptor(publicKey, allowInsecure);
    this.params = described(this.key.params);
  }

  describe() {
    return { keyId: this.key.keyId, params: this.params };
  }

  encrypt(values, options) {
    return encrypt(this.key, this.params.exact, values, options);
  }
}
