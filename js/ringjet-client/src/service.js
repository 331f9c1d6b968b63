// The client of a service, in the worker. It does what `ringjet.connect` does in Python.

import { RingjetError, ServiceError } from "./errors.js";
import { pack, unpack } from "./frames.js";
import { LocalClient, argument, published } from "./local.js";
import { LocalModel } from "./model.js";
import { encryptInput, filled } from "./program.js";
import { Transport, broke, parsed, pause } from "./transport.js";

const PART = 4 << 20;
const OCTETS = { "Content-Type": "application/octet-stream" };
/** How often an upload goes on after a failure. */
const UPLOADS = 8;

const hexadecimal = (bytes) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const newKey = () => hexadecimal(crypto.getRandomValues(new Uint8Array(16)));

export class LocalService {
  static methods = ["prepare", "call", "predict", "keyId", "forget"];

  static async open(url, token, { timeout = 60, allowInsecure = false } = {}) {
    const transport = new Transport(url, token, timeout);
    const { body } = await transport.request("GET", "/v1/config");
    return new LocalService(transport, allowInsecure, new TextDecoder().decode(body));
  }

  constructor(transport, allowInsecure, text) {
    this.transport = transport;
    this.allowInsecure = allowInsecure;
    this.text = text;
    this.config = JSON.parse(text);
    this.clients = new Map();
    /** The keys that the service is known to have, by key identity. */
    this.sent = new Map();
  }

  describe() {
    return { config: this.config };
  }

  /** Encrypts the vectors, calls a program with them, and decrypts its results. */
  async call(name, vectors, { complex = false, timeout = Infinity } = {}, progress = () => {}) {
    const program = this.program(name);
    const found = await this.answered(program, this.encrypted(program, vectors), timeout, progress);
    const client = this.client(program);
    return filled(program.result, (i) => client.decrypt(found[i], { complex }));
  }

  /** The classes or values that a model gives for samples. It is called as often as the samples take. */
  async predict(
    name,
    samples,
    { check = true, timeout = Infinity, ...others } = {},
    progress = () => {},
  ) {
    const program = this.program(name);
    if (!program.model) throw argument("name", name, "a model: call calls other programs");
    const [unknown] = Object.keys(others);
    if (unknown) throw argument("options", unknown, "check, timeout or progress");
    const { client: document, samples: together } = program.model;
    if (!(Number.isInteger(together) && together >= 1))
      throw wrong(`${together} samples in a call`);
    const model = new LocalModel(document, this.client(program));
    const normal = model.normal(samples);
    const scores = [];
    for (let start = 0; start < normal.length; start += together) {
      const part = normal.slice(start, start + together);
      const made = model.packing.encrypted(model.client, part);
      if (made.length !== program.inputs.length)
        throw wrong(`the model takes ${program.inputs.length} ciphertexts, not ${made.length}`);
      const frames = program.inputs.map((input, i) => [input.name, made[i]]);
      const found = await this.answered(program, frames, timeout, progress);
      scores.push(...model.packing.scores(model.client, found, part.length));
    }
    return model.results(scores, check);
  }

  /** Calls a program with ciphertexts, in pairs with their names. Returns the ciphertexts of its results. */
  async answered(program, frames, timeout, progress) {
    const { name } = program;
    await this.prepare(name, progress);
    const body = pack(frames);
    let results;
    try {
      results = await this.called(name, body, timeout, progress);
    } catch (error) {
      if (error.kind !== "missing-keys") throw error;
      // the keys expired, or somebody removed them
      this.sent.delete(this.client(program).describe().keyId);
      await this.prepare(name, progress);
      results = await this.called(name, body, timeout, progress);
    }
    return this.results(program, results);
  }

  /** Makes the keys that a program needs and sends them, unless the service has them. Returns the key identity. */
  async prepare(name, progress = () => {}) {
    const program = this.program(name);
    const client = this.client(program);
    const { keyId } = client.describe();
    const have = this.sent.get(keyId) ?? (await this.state(keyId));
    const wanted = union(have ?? {}, program.keys);
    // a program without keys, too, needs the key identity to be known
    if (have === null || JSON.stringify(wanted) !== JSON.stringify(union(have, {}))) {
      const keys = client.evaluationKeys(wanted, (done, total) => progress("keys", done, total));
      await this.upload(keyId, keys, progress);
    }
    this.sent.set(keyId, wanted);
    return keyId;
  }

  /** The identity of the key for a program. A token can be bound to it. */
  keyId(name) {
    return this.client(this.program(name)).describe().keyId;
  }

  /** Removes the evaluation keys of a program from the service. */
  async forget(name) {
    const keyId = this.keyId(name);
    await this.transport.request("DELETE", `/v1/keys/${keyId}`);
    this.sent.delete(keyId);
  }

  program(name) {
    const found = this.config.programs.find((program) => program.name === name);
    if (found) return found;
    const known = this.config.programs.map((program) => program.name).join(", ");
    throw new RingjetError("ArgumentError", `name = ${name}: expected one of ${known}`, {
      name: "name",
      value: name,
    });
  }

  /** The holder of the secret key for the parameters of a program. */
  client({ parameters: fingerprint }) {
    if (!this.clients.has(fingerprint)) {
      this.clients.set(
        fingerprint,
        new LocalClient(published(this.text, fingerprint, this.allowInsecure)),
      );
    }
    return this.clients.get(fingerprint);
  }

  // ---- keys ----

  /** The keys that the service has, or null if it does not know the key identity. */
  async state(keyId) {
    try {
      return (await this.transport.json(`/v1/keys/${keyId}`)).keys ?? {};
    } catch (error) {
      if (error.status === 404) return null;
      throw error;
    }
  }

  /** Sends keys in parts. After a broken connection it asks what has come, and goes on from there. */
  async upload(keyId, data, progress) {
    if (!crypto.subtle)
      throw new RingjetError(
        "InsecureContextError",
        "keys are sent only from pages of https or of this machine",
      );
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
    const headers = {
      ...OCTETS,
      "Repr-Digest": `sha-256=:${btoa(String.fromCharCode(...digest))}:`,
    };
    const path = `/v1/keys/${keyId}`;
    for (let start = 0, failures = 0; start !== null && start < data.length;) {
      const part = data.subarray(start, start + PART);
      const range = `bytes ${start}-${start + part.length - 1}/${data.length}`;
      try {
        const request = {
          body: part,
          headers: { ...headers, "Content-Range": range },
          repeat: false,
        };
        await this.transport.request("PUT", path, request);
        start += part.length;
        progress("upload", start, data.length);
      } catch (error) {
        const broken = broke(error) || ["conflict", "incomplete", "slow"].includes(error.kind);
        if (!broken || ++failures > UPLOADS) throw error;
        await pause(Math.min(0.05 * 2 ** failures, 5));
        start = await this.resumed(path, hexadecimal(digest), data.length, headers);
      }
    }
  }

  /** How much of an upload the service has; null if the keys are complete. */
  async resumed(path, sha256, total, headers) {
    let state;
    try {
      state = await this.transport.json(path);
    } catch (error) {
      if (error.status === 404) return 0;
      throw error;
    }
    if (state.sha256 === sha256 && !state.upload) return null;
    const received = state.upload?.sha256 === sha256 ? state.upload.received : 0;
    if (received !== total) return received;
    // all bytes are there, but nobody verified them yet
    await this.transport.request("PUT", path, {
      body: new Uint8Array(),
      headers: { ...headers, "Content-Range": `bytes */${total}` },
    });
    return null;
  }

  // ---- calls ----

  encrypted(program, vectors) {
    const { inputs, name } = program;
    if (vectors.length !== inputs.length) {
      const names = inputs.map((input) => input.name).join(", ");
      const text = `${name} takes ${inputs.length} inputs (${names}), and ${vectors.length} were given`;
      throw new RingjetError("ArgumentError", text, { name: "vectors", value: vectors.length });
    }
    return inputs.map((input, i) => [input.name, this.encrypt(program, input, vectors[i])]);
  }

  encrypt(program, input, values) {
    const { unit, level } = input;
    const left = { level: unit === "level" ? level : null, log_q: unit === "log_q" ? level : null };
    return encryptInput(
      this.client(program),
      program.name,
      { ...input, ...left, public_key: false },
      values,
    );
  }

  /** Sends a call, and waits for the frames of its results. */
  async called(name, body, timeout, progress) {
    const end = performance.now() + 1000 * timeout;
    const wait = Math.min(this.config.limits.max_wait_seconds, 2, timeout);
    // with the key, a repeated request finds the first one's job: nothing is computed twice
    const headers = { ...OCTETS, "Idempotency-Key": newKey() };
    const answer = await this.transport.request("POST", `/v1/programs/${name}?wait=${wait}`, {
      body,
      headers,
      extra: wait,
    });
    if (answer.status === 200) return answer.body;
    let job = parsed(answer.body);
    for (
      let seconds = 0.05;
      job.state === "queued" || job.state === "running";
      seconds = Math.min(1.5 * seconds, 1)
    ) {
      if (performance.now() > end) {
        await this.transport.request("DELETE", `/v1/jobs/${job.id}`);
        throw new ServiceError(
          `${name} is ${job.state} after ${timeout} s; it was cancelled`,
          0,
          "timeout",
          job,
        );
      }
      await pause(seconds);
      job = await this.transport.json(`/v1/jobs/${job.id}`);
      progress(name, ...(job.progress ?? [0, 100]));
    }
    return (await this.transport.request("GET", `/v1/jobs/${job.id}/result`)).body;
  }

  /** The ciphertexts in the body of an answer. */
  results(program, body) {
    const found = unpack(body);
    if (found.length !== program.outputs.length)
      throw wrong(`${found.length} results, and ${program.name} returns ${program.outputs.length}`);
    return found.map(([, content]) => content);
  }
}

/** The error for an answer of a service that contradicts itself. */
const wrong = (text) => new ServiceError(text, 0, "results", {});

const SINGLE = ["conjugation", "relinearization"];

/** The highest level that each key of a request serves; infinity: all levels. */
function served(request) {
  const names = [
    ...(request.rotations ?? []).map(String),
    ...SINGLE.filter((name) => request[name]),
  ];
  return { ...Object.fromEntries(names.map((name) => [name, Infinity])), ...request.levels };
}

/** Both sets of keys together, in one order of names and rotations. */
function union(have, wanted) {
  const both = served(have);
  for (const [name, level] of Object.entries(served(wanted))) {
    both[name] = Math.max(level, both[name] ?? -1);
  }
  const names = Object.keys(both).sort();
  const ascending = (numbers) => [...new Set(numbers)].sort((a, b) => a - b);
  return {
    rotations: ascending(names.filter((name) => !SINGLE.includes(name)).map(Number)),
    bootstrapping: ascending([...(have.bootstrapping ?? []), ...(wanted.bootstrapping ?? [])]),
    ...Object.fromEntries(SINGLE.map((name) => [name, name in both])),
    levels: Object.fromEntries(
      names.filter((name) => both[name] < Infinity).map((name) => [name, both[name]]),
    ),
  };
}
