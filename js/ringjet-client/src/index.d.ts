/** Parameters that were checked. The text `json` can be given to `Client.create`. */
export interface Parameters {
  readonly fingerprint: string;
  readonly scheme: "ckks" | "heaan" | "bgv" | "bfv";
  /** Binary logarithm of the ring degree. */
  readonly logN: number;
  /** Values in a ciphertext, if nothing else is asked for. */
  readonly slots: number;
  /** Multiplications in a row on a fresh ciphertext. */
  readonly depth: number;
  /** Whether values are integers, which are computed exactly (BGV and BFV). */
  readonly exact: boolean;
  readonly json: string;
}

/** Numbers; for exact schemes integers. */
export type Vector =
  readonly number[] | readonly bigint[] | Float64Array | Float32Array | Int32Array | BigInt64Array;
/** Numbers of approximate schemes, or integers of exact schemes. */
export type Values = Float64Array | BigInt64Array;
/** What a program returns: a vector, or lists and objects of vectors. */
export type Result = Values | Result[] | { [name: string]: Result };

export interface EncryptOptions {
  /** Values in the ciphertext, a power of two, by default the parameters' number. */
  slots?: number;
  /** How many multiplications in a row will be possible, by default as many as there are. */
  level?: number;
  /** HEAAN: bits of the modulus. */
  logQ?: number;
  /**
   * Bound on real and imaginary parts, by default 1, or an interval of real values, in which slots
   * without a value are filled up. It is not secret, and neither is how many values there are.
   */
  magnitude?: number | readonly [low: number, high: number];
  /** The values are pairs of real and imaginary parts. */
  complex?: boolean;
  /** A client encrypts with its public key, which doubles the size. */
  public?: boolean;
}

export interface DecryptOptions {
  /** Returns pairs of real and imaginary parts. */
  complex?: boolean;
  /** Returns the values of all slots instead of as many as the ciphertext holds. */
  allSlots?: boolean;
  /** Refuses what cannot be an encryption under this key, by default true. */
  check?: boolean;
  /** More bytes are refused. */
  maxBytes?: number;
}

/** Evaluation keys, in the form in which services list them. */
export interface Keys {
  /** The key for products of ciphertexts, by default true. */
  relinearization?: boolean;
  conjugation?: boolean;
  /** Rotations in slots to the left, one key each. */
  rotations?: readonly number[];
  /** Numbers of slots that can be bootstrapped. */
  bootstrapping?: readonly number[];
  /** The highest level at which a key is used, by "relinearization", "conjugation" or the rotation;
   * other keys serve all levels. */
  levels?: Readonly<Record<string, number>>;
}

export interface CallOptions {
  /** Returns pairs of real and imaginary parts. */
  complex?: boolean;
  /** The longest time to wait for the service in seconds. */
  timeout?: number;
  /** What is done of "keys", of "upload" (in bytes), and of the program's own name. */
  progress?: (what: string, done: number, total: number) => void;
}

export interface Open {
  /** Takes parameters that are weaker than they say. */
  allowInsecure?: boolean;
}

/** The library or the service refused something. */
export class RingjetError extends Error {
  /** The values that the message names. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A refusal of a service that is none of the library's errors. */
export class ServiceError extends RingjetError {
  /** The status of HTTP; 0 if no answer came. */
  readonly status: number;
  readonly kind: string;
  readonly document: Readonly<Record<string, unknown>>;
}

/** Encrypts for the holder of a public key. It cannot decrypt. */
export class Encryptor {
  private constructor();
  static create(publicKey: Uint8Array, options?: Open): Promise<Encryptor>;
  readonly keyId: string;
  readonly params: Parameters;
  encrypt(values: Vector, options?: EncryptOptions): Promise<Uint8Array>;
  close(): void;
}

/** Stands for the holder of a secret key, which stays in a worker and ends with it. */
export class Client {
  private constructor();
  /** @param params the name of a preset, or parameters as JSON text */
  static create(params: string, options?: Open): Promise<Client>;
  /** The identity of the key. It reveals nothing about the key. */
  readonly keyId: string;
  readonly params: Parameters;
  encrypt(values: Vector, options?: EncryptOptions): Promise<Uint8Array>;
  /** The result is for the owner of the key alone: its last bits can reveal the key. */
  decrypt(ciphertext: Uint8Array, options?: DecryptOptions): Promise<Values>;
  /** The evaluation keys in bytes, with a seed in place of half of each. */
  evaluationKeys(
    keys?: Keys,
    progress?: (done: number, total: number) => void,
  ): Promise<Uint8Array>;
  publicKey(): Promise<Uint8Array>;
  close(): void;
}

/** An input of a program. */
export interface ProgramInput {
  readonly name: string;
  /** Values in the ciphertext. */
  readonly slots: number;
  /** How many values are encrypted; null for a value in every slot. */
  readonly count: number | null;
  /** Bound on real and imaginary parts, or an interval of real values. Exact schemes have none. */
  readonly magnitude: number | readonly [low: number, high: number];
  readonly level: number | null;
  /** HEAAN: bits of the modulus. */
  readonly log_q: number | null;
  /** Whether values may be complex. */
  readonly complex: boolean;
  /** Whether it is encrypted with the public key. */
  readonly public_key: boolean;
}

/** Stands for a client of one program, whose secret key stays in a worker and ends with it. */
export class ProgramClient {
  private constructor();
  /** @param program the text that `Program.client_json` of Python writes */
  static create(program: string, options?: Open): Promise<ProgramClient>;
  readonly keyId: string;
  readonly params: Parameters;
  readonly inputs: readonly ProgramInput[];
  /** The names of the results, in order; a single result has an empty name. */
  readonly outputs: readonly string[];
  /** The evaluation keys that the program uses. */
  readonly keys: Keys;
  /** Encrypts an input as the program takes it. `complex`: the values are pairs of real and imaginary parts. */
  encrypt(name: string, values: Vector, options?: { complex?: boolean }): Promise<Uint8Array>;
  /** Decrypts the result of this name. */
  decrypt(name: string, ciphertext: Uint8Array, options?: DecryptOptions): Promise<Values>;
  /** Decrypts all results, in the order of `outputs`, into the structure that the function returned. */
  decryptAll(ciphertexts: readonly Uint8Array[], options?: DecryptOptions): Promise<Result>;
  /** The evaluation keys that the program uses, in bytes. */
  evaluationKeys(progress?: (done: number, total: number) => void): Promise<Uint8Array>;
  publicKey(): Promise<Uint8Array>;
  close(): void;
}

/** A sample: as many numbers as the model has features, for an image also as arrays of arrays. */
export type Sample =
  readonly number[] | Float64Array | Float32Array | Int32Array | Uint8Array | readonly Sample[];
/** A class of a model. */
export type Label = string | number | boolean;
/** What a model predicts for a sample: a class, a value, or several values. */
export type Prediction = Label | number[];

/** Stands for a client of one compiled model, whose secret key stays in a worker and ends with it. */
export class ModelClient {
  private constructor();
  /** @param model the text of client.json, which `Model.save` of Python writes */
  static create(model: string, options?: Open): Promise<ModelClient>;
  readonly keyId: string;
  readonly params: Parameters;
  /** Names the model: that of another one, or of the same with other calibration, is another. */
  readonly fingerprint: string;
  /** The shape of a sample. */
  readonly shape: readonly number[];
  /** The names of the features, where the model was fitted to a frame. */
  readonly names: readonly string[] | null;
  /** The accepted range of each feature; null if the model takes any numbers, as trees do. */
  readonly ranges: readonly (readonly [low: number, high: number])[] | null;
  /** The classes; null if the model predicts values. */
  readonly classes: readonly Label[] | null;
  /** The keys that `ringjet.ml.Server` needs, in bytes. They are public. */
  keys(progress?: (done: number, total: number) => void): Promise<Uint8Array>;
  /** Encrypts samples for the server. Refuses features outside their range. */
  encrypt(samples: readonly Sample[]): Promise<Uint8Array>;
  /**
   * The prediction for each sample, from what the server returned. It refuses scores far outside the range
   * of calibration (`PredictionWarning`), which may be wrong; `check: false` returns them.
   */
  decrypt(scores: Uint8Array, options?: { check?: boolean }): Promise<Prediction[]>;
  close(): void;
}

/** Calls the programs of a service. */
export class ServiceClient {
  private constructor();
  /** What the service published of itself. */
  readonly config: Readonly<Record<string, any>>;
  readonly programs: string[];
  /** Encrypts the vectors, calls a program with them, and decrypts its results. */
  call(name: string, ...vectors: Vector[]): Promise<Result>;
  call(name: string, ...vectorsAndOptions: [...Vector[], CallOptions]): Promise<Result>;
  /**
   * The class or value that a model of the service gives for each sample. Samples are encrypted and scores
   * decrypted here, as `ModelClient` does.
   */
  predict(
    name: string,
    samples: readonly Sample[],
    options?: { check?: boolean } & Pick<CallOptions, "timeout" | "progress">,
  ): Promise<Prediction[]>;
  /** Makes and sends the keys that a program needs. `call` and `predict` do this by themselves. */
  prepare(name: string, options?: Pick<CallOptions, "progress">): Promise<string>;
  keyId(name: string): Promise<string>;
  /** Removes the evaluation keys of a program from the service. */
  forget(name: string): Promise<void>;
  close(): void;
}

/** A client of the service at `url`. `timeout`: of one answer, in seconds. */
export function connect(
  url: string,
  token?: string,
  options?: Open & { timeout?: number },
): Promise<ServiceClient>;

/** The presets of the library. */
export function presets(): Promise<(Parameters & { name: string })[]>;
