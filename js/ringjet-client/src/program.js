// Programs: what they take, and what they return.

import { LocalClient, argument, listed, parameters } from "./local.js";
import { RingjetError } from "./errors.js";

/**
 * Encrypts an input as a program takes it. `input.count`: how many values it has, null for any number.
 * `options.complex`: the values are pairs of real and imaginary parts.
 */
export function encryptInput(client, program, input, values, options = {}) {
  const { complex = false, ...others } = options;
  const [unknown] = Object.keys(others);
  if (unknown) throw argument("options", unknown, `complex alone: ${program} states the others`);
  if (complex && !input.complex)
    throw argument(input.name, "complex numbers", `real numbers: ${program} takes them`);
  const all = listed(values);
  const count = complex ? all.length / 2 : all.length;
  if (input.count != null && count !== input.count)
    throw argument(
      input.name,
      `${count} values`,
      `${input.count} values: ${program} is planned for them`,
    );
  const { slots, level, log_q: logQ, magnitude, public_key: isPublic } = input;
  const stated = { slots, level, logQ, complex, public: isPublic };
  if (client.params.exact) return client.encrypt(all, stated);
  expectWithin(input, program, all);
  return client.encrypt(all, { ...stated, magnitude });
}

/** Refuses the first number outside the bounds of an input. What is no number, `encrypt` refuses. */
function expectWithin({ name, magnitude }, program, values) {
  const interval = Array.isArray(magnitude);
  const [low, high] = interval ? magnitude : [-magnitude, magnitude];
  const index = values.findIndex((x) => Number.isFinite(x) && (x < low || x > high));
  if (index < 0) return;
  const found = values[index];
  throw new RingjetError(
    interval ? "OutsideStatedError" : "MagnitudeError",
    `${name}[${index}] = ${found}: ${program} takes values from ${low} to ${high}`,
    { name, index, found, ...(interval ? { low, high } : { stated: magnitude }) },
  );
}

/** A result with `by(number)` in place of each number of `template`. */
export function filled(template, by) {
  if (typeof template === "number") return by(template);
  if (Array.isArray(template)) return template.map((part) => filled(part, by));
  return Object.fromEntries(Object.entries(template).map(([key, part]) => [key, filled(part, by)]));
}

/** The holder of a secret key for one program. */
export class LocalProgram {
  static methods = ["encrypt", "decrypt", "decryptAll", "evaluationKeys", "publicKey"];

  /** @param text what `Program.client_json` of Python wrote */
  constructor(text, allowInsecure = false) {
    this.program = read(text);
    this.client = new LocalClient(parameters(this.program.parameters, allowInsecure));
  }

  describe() {
    const { inputs, outputs, keys } = this.program;
    return { ...this.client.describe(), inputs, outputs, keys };
  }

  encrypt(name, values, options) {
    const { inputs } = this.program;
    const input = inputs.find((input) => input.name === name);
    if (!input) throw argument("name", name, `one of ${inputs.map(({ name }) => name).join(", ")}`);
    // the program was recorded for a value in every slot
    const count = input.count ?? input.slots;
    return encryptInput(this.client, "the program", { ...input, count }, values, options);
  }

  decrypt(name, ciphertext, options) {
    const { outputs } = this.program;
    if (!outputs.includes(name))
      throw argument("name", JSON.stringify(name), `one of ${JSON.stringify(outputs)}`);
    return this.client.decrypt(ciphertext, options);
  }

  decryptAll(ciphertexts, options) {
    const { outputs, result } = this.program;
    if (ciphertexts?.length !== outputs.length)
      throw argument("ciphertexts", ciphertexts?.length, `${outputs.length}, one for each result`);
    return filled(result, (i) => this.client.decrypt(ciphertexts[i], options));
  }

  evaluationKeys(progress) {
    return this.client.evaluationKeys(this.program.keys, progress);
  }

  publicKey() {
    return this.client.publicKey();
  }
}

/** The members of the text that `Program.client_json` writes. */
function read(text) {
  let program;
  try {
    program = JSON.parse(text);
  } catch (error) {
    throw argument("program", error.message, "the text that Program.client_json writes");
  }
  const is = {
    parameters: (x) => typeof x === "string",
    inputs: (x) => Array.isArray(x) && x.every(isInput),
    outputs: (x) => Array.isArray(x) && x.every((name) => typeof name === "string"),
    keys: isObject,
    result: (x) => isResult(x, program.outputs.length),
  };
  for (const [member, check] of Object.entries(is))
    if (!check(program?.[member]))
      throw argument("program", `a wrong ${member}`, "the text that Program.client_json writes");
  return program;
}

const isObject = (x) => x !== null && typeof x === "object" && !Array.isArray(x);
const isNumber = (x, low, high) => Number.isInteger(x) && x >= low && x <= high;

function isInput(input) {
  if (!isObject(input)) return false;
  const { name, slots, level, log_q, magnitude, count, complex, public_key } = input;
  const ends = Array.isArray(magnitude) ? magnitude : [0, magnitude];
  return (
    typeof name === "string" &&
    isNumber(slots, 1, 1 << 17) &&
    [level, log_q].every((left) => left === null || isNumber(left, 0, 1 << 20)) &&
    (count === null || isNumber(count, 1, slots)) &&
    [complex, public_key].every((flag) => typeof flag === "boolean") &&
    ends.length === 2 &&
    ends.every(Number.isFinite) &&
    ends[0] <= ends[1]
  );
}

/** Whether it is a structure whose ends are numbers of results. */
function isResult(x, count) {
  if (typeof x === "number") return isNumber(x, 0, count - 1);
  return x !== null && typeof x === "object" && Object.values(x).every((x) => isResult(x, count));
}
