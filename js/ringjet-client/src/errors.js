// Errors that carry the values of a refusal.

/**
 * The library or the service refused something. `name` is the class that Python has for the error, such
 * as "MagnitudeError"; `fields` has the values that the message names.
 */
export class RingjetError extends Error {
  constructor(name, message, fields = {}) {
    super(message);
    this.name = name;
    this.fields = fields;
  }
}

/** A refusal of a service that is none of the library's errors: `status` is HTTP's, `kind` the kind of problem. */
export class ServiceError extends RingjetError {
  constructor(message, status, kind, document) {
    super("ServiceError", message, { status, kind });
    this.status = status;
    this.kind = kind;
    this.document = document;
  }
}

/** An error as plain values, which reach another thread whole. */
export function packed(error) {
  const { name, message, fields, status, kind, document } =
    error instanceof Error ? error : { name: "Error", message: String(error) };
  const broken = error instanceof WebAssembly.RuntimeError;
  return { name, message, fields, status, kind, document, broken };
}

/** The error that `packed` described. */
export function unpacked({ name, message, fields, status, kind, document }) {
  if (name === "ServiceError") return new ServiceError(message, status, kind, document);
  if (fields) return new RingjetError(name, message, fields);
  return Object.assign(new Error(message), { name });
}
