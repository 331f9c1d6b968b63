// HTTP requests of the client.

import { RingjetError, ServiceError } from "./errors.js";

const ATTEMPTS = 6;
/** How often a service that is busy is asked again, and the longest wait that it may ask for, in seconds. */
const BUSY = 4;
const MAX_PAUSE = 60;

export const pause = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

/** Whether an error says that a connection broke, and not that the service refused. */
export const broke = (error) => error instanceof TypeError || error.name === "TimeoutError";

export class Transport {
  /** @param timeout the longest time for one answer in seconds */
  constructor(url, token, timeout) {
    const { protocol, search, hash, username } = new URL(url);
    if (!/^https?:$/.test(protocol) || search || hash || username)
      throw new RingjetError(
        "ArgumentError",
        `${url}: the address of a service looks like https://host`,
        { name: "url", value: url },
      );
    this.url = url.replace(/\/+$/, "");
    this.token = token;
    this.timeout = timeout;
  }

  /**
   * Sends a request and returns the answer; throws the error of a refusal. Requests that may be repeated
   * are sent again after a broken connection, and 503 is tried again when the service says so.
   */
  async request(method, path, { body, headers = {}, repeat = true, extra = 0 } = {}) {
    const all = this.token ? { ...headers, Authorization: `Bearer ${this.token}` } : headers;
    for (let failures = 0, busy = 0; ;) {
      let answer, content;
      try {
        const signal = AbortSignal.timeout(1000 * (this.timeout + extra));
        answer = await fetch(this.url + path, {
          method,
          body,
          headers: all,
          signal,
          credentials: "omit",
          cache: "no-store",
          // a token is not for another address
          redirect: "error",
        });
        content = new Uint8Array(await answer.arrayBuffer());
      } catch (error) {
        if (!broke(error)) throw error;
        if (!repeat || ++failures >= ATTEMPTS) throw unreachable(this.url, error, repeat);
        await pause(Math.min(0.1 * 2 ** failures, 5));
        continue;
      }
      if (answer.ok) return { status: answer.status, body: content };
      if (answer.status !== 503 || ++busy > BUSY) throw refusal(answer.status, content);
      const asked = Number(answer.headers.get("Retry-After") ?? 1);
      await pause(Number.isFinite(asked) ? Math.min(Math.max(asked, 0.1), MAX_PAUSE) : 1);
    }
  }

  /** The answer of a GET in JSON. */
  async json(path) {
    return parsed((await this.request("GET", path)).body);
  }
}

export const parsed = (body) => JSON.parse(new TextDecoder().decode(body));

/** The last failure of a request. A browser does not tell a page why a request failed. */
function unreachable(url, error, last) {
  if (!last) return error;
  const why = `${url} does not answer, or it does not accept this page's origin (--allow-origin): ${error.message}`;
  return new ServiceError(why, 0, "unreachable", {});
}

function refusal(status, body) {
  let document = {};
  try {
    document = parsed(body);
  } catch {
    // no problem document: the status says all
  }
  const detail = String(document?.detail ?? `HTTP ${status}`);
  if (document?.error && document.fields)
    return new RingjetError(String(document.error), detail, document.fields);
  return new ServiceError(
    detail,
    status,
    String(document?.type ?? "")
      .split(":")
      .pop(),
    document,
  );
}
