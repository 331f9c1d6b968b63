// The bytes of an encrypted matrix in rows or in columns. python/ringjet/vectors/matrices/_bytes.py
// describes them.

import { RingjetError } from "./errors.js";

/** The layouts that are written and read here: a ciphertext is a row, or a column. */
export const ROWS = 1;
export const COLUMNS = 2;

const MAGIC = [0x52, 0x4a, 0x4d, 0x58]; // RJMX
const VERSION = 1;
const FRONT = 20;
const LENGTH = 8;
const CHECKSUM = 4;
/** A ciphertext has at least a header and a checksum. */
const LEAST = 52;
/** The largest number of ciphertexts of a matrix. */
const MAX_CIPHERTEXTS = 1 << 16;

/** How many ciphertexts a matrix takes. `shape`: its rows and columns. */
export function ciphertexts(layout, slots, [rows, columns]) {
  return layout === ROWS ? rows * Math.ceil(columns / slots) : Math.ceil(rows / slots) * columns;
}

/** The bytes of a matrix with these ciphertexts, in the order of their rows. */
export function written(layout, slots, shape, made) {
  const start = FRONT + LENGTH * made.length;
  const size = made.reduce((sum, part) => sum + part.length, start);
  const out = new Uint8Array(size + CHECKSUM);
  const view = new DataView(out.buffer);
  out.set([...MAGIC, VERSION, 31 - Math.clz32(slots), layout]);
  view.setUint32(12, shape[0], true);
  view.setUint32(16, shape[1], true);
  let at = start;
  made.forEach((part, i) => {
    view.setBigUint64(FRONT + LENGTH * i, BigInt(part.length), true);
    out.set(part, at);
    at += part.length;
  });
  view.setUint32(size, crc32(out.subarray(0, size)), true);
  return out;
}

/** The shape of a matrix in bytes, and its ciphertexts. Refuses another layout, and other slots. */
export function read(data, layout, slots) {
  if (MAGIC.some((byte, i) => data[i] !== byte)) throw malformed("does not begin with RJMX", 0);
  const body = data.length - FRONT - CHECKSUM;
  if (body < 0) throw malformed("truncated", data.length);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (data[4] > VERSION) throw newer(data[4]);
  if (data[4] < VERSION || data[7] !== 0) throw malformed("an unknown version", 4);
  if (2 ** data[5] !== slots || data[6] !== layout || view.getUint32(8, true) !== 0)
    throw malformed("a matrix with another layout, or with other slots", 5);
  const shape = [view.getUint32(12, true), view.getUint32(16, true)];
  const count = ciphertexts(layout, slots, shape);
  if (count === 0) throw malformed("a matrix without elements", 12);
  if (count > MAX_CIPHERTEXTS || count * (LENGTH + LEAST) > body)
    throw malformed(`truncated: ${count} ciphertexts do not fit`, data.length);
  const end = data.length - CHECKSUM;
  let at = FRONT + LENGTH * count;
  const parts = Array.from({ length: count }, (_, i) => {
    // a length above 2^53 is not exact here, and too long in any case
    const size = Number(view.getBigUint64(FRONT + LENGTH * i, true));
    if (size < LEAST || size > end - at)
      throw malformed("a length that no ciphertext has", FRONT + LENGTH * i);
    at += size;
    return data.subarray(at - size, at);
  });
  if (at !== end) throw malformed(`${end - at} bytes too many at the end`, data.length);
  if (crc32(data.subarray(0, end)) !== view.getUint32(end, true))
    throw malformed("the checksum does not match: the bytes were changed", end);
  return { shape, ciphertexts: parts };
}

const WHAT = "encrypted matrix";

/** The error for bytes that are no matrix. */
export const malformed = (reason, offset, what = WHAT) =>
  new RingjetError("MalformedError", `${what}: ${reason} (at byte ${offset})`, {
    what,
    reason,
    offset,
  });

const newer = (found) =>
  new RingjetError(
    "NewerVersionError",
    `${WHAT} of format version ${found}, this library reads up to ${VERSION}: upgrade ringjet-client`,
    { what: WHAT, found, supported: VERSION },
  );

/** The remainders of bytes for the polynomial of CRC-32 (ISO 3309). */
const REMAINDERS = Uint32Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit++) byte = byte & 1 ? (byte >>> 1) ^ 0xedb88320 : byte >>> 1;
  return byte;
});

function crc32(data) {
  let found = -1;
  for (let i = 0; i < data.length; i++)
    found = (found >>> 8) ^ REMAINDERS[(found ^ data[i]) & 0xff];
  return ~found >>> 0;
}
