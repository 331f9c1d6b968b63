// How samples of a compiled model become ciphertexts, and what a server returns becomes scores.
// python/ringjet/ml/models/_packing.py has the same.

import { argument } from "./local.js";
import { COLUMNS, ROWS, malformed, read, written } from "./matrix.js";
import { bounds, count } from "./samples.js";

/** The least power of two that is at least n. */
const powerOfTwo = (n) => 2 ** (32 - Math.clz32(n - 1));

/** A ciphertext for each feature, with the samples in its slots. */
class Columns {
  constructor({ centre, level }, slots) {
    [this.features, this.level, this.slots] = [centre.length, level, slots];
  }

  /** The ciphertexts of samples, each the numbers that are sent of it. */
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
 * Samples side by side in a ciphertext: with b samples in one, slot k of a sample is slot k * b and
 * the slots that follow it, one for each sample.
 */
class Slots {
  /**
   * own: the slots of a sample. together: how many samples a ciphertext has; they repeat in all its
   * slots. places, results: where numbers and scores lie in the slots of a sample.
   */
  constructor({ own, together, places, results, level, magnitude }, slots) {
    Object.assign(this, { own, places, results, slots, options: { level, magnitude } });
    // the slots of a sample repeat with this period
    this.period = powerOfTwo(places.at(-1) + 1);
    this.together = together;
    const whole = own * together;
    if (
      !Number.isInteger(together) ||
      together < 1 ||
      own !== powerOfTwo(own) ||
      whole !== powerOfTwo(whole) ||
      whole > slots ||
      this.period > own ||
      results.some((slot) => slot >= own)
    )
      throw argument("model", `samples with ${own} slots`, `slots for their numbers, of ${slots}`);
  }

  static ofNetwork({ shape, slots: own, together, level, results }, slots) {
    return new Slots({ own, together, places: places(shape), results, level, magnitude: 1 }, slots);
  }

  static ofTrees(stored, slots) {
    const { region: own, scores, level } = stored;
    const [places, results] = [count(stored), scores].map((n) => [...Array(n).keys()]);
    return new Slots(
      { own, together: slots / own, places, results, level, magnitude: bounds(stored) },
      slots,
    );
  }

  encrypted(client, samples) {
    const made = [];
    for (let start = 0; start < samples.length; start += this.together)
      made.push(client.encrypt(this.vector(samples, start), this.options));
    return made;
  }

  /** The slots of a ciphertext with the samples from `start` on. The last one fills what is left. */
  vector(samples, start) {
    const vector = new Float64Array(this.slots);
    for (let b = 0; b < this.together; b++) {
      const sample = samples[Math.min(start + b, samples.length - 1)];
      this.places.forEach((place, k) => {
        for (let slot = place; slot < this.own; slot += this.period)
          vector[slot * this.together + b] = sample[k];
      });
    }
    const whole = this.own * this.together;
    for (let k = whole; k < this.slots; k += whole) vector.copyWithin(k, 0, whole);
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

/** The slot of each number of a sample. Tensors have a plane for each channel. */
function places(shape) {
  const size = shape.reduce((all, n) => all * n, 1);
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

const KINDS = {
  columns: (stored, slots) => new Columns(stored, slots),
  slots: Slots.ofNetwork,
  trees: Slots.ofTrees,
};

/** The packing of a model's file, for ciphertexts with `slots` slots. */
export const packing = (stored, slots) => KINDS[stored.kind](stored, slots);

/** Whether a packing of this kind can be read. */
export const isKnown = (kind) => Object.hasOwn(KINDS, kind);
