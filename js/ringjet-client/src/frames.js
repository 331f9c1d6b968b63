// Several byte strings in one: the body of a call and of a result. docs/service.md describes the format.

import { RingjetError } from "./errors.js";

const MAGIC = [0x52, 0x4a, 0x46, 0x31]; // RJF1
const MAX_FRAMES = 10_000;

/** The frames as bytes. `frames`: pairs of a name and its content. */
export function pack(frames) {
  const named = frames.map(([name, content]) => [new TextEncoder().encode(name), content]);
  const size = named.reduce((sum, [name, content]) => sum + 10 + name.length + content.length, 8);
  const out = new Uint8Array(size);
  const view = new DataView(out.buffer);
  out.set(MAGIC);
  view.setUint32(4, named.length, true);
  let at = 8;
  for (const [name, content] of named) {
    view.setUint16(at, name.length, true);
    out.set(name, at + 2);
    view.setBigUint64(at + 2 + name.length, BigInt(content.length), true);
    out.set(content, at + 10 + name.length);
    at += 10 + name.length + content.length;
  }
  return out;
}

/** The frames of bytes, as pairs of a name and its content. */
export function unpack(data) {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let at = 0;
  const refuse = (reason, offset) => {
    throw new RingjetError("FrameError", `frames: ${reason} at byte ${offset}`, { reason, offset });
  };
  const take = (size, what) => {
    if (size > data.length - at) refuse(`${what} ends early`, data.length);
    at += size;
    return at - size;
  };
  if (MAGIC.some((byte, i) => data[take(1, "the magic")] !== byte || at !== i + 1))
    refuse("this does not begin with RJF1", 0);
  const count = view.getUint32(take(4, "the number of frames"), true);
  if (count > MAX_FRAMES) refuse(`${count} frames, of at most ${MAX_FRAMES}`, 4);
  const frames = [];
  for (let i = 0; i < count; i++) {
    const length = view.getUint16(take(2, "the length of a name"), true);
    const start = take(length, "a name");
    const name = new TextDecoder().decode(data.subarray(start, start + length));
    // a length above 2^53 is not exact here, and too long in any case
    const size = Number(view.getBigUint64(take(8, "the length of a frame"), true));
    const content = take(size, "a frame");
    frames.push([name, data.subarray(content, content + size)]);
  }
  if (at !== data.length) refuse("there are bytes after the last frame", at);
  return frames;
}
