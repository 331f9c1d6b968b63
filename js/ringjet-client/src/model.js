// Models that `ringjet.ml.compile` of Python made for encrypted samples: the client's part.

import { RingjetError } from "./errors.js";
import { LocalClient, argument, modelParameters } from "./local.js";
import { isKnown, packing } from "./packing.js";
import { features, isPacking, isShape, listed, sent } from "./samples.js";
import { isHead, result } from "./scores.js";

const FILE = "the text of client.json, which Model.save writes";
const FORMAT = "ringjet model 3";
/** What begins the bytes that the parties send each other. */
const SAMPLES = "RJsamples";
const SCORES = "RJscores\0";
/** How far outside the range of calibration a score may lie, in multiples of that range. */
const SLACK = 5;

/** The holder of a secret key for one model. */
export class LocalModel {
  static methods = ["keys", "encrypt", "decrypt"];

  /** @param text what client.json of a model's folder contains */
  static open(text, allowInsecure = false) {
    const model = read(text);
    return new LocalModel(model, new LocalClient(modelParameters(text, allowInsecure)));
  }

  /** @param model the members of client.json. @param client has its parameters */
  constructor(model, client) {
    this.model = checked(model);
    this.client = client;
    this.packing = packing(model.packing, client.params.slots);
  }

  describe() {
    const { fingerprint, shape, features: names, head, packing } = this.model;
    const { centre, half } = packing;
    const ranges = centre?.map((middle, k) => [middle - half[k], middle + half[k]]) ?? null;
    const { classes } = head;
    return { ...this.client.describe(), fingerprint, shape, names, ranges, classes };
  }

  /** The keys that a server needs, in bytes. */
  keys(progress) {
    return this.client.evaluationKeys(this.model.keys, progress);
  }

  /** The bytes of encrypted samples. Refuses features outside the ranges that the model accepts. */
  encrypt(samples) {
    return this.wrapped(this.packing.encrypt(this.client, this.normal(samples)));
  }

  /** The class or value of each sample, from what a server returned. */
  decrypt(data, { check = true, ...others } = {}) {
    const [unknown] = Object.keys(others);
    if (unknown) throw argument("options", unknown, "check alone");
    return this.results(this.packing.decrypt(this.client, this.unwrapped(data)), check);
  }

  /** The numbers that are sent of each sample. */
  normal(samples) {
    const { shape, packing } = this.model;
    return listed(samples, shape).map((sample, i) => sent(packing, sample, `samples[${i}]`));
  }

  /** What the scores that a server returned say of each sample. */
  results(returned, check) {
    const { shift, unit } = this.model.scores;
    if (returned[0].length !== shift.length)
      throw argument("data", `${returned[0].length} scores a sample`, `${shift.length}`);
    const scores = returned.map((row) => row.map((x, k) => x * unit[k] + shift[k]));
    if (check && this.model.has_activations) this.expectPlausible(scores);
    return scores.map((row) => result(this.model.head, row));
  }

  /** Refuses scores that no sample like those of calibration has. */
  expectPlausible(scores) {
    const { low, high } = this.model.scores;
    const isFar = (x, k) => {
      const slack = SLACK * Math.max(high[k] - low[k], 1e-300);
      return x < low[k] - slack || x > high[k] + slack;
    };
    const samples = [...scores.keys()].filter((i) => scores[i].some(isFar));
    if (samples.length)
      throw new RingjetError(
        "PredictionWarning",
        `${samples.length} of ${scores.length} samples have scores far outside the range of ` +
          "calibration: their results may be wrong (check: false returns them)",
        { samples },
      );
  }

  /** Encrypted samples with the name of the model. */
  wrapped(data) {
    const front = [...new TextEncoder().encode(SAMPLES), ...named(this.model)];
    const out = new Uint8Array(front.length + data.length);
    out.set(front);
    out.set(data, front.length);
    return out;
  }

  /** Encrypted scores without the name of the model. Refuses those of another one. */
  unwrapped(data) {
    if (!(data instanceof Uint8Array)) throw argument("data", typeof data, "a Uint8Array");
    const [start, name] = [new TextEncoder().encode(SCORES), named(this.model)];
    if (start.some((byte, i) => data[i] !== byte))
      throw malformed("no encrypted scores of a compiled model");
    if (name.some((byte, i) => data[start.length + i] !== byte))
      throw malformed(
        "encrypted scores of another model, or of one that was compiled again: load its file anew",
      );
    return data.subarray(start.length + name.length);
  }
}

const malformed = (reason) => new RingjetError("MalformedError", reason, {});

/** The bytes of the name of a model. */
const named = ({ fingerprint }) => fingerprint.match(/../g).map((digits) => parseInt(digits, 16));

/** The members of the text of a model's file. */
function read(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw argument("model", error.message, FILE);
  }
}

/** The members of a model's file, if they fit together. */
function checked(model) {
  if (model?.format !== FORMAT) throw argument("model", `the format ${model?.format}`, FILE);
  const { kind } = model.packing ?? {};
  if (typeof kind === "string" && !isKnown(kind))
    throw argument("model", `samples packed as ${kind}`, "columns, slots or trees");
  const count = model.scores?.low?.length;
  const is = {
    fingerprint: (x) => typeof x === "string" && /^[0-9a-f]{32}$/.test(x),
    packing: (x) => isObject(x) && isPacking(x),
    scores: (x) => isObject(x) && isScores(x, count),
    head: (x) => isHead(x, count),
    keys: isObject,
    shape: (x) => isShape(x, features(model.packing)),
    features: (x) => x === null || (Array.isArray(x) && x.length === features(model.packing)),
    has_activations: (x) => typeof x === "boolean",
  };
  for (const [member, check] of Object.entries(is))
    if (!check(model[member])) throw argument("model", `a wrong ${member}`, FILE);
  return model;
}

const isObject = (x) => x !== null && typeof x === "object" && !Array.isArray(x);

/** Whether these are the numbers of so many scores. */
const isScores = (scores, count) =>
  count > 0 &&
  ["shift", "unit", "low", "high"].every((name) => {
    const list = scores[name];
    return Array.isArray(list) && list.length === count && list.every(Number.isFinite);
  }) &&
  scores.unit.every((x) => x > 0);
