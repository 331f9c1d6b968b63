// What a page uses. Each object here stands for one in a Web Worker of its own.

import { unpacked } from "./errors.js";

export { RingjetError, ServiceError } from "./errors.js";

/** A worker, and the calls that wait for its answers. */
class Remote {
  constructor() {
    this.worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    this.waiting = new Map();
    this.next = 1;
    this.worker.onmessage = ({ data }) => this.receive(data);
    this.worker.onerror = (event) => this.close(event.message ?? "the worker did not start");
  }

  static async open(...args) {
    const remote = new Remote();
    try {
      return [remote, await remote.call("open", args)];
    } catch (error) {
      remote.close();
      throw error;
    }
  }

  receive({ id, result, error, progress }) {
    const { done, failed, show } = this.waiting.get(id) ?? {};
    if (progress) return show?.(...progress);
    this.waiting.delete(id);
    if (!error) return done?.(result);
    failed?.(unpacked(error));
    // the memory of a program that failed inside is in no known state
    if (error.broken) this.close(`the worker failed: ${error.message}`);
  }

  call(method, args, show) {
    if (!this.worker) return Promise.reject(new Error("this is closed"));
    return new Promise((done, failed) => {
      const id = this.next++;
      this.waiting.set(id, { done, failed, show });
      this.worker.postMessage({ id, method, args });
    });
  }

  close(why = "this is closed") {
    this.worker?.terminate();
    this.worker = null;
    for (const { failed } of this.waiting.values()) failed(new Error(why));
    this.waiting.clear();
  }
}

/** Encrypts for the holder of a public key. It cannot decrypt. */
export class Encryptor {
  #remote;

  static async create(publicKey, options) {
    const [remote, described] = await Remote.open("encryptor", publicKey, options);
    return new Encryptor(remote, described);
  }

  constructor(remote, { keyId, params }) {
    this.#remote = remote;
    this.keyId = keyId;
    this.params = params;
  }

  encrypt(values, options) {
    return this.#remote.call("encrypt", [values, options]);
  }

  close() {
    this.#remote.close();
  }
}

/** Stands for the holder of a secret key, which stays in its worker and ends with it. */
export class Client {
  #remote;

  static async create(params, options) {
    const [remote, described] = await Remote.open("client", params, options);
    return new Client(remote, described);
  }

  constructor(remote, { keyId, params }) {
    this.#remote = remote;
    this.keyId = keyId;
    this.params = params;
  }

  encrypt(values, options) {
    return this.#remote.call("encrypt", [values, options]);
  }

  decrypt(ciphertext, options) {
    return this.#remote.call("decrypt", [ciphertext, options]);
  }

  evaluationKeys(keys = {}, progress) {
    return this.#remote.call("evaluationKeys", [keys], progress);
  }

  publicKey() {
    return this.#remote.call("publicKey", []);
  }

  close() {
    this.#remote.close();
  }
}

/** Stands for a client of one program. Its secret key stays in its worker and ends with it. */
export class ProgramClient {
  #remote;

  static async create(program, options) {
    const [remote, described] = await Remote.open("program", program, options);
    return new ProgramClient(remote, described);
  }

  constructor(remote, { keyId, params, inputs, outputs, keys }) {
    this.#remote = remote;
    this.keyId = keyId;
    this.params = params;
    this.inputs = inputs;
    this.outputs = outputs;
    this.keys = keys;
  }

  encrypt(name, values, options) {
    return this.#remote.call("encrypt", [name, values, options]);
  }

  decrypt(name, ciphertext, options) {
    return this.#remote.call("decrypt", [name, ciphertext, options]);
  }

  decryptAll(ciphertexts, options) {
    return this.#remote.call("decryptAll", [ciphertexts, options]);
  }

  evaluationKeys(progress) {
    return this.#remote.call("evaluationKeys", [], progress);
  }

  publicKey() {
    return this.#remote.call("publicKey", []);
  }

  close() {
    this.#remote.close();
  }
}

/** Stands for a client of one compiled model. Its secret key stays in its worker and ends with it. */
export class ModelClient {
  #remote;

  static async create(model, options) {
    const [remote, described] = await Remote.open("model", model, options);
    return new ModelClient(remote, described);
  }

  constructor(remote, { keyId, params, fingerprint, shape, names, ranges, classes }) {
    this.#remote = remote;
    this.keyId = keyId;
    this.params = params;
    this.fingerprint = fingerprint;
    this.shape = shape;
    this.names = names;
    this.ranges = ranges;
    this.classes = classes;
  }

  keys(progress) {
    return this.#remote.call("keys", [], progress);
  }

  encrypt(samples) {
    return this.#remote.call("encrypt", [samples]);
  }

  decrypt(scores, options) {
    return this.#remote.call("decrypt", [scores, options]);
  }

  close() {
    this.#remote.close();
  }
}

const isOptions = (x) => Object.prototype.toString.call(x) === "[object Object]";

/** Calls the programs of a service. Its secret keys stay in its worker and end with it. */
export class ServiceClient {
  #remote;

  constructor(remote, { config }) {
    this.#remote = remote;
    this.config = config;
  }

  get programs() {
    return this.config.programs.map((program) => program.name);
  }

  call(name, ...vectors) {
    const { progress, ...options } = isOptions(vectors.at(-1)) ? vectors.pop() : {};
    return this.#remote.call("call", [name, vectors, options], progress);
  }

  predict(name, samples, { progress, ...options } = {}) {
    return this.#remote.call("predict", [name, samples, options], progress);
  }

  prepare(name, { progress } = {}) {
    return this.#remote.call("prepare", [name], progress);
  }

  keyId(name) {
    return this.#remote.call("keyId", [name]);
  }

  forget(name) {
    return this.#remote.call("forget", [name]);
  }

  close() {
    this.#remote.close();
  }
}

/** A client of the service at `url`. */
export async function connect(url, token, options) {
  const [remote, described] = await Remote.open("service", url, token, options);
  return new ServiceClient(remote, described);
}

/** The presets of the library. */
export async function presets() {
  const [remote, described] = await Remote.open("library");
  remote.close();
  return described.presets;
}
