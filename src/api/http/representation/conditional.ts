// Conditional requests (RFC 9110, section 13).

import { createLru } from "../../../imaging/lib/lru.ts";

export interface Validators {
  /** Quoted. */
  readonly etag: string;
  /** In whole seconds, as HTTP dates are. */
  readonly modified?: Date | undefined;
}

/**
 * `Last-Modified` of what is made from a master under settings that this process has had since `settledMs`: the later of the two
 * times. An earlier process may have had other settings, and nothing that all runtimes have records them; so a restart
 * costs one revalidation. Undefined until its second is over, since a state and the next one may both fall into it
 * (RFC 9110, section 8.8.2.2), and for times in the future.
 */
export function lastModified(master: Date | undefined, settledMs: number): Date | undefined {
  if (!master) return undefined;
  const second = Math.floor(Math.max(master.getTime(), settledMs) / 1000) * 1000;
  return second + 1000 <= Date.now() ? new Date(second) : undefined;
}

/**
 * Whether the client's copy is still good: If-None-Match by weak comparison, which wins over If-Modified-Since. A date has to be
 * the one that is sent now, not just a later one: another server of the same address may have sent that under other settings,
 * and a master may be replaced by an older file.
 */
export function isNotModified(headers: Headers, validators: Validators): boolean {
  const noneMatch = headers.get("if-none-match");
  if (noneMatch !== null) {
    if (noneMatch.trim() === "*") return true;
    const own = opaque(validators.etag);
    return (noneMatch.match(/(?:W\/)?"[^"]*"/g) ?? []).some((tag) => opaque(tag) === own);
  }
  const since = headers.get("if-modified-since");
  return since !== null && Date.parse(since) === validators.modified?.getTime();
}

const opaque = (tag: string) => tag.replace(/^W\//, "");

/** The headers that a 200 and its 304 share. */
export function validatorHeaders(validators: Validators): Record<string, string> {
  const headers: Record<string, string> = { ETag: validators.etag };
  if (validators.modified) headers["Last-Modified"] = httpDate(validators.modified.getTime());
  return headers;
}

/** The last dates as text: all tiles of an image have the same. */
const dates = createLru<number, string>(256);

/** An HTTP-date (RFC 9110, section 5.6.7) of milliseconds since 1970. */
function httpDate(ms: number): string {
  const known = dates.get(ms);
  if (known !== undefined) return known;
  const text = new Date(ms).toUTCString();
  dates.set(ms, text, 1);
  return text;
}
