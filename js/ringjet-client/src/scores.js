// What the scores of a compiled model mean. `Head` of python/ringjet/ml/models/_layers.py has the same.

const largest = (scores) => scores.reduce((best, x, i) => (x > scores[best] ? i : best), 0);

/** The class or the value of a sample. */
export function result({ kind, classes, labels, neighbours, tie = 0 }, scores) {
  if (kind === "value") return scores.length === 1 ? scores[0] : scores;
  if (kind === "sign") return classes[scores[0] > tie ? 1 : 0];
  if (kind === "argmax") {
    const least = Math.max(...scores) - tie;
    return classes[scores.findIndex((x) => x >= least)];
  }
  if (kind === "pairs") return classes[largest(votes(scores, classes.length))];
  // the sort is stable: of equal scores the first ones count
  const order = scores.map((_, i) => i).sort((a, b) => scores[b] - scores[a]);
  const nearest = order.slice(0, neighbours).map((i) => labels[i]);
  if (classes === null) return mean(nearest);
  return classes[largest(classes.map((known) => nearest.filter((x) => x === known).length))];
}

/** How many votes each class gets in all pairs of classes. A positive score is one for the first of a pair. */
function votes(scores, count) {
  const found = Array(count).fill(0);
  let next = 0;
  for (let i = 0; i < count; i++)
    for (let j = i + 1; j < count; j++) found[scores[next++] > 0 ? i : j]++;
  return found;
}

/** The mean of numbers, or of lists of numbers. */
function mean(all) {
  if (Array.isArray(all[0])) return all[0].map((_, k) => mean(all.map((list) => list[k])));
  return all.reduce((sum, x) => sum + x, 0) / all.length;
}

const isClass = (x) =>
  ["string", "boolean"].includes(typeof x) ||
  // JavaScript rounds larger integers: two classes could become one
  (Number.isFinite(x) && (!Number.isInteger(x) || Number.isSafeInteger(x)));
const isValue = (x) =>
  Number.isFinite(x) || (Array.isArray(x) && x.length > 0 && x.every(Number.isFinite));

/** Whether the members of a head fit together, and to the number of scores. */
export function isHead(head, count) {
  const { kind, classes, labels, neighbours, tie } = head ?? {};
  if (!Number.isFinite(tie) || (tie < 0 && kind !== "sign")) return false;
  if (classes !== null && !(Array.isArray(classes) && classes.length > 0 && classes.every(isClass)))
    return false;
  const n = classes?.length;
  if (kind === "nearest")
    return (
      Array.isArray(labels) &&
      labels.length === count &&
      labels.every(n ? (x) => classes.includes(x) : isValue) &&
      Number.isInteger(neighbours) &&
      neighbours >= 1
    );
  if (kind === "value") return classes === null;
  if (kind === "sign") return n === 2 && count === 1;
  return (kind === "argmax" && n === count) || (kind === "pairs" && (n * (n - 1)) / 2 === count);
}
