// How samples of a compiled model become ciphertexts, and what a server returns becomes scores.
// python/ringjet/ml/models/_packing.py has the same.

import { argument } from "./local.js";
import { COLUMNS, ROWS, malformed, read, written } from "./matrix.js";

/** The least power of two that is at least n. */
const powerOfTwo = (n) => 2 ** (32 - Math.clz32(n - 1));
const product = (shape) => shape.reduce((all, n) => all * n, 1);

/** A ciphertext for each feature, with the samples in its slots. */
class Columns {
  constructor({ centre, level }, slots) {
    [this.features, this.level, this.slots] = [centre.length, level, slots];
  }

  /** The ciphertexts of samples, whose numbers are between -1 and 1. */
  encrypted(client, samples) {
    const made = [];
    for (let start = 0; start < samples.length; start += this.slots) {
      const part = samples.slice(start, start + this.slots);
      for (let k = 0; k < this.features; k++) {
        const column = new Float64Array(this.slots);
        part.forEach((sample, i) => (column[i] = sample[k]));
        made.push(client.encrypt(column, { level: this.level, magnitude: 1 }));
      }
    }
    return made;
  }

  /** The scores of each of `count` samples, in ciphertexts that a server returned. */
  scores(client, ciphertexts, count) {
    const columns = decrypted(client, ciphertexts, this.slots);
    const scores = columns.length / Math.ceil(count / this.slots);
    return Array.from({ length: count }, (_, i) => {
      const first = Math.floor(i / this.slots) * scores;
      return columns.slice(first, first + scores).map((column) => column[i % this.slots]);
    });
  }

  /** The bytes of samples for a server. */
  encrypt(client, samples) {
    const shape = [samples.length, this.features];
    return written(COLUMNS, this.slots, shape, this.encrypted(client, samples));
  }

  /** The scores of each sample, in bytes that a server returned. */
  decrypt(client, data) {
    const { shape, ciphertexts } = read(data, COLUMNS, this.slots);
    return this.scores(client, ciphertexts, shape[0]);
  }
}

/** The length of the number of samples, before the bytes of ciphertexts. */
const COUNT = 8;

/**
 * Samples side by side in a ciphertext: with b samples in one, slot k of a sample is slot k * b and the
 * slots that follow it, one for each sample.
 */
class Slots {
  constructor({ shape, slots: own, level, results }, slots) {
    [this.own, this.level, this.results, this.slots] = [own, level, results, slots];
    this.places = places(shape);
    // the slots of a sample repeat with this period
    this.period = powerOfTwo(this.places.at(-1) + 1);
    this.together = slots / own;
    if (
      own !== powerOfTwo(own) ||
      own > slots ||
      this.period > own ||
      results.some((slot) => slot >= own)
    )
      throw argument("model", `samples with ${own} slots`, `slots for their numbers, of ${slots}`);
  }

  encrypted(client, samples) {
    const options = { level: this.level, magnitude: 1 };
    const made = [];
    for (let start = 0; start < samples.length; start += this.together)
      made.push(client.encrypt(this.vector(samples, start), options));
    return made;
  }

  /** The slots of a ciphertext with the samples from number `start` on. The last one fills what is left over. */
  vector(samples, start) {
    const vector = new Float64Array(this.slots);
    for (let b = 0; b < this.together; b++) {
      const sample = samples[Math.min(start + b, samples.length - 1)];
      this.places.forEach((place, k) => {
        for (let slot = place; slot < this.own; slot += this.period)
          vector[slot * this.together + b] = sample[k];
      });
    }
    return vector;
  }

  scores(client, ciphertexts, count) {
    const rows = decrypted(client, ciphertexts, this.slots);
    return Array.from({ length: count }, (_, i) => {
      const row = rows[Math.floor(i / this.together)];
      return this.results.map((slot) => row[slot * this.together + (i % this.together)]);
    });
  }

  encrypt(client, samples) {
    const made = this.encrypted(client, samples);
    const matrix = written(ROWS, this.slots, [made.length, this.slots], made);
    const out = new Uint8Array(COUNT + matrix.length);
    new DataView(out.buffer).setBigUint64(0, BigInt(samples.length), true);
    out.set(matrix, COUNT);
    return out;
  }

  decrypt(client, data) {
    if (data.length < COUNT) throw malformed("truncated", data.length, "scores");
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    const count = Number(view.getBigUint64(0, true));
    const { shape, ciphertexts } = read(data.subarray(COUNT), ROWS, this.slots);
    if (Math.ceil(count / this.together) !== shape[0] || shape[1] !== this.slots)
      throw malformed(`${count} samples in ${shape[0]} x ${shape[1]} slots`, 0, "scores");
    return this.scores(client, ciphertexts, count);
  }
}

/** The slot of each number of a sample. A tensor (channels, height, width) has a plane for each channel. */
function places(shape) {
  const size = product(shape);
  const plane = shape.length === 3 ? shape[1] * shape[2] : size;
  const apart = powerOfTwo(plane);
  return Array.from({ length: size }, (_, k) => Math.floor(k / plane) * apart + (k % plane));
}

/** The values in all slots of each ciphertext. */
function decrypted(client, ciphertexts, slots) {
  return ciphertexts.map((part) => {
    const values = client.decrypt(part, { allSlots: true });
    if (values.length !== slots)
      throw malformed(`a ciphertext with ${values.length} slots in a matrix of ${slots}`, 0);
    return values;
  });
}

const KINDS = { columns: Columns, slots: Slots };

/** The packing of a model's file, for ciphertexts with `slots` slots. */
export const packing = (stored, slots) => new KINDS[stored.kind](stored, slots);

const isList = (x, check) => Array.isArray(x) && x.length > 0 && x.every(check);
const isCount = (x) => Number.isInteger(x) && x >= 1 && x <= 1 << 24;
const isSlot = (x) => Number.isInteger(x) && x >= 0 && x <= 1 << 24;

/** Whether a packing of this kind can be read. Models of trees have another one. */
export const isKnown = (kind) => Object.hasOwn(KINDS, kind);

/** Whether the members of a packing fit together. */
export function isPacking({ kind, centre, half, level, shape, slots, results }) {
  const ranges =
    isList(centre, Number.isFinite) &&
    isList(half, (x) => Number.isFinite(x) && x > 0) &&
    centre.length === half.length &&
    (level === null || isSlot(level));
  if (kind === "columns") return ranges;
  return (
    ranges &&
    isList(shape, isCount) &&
    product(shape) === centre.length &&
    isCount(slots) &&
    isList(results, isSlot)
  );
}
