// Samples of a compiled model, and the numbers that are sent of each.

import { argument } from "./local.js";

const product = (shape) => shape.reduce((all, n) => all * n, 1);

/** Samples as lists of numbers. Refuses another shape; axes of length 1 may be missing. */
export function listed(samples, shape) {
  if (!Array.isArray(samples) || !samples.length)
    throw argument("samples", samples?.length ?? typeof samples, "an array of one or more samples");
  return samples.map((sample, i) => {
    const [found, numbers] = [shapeOf(sample, `samples[${i}]`), flat(sample)];
    const fits = String(longer(found)) === String(longer(shape));
    if (!fits && String(found) !== String(product(shape)))
      throw argument(`samples[${i}]`, `shape (${found.join(", ")})`, `shape (${shape.join(", ")})`);
    const wrong = numbers.findIndex((x) => !Number.isFinite(x));
    if (wrong >= 0)
      throw argument(`samples[${i}][${wrong}]`, String(numbers[wrong]), "a finite number");
    return numbers;
  });
}

/** The axes that are longer than 1. */
const longer = (shape) => shape.filter((n) => n !== 1);

const flat = (x) =>
  ArrayBuffer.isView(x) ? Array.from(x) : Array.isArray(x) ? x.flatMap(flat) : [x];

/** The lengths of the axes of an array of arrays. */
function shapeOf(x, name) {
  if (ArrayBuffer.isView(x)) return [x.length];
  if (!Array.isArray(x)) return [];
  const [first = [], ...others] = x.map((part) => shapeOf(part, name));
  if (others.some((shape) => String(shape) !== String(first)))
    throw argument(name, "arrays of different lengths", "arrays of one length");
  return [x.length, ...first];
}

/** The numbers that are sent of a sample, by the packing. Refuses features outside their range. */
export function sent(packing, sample, name) {
  const { kind, feature, threshold, low, high } = packing;
  if (kind !== "trees") return scaled(packing, sample, name);
  if (packing.sent === "conditions")
    return feature.map((f, k) => (sample[f] <= threshold[k] ? 1 : 0));
  if (packing.sent === "ranks") return ranks(packing, sample);
  const within = (x, least, most) => Math.min(Math.max(x, least), most);
  return feature.map((f, k) => {
    const x = within(sample[f], low[k], high[k]);
    return within((2 * x - low[k] - high[k]) / (high[k] - low[k]), -1, 1);
  });
}

/** How many thresholds of each feature lie below it, scaled so that none is -1 and all are 1. */
function ranks({ feature, threshold }, sample) {
  const found = [];
  feature.forEach((f, k) => {
    if (f !== feature[k - 1]) found.push({ below: 0, all: 0 });
    const last = found.at(-1);
    last.all++;
    if (threshold[k] < sample[f]) last.below++;
  });
  return found.map(({ below, all }) => (2 * below) / all - 1);
}

/** How many numbers are sent of a sample for trees. */
export const count = ({ sent, feature }) =>
  sent === "ranks" ? new Set(feature).size : feature.length;

/** Bounds on the numbers that are sent. */
export const bounds = ({ sent }) => (sent === "conditions" ? [0, 1] : sent ? [-1, 1] : 1);

/** The numbers of a sample, such that the range of each becomes -1 to 1. */
function scaled({ centre, half }, sample, name) {
  return sample.map((x, k) => {
    const found = (x - centre[k]) / half[k];
    if (Math.abs(found) <= 1) return found;
    const [low, high] = [centre[k] - half[k], centre[k] + half[k]].map((x) => +x.toPrecision(6));
    throw argument(`${name}[${k}]`, x, `${low} to ${high}, the accepted range by calibration`);
  });
}

const isList = (x, check) => Array.isArray(x) && x.length > 0 && x.every(check);
const isCount = (x) => Number.isInteger(x) && x >= 1 && x <= 1 << 24;
const isIndex = (x) => Number.isInteger(x) && x >= 0 && x <= 1 << 24;

/** Whether it is the shape of samples with so many features. */
export const isShape = (x, features) => isList(x, isCount) && product(x) === features;

/** Whether the members of a packing fit together. */
export function isPacking(packing) {
  const { kind, centre, half, level, shape, slots, results } = packing;
  if (level !== null && !isIndex(level)) return false;
  if (kind === "trees") return isOfTrees(packing);
  const ranges =
    isList(centre, Number.isFinite) &&
    isList(half, (x) => Number.isFinite(x) && x > 0) &&
    centre.length === half.length;
  if (kind === "columns") return ranges;
  return ranges && isShape(shape, centre.length) && isCount(slots) && isList(results, isIndex);
}

function isOfTrees({ features, region, scores, sent, feature, threshold, low, high }) {
  const fits = (list) => isList(list, Number.isFinite) && list.length === feature.length;
  return (
    [features, region, scores].every(isCount) &&
    isList(feature, (f) => isIndex(f) && f < features) &&
    ((sent === "conditions" && fits(threshold)) ||
      (sent === "ranks" && fits(threshold) && isSorted(feature, threshold)) ||
      (sent === "intervals" && fits(low) && fits(high) && low.every((x, k) => x < high[k])))
  );
}

/** Whether conditions are in the order of features, and then of thresholds. */
const isSorted = (feature, threshold) =>
  feature.every(
    (f, k) =>
      k === 0 || feature[k - 1] < f || (feature[k - 1] === f && threshold[k - 1] <= threshold[k]),
  );

/** The number of features of a sample. */
export const features = ({ kind, features, centre }) =>
  kind === "trees" ? features : centre.length;
